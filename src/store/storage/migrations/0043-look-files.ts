import { sql } from 'kysely'
import { columnTypes, type Migration } from '../migration.ts'

/** The files that owners set for the look: logo, icon, picture and font. */
export const lookFiles: Migration = {
  name: '0043-look-files',
  up: async (db) => {
    const { text } = columnTypes(db)
    await sql.raw(`create table look_files (name ${text} primary key, content ${text} not null)`).execute(db)
  },
}
