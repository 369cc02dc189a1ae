import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createConnection as connectTo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { readConfig, replicaAddress } from '../../src/base/config.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { readFromReplica } from '../../src/store/storage/postgres/postgres-replica.ts'
import { onPostgres, scratchPostgres } from '../support/database.ts'
import { startLoggedService } from '../support/logged-service.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type SentAnswer, type ServiceProcess, startServiceProcess } from '../support/processes.ts'
import { makeCalendar, type Reader } from '../support/service.ts'
import { until } from '../support/waiting.ts'

// A service uses a standby for public reads while the standby is up to date. Any notification of a change, even of an old one, takes it out of use for some ms,
// so a single read proves nothing.

let primary: PostgresServer
let standby: PostgresServer
let addresses: { database: string; replica: string }
let onPrimary: Client
let folder: string
let node: ServiceProcess

before(async () => {
  if (onPostgres.skip) return
  primary = await startPostgres()
  const { address: database } = await scratchPostgres(primary.address())
  standby = await primary.startStandby()
  addresses = { database, replica: standby.address(new URL(database).pathname.slice(1)) }
  await makeCalendar(database)
  onPrimary = await connect(database)
  folder = await mkdtemp(join(tmpdir(), 'kalends-replica-'))
  node = await startServiceProcess({ database, database_read: addresses.replica, data: folder })
})

after(async () => {
  if (onPostgres.skip) return
  await node.end()
  await onPrimary.end()
  await standby.close()
  await primary.close()
  await rm(folder, { recursive: true, force: true })
})

