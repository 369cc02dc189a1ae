import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { fold } from '../../base/text/characters.ts'
import { plainText } from '../../base/text/html.ts'
import { TURN_MS } from '../../base/text/long-texts.ts'
import { dayOf, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { visibleTo } from '../../calendar/records/record-store.ts'
import { distanceKm } from '../../store/storage/distance.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'
import { findKeptApart, pairName } from './merges.ts'

// Finds likely duplicates by name, address and distance. Only records that share a key are compared, in
// blocks of limited size, so the work grows linearly with the number of records.

export type DoubledKind = 'venue' | 'organizer' | 'event'

/** `likeness` is between 0 and 1, where 1 means alike. */
export interface LikelyPair {
  ids: readonly [number, number]
  likeness: number
}

interface Compared {
  id: number
  words: readonly string[]
  /** All pairs of adjacent letters in the name. */
  parts: ReadonlySet<string>
  keys: readonly string[]
  place: string
  address: string
  at: { lat: number; lng: number } | undefined
  contacts: readonly string[]
  /** Two dates of one series are never a pair. */
  series: number | null
}

const MOST_RECORDS = 20_000
const MOST_EVENTS = 5000
const IN_A_PIECE = 1000
/** A key that more records share than this is ignored, since it says little about likeness. */
const MOST_IN_BLOCK = 20
const MOST_PAIRS = 200

/** Returns the pairs that the caller may see, likeliest first. */
export async function findLikelyPairs(context: Context, kind: DoubledKind): Promise<LikelyPair[]> {
  const records = kind === 'event' ? await readComing(context) : await readLinked(context, kind)
  const [blocks, apart] = [new Map<string, Compared[]>(), await findKeptApart(context, kind)]
  const pause = pausing()
  for (const record of records) {
    for (const key of record.keys) {
      const block = blocks.get(key) ?? []
      if (block.length <= MOST_IN_BLOCK) block.push(record)
      blocks.set(key, block)
    }
    await pause()
  }
  const compare = kind === 'event' ? likenessOfEvents : likenessOfPlaces
  const found = new Map<string, LikelyPair>()
  for (const block of blocks.values()) {
    if (block.length <= MOST_IN_BLOCK) comparePairs(block, compare, apart, found)
    await pause()
  }
  return [...found.values()]
    .sort((a, b) => b.likeness - a.likeness || a.ids[0] - b.ids[0])
    .slice(0, MOST_PAIRS)
}

function pausing(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < TURN_MS) return
    await nextTurn()
    since = performance.now()
  }
}

function comparePairs(
  block: readonly Compared[],
  compare: (a: Compared, b: Compared) => number,
  apart: ReadonlySet<string>,
  found: Map<string, LikelyPair>,
): void {
  for (const [at, one] of block.entries())
    for (const other of block.slice(at + 1)) {
      const ids = [Math.min(one.id, other.id), Math.max(one.id, other.id)] as const
      const name = pairName(ids)
      if (one.id === other.id || apart.has(name) || found.has(name)) continue
      const likeness = compare(one, other)
      if (likeness > 0) found.set(name, { ids, likeness })
    }
}

/** In kilometres. */
const NEAR_KM = 0.15
const SAME_TOWN_KM = 3

function likenessOfPlaces(a: Compared, b: Compared): number {
  const names = likenessOf(a, b)
  const km = a.at && b.at ? distanceKm(a.at.lat, a.at.lng, b.at.lat, b.at.lng) : undefined
  const isFar =
    (km !== undefined && km > SAME_TOWN_KM) || (a.place !== '' && b.place !== '' && a.place !== b.place)
  const isSameAddress = a.address !== '' && a.address === b.address && !isFar
  const isNear = km !== undefined && km <= NEAR_KM
  const hasSameContact = a.contacts.some((one) => b.contacts.includes(one))
  if (isFar && !(isNear || (hasSameContact && names >= 0.8))) return 0
  if (names >= 0.95) return 0.9 + (isNear || isSameAddress || hasSameContact ? 0.1 : 0)
  if (names >= 0.75) return isNear || isSameAddress || hasSameContact ? 0.9 : 0.7
  if (names >= 0.45 && (isNear || isSameAddress || hasSameContact)) return 0.6
  return 0
}

