// Runs the tests: those of behaviour that a database takes part in on SQLite and on PostgreSQL, the others once.
//   npm test [-- [--database sqlite|postgres] [PATTERN ...]]     PATTERN is part of a file's path
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync, symlinkSync } from 'node:fs'
import { availableParallelism, freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventData, run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { build } from '../packaging/build.ts'
import { type Batch, nameOn, shareOut, writeEntry } from './support/batches.ts'
import { findChromium, launchChromium, SHARED_CHROMIUM } from './support/chromium.ts'
import {
  DATABASES,
  type DatabaseName,
  makeTemplateFiles,
  makeTemplates,
  SERVER,
  TEMPLATE_FOLDER,
} from './support/database.ts'
import { BUNDLED, preloading, STRIPPED } from './support/environment.ts'
import { type PostgresServer, startPostgres } from './support/postgres.ts'
import { processorSeconds } from './support/processor-time.ts'
import { fillTemplate } from './support/service.ts'
import { writeStripped } from './support/stripped-sources.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Tests that a database takes part in, by the beginnings of paths. The only campaign among them kills the server of the database. Pages, the desk and the
 * tools of assistants have no statement of their own (`src/serve`): those are here that are the only ones to reach an operation of the calendar.
 */
const ON_BOTH = [
  'test/api',
  'test/campaigns/crash',
  'test/desk/event-list',
  'test/desk/inbox',
  'test/desk/people',
  'test/desk/search',
  'test/fuzz',
  'test/import',
  'test/pages/directories',
  'test/pages/more-events',
  'test/people',
  'test/push',
  'test/storage',
]

/**
 * Tests among these that prove nothing about the database: they are about requests and files before records are made of them, about what is made of records
 * that were read, and about the process; or that send statements which others send to both: lists by filter-rows, properties and search, single records by
 * history-model, change-many and if-match, series by series-model and series-moves, kills by the crash campaign.
 */
const ON_ONE = [
  'test/api/asked-times-kept',
  'test/api/assistants',
  'test/api/cache-bounds',
  'test/api/compressed',
  'test/api/demo',
  'test/api/event-members',
  'test/api/event-status',
  'test/api/export',
  'test/api/feed-checks',
  'test/api/feeds',
  'test/api/geojson',
  'test/api/intake',
  'test/api/kept-feeds',
  'test/api/languages',
  'test/api/limits',
  'test/api/linked-data',
  'test/api/long-texts',
  'test/api/merge-edits',
  'test/api/ndjson-memory',
  'test/api/older-values',
  'test/api/openapi-client',
  'test/api/overload',
  'test/api/permissions',
  'test/api/platform-records',
  'test/api/platform.test',
  'test/api/real-input',
  'test/api/secrets',
  'test/api/series-bad-rules',
  'test/api/series-calendar',
  'test/api/series-permissions',
  'test/api/series-routes',
  'test/api/series-scopes',
  'test/api/series-trash',
  'test/api/series.test',
  'test/api/site-address',
  'test/api/stopping',
  'test/api/tokens',
  'test/api/unshowable',
  'test/api/watching',
  'test/api/webhook-receiver',
  'test/desk/event-list-browser',
  'test/fuzz/blocks',
  'test/import/give-way',
  'test/import/import-addresses',
  'test/import/import-broken',
  'test/import/import-formats',
  'test/import/import-hostile',
  'test/import/import-json',
  'test/import/import-pictures',
  'test/import/import-private',
  'test/import/import-programs',
  'test/import/import-progress',
  'test/import/import-report',
  'test/import/import-series',
  'test/import/import-site',
  'test/import/import-zones',
  'test/import/read-beside',
  'test/import/windows-zones',
  'test/people/authenticate',
  'test/people/desk-passwords',
]

/** What takes longest begins first, so that no core is left without work at the end. */
const LONGEST = [
  'test/house/recipes',
  'test/desk/screens',
  'test/pages/browser',
  'test/storage/backup',
  'test/campaigns/',
  'test/api/stopping',
  'test/api/tokens',
  'test/api/watching',
  'test/api/processes',
  'test/api/ndjson',
  'test/push',
]

/** Processes at a time: a test waits now and then, for a clock or its server, and another one has its core meanwhile. */
const CONCURRENCY = availableParallelism() + 1
/** With more failing files than this something is wrong with all of them. */
const MOST_UNSTEADY = 8
/** How often a file runs till it passes: beside others, and alone. */
const MOST_TRIES = 3
/** Of the slowest files. */
const MOST_NAMED = 10
/**
 * Options of V8 for processes of tests beside others: each has one thread, since the cores have other tests to run, and threads that help with garbage and
 * compiling take a seventh of the processor time. What runs alone has these threads, as the service has.
 */
const V8 = ['--single-threaded']
/** For one file. Only what hangs takes so long, on whatever machine. */
const TIMEOUT_MS = 900_000

/** A folder in memory, as Linux has it. */
const MEMORY = '/dev/shm'
/** What has to be free there, most of it for the log of PostgreSQL. */
const MEMORY_BYTES = 4_000_000_000

interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** How the tests of a file went on one database. */
interface Outcome extends Counts {
  seconds: number
  /** What it says of the processor time it took; empty where it broke off. */
  took: string
}

/** What is known of files by `nameOn`; files of a process that did not come to its end may be missing. */
type Outcomes = Map<string, Outcome>

/** The environment of tests on each database that there is. */
type Environments = Partial<Record<DatabaseName, Record<string, string>>>

function readArguments(words: string[]): { databases: readonly DatabaseName[]; patterns: string[] } {
  const at = words.indexOf('--database')
  const [, chosen] = at === -1 ? [] : words.splice(at, 2)
  const databases = DATABASES.filter((name) => at === -1 || name === chosen)
  if (databases.length === 0) throw new Error('--database takes sqlite or postgres.')
  return { databases, patterns: words }
}

function usesDatabase(file: string): boolean {
  const isUnder = (starts: readonly string[]) => starts.some((start) => file.startsWith(start))
  return isUnder(ON_BOTH) && !isUnder(ON_ONE)
}

function listFiles(patterns: readonly string[]): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: root }).sort()
  return patterns.length === 0 ? files : files.filter((file) => patterns.some((pattern) => file.includes(pattern)))
}

