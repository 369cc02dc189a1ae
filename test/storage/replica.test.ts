import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { readConfig, replicaAddress } from '../../src/config.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { readFromReplica } from '../../src/storage/postgres-replica.ts'
import { databaseName, scratchPostgres } from '../support/database.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type SentAnswer, type ServiceProcess, startServiceProcess } from '../support/processes.ts'
import { addUsers, type Reader } from '../support/service.ts'

// Two processes serve one database that a standby follows: what anybody may see is read there, but only while it is up to date.

const onPostgres = { skip: databaseName() !== 'postgres' && 'on PostgreSQL' }

let primary: PostgresServer
let standby: PostgresServer
let addresses: { database: string; replica: string }
let onPrimary: Client
let folder: string
let nodes: [ServiceProcess, ServiceProcess]

before(async () => {
  if (onPostgres.skip) return
  primary = await startPostgres()
  const { address: database } = await scratchPostgres(primary.address())
  standby = await primary.startStandby()
  addresses = { database, replica: standby.address(new URL(database).pathname.slice(1)) }
  await prepare()
  onPrimary = await connect(database)
  folder = await mkdtemp(join(tmpdir(), 'kalends-replica-'))
  const settings = { database, database_read: addresses.replica, data: folder }
  nodes = await Promise.all([startServiceProcess(settings), startServiceProcess(settings)])
})

after(async () => {
  if (onPostgres.skip) return
  await Promise.all(nodes.map((node) => node.end()))
  await onPrimary.end()
  await standby.close()
  await primary.close()
  await rm(folder, { recursive: true, force: true })
})

async function prepare(): Promise<void> {
  const database = await openDatabase(addresses.database)
  await migrate(database)
  await addUsers({ database })
  await database.close()
}

