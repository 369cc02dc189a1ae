import { Command, Option } from 'commander'
import { type App, openStorage, startApp } from './app.ts'
import {
  type Config,
  databaseAddress,
  environmentName,
  flagName,
  readConfig,
  type Site,
  settings,
  settingsPage,
  siteOf,
} from './config.ts'
import { registerUserCommands } from './people/user-commands.ts'
import { renewEdition } from './storage/edition.ts'
import { migrate } from './storage/migrate.ts'
import { openExisting } from './storage/snapshot.ts'
import { findMigrations } from './storage/tables.ts'
import { registerCopyCommand } from './transfer/copy-command.ts'
import { isWorker, startWorkers } from './workers.ts'

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

/** What was given as flags, under the names of the settings. */
function configOf(flags: Record<string, unknown>): Config {
  const texts = Object.keys(settings).flatMap((name) => {
    const value = flags[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return readConfig(Object.fromEntries(texts), process.env)
}

async function serve({ demo = false }: { demo?: boolean }): Promise<void> {
  const config = configOf(program.opts())
  if (isWorker) return stopOnSignal(await startApp(config))
  if (config.workers === 1) {
    const app = await startApp(config, { demo })
    announce(app.site, app.firstAdministrator, app.demo)
    return stopOnSignal(app)
  }
  const workers = await startWorkers(config, { demo })
  announce(siteOf(config, workers.port), workers.firstAdministrator, workers.demo)
  stopOnSignal(workers)
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

function announce(site: Site, firstAdministrator: App['firstAdministrator'], demo: string | undefined): void {
  if (firstAdministrator) {
    const { login, password } = firstAdministrator
    console.log(`A new database. Its administrator is ${login} with the application password ${password}`)
    console.log('This password is shown once; kalends password add makes others.')
  }
  if (demo) console.log(demo)
  console.log(`Kalends answers at ${site.base}`)
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
}

const program = addSettings(new Command('kalends'))
  .description('The event calendar server.')
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError()
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
  .command('restored')
  .description('Make every entity tag given so far void, after a backup was restored.')
  .action(async () => {
    const database = await openExisting(databaseAddress(configOf(program.opts())))
    try {
      if (!(await findMigrations(database.read))) throw new Error('The database holds no calendar.')
      await migrate(database)
      await database.write(renewEdition)
    } finally {
      await database.close()
    }
    console.log('No entity tag given so far names anything any more.')
  })

registerUserCommands(program, () => openStorage(configOf(program.opts())))
registerCopyCommand(program)

await program.parseAsync().catch(fail)
