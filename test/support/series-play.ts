import { deepEqual, equal, ok } from 'node:assert/strict'
import { fc } from './rounds.ts'
import {
  beginAt,
  type Change,
  changeAll,
  changeOne,
  type Dates,
  datesOf,
  detach,
  type Fields,
  fieldsOf,
  later,
  liveRows,
  made,
  minutesBetween,
  type Occurrence,
  removeAll,
  removeFollowing,
  removeOne,
  restoreOne,
  type Series,
  type Single,
  split,
  type Times,
  takeSent,
  timesOf,
} from './series-model.ts'
import type { Answer, TestService } from './service.ts'

export interface Play {
  service: TestService
  venues: readonly number[]
  categories: readonly number[]
  series: Series[]
  singles: Single[]
}

export type Step = (play: Play) => Promise<void>

type Scope = 'this' | 'following' | 'all'

/**
 * The first possible day of a series: in September, so that clocks change once during the series and no time
 * is skipped.
 */
const FIRST_DAY = '2027-09-06'
const SERIES = '~/wp-json/kalends/v1/series'
const WINDOW = 'per_page=50&start_date=2000-01-01&end_date=2100-01-01'

const at = <Value>(values: readonly Value[], number: number): Value => {
  const value = values[number % values.length]
  ok(value !== undefined)
  return value
}

interface SentDates {
  step: number
  count: number
  extra: readonly (readonly [number, number])[]
  skipped: readonly number[]
}

const number = (min: number, max: number) => fc.integer({ min, max })
const numbers = { pick: fc.nat(1000), other: fc.nat(1000) }
const fields = fc.record(
  {
    title: fc.constantFrom('Choir', 'Class', 'Market'),
    excerpt: fc.constantFrom('', 'Short', 'Long'),
    venue: number(0, 2),
    categories: number(0, 1),
    status: fc.constantFrom('publish', 'publish', 'draft'),
  },
  { requiredKeys: [] },
)
const dates: fc.Arbitrary<SentDates> = fc.record({
  step: fc.constantFrom(1, 2, 7, 14),
  count: number(1, 6),
  extra: fc.array(fc.tuple(number(1, 9), fc.constantFrom(0, 3)), { maxLength: 2 }),
  skipped: fc.array(fc.nat(7), { maxLength: 2 }),
})
const times = fc.record({ days: number(-2, 3), hour: number(6, 20), minutes: fc.constantFrom(30, 60, 120) })
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const change = fc.record({ fields, times: maybe(times), dates: maybe(dates) })
const scope = fc.constantFrom<Scope>('this', 'following', 'all')
const status = fc.constantFrom('publish', 'draft')

const named = <Sent>(
  name: string,
  sent: fc.Arbitrary<Sent>,
  make: (play: Play, sent: Sent) => Promise<void>,
) =>
  sent.map(
    (value): Step =>
      Object.assign((play: Play) => make(play, value), {
        toString: () => `${name} ${JSON.stringify(value)}`,
      }),
  )

const creation = named('create', fc.record({ day: fc.nat(20), hour: number(6, 20), fields, dates }), create)

export const steps: fc.Arbitrary<Step[]> = fc
  .tuple(
    creation,
    fc.array(
      fc.oneof(
        { weight: 1, arbitrary: creation },
        { weight: 8, arbitrary: named('change', fc.record({ ...numbers, scope, change }), changeOccurrence) },
        { weight: 2, arbitrary: named('change series', fc.record({ ...numbers, change }), changeSeries) },
        { weight: 4, arbitrary: named('remove', fc.record({ ...numbers, scope }), removeOccurrence) },
        { weight: 1, arbitrary: named('remove series', fc.record(numbers), removeSeries) },
        { weight: 4, arbitrary: named('restore', fc.record({ ...numbers, status }), restoreOccurrence) },
        {
          weight: 3,
          arbitrary: named(
            'restore series',
            fc.record({ ...numbers, status, isByOccurrence: fc.boolean() }),
            restoreSeries,
          ),
        },
        {
          weight: 2,
          arbitrary: named(
            'end',
            fc.record({ ...numbers, scope: fc.constantFrom<Scope>('following', 'all'), fields }),
            endSeries,
          ),
        },
        { weight: 2, arbitrary: named('begin', fc.record({ ...numbers, dates }), beginSeries) },
      ),
      { minLength: 3, maxLength: 14 },
    ),
  )
  .map(([first, others]) => [first, ...others])

