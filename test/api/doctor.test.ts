import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '../../src/storage/open-database.ts'
import { databaseName, scratchDatabase } from '../support/database.ts'
import { programEnvironment } from '../support/environment.ts'
import { startLoggedService } from '../support/logged-service.ts'

const onSqlite = { skip: databaseName() !== 'sqlite' && 'on SQLite' }

/** A calendar that was served once, with its settings as flags. */
async function calendar(t: TestContext) {
  const data = mkdtempSync(join(tmpdir(), 'kalends-doctor-'))
  const scratch = await scratchDatabase()
  t.after(async () => {
    await scratch.remove()
    rmSync(data, { recursive: true, force: true })
  })
  const service = await startLoggedService({ database: scratch.address, data })
  const port = new URL(service.base).port
  await service.end()
  rmSync(join(data, 'first-password.txt'))
  return { data, address: scratch.address, port }
}

type Looked = {
  status: number | null
  findings: Map<string, { state: string; says: string; todo: string }[]>
  text: string
}

/** The findings of the doctor for these settings, by subject. */
function doctor(settings: Record<string, string>): Looked {
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, value])
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/kalends.js', ...flags, 'doctor'], {
    encoding: 'utf8',
    env: programEnvironment(),
  })
  assert.equal(stderr, '')
  const findings: Looked['findings'] = new Map()
  let last: { state: string; says: string; todo: string } | undefined
  for (const line of stdout.trimEnd().split('\n').slice(0, -1)) {
    const [, state = '', about = '', says = ''] = /^(ok|warning|error) {2,}(\w[\w ]*?) {2,}(.*)$/.exec(line) ?? []
    if (state === '' && last) last.todo += line.trim().replace(/^→ /, '')
    else {
      last = { state, says, todo: '' }
      findings.set(about, [...(findings.get(about) ?? []), last])
    }
  }
  return { status, findings, text: stdout }
}

/** The names, contents and modes of everything in a folder. */
function fingerprint(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stats = statSync(join(folder, name))
      const content = stats.isFile()
        ? createHash('sha1')
            .update(readFileSync(join(folder, name)))
            .digest('hex')
        : ''
      return `${name} ${stats.mode} ${stats.mtimeMs} ${content}`
    })
}

const stateOf = ({ findings }: Looked, about: string) => findings.get(about)?.map(({ state }) => state)

test('a calendar in order is found so, stopped and running, and nothing is changed by looking', async (t) => {
  const { data, address, port } = await calendar(t)
  const file = address.startsWith('sqlite:') ? join(address.slice('sqlite:'.length), '..') : undefined
  const settings = {
    database: address,
    data,
    port,
    site_url: 'https://calendar.example.org',
    trusted_proxy: '127.0.0.1',
  }
  const before = [fingerprint(data), file && fingerprint(file)]
  const looked = doctor(settings)
  assert.deepEqual([fingerprint(data), file && fingerprint(file)], before)
  assert.equal(looked.status, 0, looked.text)
  const abouts =
    'configuration,user,database,integrity,migrations,writing,administrators,clock,data folder,permissions,disk,media,port,site address,proxy'
  assert.equal([...looked.findings.keys()].join(), abouts)
  for (const about of abouts.split(',').filter((each) => each !== 'user' && each !== 'disk'))
    assert.deepEqual(stateOf(looked, about), ['ok'], `${about}: ${looked.text}`)
  assert.match(looked.text, /\n0 errors, \d warnings\.\n$/)

  const service = await startLoggedService({ ...settings })
  const running = doctor(settings)
  assert.equal(running.status, 0, running.text)
  assert.match(running.findings.get('port')?.[0]?.says ?? '', /^Kalends answers at/)
  await service.end()
})

test('each wrong setting is an error by its name, and then there is nothing else to look at', () => {
  const looked = doctor({ port: 'eighty', trusted_proxy: 'banana' })
  assert.equal(looked.status, 1)
  assert.deepEqual(stateOf(looked, 'configuration'), ['error', 'error'])
  assert.match(looked.text, /--port takes .*\n/)
  assert.match(looked.text, /--trusted-proxy takes .*"banana"/)
  assert.match(looked.text, /2 errors, 0 warnings\.\n$/)
})

test('what others may read, a password that lies about, and an address that is missing are warnings with what to do', async (t) => {
  const { data, address } = await calendar(t)
  chmodSync(data, 0o755)
  writeFileSync(join(data, 'first-password.txt'), 'x', { mode: 0o644 })
  const looked = doctor({ database: address, data, port: '0' })
  assert.equal(looked.status, 0, looked.text)
  const [folder, password] = looked.findings.get('permissions') ?? []
  assert.deepEqual([folder?.state, folder?.todo], ['warning', `chmod 700 ${data}`])
  assert.equal(password?.todo, `chmod 600 ${join(data, 'first-password.txt')}`)
  assert.deepEqual(stateOf(looked, 'first password'), ['warning'])
  assert.deepEqual(stateOf(looked, 'site address'), ['warning'])
  const public_ = doctor({ database: address, data, port: '0', site_url: 'https://calendar.example.org' })
  assert.match(public_.findings.get('proxy')?.[0]?.todo ?? '', /KALENDS_TRUSTED_PROXY/)
})

