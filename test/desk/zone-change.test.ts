import { deepEqual, equal, fail, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setOwnerSettings } from '../../src/features/pages/owner-settings.ts'
import { deskHere } from '../support/desk.ts'
import { fc, rounds, SEED, SHRINKS } from '../support/rounds.ts'
import { type Body, onDay, serviceForTests } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const service = serviceForTests({ timezone: '' })
const admin = deskHere(service, 'admin')

const ZONES = ['Europe/Dublin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'] as const

/** Around the days on which clocks change in spring and autumn. */
const starts = fc.constantFrom(
  ...['2027-03-13 23:30:00', '2027-03-14 02:30:00', '2027-03-28 01:30:00', '2027-04-04 01:45:00'],
  ...['2027-06-01 19:30:00', '2027-10-03 02:10:00', '2027-10-31 01:30:00', '2027-11-07 01:30:00'],
)
const events = fc.array(
  fc.record({ start: starts, hours: fc.constantFrom(1, 5, 26), allDay: fc.boolean(), repeats: fc.boolean() }),
  { minLength: 1, maxLength: 5 },
)
const change = fc
  .record({ from: fc.constantFrom(...ZONES), to: fc.constantFrom(...ZONES) })
  .filter(({ from, to }) => from !== to)

const laterBy = (wall: string, hours: number) =>
  new Date(Date.parse(`${wall.replace(' ', 'T')}Z`) + hours * 3_600_000)
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ')

interface Known {
  id: number
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
  timezone: string
  all_day: boolean
  recurrence: unknown
}

async function known(): Promise<Known[]> {
  const { events: all } = await service.read(
    '/events?start_date=2027-01-01&end_date=2028-12-31&per_page=50&status=publish',
    'admin',
  )
  return all
    .map((event: Body) => ({
      id: event.id,
      start_date: event.start_date,
      end_date: event.end_date,
      utc_start_date: event.utc_start_date,
      utc_end_date: event.utc_end_date,
      timezone: event.timezone,
      all_day: event.all_day,
      recurrence: event.recurrence ?? null,
    }))
    .sort((a: Known, b: Known) => a.id - b.id)
}

/** The service knows of the setting when `follow` has run. */
async function zoneIs(timezone: string): Promise<void> {
  await service.app.database.write((tx) => setOwnerSettings(tx, { timezone }))
  await untilZone(timezone)
  await untilZone(timezone)
}

const untilZone = (timezone: string) =>
  until(
    async () => (await service.get('~/wp-json/')).body.timezone_string === timezone,
    'the zone is not set',
  )

async function clear(): Promise<void> {
  for (const { id } of await known()) await service.remove(`/events/${id}?force=true&recurrence_scope=this`)
  deepEqual(await known(), [])
}

const idIn = (body: string) => /name="change" value="(\d+)"/.exec(body)?.[1] ?? ''

test(`a change of the zone keeps hours or moments, also of series, undone (seed ${SEED})`, async () => {
  const property = fc.asyncProperty(events, change, async (planned, { from, to }) => {
    await zoneIs(from)
    for (const { start, hours, allDay, repeats } of planned)
      await service.event({
        title: 'Choir',
        start_date: start,
        end_date: laterBy(start, hours),
        all_day: allDay,
        status: 'publish',
        ...(repeats && { recurrence: 'FREQ=WEEKLY;COUNT=3' }),
      })
    const before = await known()
    for (const keep of ['hour', 'moment'] as const) {
      const asked = await admin.post('/desk/settings', { timezone: to })
      deepEqual([asked.status, /name="keep" value="moment"/.test(asked.body)], [200, true])
      deepEqual(await known(), before, 'asking changes nothing')
      equal((await admin.post('/desk/settings', { timezone: to, keep })).status, 303)
      await untilZone(to)
      const moved = await known()
      for (const [at, event] of moved.entries()) {
        const former = before[at] ?? fail()
        if (keep === 'moment' && !event.all_day)
          deepEqual([event.utc_start_date, event.utc_end_date], [former.utc_start_date, former.utc_end_date])
        else keepsHour(event, former)
        const stays = keep === 'moment' && former.recurrence !== null
        equal(event.timezone, stays ? from : to)
      }
      const { body } = await admin.get('/desk/settings?zone')
      equal((await admin.post('/desk/settings/zone/undo', { change: idIn(body) })).status, 303)
      await untilZone(from)
      deepEqual(await known(), before)
    }
    await clear()
  })
  await fc.assert(property, { numRuns: rounds(4), seed: SEED, endOnFailure: !SHRINKS })
})

