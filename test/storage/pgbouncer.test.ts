import { deepEqual, equal, rejects } from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../src/store/storage/database.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { DatabaseUnavailable } from '../../src/store/storage/unavailable.ts'
import { administer, databaseName, SERVER, scratchDatabase } from '../support/database.ts'
import { pluck } from '../support/lists.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { touch } from '../support/recording.ts'
import { onDay, startService } from '../support/service.ts'
import { happensWithin, until } from '../support/waiting.ts'

// A pooler gives each transaction another session, so only the connection that listens may rely on its
// session.

const isPossible = databaseName() === 'postgres' && hasPgBouncer
const pooled = {
  skip:
    !isPossible && (hasPgBouncer ? 'on PostgreSQL' : 'there is no PgBouncer here; apt-get install pgbouncer'),
}

/** Fewer sessions than clients, so that clients share them. */
const SESSIONS = 3

let direct: string
let remove: () => Promise<void>
let bouncer: PgBouncer
let address: string

before(async () => {
  if (!isPossible) return
  ;({ address: direct, remove } = await scratchDatabase())
  bouncer = await startPgBouncer(process.env[SERVER] ?? '', SESSIONS)
  address = bouncer.through(direct)
  const database = await openDatabase(address)
  await migrate(database)
  await database.close()
})

after(async () => {
  if (!isPossible) return
  await remove()
  await bouncer.close()
})

async function open(t: TestContext, parameters = ''): Promise<Database> {
  const database = await openDatabase(address + parameters)
  t.after(() => database.close())
  return database
}

test('the interface works through a pooler, with many clients at once', pooled, async () => {
  await using service = await startService({ database: address })
  const event = { title: 'Ball', ...onDay('2031-05-01', '20:00:00', '22:00:00'), tags: ['waltz'] }
  const made = await Promise.all(
    Array.from({ length: 12 }, () => service.post('/events', { ...event, venue: { venue: 'Old Mill' } })),
  )
  deepEqual(
    made.map(({ status }) => status),
    made.map(() => 201),
  )
  equal(new Set(made.map(({ body }) => body.slug)).size, 12)
  equal(new Set(made.map(({ body }) => body.venue.id)).size, 1)
  const [first, second] = made.map(({ body }) => body.id as number)
  equal((await service.put(`/events/${first}`, { title: 'Masked Ball', tags: ['masks'] })).status, 200)
  equal((await service.remove(`/events/${second}`)).status, 200)
  equal((await service.get('/events?start_date=2031-01-01&end_date=2031-12-31&per_page=20')).body.total, 11)
  const { body: found } = await service.get('/events?start_date=2031-01-01&end_date=2031-12-31&search=masked')
  deepEqual(pluck(found.events, 'id'), [first])
  equal((await service.get(`/events/${first}`)).body.title, 'Masked Ball')
  const { body: tags } = await service.get('/tags')
  deepEqual(pluck(tags.tags, 'slug', 'count'), [
    ['masks', 1],
    ['waltz', 10],
  ])
  equal((await service.post('/events', { title: 'No date' })).status, 400)
  equal((await service.post('/events', event, 'subscriber')).status, 403)
})

test('nothing is left behind in the sessions of a pooler', pooled, async (t) => {
  const database = await open(t)
  let isListening = false
  database.onChange(() => {
    isListening = true
  })
  await until(() => isListening, 'nobody listens')
  // Often enough that, without a pooler, the statements would be kept in the session.
  for (let i = 0; i < 20; i++)
    await Promise.all([1, 2, 3].map((record) => database.write((tx) => touch(tx, 'event', record))))
  const states = await Promise.all(
    Array.from({ length: SESSIONS * 2 }, async () => {
      const { rows } = await sql<{ state: string }>`
        select name as state from pg_prepared_statements
        union all select pg_listening_channels()
        union all select name from pg_settings where source = 'session' and name not in ('application_name',
          'client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings')
      `.execute(database.read)
      return rows.map(({ state }) => state)
    }),
  )
  deepEqual(
    states,
    states.map(() => []),
  )
})

test('through a pooler nodes see changes of each other by looking', pooled, async (t) => {
  const [one, other] = [await open(t), await open(t)]
  let heard = 0
  other.onChange(() => heard++)
  await until(() => heard > 0, 'nobody listens')
  // Other changes may be noticed by chance, but not every time.
  await until(async () => {
    heard = 0
    await administer(direct, `notify kalends_changes, 'somebody'`)
    return !(await happensWithin(400, () => heard > 0))
  }, 'notifications get through')
  for (let record = 1; record <= 5; record++) {
    heard = 0
    await one.write((tx) => touch(tx, 'event', record))
    await until(() => heard > 0, 'it was not noticed')
  }
})

test('with the parameter listen, notifications come past the pooler', pooled, async (t) => {
  const [one, other] = [await open(t), await open(t, `?listen=${new URL(direct).host}`)]
  let heard = 0
  other.onChange(() => heard++)
  await until(() => heard > 0, 'nobody listens')
  await until(async () => {
    heard = 0
    await administer(direct, `notify kalends_changes, 'somebody'`)
    return happensWithin(400, () => heard > 0)
  }, 'notifications do not get through')
  heard = 0
  await one.write((tx) => touch(tx, 'event', 1))
  await until(() => heard > 0, 'it was not noticed')
  await rejects(openDatabase(`${address}?listen=a/b`), /takes HOST:PORT as listen, not "a\/b"\.$/)
})

test('a statement that takes too long is stopped on the server through a pooler, too', pooled, async (t) => {
  const database = await open(t, '?statement_ms=1000')
  await rejects(sql`select pg_sleep(600)`.execute(database.read), DatabaseUnavailable)
  const countRunning = async () => {
    const { rows } = await sql`
      select from pg_stat_activity where state = 'active' and query like '%pg_sleep(600)%'
        and pid <> pg_backend_pid()
        and datname = current_database()`.execute(database.read)
    return rows.length
  }
  await until(async () => (await countRunning()) === 0, 'it goes on')
})
