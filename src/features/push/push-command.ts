import { type Command, Option } from 'commander'
import { Incomplete, type Print, runCommand } from '../../base/run-command.ts'
import type { HasSettings } from '../../base/setting-kinds.ts'
import { type CalendarGround, readerContext } from '../../calendar/ground.ts'
import { writerBy } from '../../store/storage/recording.ts'
import {
  describeRemarks,
  type Headings,
  noteRemark,
  openProgress,
  type Remarks,
} from '../imports/import-report.ts'
import type { Counts } from '../imports/import-run.ts'
import { passwordOf } from '../imports/open-source.ts'
import { type ConflictPolicy, POLICIES } from '../imports/source-item.ts'
import { addFilters, filtersAmong } from '../transfer/export.ts'
import { pushCalendar } from './push-calendar.ts'
import { openTarget, type PushTarget } from './push-target.ts'
import { PUSH_PASSWORD } from './push-variables.ts'

interface Asked extends Record<string, unknown> {
  login?: string
  passwordFile?: string
  conflicts: ConflictPolicy
  dryRun?: true
  mirror?: true
  all?: true
}

const BACK_OFF_MS = 1000

const HEADINGS: Headings = {
  failed: 'Not there:',
  note: 'There, but not whole:',
  kept: 'Changed there, and kept:',
  missing: 'Gone from here:',
}

export function registerPushCommand(
  program: Command,
  open: () => Promise<CalendarGround>,
  features: readonly HasSettings[],
): void {
  const command = program
    .command('push')
    .description(
      'Write the calendar into another service with this interface, with venues, organizers, ' +
        'categories, tags and images. Safe to repeat.',
    )
    .argument('<target>', 'the address of the service: https://host is enough')
    .requiredOption('--login <login>', 'the login at the other service')
    .option(
      '--password-file <file>',
      `a file with the application password for that, which no other user can see [${PUSH_PASSWORD}]`,
    )
    .option('--all', 'also records that are not public, and venues, organizers and terms without events')
    .addOption(
      new Option(
        '--conflicts <policy>',
        'what becomes of fields that were changed both here and there: keep those there, overwrite ' +
          'them, or skip the whole record',
      )
        .choices(POLICIES)
        .default('keep'),
    )
    .option('--mirror', 'move events to the trash there that are gone from here')
    .option('--dry-run', 'say what would happen, and change nothing')
  addFilters(command, features)
  command.action((address: string, asked: Asked, self: Command) =>
    runCommand(self, (print) => push(address, asked, open, print)),
  )
}

/**
 * @throws Incomplete when a record is missing or incomplete at the target; Error when the push has to stop
 */
async function push(
  address: string,
  asked: Asked,
  open: () => Promise<CalendarGround>,
  print: Print,
): Promise<void> {
  const url = targetAddress(address)
  const password = await passwordOf({
    password: process.env[PUSH_PASSWORD],
    passwordFile: asked.passwordFile,
  })
  if (password === undefined)
    throw new Error(`Keep the application password in a file (--password-file) or in ${PUSH_PASSWORD}.`)
  const ground = await open()
  try {
    const target = await openTarget({ url, login: asked.login ?? '', password, backOffMs: BACK_OFF_MS })
    await pushAndTell(ground, target, asked, print)
  } finally {
    await ground.database.close()
  }
}

async function pushAndTell(
  ground: CalendarGround,
  target: PushTarget,
  asked: Asked,
  print: Print,
): Promise<void> {
  const { conflicts, dryRun = false, mirror = false, all = false } = asked
  const remarks: Remarks = new Map()
  const far = { done: 0, total: 0 }
  const bar = await openProgress({ total: () => far.total, progress: () => far.done })
  const counts = await pushCalendar({
    context: readerContext(ground, all, { write: (work) => ground.database.write(work, writerBy('push')) }),
    target,
    options: { conflicts, dryRun, mirror, all },
    filters: filtersAmong(asked),
    remark: (remark) => noteRemark(remarks, remark),
    progress: (present, done, total) => {
      Object.assign(far, { done, total })
      bar.show(present)
    },
  }).finally(() => {
    bar.close()
    for (const line of describeRemarks(remarks, HEADINGS)) print(line)
  })
  print(describeCounts(counts, dryRun))
  if (counts.failed > 0 || remarks.has('note'))
    throw new Incomplete('Not everything is there; the report says what, and why.')
}

function targetAddress(word: string): string {
  const url = URL.parse(word)
  if (url && (url.username !== '' || url.password !== ''))
    throw new Error(
      'Name the login with --login, and keep the password in a file (--password-file) or in ' +
        `${PUSH_PASSWORD}.`,
    )
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(`${word} is no address such as https://calendar.example.`)
  return url.href
}

function describeCounts(
  { created, updated, unchanged, left, trashed, failed }: Counts,
  isDry: boolean,
): string {
  const said =
    `${created} made, ${updated} changed, ${unchanged} unchanged, ${left} left as they are ` +
    `there, ${trashed} moved to the trash, ${failed} not there`
  return isDry ? `A push would have: ${said}. Nothing was written.` : `Pushed: ${said}.`
}
