import { sql } from 'kysely'
import type { Database, Db } from '../../src/store/storage/database.ts'
import type { ChangeColumns, HistoryColumns } from '../../src/store/storage/schema.ts'

export interface Written {
  records: Map<string, string>
  changes: Map<string, ChangeColumns>
  history: HistoryColumns[]
}

const RECORDS = {
  event: 'events',
  series: 'series',
  venue: 'venues',
  organizer: 'organizers',
  image: 'images',
  term: 'terms',
  user: 'users',
} as const

const PARTS = [
  ['event', 'event_venues', 'event'],
  ['event', 'event_organizers', 'event'],
  ['event', 'event_terms', 'event'],
  ['user', 'credentials', 'user'],
] as const

type Row = Record<string, unknown>

async function rowsOf(db: Db, table: string): Promise<Row[]> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)}`.execute(db)
  return rows
}

export async function readWritten({ read }: Pick<Database, 'read'>): Promise<Written> {
  const texts = new Map<string, string[]>()
  for (const [kind, table] of Object.entries(RECORDS))
    for (const { count, ...row } of await rowsOf(read, table)) {
      texts.set(`${kind} ${row.id}`, [JSON.stringify(row)])
      if (kind === 'term') texts.set(`count ${row.id}`, [String(count)])
    }
  for (const [kind, table, column] of PARTS)
    for (const { used_utc: _used, ...row } of await rowsOf(read, table))
      texts.get(`${kind} ${row[column]}`)?.push(JSON.stringify(row))
  const changes = await read.selectFrom('changes').selectAll().execute()
  return {
    records: new Map([...texts].map(([key, parts]) => [key, parts.sort().join('\n')])),
    changes: new Map(changes.map((row) => [`${row.kind} ${row.record}`, row])),
    history: await read.selectFrom('history').selectAll().orderBy('id').execute(),
  }
}

export function differences(before: Written, after: Written): string[] {
  const keys = new Set([...before.records.keys(), ...after.records.keys()])
  const isNewTerm = (key: string) => !before.records.has(key) && after.records.get(key) === '0'
  return [...keys]
    .filter((key) => before.records.get(key) !== after.records.get(key) && !isNewTerm(key))
    .sort()
}

export function isPublicIn({ records }: Written, key: string): boolean | undefined {
  const text = records.get(key)
  if (text === undefined) return undefined
  if (/^(image|term|count) /.test(key)) return true
  return !key.startsWith('user ') && text.includes('"status":"publish"')
}

export function unrecorded(before: Written, after: Written): string[] {
  return differences(before, after).flatMap((key) => {
    const [was, is] = [before.changes.get(key), after.changes.get(key)]
    if (!is) return [`${key} has no row`]
    const isPublic = isPublicIn(after, key)
    const faults = [
      ...(is.sequence > (was?.sequence ?? 0) ? [] : [`sequence ${was?.sequence} became ${is.sequence}`]),
      ...(is.deleted === Number(isPublic === undefined) ? [] : [`deleted is ${is.deleted}`]),
      ...(is.is_public === Number(isPublic === true) ? [] : [`is_public is ${is.is_public}`]),
      ...(isPublicIn(before, key) && is.was_public === 0 ? ['was_public is 0'] : []),
    ]
    return faults.map((fault) => `${key}: ${fault}`)
  })
}

export function actsSince(before: Written, after: Written): string[] {
  return after.history.slice(before.history.length).map(({ action, kind }) => `${action} ${kind}`)
}
