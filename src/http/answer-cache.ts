import { createHash } from 'node:crypto'
import { type Cache, type CacheBudget, dropAll, emptyCache, findCached, setCached } from '../base/cache.ts'
import type { Site } from '../base/config.ts'
import type { ClockPart } from '../base/fields/kinds.ts'
import { hashOf } from '../base/text/characters.ts'
import { wallNow } from '../base/text/moments.ts'
import type { EventMemory } from '../store/memory/event-memory.ts'
import type { Service } from './respond.ts'
import type { WrittenAnswer } from './send.ts'

// Caches answers. Each is valid for one version of the data, and for the day or minute that it depends on.

export interface CachedAnswer extends WrittenAnswer {
  version: string
  clock: Exclude<ClockPart, 'now'>
  madeIn: string
}

/** Never returns an answer from before a change that this process knows of. */
export interface AnswerCache {
  memory: EventMemory
  /** The keys are URLs, preceded by the name of the format if `Accept` chose another than JSON. */
  bodies: Cache<string, CachedAnswer>
  asked: Uint32Array
  edition: string
  nameEdition: () => string
  site: Pick<Site, 'timezone'>
  settings: number
  today: (now: number) => string
  /** The latest version and day that this process has seen, and since when (ms). */
  state: { version: string; day: string; since: number }
  /** True while a body is collected. Only one is collected at a time, which bounds the memory. */
  isCollecting: boolean
}

const ASKED = 65_536

export function emptyAnswerCache(
  { site, memory, edition, images }: Service,
  budget: CacheBudget,
): AnswerCache {
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
    site,
    settings: memory.settings,
    today: makeToday(site.timezone),
    state: { version: '', day: '', since: 0 },
    isCollecting: false,
  }
}

export function editionOf(answers: AnswerCache): string {
  if (answers.settings !== answers.memory.settings) startAfresh(answers)
  return answers.edition
}

export function findCachedAnswer(answers: AnswerCache, key: string, now: number): CachedAnswer | undefined {
  const { bodies, memory } = answers
  if (answers.settings !== memory.settings) startAfresh(answers)
  const known = findCached(bodies, key)
  return known?.version === memory.version && known.madeIn === nowIn(answers, known.clock, now)
    ? known
    : undefined
}

function startAfresh(answers: AnswerCache): void {
  dropAll(answers.bodies)
  answers.edition = answers.nameEdition()
  answers.today = makeToday(answers.site.timezone)
  answers.settings = answers.memory.settings
}

export function cacheAnswer(
  answers: AnswerCache,
  key: string,
  made: WrittenAnswer,
  { version, clock, now }: { version: string; clock: CachedAnswer['clock']; now: number },
): CachedAnswer {
  const answer = { ...made, isShared: true, version, clock, madeIn: nowIn(answers, clock, now) }
  // The size includes the compressed body, and the URL twice.
  setCached(answers.bodies, key, answer, made.body.length * 1.5 + key.length * 4 + 2500)
  return answer
}

function nowIn(answers: AnswerCache, clock: CachedAnswer['clock'], now: number): string {
  const today = answers.today(now)
  return clock === 'day' ? today : `${today}.${Math.floor(now / 60_000)}`
}

/** Returns when (ms) this process first saw the present version of data and day. */
export function sinceWhen(answers: AnswerCache, version: string, now: number): number {
  const { state } = answers
  const day = answers.today(now)
  if (state.version !== version || state.day !== day)
    Object.assign(state, { version, day, since: Date.now() })
  return state.since
}

/** Yields the pieces; `cacheIt` gets the whole body, unless too large or another body is being collected. */
export async function* collected(
  answers: AnswerCache,
  pieces: AsyncIterable<Buffer>,
  cacheIt: (body: Buffer) => void,
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
    if (bytes <= most) cacheIt(Buffer.concat(taken))
  } finally {
    if (isFree) answers.isCollecting = false
  }
}

/**
 * Returns true if the request is known to have been made before, and remembers it, until another takes its
 * place. Two requests may share a hash.
 */
export function wasAsked({ asked }: AnswerCache, key: string): boolean {
  const hash = hashOf(key)
  const place = hash % ASKED
  if (asked[place] === hash) return true
  asked[place] = hash
  return false
}

/** Returns the ETag of an answer whose bytes are not known before it is sent; the same on every node. */
export function versionTag(
  answers: AnswerCache,
  format: string,
  { version, clock, now }: { version: string; clock: CachedAnswer['clock']; now: number },
): string {
  return `W/"${editionOf(answers)}.${version}.${nowIn(answers, clock, now)}.${format}"`
}

/** Returns a function that tells the day in the site's time zone and in UTC (rule 12.1). */
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
