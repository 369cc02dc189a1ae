// Migrates the database at an address and prints the names of the migrations that ran: node
// test/storage/migrating-process.ts ADDRESS

import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'

const database = await openDatabase(process.argv[2] ?? '')
const { ran } = await migrate(database)
await database.close()
process.stdout.write(`${ran.join(' ') || 'nothing'}\n`)
