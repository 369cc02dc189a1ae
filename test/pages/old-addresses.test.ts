import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findLinked, updateLinked } from '../../src/calendar/linked/linked-store.ts'
import { organizerRules } from '../../src/calendar/linked/organizer.ts'
import { venueRules } from '../../src/calendar/linked/venue.ts'
import { onDay, serviceForTests } from '../support/service.ts'

const WHEN = onDay('2027-03-03', '10:00:00', '12:00:00')

const service = serviceForTests()

async function at(path: string): Promise<string> {
  const response = await fetch(service.origin + path, {
    redirect: 'manual',
    headers: { accept: 'text/html' },
  })
  await response.arrayBuffer()
  const location = response.headers.get('location')
  return `${response.status}${location === null ? '' : ` ${location}`}`
}

async function rename(kind: 'event' | 'venue' | 'organizer', id: number, slug: string): Promise<void> {
  if (kind === 'event') return service.update(`/events/${id}`, { slug })
  const rules = kind === 'venue' ? venueRules : organizerRules
  await service.app.database.write(async (tx) => {
    const row = await findLinked(tx, rules, id)
    ok(row)
    await updateLinked(tx, rules, row, { slug })
  })
}

const event = (fields: object) => service.event({ ...WHEN, ...fields })

describe('what was public', () => {
  for (const [kind, path, name] of [
    ['event', '/events', 'title'],
    ['venue', '/venues', 'venue'],
    ['organizer', '/organizers', 'organizer'],
  ] as const) {
    test(`answers 410 once it is in the trash, by page, feed and id, if it was public: ${kind}`, async () => {
      const { id, slug } = await service.create(path, { ...WHEN, [name]: `Gone ${kind}` })
      equal(await at(`/${kind}/${slug}/`), '200')
      await service.remove(`${path}/${id}`)
      for (const address of [
        `/${kind}/${slug}/`,
        `/${kind}/${slug}.ics`,
        `/${kind}/${slug}.jsonld`,
        `/${kind}/${id}/`,
      ])
        equal(await at(address), '410', address)
      const { status, body } = await service.get(`~/${kind}/${slug}.ics`)
      deepEqual([status, body.code, body.data.status], [410, 'rest_gone', 410])
    })

    test(`answers 404 if it never was: ${kind}`, async () => {
      for (const status of ['private', 'draft', 'pending']) {
        const { id, slug } = await service.create(path, {
          ...WHEN,
          [name]: `Never ${status} ${kind}`,
          status,
          slug: `never-${status}`,
        })
        const addresses = [`/${kind}/never-${status}/`, `/${kind}/never-${status}.ics`, `/${kind}/${id}/`]
        for (const address of addresses) equal(await at(address), '404', `${status} ${address}`)
        await service.remove(`${path}/${id}`)
        for (const address of addresses) equal(await at(address), '404', `${status} trashed ${address}`)
        ok(slug !== undefined)
      }
    })

    test(`answers 410 while it is private, and its page when it is back: ${kind}`, async () => {
      const { id, slug } = await service.create(path, { ...WHEN, [name]: `Hidden ${kind}` })
      await service.update(`${path}/${id}`, { status: 'private' })
      equal(await at(`/${kind}/${slug}/`), '410')
      await rename(kind, id, `secret-${kind}`)
      equal(await at(`/${kind}/secret-${kind}/`), '404')
      equal(await at(`/${kind}/${slug}/`), '410')
      await rename(kind, id, slug)
      await service.update(`${path}/${id}`, { status: 'publish' })
      equal(await at(`/${kind}/${slug}/`), '200')
      await service.remove(`${path}/${id}`)
      await service.update(`${path}/${id}`, { status: 'publish' })
      equal(await at(`/${kind}/${slug}/`), '200')
    })

    test(`leads from old addresses to the present one, by page and feed: ${kind}`, async () => {
      const { id, slug } = await service.create(path, { ...WHEN, [name]: `First ${kind}` })
      await rename(kind, id, `second-${kind}`)
      await rename(kind, id, `third-${kind}`)
      for (const old of [slug, `second-${kind}`]) {
        equal(await at(`/${kind}/${old}/`), `301 /${kind}/third-${kind}/`)
        equal(await at(`/${kind}/${old}.ics?a=b/c/`), `301 /${kind}/third-${kind}.ics?a=b/c/`)
        equal(await at(`/${kind}/${old}/?ical=1`), `301 /${kind}/third-${kind}/?ical=1`)
      }
      equal(await at(`/${kind}/${id}/`), `301 /${kind}/third-${kind}/`)
      await rename(kind, id, slug)
      equal(await at(`/${kind}/${slug}/`), '200')
      equal(await at(`/${kind}/third-${kind}/`), `301 /${kind}/${slug}/`)
      await service.remove(`${path}/${id}`)
      equal(await at(`/${kind}/third-${kind}/`), '410')
    })
  }

  test('an old address is that of whoever takes it', async () => {
    const { id } = await event({ title: 'Taken', slug: 'taken' })
    await service.update(`/events/${id}`, { slug: 'given-up' })
    equal(await at('/event/taken/'), '301 /event/given-up/')
    const other = await event({ title: 'Other', slug: 'taken' })
    equal(other.slug, 'taken')
    equal(await at('/event/taken/'), '200')
    await service.update(`/events/${other.id}`, { slug: 'moved-on' })
    equal(await at('/event/taken/'), '301 /event/moved-on/')
  })

  test('the slug of a draft that was never seen leads nowhere', async () => {
    const { id } = await event({ title: 'Unseen', status: 'draft', slug: 'unseen' })
    await service.update(`/events/${id}`, { slug: 'seen', status: 'publish' })
    equal(await at('/event/unseen/'), '404')
    equal(await at('/event/seen/'), '200')
  })

  test('addresses of other scripts lead on in every spelling', async () => {
    const { id, slug } = await event({ title: 'Концерт' })
    await service.update(`/events/${id}`, { slug: 'concert' })
    for (const old of [slug, slug.toUpperCase(), encodeURI('концерт')])
      equal(await at(`/event/${old}/`), '301 /event/concert/')
  })

  test('so many old addresses of a record are kept, and the oldest go', async () => {
    const { id } = await event({ title: 'Restless', slug: 'restless-0' })
    for (let i = 1; i <= 22; i++) await service.update(`/events/${id}`, { slug: `restless-${i}` })
    equal(await at('/event/restless-1/'), '404')
    equal(await at('/event/restless-2/'), '301 /event/restless-22/')
    equal(await at('/event/restless-21/'), '301 /event/restless-22/')
  })

  test('a category or tag leads from its old address to the present one, with what follows it', async () => {
    const parent = await service.create('/categories', { name: 'Arts' })
    const child = await service.create('/categories', { name: 'Dance', parent: parent.id })
    const tag = await service.create('/tags', { name: 'Free' })
    await event({ title: 'Tagged', tags: [tag.id], categories: [child.id] })
    await service.update(`/categories/${child.id}`, { slug: 'ballet' })
    await service.update(`/tags/${tag.id}`, { slug: 'gratis' })
    equal(await at('/events/category/arts/dance/'), '301 /events/category/arts/ballet/')
    equal(
      await at('/events/category/dance/month/2027-03/?search=x'),
      '301 /events/category/arts/ballet/month/2027-03/?search=x',
    )
    equal(
      await at('/events/category/arts/dance.ics?search=x'),
      '301 /events/category/arts/ballet.ics?search=x',
    )
    equal(await at('/events/tag/free/'), '301 /events/tag/gratis/')
    equal(await at('/events/tag/free.rss'), '301 /events/tag/gratis.rss')
    await service.update(`/categories/${parent.id}`, { slug: 'culture' })
    equal(await at('/events/category/arts/ballet/'), '301 /events/category/culture/ballet/')
    equal(await at('/events/category/arts/'), '301 /events/category/culture/')
    await service.remove(`/tags/${tag.id}`)
    equal(await at('/events/tag/free/'), '404')
  })

  test('what fails is not noted', async () => {
    await event({ title: 'Holder', slug: 'holder' })
    const tags = [
      await service.create('/tags', { name: 'One' }),
      await service.create('/tags', { name: 'Two' }),
    ]
    equal((await service.put(`/tags/${tags[0].id}`, { slug: 'two' })).status, 400)
    const rows = await service.app.database.read
      .selectFrom('old_slugs')
      .select('slug')
      .where('slug', '=', 'one')
      .execute()
    deepEqual(rows, [])
  })
})
