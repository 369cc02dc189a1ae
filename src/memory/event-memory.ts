import { setTimeout as sleep } from 'node:timers/promises'
import type { CacheBudget } from '../cache.ts'
import type { Cursor, Database } from '../storage/database.ts'
import type { RecordTable, TermRow } from '../storage/schema.ts'
import { DatabaseUnavailable } from '../storage/unavailable.ts'
import { type EventIndex, isMostlySpare } from './event-index.ts'
import { lastEventId, readIndex, readTerms } from './event-index-read.ts'
import { dropAllPieces, emptyPieces } from './event-pieces.ts'
import { applyChanges, type EventState, type RecordSource, termIdsOf } from './memory-changes.ts'
import { noneUnkept, type Unkept } from './presented-records.ts'
import { type EventSearches, emptySearches } from './search-cache.ts'

/** The calendar in the memory of this process, in step with the database through its record of changes. */
export interface EventMemory extends EventState {
  searches: EventSearches
  /** Records waiting to be stored presented. */
  unkept: Record<RecordTable, Unkept>
  /** Changes whenever the data may have changed; an answer made at one version holds as long as it does. */
  version: string
  /** How often the old addresses of sources that have moved here may have changed. */
  sources: number
  /** How it follows the database. */
  following: Following
}

/** The state of following the database. */
interface Following {
  database: Database
  source: RecordSource
  report: (error: unknown) => void
  /** Aborted when the memory is closed. */
  stop: AbortController
  unsubscribe: () => void
  /** Up to where changes were applied; undefined before the first look. */
  cursor: Cursor | undefined
  /** True when a change was announced that has not been applied. */
  isStale: boolean
  /** True while everything is read anew beside an index that goes on to answer. */
  isRenewing: boolean
  /** The run that applies changes now, and the one that begins after it. */
  working: Promise<void> | undefined
  next: Promise<void> | undefined
  loading: Promise<void> | undefined
  /** The end of reading a small calendar, or of waiting for it. */
  soon: Promise<void> | undefined
}

/** Calendars whose ids of events end here are read within some tenths of a second. */
const SMALL = 20_000
/** The most milliseconds that lists wait for it. */
const SOON_MS = 1000

/** Milliseconds from a failure to read the calendar to the next try; twice as many after each, up to the last. */
const LOAD_AGAIN = { first: 500, last: 30_000 }

/**
 * Keeps the listed public events of a database in memory; `budget` bounds the presented ones and the results of searches. `report` notes
 * failures, and events that cannot be listed.
 */
export function openEventMemory(
  database: Database,
  budget: CacheBudget,
  report: (error: unknown) => void = () => undefined,
): EventMemory {
  const stop = new AbortController()
  const following: Following = {
    database,
    source: { db: database.read, signal: stop.signal, reporting: { report } },
    report,
    stop,
    unsubscribe: database.onChange(() => {
      following.isStale = true
    }),
    cursor: undefined,
    isStale: false,
    isRenewing: false,
    working: undefined,
    next: undefined,
    loading: undefined,
    soon: undefined,
  }
  return {
    index: undefined,
    pieces: emptyPieces(budget),
    searches: emptySearches(budget),
    unkept: { events: noneUnkept(database), venues: noneUnkept(database), organizers: noneUnkept(database) },
    terms: new Map(),
    termIds: termIdsOf([]),
    version: '',
    sources: 0,
    following,
  }
}

/** True when the database may have changes that have not been applied. */
export function isBehind({ following }: EventMemory): boolean {
  return following.database.look() || following.isStale
}

/** True when a read that ends now may show changes that have not been applied. */
export function mayBeBehind(memory: EventMemory): boolean {
  return memory.following.database.commitsUnderWay() !== undefined || isBehind(memory)
}

/**
 * Waits until this process knows of every change that a read ending now may have shown, so that its client never gets an older answer from memory
 * afterwards.
 */
export async function awaitCommits({ following }: EventMemory): Promise<void> {
  await following.database.commitsUnderWay()
}

/** Applies every change that was committed before the call. Rejects only while the database cannot be reached. */
export function catchUp(memory: EventMemory): Promise<void> {
  const { following } = memory
  // A run under way may have read before the caller's change: only one that starts now is sure to see it.
  following.next ??= alone(following, async () => {
    await undefined
    following.next = undefined
    return takeIn(memory)
  })
  return following.next
}

/**
 * Reads the calendar, in steps that let requests through. After a failure, which is reported, it tries again until it succeeds.
 * @throws when the memory is closed
 */
export function loadMemory(memory: EventMemory): Promise<void> {
  const { following } = memory
  const loading = readUntilDone(memory)
  following.loading = loading
  // Lists that cannot wait for it are read from the database, which says why.
  following.soon = endOfSmall(following, loading).catch(() => undefined)
  return loading
}

