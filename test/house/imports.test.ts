import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { functionsOf } from '../support/source-functions.ts'

/**
 * The folders and loose files of `src` by the groups of ARCHITECTURE.md, the lowest group and layer first. A file may import from its own folder and from lower
 * layers, but not from others of its layer. Imports of types count, too, since a reader needs them.
 */
const GROUPS = {
  base: [
    ['cache.ts', 'errors.ts', 'foreign-json.ts', 'gzip.ts'],
    ['text', 'run-command.ts', 'spare-memory.ts', 'files.ts', 'node-http.ts', 'problems.ts'],
    ['setting-kinds.ts'],
    ['look-settings.ts'],
    ['config.ts', 'icalendar'],
    ['recurrence'],
    ['fields'],
  ],
  store: [['storage', 'media'], ['memory']],
  calendar: [
    ['people'],
    ['declare'],
    ['records'],
    ['images', 'terms'],
    ['linked'],
    ['events'],
    ['series'],
    ['resources.ts'],
    ['history'],
    ['editing'],
    ['locales'],
    ['ground.ts'],
  ],
  serve: [['formats', 'sync'], ['pages'], ['webhooks'], ['desk', 'assistants'], ['http']],
  exchange: [['transfer'], ['import'], ['push']],
  operate: [['demo', 'doctor'], ['watching']],
  start: [['app.ts'], ['workers.ts', 'commands.ts'], ['command-line.ts'], ['main.ts']],
} as const
const LAYERS: readonly (readonly string[])[] = Object.values(GROUPS).flat()

const LONGEST_FILE = 600
const LONGEST_FUNCTION = 60

const root = fileURLToPath(new URL('../../src', import.meta.url))

interface Source {
  /** The path below the folder of its group. */
  path: string
  group: string
  text: string
  imports: Import[]
}

interface Import {
  /** A path below `src`, or the name of a package. */
  target: string
  isPackage: boolean
  /** True if the import exists at run time, as `import { type A }` does and `import type { A }` does not. */
  runs: boolean
}

const groups = Object.keys(GROUPS)

/** Removes the group from a path below `src`. */
function belowGroup(path: string): string {
  const [first = '', ...rest] = path.split('/')
  return groups.includes(first) ? rest.join('/') : path
}

const sources: Source[] = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(`${root}/${path}`, 'utf8')
    const group = groups.find((name) => path.startsWith(`${name}/`)) ?? 'start'
    return { path: belowGroup(path), group, text, imports: importsOf(path, text) }
  })

function importsOf(path: string, text: string): Import[] {
  const statements = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm
  return [...text.matchAll(statements)].map(([, type, named, awaited]) => {
    const specifier = named ?? awaited ?? ''
    const isPackage = !specifier.startsWith('.')
    return {
      target: isPackage ? specifier : belowGroup(posix.normalize(posix.join(dirname(path), specifier))),
      isPackage,
      runs: type === undefined,
    }
  })
}

/** Returns the folder below the group, or the file itself if it is in none. */
function placeOf(path: string): string {
  return path.split('/')[0] ?? path
}

function layerOf(path: string): number {
  const place = placeOf(path)
  return LAYERS.findIndex((layer) => layer.includes(place))
}

type Edge = readonly [from: string, to: string]

function edgesOf(counts: (imported: Import) => boolean): Edge[] {
  return sources.flatMap(({ path, imports }) =>
    imports
      .filter((imported) => counts(imported) && !imported.isPackage && !imported.target.startsWith('..'))
      .map(({ target }) => [path, target] as const),
  )
}

/** All imports between files of `src`. */
const edges = edgesOf(() => true)

test('every folder and loose file of src has a place in the layers, and every place has files', () => {
  const places = new Set(sources.map(({ path }) => placeOf(path)))
  const known = new Set<string>(LAYERS.flat())
  const homeless = [...places].filter((place) => !known.has(place))
  const empty = [...known].filter((place) => !places.has(place))
  assert.deepEqual(homeless, [], `without a place in LAYERS of this test: ${homeless.join(', ')}`)
  assert.deepEqual(empty, [], `in LAYERS of this test without files: ${empty.join(', ')}`)
})

