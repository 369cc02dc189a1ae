import createClient from 'openapi-fetch'
import type { paths } from './service.ts'

/** What came of a visit, for whoever wants to look. */
export interface Visit {
  created: { id: number; title: string; venue: string; organizers: string[]; tags: string[] }
  listed: { ids: number[]; total: string | null }
  copied: { title: string; sameVenue: boolean }
  updated: { title: string; sticky: boolean; venue: string; image: boolean }
  deleted: { status: string }
  refused: { status: number; code: string; params: string[] }
}

/**
 * Creates, lists, changes and deletes an event through a client of the interface. Its types are those that
 * `openapi-typescript` makes of `GET {ns}/doc` and writes to `service.ts` beside this file: what does not
 * agree with the document does not compile.
 * @param baseUrl address of the namespace
 * @param authorization the header of somebody who may publish events
 */
export async function visit(baseUrl: string, authorization: string): Promise<Visit> {
  const client = createClient<paths>({
    baseUrl,
    headers: { Authorization: authorization },
    querySerializer: { array: { style: 'form', explode: false } },
  })

  const made = await client.POST('/events', {
    body: {
      title: 'Harvest supper',
      start_date: '2027-09-18 18:00:00',
      end_date: '2027-09-18 22:00:00',
      cost: '$10',
      venue: { venue: 'The Old Mill', city: 'Oslo', geo_lat: 59.91, geo_lng: 10.75 },
      organizer: [{ organizer: 'Ann' }, { organizer: 'Ben', email: 'ben@example.org' }],
      tags: ['Open air'],
    },
  })
  const event = there(made.data)

  const page = await client.GET('/events', {
    params: {
      query: { start_date: '2027-09-01', end_date: '2027-09-30', venue: idsOf(event.venue), per_page: 5 },
    },
  })
  const { events, total } = there(page.data)

  const copied = await client.POST('/events', { body: { ...event, title: 'Harvest supper for children' } })

  const address = { params: { path: { id: event.id } } }
  const changed = await client.PATCH('/events/{id}', {
    ...address,
    body: { title: 'Harvest lunch', sticky: true, website: null },
  })
  const after = there(changed.data)

  const removed = await client.DELETE('/events/{id}', address)

  const refused = await client.POST('/venues', { body: { venue: 'Mill', geo_lat: 59.91 } })
  const error = there(refused.error)

  return {
    created: {
      id: event.id,
      title: event.title,
      venue: nameOf(event.venue),
      organizers: event.organizer.map((organizer) => organizer.organizer),
      tags: event.tags.map((tag) => tag.name),
    },
    listed: {
      ids: events.map(({ id }) => id),
      total: total === 1 ? page.response.headers.get('X-TEC-Total') : null,
    },
    copied: {
      title: there(copied.data).title,
      sameVenue: String(idsOf(there(copied.data).venue)) === String(idsOf(event.venue)),
    },
    updated: {
      title: after.title,
      sticky: after.sticky,
      venue: nameOf(after.venue),
      image: after.image !== false,
    },
    deleted: { status: there(removed.data).status },
    refused: { status: error.data.status, code: error.code, params: Object.keys(error.data.params ?? {}) },
  }
}

type Venues = paths['/events/{id}']['get']['responses'][200]['content']['application/json']['venue']

/** One venue comes by itself, none or several as a list. */
const venuesOf = (venue: Venues) => (Array.isArray(venue) ? venue : [venue])
const idsOf = (venue: Venues) => venuesOf(venue).map(({ id }) => id)
const nameOf = (venue: Venues) =>
  venuesOf(venue)
    .map((one) => one.venue)
    .join()

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the service answered otherwise')
  return value
}
