import { deepEqual, equal } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { onPostgres, scratchPostgres } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type ServiceProcess, startServiceProcess } from '../support/processes.ts'
import { makeCalendar } from '../support/service.ts'
import { until } from '../support/waiting.ts'

// Follows docs/production-details.md, except for pg_basebackup, which the test server lacks: the standby
// starts from
// copied files.

async function ask(address: string, text: string): Promise<string> {
  const client = new Client(address)
  await client.connect()
  try {
    const { rows } = await client.query({ text, rowMode: 'array' })
    return String(rows[0]?.[0])
  } finally {
    await client.end()
  }
}

async function makeFollow(server: PostgresServer, other: PostgresServer): Promise<string> {
  const { port } = new URL(other.address())
  await ask(
    server.address(),
    `alter system set primary_conninfo = 'host=127.0.0.1 port=${port} user=kalends'`,
  )
  return join(await ask(server.address(), 'show data_directory'), 'standby.signal')
}

async function serve(database: string): Promise<ServiceProcess> {
  const data = temporaryFolder()
  const follows = `select count(*) from pg_stat_replication where state = 'streaming'`
  await until(async () => (await ask(database, follows)) === '1', 'the standby does not follow')
  return startServiceProcess({ database, data })
}

async function makeVenue(service: ServiceProcess, venue: string): Promise<number> {
  return (await service.send('admin', 'POST', '/venues', { venue })).status
}

async function venuesOf(service: ServiceProcess): Promise<string[]> {
  const { body } = await service.send('anonymous', 'GET', '/venues?per_page=50')
  return body.venues.map(({ venue }: { venue: string }) => venue).sort()
}

test(
  'a standby takes the place of the database, and both go back, with every write',
  onPostgres,
  async (t) => {
    const first = await startPostgres()
    t.after(() => first.close())
    const { address: database } = await scratchPostgres(first.address())
    await makeCalendar(database)
    const second = await first.startStandby()
    t.after(() => second.close())
    const other = second.address(new URL(database).pathname.slice(1))

    const before = await serve(database)
    equal(await makeVenue(before, 'On the first'), 201)
    await before.end()
    const signal = await makeFollow(first, second)
    await first.halt('fast')
    equal(await ask(other, 'select pg_promote()'), 'true')
    writeFileSync(signal, '')
    await first.start()

    const meanwhile = await serve(other)
    equal(await makeVenue(meanwhile, 'On the second'), 201)
    await meanwhile.end()
    const signalBack = await makeFollow(second, first)
    await second.halt('fast')
    equal(await ask(database, 'select pg_promote()'), 'true')
    writeFileSync(signalBack, '')
    await second.start()

    const back = await serve(database)
    equal(await makeVenue(back, 'On the first again'), 201)
    deepEqual(await venuesOf(back), ['On the first', 'On the first again', 'On the second'])
    await back.end()
  },
)