test('every folder and loose file lies in the folder of its group; what starts the service lies in src itself', () => {
  const groupOf = new Map(
    Object.entries(GROUPS).flatMap(([group, layers]) => layers.flat().map((place): [string, string] => [place, group])),
  )
  assert.deepEqual(pathsOf(sources.filter(({ path, group }) => groupOf.get(placeOf(path)) !== group)), [])
})

test('imports go one way: from a layer to those below it', () => {
  const wrong = edges.filter(
    ([from, to]) => placeOf(from) !== placeOf(to) && layerOf(from) >= 0 && layerOf(to) >= layerOf(from),
  )
  assert.deepEqual(describe(wrong), [])
})

test('no files import each other in a circle', () => {
  assert.deepEqual(findCircle(), [])
})

test('resources are joined in src/calendar/resources.ts: hardly anything but theirs imports from their folders', () => {
  const declarations = new Set(['linked/venue.ts', 'linked/organizer.ts', 'terms/taxonomies.ts'])
  const ofResource = (path: string) => ['events', 'series'].includes(placeOf(path)) || declarations.has(path)
  const joiners = new Set([
    'resources.ts',
    // Starts the memory of events and the clock that publishes what is due.
    'app.ts',
    // Answers public lists of events from memory before anything else looks at the request.
    'http/public-reads.ts',
    // Compare and write what an import brings.
    'import/import-batch.ts',
    'import/import-source.ts',
    'import/shown-records.ts',
    'import/missing-items.ts',
    'import/plan-items.ts',
    // Compare what people have made of an event, and keep what waits beside it.
    'editing/merge-edits.ts',
    'editing/proposal-store.ts',
    // Links events of one record to another.
    'editing/merge-records.ts',
    // Read and put back what records have been.
    'history/record-states.ts',
    'history/record-history.ts',
    'import/source-item.ts',
    'import/write-item.ts',
    // Reads series to write them elsewhere.
    'push/push-items.ts',
    'push/push-calendar.ts',
    // Write feeds of events.
    'formats/event-component.ts',
    'formats/event-facts.ts',
    'formats/icalendar.ts',
    'formats/whole-series.ts',
    'formats/feed.ts',
    'formats/geojson.ts',
    'formats/json-ld.ts',
    // Tells the dates that a word means.
    'assistants/assistant-answers.ts',
  ])
  // Pages and the desk have a page or form for each kind of record.
  const into = edgesOf(({ runs }) => runs).filter(
    ([from, to]) => ofResource(to) && !ofResource(from) && !['pages', 'desk'].includes(placeOf(from)),
  )
  assert.deepEqual(describe(into.filter(([from]) => !joiners.has(from))), [])
  const joining = new Set(into.map(([from]) => from))
  assert.deepEqual(
    [...joiners].filter((path) => !joining.has(path)),
    [],
  )
})

test('the language of declarations and the machinery below it name no resource', () => {
  const named = /'(?:events?|venues?|organizers?|categor(?:y|ies))'/
  const wrong = sources.filter(
    ({ path, text }) =>
      (['text', 'declare', 'media'].includes(placeOf(path)) || /^fields\/(?:field|kinds|limits)\.ts$/.test(path)) &&
      named.test(codeOf(text)),
  )
  assert.deepEqual(pathsOf(wrong), [])
})

