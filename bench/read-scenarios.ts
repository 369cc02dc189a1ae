import { type BenchRun, capture, type Load, probe, readFrom, type Throughput } from './bench-run.ts'
import { makeRandom } from './random.ts'
import {
  busyList,
  byCategory,
  byFeatured,
  byOrganizer,
  byRadius,
  byTag,
  byVenue,
  codeWarmer,
  coldLists,
  firstPage,
  listAnywhere,
  type PathMaker,
  readLines,
  searchCommon,
  searchMedium,
  searchRare,
  smallestList,
} from './requests.ts'
import { median, percentile, type Result, resultOf } from './results.ts'
import { type Answer, BASE, fetchAnswer, type RunningService } from './service.ts'

/** The id and title of a scenario or result. */
export interface Named {
  id: string
  title: string
}

/** A scenario. It returns no results if it does not apply to the service. */
export interface Scenario extends Named {
  measure: (run: BenchRun, named: Named) => Promise<Result[]>
}

/** The number of answers that the bare server sends in turn when requests never repeat. */
const SAMPLES = 40
const LIST = `GET\t${BASE}/events`

/** The encodings that clients accept: none, gzip as programs and HTTP libraries do, and those of browsers. */
const ENCODINGS: readonly (Named & { headers: Record<string, string> })[] = [
  { id: '', title: '', headers: {} },
  { id: '-gzip', title: ', as gzip', headers: { 'Accept-Encoding': 'gzip' } },
  { id: '-browser', title: ', for a browser', headers: { 'Accept-Encoding': 'gzip, deflate, br, zstd' } },
]

/** A list as long as that of a busy page, for as many clients. */
const LONG_LIST = { path: `${LIST}?per_page=18`, connections: 32 }

/** Scenarios of lists and events, in the order of the report. */
export const readScenarios: readonly Scenario[] = [
  repeated('list-repeated', 'same list, 10 events', async () => LIST),
  repeated('list-long', 'same list of 18 events, 32 connections', async () => LONG_LIST.path, LONG_LIST),
  repeated(
    'event-by-id',
    'one event by id',
    async (service) => `GET\t${BASE}/events/${(await firstEvent(service)).id}`,
  ),
  repeated(
    'event-by-slug',
    'one event by slug',
    async (service) => `GET\t${BASE}/events/by-slug/${(await firstEvent(service)).slug}`,
  ),
  { id: 'not-modified', title: '`304 Not Modified`', measure: measureNotModified },
  { id: 'lists-near', title: 'lists that never repeat, records seen before', measure: measureNear },
  neverRepeating('lists-anywhere', 'lists that never repeat, anywhere in four years', listAnywhere),
  { id: 'lists-cold', title: 'lists that never repeat, cold records', measure: measureCold },
  neverRepeating('by-category', 'by category, never repeating', byCategory),
  neverRepeating('by-tag', 'by tag, never repeating', byTag),
  neverRepeating('by-venue', 'by venue, never repeating', byVenue),
  neverRepeating('by-organizer', 'by organizer, never repeating', byOrganizer),
  neverRepeating('by-featured', 'featured, never repeating', byFeatured),
  neverRepeating('by-radius', 'within a radius, never repeating', byRadius),
  {
    id: 'total-new',
    title: 'exact total of a window never asked for, with all it takes beyond the bare server',
    measure: measureTotal,
  },
  { id: 'page-deepest', title: 'deepest page against first page, both new', measure: measureDeepest },
  searching('search-rare', 'search, rare word, 95 % of answers within', searchRare),
  searching('search-medium', 'search, word in 1 % of events, 95 % within', searchMedium),
  searching('search-common', 'search, word in 40 % of events, 95 % within', searchCommon),
]

