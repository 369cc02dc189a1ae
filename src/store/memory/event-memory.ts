import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type Cache, type CacheBudget, emptyCache, findCached, setCached } from '../../base/cache.ts'
import { parseSearch } from '../../base/text/search.ts'
import { wantedWords } from '../../base/text/stems.ts'
import type { Change, Cursor, Database, Db, ReadInLane } from '../storage/database.ts'
import type { IdSet } from '../storage/id-set.ts'
import type { ChangeColumns, Taxonomy, TermRow } from '../storage/schema.ts'
import { findWords, type WordsFound } from '../storage/search/find-words.ts'
import { selectTerms } from '../storage/statement.ts'
import { DatabaseUnavailable } from '../storage/unavailable.ts'
import type { Reporting } from '../storage/unshowable.ts'
import { dropEvent, type EventIndex, eventsOfTerm, isMostlySpare, putEvent } from './event-index.ts'
import {
  type EventsAmong,
  eventsLinkedTo,
  lastEventId,
  readEvents,
  readIndex,
  readPlaces,
  readTerms,
} from './event-index-read.ts'
import { dropAllPieces, dropPieces, type EventPieces, emptyPieces } from './event-pieces.ts'

export interface EventMemory extends EventState {
  searches: EventSearches
  /** The cursor up to which changes are applied; a cached answer stays valid until the cursor changes. */
  version: string
  /** Incremented when old addresses of sources that moved to this calendar may have changed. */
  sources: number
  /** Incremented when settings of owners may have changed, once the new settings are in effect. */
  settings: number
  following: Following
}

interface Following {
  database: Database
  source: RecordSource
  report: (error: unknown) => void
  renewSettings: () => Promise<void>
  /** Called after changes of users and of their credentials. */
  usersChanged: () => void
  stop: AbortController
  unsubscribe: () => void
  /** The cursor up to which changes are applied; undefined before the first read. */
  cursor: Cursor | undefined
  /** How many changes were announced, and how many of these announcements are applied. */
  announced: number
  applied: number
  /** True while the index is rebuilt and the present one still answers. */
  isRenewing: boolean
  /** The run that applies changes now, and the one that begins after it. */
  working: Promise<void> | undefined
  next: Promise<void> | undefined
  loading: Promise<void> | undefined
  /** Resolves when a small calendar has been read, but after `SOON_MS` at the latest. */
  soon: Promise<void> | undefined
}

/** The largest event id of a small calendar, which is read within some tenths of a second. */
const SMALL = 20_000
/** In ms: how long lists wait at most for a small calendar to be read. */
const SOON_MS = 1000
/** In ms: the delay before a larger calendar is read, so that the first requests are served sooner. */
const HEAD_START_MS = 300

/** In ms: the delay before a failed read is retried; doubled each time, up to `last`. */
const LOAD_AGAIN = { first: 500, last: 30_000 }

/**
 * Returns an empty memory, which `loadMemory` fills. `budget` limits cached pieces and search results;
 * `report` gets failures and events that cannot be listed.
 */
export function openEventMemory(
  database: Database,
  budget: CacheBudget,
  report: (error: unknown) => void = () => undefined,
  renewSettings: () => Promise<void> = async () => undefined,
  usersChanged: () => void = () => undefined,
): EventMemory {
  const stop = new AbortController()
  const following: Following = {
    database,
    source: { db: database.read, signal: stop.signal, reporting: { report } },
    report,
    renewSettings,
    usersChanged,
    stop,
    unsubscribe: database.onChange(() => {
      following.announced++
    }),
    cursor: undefined,
    announced: 0,
    applied: 0,
    isRenewing: false,
    working: undefined,
    next: undefined,
    loading: undefined,
    soon: undefined,
  }
  return {
    index: undefined,
    pieces: emptyPieces(budget),
    searches: {
      found: emptyCache(budget),
      asked: new Map(),
      words: emptyCache(budget),
      askedWords: new Map(),
    },
    terms: new Map(),
    termIds: termIdsOf([]),
    version: '',
    sources: 0,
    settings: 0,
    following,
  }
}

/** True if the database may have changes that have not been applied to the memory. */
export function isBehind({ following }: EventMemory): boolean {
  return following.database.look() || following.applied !== following.announced
}

/** True if a read that ends now may show changes that have not been applied. */
export function mayBeBehind(memory: EventMemory): boolean {
  return memory.following.database.commitsUnderWay() !== undefined || isBehind(memory)
}

