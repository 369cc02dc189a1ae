import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { CacheBudget } from '../cache/cache.ts'
import type { Cursor, Database } from '../storage/database.ts'
import type { ChangeColumns, RecordTable, TermRow } from '../storage/schema.ts'
import { DatabaseUnavailable } from '../storage/unavailable.ts'
import { findTermsByIds } from '../terms/term-store.ts'
import { dropEvent, type EventIndex, eventsOfTerm, isMostlySpare, noteRevision, putEvent } from './event-index.ts'
import { type EventsAmong, eventsLinkedTo, readEvents, readIndex, readPlaces, readTerms } from './event-index-read.ts'
import { dropAllPieces, dropLinked, dropPiece, dropTerm, type EventPieces, emptyPieces } from './event-pieces.ts'
import { noneUnkept, type Unkept } from './presented-records.ts'
import { type EventSearches, emptySearches } from './search-cache.ts'

/** What this process remembers of the calendar, in step with the database through its log of changes. */
export interface EventMemory {
  /** The listed public events; undefined until they have been read for the first time. */
  index: EventIndex | undefined
  pieces: EventPieces
  searches: EventSearches
  /** Records to be kept presented beside their rows. */
  unkept: Record<RecordTable, Unkept>
  terms: Map<number, TermRow>
  /** Ids by taxonomy, blank and slug. */
  termIds: Map<string, number>
  /** Different whenever the data may be; answers made at one version hold as long as it does. */
  version: string
  /** True when the database may have changes that have not been taken in. */
  isBehind: () => boolean
  /** Takes in every change that was committed before the call. Rejects only while the database cannot be reached. */
  catchUp: () => Promise<void>
  /** Reads the calendar, in steps that let requests through. What fails is noted and tried again until it succeeds or all is closed. */
  load: () => Promise<void>
  /** Stops taking in changes, and waits for whatever is being read. */
  close: () => Promise<void>
}

const EVENTS_AT_ONCE = 500
/** Above this many events that one change touches, reading all of them anew is quicker. */
const RELOAD_ABOVE = 20_000
/** Milliseconds from a failure to read the calendar to the next try; twice as many after each, up to the last. */
const LOAD_AGAIN = { first: 500, last: 30_000 }

/**
 * Keeps the listed public events of a database in memory; `budget` bounds the presented ones and what searches found. `report` notes failures,
 * and the events that cannot be listed.
 */