test('a database that is not there, or of another version, and a port that somebody else has are told', async (t) => {
  const { data, address } = await calendar(t)
  const other = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
  t.after(() => other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const bound = other.address()
  const port = String(typeof bound === 'object' && bound ? bound.port : 0)
  // The doctor looks from another process, which this one lets be answered.
  const missing = doctor({ data: join(data, 'nowhere'), port: '0', media: `file:${join(data, 'media')}` })
  assert.equal(missing.status, 1)
  assert.deepEqual(stateOf(missing, 'database'), ['error'])
  const sentence = `There is no database ${join(data, 'nowhere', 'kalends.sqlite')}. Start the service once (kalends serve), which makes it.`
  assert.equal(missing.findings.get('database')?.[0]?.says, sentence)
  assert.deepEqual(
    readdirSync(data),
    readdirSync(data).filter((name) => name !== 'nowhere'),
  )

  const taken = doctor({ database: address, data, port })
  assert.deepEqual([taken.status, stateOf(taken, 'port')], [1, ['error']])

  const database = await openDatabase(address)
  await sql`insert into migrations (name) values ('9999-later')`.execute(database.read)
  await database.close()
  const newer = doctor({ database: address, data, port: '0' })
  assert.deepEqual([newer.status, stateOf(newer, 'migrations')], [1, ['error']])
  assert.match(newer.findings.get('migrations')?.[0]?.says ?? '', /9999-later/)
})

test('a calendar whose administrators cannot sign in any more, and one that was changed in the future, are told', async (t) => {
  const { data, address } = await calendar(t)
  const database = await openDatabase(address)
  await database.write(async (tx) => {
    await tx.updateTable('credentials').set({ expires_utc: '2020-01-01 00:00:00' }).execute()
  })
  await database.close()
  const looked = doctor({ database: address, data, port: '0' })
  assert.deepEqual(stateOf(looked, 'administrators'), ['warning'])
  assert.match(looked.findings.get('administrators')?.[0]?.todo ?? '', /kalends password add/)
})

test('webhooks and imports that stand still, and a calendar that is held, are told with what to do', async (t) => {
  const { data, address } = await calendar(t)
  const database = await openDatabase(address)
  await database.write(async (tx) => {
    await sql`update editions set held = 1`.execute(tx)
    await sql`insert into import_schedules (id, name, words, every_seconds, next_utc, leased_utc, paused, failures, outcome)
      values (1, 'town', '[]', 3600, '', '', 0, 2, 'The source does not answer.'),
        (2, 'club', '[]', 3600, '', '', 1, 0, 'Too much was gone.'), (3, 'well', '[]', 3600, '', '', 0, 0, '')`.execute(
      tx,
    )
  })
  await database.write(async (tx) => {
    const hook = { events: '*', is_private: 0, secret: 'x', old_secret: '', old_secret_until_utc: '', created_utc: '' }
    const since = '2026-11-01 10:00:00'
    const rows = [
      { id: 1, url: 'https://a.example/', failing_since_utc: since, disabled_utc: '', disabled_why: '' },
      { id: 2, url: 'https://b.example/', failing_since_utc: '', disabled_utc: since, disabled_why: 'It was gone.' },
      { id: 3, url: 'https://c.example/', failing_since_utc: '', disabled_utc: '', disabled_why: '' },
    ]
    for (const row of rows)
      await tx
        .insertInto('webhooks')
        .values({ ...hook, ...row })
        .execute()
  })
  await database.close()
  const { findings, text } = doctor({ database: address, data, port: '0' })
  assert.match(findings.get('held')?.[0]?.todo ?? '', /kalends resume/, text)
  assert.deepEqual(
    findings.get('webhooks')?.map(({ says }) => says),
    [
      'https://a.example/ has taken no message since 2026-11-01 10:00:00.',
      'https://b.example/ is told nothing any more: It was gone.',
    ],
  )
  assert.deepEqual(
    findings.get('imports')?.map(({ says }) => says),
    ['town failed at its last run: The source does not answer.', 'club is paused: Too much was gone.'],
  )
})

test('a replica that does not answer is a warning, and so is one that follows nobody', {
  skip: databaseName() !== 'postgres' && 'on PostgreSQL',
}, async (t) => {
  const { data, address } = await calendar(t)
  const looked = doctor({ database: address, database_read: 'postgres://x:secret@127.0.0.1:1/x', data, port: '0' })
  assert.deepEqual(stateOf(looked, 'replica'), ['warning'], looked.text)
  assert.doesNotMatch(looked.text, /secret/)
  const primary = doctor({ database: address, database_read: address, data, port: '0' })
  assert.match(primary.findings.get('replica')?.[0]?.says ?? '', /follows no other/)
})

test('searches without pg_trgm are told', { skip: databaseName() !== 'postgres' && 'on PostgreSQL' }, async (t) => {
  const { data, address } = await calendar(t)
  const database = await openDatabase(address)
  await sql`drop extension pg_trgm cascade`.execute(database.read)
  await database.close()
  const looked = doctor({ database: address, data, port: '0' })
  assert.match(looked.findings.get('search')?.[0]?.todo ?? '', /CREATE EXTENSION pg_trgm/, looked.text)
})

test('images on a disk of their own are told of its room', {
  skip: statSync('/dev/shm', { throwIfNoEntry: false })?.dev === statSync(tmpdir()).dev && 'needs two disks',
}, async (t) => {
  const { data, address } = await calendar(t)
  const looked = doctor({ database: address, data, port: '0', media: 'file:/dev/shm/kalends-doctor-absent' })
  assert.match(looked.findings.get('media disk')?.[0]?.says ?? '', /^\d+ MB are free for \/dev\/shm\.$/, looked.text)
})

test('a damaged file is an error that says what to do', onSqlite, async (t) => {
  const { data, address } = await calendar(t)
  const file = address.slice('sqlite:'.length)
  const bytes = readFileSync(file)
  bytes.fill(0x55, 4096 * 3, 4096 * 6)
  writeFileSync(file, bytes)
  const looked = doctor({ database: address, data, port: '0' })
  assert.equal(looked.status, 1, looked.text)
  assert.match(looked.text, /backup/)
})
