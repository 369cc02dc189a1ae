import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { codeOf } from '../../base/errors.ts'
import { formatUtc } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { Db } from '../../store/storage/database.ts'
import { DatabaseUnavailable } from '../../store/storage/unavailable.ts'
import { ImportError, message } from './import-messages.ts'
import {
  findHolder,
  findSource,
  isHeldBy,
  keepSource,
  listItems,
  moveSource,
  sourceNumber,
  takeSource,
} from './import-store.ts'

const LEASE_MS = 20_000
const RENEWED_EVERY = 5_000
const LOOKED_EVERY = 500

interface HeldSource {
  number: number
  /** Writes while the lock is held. @throws ImportError if another process has taken over the expired lock */
  write: Context['write']
  release: () => Promise<void>
}

/**
 * Locks a source against concurrent imports, waiting for other processes (`wait` is then called once). The
 * lock of an ended process of this machine is taken at once, any other when it expires.
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
    if (isFree && (await write((tx) => takeSource(tx, number, before, holder, formatUtc(now + LEASE_MS)))))
      break
    if (looks === 0) wait()
    await pause(LOOKED_EVERY)
  }
  const renew = () => write((tx) => keepSource(tx, number, holder, formatUtc(Date.now() + LEASE_MS)))
  // The next renewal makes up for a failed one; else the next write reports the expired lock.
  const renewing = setInterval(() => void renew().catch(() => undefined), RENEWED_EVERY).unref()
  return {
    number,
    write: (work) =>
      write(async (tx) => {
        if (await isHeldBy(tx, number, holder)) return work(tx)
        throw new ImportError(
          message('Another import of this source has taken over, since this one made no progress.'),
        )
      }),
    release: async () => {
      clearInterval(renewing)
      await write((tx) => keepSource(tx, number, holder, '')).catch(ignoreOutage)
    },
  }
}

/** Ignores an outage of the database: the unreleased lock expires. */
function ignoreOutage(error: unknown): void {
  if (!(error instanceof DatabaseUnavailable)) throw error
}

function isGone(holder: string): boolean {
  const [host, pid] = holder.split(' ')
  if (host !== hostname()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ESRCH'
  }
}

/** `--same-as` for a source that only shares events with another one. */
export const NOT_THE_SAME = 'none'

/**
 * Finds the source `name`, which is to continue under the new address.
 * @returns undefined if it has that address
 * @throws ImportError when there is no source `name`, or both were imported
 */
export async function findFormer(db: Db, name: string, address: string): Promise<number | undefined> {
  if (name === address) return undefined
  const now = await findSource(db, address)
  const isKnown = now !== undefined && (await hasEvents(db, now))
  const former = (await findSource(db, name)) ?? (await findSource(db, `file:${resolve(name)}`))
  if (former === undefined && isKnown) return undefined
  if (former === undefined)
    throw new ImportError(message('There is no source {name}; kalends imports lists them.', { name }))
  if (isKnown)
    throw new ImportError(
      message('{address} was imported by itself already; undo its runs first, which kalends imports lists.', {
        address,
      }),
    )
  return former
}

/** Moves the source `name` to the new address. `wait` is called once if its running import must end first. */
export async function continueSource(
  context: Pick<Context, 'db' | 'write'>,
  name: string,
  address: string,
  wait: () => void,
): Promise<void> {
  const former = await findFormer(context.db, name, address)
  if (former === undefined) return
  const { address: known } = await context.db
    .selectFrom('import_sources')
    .select('address')
    .where('id', '=', former)
    .executeTakeFirstOrThrow()
  const { write, release } = await holdSource(context, known, wait)
  await write((tx) => moveSource(tx, former, address)).finally(release)
}

export async function hasEvents(db: Db, source: number): Promise<boolean> {
  for (const kind of ['event', 'series'] as const)
    if ((await listItems(db, source, kind, { identity: '', occurrence: '' }, 1)).length > 0) return true
  return false
}
