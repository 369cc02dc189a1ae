import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { pluck } from '../support/lists.ts'
import { drawPng } from '../support/pictures.ts'
import { onDay, serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin' })

const SERIES = '~/wp-json/kalends/v1/series'
const YEAR = 2027

const course = (more: object = {}) => ({
  title: 'Course',
  description: 'As ever',
  ...onDay(`${YEAR}-03-01`, '10:00:00', '11:00:00'),
  recurrence: 'RRULE:FREQ=DAILY;COUNT=4',
  ...more,
})

interface Shown {
  id: number
  title: string
  start_date: string
  status: string
  rest_url: string
}

async function made(more: object = {}): Promise<number> {
  return (await service.event(course(more))).post_parent
}

async function occurrencesOf(series: number): Promise<Shown[]> {
  const path = `/events?post_parent=${series}&per_page=50&start_date=2000-01-01&end_date=2100-01-01`
  const [index, database] = [(await service.get(path)).body, (await service.get(path, 'editor')).body]
  deepEqual(index.events, database.events)
  return index.events
}

const day = (n: number, time = '10:00:00') => `${YEAR}-03-${String(n).padStart(2, '0')} ${time}`

test('a series is read as what its occurrences have in common, with its rule and its times', async () => {
  const id = await made({
    title: 'Fish & chips',
    recurrence: ['RRULE:FREQ=DAILY;COUNT=4', `EXDATE:${YEAR}0302T100000`],
  })
  const { status, body } = await service.get(`${SERIES}/${id}`)
  equal(status, 200)
  const { created_utc, modified_utc, ...others } = body
  match(created_utc, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  equal(modified_utc, created_utc)
  deepEqual(others, {
    id,
    author: String(service.userIds.admin),
    status: 'publish',
    title: 'Fish &#038; chips',
    description: '<p>As ever</p>',
    excerpt: '',
    slug: 'fish-chips',
    image: false,
    url: `${service.origin}/series/fish-chips-${id}/`,
    rest_url: `${service.origin}/wp-json/kalends/v1/series/${id}`,
    timezone: 'Europe/Berlin',
    all_day: false,
    start_date: day(1),
    end_date: day(1, '11:00:00'),
    recurrence: {
      series: id,
      rrule: 'FREQ=DAILY;COUNT=4',
      rule: { frequency: 'daily', interval: 1, count: 4 },
      text: 'every day, 4 times',
      lines: ['RRULE:FREQ=DAILY;COUNT=4', `EXDATE;TZID=Europe/Berlin:${YEAR}0302T100000`],
    },
    website: '',
    cost: '',
    cost_details: { currency_symbol: '', currency_code: '', currency_position: '', values: [] },
    show_map: false,
    show_map_link: false,
    hide_from_listings: false,
    sticky: false,
    featured: false,
    categories: [],
    tags: [],
    venue: [],
    organizer: [],
    written_until: null,
    occurrences: { total: 3, rest_url: `${service.base}/events?post_parent=${id}` },
  })
  equal((await service.get(`${SERIES}/987654`)).body.code, 'rest-series-not-found')
  equal((await service.get(`${SERIES}/x`)).body.code, 'rest_no_route')
  const [first] = await occurrencesOf(id)
  equal((await service.get(`${SERIES}/${first?.id}`)).status, 404)
})

test('a series shows and takes what its occurrences link to, cost and image', async () => {
  const fields = {
    venue: { venue: 'Hall' },
    organizer: [{ organizer: 'Ann' }, { organizer: 'Bob' }],
    categories: ['Music', 'Art'],
    tags: ['loud'],
    cost: '5',
    website: 'https://example.org/course',
    featured: true,
  }
  const id = await made(fields)
  const members = [
    'venue',
    'organizer',
    'categories',
    'tags',
    'cost',
    'cost_details',
    'website',
    'featured',
  ] as const
  const seen = (shown: Record<string, unknown>) => members.map((name) => shown[name])
  const { body } = await service.get(`${SERIES}/${id}`)
  const [first] = (await service.get(`/events?post_parent=${id}`)).body.events
  deepEqual(seen(body), seen(first))
  const listed = (await service.get(`${SERIES}?per_page=1`)).body.series[0]
  deepEqual(listed, body)
  const yard = await service.create('/venues', { venue: 'Yard' })
  const picture = await drawPng(40, 30, 'teal')
  const headers = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="course.png"' }
  const image = await service.post('~/wp-json/wp/v2/media', new Uint8Array(picture), 'admin', headers)
  const other = {
    venue: yard.id,
    organizer: [],
    categories: ['Art'],
    tags: [],
    cost: '',
    image: image.body.id,
  }
  const { body: after } = await service.put(`${SERIES}/${id}`, other)
  deepEqual([after.venue.id, after.organizer, after.tags, after.cost], [yard.id, [], [], ''])
  deepEqual([after.categories.length, after.image.id], [1, image.body.id])
  const events = (await service.get(`/events?post_parent=${id}`)).body.events
  for (const event of events) deepEqual([seen(event), event.image], [seen(after), after.image])
  const same = (await service.put(`${SERIES}/${id}`, after)).body
  deepEqual({ ...same, modified_utc: '' }, { ...after, modified_utc: '' })
  await service.remove(`/venues/${yard.id}`)
  deepEqual((await service.get(`${SERIES}/${id}`)).body.venue, [])
})

test('series are listed page by page, the newest first, to everybody those that they may see', async () => {
  const [one, two] = [await made({ title: 'One' }), await made({ title: 'Two' })]
  const hidden = await made({ title: 'Draft', status: 'draft' })
  const { body, headers } = await service.get(`${SERIES}?per_page=1`)
  deepEqual(pluck(body.series, 'id'), [two])
  equal(body.next_rest_url, `${service.origin}/wp-json/kalends/v1/series/?per_page=1&status=publish&page=2`)
  equal(headers.get('x-tec-total'), String(body.total))
  const next = (
    await service.get(`~${new URL(body.next_rest_url).pathname}${new URL(body.next_rest_url).search}`)
  ).body
  equal(next.series[0].id, one)
  deepEqual(next.series[0], (await service.get(`${SERIES}/${one}`)).body)
  const idsFor = async (as: 'editor' | 'author' | 'anonymous', query = '') =>
    (await service.get(`${SERIES}?per_page=50${query}`, as)).body.series.map(({ id }: Shown) => id)
  ok((await idsFor('editor')).includes(hidden))
  deepEqual(await idsFor('editor', '&status=draft'), [hidden])
  for (const as of ['author', 'anonymous'] as const) ok(!(await idsFor(as)).includes(hidden))
  equal((await service.get(`${SERIES}?status=draft`)).status, 400)
  equal((await service.get(`${SERIES}?per_page=0`)).status, 400)
})

test('a change of a series is one of all its occurrences', async () => {
  const id = await made()
  const before = await occurrencesOf(id)
  await service.update(`/events/${before[2]?.id}`, { title: 'Guest' })
  const { body } = await service.put(`${SERIES}/${id}`, {
    title: 'Lesson',
    start_date: day(1, '12:00:00'),
    end_date: day(1, '13:30:00'),
  })
  deepEqual([body.title, body.start_date, body.end_date], ['Lesson', day(1, '12:00:00'), day(1, '13:30:00')])
  const after = await occurrencesOf(id)
  deepEqual(
    after.map((event) => [event.id, event.title, event.start_date]),
    before.map((event, i) => [event.id, i === 2 ? 'Guest' : 'Lesson', day(i + 1, '12:00:00')]),
  )
  for (const { rest_url } of after) ok(rest_url.startsWith(service.base), rest_url)
  const single = (await service.get(`/events/${after[0]?.id}`)).body
  deepEqual([single.start_date, single.rest_url], [day(1, '12:00:00'), after[0]?.rest_url])
  const longer = (
    await service.request('admin', 'PATCH', `${SERIES}/${id}`, { recurrence: 'RRULE:FREQ=DAILY;COUNT=6' })
  ).body
  equal(longer.occurrences.total, 6)
  deepEqual(pluck((await occurrencesOf(id)).slice(0, 4), 'id'), pluck(after, 'id'))
})

test('what was read of a series and is sent back changes nothing but the time of the change', async () => {
  const id = await made({ title: 'Same', recurrence: 'RRULE:FREQ=WEEKLY;COUNT=3' })
  const events = await occurrencesOf(id)
  const read = (await service.get(`${SERIES}/${id}`)).body
  const { body } = await service.put(`${SERIES}/${id}`, read)
  deepEqual({ ...body, modified_utc: '' }, { ...read, modified_utc: '' })
  const times = ({ id, start_date, title }: Shown) => [id, start_date, title]
  deepEqual((await occurrencesOf(id)).map(times), events.map(times))
})

test('a wrong change of a series is refused, and one of somebody who has not read the latest', async () => {
  const id = await made()
  const before = await occurrencesOf(id)
  const wrong = await service.put(`${SERIES}/${id}`, { recurrence: 'RRULE:FREQ=HOURLY' })
  deepEqual([wrong.status, wrong.body.data.details.recurrence.data.part], [400, 'RRULE:FREQ'])
  deepEqual(await occurrencesOf(id), before)
  const both = await Promise.all(['A', 'B'].map((title) => service.put(`${SERIES}/${id}`, { title })))
  ok(both.every(({ status }) => status === 200 || status === 409))
  ok(both.some(({ status }) => status === 200))
})

test('a series is trashed with all dates, comes back whole, and ends as a single event', async () => {
  const id = await made()
  const before = await occurrencesOf(id)
  equal((await service.remove(`${SERIES}/${id}`)).body.status, 'trash')
  deepEqual(await occurrencesOf(id), [])
  const again = await service.remove(`${SERIES}/${id}`)
  deepEqual([again.status, again.body.code], [410, 'series-is-in-trash'])
  equal((await service.get(`${SERIES}/${id}`)).body.code, 'series-not-accessible')
  const back = await service.put(`${SERIES}/${id}`, { status: 'publish' })
  deepEqual([back.body.status, back.body.occurrences.total], ['publish', 4])
  const events = await occurrencesOf(id)
  deepEqual(pluck(events, 'id'), pluck(before, 'id'))
  equal((await service.put(`${SERIES}/${id}`, { recurrence: '' })).body.status, 'trash')
  deepEqual(await occurrencesOf(id), [])
  const single = (await service.get(`/events/${events[0]?.id}`)).body
  deepEqual([single.recurrence, single.status], [undefined, 'publish'])
})
