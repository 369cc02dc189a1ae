// Runs the tests: those that depend on the database run on SQLite and on PostgreSQL, the others once.
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
 * Tests that run on both databases, by the beginnings of paths. The only campaign here kills the database server. `src/serve` has no SQL, so tests of
 * pages, the desk and assistants are here only if no other test reaches an operation of the calendar.
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
 * Tests of `ON_BOTH` that one database is enough for. They check requests and files before anything is written, answers made of records that were read, or
 * the process. Or others send their statements to both databases: filter-rows, properties and search for lists; history-model, change-many and if-match for
 * single records; series-model and series-moves for series; the crash campaign for kills.
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

/** The slowest files start first, so that no core is idle at the end. */
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

/** The number of processes at a time: one more than cores, since tests sometimes wait for a clock or a server. */
const CONCURRENCY = availableParallelism() + 1
/** With more failing files than this, something is wrong with all of them, and none runs again. */
const MOST_UNSTEADY = 8
/** The most runs of a file: one beside others, then alone. */
const MOST_TRIES = 3
/** The number of slowest files that a run names. */
const MOST_NAMED = 10
/**
 * Options of V8 for test processes that run beside others. They have one thread each: threads for garbage collection and compiling take a seventh of the
 * processor time, which other tests need. A process that runs alone has these threads, as the service has.
 */
const V8 = ['--single-threaded']
/** The most time of a process. Only a test that hangs takes so long, even on a slow machine. */
const TIMEOUT_MS = 900_000

/** The folder in memory of Linux. */
const MEMORY = '/dev/shm'
/** The free bytes that a run needs there, most of them for the log of PostgreSQL. */
const MEMORY_BYTES = 4_000_000_000

interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** The results of a file on one database. */
interface Outcome extends Counts {
  seconds: number
  /** The line about its processor time; empty if the file broke off. */
  took: string
}

/** The results of files by `nameOn`. Files of a process that broke off may be missing. */
type Outcomes = Map<string, Outcome>

/** The environment variables of tests on each available database. */
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
 * Runs the files. A file that fails beside others runs again alone, up to twice, since tests with deadlines of a second or two share the cores of small
 * machines. A file fails if it fails each time. Files that passed only alone are named.
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

/** Runs the files and prints their results. Returns the results, and the failing files; files of a process that broke off stay one batch. */
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

/** Records the result of each file, which is a suite. Returns the entries of processes that fail as a whole. Reports of processes do not mix. */
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
  // The line about processor time comes right after the result of its file.
  tests.on('test:diagnostic', ({ nesting, message }) => {
    if (nesting === 0 && last) last.took ||= message
  })
  return broken
}

/** Returns the failed files of a process. If it broke off, they include the unfinished files; if it failed after the last file, all files. */
function failingOf({ database, files }: Batch, outcomes: Outcomes, isBroken: boolean): Batch[] {
  const of = (file: string) => outcomes.get(nameOn(database, file))
  const failed = files.filter((file) => (of(file)?.failed ?? 0) > 0)
  const missing = files.filter((file) => of(file) === undefined)
  if (missing.length > 0) return [...oneByOne({ database, files: failed }), { database, files: missing }]
  return isBroken && failed.length === 0 ? [{ database, files }] : oneByOne({ database, files: failed })
}

/** Prints the slowest files, since a run should take only minutes. */
function sayWhatTookLongest(outcomes: Outcomes): void {
  const slowest = [...outcomes].sort(([, a], [, b]) => b.seconds - a.seconds).slice(0, MOST_NAMED)
  for (const [name, { seconds, took }] of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}, ${took}`)
}

/** Prints how long the run took, and its processor time, which a busy machine changes little. */
function sayHowLong(): void {
  console.log(`\n${Math.round(performance.now() / 1000)} s, ${Math.round(processorSeconds())} s of processor time`)
}

/** Returns the sum of the results on one database. */
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

/** Makes tests keep their folders in memory if it has room, since tests make thousands of commits and each waits for a disk. */
function keepInMemory(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return
  const { bavail, bsize } = statfsSync(MEMORY)
  if (Math.min(bavail * bsize, freemem()) > MEMORY_BYTES) process.env.TMPDIR = MEMORY
}

/** Makes the template of new SQLite databases. Returns the environment variable with its folder. */
async function prepareSqlite(): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-template-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await makeTemplateFiles(folder, fillTemplate)
  return { [TEMPLATE_FOLDER]: folder }
}

/** Starts a PostgreSQL server with the templates of new databases. Returns a sentence if it cannot start. */
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

/** Makes all processes of this run share sources without types and compiled code, since these take most of the time of a start. */
async function shareCompiled(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-compiled-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.env.NODE_COMPILE_CACHE = folder
  process.env[STRIPPED] = await writeStripped(folder)
  // For a few files, bundling takes longer than it saves.
  if (patterns.length === 0) process.env[BUNDLED] = await bundleProgram(folder)
}

/** Starts a browser for all files of this run if several use one. Returns a function that ends it. */
async function shareChromium(): Promise<() => Promise<void>> {
  const program = findChromium()
  const looking = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('startChromium'))
  if (program === undefined || looking.length < 2) return async () => undefined
  const { address, close } = await launchChromium(program)
  process.env[SHARED_CHROMIUM] = address
  return close
}

/** Bundles the program of the service, which then starts in half the time. Returns its path. */
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
// An interrupted run exits properly, so that its folders in memory are removed.
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
