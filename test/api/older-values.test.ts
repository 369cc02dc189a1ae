import { deepEqual, equal, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { touch } from '../support/recording.ts'
import { day, memoryFilled, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
const { create } = service
const LONG = {
  title: 'A very long title '.repeat(400).trim(),
  text: `<p>${'A long description. '.repeat(20_000)}</p>`,
  line: 'A long line '.repeat(500).trim(),
  website: `https://example.org/?q=${'a'.repeat(5000)}`,
  term: 'n'.repeat(900),
  cost: JSON.stringify(Array.from({ length: 1500 }, (_, i) => String(i + 1))),
  slug: 's'.repeat(400),
}
const TERMS = 300

describe('what earlier versions took and today is over a limit', () => {
  const ids = { event: 0, venue: 0, organizer: 0, category: 0 }
  let tags: number[] = []

  before(async () => {
    const places = { venue: { venue: 'Old hall' }, organizer: [{ organizer: 'Old club' }] }
    const event = await create('/events', { title: 'Old', ...day, ...places, categories: ['Old category'] })
    Object.assign(ids, { event: event.id, venue: event.venue.id, organizer: event.organizer[0].id })
    ids.category = event.categories[0].id
    await service.app.database.write(async (tx) => {
      const { title, text, line, website, term, cost, slug } = LONG
      const texts = { description: text, excerpt: text }
      await tx
        .updateTable('events')
        .set({ title, slug, cost, website, ...texts })
        .where('id', '=', ids.event)
        .execute()
      const lines = { address: line, city: line, phone: line, website }
      await tx
        .updateTable('venues')
        .set({ venue: title, ...lines, ...texts })
        .where('id', '=', ids.venue)
        .execute()
      await tx
        .updateTable('organizers')
        .set({ organizer: title, phone: line, email: line, website, ...texts })
        .where('id', '=', ids.organizer)
        .execute()
      await tx
        .updateTable('terms')
        .set({ name: term, folded: term, description: text })
        .where('id', '=', ids.category)
        .execute()
      const rows = Array.from({ length: TERMS }, (_, i) => ({
        taxonomy: 'tag' as const,
        name: `Old tag ${i}`,
        slug: `old-tag-${i}`,
        description: '',
        parent: 0,
        count: 1,
        folded: `old tag ${i}`,
      }))
      const made = await tx.insertInto('terms').values(rows).returning('id').execute()
      tags = made.map(({ id }) => id)
      await tx
        .insertInto('event_terms')
        .values(tags.map((term) => ({ event: ids.event, term })))
        .execute()
      const changes = [
        ...tags.map((record) => ({ kind: 'term' as const, record })),
        { kind: 'term' as const, record: ids.category },
        { kind: 'event' as const, record: ids.event },
        { kind: 'venue' as const, record: ids.venue },
        { kind: 'organizer' as const, record: ids.organizer },
      ]
      for (const { kind, record } of changes) await touch(tx, kind, record)
    })
    await memoryFilled(service)
  })

  test('is shown whole by lists, by itself and by searches', async () => {
    for (const as of ['anonymous', 'anonymous', 'editor'] as const) {
      const paths = [
        '/events',
        `/events/${ids.event}`,
        `/events/by-slug/${LONG.slug}`,
        '/events?search=long title',
        `/events?tags=${tags[7]}`,
        `/events?include=${ids.event}`,
      ]
      for (const path of paths) {
        const { status, body } = await service.get(path, as)
        equal(status, 200, `${as} ${path}`)
        const event = body.events?.[0] ?? body
        if (path.includes('search')) continue
        equal(event.title, LONG.title, path)
        ok(event.description.length > 390_000)
        equal(event.tags.length, TERMS)
        equal(event.cost_details.values.length > 0, true)
        equal(event.website, LONG.website)
        equal(event.venue.address, LONG.line)
        equal(event.organizer[0].organizer, LONG.title)
        equal(event.categories[0].name, LONG.term)
      }
    }
    for (const path of [
      `/venues/${ids.venue}`,
      `/organizers/${ids.organizer}`,
      `/categories/${ids.category}`,
    ])
      equal((await service.get(path)).status, 200, path)
    for (const path of ['/venues', '/organizers', '/categories', '/tags?per_page=50'])
      equal((await service.get(path)).status, 200, path)
  })

  test('stays when something else is changed', async () => {
    const changed = await service.put(`/events/${ids.event}`, { featured: true })
    deepEqual([changed.status, changed.body.title], [200, LONG.title])
    equal(changed.body.tags.length, TERMS)
    const venue = await service.put(`/venues/${ids.venue}`, { zip: '1' })
    deepEqual([venue.status, venue.body.address], [200, LONG.line])
    const category = await service.put(`/categories/${ids.category}`, { description: 'Short' })
    deepEqual([category.status, category.body.name], [200, LONG.term])
  })
})
