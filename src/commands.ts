import type { Command } from 'commander'
import {
  assumedPath,
  type Config,
  databaseAddress,
  mediaAddress,
  settingsPage,
  siteOf,
} from './base/config.ts'
import { type Print, runCommand } from './base/run-command.ts'
import type { CalendarGround } from './calendar/ground.ts'
import type { OpenedMedia } from './features/transfer/clean-media.ts'
import type { RestorePlaces } from './features/transfer/restore.ts'
import { refuseMoved, warnOfMove } from './store/storage/database-address.ts'
import { openCalendar } from './store/storage/open-database.ts'
import { readOwnerSettings, withOwnerSettings } from './store/storage/owner-settings.ts'

// All commands but `serve`, in groups whose code is loaded on demand; and those that belong to no folder.

/** When a command runs: flags are not known before. */
type Configure = () => Config

/** `register` loads the code that only they need. */
export interface CommandGroup {
  names: readonly string[]
  register: (program: Command, configure: Configure) => void | Promise<void>
}

/** In the order of the help page. */
export const commandGroups: readonly CommandGroup[] = [
  { names: ['settings', 'invalidate-etags', 'restored', 'hold', 'resume', 'doctor'], register: registerOwn },
  {
    names: ['user', 'password'],
    register: async (program, configure) => {
      const { registerUserCommands } = await import('./calendar/people/user-commands.ts')
      registerUserCommands(
        program,
        () => openCalendar(configure()),
        () => deskSiteOf(configure()),
      )
    },
  },
  {
    names: ['audit'],
    register: async (program, configure) => {
      const { registerAuditCommand } = await import('./calendar/people/audit-command.ts')
      registerAuditCommand(program, () => openCalendar(configure()))
    },
  },
  {
    names: ['look', 'set'],
    register: async (program, configure) => {
      const { registerLookCommand } = await import('./features/pages/look-command.ts')
      registerLookCommand(program, () => openCalendar(configure()), configure)
    },
  },
  {
    names: ['import', 'imports'],
    register: async (program, configure) => {
      const { lowerPriority } = await import('./features/imports/import-schedule.ts')
      const { registerImportCommands } = await import('./features/imports/import-command.ts')
      registerImportCommands(program, () => {
        lowerPriority()
        const config = configure()
        refuseMoved(databaseAddress(config))
        return openGround(config)
      })
    },
  },
  {
    names: ['push'],
    register: async (program, configure) => {
      const { registerPushCommand } = await import('./features/push/push-command.ts')
      registerPushCommand(program, () => openGround(configure()))
    },
  },
  {
    names: ['copy'],
    register: async (program) => {
      const { registerCopyCommand } = await import('./features/transfer/copy.ts')
      registerCopyCommand(program)
    },
  },
  {
    names: ['backup', 'restore'],
    register: async (program, configure) => {
      const { registerBackupCommand } = await import('./features/transfer/backup.ts')
      const { registerRestoreCommand } = await import('./features/transfer/restore.ts')
      registerBackupCommand(program, () => findPlaces(configure()))
      registerRestoreCommand(program, () => findPlaces(configure()))
    },
  },
  {
    names: ['export'],
    register: async (program, configure) => {
      const { registerExportCommand } = await import('./features/transfer/export.ts')
      registerExportCommand(program, () => {
        const config = configure()
        warnOfMove(databaseAddress(config))
        return openGround(config)
      })
    },
  },
  {
    names: ['webhook'],
    register: async (program, configure) => {
      const { registerWebhookCommands } = await import('./features/webhooks/webhook-command.ts')
      registerWebhookCommands(program, {
        open: () => openCalendar(configure()),
        hosts: () => configure().webhook_hosts,
      })
    },
  },
  {
    names: ['media'],
    register: async (program, configure) => {
      const { registerMediaCommands } = await import('./features/transfer/clean-media.ts')
      registerMediaCommands(program, () => openMedia(configure()))
    },
  },
]

/**
 * Loading all groups takes longer than most commands; without a match all are registered, for help and
 * suggestions.
 */
