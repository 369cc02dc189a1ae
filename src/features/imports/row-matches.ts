import { sql } from 'kysely'
import { STATUSES } from '../../base/fields/field.ts'
import { decodedText, plainText } from '../../base/text/html.ts'
import { addDays, dayOf } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { mayEdit } from '../../calendar/people/caller.ts'
import { shownTo, visibleTo } from '../../calendar/records/record-store.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'
import { type CheckedRow, nameKey } from './check-rows.ts'

export interface EventHere {
  id: number
  title: string
  start: string
  end: string
  mayUpdate: boolean
}

interface EventBeside extends EventHere {
  key: string
  venues: readonly string[]
}

/** Rows at most this many days apart share one query. */
const GAP_DAYS = 10
const MOST_EVENTS = 20_000

/**
 * Finds an event here for each row: the one with its UID; else one with its title and day, unless both name
 * different venues; else one at its venue and time.
 */
export async function findEventsHere(
  context: Context,
  rows: readonly CheckedRow[],
  without: ReadonlySet<number>,
): Promise<Map<number, EventHere>> {
  const timed = rows.flatMap(({ number, when, title, venue }) =>
    when ? [{ number, start: when.start, title: nameKey(title), venue: placeKey(venue) }] : [],
  )
  const days = [...new Set(timed.map(({ start }) => dayOf(start)))].sort()
  const others = (await readEventsBeside(context, days)).filter(({ id }) => !without.has(id))
  const events = Map.groupBy(others, ({ start }) => dayOf(start))
  const found = await findByUids(context, rows, without)
  for (const { number, start, title, venue } of timed) {
    if (found.has(number)) continue
    const beside = events.get(dayOf(start)) ?? []
    const same = beside.find(
      ({ key, venues }) => key === title && (venue === '' || venues.length === 0 || venues.includes(venue)),
    )
    const there =
      same ?? beside.find((event) => venue !== '' && event.venues.includes(venue) && event.start === start)
    if (there) found.set(number, there)
  }
  return found
}

async function findByUids(
  { db, caller }: Context,
  rows: readonly CheckedRow[],
  without: ReadonlySet<number>,
): Promise<Map<number, EventHere>> {
  const numbers = new Map(
    rows.flatMap(({ number, items }) =>
      items.flatMap(({ uid }) => (uid === undefined ? [] : [[uid, number]])),
    ),
  )
  if (numbers.size === 0) return new Map()
  const { rows: events } = await sql<{
    id: number
    author: number
    status: string
    title: string
    start_date: string
    end_date: string
    uid: string
  }>`select id, author, status, title, start_date, end_date, uid from events
    where uid in ${wholeList(db, [...numbers.keys()])} and status <> 'trash'
      and (${visibleTo(caller, 'events')}) is true`.execute(db)
  return new Map(
    events.flatMap((event) => {
      const number = numbers.get(event.uid)
      if (number === undefined || without.has(event.id)) return []
      const { id, start_date: start, end_date: end } = event
      return [[number, { id, title: plainText(event.title), start, end, mayUpdate: mayEdit(caller, event) }]]
    }),
  )
}

/** Of several venues in a cell only the first counts. */
export const placeKey = (venue: string) => nameKey(venue.split('|', 1)[0] ?? '')

async function readEventsBeside(context: Context, days: readonly string[]): Promise<EventBeside[]> {
  const { db, caller } = context
  const spans: { from: string; before: string }[] = []
  for (const day of days) {
    const last = spans.at(-1)
    if (last && day <= addDays(last.before, GAP_DAYS)) last.before = addDays(day, 1)
    else spans.push({ from: day, before: addDays(day, 1) })
  }
  const statuses = STATUSES.filter((status) => status !== 'trash')
  const events: EventBeside[] = []
  for (const { from, before } of spans) {
    const { rows } = await sql<{
      id: number
      author: number
      status: string
      title: string
      start_date: string
      end_date: string
      venue: string | null
    }>`
      select events.id, events.author, events.status, events.title, events.start_date, events.end_date,
        venues.venue from events
      left join event_venues on event_venues.event = events.id
      left join venues on venues.id = event_venues.venue
      where events.status in (${sql.join(statuses)}) and events.hide_from_listings in (0, 1)
        and events.start_date >= ${from} and events.start_date < ${before}
        and (${visibleTo(caller, 'events')}) is true
      order by events.start_date, events.id limit ${sql.lit(MOST_EVENTS)}`.execute(db)
    for (const [, same] of Map.groupBy(rows, ({ id }) => id)) {
      const [first] = same
      if (!first || events.length >= MOST_EVENTS) continue
      const title = plainText(first.title)
      const venues = same.flatMap(({ venue }) => (venue === null ? [] : [nameKey(decodedText(venue))]))
      const mayUpdate = mayEdit(caller, first)
      const { id, start_date: start, end_date: end } = first
      events.push({ id, title, start, end, mayUpdate, key: nameKey(title), venues })
    }
  }
  return events
}

export interface VenueHere {
  id: number
  name: string
  key: string
}

const MOST_VENUES = 5000

export async function listVenuesHere({ db, caller }: Context): Promise<VenueHere[]> {
  const rows = await db
    .selectFrom('venues')
    .select(['id', 'venue'])
    .where(shownTo(caller, 'venues'))
    .orderBy('id', 'desc')
    .limit(MOST_VENUES)
    .execute()
  return rows.map(({ id, venue }) => {
    const name = decodedText(venue)
    return { id, name, key: nameKey(name) }
  })
}

/**
 * Finds a venue whose name differs by a typing error or by words added at the end.
 * @returns undefined if the name is known, or no other is near
 */
export function findNearVenue(name: string, venues: readonly VenueHere[]): VenueHere | undefined {
  const key = placeKey(name)
  if (key.length < 4 || venues.some((venue) => venue.key === key)) return undefined
  const most = key.length < 8 ? 1 : 2
  let near: VenueHere | undefined
  let least = most + 1
  for (const venue of venues) {
    if (venue.key.startsWith(`${key},`) || venue.key.startsWith(`${key} `)) near ??= venue
    const edits = editsBetween(key, venue.key, least - 1)
    if (edits >= least) continue
    near = venue
    least = edits
  }
  return near
}

/** Number of edits between two texts; two swapped neighbours are one. @returns at most `most + 1` */
function editsBetween(one: string, other: string, most: number): number {
  if (most < 0 || Math.abs(one.length - other.length) > most) return most + 1
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    let least = i
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const swap = isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      const edits = Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
      next.push(edits)
      least = Math.min(least, edits)
    }
    if (least > most) return most + 1
    before = row
    row = next
  }
  return row[other.length] ?? most + 1
}

export async function findTermsHere(
  { db }: Context,
  kind: 'category' | 'tag',
  names: readonly string[],
): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const { rows } = await sql<{ name: string }>`
    select name from terms where taxonomy = ${kind}
      and folded in ${wholeList(db, names.map(nameKey))}`.execute(db)
  return new Set(rows.map(({ name }) => nameKey(decodedText(name))))
}
