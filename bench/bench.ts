import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { startBaseline } from './baseline.ts'
import type { BenchRun } from './bench-run.ts'
import { copyForWriting, FOLDER, prepareDataStore } from './data-store.ts'
import { deskScenarios } from './desk-scenarios.ts'
import { measureInstall, measureMemory, measureStart } from './footprint.ts'
import { findTool, startLoadTool, type ToolName } from './load.ts'
import { describeMachine } from './machine.ts'
import { pageScenarios } from './page-scenarios.ts'
import { findCores, moveTo } from './processes.ts'
import { readScenarios, type Scenario } from './read-scenarios.ts'
import { comparedTable, runTable } from './report.ts'
import type { Result, Run } from './results.ts'
import { BASE, fetchAnswer, type RunningService, startService } from './service.ts'
import { wordScenarios } from './word-scenarios.ts'
import { writeScenarios } from './write-scenarios.ts'

interface Options {
  events: number
  rounds?: number
  seconds?: number
  connections: number
  only?: string
  quick?: true
  install?: true
  database?: string
  load?: ToolName
  json?: string
  markdown?: true
  from: string[]
}

const QUICK = { rounds: 1, seconds: 1 }
const FULL = { rounds: 3, seconds: 3 }

const startScenario: Scenario = {
  id: 'start',
  title: 'start, idle memory, database size',
  measure: measureStart,
}
const memoryScenario: Scenario = {
  id: 'memory-after-reads',
  title: 'memory after all reads',
  measure: measureMemory,
}
const installScenario: Scenario = { id: 'install', title: 'installation', measure: measureInstall }

function positive(text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new InvalidArgumentError('It takes a number above 0.')
  return value
}

const program = new Command('bench')
  .description('Measures Kalends against a bare node:http server that sends the same bytes.')
  .addOption(
    new Option('--events <number>', 'events of the data set')
      .choices(['10000', '100000', '1000000'])
      .default('100000'),
  )
  .option(
    '--rounds <number>',
    `rounds of service and bare server in turn (default: ${FULL.rounds})`,
    positive,
  )
  .option('--seconds <number>', `seconds of load in a round (default: ${FULL.seconds})`, positive)
  .option('--connections <number>', 'connections of the load generator', positive, 12)
  .option('--only <text>', 'only what has this in its id or title')
  .option(
    '--quick',
    '10,000 events, one round of one second, without what is much like another: under a minute',
  )
  .option('--install', 'measure an installation too; needs the package registry')
  .option(
    '--database <address>',
    'an empty PostgreSQL database to use instead of a SQLite file; it is written to',
  )
  .addOption(
    new Option('--load <tool>', 'load generator for reads; wrk when it is installed').choices([
      'wrk',
      'autocannon',
    ]),
  )
  .option('--json <file>', 'write the results to this file')
  .option('--markdown', 'print the table as Markdown')
  .option(
    '--from <file>',
    'measure nothing and print what --json wrote; several times for several sizes side by side',
    collect,
    [],
  )
  .argument('[flags...]', 'after --: further flags of kalends serve')
  .action(bench)

function collect(file: string, files: string[]): string[] {
  return [...files, file]
}

async function bench(flags: string[], given: Omit<Options, 'events'> & { events: string }): Promise<void> {
  const options: Options = { ...given, events: given.quick ? 10_000 : Number(given.events) }
  if (options.from.length > 0) return printRuns(await Promise.all(options.from.map(readRun)), options)
  const result = await measure(flags, options)
  if (options.json) await writeFile(options.json, `${JSON.stringify(result, null, 2)}\n`)
  printRuns([result], options)
}

function printRuns(runs: readonly Run[], { markdown }: Options): void {
  const [only] = runs
  if (only)
    console.log(
      runs.length === 1 ? runTable(only, markdown === true) : comparedTable(runs, markdown === true),
    )
}

async function readRun(file: string): Promise<Run> {
  return JSON.parse(await readFile(file, 'utf8'))
}

