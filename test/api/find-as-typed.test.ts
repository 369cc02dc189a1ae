import { deepEqual, equal, fail } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Role } from '../../src/calendar/people/caller.ts'
import { findAsTyped } from '../../src/features/desk/find-as-typed.ts'
import { pluck } from '../support/lists.ts'
import { serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin' })
const on = (day: string) => ({ start_date: `2027-11-${day} 19:00:00`, end_date: `2027-11-${day} 21:00:00` })

async function typed(text: string, role: Role = 'editor') {
  const { read: db, readInLane, findMatching } = service.app.database
  const caller = { id: service.userIds[role] ?? 0, login: role, role }
  const now = Date.UTC(2027, 10, 15)
  return findAsTyped(text, { db, readInLane, findMatching, caller, now, site: service.app.site })
}

const titles = async (text: string, role?: Role) => (await typed(text, role)).map(({ title }) => title)

describe('what is typed', () => {
  test('finds events by their title as it is written, those that come next first', async () => {
    await service.event({ title: 'Choir', ...on('10') })
    await service.event({ title: 'Chœur &amp; Orchestra', ...on('20') })
    await service.event({ title: 'Choir', ...on('18') })
    await service.event({ title: 'The choir sings', ...on('16') })
    await service.event({ title: 'Evening', ...on('16'), description: '<p>With our choir</p>' })
    const found = await typed('choir')
    deepEqual(
      found.map(({ title, about }) => `${title} ${about.slice(8, 10)}`),
      ['Choir 18', 'Choir 10', 'The choir sings 16', 'Evening 16'],
    )
    deepEqual(await titles('ORCH'), ['Chœur & Orchestra'])
    deepEqual(await titles('choeur orc'), ['Chœur & Orchestra'])
    deepEqual(await titles('ev'), ['Evening'])
    deepEqual(found[0], {
      kind: 'event',
      id: found[0]?.id,
      title: 'Choir',
      about: '2027-11-18 19:00:00',
      status: 'publish',
    })
  })

  test('finds an event by its id, its slug, its address, and the UID of a feed', async () => {
    const event = await service.event({ title: 'Harvest', slug: 'of-old', ...on('17') })
    const feed = await service.get(`~/event/${event.slug}.ics`)
    const uid = /^UID:(.+)$/m.exec(String(feed.body))?.[1]?.trim() ?? fail(String(feed.body))
    for (const text of [String(event.id), `#${event.id}`, 'of-old', 'of-o', event.url, uid])
      deepEqual(await titles(text), ['Harvest'], text)
  })

  test('finds the next date of a series by the UID of the series', async () => {
    await service.event({ title: 'Class', ...on('01'), recurrence: 'RRULE:FREQ=WEEKLY;COUNT=5' })
    const { uid } = await service.app.database.read
      .selectFrom('series')
      .select('uid')
      .where('title', '=', 'Class')
      .executeTakeFirstOrThrow()
    const [hit, ...others] = await typed(uid)
    deepEqual([hit?.title, hit?.about, others.length], ['Class', '2027-11-15 19:00:00', 0])
  })

  test('finds venues and organizers by their names and ids', async () => {
    const venue = await service.create('/venues', { venue: 'Old Granary', city: 'Lyon' })
    await service.create('/organizers', { organizer: 'Friends of the granary' })
    const hits = await typed('granary')
    deepEqual(pluck(hits, 'kind', 'title', 'about', 'status'), [
      ['venue', 'Old Granary', 'Lyon', 'publish'],
      ['organizer', 'Friends of the granary', '', 'publish'],
    ])
    deepEqual(await titles(String(venue.id)), ['Old Granary'])
  })

  test('finds every status that the caller may see, the trash last', async () => {
    const gone = await service.event({ title: 'Zither night', ...on('20') })
    await service.remove(`/events/${gone.id}`)
    await service.event({ title: 'Zither draft', ...on('21'), status: 'draft' })
    await service.event({ title: 'Zither', ...on('22') })
    deepEqual(await titles('zither'), ['Zither', 'Zither draft', 'Zither night'])
    deepEqual(await titles('zither', 'contributor'), ['Zither'])
    deepEqual(await titles(String(gone.id), 'contributor'), [])
  })

  test('finds no more than eight, and nothing for what nobody types', async () => {
    for (let n = 10; n < 22; n += 1) await service.event({ title: `Drum ${n}`, ...on(String(n)) })
    equal((await typed('drum')).length, 8)
    for (const text of [
      '',
      ' ',
      '\0',
      '%',
      '\\',
      "'",
      '\ud800',
      '99999999999',
      '/',
      'x'.repeat(1_000_000),
      'drum '.repeat(100),
    ])
      deepEqual(await typed(text), [], text.slice(0, 20))
  })

  test('finds what is old by a rare word', async () => {
    const { id } = await service.event({ title: 'An unusual quokka', ...on('12') })
    deepEqual(pluck(await typed('quokka'), 'id'), [id])
  })
})
