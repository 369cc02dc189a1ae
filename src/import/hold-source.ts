import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../declare/context.ts'
import { DatabaseUnavailable } from '../storage/unavailable.ts'
import { formatUtc } from '../text/moments.ts'
import { findHolder, isHeldBy, keepSource, sourceNumber, takeSource } from './import-store.ts'

/** The ms that a source stays locked without renewal, and the ms between renewals. */
const LEASE_MS = 20_000
const RENEWED_EVERY = 5_000
/** The ms between two attempts to lock a source that another import holds. */
const LOOKED_EVERY = 500

/** A source locked by one import or undo. */
export interface HeldSource {
  number: number
  /** The database for the work: it refuses to write once another process has taken the lock over as abandoned. */
  write: Context['write']
  release: () => Promise<void>
}

/**
 * Locks a source, waiting while another process holds it; `wait` is called once in that case. If the holder was a process of this machine that has
 * ended, the lock is taken at once; otherwise when it expires.
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
  // The next renewal makes up for one that fails; if none succeeds, the next write reports it.
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

/** A lock that cannot be released expires. */
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
