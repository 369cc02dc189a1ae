import type { Context } from '../context/context.ts'
import { limits, overText } from '../fields/limits.ts'
import type { Reply } from '../formats/format.ts'
import { capabilitiesHeld } from '../people/caller.ts'
import { invalidParam, Problem } from '../problems.ts'
import type { Db } from '../storage/database.ts'
import { findKept, KEPT_HOURS, keepAnswer } from '../storage/kept-answers.ts'
import { holdName } from '../storage/locks.ts'
import type { Tx } from '../storage/recording.ts'
import type { KeptAnswerColumns } from '../storage/schema.ts'
import { formatUtc } from '../text/moments.ts'

/** The creates with a key that this process is answering now, by user and key, with the fingerprints of their requests. */
export type UnderWay = Map<string, string>

/** What of a request decides whether a create has been done before. */
export interface Repeatable {
  /** The header `Idempotency-Key`. */
  key: string | undefined
  /** A digest of the method, the address and the body. */
  fingerprint: () => Promise<string>
}

/** Runs the write of a create inside its transaction, and keeps the answer there. */
export type Keeping = (tx: Tx, write: () => Promise<Reply>) => Promise<Reply>

type Once = Pick<KeptAnswerColumns, 'user' | 'key' | 'fingerprint'>

const HEADER = 'Idempotency-Key'
const REPLAYED = 'Idempotency-Replayed'
const HOUR_MS = 3_600_000

/** Printable signs of ASCII. */
const SIGNS = /^[\x20-\x7e]+$/

/**
 * Does a create once for a key of its caller: who sends the same request with the same key gets the answer that was kept. Callers who may not
 * create are refused as without a key, and nothing is kept of them.
 * @throws Problem for a key of another request, or of one that is being answered
 */
export async function createOnce(
  { repeatable: { key, fingerprint }, underWay }: { repeatable: Repeatable; underWay: UnderWay },
  isAllowed: boolean,
  context: Context,
  create: (keeping: Keeping) => Promise<Reply>,
): Promise<Reply> {
  if (key === undefined || !isAllowed) return create((_tx, write) => write())
  checkKey(key, context)
  const once: Once = { user: context.caller.id, key, fingerprint: await fingerprint() }
  const name = nameOf(once)
  const present = underWay.get(name)
  if (present !== undefined) throw present === once.fingerprint ? inUse() : reused()
  underWay.set(name, once.fingerprint)
  try {
    const known = await findReplay(context.db, once, context)
    return known ?? (await create((tx, write) => writeOnce(tx, once, context, write)))
  } finally {
    underWay.delete(name)
  }
}

function checkKey(key: string, { site }: Context): void {
  const fault = overText(key, limits.idempotencyKey, site)
  if (fault) throw invalidParam(HEADER, fault)
  if (!SIGNS.test(key)) throw invalidParam(HEADER)
}

const nameOf = ({ user, key }: Once) => `kept answer ${user} ${key}`
const inUse = () => new Problem('rest_idempotency_key_in_use', { retryAfter: 1 })
const reused = () => new Problem('rest_idempotency_key_reused')

/** Another process may have answered the same request since it came: the transaction looks again before it writes. */
async function writeOnce(tx: Tx, once: Once, context: Context, write: () => Promise<Reply>): Promise<Reply> {
  await holdName(tx, nameOf(once))
  const known = await findReplay(tx, once, context)
  if (known) return known
  const reply = await write()
  const { status, headers, body } = reply
  await keepAnswer(tx, {
    ...once,
    rights: capabilitiesHeld(context.caller).join(' '),
    status,
    location: headers.Location ?? '',
    body: JSON.stringify(body),
    kept_utc: formatUtc(context.now),
  })
  return reply
}

/**
 * The answer kept under the key.
 * @throws Problem when it is that to another request, or when the caller has lost rights since
 */
async function findReplay(db: Db, once: Once, { caller, now }: Context): Promise<Reply | undefined> {
  const kept = await findKept(db, once, formatUtc(now - KEPT_HOURS * HOUR_MS))
  if (!kept) return undefined
  const held: readonly string[] = capabilitiesHeld(caller)
  if (!kept.rights.split(' ').every((right) => held.includes(right))) throw new Problem('rest_forbidden')
  if (kept.fingerprint !== once.fingerprint) throw reused()
  const body: unknown = JSON.parse(kept.body)
  return { status: kept.status, headers: { Location: kept.location, [REPLAYED]: 'true' }, body }
}
