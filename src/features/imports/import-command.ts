import { type Command, Option } from 'commander'
import { addList, Incomplete, type Print, runOnOpened } from '../../base/run-command.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { type CalendarGround, contextOn } from '../../calendar/ground.ts'
import { getUserByLogin, listUsers } from '../../calendar/people/users.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import { writerBy } from '../../store/storage/recording.ts'
import { DATE_ORDERS, type DateOrder } from './csv-cells.ts'
import { NOT_THE_SAME } from './hold-source.ts'
import { englishMessage, type Message, messageIn } from './import-messages.ts'
import {
  describeCounts,
  describeMade,
  describePreview,
  describeRemarks,
  describeRun,
  describeRuns,
  describeVisible,
  IMPORT_HEADINGS,
  noteRemark,
  openProgress,
  type Progress,
  type Remarks,
} from './import-report.ts'
import { BrokenSource, ORIGINS } from './import-run.ts'
import {
  ALLOWED,
  describeSchedules,
  NEEDS_DECISION,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  scheduleImport,
} from './import-schedule.ts'
import { type ImportTask, importSource } from './import-source.ts'
import { listRuns } from './import-store.ts'
import { IMPORT_PASSWORD } from './import-variables.ts'
import { openSource } from './open-source.ts'
import { type ConflictPolicy, POLICIES } from './source-item.ts'
import { undoImport } from './undo-import.ts'

interface Asked {
  dryRun?: true
  conflicts: ConflictPolicy
  mirror?: true
  allowMassRemoval?: true
  images: boolean
  private: boolean
  review?: true
  withAddresses?: true
  user?: string
  name?: string
  every?: string
  forService?: true
  guest?: true
  login?: string
  passwordFile?: string
  since?: string
  map?: string[]
  dates?: DateOrder
  origin?: (typeof ORIGINS)[number]
  sameAs?: string
}

export function registerImportCommands(program: Command, open: () => Promise<CalendarGround>): void {
  registerImport(program, open)
  const imports = program
    .command('imports')
    .description('List and undo imports, and manage those on a schedule.')
  addList(imports)
    .description('List the runs of imports, the newest first.')
    .action((_options: unknown, command: Command) =>
      runWithCalendar(command, open, async ({ database }, print) => {
        for (const line of describeRuns(await listRuns(database.read, MOST_RUNS))) print(line)
      }),
    )
  imports
    .command('show')
    .description('Show a run, and what it moved to the trash.')
    .argument('<run>', 'the number that `imports` shows')
    .action((number: string, _options: unknown, command: Command) =>
      runWithCalendar(command, open, async ({ database }, print) => {
        for (const line of await describeRun(database.read, runNumber(number))) print(line)
      }),
    )
  imports
    .command('undo')
    .description(
      'Put back what a run changed, move what it made to the trash, and leave what was changed since.',
    )
    .argument('<run>', 'the number that `imports` shows')
    .option('--user <login>', 'the user who writes the records (default: the first administrator)')
    .action((number: string, { user }: { user?: string }, command: Command) =>
      runWithCalendar(command, open, async (ground, print) => {
        const { restored, removed, left } = await undoImport(
          await importContext(ground, user),
          runNumber(number),
          () => print('Another import of this source is running; the undo begins when it has ended.'),
        )
        for (const one of left) print(englishMessage(one))
        print(
          `Run ${number} is undone: ${restored} put back, ${removed} removed, ${left.length} left ` +
            'as they are.',
        )
      }),
    )
  registerSchedules(imports, open)
}

function runNumber(word: string): number {
  if (!/^[1-9]\d{0,8}$/.test(word))
    throw new Error(`A run has a number, not "${word}"; kalends imports lists them.`)
  return Number(word)
}

function registerSchedules(imports: Command, open: () => Promise<CalendarGround>): void {
  imports
    .command('schedules')
    .description('List the imports on a schedule, which `import --every` makes.')
    .action((_options: unknown, command: Command) =>
      runWithCalendar(command, open, async ({ database }, print) => {
        for (const line of await describeSchedules(database, Date.now())) print(line)
      }),
    )
  const about = (word: string, text: string) =>
    imports.command(word).description(text).argument('<name>', 'the name of the import')
  const change =
    (work: (database: Database, name: string, asked: Resumed) => Promise<void>, done: string) =>
    (name: string, asked: Resumed, command: Command) =>
      runWithCalendar(command, open, async ({ database }, print) => {
        await work(database, name, asked)
        print(`The import ${name} ${done}.`)
      })
  about('pause', 'Pause an import on a schedule.').action(
    change((database, name) => pauseSchedule(database, name), 'rests until it is resumed'),
  )
  about('resume', 'Resume a paused import; it runs within half a minute.')
    .option(ALLOWED, 'let its next run move more than a fifth of the events to the trash at once')
    .action(
      change(
        (database, name, { allowMassRemoval = false }) =>
          resumeSchedule(database, name, allowMassRemoval, Date.now()),
        'goes on',
      ),
    )
  about('remove', 'Take an import off its schedule; the records it has written stay.').action(
    change((database, name) => removeSchedule(database, name), 'is off its schedule'),
  )
}

