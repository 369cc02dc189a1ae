import { deepEqual, equal, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Caller, Role } from '../../src/calendar/people/caller.ts'
import { type Clashes, type EventDraft, findClashes } from '../../src/features/desk/clashes.ts'
import { onDay, serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin' })
let hall: number
let mill: number
before(async () => {
  await service.ready
  hall = (await service.create('/venues', { venue: 'Hall' })).id
  mill = (await service.create('/venues', { venue: 'Mill' })).id
})
const caller = (role: Role): Caller => ({
  id: service.userIds[role === 'administrator' ? 'admin' : role] ?? 0,
  login: role,
  role,
})

const at = (day: string, from = '19:00', to = '21:00') => ({
  start_date: `2027-11-${day} ${from}:00`,
  end_date: `2027-11-${day} ${to}:00`,
})

const draftAt = (day: string, more: Partial<EventDraft> = {}): EventDraft => ({
  title: 'A draft',
  utc_start_date: `2027-11-${day} 18:00:00`,
  utc_end_date: `2027-11-${day} 20:00:00`,
  venues: [hall],
  ...more,
})

async function near(draft: EventDraft, role: Role = 'editor') {
  const { read: db, readInLane } = service.app.database
  const [{ clashes, doubles } = none] = await findClashes([draft], { db, readInLane, caller: caller(role) })
  return {
    clashes: clashes.map(({ title }) => title),
    doubles: doubles.map(({ title, by }) => `${title} by ${by}`),
  }
}

const none: Clashes = { clashes: [], doubles: [] }

describe('clashes of a draft', () => {
  test('are events at the same venue at overlapping times, by moments rather than by clocks', async () => {
    await service.event({ title: 'Before', ...at('02', '17:00', '19:00'), venue: hall })
    await service.event({ title: 'Into', ...at('02', '18:30', '19:30'), venue: hall })
    await service.event({ title: 'Elsewhere', ...at('02'), venue: mill })
    await service.event({ title: 'Nowhere', ...at('02') })
    const tokyo = { ...onDay('2027-11-03', '04:30:00', '05:30:00'), timezone: 'Asia/Tokyo' }
    await service.event({ title: 'In the words of Tokyo', ...tokyo, venue: hall })
    await service.event({ title: 'After', ...at('02', '21:00', '22:00'), venue: hall })
    deepEqual(await near(draftAt('02')), { clashes: ['Into', 'In the words of Tokyo'], doubles: [] })
    deepEqual(await near(draftAt('02', { venues: [] })), none)
    deepEqual(await near(draftAt('02', { venues: [1e300, -1, 0.5] })), none)
    const both = await near(draftAt('02', { venues: [hall, mill] }))
    deepEqual(both.clashes.sort(), ['Elsewhere', 'In the words of Tokyo', 'Into'])
    deepEqual(both.doubles, ['Elsewhere by start'])
  })

  test('are found where an event lasts for days, and among events hidden from lists', async () => {
    await service.event({
      title: 'Exhibition',
      ...{ start_date: '2027-11-04 00:00:00', end_date: '2027-11-20 23:59:59' },
      ...{ all_day: true, hide_from_listings: true, venue: hall },
    })
    deepEqual(await near(draftAt('12')), { clashes: ['Exhibition'], doubles: [] })
    deepEqual(await near(draftAt('21')), none)
  })

  test('are not the event itself, nor what does not take place or lies in the trash', async () => {
    const { id } = await service.event({ title: 'Myself', ...at('22'), venue: hall })
    await service.event({ title: 'Canceled', ...at('22'), venue: hall, event_status: 'canceled' })
    const gone = await service.event({ title: 'Gone', ...at('22'), venue: hall })
    await service.remove(`/events/${gone.id}`)
    deepEqual(await near(draftAt('22', { id })), none)
    deepEqual(await near(draftAt('22')), { clashes: ['Myself'], doubles: ['Myself by start'] })
  })

  test('of drafts are told to those who may see them', async () => {
    await service.event({ title: 'Secret', ...at('23'), venue: hall, status: 'draft' })
    deepEqual(await near(draftAt('23')), { clashes: ['Secret'], doubles: ['Secret by start'] })
    deepEqual(await near(draftAt('23'), 'author'), none)
  })

  test('are five at most', async () => {
    for (let n = 1; n <= 7; n += 1)
      await service.event({ title: `Talk ${n}`, ...at('24', '18:30'), venue: hall })
    equal((await near(draftAt('24'))).clashes.length, 5)
  })
})

test('clashes are those of a list of all events, whatever their zones and lengths', async () => {
  const zones = ['Europe/Berlin', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'UTC']
  const events: { id: number; utc_start_date: string; utc_end_date: string; venue: number }[] = []
  for (let n = 0; n < 40; n += 1) {
    const start = Date.UTC(2028, 0, 10) + ((n * 7919) % 400) * 1_800_000
    const end = start + (1 + ((n * 31) % 90)) * 1_800_000
    const times = { start_date: wallOf(start), end_date: wallOf(end), timezone: zones[n % zones.length] }
    const venue = n % 3 === 0 ? mill : hall
    const { id, utc_start_date, utc_end_date } = await service.event({ title: `Event ${n}`, ...times, venue })
    events.push({ id, utc_start_date, utc_end_date, venue })
  }
  const { read: db, readInLane } = service.app.database
  for (let n = 0; n < 60; n += 1) {
    const start = Date.UTC(2028, 0, 9) + ((n * 104_729) % 450) * 1_800_000
    const times = { utc_start_date: wallOf(start), utc_end_date: wallOf(start + (1 + (n % 9)) * 1_800_000) }
    const [{ clashes } = none] = await findClashes([{ title: '', ...times, venues: [hall] }], {
      db,
      readInLane,
      caller: caller('editor'),
    })
    const all = events.filter(
      ({ venue, utc_start_date: from, utc_end_date: to }) =>
        venue === hall && from < times.utc_end_date && to > times.utc_start_date,
    )
    equal(clashes.length, Math.min(all.length, 5))
    for (const { id } of clashes) ok(all.some((event) => event.id === id))
  }
})

const wallOf = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

describe('doubles of a draft', () => {
  const titled = (title: string, day = '26', more: Partial<EventDraft> = {}) =>
    near(draftAt(day, { title, venues: [], ...more })).then(({ doubles }) => doubles)

  test('have the same words in their title within three days, wherever they are', async () => {
    await service.event({ title: 'Chœur de <b>Noël</b> &amp; Gospel', ...at('26'), venue: mill })
    await service.event({ title: 'Yoga', ...at('26') })
    const expected = ['Chœur de Noël & Gospel by title']
    deepEqual(await titled('choeur de noel gospel'), expected)
    deepEqual(await titled('GOSPEL, Chœur de Noël!', '23'), expected)
    deepEqual(await titled('Chœur de Noël'), expected)
    deepEqual(await titled('Chœur de Noël', '20'), [])
    deepEqual(await titled('Chœur de Pâques'), [])
    deepEqual(await titled('Yoga for all'), [])
    deepEqual(await titled('yoga'), ['Yoga by title'])
  })

  test('are no other dates of its own series', async () => {
    const first = await service.event({
      title: 'Daily prayer',
      ...at('27'),
      recurrence: 'RRULE:FREQ=DAILY;COUNT=3',
    })
    const draft = { id: first.id, title: 'Daily prayer' }
    equal((await titled('Daily prayer', '27', draft)).length, 2)
    deepEqual(await titled('Daily prayer', '27', { ...draft, series: first.post_parent }), [])
  })

  test('of drafts that are asked for together are those of each', async () => {
    await service.event({ title: 'Tango evening', ...at('29'), venue: mill })
    const days = ['29', '30', '29', '10']
    const titles = ['Evening of tango', 'The tango evening', 'Tango brunch', 'Tango evening']
    const drafts = days.map((day, n) => draftAt(day, { title: titles[n] ?? '', venues: [] }))
    const { read: db, readInLane } = service.app.database
    const found = await findClashes(drafts, { db, readInLane, caller: caller('editor') })
    deepEqual(
      found.map(({ doubles }) => doubles.map(({ title }) => title)),
      [['Tango evening'], ['Tango evening'], [], []],
    )
  })

  test('are looked for whatever the title', async () => {
    for (const title of ['', ' ', '\0', '🎏', '%', '\ud800', "'", '<b></b>', 'x '.repeat(100_000)])
      deepEqual(await titled(title, '28'), [])
  })
})
