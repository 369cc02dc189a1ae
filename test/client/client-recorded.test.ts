// The client with recorded answers of another service of the interface, from ../shared/conformance, where it exists.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createKalends } from '../../client/src/kalends.ts'
import { KalendsProblem } from '../../client/src/problem.ts'
import type { Client } from './client-shapes.ts'

const scenarios = fileURLToPath(new URL('../../../shared/conformance/scenarios', import.meta.url))
const skip = !existsSync(scenarios)
const namespace = '/wp-json/tribe/events/v1'

interface Step {
  do: string
  json?: object
}
interface Recorded {
  do: string
  status: number
  headers: Record<string, string>
  body?: Record<string, unknown>
}

/** Returns the steps of a scenario with their recorded answers; ids become numbers again. */
function stepsOf(name: string): { step: Step; recorded: Recorded }[] {
  const { steps } = JSON.parse(readFileSync(join(scenarios, `${name}.json`), 'utf8')) as { steps: Step[] }
  const golden = readFileSync(join(scenarios, `${name}.golden.json`), 'utf8').replaceAll(/"#(\d+)"/g, '$1')
  const recorded: Recorded[] = JSON.parse(golden)
  return steps.flatMap((step, at) => {
    const answer = recorded[at]
    return answer ? [{ step, recorded: answer }] : []
  })
}

const names = globSync('*.golden.json', { cwd: scenarios })
  .map((file) => file.replace('.golden.json', ''))
  .sort()

/** Splits a step such as `PATCH /events/{event}` into method, resource, item and query. */
const REQUEST =
  /^(GET|POST|PUT|PATCH|DELETE) \/(events|venues|organizers|categories|tags)(\/by-slug\/[^/?]+|\/\{\w+\})?(?:\?(.*))?$/

/** Returns the call of the client that sends a step. Returns undefined for steps that the client cannot send: forms, wrong paths, headers. */
function callOf(calendar: Client, { do: request, json }: Step): (() => Promise<unknown>) | undefined {
  const [, method, resource, item, query = ''] = REQUEST.exec(request) ?? []
  const records = Object.entries(calendar).find(([name]) => name === resource)?.[1] as Client['events'] | undefined
  if (!records) return undefined
  if (method === 'GET' && !item) return () => records.list(Object.fromEntries(new URLSearchParams(query)))
  const id = item?.startsWith('/by-slug/') ? item.slice('/by-slug/'.length) : 12
  if (method === 'GET' && !query) return () => records.get(id)
  if (method === 'POST' && !item && json) return () => records.create({ ...json })
  if (method === 'DELETE' && item) return () => records.remove(id)
  return item && json ? () => records.update(id, { ...json }) : undefined
}

/** Returns an answer as the service sent it: the plain text of each name is replaced by its HTML. */
function asItCame(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), function (this: Record<string, unknown>, key, value) {
    if (key.endsWith('Html')) return undefined
    return this[`${key}Html`] ?? value
  })
}

test('each recorded answer is a record, a page or a problem', { skip }, async () => {
  let sent = 0
  for (const name of names)
    for (const { step, recorded } of stepsOf(name)) {
      if (typeof recorded.body !== 'object' || recorded.body === null) continue
      const seen: string[] = []
      const calendar = createKalends({
        url: `https://events.example${namespace}`,
        fetch: async (address, { method, body }) => {
          const { pathname } = new URL(address)
          assert.ok(pathname.startsWith(namespace))
          seen.push(`${method} ${String(body ?? '')}`)
          return Response.json(recorded.body, recorded)
        },
      }) as Client
      const call = callOf(calendar, step)
      if (!call) continue
      sent++
      const where = `${name}: ${step.do}`
      const answer = await call().catch((error: unknown) => error)
      assert.equal(seen.length, 1, where)
      if (recorded.status < 400) assert.deepEqual(asItCame(answer), recorded.body, where)
      else {
        assert.ok(answer instanceof KalendsProblem, where)
        assert.deepEqual([answer.status, answer.code], [recorded.status, recorded.body.code ?? 'unreadable'], where)
      }
      if (step.json && !step.do.startsWith('DELETE'))
        assert.deepEqual(JSON.parse(seen[0]?.replace(/^\w+ /, '') ?? ''), step.json)
    }
  assert.ok(sent > 600, `${sent}`)
})

test('all records of a recorded list come page by page, since the service has no stream', { skip }, async () => {
  const sorted = (query: string) => {
    const parameters = new URLSearchParams(query)
    // The recorded service ignores `format`, and a first page may be asked for without its number.
    parameters.delete('format')
    if (parameters.get('page') === '1') parameters.delete('page')
    parameters.sort()
    return String(parameters)
  }
  const lists = new Map(
    stepsOf('list-paging').map(({ step, recorded }) => [sorted(step.do.replace(/^GET \/events\?/, '')), recorded]),
  )
  const asked: string[] = []
  const { events } = createKalends({
    url: `https://events.example${namespace}`,
    fetch: async (address) => {
      const { search } = new URL(address)
      asked.push(search)
      const { body, ...init } = lists.get(sorted(search)) ?? assert.fail(address)
      return Response.json(body, init)
    },
  }) as Client
  const dates = { start_date: '2027-04-01', end_date: '2027-04-30' }
  const titles: string[] = []
  for await (const { title } of events.all({ ...dates, per_page: 3 })) titles.push(title.slice(0, -' Walk'.length))
  assert.deepEqual(titles, ['Alder', 'Birch', 'Cedar', 'Damson', 'Elder', 'Fir', 'Gorse'])
  assert.equal(asked.length, 3)
})
