import { createHash } from 'node:crypto'
import { type Cache, type CacheBudget, dropAll, emptyCache, findCached, keepCached } from '../base/cache.ts'
import type { ClockPart } from '../base/fields/kinds.ts'
import { hashOf } from '../base/text/characters.ts'
import { wallNow } from '../base/text/moments.ts'
import type { EventMemory } from '../store/memory/event-memory.ts'
import type { Service } from './respond.ts'
import type { Outgoing } from './send.ts'

// Keeps finished answers, each for one version of the data, and for the day or minute that it depends on.

/** A finished answer to an anonymous read. */
export interface Finished extends Outgoing {
  /** The version of the data that it was made of. */
  version: string
  /** How long it stays the same while the data do, and the day or minute in which it was made. */
  clock: Exclude<ClockPart, 'now'>
  madeIn: string
}

/** The cache of finished answers. None is sent after a change that this process has heard of. */
export interface FinishedAnswers {
  memory: EventMemory
  /** The answers by requested address, and also by representation where `Accept` has chosen one. */
  bodies: Cache<string, Finished>
  /** Hashes of addresses that were requested once. */
  asked: Uint32Array
  /** The name of the calendar and its settings in ETags. */
  edition: string
  /** Makes the edition from the present settings. */
  nameEdition: () => string
  /** The count of changed settings in `memory` when `edition` was made. */
  settings: number
  today: (now: number) => string
  /** The version and day seen last, and the time in milliseconds since which they hold. */
  state: { version: string; day: string; since: number }
  /** Whether a streamed answer is being collected for the cache; one at a time, which bounds the memory. */
  isCollecting: boolean
}

/** The number of slots for addresses requested once; a power of two. */
const ASKED = 65_536

/** Makes an empty cache, with `budget` as the bound of its bodies. */
export function noFinishedAnswers(
  { site, memory, edition, images }: Service,
  budget: CacheBudget,
): FinishedAnswers {
  const nameEdition = () =>
    createHash('sha1')
      .update(JSON.stringify([edition, site, images.mediaUrl]))
      .digest('base64url')
      .slice(0, 6)
  return {
    memory,
    bodies: emptyCache(budget),
    asked: new Uint32Array(ASKED),
    edition: nameEdition(),
    nameEdition,
    settings: memory.settings,
    today: makeToday(site.timezone),
    state: { version: '', day: '', since: 0 },
    isCollecting: false,
  }
}

/** Returns the edition by the present settings. */
export function editionOf(answers: FinishedAnswers): string {
  if (answers.settings !== answers.memory.settings) startAfresh(answers)
  return answers.edition
}

/** Finds the finished answer of the present version and of this day or minute. */
export function findFinished(answers: FinishedAnswers, key: string, now: number): Finished | undefined {
  const { bodies, memory } = answers
  if (answers.settings !== memory.settings) startAfresh(answers)
  const known = findCached(bodies, key)
  return known?.version === memory.version && known.madeIn === nowIn(answers, known.clock, now)
    ? known
    : undefined
}

/** Forgets the answers that were finished before owners changed the name or the look of the calendar. */
function startAfresh(answers: FinishedAnswers): void {
  dropAll(answers.bodies)
  answers.edition = answers.nameEdition()
  answers.settings = answers.memory.settings
}

/** Keeps an answer that was made at `now` of a version of the data, and returns it. */
export function keepFinished(
  answers: FinishedAnswers,
  key: string,
  made: Outgoing,
  { version, clock, now }: { version: string; clock: Finished['clock']; now: number },
): Finished {
  const finished = { ...made, isKept: true, version, clock, madeIn: nowIn(answers, clock, now) }
  // Besides the body: its compressed form, and the address twice.
  keepCached(answers.bodies, key, finished, made.body.length * 1.5 + key.length * 4 + 2500)
  return finished
}

/** Returns the day, or the minute, by the clock of the site. */
function nowIn(answers: FinishedAnswers, clock: Finished['clock'], now: number): string {
  const today = answers.today(now)
  return clock === 'day' ? today : `${today}.${Math.floor(now / 60_000)}`
}

/**
 * Returns the time, in ms, of the last change of the data or the day that this process knows of. Answers by
 * these alone are unchanged since.
 */
export function sinceWhen(answers: FinishedAnswers, version: string, now: number): number {
  const { state } = answers
  const day = answers.today(now)
  if (state.version !== version || state.day !== day)
    Object.assign(state, { version, day, since: Date.now() })
  return state.since
}

/**
 * Passes on the pieces of an answer, and gives the whole to `keepIt` at the end, unless it is too large for
 * the cache or another one is being collected.
 */
export async function* collected(
  answers: FinishedAnswers,
  pieces: AsyncIterable<Buffer>,
  keepIt: (body: Buffer) => void,
): AsyncGenerator<Buffer> {
  const isFree = !answers.isCollecting
  const most = isFree ? answers.bodies.budget.limit / 2 : 0
  answers.isCollecting = true
  const taken: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of pieces) {
      bytes += piece.length
      if (bytes <= most) taken.push(piece)
      else taken.length = 0
      yield piece
    }
    if (bytes <= most) keepIt(Buffer.concat(taken))
  } finally {
    if (isFree) answers.isCollecting = false
  }
}

/**
 * Decides whether this address was requested before, lately, and notes it. Most lists of a busy site are
 * requested once and are not worth caching. Only hashes are stored, since texts would burden the garbage
 * collector; when two addresses share a hash, an answer is cached too early.
 */
export function wasAsked({ asked }: FinishedAnswers, key: string): boolean {
  const hash = hashOf(key)
  const place = hash % ASKED
  if (asked[place] === hash) return true
  asked[place] = hash
  return false
}

/**
 * Makes an ETag that names the state of the data and the representation rather than the bytes, for an answer
 * whose bytes are not known before it is sent. It is the same on every node.
 */
export function versionTag(
  answers: FinishedAnswers,
  format: string,
  { version, clock, now }: { version: string; clock: Finished['clock']; now: number },
): string {
  return `W/"${editionOf(answers)}.${version}.${nowIn(answers, clock, now)}.${format}"`
}

/**
 * Makes the function that returns the days which a default window depends on: today's in the zone of the
 * site, and today's in UTC (rule 12.1).
 */
export function makeToday(zone: string): (now: number) => string {
  let until = 0
  let day = ''
  return (now) => {
    if (now < until && now >= until - 60_000) return day
    day = `${wallNow(zone, now).slice(0, 10)}${new Date(now).toISOString().slice(8, 10)}`
    // In every zone the day changes at a whole minute of UTC.
    until = (Math.floor(now / 60_000) + 1) * 60_000
    return day
  }
}
