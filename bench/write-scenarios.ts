import { type BenchRun, readFrom, type Throughput, writeTo } from './bench-run.ts'
import { askLists, startListReader } from './list-reader.ts'
import { makeRandom } from './random.ts'
import { inEncodings, type Named, type Scenario } from './read-scenarios.ts'
import { createLine, deleteLine, mixedLines, updateLine } from './requests.ts'
import { median, type Result, resultOf } from './results.ts'

const CLIENTS = 8
const IMPORT_CLIENTS = 64
/** One in so many requests is a write. */
const WRITE_EVERY = 20

/** Scenarios of writes, in the order of the report. Each is durable before it is answered, as by default. */
export const writeScenarios: readonly Scenario[] = [
  { id: 'creates-8', title: `new events, ${CLIENTS} clients, each durable`, measure: measureCreates },
  {
    id: 'reads-beside-creates',
    title: `a list beside ${CLIENTS} clients that create, 99 of 100 within`,
    measure: measureReadsBeside,
  },
  { id: 'updates', title: 'updates of events, one client', measure: measureUpdates },
  { id: 'deletes', title: 'deletions of events, one client', measure: measureDeletes },
  { id: 'import', title: `a batch of new events, ${IMPORT_CLIENTS} clients`, measure: measureImport },
  {
    id: 'mix-95-5',
    title: 'reads in a mix of 95 % reads and 5 % writes, against reads alone',
    measure: measureMix,
  },
]

/** Counts new events, so that each has another name. */
let created = 0

function createLines(run: BenchRun, howMany: number): string[] {
  return Array.from({ length: howMany }, () => createLine(run.store.plan, ++created))
}

/** Returns more writes than a service can do in a round. */
const writesFor = (run: BenchRun) => Math.ceil(6000 * Math.max(1, run.seconds))

async function measureCreates(run: BenchRun, named: Named): Promise<Result[]> {
  const service = await run.writer()
  await writeTo(run, service, { requests: createLines(run, 3000), connections: CLIENTS, seconds: 1 })
  const rounds: { one: Throughput; eight: Throughput }[] = []
  for (let round = 0; round < run.rounds; round++) {
    const one = await writeTo(run, service, { requests: createLines(run, writesFor(run)), connections: 1 })
    rounds.push({
      one,
      eight: await writeTo(run, service, {
        requests: createLines(run, writesFor(run)),
        connections: CLIENTS,
      }),
    })
  }
  const single = { id: 'creates-1', title: 'new events, one client, each durable' }
  const ratio = { id: 'creates-8-to-1', title: `new events, ${CLIENTS} clients against one` }
  return [
    perSecond(
      single,
      rounds.map(({ one }) => one),
    ),
    perSecond(
      named,
      rounds.map(({ eight }) => eight),
    ),
    resultOf(
      ratio,
      'times',
      rounds.map(({ one, eight }) => eight.perSecond / one.perSecond),
    ),
  ]
}

/** Reads a list every ten ms while clients create as fast as they are answered. */
async function measureReadsBeside(run: BenchRun, named: Named): Promise<Result[]> {
  const service = await run.writer()
  const reader = startListReader(service.port)
  try {
    const rounds: number[][] = []
    for (let round = -1; round < run.rounds; round++) {
      await askLists(reader)
      await writeTo(run, service, { requests: createLines(run, writesFor(run)), connections: CLIENTS })
      if (round >= 0) rounds.push(await askLists(reader))
    }
    const [medians, within] = [0, 1].map((at) => rounds.map((took) => took[at] ?? Number.NaN))
    return [resultOf(named, 'ms', within ?? [], { figures: 'ms', service: median(medians ?? []) })]
  } finally {
    reader.kill()
  }
}

async function measureUpdates(run: BenchRun, named: Named): Promise<Result[]> {
  const random = makeRandom(9)
  return oneClient(run, named, () =>
    Array.from({ length: writesFor(run) }, () => updateLine(run.store.plan, random)),
  )
}

/** Moves other events to the trash in each round, while there are any. */
async function measureDeletes(run: BenchRun, named: Named): Promise<Result[]> {
  const perRound = Math.min(writesFor(run), Math.floor(run.store.plan.events / 4 / run.rounds))
  return oneClient(run, named, (round) =>
    Array.from({ length: perRound }, (_, index) => deleteLine(run.store.plan, round * perRound + index)),
  )
}

async function oneClient(
  run: BenchRun,
  named: Named,
  linesOf: (round: number) => string[],
): Promise<Result[]> {
  const service = await run.writer()
  const rounds: Throughput[] = []
  for (let round = 0; round < run.rounds; round++)
    rounds.push(await writeTo(run, service, { requests: linesOf(round), connections: 1, once: true }))
  return [perSecond(named, rounds)]
}

/** Creates events as an import over the interface does: many at once, until all are sent. */
async function measureImport(run: BenchRun, named: Named): Promise<Result[]> {
  const service = await run.writer()
  const rounds: Throughput[] = []
  for (let round = 0; round < run.rounds; round++) {
    const requests = createLines(run, run.quick ? 500 : 3000)
    rounds.push(
      await writeTo(run, service, { requests, connections: IMPORT_CLIENTS, seconds: 60, once: true }),
    )
  }
  return [perSecond(named, rounds)]
}

/** Measures the reads per second in the mix, and those of the same reads without writes. */
async function measureMix(run: BenchRun, named: Named): Promise<Result[]> {
  return inEncodings(run, named, (encoded, headers) => mixFor(run, encoded, headers))
}

let mixes = 0

async function mixFor(run: BenchRun, named: Named, headers: Record<string, string>): Promise<Result> {
  const service = await run.writer()
  const { plan } = run.store
  // The writes of all runs have different names of events.
  const linesOf = (round: number, every?: number) =>
    mixedLines(plan, 1000 + mixes * 100 + round, Math.ceil(20_000 * Math.max(1, run.seconds)), every)
  mixes++
  await readFrom(run, service, { requests: linesOf(99), headers, seconds: 1 })
  const rounds: { alone: number; mixed: number }[] = []
  for (let round = 0; round < run.rounds; round++) {
    const alone = (await readFrom(run, service, { requests: linesOf(round), headers })).perSecond
    const both = (await readFrom(run, service, { requests: linesOf(round, WRITE_EVERY), headers })).perSecond
    rounds.push({ alone, mixed: both * (1 - 1 / WRITE_EVERY) })
  }
  const reads = {
    service: median(rounds.map(({ mixed }) => mixed)),
    baseline: median(rounds.map(({ alone }) => alone)),
  }
  const note =
    `${Math.round(reads.service / (WRITE_EVERY - 1))} ` +
    'writes/s beside them; compared with the reads alone'
  const ratios = rounds.map(({ alone, mixed }) => mixed / alone)
  return resultOf(named, 'times', ratios, { figures: 'requests/s', ...reads, note })
}

function perSecond(named: Named, rounds: readonly Throughput[]): Result {
  const busy = median(rounds.map((round) => round.busy))
  const values = rounds.map((round) => round.perSecond)
  return resultOf(named, 'requests/s', values, { note: `core busy ${Math.round(busy * 100)} %` })
}
