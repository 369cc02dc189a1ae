import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { pluck } from '../support/lists.ts'
import { onDay, serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin', series_months: '24' })
const YEAR = 2027
const DAY_MS = 86_400_000

interface Row {
  id: number
  title: string
  status: string
  start_date: string
  end_date: string
  post_parent: number
  recurrence: { rrule: string; overrides: string[] }
}

function placed(weekday: number, place: number, months: readonly number[]): string[] {
  return months.flatMap((month) => {
    const days = Array.from({ length: 31 }, (_, day) => new Date(Date.UTC(YEAR, month, day + 1)))
    const own = days.filter((day) => day.getUTCDay() === weekday && day.getUTCMonth() === month % 12)
    const found = own.at(place < 0 ? place : place - 1)
    return found ? [found.toISOString().slice(0, 10)] : []
  })
}

const moved = (days: string, by: number) =>
  new Date(Date.parse(days) + by * DAY_MS).toISOString().slice(0, 10)

async function make(first: string | undefined, recurrence: string, more: object = {}): Promise<Row[]> {
  ok(first)
  const times = { start_date: `${first} 19:00:00`, end_date: `${first} 21:00:00` }
  const { post_parent } = await service.event({ title: 'Club', ...times, recurrence, ...more })
  return listed(post_parent)
}

async function listed(series: number | undefined, status = 'publish'): Promise<Row[]> {
  const { body } = await service.get(
    `/events?post_parent=${series}&per_page=50&status=${status}&start_date=2000-01-01&end_date=2100-01-01`,
    'admin',
  )
  return body.events
}

const daysOf = (rows: readonly Row[]) => rows.map(({ start_date }) => start_date.slice(0, 10))
const at = <Value>(values: readonly Value[], place: number): Value => {
  const value = values.at(place)
  ok(value !== undefined)
  return value
}

function move(row: Row, by: number) {
  const to = (wall: string) => `${moved(wall.slice(0, 10), by)}${wall.slice(10)}`
  const times = { start_date: to(row.start_date), end_date: to(row.end_date) }
  return service.put(`/events/${row.id}`, { ...times, recurrence_scope: 'all' })
}

const RULES = [
  { name: 'the fourth Thursday', rule: 'FREQ=MONTHLY;BYDAY=4TH;COUNT=3', weekday: 4, place: 4 },
  { name: 'the first Sunday', rule: 'FREQ=MONTHLY;BYDAY=1SU;COUNT=5', weekday: 0, place: 1 },
  { name: 'the last Friday', rule: 'FREQ=MONTHLY;BYDAY=-1FR;COUNT=5', weekday: 5, place: -1 },
]
for (const { name, rule, weekday, place } of RULES)
  for (const by of [-1, 1, 6])
    test(`${name} of some months moves by ${by} days from each date, and every event stays`, async () => {
      const months = [3, 4, 5, 6, 7].slice(0, Number(/COUNT=(\d)/.exec(rule)?.[1]))
      const dates = placed(weekday, place, months)
      for (let one = 0; one < dates.length; one++) {
        const rows = await make(dates[0], `RRULE:${rule}`)
        deepEqual(daysOf(rows), dates)
        const { status, body } = await move(at(rows, one), by)
        equal(status, 200, JSON.stringify(body))
        deepEqual([body.id, body.start_date.slice(0, 10)], [at(rows, one).id, moved(at(dates, one), by)])
        const after = await listed(body.post_parent)
        deepEqual(pluck(after, 'id'), pluck(rows, 'id'))
        deepEqual(
          daysOf(after),
          dates.map((day) => moved(day, by)),
        )
        deepEqual(await listed(body.post_parent, 'trash'), [])
      }
    })

test('an endless rule by the place of a weekday takes that of the moved date', async () => {
  const dates = placed(4, 4, [0, 1, 2, 3, 4, 5])
  const rows = await make(dates[0], 'RRULE:FREQ=MONTHLY;BYDAY=4TH')
  const one = dates.findIndex((day) => Number(day.slice(8)) === 23 || Number(day.slice(8)) === 24)
  const { body } = await move(at(rows, one), -1)
  equal(body.start_date.slice(0, 10), moved(at(dates, one), -1))
  equal(body.recurrence.rrule, 'FREQ=MONTHLY;BYDAY=4WE')
  const after = await listed(body.post_parent)
  deepEqual(daysOf(after).slice(0, 6), placed(3, 4, [0, 1, 2, 3, 4, 5]))
  // The move may bring one more date within the horizon.
  deepEqual(pluck(after.slice(0, rows.length), 'id'), pluck(rows, 'id'))
})

test('an endless first Sunday, moved to the Saturday before, never loses the moved event', async () => {
  const dates = placed(0, 1, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  for (const day of [1, 2, 7]) {
    const rows = await make(dates[0], 'RRULE:FREQ=MONTHLY;BYDAY=1SU')
    const one = dates.findIndex((date) => Number(date.slice(8)) === day)
    if (one === -1) continue
    const { status, body } = await move(at(rows, one), -1)
    const after = await listed(rows[0]?.post_parent)
    equal(status, 200)
    equal(body.start_date.slice(0, 10), moved(at(dates, one), -1))
    deepEqual(pluck(after.slice(0, rows.length), 'id'), pluck(rows, 'id'))
  }
})

test('a day of the month moves over the end of a month; one that many months lack is refused', async () => {
  const rows = await make(`${YEAR}-02-28`, 'RRULE:FREQ=MONTHLY;COUNT=4')
  const { body } = await move(at(rows, 0), 5)
  deepEqual(daysOf(await listed(body.post_parent)), [
    `${YEAR}-03-05`,
    `${YEAR}-04-05`,
    `${YEAR}-05-05`,
    `${YEAR}-06-05`,
  ])
  deepEqual(pluck(await listed(body.post_parent), 'id'), pluck(rows, 'id'))
  const endless = await make(`${YEAR}-04-30`, 'RRULE:FREQ=MONTHLY')
  const refused = await move(at(endless, 0), 31)
  equal(refused.status, 400)
  match(refused.body.data.details.start_date.message, /recurrence/)
  deepEqual(await listed(endless[0]?.post_parent), endless)
})

test('every second week on several days moves over the beginning of a week', async () => {
  const monday = at(placed(1, 1, [3]), 0)
  const rows = await make(monday, 'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;COUNT=6')
  const { body } = await move(at(rows, 3), -2)
  const after = await listed(body.post_parent)
  deepEqual(
    daysOf(after),
    daysOf(rows).map((day) => moved(day, -2)),
  )
  match(body.recurrence.rrule, /WKST/)
  deepEqual(pluck(after, 'id'), pluck(rows, 'id'))
})

test('an occurrence with values of its own takes what is sent for it and all others', async () => {
  const first = at(placed(2, 1, [3]), 0)
  for (const scope of ['all', 'following']) {
    const rows = await make(first, 'RRULE:FREQ=WEEKLY;COUNT=4')
    const [, second, third] = rows
    ok(second && third)
    const hall = await service.create('/venues', { venue: 'Hall' })
    const own = {
      title: 'Special',
      start_date: `${second.start_date.slice(0, 10)} 20:00:00`,
      venue: hall.id,
      tags: ['one'],
    }
    await service.put(`/events/${second.id}`, {
      ...own,
      end_date: `${second.start_date.slice(0, 10)} 22:00:00`,
    })
    await service.put(`/events/${third.id}`, { title: 'Other' })
    const sent = { title: 'Club', venue: [], tags: ['two'], recurrence_scope: scope }
    const { body } = await service.put(`/events/${second.id}`, sent)
    deepEqual([body.title, body.venue, body.tags[0].name], ['Club', [], 'two'])
    deepEqual(body.recurrence.overrides, ['end_date', 'start_date'])
    const later = { ...onDay(second.start_date.slice(0, 10), '20:30:00', '23:00:00') }
    const again = await service.put(`/events/${second.id}`, { ...later, recurrence_scope: scope })
    deepEqual([again.body.start_date, again.body.end_date], [later.start_date, later.end_date])
    deepEqual(again.body.recurrence.overrides, [])
    const after = await service.get(`/events/${third.id}`)
    deepEqual([after.body.title, after.body.start_date.slice(11)], ['Other', '20:30:00'])
    const end = await service.put(`/events/${second.id}`, {
      end_date: `${second.start_date.slice(0, 10)} 23:30:00`,
      recurrence_scope: scope,
    })
    deepEqual([end.body.start_date, end.body.end_date.slice(11)], [later.start_date, '23:30:00'])
    equal(new Set((await listed(body.post_parent)).map(({ id }) => id)).size, scope === 'all' ? 4 : 3)
  }
})

test('an end sent for all by an occurrence at its own time stays where it was sent', async () => {
  const rows = await make(at(placed(2, 1, [3]), 0), 'RRULE:FREQ=WEEKLY;COUNT=3')
  const second = at(rows, 1)
  const day = second.start_date.slice(0, 10)
  await service.put(`/events/${second.id}`, { start_date: `${day} 17:00:00`, end_date: `${day} 18:00:00` })
  const sent = { end_date: `${day} 18:30:00`, recurrence_scope: 'all' }
  const { body } = await service.put(`/events/${second.id}`, sent)
  deepEqual([body.start_date, body.end_date], [`${day} 17:00:00`, `${day} 18:30:00`])
  const [other] = await listed(body.post_parent)
  deepEqual([other?.start_date.slice(11), other?.end_date.slice(11)], ['19:00:00', '20:30:00'])
})

test('a removed occurrence comes back as its series is by then, with what it had for itself', async () => {
  const rows = await make(at(placed(2, 1, [3]), 0), 'RRULE:FREQ=WEEKLY;COUNT=3', { excerpt: 'Short' })
  const second = at(rows, 1)
  await service.put(`/events/${second.id}`, { title: 'Special' })
  await service.remove(`/events/${second.id}`)
  const day = at(rows, 0).start_date.slice(0, 10)
  const sent = { title: 'Circle', excerpt: 'Long', ...onDay(day, '18:00:00', '19:00:00') }
  await service.put(`/events/${at(rows, 0).id}`, { ...sent, recurrence_scope: 'all' })
  const { body } = await service.put(`/events/${second.id}`, { status: 'publish' })
  deepEqual([body.title, body.recurrence.overrides], ['Special', ['title']])
  match(body.excerpt, /Long/)
  deepEqual([body.start_date.slice(11), body.end_date.slice(11)], ['18:00:00', '19:00:00'])
})
