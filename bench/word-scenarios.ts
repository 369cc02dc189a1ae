import { Agent, get } from 'node:http'
import { type BenchRun, capture } from './bench-run.ts'
import { CATEGORY_SLUGS, generateEvent, type Plan, venueRow } from './data-set.ts'
import { TOWNS } from './places.ts'
import { processorSeconds } from './processes.ts'
import { makeRandom, type Random } from './random.ts'
import type { Named, Scenario } from './read-scenarios.ts'
import { median, percentile, type Result, resultOf } from './results.ts'
import { BASE, type RunningService } from './service.ts'
import { COMMON_WORDS, RARE_WORDS, TOPICS } from './texts.ts'

/** Makes a text or an address. `at` goes from 0 to 59. */
type Maker = (random: Random, plan: Plan, at: number) => string

/** The requests of a round. */
const QUERIES = 60

/**
 * Scenarios of searches, suggestions, and lists of nearby and similar events. Each request is sent once, and
 * its processor time is measured.
 */
export const wordScenarios: readonly Scenario[] = [
  askedOnce('words', 'words, 95 % of sixty searches within', (...given) => wordsPath(sixtyTexts(...given))),
  askedOnce('words-wrong', 'words with a wrong letter, 95 % within', (random) =>
    wordsPath(misspelt(topicOf(random))),
  ),
  askedOnce('words-suggest', 'words as one types, suggestions, 95 % within', (random, plan, at) => {
    const text = sixtyTexts(random, plan, at)
    return `/events/suggest?search=${encodeURIComponent(text.slice(0, 2 + (at % 7)))}`
  }),
  askedOnce('words-suggest-short', 'words as one types, two letters, 95 % within', (random, plan, at) => {
    return `/events/suggest?search=${encodeURIComponent(sixtyTexts(random, plan, at).slice(0, 2))}`
  }),
  askedOnce(
    'words-near',
    'words “near me”, the list, 95 % within',
    (random) => `${BASE}/events?${nearTown(random)}`,
  ),
  askedOnce(
    'words-near-page',
    'words “near me”, the page, 95 % within',
    (random) => `/events/?${nearTown(random)}`,
  ),
  {
    id: 'words-related',
    title: 'words “more like this”, the page of an event, 95 % within',
    measure: measureRelated,
  },
]

/** Makes a circle of 25 km around a point in or near a town, to a hundredth of a degree as pages ask. */
function nearTown(random: Random): string {
  const { lat, lng } = random.pick(TOWNS)
  const near = (degrees: number) => Number((degrees + (random.next() - 0.5) * 0.4).toFixed(2))
  return `geoloc_lat=${near(lat)}&geoloc_lng=${near(lng)}&geoloc_radius=25`
}

const wordsPath = (text: string) => `${BASE}/events?words=${encodeURIComponent(text)}`

const topicOf = (random: Random) => random.pick(TOPICS).toLowerCase()

/** Makes searches: a topic, a rare and a common word, two words, a category, a venue and its city. */
const sixtyTexts: Maker = (random, plan, at) => {
  const { venue, city } = venueRow(plan, random.skewed(Math.min(1000, plan.venues)))
  const topic = topicOf(random)
  const texts = [
    topic,
    random.pick(RARE_WORDS),
    `${random.pick(COMMON_WORDS)} ${topic}`,
    `${topic} ${city}`,
    String(venue).toLowerCase(),
    random.pick(CATEGORY_SLUGS).replaceAll('-', ' '),
  ]
  return texts[at % texts.length] ?? topic
}

/** Swaps the third and the fourth letter. */
const misspelt = (word: string) => `${word.slice(0, 2)}${word[3] ?? ''}${word[2] ?? ''}${word.slice(4)}`

function askedOnce(id: string, title: string, maker: Maker): Scenario {
  const measure = async (run: BenchRun, named: Named) => {
    const service = await run.reader()
    const pathsOf = (round: number) => {
      const random = makeRandom(7000 + WARMING + round)
      // The number makes each address new.
      return Array.from(
        { length: QUERIES },
        (_, at) => `${maker(random, run.store.plan, at)}&anew=${round}.${at}`,
      )
    }
    return [await askRounds(run, service, named, pathsOf)]
  }
  return { id, title, measure }
}

/** Measures pages of events not requested before, with other events at their venue and similar ones. */
async function measureRelated(run: BenchRun, named: Named): Promise<Result[]> {
  const service = await run.reader()
  const { plan } = run.store
  const random = makeRandom(7100)
  const pathsOf = () => {
    const rows = Array.from(
      { length: QUERIES * 2 },
      () => generateEvent(plan, random.whole(0, plan.events - 1)).row,
    )
    const shown = rows.filter(({ status, hide_from_listings }) => status === 'publish' && !hide_from_listings)
    return shown.slice(0, QUERIES).map(({ slug }) => `/event/${slug}/`)
  }
  return [await askRounds(run, service, named, pathsOf)]
}

/** The rounds before the first, which warm the code and are not counted. */
const WARMING = 8

/** Sends requests one after the other, in rounds. */
async function askRounds(
  run: BenchRun,
  service: RunningService,
  named: Named,
  pathsOf: (round: number) => readonly string[],
): Promise<Result> {
  await capture(service, [`GET\t${BASE}/events`], {}, 200)
  const agent = new Agent({ keepAlive: true })
  const rounds: number[][] = []
  try {
    for (let round = -WARMING; round < Math.max(run.rounds, 3); round++) {
      const millis: number[] = []
      for (const path of pathsOf(round)) millis.push(await processorMillis(service, agent, path))
      if (round >= 0) rounds.push(millis)
    }
  } finally {
    agent.destroy()
  }
  const within = rounds.map((millis) => percentile(millis, 0.95))
  const most = Math.max(...rounds.flat()).toFixed(1)
  const note = `processor time of an answer, by its median; the dearest ${most} ms`
  return resultOf(named, 'ms', within, { figures: 'ms', service: median(rounds.flat()), note })
}

/** Measures the processor time of all threads for an answer, in ms. @throws Error when it is an error */
async function processorMillis({ port, pid }: RunningService, agent: Agent, path: string): Promise<number> {
  const before = processorSeconds(pid)
  const status = await new Promise((resolve, reject) =>
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      response.on('error', reject)
      response.on('end', () => resolve(response.statusCode))
      response.resume()
    }).on('error', reject),
  )
  if (status !== 200) throw new Error(`${path} was answered ${status}`)
  return (processorSeconds(pid) - before) * 1000
}
