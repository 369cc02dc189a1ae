import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { kalends } from '../support/commands.ts'
import { MAIN } from '../support/environment.ts'
import { pluck } from '../support/lists.ts'
import { countEvents, fillCalendar } from '../support/sample-calendar.ts'
import { type Reader, startService, type TestService } from '../support/service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let service: TestService
let folder: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kalends-export-'))
  service = await startService()
  await fillCalendar(service)
  for (const year of [1970, 1999, 2035])
    await service.event({
      title: `Of ${year}`,
      start_date: `${year}-05-01`,
      end_date: `${year}-05-02`,
      tags: ['far'],
    })
})
after(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

function flags(): string[] {
  const { config, origin } = service
  const database = config.database || `sqlite:${join(config.data, 'kalends.sqlite')}`
  return ['--database', database, '--data', config.data, '--site-url', origin, '--timezone', config.timezone]
}

const runExport = (...words: string[]) => kalends([...flags(), 'export', ...words])

async function exported(...words: string[]): Promise<string> {
  const file = join(folder, 'exported')
  const { code, out, err } = await runExport(...words, '--output', file)
  deepEqual([code, out, err], [0, '', ''])
  const written = await readFile(file, 'utf8')
  await rm(file)
  return written
}

const ALL_TIMES = 'starts_after=0001-01-02&per_page=50'

interface Shown {
  recurrence?: { series: number; overrides: string[] }
}

async function listed(path: string, kind: string, as: Reader = 'anonymous'): Promise<Shown[]> {
  const { status, body } = await service.get(path, as)
  equal(status, 200)
  return body[kind]
}

test('an export has the public events of all times, each as the list of the service shows it', async () => {
  const expected = await listed(`/events?${ALL_TIMES}`, 'events')
  equal(expected.length, (await countEvents(service.app.database.read)).published)
  deepEqual(JSON.parse(await exported()), { events: expected })
  const lines = (await exported('--format', 'ndjson')).trimEnd().split('\n')
  deepEqual(
    lines.map((line) => JSON.parse(line)),
    expected,
  )
})

test('feeds and tables are exported byte by byte as the service answers them', async () => {
  for (const format of ['csv', 'jsonld']) {
    const { body } = await service.get(`/events?starts_after=0001-01-02&format=${format}`)
    const out = await exported('--format', format)
    deepEqual(format === 'csv' ? out : JSON.parse(out), body)
  }
  const out = await exported('--format', 'ics')
  const events = await listed(`/events?${ALL_TIMES}`, 'events')
  const repeating = events.flatMap(({ recurrence }) => recurrence ?? [])
  const series = new Set(repeating.map((recurrence) => recurrence.series))
  const overridden = repeating.filter(({ overrides }) => overrides.length > 0)
  ok(series.size > 0 && overridden.length > 0)
  const expected = events.length - repeating.length + series.size + overridden.length
  equal(out.match(/^BEGIN:VEVENT\r$/gm)?.length, expected)
  ok(out.endsWith('END:VCALENDAR\r\n'))
})

test('an export has the name of the calendar that its owner set', async () => {
  const named = { site_name: 'Harbour Days' }
  const path = '~/wp-json/kalends/v1/settings'
  equal((await service.request('admin', 'PATCH', path, named)).status, 200)
  try {
    match(await exported('--format', 'ics'), /^X-WR-CALNAME:Harbour Days\r$/m)
  } finally {
    await service.request('admin', 'PATCH', path, { site_name: '' })
  }
})

test('the filters of lists are options', async () => {
  const tagged = await listed(`/events?${ALL_TIMES}&tags=far`, 'events')
  equal(tagged.length, 3)
  deepEqual(JSON.parse(await exported('--tags', 'far')).events, tagged)
  const dated = await exported('--start-date', '1990-01-01', '--end-date', '2000-01-01')
  deepEqual(pluck(JSON.parse(dated).events, 'title'), ['Of 1999'])
  const wrong = await runExport('--tags', 'nothing-of-that-name')
  deepEqual([wrong.code, wrong.out], [1, ''])
  equal(
    wrong.err,
    'The filter does not take this value: --tags nothing-of-that-name. ' +
      'The calendar has nothing of that name or id.\n',
  )
})

test('what is not public is exported only when everything is, with the other lists', async () => {
  const refused = await runExport('--status', 'draft')
  equal(refused.code, 1)
  match(refused.err, /--status.* Only --all has others/)
  const all = JSON.parse(await exported('--all'))
  deepEqual(all.events, await listed(`/events?${ALL_TIMES}`, 'events', 'admin'))
  ok(all.events.some(({ status }: { status: string }) => status === 'draft'))
  for (const kind of ['venues', 'organizers', 'categories', 'tags'])
    deepEqual(all[kind], await listed(`/${kind}?per_page=50`, kind, 'admin'))
  const drafts = JSON.parse(await exported('--all', '--status', 'draft'))
  deepEqual(pluck(drafts.events, 'title'), ['A draft'])
})

test('a file appears once it is whole, and a reader who leaves is no error', async () => {
  const file = join(folder, 'events.ndjson')
  equal((await runExport('--format', 'ndjson', '--output', file)).out, '')
  const whole = run('"$0" "$@" export --format ndjson')
  equal(await readFile(file, 'utf8'), whole.stdout)
  const refused = await Promise.all(
    ['nowhere/x', '.'].map((path) => runExport('--output', join(folder, path))),
  )
  deepEqual(pluck(refused, 'code', 'err'), [
    [1, `There is no folder ${join(folder, 'nowhere')}: make it first.\n`],
    [1, `${folder} is a folder: name a file in it.\n`],
  ])
  deepEqual(await readdir(folder), ['events.ndjson'])
  const left = run('set -o pipefail; "$0" "$@" export --format rss | head -c 10; echo " $?"')
  equal(left.stdout, '<?xml vers 0\n')
  equal(left.stderr, '')
})

function run(line: string) {
  const words = ['-c', line, process.execPath, MAIN, ...flags()]
  return spawnSync('bash', words, { cwd: root, encoding: 'utf8' })
}