const compact = (wall: string) => wall.replace(' ', 'T').replace(/[-:]/g, '')

function datesFrom(start: string, { step, count, extra, skipped }: SentDates): Dates {
  const added = extra.map(([days, hours]) => later(start, days * 1440 + hours * 60))
  const all = datesOf({
    rule: Array.from({ length: count }, (_, i) => later(start, i * step * 1440)),
    added,
    left: [],
  })
  return { step, count, added, left: all.filter((_, i) => skipped.includes(i)) }
}

function linesOf({ step, count, added, left }: Dates): string[] {
  const rule = step % 7 === 0 ? `FREQ=WEEKLY;INTERVAL=${step / 7}` : `FREQ=DAILY;INTERVAL=${step}`
  const line = (name: string, walls: readonly string[]) =>
    walls.length > 0 ? [`${name};TZID=Europe/Berlin:${walls.map(compact).join()}`] : []
  return [`RRULE:${rule};COUNT=${count}`, ...line('RDATE', added), ...line('EXDATE', left)]
}

function sentFields({ venues, categories }: Play, drawn: Partial<Fields>): object {
  return {
    ...drawn,
    ...(drawn.venue === undefined ? {} : { venue: drawn.venue === 0 ? [] : at(venues, drawn.venue) }),
    ...(drawn.categories === undefined ? {} : { categories: [at(categories, drawn.categories)] }),
  }
}

function timesFrom(was: Times, drawn: { days: number; hour: number; minutes: number }): Times {
  const day = `${was.start_date.slice(0, 10)} 00:00:00`
  const start_date = later(day, drawn.days * 1440 + drawn.hour * 60)
  return { start_date, end_date: later(start_date, drawn.minutes) }
}

let created = 0

const BLANK: Fields = { title: 'Plain', excerpt: '', venue: 0, categories: 0, status: 'publish' }

async function create(
  play: Play,
  drawn: { day: number; hour: number; fields: Partial<Fields>; dates: SentDates },
): Promise<void> {
  const start_date = later(`${FIRST_DAY} 00:00:00`, drawn.day * 1440 + drawn.hour * 60)
  const shared = { ...BLANK, ...drawn.fields }
  const times = { start_date, end_date: later(start_date, 60) }
  const sent = datesFrom(start_date, drawn.dates)
  created += 1
  const body = { ...sentFields(play, shared), ...times, slug: `play-${created}`, recurrence: linesOf(sent) }
  const answer = await play.service.post('/events', body)
  const series = made(shared, times, sent)
  expect(answer, series ? 201 : 400)
  if (series) play.series.push(Object.assign(series, { id: answer.body.post_parent }))
}

function expect({ status, body }: Answer, wanted: number): void {
  equal(status, wanted, JSON.stringify(body))
}

type Chosen = { series: Series; row: Occurrence } | undefined

function chosen({ series }: Play, pick: number, isLive: boolean): Chosen {
  const all = series.flatMap((one) => one.rows.map((row) => ({ series: one, row })))
  const found = all.filter(({ row }) => row.isLive === isLive)
  return found.length === 0 ? undefined : at(found, pick)
}

