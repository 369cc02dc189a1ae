import { sql } from 'kysely'
import { columnTypes, type Migration } from '../migration.ts'

/** Presented records say where an image goes, and have the members of some events alone apart. Those of older versions are of another form. */
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
