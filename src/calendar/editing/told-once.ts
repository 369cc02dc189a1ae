import { formatUtc } from '../../base/text/moments.ts'
import { findKept, KEPT_HOURS, keepAnswer } from '../../store/storage/kept-answers.ts'
import { holdName } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { Context } from '../declare/context.ts'

// Work that is done once for a key, however often its form is sent.

const FINGERPRINT = 'told'
const HOUR_MS = 3_600_000
const UNDER_WAY = 202
const DONE = 200

const placeOf = ({ caller }: Context, key: string) => ({ user: caller.id, key: `desk ${key}` })

const since = ({ now }: Context) => formatUtc(now - KEPT_HOURS * HOUR_MS)

/**
 * The result that was kept under a key of the caller within a day: undefined for an unknown key, `'under way'` for work that has not come to its end.
 */
export async function findTold(context: Context, key: string): Promise<object | 'under way' | undefined> {
  const kept = await findKept(context.db, placeOf(context, key), since(context))
  if (kept?.fingerprint !== FINGERPRINT) return undefined
  return kept.status === UNDER_WAY ? 'under way' : JSON.parse(kept.body)
}

/**
 * Does work of several transactions once for each key of the caller, and keeps its result for a day: a form that is sent twice changes nothing twice.
 * Work that was cut off is not done again.
 */
export async function tellOnce(context: Context, key: string, work: () => Promise<object>): Promise<void> {
  if (!(await claim(context, key))) return
  const told = await work()
  await context.write((tx) => keep(tx, context, key, { status: DONE, body: JSON.stringify(told) }))
}

/** Returns false where somebody has begun with this key. */
function claim(context: Context, key: string): Promise<boolean> {
  return context.write(async (tx) => {
    const place = placeOf(context, key)
    await holdName(tx, `told ${place.user} ${key}`)
    if (await findKept(tx, place, since(context))) return false
    await keep(tx, context, key, { status: UNDER_WAY, body: '{}' })
    return true
  })
}

function keep(tx: Tx, context: Context, key: string, told: { status: number; body: string }): Promise<void> {
  const kept_utc = formatUtc(context.now)
  return keepAnswer(tx, {
    ...placeOf(context, key),
    ...told,
    fingerprint: FINGERPRINT,
    rights: '',
    location: '',
    kept_utc,
  })
}
