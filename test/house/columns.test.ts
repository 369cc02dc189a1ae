import { deepEqual, ok } from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import type { Fields } from '../../src/calendar/declare/resource.ts'
import { resources } from '../../src/calendar/resources.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'

interface Kept {
  table: string
  fields: Fields
  links: readonly string[]
  settled: readonly string[]
}

const RECORD = ['id', 'slug', 'dated', 'modified', 'modified_utc', 'trusted', 'search']
const TERM = ['id', 'taxonomy', 'parent', 'count', 'folded']

function fieldsOf(name: string): Fields {
  const served = resources.find(({ resource }) => resource.name === name)
  ok(served, `no resource is called ${name}`)
  return served.resource.fields
}

const kept: Readonly<Record<string, Kept>> = {
  event: {
    table: 'events',
    fields: fieldsOf('event'),
    links: ['categories', 'tags', 'venue', 'organizer', 'recurrence', 'recurrence_scope'],
    settled: [
      ...RECORD,
      'uid',
      'utc_start_date',
      'utc_end_date',
      'series',
      'recurrence_id',
      'own',
      'access_words',
      'is_free',
      'online_from',
    ],
  },
  venue: { table: 'venues', fields: fieldsOf('venue'), links: [], settled: [...RECORD, 'excerpt', 'folded'] },
  organizer: {
    table: 'organizers',
    fields: fieldsOf('organizer'),
    links: [],
    settled: [...RECORD, 'excerpt', 'folded'],
  },
  category: { table: 'terms', fields: fieldsOf('category'), links: [], settled: TERM },
  tag: { table: 'terms', fields: fieldsOf('tag'), links: [], settled: TERM },
}

const database = await openDatabase('sqlite::memory:')
await migrate(database)
after(() => database.close())

async function columnsOf(table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(
    database.read,
  )
  return rows.map(({ name }) => name)
}

const BEGINNINGS: Readonly<Record<string, unknown>> = { 'venues.show_map': 1, 'venues.show_map_link': 1 }

interface Column {
  name: string
  notnull: number
  dflt_value: string | null
}

function isBlankByItself({ notnull, dflt_value }: Column, blank: unknown): boolean {
  if (blank === null) return notnull === 0 && dflt_value === null
  return notnull === 1 && (dflt_value === null || dflt_value.replace(/^'(.*)'$/, '$1') === String(blank))
}

test('every resource says here which table keeps it', () => {
  deepEqual(
    resources.map(({ resource }) => resource.name),
    Object.keys(kept),
  )
})

for (const [name, { table, fields, links, settled }] of Object.entries(kept)) {
  test(`every declared field of ${table} (${name}) has a column, made by a migration`, async () => {
    const columns = await columnsOf(table)
    const stored = Object.keys(fields).filter((field) => !links.includes(field))
    const missing = stored.filter((field) => !columns.includes(field))
    deepEqual(missing, [], `declared without a column in ${table}: ${missing.join(', ')}; add a migration`)
  })

  test(`each column of ${table} (${name}) has the blank value of its field if nothing was sent`, async () => {
    const { rows } = await sql<Column>`select * from pragma_table_info(${table})`.execute(database.read)
    const other = rows.filter((column) => {
      const blank = BEGINNINGS[`${table}.${column.name}`] ?? fields[column.name]?.kind.blank
      return blank !== undefined && !isBlankByItself(column, blank)
    })
    deepEqual(other, [])
  })

  test(`every column of ${table} (${name}) has an owner: a declared field or a rule`, async () => {
    const owned = [...Object.keys(fields), ...settled]
    const left = (await columnsOf(table)).filter((column) => !owned.includes(column))
    deepEqual(
      left,
      [],
      `columns of ${table} that nothing fills: ${left.join(', ')}; declare a field or drop them`,
    )
  })
}

const POST = 'author date date_utc'
const PLACED = 'page per_page search event has_events only_with_upcoming status'
const TERM_FILTERS = 'page per_page search exclude include order orderby hide_empty post event slug'
const MAP = 'show_map show_map_link'

const KNOWN: Readonly<Record<string, readonly [fields: string, filters: string]>> = {
  event: [
    `${POST} title description slug excerpt status timezone all_day start_date end_date image ` +
      `cost website ${MAP} hide_from_listings sticky featured categories tags venue organizer`,
    'page per_page start_date end_date starts_before starts_after ends_before ends_after ' +
      'strict_dates search categories tags venue organizer featured status ' +
      'geoloc geoloc_lat geoloc_lng geoloc_radius include post_parent ticketed',
  ],
  venue: [
    `${POST} venue description status ${MAP} address city country ` +
      'province state stateprovince zip phone website image geo_lat geo_lng',
    `${PLACED} geoloc geoloc_lat geoloc_lng geoloc_radius`,
  ],
  organizer: [`${POST} organizer description status phone website email image`, PLACED],
  category: ['name description slug parent', `${TERM_FILTERS} parent`],
  tag: ['name description slug', TERM_FILTERS],
}

test('the index lists fields and filters that clients of the reference know, and not ours', () => {
  for (const { resource, filters } of resources) {
    const [fields = '', lists = ''] = KNOWN[resource.name] ?? []
    for (const [known, declared] of [
      [fields, resource.fields],
      [lists, filters],
    ] as const) {
      const listed = Object.entries(declared).flatMap(([name, { unlisted }]) => (unlisted ? [] : [name]))
      deepEqual(listed.sort(), known.split(' ').sort(), `${resource.name}: without \`unlisted\``)
    }
  }
})