interface Resumed {
  allowMassRemoval?: true
}

const MOST_RUNS = 100
const BACK_OFF_MS = 1000

const collect = (word: string, words: readonly string[] = []) => [...words, word]

const ABOUT = {
  conflicts:
    'how to settle fields that were changed both in the source and here: keep each of them, ' +
    'overwrite them, or skip the whole record',
  sameAs:
    'the name or address under which this calendar was imported before, as kalends imports lists it; ' +
    `its records are continued. ${NOT_THE_SAME}: this is another calendar that shares events with it`,
  passwordFile:
    'a file with the application password of that login, which only its owner can read ' +
    `[${IMPORT_PASSWORD}]`,
  dates:
    'the order of day and month in dates of a table such as 3/4/2026; ' +
    'inferred from all dates without this',
  origin:
    'what becomes of the source, remembered for later runs. moved: its old addresses redirect to the ' +
    'records here. stays: it remains the original, which the pages of its events here name as canonical. ' +
    'none: neither of these any longer',
} as const

function withOptions(command: Command): Command {
  return (
    command
      .option('--dry-run', 'say what would happen, and change nothing')
      .addOption(new Option('--conflicts <policy>', ABOUT.conflicts).choices(POLICIES).default('keep'))
      .option('--mirror', 'move events to the trash that are gone from the source')
      .option(ALLOWED, 'let --mirror move more than a fifth of the events to the trash at once')
      .option('--same-as <name>', ABOUT.sameAs)
      .option('--no-images', 'fetch no images')
      .option(
        '--no-private',
        'leave out private events of the source; without this they are imported as private events',
      )
      .option(
        '--review',
        'let new events wait for a review, with the status pending, instead of publishing them',
      )
      .option(
        '--with-addresses',
        'bring in the e-mail addresses of organizers of a calendar file, which are public then',
      )
      .option('--user <login>', 'the user who writes the records (default: the first administrator)')
      .option('--name <name>', 'a name for the source, so that its address may change (default: its address)')
      .option(
        '--every <time>',
        'repeat the import at this interval while the service runs, such as 30m, 6h or 1d; needs a --name',
      )
      .addOption(new Option('--for-service').hideHelp())
      // The desk sets `--guest` for people who do not operate the service.
      .addOption(new Option('--guest').hideHelp())
      .option('--login <login>', 'the login at the site, for drafts and private records')
      .option('--password-file <file>', ABOUT.passwordFile)
      .option(
        '--since <when>',
        'only records of a site that have changed since: a date, or a date and time in UTC',
      )
      .option(
        '--map <column=field>',
        'which field a column of a table holds, for columns with unusual names',
        collect,
      )
      .addOption(new Option('--dates <order>', ABOUT.dates).choices(DATE_ORDERS))
      .addOption(new Option('--origin <what>', ABOUT.origin).choices(ORIGINS))
  )
}

function registerImport(program: Command, open: () => Promise<CalendarGround>): void {
  withOptions(program.command('import'))
    .description(
      'Bring in the events of another calendar, with their venues, organizers, categories, tags and ' +
        'images. Safe to repeat.',
    )
    .argument(
      '<source>',
      'the address of a site with this interface; or a file or its address: iCalendar, a table ' +
        '(CSV), a saved page or list of the interface, or one record a line (NDJSON)',
    )
    .action((source: string, asked: Asked, command: Command) =>
      runWithCalendar(command, open, async (ground, print) => {
        const {
          every,
          forService,
          conflicts,
          images,
          private: isPrivate,
          review = false,
          withAddresses: addresses = false,
          dryRun = false,
          mirror = false,
          allowMassRemoval = false,
          user,
          origin,
          sameAs,
          guest: isGuest,
          ...said
        } = asked
        if (every !== undefined) {
          const words = wordsOf(asked)
          return print(await scheduleImport(ground.database, source, { ...asked, every }, words, Date.now()))
        }
        // When the service has ended, another process will continue the import.
        if (forService) endWithParent()
        const wanted = { images, private: isPrivate, addresses }
        const options = { ...wanted, conflicts, review, dryRun, mirror, allowMassRemoval, origin }
        const password = process.env[IMPORT_PASSWORD]
        const reader = { zone: ground.site.timezone, backOffMs: BACK_OFF_MS }
        const asking = addressIn(source)
        const progress = await openProgress({ asking, total: () => 0, progress: () => 0 })
        const guest = isGuest && ground.images.hosts
        const opened = await openSource(source, { password, ...said, guest }, reader).catch(
          (error: unknown) => {
            progress.close()
            throw error
          },
        )
        progress.follow({ ...opened.source, asking })
        const task = { source: opened.source, options, user, sameAs }
        const { isComplete, said: outcome } = await importInto(ground, task, progress, print).finally(
          opened.close,
        )
        if (forService) await tellService(outcome)
        if (!isComplete)
          throw new Incomplete(
            'Some records are missing or incomplete; the report lists them with the reasons.',
          )
      }),
    )
}

