import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Db, isPostgres } from '../database.ts'
import { columnTypes, FIRST_STEP, type Migration, startSequence } from '../migration.ts'
import { findNextNumber, listTables, setNextNumber, type TableShape } from '../tables.ts'

/**
 * Makes every table, for a new calendar or one of the first version. A calendar that went through all steps
 * up to this one has the tables already.
 */
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

/** The tables of the first version, without those derived from others. */
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

/**
 * Puts `former_` before the names of the tables of the first version, and of their indexes and sequences.
 * Drops the tables derived from them, and on SQLite their indexes and triggers.
 */
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
  for (const table of ['event_words', 'words_trigrams', 'words', 'unindexed_events'])
    await run(`drop table ${table}`)
  for (const table of KEPT)
    if (table !== 'changes_dropped') await run(`alter table ${table} rename to former_${table}`)
}

/**
 * Copies the rows of a table of the first version into that of today, which has all of its columns, and sets
 * the next number where the table counts.
 */
async function carryRows(db: Db, former: TableShape): Promise<void> {
  const table = { ...former, name: former.name.slice('former_'.length) }
  const columns = sql.join(former.columns.map((column) => sql.ref(column)))
  await sql`insert into ${sql.table(table.name)} (${columns}) select ${columns} from ${sql.table(former.name)}`.execute(
    db,
  )
  if (former.counter)
    await setNextNumber(db, table, former.counter, await findNextNumber(db, former, former.counter))
}

