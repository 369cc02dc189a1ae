import { sql } from 'kysely'
import { type Database, type Db, isPostgres } from './database.ts'
import { countedSteps, type FeatureTables, featureOfStep, type Migration, step } from './migration.ts'
import { oneSchema } from './migrations/0034-one-schema.ts'
import { freeEvents } from './migrations/0045-free-events.ts'
import { stemsOfTexts } from './migrations/0046-stems.ts'
import { foldedMarks } from './migrations/0051-marks.ts'
import { adoptForeignChanges } from './postgres/postgres-changes.ts'
import { prepareSearch } from './search/search-index.ts'

// The migrations in order. A released step is never changed.

/** The row goes with the user. */
const ofUser = (id: string) => `"user" ${id} not null references users (id) on delete cascade`

/** The columns that step 0038 adds. */
const VENUE_FACTS = [
  'step_free',
  'accessible_toilet',
  'accessible_parking',
  'lift',
  'hearing_loop',
  'quiet_space',
  'assistance_dogs',
]
const EVENT_FACTS = ['captions', 'audio_description', 'relaxed', 'easy_language', 'free_companion']
const EVENT_TEXTS = [
  'sign_language',
  'access_note',
  'access_contact',
  'attendance',
  'online_url',
  'online_label',
  'access_words',
  'online_from',
]

