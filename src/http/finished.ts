import { createHash } from 'node:crypto'
import { type Cache, type CacheBudget, emptyCache, findCached, keep } from '../cache/cache.ts'
import type { FollowedBody } from '../formats/json-lists.ts'
import type { EventMemory } from '../memory/event-memory.ts'
import { hashOf } from '../text/hash.ts'
import type { Service } from './respond.ts'
import { contentTag, type Outgoing } from './send.ts'
import { makeToday } from './steady-lists.ts'

/** A finished answer to an anonymous read, good for as long as its version and day hold. */
export interface Finished extends Outgoing {
  version: string
  day: string
  /** For an answer that outlives changes of the data. */
  followed?: FollowedBody
  /** Numbers that `followed` knows of the counts in the body. */
  countsKept?: number
}

/**
 * The cache of finished answers. An answer is kept with the version of the data it was made from, so that it is never served after a change
 * that this process can know of.
 */
export interface FinishedAnswers {
  memory: EventMemory
  /** By the address they were asked for under, and by their representation where `Accept` has chosen one. */
  bodies: Cache<string, Finished>
  /** Hashes of addresses that were asked for once. */
  asked: Uint32Array
  /** Names the calendar and how it is presented, in ETags. */
  edition: string
  today: (now: number) => string
  /** The version and the day that were seen last, and since when, in milliseconds. */
  state: { version: string; day: string; since: number }
  /** Whether an answer that is sent piece by piece is being kept; one at a time, so that its pieces are bounded too. */
  isCollecting: boolean
}

/** Earlier tags that a list is known by: clients ask again for what they got a few changes ago. */
const EARLIER_TAGS = 16

/** Places for the addresses that are remembered as asked for once; a power of two. */
const ASKED = 65_536

/** An empty cache; `budget` bounds the bodies. */
export function noFinishedAnswers({ site, memory, edition, images }: Service, budget: CacheBudget): FinishedAnswers {
  return {
    memory,
    bodies: emptyCache(budget),
    asked: new Uint32Array(ASKED),
    edition: createHash('sha1')
      .update(JSON.stringify([edition, site, images.mediaUrl]))
      .digest('base64url')
      .slice(0, 6),
    today: makeToday(site.timezone),
    state: { version: '', day: '', since: 0 },
    isCollecting: false,
  }
}

/** The finished answer that is still good. */
export function findFinished(answers: FinishedAnswers, key: string, now: number): Finished | undefined {
  const { bodies, memory } = answers
  const known = findCached(bodies, key)
  const day = answers.today(now)
  if (!known || (known.version === memory.version && known.day === day)) return known
  if (!known.followed?.isSame(day)) return undefined
  renew(answers, known, known.followed, day)
  return known
}

/** Brings an answer that has outlived a change to the present version, and the counts that it shows of terms. */
function renew(answers: FinishedAnswers, known: Finished, followed: FollowedBody, day: string): void {
  const { version } = answers.memory
  const isRecounted = followed.recount(known.isSending)
  if (isRecounted) Object.assign(known, { body: followed.body, encoded: {}, isSending: false })
  // The ETag of a list is the same on every node. Its earlier ones stay valid while the list stays the same.
  const isOfVersion = known.tag === versionTag(answers, known.version, known.day)
  const tag = isOfVersion ? versionTag(answers, version, day) : isRecounted ? contentTag(known.body) : known.tag
  const earlier = tag === known.tag ? known.earlierTags : [...known.earlierTags, known.tag].slice(-EARLIER_TAGS)
  Object.assign(known, { version, day, tag, earlierTags: isRecounted ? [] : earlier })
}

/** Caches an answer that stays good: one that is followed, or whose tag names the version it was made from. */
export function keepFinished(answers: FinishedAnswers, key: string, finished: Finished): void {
  const { body, tag, followed, countsKept = 0 } = finished
  if (!followed && !tag.startsWith(`W/"${answers.edition}.`)) return
  finished.isKept = true
  // Beside the body, what it is compressed to, its address twice, and what follows it: ids, states, and places of counts.
  keep(answers.bodies, key, finished, body.length * 1.5 + key.length * 4 + countsKept * 8 + 2500)
}

/** The time since which the data, and so answers that depend on the data and the day alone, have not changed, as far as this process knows. */
export function sinceWhen({ state }: FinishedAnswers, version: string, day: string): number {
  if (state.version !== version || state.day !== day) Object.assign(state, { version, day, since: Date.now() })
  return state.since
}

/** Passes on the pieces of an answer, and hands all of them to `keepIt` at the end, unless they are too large to be cached. */
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
 * Whether this address was asked for before, lately. Most lists of a busy site are asked for once and are not worth keeping. Only hashes of
 * addresses are kept, since texts would burden the garbage collector; when two addresses share a hash, an answer is kept too soon.
 */
export function wasAsked({ asked }: FinishedAnswers, key: string): boolean {
  const hash = hashOf(key)
  const place = hash % ASKED
  if (asked[place] === hash) return true
  asked[place] = hash
  return false
}

/** Names the state of the data and the representation rather than the bytes: the same on every node, and made in no time. */
export function versionTag({ edition }: FinishedAnswers, version: string, day: string, format = 'json'): string {
  return format === 'json' ? `W/"${edition}.${version}.${day}"` : `W/"${edition}.${version}.${day}.${format}"`
}
