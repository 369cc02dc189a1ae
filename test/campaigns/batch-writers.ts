import { equal, ok } from 'node:assert/strict'
import { Agent } from 'node:http'
import { type Answered, exchange } from './exchange.ts'

const MADE = 60
const CHANGED = 30
const TRASHED = 10
const WRITES = MADE + CHANGED + TRASHED
const WITH_LINKS = 10

const WRITTEN_FROM = '2027-01-01'

export interface Batch {
  writer: number
  number: number
  /** Times of `performance.now()` in this process, in ms. */
  began: number
  acknowledged: number
  events: Map<number, string | undefined>
  names: string[]
}

export interface BatchWriters {
  batches: Batch[]
  stop: () => Promise<void>
}

export function writesASecond({ batches }: BatchWriters, from: number, until: number): number {
  const within = batches.filter(({ acknowledged }) => acknowledged >= from && acknowledged < until)
  return Math.round((within.length * WRITES * 1000) / (until - from))
}

export function startBatchWriters(port: number, count: number): BatchWriters {
  const stop = new AbortController()
  const batches: Batch[] = []
  const writers = Array.from({ length: count }, (_, writer) => writeOn(port, writer, batches, stop.signal))
  // `stop` reports a failure.
  const ended = Promise.all(writers).then(() => undefined)
  ended.catch(() => undefined)
  return {
    batches,
    stop: () => {
      stop.abort()
      return ended
    },
  }
}

async function writeOn(port: number, writer: number, batches: Batch[], stop: AbortSignal): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const kept: number[] = []
  try {
    for (let number = 1; !stop.aborted; ) {
      const names = namesOf(writer, number)
      const [changed, trashed] = [kept.slice(0, CHANGED), kept.slice(CHANGED, CHANGED + TRASHED)]
      const began = performance.now()
      const answer = await send(port, agent, requestsOf(writer, number, names, changed, trashed))
      // A busy service refuses some batches.
      if (answer.status === 503) continue
      const events = eventsOf(answer, changed, trashed)
      batches.push({ writer, number, began, acknowledged: performance.now(), events, names })
      kept.splice(0, CHANGED + TRASHED)
      kept.push(...[...events.keys()].slice(0, MADE))
      number += 1
    }
  } finally {
    agent.destroy()
  }
}

function namesOf(writer: number, number: number): string[] {
  return Array.from({ length: MADE / WITH_LINKS }, (_, at) => `of w${writer} b${number} n${at * WITH_LINKS}`)
}

const EVENTS = '/tribe/events/v1/events'

function requestsOf(
  writer: number,
  number: number,
  names: readonly string[],
  changed: readonly number[],
  trashed: readonly number[],
): object[] {
  const title = (at: number) => `w${writer} b${number} n${at}`
  const day = new Date(Date.parse(WRITTEN_FROM) + ((writer * 7 + number) % 300) * 86_400_000)
    .toISOString()
    .slice(0, 10)
  const dates = { start_date: `${day} 17:00:00`, end_date: `${day} 19:00:00` }
  const made = Array.from({ length: MADE }, (_, at) => ({
    path: EVENTS,
    body: {
      title: title(at),
      description: `<p>What happens at ${title(at)}.</p>`,
      ...dates,
      ...linksOf(names, at),
    },
  }))
  return [
    ...made,
    ...changed.map((id, at) => ({
      method: 'PUT',
      path: `${EVENTS}/${id}`,
      body: { title: title(MADE + at) },
    })),
    ...trashed.map((id) => ({ method: 'DELETE', path: `${EVENTS}/${id}` })),
  ]
}

function linksOf(names: readonly string[], at: number): object {
  const name = names[at / WITH_LINKS]
  if (name === undefined) return {}
  return {
    venue: { venue: `Venue ${name}` },
    organizer: { organizer: `Organizer ${name}` },
    tags: [`Tag ${name}`],
  }
}

function send(port: number, agent: Agent, requests: readonly object[]): Promise<Answered> {
  const body = { validation: 'require-all-validate', requests }
  return exchange(port, { as: 'admin', method: 'POST', path: '/wp-json/batch/v1', body }, agent)
}

function eventsOf(
  { status, body, broken }: Answered,
  changed: readonly number[],
  trashed: readonly number[],
): Batch['events'] {
  const responses = body.responses as { status: number; body: { id: number } }[]
  equal(status, 207, broken + JSON.stringify(body))
  for (const part of responses) ok([200, 201].includes(part.status), JSON.stringify(part))
  const written = responses.slice(0, MADE + changed.length).map(({ body }) => [body.id, shown(body)] as const)
  return new Map<number, string | undefined>([...written, ...trashed.map((id) => [id, undefined] as const)])
}

export function shown(event: object): string {
  return JSON.stringify(event, (name, member) => (name === 'json_ld' ? undefined : member))
}