/** Makes a scenario that repeats one request. */
export function repeated(
  id: string,
  title: string,
  lineOf: (service: RunningService) => Promise<string>,
  load?: Pick<Load, 'connections'>,
): Scenario {
  const measure = async (run: BenchRun, named: Named) => {
    const service = await run.reader()
    const line = await lineOf(service)
    return inEncodings(run, named, (encoded, headers) =>
      compare(run, service, encoded, {
        samples: [line],
        linesOf: () => [line],
        headers,
        ...(load && { load }),
      }),
    )
  }
  return { id, title, measure }
}

/** Measures with every encoding; a quick run measures only plain bytes. */
export async function inEncodings(
  run: BenchRun,
  named: Named,
  measure: (encoded: Named, headers: Record<string, string>) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const { id, title, headers } of run.quick ? ENCODINGS.slice(0, 1) : ENCODINGS)
    results.push(await measure({ id: named.id + id, title: named.title + title }, headers))
  return results
}

/**
 * Makes a scenario in which every request is new. A first, uncounted round with other seeds loads the
 * records.
 */
function neverRepeating(id: string, title: string, maker: PathMaker): Scenario {
  const measure = async (run: BenchRun, named: Named) => {
    const service = await run.reader()
    const { plan } = run.store
    return inEncodings(run, named, (encoded, headers) => {
      // Each encoding has its own seeds, so that no answer cached for one is used for another.
      const seed = 100 + 1000 * (headers['Accept-Encoding'] ?? '').length
      const linesOf = (round: number, howMany: number) => readLines(maker, plan, seed + round, howMany)
      const samples = readLines(maker, plan, seed / 100, SAMPLES)
      return compare(run, service, encoded, { samples, linesOf, headers })
    })
  }
  return { id, title, measure }
}

/** Compares the processor time of compressed lists that never repeat with that of plain ones. */
async function measureNear(run: BenchRun, named: Named): Promise<Result[]> {
  const results = await neverRepeating(named.id, named.title, busyList).measure(run, named)
  const [plain, ...compressed] = results
  if (!plain) return results
  const dearer = compressed.map((result) => {
    const ratio = (result.processorMicros ?? Number.NaN) / (plain.processorMicros ?? Number.NaN)
    return resultOf({ id: `${result.id}-to-plain`, title: `${result.title}, against plain` }, 'times', [
      ratio,
    ])
  })
  return [...results, ...dearer]
}

/** The number of different requests to make per second while the rate of answers is unknown. */
const UNKNOWN_RATE = 20_000

export interface Comparison {
  /** The requests whose answers the bare server sends. */
  samples: readonly string[]
  /**
   * Returns the requests of a round, at least so many if they must not repeat. The round before the first is
   * not counted.
   */
  linesOf: (round: number, howMany: number) => readonly string[]
  headers?: Record<string, string>
  status?: number
  /** The load of a round, if it differs from that of the run. */
  load?: Pick<Load, 'once' | 'seconds' | 'connections'>
}

/** Servers that were under load before. A quick run warms each server only once. */
const warmed = new WeakSet<object>()

export async function compare(
  run: BenchRun,
  service: RunningService,
  named: Named,
  comparison: Comparison,
): Promise<Result> {
  return comparedResult(named, await takeTurns(run, service, named, comparison))
}

/** Measures the service and the bare server in turn, several times. */
export async function takeTurns(
  run: BenchRun,
  service: RunningService,
  named: Named,
  comparison: Comparison,
): Promise<Round[]> {
  const { samples, linesOf, headers = {}, status = 200, load } = comparison
  const answers = await capture(service, samples, headers, status)
  const bytes = meanBytes(answers)
  await run.baseline.serve(answers)
  let rate = UNKNOWN_RATE
  for (const server of [service, run.baseline]) {
    if (run.quick && warmed.has(server)) continue
    warmed.add(server)
    const requests = linesOf(-1, Math.ceil(rate * run.seconds))
    const { perSecond } = await readFrom(run, server, {
      requests,
      headers,
      seconds: server === service ? run.seconds * 2 : 1,
      ...load,
    })
    if (server === service) rate = perSecond
  }
  const rounds: Round[] = []
  for (let round = 0; round < run.rounds; round++) {
    const requests = linesOf(round, Math.ceil(1000 + 1.5 * rate * run.seconds))
    const ours = await readFrom(run, service, { requests, headers, ...load })
    rate = Math.max(rate, ours.perSecond)
    rounds.push({ ours, bare: await readFrom(run, run.baseline, { requests, headers, ...load }), bytes })
    if (requests.length > 1 && ours.requests > requests.length)
      run.say(`  ${named.id}: the list of ${requests.length} requests was asked more than once`)
  }
  return rounds
}

