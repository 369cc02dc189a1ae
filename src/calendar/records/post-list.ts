import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { canonicalSlug } from '../../base/text/characters.ts'
import { parseMoment } from '../../base/text/moments.ts'
import { parseSearch, parseWords } from '../../base/text/search.ts'
import type { Db } from '../../store/storage/database.ts'
import type { RecordTable, Taxonomy } from '../../store/storage/schema.ts'
import { alsoMatching } from '../../store/storage/search/search-index.ts'
import { oneLineContains, wholeList } from '../../store/storage/statement.ts'
import type { Context } from '../declare/context.ts'
import { isPossibleId, type Listing, offsetOf, type PageRequest } from './record-store.ts'

// Reads the lists in which clients of the platform get events, venues, organizers and images as posts (rules 29.3 and 29.5).

/** The orders of lists of posts. */
export const POST_ORDERS = ['date', 'modified', 'id', 'title', 'slug', 'author', 'include', 'relevance'] as const
type PostOrder = (typeof POST_ORDERS)[number]

/** A table of posts, and the names of its columns for the title and the times. */
export interface PostTable {
  table: RecordTable | 'images'
  title: string
  /** The columns with the times of publication and of the last change, in the zone of the site or in UTC. */
  date: string
  modified: string
}

/** A condition on posts. */
export type PostCondition = RawBuilder<SqlBool>

/** The parameters that all lists of posts share, as they were read from the request. */
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

/** Returns the conditions of the shared filters. `toColumn` turns a wall time of the site into the form of the columns. */
function sharedConditions(
  posts: PostTable,
  query: PostQuery,
  context: Context,
  toColumn: (wall: string) => string,
): PostCondition[] {
  const column = (name: string) => sql.ref(`${posts.table}.${name}`)
  const time = (name: string, sign: '<' | '>', value: string | number | undefined): PostCondition[] => {
    const wall = value === undefined ? undefined : parseMoment(value, context.site.timezone, context.now)
    return wall === undefined ? [] : [sql<SqlBool>`${column(name)} ${sql.raw(sign)} ${toColumn(wall)}`]
  }
  const among = (name: string, values: readonly (number | string)[] | undefined): PostCondition[] =>
    values === undefined ? [] : [isAmong(context.db, column(name), values)]
  const excluded = query.exclude?.filter(isPossibleId)
  return [
    ...time(posts.date, '>', query.after),
    ...time(posts.date, '<', query.before),
    ...time(posts.modified, '>', query.modified_after),
    ...time(posts.modified, '<', query.modified_before),
    ...among('author', query.author?.filter(isPossibleId)),
    ...among('id', query.include?.filter(isPossibleId)),
    ...among('slug', query.slug?.length ? query.slug.map(canonicalSlug) : undefined),
    ...(excluded?.length ? [sql<SqlBool>`not ${isAmong(context.db, column('id'), excluded)}`] : []),
  ]
}

/** Returns the condition that a column has one of these values. The whole list is bound as one value of the statement. */
function isAmong(db: Db, column: RawBuilder<unknown>, values: readonly (number | string)[]): PostCondition {
  return sql<SqlBool>`${column} in ${wholeList(db, values)}`
}

/** The conditions of a list of posts besides those of the shared filters, and the form of its times. */
export interface Narrowing {
  conditions: readonly PostCondition[]
  /** The condition that the caller may see a post. */
  open: Expression<SqlBool>
  toColumn: (wall: string) => string
}

/** Reads one page of posts: the newest first unless the query says otherwise, equal ones by id. `offset` posts are passed over before the first page. */
export async function listPosts<Row extends { id: number }>(
  posts: PostTable,
  query: PostQuery,
  page: PageRequest,
  context: Context,
  { conditions, open, toColumn }: Narrowing,
): Promise<Listing<Row>> {
  const all = [...conditions, ...sharedConditions(posts, query, context, toColumn)]
  // All of these tables have the columns used here, so the query builder may take the type of one table.
  const matching = context.db
    .selectFrom(posts.table as 'images')
    .where(open)
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
  const by: Record<PostOrder, () => RawBuilder<unknown>> = {
    date: () => column(posts.date),
    relevance: () => column(posts.date),
    modified: () => column(posts.modified),
    id: () => column('id'),
    title: () => sql`lower(${column(posts.title)})`,
    slug: () => column('slug'),
    author: () => column('author'),
    include: () => placeIn(column('id'), query.include?.filter(isPossibleId) ?? []),
  }
  const order = POST_ORDERS.find((known) => known === query.orderby) ?? 'date'
  // `include` keeps the order of the ids that were sent, whatever the direction.
  return order === 'include' ? by.include() : sql`${by[order]()} ${direction}`
}

/** Returns the place of an id in a list as an expression to order by. */
function placeIn(id: RawBuilder<unknown>, ids: readonly number[]): RawBuilder<unknown> {
  if (ids.length === 0) return id
  const cases = ids.map((value, place) => sql`when ${value} then ${sql.lit(place)}`)
  return sql`case ${id} ${sql.join(cases, sql` `)} end`
}

/** Returns the condition that a record has one of these statuses. */
export function hasStatus(db: Db, table: RecordTable, statuses: readonly string[]): PostCondition {
  return isAmong(db, sql.ref(`${table}.status`), statuses)
}

/** The condition of an event that is not hidden from listings: lists of posts leave hidden events out as well (rule 13.6). */
export const isListedEvent: PostCondition = sql<SqlBool>`events.hide_from_listings = 0`

/** Returns the condition that an event has one of these terms of a taxonomy. */
export function hasTermOf(db: Db, taxonomy: Taxonomy, terms: readonly number[]): PostCondition {
  return sql<SqlBool>`events.id in (select event_terms.event from event_terms join terms on terms.id = event_terms.term
    where terms.taxonomy = ${taxonomy} and ${isAmong(db, sql.ref('event_terms.term'), terms)})`
}

/** Returns the condition of a search: events are searched in all of their texts, venues and organizers within one field (rules 14.2 and 14.3). */
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