function likenessOfEvents(a: Compared, b: Compared): number {
  if (a.series !== null && a.series === b.series) return 0
  const names = likenessOf(a, b)
  const isElsewhere = a.place !== '' && b.place !== '' && a.place !== b.place
  const isSameStart = a.address === b.address
  if (names >= 0.95) return isElsewhere ? (isSameStart ? 0.6 : 0) : isSameStart ? 1 : 0.7
  if (names >= 0.6 && isSameStart && !isElsewhere) return 0.8
  return 0
}

/**
 * The Dice coefficient of letter pairs, or more if one name contains all words, at least two, of the other.
 */
function likenessOf(a: Compared, b: Compared): number {
  if (a.parts.size === 0 || b.parts.size === 0) return 0
  let common = 0
  for (const part of a.parts) if (b.parts.has(part)) common += 1
  const dice = (2 * common) / (a.parts.size + b.parts.size)
  const [few, many] = a.words.length <= b.words.length ? [a.words, b.words] : [b.words, a.words]
  const isWithin = few.length > 1 && few.every((word) => many.includes(word))
  return isWithin ? Math.max(dice, few.length === many.length ? 1 : 0.8) : dice
}

const SILENT = new Set(
  [
    'the a an der die das des le la les l el los las un une',
    'und and et y of de du di am im in e v ev gmbh ltd inc asbl',
  ].flatMap((words) => words.split(' ')),
)

function tellingWords(name: string): string[] {
  const words = foldedPlain(name).match(/[\p{L}\p{N}]+/gu) ?? []
  const telling = words.filter((word) => !SILENT.has(word)).slice(0, MOST_WORDS)
  return telling.length > 0 ? telling : words.slice(0, MOST_WORDS)
}

/** Folds a text without markup; removing markup is slow, so it is skipped where there can be none. */
const foldedPlain = (text: string) => fold(/[<&]/.test(text) ? plainText(text) : text)

const MOST_WORDS = 12

function partsOf(words: readonly string[]): Set<string> {
  const parts = new Set<string>()
  for (const word of words) {
    const text = ` ${word.slice(0, LONGEST_WORD)} `
    for (let at = 0; at < text.length - 1; at += 1) parts.add(text.slice(at, at + 2))
  }
  return parts
}

const LONGEST_WORD = 30

interface LinkedFound {
  id: number
  name: string
  place: string
  address: string
  lat: number | null
  lng: number | null
  contacts: string
}

async function readLinked(context: Context, kind: 'venue' | 'organizer'): Promise<Compared[]> {
  const { db, caller, readInLane } = context
  const own =
    kind === 'venue'
      ? sql`venue as name, city as place, address, geo_lat as lat, geo_lng as lng, phone || ' ' ||
        website as contacts`
      : sql`organizer as name, '' as place, '' as address, null as lat, null as lng, phone || ' ' ||
        website || ' ' || email as contacts`
  const found: Compared[] = []
  const pause = pausing()
  for (let before = Number.MAX_SAFE_INTEGER; found.length < MOST_RECORDS; ) {
    const table = `${kind}s` as const
    const query = sql<LinkedFound>`select id, ${own} from ${sql.table(table)}
      where id < ${before} and status <> 'trash' and ${visibleTo(caller, table)}
      order by id desc limit ${sql.lit(IN_A_PIECE)}`
    const [rows] = await readInLane(db, 'list', [{ compile: () => query.compile(db) }])
    for (const row of rows) {
      found.push(comparedPlace(row))
      await pause()
    }
    before = rows.at(-1)?.id ?? 0
    if (rows.length < IN_A_PIECE) break
  }
  return found
}

/** Grid cells per degree; a cell is about 200 m high. */
const CELL = 500

