import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Db, isPostgres } from '../database.ts'
import { columnTypes, FIRST_STEP, type Migration, startSequence } from '../migration.ts'
import { carryOver, LAST_CARRIED } from './carry-over.ts'

/** Creates all tables of version 0.1.0; carries over a calendar that ran the former steps. */
export const allTables: Migration = { name: FIRST_STEP, up }

async function up(db: Db): Promise<void> {
  const { rows } = await sql<{ last: string | null }>`select max(name) as last from migrations`.execute(db)
  const last = rows[0]?.last ?? null
  if (last === null) return makeTables(db)
  if (last < LAST_CARRIED)
    throw new Error(
      [
        `The database was last served by a version of development (${last}),`,
        'which this one cannot carry over; serve it once with commit 34ed6c85, then with this one.',
      ].join(' '),
    )
  await carryOver(db)
}

async function makeTables(db: Db): Promise<void> {
  const types = { ...columnTypes(db), onPostgres: isPostgres(db) }
  const parts = [
    people,
    history,
    posts,
    indexesOfPosts,
    images,
    terms,
    links,
    changes,
    series,
    imports,
    answersAndTargets,
    webhooks,
    settings,
    desk,
    isPostgres(db) ? postgresStems : sqliteWords,
  ]
  for (const statement of parts.flatMap((part) => part(types))) await sql.raw(statement).execute(db)
  // Tests compare answers with the reference (The Events Calendar for WordPress), where three records come
  // first, so the first id here is 4.
  await startSequence(db, 'records', 4)
  const name = randomBytes(6).toString('base64url')
  await sql`insert into editions (edition, calendar) values (${name}, ${name})`.execute(db)
}

type Types = ReturnType<typeof columnTypes> & { onPostgres: boolean }

const ofUser = (id: string) => `"user" ${id} not null references users (id) on delete cascade`

const people = ({ sequence, id, text }: Types) => [
  `create table users (id ${sequence}, login ${text} not null unique, email ${text} not null unique,
    name ${text} not null, role ${text} not null, created_utc ${text} not null,
    deactivated_utc ${text} not null default '')`,
  `create table credentials (id ${sequence}, ${ofUser(id)}, kind ${text} not null, name ${text} not null,
    hash ${text} not null unique, created_utc ${text} not null, scope ${text} not null default '',
    expires_utc ${text} not null default '', used_utc ${text} not null default '',
    app_id ${text} not null default '')`,
  'create index credentials_user on credentials ("user")',
  `create table desk_passwords ("user" ${id} primary key references users (id) on delete cascade,
    hash ${text} not null, changed_utc ${text} not null)`,
  `create table sessions (hash ${text} primary key, ${ofUser(id)}, created_utc ${text} not null,
    seen_utc ${text} not null, client ${text} not null, address ${text} not null)`,
  'create index sessions_user on sessions ("user")',
  'create index sessions_seen on sessions (seen_utc)',
  `create table sign_in_links (hash ${text} primary key, ${ofUser(id)}, purpose ${text} not null,
    expires_utc ${text} not null)`,
  'create index sign_in_links_user on sign_in_links ("user")',
]

/** Few indexes, since the history is written with every change but seldom searched. */
const history = ({ sequence, id, text }: Types) => [
  `create table history (id ${id === 'integer' ? 'integer primary key' : sequence}, time_utc ${text} not null,
    "user" ${id} not null, login ${text} not null, action ${text} not null, kind ${text} not null,
    record ${id} not null, name ${text} not null, address ${text} not null, client ${text} not null,
    request ${text} not null, sequence integer not null default 0, former ${text} not null default '',
    former_bytes integer not null default 0)`,
  'create index history_former on history (kind, record, sequence, former_bytes) where former_bytes > 0',
  'create index history_valued on history (id, former_bytes) where former_bytes > 0',
  `create table former_texts (hash ${text} primary key, bytes integer not null, last ${id} not null,
    text ${text} not null)`,
  'create index former_texts_last on former_texts (last, bytes)',
]