/** A clock that skips the hour shows a later one. */
function keepsHour(event: Known, former: Known): void {
  if (event.all_day) deepEqual([event.start_date, event.end_date], [former.start_date, former.end_date])
  else
    ok(
      [former.start_date, laterBy(former.start_date, 1), laterBy(former.start_date, 0.5)].includes(
        event.start_date,
      ),
    )
}

test('what was made or changed since stays so when a change is taken back', async () => {
  await zoneIs('UTC')
  const [one, other] = await Promise.all(
    ['One', 'Other'].map((title) => service.event({ title, ...onDay('2027-06-01', '10:00:00', '11:00:00') })),
  )
  await admin.post('/desk/settings', { timezone: 'Europe/Dublin', keep: 'hour' })
  await untilZone('Europe/Dublin')
  await service.update(`/events/${one.id}`, { ...onDay('2027-06-01', '12:00:00', '13:00:00') })
  const added = await service.event({ title: 'Added', ...onDay('2027-06-01', '15:00:00', '16:00:00') })
  await admin.post('/desk/settings/zone/undo', { change: idIn((await admin.get('/desk/settings')).body) })
  await untilZone('UTC')
  const timesOf = async (id: number) => {
    const { start_date, utc_start_date, timezone } = await service.read(`/events/${id}`)
    return [start_date, utc_start_date, timezone]
  }
  deepEqual(await timesOf(one.id), ['2027-06-01 12:00:00', '2027-06-01 12:00:00', 'UTC'])
  deepEqual(await timesOf(other.id), ['2027-06-01 10:00:00', '2027-06-01 10:00:00', 'UTC'])
  deepEqual(await timesOf(added.id), ['2027-06-01 15:00:00', '2027-06-01 14:00:00', 'Europe/Dublin'])
  equal((await admin.post('/desk/settings/zone/undo', { change: '1' })).status, 303)
  deepEqual(await timesOf(other.id), ['2027-06-01 10:00:00', '2027-06-01 10:00:00', 'UTC'])
})

test('while events are moved to a zone or back, and for an empty zone, no other is set', async () => {
  await zoneIs('UTC')
  const zone = async () =>
    (
      await service.app.database.read
        .selectFrom('owner_settings')
        .select('value')
        .where('name', '=', 'timezone')
        .executeTakeFirst()
    )?.value
  const change = {
    former_zone: 'Asia/Kolkata',
    new_zone: 'UTC',
    keeps: 'hour',
    last_event: 0,
    user: 1,
  } as const
  const done_utc = '2027-01-01 00:00:00'
  const empty = await admin.post('/desk/settings', { timezone: '', keep: 'hour' })
  deepEqual([empty.status, await zone()], [422, 'UTC'])
  for (const state of ['moving', 'returning'] as const) {
    await service.app.database.write(async (tx) => {
      await tx.deleteFrom('zone_changes').execute()
      await tx
        .insertInto('zone_changes')
        .values({ ...change, state, done_utc })
        .execute()
    })
    for (const keep of ['hour', 'moment']) {
      const { status, body } = await admin.post('/desk/settings', { timezone: 'Asia/Tokyo', keep })
      deepEqual([status, await zone()], [422, 'UTC'])
      match(body, /The zone is being changed just now/)
    }
    equal((await admin.post('/desk/settings', { timezone: 'UTC', clock: '24' })).status, 303)
  }
  await service.app.database.write((tx) => tx.deleteFrom('zone_changes').execute())
})

test('an event in the skipped hour keeps its length, and is taken back to the second', async () => {
  await zoneIs('UTC')
  const times = { start_date: '2027-03-28 02:30:00', end_date: '2027-03-28 03:30:00' }
  const { id } = await service.event({ title: 'Night walk', ...times })
  const before = (await known()).find((event) => event.id === id)
  await admin.post('/desk/settings', { timezone: 'Europe/Berlin', keep: 'hour' })
  await untilZone('Europe/Berlin')
  const { start_date, end_date, utc_end_date } = await service.read(`/events/${id}`)
  deepEqual(
    [start_date, end_date, utc_end_date],
    ['2027-03-28 03:30:00', '2027-03-28 04:30:00', '2027-03-28 02:30:00'],
  )
  await admin.post('/desk/settings/zone/undo', { change: idIn((await admin.get('/desk/settings')).body) })
  await untilZone('UTC')
  deepEqual(
    (await known()).find((event) => event.id === id),
    before,
  )
})