async function connect(address: string): Promise<Client> {
  const client = new Client(address)
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Asks the standby something over a connection of its own. */
async function askStandby<Row extends object>(text: string): Promise<Row[]> {
  const client = await connect(addresses.replica)
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

let asked = 0

/** Reads a venue by an address that nobody has asked for before, so that a database has to answer. */
async function readVenue(id: number, as: Reader = 'anonymous', [node] = nodes): Promise<SentAnswer> {
  return node.send(as, 'GET', `/venues/${id}?asked=${asked++}`)
}

const LAST_READ = `select coalesce(max(query_start), 'epoch') as at from pg_stat_activity
  where application_name = 'kalends' and query like '%from "venues"%'`

/** Which servers are asked for a venue by a request. */
async function askedBy(request: () => Promise<SentAnswer>): Promise<string[]> {
  const lastReads = async () => {
    const [there] = await askStandby<{ at: Date }>(LAST_READ)
    const [here] = (await onPrimary.query<{ at: Date }>(LAST_READ)).rows
    return { primary: Number(here?.at), standby: Number(there?.at) }
  }
  await sleep(2)
  const since = Date.now()
  assert.equal((await request()).status, 200)
  return Object.entries(await lastReads()).flatMap(([name, at]) => (at >= since ? [name] : []))
}

/** Waits until public reads go to the standby; how long that took. */
async function untilUsed(id: number): Promise<number> {
  const start = performance.now()
  while (`${await askedBy(() => readVenue(id))}` !== 'standby') {
    assert.ok(performance.now() - start < 5000, 'the standby is not used')
    await sleep(20)
  }
  return performance.now() - start
}

async function makeVenue(name: string): Promise<number> {
  const { status, body } = await nodes[0].send('admin', 'POST', '/venues', { venue: name })
  assert.equal(status, 201)
  return body.id
}

async function rename(id: number, name: string, [node] = nodes): Promise<void> {
  // The standby would refuse to write.
  assert.equal((await node.send('admin', 'PUT', `/venues/${id}`, { venue: name })).status, 200)
}

test('anonymous reads go to the standby, those of users and writes to the database', onPostgres, async () => {
  const id = await makeVenue('Old Mill')
  await untilUsed(id)
  assert.deepEqual(await askedBy(() => readVenue(id)), ['standby'])
  assert.deepEqual(await askedBy(() => readVenue(id, 'admin')), ['primary'])
})

test('what a node has written shows at once in anonymous reads there, kept or not', onPostgres, async () => {
  const id = await makeVenue('Version 0')
  await untilUsed(id)
  for (let version = 1; version <= 50; version++) {
    await rename(id, `Version ${version}`)
    assert.equal((await readVenue(id)).body.venue, `Version ${version}`)
    const { body } = await nodes[0].send('anonymous', 'GET', `/venues/${id}`)
    assert.equal(body.venue, `Version ${version}`)
    // Now and then the standby has caught up before the next write.
    await sleep(version % 5 === 0 ? 30 : 0)
  }
})

test(
  'while the standby replays nothing, the database answers, and afterwards the standby again',
  onPostgres,
  async () => {
    const id = await makeVenue('Before')
    await untilUsed(id)
    await askStandby('select pg_wal_replay_pause()')
    await rename(id, 'After')
    for (let i = 0; i < 20; i++) {
      assert.equal((await readVenue(id)).body.venue, 'After')
      assert.equal((await nodes[0].send('anonymous', 'GET', `/venues/${id}`)).body.venue, 'After')
      await sleep(10)
    }
    assert.deepEqual(await askedBy(() => readVenue(id)), ['primary'])
    await askStandby('select pg_wal_replay_resume()')
    await untilUsed(id)
    assert.equal((await readVenue(id)).body.venue, 'After')
  },
)

test('with a standby that is slow, no node ever goes back to what was before', onPostgres, async () => {
  const id = await makeVenue('Version 0')
  await askStandby(`alter system set recovery_min_apply_delay = '15ms'`)
  await askStandby('select pg_reload_conf()')
  await untilUsed(id)
  let isGoing = true
  const readers = nodes.flatMap((node) =>
    [`/venues/${id}`, '/venues?search=Version', ''].map(async (path) => {
      let latest = 0
      while (isGoing) {
        const { body } = await node.send('anonymous', 'GET', path || `/venues/${id}?asked=${asked++}`)
        const [venue = body] = (body.venues ?? []).filter((one: { id: number }) => one.id === id)
        const version = Number(venue.venue.slice('Version '.length))
        assert.ok(version >= latest, `${version} after ${latest}`)
        latest = version
        await sleep(1)
      }
    }),
  )
  const writes = 60
  for (let version = 1; version <= writes; version++) {
    await rename(id, `Version ${version}`, version % 2 ? [nodes[1], nodes[0]] : nodes)
    const written = performance.now()
    for (const node of nodes) {
      const name = async () => (await node.send('anonymous', 'GET', `/venues/${id}`)).body.venue
      while ((await name()) !== `Version ${version}`)
        assert.ok(performance.now() - written < 100, 'not seen after 100 ms')
    }
    await sleep((version % 4) * 10)
  }
  isGoing = false
  await Promise.all(readers)
  await askStandby('alter system reset recovery_min_apply_delay')
  await askStandby('select pg_reload_conf()')
  await untilUsed(id)
})

/** Anonymous clients that read for as long as they are left to; the longest that any of them waited, in ms. */
function readOn(id: number): () => Promise<number> {
  let isGoing = true
  const clients = [1, 2, 3, 4].map(async () => {
    let longest = 0
    while (isGoing) {
      const start = performance.now()
      const { status, body } = await readVenue(id)
      assert.deepEqual([status, body.id], [200, id])
      longest = Math.max(longest, performance.now() - start)
    }
    return longest
  })
  return async () => {
    isGoing = false
    return Math.max(...(await Promise.all(clients)))
  }
}

test(
  'the standby stops under load: reads go on without an error, and it is used again once it is back',
  onPostgres,
  async () => {
    const id = await makeVenue('Still there')
    for (const how of ['fast', 'immediate'] as const) {
      await untilUsed(id)
      const stop = readOn(id)
      await sleep(200)
      await standby.halt(how)
      await sleep(300)
      assert.ok((await stop()) < 1000)
      await rename(id, `Still there after ${how}`)
      // The log of the database now ends where a file of it begins, and nothing is written that would move it on.
      await onPrimary.query('select pg_switch_wal()')
      await standby.start()
      await untilUsed(id)
      assert.equal((await readVenue(id)).body.venue, `Still there after ${how}`)
    }
  },
)

test('a standby that falls silent keeps nobody waiting for more than a few seconds', onPostgres, async () => {
  const id = await makeVenue('Silent')
  await untilUsed(id)
  const processes = await askStandby<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'kalends'`,
  )
  const [settings] = await askStandby<{ folder: string }>(`select current_setting('data_directory') as folder`)
  const [postmaster = ''] = readFileSync(join(settings?.folder ?? '', 'postmaster.pid'), 'utf8').split('\n')
  const pids = [Number(postmaster), ...processes.map(({ pid }) => pid)]
  const signal = (name: NodeJS.Signals) => pids.map((pid) => process.kill(pid, name))
  signal('SIGSTOP')
  try {
    const start = performance.now()
    assert.equal((await readVenue(id)).status, 200)
    assert.ok(performance.now() - start < 4000)
    const next = performance.now()
    assert.equal((await readVenue(id)).status, 200)
    assert.ok(performance.now() - next < 500)
  } finally {
    signal('SIGCONT')
  }
  await untilUsed(id)
})

test('a server that does not follow the database is not used, and the reason is given once', onPostgres, async (t) => {
  const other = await scratchPostgres(primary.address())
  t.after(other.remove)
  for (const [replica, why] of [
    [addresses.database, 'it follows no other server.'],
    [other.address, 'it does not follow this database.'],
    ['postgres://kalends:secret@127.0.0.1:1/x', 'connect ECONNREFUSED 127.0.0.1:1.'],
  ] as const) {
    const reports: string[] = []
    const plain = await openDatabase(addresses.database)
    const database: Database = readFromReplica(plain, replica, (error) => reports.push(String(error)))
    for (let i = 0; i < 30; i++) {
      await database.readPublic().selectFrom('venues').select('id').execute()
      await sleep(50)
    }
    assert.equal(database.readPublic(), plain.read)
    await database.close()
    const shown = replica.replace(':secret', '')
    assert.deepEqual(reports, [`Error: The replica ${shown} is not used: ${why}`])
  }
})

test('a replica goes with PostgreSQL only', () => {
  const replica = { database_read: 'postgres://replica/calendar' }
  const goesWith = (database: string) => replicaAddress(readConfig({ ...replica, database }, {}))
  assert.throws(
    () => goesWith('sqlite:calendar.sqlite'),
    /^Error: KALENDS_DATABASE_READ goes with a PostgreSQL database/,
  )
  assert.throws(() => goesWith(''), /KALENDS_DATABASE_READ/)
  assert.equal(goesWith('postgresql://database/calendar'), 'postgres://replica/calendar')
  assert.equal(replicaAddress(readConfig({}, {})), undefined)
})
