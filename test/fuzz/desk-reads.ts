import { storedRows } from '../support/stored-rows.ts'
import { describeFinding } from './fuzz-report.ts'
import { addFinding, type FuzzRun } from './fuzz-run.ts'
import { exchange } from './http-exchange.ts'
import type { PlannedRequest } from './planned-request.ts'
import { type Ground, plannedRequest } from './request-generator.ts'

const READS = 150
export async function judgeDeskReads(run: FuzzRun): Promise<void> {
  const { home, ground } = run
  const operations = ground.operations.filter(
    ({ method, template }) => method === 'GET' && template.startsWith('/desk/'),
  )
  const before = await storedRows(home.opened.read)
  for (let number = 0; number < READS; number++) await read(run, { ...ground, operations }, number)
  const after = await storedRows(home.opened.read)
  const changed = [...after].filter(([table, digest]) => before.get(table) !== digest).map(([table]) => table)
  if (changed.length === 0) return
  const what = `reads of the desk have changed ${changed.join(', ')}`
  const planned = plannedRequest({ ...ground, operations }, 0)
  const finding = {
    kind: 'written',
    what,
    planned,
    number: undefined,
    alone: false,
    stack: undefined,
  } as const
  addFinding(run, what, finding, () => describeFinding({ ...finding, times: 1 }, run))
}

async function read(run: FuzzRun, ground: Ground, number: number): Promise<void> {
  const planned: PlannedRequest = plannedRequest(ground, number)
  if (planned.method !== 'GET' || planned.query.some((part) => part.startsWith('_method'))) return
  const { 'x-http-method-override': _other, ...headers } = planned.headers
  await exchange(run.line, { ...planned, headers })
  run.counts.requests += 1
}
