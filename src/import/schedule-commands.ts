import { statSync } from 'node:fs'
import { table } from '../people/user-commands.ts'
import type { Database } from '../storage/database.ts'
import { describeHeld } from '../storage/edition.ts'
import { formatUtc } from '../text/moments.ts'
import { realPath } from '../unreadable.ts'
import { listSchedules, saveSchedule } from './import-schedule.ts'

/** The options of an import, as typed. */
export interface AskedSchedule {
  every: string
  name?: string
  login?: string
  passwordFile?: string
  since?: string
  dryRun?: true
  allowMassRemoval?: true
}

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 }
/** The shortest time between two runs, in seconds. */
const SHORTEST = 300

/**
 * Stores a scheduled import; returns a confirmation. `words` are the command-line words without the source and the schedule.
 * @throws Error with one sentence when the import would need somebody at the terminal
 */
export async function scheduleImport(
  database: Pick<Database, 'write'>,
  source: string,
  asked: AskedSchedule,
  words: readonly string[],
  now: number,
): Promise<string> {
  const { name, login, passwordFile, since, dryRun, allowMassRemoval } = asked
  if (name === undefined) throw new Error('An import on a schedule needs a name: give it with --name.')
  if (dryRun || since !== undefined || allowMassRemoval)
    throw new Error('--every goes neither with --dry-run nor with --since or --allow-mass-removal.')
  if (login !== undefined && passwordFile === undefined)
    throw new Error(
      'Keep the application password of an import on a schedule in a file, and name that file with --password-file.',
    )
  const every_seconds = readEvery(asked.every)
  const file = passwordFile === undefined ? [] : ['--password-file', secretFile(passwordFile)]
  const isAddress = /^[a-z]+:\/\//i.test(source)
  const place = isAddress ? source : realPath(source)
  await saveSchedule(database, { name, every_seconds, words: [place, ...words, ...file] }, now)
  return `The import ${name} runs every ${asked.every} from now on, while the service runs.`
}

function readEvery(text: string): number {
  const [, amount, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  const seconds = Number(amount) * (SECONDS[unit] ?? Number.NaN)
  if (!(seconds >= SHORTEST))
    throw new Error(`--every takes a time of 5m and more, such as 30m, 6h or 1d, not "${text}".`)
  return seconds
}

/** A file that only its owner can read. The database stores its name, not its content. */
function secretFile(file: string): string {
  const path = realPath(file)
  if ((statSync(path).mode & 0o077) !== 0)
    throw new Error(`Other users can see ${file}, which has a password in it: chmod 600 it first.`)
  return path
}

/** Imports on a schedule as a table, below a line that says so where none of them runs. */
export async function describeSchedules({ read }: Pick<Database, 'read'>, now: number): Promise<string[]> {
  const rows = (await listSchedules(read)).map(
    ({ name, every_seconds, next_utc, leased_utc, paused, failures, outcome }) => [
      name,
      `${every_seconds / 60}m`,
      paused === 1 ? 'paused' : leased_utc > formatUtc(now) ? 'running' : next_utc,
      String(failures),
      outcome || '-',
    ],
  )
  if (rows.length === 0) return ['No import is on a schedule.']
  return [...(await describeHeld(read)), table([['NAME', 'EVERY', 'NEXT (UTC)', 'FAILURES', 'LAST RUN'], ...rows])]
}
