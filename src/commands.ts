import type { Command } from 'commander'
import { type Config, databaseAddress, mediaAddress, mediaUrl, settingsPage, siteOf } from './config.ts'
import { describeFindings, examine } from './doctor/doctor.ts'
import { giveWay } from './import/give-way.ts'
import { type ImportGround, registerImportCommands } from './import/import-command.ts'
import { openMediaStore } from './media/open-media-store.ts'
import { registerAuditCommand } from './people/audit-command.ts'
import { registerUserCommands } from './people/user-commands.ts'
import { registerPushCommand } from './push/push-command.ts'
import { renewEdition } from './storage/edition.ts'
import { openCalendar } from './storage/open-calendar.ts'
import { type CalendarPlaces, registerBackupCommands } from './transfer/backup-command.ts'
import { registerCopyCommand } from './transfer/copy-command.ts'
import { registerExportCommand } from './transfer/export-command.ts'
import { type OpenedMedia, registerMediaCommands } from './transfer/media-commands.ts'
import { withoutSecrets } from './watching/redact.ts'
import { registerWebhookCommands } from './webhooks/webhook-command.ts'

/** Puts every command but `serve` on the command line. `configure` reads the settings once they are known. */
export function registerCommands(program: Command, configure: () => Config): void {
  registerOwn(program, configure)
  registerUserCommands(program, () => openCalendar(configure()))
  registerAuditCommand(program, () => openCalendar(configure()))
  registerImportCommands(program, () => {
    giveWay()
    return openGround(configure())
  })
  registerPushCommand(program, () => openGround(configure()))
  registerCopyCommand(program)
  registerBackupCommands(program, () => findPlaces(configure()))
  registerExportCommand(program, () => openGround(configure()))
  registerWebhookCommands(program, { open: () => openCalendar(configure()), hosts: () => configure().webhook_hosts })
  registerMediaCommands(program, () => openMedia(configure()))
}

/** The commands that belong to no folder. */
function registerOwn(program: Command, configure: () => Config): void {
  program
    .command('settings')
    .description('Print every setting as a page of the documentation.')
    .action(() => console.log(settingsPage()))

  program
    .command('invalidate-etags')
    .alias('restored')
    .description('Make every entity tag given so far void, after a backup was restored.')
    .action(async () => {
      const database = await openCalendar(configure())
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
