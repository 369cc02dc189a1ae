import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { can } from '../../calendar/people/caller.ts'
import type { Db } from '../../store/storage/database.ts'
import { writerBy } from '../../store/storage/recording.ts'
import { NOT_THE_SAME } from './hold-source.ts'
import type { Counts, Remark } from './import-run.ts'
import { saveSchedule } from './import-schedule.ts'
import { importSource } from './import-source.ts'
import { openSource } from './open-source.ts'

export interface StagedAddress {
  kind: 'address'
  address: string
}

/** In characters. */
export const LONGEST_ADDRESS = 1000

/** Seconds between two runs, as offered at the desk. */
export const INTERVALS = [3600, 21_600, 86_400, 604_800] as const

/** Scheduled imports check no permission per record: the caller needs these. */
export const mayKeepAddresses = ({ caller }: Pick<Context, 'caller'>): boolean =>
  can(caller, 'publish') && can(caller, 'edit_others') && can(caller, 'manage_tags')

/** @throws Problem rest_forbidden */
export function requireAddresses(context: Pick<Context, 'caller'>): void {
  if (!mayKeepAddresses(context)) throw new Problem('rest_forbidden')
}

/**
 * @returns the address as a URL; undefined if it is too long, has a login, or is neither http(s) nor
 * webcal(s)
 */
export function readAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const url = trimmed.length > LONGEST_ADDRESS ? null : URL.parse(trimmed)
  if (!url || !/^(?:https?|webcals?):$/.test(url.protocol) || url.hostname === '') return undefined
  return url.username === '' && url.password === '' ? url.href : undefined
}

export interface SeenAtAddress {
  counts: Counts
  preview: readonly string[]
  failed: readonly Pick<Remark, 'at' | 'text'>[]
}

const MOST_TOLD = 100

/** Dry run of an import from the address. @throws Error when it cannot be read */
export async function lookAtAddress(context: Context, { address }: StagedAddress): Promise<SeenAtAddress> {
  const reader = { zone: context.site.timezone, backOffMs: 500 }
  const { source, close } = await openSource(address, { guest: context.images.hosts }, reader)
  const failed: Pick<Remark, 'at' | 'text'>[] = []
  try {
    const { counts, preview } = await importSource({
      source,
      options: { conflicts: 'keep', dryRun: true, mirror: false, private: true, images: false, review: true },
      context,
      by: writerBy('import'),
      remark: (remark) => {
        const { kind, at, text } = remark
        if (kind === 'failed' && failed.length < MOST_TOLD) failed.push({ at, text })
      },
      restart: () => failed.splice(0),
      progress: () => undefined,
      sameAs: NOT_THE_SAME,
      wait: () => undefined,
    })
    return { counts, preview, failed }
  } finally {
    await close()
  }
}

interface AskedAddress {
  address: string
  everySeconds: number
  isReviewed: boolean
}

/** Saves a schedule that is due at once. @returns its name */
export async function keepAddress(
  { db, write, caller, now }: Context,
  { address, everySeconds, isReviewed }: AskedAddress,
): Promise<string> {
  const name = await freeName(db, new URL(address.replace(/^webcals?:/i, 'https:')).hostname)
  const words = [
    address,
    '--guest',
    '--user',
    caller.login,
    '--name',
    name,
    ...(isReviewed ? ['--review'] : []),
  ]
  await saveSchedule({ write: (work) => write(work) }, { name, every_seconds: everySeconds, words }, now)
  return name
}

async function freeName(db: Db, host: string): Promise<string> {
  const rows = await db.selectFrom('import_schedules').select('name').execute()
  const taken = new Set(rows.map(({ name }) => name))
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? host : `${host}-${number}`
    if (!taken.has(name)) return name
  }
}
