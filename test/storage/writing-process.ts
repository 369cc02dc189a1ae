// Writes to a database from several writers at once, printing the record of each write once it is acknowledged:
//   node test/storage/writing-process.ts ADDRESS WRITERS WRITES

import { recordChange } from '../../src/storage/database.ts'
import { openDatabase } from '../../src/storage/open-database.ts'

const [address = '', writers = '1', writes = '1'] = process.argv.slice(2)
const database = await openDatabase(address)

async function write(): Promise<void> {
  for (let i = 0; i < Number(writes); i++) {
    const id = await database.write(async (tx) => {
      const record = await tx.insertInto('records').values({ kind: 'event' }).returning('id').executeTakeFirstOrThrow()
      await recordChange(tx, 'event', record.id)
      return record.id
    })
    process.stdout.write(`${id}\n`)
  }
}

await Promise.all(Array.from({ length: Number(writers) }, write))
await database.close()