export function openEventMemory(
  database: Database,
  budget: CacheBudget,
  report: (error: unknown) => void = () => undefined,
): EventMemory {
  let cursor: Cursor | undefined
  let isStale = false
  let isRenewing = false
  let working: Promise<void> | undefined
  let next: Promise<void> | undefined
  let loading: Promise<void> | undefined
  const stop = new AbortController()
  const unsubscribe = database.onChange(() => {
    isStale = true
  })

  const memory: EventMemory = {
    index: undefined,
    pieces: emptyPieces(budget),
    searches: emptySearches(budget),
    unkept: { events: noneUnkept(), venues: noneUnkept(), organizers: noneUnkept() },
    terms: new Map(),
    termIds: new Map(),
    version: '',
    isBehind: () => database.look() || isStale,
    catchUp: () => {
      // A run under way may have read before the caller's change: only one that starts now is sure to see it.
      next ??= alone(async () => {
        await undefined
        next = undefined
        return takeIn()
      })
      return next
    },
    load: () => {
      loading = readUntilDone()
      return loading
    },
    close: async () => {
      unsubscribe()
      stop.abort()
      await Promise.all([loading, working].map((work) => work?.catch(() => undefined)))
    },
  }
  return memory

  /** Runs `work` once nothing else takes in changes. */
  async function alone(work: () => Promise<void>): Promise<void> {
    while (working) await working.catch(() => undefined)
    const run = work().finally(() => {
      working = undefined
    })
    working = run
    return run
  }

  async function takeIn(): Promise<void> {
    isStale = false
    try {
      const read = cursor === undefined ? 'too old' : await database.readChanges(cursor)
      if (read === 'too old') return await startAgain()
      // A cursor also moves when a transaction elsewhere comes to nothing.
      if (read.changes.length > 0) {
        await apply(read.changes).catch((error: unknown) => forget(error))
        memory.version = read.cursor
      }
      cursor = read.cursor
    } catch (error) {
      isStale = true
      throw error
    }
  }

  function moveTo(next: Cursor): void {
    cursor = next
    memory.version = next
  }

  /** Empties the memory. The events are read anew while requests are answered from the database. */
  async function startAgain(): Promise<void> {
    const wasLoaded = memory.index !== undefined
    memory.index = undefined
    moveTo(await database.cursor())
    if (wasLoaded) void memory.load().catch(() => undefined)
  }

  /** A change that cannot be taken in costs the memory, and not those who write or read: everything is read anew. */
  function forget(error: unknown): void {
    if (error instanceof DatabaseUnavailable) throw error
    report(error)
    memory.index = undefined
    void memory.load().catch(() => undefined)
  }

  /** Rejects when all is closed. */
  async function readUntilDone(): Promise<void> {
    for (let pause = LOAD_AGAIN.first; ; pause = Math.min(pause * 2, LOAD_AGAIN.last)) {
      try {
        return await read()
      } catch (error) {
        if (stop.signal.aborted) throw error
        report(error)
        await sleep(pause, undefined, { signal: stop.signal, ref: false })
      }
    }
  }

  async function read(): Promise<void> {
    const start = await database.cursor()
    if (cursor === undefined) moveTo(start)
    const terms = await readTerms(database.read)
    const index = await readIndex(database.read, terms, stop.signal, { report })
    await alone(async () => {
      memory.terms = terms
      memory.termIds = new Map([...terms.values()].map((term) => [slugKey(term), term.id]))
      dropAllPieces(memory.pieces)
      memory.pieces.countsVersion++
      memory.index = index
      // What changed meanwhile may have been read or not; taking it in twice does no harm.
      cursor = start
      await takeIn()
    })
  }

  async function apply(changes: readonly Pick<ChangeColumns, 'kind' | 'record'>[]): Promise<void> {
    const of = (kind: ChangeColumns['kind']) => [
      ...new Set(changes.flatMap((change) => (change.kind === kind ? [change.record] : []))),
    ]
    const { index, pieces } = memory
    if (!index) return
    const [events, terms, venues] = [of('event'), of('term'), of('venue')]
    if (of('image').length > 0) dropAllPieces(pieces)
    // Most of what changes are a few events and the counts of their terms: they are asked for together.
    const first = events.slice(0, EVENTS_AT_ONCE)
    const [rows, found] = await Promise.all([
      findTermsByIds(database.read, terms),
      readEvents(database.read, first, { report }),
    ])
    const touched = takeInTerms(index, terms, rows)
    takeInEvents(index, first, found)
    for (const id of events.slice(EVENTS_AT_ONCE)) touched.add(id)
    if (venues.length > 0) noteRevision(index)
    await readPlaces(database.read, index, venues)
    for (const kind of ['venue', 'organizer'] as const) {
      for (const id of of(kind)) dropLinked(pieces, `${kind}s`, id)
      for (const id of await eventsLinkedTo(database.read, kind, of(kind))) touched.add(id)
    }
    if (touched.size > RELOAD_ABOVE) return readIndexAgain()
    await refreshEvents(index, [...touched])
    if (isMostlySpare(index)) renew()
  }

  /** Reads everything anew while the present index goes on to answer. */
  function renew(): void {
    if (isRenewing) return
    isRenewing = true
    const done = () => {
      isRenewing = false
    }
    memory.load().then(done, done)
  }

  async function readIndexAgain(): Promise<void> {
    dropAllPieces(memory.pieces)
    memory.index = await readIndex(database.read, memory.terms, stop.signal, { report })
  }

  async function refreshEvents(index: EventIndex, ids: number[]): Promise<void> {
    for (let i = 0; i < ids.length; i += EVENTS_AT_ONCE) {
      const some = ids.slice(i, i + EVENTS_AT_ONCE)
      takeInEvents(index, some, await readEvents(database.read, some, { report }))
      // One change of a venue may touch thousands of events, and others are to be answered meanwhile.
      if (i + EVENTS_AT_ONCE < ids.length) await nextTurn()
    }
  }

  function takeInEvents(index: EventIndex, ids: readonly number[], found: EventsAmong): void {
    const events = found(memory.terms)
    for (const id of ids) {
      dropPiece(memory.pieces, id)
      const event = events.get(id)
      if (event) putEvent(index, event)
      else dropEvent(index, id)
    }
  }

  /** Takes in changed terms. Returns the events that are in other lists for it: those of terms that moved or are gone, and of all below them. */
  function takeInTerms(index: EventIndex, ids: readonly number[], rows: readonly TermRow[]): Set<number> {
    const touched = new Set<number>()
    if (ids.length === 0) return touched
    const now = new Map(rows.map((row) => [row.id, row]))
    memory.pieces.countsVersion++
    for (const id of ids) {
      const [before, after] = [memory.terms.get(id), now.get(id)]
      if (after) memory.terms.set(id, after)
      else memory.terms.delete(id)
      if (before && memory.termIds.get(slugKey(before)) === id) memory.termIds.delete(slugKey(before))
      if (after) memory.termIds.set(slugKey(after), id)
      if (before && !sameButCount(before, after)) {
        dropTerm(memory.pieces, id)
        // No event that anybody may see shows a term that counts none.
        if (before.count > 0 || (after?.count ?? 0) > 0) dropAllPieces(memory.pieces)
      }
      if (!(before && sameButCount(before, after))) noteRevision(index)
      if (before && before.parent !== after?.parent) for (const event of eventsOfTerm(index, id)) touched.add(event)
    }
    return touched
  }
}

const slugKey = (term: TermRow) => `${term.taxonomy} ${term.slug}`

function sameButCount(a: TermRow, b: TermRow | undefined): boolean {
  return (
    b !== undefined &&
    a.name === b.name &&
    a.slug === b.slug &&
    a.description === b.description &&
    a.parent === b.parent
  )
}
