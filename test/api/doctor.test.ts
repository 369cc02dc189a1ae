import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../src/app.ts'
import { formatUtc } from '../../src/base/text/moments.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { kalends } from '../support/commands.ts'
import { databaseName, onSqlite, scratchDatabase } from '../support/database.ts'
import { startLoggedService } from '../support/logged-service.ts'
import { serverHere } from '../support/server.ts'
import { type Settings, testConfig } from '../support/service.ts'
import { until } from '../support/waiting.ts'

async function calendar(t: TestContext) {
  const data = mkdtempSync(join(tmpdir(), 'kalends-doctor-'))
  const scratch = await scratchDatabase()
  t.after(async () => {
    await scratch.remove()
    rmSync(data, { recursive: true, force: true })
  })
  const app = await startApp(testConfig(data, { database: scratch.address }))
  await app.stop()
  return { data, address: scratch.address, port: String(app.port) }
}

type Looked = {
  status: number | null
  findings: Map<string, { state: string; says: string; todo: string }[]>
  text: string
}

async function run(settings: Settings, ...words: string[]) {
  const { out, err, code } = await kalends([...flagsOf(settings), ...words])
  equal(err, '')
  return { status: code, stdout: out }
}

const flagsOf = (settings: Settings) =>
  Object.entries(settings).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, value])

async function doctor(settings: Settings): Promise<Looked> {
  return looked(await run(settings, 'doctor'))
}

function looked({ status, stdout }: { status: number | null; stdout: string }): Looked {
  const findings: Looked['findings'] = new Map()
  let last: { state: string; says: string; todo: string } | undefined
  for (const line of stdout.trimEnd().split('\n').slice(0, -1)) {
    const [, state = '', about = '', says = ''] =
      /^(ok|warning|error) {2,}(\w[\w ]*?) {2,}(.*)$/.exec(line) ?? []
    if (state === '' && last) last.todo += line.trim().replace(/^→ /, '')
    else {
      last = { state, says, todo: '' }
      findings.set(about, [...(findings.get(about) ?? []), last])
    }
  }
  return { status, findings, text: stdout }
}

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

test('a file whose calendar was copied elsewhere is found so', onSqlite, async (t) => {
  const { data, address, port } = await calendar(t)
  const file = address.slice('sqlite:'.length)
  const { stdout } = await run({ data }, 'copy', address, `sqlite:${join(data, 'new.sqlite')}`)
  match(stdout, /is not started on .* any more/)
  const { findings, status } = await doctor({ database: address, data, port })
  const [moved] = findings.get('moved') ?? []
  equal(
    moved?.says.startsWith(`The calendar in ${file} was copied to sqlite:${join(data, 'new.sqlite')}`),
    true,
  )
  match(moved?.todo ?? '', /Set KALENDS_DATABASE .*remove .*-moved/)
  equal(status, 1)
})

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
  const folder = mkdtempSync(join(tmpdir(), 'kalends-doctor-backup-'))
  t.after(() => rmSync(folder, { recursive: true }))
  equal((await run(settings, 'backup', folder)).status, 0)
  const before = [fingerprint(data), file && fingerprint(file)]
  const found = await doctor(settings)
  deepEqual([fingerprint(data), file && fingerprint(file)], before)
  equal(found.status, 0, found.text)
  const abouts =
    'configuration,user,database,integrity,migrations,writing,administrators,backup,data ' +
    'folder,permissions,disk,media,port,site address,site answer,proxy,clock'
  equal([...found.findings.keys()].join(), abouts)
  // No server answers at the example address, with or without a network.
  deepEqual(stateOf(found, 'site answer'), ['warning'])
  // Tests have a clock of their own, and a server of databases has that of the machine.
  const ofMachine = ['user', 'disk', 'site answer', ...(file ? [] : ['clock'])]
  for (const about of abouts.split(',').filter((each) => !ofMachine.includes(each)))
    deepEqual(stateOf(found, about), ['ok'], `${about}: ${found.text}`)
  match(found.text, /\n0 errors, \d warnings\.\n$/)

  const app = await startApp(testConfig(data, settings))
  t.after(app.stop)
  const running = await doctor(settings)
  equal(running.status, 0, running.text)
  match(running.findings.get('port')?.[0]?.says ?? '', /^Kalends answers at/)
})