async function measure(flags: string[], options: Options): Promise<Run> {
  const date = new Date().toISOString()
  const { rounds, seconds } = { ...(options.quick ? QUICK : FULL), ...given(options) }
  const say = (text: string) => console.error(text)
  await mkdir(FOLDER, { recursive: true })
  const store = await prepareDataStore(options.events, options.database, say)
  const cores = findCores()
  moveTo(cores.load)
  const machine = describeMachine(cores)
  const baseline = await startBaseline(cores)
  const tool = startLoadTool(options.load ?? findTool(), cores)
  const startOwn = (own: readonly string[]) =>
    startService({ address: store.address, cores, flags: [...flags, ...own] })
  const reader = lazily(() => startOwn([]))
  const copy = lazily(() => copyForWriting(store))
  const writer = lazily(async () => startService({ address: (await copy.get()).address, cores, flags }))
  const run: BenchRun = {
    ...{ store, cores, tool, baseline, rounds, seconds, flags, say, startOwn },
    connections: options.connections,
    quick: options.quick === true,
    reader: reader.get,
    writer: writer.get,
    written: copy.get,
  }
  try {
    const results = await measureAll(run, chosen(options, reader))
    say(`Measured in ${Math.round((Date.now() - Date.parse(date)) / 1000)} s.`)
    const listBytes = reader.started()
      ? (await fetchAnswer((await reader.get()).port, `${BASE}/events`)).body.length
      : undefined
    const database = store.file ? 'sqlite' : 'postgres'
    return {
      events: options.events,
      quick: run.quick,
      date,
      tool: tool.name,
      connections: run.connections,
      rounds,
      seconds,
      flags,
      database,
      machine,
      listBytes,
      results,
    }
  } finally {
    for (const service of [reader, writer]) if (service.started()) await (await service.get()).stop()
    if (copy.started()) await (await copy.get()).remove()
    await baseline.stop()
    await tool.stop()
  }
}

function given({ rounds, seconds }: Options): { rounds?: number; seconds?: number } {
  return { ...(rounds === undefined ? {} : { rounds }), ...(seconds === undefined ? {} : { seconds }) }
}

/** Scenarios similar to others, which a quick run leaves out. */
const LIKE_OTHERS = new Set([
  'event-by-slug',
  'lists-anywhere',
  'by-tag',
  'by-organizer',
  'by-featured',
  'search-medium',
])

/** Yields the chosen scenarios. Memory is measured after the reads, if there were any. */
function* chosen({ only, quick, install }: Options, reader: Lazy<RunningService>): Generator<Scenario> {
  const isWanted = ({ id, title }: Scenario) =>
    only === undefined ? !(quick && LIKE_OTHERS.has(id)) : `${id} ${title}`.includes(only)
  if (isWanted(startScenario)) yield startScenario
  yield* readScenarios.filter(isWanted)
  yield* pageScenarios.filter(isWanted)
  yield* wordScenarios.filter(isWanted)
  if (isWanted(memoryScenario) && reader.started()) yield memoryScenario
  yield* writeScenarios.filter(isWanted)
  if (only !== undefined) yield* deskScenarios.filter(isWanted)
  if (install) yield installScenario
}

/** Measures scenarios one after the other. One that fails is reported and left out. */
async function measureAll(run: BenchRun, scenarios: Iterable<Scenario>): Promise<Result[]> {
  const results: Result[] = []
  for (const scenario of scenarios) {
    run.say(scenario.title)
    try {
      results.push(...(await scenario.measure(run, scenario)))
    } catch (error) {
      run.say(
        `  ${scenario.id} could not be measured: ${error instanceof Error ? error.message : String(error)}`,
      )
      process.exitCode = 1
    }
  }
  return results
}

interface Lazy<Value> {
  get: () => Promise<Value>
  started: () => boolean
}

/** Makes a value when it is first needed. */
function lazily<Value>(make: () => Promise<Value>): Lazy<Value> {
  let made: Promise<Value> | undefined
  return {
    get: () => {
      made ??= make()
      return made
    },
    started: () => made !== undefined,
  }
}

await program.parseAsync()
