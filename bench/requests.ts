import {
  CATEGORY_SLUGS,
  FIRST_DAY,
  generateEvent,
  LAST_DAY,
  MIDDLE,
  type Plan,
  stamp,
  TAG_SLUGS,
} from './data-set.ts'
import { TOWNS } from './places.ts'
import { makeRandom, type Random } from './random.ts'
import { BASE } from './service.ts'
import { COMMON_WORDS, RARE_WORDS, TOPICS } from './texts.ts'

const DAY = 86_400_000

/** Makes the path of the next request of a scenario. */
export type PathMaker = (random: Random, plan: Plan) => string

const eventsPath = (parameters: Readonly<Record<string, string | number>>) =>
  `${BASE}/events?` +
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()

/**
 * Makes a window to the second, so that none repeats. It starts on one of `days` days from `from` and ends up
 * to two years later.
 */
function windowFrom(random: Random, from: number, days: number) {
  const start = from + random.next() * days * DAY
  const end = start + (30 + random.next() * 700) * DAY
  return { start_date: stamp(start), end_date: stamp(end), strict_dates: 'true' }
}

/** Makes a window from about today on, as visitors of a busy site ask for. */
const nearToday = (random: Random) => windowFrom(random, MIDDLE - 3 * DAY, 17)
const anywhere = (random: Random) => windowFrom(random, FIRST_DAY, 1400)
/** Makes a window with nearly all events, to the second. */
const everything = (random: Random) => ({
  start_date: stamp(FIRST_DAY + random.next() * 20 * DAY),
  end_date: stamp(LAST_DAY - random.next() * 20 * DAY),
  strict_dates: 'true',
})

/**
 * Makes lists near today: two thirds plain and mostly the first page, the others with the filters that people
 * use.
 */
export const busyList: PathMaker = (random, plan) => {
  const dice = random.next()
  if (dice > 0.66) return eventsPath({ ...nearToday(random), ...busyFilter(random, plan, dice) })
  return eventsPath({ ...(random.chance(0.8) ? {} : { page: random.whole(2, 4) }), ...nearToday(random) })
}

function busyFilter(random: Random, plan: Plan, dice: number): Record<string, string> {
  if (dice < 0.78) return { categories: categoryOf(random) }
  if (dice < 0.88) return { venue: venueOf(random, plan) }
  return dice < 0.94 ? { featured: 'true' } : { tags: tagOf(random) }
}

const categoryOf = (random: Random) => CATEGORY_SLUGS[random.skewed(CATEGORY_SLUGS.length)] ?? ''
const tagOf = (random: Random) => TAG_SLUGS[random.skewed(TAG_SLUGS.length)] ?? ''
/** Picks one of the thousand busiest venues. Nobody asks for those without events. */
const venueOf = (random: Random, plan: Plan) =>
  String(plan.first.venue + random.skewed(Math.min(1000, plan.venues)))

export const listAnywhere: PathMaker = (random) =>
  eventsPath({ ...anywhere(random), ...(random.chance(0.8) ? {} : { page: random.whole(2, 4) }) })
export const byCategory: PathMaker = (random) =>
  eventsPath({ ...nearToday(random), categories: categoryOf(random) })
export const byTag: PathMaker = (random) => eventsPath({ ...nearToday(random), tags: tagOf(random) })
export const byVenue: PathMaker = (random, plan) =>
  eventsPath({ ...nearToday(random), venue: venueOf(random, plan) })
export const byOrganizer: PathMaker = (random, plan) =>
  eventsPath({
    ...nearToday(random),
    organizer: plan.first.organizer + random.skewed(Math.min(500, plan.organizers)),
  })
export const byFeatured: PathMaker = (random) => eventsPath({ ...nearToday(random), featured: 'true' })

/** Makes a circle of five to thirty kilometres around a point in or near a town. */
export const byRadius: PathMaker = (random) => {
  const { lat, lng } = TOWNS[random.skewed(TOWNS.length)] ?? TOWNS[0]
  const near = (degrees: number) => (degrees + (random.next() - 0.5) * 0.1).toFixed(5)
  return eventsPath({
    ...nearToday(random),
    geoloc_lat: near(lat),
    geoloc_lng: near(lng),
    geoloc_radius: random.whole(5, 30),
  })
}

const searchFor =
  (words: readonly string[]): PathMaker =>
  (random) =>
    eventsPath({ ...everything(random), search: random.pick(words).toLowerCase() })
export const searchRare = searchFor(RARE_WORDS)
export const searchMedium = searchFor(TOPICS)
export const searchCommon = searchFor(COMMON_WORDS)