const migrations: readonly Migration[] = [
  oneSchema,
  // Presented records have the place of their image, and apart from their other members those that few events
  // have.
  step('0035-parts-of-presented', ({ text }) => [
    'alter table presented_records rename column own to members',
    'alter table presented_records add column image_at integer not null default 0',
    `alter table presented_records add column rare ${text} not null default ''`,
  ]),
  // The row of an act has the former values of what the act changed; long texts are kept once, by their hash.
  step('0036-former-values', ({ id, text }) => [
    `alter table history add column former ${text} not null default ''`,
    'alter table history add column former_bytes integer not null default 0',
    // The row of a record's creation has no former values, so it does not write to these indexes.
    'create index history_former on history (kind, record, sequence, former_bytes) where former_bytes > 0',
    'create index history_valued on history (id, former_bytes) where former_bytes > 0',
    // `last` is the id of the newest row of the history that names the text, or a higher one.
    `create table former_texts (hash ${text} primary key, bytes integer not null, last ${id} not null, text ${text} not null)`,
    'create index former_texts_last on former_texts (last, bytes)',
    // The versions before this step are not known.
    'alter table changes add column known_from integer not null default 0',
    'update changes set known_from = sequence',
  ]),
  // The settings that owners change while the service runs.
  step('0037-owner-settings', ({ text }) => [
    `create table owner_settings (name ${text} primary key, value ${text} not null)`,
  ]),
  // The access facts of events and venues, and the ways to take part in an event.
  step('0038-facts-of-events', ({ text }) => [
    ...VENUE_FACTS.map((name) => `alter table venues add column ${name} smallint`),
    ...EVENT_FACTS.map((name) => `alter table events add column ${name} smallint`),
    ...EVENT_TEXTS.map((name) => `alter table events add column ${name} ${text} not null default ''`),
    `alter table events add column online_shown ${text} not null default 'always'`,
    // Few events have either value, and to read the rows of all others would take long.
    `create index events_access on events (id, access_words) where access_words <> ''`,
    `create index events_online on events (online_from) where online_from <> ''`,
  ]),
  // Passwords, sessions and one-time links of the desk, and the time at which a user was barred from signing
  // in.
  step('0039-sign-in', ({ id, text }) => [
    `alter table users add column deactivated_utc ${text} not null default ''`,
    `create table desk_passwords ("user" ${id} primary key references users (id) on delete cascade,
      hash ${text} not null, changed_utc ${text} not null)`,
    `create table sessions (hash ${text} primary key, ${ofUser(id)}, created_utc ${text} not null, seen_utc ${text} not null,
      client ${text} not null, address ${text} not null)`,
    'create index sessions_user on sessions ("user")',
    'create index sessions_seen on sessions (seen_utc)',
    `create table sign_in_links (hash ${text} primary key, ${ofUser(id)}, purpose ${text} not null, expires_utc ${text} not null)`,
    'create index sign_in_links_user on sign_in_links ("user")',
  ]),
  // Unsaved texts, proposals, and what undoes a bulk change.
  step('0040-review', ({ id, text, sequence }) => [
    `create table unsaved_texts ("user" ${id} not null references users (id) on delete cascade, kind ${text} not null,
      record ${id} not null, version ${id} not null, "values" ${text} not null, saved_utc ${text} not null,
      primary key ("user", kind, record))`,
    'create index unsaved_texts_time on unsaved_texts (saved_utc)',
    `create table proposals (id ${sequence}, kind ${text} not null, record ${id} not null, author ${id} not null,
      version ${id} not null, "values" ${text} not null, note ${text} not null, state ${text} not null,
      reply ${text} not null, reviewer ${id} not null, created_utc ${text} not null, changed_utc ${text} not null)`,
    `create unique index proposals_open on proposals (kind, record, author) where state in ('waiting', 'sent back')`,
    'create index proposals_record on proposals (kind, record, id)',
    'create index proposals_state on proposals (state, changed_utc, id)',
    'create index proposals_author on proposals (author, state, changed_utc, id)',
    `create table bulk_changes (token ${text} primary key, "user" ${id} not null, records ${text} not null, done_utc ${text} not null)`,
    'create index bulk_changes_time on bulk_changes (done_utc)',
    `create index events_pending on events (status, modified_utc, id) where status = 'pending'`,
    `create index events_pending_author on events (author, status, modified_utc, id) where status = 'pending'`,
    'create index import_items_known on import_items (kind, record)',
  ]),
  // Indexes by which the desk finds events that last several days, and the sources that records were imported
  // from, without reading all others.
  step('0041-events-at-the-desk', (_types, db) => [
    `create index events_lasting on events (status, hide_from_listings, end_date${alsoListed(db)})
      where substr(end_date, 1, 10) > substr(start_date, 1, 10)`,
    'create index import_items_of on import_items (kind, record, source)',
  ]),
  // The point of an image that must stay in view where it is cropped.
  step('0042-focal-points', () => [
    'alter table images add column focal_x double precision',
    'alter table images add column focal_y double precision',
  ]),
  // The files that owners set for the look: logo, icon, picture and font.
  step('0043-look-files', ({ text }) => [
    `create table look_files (name ${text} primary key, content ${text} not null)`,
  ]),
  // The text on what an image shows at one event, and the program that an application password was made for.
  step('0044-what-images-show', ({ text }) => [
    `alter table events add column image_alt ${text} not null default ''`,
    `alter table credentials add column app_id ${text} not null default ''`,
  ]),
  freeEvents,
  stemsOfTexts,
  // The mark of an image that only decorates an event.
  step('0047-decorative-images', ({ id }) => [
    `alter table events add column image_decorative ${id} not null default 0`,
  ]),
  // The stems of titles and names, the frequent ones first, then in the order in which they come: suggestions
  // look up here what a beginning may mean.
  step('0048-named-stems', (_types, db) => [
    ...(isPostgres(db)
      ? []
      : [
          'create table named_stems (id integer primary key, stem text not null unique)',
          'create virtual table stem_counts using fts5vocab(stems, row)',
          `insert into named_stems (stem) select term from stem_counts where term >= '=' and term < 'A' order by doc desc`,
          'drop table stem_counts',
        ]),
  ]),
  // The stems of the names of venues, organizers and terms in their order, which suggestions walk along.
  // Every start of the service adds the stems of names that wait.
  step('0049-stems-of-names', ({ id, text }, db) => [
    `create table name_stems (kind ${text} not null, stem ${text} not null, doc ${id} not null, primary key (kind, stem, doc))
      ${isPostgres(db) ? '' : 'without rowid'}`,
    'create index name_stems_of on name_stems (kind, doc, stem)',
    ...(isPostgres(db)
      ? [
          `create function forget_name() returns trigger language plpgsql as $$
            begin delete from name_stems where kind = tg_argv[0] and doc = old.id; return null; end $$`,
        ]
      : [`delete from named_stems where stem >= '@' and stem < 'A'`]),
    ...['venue', 'organizer', 'term'].flatMap((kind) => [
      `insert into unstemmed (doc) select id + ${kind === 'term' ? 2 ** 40 : 0} from ${kind}s where true on conflict (doc) do nothing`,
      isPostgres(db)
        ? `create trigger ${kind}s_removed_name after delete on ${kind}s for each row execute function forget_name('${kind}')`
        : `create trigger ${kind}s_removed_name after delete on ${kind}s begin
            delete from name_stems where kind = '${kind}' and doc = old.id; end`,
    ]),
  ]),
  // The form of an unsaved text, since several forms of new events may be open at once.
  step('0050-forms-of-unsaved-texts', ({ id, text }) => [
    'create table former_texts_of_forms as select * from unsaved_texts',
    'drop table unsaved_texts',
    `create table unsaved_texts (${ofUser(id)}, kind ${text} not null, record ${id} not null, form ${text} not null,
      version ${id} not null, "values" ${text} not null, saved_utc ${text} not null, primary key ("user", kind, record, form))`,
    `insert into unsaved_texts select "user", kind, record, case record when 0 then 'former' else '' end, version, "values", saved_utc
      from former_texts_of_forms`,
    'drop table former_texts_of_forms',
    'create index unsaved_texts_time on unsaved_texts (saved_utc)',
  ]),
  foldedMarks,
  // Events are presented from their rows. The JSON beside them goes; its pages stay in a SQLite file for
  // later rows, until somebody shrinks it.
  step('0052-nothing-presented', (_types, db) => [
    ...(isPostgres(db)
      ? ['drop function forget_presented_record() cascade']
      : ['events', 'venues', 'organizers'].flatMap((table) => [
          `drop trigger ${table}_update_unpresents`,
          `drop trigger ${table}_delete_unpresents`,
        ])),
    'drop table presented_records',
  ]),
  // E-mail on its way.
  step('0053-mail', ({ id, text, sequence }) => [
    `create table mail_messages (id ${sequence}, name ${text} not null unique, recipient ${text} not null,
      language ${text} not null, topic ${text} not null, content ${text} not null, state ${text} not null,
      created_utc ${text} not null, next_utc ${text} not null, until_utc ${text} not null, by_stranger ${id} not null,
      attempts ${id} not null, status ${id} not null, error ${text} not null, settled_utc ${text} not null)`,
    `create index mail_messages_due on mail_messages (next_utc, id) where next_utc <> ''`,
    `create index mail_messages_settled on mail_messages (settled_utc) where settled_utc <> ''`,
    'create index mail_messages_recipient on mail_messages (recipient, created_utc)',
  ]),
]

