import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { NEVER } from '../base/fields/kinds.ts'
import { parseInstant } from '../base/text/moments.ts'
import { parseSearch, parseWords } from '../base/text/search.ts'
import { canonicalSlug } from '../base/text/slugs.ts'
import { utcToWall } from '../base/text/zones.ts'
import type { Context } from '../calendar/declare/context.ts'
import { isPossibleId, type Listing, offsetOf, type PageRequest } from '../calendar/records/record-store.ts'
import { POST_ORDERS } from '../http/post-filters.ts'
import type { Db } from '../store/storage/database.ts'
import type { RecordTable, Taxonomy } from '../store/storage/schema.ts'
import { alsoMatching } from '../store/storage/search/search-index.ts'
import { oneLineContains, wholeList } from '../store/storage/sql-parts.ts'

// Lists of records as WordPress posts (rules 29.3 and 29.5).

type PostOrder = (typeof POST_ORDERS)[number]

/** A table listed as posts. `date` is the column of the local date; images have only one in UTC. */
export interface PostTable {
  table: RecordTable | 'images'
  title: string
  date: 'date' | 'date_utc'
}

export type PostCondition = RawBuilder<SqlBool>

export interface PostQuery {
  search?: string
  after?: string | number
  before?: string | number
  modified_after?: string | number
  modified_before?: string | number
  author?: number[]
  include?: number[]
  exclude?: number[]
  slug?: string[]
  offset?: number
  order?: string
  orderby?: string
}

function sharedConditions(posts: PostTable, query: PostQuery, { db, site, now }: Context): PostCondition[] {
  const column = (name: string) => sql.ref(`${posts.table}.${name}`)
  const time = (name: 'date' | 'modified_utc', sign: '<' | '>', value: string | number | undefined) => {
    const utc = value === undefined ? undefined : parseInstant(value, site.timezone, now)
    if (utc === undefined) return []
    if (name !== 'date') return [sql<SqlBool>`${column(name)} ${sql.raw(sign)} ${utc}`]
    // Drafts have no UTC date; theirs is local in the zone of the site.
    const wall = utcToWall(utc, site.timezone)
    return [
      sql<SqlBool>`case when ${column('date_utc')} = ${sql.lit(NEVER)} then ${column(posts.date)} \
${sql.raw(sign)} ${wall}
      else ${column('date_utc')} ${sql.raw(sign)} ${utc} end`,
    ]
  }
  const among = (name: string, values: readonly (number | string)[] | undefined): PostCondition[] =>
    values === undefined ? [] : [isAmong(db, column(name), values)]
  const excluded = query.exclude?.filter(isPossibleId)
  return [
    ...time('date', '>', query.after),
    ...time('date', '<', query.before),
    ...time('modified_utc', '>', query.modified_after),
    ...time('modified_utc', '<', query.modified_before),
    ...among('author', query.author?.filter(isPossibleId)),
    ...among('id', query.include?.filter(isPossibleId)),
    ...among('slug', query.slug?.length ? query.slug.map(canonicalSlug) : undefined),
    ...(excluded?.length ? [sql<SqlBool>`not ${isAmong(db, column('id'), excluded)}`] : []),
  ]
}

/** True if `column` has one of `values`, which are one bound parameter. */
function isAmong(db: Db, column: RawBuilder<unknown>, values: readonly (number | string)[]): PostCondition {
  return sql<SqlBool>`${column} in ${wholeList(db, values)}`
}

export interface Narrowing {
  conditions: readonly PostCondition[]
  /** True if the caller may see the record. */
  open: Expression<SqlBool>
}

/** Reads a page of posts, by default the newest first, equal ones by id. `query.offset` posts are skipped. */
export async function listPosts<Row extends { id: number }>(
  posts: PostTable,
  query: PostQuery,
  page: PageRequest,
  context: Context,
  { conditions, open }: Narrowing,
): Promise<Listing<Row>> {
  const all = [...conditions, ...sharedConditions(posts, query, context)]
  // The query builder takes a single table type. All tables have the columns of `images` that are used here.
  const matching = context.db
    .selectFrom(posts.table as 'images')
    .where(open)
    .where(all.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(all, sql` and `)}`)
  const inOrder = matching
    .orderBy(orderOf(posts, query))
    .orderBy(sql.ref(`${posts.table}.id`), query.order === 'asc' ? 'asc' : 'desc')
  const [totals, rows] = await context.readInLane(
    context.db,
    query.search === undefined ? 'list' : 'search',
    [
      matching.select((row) => row.fn.countAll<number>().as('total')),
      inOrder
        .selectAll(posts.table as 'images')
        .limit(page.perPage)
        .offset(offsetOf({ ...page, skip: query.offset ?? 0 })),
    ],
  )
  return { rows: rows as unknown as Row[], total: Number(totals[0]?.total) }
}

function orderOf(posts: PostTable, query: PostQuery) {
  const direction = sql.raw(query.order === 'asc' ? 'asc' : 'desc')
  const column = (name: string) => sql.ref(`${posts.table}.${name}`)
  const by: Record<PostOrder, () => RawBuilder<unknown>> = {
    date: () => column(posts.date),
    relevance: () => column(posts.date),
    modified: () => column('modified_utc'),
    id: () => column('id'),
    title: () => sql`lower(${column(posts.title)})`,
    slug: () => column('slug'),
    author: () => column('author'),
    include: () => placeIn(column('id'), query.include?.filter(isPossibleId) ?? []),
  }
  const order = POST_ORDERS.find((known) => known === query.orderby) ?? 'date'
  // With `orderby=include`, posts are in the order of the sent ids, whatever `order` is.
  return order === 'include' ? by.include() : sql`${by[order]()} ${direction}`
}

function placeIn(id: RawBuilder<unknown>, ids: readonly number[]): RawBuilder<unknown> {
  if (ids.length === 0) return id
  const cases = ids.map((value, place) => sql`when ${value} then ${sql.lit(place)}`)
  return sql`case ${id} ${sql.join(cases, sql` `)} end`
}

export function hasStatus(db: Db, table: RecordTable, statuses: readonly string[]): PostCondition {
  return isAmong(db, sql.ref(`${table}.status`), statuses)
}

/** Leaves out events that are hidden from lists (rule 13.6). */
export const isListedEvent: PostCondition = sql<SqlBool>`events.hide_from_listings = 0`

export function hasTermOf(db: Db, taxonomy: Taxonomy, terms: readonly number[]): PostCondition {
  return sql<SqlBool>`events.id in (select event_terms.event from event_terms join terms
    on terms.id = event_terms.term
    where terms.taxonomy = ${taxonomy} and ${isAmong(db, sql.ref('event_terms.term'), terms)})`
}

/**
 * The condition for `search`. Its words may be in different texts of an event; of venues and organizers, one
 * field must contain all words (rules 14.2 and 14.3).
 */
export async function matchesSearch(
  { db, findMatching }: Pick<Context, 'db' | 'findMatching'>,
  table: RecordTable,
  text: string,
): Promise<PostCondition> {
  if (table === 'events') {
    const matching = await alsoMatching(db, parseSearch(text), findMatching)
    return sql<SqlBool>`${matching(sql<SqlBool>`1 = 1`)}`
  }
  const fragments = parseWords(text)
  return fragments.length === 0 ? sql<SqlBool>`1 = 0` : oneLineContains(db, `${table}.search`, fragments)
}