/**
 * A promise while a small calendar is being read: a list that waits for it comes as soon as one from the database, for which a thread would have to be
 * started. Never rejects.
 */
export function soonFilled({ index, following }: EventMemory): Promise<void> | undefined {
  return index ? undefined : following.soon
}

/** Stops following the database, and waits for reads under way. */
export async function closeMemory({ following }: EventMemory): Promise<void> {
  following.unsubscribe()
  following.stop.abort()
  await Promise.all([following.loading, following.working].map((work) => work?.catch(() => undefined)))
}

/** Runs `work` once nothing else applies changes. */
async function alone(following: Following, work: () => Promise<void>): Promise<void> {
  while (following.working) await following.working.catch(() => undefined)
  const run = work().finally(() => {
    following.working = undefined
  })
  following.working = run
  return run
}

/** Applies the changes since the cursor. */
async function takeIn(memory: EventMemory): Promise<void> {
  const { following } = memory
  following.isStale = false
  try {
    const { cursor } = following
    const read = cursor === undefined ? 'too old' : await following.database.readChanges(cursor)
    if (read === 'too old') return await startAgain(memory)
    if (read.changes.some(({ kind }) => kind === 'source')) memory.sources++
    // A cursor also moves when a transaction elsewhere is rolled back.
    if (read.changes.length > 0) {
      await applyChanges(memory, following.source, read.changes).catch((error: unknown) => forget(memory, error))
      if (memory.index && isMostlySpare(memory.index)) renew(memory)
      memory.version = read.cursor
    }
    following.cursor = read.cursor
  } catch (error) {
    following.isStale = true
    throw error
  }
}

function moveTo(memory: EventMemory, cursor: Cursor): void {
  memory.following.cursor = cursor
  memory.version = cursor
}

/** Empties the memory. The events are read anew while requests are answered from the database. */
async function startAgain(memory: EventMemory): Promise<void> {
  const wasLoaded = memory.index !== undefined
  memory.sources++
  memory.index = undefined
  moveTo(memory, await memory.following.database.cursor())
  if (wasLoaded) loadBeside(memory)
}

/** A change that cannot be applied empties the memory and fails no request: everything is read anew. */
function forget(memory: EventMemory, error: unknown): void {
  if (error instanceof DatabaseUnavailable) throw error
  memory.following.report(error)
  memory.index = undefined
  loadBeside(memory)
}

function loadBeside(memory: EventMemory): void {
  void loadMemory(memory).catch(() => undefined)
}

/** Reads everything anew while the present index goes on to answer. */
function renew(memory: EventMemory): void {
  const { following } = memory
  if (following.isRenewing) return
  following.isRenewing = true
  const done = () => {
    following.isRenewing = false
  }
  loadMemory(memory).then(done, done)
}

async function readUntilDone(memory: EventMemory): Promise<void> {
  const { signal } = memory.following.stop
  for (let pause = LOAD_AGAIN.first; ; pause = Math.min(pause * 2, LOAD_AGAIN.last)) {
    try {
      return await readCalendar(memory)
    } catch (error) {
      if (signal.aborted) throw error
      memory.following.report(error)
      await sleep(pause, undefined, { signal, ref: false })
    }
  }
}

async function readCalendar(memory: EventMemory): Promise<void> {
  const { following } = memory
  const { db, signal, reporting } = following.source
  const start = await following.database.cursor()
  if (following.cursor === undefined) moveTo(memory, start)
  const terms = await readTerms(db)
  const index = await readIndex(db, terms, signal, reporting)
  await alone(following, () => replaceAll(memory, { terms, index, start }))
}

/** The end of reading a small calendar, or of the time that lists wait for it; at once for a large one. */
function endOfSmall({ source }: Following, loading: Promise<void>): Promise<void> {
  const read = lastEventId(source.db).then((last) => (last <= SMALL ? loading : undefined))
  return Promise.race([read, sleep(SOON_MS, undefined, { ref: false })])
}

/** The calendar as it was read, and the cursor from before. */
interface ReadCalendar {
  terms: Map<number, TermRow>
  index: EventIndex
  start: Cursor
}

function replaceAll(memory: EventMemory, { terms, index, start }: ReadCalendar): Promise<void> {
  memory.terms = terms
  memory.termIds = termIdsOf(terms.values())
  dropAllPieces(memory.pieces)
  memory.pieces.countsVersion++
  memory.index = index
  // A change made meanwhile may have been read or not; applying it twice does no harm.
  memory.following.cursor = start
  return takeIn(memory)
}