interface Round {
  ours: Throughput
  bare: Throughput
  /** The mean bytes of the bodies that the bare server sends. */
  bytes: number
}

const meanBytes = (answers: readonly Answer[]) =>
  answers.reduce((sum, { body }) => sum + body.length, 0) / answers.length

function comparedResult(named: Named, rounds: readonly Round[]): Result {
  const middle = (figure: (round: Round) => number) => median(rounds.map(figure))
  const ratios = rounds.map(({ ours, bare }) => ours.perSecond / bare.perSecond)
  return resultOf(named, 'ratio', ratios, {
    figures: 'requests/s',
    service: middle(({ ours }) => ours.perSecond),
    baseline: middle(({ bare }) => bare.perSecond),
    processorRatio: middle(({ ours, bare }) => bare.processorMicros / ours.processorMicros),
    processorMicros: middle(({ ours }) => ours.processorMicros),
    bytes: Math.round(middle(({ bytes }) => bytes)),
    busy: { service: middle(({ ours }) => ours.busy), baseline: middle(({ bare }) => bare.busy) },
  })
}

export async function firstEvent(service: RunningService): Promise<{ id: number; slug: string }> {
  const { body } = await fetchAnswer(service.port, `${BASE}/events?per_page=1`)
  const [event] = JSON.parse(body.toString()).events
  return event
}

async function measureNotModified(run: BenchRun, named: Named): Promise<Result[]> {
  const service = await run.reader()
  const [answer] = await capture(service, [LIST], {}, 200)
  const position = answer?.headers.findIndex((name) => name.toLowerCase() === 'etag') ?? -1
  const tag = answer?.headers[position + 1]
  if (position < 0 || tag === undefined) throw new Error('the list has no entity tag')
  const headers = { 'If-None-Match': tag }
  return [
    await compare(run, service, named, { samples: [LIST], linesOf: () => [LIST], headers, status: 304 }),
  ]
}

/** The part of the lists without common records that warms the code which reads and presents records. */
const WARMING_SHARE = 0.4

/**
 * Measures lists on a newly started service in each round. Its code is warmed on other records, and no record
 * is read twice.
 */
async function measureCold(run: BenchRun, named: Named): Promise<Result[]> {
  const { plan } = run.store
  const all = coldLists(makeRandom(5), plan).map((path) => `GET\t${path}`)
  const warming = all.slice(0, all.length * WARMING_SHARE)
  const lists = all.slice(warming.length)
  const warm = readLines(codeWarmer, plan, 6, UNKNOWN_RATE)
  return inEncodings(run, named, async (encoded, headers) => {
    const answers = await capture(await run.reader(), lists.slice(0, SAMPLES), headers, 200)
    await run.baseline.serve(answers)
    const rounds: Round[] = []
    for (let round = 0; round < run.rounds; round++) {
      const service = await run.startOwn([])
      try {
        await readFrom(run, service, { requests: warm, headers, seconds: run.quick ? 1 : 2 })
        await readFrom(run, service, { requests: warming, headers, once: true })
        const ours = await readFrom(run, service, { requests: lists, headers, once: true })
        const bare = await readFrom(run, run.baseline, { requests: lists, headers })
        rounds.push({ ours, bare, bytes: meanBytes(answers) })
      } finally {
        await service.stop()
      }
    }
    return comparedResult(encoded, rounds)
  })
}