export async function registerCommands(
  program: Command,
  configure: Configure,
  asked: string | undefined,
): Promise<void> {
  const found = commandGroups.filter(({ names }) => asked !== undefined && names.includes(asked))
  for (const { register } of found.length > 0 ? found : commandGroups) await register(program, configure)
}

function registerOwn(program: Command, configure: Configure): void {
  const add = (name: string, about: string, work: (print: Print) => Promise<void>) =>
    program
      .command(name)
      .description(about)
      .action((_, command: Command) => runCommand(command, work))

  add(
    'settings',
    'Print docs/configuration.md, the page of all settings; kalends serve --help is shorter.',
    async (print) => print(settingsPage()),
  )
  add(
    'invalidate-etags',
    'Make clients fetch everything anew. Run it on a database that was restored by other means than kalends restore.',
    (print) => invalidateTags(configure(), print),
  ).alias('restored')
  add('hold', 'Turn webhooks and scheduled imports off. Run it on a copy before it is started.', (print) =>
    holdOrResume(configure(), 'hold', print),
  )
  add(
    'resume',
    'Turn webhooks and scheduled imports on again. A restore in another place turns them off.',
    (print) => holdOrResume(configure(), 'resume', print),
  )
  add(
    'doctor',
    'Check configuration, database, disk, clock, permissions and network, and say what to do. Changes nothing.',
    (print) => examineAll(configure, print),
  )
}

async function invalidateTags(config: Config, print: Print): Promise<void> {
  const { renewEdition } = await import('./store/storage/edition.ts')
  const { raiseSequences } = await import('./store/storage/history.ts')
  const { formatUtc } = await import('./base/text/zones.ts')
  const database = await openCalendar(config)
  try {
    await database.write(async (tx) => {
      await renewEdition(tx)
      await raiseSequences(tx, formatUtc(Date.now()))
    })
  } finally {
    await database.close()
  }
  print('All ETags that clients hold are invalid now.')
}

async function holdOrResume(config: Config, command: 'hold' | 'resume', print: Print): Promise<void> {
  const { setHeld } = await import('./store/storage/edition.ts')
  const database = await openCalendar(config)
  try {
    const isChanged = await database.write((tx) => setHeld(tx, command === 'hold'))
    if (command === 'hold') print('Webhooks and scheduled imports are off until kalends resume.')
    else print(isChanged ? 'Webhooks and scheduled imports are on again.' : 'Nothing was turned off.')
  } finally {
    await database.close()
  }
}

/** An error makes the exit code 1. */
async function examineAll(configure: Configure, print: Print): Promise<void> {
  const { describeFindings, examine } = await import('./features/doctor/doctor.ts')
  const { withoutSecrets } = await import('./http/request-log.ts')
  const findings = await examine(configure, Date.now())
  for (const line of describeFindings(findings)) print(withoutSecrets(line))
  if (findings.some(({ state }) => state === 'error')) process.exitCode = 1
}

async function openMedia(config: Config): Promise<OpenedMedia> {
  const { media, failure } = await findPlaces(config)
  return { database: await openCalendar(config), store: media, failure }
}

/** Opens nothing and makes no folder. */
async function findPlaces(config: Config): Promise<RestorePlaces> {
  const { openMediaStore } = await import('./store/media/open-media-store.ts')
  let last: Error | undefined
  const media = await openMediaStore(mediaAddress(config), (error) => {
    last = error
  })
  const mediaPlace = mediaAddress(config).replace(/^file:/, '')
  return {
    database: databaseAddress(config),
    media,
    mediaPlace,
    failure: () => last,
    assumed: assumedPath(config),
  }
}

/** With images and the settings of the owner. */
async function openGround(started: Config): Promise<CalendarGround> {
  const { database, store } = await openMedia(started)
  const config = withOwnerSettings(started, await readOwnerSettings(database.read))
  const site = siteOf(config, config.port)
  const { imagesOf } = await import('./store/media/open-media-store.ts')
  return { database, images: imagesOf(config, store, site), site }
}

/** Undefined without a desk. */
function deskSiteOf(config: Config): string | undefined {
  return config.desk === 'on' ? siteOf(config, config.port).url : undefined
}
