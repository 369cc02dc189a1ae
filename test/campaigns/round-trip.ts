import { equal } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeRandom, type Random } from '../../bench/random.ts'
import { eventFields } from '../../src/base/fields/event-fields.ts'
import { rareFields } from '../../src/base/fields/event-members.ts'
import { registerExportCommand } from '../../src/features/transfer/export.ts'
import { type Calendar, startCalendar } from '../import/calendar-command.ts'
import { runCommand } from '../support/commands.ts'
import { comparable, differingPaths } from '../support/comparable.ts'
import { exampleOf } from '../support/example-values.ts'
import { onDay } from '../support/service.ts'
import { formatEvents } from './format-events.ts'

export const FORMATS = ['json', 'ndjson', 'ics', 'csv'] as const
export type RoundTripFormat = (typeof FORMATS)[number]

const ownFields = rareFields().flatMap(({ name, by }) => (by === 'event_status' ? [] : [name]))

const IN_FILES = ['attendance', 'online_url']

export const KNOWN_LOSSES: Readonly<Record<RoundTripFormat, readonly string[]>> = {
  json: [],
  ndjson: [],
  ics: [
    ...['title', 'description', 'excerpt', 'slug', 'website', 'cost', 'cost_details.values'],
    ...['featured', 'sticky', 'show_map', 'show_map_link', 'categories', 'tags'],
    ...'timezone start_date end_date utc_start_date utc_end_date recurrence recurrence.overrides'.split(' '),
    ...['venue.date_utc', 'venue.address', 'venue.city', 'venue.country', 'venue.zip', 'organizer.date_utc'],
    ...ownFields.filter((name) => !IN_FILES.includes(name)),
    ...['venue.step_free', 'venue.accessible_toilet', 'venue.accessible_parking', 'venue.lift'],
    ...['venue.hearing_loop', 'venue.quiet_space', 'venue.assistance_dogs'],
    ...[
      'venue.state',
      'venue.province',
      'venue.stateprovince',
      'venue.phone',
      'venue.website',
      'venue.description',
    ],
    ...['organizer.phone', 'organizer.website', 'organizer.description'],
  ],
  csv: [
    ...['title', 'description', 'excerpt', 'slug', 'website'],
    ...['sticky', 'show_map', 'show_map_link', 'categories', 'tags', 'recurrence'],
    ...['venue.date_utc', 'organizer.date_utc', 'venue.description', 'organizer.description'],
  ],
}

const SERIES_SHARE = 0.2
const DATES_OF_SERIES = 5
const AT_ONCE = 6

const CITIES = ['Kilvara', 'Aldbury', 'São Tomé', '北京', 'Übach']
const RULES = ['FREQ=WEEKLY', 'FREQ=DAILY;INTERVAL=2', 'FREQ=MONTHLY', 'FREQ=WEEKLY;INTERVAL=2']

export async function fillForRoundTrip(calendar: Calendar, count: number, seed: number): Promise<void> {
  const random = makeRandom(seed)
  const series = Math.round((count * SERIES_SHARE) / DATES_OF_SERIES)
  const single = count - series * DATES_OF_SERIES
  const lines = [...formatEvents(single, seed)].map((event, at) =>
    JSON.stringify(singleEvent(event, at + 1, random)),
  )
  const { code, out, err } = await calendar.kalends(
    'import',
    await calendar.file('source.ndjson', lines.join('\n')),
  )
  equal(code, 0, out + err)
  const left = Array.from({ length: series }, (_, at) => at).values()
  const write = async () => {
    for (const at of left) await writeSeries(calendar, at, random)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, write))
}

function singleEvent(event: object, id: number, { pick, chance, whole }: Random): object {
  const town = whole(1, 40)
  const category = whole(1, 12)
  return {
    id,
    slug: `event-${id}`,
    ...event,
    status: 'publish',
    cost: pick(['', '5', '$5 – $12', 'Free', '€0', 'from 7 to 9']),
    website: chance(0.3) ? `https://example.org/${id}?a=1&b=2` : '',
    excerpt: chance(0.2) ? `In short ${id}` : '',
    featured: chance(0.1),
    sticky: chance(0.1),
    show_map: chance(0.5),
    show_map_link: chance(0.5),
    ...(chance(0.1)
      ? { event_status: pick(['canceled', 'postponed']), event_status_reason: 'Rain; snow' }
      : {}),
    ...(chance(0.2) ? factsOf(id) : {}),
    venue: chance(0.7) ? { id: 1000 + town, ...venueOf(town) } : [],
    organizer: chance(0.5) ? [{ id: 2000 + town, ...organizerOf(town) }] : [],
    categories: [{ id: category, name: `Kind ${category}`, slug: `kind-${category}`, parent: 0 }],
    tags: chance(0.4) ? [{ id: 100 + category, name: `Tag ${category}`, slug: `tag-${category}` }] : [],
  }
}

function factsOf(id: number): object {
  const isEven = id % 2 === 0
  const values = ownFields.map((name) => {
    const value = exampleOf(name, eventFields[name].kind, `${name} ${id}; ring, twice`)
    return [name, value === true ? isEven : value]
  })
  return {
    ...Object.fromEntries(values),
    sign_language: isEven ? 'bfi' : 'gsg',
    attendance: isEven ? 'mixed' : 'online',
    online_url: `https://meet.example.org/${id}?a=1&b=2`,
    online_shown: ['always', 'before:60', 'never'][id % 3],
  }
}