/**
 * Runs the files. What failed beside others runs again alone, twice if need be: tests with deadlines of a second or two have to share the cores of
 * small machines, which others use too. A failure counts when it comes each time, and what passed only alone is named.
 */
async function runSteadily(batches: readonly Batch[], environments: Environments): Promise<Outcomes> {
  const { outcomes, failing } = await runBatches(batches, environments, CONCURRENCY)
  sayWhatTookLongest(outcomes)
  if (failing.length > MOST_UNSTEADY) return outcomes
  const unsteady = failing.flatMap(oneByOne)
  let left = unsteady
  for (let tries = 1; left.length > 0 && tries < MOST_TRIES; tries++) {
    console.log(`\nOnce more, alone: ${left.flatMap(namesOf).join(', ')}`)
    const again = await runBatches(left, environments, 1)
    for (const [name, outcome] of again.outcomes) outcomes.set(name, outcome)
    left = again.failing
  }
  const failed = new Set(left.flatMap(namesOf))
  const recovered = unsteady.flatMap(namesOf).filter((name) => !failed.has(name))
  if (recovered.length > 0) console.log(`\nUnsteady, since they passed only alone: ${recovered.join(', ')}`)
  return outcomes
}

const namesOf = ({ database, files }: Batch) => files.map((file) => nameOn(database, file))

const oneByOne = ({ database, files }: Batch): Batch[] => files.map((file) => ({ database, files: [file] }))

