// Writes to a database with several writers at once and prints the records of each acknowledged write:
//   node test/storage/writing-process.ts ADDRESS WRITERS WRITES [RECORDS]
// Each write creates a record. With RECORDS, it changes two of that many records instead, in either order.
import { openDatabase } from '../../src/store/storage/open-database.ts'
import type { Tx } from '../../src/store/storage/recording.ts'
import { touch } from '../support/recording.ts'

const [address = '', writers = '1', writes = '1', records] = process.argv.slice(2)
const database = await openDatabase(address)
let drawn = 1

/** Draws a number from 1 to `most`: the same sequence in each process (a Lehmer generator). */
function draw(most: number): number {
  drawn = (drawn * 48_271) % 2_147_483_647
  return 1 + (drawn % most)
}

async function makeRecord(tx: Tx): Promise<string> {
  const { id } = await tx
    .insertInto('records')
    .values({ kind: 'event' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await touch(tx, 'event', id)
  return String(id)
}

async function changeTwo(tx: Tx): Promise<string> {
  const changed = [...new Set([draw(Number(records)), draw(Number(records))])]
  for (const record of changed) await touch(tx, 'event', record)
  return changed.join(' ')
}

async function write(): Promise<void> {
  for (let i = 0; i < Number(writes); i++)
    process.stdout.write(`${await database.write(records === undefined ? makeRecord : changeTwo)}\n`)
}

await Promise.all(Array.from({ length: Number(writers) }, write))
await database.close()
