import { join } from 'node:path'
import { mediaAddress, mediaUrl } from '../../src/base/config.ts'
import { openMediaStore } from '../../src/store/media/open-media-store.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import type { TestService } from './service.ts'

export async function openGround({ config, app: { site } }: TestService) {
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
