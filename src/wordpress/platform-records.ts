import type { Site } from '../base/config.ts'
import type { Parsed } from '../base/fields/field.ts'
import { ids, integer, listEntries, NEVER, words } from '../base/fields/kinds.ts'
import { Problem } from '../base/problems.ts'
import { renderTitle } from '../base/text/html.ts'
import { renderedText, type WantedText } from '../base/text/long-texts.ts'
import { wallToUtc } from '../base/text/zones.ts'
import type { Context, ValueContext } from '../calendar/declare/context.ts'
import type {
  AskedUpdate,
  FoundRecords,
  Operations,
  Presentation,
  WriteSteps,
} from '../calendar/declare/operations.ts'
import { defineFields, defineResource } from '../calendar/declare/resource.ts'
import { isImageReference } from '../calendar/images/images.ts'
import { hasFewWords } from '../calendar/linked/linked-filters.ts'
import type { LinkedKind } from '../calendar/linked/linked-store.ts'
import { postType, recordUrl } from '../calendar/linked/record-present.ts'
import { about } from '../calendar/locales/messages.ts'
import { can, mayEdit, mayRead, seesUnpublished } from '../calendar/people/caller.ts'
import {
  foundPage,
  isAllowedStatusList,
  pageRequest,
  presentSingle,
  statusFilter,
  textsOfRecord,
  visibleTo,
} from '../calendar/records/record-store.ts'
import { resourceNamed, type ServedResource } from '../calendar/resources.ts'
import { taxonomyWord } from '../calendar/terms/term-present.ts'
import { findTermIdsOf, TAXONOMIES, type TermIdsOfEvent } from '../calendar/terms/term-store.ts'
import { postFilters } from '../http/post-filters.ts'
import type { PagedKind, RecordColumns, RecordTable } from '../store/storage/schema.ts'
import { platformTime, serveForPlatform, shapingOf, shownText } from './platform-resource.ts'
import {
  hasStatus,
  hasTermOf,
  isListedEvent,
  listPosts,
  matchesSearch,
  type PostCondition,
  type PostTable,
} from './post-list.ts'

// Events, venues and organizers as WordPress posts (rule 29.5).

interface PostKind {
  kind: PagedKind
  posts: PostTable & { table: RecordTable; title: 'title' | LinkedKind }
}

const KINDS: readonly PostKind[] = [
  { kind: 'event', posts: { table: 'events', title: 'title', date: 'date' } },
  { kind: 'venue', posts: { table: 'venues', title: 'venue', date: 'date' } },
  { kind: 'organizer', posts: { table: 'organizers', title: 'organizer', date: 'date' } },
]

type Texts = Partial<Record<PostKind['posts']['title'] | 'description' | 'excerpt', string>>

const statusFilterField = defineFields({
  status: {
    kind: words,
    about: about('Only records with one of these statuses; any stands for all but the trash'),
    default: 'publish',
    valid: (value, context) => isAny(value, context) || isAllowedStatusList(value, context),
  },
})

function isAny(value: unknown, { caller }: ValueContext): boolean {
  const [only, ...others] = listEntries(value) ?? []
  return only === 'any' && others.length === 0 && seesUnpublished(caller)
}

/** The resources of events, venues and organizers (rule 29.5). `site` is that of `<vendor>/events/v1`. */
export function recordsOf(site: Site): ServedResource[] {
  return KINDS.map((kind) => servePosts(kind, site))
}

function operationsOf(kind: PagedKind): Operations<RecordColumns> {
  return resourceNamed(kind).operations as Operations<RecordColumns>
}

function servePosts(kind: PostKind, site: Site): ServedResource {
  const { locate, versioned } = operationsOf(kind.kind)
  const { search } = postFilters
  const own = kind.kind === 'event' ? termsFilters(site) : { search: { ...search, valid: hasFewWords } }
  const filters = { ...postFilters, ...statusFilterField, ...own }
  const resource = defineResource({
    name: kind.kind,
    path: postType(site, kind.kind),
    title: kind.kind,
    addresses: { id: { id: { kind: integer, about: '', required: true } } },
    fields: kind.kind === 'event' ? featuredField : {},
  })
  const presentation: Presentation<LoadedPost> = {
    nameOf: ({ row }) => ({ kind: kind.kind, id: row.id }),
    textsOf: ({ row }) => textsOfRow(row),
    present: (context, { row, terms }) => presentPost(kind, context, row, terms),
  }
  return serveForPlatform<RecordColumns, LoadedPost>(resource, filters, {
    ...(versioned ? { versioned } : {}),
    find: (context, query) => find(kind, context, query),
    load: (context, { rows = [] }) => withTerms(kind, context, rows),
    locate,
    missing: async () => new Problem('rest_post_invalid_id'),
    loadOne: async (context, row) => {
      if (row.status === 'trash' ? !mayEdit(context.caller, row) : !mayRead(context.caller, row))
        throw new Problem('rest_forbidden')
      return loadOne(kind, context, row)
    },
    presentation,
    update: setFeatured(kind, site, presentation),
    rights: {
      create: () => false,
      update: ({ caller }, row) =>
        kind.kind === 'event' && (row ? mayEdit(caller, row) : can(caller, 'edit')),
      remove: () => false,
    },
  })
}

const featuredField = defineFields({
  featured_media: {
    kind: integer,
    about: about('The id of the featured image; 0 for none'),
    lookUp: isImageReference,
  },
})