function venueOf(town: number): object {
  const city = CITIES[town % CITIES.length]
  const isEven = town % 2 === 0
  return {
    venue: `Hall ${town}`,
    address: `${town} Main Street`,
    city,
    country: 'Portugal',
    zip: `${1000 + town}`,
    state: `State ${town}`,
    province: `Province ${town}`,
    phone: `+351 ${town}`,
    website: `https://hall${town}.example`,
    description: `Hall of ${town}`,
    step_free: isEven,
    accessible_toilet: !isEven,
    accessible_parking: isEven,
    lift: !isEven,
    hearing_loop: isEven,
    quiet_space: !isEven,
    assistance_dogs: isEven,
  }
}

function organizerOf(town: number): object {
  return {
    organizer: `Club ${town}`,
    email: `club${town}@example.org`,
    phone: `+352 ${town}`,
    website: `https://club${town}.example`,
    description: `Club of ${town}`,
  }
}

async function writeSeries({ service }: Calendar, at: number, { pick, whole }: Random): Promise<void> {
  const day = `2027-${String(whole(1, 12)).padStart(2, '0')}-${String(whole(1, 28)).padStart(2, '0')}`
  const made = await service.event({
    title: `Series ${at}`,
    slug: `series-${at}`,
    description: `Every time, ${at}`,
    ...onDay(day, '18:00:00', '20:00:00'),
    timezone: pick(['Europe/Berlin', 'America/New_York', 'UTC']),
    categories: [`Kind ${whole(1, 12)}`],
    cost: '3',
    recurrence: `RRULE:${pick(RULES)};COUNT=${DATES_OF_SERIES}`,
  })
  const query = `post_parent=${made.post_parent}&start_date=2020-01-01&end_date=2040-01-01&per_page=50`
  const { body } = await service.get(`/events?${query}`)
  if (at % 3 === 0)
    await service.update(`/events/${body.events[1].id}`, { title: `Series ${at}, another title` })
  if (at % 3 === 1)
    await service.update(`/events/${body.events[2].id}`, {
      start_date: `${body.events[2].start_date.slice(0, 10)} 19:00:00`,
    })
  if (at % 3 === 2) await service.remove(`/events/${body.events[3].id}`)
}

type Shown = Readonly<Record<string, unknown>> & { title: string; start_date: string }

function keyOf({ title, start_date }: Shown): string {
  const [, series] = /^Series (\d+)/.exec(title) ?? []
  return series === undefined
    ? (title.split(' ').at(-1) ?? '')
    : `series ${series} ${start_date.slice(0, 10)}`
}

async function readEvents({ service }: Calendar): Promise<Map<string, Shown>> {
  const url = `${service.base}/events?format=ndjson&start_date=1000-01-01&end_date=9999-12-31`
  const text = await (await fetch(url)).text()
  const events = new Map<string, Shown>()
  for (const line of text.split('\n').filter(Boolean)) {
    const event: Shown = JSON.parse(line)
    events.set(keyOf(event), comparable(event, service.origin) as Shown)
  }
  return events
}

export type Losses = Map<string, number>

export async function roundTrip(from: Calendar, format: RoundTripFormat): Promise<Losses> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-round-trip-'))
  const to = await startCalendar({ timezone: from.service.config.timezone })
  try {
    const file = join(folder, `calendar.${format}`)
    await exportTo(from, format, file)
    const { code, out, err } = await to.kalends('import', '--no-images', '--with-addresses', file)
    equal(code, 0, out + err)
    return compare(await readEvents(from), await readEvents(to))
  } finally {
    await to.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const FOLLOWING = /_date_details|^timezone_abbr$|^cost_details\.(?!values)/

/**
 * Returns the paths of differences. A timed event that moved in UTC adds `(moment)`, since its wall time may
 * be in another zone.
 */
function pathsOf(before: Shown, after: Shown): string[] {
  const paths = [...differingPaths(before, after)].filter((path) => !FOLLOWING.test(path))
  const isMoved = before.utc_start_date !== after.utc_start_date || before.utc_end_date !== after.utc_end_date
  return before.all_day !== true && isMoved ? [...paths, '(moment)'] : paths
}

function compare(before: ReadonlyMap<string, Shown>, after: ReadonlyMap<string, Shown>): Losses {
  const losses: Losses = new Map()
  const note = (path: string) => losses.set(path, (losses.get(path) ?? 0) + 1)
  for (const [key, event] of before)
    if (!after.has(key)) note('(gone)')
    else for (const path of pathsOf(event, after.get(key) ?? event)) note(path)
  for (const key of after.keys()) if (!before.has(key)) note('(new)')
  return losses
}

export async function exportTo(
  { service, ground }: Calendar,
  format: RoundTripFormat,
  file: string,
): Promise<void> {
  const words = ['export', '--format', format, '--output', file]
  const { code, err } = await runCommand((program) => registerExportCommand(program, ground, []), words)
  equal(code, 0, `${service.base} ${err}`)
}
