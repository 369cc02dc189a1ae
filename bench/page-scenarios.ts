import { type BenchRun, capture } from './bench-run.ts'
import { CATEGORY_SLUGS, FIRST_DAY, LAST_DAY, MIDDLE, type Plan } from './data-set.ts'
import {
  type Comparison,
  compare,
  firstEvent,
  inEncodings,
  type Named,
  repeated,
  type Scenario,
  takeTurns,
} from './read-scenarios.ts'
import { median, type Result, resultOf } from './results.ts'

const DAY = 86_400_000

/** The events of the long feed. */
const FEED_EVENTS = 10_000
/** The long feeds made in a round; each takes about a second. */
const NEW_FEEDS = 4

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const MONTH = dayOf(MIDDLE).slice(0, 7)

/** Returns a window with about so many events. */
function windowOf(plan: Plan, events: number): string {
  const days = Math.max(1, Math.round(events / (plan.events / ((LAST_DAY - FIRST_DAY) / DAY))))
  const first = Math.max(FIRST_DAY, MIDDLE - (days * DAY) / 2)
  return `start_date=${dayOf(first)}&end_date=${dayOf(first + days * DAY)}`
}

const feedOf = (plan: Plan, ending: string, events: number) => `/events.${ending}?${windowOf(plan, events)}`

/** A page of a month with the first category and those below it. */
const MONTH_PAGE = `/events/month/${MONTH}/?categories=${CATEGORY_SLUGS[0]}`

/** Scenarios of pages and feeds. */
export const pageScenarios: readonly Scenario[] = [
  repeated('page-month', 'same page of a month', async () => `GET\t${MONTH_PAGE}`),
  repeated('page-list', 'same page of the list', async () => 'GET\t/events/'),
  repeated(
    'page-event',
    'same page of an event',
    async (service) => `GET\t/event/${(await firstEvent(service)).slug}/`,
  ),
  {
    id: 'page-month-new',
    title: 'page of a month made anew, beyond the bare server',
    measure: measureNewPage,
  },
  { id: 'feed-list', title: 'same feed of 100 events as JSON Feed', measure: keptFeed('json', 100) },
  {
    id: 'feed-repeated',
    title: 'same feed of 10,000 events as iCalendar',
    measure: keptFeed('ics', FEED_EVENTS),
  },
  {
    id: 'feed-new',
    title: 'feed of 10,000 events as iCalendar made anew, beyond the bare server',
    measure: measureNewFeed,
  },
]

/** Makes requests for the same page at new addresses, so that no cached answer is used. */
const anew = (path: string) => (round: number, howMany: number) =>
  Array.from({ length: howMany }, (_, i) => `GET\t${path}&anew=${round}.${i}`)

/**
 * Few connections: with more, the first pages, before their code is compiled, would wait so long that some
 * are refused.
 */
const NEW_PAGE_CONNECTIONS = 4

async function measureNewPage(run: BenchRun, named: Named): Promise<Result[]> {
  const linesOf = anew(MONTH_PAGE)
  const load = { connections: NEW_PAGE_CONNECTIONS }
  return [await beyondBare(run, named, (round, howMany) => linesOf(round, Math.min(howMany, 4000)), load)]
}

/** Measures a feed that is cached, since it was read completely before. */
function keptFeed(ending: string, events: number): Scenario['measure'] {
  return async (run, named) => {
    const line = `GET\t${feedOf(run.store.plan, ending, events)}`
    const service = await run.reader()
    for (let times = 0; times < 3; times++) await capture(service, [line], {}, 200)
    return inEncodings(run, named, (encoded, headers) =>
      compare(run, service, encoded, { samples: [line], linesOf: () => [line], headers }),
    )
  }
}

/** Measures new long feeds one after the other, without a limit of time. */
async function measureNewFeed(run: BenchRun, named: Named): Promise<Result[]> {
  const linesOf = anew(feedOf(run.store.plan, 'ics', FEED_EVENTS))
  const load = { once: true, seconds: 600, connections: 1 }
  return [
    await beyondBare(run, named, (round, howMany) => linesOf(round, Math.min(howMany, NEW_FEEDS)), load),
  ]
}

/** Measures the processor time of an answer, in ms, beyond that of the bare server for the same bytes. */
async function beyondBare(
  run: BenchRun,
  named: Named,
  linesOf: (round: number, howMany: number) => readonly string[],
  load?: Comparison['load'],
): Promise<Result> {
  const service = await run.reader()
  const rounds = await takeTurns(run, service, named, {
    samples: linesOf(-2, 1),
    linesOf,
    ...(load && { load }),
  })
  const micros = (side: 'ours' | 'bare') => median(rounds.map((round) => round[side].processorMicros))
  const beyond = rounds.map(({ ours, bare }) => (ours.processorMicros - bare.processorMicros) / 1000)
  const both = { service: micros('ours') / 1000, baseline: micros('bare') / 1000 }
  return resultOf(named, 'ms', beyond, { figures: 'ms', ...both, note: 'processor time of one answer' })
}
