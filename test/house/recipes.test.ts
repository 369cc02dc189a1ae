import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { assertNone, pluck } from '../support/lists.ts'
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
  TYPES,
  unsaid,
} from '../support/recipes.ts'
import type { Settings } from '../support/service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/recipes.md'), 'utf8')

/** Those with code; the others are prose. */
const recipes = readRecipes(page).filter(({ steps }) => steps.length > 0)

const onOrganizers = recipes.filter(({ title }) => title === 'Add a plain field').map(ofOrganizers)

const copy = await copySources(root)
after(() => removeCopy(copy))

test('recipes with code can be followed, and say what reports a step that is left out', () => {
  equal(recipes.length, 4)
  for (const { title, steps, omissions, unmarked } of recipes) {
    ok(steps.length > 1, `${title} has no steps`)
    ok(omissions.length > 0, `${title} does not say what reports an omission`)
    deepEqual(unmarked, [], `blocks of "${title}" are not done here`)
    const names = new Set(steps.map(({ name }) => name))
    for (const { without } of omissions) ok(names.has(without), `${title} has no step ${without}`)
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

test('every omission is reported as docs/recipes.md says', async () => {
  for (const round of roundsOf(recipes)) {
    await follow(copy, recipes, round)
    const printed = await reports(copy, round)
    for (const { title, without, from, lines } of round) {
      const output = printed.get(from) ?? ''
      deepEqual(
        unsaid(lines, output),
        [],
        `"${title}" without ${without}: ${from} says\n${output.slice(0, 3000)}`,
      )
    }
  }
})

const CHECK_TYPES = ['--noEmit', '--singleThreaded', '-p', 'tsconfig.sources.json']

const FAILED = '✖ '

/**
 * Runs the type checker and tests. Returns their output by `npm run types` or the path of the test. If all
 * expected
 */
async function reports(tried: Copy, round: readonly Omission[]): Promise<Map<string, string>> {
  const tools = Object.entries(Object.groupBy(round, ({ from }) => from))
  const printed = tools.map(async ([tool, omissions = []]): Promise<[string, string]> => {
    const failing = omissions.map(({ lines }) =>
      lines.find((line) => line.startsWith(FAILED))?.slice(FAILED.length),
    )
    const named = failing.every((name) => name !== undefined) ? failing : []
    const words =
      tool === TYPES
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
    ]),
  ])
  equal(types.output.trim(), '')
  equal(house.code, 0, house.output)
  const lint = await runIn(copy, 'biome', ['check', '--error-on-warnings', ...copy.before.keys()])
  equal(lint.code, 0, lint.output)
})