function comparedPlace({ id, name, place, address, lat, lng, contacts }: LinkedFound): Compared {
  const words = tellingWords(name)
  const at = lat === null || lng === null ? undefined : { lat: Number(lat), lng: Number(lng) }
  const town = foldedPlain(place).trim()
  const street = tellingWords(address).join(' ')
  const told = contacts
    .split(' ')
    .map(contactOf)
    .filter((text) => text !== '')
  const sorted = words.toSorted()
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, 2)
  return {
    id,
    words,
    parts: partsOf(words),
    place: town,
    address: street,
    at,
    contacts: told,
    series: null,
    keys: [
      `n ${sorted.join(' ')}`,
      `n ${sorted.join(' ')} ${town}`,
      `p ${words.join('').slice(0, 8)}`,
      ...longest.map((word) => `w ${word}`),
      ...(street === '' ? [] : [`a ${street}`]),
      ...told.map((text) => `c ${text}`),
      ...(at ? cellsAround(at) : []),
    ],
  }
}

/** Returns the grid cells of a place: its own, and near an edge the neighbouring ones. */
function cellsAround({ lat, lng }: { lat: number; lng: number }): string[] {
  const [north, east] = [lat * CELL, lng * CELL]
  const cells = new Set<string>()
  for (const y of [-0.4, 0.4])
    for (const x of [-0.4, 0.4]) cells.add(`g ${Math.round(north + y)} ${Math.round(east + x)}`)
  return [...cells]
}

function contactOf(text: string): string {
  if (text.includes('@')) return text.toLowerCase()
  const digits = text.replace(/\D/g, '')
  if (/^[+\d]/.test(text) && digits.length >= 7) return digits.slice(-9)
  const url = URL.parse(text)
  return url ? `${url.host.replace(/^www\./, '')}${url.pathname.replace(/\/$/, '')}`.toLowerCase() : ''
}

interface EventFound {
  id: number
  title: string
  start_date: string
  series: number | null
}

async function readComing(context: Context): Promise<Compared[]> {
  const { db, caller, site, now } = context
  const today = `${dayOf(wallNow(site.timezone, now))} 00:00:00`
  const found: Compared[] = []
  const pause = pausing()
  for (const status of ['publish', 'pending', 'draft', 'future', 'private'])
    for (const isHidden of [0, 1]) {
      let [from, after] = [today, 0]
      for (let count = 0; count < MOST_EVENTS; count += IN_A_PIECE) {
        const query = sql<EventFound>`select id, title, start_date, series from events
          where status = ${sql.lit(status)} and hide_from_listings = ${sql.lit(isHidden)}
            and start_date >= ${from}
            and (start_date <> ${from} or id > ${after}) and ${visibleTo(caller, 'events')}
          order by start_date, id limit ${sql.lit(IN_A_PIECE)}`
        const [rows] = await context.readInLane(db, 'list', [{ compile: () => query.compile(db) }])
        const venues = await venuesOf(context, rows)
        for (const row of rows) {
          found.push(comparedEvent(row, venues.get(row.id) ?? ''))
          await pause()
        }
        const last = rows.at(-1)
        if (!last || rows.length < IN_A_PIECE) break
        ;[from, after] = [last.start_date, last.id]
      }
    }
  return found
}

async function venuesOf({ db }: Context, rows: readonly EventFound[]): Promise<Map<number, string>> {
  if (rows.length === 0) return new Map()
  const ids = wholeList(
    db,
    rows.map(({ id }) => id),
  )
  const { rows: links } = await sql<{ event: number; venue: number }>`
    select event, venue from event_venues where event in ${ids} order by event, venue`.execute(db)
  const byEvent = Map.groupBy(links, ({ event }) => event)
  return new Map([...byEvent].map(([event, own]) => [event, own.map(({ venue }) => venue).join(' ')]))
}

function comparedEvent({ id, title, start_date, series }: EventFound, venues: string): Compared {
  const words = tellingWords(title)
  const day = dayOf(start_date)
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, 2)
  return {
    id,
    words,
    parts: partsOf(words),
    place: venues,
    address: start_date,
    at: undefined,
    contacts: [],
    series,
    keys: [
      `${day} n ${words.toSorted().join(' ')}`,
      ...longest.map((word) => `${day} w ${word}`),
      ...(venues === '' ? [] : [`${start_date} v ${venues}`]),
    ],
  }
}
