import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '../context/context.ts'
import { defineFields } from '../declare/resource.ts'
import type { Parsed } from '../fields/field.ts'
import { ids, integer, readInteger, settledText, text, untypedMoment, words } from '../fields/kinds.ts'
import { limits } from '../fields/limits.ts'
import { pageFilters } from '../fields/record-fields.ts'
import type { MessageText } from '../locales/messages.ts'
import { type Listing, MAX_ID, offsetOf, type PageRequest } from '../records/record-store.ts'
import type { Db } from '../storage/database.ts'
import type { RecordTable, Tables } from '../storage/schema.ts'
import { wholeList } from '../storage/whole-list.ts'
import { categoryFilters } from '../terms/term-filters.ts'
import { parseMoment } from '../text/moments.ts'
import { canonicalSlug } from '../text/slug.ts'

export const about = (text: MessageText) => text

/** The orders of lists of posts. */
const ORDERS = ['date', 'modified', 'id', 'title', 'slug', 'author', 'include', 'relevance'] as const
type Order = (typeof ORDERS)[number]

const isOneOf = (known: readonly string[]) => (value: unknown) => known.some((word) => word === value)

/** The filters that all lists of posts of the platform share: images and the records of the namespace (rules 29.3 and 29.5). */
export const postFilters = defineFields({
  context: {
    kind: text,
    about: about('What it is read for: view, edit or embed'),
    default: 'view',
    valid: isOneOf(['view', 'edit', 'embed']),
  },
  ...pageFilters,
  search: { kind: settledText, about: about('Only records with these words in their texts'), within: limits.search },
  after: { kind: untypedMoment, about: about('Only records published after this time') },
  before: { kind: untypedMoment, about: about('Only records published before this time') },
  modified_after: { kind: untypedMoment, about: about('Only records changed after this time') },
  modified_before: { kind: untypedMoment, about: about('Only records changed before this time') },
  author: { kind: ids, about: about('Only records of these authors, by id') },
  exclude: { kind: ids, about: about('Leave out the records with these ids') },
  include: { kind: ids, about: about('Only the records with these ids') },
  offset: {
    kind: integer,
    about: about('How many records to pass over before the first page'),
    valid: (value) => (readInteger(value) ?? -1) >= 0,
  },
  order: {
    ...categoryFilters.order,
    default: 'desc',
    valid: isOneOf(['asc', 'desc']),
  },
  orderby: {
    kind: text,
    about: about('What the records are ordered by: date, modified, id, title, slug, author, include or relevance'),
    default: 'date',
    valid: isOneOf(ORDERS),
  },
  slug: { kind: words, about: about('Only the records with these slugs'), within: limits.slugs },
})

export type PostQuery = Parsed<typeof postFilters>

/** A table of posts, and the names of its columns. */
export interface PostTable {
  table: RecordTable | 'images'
  title: string
  /** The columns of the publication and of the last change, in the zone of the site or in UTC. */
  date: string
  modified: string
}

export type Condition = RawBuilder<SqlBool>

const isPossible = (id: number) => id <= MAX_ID

/** The condition of the shared filters; `toColumn` turns a time in the zone of the site into the form of the columns. */
function sharedConditions(
  posts: PostTable,
  query: PostQuery,
  context: Context,
  toColumn: (wall: string) => string,
): Condition[] {
  const column = (name: string) => sql.ref(`${posts.table}.${name}`)
  const time = (name: string, sign: '<' | '>', value: string | number | undefined): Condition[] => {
    const wall = value === undefined ? undefined : parseMoment(value, context.site.timezone, context.now)
    return wall === undefined ? [] : [sql<SqlBool>`${column(name)} ${sql.raw(sign)} ${toColumn(wall)}`]
  }
  const among = (name: string, values: readonly (number | string)[] | undefined): Condition[] =>
    values === undefined ? [] : [isAmong(context.db, column(name), values)]
  const excluded = query.exclude?.filter(isPossible)
  return [
    ...time(posts.date, '>', query.after),
    ...time(posts.date, '<', query.before),
    ...time(posts.modified, '>', query.modified_after),
    ...time(posts.modified, '<', query.modified_before),
    ...among('author', query.author?.filter(isPossible)),
    ...among('id', query.include?.filter(isPossible)),
    ...among('slug', query.slug?.length ? query.slug.map(canonicalSlug) : undefined),
    ...(excluded?.length ? [sql<SqlBool>`not ${isAmong(context.db, column('id'), excluded)}`] : []),
  ]
}

