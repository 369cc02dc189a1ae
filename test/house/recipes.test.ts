import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  type Copy,
  copySources,
  follow,
  type Omission,
  type Recipe,
  readRecipes,
  removeCopy,
  roundsOf,
  runIn,
  unsaid,
} from '../support/recipes.ts'
import type { Settings } from '../support/service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
const recipes = readRecipes(page)

/** Recipes without code, since they make a whole folder. */
const IN_WORDS = ['Add a resource']

const onOrganizers = recipes.filter(({ title }) => title === 'Add a plain field').map(ofOrganizers)

const copy = await copySources(root)
after(() => removeCopy(copy))

test('every recipe has steps that are done here, and says what reports one that is left out', () => {
  const run = recipes.filter(({ title }) => !IN_WORDS.includes(title))
  assert.ok(run.length >= 5)
  for (const { title, steps, omissions, unmarked } of run) {
    assert.ok(steps.length > 1, `${title} has no steps`)
    assert.ok(omissions.length > 0, `${title} does not say what reports an omission`)
    assert.deepEqual(unmarked, [], `blocks of "${title}" are not done here`)
    const names = new Set(steps.map(({ name }) => name))
    for (const { without } of omissions) assert.ok(names.has(without), `${title} has no step ${without}`)
  }
})

function ofOrganizers(recipe: Recipe): Recipe {
  const other = (text: string) => text.replaceAll('venue', 'organizer')
  const steps = recipe.steps.map(({ name, text, does }) => {
    const place = does.what === 'run' ? does : { ...does, file: other(does.file), anchor: other(does.anchor) }
    return { name, text: other(text), does: place }
  })
  return { ...recipe, title: `${recipe.title} to organizers`, steps }
}

test('every omission is reported as CONTRIBUTING.md says', async () => {
  for (const round of roundsOf(recipes)) {
    await follow(copy, recipes, round)
    const printed = await reports(copy, round)
    for (const { title, without, from, lines } of round) {
      const output = printed.get(from) ?? ''
      assert.deepEqual(
        unsaid(lines, output),
        [],
        `"${title}" without ${without}: ${from} says\n${output.slice(0, 3000)}`,
      )
    }
  }
})

const CHECK_TYPES = ['--noEmit', '--singleThreaded', '-p', 'tsconfig.sources.json']

const FAILED = '✖ '

async function reports(tried: Copy, round: readonly Omission[]): Promise<Map<string, string>> {
  const tools = Object.entries(Object.groupBy(round, ({ from }) => from))
  const printed = tools.map(async ([tool, omissions = []]): Promise<[string, string]> => {
    const failing = omissions.map(({ lines }) =>
      lines.find((line) => line.startsWith(FAILED))?.slice(FAILED.length),
    )
    const named = failing.every((name) => name !== undefined) ? failing : []
    const words =
      tool === 'types'
        ? ['tsc', ...CHECK_TYPES]
        : ['node', ...named.map((name) => `--test-name-pattern=${RegExp.escape(name ?? '')}`), tool]
    const { output } = await runIn(tried, words[0] ?? '', words.slice(1))
    return [tool, output]
  })
  return new Map(await Promise.all(printed))
}

const HOUSE = ['columns', 'documents', 'formats', 'locales', 'settings']

const MEMBERS = 'test/api/event-members.test.ts'

const ROUND_TRIP = 'test/campaigns/round-trip.test.ts'

const VIEWS = 'test/pages/every-view.test.ts'

test('with every step done, types of the sources, lint and the tests of the house hold', async () => {
  await follow(copy, [...recipes, ...onOrganizers], [])
  const [types, house] = await Promise.all([
    runIn(copy, 'tsc', CHECK_TYPES),
    runIn(copy, 'node', [
      '--test',
      '--test-isolation=none',
      ...HOUSE.map((name) => `test/house/${name}.test.ts`),
      MEMBERS,
      ROUND_TRIP,
      VIEWS,
    ]),
  ])
  assert.equal(types.output.trim(), '')
  assert.equal(house.code, 0, house.output)
  const lint = await runIn(copy, 'biome', ['check', '--error-on-warnings', ...copy.before.keys()])
  assert.equal(lint.code, 0, lint.output)
})

