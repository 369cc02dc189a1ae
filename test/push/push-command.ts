import { join } from 'node:path'
import { mediaAddress, mediaUrl } from '../../src/config.ts'
import { openMediaStore } from '../../src/media/open-media-store.ts'
import { type PushGround, registerPushCommand } from '../../src/push/push-command.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import { type CommandResult, runCommand } from '../support/commands.ts'
import { PASSWORD, type TestService } from '../support/service.ts'

process.env.KALENDS_PUSH_PASSWORD = PASSWORD

/** Runs `push` on the calendar of a service, over a connection of its own, signed in as the administrator. */
export function pushTo(service: TestService, address: string, ...words: string[]): Promise<CommandResult> {
  return runCommand(
    (program) => registerPushCommand(program, () => openGround(service)),
    ['push', '--login', 'admin', ...words, address],
  )
}

async function openGround({ config, app: { site } }: TestService): Promise<PushGround> {
  return {
    database: await openDatabase(config.database || `sqlite:${join(config.data, 'kalends.sqlite')}`),
    images: {
      store: await openMediaStore(mediaAddress(config), () => undefined),
      hosts: config.image_hosts,
      maxBytes: config.image_bytes,
      mediaUrl: mediaUrl(config, site),
    },
    site,
  }
}
