import { sql } from 'kysely'
import { columnTypes, type Migration } from '../migration.ts'

/** What is stored presented says where an image goes, and has the members of some events alone apart. What older versions stored is of another form. */
export const partsOfPresented: Migration = {
  name: '0035-parts-of-presented',
  up: async (db) => {
    for (const change of [
      'rename column own to members',
      'add column image_at integer not null default 0',
      `add column rare ${columnTypes(db).text} not null default ''`,
    ])
      await sql.raw(`alter table presented_records ${change}`).execute(db)
  },
}
