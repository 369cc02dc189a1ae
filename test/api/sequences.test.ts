import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import ICAL from 'ical.js'
import { serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin' })
const YEAR = 2027
const day = (n: number, time = '10:00:00') => `${YEAR}-03-${String(n).padStart(2, '0')} ${time}`
const SERIES = '~/wp-json/kalends/v1/series'

async function sequences(search: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${service.base}/events?format=ics&search=${search}`)).text()
  const found = new Map<string, number>()
  for (const event of new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent')) {
    const [uid, sequence] = ['uid', 'sequence'].map((name) => String(event.getFirstPropertyValue(name)))
    found.set(uid ?? '', Math.max(found.get(uid ?? '') ?? 0, Number(sequence)))
  }
  return found
}

async function neverFalls(search: string, steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const highest = await sequences(search)
  notEqual(highest.size, 0)
  for (const [at, step] of steps.entries()) {
    await step()
    for (const [uid, sequence] of await sequences(search)) {
      ok(
        sequence >= (highest.get(uid) ?? 0),
        `step ${at}: ${uid} fell from ${highest.get(uid)} to ${sequence}`,
      )
      highest.set(uid, sequence)
    }
  }
}

test('the SEQUENCE of an event rises with each change, in one second and through the trash', async () => {
  const { id } = await service.event({ title: 'Moth', start_date: day(1), end_date: day(1, '11:00:00') })
  const seen = [...(await sequences('moth')).values()]
  const steps = [
    () => service.update(`/events/${id}`, { excerpt: 'One' }),
    () => service.update(`/events/${id}`, { excerpt: 'Two' }),
    () => service.remove(`/events/${id}`),
    () => service.update(`/events/${id}`, { status: 'publish' }),
    () => service.update(`/events/${id}`, { status: 'draft' }),
    () => service.update(`/events/${id}`, { status: 'publish' }),
  ]
  for (const step of steps) {
    await step()
    seen.push(...(await sequences('moth')).values())
  }
  deepEqual(
    seen,
    [...new Set(seen)].sort((a, b) => a - b),
  )
  equal(seen.length, steps.length + 1)
})

test('the SEQUENCE of a series never falls: dates changed, removed, one and all restored', async () => {
  const course = { title: 'Otter', start_date: day(1), end_date: day(1, '11:00:00') }
  const { post_parent: series } = await service.event({ ...course, recurrence: 'RRULE:FREQ=DAILY;COUNT=4' })
  const listed = await service.get(
    `/events?post_parent=${series}&per_page=50&start_date=2000-01-01&end_date=2100-01-01`,
  )
  const [first, second, third, fourth] = listed.body.events.map(({ id }: { id: number }) => `/events/${id}`)
  const retitle = (title: string) => () => service.update(third, { title })
  await neverFalls('otter', [
    retitle('Otter one'),
    retitle('Otter two'),
    retitle('Otter three'),
    retitle('Otter four'),
    () => service.remove(third),
    () => service.remove(first),
    () => service.update(second, { title: 'Otter walk' }),
    () => service.update(second, { title: 'Otter talk' }),
    () => service.remove(`${SERIES}/${series}`),
    () => service.update(fourth, { status: 'publish' }),
    () => service.put(`${SERIES}/${series}`, { status: 'publish' }),
    () => service.remove(`${SERIES}/${series}`),
    () => service.update(first, { status: 'publish' }),
    () => service.update(second, { status: 'publish' }),
    () => service.update(first, { title: 'Otter swim', recurrence_scope: 'all' }),
    () => service.remove(`${SERIES}/${series}`),
  ])
})

test('an event that begins to repeat goes on with its SEQUENCE', async () => {
  const { id } = await service.event({ title: 'Newt', start_date: day(1), end_date: day(1, '11:00:00') })
  await neverFalls('newt', [
    () => service.update(`/events/${id}`, { excerpt: 'One' }),
    () => service.update(`/events/${id}`, { excerpt: 'Two' }),
    () => service.update(`/events/${id}`, { excerpt: 'Three' }),
    () => service.update(`/events/${id}`, { recurrence: 'RRULE:FREQ=DAILY;COUNT=3' }),
    () => service.remove(`/events/${id}`),
  ])
})

test('a venue that is taken from an event takes nothing of its SEQUENCE along', async () => {
  const { id: venue } = await service.create('/venues', { venue: 'Pond' })
  const frog = { title: 'Frog', start_date: day(1), end_date: day(1, '11:00:00'), venue }
  const { id } = await service.event(frog)
  await neverFalls('frog', [
    ...['1', '2', '3', '4'].map((address) => () => service.update(`/venues/${venue}`, { address })),
    () => service.update(`/events/${id}`, { venue: [] }),
  ])
})

test('a calendar file has no UID twice where an older version has given one to several records', async () => {
  const at = (n: number) => ({ title: 'Heron', start_date: day(n), end_date: day(n, '11:00:00') })
  const { id: first } = await service.event(at(1))
  const { post_parent: series } = await service.event({ ...at(2), recurrence: 'RRULE:FREQ=DAILY;COUNT=3' })
  const { id: last } = await service.event(at(5))
  const uid = 'heron@x'
  await service.app.database.write(async (tx) => {
    await tx.updateTable('events').set({ uid }).where('id', 'in', [first, last]).execute()
    await tx.updateTable('series').set({ uid }).where('id', '=', series).execute()
  })
  deepEqual([...(await sequences('heron')).keys()], [uid, `${uid}-series-${series}`, `${uid}-event-${last}`])
  // Withdrawing one event cancels no other.
  await service.remove(`/events/${last}`)
  deepEqual([...(await sequences('heron')).keys()], [uid, `${uid}-series-${series}`])
})