async function changeOccurrence(
  play: Play,
  drawn: {
    pick: number
    scope: Scope
    change: {
      fields: Partial<Fields>
      times: { days: number; hour: number; minutes: number } | undefined
      dates: SentDates | undefined
    }
  },
): Promise<void> {
  const found = chosen(play, drawn.pick, true)
  if (!found) return
  const { series, row } = found
  const was = timesOf(series, row)
  const times = drawn.change.times && timesFrom(was, drawn.change.times)
  const moved = times && times.start_date !== was.start_date ? minutesBetween(row.at, times.start_date) : 0
  const isDated = drawn.scope !== 'this' && drawn.change.dates !== undefined
  const place = drawn.scope === 'all' ? series.start : row.at
  const sent = isDated && drawn.change.dates ? datesFrom(later(place, moved), drawn.change.dates) : undefined
  const asked: Change = { fields: drawn.change.fields, times, dates: sent }
  const body = {
    ...sentFields(play, asked.fields),
    ...times,
    ...(sent ? { recurrence: linesOf(sent) } : {}),
    recurrence_scope: drawn.scope,
  }
  const answer = await play.service.put(`/events/${row.id}`, body)
  if (drawn.scope === 'this') {
    expect(answer, 200)
    return changeOne(series, row, asked)
  }
  const copy = structuredClone(series)
  const part = drawn.scope === 'following' ? split(series, row) : series
  if (drawn.scope === 'following' && part === series && sent) beginAt(series, row.at)
  const isChanged = changeAll(part, row.at, was, asked)
  if (isChanged) takeSent(part, row, was, asked)
  expect(answer, isChanged ? 200 : 400)
  if (!isChanged) Object.assign(series, copy)
  else if (part !== series) play.series.push(Object.assign(part, { id: answer.body.post_parent }))
}

async function changeSeries(
  play: Play,
  drawn: {
    pick: number
    change: {
      fields: Partial<Fields>
      times: { days: number; hour: number; minutes: number } | undefined
      dates: SentDates | undefined
    }
  },
): Promise<void> {
  const living = play.series.filter(({ isLive }) => isLive)
  if (living.length === 0) return
  const series = at(living, drawn.pick)
  const was = { start_date: series.start, end_date: later(series.start, series.minutes) }
  const times = drawn.change.times && timesFrom(was, drawn.change.times)
  const sent = drawn.change.dates && datesFrom(times?.start_date ?? series.start, drawn.change.dates)
  const { fields } = drawn.change
  const body = { ...sentFields(play, fields), ...times, ...(sent ? { recurrence: linesOf(sent) } : {}) }
  const answer = await play.service.put(`${SERIES}/${series.id}`, body)
  expect(answer, changeAll(series, series.start, was, { fields, times, dates: sent }) ? 200 : 400)
}

async function removeOccurrence(
  play: Play,
  drawn: { pick: number; other: number; scope: Scope },
): Promise<void> {
  const found = chosen(play, drawn.pick, drawn.other % 5 > 0)
  if (!found) return
  const { series, row } = found
  if (row.isLive && drawn.other % 3 === 0) return trash(play, series, row, drawn.scope)
  const answer = await play.service.remove(`/events/${row.id}?recurrence_scope=${drawn.scope}`)
  expect(answer, row.isLive ? 200 : 410)
  if (!row.isLive) return
  if (drawn.scope === 'this') removeOne(series, row)
  else if (drawn.scope === 'following') removeFollowing(series, row)
  else removeAll(series)
}

async function trash(play: Play, series: Series, row: Occurrence, recurrence_scope: Scope): Promise<void> {
  const answer = await play.service.put(`/events/${row.id}`, { status: 'trash', recurrence_scope })
  expect(answer, 200)
  if (recurrence_scope === 'this') return removeOne(series, row)
  const part = recurrence_scope === 'following' ? split(series, row) : series
  removeAll(part)
  if (part !== series) play.series.push(Object.assign(part, { id: answer.body.post_parent }))
}

async function removeSeries(play: Play, { pick }: { pick: number }): Promise<void> {
  if (play.series.length === 0) return
  const series = at(play.series, pick)
  expect(await play.service.remove(`${SERIES}/${series.id}`), series.isLive ? 200 : 410)
  removeAll(series)
}

async function restoreOccurrence(play: Play, drawn: { pick: number; status: string }): Promise<void> {
  const found = chosen(play, drawn.pick, false)
  if (!found) return
  expect(await play.service.put(`/events/${found.row.id}`, { status: drawn.status }), 200)
  restoreOne(found.series, found.row, drawn.status)
}

