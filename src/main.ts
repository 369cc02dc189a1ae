import { Command, Option } from 'commander'
import { type App, openCalendar, startApp } from './app.ts'
import {
  type Config,
  databaseAddress,
  environmentName,
  flagName,
  mediaAddress,
  mediaUrl,
  readConfig,
  type Site,
  settings,
  settingsPage,
  siteOf,
} from './config.ts'
import { describeFindings, examine } from './doctor/doctor.ts'
import { type ImportGround, registerImportCommands } from './import/import-command.ts'
import { openMediaStore } from './media/open-media-store.ts'
import { registerAuditCommand } from './people/audit-command.ts'
import { remindOfPassword, tellFirstPassword } from './people/first-password.ts'
import { registerUserCommands } from './people/user-commands.ts'
import { registerPushCommand } from './push/push-command.ts'
import { withoutPassword } from './storage/database-address.ts'
import { renewEdition } from './storage/edition.ts'
import { type CalendarPlaces, registerBackupCommands } from './transfer/backup-command.ts'
import { registerCopyCommand } from './transfer/copy-command.ts'
import { registerExportCommand } from './transfer/export-command.ts'
import { type OpenedMedia, registerMediaCommands } from './transfer/media-commands.ts'
import { readVersion } from './version.ts'
import { serveMetrics } from './watching/metrics-server.ts'
import { withoutSecrets } from './watching/redact.ts'
import { isWorker, startWorkers, tellMetrics } from './workers.ts'

/** Adds a flag for every setting. */
function addSettings(command: Command): Command {
  for (const [name, setting] of Object.entries(settings)) {
    const fallback = Array.isArray(setting.default) || setting.default === '' ? '' : ` (default: ${setting.default})`
    command.addOption(
      new Option(`${flagName(name)} <${setting.value}>`, `${setting.about}${fallback} [${environmentName(name)}]`),
    )
  }
  return command
}

/** The values given as flags, under the names of the settings. */
function configOf(flags: Record<string, unknown>): Config {
  const texts = Object.keys(settings).flatMap((name) => {
    const value = flags[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return readConfig(Object.fromEntries(texts), process.env)
}

/** The calendar that is there and the store of its images. */
async function openMedia(config: Config): Promise<OpenedMedia> {
  const { media, failure } = await findPlaces(config)
  return { database: await openCalendar(config), store: media, failure }
}

/** The places of the calendar, neither of which is opened or made. */
async function findPlaces(config: Config): Promise<CalendarPlaces> {
  let last: Error | undefined
  const media = await openMediaStore(mediaAddress(config), (error) => {
    last = error
  })
  return { database: databaseAddress(config), media, failure: () => last }
}

/** The calendar that is there, with its images, as an import writes to it. */
async function openGround(config: Config): Promise<ImportGround> {
  const { database, store } = await openMedia(config)
  const site = siteOf(config, config.port)
  const images = { store, hosts: config.image_hosts, maxBytes: config.image_bytes, mediaUrl: mediaUrl(config, site) }
  return { database, images, site }
}

async function serve({ demo = false }: { demo?: boolean }): Promise<void> {
  const config = configOf(program.opts())
  if (isWorker) {
    const app = await startApp(config, { isWorker })
    tellMetrics(app)
    return stopOnSignal(app)
  }
  if (config.workers === 1) {
    const app = await startApp(config, { demo })
    await openMetrics(config, app)
    announce(app.site, app, config)
    return stopOnSignal(app)
  }
  const workers = await startWorkers(config, { demo })
  await openMetrics(config, workers)
  announce(siteOf(config, workers.port), workers, config)
  stopOnSignal(workers)
}

/** Serves the metrics of one process, or of its workers, if they are to be served. */
async function openMetrics(config: Config, { readMetrics, stop }: Pick<App, 'readMetrics' | 'stop'>): Promise<void> {
  if (config.metrics === '' || !readMetrics) return
  try {
    const { address } = await serveMetrics(config.metrics, readMetrics)
    console.log(`Metrics are at ${address}`)
  } catch (error) {
    await stop()
    throw error
  }
}

/** From now on signals let it finish, where `bin/kalends.js` would end it at once. */
function stopOnSignal({ stop }: { stop: () => Promise<void> }): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal)
    process.once(signal, () => {
      stop().then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      )
    })
  }
}

function announce(
  site: Site,
  { firstAdministrator, demo }: Pick<App, 'firstAdministrator' | 'demo'>,
  { data }: Config,
): void {
  const sentences = firstAdministrator
    ? tellFirstPassword(firstAdministrator, data, process.stdout.isTTY)
    : remindOfPassword(data)
  for (const sentence of sentences) console.log(sentence)
  if (demo) console.log(demo)
  console.log(`Kalends answers at ${site.base}`)
}

function fail(error: unknown): never {
  console.error(withoutSecrets(error instanceof Error ? error.message : String(error)))
  process.exit(1)
}

// New files are readable for the user who runs this, and for nobody else on the machine.
process.umask(0o077)
// Every user of the machine may read a command line; a title takes its place there.
if (process.argv.some((word) => withoutPassword(word) !== word)) process.title = 'kalends'

const program = addSettings(new Command('kalends'))
  .description('The event calendar server.')
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError()
  .option('--version', 'print the version')
  .on('option:version', () => {
    console.log(readVersion())
    process.exit(0)
  })
  .exitOverride((error) => process.exit(error.exitCode))

program
  .command('serve', { isDefault: true })
  .description('Serve the calendar.')
  .option('--demo', 'fill a new database with a season of a town, to look around')
  .action(serve)

program
  .command('settings')
  .description('Print every setting as a page of the documentation.')
  .action(() => console.log(settingsPage()))

program
  .command('invalidate-etags')
  .alias('restored')
  .description('Make every entity tag given so far void, after a backup was restored.')
  .action(async () => {
    const database = await openCalendar(configOf(program.opts()))
    try {
      await database.write(renewEdition)
    } finally {
      await database.close()
    }
    console.log('No entity tag given so far names anything any more.')
  })

program
  .command('doctor')
  .description(
    'Look at configuration, database, disk, clock, permissions and network, and say what to do. Changes nothing.',
  )
  .action(async () => {
    const findings = await examine(() => configOf(program.opts()), Date.now())
    for (const line of describeFindings(findings)) console.log(withoutSecrets(line))
    if (findings.some(({ state }) => state === 'error')) process.exitCode = 1
  })

registerUserCommands(program, () => openCalendar(configOf(program.opts())))
registerAuditCommand(program, () => openCalendar(configOf(program.opts())))
registerImportCommands(program, () => openGround(configOf(program.opts())))
registerPushCommand(program, () => openGround(configOf(program.opts())))
registerCopyCommand(program)
registerBackupCommands(program, () => findPlaces(configOf(program.opts())))
registerExportCommand(program, async () => {
  const config = configOf(program.opts())
  const { database, store } = await openMedia(config)
  const site = siteOf(config, config.port)
  const { image_hosts: hosts, image_bytes: maxBytes } = config
  return { database, site, images: { store, hosts, maxBytes, mediaUrl: mediaUrl(config, site) } }
})
registerMediaCommands(program, () => openMedia(configOf(program.opts())))

await program.parseAsync().catch(fail)
