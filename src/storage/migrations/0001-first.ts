import { sql } from 'kysely'
import { columnTypes, startSequence } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'
import { stampChanges } from '../postgres/postgres-changes.ts'

/** Everything of the first release: records, terms, links, people, and the log of changes. */
export const first: Migration = { name: '0001-first', up }

async function up(db: Db): Promise<void> {
  await createRecords(db)
  await createPeople(db)
  await createEvents(db)
  await createLinked(db)
  await indexSlugs(db)
  await createImages(db)
  await createTerms(db)
  await createLinks(db)
  const { sequence, id, text } = columnTypes(db)
  await run(db, `create table changes (version ${sequence}, kind ${text} not null, record ${id} not null)`)
  await stampChanges(db)
}

async function run(db: Db, statement: string): Promise<void> {
  await sql.raw(statement).execute(db)
}

/** The columns of every record. */
function recordColumns(db: Db): string {
  const { id, text } = columnTypes(db)
  return `
    id ${id} primary key references records (id),
    author ${id} not null,
    status ${text} not null,
    slug ${text} not null,
    date ${text} not null,
    date_utc ${text} not null,
    modified ${text} not null,
    modified_utc ${text} not null,
    image ${id},
    trusted smallint not null default 0,
    search ${text} not null`
}

async function createRecords(db: Db): Promise<void> {
  const { sequence, text } = columnTypes(db)
  await run(db, `create table records (id ${sequence}, kind ${text} not null)`)
  // The reference begins with three records of its own; its recorded exchanges count on that.
  await startSequence(db, 'records', 4)
}

async function createPeople(db: Db): Promise<void> {
  const { sequence, id, text } = columnTypes(db)
  await run(
    db,
    `create table users (id ${sequence}, login ${text} not null unique, email ${text} not null unique,
    name ${text} not null, role ${text} not null, created_utc ${text} not null)`,
  )
  await run(
    db,
    `create table credentials (id ${sequence}, "user" ${id} not null references users (id) on delete cascade,
    kind ${text} not null, name ${text} not null, hash ${text} not null unique, created_utc ${text} not null)`,
  )
  await run(db, `create index credentials_user on credentials ("user")`)
}

async function createEvents(db: Db): Promise<void> {
  const { text } = columnTypes(db)
  await run(
    db,
    `create table events (${recordColumns(db)},
    title ${text} not null, description ${text} not null default '', excerpt ${text} not null default '',
    start_date ${text} not null, end_date ${text} not null, utc_start_date ${text} not null, utc_end_date ${text} not null,
    timezone ${text} not null, all_day smallint not null default 0,
    cost ${text} not null default '[]', website ${text} not null default '',
    show_map smallint not null default 0, show_map_link smallint not null default 0,
    hide_from_listings smallint not null default 0, sticky smallint not null default 0, featured smallint not null default 0)`,
  )
  await run(db, `create index events_listed on events (status, hide_from_listings, start_date, date, id)`)
  await run(db, `create index events_author on events (author, start_date)`)
  await run(db, `create index events_scheduled on events (date_utc) where status = 'future'`)
}

async function createLinked(db: Db): Promise<void> {
  const { text, real } = columnTypes(db)
  await run(
    db,
    `create table venues (${recordColumns(db)},
    venue ${text} not null, folded ${text} not null, description ${text} not null default '', excerpt ${text} not null default '',
    show_map smallint not null default 1, show_map_link smallint not null default 1,
    address ${text} not null default '', city ${text} not null default '', country ${text} not null default '',
    province ${text} not null default '', state ${text} not null default '', zip ${text} not null default '',
    phone ${text} not null default '', stateprovince ${text} not null default '', website ${text} not null default '',
    geo_lat ${real}, geo_lng ${real})`,
  )
  await run(db, `create index venues_place on venues (geo_lat, geo_lng)`)

  await run(
    db,
    `create table organizers (${recordColumns(db)},
    organizer ${text} not null, folded ${text} not null, description ${text} not null default '', excerpt ${text} not null default '',
    phone ${text} not null default '', website ${text} not null default '', email ${text} not null default '')`,
  )
}

async function indexSlugs(db: Db): Promise<void> {
  for (const table of ['events', 'venues', 'organizers']) {
    // Drafts may share a slug (rule 17.3); every other record has its own.
    await run(db, `create unique index ${table}_slug on ${table} (slug) where status not in ('draft', 'pending')`)
    await run(db, `create index ${table}_any_slug on ${table} (slug, id)`)
  }
  for (const table of ['venues', 'organizers']) {
    await run(db, `create index ${table}_folded on ${table} (folded, id)`)
    await run(db, `create index ${table}_listed on ${table} (status, date desc, id desc)`)
    await run(db, `create index ${table}_scheduled on ${table} (date_utc) where status = 'future'`)
  }
}

async function createImages(db: Db): Promise<void> {
  const { id, text } = columnTypes(db)
  await run(
    db,
    `create table images (id ${id} primary key references records (id), author ${id} not null, title ${text} not null,
    date_utc ${text} not null, file ${text} not null, mime_type ${text} not null, width integer not null, height integer not null,
    filesize integer not null, sizes ${text} not null, source_url ${text} not null, original_image ${text} not null)`,
  )
  await run(db, `create unique index images_file on images (file)`)
  await run(db, `create index images_source on images (source_url) where source_url <> ''`)
}

async function createTerms(db: Db): Promise<void> {
  const { sequence, id, text } = columnTypes(db)
  await run(
    db,
    `create table terms (id ${sequence}, taxonomy ${text} not null, name ${text} not null, slug ${text} not null,
    description ${text} not null, parent ${id} not null, count integer not null default 0, folded ${text} not null)`,
  )
  await run(db, `create unique index terms_slug on terms (taxonomy, slug)`)
  await run(db, `create index terms_folded on terms (taxonomy, folded, id)`)
  await run(db, `create index terms_parent on terms (parent)`)
}

async function createLinks(db: Db): Promise<void> {
  const { id } = columnTypes(db)
  await run(
    db,
    `create table event_venues (event ${id} not null references events (id) on delete cascade,
    venue ${id} not null references venues (id) on delete cascade, position integer not null, primary key (event, venue))`,
  )
  await run(db, `create index event_venues_venue on event_venues (venue, event)`)
  await run(
    db,
    `create table event_organizers (event ${id} not null references events (id) on delete cascade,
    organizer ${id} not null references organizers (id) on delete cascade, position integer not null, primary key (event, organizer))`,
  )
  await run(db, `create index event_organizers_organizer on event_organizers (organizer, event)`)
  await run(
    db,
    `create table event_terms (event ${id} not null references events (id) on delete cascade,
    term ${id} not null references terms (id) on delete cascade, primary key (event, term))`,
  )
  await run(db, `create index event_terms_term on event_terms (term, event)`)
}
