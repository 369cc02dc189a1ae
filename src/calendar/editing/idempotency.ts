import { limits, overText } from '../../base/fields/limits.ts'
import { invalidParam, Problem } from '../../base/problems.ts'
import { formatUtc } from '../../base/text/moments.ts'
import { HOUR_MS } from '../../base/text/zones.ts'
import type { Db } from '../../store/storage/database.ts'
import { holdName } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { StoredAnswerColumns } from '../../store/storage/schema.ts'
import {
  findFingerprints,
  findStored,
  STORED_HOURS,
  storeAnswer,
} from '../../store/storage/stored-answers.ts'
import type { Context } from '../declare/context.ts'
import { capabilitiesHeld, isLoggedIn } from '../people/caller.ts'

// Does work once for each idempotency key whose answer is stored: creates and batches with an
// Idempotency-Key header, and forms of the desk.

/** Fingerprints of requests that this process is answering, by lock name (user and key). */
export type UnderWay = Map<string, string>

export interface Repeatable {
  key: string | undefined
  fingerprint: () => Promise<string>
  /** The index of the request in its batch; `key` and `fingerprint` are then the batch's. */
  place?: number
}

/** The answer to a write, stored in its transaction. */
export interface StoredAnswer {
  status: number
  headers: Record<string, string>
  body: unknown
  id?: number | undefined
}

/** Runs `write` in the transaction `tx`; with an idempotency key, also stores the answer in it. */
export type WriteAndStore = (tx: Tx, write: () => Promise<StoredAnswer>) => Promise<StoredAnswer>

type Once = Pick<StoredAnswerColumns, 'user' | 'key' | 'fingerprint'>

const HEADER = 'Idempotency-Key'
export const REPLAYED = 'Idempotency-Replayed'

/** The characters of a key: printable ASCII. */
const SIGNS = /^[\x20-\x7e]+$/

interface Sent {
  repeatable: Repeatable
  underWay: UnderWay
  /** The record as it is now, for a replay whose stored answer is only the id; undefined if it is gone. */
  render?: (id: number) => Promise<object | undefined>
}

/** In characters. Of a longer answer only the id, if any, is stored: small requests can have large ones. */
export const LONGEST_STORED = 16_384

/**
 * Writes once for each key: a repeated request gets the stored answer. Without a key, or if `isAllowed` is
 * false, writes and stores nothing.
 * @throws Problem rest_idempotency_key_reused if the key was sent with another request,
 * rest_idempotency_key_in_use if the same request is being answered
 */
export async function writeOnce(
  { repeatable: { key, fingerprint, place }, underWay, render }: Sent,
  isAllowed: boolean,
  context: Context,
  write: (storing: WriteAndStore, isStored: boolean) => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  if (key === undefined || !isAllowed)
    return write(async (_tx, within) => withinBudget(context, await within()), false)
  checkKey(key, context)
  const once: Once = { user: context.caller.id, key: keyAt(key, place), fingerprint: await fingerprint() }
  return unlessUnderWay(underWay, once, async () => {
    const known = await findReplay(context.db, once, context)
    if (known) return replayed(context, known, render)
    return write(
      async (tx, within) => withinBudget(context, await storeOnce(tx, once, context, within)),
      true,
    )
  })
}

/** Reduces the body to the id if earlier answers of the batch leave no room for it. */
function withinBudget({ answerBudget }: Context, answer: StoredAnswer): StoredAnswer {
  const { body, id } = answer
  if (answerBudget === undefined || body === undefined) return answer
  const { length } = JSON.stringify(body)
  if (id === undefined || (length <= answerBudget.bytes && !isIdAlone(body))) {
    answerBudget.bytes -= length
    return answer
  }
  return { ...answer, headers: { ...answer.headers, 'Preference-Applied': 'return=minimal' }, body: { id } }
}

