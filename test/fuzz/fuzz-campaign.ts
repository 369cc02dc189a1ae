import { makeRandom, type Random } from '../../bench/random.ts'
import type { ScratchDatabase } from '../support/database.ts'
import { assistantOperations } from './assistant-calls.ts'
import type { Block, MemoryReading } from './block-probe.ts'
import { seedCalendar, touchedPaths } from './calendar-seed.ts'
import { bareOperations, readIndexed, readOperations } from './described-operations.ts'
import { deskOperations } from './desk-ground.ts'
import { judgeDeskReads } from './desk-reads.ts'
import { describeFinding } from './fuzz-report.ts'
import {
  addFinding,
  type Counts,
  type Finding,
  type FuzzRun,
  hasEnded,
  noCounts,
  restart,
} from './fuzz-run.ts'
import {
  endFuzzed,
  type FuzzedService,
  longestBlock,
  makeHome,
  memoryOf,
  removeHome,
  startFuzzed,
} from './fuzzed-service.ts'
import { type Exchange, exchange, type Line, openLine } from './http-exchange.ts'
import { confirmAlone } from './lone-replay.ts'
import { judge, type Kind, LIMITS, type Limits, scaled, type Verdict } from './oracle.ts'
import type { PlannedRequest } from './planned-request.ts'
import { RAW_REQUESTS, type RawRequest, sendRaw } from './raw-requests.ts'
import { type Ground, plannedRequest } from './request-generator.ts'
import { readStored } from './stored-reads.ts'

export interface FuzzOptions {
  requests: number
  seed: number
  onlyDesk?: boolean
  minutes: number
  factor: number
  lanes: number
  languages: readonly string[]
  tell: (line: string) => void
}

export interface FuzzReport {
  seed: number
  counts: Counts
  findings: Finding[]
  longestAloneMs: number
  longestMs: number
  memory: { quarter: MemoryReading; end: MemoryReading } | undefined
  records: number
  seconds: number
  limits: Limits
}

const BATCH = 48
const LOOKED_INTO = 3

export async function runFuzz(scratch: ScratchDatabase, options: FuzzOptions): Promise<FuzzReport> {
  const home = await makeHome(scratch)
  const limits = scaled(LIMITS, options.factor)
  const start = performance.now()
  let run: FuzzRun | undefined
  try {
    const service = await startFuzzed(home)
    const line = openLine(service.port, limits.hangMs)
    const { sessions } = home
    const seeded = { ...(await seedCalendar(service, line)), people: sessions.people }
    const atDesk = await deskOperations(line, sessions)
    const others = options.onlyDesk
      ? []
      : [...(await operationsOf(service, line)), ...(await assistantOperations(line))]
    const operations = [...others, ...atDesk]
    const ground: Ground = { operations, seeded, sessions, seed: options.seed }
    const until = Date.now() + options.minutes * 60_000
    const touched = touchedPaths(seeded)
    const { tell } = options
    const started = { home, service, line, limits, ground, touched, until, tell, longestMs: 0 }
    run = { ...started, findings: new Map(), places: new Map(), writers: new Map(), counts: noCounts() }
    const campaign = await sendAll(run, options)
    await judgeDeskReads(run)
    await readStored(run, options.languages)
    const seconds = Math.round((performance.now() - start) / 1000)
    return { ...campaign, ...resultOf(run), seed: options.seed, seconds, limits }
  } finally {
    if (run) {
      run.line.agent.destroy()
      await endFuzzed(run.service)
    }
    await removeHome(home)
  }
}

function resultOf(run: FuzzRun) {
  const { counts, findings, longestMs, writers } = run
  return { counts, findings: [...findings.values()], longestAloneMs: longestMs, records: writers.size }
}

async function operationsOf(
  { basePath, restRoot }: FuzzedService,
  line: Line,
): Promise<Ground['operations']> {
  const plain = { as: 'anonymous', method: 'GET', query: [], headers: {}, body: { kind: 'none' } } as const
  const read = async (path: string) => String((await exchange(line, { ...plain, path })).answer?.body)
  const described = readOperations(await read(`${basePath}/doc`), basePath)
  const namespace = basePath.slice(restRoot.length + 1)
  const indexed = readIndexed(await read(`${restRoot}/`), restRoot, namespace)
  return [...described, ...indexed, ...bareOperations(basePath)]
}

