import { deepEqual, equal, fail } from 'node:assert/strict'
import { test } from 'node:test'
import { holdSeries } from '../../src/calendar/series/series-store.ts'
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

test('what was read and is sent back makes nothing an occurrence’s own', async () => {
  const { events } = await made({ venue: { venue: 'School' } })
  deepEqual((await service.update(`/events/${at(events, 1).id}`, at(events, 1))).recurrence.overrides, [])
  const all = await service.update(`/events/${at(events, 1).id}`, {
    ...at(events, 1),
    recurrence_scope: 'all',
  })
  deepEqual(startsOf(await occurrencesOf(all.post_parent)), startsOf(events))
})

test('an occurrence with categories of its own gets the tags of all, and the other way round', async () => {
  const { series, events } = await made({ categories: ['Choir'], tags: ['old'] })
  const change = (i: number, fields: object) => service.update(`/events/${at(events, i).id}`, fields)
  await change(0, { categories: ['Own choir'] })
  await change(1, { tags: ['own'] })
  await change(2, { categories: ['Own choir'], tags: ['own'] })
  const named = async () =>
    (await occurrencesOf(series))
      .slice(0, 4)
      .map(({ categories, tags }) => [namesOf(categories), namesOf(tags)].join())
  await change(0, { tags: ['new'], recurrence_scope: 'all' })
  deepEqual(await named(), ['Own choir,new', 'Choir,own', 'Own choir,own', 'Choir,new'])
  await change(2, { categories: ['Band'], recurrence_scope: 'all' })
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