test('files of others, a password that lies about and a missing address are warnings', async (t) => {
  const { data, address } = await calendar(t)
  chmodSync(data, 0o755)
  writeFileSync(join(data, 'first-password.txt'), 'x', { mode: 0o644 })
  const found = await doctor({ database: address, data, port: '0' })
  equal(found.status, 0, found.text)
  const [folder, password] = found.findings.get('permissions') ?? []
  deepEqual([folder?.state, folder?.todo], ['warning', `chmod 700 ${data}`])
  equal(password?.todo, `chmod 600 ${join(data, 'first-password.txt')}`)
  deepEqual(stateOf(found, 'first password'), ['warning'])
  deepEqual(stateOf(found, 'site address'), ['warning'])
  const public_ = await doctor({
    database: address,
    data,
    port: '0',
    site_url: 'https://calendar.example.org',
  })
  match(public_.findings.get('proxy')?.[0]?.todo ?? '', /KALENDS_TRUSTED_PROXY/)
})

test('a database that is missing or of another version, and a port in use are told', async (t) => {
  const { data, address } = await calendar(t)
  const other = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
  t.after(() => other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const bound = other.address()
  const port = String(typeof bound === 'object' && bound ? bound.port : 0)
  const missing = await doctor({
    data: join(data, 'nowhere'),
    port: '0',
    media: `file:${join(data, 'media')}`,
  })
  equal(missing.status, 1)
  deepEqual(stateOf(missing, 'database'), ['error'])
  const sentence =
    `There is no database ${join(data, 'nowhere', 'kalends.sqlite')}. ` +
    'Start the service once (kalends serve), which makes it.'
  equal(missing.findings.get('database')?.[0]?.says, sentence)
  deepEqual(
    readdirSync(data),
    readdirSync(data).filter((name) => name !== 'nowhere'),
  )

  const taken = await doctor({ database: address, data, port })
  deepEqual([taken.status, stateOf(taken, 'port')], [1, ['error']])

  const database = await openDatabase(address)
  await sql`insert into migrations (name) values ('9999-later')`.execute(database.read)
  await database.close()
  const newer = await doctor({ database: address, data, port: '0' })
  deepEqual([newer.status, stateOf(newer, 'migrations')], [1, ['error']])
  match(newer.findings.get('migrations')?.[0]?.says ?? '', /9999-later/)
})

test('a calendar whose administrators cannot sign in, and one changed in the future are told', async (t) => {
  const { data, address } = await calendar(t)
  const database = await openDatabase(address)
  await database.write(async (tx) => {
    await tx.updateTable('credentials').set({ expires_utc: '2020-01-01 00:00:00' }).execute()
  })
  await database.close()
  const found = await doctor({ database: address, data, port: '0' })
  deepEqual(stateOf(found, 'administrators'), ['warning'])
  match(found.findings.get('administrators')?.[0]?.todo ?? '', /kalends password add/)
})

test('webhooks and imports that stand still and a held calendar are told with advice', async (t) => {
  const { data, address } = await calendar(t)
  const database = await openDatabase(address)
  await database.write(async (tx) => {
    await sql`update editions set held = 1`.execute(tx)
    await sql`insert into import_schedules (id, name, words, every_seconds, next_utc, leased_utc, paused,
      failures, outcome)
      values (1, 'town', '[]', 3600, '', '', 0, 2, 'https://me:hidden@c.example/private-hidden/basic.ics \
does not answer.'),
        (2, 'club', '[]', 3600, '', '', 1, 0, 'Too much was gone.'), (3, 'well', '[]', 3600, '', '', 0, 0,
          ''),
        (4, 'rests', '[]', 3600, '', '', 1, 0, '')`.execute(tx)
  })
  await database.write(async (tx) => {
    const hook = {
      events: '*',
      is_private: 0,
      secret: 'x',
      old_secret: '',
      old_secret_until_utc: '',
      created_utc: '',
    }
    const since = '2026-11-01 10:00:00'
    const rows = [
      {
        id: 1,
        url: 'https://a.example/hooks/T0/hidden?key=hidden',
        failing_since_utc: since,
        disabled_utc: '',
        disabled_why: '',
      },
      {
        id: 2,
        url: 'https://b.example/',
        failing_since_utc: '',
        disabled_utc: since,
        disabled_why: 'It was gone.',
      },
      { id: 4, url: 'https://d.example/', failing_since_utc: '', disabled_utc: since, disabled_why: 'gone' },
      { id: 3, url: 'https://c.example/', failing_since_utc: '', disabled_utc: '', disabled_why: '' },
    ]
    for (const row of rows)
      await tx
        .insertInto('webhooks')
        .values({ ...hook, ...row })
        .execute()
  })
  await database.close()
  const { findings, text: printed } = await doctor({ database: address, data, port: '0' })
  match(findings.get('held')?.[0]?.todo ?? '', /kalends resume/, printed)
  deepEqual(
    findings.get('webhooks')?.map(({ says }) => says),
    [
      'https://a.example/*** has taken no message since 2026-11-01 10:00:00.',
      'https://b.example/ is told nothing any more: It was gone.',
      'https://d.example/ is told nothing any more: The receiver answered that it is gone (410).',
    ],
  )
  deepEqual(
    findings.get('imports')?.map(({ says }) => says),
    [
      'town failed at its last run: https://c.example/*** does not answer.',
      'club is paused: Too much was gone.',
      'rests is paused.',
    ],
  )
  doesNotMatch(printed, /hidden/)
})

test('a calendar without a backup in the last seven days is told of it', onSqlite, async (t) => {
  const { data, address } = await calendar(t)
  const settings = { database: address, data, port: '0' }
  const never = await doctor(settings)
  deepEqual(stateOf(never, 'backup'), ['warning'])
  match(never.findings.get('backup')?.[0]?.todo ?? '', /kalends backup/)
  const folder = mkdtempSync(join(tmpdir(), 'kalends-doctor-backup-'))
  t.after(() => rmSync(folder, { recursive: true }))
  equal((await run(settings, 'backup', folder, '--without-secrets')).status, 0)
  deepEqual(stateOf(await doctor(settings), 'backup'), ['warning'])
  equal((await run(settings, 'backup', join(folder, 'a.backup'))).status, 0)
  deepEqual(stateOf(await doctor(settings), 'backup'), ['ok'])
  const acts = (await run(settings, 'audit', '--kind', 'backup', '--json')).stdout
  deepEqual([JSON.parse(acts).action, JSON.parse(acts).name], ['create', join(folder, 'a.backup')])

  const database = await openDatabase(address)
  const time_utc = formatUtc(Date.now() - 8 * 86_400_000)
  await database.write((tx) =>
    tx.updateTable('history').set({ time_utc }).where('kind', '=', 'backup').execute(),
  )
  await database.close()
  const old = await doctor(settings)
  deepEqual(stateOf(old, 'backup'), ['warning'])
  match(old.findings.get('backup')?.[0]?.says ?? '', / 8 days ago\.$/)
})

async function insertImages(address: string, count: number) {
  const database = await openDatabase(address)
  await database.write(async (tx) => {
    const numbers = sql`with recursive numbers (n) as (select 1000 union all select n + 1 from numbers
      where n < ${sql.lit(999 + count)})`
    await sql`${numbers} insert into records (id, kind) select n, 'image' from numbers`.execute(tx)
    await sql`${numbers} insert into images (id, author, title, slug, alt_text, caption, description, search,
      date_utc, modified_utc,
        file, mime_type, width, height, filesize, sizes, source_url, original_image)
      select n, 1, '', 'image-' || n, '', '', '', '', '2026-11-01 10:00:00', '2026-11-01 10:00:00',
        '2026/11/' || n || '.png',
        'image/png', 1, 1, 3, '{}', '', '' from numbers`.execute(tx)
  })
  await database.close()
}

test('files of images that the store lacks are counted, and the first of them named', onSqlite, async (t) => {
  const { data, address } = await calendar(t)
  const settings = { database: address, data, port: '0' }
  const files = (count: number) => Array.from({ length: count }, (_, at) => `2026/11/${at + 1000}.png`)
  await insertImages(address, 9)
  const none = await doctor(settings)
  deepEqual([none.status, stateOf(none, 'images')], [1, ['error']])
  mkdirSync(join(data, 'media/2026/11'), { recursive: true })
  for (const file of files(9)) writeFileSync(join(data, 'media', file), 'png')
  match((await doctor(settings)).findings.get('images')?.[0]?.says ?? '', /^All 9 files .* are there\.$/)
  for (const file of files(7)) rmSync(join(data, 'media', file))
  const some = await doctor(settings)
  deepEqual([some.status, stateOf(some, 'images')], [0, ['warning']], some.text)
  match(
    some.findings.get('images')?.[0]?.says ?? '',
    /^7 of 9 files .*: (2026\/11\/\d+\.png, ){4}2026\/11\/\d+\.png …$/,
  )
})

test('a file of another picture is found, and a start tells of lost files', onSqlite, async (t) => {
  const { data, address } = await calendar(t)
  const settings = { database: address, data, port: '0' }
  await insertImages(address, 2)
  mkdirSync(join(data, 'media/2026/11'), { recursive: true })
  writeFileSync(join(data, 'media/2026/11/1000.png'), 'png')
  writeFileSync(join(data, 'media/2026/11/1001.png'), 'another')
  const other = await doctor(settings)
  deepEqual([other.status, stateOf(other, 'images')], [1, ['error']])
  match(other.text, /1 of 2 files are of another picture .*1001\.png/)
  rmSync(join(data, 'media'), { recursive: true })
  const service = await startLoggedService({ ...settings, log_level: 'warn' })
  t.after(() => service.end())
  const isTold = () =>
    service.log().some(({ msg }) => /^2 of the 2 files .* are not in .*media.*mounted/.test(msg))
  await until(isTold, 'the log says nothing of the files')
})

test('of many images a sample is looked for, and it is called one', onSqlite, async (t) => {
  const { data, address } = await calendar(t)
  await insertImages(address, 1500)
  const { findings } = await doctor({ database: address, data, port: '0' })
  match(findings.get('images')?.[0]?.says ?? '', /^1000 of 1000 files .*, in a sample from 1500 images: /)
})

const startSite = (body: string, headers: Record<string, string> = {}) =>
  serverHere((_, response) => response.writeHead(200, headers).end(body))

test('a site address that leads here, to another calendar or elsewhere is told', onSqlite, async (t) => {
  const { data, address, port } = await calendar(t)
  const other = await calendar(t)
  const settings = { database: address, data, port, site_url: `http://127.0.0.1:${port}` }
  const stopped = await doctor(settings)
  match(
    stopped.findings.get('site answer')?.[0]?.says ?? '',
    /could not be reached from here \(ECONNREFUSED\)/,
  )
  const app = await startApp(testConfig(data, settings))
  t.after(app.stop)
  deepEqual(stateOf(await doctor(settings), 'site answer'), ['ok'])
  const foreign = await doctor({ ...settings, database: other.address, data: other.data })
  match(foreign.findings.get('site answer')?.[0]?.says ?? '', /leads to another calendar/)
  const page = await doctor({ ...settings, site_url: await startSite('<!DOCTYPE html>') })
  match(page.findings.get('site answer')?.[0]?.says ?? '', /answers with 200, and not as Kalends does/)
  const endless = await doctor({ ...settings, site_url: await startSite('['.repeat(5_000_000)) })
  deepEqual(stateOf(endless, 'site answer'), ['warning'])
})

test('a clock that is hours away from that of the site is told', onSqlite, async (t) => {
  const { data, address } = await calendar(t)
  const date = new Date(Date.now() + 7_200_000).toUTCString()
  const site_url = await startSite('{}', { Date: date })
  const found = await doctor({ database: address, data, port: '0', site_url })
  deepEqual(stateOf(found, 'clock'), ['warning'], found.text)
  match(found.findings.get('clock')?.[0]?.says ?? '', / (7[12]\d\d) seconds away from that of http:\/\/127/)
})

test('searches without pg_trgm are told', {
  skip: databaseName() !== 'postgres' && 'on PostgreSQL',
}, async (t) => {
  const { data, address } = await calendar(t)
  const database = await openDatabase(address)
  await sql`drop extension pg_trgm cascade`.execute(database.read)
  await database.close()
  const found = await doctor({ database: address, data, port: '0' })
  match(found.findings.get('search')?.[0]?.todo ?? '', /CREATE EXTENSION pg_trgm/, found.text)
})

test('images on a disk of their own are told of its room', {
  skip: statSync('/dev/shm', { throwIfNoEntry: false })?.dev === statSync(tmpdir()).dev && 'needs two disks',
}, async (t) => {
  const { data, address } = await calendar(t)
  const found = await doctor({
    database: address,
    data,
    port: '0',
    media: 'file:/dev/shm/kalends-doctor-absent',
  })
  match(found.findings.get('media disk')?.[0]?.says ?? '', /^\d+ MB are free for \/dev\/shm\.$/, found.text)
})

test('what keeps the service from its start is an error in the same words', onSqlite, async (t) => {
  const { data, port } = await calendar(t)
  const file = join(data, 'kalends.sqlite')
  const lost: [string, Record<string, string>, Settings?][] = [
    ['is empty: restore a backup', { 'kalends.sqlite': '' }],
    ['but its log ', { 'kalends.sqlite-wal': 'x' }],
    ['has the images of a calendar: ', { 'media/2026/11/a.png': 'x' }],
    [
      'has the images of a calendar: ',
      { 'pictures/2026/11/a.png': 'x' },
      { media: `file:${join(data, 'pictures')}` },
    ],
    ['there is the first password ', { 'first-password.txt': 'x' }],
    ['there is the copy ', { 'kalends.sqlite.before-restore-2026-11-23T031000Z': 'x' }],
    ['The logo of the pages cannot be read: ', {}, { pages_logo: join(data, 'lost.svg') }],
    ['The logo of the pages is a file that ends in ', {}, { pages_logo: join(data, 'lost.txt') }],
    ['The font of the pages cannot be read: ', {}, { pages_font: join(data, 'lost.woff2') }],
    ['The style sheet of the pages cannot be read: ', {}, { pages_css: join(data, 'lost.css') }],
    ['The pages of text in ', {}, { pages_texts: join(data, 'lost') }],
  ]
  for (const [says, files, more = {}] of lost) {
    for (const name of readdirSync(data)) rmSync(join(data, name), { recursive: true })
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(data, name, '..'), { recursive: true })
      writeFileSync(join(data, name), content)
    }
    const settings = { data, port, ...more }
    const { status, text } = await doctor(settings)
    const { code, err } = await kalends([...flagsOf(settings), 'serve', '--log-level', 'silent'])
    deepEqual([status, code], [1, 1], `${text}${err}`)
    ok(err.includes(says), err)
    ok(text.includes(` ${err.trim()}\n`), `${text}${err}`)
    equal(existsSync(file), 'kalends.sqlite' in files, says)
  }
})