function posts({ sequence, id, text, real }: Types): string[] {
  const shared = `id ${id} primary key references records (id), author ${id} not null,
    status ${text} not null, slug ${text} not null, date ${text} not null, date_utc ${text} not null,
    modified ${text} not null, modified_utc ${text} not null, image ${id},
    trusted smallint not null default 0, search ${text} not null, dated integer not null default 0,
    description ${text} not null default '', excerpt ${text} not null default ''`
  const each = (names: string, type: string) =>
    names
      .split(' ')
      .map((name) => `${name} ${type}`)
      .join(', ')
  const texts = (names: string) => each(names, `${text} not null default ''`)
  const facts = (names: string) => each(names, 'smallint')
  return [
    `create table records (id ${sequence}, kind ${text} not null)`,
    `create table events (${shared}, title ${text} not null, start_date ${text} not null,
      end_date ${text} not null, utc_start_date ${text} not null, utc_end_date ${text} not null,
      timezone ${text} not null, all_day smallint not null default 0, cost ${text} not null default '[]',
      is_free smallint not null default 0, show_map smallint not null default 0,
      show_map_link smallint not null default 0, hide_from_listings smallint not null default 0,
      sticky smallint not null default 0, featured smallint not null default 0,
      event_status ${text} not null default 'scheduled', series ${id},
      image_decorative ${id} not null default 0, online_shown ${text} not null default 'always',
      ${texts('website uid event_status_reason recurrence_id own sign_language access_note access_contact')},
      ${texts('attendance online_url online_label access_words online_from image_alt')},
      ${facts('captions audio_description relaxed easy_language free_companion')})`,
    `create table venues (${shared}, venue ${text} not null, folded ${text} not null,
      show_map smallint not null default 1, show_map_link smallint not null default 1,
      ${texts('address city country province state zip phone stateprovince website')}, geo_lat ${real},
      geo_lng ${real},
      ${facts('step_free accessible_toilet accessible_parking lift hearing_loop quiet_space')},
      assistance_dogs smallint)`,
    `create table organizers (${shared}, organizer ${text} not null, folded ${text} not null,
      ${texts('phone website email')})`,
    // Events as they were when last public, with every column that a filter may need.
    `create table withdrawn_events (event ${id} primary key, uid ${text} not null, title ${text} not null,
      start_date ${text} not null, end_date ${text} not null, utc_start_date ${text} not null,
      utc_end_date ${text} not null, timezone ${text} not null, all_day smallint not null,
      featured smallint not null, event_status ${text} not null, venues ${text} not null,
      organizers ${text} not null, terms ${text} not null, withdrawn_utc ${text} not null,
      kept ${text} not null default '{}')`,
  ]
}

const POSTS = ['events', 'venues', 'organizers'] as const

/**
 * With these indexes, SQLite counts, filters and sorts lists without reading rows, whose long texts lie on a
 * chain of pages that it would have to read for a later column. PostgreSQL stores long texts apart, so its
 * indexes have fewer columns.
 */
function indexesOfPosts({ onPostgres }: Types): string[] {
  const index = (name: string, on: string, forSqlite: string, where = '') =>
    `create index ${name} on ${on}${onPostgres ? '' : `, ${forSqlite}`})${where}`
  // Only drafts, pending and scheduled records may have the slug of another record (rule 17.3), so that a
  // refused slug does not reveal what will be announced.
  const each = (table: string) => [
    `create unique index ${table}_slug on ${table} (slug) where status not in ('draft', 'pending', 'future')`,
    `create index ${table}_draft_slug on ${table} (slug) where status in ('draft', 'pending', 'future')`,
    `create index ${table}_scheduled on ${table} (date_utc) where status = 'future'`,
    `create index ${table}_image on ${table} (image) where image is not null`,
  ]
  return [
    ...POSTS.flatMap(each),
    index(
      'events_listed',
      'events (status, hide_from_listings, start_date, date, id',
      'author, end_date, utc_start_date, featured',
    ),
    'create index events_author on events (author, start_date)',
    'create index events_series on events (series, recurrence_id) where series is not null',
    'create index events_uid on events (uid)',
    // A filter for these values would read all rows without an index.
    `create index events_access on events (id, access_words) where access_words <> ''`,
    `create index events_online on events (online_from) where online_from <> ''`,
    'create index events_free on events (id, is_free) where is_free = 1',
    `create index events_attendance on events (id, attendance) where attendance <> ''`,
    `create index events_pending on events (status, modified_utc, id) where status = 'pending'`,
    `create index events_pending_author on events (author, status, modified_utc, id)
      where status = 'pending'`,
    index(
      'events_lasting',
      'events (status, hide_from_listings, end_date',
      'start_date, author, id',
      ' where substr(end_date, 1, 10) > substr(start_date, 1, 10)',
    ),
    index('venues_listed', 'venues (status, date desc, id desc', 'author, geo_lat, geo_lng'),
    index('organizers_listed', 'organizers (status, date desc, id desc', 'author'),
    'create index venues_folded on venues (folded, id)',
    'create index organizers_folded on organizers (folded, id)',
    'create index venues_place on venues (geo_lat, geo_lng)',
    ...(onPostgres
      ? []
      : ['create index venues_located on venues (status, id, geo_lat, geo_lng) where geo_lat is not null']),
  ]
}