async function sendAll(
  run: FuzzRun,
  options: FuzzOptions,
): Promise<Pick<FuzzReport, 'memory' | 'longestMs'>> {
  let quarter: MemoryReading | undefined
  let longestMs = 0
  for (let from = 0; from < options.requests && Date.now() < run.until; from += BATCH) {
    const to = Math.min(from + BATCH, options.requests)
    longestMs = Math.max(longestMs, await runBatch(run, from, to, options.lanes))
    if (!quarter && to >= options.requests / 4) quarter = await memoryOf(run.service, run.limits.hangMs)
    if (from % (BATCH * 100) === 0 && from > 0) run.tell(`${to} requests, ${run.findings.size} findings`)
  }
  const end = await memoryOf(run.service, run.limits.hangMs)
  judgePollution(run, end)
  const isSame = run.counts.restarts === 0
  if (quarter && isSame) judgeMemory(run, quarter, end)
  return { longestMs, memory: quarter && isSame ? { quarter, end } : undefined }
}

async function runBatch(run: FuzzRun, from: number, to: number, lanes: number): Promise<number> {
  run.service.blocks.length = 0
  run.service.errors.length = 0
  await run.home.sessions.renew()
  const batch = await sendBatch(run, from, to, lanes)
  if (hasEnded(run)) await restart(run)
  const last = await longestBlock(run.service, run.limits.hangMs).catch(() => undefined)
  const errors = [...run.service.errors]
  const blocks = [...run.service.blocks]
  if (!last) await revive(run)
  for (const one of batch) await judgeOne(run, one, errors)
  for (const block of blocks) await judgeBlocked(run, block, batch)
  return Math.max(0, ...blocks.map(({ cpuMs }) => cpuMs))
}

async function revive(run: FuzzRun): Promise<void> {
  run.counts.restarts += 1
  await restart(run)
}

interface Numbered extends Exchange {
  number: number
}

async function sendBatch(run: FuzzRun, from: number, to: number, lanes: number): Promise<Numbered[]> {
  const done: Numbered[] = []
  let next = from
  const lane = async () => {
    for (let number = next++; number < to; number = next++) {
      done.push({ ...(await exchange(run.line, plannedRequest(run.ground, number))), number })
    }
  }
  const random = makeRandom(run.ground.seed + from)
  await Promise.all([
    ...Array.from({ length: lanes }, lane),
    sendRawBatch(run, random.chance(0.5) ? 1 : 2, random),
  ])
  return done
}

async function sendRawBatch(run: FuzzRun, count: number, random: Random): Promise<void> {
  for (let i = 0; i < count; i++) {
    const raw = random.pick(RAW_REQUESTS)
    judgeRaw(run, raw, await sendRaw(run.service.port, raw))
  }
}

function judgeRaw(run: FuzzRun, raw: RawRequest, statuses: readonly number[]): void {
  run.counts.requests += 1
  const bad = statuses.find((status) => status >= 500)
  if (bad === undefined) return
  const planned: PlannedRequest = {
    as: 'anonymous',
    method: 'RAW',
    path: raw.name,
    query: [],
    headers: {},
    body: { kind: 'none' },
  }
  const verdict: Verdict = { kind: 'status', what: `${bad} for ${raw.name}` }
  note(run, `raw ${raw.name}`, { ...verdict, planned, number: undefined, alone: false, stack: undefined })
}

async function judgeOne(run: FuzzRun, one: Numbered, errors: readonly string[]): Promise<void> {
  const { counts } = run
  counts.requests += 1
  const { answer } = one
  if (answer) counts.byStatus.set(answer.status, (counts.byStatus.get(answer.status) ?? 0) + 1)
  else counts.cut += 1
  noteWriter(run, one)
  const verdict = judge(one, run.limits)
  if (verdict && !(await lookInto(run, one, verdict, errors))) counts.unrepeated += 1
}

