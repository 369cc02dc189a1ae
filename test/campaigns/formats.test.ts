import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { plainText } from '../../src/base/text/html.ts'
import { startService, type TestService } from '../support/service.ts'
import { formatEvents, type WrittenEvent } from './format-events.ts'
import { type ReadEvent, readers } from './format-readers.ts'

const EVENTS = 120

test('every format says the same of every event: who it is, what it is called and when it is', async () => {
  await using service = await startService({ timezone: 'Europe/Oslo' })
  const expected = await writeEvents(service, EVENTS, 1)
  const read = new Map<string, ReadEvent[]>()
  for (const [ending, reader] of Object.entries(readers))
    read.set(ending, reader(await fetchFeed(service, ending)))
  deepEqual(differences(expected, read).slice(0, 10), [])
})

const AT_ONCE = 8

/** The values that every reader must find for an event. */
type ExpectedEvent = ReadEvent & { uid?: never }

/** Creates events. Returns the values that readers must find, by the address of the event. */
async function writeEvents(
  { post }: TestService,
  count: number,
  seed: number,
): Promise<Map<string, ExpectedEvent>> {
  const expected = new Map<string, ExpectedEvent>()
  const left = formatEvents(count, seed)
  const write = async () => {
    for (const event of left) {
      const { status, body } = await post('/events', event)
      equal(status, 201, JSON.stringify([event, body]))
      expected.set(body.url, expectedOf(event, body))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, write))
  return expected
}

interface Answered {
  url: string
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
}

function expectedOf({ title, all_day }: WrittenEvent, answered: Answered): ExpectedEvent {
  const time = (edge: 'start' | 'end') =>
    all_day ? answered[`${edge}_date`].slice(0, 10) : `${answered[`utc_${edge}_date`].replace(' ', 'T')}Z`
  return { url: answered.url, title: plainText(title), start: time('start'), end: time('end') }
}

async function fetchFeed({ origin }: TestService, ending: string): Promise<string> {
  const response = await fetch(`${origin}/events.${ending}?start_date=2000-01-01&end_date=2100-01-01`)
  equal(response.status, 200)
  return response.text()
}

function differences(
  expected: ReadonlyMap<string, ExpectedEvent>,
  read: ReadonlyMap<string, readonly ReadEvent[]>,
): string[] {
  const found: string[] = []
  const identities = new Map<string, string>()
  const texts = new Map<string, string>()
  for (const [reader, events] of read) {
    if (events.length !== expected.size) found.push(`${reader}: ${events.length} of ${expected.size} events`)
    for (const event of events) {
      const known = expected.get(event.url)
      if (!known) found.push(`${reader}: an event that was not written, ${event.url}`)
      for (const name of ['title', 'start', 'end'] as const)
        if (known && event[name] !== known[name])
          found.push(`${reader}: ${event.url} ${name} ${JSON.stringify([event[name], known[name]])}`)
      compareFirst(found, `${reader}: ${event.url} uid`, identities, event.url, event.uid)
      compareFirst(found, `${reader}: ${event.url} text`, texts, event.url, event.text)
    }
  }
  return found
}

function compareFirst(
  found: string[],
  what: string,
  first: Map<string, string>,
  url: string,
  value?: string,
): void {
  if (value === undefined) return
  const known = first.get(url) ?? value
  first.set(url, known)
  if (known !== value) found.push(`${what} ${JSON.stringify([value, known])}`)
}