/**
 * Returns a function that tells whether data read since this call are as current as the memory, so that they
 * may be cached.
 */
export function readingFrom(memory: EventMemory): () => boolean {
  const { version } = memory
  const { drops } = memory.pieces
  return () => drops === memory.pieces.drops && version === memory.version && !mayBeBehind(memory)
}

/**
 * Resolves once this process knows every change that a read ending now may have shown, so that the client
 * gets no older answer from memory; undefined if it knows them all.
 */
export function commitsOf({ following }: EventMemory): Promise<unknown> | undefined {
  return following.database.commitsUnderWay()
}

/** Applies every change committed before the call; rejects if the database cannot be reached. */
export function catchUp(memory: EventMemory): Promise<void> {
  const { following } = memory
  // A run under way may have read before the caller's change; only a run that starts now surely sees it.
  following.next ??= alone(following, async () => {
    await undefined
    following.next = undefined
    return takeIn(memory)
  })
  return following.next
}

/**
 * Reads the calendar in steps between which requests are served. A failure is reported and retried.
 * @throws Error if the memory is closed
 */
export function loadMemory(memory: EventMemory): Promise<void> {
  const { following } = memory
  const loading = readUntilDone(memory)
  following.loading = loading
  // A failure is ignored here: lists are then read from the database, which gives the reason.
  following.soon = endOfSmall(following, loading).catch(() => undefined)
  return loading
}

/** Returns `soon`, which never rejects, while there is no index: lists wait for it. */
export function soonFilled({ index, following }: EventMemory): Promise<void> | undefined {
  return index ? undefined : following.soon
}

/** Aborts reads under way, and waits until they have ended. */
export async function closeMemory({ following }: EventMemory): Promise<void> {
  following.unsubscribe()
  following.stop.abort()
  await Promise.all([following.loading, following.working].map((work) => work?.catch(() => undefined)))
}

/** Runs `work` once no other run applies changes. */
async function alone(following: Following, work: () => Promise<void>): Promise<void> {
  while (following.working) await following.working.catch(() => undefined)
  const run = work().finally(() => {
    following.working = undefined
  })
  following.working = run
  return run
}

async function takeIn(memory: EventMemory): Promise<void> {
  const { following } = memory
  const { cursor, announced } = following
  const read = cursor === undefined ? 'too old' : await following.database.readChanges(cursor)
  if (read === 'too old') {
    await startAgain(memory)
    following.applied = announced
    return
  }
  if (read.changes.some(({ kind }) => kind === 'user')) following.usersChanged()
  if (read.changes.some(({ kind }) => kind === 'source')) memory.sources++
  if (read.changes.some(({ kind }) => kind === 'settings')) await renewSettings(memory)
  if (read.changes.length > 0) {
    await applyChanges(memory, following.source, read.changes).catch((error: unknown) =>
      forget(memory, error),
    )
    if (memory.index && isMostlySpare(memory.index)) renew(memory)
  }
  // The cursor also moves without changes, when a transaction that ran beside a change ends without one.
  // Nodes that never saw that transaction have this cursor from the start.
  memory.version = read.cursor
  following.cursor = read.cursor
  following.applied = announced
}

async function renewSettings(memory: EventMemory): Promise<void> {
  await memory.following.renewSettings()
  // Cached pieces depend on the language and currency of the calendar.
  dropAllPieces(memory.pieces)
  memory.settings++
}

function moveTo(memory: EventMemory, cursor: Cursor): void {
  memory.following.cursor = cursor
  memory.version = cursor
}

/** Drops the index. If it had been read, reads it anew while the database answers requests. */
async function startAgain(memory: EventMemory): Promise<void> {
  const wasLoaded = memory.index !== undefined
  memory.sources++
  memory.following.usersChanged()
  await renewSettings(memory)
  memory.index = undefined
  moveTo(memory, await memory.following.database.cursor())
  if (wasLoaded) loadBeside(memory)
}

/**
 * Rebuilds the index after an error in applying changes, so that it fails no request.
 * @throws DatabaseUnavailable if this is the error
 */
function forget(memory: EventMemory, error: unknown): void {
  if (error instanceof DatabaseUnavailable) throw error
  memory.following.report(error)
  memory.index = undefined
  loadBeside(memory)
}

