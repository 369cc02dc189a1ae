import { addCredential } from '../src/calendar/people/credentials.ts'
import { hasUsers, insertUser } from '../src/calendar/people/users.ts'
import type { Database, Db } from '../src/store/storage/database.ts'
import type { Tx } from '../src/store/storage/recording.ts'
import type { RecordKind } from '../src/store/storage/schema.ts'
import {
  countsOf,
  expectedSearch,
  type GeneratedEvent,
  generateEvent,
  MIDDLE,
  organizerRow,
  type Plan,
  planOf,
  termRows,
  venueRow,
} from './data-set.ts'

/** The administrator of every data set, with an application password. */
export const WRITER = { login: 'bench', password: 'benchmark only, on this machine' }

/** The rows of a statement. 100 events have about 3,000 values, which both databases accept. */
const ROWS = 100
/** The events of a transaction. */
const CHUNK = 10_000
/** The folded text of one in so many events is compared with that by the service's rules. */
const CHECK_EVERY = 500

const USED = 'The database was used before; the data set needs an empty one of its own.'

/**
 * Fills an empty, migrated database with events through the tables that the service declares.
 * `name` becomes the name of the writing user, by which the data set is recognised.
 * @throws Error when the database is not empty, or the generated rows differ from those the service would
 * have written.
 */
export async function writeDataSet(
  database: Database,
  howMany: number,
  name: string,
  progress: (done: number) => void,
): Promise<void> {
  if (await hasUsers(database.read)) throw new Error(USED)
  const plan = await database.write(async (tx) => {
    await insertWriter(tx, name)
    const firstTerm = await insertTerms(tx)
    const counts = countsOf(howMany)
    const firstVenue = await reserveIds(tx, 'venue', counts.venues)
    if ((await reserveIds(tx, 'organizer', counts.organizers)) !== firstVenue + counts.venues)
      throw new Error(USED)
    return planOf(howMany, firstTerm, firstVenue)
  })
  for (const [from, to] of ranges(plan.venues, CHUNK)) {
    const rows = numbers(from, to).map((number) => venueRow(plan, number))
    await inBatches(database, rows, (tx, batch) => tx.insertInto('venues').values(batch).execute())
  }
  for (const [from, to] of ranges(plan.organizers, CHUNK)) {
    const rows = numbers(from, to).map((number) => organizerRow(plan, number))
    await inBatches(database, rows, (tx, batch) => tx.insertInto('organizers').values(batch).execute())
  }
  await writeEvents(database, plan, progress)
}

/** Reads the plan of a data set from its database. */
export async function readPlan(db: Db, howMany: number): Promise<Plan> {
  const least = (table: 'terms' | 'venues') =>
    db
      .selectFrom(table)
      .select((row) => row.fn.min<number>('id').as('id'))
      .executeTakeFirstOrThrow()
  return planOf(howMany, Number((await least('terms')).id), Number((await least('venues')).id))
}

async function insertWriter(tx: Tx, name: string): Promise<void> {
  const user = await insertUser(
    tx,
    { login: WRITER.login, email: 'bench@example.org', name, role: 'administrator' },
    MIDDLE,
  )
  if (user.id !== 1) throw new Error(USED)
  await addCredential(tx, user, 'password', 'bench', MIDDLE, WRITER.password)
}

/** Inserts the terms and returns the id of the first. Parents are set afterwards, when the ids are known. */
async function insertTerms(tx: Db): Promise<number> {
  const ids: number[] = []
  for (const batch of batches(termRows(0))) {
    const rows = await tx
      .insertInto('terms')
      .values(batch.map((row) => ({ ...row, parent: 0 })))
      .returning('id')
      .execute()
    ids.push(...rows.map(({ id }) => id))
  }
  const first = lowestOf(ids)
  for (const [position, { parent }] of termRows(first).entries()) {
    if (parent !== 0)
      await tx
        .updateTable('terms')
        .set({ parent })
        .where('id', '=', first + position)
        .execute()
  }
  return first
}