/** Sends the outcome to the service untranslated, for readers of any language. */
async function tellService(said: Message): Promise<void> {
  if (process.connected) await new Promise((sent) => process.send?.(said, sent))
}

/** Ends this process with the service. The IPC channel does not keep it alive. */
function endWithParent(): void {
  if (process.connected === false) process.exit(1)
  process.once('disconnect', () => process.exit(1))
  process.channel?.unref()
}

function wordsOf({
  conflicts,
  mirror,
  images,
  private: isPrivate,
  review,
  withAddresses,
  user,
  name,
  login,
  map = [],
  dates,
  origin,
  sameAs,
}: Asked): string[] {
  const option = (word: string, value: string | undefined) => (value === undefined ? [] : [word, value])
  return [
    ...option('--conflicts', conflicts),
    ...(mirror ? ['--mirror'] : []),
    ...(images ? [] : ['--no-images']),
    ...(isPrivate ? [] : ['--no-private']),
    ...(review ? ['--review'] : []),
    ...(withAddresses ? ['--with-addresses'] : []),
    ...option('--user', user),
    ...option('--name', name),
    ...option('--login', login),
    ...map.flatMap((entry) => ['--map', entry]),
    ...option('--dates', dates),
    ...option('--origin', origin),
    ...option('--same-as', sameAs),
  ]
}

/** The address of a source without login and query, which may be secret. @returns undefined for a file */
function addressIn(source: string): string | undefined {
  const url = /^\w+:\/\//.test(source) ? URL.parse(source) : null
  return url ? `${url.protocol}//${url.host}${url.pathname}` : undefined
}

async function importInto(
  ground: CalendarGround,
  {
    source,
    options,
    user,
    sameAs,
  }: Pick<ImportTask, 'source' | 'options' | 'sameAs'> & { user: string | undefined },
  progress: Progress,
  print: Print,
): Promise<{ isComplete: boolean; said: Message }> {
  const remarks: Remarks = new Map()
  const begin = async () => {
    const context = await importContext(ground, user)
    const imported = await importSource({
      source,
      options,
      sameAs,
      context,
      by: writerOf(context.caller),
      remark: (remark) => noteRemark(remarks, remark),
      restart: () => remarks.clear(),
      progress: progress.show,
      wait: () => print('Another import of this source is running; this one begins when it has ended.'),
    })
    return { ...imported, site: context.site }
  }
  const { run, counts, visible, preview, broken, site } = await begin().finally(() => {
    progress.close()
    for (const line of describeRemarks(remarks, IMPORT_HEADINGS)) print(line)
  })
  for (const line of describePreview(site, preview)) print(line)
  for (const line of describeMade(counts, run)) print(line)
  for (const line of describeVisible(site, visible, run)) print(line)
  const said = describeCounts(counts, run)
  print(englishMessage(said))
  if (broken) throw broken
  return { isComplete: counts.failed === 0 && !remarks.has('note'), said }
}

function writerOf({ id, login }: Context['caller']) {
  return { ...writerBy('import'), user: id, login }
}

/**
 * Context of an import for user `asked`, or the first administrator. @throws Error if there is no such user
 */
async function importContext(ground: CalendarGround, asked: string | undefined): Promise<Context> {
  const { database } = ground
  const { id, login, role } = await importer(database.read, asked)
  // Others wrote the texts: they are filtered whatever the role of the importer.
  const caller = { id, login, role, isFiltered: true }
  const write: Context['write'] = (work) => database.write(work, writerOf(caller))
  return contextOn(ground, caller, { write, report: () => undefined })
}

async function importer(db: Db, login: string | undefined) {
  if (login !== undefined) return getUserByLogin(db, login)
  const administrator = (await listUsers(db)).find(({ role }) => role === 'administrator')
  if (!administrator)
    throw new Error('There is no administrator in whose name to import; name a user with --user.')
  return administrator
}

function runWithCalendar(
  command: Command,
  open: () => Promise<CalendarGround>,
  work: (ground: CalendarGround, print: Print) => Promise<void>,
): Promise<void> {
  const forService = command.opts().forService === true
  const telling: typeof work = (ground, print) =>
    work(ground, print).catch(async (error: unknown) => {
      if (forService && !(error instanceof Incomplete)) await tellService(messageIn(error))
      throw error
    })
  return runOnOpened(command, open, telling, (error) => exitCodeOf(error, forService))
}

function exitCodeOf(error: unknown, forService: boolean): number {
  if (error instanceof Incomplete) return 2
  return forService && error instanceof BrokenSource && error.isDoubtful ? NEEDS_DECISION : 1
}