test('with every step done, the service has the field, the filter, the representation, the view, the language, the setting and the problem code', async (t) => {
  const service = await startChanged({ language: 'it', contact: 'info@example.org', mcp: 'write' })
  t.after(service.close)
  assert.equal((service.config as { contact?: string }).contact, 'info@example.org')

  await t.test(
    'a venue says how it is reached, is found by that, shown within events, and cleared',
    async () => {
      const made = await service.post('/venues', { venue: 'Hall', access: 'Ramp at the <b>back</b> door' })
      assert.equal(made.status, 201)
      assert.equal(made.body.access, 'Ramp at the back door')
      const path = `/venues/${made.body.id}`
      assert.equal((await service.get(path)).body.access, 'Ramp at the back door')
      assert.equal((await service.get('/venues?search=ramp')).body.venues[0].id, made.body.id)
      const event = await service.post('/events', {
        ...EVENT,
        title: 'Concert',
        venue: made.body.id,
        status: 'publish',
      })
      const { venue } = (await service.get(`/events/${event.body.id}`)).body
      assert.equal(venue.access, 'Ramp at the back door')
      assert.match(
        (await service.get(`~${new URL(venue.url).pathname}`)).body,
        /<dd><bdi>Ramp at the back door</,
      )
      assert.equal((await service.post(path, { access: '' })).status, 200)
      assert.equal((await service.get(path)).body.access, undefined)
      const long = await service.post(path, { access: 'a'.repeat(1001) })
      assert.equal(long.body.data.details.access.data.limit, 1000)
    },
  )

  await t.test('an organizer has the same field by the same steps', async () => {
    const made = await service.post('/organizers', { organizer: 'Choir', access: 'Lift' })
    assert.equal((await service.get('/organizers?search=lift')).body.organizers[0].id, made.body.id)
    assert.equal((await service.post(`/organizers/${made.body.id}`, { access: '' })).body.access, undefined)
  })

  await t.test('an event says what to wear, and nothing once that is cleared', async () => {
    const { id, dress_code, url } = await service.create('/events', {
      title: 'Ball',
      start_date: '2031-05-01 20:00:00',
      end_date: '2031-05-01 22:00:00',
      status: 'publish',
      dress_code: 'Black <b>tie</b>',
    })
    assert.equal(dress_code, 'Black tie')
    const page = async () => (await service.get(`~${new URL(url).pathname}`)).body
    assert.match(await page(), /<dd><bdi>Black tie<\/bdi><\/dd>/)
    assert.ok(!('dress_code' in (await service.update(`/events/${id}`, { dress_code: '' }))))
    assert.equal((await service.update(`/events/${id}`, { min_age: '16' })).min_age, 16)
    assert.match(await page(), /<dd>16<\/dd>/)
    assert.equal((await service.post(`/events/${id}`, { min_age: -1 })).status, 400)
    assert.ok(!('min_age' in (await service.update(`/events/${id}`, { min_age: '' }))))
  })

  await t.test(
    'the desk asks for both fields, shows what was typed and saves it, with no line of its own',
    async () => {
      const { sitAtDesk } = await import(pathToFileURL(join(copy.folder, 'test/support/desk.ts')).href)
      const editor = await sitAtDesk(service, 'editor')
      const fields = [
        { path: '/venues', made: { venue: 'Barn' }, name: 'access' },
        { path: '/events', made: { ...EVENT, title: 'Dance', status: 'draft' }, name: 'dress_code' },
      ]
      for (const { path, made, name } of fields) {
        const { id } = await service.create(path, { ...made, [name]: 'As it was' })
        const page = await editor.get(`/desk${path}/${id}`)
        assert.match(page.body, new RegExp(`name="${name}"[^>]* value="As it was"`))
        const version = /name="version" value="(\d+)"/.exec(page.body)?.[1] ?? ''
        assert.equal((await editor.post(`/desk${path}/${id}`, { [name]: 'As it is', version })).status, 303)
        assert.equal((await service.get(`${path}/${id}`, 'admin')).body[name], 'As it is')
      }
    },
  )

  await t.test('lists of events are narrowed to sticky ones, and their links stay so', async () => {
    for (const title of ['Fair', 'Market']) await service.post('/events', { ...EVENT, title, sticky: true })
    const sticky = await service.get(`/events?sticky=1&per_page=1&${WINDOW}`)
    assert.equal(sticky.body.total, 2)
    assert.equal(new URL(sticky.body.next_rest_url).searchParams.get('sticky'), 'true')
    const others = await service.get(`/events?sticky=false&${WINDOW}`)
    assert.deepEqual(
      others.body.events.map(({ title }: { title: string }) => title),
      ['Concert'],
    )
    const [{ id }] = sticky.body.events
    await service.remove(`/events/${id}`)
    const calendar = async (query: string) =>
      String((await service.get(`/events?format=ics&${query}&${WINDOW}`)).body)
    assert.match(await calendar('sticky=1'), /STATUS:CANCELLED/)
    assert.doesNotMatch(await calendar('sticky=0'), /STATUS:CANCELLED/)
    await service.post(`/events/${id}`, { status: 'publish' })
  })

  await t.test('assistants are offered the new fields and the new filter', async () => {
    const tools = await service.request('admin', 'POST', '~/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: {},
    })
    const argsOf = (tool: string) =>
      tools.body.result.tools.find(({ name }: { name: string }) => name === tool).inputSchema.properties
    assert.ok(argsOf('create_event').dress_code && argsOf('update_event').min_age)
    assert.ok(argsOf('search_events').sticky)
  })

  await t.test(
    'lists of events are shown in the new representation, by its name and by its media type',
    async () => {
      const ask = (query: string, headers: Record<string, string> = {}) =>
        service.request('anonymous', 'GET', `/events?${WINDOW}&per_page=2${query}`, undefined, headers)
      const { body } = await ask('')
      const titles = body.events.map(({ title }: { title: string }) => `${title}\n`).join('')
      for (let again = 0; again < 3; again++)
        for (const shown of [await ask('&format=titles'), await ask('', { accept: 'text/plain' })]) {
          assert.equal(shown.body, titles)
          assert.equal(shown.headers.get('content-type'), 'text/plain; charset=UTF-8')
          const tag = shown.headers.get('etag') ?? ''
          assert.notEqual(tag, (await ask('')).headers.get('etag'))
          assert.equal((await ask('&format=titles', { 'if-none-match': tag })).status, 304)
          assert.equal((await ask('')).body.total, body.total)
        }
    },
  )

  await t.test(
    'pages show a fortnight, which the other views, its calendar and old addresses know',
    async () => {
      const page = async (path: string) => (await service.get(`~${path}`)).body
      await service.post('/events', { ...EVENT, title: 'In the fortnight' })
      await service.post('/events', {
        title: 'In the fortnight after',
        start_date: '2030-05-15 20:00:00',
        end_date: '2030-05-15 22:00:00',
      })
      const fortnight = await page('/events/fortnight/2030-05-01/')
      assert.match(fortnight, /In the fortnight</)
      assert.doesNotMatch(fortnight, /In the fortnight after/)
      assert.match(fortnight, /<a href="\/events\/fortnight\/" aria-current="true">2 × Settimana</)
      assert.match(
        await page('/events/2030-05-03/'),
        /<a href="\/events\/fortnight\/2030-05-03\/">2 × Settimana</,
      )
      const calendar = await page('/events/fortnight/2030-05-01/?ical=1')
      assert.match(calendar, /SUMMARY:In the fortnight\r/)
      assert.doesNotMatch(calendar, /In the fortnight after/)
      const old = await service.get('~/events/?eventDisplay=fortnight&eventDate=2030-05-01')
      assert.deepEqual([old.status, old.headers.get('location')], [301, '/events/fortnight/2030-05-01/'])
    },
  )

  await t.test('refusals and descriptions are in the new language', async () => {
    const { it } = await importChanged<{ it: Record<string, string> }>('src/calendar/locales/it.ts')
    const missing = await service.get('/events/999999')
    assert.equal(missing.body.message, it['There is no event with this id or slug.'])
    const document = JSON.stringify((await service.get('/doc')).body)
    assert.ok(document.includes(it['How the venue is reached without stairs'] ?? '?'))
    assert.ok(document.includes(it['Only sticky events, or only those that are not'] ?? '?'))
    assert.ok(document.includes('rest_calendar_closed'))
  })

  await t.test(
    '--help lists the new setting, and a problem of the new code is answered with its status',
    async () => {
      const { output } = await runIn(copy, 'node', ['bin/kalends.js', 'serve', '--help'])
      assert.match(output, /--contact /)
      const { Problem } = await importChanged<{ Problem: new (code: string) => Error }>(
        'src/base/problems.ts',
      )
      const { problemReply } = await importChanged<
        typeof import('../../src/calendar/locales/problem-replies.ts')
      >('src/calendar/locales/problem-replies.ts')
      const reply = problemReply(new Problem('rest_calendar_closed') as never, 'de', true)
      assert.deepEqual([reply.status, reply.body.message], [403, 'Der Kalender ist geschlossen.'])
    },
  )
})