/** SQLite narrows lists by indexes alone (`indexesOfPosts` in 0034-one-schema.ts). */
function alsoListed(db: Db): string {
  return isPostgres(db) ? '' : ', start_date, author, id'
}

export interface Migrated {
  ran: string[]
  /** For the operator. */
  remarks: string[]
}

type Tell = (sentence: string) => void

/** Those of the kernel, in order. */
export const migrationNames: readonly string[] = migrations.map(({ name }) => name)

/** Those of features come after the kernel's. */
function stepsWith(features: readonly FeatureTables[]): readonly Migration[] {
  return [...migrations, ...features.flatMap(({ migrations: own = [] }) => own)]
}

export const stepNames = (features: readonly FeatureTables[]): readonly string[] =>
  stepsWith(features).map(({ name }) => name)

/**
 * Of several processes one migrates, the others wait. `tell` gets a sentence before an existing calendar is
 * changed, which may take minutes.
 * @throws Error with one sentence when the database is of a newer version
 */
export async function migrate(
  database: Database,
  features: readonly FeatureTables[] = [],
  tell?: Tell,
): Promise<Migrated> {
  const migrated: Migrated = { ran: [], remarks: [] }
  await database.migrate(async (tx) => {
    migrated.ran = await migrateWithin(tx, stepNames(features), features, tell)
    const remark = await finishMigration(tx)
    if (remark) migrated.remarks.push(remark)
  })
  return migrated
}

/**
 * A restore first runs only the steps of its backup, so that its rows fit. @throws Error with one sentence
 * when the database is of a newer version
 */
export async function migrateWithin(
  tx: Db,
  wanted: readonly string[],
  features: readonly FeatureTables[] = [],
  tell?: Tell,
): Promise<string[]> {
  await sql`create table if not exists migrations (name text primary key)`.execute(tx)
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(tx)
  const done = new Set(rows.map((row) => row.name))
  refuseNewer(done, features)
  const lacking = stepsWith(features).filter(({ name }) => wanted.includes(name) && !done.has(name))
  const [from] = lacking
  if (from && done.size > 0)
    tell?.(
      `The database is brought up to date, from step ${from.name} on, which may take minutes for a large calendar.`,
    )
  for (const step of lacking) {
    await step.up(tx)
    await sql`insert into migrations (name) values (${step.name})`.execute(tx)
  }
  return lacking.map(({ name }) => name)
}

/** A sentence for the operator when searches stay slow. */
export async function finishMigration(tx: Db): Promise<string | undefined> {
  await adoptForeignChanges(tx)
  return prepareSearch(tx)
}

/** @throws Error with one sentence */
function refuseNewer(done: Iterable<string>, features: readonly FeatureTables[]): void {
  const newer = findNewer(done, features)
  if (newer.length > 0)
    throw new Error(
      `The database is of a newer version of Kalends, which made the steps ${newer.join(', ')}; start that version, or restore a backup from before it.`,
    )
}

/** An unknown step may have changed any table; one of a feature that is left out here has its own alone. */
export function findNewer(done: Iterable<string>, features: readonly FeatureTables[]): string[] {
  const isHere = (feature: string | undefined) =>
    feature === undefined || features.some((tables) => tables.feature === feature)
  return findUnknown(done, features).filter((name) => isHere(featureOfStep(name)))
}

/** With those of features that are left out here. */
export function findUnknown(done: Iterable<string>, features: readonly FeatureTables[]): string[] {
  const known = new Set(stepNames(features))
  return countedSteps([...done])
    .filter((name) => !known.has(name))
    .sort()
}

/** What copies a calendar has to know all of its tables. @throws Error with one sentence */
export function refuseUnknown(done: Iterable<string>, features: readonly FeatureTables[]): void {
  refuseNewer(done, features)
  const left = new Set(findUnknown(done, features).map(featureOfStep))
  if (left.size > 0)
    throw new Error(`The database has tables of ${[...left].join(', ')}, which this program is without.`)
}
