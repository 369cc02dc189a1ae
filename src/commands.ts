import type { Command } from 'commander'
import { type Config, databaseAddress, mediaAddress, mediaUrl, settingsPage, siteOf } from './config.ts'
import type { ImportGround } from './import/import-command.ts'
import { openCalendar } from './storage/open-calendar.ts'
import type { CalendarPlaces } from './transfer/backup-command.ts'
import type { OpenedMedia } from './transfer/media-commands.ts'

/** Reads the settings once they are known. */
type Configure = () => Config

/** Commands that are registered together, with the code that only they need. */
export interface CommandGroup {
  names: readonly string[]
  register: (program: Command, configure: Configure) => void | Promise<void>
}

/** Every command but `serve`, in the order of the help page. */
export const commandGroups: readonly CommandGroup[] = [
  { names: ['settings', 'invalidate-etags', 'restored', 'doctor'], register: registerOwn },
  {
    names: ['user', 'password'],
    register: async (program, configure) => {
      const { registerUserCommands } = await import('./people/user-commands.ts')
      registerUserCommands(program, () => openCalendar(configure()))
    },
  },
  {
    names: ['audit'],
    register: async (program, configure) => {
      const { registerAuditCommand } = await import('./people/audit-command.ts')
      registerAuditCommand(program, () => openCalendar(configure()))
    },
  },
  {
    names: ['import', 'imports'],
    register: async (program, configure) => {
      const { giveWay } = await import('./import/give-way.ts')
      const { registerImportCommands } = await import('./import/import-command.ts')
      registerImportCommands(program, () => {
        giveWay()
        return openGround(configure())
      })
    },
  },
  {
    names: ['push'],
    register: async (program, configure) => {
      const { registerPushCommand } = await import('./push/push-command.ts')
      registerPushCommand(program, () => openGround(configure()))
    },
  },
  {
    names: ['copy'],
    register: async (program) => {
      const { registerCopyCommand } = await import('./transfer/copy-command.ts')
      registerCopyCommand(program)
    },
  },
  {
    names: ['backup', 'restore'],
    register: async (program, configure) => {
      const { registerBackupCommands } = await import('./transfer/backup-command.ts')
      registerBackupCommands(program, () => findPlaces(configure()))
    },
  },
  {
    names: ['export'],
    register: async (program, configure) => {
      const { registerExportCommand } = await import('./transfer/export-command.ts')
      registerExportCommand(program, () => openGround(configure()))
    },
  },
  {
    names: ['webhook'],
    register: async (program, configure) => {
      const { registerWebhookCommands } = await import('./webhooks/webhook-command.ts')
      registerWebhookCommands(program, {
        open: () => openCalendar(configure()),
        hosts: () => configure().webhook_hosts,
      })
    },
  },
  {
    names: ['media'],
    register: async (program, configure) => {
      const { registerMediaCommands } = await import('./transfer/media-commands.ts')
      registerMediaCommands(program, () => openMedia(configure()))
    },
  },
]

/**
 * Puts the group of the command that is asked for on the command line, since loading the code of all groups takes longer than most commands. Without
 * such a group all are registered, for the help page and for the suggestion of a similar name.
 */
export async function registerCommands(
  program: Command,
  configure: Configure,
  asked: string | undefined,
): Promise<void> {
  const found = commandGroups.filter(({ names }) => asked !== undefined && names.includes(asked))
  for (const { register } of found.length > 0 ? found : commandGroups) await register(program, configure)
}

/** The commands that belong to no folder. */
function registerOwn(program: Command, configure: Configure): void {
  program
    .command('settings')
    .description('Print every setting as a page of the documentation.')
    .action(() => console.log(settingsPage()))

  program
    .command('invalidate-etags')
    .alias('restored')
    .description('Make all ETags that clients hold invalid, after a backup was restored.')
    .action(async () => {
      const { renewEdition } = await import('./storage/edition.ts')
      const database = await openCalendar(configure())
      try {
        await database.write(renewEdition)
      } finally {
        await database.close()
      }
      console.log('All ETags that clients hold are invalid now.')
    })

  program
    .command('doctor')
    .description(
      'Look at configuration, database, disk, clock, permissions and network, and say what to do. Changes nothing.',
    )
    .action(async () => {
      const { describeFindings, examine } = await import('./doctor/doctor.ts')
      const { withoutSecrets } = await import('./watching/redact.ts')
      const findings = await examine(configure, Date.now())
      for (const line of describeFindings(findings)) console.log(withoutSecrets(line))
      if (findings.some(({ state }) => state === 'error')) process.exitCode = 1
    })
}

/** The calendar that is there and the store of its images. */
async function openMedia(config: Config): Promise<OpenedMedia> {
  const { media, failure } = await findPlaces(config)
  return { database: await openCalendar(config), store: media, failure }
}

/** The places of the calendar, neither of which is opened or made. */
async function findPlaces(config: Config): Promise<CalendarPlaces> {
  const { openMediaStore } = await import('./media/open-media-store.ts')
  let last: Error | undefined
  const media = await openMediaStore(mediaAddress(config), (error) => {
    last = error
  })
  return { database: databaseAddress(config), media, failure: () => last }
}

/** The calendar that is there, with its images, as imports write to it and exports read it. */
async function openGround(config: Config): Promise<ImportGround> {
  const { database, store } = await openMedia(config)
  const site = siteOf(config, config.port)
  const images = { store, hosts: config.image_hosts, maxBytes: config.image_bytes, mediaUrl: mediaUrl(config, site) }
  return { database, images, site }
}
