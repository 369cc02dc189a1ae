// Runs the tests on SQLite, then those of behaviour that a database takes part in on PostgreSQL as well:
//   npm test [-- [--database sqlite|postgres] [PATTERN ...]]     PATTERN is part of a file's path
import { existsSync, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { type Batch, oneByOne, shareOut } from './support/batches.ts'
import { DATABASES, makeTemplate, makeTemplateFile, SERVER, TEMPLATE_FILE } from './support/database.ts'
import { type PostgresServer, startPostgres } from './support/postgres.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Folders whose tests use a database. */
const ON_BOTH = [
  'test/api',
  'test/campaigns/aggregation',
  'test/campaigns/backup',
  'test/campaigns/crash',
  'test/campaigns/round-trip',
  'test/campaigns/steps',
  'test/fuzz',
  'test/import',
  'test/pages/every-address',
  'test/pages/many-terms',
  'test/pages/pages',
  'test/pages/translated-addresses',
  'test/people',
  'test/push',
  'test/storage',
]

/** What takes longest begins first, so that no core is left without work at the end. */
const LONGEST = [
  'test/house/recipes',
  'test/pages/browser',
  'test/api/processes',
  'test/storage/backup',
  'test/campaigns/',
  'test/commands/',
  'test/fuzz/fuzz',
  'test/api/ndjson',
  'test/api/stopping',
  'test/pages/embed',
  'test/push',
]

/** Processes at a time: a test waits now and then, for a clock or its server, and another one has its core meanwhile. */
const CONCURRENCY = availableParallelism() + 1
/** With more failing files than this something is wrong with all of them. */
const MOST_UNSTEADY = 8
/** How often a file runs till it passes: beside others, and alone. */
const MOST_TRIES = 3
/** Of the slowest files. */
const MOST_NAMED = 12
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

/** Counts, and the files in which something failed; those that share a process which did not come to its end are one failure. */
interface Outcome extends Counts {
  failing: (readonly string[])[]
}

function readArguments(words: string[]): { databases: readonly string[]; patterns: string[] } {
  const at = words.indexOf('--database')
  const [, chosen] = at === -1 ? [] : words.splice(at, 2)
  if (at !== -1 && !DATABASES.some((name) => name === chosen)) throw new Error('--database takes sqlite or postgres.')
  return { databases: chosen ? [chosen] : DATABASES, patterns: words }
}

const isLong = (file: string) => LONGEST.some((start) => file.startsWith(start))

function listFiles(patterns: readonly string[]): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: root }).sort()
  return patterns.length === 0 ? files : files.filter((file) => patterns.some((pattern) => file.includes(pattern)))
}

/**
 * Runs the files. What failed beside others runs again alone, twice if need be: tests with deadlines of a second or two have to share the cores of
 * small machines, which others use too. A failure counts when it comes each time, and what passed only alone is named.
 */
async function runSteadily(files: readonly string[]): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-batches-'))
  const { failing, ...counts } = await runBatches(shareOut(files, isLong, folder), CONCURRENCY)
  rmSync(folder, { recursive: true })
  if (failing.length === 0 || failing.length > MOST_UNSTEADY) return counts
  const unsteady = failing.flat()
  let left: readonly string[] = unsteady
  let failed = counts.failed
  for (let tries = 1; left.length > 0 && tries < MOST_TRIES; tries++) {
    console.log(`\nOnce more, alone: ${left.join(', ')}`)
    const again = await runBatches(oneByOne(left), 1)
    left = again.failing.flat()
    failed = again.failed
  }
  const recovered = unsteady.filter((file) => !left.includes(file))
  if (recovered.length > 0) console.log(`\nUnsteady, since they passed only alone: ${recovered.join(', ')}`)
  return { ...counts, passed: counts.passed + Math.max(0, counts.failed - failed), failed }
}

/** What is known of a run. */
interface Seen {
  /** Whether all tests of a process passed, by its entry; one that broke off is not here. */
  ended: Map<string, boolean>
  /** Entries of processes that failed as such. */
  broken: Set<string>
  /** Files that share a process and passed. */
  passed: Set<string>
  /** How long files and entries took. */
  seconds: Map<string, number>
}