test('with every step done, the service has field, filter, representation and feature', async (t) => {
  const service = await startChanged({ language: 'de', mcp: 'write' })
  t.after(service.close)

  await t.test(
    'a venue says how it is reached, is found by that, shown within events, and cleared',
    async () => {
      const made = await service.post('/venues', { venue: 'Hall', access: 'Ramp at the <b>back</b> door' })
      equal(made.status, 201)
      equal(made.body.access, 'Ramp at the back door')
      const path = `/venues/${made.body.id}`
      equal((await service.get(path)).body.access, 'Ramp at the back door')
      equal((await service.get('/venues?search=ramp')).body.venues[0].id, made.body.id)
      const event = await service.post('/events', {
        ...EVENT,
        title: 'Concert',
        venue: made.body.id,
        status: 'publish',
      })
      const { venue } = (await service.get(`/events/${event.body.id}`)).body
      equal(venue.access, 'Ramp at the back door')
      match((await service.get(`~${new URL(venue.url).pathname}`)).body, /<dd><bdi>Ramp at the back door</)
      equal((await service.post(path, { access: '' })).status, 200)
      equal((await service.get(path)).body.access, undefined)
      const long = await service.post(path, { access: 'a'.repeat(1001) })
      equal(long.body.data.details.access.data.limit, 1000)
    },
  )

  await t.test('an organizer has the same field by the same steps', async () => {
    const made = await service.post('/organizers', { organizer: 'Choir', access: 'Lift' })
    equal((await service.get('/organizers?search=lift')).body.organizers[0].id, made.body.id)
    equal((await service.post(`/organizers/${made.body.id}`, { access: '' })).body.access, undefined)
  })

  await t.test('the desk asks for the field, shows it and saves it, with no line of its own', async () => {
    const { sitAtDesk } = await import(pathToFileURL(join(copy.folder, 'test/support/desk.ts')).href)
    const editor = await sitAtDesk(service, 'editor')
    const { id } = await service.create('/venues', { venue: 'Barn', access: 'As it was' })
    const form = await editor.get(`/desk/venues/${id}`)
    match(form.body, /name="access"[^>]* value="As it was"/)
    const version = /name="version" value="(\d+)"/.exec(form.body)?.[1] ?? ''
    equal((await editor.post(`/desk/venues/${id}`, { access: 'As it is', version })).status, 303)
    equal((await service.get(`/venues/${id}`, 'admin')).body.access, 'As it is')
  })

  await t.test('lists of events are narrowed to sticky ones, and their links stay so', async () => {
    for (const title of ['Fair', 'Market']) await service.post('/events', { ...EVENT, title, sticky: true })
    const sticky = await service.get(`/events?sticky=1&per_page=1&${WINDOW}`)
    equal(sticky.body.total, 2)
    equal(new URL(sticky.body.next_rest_url).searchParams.get('sticky'), 'true')
    const others = await service.get(`/events?sticky=false&${WINDOW}`)
    deepEqual(pluck(others.body.events, 'title'), ['Concert'])
    const [{ id }] = sticky.body.events
    await service.remove(`/events/${id}`)
    const calendar = async (query: string) =>
      String((await service.get(`/events?format=ics&${query}&${WINDOW}`)).body)
    match(await calendar('sticky=1'), /STATUS:CANCELLED/)
    doesNotMatch(await calendar('sticky=0'), /STATUS:CANCELLED/)
    await service.post(`/events/${id}`, { status: 'publish' })
  })

  await t.test('assistants are offered the new filter', async () => {
    const tools = await service.post('~/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    const argsOf = (tool: string) =>
      tools.body.result.tools.find(({ name }: { name: string }) => name === tool).inputSchema.properties
    ok(argsOf('search_events').sticky)
  })

  await t.test(
    'lists of events are shown in the new representation, by its name and by its media type',
    async () => {
      const ask = (query: string, headers: Record<string, string> = {}) =>
        service.get(`/events?${WINDOW}&per_page=2${query}`, 'anonymous', headers)
      const { body } = await ask('')
      const titles = body.events.map(({ title }: { title: string }) => `${title}\n`).join('')
      for (let again = 0; again < 3; again++)
        for (const shown of [await ask('&format=titles'), await ask('', { accept: 'text/plain' })]) {
          equal(shown.body, titles)
          equal(shown.headers.get('content-type'), 'text/plain; charset=UTF-8')
          const tag = shown.headers.get('etag') ?? ''
          notEqual(tag, (await ask('')).headers.get('etag'))
          equal((await ask('&format=titles', { 'if-none-match': tag })).status, 304)
          equal((await ask('')).body.total, body.total)
        }
    },
  )

  await t.test('the new feature answers, and describes itself in the language of the site', async () => {
    const { body } = await service.get('~/wp-json/kalends/v1/counts')
    equal(body.events, (await service.get(`/events?${WINDOW}`)).body.total)
    const { paths, tags } = (await service.get('/doc')).body
    equal(paths['/counts'].get.summary, 'Öffentliches zählen')
    ok(tags.some(({ description }: { description: string }) => description === 'Zahlen des Kalenders'))
  })

  await t.test('descriptions are in the language of the site', async () => {
    const { de } = await importChanged<{ de: Record<string, string> }>('src/calendar/locales/de.ts')
    const document = JSON.stringify((await service.get('/doc')).body)
    for (const text of [
      'How the venue is reached without stairs',
      'Only sticky events, or only those that are not',
    ])
      ok(document.includes(de[text] ?? '?'), text)
  })
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

const pages = [page, readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')].join('\n')
const spans = [...pages.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)

test('every source file that the recipes and CONTRIBUTING.md name is there', () => {
  const files = listFiles()
  const named = spans.filter((span) => /^[\w./-]+\.(ts|md|json)$/.test(span))
  const missing = named
    .map((path) => path.replaceAll('NNNN', copy.migration))
    .filter((path) => !files.some((file) => `/${file}`.endsWith(`/${path}`)))
  ok(named.length > 10)
  deepEqual(missing, [])
})

test('every name of the sources that the recipes and CONTRIBUTING.md mention is there', () => {
  // `findX` and the like stand for many names.
  const named = spans.filter((span) => /^[A-Za-z_]\w+$/.test(span) && !span.endsWith('X'))
  const sources = listFiles().filter((file) => /^(src|test)\/.*\.ts$/.test(file))
  const text = sources.map((file) => readFileSync(join(copy.folder, file), 'utf8')).join('\n')
  assertNone(named, (name) => !new RegExp(`\\b${name}\\b`).test(text))
})
