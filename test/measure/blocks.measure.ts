import { equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { seedCalendar } from '../fuzz/calendar-seed.ts'
import {
  endFuzzed,
  type FuzzedService,
  type Home,
  longestBlock,
  makeHome,
  removeHome,
  startFuzzed,
} from '../fuzz/fuzzed-service.ts'
import { exchange, type Line, openLine } from '../fuzz/http-exchange.ts'
import type { PlannedRequest } from '../fuzz/planned-request.ts'
import { scratchDatabase } from '../support/database.ts'

const PATIENCE_MS = 60_000
const TRIES = 9
const SLACK_MS = 5

let home: Home
let service: FuzzedService
let line: Line
before(async () => {
  home = await makeHome(await scratchDatabase())
  service = await startFuzzed(home)
  line = openLine(service.port, PATIENCE_MS)
  await seedCalendar(service, line)
})
after(async () => {
  line.agent.destroy()
  await endFuzzed(service)
  await removeHome(home)
})

async function blockOf(planned: PlannedRequest, status: number): Promise<number> {
  const tries: number[] = []
  for (let i = 0; i < TRIES; i++) {
    await longestBlock(service, PATIENCE_MS)
    const { answer } = await exchange(line, planned)
    equal(answer?.status, status, String(answer?.body))
    tries.push((await longestBlock(service, PATIENCE_MS)).cpuMs)
  }
  return Math.min(...tries)
}

test('of a form with too many fields nothing is read any more while it is refused', async (t) => {
  const path = `${service.basePath}/organizers/by-slug/nowhere`
  const multipartOf = (count: number): PlannedRequest => {
    const values = Array.from({ length: count }, (_, i) => `a${i}`)
    const body = { kind: 'members', encoding: 'multipart', members: [['website', values]] } as const
    return { as: 'contributor', method: 'PUT', path, query: [], headers: {}, body }
  }
  const whole = await blockOf(multipartOf(950), 400)
  const refused = await blockOf(multipartOf(20_000), 413)
  t.diagnostic(`${whole.toFixed(1)} ms for a whole form, ${refused.toFixed(1)} ms for one that is refused`)
  ok(refused < 2 * whole + SLACK_MS, `${refused} ms for a form that is refused, ${whole} ms for a whole one`)
})

const LONG = 1_900_000

function formOf(name: string): PlannedRequest {
  const bytes = Buffer.from(`venue=${name}`)
  const body = { kind: 'bytes', type: 'application/x-www-form-urlencoded', bytes } as const
  return { as: 'editor', method: 'POST', path: `${service.basePath}/venues`, query: [], headers: {}, body }
}

function pageAsked(name: string): PlannedRequest {
  const query = [`${name.repeat(3800)}rest_route=`]
  return { as: 'anonymous', method: 'GET', path: '/', query, headers: {}, body: { kind: 'none' } }
}

for (const [what, hostile, harmless, status] of [
  ['a form of blanks', () => formOf('+'.repeat(LONG)), () => formOf('a'.repeat(LONG)), 400],
  ['a query of names that cannot be decoded', () => pageAsked('%&'), () => pageAsked('a&'), 200],
] as const)
  test(`${what} takes little longer than any other`, async (t) => {
    const usualMs = await blockOf(harmless(), status)
    const hostileMs = await blockOf(hostile(), status)
    t.diagnostic(`${usualMs.toFixed(1)} ms for any other, ${hostileMs.toFixed(1)} ms for this`)
    ok(hostileMs < 4 * usualMs + SLACK_MS, `${hostileMs} ms, ${usualMs} ms for any other`)
  })
