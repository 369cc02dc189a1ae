import { deepEqual, equal } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  freeFileCopy,
  freeSchemaCopy,
  listFileCopies,
  listSchemaCopies,
} from '../../src/features/transfer/replace-database.ts'
import { onPostgres, onSqlite } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { pluck } from '../support/lists.ts'
import { openScratch } from './open.ts'

const NOON = Date.UTC(2027, 4, 1, 12)

test('the newest copy of a second is the last, also when an older one was put back', onSqlite, async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'kalends.sqlite')
  const copy = (end: string) => `${file}.before-restore${end}`
  for (const end of ['', '-2027-05-01T120000Z', '-2027-05-01T120000Z-3']) await writeFile(copy(end), '')
  equal(freeFileCopy(file, NOON), copy('-2027-05-01T120000Z-4'))
  for (const end of ['-2027-05-01T120000Z-10', '-2027-05-01T120000Z-11-wal']) await writeFile(copy(end), '')
  equal(freeFileCopy(file, NOON), copy('-2027-05-01T120000Z-12'))
  equal(freeFileCopy(file, NOON + 1000), copy('-2027-05-01T120001Z'))
  const ends = ['', '-2027-05-01T120000Z', '-2027-05-01T120000Z-3', '-2027-05-01T120000Z-10']
  deepEqual(pluck(listFileCopies(file), 'name'), ends.map(copy))
})

test('the newest copy of a second is the last, also when an older schema was back', onPostgres, async (t) => {
  const { database } = await openScratch(t)
  const make = (name: string) =>
    database.migrate(async (tx) => {
      await sql.raw(`create schema ${name}`).execute(tx)
    })
  for (const end of ['', '_20270501t120000z', '_20270501t120000z_3']) await make(`before_restore${end}`)
  equal(await freeSchemaCopy(database.read, NOON), 'before_restore_20270501t120000z_4')
  await make('before_restore_20270501t120000z_10')
  equal(await freeSchemaCopy(database.read, NOON), 'before_restore_20270501t120000z_11')
  equal(await freeSchemaCopy(database.read, NOON + 1000), 'before_restore_20270501t120001z')
  const ends = ['', '_20270501t120000z', '_20270501t120000z_3', '_20270501t120000z_10']
  deepEqual(
    (await listSchemaCopies(database.read)).map(({ name }) => name),
    ends.map((end) => `before_restore${end}`),
  )
})
