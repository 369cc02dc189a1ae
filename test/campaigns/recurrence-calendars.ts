import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import ICAL from 'ical.js'
import { startService, type TestService } from '../support/service.ts'

const ZONES = (
  'Australia/Lord_Howe Africa/Cairo Europe/Dublin Pacific/Apia Pacific/Chatham Asia/Kathmandu ' +
  'Asia/Beirut Asia/Gaza America/St_Johns America/Santiago America/Nuuk Antarctica/Troll ' +
  'Europe/Berlin UTC UTC+5:30'
).split(' ')

const DAY_MS = 86_400_000
const day = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
const compact = (days: number, time: string) => `${day(days).replaceAll('-', '')}T${time}`

function shapes(): readonly { name: string; fields: object }[] {
  const at = (time: string, end: string) => ({
    start_date: `${day(3)} ${time}`,
    end_date: `${day(3)} ${end}`,
  })
  const [evening, night] = [at('19:00:00', '21:00:00'), at('02:30:00', '03:15:00')]
  return [
    { name: 'daily at night', fields: { ...night, recurrence: 'RRULE:FREQ=DAILY;COUNT=400' } },
    { name: 'weekly', fields: { ...evening, recurrence: 'RRULE:FREQ=WEEKLY;COUNT=60' } },
    { name: 'last Friday', fields: { ...evening, recurrence: 'RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=12' } },
    {
      name: 'with dates added and left out',
      fields: {
        ...evening,
        recurrence: [
          'RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=20',
          `RDATE:${compact(40, '101500')},${compact(200, '023000')}`,
          `EXDATE:${compact(17, '190000')},${compact(45, '190000')}`,
        ],
      },
    },
    {
      name: 'all day',
      fields: { ...evening, all_day: true, recurrence: 'RRULE:FREQ=DAILY;INTERVAL=9;COUNT=40' },
    },
    {
      name: 'changed one by one',
      fields: { ...evening, recurrence: `RRULE:FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=${compact(360, '000000Z')}` },
    },
  ]
}

interface Calendar {
  name: string
  ics: string
  isAllDay: boolean
  starts: string[]
}

interface Listed {
  id: number
  start_date: string
  utc_start_date: string
  all_day: boolean
}

/**
 * Compares how other programs expand the calendar file of each series with its list of occurrences. Returns
 * true if all agree. The calendar is in UTC, since recurring-ical-events converts times to its zone and then
 * cannot tell repeated ones apart. A second one in Berlin tests series in UTC.
 */
export async function compareCalendars(python: string): Promise<boolean> {
  const calendars: Calendar[] = []
  for (const [site, zones] of [
    ['UTC', ZONES],
    ['Europe/Berlin', ['UTC', 'GMT']],
  ] as const) {
    const service = await startService({ timezone: site, log_level: 'silent' })
    for (const timezone of zones)
      for (const shape of shapes()) calendars.push(await calendarOf(service, timezone, shape))
    await service.close()
  }
  const total = calendars.reduce((sum, { starts }) => sum + starts.length, 0)
  console.log(`${calendars.length} series as calendars, ${total} occurrences`)
  return [report('ical.js', calendars, calendars.map(byIcalJs)), byPython(python, calendars)].every(Boolean)
}

async function calendarOf(
  service: TestService,
  timezone: string,
  { name, fields }: { name: string; fields: object },
): Promise<Calendar> {
  const { post_parent } = await service.create('/events', { title: name, timezone, ...fields })
  if (name === 'changed one by one') await changeSome(service, await listed(service, post_parent))
  const { body } = await service.get(`~/events.ics?post_parent=${post_parent}`)
  const rows = await listed(service, post_parent)
  const isAllDay = rows.every(({ all_day }) => all_day)
  const starts = rows.map(({ start_date, utc_start_date }) =>
    isAllDay ? start_date.slice(0, 10) : utc_start_date,
  )
  return { name: `${timezone}, ${name}`, ics: String(body), isAllDay, starts: starts.sort() }
}