function loadBeside(memory: EventMemory): void {
  void loadMemory(memory).catch(() => undefined)
}

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
  for (;;) {
    const start = await following.database.cursor()
    if (following.cursor === undefined) moveTo(memory, start)
    if ((await lastEventId(db)) > SMALL) await sleep(HEAD_START_MS, undefined, { signal, ref: false })
    const terms = await readTerms(db)
    const index = await readIndex(db, terms, signal, reporting)
    const read = { terms, index, start }
    let isReplaced = false
    await alone(following, async () => {
      isReplaced = await replaceAll(memory, read)
    })
    if (isReplaced) return
  }
}

/** Resolves when a small calendar has been read, at the latest after `SOON_MS`; at once for a large one. */
function endOfSmall({ source }: Following, loading: Promise<void>): Promise<void> {
  const read = lastEventId(source.db).then((last) => (last <= SMALL ? loading : undefined))
  return Promise.race([read, sleep(SOON_MS, undefined, { ref: false })])
}

/** A calendar read from the database; `start` is the cursor from before the reading. */
interface ReadCalendar {
  terms: Map<number, TermRow>
  index: EventIndex
  start: Cursor
}

/**
 * Applies the changes since `start` to the new index, then replaces the old index. Returns false if these
 * changes are no longer recorded: then the calendar must be read again.
 */
async function replaceAll(memory: EventMemory, { terms, index, start }: ReadCalendar): Promise<boolean> {
  const { source, database } = memory.following
  await takeIn(memory)
  const since = await database.readChanges(start)
  if (since === 'too old') return false
  // A change made meanwhile may have been read already; to apply it twice does no harm.
  const state = { index, pieces: memory.pieces, terms, termIds: termIdsOf(terms.values()) }
  await applyChanges(state, source, since.changes)
  dropAllPieces(memory.pieces)
  memory.terms = state.terms
  memory.termIds = state.termIds
  memory.index = state.index
  return true
}

interface EventState {
  /** Undefined until events have been read for the first time. */
  index: EventIndex | undefined
  pieces: EventPieces
  terms: Map<number, TermRow>
  termIds: TermIds
}

type TermIds = Readonly<Record<Taxonomy, Map<string, number>>>

function termIdsOf(terms: Iterable<TermRow>): TermIds {
  const ids: TermIds = { category: new Map(), tag: new Map() }
  for (const { taxonomy, slug, id } of terms) ids[taxonomy].set(slug, id)
  return ids
}

interface RecordSource {
  db: Db
  signal: AbortSignal
  reporting: Reporting
}

const EVENTS_AT_ONCE = 100
/** Above this number of touched events, reading all events anew is quicker. */
const RELOAD_ABOVE = 20_000

/** Updates the index, if it has been read, and drops outdated pieces. */
async function applyChanges(
  state: EventState,
  source: RecordSource,
  changes: readonly Change[],
): Promise<void> {
  const { index, pieces } = state
  if (!index) return
  const [events, terms] = [idsOf(changes, 'event'), idsOf(changes, 'term', 'count')]
  if (idsOf(changes, 'image').length > 0) dropAllPieces(pieces)
  // Most changes are a few events and the counts of their terms; one round trip reads these.
  const first = events.slice(0, EVENTS_AT_ONCE)
  const [rows, found] = await Promise.all([
    terms.length === 0 ? [] : selectTerms(source.db, { ids: terms }),
    readEvents(source.db, first, source.reporting),
  ])
  const touched = applyTerms(state, index, terms, rows)
  applyEvents(state, index, first, found)
  for (const id of events.slice(EVENTS_AT_ONCE)) touched.add(id)
  await readPlaces(source.db, index, idsOf(changes, 'venue'))
  for (const kind of ['venue', 'organizer'] as const)
    for (const id of await eventsLinkedTo(source.db, kind, idsOf(changes, kind))) touched.add(id)
  if (touched.size > RELOAD_ABOVE) await readIndexAgain(state, source)
  else await refreshEvents(state, index, source, [...touched])
}

function idsOf(changes: readonly Change[], ...kinds: ChangeColumns['kind'][]): number[] {
  return [...new Set(changes.flatMap(({ kind, record }) => (kinds.includes(kind) ? [record] : [])))]
}

async function readIndexAgain(state: EventState, { db, signal, reporting }: RecordSource): Promise<void> {
  dropAllPieces(state.pieces)
  state.index = await readIndex(db, state.terms, signal, reporting)
}