test('only storage knows which database answers; settings and start-up may name one', () => {
  const named = /\bisPostgres\b|['"`(]\s*(?:sqlite|postgres(?:ql)?)\b|\b(?:node:sqlite|pg|kysely\/dialect)\b'/i
  const allowed = ['storage', 'config.ts', 'app.ts', 'command-line.ts', 'main.ts']
  const wrong = sources.filter(({ path, text }) => !allowed.includes(placeOf(path)) && named.test(codeOf(text)))
  assert.deepEqual(pathsOf(wrong), [])
})

test('http, pages, desk and formats ask stores, and write no SQL', () => {
  const wrong = sources.filter(
    ({ path, text, imports }) =>
      ['http', 'pages', 'desk', 'formats'].includes(placeOf(path)) &&
      (imports.some(({ target }) => target === 'kysely') ||
        /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql(?:<\w+>)?`/.test(codeOf(text))),
  )
  assert.deepEqual(pathsOf(wrong), [])
})

test('only http reads forms of several parts', () => {
  const wrong = sources.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target === '@fastify/busboy' && placeOf(path) !== 'http')
      .map(({ target }) => [path, target] as const),
  )
  assert.deepEqual(describe(wrong), [])
})

test('migrations import nothing from outside storage', () => {
  const wrong = sources
    .filter(({ path }) => path.startsWith('storage/migrations/'))
    .flatMap(({ path, imports }) => imports.map(({ target, isPackage }) => [path, target, isPackage] as const))
    .filter(([, target, isPackage]) => !isPackage && placeOf(target) !== 'storage')
    .map(([path, target]) => [path, target] as const)
  assert.deepEqual(describe(wrong), [])
})

test('threads that read the database load no query builder, which takes 11 MB', () => {
  const loaded = new Set(['storage/sqlite/reader-thread.ts'])
  for (const path of loaded)
    for (const { target, runs } of sources.find((source) => source.path === path)?.imports ?? [])
      if (runs) loaded.add(target)
  assert.ok(loaded.has('storage/sqlite/sqlite-connection.ts'))
  assert.equal(loaded.has('kysely'), false)
})

test('a file can be asked for by its name alone', () => {
  const names = sources.map(({ path }) => basename(path))
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  )
})

test(`no file has more than ${LONGEST_FILE} lines, but for the lists of translated texts`, () => {
  const isList = (path: string) => /^locales\/[a-z]{2}\.ts$/.test(path)
  const long = sources.filter(({ path, text }) => !isList(path) && text.split('\n').length - 1 > LONGEST_FILE)
  assert.deepEqual(pathsOf(long), [])
})

test(`no function has more than ${LONGEST_FUNCTION} lines, nested ones included`, (t) => {
  const functions = sources
    .flatMap(({ path, text }) => functionsOf(text).map(({ name, lines }) => ({ name: `${path} ${name}`, lines })))
    .sort((a, b) => a.lines - b.lines)
  const linesAt = (share: number) => functions[Math.floor((functions.length - 1) * share)]?.lines ?? 0
  t.diagnostic(
    `${functions.length} functions: median ${linesAt(0.5)}, 95th percentile ${linesAt(0.95)}, longest ${linesAt(1)} lines`,
  )
  assert.ok(functions.length > 1000, `only ${functions.length} functions were found`)
  const long = functions.filter(({ lines }) => lines > LONGEST_FUNCTION).map(({ name }) => name)
  assert.deepEqual(long, [])
})

test('functions are found in each form they are written in', () => {
  const source = [
    'interface Shape { draw: () => void }',
    'type Other = (a: number) => { b: string }',
    'export async function declared(a: { b: number }): Promise<{ c: number }> {',
    '  const inner = () => {',
    '    return a',
    '  }',
    '  return { c: await inner() }',
    '}',
    'const table: Record<string, (a: number) => number> = {',
    '  row: (a) => a,',
    '  other: (',
    '    a,',
    '  ) => {',
    '    return a + 1',
    '  },',
    '  method(a) {',
    '    return a',
    '  },',
    '}',
    'const curried = (a: number) => (b: number) =>',
    '  a + b',
    'if (call(1)) call(2)',
    '',
  ]
  assert.deepEqual(
    functionsOf(source.join('\n')).map(({ name, lines }) => `${name} ${lines}`),
    ['declared 6', 'row 1', 'other 5', 'method 3', 'curried 2'],
  )
})

/** Returns the files of a circle of imports, or an empty list. */
function findCircle(): string[] {
  const targets = Map.groupBy(edges, ([from]) => from)
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return []
    for (const [, target] of targets.get(path) ?? []) {
      const circle = visit(target, [...trail, path])
      if (circle.length > 0) return circle
    }
    done.add(path)
    return []
  }
  for (const { path } of sources) {
    const circle = visit(path, [])
    if (circle.length > 0) return circle
  }
  return []
}

/** Removes comments, which may name anything. */
function codeOf(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/^\s*\/\/.*$/gm, '')
}

function pathsOf(found: readonly Source[]): string[] {
  return found.map(({ path }) => path)
}

function describe(found: readonly (readonly [from: string, to: string])[]): string[] {
  return found.map(([from, to]) => `${from} imports ${to}`)
}