const images = ({ id, text }: Types) => [
  `create table images (id ${id} primary key references records (id), author ${id} not null,
    title ${text} not null, date_utc ${text} not null, file ${text} not null, mime_type ${text} not null,
    width integer not null, height integer not null, filesize integer not null, sizes ${text} not null,
    source_url ${text} not null, original_image ${text} not null, slug ${text} not null default '',
    alt_text ${text} not null default '', caption ${text} not null default '',
    description ${text} not null default '', modified_utc ${text} not null default '',
    search ${text} not null default '', focal_x double precision, focal_y double precision)`,
  'create unique index images_file on images (file)',
  `create index images_source on images (source_url) where source_url <> ''`,
  'create index images_slug on images (slug)',
]

const terms = ({ sequence, id, text }: Types) => [
  `create table terms (id ${sequence}, taxonomy ${text} not null, name ${text} not null,
    slug ${text} not null, description ${text} not null, parent ${id} not null,
    count integer not null default 0, folded ${text} not null)`,
  'create unique index terms_slug on terms (taxonomy, slug)',
  'create index terms_folded on terms (taxonomy, folded, id)',
  'create index terms_parent on terms (parent)',
  'create index terms_in_use on terms (taxonomy, count desc, id) where count > 0',
]

/** Without `rowid`, SQLite stores rows once, in the primary key, not in a table and an index. */
const links = ({ id, onPostgres }: Types) =>
  ['venue', 'organizer', 'term'].flatMap((kind) => [
    `create table event_${kind}s (event ${id} not null references events (id) on delete cascade,
      ${kind} ${id} not null references ${kind}s (id) on delete cascade,
      ${kind === 'term' ? '' : 'position integer not null,'} primary key (event,
      ${kind})) ${onPostgres ? '' : 'without rowid'}`,
    `create index event_${kind}s_${kind} on event_${kind}s (${kind}, event)`,
  ])

function changes({ id, text, onPostgres }: Types): string[] {
  const position = onPostgres ? 'xid8 not null default pg_current_xact_id()' : 'integer not null default 1'
  // With the kind first in these keys, SQLite would scan all slugs of a kind for those of one record.
  const [slugKey, recordKey] = onPostgres ? ['kind, slug', 'kind, record'] : ['slug, kind', 'record, kind']
  const inOrder = onPostgres ? '' : 'without rowid'
  return [
    `create table changes (kind ${text} not null, record ${id} not null, position ${position},
      sequence integer not null, was_public smallint not null, is_public smallint not null,
      deleted smallint not null, changed_utc ${text} not null, "user" ${id} not null,
      known_from integer not null default 0, primary key (kind, record)) ${inOrder}`,
    'create index changes_position on changes (position)',
    'create index changes_deleted on changes (changed_utc) where deleted = 1',
    // One row: changes before this position may have been deleted.
    `create table changes_dropped (before ${onPostgres ? 'xid8' : 'integer'} not null)`,
    `insert into changes_dropped values ('0')`,
    `create table editions (edition ${text} primary key, calendar ${text} not null default '',
      held integer not null default 0)`,
    `create table old_slugs (kind ${text} not null, slug ${text} not null, record ${id} not null,
      left_utc ${text} not null, primary key (${slugKey})) ${inOrder}`,
    `create index old_slugs_record on old_slugs (${recordKey})`,
  ]
}

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

const imports = ({ sequence, id, text }: Types) => [
  `create table import_sources (id ${sequence}, address ${text} not null unique,
    token ${text} not null default '', options ${text} not null default '',
    holder ${text} not null default '', held_until_utc ${text} not null default '',
    origin ${text} not null default '')`,
  `create table imports (id ${sequence}, source ${id} not null, started_utc ${text} not null,
    ended_utc ${text} not null, state ${text} not null, "user" ${id} not null, options ${text} not null,
    counts ${text} not null, position ${text} not null)`,
  `create table import_items (source ${id} not null, kind ${text} not null, identity ${text} not null,
    occurrence ${text} not null, record ${id} not null, digest ${text} not null, written ${text} not null,
    kept ${text} not null, sequence ${id} not null default 0, page ${text} not null default '',
    primary key (source, kind, identity, occurrence))`,
  `create index import_items_page on import_items (page) where page <> ''`,
  `create index import_items_record on import_items (kind, record) where page <> ''`,
  'create index import_items_known on import_items (kind, record)',
  'create index import_items_of on import_items (kind, record, source)',
  `create table import_acts (run ${id} not null, kind ${text} not null, record ${id} not null,
    action ${text} not null, identity ${text} not null, occurrence ${text} not null, before ${text} not null,
    primary key (run, kind, record))`,
  `create table import_schedules (id ${sequence}, name ${text} not null unique, words ${text} not null,
    every_seconds ${id} not null, next_utc ${text} not null, leased_utc ${text} not null,
    paused ${id} not null, failures ${id} not null, outcome ${text} not null)`,
]

