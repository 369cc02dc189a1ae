import { Command, Help, type HelpConfiguration, Option } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import type { App } from './app.ts'
import {
  type Config,
  environmentName,
  flagName,
  readConfig,
  removedSettings,
  settingGroupsWith,
  settingSources,
  settingTable,
} from './base/config.ts'
import { messageOf } from './base/errors.ts'
import { runCommand } from './base/run-command.ts'
import { tellFirstSteps } from './calendar/people/first-administrator.ts'
import { features } from './features.ts'
import { withoutSecrets } from './http/request-log.ts'

function settingOptions(): Option[] {
  return settingGroupsWith(features).flatMap(({ heading, settings }) =>
    Object.entries(settings).map(([name, setting]) => {
      const fallback = String(setting.default) === '' ? '' : ` (default: ${setting.default})`
      const about = `${setting.about}${fallback} [${environmentName(name)}]`
      return new Option(`${flagName(name)} <${setting.value}>`, about).helpGroup(`${heading}:`)
    }),
  )
}

/** Options of removed settings are still accepted, so that the error can say what to do instead. */
function removedOptions(): Option[] {
  return Object.keys(removedSettings).map((name) => new Option(`${flagName(name)} <value>`))
}

/**
 * Adds options of settings, hidden from the help, where they would bury a command's own; `serve` shows them.
 */
function addSettings(command: Command, options: readonly Option[]): Command {
  for (const option of options) command.addOption(option.hideHelp())
  return command
}

/** Lays out a term in the help. Its description stands below if beside it fewer than 50 columns are left. */
function formatHelpEntry(this: Help, term: string, width: number, about: string, help: Help): string {
  const whole = help.helpWidth ?? 80
  if (whole - width >= 50) return Help.prototype.formatItem.call(this, term, width, about, help)
  const lines = help.boxWrap(about, whole - 6).split('\n')
  return [`  ${term}`, ...lines.map((line) => `      ${line}`)].join('\n')
}

function givenFlags(flags: Record<string, unknown>): Record<string, string> {
  const texts = [...Object.keys(settingTable(features)), ...Object.keys(removedSettings)].flatMap((name) => {
    const value = flags[optionName(name)]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return Object.fromEntries(texts)
}

function settingWords(given: Record<string, string>): string[] {
  return Object.entries(given).flatMap(([name, value]) => [flagName(name), value])
}

/** Commander's name for an option: `siteUrl` for `site_url`. */
function optionName(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

async function runService(
  flags: Record<string, string>,
  env: NodeJS.ProcessEnv,
  demo: boolean,
): Promise<void> {
  const config = readConfig(flags, env, features)
  // Imported on demand, so that other commands start without the service.
  const { startApp } = await import('./app.ts')
  const given = { settingWords: settingWords(flags), settings: settingSources(flags, env, features) }
  const tell = (app: App) => {
    stopOnSignal(app)
    announce(app, config)
  }
  await startApp(config, { demo, announce: tell, ...given })
}

/**
 * On SIGTERM, SIGINT or SIGHUP, stops the service in order; a second signal ends the process at once. Removes
 * the listeners of `bin/kalends.js`, which would do so at the first. A supervisor may send SIGHUP to restart
 * the service with new settings. Call this before the log or the terminal says that the service answers.
 */
function stopOnSignal({ stopBy }: App): void {
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.removeAllListeners(signal)
    process.on(signal, () => {
      if (isStopping) process.exit(1)
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
  { site, firstAdministrator, deskEntry, demo, told: sentences }: App,
  { data }: Config,
): void {
  for (const sentence of sentences) console.log(sentence)
  const told = { folder: data, isTerminal: process.stdout.isTTY, siteUrl: site.url }
  for (const sentence of tellFirstSteps(firstAdministrator, deskEntry, told)) console.log(sentence)
  if (demo) console.log(demo)
  console.log(`Kalends answers at ${site.base}`)
}

/** The message of an error, without the passwords in it. */
export function describeFailure(error: unknown): string {
  return withoutSecrets(messageOf(error))
}

/**
 * Builds the command line of `kalends`. Settings come from flags, else from `env`. Tests pass a `bare`
 * command with their own output and exit.
 */
export async function makeProgram(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  bare = new Command('kalends'),
): Promise<Command> {
  const options = settingOptions()
  const allOptions = [...options, ...removedOptions()]
  const looks: HelpConfiguration = { formatItem: formatHelpEntry }
  const program = addSettings(bare, allOptions)
    .description('The event calendar server. Without a command it serves.')
    .configureHelp(looks)
    .configureOutput({ outputError: (text, write) => write(withoutSecrets(text)) })
    .showHelpAfterError('Add --help to see what it takes.')
    .addHelpText('afterAll', ({ command }) =>
      command.name() === 'serve'
        ? ''
        : '\nThe settings are options of every command: kalends serve --help lists them.',
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
  // `serve` does without the code of the other commands.
  const isServing = operands.length === 0 ? unknown.length === 0 : operands[0] === 'serve'
  if (!isServing) {
    const { registerCommands } = await import('./commands.ts')
    const configure = () => readConfig(givenFlags(program.opts()), env, features)
    await registerCommands(program, { configure, features }, operands[0])
    // A wrong setting stops every command before its action, even one that does not use it. Only `doctor`
    // runs, since it reports wrong settings itself.
    program.hook('preAction', (_program, command) =>
      command.name() === 'doctor' ? undefined : runCommand(command, async () => void configure()),
    )
  }
  return program
}
