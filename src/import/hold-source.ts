import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context/context.ts'
import { DatabaseUnavailable } from '../storage/unavailable.ts'
import { formatUtc } from '../text/moments.ts'
import { findHolder, isHeldBy, keepSource, sourceNumber, takeSource } from './import-store.ts'

/** ms for which a source is held unless its holder says so again, and after which it does. */
const LEASE_MS = 20_000
const RENEWED_EVERY = 5_000
/** ms between two looks at a source that another import holds. */
const LOOKED_EVERY = 500

/** A source that one import, or undo, works on alone. */
export interface HeldSource {
  number: number
  /** What the work writes with: nothing, once somebody else has taken the source for abandoned. */
  write: Context['write']
  release: () => Promise<void>
}

/**
 * Holds a source, waiting while somebody else does; `wait` is called once in that case. A holder of this machine that is gone is not waited for, any
 * other that is gone until its time is over.
 */
export async function holdSource(
  { db, write }: Pick<Context, 'db' | 'write'>,
  address: string,
  wait: () => void,
): Promise<HeldSource> {
  const holder = `${hostname()} ${process.pid} ${randomUUID()}`
  const number = await write((tx) => sourceNumber(tx, address))
  for (let looks = 0; ; looks += 1) {
    const now = Date.now()
    const before = await findHolder(db, number)
    const isFree = before.holder === '' || before.held_until_utc <= formatUtc(now) || isGone(before.holder)
    if (isFree && (await write((tx) => takeSource(tx, number, before, holder, formatUtc(now + LEASE_MS))))) break
    if (looks === 0) wait()
    await pause(LOOKED_EVERY)
  }
  const renew = () => write((tx) => keepSource(tx, number, holder, formatUtc(Date.now() + LEASE_MS)))
  // A renewal that fails is made up for by the next one; where none is, whatever is written says so.
  const renewing = setInterval(() => void renew().catch(() => undefined), RENEWED_EVERY).unref()
  return {
    number,
    write: (work) =>
      write(async (tx) => {
        if (await isHeldBy(tx, number, holder)) return work(tx)
        throw new Error('Another import of this source has taken over, since this one made no progress.')
      }),
    release: async () => {
      clearInterval(renewing)
      await write((tx) => keepSource(tx, number, holder, '')).catch(ignoreOutage)
    },
  }
}

/** Its time will be over by itself. */
function ignoreOutage(error: unknown): void {
  if (!(error instanceof DatabaseUnavailable)) throw error
}

/** Whether a holder was a process of this machine that has ended. */
function isGone(holder: string): boolean {
  const [host, pid] = holder.split(' ')
  if (host !== hostname()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