async function changeSome(service: TestService, rows: readonly Listed[]): Promise<void> {
  for (const [i, { id, start_date }] of rows.entries()) {
    const on = (days: number, time: string) =>
      `${new Date(Date.parse(`${start_date.slice(0, 10)}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)} ${time}`
    if (i % 13 === 12) await service.remove(`/events/${id}`)
    else if (i % 11 === 10)
      await service.update(`/events/${id}`, { start_date: on(1, '09:00'), end_date: on(1, '09:30') })
    else if (i % 7 === 6)
      await service.update(`/events/${id}`, { start_date: on(0, '22:00'), end_date: on(0, '23:00') })
  }
}

async function listed(service: TestService, series: number): Promise<Listed[]> {
  const rows: Listed[] = []
  for (let page = 1; ; page++) {
    const path = `/events?post_parent=${series}&per_page=50&page=${page}&start_date=2000-01-01&end_date=2100-01-01`
    const { body } = await service.get(path)
    rows.push(...body.events)
    if (page >= body.total_pages) return rows
  }
}

const MOST = 1000

function byIcalJs({ ics, isAllDay }: Calendar): string[] {
  const components = new ICAL.Component(ICAL.parse(ics))
  const events = components
    .getAllSubcomponents('vevent')
    .filter((event) => event.getFirstPropertyValue('status') !== 'CANCELLED')
  for (const zone of components.getAllSubcomponents('vtimezone'))
    ICAL.TimezoneService.register(new ICAL.Timezone(zone))
  const masters = events.filter((event) => !event.hasProperty('recurrence-id'))
  const exceptions = events.filter((event) => event.hasProperty('recurrence-id'))
  const show = (at: ICAL.Time) =>
    isAllDay ? at.toString().slice(0, 10) : at.toJSDate().toISOString().slice(0, 19).replace('T', ' ')
  const starts = masters.flatMap((master) => {
    const event = new ICAL.Event(master, { exceptions, strictExceptions: true })
    const dates = event.iterator()
    const found: string[] = []
    for (let next = dates.next(); next && found.length < MOST; next = dates.next())
      found.push(show(event.getOccurrenceDetails(next).startDate))
    return found
  })
  for (const zone of components.getAllSubcomponents('vtimezone'))
    ICAL.TimezoneService.remove(String(zone.getFirstPropertyValue('tzid')))
  return starts.sort()
}

function byPython(python: string, calendars: readonly Calendar[]): boolean {
  const input = calendars.map(({ name, ics }) => JSON.stringify({ name, ics })).join('\n')
  const script = fileURLToPath(new URL('recurrence-calendars.py', import.meta.url))
  const { stdout, stderr, status } = spawnSync(python, [script], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    input,
  })
  if (status !== 0) {
    console.log(
      `recurring-ical-events is left out: ${python} has no python3-recurring-ical-events (${stderr.trim().split('\n').at(-1)})`,
    )
    return true
  }
  const expanded: string[][] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return report('recurring-ical-events', calendars, expanded)
}

function report(voice: string, calendars: readonly Calendar[], expanded: readonly string[][]): boolean {
  let differences = 0
  for (const [i, { name, starts }] of calendars.entries()) {
    const theirs = expanded[i] ?? []
    if (theirs.join() === starts.join()) continue
    differences += 1
    const [ours, other] = [new Set(starts), new Set(theirs)]
    const [onlyOurs, onlyTheirs] = [
      [...ours.difference(other)].slice(0, 3),
      [...other.difference(ours)].slice(0, 3),
    ]
    console.log(`${voice}: ${name}: only ours ${onlyOurs.join()}; only theirs ${onlyTheirs.join()}`)
  }
  console.log(`${voice}: ${calendars.length} calendars, ${differences} differences`)
  return differences === 0
}