async function writeEvents(database: Database, plan: Plan, progress: (done: number) => void): Promise<void> {
  const counts = new Map<number, number>()
  for (const [from, to] of ranges(plan.events, CHUNK)) {
    const events = numbers(from, to).map((number) => generateEvent(plan, number))
    checkEvents(events)
    count(counts, events)
    await database.write(async (tx) => {
      if ((await reserveIds(tx, 'event', to - from)) !== plan.first.event + from) throw new Error(USED)
      for (const batch of batches(events)) await insertEvents(tx, batch)
    })
    progress(to)
  }
  await database.write(async (tx) => {
    for (const [id, published] of counts)
      await tx.updateTable('terms').set({ count: published }).where('id', '=', id).execute()
  })
}

async function insertEvents(tx: Db, events: readonly GeneratedEvent[]): Promise<void> {
  const links = {
    venues: events.flatMap(venueLinks),
    organizers: events.flatMap(organizerLinks),
    terms: events.flatMap(termLinks),
  }
  await tx
    .insertInto('events')
    .values(events.map(({ row }) => row))
    .execute()
  if (links.venues.length > 0) await tx.insertInto('event_venues').values(links.venues).execute()
  if (links.organizers.length > 0) await tx.insertInto('event_organizers').values(links.organizers).execute()
  if (links.terms.length > 0) await tx.insertInto('event_terms').values(links.terms).execute()
}

const venueLinks = ({ row, venues }: GeneratedEvent) =>
  venues.map((venue, position) => ({ event: row.id, venue, position }))
const organizerLinks = ({ row, organizers }: GeneratedEvent) =>
  organizers.map((organizer, position) => ({ event: row.id, organizer, position }))
const termLinks = ({ row, terms }: GeneratedEvent) => terms.map((term) => ({ event: row.id, term }))

/**
 * Takes ids from the sequence that records share and returns the first.
 * @throws Error when there are gaps.
 */
async function reserveIds(tx: Db, kind: RecordKind, howMany: number): Promise<number> {
  const ids: number[] = []
  for (const [from, to] of ranges(howMany, 1000)) {
    const rows = Array.from({ length: to - from }, () => ({ kind }))
    const reserved = await tx.insertInto('records').values(rows).returning('id').execute()
    for (const { id } of reserved) ids.push(id)
  }
  return lowestOf(ids)
}

/** Returns the lowest id. @throws Error when there are gaps. */
function lowestOf(ids: readonly number[]): number {
  const sorted = [...ids].sort((a, b) => a - b)
  const [first = 0] = sorted
  if (sorted.some((id, position) => id !== first + position)) throw new Error(USED)
  return first
}

/** @throws Error when the folded text of an event differs from that by the rules of events. */
function checkEvents(events: readonly GeneratedEvent[]): void {
  for (let index = 0; index < events.length; index += CHECK_EVERY) {
    const row = events[index]?.row
    if (row && row.search !== expectedSearch(row))
      throw new Error(`The folded text of event ${row.id} is not what the service would keep.`)
  }
}

/** Counts terms in published events (rule 7.4). */
function count(counts: Map<number, number>, events: readonly GeneratedEvent[]): void {
  for (const { row, terms } of events) {
    if (row.status !== 'publish') continue
    for (const id of terms) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}

function ranges(length: number, size: number): [from: number, to: number][] {
  return Array.from({ length: Math.ceil(length / size) }, (_, index) => [
    index * size,
    Math.min(length, (index + 1) * size),
  ])
}

function batches<T>(rows: readonly T[]): T[][] {
  return ranges(rows.length, ROWS).map(([from, to]) => rows.slice(from, to))
}

async function inBatches<T>(
  database: Database,
  rows: readonly T[],
  insert: (tx: Tx, batch: T[]) => Promise<unknown>,
): Promise<void> {
  await database.write(async (tx) => {
    for (const batch of batches(rows)) await insert(tx, batch)
  })
}
