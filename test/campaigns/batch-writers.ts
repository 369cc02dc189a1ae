import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { type Answered, exchange } from './exchange.ts'

/** What each batch makes, changes and moves to the trash, all of it in one transaction. */
const MADE = 60
const CHANGED = 30
const TRASHED = 10
const WRITES = MADE + CHANGED + TRASHED
/** One event of so many brings a venue, an organizer and a tag of its own. */
const WITH_LINKS = 10

/** The first day of what is written. */
const WRITTEN_FROM = '2027-01-01'

/** A batch that was acknowledged. */
export interface Batch {
  writer: number
  /** Batches of a writer are counted from 1, and each begins once the one before is acknowledged. */
  number: number
  /** Milliseconds of the clock of this process. */
  began: number
  acknowledged: number
  /** The answer for each event by its id, undefined for one in the trash from now on. */
  events: Map<number, string | undefined>
  /** The name that the venues, organizers and tags of the batch end with. */
  names: string[]
}

/** Clients that write batches as fast as they are answered. */
export interface BatchWriters {
  batches: Batch[]
  /** Lets each finish its batch. @throws when one was answered otherwise than it should */
  stop: () => Promise<void>
}

/** Writes that were acknowledged between two moments, each second. */
export function writesASecond({ batches }: BatchWriters, from: number, until: number): number {
  const within = batches.filter(({ acknowledged }) => acknowledged >= from && acknowledged < until)
  return Math.round((within.length * WRITES * 1000) / (until - from))
}

/** Has so many clients write at the service on a port of this machine. */
export function startBatchWriters(port: number, count: number): BatchWriters {
  const stop = new AbortController()
  const batches: Batch[] = []
  const writers = Array.from({ length: count }, (_, writer) => writeOn(port, writer, batches, stop.signal))
  // A failure is told by `stop`.
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
      // A busy service turns some away.
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
  const day = new Date(Date.parse(WRITTEN_FROM) + ((writer * 7 + number) % 300) * 86_400_000).toISOString().slice(0, 10)
  const dates = { start_date: `${day} 17:00:00`, end_date: `${day} 19:00:00` }
  const made = Array.from({ length: MADE }, (_, at) => ({
    path: EVENTS,
    body: { title: title(at), description: `<p>What happens at ${title(at)}.</p>`, ...dates, ...linksOf(names, at) },
  }))
  return [
    ...made,
    ...changed.map((id, at) => ({ method: 'PUT', path: `${EVENTS}/${id}`, body: { title: title(MADE + at) } })),
    ...trashed.map((id) => ({ method: 'DELETE', path: `${EVENTS}/${id}` })),
  ]
}

function linksOf(names: readonly string[], at: number): object {
  const name = names[at / WITH_LINKS]
  if (name === undefined) return {}
  return { venue: { venue: `Venue ${name}` }, organizer: { organizer: `Organizer ${name}` }, tags: [`Tag ${name}`] }
}

function send(port: number, agent: Agent, requests: readonly object[]): Promise<Answered> {
  const body = { validation: 'require-all-validate', requests }
  return exchange(port, { as: 'admin', method: 'POST', path: '/wp-json/batch/v1', body }, agent)
}

/** The events of an answer, those that were made first. */
function eventsOf(
  { status, body, broken }: Answered,
  changed: readonly number[],
  trashed: readonly number[],
): Batch['events'] {
  const responses = body.responses as { status: number; body: { id: number } }[]
  assert.equal(status, 207, broken + JSON.stringify(body))
  for (const part of responses) assert.ok([200, 201].includes(part.status), JSON.stringify(part))
  const written = responses.slice(0, MADE + changed.length).map(({ body }) => [body.id, shown(body)] as const)
  return new Map<number, string | undefined>([...written, ...trashed.map((id) => [id, undefined] as const)])
}

/** The JSON of an event as answers to writes have it: without what only single reads have (rule 9.1). */
export function shown(event: object): string {
  return JSON.stringify(event, (name, member) => (name === 'json_ld' ? undefined : member))
}