async function replayed(
  context: Context,
  known: StoredAnswer,
  render: Sent['render'],
): Promise<StoredAnswer> {
  const { body, id } = known
  const { answerBudget } = context
  const isAsked =
    id !== undefined && isIdAlone(body) && (answerBudget === undefined || answerBudget.bytes > 0)
  const answer = withinBudget(context, { ...known, body: (isAsked && (await render?.(id))) || body })
  // The rendered record did not fit, so no further one is rendered.
  if (answerBudget && isAsked && isIdAlone(answer.body)) answerBudget.bytes = 0
  return answer
}

const isIdAlone = (body: unknown) => Object.keys(Object(body)).length === 1

/** Does each request of a batch once. Refused requests are tried again. @throws Problem as `writeOnce` */
export async function batchOnce(
  { repeatable: { key, fingerprint }, underWay }: Sent,
  places: number,
  context: Context,
  answer: (repeatableAt: (place: number) => Repeatable | undefined) => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  if (key === undefined || !isLoggedIn(context.caller)) return answer(() => undefined)
  checkKey(key, context)
  const once: Once = { user: context.caller.id, key, fingerprint: await fingerprint() }
  return unlessUnderWay(underWay, once, async () => {
    const keys = [key, ...Array.from({ length: places }, (_, place) => keyAt(key, place))]
    const fingerprints = await findFingerprints(context.db, once.user, keys, storedSince(context))
    if (fingerprints.some((known) => known !== once.fingerprint)) throw reused()
    return answer((place) => ({ key, fingerprint: async () => once.fingerprint, place }))
  })
}

/** The key of one request of a batch. The line feed cannot occur in a sent key. */
function keyAt(key: string, place: number | undefined): string {
  return place === undefined ? key : `${key}\n${place}`
}

/** @throws Problem rest_idempotency_key_in_use or rest_idempotency_key_reused */
async function unlessUnderWay(
  underWay: UnderWay,
  once: Once,
  work: () => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  const name = lockName(once)
  const present = underWay.get(name)
  if (present !== undefined) throw present === once.fingerprint ? inUse() : reused()
  underWay.set(name, once.fingerprint)
  try {
    return await work()
  } finally {
    underWay.delete(name)
  }
}

function checkKey(key: string, { site }: Context): void {
  const fault = overText(key, limits.idempotencyKey, site)
  if (fault) throw invalidParam(HEADER, fault)
  if (!SIGNS.test(key)) throw invalidParam(HEADER)
}

const lockName = ({ user, key }: Once) => `kept answer ${user} ${key}`
const inUse = () => new Problem('rest_idempotency_key_in_use', { retryAfter: 1 })
const reused = () => new Problem('rest_idempotency_key_reused')

/** Returns a stored answer, which another process may have written meanwhile; else writes and stores. */
async function storeOnce(
  tx: Tx,
  once: Once,
  context: Context,
  write: () => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  await holdName(tx, lockName(once))
  const known = await findReplay(tx, once, context)
  if (known) return known
  const answer = await write()
  const { status, headers, body, id } = answer
  const whole = JSON.stringify(body)
  await storeAnswer(tx, {
    ...once,
    rights: capabilitiesHeld(context.caller).join(' '),
    status,
    location: headers.Location ?? '',
    body: whole.length > LONGEST_STORED && id !== undefined ? JSON.stringify({ id }) : whole,
    kept_utc: formatUtc(context.now),
  })
  return answer
}

/** @throws Problem rest_idempotency_key_reused; rest_forbidden if the caller has lost rights since */
async function findReplay(db: Db, once: Once, context: Context): Promise<StoredAnswer | undefined> {
  const stored = await findStored(db, once, storedSince(context))
  if (!stored) return undefined
  const held: readonly string[] = capabilitiesHeld(context.caller)
  if (!stored.rights.split(' ').every((right) => held.includes(right))) throw new Problem('rest_forbidden')
  if (stored.fingerprint !== once.fingerprint) throw reused()
  const body = JSON.parse(stored.body)
  const location = stored.location === '' ? {} : { Location: stored.location }
  return { status: stored.status, headers: { ...location, [REPLAYED]: 'true' }, body, id: body?.id }
}

export function storedSince({ now }: Context): string {
  return formatUtc(now - STORED_HOURS * HOUR_MS)
}