async function restoreSeries(
  play: Play,
  { pick, status, isByOccurrence }: { pick: number; status: string; isByOccurrence: boolean },
): Promise<void> {
  const gone = play.series.filter((one) => !one.isLive)
  const found = chosen(play, pick, false)
  const asked = { fields: { status }, times: undefined, dates: undefined }
  if (!isByOccurrence && gone.length > 0) {
    const series = at(gone, pick)
    const answer = await play.service.put(`${SERIES}/${series.id}`, { status })
    if (series.rows.length === 0) expect(answer, 410)
    else expect(answer, changeAll(series, series.start, timesAt(series), asked) ? 200 : 400)
  }
  if (!isByOccurrence || !found) return
  const { series, row } = found
  const answer = await play.service.put(`/events/${row.id}`, { status, recurrence_scope: 'all' })
  if (series.isLive) return expect(answer, 410)
  expect(answer, changeAll(series, row.at, timesOf(series, row), asked) ? 200 : 400)
}

const timesAt = ({ start, minutes }: Series): Times => ({
  start_date: start,
  end_date: later(start, minutes),
})

async function endSeries(
  play: Play,
  drawn: { pick: number; scope: Scope; fields: Partial<Fields> },
): Promise<void> {
  const found = chosen(play, drawn.pick, true)
  if (!found) return
  const { series, row } = found
  const body = { ...sentFields(play, drawn.fields), recurrence: '', recurrence_scope: drawn.scope }
  expect(await play.service.put(`/events/${row.id}`, body), 200)
  const part = drawn.scope === 'following' ? split(series, row) : series
  play.singles.push({ ...detach(part, row), ...drawn.fields })
  const [other] = part.rows
  if (part === series || !other) return
  const { body: shown } = await play.service.get(`/events/${other.id}`, 'admin')
  play.series.push(Object.assign(part, { id: shown.post_parent }))
}

async function beginSeries(play: Play, drawn: { pick: number; dates: SentDates }): Promise<void> {
  if (play.singles.length === 0) return
  const single = at(play.singles, drawn.pick)
  const sent = datesFrom(single.start_date, {
    ...drawn.dates,
    skipped: drawn.dates.skipped.filter((i) => i > 0),
  })
  const answer = await play.service.put(`/events/${single.id}`, { recurrence: linesOf(sent) })
  expect(answer, 200)
  const { id, slug, start_date, end_date, ...shared } = single
  const series = made(shared, { start_date, end_date }, sent)
  const first = series?.rows[0]
  ok(series && first)
  Object.assign(first, { id, slug })
  play.series.push(Object.assign(series, { id: answer.body.post_parent }))
  play.singles = play.singles.filter((one) => one !== single)
}

interface Shown extends Times {
  id: number
  slug: string
  title: string
  excerpt: string
  status: string
  utc_start_date: string
  utc_end_date: string
  post_parent: number
  venue: { id?: number } | []
  categories: { id: number }[]
  recurrence: { id: string; overrides: string[]; series: number }
}

export async function compare(play: Play): Promise<void> {
  for (const series of play.series) {
    const seen = await listed(play, series, 'admin', 'publish,draft')
    const rows = liveRows(series).sort((a, b) => (a.at < b.at ? -1 : 1))
    const byStart = [...seen].sort((a, b) => (a.recurrence.id < b.recurrence.id ? -1 : 1))
    for (const [i, row] of rows.entries()) learn(play, row, byStart[i])
    deepEqual(
      byStart.map(facts),
      rows.map((row) => expected(play, series, row)),
    )
    const open = rows.filter((row) => fieldsOf(series, row).status === 'publish').map(({ id }) => id)
    const shown = await listed(play, series, 'anonymous', 'publish')
    deepEqual(shown.map(({ id }) => id).sort(), open.sort())
    await compareSeries(play, series, open.length)
  }
  await compareCalendar(play)
  for (const single of play.singles) {
    const { body } = await play.service.get(`/events/${single.id}`, 'admin')
    const { title, start_date, end_date, status, recurrence, slug } = body
    deepEqual(
      { title, start_date, end_date, status, recurrence, slug: single.slug && slug },
      {
        title: single.title,
        start_date: single.start_date,
        end_date: single.end_date,
        status: single.status,
        recurrence: undefined,
        slug: single.slug,
      },
    )
  }
}

