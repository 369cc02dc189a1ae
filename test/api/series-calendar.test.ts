import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import ICAL from 'ical.js'
import { pluck } from '../support/lists.ts'
import { onDay, serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin' })

const YEAR = 2027
const FIRST = `${YEAR}-10-12`
const ALL = 'start_date=2000-01-01&end_date=2100-01-01'

const make = (more: object = {}) =>
  service.event({
    title: 'Market',
    ...onDay(FIRST, '19:00:00', '21:00:00'),
    recurrence: 'RRULE:FREQ=WEEKLY;COUNT=6',
    ...more,
  })

const listed = async (series: number): Promise<Listed[]> =>
  (await service.get(`/events?post_parent=${series}&per_page=50&${ALL}`)).body.events

interface Listed {
  id: number
  title: string
  start_date: string
  end_date: string
  utc_start_date: string
}

async function componentsOf(query: string): Promise<ICAL.Component[]> {
  const { body } = await service.get(`~/events.ics?${query}`)
  return new ICAL.Component(ICAL.parse(String(body))).getAllSubcomponents('vevent')
}

const shownIn = (component: ICAL.Component, name: string) =>
  component.getAllProperties(name).map((property) => property.toICALString())

function expanded(components: readonly ICAL.Component[]): string[] {
  const [master, ...others] = components
  ok(master)
  const event = new ICAL.Event(master, { exceptions: [...others], strictExceptions: false })
  const dates = event.iterator()
  const starts: string[] = []
  for (let next = dates.next(); next && starts.length < 50; next = dates.next()) {
    const { startDate } = event.getOccurrenceDetails(next)
    starts.push(startDate.toJSDate().toISOString().slice(0, 19).replace('T', ' '))
  }
  return starts.sort()
}

test('a calendar has one component with the rule for a series', async () => {
  const first = await make({ title: 'Whole' })
  const [master, ...others] = await componentsOf(`post_parent=${first.post_parent}`)
  ok(master)
  deepEqual(others, [])
  deepEqual(shownIn(master, 'rrule'), ['RRULE:FREQ=WEEKLY;COUNT=6'])
  deepEqual(shownIn(master, 'dtstart'), [`DTSTART;TZID=Europe/Berlin:${FIRST.replaceAll('-', '')}T190000`])
  match(String(master.getFirstPropertyValue('url')), /\/series\/whole-\d+\/$/)
})

test('a series in UTC is whole in a calendar of another zone, which may take UTC for its own', async () => {
  const left = `EXDATE:${YEAR}1026T190000`
  const first = await make({
    timezone: 'UTC',
    recurrence: ['RRULE:FREQ=WEEKLY;COUNT=6', `RDATE:${YEAR}1231T101500`, left],
  })
  const [, second, , fourth] = await listed(first.post_parent)
  const moved = { start_date: `${YEAR}-10-20 20:00:00`, end_date: `${YEAR}-10-20 22:00:00` }
  equal((await service.put(`/events/${second?.id}`, moved)).status, 200)
  await service.remove(`/events/${fourth?.id}`)
  const components = await componentsOf(`post_parent=${first.post_parent}`)
  const [master, override] = components
  ok(master && override)
  equal(components.length, 2)
  deepEqual(shownIn(master, 'dtstart'), [`DTSTART;TZID=Etc/GMT:${FIRST.replaceAll('-', '')}T190000`])
  deepEqual(shownIn(master, 'rdate'), [`RDATE;TZID=Etc/GMT:${YEAR}1231T101500`])
  deepEqual(shownIn(override, 'recurrence-id'), [`RECURRENCE-ID;TZID=Etc/GMT:${YEAR}1019T190000`])
  const starts = (await listed(first.post_parent)).map((event) => event.utc_start_date)
  equal(starts.length, 5)
  deepEqual(expanded(components), starts)
})

test('single components are given to those who ask for them', async () => {
  const first = await make({ title: 'Single' })
  const components = await componentsOf(`post_parent=${first.post_parent}&recurrence=expanded`)
  equal(components.length, 6)
  equal(new Set(components.map((component) => component.getFirstPropertyValue('uid'))).size, 6)
  for (const component of components) deepEqual(shownIn(component, 'rrule'), [])
  const file = await service.get(`~/event/${first.slug}.ics`)
  equal(String(file.body).match(/BEGIN:VEVENT/g)?.length, 1)
  match(String(file.body), new RegExp(`URL;VALUE=URI:[^\\r]*/event/${first.slug}/`))
})

test('what is in the trash is an exception, and what has moved a component of its own', async () => {
  const first = await make({ title: 'Moved' })
  const [, second, third] = await listed(first.post_parent)
  const before = await sequenceOf(first.post_parent)
  equal((await service.remove(`/events/${second?.id}`)).status, 200)
  const moved = { start_date: `${FIRST.slice(0, 8)}27 20:00:00`, end_date: `${FIRST.slice(0, 8)}27 22:00:00` }
  equal((await service.post(`/events/${third?.id}`, moved)).status, 200)
  const components = await componentsOf(`post_parent=${first.post_parent}`)
  const [master, override] = components
  ok(master && override)
  equal(components.length, 2)
  equal(override.getFirstPropertyValue('uid'), master.getFirstPropertyValue('uid'))
  deepEqual(shownIn(master, 'exdate'), [`EXDATE;TZID=Europe/Berlin:${YEAR}1019T190000`])
  deepEqual(shownIn(override, 'recurrence-id'), [`RECURRENCE-ID;TZID=Europe/Berlin:${YEAR}1026T190000`])
  equal((await listed(first.post_parent)).length, 5)
  equal((await sequenceOf(first.post_parent)) >= before, true)
})

test('an occurrence hidden from lists is an exception in calendars, gone for followers', async () => {
  const first = await make({ title: 'Partly hidden' })
  const series = first.post_parent
  const [, second, third] = await listed(series)
  ok(second && third)
  const changes = async (since: string) =>
    (await service.get(`~/wp-json/kalends/v1/changes?kinds=event&per_page=1000${since}`)).body
  const { sync_token: token } = await changes('')
  for (const fields of [{ title: 'Its own', hide_from_listings: true }, { hide_from_listings: true }])
    equal((await service.put(`/events/${fields.title ? third.id : second.id}`, fields)).status, 200)
  const starts = (await listed(series)).map((event) => event.utc_start_date)
  equal(starts.length, 4)
  const components = await componentsOf(`post_parent=${series}`)
  equal(components.length, 1)
  deepEqual(expanded(components), starts)
  equal((await service.get(`~/wp-json/kalends/v1/series/${series}`)).body.occurrences.total, 4)
  const page = String((await service.get(`~/series/partly-hidden-${series}/`)).body)
  const days = new Set([...page.matchAll(/<time datetime="(\d{4}-\d\d-\d\d)T/g)].map(([, day = '']) => day))
  for (const { start_date } of [second, third]) ok(!days.has(start_date.slice(0, 10)), start_date)
  const told: { action: string; id: number }[] = (await changes(`&since=${token}`)).changes
  const gone = told.flatMap(({ action, id }) => (action === 'delete' ? [id] : []))
  deepEqual(gone.sort(), [second.id, third.id].sort())
  await service.put(`/events/${second.id}`, { hide_from_listings: false })
  equal(expanded(await componentsOf(`post_parent=${series}`)).length, 5)
})

test('single components of occurrences that are hidden are cancelled, until listed again', async () => {
  const first = await make({ title: 'Seen one by one' })
  const [, second] = await listed(first.post_parent)
  const statuses = async () =>
    (await componentsOf(`post_parent=${first.post_parent}&recurrence=expanded`)).map(
      (component) => component.getFirstPropertyValue('status') as string,
    )
  await service.put(`/events/${second?.id}`, { hide_from_listings: true })
  deepEqual((await statuses()).sort(), ['CANCELLED', ...Array(5).fill('CONFIRMED')])
  await service.remove(`/events/${second?.id}`)
  equal((await statuses()).length, 6)
  await service.put(`/events/${second?.id}`, { status: 'publish', hide_from_listings: false })
  deepEqual(await statuses(), Array(6).fill('CONFIRMED'))
})

test('an event that leaves its series keeps its UID, and no other component has it', async () => {
  const first = await make({ title: 'Leaves' })
  const [, second] = await listed(first.post_parent)
  const uids = async () =>
    (await componentsOf(`search=leaves&${ALL}`)).map((event) =>
      [event.getFirstPropertyValue('uid'), event.getFirstPropertyValue('status')].join(' '),
    )
  const [was] = await uids()
  equal((await service.put(`/events/${first.id}`, { recurrence: '', recurrence_scope: 'all' })).status, 200)
  equal((await service.put(`/events/${second?.id}`, { status: 'publish' })).status, 200)
  const both = await uids()
  ok(was && both.includes(was))
  equal(new Set(both.map((text) => text.split(' ')[0])).size, both.length)
  await service.remove(`/events/${first.id}`)
  const after = await uids()
  ok(after.includes(was.replace('CONFIRMED', 'CANCELLED')))
  equal(new Set(after.map((text) => text.split(' ')[0])).size, after.length)
})

test('a series of drafts, one of which is restored after its removal, is there once', async () => {
  const first = await make({ title: 'Drafted' })
  const rows = await listed(first.post_parent)
  for (const { id } of rows) await service.put(`/events/${id}`, { status: 'draft' })
  await service.put(`/events/${first.id}`, { status: 'draft', recurrence_scope: 'all' })
  await service.remove(`/events/${first.id}?recurrence_scope=all`)
  equal((await service.put(`/events/${rows[1]?.id}`, { status: 'publish' })).status, 200)
  const [master, ...others] = await componentsOf(`search=drafted&${ALL}`)
  ok(master)
  deepEqual(others, [])
  equal(master.getFirstPropertyValue('status'), 'CONFIRMED')
  deepEqual(expanded([master]), [rows[1]?.utc_start_date])
})

async function sequenceOf(series: number): Promise<number> {
  const [master] = await componentsOf(`post_parent=${series}`)
  return Number(master?.getFirstPropertyValue('sequence'))
}

test('days, times in UTC, and zones whose clocks follow no rule are read right', async () => {
  const days = await make({ title: 'Days', all_day: true, start_date: FIRST, end_date: FIRST })
  const [day] = await componentsOf(`post_parent=${days.post_parent}`)
  ok(day)
  deepEqual(shownIn(day, 'dtstart'), [`DTSTART;VALUE=DATE:${FIRST.replaceAll('-', '')}`])
  for (const timezone of ['Asia/Gaza', 'UTC+5:30']) {
    const odd = await make({ title: 'Odd', timezone })
    const components = await componentsOf(`post_parent=${odd.post_parent}`)
    deepEqual(expandedOneByOne(components), await instantsOf(odd.post_parent))
  }
})

const expandedOneByOne = (components: readonly ICAL.Component[]) =>
  components.flatMap((one) => expanded([one])).sort()
const instantsOf = async (series: number) =>
  (await listed(series)).map(({ utc_start_date }) => utc_start_date).sort()

test('a time that a change of the clocks skips is read right, as single events', async () => {
  const times = { ...onDay(`${YEAR}-03-01`, '02:30', '03:15'), timezone: 'America/St_Johns' }
  const skipped = await make({ title: 'Skipped', ...times, recurrence: 'RRULE:FREQ=DAILY;COUNT=20' })
  const components = await componentsOf(`post_parent=${skipped.post_parent}`)
  equal(components.length, 20)
  deepEqual(expandedOneByOne(components), await instantsOf(skipped.post_parent))
})

test('the night in which the clock changes ends for readers when it ends in lists', async () => {
  const nights = { start_date: `${YEAR}-10-20 23:30:00`, end_date: `${YEAR}-10-21 04:00:00` }
  const { post_parent } = await make({ title: 'Nights', ...nights, recurrence: 'RRULE:FREQ=DAILY;COUNT=20' })
  const [master, ...own] = await componentsOf(`post_parent=${post_parent}`)
  const odd = (await listed(post_parent)).filter(({ end_date }) => !end_date.endsWith(' 04:00:00'))
  equal(odd.length, 1)
  match(String(master?.getFirstPropertyValue('dtend')), /T04:00:00$/)
  deepEqual(
    own.map((component) => String(component.getFirstPropertyValue('dtend')).replace('T', ' ')),
    pluck(odd, 'end_date'),
  )
})

test('a first date in the second hour of two keeps its moment, in lists and for readers', async () => {
  const days = Array.from({ length: 7 }, (_, i) => `${YEAR}-10-${25 + i}`)
  const day = days.find((one) => new Date(`${one}T00:00:00Z`).getUTCDay() === 0) ?? ''
  const times = { start_date: `${day}T02:10:00+01:00`, end_date: `${day}T04:00:00+01:00` }
  const rule = { recurrence: 'RRULE:FREQ=WEEKLY;COUNT=3' }
  const moments = async (series: number) =>
    (await listed(series)).map(
      ({ utc_start_date, end_date }) => `${utc_start_date.slice(11)} ${end_date.slice(11)}`,
    )
  const expected = Array(3).fill('01:10:00 04:00:00')
  const single = await service.event({ title: 'Late', timezone: 'Europe/Berlin', ...times })
  const begun = await service.update(`/events/${single.id}`, rule)
  const made = await make({ title: 'Second hour', ...times, ...rule })
  for (const { id, post_parent } of [made, begun]) {
    deepEqual(await moments(post_parent), expected)
    await service.update(`/events/${id}`, { title: 'Renamed', recurrence_scope: 'all' })
    const components = await componentsOf(`post_parent=${post_parent}`)
    deepEqual(expandedOneByOne(components), await instantsOf(post_parent))
    await service.update(`/events/${id}`, {
      recurrence: 'RRULE:FREQ=WEEKLY;COUNT=2',
      recurrence_scope: 'all',
    })
    deepEqual(await moments(post_parent), expected.slice(1))
  }
})

test('a start beside the rule is a date of its own', async () => {
  const beside = await make({ title: 'Beside', recurrence: 'RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=3' })
  const [master] = await componentsOf(`post_parent=${beside.post_parent}`)
  ok(master)
  equal(shownIn(master, 'rdate').length, 1)
  deepEqual(shownIn(master, 'exdate'), [])
})

test('linked data name the series of each occurrence, which is an event of its own', async () => {
  const first = await make({ title: 'Linked' })
  const single = (await service.get(`/events/${first.id}`)).body
  equal(single.json_ld.superEvent['@type'], 'EventSeries')
  equal(single.json_ld.superEvent.eventSchedule.repeatFrequency, 'P1W')
  const graph = (await service.get(`~/events.jsonld?post_parent=${first.post_parent}`)).body
  equal(graph['@graph'].length, (await listed(first.post_parent)).length)
  for (const event of graph['@graph']) {
    equal(event['@type'], 'Event')
    deepEqual(event.superEvent, single.json_ld.superEvent)
  }
})

test('the calendar of a page with an end has each date by itself, a subscription the series', async () => {
  await make({ title: 'Bounded' })
  const third = `${YEAR}-10-26`
  const starts = async (path: string) => {
    const text = await (await fetch(service.origin + path)).text()
    const found = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent')
    const own = found.filter((one) => one.getFirstPropertyValue('summary') === 'Bounded')
    return own.map(
      (one) =>
        `${one.getFirstPropertyValue('dtstart')}`.slice(5, 10) + (one.hasProperty('rrule') ? ' on' : ''),
    )
  }
  const october = ['10-12', '10-19', '10-26']
  for (const [path, expected] of [
    [`/events/month/${YEAR}-10/?ical=1`, october],
    [`/events/${third}/?ical=1`, ['10-26']],
    [`/events/week/${third}/?ical=1`, ['10-26']],
    [`/events/?start_date=${FIRST}&end_date=${third}&ical=1`, october],
    [`/events/?starts_before=${third}&ical=1`, october],
    [`/events/past/?ical=1`, []],
    [`/events/month/${YEAR}-10/?ical=1&recurrence=whole`, ['10-12 on']],
    [`/events/?ical=1&start_date=${third}`, ['10-12 on']],
    ['/events/?ical=1', ['10-12 on']],
    [`/events.ics?start_date=${third}&end_date=${third}`, ['10-12 on']],
    [`/?post_type=tribe_events&tribe-bar-date=${third}&ical=1&eventDisplay=list`, ['10-12 on']],
    [`/?post_type=tribe_events&tribe-bar-date=${third}&ical=1&eventDisplay=day`, ['10-26']],
    [`/events/?tribe-bar-date=${third}&ical=1`, ['10-26']],
    [`/events/?tribe_event_display=month&eventDate=${YEAR}-10&ical=1`, october],
  ] as const)
    deepEqual(await starts(path), expected, path)
})