/** Runs the files, and shows how they go. */
async function runBatches(batches: readonly Batch[], concurrency: number): Promise<Outcome> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 }
  const seen: Seen = { ended: new Map(), broken: new Set(), passed: new Set(), seconds: new Map() }
  const tests = run({ files: batches.map(({ entry }) => entry), concurrency, timeout: TIMEOUT_MS })
  watch(tests, seen)
  tests.on('test:summary', ({ file, success, duration_ms, counts: found }) => {
    // Each process has a summary of its own; the last one, of no file, is that of all.
    if (file !== undefined) {
      seen.ended.set(file, success)
      seen.seconds.set(file, duration_ms / 1000)
      return
    }
    const { passed, failed, cancelled, skipped, todo } = found as Record<string, number>
    counts.passed = passed ?? 0
    counts.failed = (failed ?? 0) + (cancelled ?? 0)
    counts.skipped = (skipped ?? 0) + (todo ?? 0)
  })
  for await (const piece of tests.compose(spec)) process.stdout.write(piece)
  sayWhatTookLongest(batches, seen.seconds)
  const failing = batches.flatMap((batch) => failingOf(batch, seen))
  return { ...counts, failed: Math.max(counts.failed, failing.length), failing }
}

/** Notes what passes and fails of whole processes, and of the files that share one, each of which is a suite there. */
function watch(tests: ReturnType<typeof run>, { broken, passed, seconds }: Seen): void {
  tests.on('test:pass', ({ nesting, name, details }) => {
    if (nesting !== 0 || details.type !== 'suite') return
    passed.add(name)
    seconds.set(name, details.duration_ms / 1000)
  })
  tests.on('test:fail', ({ nesting, name, details, file }) => {
    if (nesting !== 0) return
    if (details.type === 'suite') seconds.set(name, details.duration_ms / 1000)
    else if (file !== undefined) broken.add(file)
  })
}

/** The files of a process that failed: all as one where it is not known which of them made it end. */
function failingOf({ entry, files }: Batch, { ended, broken, passed }: Seen): (readonly string[])[] {
  const isWell = ended.get(entry)
  if (isWell === undefined || broken.has(entry)) return [files]
  if (isWell) return []
  return files.length === 1 ? [files] : files.filter((file) => !passed.has(file)).map((file) => [file])
}

/** Names the slowest files, since the whole has to stay a matter of minutes. */
function sayWhatTookLongest(batches: readonly Batch[], seconds: ReadonlyMap<string, number>): void {
  const took = batches.flatMap(({ entry, files }) =>
    files.map((file): [string, number] => [file, seconds.get(files.length === 1 ? entry : file) ?? 0]),
  )
  for (const [file, s] of took.sort(([, a], [, b]) => b - a).slice(0, MOST_NAMED))
    console.log(`${s.toFixed(1).padStart(7)} s  ${file}`)
}

const describe = ({ passed, failed, skipped }: Counts) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

/** Has tests keep their folders in memory where there is room: a commit on a disk holds its process up, and tests make thousands. */
function keepInMemory(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return
  const { bavail, bsize } = statfsSync(MEMORY)
  if (Math.min(bavail * bsize, freemem()) > MEMORY_BYTES) process.env.TMPDIR = MEMORY
}

async function runOnSqlite(files: readonly string[]): Promise<string> {
  delete process.env[SERVER]
  const folder = mkdtempSync(join(tmpdir(), 'kalends-template-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.env[TEMPLATE_FILE] = await makeTemplateFile(folder)
  const counts = await runSteadily(files)
  if (counts.failed > 0) process.exitCode = 1
  return `sqlite: ${describe(counts)}`
}

async function runOnPostgres(files: readonly string[]): Promise<string> {
  let server: PostgresServer
  try {
    server = await startPostgres()
  } catch (error) {
    if (process.env.CI === 'true') process.exitCode = 1
    return `postgres: not tested. ${error instanceof Error ? error.message : String(error)}`
  }
  try {
    await makeTemplate(server.address())
    process.env[SERVER] = server.address()
    const counts = await runSteadily(files)
    if (counts.failed > 0) process.exitCode = 1
    return `postgres ${server.version}: ${describe(counts)}`
  } finally {
    await server.close()
  }
}

/** Has all processes of this run share what is compiled: a start takes half its time to compile the sources. */
function shareCompiled(): void {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-compiled-'))
  process.env.NODE_COMPILE_CACHE = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}

const { databases, patterns } = readArguments(process.argv.slice(2))
const files = listFiles(patterns)
const shared = files.filter((file) => ON_BOTH.some((folder) => file.startsWith(folder)))
if (files.length === 0) {
  console.error(`No test file has ${patterns.join(' or ')} in its path.`)
  process.exit(1)
}
// Whoever interrupts a run leaves nothing of it in memory: what is kept there is removed at the exit.
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
keepInMemory()
shareCompiled()
const lines: string[] = []
if (databases.includes('sqlite')) lines.push(await runOnSqlite(files))
if (databases.includes('postgres') && shared.length > 0) lines.push(await runOnPostgres(shared))
console.log(`\n${lines.join('\n')}`)