/** The condition that a column has one of these values; the list is one value of the statement. */
export function isAmong(db: Db, column: RawBuilder<unknown>, values: readonly (number | string)[]): Condition {
  return sql<SqlBool>`${column} in ${wholeList(db, values)}`
}

/** The conditions of a list of posts beyond the shared filters. */
export interface Narrowing {
  conditions: readonly Condition[]
  /** Who may see what, as a condition of the query builder. */
  open: (rows: ExpressionBuilder<Tables, 'images'>) => unknown
  toColumn: (wall: string) => string
}

/** One page of posts, the newest first unless asked otherwise, ties by id; `offset` records are passed over before the first page. */
export async function listPosts<Row extends { id: number }>(
  posts: PostTable,
  query: PostQuery,
  page: PageRequest,
  context: Context,
  { conditions, open, toColumn }: Narrowing,
): Promise<Listing<Row>> {
  const all = [...conditions, ...sharedConditions(posts, query, context, toColumn)]
  // All tables have the columns used here; the query builder is told of one.
  const matching = context.db
    .selectFrom(posts.table as 'images')
    .where(open as never)
    .where(all.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(all, sql` and `)}`)
  const inOrder = matching
    .orderBy(orderOf(posts, query))
    .orderBy(sql.ref(`${posts.table}.id`), query.order === 'asc' ? 'asc' : 'desc')
  const [totals, rows] = await context.aside(context.db, query.search === undefined ? 'list' : 'search', [
    matching.select((row) => row.fn.countAll<number>().as('total')),
    inOrder
      .selectAll(posts.table as 'images')
      .limit(page.perPage)
      .offset(offsetOf({ ...page, skip: query.offset ?? 0 })),
  ])
  return { rows: rows as unknown as Row[], total: Number(totals[0]?.total) }
}

function orderOf(posts: PostTable, query: PostQuery) {
  const direction = sql.raw(query.order === 'asc' ? 'asc' : 'desc')
  const column = (name: string) => sql.ref(`${posts.table}.${name}`)
  const by: Record<Order, () => RawBuilder<unknown>> = {
    date: () => column(posts.date),
    relevance: () => column(posts.date),
    modified: () => column(posts.modified),
    id: () => column('id'),
    title: () => sql`lower(${column(posts.title)})`,
    slug: () => column('slug'),
    author: () => column('author'),
    include: () => placeIn(column('id'), query.include?.filter(isPossible) ?? []),
  }
  const order = ORDERS.find((known) => known === query.orderby) ?? 'date'
  // The order of the list that was sent is that list's own.
  return order === 'include' ? by.include() : sql`${by[order]()} ${direction}`
}

/** The place of an id in a list, for ordering by it. */
function placeIn(id: RawBuilder<unknown>, ids: readonly number[]): RawBuilder<unknown> {
  if (ids.length === 0) return id
  const cases = ids.map((value, place) => sql`when ${value} then ${sql.lit(place)}`)
  return sql`case ${id} ${sql.join(cases, sql` `)} end`
}

/** A time the way the platform writes it: `2026-11-20T15:11:35`, without an offset. */
export function platformTime(text: string): string {
  return text.replace(' ', 'T')
}

/** A text as it is shown and, where the caller may edit it, as it was sent; the latter stays with `context=edit` alone. */
export function shownText(rendered: string, raw: string, mayEdit: boolean): { raw?: string; rendered: string } {
  return mayEdit ? { raw, rendered } : { rendered }
}
