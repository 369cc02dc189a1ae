import { sql } from 'kysely'
import { columnTypes, type Migration } from '../migration.ts'

/** The settings that owners change while the service runs. */
export const ownerSettings: Migration = {
  name: '0037-owner-settings',
  up: async (db) => {
    const { text } = columnTypes(db)
    await sql.raw(`create table owner_settings (name ${text} primary key, value ${text} not null)`).execute(db)
  },
}