function setFeatured(
  kind: PostKind,
  site: Site,
  presentation: Presentation<LoadedPost>,
): WriteSteps<AskedUpdate<RecordColumns>> {
  const { update, locate } = operationsOf(kind.kind)
  return {
    prepare: async (context, { row, values }: AskedFeatured) => {
      const image = values.featured_media
      const prepared =
        image === undefined
          ? undefined
          : await update.prepare({ ...context, site }, { row, values: { image: image || '' } })
      return { id: row.id, prepared }
    },
    write: async (tx, { id, prepared }: { id: number; prepared: unknown }, context) => {
      if (prepared !== undefined) await update.write(tx, prepared, { ...context, site })
      const inWrite = { ...context, db: tx }
      const changed = await locate(inWrite, { id })
      if (!changed) throw new Problem('rest_post_invalid_id')
      return { id, answer: await presentSingle(inWrite, presentation, await loadOne(kind, inWrite, changed)) }
    },
  }
}

type AskedFeatured = AskedUpdate<RecordColumns> & { values: Parsed<typeof featuredField> }

function termsFilters(site: Site) {
  return defineFields({
    [taxonomyWord(site, 'category')]: {
      kind: ids,
      about: about('Only events in any of these categories, by id'),
    },
    tags: { kind: ids, about: about('Only events with any of these tags, by id') },
  })
}

type Query = Parsed<typeof postFilters & typeof statusFilterField>

async function find(kind: PostKind, context: Context, query: Query): Promise<FoundRecords<RecordColumns>> {
  const page = pageRequest(query, context)
  const isAnyStatus = query.status?.[0] === 'any'
  const { statuses } = statusFilter(context.caller, isAnyStatus ? undefined : query.status)
  const found = await listPosts<RecordColumns>(kind.posts, query, page, context, {
    conditions: [
      hasStatus(context.db, kind.posts.table, [...statuses]),
      ...(kind.kind === 'event' ? eventConditions(context, query) : []),
      ...(query.search?.trim() ? [await matchesSearch(context, kind.posts.table, query.search)] : []),
    ],
    open: visibleTo(context.caller, kind.posts.table),
  })
  return { ...foundPage(found, page), effective: shapingOf(query), pastEnd: 'rest_post_invalid_page_number' }
}

function eventConditions({ db, site }: Context, query: Record<string, unknown>): PostCondition[] {
  const asked = [query[taxonomyWord(site, 'category')], query.tags]
  const inTerms = TAXONOMIES.flatMap((taxonomy, index) => {
    const terms = asked[index] as number[] | undefined
    return terms === undefined ? [] : [hasTermOf(db, taxonomy, terms)]
  })
  return [isListedEvent, ...inTerms]
}

interface LoadedPost {
  row: RecordColumns
  terms: TermIdsOfEvent | undefined
}

async function withTerms(
  kind: PostKind,
  context: Context,
  rows: readonly RecordColumns[],
): Promise<LoadedPost[]> {
  if (kind.kind !== 'event') return rows.map((row) => ({ row, terms: undefined }))
  const terms = await findTermIdsOf(
    context.db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ row, terms: terms.get(row.id) ?? { category: [], tag: [] } }))
}

async function loadOne(kind: PostKind, context: Context, row: RecordColumns): Promise<LoadedPost> {
  const [loaded] = await withTerms(kind, context, [row])
  return loaded ?? { row, terms: undefined }
}

function textsOfRow(row: RecordColumns): WantedText[] {
  const { description = '', excerpt = '', trusted }: Texts & RecordColumns = row
  return textsOfRecord({ description, excerpt, trusted }, 'listed')
}

function presentPost(
  { kind, posts }: PostKind,
  context: Context,
  row: RecordColumns,
  terms: TermIdsOfEvent | undefined,
) {
  const { site, caller } = context
  const { [posts.title]: title = '', description: content = '', excerpt = '' }: Texts & RecordColumns = row
  const trusted = row.trusted === 1
  const editable = mayEdit(caller, row)
  const link = recordUrl(site, kind, row)
  const utc = row.date_utc === NEVER ? wallToUtc(row.date, site.timezone) : row.date_utc
  return {
    id: row.id,
    date: platformTime(row.date),
    date_gmt: platformTime(utc),
    guid: { rendered: `${site.url}/?post_type=${postType(site, kind)}&#038;p=${row.id}` },
    modified: platformTime(row.modified),
    modified_gmt: platformTime(row.modified_utc),
    slug: row.slug,
    status: row.status,
    type: postType(site, kind),
    link,
    title: shownText(renderTitle(title, trusted), title, editable),
    content: { ...shownText(renderedText(content, trusted), content, editable), protected: false },
    excerpt: { ...shownText(renderedText(excerpt, trusted), excerpt, editable), protected: false },
    author: row.author,
    featured_media: row.image ?? 0,
    template: '',
    meta: [],
    ...(terms ? { tags: terms.tag, [taxonomyWord(site, 'category')]: terms.category } : {}),
    _links: linksOf(kind, context, row, terms !== undefined),
  }
}

function linksOf(kind: PagedKind, { site }: Context, { id, image }: RecordColumns, hasTerms: boolean) {
  const collection = `${site.base}/${postType(site, kind)}`
  const category = taxonomyWord(site, 'category')
  return {
    self: [{ href: `${collection}/${id}` }],
    collection: [{ href: collection }],
    about: [{ href: `${site.base}/types/${postType(site, kind)}` }],
    ...(image === null
      ? {}
      : { 'wp:featuredmedia': [{ embeddable: true, href: `${site.base}/media/${image}` }] }),
    ...(hasTerms
      ? {
          'wp:term': [
            { taxonomy: category, embeddable: true, href: `${site.base}/${category}?post=${id}` },
            { taxonomy: 'post_tag', embeddable: true, href: `${site.base}/tags?post=${id}` },
          ],
        }
      : {}),
  }
}
