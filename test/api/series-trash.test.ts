import { deepEqual, equal, fail, match, notEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { publishDue } from '../../src/calendar/series/series-upkeep.ts'
import { pluck } from '../support/lists.ts'
import { serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin' })

const SERIES = '~/wp-json/kalends/v1/series'
const YEAR = 2027
const day = (n: number, time = '10:00:00') => `${YEAR}-03-${String(n).padStart(2, '0')} ${time}`

interface Shown {
  id: number
  slug: string
  title: string
  start_date: string
  recurrence: { id: string; overrides: string[] }
}

async function made(more: object = {}): Promise<{ series: number; events: Shown[] }> {
  const course = { title: 'Course', start_date: day(1), end_date: day(1, '11:00:00'), ...more }
  const { post_parent: series } = await service.event({ recurrence: 'RRULE:FREQ=DAILY;COUNT=4', ...course })
  return { series, events: await listed(series) }
}

const listed = async (series: number): Promise<Shown[]> =>
  (await service.get(`/events?post_parent=${series}&per_page=50&start_date=2000-01-01&end_date=2100-01-01`))
    .body.events

const at = (events: readonly Shown[], i: number): Shown => events[i] ?? fail(`no occurrence ${i}`)
const change = (events: readonly Shown[], i: number, recurrence_scope: string, fields: object) =>
  service.update(`/events/${at(events, i).id}`, { ...fields, recurrence_scope })
const startsOf = (events: readonly Shown[]) => events.map(({ start_date }) => start_date)

test('dates that a rule had come back as the events they were, though the series moved', async () => {
  const { series, events } = await made()
  const all = (fields: object) => change(events, 0, 'all', fields)
  await all({ recurrence: 'RRULE:FREQ=DAILY;COUNT=2' })
  await all({ start_date: day(1, '15:00:00'), end_date: day(1, '16:00:00'), title: 'Later' })
  await all({ recurrence: 'RRULE:FREQ=DAILY;COUNT=4' })
  const facts = (event: Shown) => [event.id, event.slug, event.start_date.slice(11), event.title]
  deepEqual(
    (await listed(series)).map(facts),
    events.map(({ id, slug }) => [id, slug, '15:00:00', 'Later']),
  )
})

test('a change of a series in the trash leaves it there', async () => {
  const { series, events } = await made()
  await service.remove(`${SERIES}/${series}`)
  equal((await service.put(`${SERIES}/${series}`, { title: 'Still gone' })).body.status, 'trash')
  deepEqual(await listed(series), [])
  const back = await service.put(`${SERIES}/${series}`, { status: 'publish' })
  deepEqual([back.body.title, (await listed(series)).length], ['Still gone', events.length])
})

test('an occurrence of a series in the trash comes back alone', async () => {
  const { series, events } = await made()
  await service.remove(`${SERIES}/${series}`)
  await change(events, 2, 'this', { status: 'publish' })
  await change(events, 2, 'all', { start_date: day(3, '18:00:00'), end_date: day(3, '19:00:00') })
  deepEqual(startsOf(await listed(series)), [day(3, '18:00:00')])
})

test('other dates for the following ones are counted from the first that is left', async () => {
  const { series, events } = await made()
  for (const i of [0, 1]) await service.remove(`/events/${at(events, i).id}`)
  await change(events, 2, 'following', { recurrence: 'RRULE:FREQ=DAILY;COUNT=3' })
  deepEqual(
    startsOf(await listed(series)),
    [3, 4, 5].map((n) => day(n)),
  )
})

test('a rule whose dates have all been removed is refused', async () => {
  const { series, events } = await made()
  await service.remove(`/events/${at(events, 0).id}`)
  const sent = { recurrence: 'RRULE:FREQ=DAILY;COUNT=1', recurrence_scope: 'all' }
  const { status, body } = await service.put(`/events/${at(events, 1).id}`, sent)
  deepEqual([status, body.data.details.recurrence.data.part], [400, 'EXDATE'])
  equal((await listed(series)).length, 3)
})

test('a series whose only occurrence has become a single event cannot come back', async () => {
  const { series, events } = await made({ recurrence: 'RRULE:FREQ=DAILY;COUNT=1' })
  await change(events, 0, 'all', { recurrence: '' })
  equal((await service.put(`${SERIES}/${series}`, { status: 'publish' })).status, 410)
})

test('the status of the trash removes in every scope', async () => {
  const { series, events } = await made()
  const remove = (i: number, scope: string) => change(events, i, scope, { status: 'trash' })
  equal((await remove(1, 'this')).status, 'trash')
  equal((await service.get(`${SERIES}/${series}`)).body.recurrence.lines.length, 2)
  equal((await remove(3, 'following')).status, 'trash')
  deepEqual(startsOf(await listed(series)), [day(1), day(3)])
  equal((await remove(0, 'all')).status, 'trash')
  equal((await service.get(`${SERIES}/${series}`, 'admin')).body.status, 'trash')
})

test('slugs of several dates a day are free ones, though another event has the first of them', async () => {
  const plain = { start_date: day(1), end_date: day(1, '11:00:00') }
  await service.event({ ...plain, title: 'Taken', slug: `taken-${YEAR}-03-01` })
  const recurrence = ['RRULE:FREQ=DAILY;COUNT=2', `RDATE:${YEAR}0301T150000`]
  const { events } = await made({ title: 'Taken', recurrence })
  deepEqual(pluck(events, 'slug'), [
    `taken-${YEAR}-03-01-2`,
    `taken-${YEAR}-03-01-2-2`,
    `taken-${YEAR}-03-02`,
  ])
})

test('drafts that share a slug go to the trash together', async () => {
  const { series, events } = await made({ title: 'Sharing' })
  await change(events, 0, 'this', { status: 'draft' })
  await change(events, 1, 'this', { status: 'draft', slug: at(events, 0).slug })
  equal((await service.remove(`${SERIES}/${series}`)).status, 200)
})

test('categories of all that an occurrence is given again are no longer its own', async () => {
  const { events } = await made({ categories: ['Music'], tags: ['loud'] })
  const own = async (fields: object) => (await change(events, 1, 'this', fields)).recurrence.overrides
  deepEqual(await own({ categories: ['Food'], tags: [] }), ['categories', 'tags'])
  deepEqual(await own({ categories: ['Music'] }), ['tags'])
})

test('a series that is published later is public when its occurrences are', async () => {
  const { series } = await made({ status: 'future', date: `${YEAR}-02-01 00:00:00` })
  equal((await service.get(`${SERIES}/${series}`)).status, 403)
  await publishDue(service.app.database, Date.parse(`${YEAR}-02-02T00:00:00Z`))
  const { body } = await service.get(`${SERIES}/${series}`)
  deepEqual([body.status, body.occurrences.total], ['publish', 4])
})

test('without its last occurrence a series is in the trash', async () => {
  const { series, events } = await made()
  for (const { id } of events) equal((await service.remove(`/events/${id}`)).status, 200)
  equal((await service.get(`${SERIES}/${series}`, 'admin')).body.status, 'trash')
  equal((await service.remove(`${SERIES}/${series}`)).status, 410)
})

test('from the last occurrence on it is a series of one date, and from the first on the whole', async () => {
  const { series, events } = await made()
  const last = await change(events, 3, 'following', { title: 'Last' })
  notEqual(last.post_parent, series)
  deepEqual([last.recurrence.rrule, (await listed(last.post_parent)).length], ['FREQ=DAILY;COUNT=1', 1])
  const first = await change(events, 0, 'following', { title: 'First' })
  deepEqual([first.post_parent, first.recurrence.rrule], [series, 'FREQ=DAILY;COUNT=3'])
})

test('calendars know an event that begins to repeat by the same name', async () => {
  const plain = { title: 'Known', start_date: day(1), end_date: day(1, '11:00:00') }
  const single = await service.event(plain)
  const uidIn = async (path: string) => /^UID:(.*)\r$/m.exec(String((await service.get(path)).body))?.[1]
  const uid = await uidIn(`~/event/${single.slug}.ics`)
  ok(uid)
  const first = await service.update(`/events/${single.id}`, { recurrence: 'RRULE:FREQ=DAILY;COUNT=2' })
  equal(first.id, single.id)
  equal(await uidIn(`~/events.ics?post_parent=${first.post_parent}`), uid)
})

test('a series is in no list, search or count of events, and no event by its id', async () => {
  const { series, events } = await made({ title: 'Unlisted choir' })
  for (const as of ['anonymous', 'editor'] as const) {
    const window = 'start_date=2000-01-01&end_date=2100-01-01'
    const { body, headers } = await service.get(`/events?search=unlisted&per_page=3&${window}`, as)
    deepEqual([body.total, body.total_pages, headers.get('x-tec-total')], [4, 2, '4'])
    match(body.next_rest_url, /page=2/)
    ok(!body.events.some(({ id }: Shown) => id === series))
    equal((await service.get(`/events?include=${series}&${window}`, as)).body.total, 0)
    equal((await service.get(`/events/${series}`, as)).body.code, 'rest-invalid-event-id')
  }
  equal(events.length, 4)
})