/** Makes the first page of a new window that begins with the data. */
export const firstPage: PathMaker = (random) => eventsPath(everything(random))
/** Makes the smallest list of a new window: little more than its total. */
export const smallestList: PathMaker = (random) => eventsPath({ ...everything(random), per_page: 1 })

/**
 * Makes lists of the same first records at new addresses, which warms the code but loads no other records.
 */
export const codeWarmer: PathMaker = (random) =>
  eventsPath({ ...windowFrom(random, FIRST_DAY, 0), end_date: stamp(LAST_DAY - random.next() * 600 * DAY) })

/**
 * Makes lists without a common record, in random order: pages of single days over the whole range, as many as
 * a day has full pages, or days far enough apart for one page.
 */
export function coldLists(random: Random, plan: Plan): string[] {
  const days = (LAST_DAY - FIRST_DAY) / DAY
  const perDay = plan.events / days
  const pages = Math.max(1, Math.floor((perDay * 0.9) / 10))
  const stride = Math.max(1, Math.ceil(15 / perDay))
  const lists: string[] = []
  for (let day = stride; day < days - 30; day += stride) {
    for (let page = 1; page <= pages; page++) {
      const start = FIRST_DAY + day * DAY
      lists.push(
        eventsPath({
          page,
          start_date: stamp(start),
          end_date: stamp(start + (300 + random.next() * 700) * DAY),
          strict_dates: 'true',
        }),
      )
    }
  }
  return shuffled(random, lists)
}

function shuffled<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map((entry) => ({ entry, key: random.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ entry }) => entry)
}

/** Makes reads of a scenario as lines for the load generator. Another seed gives other reads. */
export function readLines(maker: PathMaker, plan: Plan, seed: number, howMany: number): string[] {
  const random = makeRandom(seed)
  return Array.from({ length: howMany }, () => `GET\t${maker(random, plan)}`)
}

/** Makes a create of a whole event. Its number makes the name unique. */
export function createLine(plan: Plan, number: number): string {
  const { row, venues, organizers, terms } = generateEvent(
    plan,
    Math.floor(plan.events / 2) + (number % 1000),
  )
  const body = {
    title: `${row.title} ${number}`,
    description: row.description,
    excerpt: row.excerpt,
    start_date: row.start_date,
    end_date: row.end_date,
    timezone: row.timezone,
    all_day: row.all_day === 1,
    featured: row.featured === 1,
    cost: JSON.parse(row.cost)[0] ?? '',
    website: row.website,
    venue: venues,
    organizer: organizers,
    categories: terms.filter((id) => id < plan.first.term + CATEGORY_SLUGS.length),
    tags: terms.filter((id) => id >= plan.first.term + CATEGORY_SLUGS.length),
  }
  return `POST\t${BASE}/events\t${JSON.stringify(body)}`
}

/** Makes an update of the title and times of some event. */
export function updateLine(plan: Plan, random: Random): string {
  return updateOf(plan, random.whole(0, plan.events - 1), random)
}

export function deleteLine(plan: Plan, number: number): string {
  return `DELETE\t${BASE}/events/${plan.first.event + number}`
}

function updateOf(plan: Plan, number: number, random: Random): string {
  const { row } = generateEvent(plan, number)
  const body = {
    title: `${row.title} (${random.whole(1, 999_999)})`,
    start_date: row.start_date,
    end_date: row.end_date,
  }
  return `PUT\t${BASE}/events/${plan.first.event + number}\t${JSON.stringify(body)}`
}

/** Makes the reads that visitors repeat: a few hundred lists and events near today. */
export function popularReads(plan: Plan): string[] {
  const random = makeRandom(77)
  const lists = readLines(busyList, plan, 78, 200)
  const events = Array.from({ length: 300 }, () => nearMiddle(plan, random)).filter(
    (number) => generateEvent(plan, number).row.status === 'publish',
  )
  return [...lists, ...events.map((number) => `GET\t${BASE}/events/${plan.first.event + number}`)]
}

/**
 * Makes popular reads, with one write in `every` if given: three updates of events near today for two new
 * ones.
 */
export function mixedLines(plan: Plan, seed: number, howMany: number, every: number | undefined): string[] {
  const random = makeRandom(seed)
  const reads = popularReads(plan)
  return Array.from({ length: howMany }, (_, position) => {
    if (every === undefined || position % every !== every - 1) return reads[random.skewed(reads.length)] ?? ''
    return random.chance(0.6)
      ? updateOf(plan, nearMiddle(plan, random), random)
      : createLine(plan, seed * 100_000_000 + position)
  })
}

/** Returns the number of an event that starts within some weeks of the middle. */
function nearMiddle(plan: Plan, random: Random): number {
  return Math.floor(plan.events * (0.5 + (random.next() - 0.5) * 0.02))
}
