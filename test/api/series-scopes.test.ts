import { deepEqual, equal, fail, notEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { holdSeries } from '../../src/calendar/series/series-store.ts'
import { pluck } from '../support/lists.ts'
import { onDay, serviceForTests } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin' })

const YEAR = 2027

const course = (more: object = {}) => ({
  title: 'Course',
  description: 'As ever',
  ...onDay(`${YEAR}-03-01`, '10:00:00', '11:00:00'),
  categories: ['Learning'],
  recurrence: 'RRULE:FREQ=DAILY;COUNT=6',
  ...more,
})

interface Shown {
  id: number
  title: string
  slug: string
  url: string
  start_date: string
  end_date: string
  post_parent: number
  recurrence: { id: string; rrule: string; overrides: string[]; series: number }
  categories: { count: number; name: string }[]
  tags: { name: string }[]
  venue: { id?: number }
}

const occurrencesOf = async (series: number): Promise<Shown[]> => {
  const path = `/events?post_parent=${series}&per_page=50&start_date=2000-01-01&end_date=2100-01-01`
  const [index, database] = [(await service.get(path)).body, (await service.get(path, 'editor')).body]
  deepEqual(index.events, database.events)
  return index.events
}
const day = (n: number, time = '10:00:00') => `${YEAR}-03-${String(n).padStart(2, '0')} ${time}`
const startsOf = (events: Shown[]) => events.map(({ start_date }) => start_date)
const namesOf = (terms: { name: string }[]) => terms.map(({ name }) => name).join()
const idsOf = (events: Shown[]) => events.map(({ id }) => id)

async function made(more: object = {}): Promise<{ series: number; events: Shown[] }> {
  const { post_parent: series } = await service.event(course(more))
  return { series, events: await occurrencesOf(series) }
}

const at = (events: Shown[], i: number): Shown => events[i] ?? fail(`no occurrence ${i}`)
const change = (events: Shown[], i: number, recurrence_scope: string, fields: object) =>
  service.update(`/events/${at(events, i).id}`, { ...fields, recurrence_scope })

test('a series that is published again gets other slugs where its own were taken meanwhile', async () => {
  const { series, events } = await made({ title: 'Back again' })
  const { id, slug } = at(events, 2)
  await service.update(`/events/${id}`, { status: 'draft', recurrence_scope: 'all' })
  const single = { title: 'In between', slug, start_date: day(20), end_date: day(20, '11:00:00') }
  equal((await service.event(single)).slug, slug)
  await service.update(`/events/${id}`, { status: 'publish', recurrence_scope: 'all' })
  const slugs = (await occurrencesOf(series)).map((event) => event.slug)
  deepEqual(
    slugs,
    events.map((event) => (event.id === id ? `${slug}-2` : event.slug)),
  )
})

test('a field that an occurrence has changed for itself is left alone by a change of all', async () => {
  const { series, events } = await made()
  deepEqual((await change(events, 2, 'this', { title: 'Guest' })).recurrence.overrides, ['title'])
  await change(events, 0, 'all', { title: 'Lesson', excerpt: 'Short' })
  const after = await occurrencesOf(series)
  deepEqual(idsOf(after), idsOf(events))
  deepEqual(pluck(after, 'slug', 'url'), pluck(events, 'slug', 'url'))
  deepEqual(pluck(after, 'title'), ['Lesson', 'Lesson', 'Guest', 'Lesson', 'Lesson', 'Lesson'])
  ok(after.every((event) => JSON.stringify(event).includes('Short')))
  equal((await service.get('/events?search=Lesson&start_date=2000-01-01&end_date=2100-01-01')).body.total, 5)
  deepEqual((await change(events, 2, 'this', { title: 'Lesson' })).recurrence.overrides, [])
})

test('what was read and is sent back makes nothing an occurrence’s own', async () => {
  const { events } = await made({ venue: { venue: 'School' } })
  deepEqual((await service.update(`/events/${at(events, 1).id}`, at(events, 1))).recurrence.overrides, [])
  const all = await change(events, 1, 'all', at(events, 1))
  deepEqual(startsOf(await occurrencesOf(all.post_parent)), startsOf(events))
})

test('venues and categories of all reach every occurrence but those with their own', async () => {
  const { series, events } = await made({ title: 'Places' })
  const hall = await service.create('/venues', { venue: 'Hall' })
  const yard = await service.create('/venues', { venue: 'Yard' })
  await change(events, 4, 'this', { venue: yard.id })
  await change(events, 0, 'all', { venue: hall.id, categories: ['Places'] })
  const after = await occurrencesOf(series)
  deepEqual(
    after.map(({ venue }) => venue.id),
    [hall.id, hall.id, hall.id, hall.id, yard.id, hall.id],
  )
  ok(after.every(({ categories }) => categories.length === 1 && categories[0]?.count === 6))
})

test('an occurrence with categories of its own gets the tags of all, and the other way round', async () => {
  const { series, events } = await made({ categories: ['Choir'], tags: ['old'] })
  await change(events, 0, 'this', { categories: ['Own choir'] })
  await change(events, 1, 'this', { tags: ['own'] })
  await change(events, 2, 'this', { categories: ['Own choir'], tags: ['own'] })
  const named = async () =>
    (await occurrencesOf(series))
      .slice(0, 4)
      .map(({ categories, tags }) => [namesOf(categories), namesOf(tags)].join())
  await change(events, 0, 'all', { tags: ['new'] })
  deepEqual(await named(), ['Own choir,new', 'Choir,own', 'Own choir,own', 'Choir,new'])
  await change(events, 2, 'all', { categories: ['Band'] })
  deepEqual(await named(), ['Own choir,new', 'Band,own', 'Band,own', 'Band,new'])
  const counted = await service.get('/tags?search=new')
  deepEqual([counted.body.tags[0].count, (await service.get('/tags?slug=own')).body.tags[0].count], [4, 2])
  equal((await service.get('/categories?search=band')).body.categories[0].count, 5)
  const whole = (await service.get(`~/wp-json/kalends/v1/series/${series}`)).body
  deepEqual([namesOf(whole.categories), namesOf(whole.tags)], ['Band', 'new'])
})

test('a series whose dates all have categories of their own keeps those it had', async () => {
  const { series, events } = await made({ categories: ['Chess'], recurrence: 'RRULE:FREQ=DAILY;COUNT=2' })
  for (const { id } of events) await service.update(`/events/${id}`, { categories: ['Own chess'] })
  await service.update(`/events/${at(events, 0).id}`, { tags: ['board'], recurrence_scope: 'all' })
  const whole = (await service.get(`~/wp-json/kalends/v1/series/${series}`)).body
  deepEqual([namesOf(whole.categories), namesOf(whole.tags)], ['Chess', 'board'])
  const shown = await occurrencesOf(series)
  deepEqual(
    shown.map(({ categories, tags }) => [namesOf(categories), namesOf(tags)].join()),
    ['Own chess,board', 'Own chess,board'],
  )
})

test('a later time of all moves each occurrence that has not moved by itself, and ids stay', async () => {
  const { series, events } = await made()
  await change(events, 3, 'this', { start_date: day(4, '15:00:00'), end_date: day(4, '16:00:00') })
  await change(events, 1, 'all', { start_date: day(2, '12:30:00'), end_date: day(2, '14:00:00') })
  const after = await occurrencesOf(series)
  deepEqual(idsOf(after), idsOf(events))
  deepEqual(
    startsOf(after),
    [1, 2, 3, 4, 5, 6].map((n) => day(n, n === 4 ? '15:00:00' : '12:30:00')),
  )
  deepEqual(
    after.map(({ recurrence }) => recurrence.id),
    [1, 2, 3, 4, 5, 6].map((n) => day(n, '12:30:00')),
  )
  equal(at(after, 0).end_date, day(1, '14:00:00'))
  deepEqual(at(after, 3).recurrence.overrides, ['end_date', 'start_date'])
})

test('another rule keeps the dates that stay, makes new ones and moves the rest to the trash', async () => {
  const { series, events } = await made()
  await change(events, 0, 'all', { recurrence: 'RRULE:FREQ=DAILY;INTERVAL=2;COUNT=5' })
  const after = await occurrencesOf(series)
  deepEqual(
    startsOf(after),
    [1, 3, 5, 7, 9].map((n) => day(n)),
  )
  deepEqual(
    idsOf(after).slice(0, 3),
    [0, 2, 4].map((i) => at(events, i).id),
  )
  equal((await service.get(`/events/${at(events, 1).id}`)).status, 403)
  equal(at(after, 0).recurrence.rrule, 'FREQ=DAILY;INTERVAL=2;COUNT=5')
  // With the old rule, the trashed occurrences come back as they were.
  await change(events, 0, 'all', { recurrence: 'RRULE:FREQ=DAILY;COUNT=6' })
  const again = await occurrencesOf(series)
  deepEqual(idsOf(again), idsOf(events))
  deepEqual(pluck(again, 'slug'), pluck(events, 'slug'))
})

test('a change of the following splits the series; later occurrences stay the events they are', async () => {
  const { series, events } = await made()
  const changed = await change(events, 4, 'following', { title: 'Late' })
  notEqual(changed.post_parent, series)
  const [early, late] = [await occurrencesOf(series), await occurrencesOf(changed.post_parent)]
  deepEqual([...idsOf(early), ...idsOf(late)], idsOf(events))
  deepEqual(
    late.map(({ title, slug }) => [title, slug]),
    [4, 5].map((i) => ['Late', at(events, i).slug]),
  )
  equal(at(early, 0).recurrence.rrule, 'FREQ=DAILY;COUNT=4')
  equal(at(late, 0).recurrence.rrule, 'FREQ=DAILY;COUNT=2')
  equal((await change(early, 0, 'following', { title: 'Early' })).post_parent, series)
  ok((await occurrencesOf(series)).every(({ title }) => title === 'Early'))
})

test('an occurrence that is removed is an exception until it is restored', async () => {
  const { series, events } = await made()
  const gone = at(events, 2)
  equal((await service.remove(`/events/${gone.id}`)).status, 200)
  equal((await service.remove(`/events/${gone.id}`)).status, 410)
  // The exception stays when a new rule is sent.
  await change(events, 0, 'all', { recurrence: 'RRULE:FREQ=DAILY;COUNT=7' })
  deepEqual(
    startsOf(await occurrencesOf(series)),
    [1, 2, 4, 5, 6, 7].map((n) => day(n)),
  )
  const back = await change(events, 2, 'this', { status: 'publish' })
  deepEqual([back.slug, back.recurrence.overrides], [gone.slug, []])
  deepEqual(
    startsOf(await occurrencesOf(series)),
    [1, 2, 3, 4, 5, 6, 7].map((n) => day(n)),
  )
})

test('all and the following are removed together, and once', async () => {
  const { series, events } = await made()
  equal((await service.remove(`/events/${at(events, 3).id}?recurrence_scope=following`)).status, 200)
  deepEqual(
    startsOf(await occurrencesOf(series)),
    [1, 2, 3].map((n) => day(n)),
  )
  const all = await service.request('admin', 'DELETE', `/events/${at(events, 1).id}`, {
    recurrence_scope: 'all',
  })
  equal(all.body.status, 'trash')
  deepEqual(await occurrencesOf(series), [])
  equal((await service.remove(`/events/${at(events, 1).id}?recurrence_scope=all`)).status, 410)
  equal((await change(events, 1, 'all', { status: 'publish' })).status, 'publish')
  deepEqual(idsOf(await occurrencesOf(series)), idsOf(events).slice(0, 3))
  equal((await service.remove(`/events/${at(events, 1).id}?recurrence_scope=most`)).status, 400)
})

test('a single event becomes a series and keeps its id, and a series becomes single', async () => {
  const { recurrence: _, ...plain } = course({ title: 'Alone' })
  const single = await service.event(plain)
  const first = await service.update(`/events/${single.id}`, {
    recurrence: { frequency: 'weekly', count: 3 },
  })
  deepEqual([first.id, first.slug, first.url], [single.id, single.slug, single.url])
  const events = await occurrencesOf(first.post_parent)
  deepEqual(
    startsOf(events),
    [1, 8, 15].map((n) => day(n)),
  )
  equal(at(events, 1).categories.length, 1)
  const ended = await change(events, 1, 'all', { recurrence: '' })
  equal(ended.recurrence, undefined)
  deepEqual(await occurrencesOf(first.post_parent), [])
  equal((await service.get(`/events/${ended.id}`)).status, 200)
})

/** Begins requests that all want to write before the first of them may. */
async function atOnce<Result>(series: number, begin: () => Promise<Result>[]): Promise<Result[]> {
  const { database } = service.app
  const { write } = database
  let wanting = 0
  const begun = await write(async (tx) => {
    await holdSeries(tx, series)
    database.write = (work, by) => {
      wanting += 1
      return write(work, by)
    }
    const requests = begin()
    await until(() => wanting >= requests.length, 'not all want to write').finally(() => {
      database.write = write
    })
    return { requests }
  })
  return Promise.all(begun.requests)
}

test('of two who split a series at once one is told to read again', async () => {
  const { series, events } = await made()
  const split = (i: number) =>
    service.put(`/events/${at(events, i).id}`, { title: `From ${i}`, recurrence_scope: 'following' })
  const answers = await atOnce(series, () => [split(2), split(4)])
  deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  equal(answers.find(({ status }) => status === 409)?.body.code, 'series-was-changed')
  const [won] = answers.filter(({ status }) => status === 200)
  const later = await occurrencesOf(won?.body.post_parent)
  deepEqual(idsOf([...(await occurrencesOf(series)), ...later]), idsOf(events))
})

test('a failure inside a split leaves nothing changed', async () => {
  const { series, events } = await made()
  const following = (fields: object) =>
    service.put(`/events/${at(events, 2).id}`, { title: 'Never', recurrence_scope: 'following', ...fields })
  equal((await following({ recurrence: 'RRULE:FREQ=HOURLY' })).status, 400)
  const { read } = service.app.database
  const count = async () => (await read.selectFrom('series').select('id').execute()).length
  const before = await count()
  // The new dates are refused only after the split has been written.
  const past = { ...onDay('1990-03-01', '10:00:00', '11:00:00'), recurrence: 'RRULE:FREQ=DAILY' }
  equal((await following(past)).status, 400)
  equal(await count(), before)
  deepEqual(await occurrencesOf(series), events)
})

test('an added date begins a series of its own like any other', async () => {
  const recurrence = [`RRULE:FREQ=DAILY;INTERVAL=2;COUNT=4`, `RDATE:${YEAR}0304T150000`]
  const { series, events } = await made({ recurrence })
  const { post_parent: later } = await change(events, 2, 'following', { title: 'From the added one' })
  const [before, after] = [await occurrencesOf(series), await occurrencesOf(later)]
  deepEqual([...idsOf(before), ...idsOf(after)], idsOf(events))
  deepEqual(startsOf(after), [day(4, '15:00:00'), day(5), day(7)])
  ok(after.every(({ title }) => title === 'From the added one'))
})

test('a change of a whole all-day series keeps its days, whatever is sent and by whichever way', async () => {
  const venue = await service.create('/venues', { venue: 'Beach' })
  const rule = { recurrence: 'RRULE:FREQ=WEEKLY;COUNT=4' }
  const members = [
    { title: 'Holidays!' },
    { cost: '3' },
    { venue: venue.id },
    { tags: ['sun'] },
    { event_status: 'canceled' },
    { image_alt: 'Sand' },
    { online_url: 'https://meet.example.org/x' },
    { featured: true },
    { status: 'draft' },
    rule,
  ]
  const days = { title: 'Holidays', all_day: true, timezone: 'America/St_Johns', ...rule }
  const { id, post_parent } = await service.event({
    ...days,
    ...{ start_date: `${YEAR}-03-07`, end_date: `${YEAR}-03-08` },
  })
  const second = at(await occurrencesOf(post_parent), 1).id
  const daysNow = async () => {
    const path = `~/wp-json/kalends/v1/series/${post_parent}`
    const series = (await service.get(path, 'editor')).body
    const { body } = await service.get(
      '/events?search=holidays&status=publish,draft&start_date=2000-01-01',
      'editor',
    )
    const shown: (Shown & { all_day: boolean })[] = body.events
    return [series, ...shown].map(
      ({ all_day, start_date, end_date }) => `${all_day} ${start_date} ${end_date}`,
    )
  }
  const before = await daysNow()
  equal(before[2], `true ${YEAR}-03-14 00:00:00 ${YEAR}-03-15 23:59:59`)
  for (const sent of members) {
    await service.update(`/events/${id}`, { ...sent, recurrence_scope: 'all' })
    deepEqual(await daysNow(), before, JSON.stringify(sent))
    await service.update(`~/wp-json/kalends/v1/series/${post_parent}`, sent)
    deepEqual(await daysNow(), before, `series ${JSON.stringify(sent)}`)
  }
  await service.remove(`/events/${id}?recurrence_scope=all`)
  await service.update(`/events/${id}`, { status: 'publish', recurrence_scope: 'all' })
  deepEqual(await daysNow(), before)
  await service.update(`/events/${second}`, { title: 'Holidays later', recurrence_scope: 'following' })
  deepEqual((await daysNow()).slice(1), before.slice(1))
  const longer = { end_date: `${YEAR}-03-16`, recurrence_scope: 'all' }
  equal((await service.update(`/events/${second}`, longer)).end_date, `${YEAR}-03-16 23:59:59`)
})
