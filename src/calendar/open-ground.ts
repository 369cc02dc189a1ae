import { assumedPath, type Config, databaseAddress, mediaAddress, siteOf } from '../base/config.ts'
import type { MediaStore } from '../store/media/media-store.ts'
import type { Database } from '../store/storage/database.ts'
import { type FeatureTables, type KeepsTables, listFeatureTables } from '../store/storage/migration.ts'
import { openCalendar } from '../store/storage/open-database.ts'
import { readStoredSettings, withStored } from '../store/storage/stored-settings.ts'
import type { CalendarGround } from './ground.ts'

/** `failure` returns the last failure of the media store, since its rejections do not carry the cause. */
export interface CalendarPlaces {
  database: string
  tables: readonly FeatureTables[]
  media: MediaStore
  failure: () => Error | undefined
}

export interface RestorePlaces extends CalendarPlaces {
  mediaPlace: string
  /**
   * Path of a default database, such as a calendar in the working folder, which must exist; undefined if a
   * setting gives the place.
   */
  assumed: string | undefined
}

export interface OpenedMedia {
  database: Database
  store: MediaStore
  failure: () => Error | undefined
}

export async function openMedia(config: Config, features: readonly KeepsTables[]): Promise<OpenedMedia> {
  const { media, failure } = await findRestorePlaces(config, features)
  return { database: await openCalendar(config, features), store: media, failure }
}

/** Places of database and media, without creating any, for backup and restore. */
export async function findRestorePlaces(
  config: Config,
  features: readonly KeepsTables[],
): Promise<RestorePlaces> {
  const { openMediaStore } = await import('../store/media/open-media-store.ts')
  let last: Error | undefined
  const media = await openMediaStore(mediaAddress(config), (error) => {
    last = error
  })
  const mediaPlace = mediaAddress(config).replace(/^file:/, '')
  return {
    database: databaseAddress(config),
    tables: await listFeatureTables(features),
    media,
    mediaPlace,
    failure: () => last,
    assumed: assumedPath(config),
  }
}

export async function openGround(started: Config, features: readonly KeepsTables[]): Promise<CalendarGround> {
  const { database, store } = await openMedia(started, features)
  const config = withStored(started, await readStoredSettings(database.read))
  const site = siteOf(config, config.port)
  const { imagesOf } = await import('../store/media/open-media-store.ts')
  return { database, images: imagesOf(config, store, site), site }
}