async function refreshEvents(
  state: EventState,
  index: EventIndex,
  { db, reporting }: RecordSource,
  ids: readonly number[],
): Promise<void> {
  for (let i = 0; i < ids.length; i += EVENTS_AT_ONCE) {
    const some = ids.slice(i, i + EVENTS_AT_ONCE)
    applyEvents(state, index, some, await readEvents(db, some, reporting))
    // A change of a venue may touch thousands of events, so other requests are answered in between.
    if (i + EVENTS_AT_ONCE < ids.length) await nextTurn()
  }
}

function applyEvents(state: EventState, index: EventIndex, ids: readonly number[], found: EventsAmong): void {
  const events = found(state.terms)
  for (const id of ids) {
    dropPieces(state.pieces, id)
    const event = events.get(id)
    if (event) putEvent(index, event)
    else dropEvent(index, id)
  }
}

/**
 * Applies changed terms. Returns the events of moved or deleted terms and of their descendants, to read
 * again.
 */
function applyTerms(
  state: EventState,
  index: EventIndex,
  ids: readonly number[],
  rows: readonly TermRow[],
): Set<number> {
  const touched = new Set<number>()
  if (ids.length === 0) return touched
  const now = new Map(rows.map((row) => [row.id, row]))
  for (const id of ids) {
    const [before, after] = [state.terms.get(id), now.get(id)]
    replaceTerm(state, id, after)
    if (before && sameButCount(before, after)) continue
    // No public event shows a term whose count is 0.
    if (before && (before.count > 0 || (after?.count ?? 0) > 0)) dropAllPieces(state.pieces)
    if (before && before.parent !== after?.parent)
      for (const event of eventsOfTerm(index, id)) touched.add(event)
  }
  return touched
}

function replaceTerm(state: EventState, id: number, after: TermRow | undefined): void {
  const { terms, termIds } = state
  const before = terms.get(id)
  if (after) terms.set(id, after)
  else terms.delete(id)
  if (before && termIds[before.taxonomy].get(before.slug) === id) termIds[before.taxonomy].delete(before.slug)
  if (after) termIds[after.taxonomy].set(after.slug, id)
}

function sameButCount(a: TermRow, b: TermRow | undefined): boolean {
  return (
    b !== undefined &&
    a.name === b.name &&
    a.slug === b.slug &&
    a.description === b.description &&
    a.parent === b.parent
  )
}

/** Bytes of a cached result besides its ids and its key. */
const OVERHEAD = 300

/** Caches of search results, for the next pages of a search. */
export interface EventSearches {
  found: Cache<string, IdSet>
  asked: Map<string, Promise<IdSet>>
  words: Cache<string, WordsFound>
  askedWords: Map<string, Promise<WordsFound>>
}

/**
 * Returns the ids of the events that match `text`, as of `version`; the result may have part of a later
 * change.
 */
export function findSearched(
  searches: EventSearches,
  version: string,
  text: string,
  findMatching: Database['findMatching'],
): IdSet | Promise<IdSet> {
  const search = parseSearch(text)
  const key = JSON.stringify([version, search])
  const known = findCached(searches.found, key) ?? searches.asked.get(key)
  if (known) return known
  const looking = findMatching(search)
    .then((ids) => {
      setCached(searches.found, key, ids, ids.byteLength + key.length * 2 + OVERHEAD)
      return ids
    })
    .finally(() => searches.asked.delete(key))
  searches.asked.set(key, looking)
  return looking
}

/** Finds the events with the words of `text`, as of the memory's `version` or later. */
export function findKnownWords(
  { searches, version }: EventMemory,
  text: string,
  searcher: { db: Db; readInLane: ReadInLane },
): WordsFound | Promise<WordsFound> {
  const wanted = wantedWords(text)
  const key = JSON.stringify([version, wanted])
  const known = findCached(searches.words, key) ?? searches.askedWords.get(key)
  if (known) return known
  const looking = findWords(searcher, wanted)
    .then((found) => {
      const bytes = found.all.byteLength + found.titled.byteLength + found.named.byteLength + key.length * 4
      if (found.isWhole) setCached(searches.words, key, found, bytes + OVERHEAD)
      return found
    })
    .finally(() => searches.askedWords.delete(key))
  searches.askedWords.set(key, looking)
  return looking
}
