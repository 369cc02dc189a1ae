import { doesNotMatch, equal, match, notEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deskHere } from '../support/desk.ts'
import { day, serviceForTests } from '../support/service.ts'

describe('records that are not wanted any more', () => {
  const service = serviceForTests()
  const editor = deskHere(service, 'editor')

  test('lists say how many events have each venue and organizer, and lead to them', async () => {
    const venue = await service.create('/venues', { venue: 'Counted Hall' })
    const organizer = await service.create('/organizers', { organizer: 'Counted Choir' })
    for (let i = 0; i < 3; i++)
      await service.event({ title: `Use ${i}`, ...day, venue: venue.id, organizer: organizer.id })
    const venues = (await editor.get('/desk/venues?search=counted')).body
    match(venues, new RegExp(`href="/desk/events\\?venue=${venue.id}">3</a>`))
    match((await editor.get('/desk/organizers?search=counted')).body, />3<\/a>/)
    match((await editor.get(`/desk/events?venue=${venue.id}`)).body, /Use 0/)
  })

  test('removing a venue in use says by how many first, and an unused one goes at once', async () => {
    const used = await service.create('/venues', { venue: 'Used Hall' })
    for (let i = 0; i < 2; i++) await service.event({ title: 'Fair', ...day, venue: used.id })
    const asked = await editor.post(`/desk/venues/${used.id}/trash`, {})
    equal(asked.status, 200)
    match(asked.body, /Events that have it: 2/)
    equal((await service.get(`/venues/${used.id}`)).body.status, 'publish')
    await editor.save(`/desk/venues/${used.id}/trash`, { sure: '1' })
    equal((await service.get(`/venues/${used.id}`, 'admin')).body.status, 'trash')
    const unused = await service.create('/venues', { venue: 'Unused Hall' })
    await editor.save(`/desk/venues/${unused.id}/trash`, {})
  })

  test('a category or tag, which nothing brings back, goes only when one is sure', async () => {
    for (const [room, name] of [
      ['categories', 'Dance'],
      ['tags', 'open air'],
    ] as const) {
      const { id } = await service.create(`/${room}`, { name })
      const asked = await editor.post(`/desk/${room}/${id}/trash`, {})
      equal(asked.status, 200)
      match(asked.body, /No event has it\./)
      equal((await service.get(`/${room}/${id}`)).status, 200)
      await editor.save(`/desk/${room}/${id}/trash`, { sure: '1' })
      notEqual((await service.get(`/${room}/${id}`)).status, 200)
    }
  })

  test('two of the same are made one, by name or number, and the events go over', async () => {
    for (const [room, naming, link] of [
      ['venues', 'venue', 'venue'],
      ['organizers', 'organizer', 'organizer'],
      ['categories', 'name', 'categories'],
      ['tags', 'name', 'tags'],
    ] as const) {
      const twice = await service.create(`/${room}`, { [naming]: 'The Twin' })
      const stays = await service.create(`/${room}`, { [naming]: 'The One' })
      const event = await service.event({ title: 'Over', ...day, [link]: twice.id })
      match((await editor.get(`/desk/${room}/${twice.id}`)).body, /\/merge">Merge…/)
      match((await editor.get(`/desk/${room}/${twice.id}/merge`)).body, /undone for 30 days/)
      const wrong = await editor.post(`/desk/${room}/${twice.id}/merge`, { into: 'Nobody' })
      equal(wrong.status, 422)
      match(wrong.body, /There is no other one “Nobody”\./)
      equal((await editor.post(`/desk/${room}/${twice.id}/merge`, { into: String(twice.id) })).status, 422)
      const into = room === 'tags' ? String(stays.id) : 'the one'
      const merged = await editor.post(`/desk/${room}/${twice.id}/merge`, { into })
      equal(merged.headers.get('location'), `/desk/${room}/${stays.id}?merged=1`, merged.body)
      const { body } = await service.get(`/events/${event.id}`)
      equal([body[link]].flat()[0].id, stays.id)
      match((await editor.get(`/desk/${room}/${stays.id}?merged=1`)).body, /Events moved: 1/)
    }
  })

  test('what is in the trash stands in a tab of its own, and is restored from there', async () => {
    const { id } = await service.create('/organizers', { organizer: 'Gone Choir' })
    await editor.post(`/desk/organizers/${id}/trash`, {})
    doesNotMatch((await editor.get('/desk/organizers')).body, /Gone Choir/)
    const trash = (await editor.get('/desk/organizers?status=trash')).body
    match(trash, /Gone Choir/)
    match(trash, new RegExp(`action="/desk/organizers/${id}/restore"`))
    await editor.save(`/desk/organizers/${id}/restore`, {})
    equal((await service.get(`/organizers/${id}`)).body.status, 'publish')
    doesNotMatch((await editor.get('/desk/tags')).body, /status=trash/)
  })
})
