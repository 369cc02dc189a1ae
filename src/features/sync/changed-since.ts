import { type RawBuilder, sql } from 'kysely'
import { type Cursor, type Db, isPostgres } from '../../store/storage/database.ts'
import * as postgres from '../../store/storage/postgres/postgres-changes.ts'
import { type ChangeColumns, type PagedKind, TABLE_OF, type Taxonomy } from '../../store/storage/schema.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'
import * as sqlite from '../../store/storage/sqlite/sqlite-changes.ts'

// Lists records changed between two cursors, by pages. The cursors of a walk are fixed, and a record changed
// again leaves the range: the list can only shrink.

export interface ChangeRange {
  from: Cursor
  to: Cursor
}

export interface ChangePlace {
  position: string
  kind: ChangeColumns['kind']
  record: number
}

/** `was_public`, `is_public` (0 or 1): whether the public saw the record before, and sees it after. */
export interface ListedChange extends ChangePlace {
  was_public: number
  is_public: number
}

/** Kinds that the feed lists. The JSON of all but tags also has data of other records (see `listShowing`). */
export type Showing = PagedKind | Taxonomy

const dialectOf = (db: Db) => (isPostgres(db) ? postgres : sqlite)

const CURSOR = /^\d{1,18}(-\d{1,18}){0,1000}$/

/**
 * True if `text` has the form of a cursor: the end of the log, then the ids of transactions still running,
 * ascending and below that end.
 */
export function isCursor(text: string): boolean {
  if (!CURSOR.test(text)) return false
  const [end = 0n, ...running] = text.split('-').map(BigInt)
  return running.every((id, i) => id < end && (i === 0 || id > (running[i - 1] ?? 0n)))
}

/** True if changes after the cursor were deleted, or it belongs to another history of the database. */
export function areChangesForgotten(db: Db, cursor: Cursor): Promise<boolean> {
  return dialectOf(db).isForgotten(db, cursor)
}

export async function listChanges(
  db: Db,
  range: ChangeRange,
  kinds: readonly ChangeColumns['kind'][],
  after: ChangePlace | undefined,
  most: number,
): Promise<ListedChange[]> {
  const { committedBetween, positionValue } = dialectOf(db)
  const place =
    after === undefined
      ? sql``
      : sql` and (changes.position, kind, record) > (${positionValue(after.position)}, ${after.kind},
        ${after.record})`
  // The result calls the column `place`, so that `order by changes.position` sorts numbers, not text.
  const { rows } = await sql<Omit<ListedChange, 'position'> & { place: string }>`
    select cast(changes.position as text) as place, kind, record, was_public, is_public from changes
    where ${committedBetween(range.from, range.to)} and kind in ${wholeList(db, kinds)}${place}
    order by changes.position, kind, record limit ${sql.lit(most)}`.execute(db)
  return rows.map(({ place: position, ...row }) => ({ ...row, position }))
}

export async function changedKinds(db: Db, range: ChangeRange): Promise<Set<ChangeColumns['kind']>> {
  const { rows } = await sql<{ kind: ChangeColumns['kind'] }>`
    select distinct kind from changes where ${dialectOf(db).committedBetween(range.from, range.to)}`.execute(
    db,
  )
  return new Set(rows.map(({ kind }) => kind))
}

/**
 * Ids of records that show a changed record, except those changed themselves. Events show series, venues,
 * organizers, terms and images; venues and organizers show images; categories show their ancestors and
 * descendants.
 */
export async function listShowing(
  db: Db,
  range: ChangeRange,
  kind: Showing,
  after: number,
  most: number,
): Promise<number[]> {
  const changed: Changed = (kinds) => sql`select record from changes
    where ${dialectOf(db).committedBetween(range.from, range.to)} and kind in ${wholeList(db, kinds)}`
  const own = changed(OWN_KINDS[kind])
  const { rows } = await sql<{ id: number }>`select id from (${showing[kind](changed)}) as showing
    where id > ${after} and not exists (${own} and changes.record = showing.id) order by id
    limit ${sql.lit(most)}`.execute(db)
  return rows.map(({ id }) => id)
}

const OWN_KINDS: Record<Showing, ChangeColumns['kind'][]> = {
  event: ['event'],
  venue: ['venue'],
  organizer: ['organizer'],
  category: ['term', 'count'],
  tag: ['term', 'count'],
}

type Changed = (kinds: readonly ChangeColumns['kind'][]) => RawBuilder<unknown>

const pictured = (table: string, changed: Changed) =>
  sql`select id from ${sql.table(table)} where image in (${changed(['image'])})`

const renamed = (changed: Changed) => sql`with recursive below (id) as (
  ${changed(['term'])} union select terms.id from terms join below on terms.parent = below.id) select id
  from below`

const recounted = (changed: Changed) => sql`with recursive above (id) as (
  select parent from terms where id in (${changed(['term', 'count'])})
  union select terms.parent from terms join above on terms.id = above.id) select id from above`

const linked = (table: string, column: string, changed: RawBuilder<unknown>) =>
  sql`select event as id from ${sql.table(table)} where ${sql.ref(column)} in (${changed})`

const showing: Record<Showing, (changed: Changed) => RawBuilder<unknown>> = {
  event: (changed) => sql`${pictured('events', changed)}
    union ${linked('event_venues', 'venue', sql`${changed(['venue'])} union ${pictured('venues', changed)}`)}
    union ${linked(
      'event_organizers',
      'organizer',
      sql`${changed(['organizer'])} union ${pictured('organizers', changed)}`,
    )}
    union ${linked('event_terms', 'term', renamed(changed))}
    union select id from events where series in (${changed(['series'])})`,
  venue: (changed) => pictured('venues', changed),
  organizer: (changed) => pictured('organizers', changed),
  category: (changed) =>
    sql`select id from terms where taxonomy = 'category' and (id in (${renamed(changed)})
      or id in (${recounted(changed)}))`,
  tag: () => sql`select id from terms where 1 = 0`,
}

export async function listRecords(db: Db, kind: Showing, after: number, most: number): Promise<number[]> {
  const table = TABLE_OF[kind]
  const taxonomy = table === 'terms' ? sql` and taxonomy = ${kind}` : sql``
  const { rows } = await sql<{ id: number }>`select id from ${sql.table(table)} where id > ${after}${taxonomy}
    order by id limit ${sql.lit(most)}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns author and status of each record; deleted records are left out. */
export async function listOwners(
  db: Db,
  kind: PagedKind,
  ids: readonly number[],
): Promise<{ id: number; author: number; status: string }[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom(TABLE_OF[kind] as 'events')
    .select(['id', 'author', 'status'])
    .where('id', 'in', wholeList(db, ids))
    .execute()
}