test('a file that is mostly free is told with the way to shrink it', onSqlite, async (t) => {
  const { data, address } = await calendar(t)
  const file = new DatabaseSync(address.slice('sqlite:'.length))
  file.exec('create table filler (content blob)')
  for (let i = 0; i < 6; i++) file.exec('insert into filler values (zeroblob(10000000))')
  file.exec('drop table filler')
  file.close()
  const { findings } = await doctor({ database: address, data, port: '0' })
  match(findings.get('free pages')?.[0]?.todo ?? '', /sqlite3 \S+ vacuum.*needs \d+ MB/)
})

test('a file damaged anywhere is an error that says to restore a backup', onSqlite, async (t) => {
  const { data, address } = await calendar(t)
  const file = address.slice('sqlite:'.length)
  const whole = readFileSync(file)
  const places: [number, number][] = [
    [0, 40],
    [0, 4096],
    [4096 * 3, 4096 * 6],
    [whole.length / 2, whole.length],
  ]
  for (const [from, to] of places) {
    writeFileSync(file, Buffer.from(whole).fill(0xff, from, to))
    const { status, findings, text } = await doctor({ database: address, data, port: '0' })
    equal(status, 1, text)
    match(findings.get('integrity')?.[0]?.todo ?? '', /restore a backup/, text)
  }
})
