import { describeFinding } from './fuzz-report.ts'
import { addFinding, type Finding, type FuzzRun, restart } from './fuzz-run.ts'
import { longestBlock } from './fuzzed-service.ts'
import { exchange } from './http-exchange.ts'
import { confirmAlone, replayAlone } from './lone-replay.ts'
import { judge, type Verdict } from './oracle.ts'
import type { PlannedRequest } from './planned-request.ts'
import { plannedRequest } from './request-generator.ts'

const COLLECTIONS = ['events', 'venues', 'organizers', 'categories', 'tags']
const SEARCHES = ['jazz', 'a', '1', 'é', '<b>', '"', '😀', '-a b', 'x y z']
const DATES = 'start_date=1000-01-01&end_date=9999-12-31'
const ALL = 'status=publish,future,draft,pending,private,trash'
const MOST_PAGES = 500

export async function readStored(run: FuzzRun, languages: readonly string[]): Promise<void> {
  for (const language of languages) {
    await restart(run, { language })
    await waitUntilReady(run)
    const listed = await readLists(run)
    await readSearches(run)
    await readSingles(run, new Set([...listed, ...run.writers.keys()]))
  }
}

async function waitUntilReady(run: FuzzRun): Promise<void> {
  await exchange(run.line, reading('anonymous', '/readyz'))
}

function reading(as: PlannedRequest['as'], path: string, query: string[] = []): PlannedRequest {
  return { as, method: 'GET', path, query, headers: {}, body: { kind: 'none' } }
}

async function readLists(run: FuzzRun): Promise<string[]> {
  const found: string[] = []
  for (const as of ['admin', 'anonymous'] as const)
    for (const collection of COLLECTIONS) found.push(...(await readList(run, as, collection)))
  for (const name of ['media', 'tags'])
    await read(run, reading('admin', `${run.service.restRoot}/wp/v2/${name}`))
  return found
}

async function readList(run: FuzzRun, as: PlannedRequest['as'], collection: string): Promise<string[]> {
  const found: string[] = []
  const isTerm = collection === 'categories' || collection === 'tags'
  const filters = isTerm
    ? ['hide_empty=0']
    : [...(as === 'admin' ? [ALL] : []), ...(collection === 'events' ? [DATES] : [])]
  for (let page = 1; page <= MOST_PAGES; page++) {
    const path = `${run.service.basePath}/${collection}`
    const body = await read(run, reading(as, path, ['per_page=50', `page=${page}`, ...filters]))
    const entries = Object(body)[collection]
    const ids: unknown[] = Array.isArray(entries) ? entries.map((entry) => Object(entry).id) : []
    for (const id of ids) found.push(`/${collection}/${id}`)
    if (ids.length < 50) break
  }
  return found
}

async function readSearches(run: FuzzRun): Promise<void> {
  for (const collection of COLLECTIONS)
    for (const word of SEARCHES) {
      const query = [`search=${encodeURIComponent(word)}`, 'per_page=50']
      await read(run, reading('admin', `${run.service.basePath}/${collection}`, query))
    }
}

/**
 * Sends a read that must be answered in time and without blocking. Returns the JSON body, or undefined
 * without an answer.
 */
async function read(run: FuzzRun, planned: PlannedRequest, limitMs = run.limits.blockMs): Promise<unknown> {
  await longestBlock(run.service, run.limits.hangMs)
  const done = await exchange(run.line, planned)
  const { cpuMs } = await longestBlock(run.service, run.limits.hangMs)
  run.counts.requests += 1
  const verdict = judge(done, run.limits)
  if (verdict) await noteFailure(run, planned, verdict)
  else if (cpuMs > limitMs) await judgeSlow(run, planned, limitMs)
  return done.answer?.status === 200 ? JSON.parse(String(done.answer.body)) : undefined
}

async function noteFailure(run: FuzzRun, planned: PlannedRequest, verdict: Verdict): Promise<void> {
  const { stack } = await confirmAlone(run, planned)
  note(run, `stored ${verdict.kind} ${placeOf(planned.path)}`, { ...verdict, planned, stack })
}

async function readSingles(run: FuzzRun, paths: ReadonlySet<string>): Promise<void> {
  for (const path of paths)
    await read(run, reading('admin', run.service.basePath + path), run.limits.recordMs)
}

/** Sends a slow read again three times. The least time counts, since other causes may add to it. */
async function judgeSlow(run: FuzzRun, planned: PlannedRequest, limitMs: number): Promise<void> {
  const tries = [
    await replayAlone(run, planned),
    await replayAlone(run, planned),
    await replayAlone(run, planned),
  ]
  const blockMs = Math.min(...tries.map((replay) => replay.blockMs))
  if (blockMs <= limitMs) return
  const path = planned.path.slice(run.service.basePath.length)
  const number = run.writers.get(path)
  const what = `showing ${path} takes ${Math.round(blockMs)} ms (at most ${limitMs})`
  const writer = number === undefined ? planned : plannedRequest(run.ground, number)
  note(run, `record ${placeOf(planned.path)}`, {
    kind: 'record',
    what,
    planned: writer,
    stack: undefined,
    number,
  })
}

const placeOf = (path: string) => path.replaceAll(/\d+/g, '0')

type Stored = Pick<Finding, 'kind' | 'what' | 'planned' | 'stack'> & { number?: number | undefined }

function note(run: FuzzRun, key: string, stored: Stored): void {
  const finding = { number: undefined, alone: true, ...stored }
  addFinding(run, key, finding, () => describeFinding({ ...finding, times: 1 }, run))
}