const answersAndTargets = ({ sequence, id, text }: Types) => [
  `create table kept_answers ("user" ${id} not null, key ${text} not null, fingerprint ${text} not null,
    rights ${text} not null, status smallint not null, location ${text} not null, body ${text} not null,
    kept_utc ${text} not null, primary key ("user", key))`,
  'create index kept_answers_time on kept_answers (kept_utc)',
  `create table push_targets (id ${sequence}, address ${text} not null unique)`,
  `create table push_items (target ${id} not null, kind ${text} not null, record ${id} not null,
    remote ${id} not null, sent ${text} not null, seen ${text} not null, primary key (target, kind, record))`,
]

const webhooks = ({ sequence, id, text }: Types) => [
  `create table webhooks (id ${sequence}, url ${text} not null, events ${text} not null,
    is_private smallint not null, secret ${text} not null, old_secret ${text} not null,
    old_secret_until_utc ${text} not null, created_utc ${text} not null, failing_since_utc ${text} not null,
    disabled_utc ${text} not null, disabled_why ${text} not null)`,
  `create table webhook_deliveries (id ${sequence}, webhook ${id} not null, message ${text} not null,
    type ${text} not null, kind ${text} not null, record ${id} not null, state ${text} not null,
    created_utc ${text} not null, next_utc ${text} not null, attempts integer not null,
    status integer not null, error ${text} not null, sequence integer not null default 0)`,
  `create index webhook_deliveries_due on webhook_deliveries (webhook, next_utc) where next_utc <> ''`,
  'create index webhook_deliveries_time on webhook_deliveries (created_utc)',
]

const settings = ({ text }: Types) => [
  `create table owner_settings (name ${text} primary key, value ${text} not null)`,
  `create table look_files (name ${text} primary key, content ${text} not null)`,
]

/** `unsaved_texts` has a row for each form with unsaved texts; `bulk_changes` serves to undo bulk actions. */
const desk = ({ sequence, id, text }: Types) => [
  `create table unsaved_texts (${ofUser(id)}, kind ${text} not null, record ${id} not null,
    form ${text} not null, version ${id} not null, "values" ${text} not null, saved_utc ${text} not null,
    primary key ("user", kind, record, form))`,
  'create index unsaved_texts_time on unsaved_texts (saved_utc)',
  `create table proposals (id ${sequence}, kind ${text} not null, record ${id} not null,
    author ${id} not null, version ${id} not null, "values" ${text} not null, note ${text} not null,
    state ${text} not null, reply ${text} not null, reviewer ${id} not null, created_utc ${text} not null,
    changed_utc ${text} not null)`,
  `create unique index proposals_open on proposals (kind, record, author) where state in ('waiting',
    'sent back')`,
  'create index proposals_record on proposals (kind, record, id)',
  'create index proposals_state on proposals (state, changed_utc, id)',
  'create index proposals_author on proposals (author, state, changed_utc, id)',
  `create table bulk_changes (token ${text} primary key, "user" ${id} not null, records ${text} not null,
    done_utc ${text} not null)`,
  'create index bulk_changes_time on bulk_changes (done_utc)',
]

/**
 * Tables whose records are stemmed: all texts of events, names and cities of the others. `offset` keeps ids
 * of terms apart from ids of records.
 */
const DOCUMENTS = [
  { table: 'events', kind: 'event', columns: ['search'], offset: 0 },
  { table: 'venues', kind: 'venue', columns: ['venue', 'city'], offset: 0 },
  { table: 'organizers', kind: 'organizer', columns: ['organizer'], offset: 0 },
  { table: 'terms', kind: 'term', columns: ['name'], offset: 2 ** 40 },
] as const

const changed = (columns: readonly string[]) =>
  columns.map((name) => `new.${name} <> old.${name}`).join(' or ')

/**
 * Indexes of words and stems, which the service fills. `unindexed_events` and `unstemmed` list what is new or
 * changed, since a row there costs a write next to nothing, and many are indexed at once.
 */