/** Runs the files and shows how they go; what failed, where files that kept each other from their end are one failure. */
async function runBatches(
  batches: readonly Batch[],
  environments: Environments,
  concurrency: number,
): Promise<{ outcomes: Outcomes; failing: Batch[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-batches-'))
  const entries = new Map(
    batches.map((batch) => [writeEntry(batch, environments[batch.database] ?? {}, folder), batch]),
  )
  const tests = run({
    files: [...entries.keys()],
    concurrency,
    timeout: TIMEOUT_MS,
    execArgv: [...(concurrency > 1 ? V8 : []), ...preloading()],
  })
  const outcomes: Outcomes = new Map()
  const broken = watch(tests, outcomes)
  for await (const piece of tests.compose(spec)) process.stdout.write(piece)
  rmSync(folder, { recursive: true })
  const failing = [...entries].flatMap(([entry, batch]) => failingOf(batch, outcomes, broken.has(entry)))
  for (const name of failing.flatMap(namesOf)) {
    const { failed, ...known } = outcomes.get(name) ?? { passed: 0, failed: 0, skipped: 0, seconds: 0, took: '' }
    outcomes.set(name, { ...known, failed: Math.max(failed, 1) })
  }
  return { outcomes, failing }
}

/** Notes how each file goes, which is a suite; the entries of processes that fail as such. Reports of processes come one after the other. */
function watch(tests: ReturnType<typeof run>, outcomes: Outcomes): ReadonlySet<string> {
  const broken = new Set<string>()
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 }
  let last: Outcome | undefined
  const note = (event: EventData.TestPass | EventData.TestFail, hasPassed: boolean) => {
    const { nesting, name, file, details, skip, todo } = event
    const isSuite = details.type === 'suite'
    if (nesting > 0 && isSuite) return
    if (nesting > 0) counts[skip || todo ? 'skipped' : hasPassed ? 'passed' : 'failed'] += 1
    else {
      const failed = hasPassed ? 0 : Math.max(counts.failed, 1)
      last = { ...counts, failed, seconds: details.duration_ms / 1000, took: '' }
      if (isSuite) outcomes.set(name, last)
      else if (!hasPassed && file !== undefined) broken.add(file)
      counts = { passed: 0, failed: 0, skipped: 0 }
    }
  }
  tests.on('test:pass', (event) => note(event, true))
  tests.on('test:fail', (event) => note(event, false))
  // A file says so right after it has ended.
  tests.on('test:diagnostic', ({ nesting, message }) => {
    if (nesting === 0 && last) last.took ||= message
  })
  return broken
}

/** The files of a process that failed. Where it broke off, those that it did not come to the end of; all where it broke after them. */
function failingOf({ database, files }: Batch, outcomes: Outcomes, isBroken: boolean): Batch[] {
  const of = (file: string) => outcomes.get(nameOn(database, file))
  const failed = files.filter((file) => (of(file)?.failed ?? 0) > 0)
  const missing = files.filter((file) => of(file) === undefined)
  if (missing.length > 0) return [...oneByOne({ database, files: failed }), { database, files: missing }]
  return isBroken && failed.length === 0 ? [{ database, files }] : oneByOne({ database, files: failed })
}

