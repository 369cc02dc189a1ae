// Runs the tests.
//   npm test [-- PATTERN ...]           each behaviour once; PATTERN is part of a file's path
//   npm test -- --feature NAME         the tests of one feature
//   npm run test:all [-- PATTERN ...]   everything, on both databases
//   npm run measure                     bounds on time and memory
//   node test/run.ts [--all | --rest | --measure] [--database sqlite|postgres] [PATTERN ...]
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, symlinkSync } from 'node:fs'
import { availableParallelism, freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec, type TestEvent } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { inspect, parseArgs, promisify } from 'node:util'
import { build } from '../packaging/build.ts'
import { findChromium, launchChromium, SHARED_CHROMIUM } from './support/chromium.ts'
import {
  DATABASES,
  type DatabaseName,
  makeTemplateFiles,
  makeTemplates,
  SERVER,
  TEMPLATE_FOLDER,
} from './support/database.ts'
import { BUNDLED } from './support/environment.ts'
import { groupFiles, writeProgram } from './support/grouped-files.ts'
import { type PostgresServer, startPostgres } from './support/postgres.ts'
import { processorSeconds } from './support/processor-time.ts'
import { filesOfFeature, isSlow, type Kind, selectFiles } from './support/selection.ts'
import { fillTemplate } from './support/service.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** More processes than cores, since tests wait for a clock or a server; the slowest do most of the time. */
const MORE_THAN_CORES = { 'each-once': 4, all: 2, rest: 2 }
/** The number of slowest files that a run names. */
const MOST_NAMED = 10
/** The folder in memory of Linux, and the free bytes that a run needs there, most of them for PostgreSQL. */
const MEMORY = '/dev/shm'
const MEMORY_BYTES = 4_000_000_000

/**
 * The most other files that share a process: more would save little time and make the last process of a run
 * end late.
 */
const LIGHT_TOGETHER = { sqlite: 24, postgres: 8 }

/** The most slow files of `npm test` that share a process; those of the others may take minutes each. */
const SLOW_TOGETHER = 4

/** Test files that share a process. */
interface Program {
  database: DatabaseName
  files: readonly string[]
}

interface Counts {
  passed: number
  failed: number
  skipped: number
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean' },
    rest: { type: 'boolean' },
    measure: { type: 'boolean' },
    database: { type: 'string' },
    feature: { type: 'string' },
  },
})
const patterns =
  options.feature === undefined ? positionals : [...positionals, ...filesOfFeature(root, options.feature)]
const kind: Kind = options.measure ? 'measure' : options.rest ? 'rest' : options.all ? 'all' : 'each-once'
const databases = DATABASES.filter((name) => options.database === undefined || options.database === name)
const files = selectFiles(kind, root, patterns)
if (databases.every((name) => files[name].length === 0)) {
  console.error(
    `No test file has ${patterns.join(' or ')} in its path, or --database is not sqlite or postgres.`,
  )
  process.exit(1)
}

if (kind === 'all' || kind === 'rest') {
  // Pages in wide and narrow windows, with axe.
  process.env.PAGES_CHECK ??= 'all'
}
// An interrupted run exits properly, so that its folders in memory are removed.
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
await moveClock()
keepInMemory()
const programs = new Map<string, Program>()
const untested: string[] = []
const servers: PostgresServer[] = []
const folder = scratchFolder('programs')
const [closeChromium] = await Promise.all([shareChromium(), shareCompiled(), ...databases.map(addDatabase)])
const lines = [...(await runPrograms()), ...untested]
for (const server of servers) await server.close()
await closeChromium()
const [took, worked] = [performance.now() / 1000, processorSeconds()].map(Math.round)
console.log(`\n${took} s, ${worked} s of processor time\n\n${lines.join('\n')}`)

async function addDatabase(database: DatabaseName): Promise<void> {
  if (files[database].length === 0) return
  const prepared = await prepare(database)
  if (typeof prepared === 'string') untested.push(`${database}: ${prepared}`)
  else addPrograms(database, prepared)
}

/** Divides the files of a database among programs. */
function addPrograms(database: DatabaseName, settings: Readonly<Record<string, string>>): void {
  const groups =
    kind === 'measure'
      ? files[database].map((file) => [file])
      : groupFiles(files[database], root, {
          isSlow,
          slow: kind === 'each-once' ? SLOW_TOGETHER : 1,
          light: LIGHT_TOGETHER[database],
        })
  for (const group of groups)
    programs.set(writeProgram(group, root, join(folder, database), settings), { database, files: group })
}

/**
 * Runs the programs and prints what fails. A process that fails without a failing test counts as one, and so
 * does a file without a test. Returns a line of counts for each database.
 */
