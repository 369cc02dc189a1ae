import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { PATIENCE_MS } from '../support/waiting.ts'
import type { Target } from './crash-targets.ts'
import { exchange } from './exchange.ts'
import type { Entry, Kind, Stored } from './ledger.ts'
import { entryOf } from './record-states.ts'

// Compares answers with the rows of the database.

const WINDOW = 'start_date=2030-01-01&end_date=2035-12-31'
const PER_PAGE = 1000
const LATE_MS = PATIENCE_MS
const MOST_SINGLES = 120

interface Page {
  status: number
  records: Record<string, unknown>[]
  total: number
}

async function readPage(port: number, as: 'anonymous' | 'admin', path: string, kind: Kind): Promise<Page> {
  const { status, body } = await exchange(port, { as, method: 'GET', path })
  const records = body[kind]
  return { status, records: Array.isArray(records) ? records : [], total: Number(body.total ?? 0) }
}

async function readEvents(
  port: number,
  base: string,
  as: 'anonymous' | 'admin',
  more = '',
): Promise<Entry[]> {
  const all: Entry[] = []
  for (let page = 1; ; page++) {
    const path = `${base}/events?${WINDOW}&per_page=${PER_PAGE}&page=${page}${more}`
    const { status, records, total } = await readPage(port, as, path, 'events')
    if (status === 404 && page === 1) return all
    if (status !== 200) throw new Error(`GET ${path} was answered ${status}`)
    all.push(...records.map((body) => ({ ...entryOf('events', body), owner: undefined })))
    if (all.length >= total) return all
  }
}

const statusOf = ({ state }: Entry) => String(state.status)
const byStart = (a: Entry, b: Entry) => (String(a.state.start_date) < String(b.state.start_date) ? -1 : 1)

export async function compareLists(
  target: Target,
  base: string,
  stored: Stored,
  isThorough: boolean,
): Promise<string[]> {
  const events = [...stored.values()].filter(({ kind }) => kind === 'events')
  const published = events.filter((entry) => statusOf(entry) === 'publish')
  const problems: string[] = []
  for (const port of target.ports) {
    problems.push(...(await compareTotal(port, base, published.length)))
    if (!isThorough) continue
    problems.push(...compare('anonymous lists', published, await readEvents(port, base, 'anonymous')))
    const statuses = '&status=publish,draft,trash'
    problems.push(...compare('editor lists', events, await readEvents(port, base, 'admin', statuses)))
  }
  return problems
}

async function compareTotal(port: number, base: string, expected: number): Promise<string[]> {
  const path = `${base}/events?${WINDOW}&per_page=1`
  for (const start = performance.now(); ; await sleep(20)) {
    const { total } = await readPage(port, 'anonymous', path, 'events')
    if (total === expected) return []
    if (performance.now() - start > LATE_MS)
      return [`anonymous lists have ${total} events, the rows ${expected}`]
  }
}

function compare(what: string, expected: readonly Entry[], found: readonly Entry[]): string[] {
  const wanted = new Map(expected.map((entry) => [entry.id, entry]))
  const wrong = found.flatMap((entry) => {
    const row = wanted.get(entry.id)
    wanted.delete(entry.id)
    if (row && isDeepStrictEqual(entry.state, row.state)) return []
    return [
      `${what}: event ${entry.id} is ${JSON.stringify(entry.state)}, its row ${JSON.stringify(row?.state)}`,
    ]
  })
  const missing = [...wanted.keys()].map((id) => `${what}: event ${id} is missing`)
  const isInOrder = found.every(
    (entry, at) => at === 0 || byStart(found[at - 1] ?? entry, entry) <= 0 || isTied(found[at - 1], entry),
  )
  return [...wrong, ...missing, ...(isInOrder ? [] : [`${what}: not in order`])]
}

const isTied = (a: Entry | undefined, b: Entry) => a?.state.start_date === b.state.start_date

export async function compareSingles(
  target: Target,
  base: string,
  stored: Stored,
  touched: readonly string[],
): Promise<string[]> {
  const problems: string[] = []
  for (const [at, key] of touched.slice(-MOST_SINGLES).entries()) {
    const row = stored.get(key)
    if (!row || row.kind === 'images') continue
    const { kind, id } = row
    const port = target.ports[at % target.ports.length] ?? 0
    const { status, body } = await exchange(port, {
      as: 'admin',
      method: 'GET',
      path: `${base}/${kind}/${id}`,
    })
    const shown = status === 200 ? entryOf(kind, body).state : status
    if (!isDeepStrictEqual(shown, row.state))
      problems.push(`GET ${kind}/${id}: ${JSON.stringify(shown)}, its row ${JSON.stringify(row.state)}`)
  }
  return problems
}
