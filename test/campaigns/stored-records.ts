import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Entry, type Kind, keyOf, type State, type Stored } from './ledger.ts'

// Reads the records of a calendar from its tables, without the service.

export type Row = Readonly<Record<string, string | number | null>>
export type Ask = (sql: string) => Promise<Row[]>

export async function readStored(ask: Ask): Promise<Stored> {
  const entries = [
    ...(await readEvents(ask)),
    ...(await readPlain(ask, 'venues', `select id, slug, venue, description, status, city from venues`)),
    ...(await readPlain(
      ask,
      'organizers',
      `select id, slug, organizer, description, status, email from organizers`,
    )),
    ...(await readPlain(ask, 'categories', termsOf('category'))),
    ...(await readPlain(ask, 'tags', termsOf('tag'))),
    ...(await readPlain(ask, 'images', `select id, '' as slug, title from images`)),
  ]
  return new Map(entries.map((entry) => [keyOf(entry.kind, entry.id), entry]))
}

const termsOf = (taxonomy: string) =>
  `select id, slug, name, description from terms where taxonomy = '${taxonomy}'`

async function readPlain(ask: Ask, kind: Kind, sql: string): Promise<Entry[]> {
  const rows = await ask(sql)
  return rows.map(({ id, slug, ...state }) => ({
    kind,
    id: Number(id),
    slug: String(slug),
    state: state as State,
    owner: undefined,
  }))
}

async function readEvents(ask: Ask): Promise<Entry[]> {
  const rows = await ask(
    `select id, slug, title, description, status, start_date, end_date, image from events`,
  )
  const venues = await readNames(
    ask,
    'select l.event, v.venue as name from event_venues l join ' +
      'venues v on v.id = l.venue order by l.event, l.position',
  )
  const organizers = await readNames(
    ask,
    `select l.event, o.organizer as name from event_organizers l join organizers o on o.id = l.organizer
     order by l.event, l.position`,
  )
  const [categories, tags] = [await readTerms(ask, 'category'), await readTerms(ask, 'tag')]
  return rows.map(({ id, slug, image, ...own }) => {
    const event = Number(id)
    const links = { venues: venues.get(event) ?? [], organizers: organizers.get(event) ?? [] }
    const terms = { categories: (categories.get(event) ?? []).sort(), tags: (tags.get(event) ?? []).sort() }
    const state = { ...(own as State), ...links, ...terms, image: Number(image ?? 0) }
    return { kind: 'events', id: event, slug: String(slug), state, owner: undefined }
  })
}

const readTerms = (ask: Ask, taxonomy: string) =>
  readNames(
    ask,
    'select l.event, t.name from event_terms l join terms ' +
      `t on t.id = l.term where t.taxonomy = '${taxonomy}'`,
  )

async function readNames(ask: Ask, sql: string): Promise<Map<number, string[]>> {
  const names = new Map<number, string[]>()
  for (const { event, name } of await ask(sql)) {
    const known = names.get(Number(event))
    if (known) known.push(String(name))
    else names.set(Number(event), [String(name)])
  }
  return names
}

/** Queries that find rows which must not exist, by their fault. */
const RULES: Readonly<Record<string, string>> = {
  'a record of no table': `select r.id from records r where not exists (select 1 from events where id = r.id)
    and not exists (select 1 from venues where id = r.id) and not exists (select 1 from organizers
      where id = r.id)
    and not exists (select 1 from images where id = r.id)`,
  'a row that is no record': `select id from (select id, 'event' as kind from events union all select id,
    'venue' from venues
    union all select id, 'organizer' from organizers union all select id, 'image' from images) t
    where not exists (select 1 from records r where r.id = t.id and r.kind = t.kind)`,
  'a venue linked to nothing': `select event from event_venues where event not in (select id from events)
    or venue not in (select id from venues)`,
  'an organizer linked to nothing': `select event from event_organizers where event not in (select id
    from events)
    or organizer not in (select id from organizers)`,
  'a term linked to nothing': `select event from event_terms where event not in (select id from events)
    or term not in (select id from terms)`,
  'two links in one place': `select event from event_venues group by event, position having count(*) > 1
    union all select event from event_organizers group by event, position having count(*) > 1`,
  'a wrong count': `select id from terms t where count <> (select count(*) from event_terms l join events e
    on e.id = l.event
    where l.term = t.id and e.status = 'publish')`,
  'a parent that is not there':
    'select id from terms where parent <> 0 ' + 'and parent not in (select id from terms)',
  'a slug twice': ['events', 'venues', 'organizers']
    .map(
      (table) =>
        `select slug from ${table} where status not in ` +
        `('draft', 'pending') group by slug having count(*) > 1`,
    )
    .join(' union all '),
  'a slug of terms twice': `select slug from terms group by taxonomy, slug having count(*) > 1`,
  'an image that is not there': ['events', 'venues', 'organizers']
    .map(
      (table) => `select id from ${table} where image is not null and image not in (select id from images)`,
    )
    .join(' union all '),
  'a credential of nobody': `select id from credentials where "user" not in (select id from users)`,
}

export async function findContradictions(ask: Ask): Promise<string[]> {
  const found: string[] = []
  for (const [what, sql] of Object.entries(RULES)) {
    const rows = await ask(sql)
    if (rows.length > 0) found.push(`${what}: ${JSON.stringify(rows.slice(0, 5))}`)
  }
  return found
}

export async function findMissingFiles(ask: Ask, folder: string): Promise<string[]> {
  const rows = await ask('select id, file, sizes from images')
  const present = new Set(filesIn(folder))
  return rows.flatMap(({ id, file, sizes }) => {
    const scaled = Object.values(JSON.parse(String(sizes)) as Record<string, { file: string }>).map(
      (size) => size.file,
    )
    const month = String(file).slice(0, String(file).lastIndexOf('/') + 1)
    const wanted = [String(file), ...scaled.map((name) => (name.includes('/') ? name : month + name))]
    return wanted.filter((name) => !present.has(name)).map((name) => `image ${id} without its file ${name}`)
  })
}

function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    return files.filter((file) => statSync(file).size > 0).map((file) => file.slice(folder.length + 1))
  } catch {
    return []
  }
}
