import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { extendSeries, renewTimes } from '../../src/calendar/series/series-upkeep.ts'
import { beginAt } from '../support/moment.ts'
import { inRest } from '../support/rounds.ts'
import { onDay, serviceForTests } from '../support/service.ts'

beginAt('2026-11-27T12:00:00Z')
const service = serviceForTests({ timezone: 'Europe/Berlin', series_months: '2' })

const DAY = 86_400_000
const today = () => new Date().toISOString().slice(0, 10)

const startsOf = async (series: number): Promise<string[]> => {
  const starts: string[] = []
  for (let page = 1; ; page++) {
    const path =
      `/events?post_parent=${series}&per_page=50&page=` + `${page}&start_date=2000-01-01&end_date=2100-01-01`
    const { status, body } = await service.get(path, 'editor')
    if (status !== 200) return starts
    for (const { start_date } of body.events) starts.push(start_date)
    if (page >= body.total_pages) return starts
  }
}

const told: string[] = []
const extend = (now: number) =>
  extendSeries(service.app.database, service.app.site, now, (sentence) => told.push(sentence))
const daily = (more: object = {}) => ({
  title: 'Daily',
  ...onDay(today(), '23:00:00', '23:30:00'),
  categories: ['Days'],
  recurrence: 'RRULE:FREQ=DAILY',
  ...more,
})

test('an endless rule goes on by days, once for two nodes, and not when the clock goes back', async () => {
  const { post_parent: series } = await service.event(daily())
  const first = await startsOf(series)
  const now = Date.now()
  await extend(now)
  deepEqual(await startsOf(series), first)
  await Promise.all([extend(now + 3 * DAY), extend(now + 3 * DAY)])
  const later = await startsOf(series)
  equal(later.length, first.length + 3)
  equal(new Set(later).size, later.length)
  deepEqual(later.slice(0, first.length), first)
  await extend(now - 300 * DAY)
  deepEqual(await startsOf(series), later)
  const { body } = await service.get(
    `/events?post_parent=${series}&start_date=2000-01-01&end_date=2100-01-01`,
  )
  equal(body.events[0].categories[0].count, later.length)
})

test('a service that was off for a year catches up, to the end of the rule', async () => {
  const { post_parent: endless } = await service.event(daily({ recurrence: 'RRULE:FREQ=WEEKLY' }))
  const { post_parent: ending, id } = await service.create(
    '/events',
    daily({ recurrence: 'RRULE:FREQ=WEEKLY;COUNT=20' }),
  )
  const changed = { title: 'All of them', recurrence_scope: 'all' }
  await service.update(`/events/${id}`, changed)
  ok((await startsOf(ending)).length < 12)
  await extend(Date.now() + 365 * DAY)
  await extend(Date.now() + 366 * DAY)
  const weeks = await startsOf(endless)
  ok(weeks.length > 58 && weeks.length < 64, `${weeks.length} weeks`)
  equal((await startsOf(ending)).length, 20)
  const { body } = await service.get(
    `/events?search=All&per_page=50&start_date=2000-01-01&end_date=2100-01-01`,
  )
  equal(body.total, 20)
})

test('a series that takes up all that it may ends, tells once, and may go on', inRest, async () => {
  const long = 'Probe im Pfarrsaal. '.repeat(6000)
  const { post_parent: series, id } = await service.create(
    '/events',
    daily({ description: long, excerpt: long }),
  )
  const year = Date.now() + 365 * DAY
  await extend(year)
  const full = await startsOf(series)
  ok(full.length > 78 && full.length < 84, `${full.length}`)
  const { body } = await service.get(`~/wp-json/kalends/v1/series/${series}`)
  equal(body.written_until, full.at(-1))
  await extend(year + DAY)
  deepEqual(await startsOf(series), full)
  const [sentence = '', ...again] = told
  match(sentence, new RegExp(`series ${series}\\b.*20000000 bytes`))
  deepEqual(again, [])
  await service.update(`/events/${id}`, { excerpt: '', recurrence_scope: 'all' })
  await extend(year)
  ok((await startsOf(series)).length > 2 * full.length - 10)
})

test('coming occurrences keep their wall time under new rules of the zone, others their moment', async () => {
  const times = { start_date: `${yesterday()} 10:00`, end_date: `${yesterday()} 11:00` }
  const { post_parent } = await service.create(
    '/events',
    daily({ ...times, recurrence: 'RRULE:FREQ=WEEKLY;COUNT=5' }),
  )
  const path = `/events?post_parent=${post_parent}&start_date=2000-01-01&end_date=2100-01-01`
  const listed = async () => (await service.get(path)).body.events
  const [, , , last] = await listed()
  const own = {
    start_date: `${last.start_date.slice(0, 10)} 15:00`,
    end_date: `${last.end_date.slice(0, 10)} 17:00`,
  }
  await service.update(`/events/${last.id}`, own)
  const before = await listed()
  const since = { ...facts(before[0]), utc_start_date: '2001-01-01 00:00:00' }
  // As if computed with an older version of the zone.
  await service.app.database.write(async (tx) => {
    for (const { id, utc_start_date, utc_end_date } of before) {
      const later = (utc: string) =>
        new Date(Date.parse(`${utc.replace(' ', 'T')}Z`) + 3_600_000)
          .toISOString()
          .slice(0, 19)
          .replace('T', ' ')
      const wrong = { utc_start_date: later(utc_start_date), utc_end_date: later(utc_end_date) }
      const columns = id === since.id ? { utc_start_date: since.utc_start_date } : wrong
      await tx.updateTable('events').set(columns).where('id', '=', id).execute()
    }
  })
  await renewTimes(service.app.database, Date.now())
  const after = (await service.get(path, 'editor')).body.events
  deepEqual(after.map(facts), [since, ...before.slice(1).map(facts)])
  const revision = async () =>
    (await service.app.database.read.selectFrom('changes').select('kind').execute()).length
  const known = await revision()
  await renewTimes(service.app.database, Date.now())
  equal(await revision(), known)
})

const yesterday = () => new Date(Date.now() - DAY).toISOString().slice(0, 10)

interface Shown {
  id: number
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
}

const facts = ({ id, start_date, end_date, utc_start_date, utc_end_date }: Shown) => ({
  ...{ id, start_date, end_date, utc_start_date, utc_end_date },
})