async function connect(address: string): Promise<Client> {
  const client = new Client(address)
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Queries the standby over a new connection. */
async function askStandby<Row extends object>(text: string): Promise<Row[]> {
  const client = await connect(addresses.replica)
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

let asked = 0

/** Reads a venue with a new query, so that no cached answer is used. */
async function readVenue(id: number, as: Reader = 'anonymous'): Promise<SentAnswer> {
  return node.send(as, 'GET', `/venues/${id}?asked=${asked++}`)
}

/** Returns true when the service queries the standby, other than for its state, while a request is answered. */
async function isAnsweredByStandby(request: () => Promise<SentAnswer>): Promise<boolean> {
  await sleep(2)
  const since = Date.now()
  assert.equal((await request()).status, 200)
  const [last] = await askStandby<{ at: Date | null }>(`
    select max(query_start) as at from pg_stat_activity
    where application_name = 'kalends' and query not like '%pg_postmaster_start_time%'`)
  return Number(last?.at) >= since
}

/** Waits until public reads use the standby. */
async function untilUsed(id: number): Promise<void> {
  await until(() => isAnsweredByStandby(() => readVenue(id)), 'the standby is not used', 20)
}

/** Waits until a request was answered without the standby although the standby was in use before and after. */
async function untilPassedOver(id: number, request: () => Promise<SentAnswer>): Promise<void> {
  await until(
    async () => {
      await untilUsed(id)
      return !(await isAnsweredByStandby(request)) && (await isAnsweredByStandby(() => readVenue(id)))
    },
    'the standby answers',
    20,
  )
}

/** Stops the standby from applying changes. */
async function pauseReplay(): Promise<void> {
  await askStandby('select pg_wal_replay_pause()')
  const isPaused = async () => {
    const [row] = await askStandby<{ state: string }>('select pg_get_wal_replay_pause_state() as state')
    return row?.state === 'paused'
  }
  await until(isPaused, 'the standby goes on')
}

async function makeVenue(name: string): Promise<number> {
  const { status, body } = await node.send('admin', 'POST', '/venues', { venue: name })
  assert.equal(status, 201)
  return body.id
}

async function rename(id: number, name: string): Promise<SentAnswer> {
  const answer = await node.send('admin', 'PUT', `/venues/${id}`, { venue: name })
  assert.equal(answer.status, 200)
  return answer
}

test('anonymous reads go to the standby, those of users and writes to the database', onPostgres, async () => {
  const id = await makeVenue('Old Mill')
  for (let i = 0; i < 3; i++) await untilPassedOver(id, () => readVenue(id, 'admin'))
  for (let i = 0; i < 3; i++) {
    await untilUsed(id)
    await until(async () => !(await isAnsweredByStandby(() => rename(id, `Mill ${i}`))), 'a write asks the standby', 20)
  }
})

test('what a node has written shows at once in anonymous reads there, kept or not', onPostgres, async () => {
  const id = await makeVenue('Version 0')
  await untilUsed(id)
  for (let version = 1; version <= 30; version++) {
    await rename(id, `Version ${version}`)
    assert.equal((await readVenue(id)).body.venue, `Version ${version}`)
    const { body } = await node.send('anonymous', 'GET', `/venues/${id}`)
    assert.equal(body.venue, `Version ${version}`)
    // Now and then, lets the standby catch up before the next write.
    await sleep(version % 5 === 0 ? 30 : 0)
  }
})

test(
  'while the standby replays nothing, the database answers, and afterwards the standby again',
  onPostgres,
  async (t) => {
    const id = await makeVenue('Before')
    await untilUsed(id)
    t.after(() => askStandby('select pg_wal_replay_resume()'))
    await pauseReplay()
    await rename(id, 'After')
    for (let i = 0; i < 20; i++) {
      assert.equal((await readVenue(id)).body.venue, 'After')
      assert.equal((await node.send('anonymous', 'GET', `/venues/${id}`)).body.venue, 'After')
      await sleep(10)
    }
    await until(async () => !(await isAnsweredByStandby(() => readVenue(id))), 'the standby is used')
    await askStandby('select pg_wal_replay_resume()')
    await untilUsed(id)
    assert.equal((await readVenue(id)).body.venue, 'After')
  },
)

test('with a standby that is slow, whoever asks after a write was acknowledged is shown it', onPostgres, async (t) => {
  const id = await makeVenue('Version 0')
  await askStandby(`alter system set recovery_min_apply_delay = '15ms'`)
  await askStandby('select pg_reload_conf()')
  t.after(async () => {
    await askStandby('alter system reset recovery_min_apply_delay')
    await askStandby('select pg_reload_conf()')
  })
  await untilUsed(id)
  const versionIn = ({ body }: SentAnswer): number => {
    const [venue = body] = (body.venues ?? []).filter((one: { id: number }) => one.id === id)
    return Number(venue.venue.slice('Version '.length))
  }
  let acknowledged = 0
  const writes = 24
  const readers = [`/venues/${id}`, '/venues?search=Version', ''].map(async (path) => {
    while (acknowledged < writes) {
      const least = acknowledged
      const answer = await node.send('anonymous', 'GET', path || `/venues/${id}?asked=${asked++}`)
      assert.ok(versionIn(answer) >= least, `${versionIn(answer)} after ${least}`)
      await sleep(3)
    }
  })
  const writer = async () => {
    for (let version = 1; version <= writes; version++) {
      await rename(id, `Version ${version}`)
      acknowledged = version
      // Now and then, lets the standby catch up before the next write.
      await sleep((version % 4) * 20)
    }
  }
  await Promise.all([writer(), ...readers])
  await untilUsed(id)
  for (const path of [`/venues/${id}`, '/venues?search=Version'])
    assert.equal(versionIn(await node.send('anonymous', 'GET', path)), writes)
})

/** Starts four anonymous clients that read until stopped. */
function readOn(id: number) {
  let isGoing = true
  let answers = 0
  const clients = [1, 2, 3, 4].map(async () => {
    while (isGoing) {
      const { status, body } = await readVenue(id)
      assert.deepEqual([status, body.id], [200, id])
      answers++
    }
  })
  // `stop` reports a failure.
  for (const client of clients) client.catch(() => undefined)
  return {
    /** Waits for so many more answers. */
    answered: async (more: number) => {
      const enough = answers + more
      await until(() => answers >= enough, 'they are not answered')
    },
    stop: async () => {
      isGoing = false
      await Promise.all(clients)
    },
  }
}

test(
  'the standby stops under load: reads go on without an error, and it is used again once it is back',
  onPostgres,
  async () => {
    const id = await makeVenue('Still there')
    for (const how of ['fast', 'immediate'] as const) {
      await untilUsed(id)
      const clients = readOn(id)
      await clients.answered(40)
      await standby.halt(how)
      await clients.answered(40)
      await clients.stop()
      await rename(id, `Still there after ${how}`)
      // The log now ends at the start of a file, and nothing is written to move it on.
      await onPrimary.query('select pg_switch_wal()')
      await standby.start()
      await untilUsed(id)
      assert.equal((await readVenue(id)).body.venue, `Still there after ${how}`)
    }
  },
)

test('the log and the metrics say that the standby is away, and that it is back, once each', onPostgres, async (t) => {
  const data = await mkdtemp(join(tmpdir(), 'kalends-replica-'))
  const { database, replica } = addresses
  const settings = { database, database_read: replica, data, metrics: '127.0.0.1:0', log_level: 'warn' }
  const service = await startLoggedService(settings)
  t.after(() => service.end().then(() => rm(data, { recursive: true, force: true })))
  const isUp = async (value: number) => {
    const shown = await (await fetch(service.metrics ?? '')).text()
    return shown.includes(`\nkalends_replica_up ${value}\n`)
  }
  const told = (end: string) => service.log().filter(({ msg }) => msg.endsWith(end)).length
  await until(() => isUp(1), 'the standby is away from the start')
  await standby.halt('fast')
  await until(() => isUp(0), 'the standby is not missed')
  const refused = new RegExp(`The replica ${replica} is not used: connect ECONNREFUSED`)
  await until(() => refused.test(service.printed()), 'the log does not miss the standby')
  assert.equal(told('is used again.'), 0)
  await standby.start()
  await until(() => isUp(1), 'the standby is still missed')
  await until(() => told(`The replica ${replica} is used again.`) > 0, 'the log says nothing of the return')
  const id = await makeVenue('After the return')
  await untilUsed(id)
  assert.equal(told('is used again.'), 1)
  assert.equal(service.printed().split('ECONNREFUSED 127').length, service.printed().split(refused).length)
})

test(
  'a standby that falls silent keeps nobody waiting for more than a few seconds, and only once',
  onPostgres,
  async () => {
    const id = await makeVenue('Silent')
    // Lets the regular look for changes pass: news during the test would take the standby out of use.
    await sleep(700)
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
      for (let i = 0; i < 20; i++) assert.equal((await readVenue(id)).status, 200)
    } finally {
      signal('SIGCONT')
    }
    await untilUsed(id)
  },
)

test(
  'a change that the log tells of before anybody announced it shows in whatever is asked afterwards',
  onPostgres,
  async (t) => {
    const id = await makeVenue('Unannounced')
    const plain = await openDatabase(addresses.database)
    const database = readFromReplica(
      plain,
      addresses.replica,
      () => undefined,
      () => undefined,
    )
    t.after(() => database.close())
    const since = await database.cursor()
    await until(() => database.readPublic() !== plain.read, 'the standby is not used')
    const reads = database.readPublic()
    const read = () => reads.selectFrom('venues').select('venue').where('id', '=', id).executeTakeFirst()
    assert.deepEqual(await read(), { venue: 'Unannounced' })

    t.after(() => askStandby('select pg_wal_replay_resume()'))
    await pauseReplay()
    await onPrimary.query(`
    begin; update venues set venue = 'Renamed' where id = ${id}; insert into changes (kind, record, sequence, was_public, is_public, deleted, changed_utc, "user") values ('venue', ${id}, 1, 1, 1, 0, '', 0)
      on conflict (kind, record) do update set position = excluded.position; commit`)
    const changes = await database.readChanges(since)
    assert.ok(changes !== 'too old' && changes.changes.some(({ record }) => record === id))
    assert.equal(database.readPublic(), plain.read)
    assert.deepEqual(await read(), { venue: 'Renamed' })
  },
)

/** Starts a proxy whose connections lead to two servers in turn. */
async function startSwitch(t: TestContext, first: string, second: string): Promise<string> {
  let connections = 0
  const proxy = createServer((socket) => {
    const { port } = new URL(connections++ % 2 === 0 ? first : second)
    const server = connectTo(Number(port), '127.0.0.1')
    socket.on('error', () => server.destroy()).pipe(server)
    server.on('error', () => socket.destroy()).pipe(socket)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  t.after(() => proxy.close())
  const address = new URL(first)
  address.port = String((proxy.address() as AddressInfo).port)
  return address.href
}

test(
  'a server that does not follow the database is not used, and the reason is given once in turn',
  onPostgres,
  async (t) => {
    const other = await scratchPostgres(primary.address())
    t.after(other.remove)
    const refused: [address: string, why: string][] = [
      [addresses.database, 'it follows no other server.'],
      [other.address, 'it does not follow this database.'],
      [await startSwitch(t, addresses.replica, addresses.database), 'another server answers at its address.'],
      ['postgres://kalends:secret@127.0.0.1:1/x', 'connect ECONNREFUSED 127.0.0.1:1.'],
    ]
    const tries = refused.map(async ([replica, why]) => {
      const reports: string[] = []
      const plain = await openDatabase(addresses.database)
      const database = readFromReplica(
        plain,
        replica,
        (error) => reports.push(String(error)),
        () => undefined,
      )
      await database.readPublic().selectFrom('venues').select('id').execute()
      const expected = `Error: The replica ${replica.replace(':secret', '')} is not used: ${why}`
      await until(() => reports.includes(expected), `${why} is not told`)
      // Waits for a second attempt.
      await sleep(1500)
      assert.equal(database.readPublic(), plain.read)
      await database.close()
      assert.ok(reports.every((report, i) => report !== reports[i - 1]))
    })
    await Promise.all(tries)
  },
)

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