/** Remembers the last request that wrote each record, so that a bad record leads to it. */
function noteWriter(run: FuzzRun, { answer, number, planned }: Numbered): void {
  if (answer?.status !== 200 && answer?.status !== 201) return
  const [, collection] = planned.path.match(/\/v1\/([a-z]+)(?:\/\d+)?$/) ?? []
  const [, id] = String(answer.body).match(/^\s*\{\s*"id":\s*(\d+)/) ?? []
  if (planned.method !== 'GET' && collection && id) run.writers.set(`/${collection}/${id}`, number)
}

async function lookInto(
  run: FuzzRun,
  one: Numbered,
  verdict: Verdict,
  errors: readonly string[],
): Promise<boolean> {
  const place = `${verdict.kind} ${placeOf(one.planned)}`
  if (countKnown(run, place)) return true
  const alone = await confirmAlone(run, one.planned)
  if (!alone.verdict && TIMES.includes(verdict.kind)) return false
  const found = alone.verdict ?? verdict
  const key = `${found.kind} ${placeOf(one.planned)} ${frameOf(alone.stack)}`
  const stack = alone.stack ?? errors.join('\n')
  note(run, key, { ...found, ...one, alone: alone.verdict !== undefined, stack })
  run.places.set(place, [...(run.places.get(place) ?? []), key])
  return true
}

const TIMES: readonly Kind[] = ['slow', 'silence', 'block', 'shed']

function countKnown(run: FuzzRun, place: string): boolean {
  const keys = run.places.get(place) ?? []
  const known = run.findings.get(keys.at(-1) ?? '')
  if (!known || keys.length < LOOKED_INTO) return false
  known.times += 1
  return true
}

function note(run: FuzzRun, key: string, finding: Omit<Finding, 'times'>): void {
  addFinding(run, key, finding, () => describeFinding({ ...finding, times: 1 }, run))
}

function placeOf({ method, path, body }: PlannedRequest): string {
  const route = path.replace(/\d+/g, '0').slice(0, 60)
  if (body.kind !== 'members') return `${method} ${route} ${body.kind}`
  const sizes = body.members.map(([name, value]) => ({ name, size: JSON.stringify(value)?.length ?? 0 }))
  const widest = sizes.sort((one, other) => other.size - one.size)[0]
  return `${method} ${route} ${widest?.name ?? ''}`
}

function frameOf(stack: string | undefined): string {
  return stack?.match(/src\/[\w/.-]+:\d+/)?.[0] ?? ''
}

async function judgeBlocked(run: FuzzRun, block: Block, batch: readonly Numbered[]): Promise<void> {
  if (block.cpuMs < run.limits.blockMs * 0.8) return
  const suspects = batch.filter(({ sent, done }) => sent < block.to && done > block.from - 5)
  const verdict: Verdict = { kind: 'block', what: '' }
  for (const suspect of suspects) if (await lookInto(run, suspect, verdict, [])) return
  run.counts.unrepeated += 1
}

function judgePollution(run: FuzzRun, { polluted }: MemoryReading): void {
  if (polluted.length === 0) return
  const planned = plannedRequest(run.ground, 0)
  const what = `what all objects inherit has ${polluted.join(', ')}`
  note(run, 'pollution', {
    kind: 'pollution',
    what,
    planned,
    number: undefined,
    alone: false,
    stack: undefined,
  })
}

const SLACK_BYTES = 100_000_000
const RECORD_BYTES = 10_000

function judgeMemory(run: FuzzRun, quarter: MemoryReading, end: MemoryReading): void {
  const used = ({ heap, outside }: MemoryReading) => heap + outside
  const room = SLACK_BYTES + RECORD_BYTES * run.writers.size
  const grown = Math.max(used(end) - used(quarter), end.rss - quarter.rss - 2 * SLACK_BYTES)
  if (grown <= room) return
  const what = `memory grew by ${Math.round(grown / 1e6)} MB after the first quarter`
  const planned = plannedRequest(run.ground, 0)
  note(run, 'memory', { kind: 'memory', what, planned, number: undefined, alone: false, stack: undefined })
}