async function runPrograms(): Promise<string[]> {
  // Those that take longest come first, so that no core is idle at the end.
  const isLate = ([, { database, files: names }]: [string, Program]) =>
    Number(database === 'sqlite' && !names.every(isSlow))
  const tests = run({
    cwd: root,
    files: [...programs].sort((a, b) => isLate(a) - isLate(b)).map(([path]) => path),
    concurrency: kind === 'measure' ? 1 : availableParallelism() + MORE_THAN_CORES[kind],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const seconds = new Map<string, number>()
  const seen = new Set<string>()
  tests.on('test:pass', ({ details, file = '', skip }) => {
    // The tests of a suite that is skipped are not reported.
    if (details.type !== 'suite' || skip) seen.add(file)
    if (details.type !== 'suite') seconds.set(file, (seconds.get(file) ?? 0) + details.duration_ms / 1000)
  })
  tests.on('test:fail', ({ file = '' }) => seen.add(file))
  const over = new Set<Program>()
  const counts = { sqlite: none(), postgres: none() }
  tests.on('test:summary', ({ file = '', counts: ended, success }) => {
    const program = programs.get(file)
    if (!program) return
    over.add(program)
    const all = counts[program.database]
    all.passed += ended.passed
    all.skipped += ended.skipped
    const failed = ended.tests - ended.passed - ended.skipped - ended.todo
    all.failed += failed
    if (!success && failed === 0) failWhole(program, all)
  })
  for await (const piece of tests.compose(patterns.length > 0 ? spec : reportFailures))
    process.stdout.write(piece)
  for (const program of programs.values()) {
    const all = counts[program.database]
    if (!over.has(program)) failWhole(program, all)
    for (const file of program.files.filter((name) => !seen.has(join(root, name)))) {
      console.log(`✖ ${file} has no test that ran`)
      all.failed += 1
    }
  }
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, MOST_NAMED)
  for (const [file, took] of slowest)
    console.log(`${took.toFixed(1).padStart(7)} s  ${file.slice(root.length)}`)
  const tested = new Set([...programs.values()].map(({ database }) => database))
  return [...tested].map((database) => {
    const { passed, failed, skipped } = counts[database]
    if (failed > 0) process.exitCode = 1
    return `${database}: ${passed} passed, ${failed} failed, ${skipped} skipped`
  })
}

/** Counts and names a program that has failed by itself, whatever its tests say. */
function failWhole({ files: names }: Program, counts: Counts): void {
  console.log(`✖ the process of ${names.join(', ')}`)
  counts.failed += 1
}

function none(): Counts {
  return { passed: 0, failed: 0, skipped: 0 }
}

/** Whether a suite failed only because some of its tests did, which are reported themselves. */
function isOfItsTests({ message }: Error): boolean {
  return /^\d+ subtests? failed$/.test(message)
}

/** A reporter: a dot for each hundred tests, and each failure with its place and error. */
async function* reportFailures(events: AsyncIterable<TestEvent>): AsyncIterable<string> {
  let passed = 0
  for await (const { type, data } of events) {
    if (type === 'test:pass' && ++passed % 100 === 0) yield '.'
    if (type !== 'test:fail' || isOfItsTests(data.details.error)) continue
    const { name, file = '', line, details } = data
    yield `\n✖ ${file.replace(root, '')}:${line ?? ''} ${name}\n` +
      `${inspect(details.error.cause ?? details.error)}\n`
  }
  yield '\n'
}

/**
 * Prepares new databases of this kind. Returns the variables by which tests find them, or why there are none.
 */
async function prepare(database: DatabaseName): Promise<Readonly<Record<string, string>> | string> {
  if (database === 'sqlite') {
    const templates = scratchFolder('template')
    await makeTemplateFiles(templates, fillTemplate)
    return { [TEMPLATE_FOLDER]: templates }
  }
  try {
    const server = await startPostgres()
    servers.push(server)
    await makeTemplates(server.address(), fillTemplate)
    return { [SERVER]: server.address() }
  } catch (error) {
    if (process.env.CI === 'true') process.exitCode = 1
    return `not tested. ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Makes a temporary folder that goes with this process. */
function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `kalends-${name}-`))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Moves the clock of this process and of all that it starts, unless it is moved. */
async function moveClock(): Promise<void> {
  if (process.env.TEST_CLOCK_AHEAD !== undefined) return
  const clock = new URL('support/clock.js', import.meta.url).href
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${clock}`
  await import(clock)
}

/**
 * Makes tests keep their folders in memory if it has room, since each of their thousands of commits waits for
 * a disk.
 */
function keepInMemory(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return
  const { bavail, bsize } = statfsSync(MEMORY)
  if (Math.min(bavail * bsize, freemem()) > MEMORY_BYTES) process.env.TMPDIR = MEMORY
}

/** Makes all processes of this run share compiled code, and services the program as it is released. */
async function shareCompiled(): Promise<void> {
  const folder = scratchFolder('compiled')
  process.env.NODE_COMPILE_CACHE = folder
  // For a few files, bundling takes longer than it saves.
  if (patterns.length > 0) return
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  // The first processes of a run start together, and would each compile all sources.
  const compiled = promisify(execFile)(process.execPath, [join(root, 'test/support/service.ts')])
  await Promise.all([build(join(folder, 'dist')), compiled])
  process.env[BUNDLED] = join(folder, 'dist/src/main.js')
}

/** Starts a browser for all files of this run if several use one. Returns a function that ends it. */
async function shareChromium(): Promise<() => Promise<void>> {
  const program = findChromium()
  const looking = files.sqlite.filter((file) =>
    readFileSync(join(root, file), 'utf8').includes('startChromium'),
  )
  if (program === undefined || looking.length < 2) return async () => undefined
  const { address, close } = await launchChromium(program)
  process.env[SHARED_CHROMIUM] = address
  return close
}