/** The SQL of a random UUID (RFC 9562, 5.4) on SQLite, which has no function for it. */
const RANDOM_UUID = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
  || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`

/**
 * Returns the statements that fill the columns which the first version lacked and which must not be empty,
 * and the name of the calendar.
 */
function settleColumns(db: Db): string[] {
  return [
    `update events set uid = ${isPostgres(db) ? 'gen_random_uuid()::text' : RANDOM_UUID}`,
    // The titles of images were file names: ASCII letters, digits, dashes and low lines.
    `update images set modified_utc = date_utc, search = lower(title), slug = lower(title)`,
    `update images set slug = slug || '-' || id
      where exists (select 1 from images as older where older.slug = images.slug and older.id < images.id)`,
    'update editions set calendar = edition',
    // A reader of changes that has not come so far must start afresh.
    ...(isPostgres(db)
      ? []
      : ['update changes_dropped set before = (select coalesce(min(version) - 1, 0) from former_changes)']),
  ]
}

/**
 * Returns the statements that write one row for each record in place of a log of changes, and the old slugs
 * of posts in the trash that the public knew. A record counts as shown to the public where it once was.
 * Sequences begin above the SEQUENCE that feeds have shown, which was the seconds from 2020 to the latest
 * change.
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

type Types = ReturnType<typeof columnTypes> & { onPostgres: boolean }

const POSTS = ['events', 'venues', 'organizers'] as const

async function makeTables(db: Db): Promise<void> {
  const types = { ...columnTypes(db), onPostgres: isPostgres(db) }
  const parts = [
    people,
    posts,
    indexesOfPosts,
    images,
    terms,
    links,
    changes,
    series,
    imports,
    others,
    webhooks,
    derived,
  ]
  for (const statement of parts.flatMap((part) => part(types))) await sql.raw(statement).execute(db)
  // The reference, which the tests compare answers with, begins with three records of its own, so the first
  // id here is 4.
  await startSequence(db, 'records', 4)
  const name = randomBytes(6).toString('base64url')
  await sql`insert into editions (edition, calendar) values (${name}, ${name})`.execute(db)
}

const people = ({ sequence, id, text }: Types) => [
  `create table users (id ${sequence}, login ${text} not null unique, email ${text} not null unique,
    name ${text} not null, role ${text} not null, created_utc ${text} not null)`,
  `create table credentials (id ${sequence}, "user" ${id} not null references users (id) on delete cascade,
    kind ${text} not null, name ${text} not null, hash ${text} not null unique, created_utc ${text} not null,
    scope ${text} not null default '', expires_utc ${text} not null default '', used_utc ${text} not null default '')`,
  'create index credentials_user on credentials ("user")',
  // The history of acts. It is searched seldom and written with every change, so it has no index beside its
  // key.
  `create table history (id ${id === 'integer' ? 'integer primary key' : sequence}, time_utc ${text} not null, "user" ${id} not null,
    login ${text} not null, action ${text} not null, kind ${text} not null, record ${id} not null, name ${text} not null,
    address ${text} not null, client ${text} not null, request ${text} not null, sequence integer not null default 0)`,
]

/**
 * Returns the statements that make the ids and the tables of posts. `dated` says that a client sent the
 * publication date: a draft keeps it when published.
 */
function posts({ sequence, id, text, real }: Types): string[] {
  const shared = `id ${id} primary key references records (id), author ${id} not null, status ${text} not null, slug ${text} not null,
    date ${text} not null, date_utc ${text} not null, modified ${text} not null, modified_utc ${text} not null, image ${id},
    trusted smallint not null default 0, search ${text} not null`
  const texts = `description ${text} not null default '', excerpt ${text} not null default ''`
  const dated = 'dated integer not null default 0'
  return [
    `create table records (id ${sequence}, kind ${text} not null)`,
    `create table events (${shared}, title ${text} not null, ${texts},
      start_date ${text} not null, end_date ${text} not null, utc_start_date ${text} not null, utc_end_date ${text} not null,
      timezone ${text} not null, all_day smallint not null default 0,
      cost ${text} not null default '[]', website ${text} not null default '',
      show_map smallint not null default 0, show_map_link smallint not null default 0,
      hide_from_listings smallint not null default 0, sticky smallint not null default 0, featured smallint not null default 0,
      ${dated}, uid ${text} not null default '', event_status ${text} not null default 'scheduled',
      event_status_reason ${text} not null default '', series ${id}, recurrence_id ${text} not null default '',
      own ${text} not null default '')`,
    `create table venues (${shared}, venue ${text} not null, folded ${text} not null, ${texts},
      show_map smallint not null default 1, show_map_link smallint not null default 1,
      address ${text} not null default '', city ${text} not null default '', country ${text} not null default '',
      province ${text} not null default '', state ${text} not null default '', zip ${text} not null default '',
      phone ${text} not null default '', stateprovince ${text} not null default '', website ${text} not null default '',
      geo_lat ${real}, geo_lng ${real}, ${dated})`,
    `create table organizers (${shared}, organizer ${text} not null, folded ${text} not null, ${texts},
      phone ${text} not null default '', website ${text} not null default '', email ${text} not null default '', ${dated})`,
    // Events that were public and no longer are, as they were last seen, with every column that a filter may
    // ask for.
    `create table withdrawn_events (event ${id} primary key, uid ${text} not null, title ${text} not null,
      start_date ${text} not null, end_date ${text} not null, utc_start_date ${text} not null, utc_end_date ${text} not null,
      timezone ${text} not null, all_day smallint not null, featured smallint not null, event_status ${text} not null,
      venues ${text} not null, organizers ${text} not null, terms ${text} not null, withdrawn_utc ${text} not null,
      kept ${text} not null default '{}')`,
  ]
}

/**
 * Returns the indexes of posts. SQLite counts, narrows and orders lists by indexes alone: its rows have long
 * texts in chains of pages, and to reach a column behind them it reads every page. PostgreSQL keeps long
 * texts apart from rows.
 */
function indexesOfPosts({ onPostgres }: Types): string[] {
  const listed = (table: string, columns: string, more: string) =>
    `create index ${table}_listed on ${table} (${columns}${onPostgres ? '' : `, ${more}`})`
  // Drafts and scheduled posts may share a slug (rule 17.3), so that nobody learns from a refused slug what
  // will be announced. Other posts have slugs of their own.
  const each = (table: string) => [
    `create unique index ${table}_slug on ${table} (slug) where status not in ('draft', 'pending', 'future')`,
    `create index ${table}_draft_slug on ${table} (slug) where status in ('draft', 'pending', 'future')`,
    `create index ${table}_scheduled on ${table} (date_utc) where status = 'future'`,
    `create index ${table}_image on ${table} (image) where image is not null`,
  ]
  return [
    ...POSTS.flatMap(each),
    listed(
      'events',
      'status, hide_from_listings, start_date, date, id',
      'author, end_date, utc_start_date, featured',
    ),
    'create index events_author on events (author, start_date)',
    'create index events_series on events (series, recurrence_id) where series is not null',
    'create index events_uid on events (uid)',
    listed('venues', 'status, date desc, id desc', 'author, geo_lat, geo_lng'),
    listed('organizers', 'status, date desc, id desc', 'author'),
    'create index venues_folded on venues (folded, id)',
    'create index organizers_folded on organizers (folded, id)',
    'create index venues_place on venues (geo_lat, geo_lng)',
    ...(onPostgres
      ? []
      : ['create index venues_located on venues (status, id, geo_lat, geo_lng) where geo_lat is not null']),
  ]
}

const images = ({ id, text }: Types) => [
  `create table images (id ${id} primary key references records (id), author ${id} not null, title ${text} not null,
    date_utc ${text} not null, file ${text} not null, mime_type ${text} not null, width integer not null, height integer not null,
    filesize integer not null, sizes ${text} not null, source_url ${text} not null, original_image ${text} not null,
    slug ${text} not null default '', alt_text ${text} not null default '', caption ${text} not null default '',
    description ${text} not null default '', modified_utc ${text} not null default '', search ${text} not null default '')`,
  'create unique index images_file on images (file)',
  `create index images_source on images (source_url) where source_url <> ''`,
  'create index images_slug on images (slug)',
]

const terms = ({ sequence, id, text }: Types) => [
  `create table terms (id ${sequence}, taxonomy ${text} not null, name ${text} not null, slug ${text} not null,
    description ${text} not null, parent ${id} not null, count integer not null default 0, folded ${text} not null)`,
  'create unique index terms_slug on terms (taxonomy, slug)',
  'create index terms_folded on terms (taxonomy, folded, id)',
  'create index terms_parent on terms (parent)',
  'create index terms_in_use on terms (taxonomy, count desc, id) where count > 0',
]

/**
 * Returns the statements that make the links of events. SQLite keeps links in the order of their keys, and
 * not once more beside an index of them.
 */
const links = ({ id, onPostgres }: Types) =>
  ['venue', 'organizer', 'term'].flatMap((kind) => [
    `create table event_${kind}s (event ${id} not null references events (id) on delete cascade,
      ${kind} ${id} not null references ${kind}s (id) on delete cascade,
      ${kind === 'term' ? '' : 'position integer not null,'} primary key (event, ${kind})) ${onPostgres ? '' : 'without rowid'}`,
    `create index event_${kind}s_${kind} on event_${kind}s (${kind}, event)`,
  ])

/**
 * Returns the statements that make the record of changes, the edition that cursors belong to, and the slugs
 * that the public knew and records have left.
 */
function changes({ id, text, onPostgres }: Types): string[] {
  const position = onPostgres ? 'xid8 not null default pg_current_xact_id()' : 'integer not null default 1'
  // With the kind first, SQLite would look through all slugs of a kind for one record.
  const [slugKey, recordKey] = onPostgres ? ['kind, slug', 'kind, record'] : ['slug, kind', 'record, kind']
  const inOrder = onPostgres ? '' : 'without rowid'
  return [
    `create table changes (kind ${text} not null, record ${id} not null, position ${position}, sequence integer not null,
      was_public smallint not null, is_public smallint not null, deleted smallint not null, changed_utc ${text} not null,
      "user" ${id} not null, primary key (kind, record)) ${inOrder}`,
    'create index changes_position on changes (position)',
    'create index changes_deleted on changes (changed_utc) where deleted = 1',
    // A table of one row: changes before this position may be gone.
    `create table changes_dropped (before ${onPostgres ? 'xid8' : 'integer'} not null)`,
    `insert into changes_dropped values ('0')`,
    `create table editions (edition ${text} primary key, calendar ${text} not null default '', held integer not null default 0)`,
    `create table old_slugs (kind ${text} not null, slug ${text} not null, record ${id} not null, left_utc ${text} not null,
      primary key (${slugKey})) ${inOrder}`,
    `create index old_slugs_record on old_slugs (${recordKey})`,
  ]
}

/** Returns the statements that make the table of series; an occurrence is an event that names its series. */
const series = ({ id, text }: Types) => [
  `create table series (id ${id} primary key references records (id), author ${id} not null,
    status ${text} not null, title ${text} not null, slug ${text} not null, uid ${text} not null,
    timezone ${text} not null, all_day integer not null, start_date ${text} not null, duration ${id} not null,
    rules ${text} not null, written_until ${text} not null, shared ${text} not null, version integer not null,
    created_utc ${text} not null, modified_utc ${text} not null)`,
  'create index series_author on series (author)',
  'create index series_written on series (written_until)',
  'create index series_uid on series (uid)',
]

/**
 * Returns the statements that make the runs of imports, the records that they made of items, what undoes
 * these, and the schedules of imports.
 */
const imports = ({ sequence, id, text }: Types) => [
  `create table import_sources (id ${sequence}, address ${text} not null unique, token ${text} not null default '',
    options ${text} not null default '', holder ${text} not null default '', held_until_utc ${text} not null default '',
    origin ${text} not null default '')`,
  `create table imports (id ${sequence}, source ${id} not null, started_utc ${text} not null, ended_utc ${text} not null,
    state ${text} not null, "user" ${id} not null, options ${text} not null, counts ${text} not null, position ${text} not null)`,
  `create table import_items (source ${id} not null, kind ${text} not null, identity ${text} not null,
    occurrence ${text} not null, record ${id} not null, digest ${text} not null, written ${text} not null,
    kept ${text} not null, sequence ${id} not null default 0, page ${text} not null default '',
    primary key (source, kind, identity, occurrence))`,
  `create index import_items_page on import_items (page) where page <> ''`,
  `create index import_items_record on import_items (kind, record) where page <> ''`,
  `create table import_acts (run ${id} not null, kind ${text} not null, record ${id} not null, action ${text} not null,
    identity ${text} not null, occurrence ${text} not null, before ${text} not null, primary key (run, kind, record))`,
  `create table import_schedules (id ${sequence}, name ${text} not null unique, words ${text} not null,
    every_seconds ${id} not null, next_utc ${text} not null, leased_utc ${text} not null, paused ${id} not null,
    failures ${id} not null, outcome ${text} not null)`,
]

/**
 * Returns the statements that make the answers kept under an Idempotency-Key, and the services that the
 * calendar was pushed to.
 */
const others = ({ sequence, id, text }: Types) => [
  `create table kept_answers ("user" ${id} not null, key ${text} not null, fingerprint ${text} not null,
    rights ${text} not null, status smallint not null, location ${text} not null, body ${text} not null,
    kept_utc ${text} not null, primary key ("user", key))`,
  'create index kept_answers_time on kept_answers (kept_utc)',
  `create table push_targets (id ${sequence}, address ${text} not null unique)`,
  `create table push_items (target ${id} not null, kind ${text} not null, record ${id} not null, remote ${id} not null,
    sent ${text} not null, seen ${text} not null, primary key (target, kind, record))`,
]

const webhooks = ({ sequence, id, text }: Types) => [
  `create table webhooks (id ${sequence}, url ${text} not null, events ${text} not null, is_private smallint not null,
    secret ${text} not null, old_secret ${text} not null, old_secret_until_utc ${text} not null,
    created_utc ${text} not null, failing_since_utc ${text} not null, disabled_utc ${text} not null, disabled_why ${text} not null)`,
  `create table webhook_deliveries (id ${sequence}, webhook ${id} not null, message ${text} not null, type ${text} not null,
    kind ${text} not null, record ${id} not null, state ${text} not null, created_utc ${text} not null,
    next_utc ${text} not null, attempts integer not null, status integer not null, error ${text} not null,
    sequence integer not null default 0)`,
  `create index webhook_deliveries_due on webhook_deliveries (webhook, next_utc) where next_utc <> ''`,
  'create index webhook_deliveries_time on webhook_deliveries (created_utc)',
]

/**
 * Returns the statements that make the tables derived from posts: their public JSON, dropped with every
 * change, and on SQLite an index of words.
 */
function derived({ id, text, onPostgres }: Types): string[] {
  const forget = 'delete from presented_records where record = old.id;'
  const act = onPostgres ? 'for each row execute function forget_presented_record()' : `begin ${forget} end`
  // An event that goes to the trash keeps its JSON, since nobody is shown it until its next change: that
  // saves the write of a page.
  const isShownAgain = onPostgres
    ? `for each row when (new.status <> 'trash') execute function forget_presented_record()`
    : `when new.status <> 'trash' ${act}`
  return [
    `create table presented_records (record ${id} primary key references records (id) on delete cascade,
      form ${text} not null, image ${id}, own ${text} not null)`,
    ...(onPostgres
      ? [
          `create function forget_presented_record() returns trigger language plpgsql as $$
            begin ${forget} return null; end $$`,
        ]
      : words()),
    ...POSTS.flatMap((table) => [
      `create trigger ${table}_update_unpresents after update on ${table} ${table === 'events' ? isShownAgain : act}`,
      `create trigger ${table}_delete_unpresents after delete on ${table} ${act}`,
    ]),
  ]
}

/**
 * Returns the statements that make the index of the words of events on SQLite; PostgreSQL has trigrams, which
 * `prepareSearch` makes.
 */
function words(): string[] {
  const note = 'insert or ignore into unindexed_events values (new.id)'
  return [
    // Every word that stands or stood in an event, in the order of first appearance, and an index that finds
    // the words containing a text.
    'create table words (id integer primary key, word text not null unique)',
    `create virtual table words_trigrams using fts5 (word, content='words', content_rowid='id', columnsize=0, detail=none,
      tokenize='trigram case_sensitive 1')`,
    `create trigger words_added after insert on words begin
      insert into words_trigrams (rowid, word) values (new.id, new.word); end`,
    // The words of each event, given with blanks between them: every ASCII character except blanks counts as
    // part of a word.
    `create virtual table event_words using fts5 (terms, content='', contentless_delete=1, detail=none,
      tokenize="ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\\]^_\`{|}~'")`,
    `insert into event_words (event_words, rank) values ('automerge', 0)`,
    // Events whose words the index does not have as they are now. To note an event costs a write next to
    // nothing; many are indexed at once.
    'create table unindexed_events (id integer primary key)',
    `create trigger events_added after insert on events begin ${note}; end`,
    `create trigger events_rewritten after update of search on events when new.search <> old.search begin ${note}; end`,
    `create trigger events_removed after delete on events begin
      delete from unindexed_events where id = old.id; delete from event_words where rowid = old.id; end`,
  ]
}
