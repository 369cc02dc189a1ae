// Sends a page of a real calendar event by event, as a client would, and compares the list.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { startService, type TestService } from '../support/service.ts'

// biome-ignore lint/suspicious/noExplicitAny: the page is what its site published.
type Event = any

const file = new URL('../../../shared/data/calendar-page.json', import.meta.url)
const skip = existsSync(file) ? false : '../shared/data/calendar-page.json is not here'

let service: TestService
let page: Event[] = []
before(async () => {
  if (skip) return
  page = JSON.parse(await readFile(file, 'utf8')).events
  service = await startService({ timezone: 'America/Chicago' })
})
after(() => service?.close())

const FIELDS = [
  ...[
    'title',
    'description',
    'excerpt',
    'slug',
    'status',
    'timezone',
    'all_day',
    'start_date',
    'end_date',
    'cost',
    'website',
  ],
  ...['show_map', 'show_map_link', 'hide_from_listings', 'sticky', 'featured'],
]

/** Returns the body that a client would send for an event of another calendar. */
function toSend(event: Event): Event {
  const { id: _venue, image: _picture, ...venue } = event.venue
  return {
    ...Object.fromEntries(FIELDS.map((name) => [name, event[name]])),
    categories: event.categories.map(({ name }: Event) => name),
    tags: event.tags.map(({ name }: Event) => name),
    venue,
    organizer: event.organizer.map(({ id: _organizer, image: _image, ...organizer }: Event) => organizer),
  }
}

const ENTITIES: Record<string, string> = { '&#036;': '$', '&#8217;': '’', '&#8211;': '–', '&#8230;': '…' }
/** Decodes the numeric entities of the source. */
const plain = (text: string) => text.replace(/&#\d+;/g, (entity) => ENTITIES[entity] ?? entity)

const TIMES = ['start_date', 'end_date', 'utc_start_date', 'utc_end_date', 'timezone', 'timezone_abbr', 'all_day']
const PLACE = ['venue', 'address', 'city', 'country', 'state', 'zip', 'stateprovince', 'show_map', 'show_map_link']

/** Returns the members that an event and its copy share. */
function comparable(event: Event): Event {
  return {
    ...Object.fromEntries(TIMES.map((name) => [name, event[name]])),
    title: plain(event.title),
    description: plain(event.description),
    excerpt: event.excerpt,
    slug: event.slug,
    status: event.status,
    cost: plain(event.cost),
    values: event.cost_details.values.map(Number),
    categories: event.categories.map(({ name, slug }: Event) => [name, slug]),
    tags: event.tags.map(({ name }: Event) => name),
    venue: Object.fromEntries(PLACE.map((name) => [name, event.venue[name]])),
    organizer: event.organizer.map(({ organizer }: Event) => organizer),
    sticky: event.sticky,
    featured: event.featured,
  }
}

test('every event of a real calendar is created, and listed again as it was', { skip }, async () => {
  assert.equal(page.length, 10)
  for (const event of page) {
    const { status, body } = await service.post('/events', toSend(event))
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual(comparable(body), comparable(event))
  }
  const { body } = await service.get('/events?start_date=2026-01-01&end_date=2026-12-31')
  const byTitle = (a: Event, b: Event) => (a.title < b.title ? -1 : 1)
  assert.equal(body.total, 10)
  assert.deepEqual([...body.events].sort(byTitle).map(comparable), [...page].sort(byTitle).map(comparable))
  assert.equal(
    new Set(body.events.map(({ venue }: Event) => venue.id)).size,
    new Set(page.map(({ venue }) => venue.id)).size,
  )
})

test('an image that can not be fetched is refused by name, and nothing is left of the event', { skip }, async () => {
  const [event] = page
  const sent = { ...toSend(event), title: 'With a picture', image: 'http://pictures.invalid/poster.png' }
  const { status, body } = await service.post('/events', sent)
  assert.deepEqual([status, body.code, Object.keys(body.data.params)], [400, 'rest_invalid_param', ['image']])
  assert.equal((await service.get('/events?search=picture&start_date=2026-01-01')).body.total, 0)
})