/** Names the slowest files, since the whole has to stay a matter of minutes. */
function sayWhatTookLongest(outcomes: Outcomes): void {
  const slowest = [...outcomes].sort(([, a], [, b]) => b.seconds - a.seconds).slice(0, MOST_NAMED)
  for (const [name, { seconds, took }] of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}, ${took}`)
}

/** Says how long the run took, and how much processor time: what a busy machine changes little. */
function sayHowLong(): void {
  console.log(`\n${Math.round(performance.now() / 1000)} s, ${Math.round(processorSeconds())} s of processor time`)
}

/** Adds up how the files went on one database. */
function describe(database: DatabaseName, outcomes: Outcomes): string {
  const sum: Counts = { passed: 0, failed: 0, skipped: 0 }
  for (const [name, { passed, failed, skipped }] of outcomes) {
    if (!name.startsWith(nameOn(database, ''))) continue
    sum.passed += passed
    sum.failed += failed
    sum.skipped += skipped
  }
  return `${sum.passed} passed, ${sum.failed} failed${sum.skipped > 0 ? `, ${sum.skipped} skipped` : ''}`
}

/** Has tests keep their folders in memory where there is room: a commit on a disk holds its process up, and tests make thousands. */
function keepInMemory(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return
  const { bavail, bsize } = statfsSync(MEMORY)
  if (Math.min(bavail * bsize, freemem()) > MEMORY_BYTES) process.env.TMPDIR = MEMORY
}

/** Makes what new SQLite databases are copied from; the environment that says where it is. */
async function prepareSqlite(): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-template-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await makeTemplateFiles(folder, fillTemplate)
  return { [TEMPLATE_FOLDER]: folder }
}

/** Starts a PostgreSQL server with what new databases are copied from; a sentence where there is none. */
async function preparePostgres(): Promise<PostgresServer | string> {
  try {
    const server = await startPostgres()
    await makeTemplates(server.address(), fillTemplate)
    return server
  } catch (error) {
    if (process.env.CI === 'true') process.exitCode = 1
    return `not tested. ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Has all processes of this run share what is stripped of types and compiled: a start takes most of its time for that. */
async function shareCompiled(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-compiled-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.env.NODE_COMPILE_CACHE = folder
  process.env[STRIPPED] = await writeStripped(folder)
  // Few files start fewer programs than it takes to bundle one.
  if (patterns.length === 0) process.env[BUNDLED] = await bundleProgram(folder)
}

/** Starts the browser that all files of this run look at pages in, where several do; what ends it. */
async function shareChromium(): Promise<() => Promise<void>> {
  const program = findChromium()
  const looking = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('startChromium'))
  if (program === undefined || looking.length < 2) return async () => undefined
  const { address, close } = await launchChromium(program)
  process.env[SHARED_CHROMIUM] = address
  return close
}

/** Bundles the program of the service, which starts in half the time then; its path. */
async function bundleProgram(folder: string): Promise<string> {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  await build(join(folder, 'dist'))
  return join(folder, 'dist/src/main.js')
}

const { databases, patterns } = readArguments(process.argv.slice(2))
const files = listFiles(patterns)
if (files.length === 0) {
  console.error(`No test file has ${patterns.join(' or ')} in its path.`)
  process.exit(1)
}
const chosen = {
  sqlite: databases.includes('sqlite') ? files : [],
  postgres: databases.includes('postgres') ? files.filter(usesDatabase) : [],
}
// Whoever interrupts a run leaves nothing of it in memory: what is kept there is removed at the exit.
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
keepInMemory()
await shareCompiled()
const closeChromium = await shareChromium()
delete process.env[SERVER]
const postgres = chosen.postgres.length > 0 ? await preparePostgres() : undefined
const isThere = typeof postgres === 'object'
const environments: Environments = { sqlite: chosen.sqlite.length > 0 ? await prepareSqlite() : {} }
if (isThere) environments.postgres = { [SERVER]: postgres.address() }
const outcomes = await runSteadily(
  shareOut({ ...chosen, postgres: isThere ? chosen.postgres : [] }, LONGEST),
  environments,
)
await closeChromium()
if (isThere) await postgres.close()
sayHowLong()
if ([...outcomes.values()].some(({ failed }) => failed > 0)) process.exitCode = 1
if (chosen.sqlite.length > 0) console.log(`\nsqlite: ${describe('sqlite', outcomes)}`)
if (postgres !== undefined)
  console.log(isThere ? `postgres ${postgres.version}: ${describe('postgres', outcomes)}` : `postgres: ${postgres}`)