async function compareCalendar({ service }: Play): Promise<void> {
  const { status, body } = await service.get('/events?format=ics&start_date=2000-01-01&end_date=2100-01-01')
  equal(status, 200)
  const components = String(body).split('BEGIN:VEVENT').slice(1)
  const names = components.map((text) => (text.match(/^(UID|RECURRENCE-ID).*$/gm) ?? []).join(' '))
  deepEqual(
    names.filter((name, i) => names.indexOf(name) !== i),
    [],
    'components that are there twice',
  )
}

function learn({ series, singles }: Play, row: Occurrence, shown: Shown | undefined): void {
  if (shown && row.id === 0) row.id = shown.id
  const events = [...series.flatMap(({ rows }) => rows), ...singles]
  const isTaken = events.some(({ id, slug }) => id !== row.id && slug === row.slug)
  if (shown && (row.slug === '' || isTaken)) row.slug = shown.slug
}

async function listed(
  { service }: Play,
  { id }: Series,
  as: 'admin' | 'anonymous',
  status: string,
): Promise<Shown[]> {
  const asked = as === 'admin' ? `&status=${status}` : ''
  const { status: found, body } = await service.get(`/events?post_parent=${id}&${WINDOW}${asked}`, as)
  equal(found, 200, JSON.stringify(body))
  equal(body.total, body.events.length)
  return body.events
}

const strip = (html: string) => html.replace(/<[^>]*>/g, '').trim()

function facts(shown: Shown) {
  const { id, slug, title, excerpt, status, start_date, end_date, utc_start_date, utc_end_date, recurrence } =
    shown
  return {
    ...{
      id,
      slug,
      title,
      excerpt: strip(excerpt),
      status,
      start_date,
      end_date,
      utc_start_date,
      utc_end_date,
    },
    at: recurrence.id,
    series: recurrence.series,
    overrides: recurrence.overrides.join(),
    venue: 'id' in shown.venue ? shown.venue.id : 0,
    categories: shown.categories.map((category) => category.id),
  }
}

function expected({ venues, categories }: Play, series: Series, row: Occurrence): ReturnType<typeof facts> {
  const { title, excerpt, status, ...links } = fieldsOf(series, row)
  const { start_date, end_date } = timesOf(series, row)
  return {
    ...{ id: row.id, slug: row.slug, title, excerpt, status, start_date, end_date },
    utc_start_date: utc(start_date),
    utc_end_date: utc(end_date),
    at: row.at,
    series: series.id,
    overrides: [...Object.keys(row.own), ...(row.times?.names ?? [])].sort().join(),
    venue: links.venue === 0 ? 0 : at(venues, links.venue),
    categories: [at(categories, links.categories)],
  }
}

function utc(wall: string): string {
  const october = new Date(`${FIRST_DAY.slice(0, 4)}-10-31T00:00:00Z`)
  const sunday = 31 - october.getUTCDay()
  return later(wall, wall < `${FIRST_DAY.slice(0, 4)}-10-${sunday} 03:00:00` ? -120 : -60)
}

async function compareSeries({ service }: Play, series: Series, open: number): Promise<void> {
  const { status, body } = await service.get(`${SERIES}/${series.id}`, 'admin')
  if (!series.isLive)
    return ok(status === 200 ? body.status === 'trash' : status === 403, JSON.stringify(body))
  const [left = ''] = body.recurrence.lines.filter((line: string) => line.startsWith('EXDATE'))
  deepEqual(
    {
      status: body.status,
      start: body.start_date,
      total: body.occurrences.total,
      left: left.replace(/^.*:/, ''),
    },
    { status: series.shared.status, start: series.start, total: open, left: series.left.map(compact).join() },
  )
}