/**
 * Measures lists of one event. Their processor time beyond that of the bare server for the same bytes is
 * spent on parsing, counting and writing.
 */
async function measureTotal(run: BenchRun, named: Named): Promise<Result[]> {
  const service = await run.reader()
  const linesOf = (round: number, howMany: number) =>
    readLines(smallestList, run.store.plan, 100 + round, howMany)
  const samples = linesOf(-1, SAMPLES)
  const rounds = await takeTurns(run, service, named, { samples, linesOf })
  const micros = (side: 'ours' | 'bare') => median(rounds.map((round) => round[side].processorMicros))
  const beyond = rounds.map(({ ours, bare }) => ours.processorMicros - bare.processorMicros)
  const both = { service: micros('ours') / 1000, baseline: micros('bare') / 1000 }
  return [resultOf(named, 'µs', beyond, { figures: 'ms', ...both, note: 'processor time of one answer' })]
}

/** Returns more single requests than can be answered in a round. */
const probesFor = (run: BenchRun) => Math.ceil(5000 * Math.max(1, run.seconds))

/**
 * Compares the time of first and last pages of windows that were not requested before. The number of pages is
 * read from a window that is an hour shorter, so that nothing of the measured window is cached.
 */
async function measureDeepest(run: BenchRun, named: Named): Promise<Result[]> {
  const service = await run.reader()
  const { plan } = run.store
  const rounds: { first: number; deepest: number }[] = []
  for (let round = 0; round < run.rounds; round++) {
    const first = readLines(firstPage, plan, 300 + round, 200)
    const deepest: string[] = []
    for (const line of readLines(firstPage, plan, 400 + round, run.quick ? 10 : 40))
      deepest.push(await lastPageOf(service, line))
    const ofFirst = median(await probe(run, service, first, run.seconds))
    rounds.push({ first: ofFirst, deepest: median(await probe(run, service, deepest, run.seconds)) })
  }
  const ratios = rounds.map(({ first, deepest }) => deepest / first)
  const note = `first page ${(median(rounds.map(({ first }) => first)) / 1000).toFixed(2)} ms`
  return [
    resultOf(named, 'times', ratios, {
      figures: 'ms',
      service: median(rounds.map(({ deepest }) => deepest)) / 1000,
      note,
    }),
  ]
}

async function lastPageOf(service: RunningService, line: string): Promise<string> {
  const url = new URL(line.slice('GET\t'.length), 'http://localhost')
  const shorter = new URL(url)
  const end = Date.parse(`${url.searchParams.get('end_date')?.replace(' ', 'T')}Z`) - 3_600_000
  shorter.searchParams.set('end_date', new Date(end).toISOString().slice(0, 19).replace('T', ' '))
  shorter.searchParams.set('_fields', 'total_pages')
  const { body } = await fetchAnswer(service.port, shorter.pathname + shorter.search)
  url.searchParams.set('page', String(JSON.parse(body.toString()).total_pages))
  return `GET\t${url.pathname}${url.search}`
}

/** Makes a scenario of searches, sent one after the other, and measures their times. */
function searching(id: string, title: string, maker: PathMaker): Scenario {
  const measure = async (run: BenchRun, named: Named) => {
    const service = await run.reader()
    const { plan } = run.store
    const rounds: number[][] = []
    await probe(run, service, readLines(maker, plan, 500, 20), run.seconds / 2)
    for (let round = 0; round < run.rounds; round++) {
      rounds.push(await probe(run, service, readLines(maker, plan, 501 + round, probesFor(run)), run.seconds))
    }
    const within = rounds.map((micros) => percentile(micros, 0.95) / 1000)
    return [resultOf(named, 'ms', within, { figures: 'ms', service: median(rounds.flat()) / 1000 })]
  }
  return { id, title, measure }
}