const EVENT = { start_date: '2030-05-01 20:00:00', end_date: '2030-05-01 22:00:00', status: 'publish' }
const WINDOW = 'start_date=2030-01-01&end_date=2030-12-31'

async function importChanged<Module>(path: string): Promise<Module> {
  return await import(pathToFileURL(join(copy.folder, path)).href)
}

async function startChanged(settings: Readonly<Record<string, string>>) {
  const { startService } =
    await importChanged<typeof import('../support/service.ts')>('test/support/service.ts')
  return startService(settings as Settings)
}

function listFiles(): string[] {
  const files = globSync('**/*.{ts,md,json}', { cwd: copy.folder, exclude: ['node_modules'] })
  return files.map((path) => path.replaceAll(sep, '/'))
}

const spans = [...page.replace(/<!--[\s\S]*?-->/g, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)

test('every source file that CONTRIBUTING.md names is there', () => {
  const files = listFiles()
  const named = spans.filter((span) => /^[\w./-]+\.(ts|md|json)$/.test(span))
  const missing = named
    .map((path) => path.replaceAll('NNNN', copy.migration))
    .filter((path) => !files.some((file) => `/${file}`.endsWith(`/${path}`)))
  assert.ok(named.length > 10)
  assert.deepEqual(missing, [])
})

test('every name of the sources that CONTRIBUTING.md mentions is there', () => {
  // `findX` and the like stand for many names.
  const named = spans.filter((span) => /^[A-Za-z_]\w+$/.test(span) && !span.endsWith('X'))
  const sources = listFiles().filter((file) => /^(src|test)\/.*\.ts$/.test(file))
  const text = sources.map((file) => readFileSync(join(copy.folder, file), 'utf8')).join('\n')
  assert.deepEqual(
    named.filter((name) => !new RegExp(`\\b${name}\\b`).test(text)),
    [],
  )
})
