import { Command, Help, type HelpConfiguration, Option } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import type { App } from './app.ts'
import {
  type Config,
  environmentName,
  flagName,
  readConfig,
  type Site,
  settingSources,
  settings,
  siteOf,
} from './base/config.ts'
import { messageOf } from './base/errors.ts'
import { tellFirstSteps } from './calendar/people/first-administrator.ts'
import { importStarter } from './exchange/import/import-schedule.ts'
import { serveMetrics } from './operate/watching/metrics-server.ts'
import { withoutSecrets } from './operate/watching/request-log.ts'

// The command line of kalends.

/** A flag for every setting. */
function settingOptions(): Option[] {
  return Object.entries(settings).map(([name, setting]) => {
    const fallback = String(setting.default) === '' ? '' : ` (default: ${setting.default})`
    return new Option(`${flagName(name)} <${setting.value}>`, `${setting.about}${fallback} [${environmentName(name)}]`)
  })
}

/** Gives a command all settings. They would bury its own options, so only the help of `serve` has them. */
function addSettings(command: Command, options: readonly Option[]): Command {
  for (const option of options) command.addOption(option.hideHelp())
  return command
}

/** An entry of a help page: its term and meaning side by side, or below each other where a narrow column would be left for the meaning. */
function formatHelpEntry(this: Help, term: string, width: number, about: string, help: Help): string {
  const whole = help.helpWidth ?? 80
  if (whole - width >= 50) return Help.prototype.formatItem.call(this, term, width, about, help)
  const lines = help.boxWrap(about, whole - 6).split('\n')
  return [`  ${term}`, ...lines.map((line) => `      ${line}`)].join('\n')
}

/** The values given as flags, under the names of the settings. */
function givenFlags(flags: Record<string, unknown>): Record<string, string> {
  const texts = Object.keys(settings).flatMap((name) => {
    const value = flags[optionName(name)]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return Object.fromEntries(texts)
}

/** The settings given as flags, as they were typed. */
function settingWords(given: Record<string, string>): string[] {
  return Object.entries(given).flatMap(([name, value]) => [flagName(name), value])
}

/** The name of a setting's option on the command line. */
function optionName(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

async function runService(flags: Record<string, string>, env: NodeJS.ProcessEnv, demo: boolean): Promise<void> {
  const config = readConfig(flags, env)
  // Other commands do without the code of the service.
  const { startApp } = await import('./app.ts')
  const { returnSpareMemory } = await import('./base/spare-memory.ts')
  const { isWorker, startWorkers, tellMetrics } = await import('./workers.ts')
  const given = {
    startImport: importStarter(settingWords(flags)),
    settings: settingSources(flags, env),
  }
  if (isWorker) {
    const app = await startApp(config, { isWorker, ...given })
    stopOnSignal(app, isWorker)
    returnSpareMemory()
    return tellMetrics(app)
  }
  if (config.workers === 1) {
    const metrics = await openMetrics(config)
    const app = await startApp(config, { demo, ...given })
    stopOnSignal(app)
    returnSpareMemory()
    metrics?.begin(app)
    return announce(app.site, app, config)
  }
  const metrics = await openMetrics(config)
  const workers = await startWorkers(config, { demo })
  stopOnSignal(workers)
  metrics?.begin(workers)
  announce(siteOf(config, workers.port), workers, config)
}

/**
 * Listens for readers of metrics, if metrics are served, before anything else begins. Readers wait until there is something to read.
 * @throws Error with one sentence when it cannot
 */
async function openMetrics({
  metrics,
}: Config): Promise<{ begin: (of: Pick<App, 'readMetrics'>) => void } | undefined> {
  if (metrics === '') return undefined
  const { promise: begun, resolve } = Promise.withResolvers<NonNullable<App['readMetrics']>>()
  const { address } = await serveMetrics(metrics, async () => (await begun)())
  return {
    begin: ({ readMetrics }) => {
      if (readMetrics) resolve(readMetrics)
      console.log(`Metrics are at ${address}`)
    },
  }
}

/**
 * Lets signals finish the service, where `bin/kalends.js` would end it at once. It is called before anybody is told that the service answers. A supervisor
 * that sends SIGHUP for new settings starts it again with them. A second signal ends the process at once, but a worker: a terminal sends it the signal
 * that it gets from the first process as well.
 */
function stopOnSignal({ stopBy }: { stopBy: (signal: NodeJS.Signals) => Promise<void> }, isWorker = false): void {
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.removeAllListeners(signal)
    process.on(signal, () => {
      if (isStopping) return isWorker ? undefined : process.exit(1)
      isStopping = true
      stopBy(signal).then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(describeFailure(error))
          process.exit(1)
        },
      )
    })
  }
}

function announce(
  site: Site,
  { firstAdministrator, deskEntry, demo }: Pick<App, 'firstAdministrator' | 'deskEntry' | 'demo'>,
  { data }: Config,
): void {
  const told = { folder: data, isTerminal: process.stdout.isTTY, siteUrl: site.url }
  for (const sentence of tellFirstSteps(firstAdministrator, deskEntry, told)) console.log(sentence)
  if (demo) console.log(demo)
  console.log(`Kalends answers at ${site.base}`)
}

/** Says in one sentence, without passwords, why a command failed. */
export function describeFailure(error: unknown): string {
  return withoutSecrets(messageOf(error))
}

/**
 * The command line for these words, which are those after the name of the program: `serve`, or the group of the command that is asked for. Settings come
 * from flags, and from `env` where there is no flag. `bare` says where output goes and what ends it.
 */
export async function makeProgram(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  bare = new Command('kalends'),
): Promise<Command> {
  const options = settingOptions()
  const looks: HelpConfiguration = { formatItem: formatHelpEntry }
  const program = addSettings(bare, options)
    .description('The event calendar server. Without a command it serves.')
    .configureHelp(looks)
    .configureOutput({ outputError: (text, write) => write(withoutSecrets(text)) })
    .showHelpAfterError('Add --help to see what it takes.')
    .addHelpText('afterAll', ({ command }) =>
      command.name() === 'serve' ? '' : '\nThe settings are options of every command: kalends serve --help lists them.',
    )
    .version(packageJson.version, '--version', 'print the version')
  const { operands, unknown } = program.parseOptions([...words])
  program
    .command('serve', { isDefault: operands.length === 0 })
    .description('Serve the calendar.')
    .configureHelp({
      ...looks,
      visibleOptions: (command) => [...new Help().visibleOptions(command), ...options],
    })
    .option('--demo', 'fill a new database with a season of a town, to look around')
    .action(({ demo = false }: { demo?: boolean }) => runService(givenFlags(program.opts()), env, demo))
  // A service does without the code of other commands.
  const isServing = operands.length === 0 ? unknown.length === 0 : operands[0] === 'serve'
  if (!isServing) {
    const { registerCommands } = await import('./commands.ts')
    await registerCommands(program, () => readConfig(givenFlags(program.opts()), env), operands[0])
  }
  return program
}
