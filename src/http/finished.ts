import { createHash } from 'node:crypto'
import { type Cache, type CacheBudget, dropAll, emptyCache, findCached, keepCached } from '../base/cache.ts'
import { hashOf } from '../base/text/characters.ts'
import { wallNow } from '../base/text/moments.ts'
import { type Version, versionedTag } from '../calendar/records/record-store.ts'
import { resources } from '../calendar/resources.ts'
import type { EventMemory } from '../store/memory/event-memory.ts'
import type { FollowedBody, ListFrame } from './json.ts'
import { postFilters } from './post-filters.ts'
import type { Service } from './respond.ts'
import { contentTag, type Outgoing } from './send.ts'

// Caches finished answers: keeps them, renews those that outlive changes, and names their versions in ETags.

/** A finished answer to an anonymous read, valid for one version of the data and one day. */
export interface Finished extends Outgoing {
  version: string
  /** The day or minute that it is valid for, as `clockOf` returns it. */
  day: string
  /** Whether it is valid for one minute alone, not for the whole day. */
  isBrief?: boolean
  /** The body of an answer that outlives changes of the data, with what brings it up to date. */
  followed?: FollowedBody
  /** Makes the headers of a list that outlives changes, with its present total. */
  framedHeaders?: (frame: ListFrame) => string[]
  /** The version of the record that the answer shows, where it shows one. */
  recordVersion?: Version | undefined
  /** Bytes that `followed` holds for counts. */
  bytesFollowed?: number
}

/**
 * The cache of finished answers. Each is stored with the version of its data, so that none is sent after a
 * change that this process has heard of.
 */
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

/** The most earlier ETags kept of a list: clients ask again with the ETag of a few changes ago. */
const EARLIER_TAGS = 16

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

/** Finds a finished answer and brings it up to date. Undefined where none is valid. */
export function findFinished(answers: FinishedAnswers, key: string, now: number): Finished | undefined {
  const { bodies, memory } = answers
  if (answers.settings !== memory.settings) startAfresh(answers)
  const known = findCached(bodies, key)
  const day = known?.isBrief ? minuteOf(answers, now) : answers.today(now)
  if (!known || (known.version === memory.version && known.day === day)) return known
  if (!known.followed?.isSame(day)) return undefined
  renew(answers, known, known.followed, day)
  return known
}

/** Forgets the answers that were finished before owners changed the name or the look of the calendar. */
function startAfresh(answers: FinishedAnswers): void {
  dropAll(answers.bodies)
  answers.edition = answers.nameEdition()
  answers.settings = answers.memory.settings
}

/**
 * Brings an answer that outlives changes up to the present version, with its counts of terms and its total.
 */
function renew(answers: FinishedAnswers, known: Finished, followed: FollowedBody, day: string): void {
  const { version } = answers.memory
  const isRecounted = followed.recount(known.isSending)
  if (isRecounted) {
    Object.assign(known, { body: followed.body, encoded: {}, isSending: false })
    if (followed.frame && known.framedHeaders) known.headers = known.framedHeaders(followed.frame)
  }
  // The ETag of a list is the same on every node. Its earlier ones stay valid while the list stays the same.
  const isOfVersion = known.tag === versionTag(answers, known.version, known.day)
  const tag = isOfVersion
    ? versionTag(answers, version, day)
    : isRecounted
      ? versionedTag(contentTag(known.body), known.recordVersion)
      : known.tag
  const earlier =
    tag === known.tag ? known.earlierTags : [...known.earlierTags, known.tag].slice(-EARLIER_TAGS)
  Object.assign(known, { version, day, tag, earlierTags: isRecounted ? [] : earlier })
}

/**
 * Caches an answer that stays valid: one with `followed`, or one whose ETag names the version it was made
 * from. Any other is not cached.
 */
export function keepFinished(answers: FinishedAnswers, key: string, finished: Finished): void {
  const { body, tag, followed, bytesFollowed = 0 } = finished
  if (!followed && !tag.startsWith(`W/"${editionOf(answers)}.`)) return
  finished.isKept = true
  // Besides the body: its compressed form, the address twice, and `followed` with its ids and states.
  keepCached(answers.bodies, key, finished, body.length * 1.5 + key.length * 4 + bytesFollowed + 2500)
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
 * Makes an ETag that names the state of the data and the representation rather than the bytes: it is the same
 * on every node, and quick to make.
 */
export function versionTag(answers: FinishedAnswers, version: string, day: string, format = 'json'): string {
  const edition = editionOf(answers)
  return format === 'json' ? `W/"${edition}.${version}.${day}"` : `W/"${edition}.${version}.${day}.${format}"`
}

const timedNames = [...resources.map(({ filters }) => filters), postFilters].flatMap((filters) =>
  Object.entries(filters).flatMap(([name, { kind }]) => (kind.goesByClock ? [name] : [])),
)

/**
 * Matches a parameter whose value is no date but words that follow the clock. In frames, two such parameters
 * are called `date` and `until`.
 */
const CLOCK = new RegExp(
  `[?&](?:(?:${[...new Set(timedNames)].join('|')})=(?!\\d{4}-\\d\\d-\\d\\d)|(?:date|until)=(?!\\d{4}-\\d\\d))`,
)

/** Matches an escaped name, behind which any of these parameters may hide. */
const DISGUISED = /[?&][^=&?]*[%+]/

/**
 * Decides whether the answer to an address depends on no more of the clock than `clockOf` returns. Dates in
 * words and upcoming events depend on more, and nested or escaped names may hide them.
 */
export function isSteady(url: string): boolean {
  return !CLOCK.test(url) && !url.includes('[') && !url.includes('%5') && !DISGUISED.test(url)
}

/** Matches a value of `when` whose events change within a day, and any unknown value. */
const BRIEF = /[?&]when=(?!(?:today|tomorrow|weekend|week|month)(?:&|$))/

/** Decides whether the answer to an address is valid for one minute alone. */
export function isBrief(url: string): boolean {
  return url.includes('when=') && BRIEF.test(url)
}

/**
 * Returns the part of the clock that the answer to a steady address depends on: the day, and the minute if it
 * is brief.
 */
export function clockOf(answers: FinishedAnswers, url: string, now: number): string {
  return isBrief(url) ? minuteOf(answers, now) : answers.today(now)
}

export function minuteOf(answers: FinishedAnswers, now: number): string {
  return `${answers.today(now)}.${Math.floor(now / 60_000)}`
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
