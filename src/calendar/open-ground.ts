import { assumedPath, type Config, databaseAddress, mediaAddress, siteOf } from '../base/config.ts'
import type { MediaStore } from '../store/media/media-store.ts'
import type { Database } from '../store/storage/database.ts'
import { type FeatureTables, type KeepsTables, listFeatureTables } from '../store/storage/migration.ts'
import { openCalendar } from '../store/storage/open-database.ts'
import { readOwnerSettings, withOwnerSettings } from '../store/storage/owner-settings.ts'
import type { CalendarGround } from './ground.ts'

// Opens the calendar for commands.

/**
 * The calendar that the settings name. `failure` returns the cause of the last failure of the media store,
 * which its rejections do not carry.
 */
export interface CalendarPlaces {
  /** The address of the database. */
  database: string
  tables: readonly FeatureTables[]
  media: MediaStore
  failure: () => Error | undefined
}

/** The calendar of the settings, and where its images lie. */
export interface RestorePlaces extends CalendarPlaces {
  mediaPlace: string
  /**
   * A file that has to be there already, because no setting names its place: a calendar in the working
   * folder, say.
   */
  assumed: string | undefined
}

/**
 * The database and the media store that commands work on. `failure` returns the cause of the last failure of
 * the store, which its rejections do not carry.
 */
export interface OpenedMedia {
  database: Database
  store: MediaStore
  failure: () => Error | undefined
}

export async function openMedia(config: Config, features: readonly KeepsTables[]): Promise<OpenedMedia> {
  const { media, failure } = await findRestorePlaces(config, features)
  return { database: await openCalendar(config, features), store: media, failure }
}

/**
 * Returns the places of the database and the images, for backup and restore. The database is not opened, and
 * no folder is made.
 */
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

/**
 * Opens the calendar with its images and the settings of its owner, for imports to write to and exports to
 * read.
 */
export async function openGround(started: Config, features: readonly KeepsTables[]): Promise<CalendarGround> {
  const { database, store } = await openMedia(started, features)
  const config = withOwnerSettings(started, await readOwnerSettings(database.read))
  const site = siteOf(config, config.port)
  const { imagesOf } = await import('../store/media/open-media-store.ts')
  return { database, images: imagesOf(config, store, site), site }
}
