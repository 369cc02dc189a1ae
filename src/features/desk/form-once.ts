import { formatUtc } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import {
  LONGEST_STORED,
  type Repeatable,
  type StoredAnswer,
  storedSince,
  writeOnce,
} from '../../calendar/editing/idempotency.ts'
import { holdName } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { findStored, storeAnswer } from '../../store/storage/stored-answers.ts'

/**
 * Creates one record for a key, however often its form is sent, and returns that record's id each time.
 * @param make creates the record by calling the given function
 * @throws Problem as `writeOnce`
 */
export async function makeOnce(
  repeatable: Repeatable,
  isAllowed: boolean,
  context: Context,
  make: (
    storingId: (tx: Tx, write: () => Promise<{ id: number }>) => Promise<StoredAnswer>,
  ) => Promise<StoredAnswer>,
): Promise<number> {
  // `underWay` is empty: simultaneous requests wait in the database, where the second finds the first's
  // record.
  const sent = { repeatable, underWay: new Map<string, string>() }
  const { id } = await writeOnce(sent, isAllowed, context, (storing) =>
    make((tx, write) =>
      storing(tx, async () => {
        const { id } = await write()
        return { status: 201, headers: {}, body: { id }, id }
      }),
    ),
  )
  if (id === undefined) throw new Error('The answer that is kept under the key of a form names no record.')
  return id
}

/** Marks stored results of forms, as opposed to answers of REST requests. */
const FINGERPRINT = 'told'

const UNDER_WAY = 202

const DONE = 200

const placeOf = ({ caller }: Context, key: string) => ({ user: caller.id, key: `desk ${key}` })

/** Returns the result of `doOnce`: undefined for an unknown key, `'under way'` while the work runs. */
export async function findResult(context: Context, key: string): Promise<object | 'under way' | undefined> {
  const stored = await findStored(context.db, placeOf(context, key), storedSince(context))
  if (stored?.fingerprint !== FINGERPRINT) return undefined
  return stored.status === UNDER_WAY ? 'under way' : JSON.parse(stored.body)
}

/**
 * Does the work once for each key, even over several transactions, so that a form sent twice changes nothing
 * twice. Interrupted work is not repeated. A result longer than `LONGEST_STORED` is stored as `{}`.
 */
export async function doOnce(context: Context, key: string, work: () => Promise<object>): Promise<void> {
  if (!(await claim(context, key))) return
  const told = JSON.stringify(await work())
  const body = told.length > LONGEST_STORED ? '{}' : told
  await context.write((tx) => keep(tx, context, key, { status: DONE, body }))
}

function claim(context: Context, key: string): Promise<boolean> {
  return context.write(async (tx) => {
    const place = placeOf(context, key)
    await holdName(tx, `told ${place.user} ${key}`)
    if (await findStored(tx, place, storedSince(context))) return false
    await keep(tx, context, key, { status: UNDER_WAY, body: '{}' })
    return true
  })
}

function keep(tx: Tx, context: Context, key: string, told: { status: number; body: string }): Promise<void> {
  const kept_utc = formatUtc(context.now)
  return storeAnswer(tx, {
    ...placeOf(context, key),
    ...told,
    fingerprint: FINGERPRINT,
    rights: '',
    location: '',
    kept_utc,
  })
}
