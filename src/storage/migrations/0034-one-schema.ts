import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { isPostgres } from '../dialect.ts'
import { FIRST_STEP, type Migration } from '../migration.ts'
import { findNextNumber, listTables, setNextNumber, type TableShape } from '../tables.ts'
import { makeTables } from './0034-tables.ts'

/** Every table, for a new calendar or one of the first version; those that went through all steps up to this one have them already. */
export const oneSchema: Migration = { name: FIRST_STEP, up }

/** The last of the four steps of the first version. */
const LAST_OF_FIRST = '0004-editions'

async function up(db: Db): Promise<void> {
  const { rows } = await sql<{ last: string | null }>`select max(name) as last from migrations`.execute(db)
  const last = rows[0]?.last ?? null
  if (last === null) return makeTables(db)
  if (last !== LAST_OF_FIRST)
    throw new Error(
      `The database was last served by a version of development (${last}), which this one cannot carry over; serve it once with the version of 23 November 2026, then with this one.`,
    )
  await setAside(db)
  await makeTables(db)
  for (const table of isPostgres(db) ? ['editions', 'changes_dropped'] : ['editions'])
    await sql`delete from ${sql.table(table)}`.execute(db)
  const former = (await listTables(db)).filter(({ name }) => name.startsWith('former_'))
  for (const table of former.filter(({ name }) => name !== 'former_changes')) await carryRows(db, table)
  for (const statement of [...settleColumns(db), ...recordChanges(db)]) await sql.raw(statement).execute(db)
  for (const { name } of former.toReversed()) await sql`drop table ${sql.table(name)}`.execute(db)
}

/** The tables of the first version, without those that follow from others. */
const KEPT = [
  'records',
  'users',
  'credentials',
  'events',
  'venues',
  'organizers',
  'images',
  'terms',
  'event_venues',
  'event_organizers',
  'event_terms',
  'changes',
  'changes_dropped',
  'editions',
]

/** Gives the tables of the first version, and whatever bears a name of theirs, names that start with `former_`; what follows from them goes. */
async function setAside(db: Db): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db)
  const named = (names: readonly string[]) => `(${names.map((name) => `'${name}'`).join()})`
  await run('drop table presented_records')
  if (isPostgres(db)) {
    await run('drop function forget_presented_record() cascade')
    const found = await sql
      .raw<{ name: string }>(`
      with kept as (select oid from pg_class where relnamespace = current_schema()::regnamespace and relname in ${named(KEPT)})
      select relname as name from pg_class where oid in (select oid from kept)
        or oid in (select indexrelid from pg_index where indrelid in (select oid from kept))
        or relkind = 'S' and oid in (select objid from pg_depend where refobjid in (select oid from kept))`)
      .execute(db)
    for (const { name } of found.rows) await run(`alter table ${name} rename to former_${name}`)
    return
  }
  const found = await sql
    .raw<{ type: string; name: string }>(`
    select type, name from sqlite_schema where type in ('index', 'trigger') and sql is not null and tbl_name in ${named([...KEPT, 'words'])}`)
    .execute(db)
  for (const { type, name } of found.rows) await run(`drop ${type} ${name}`)
  for (const table of ['event_words', 'words_trigrams', 'words', 'unindexed_events']) await run(`drop table ${table}`)
  for (const table of KEPT) if (table !== 'changes_dropped') await run(`alter table ${table} rename to former_${table}`)
}

/** The rows of a table of the first version, which has no column that the one of today lacks, and the next number where it counts. */
async function carryRows(db: Db, former: TableShape): Promise<void> {
  const table = { ...former, name: former.name.slice('former_'.length) }
  const columns = sql.join(former.columns.map((column) => sql.ref(column)))
  await sql`insert into ${sql.table(table.name)} (${columns}) select ${columns} from ${sql.table(former.name)}`.execute(
    db,
  )
  if (former.counter) await setNextNumber(db, table, former.counter, await findNextNumber(db, former, former.counter))
}

/** A random UUID (RFC 9562, 5.4), put together by SQLite, which has no function for it. */
const RANDOM_UUID = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
  || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`

/** The columns that the first version had not, where they are not empty, and the name of the calendar. */
function settleColumns(db: Db): string[] {
  return [
    `update events set uid = ${isPostgres(db) ? 'gen_random_uuid()::text' : RANDOM_UUID}`,
    // Titles of images are file names: ASCII letters, digits, dashes and low lines.
    `update images set modified_utc = date_utc, search = lower(title), slug = lower(title)`,
    `update images set slug = slug || '-' || id
      where exists (select 1 from images as older where older.slug = images.slug and older.id < images.id)`,
    'update editions set calendar = edition',
    // Readers that have not come so far start afresh.
    ...(isPostgres(db)
      ? []
      : ['update changes_dropped set before = (select coalesce(min(version) - 1, 0) from former_changes)']),
  ]
}

/**
 * One row for each record in place of a log of changes, and the addresses of posts in the trash that the public knew. A record that was once shown to
 * the public counts as such. Sequences begin above the SEQUENCE that feeds have shown, the seconds from 2020 to the latest change.
 */
function recordChanges(db: Db): string[] {
  const now = new Date()
  const nowUtc = now.toISOString().slice(0, 19).replace('T', ' ')
  const sequence = Math.floor((now.getTime() - Date.UTC(2020, 0, 1)) / 1000) + 1
  const [position, present] = isPostgres(db)
    ? ['xact', 'pg_current_xact_id()']
    : ['version', '(select coalesce(max(version), 0) from former_changes)']
  const insert =
    'insert into changes (kind, record, position, sequence, was_public, is_public, deleted, changed_utc, "user")'
  const logged = `(select kind, record, ${position} as position from former_changes
    where version in (select max(version) from former_changes group by kind, record)) as logged`
  const posts = `(select 'event' as kind, id, slug, status from events union all select 'venue', id, slug, status from venues
    union all select 'organizer', id, slug, status from organizers)`
  return [
    `${insert} select living.kind, id, coalesce(logged.position, ${present}), ${sequence},
        case when status in ('publish', 'private', 'trash') then 1 else 0 end, case when status = 'publish' then 1 else 0 end, 0, '${nowUtc}', 0
      from (select kind, id, status from ${posts} as posts union all select 'image', id, 'publish' from images
          union all select 'term', id, 'publish' from terms union all select 'user', id, 'hidden' from users) as living
        left join ${logged} on logged.kind = living.kind and logged.record = id
      where living.kind <> 'user' or logged.kind is not null`,
    `${insert} select kind, record, position, ${sequence}, case when kind = 'user' then 0 else 1 end, 0, 1, '${nowUtc}', 0
      from ${logged} where not exists (select 1 from changes where changes.kind = logged.kind and changes.record = logged.record)`,
    `insert into old_slugs (kind, slug, record, left_utc)
      select kind, substr(slug, 1, length(slug) - length('__trashed')), id, '${nowUtc}'
      from ${posts} as posts where status = 'trash' and slug like '%\\_\\_trashed' escape '\\'`,
  ]
}