function sqliteWords(): string[] {
  const note = 'insert or ignore into unindexed_events values (new.id)'
  return [
    // Every word that an event has or had, by first appearance, and trigrams to find words containing a text.
    'create table words (id integer primary key, word text not null unique)',
    `create virtual table words_trigrams using fts5 (word, content='words', content_rowid='id', columnsize=0,
      detail=none,
      tokenize='trigram case_sensitive 1')`,
    `create trigger words_added after insert on words begin
      insert into words_trigrams (rowid, word) values (new.id, new.word); end`,
    // The words of each event, separated by spaces. Every other ASCII character counts as part of a word.
    `create virtual table event_words using fts5 (terms, content='', contentless_delete=1, detail=none,
      tokenize="ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\\]^_\`{|}~'")`,
    `insert into event_words (event_words, rank) values ('automerge', 0)`,
    'create table unindexed_events (id integer primary key)',
    `create trigger events_added after insert on events begin ${note}; end`,
    `create trigger events_rewritten after update of search on events when new.search <> old.search
      begin ${note}; end`,
    `create trigger events_removed after delete on events begin
      delete from unindexed_events where id = old.id; delete from event_words where rowid = old.id; end`,
    `create virtual table stems using fts5 (words, content='', contentless_delete=1, detail=none,
      tokenize="ascii tokenchars '=@'")`,
    `insert into stems (stems, rank) values ('automerge', 0)`,
    'create table unstemmed (doc integer primary key)',
    // Stems of titles in order of first appearance, so frequent ones tend to come first; they complete a
    // typed word.
    'create table named_stems (id integer primary key, stem text not null unique)',
    `create table name_stems (kind text not null, stem text not null, doc integer not null, primary key (kind,
      stem, doc)) without rowid`,
    'create index name_stems_of on name_stems (kind, doc, stem)',
    ...DOCUMENTS.flatMap(({ table, kind, columns, offset }) => [
      `create trigger ${table}_added_unstemmed after insert on ${table} begin
        insert or ignore into unstemmed values (new.id + ${offset}); end`,
      `create trigger ${table}_changed_unstemmed after update of ${columns.join(', ')} on ${table}
        when ${changed(columns)} begin
        insert or ignore into unstemmed values (new.id + ${offset}); end`,
      `create trigger ${table}_removed_stems after delete on ${table} begin
        delete from unstemmed where doc = old.id + ${offset}; delete from stems
        where rowid = old.id + ${offset}; end`,
      ...(kind === 'event'
        ? []
        : [
            `create trigger ${table}_removed_name after delete on ${table} begin
              delete from name_stems where kind = '${kind}' and doc = old.id; end`,
          ]),
    ]),
  ]
}

const postgresStems = (): string[] => [
  'create table stems (doc bigint primary key, words tsvector not null)',
  'create index stems_words on stems using gin (words)',
  'create table unstemmed (doc bigint primary key)',
  `create table name_stems (kind text collate "C" not null, stem text collate "C" not null,
    doc bigint not null, primary key (kind, stem, doc))`,
  'create index name_stems_of on name_stems (kind, doc, stem)',
  // The update only locks a row that another transaction has added, so that the stemmer cannot delete that
  // row before this transaction commits.
  `create function note_unstemmed() returns trigger language plpgsql as $$
    begin insert into unstemmed (doc) values (new.id + tg_argv[0]::bigint)
      on conflict (doc) do update set doc = excluded.doc; return null; end $$`,
  `create function forget_stems() returns trigger language plpgsql as $$
    begin delete from unstemmed where doc = old.id + tg_argv[0]::bigint;
      delete from stems where doc = old.id + tg_argv[0]::bigint; return null; end $$`,
  `create function forget_name() returns trigger language plpgsql as $$
    begin delete from name_stems where kind = tg_argv[0] and doc = old.id; return null; end $$`,
  ...DOCUMENTS.flatMap(({ table, kind, columns, offset }) => [
    `create trigger ${table}_added_unstemmed after insert on ${table} for each row
      execute function note_unstemmed('${offset}')`,
    `create trigger ${table}_changed_unstemmed after update of ${columns.join(', ')} on ${table}
      for each row when (${changed(columns)}) execute function note_unstemmed('${offset}')`,
    `create trigger ${table}_removed_stems after delete on ${table} for each row
      execute function forget_stems('${offset}')`,
    ...(kind === 'event'
      ? []
      : [
          `create trigger ${table}_removed_name after delete on ${table} for each row
            execute function forget_name('${kind}')`,
        ]),
  ]),
]
