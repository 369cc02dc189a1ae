import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deskHere } from '../support/desk.ts'
import { day, onDay, serviceForTests } from '../support/service.ts'

describe('records that are there twice', () => {
  const service = serviceForTests()
  const editor = deskHere(service, 'editor')
  const ids = (list: unknown) => [list].flat().map((one) => (one as { id: number }).id)
  const read = async (path: string) => (await service.get(path, 'admin')).body

  async function merge(kind: string, from: number, into: number): Promise<string> {
    const form = { kind, ids: `${from},${into}`, into: String(into) }
    const { status, headers, body } = await editor.post('/desk/duplicates/merge', form)
    equal(status, 303, body)
    return /merged=(\d+)/.exec(headers.get('location') ?? '')?.[1] ?? ''
  }
  const undo = (one: string) => editor.post('/desk/duplicates/undo', { merge: one })
  const pairsIn = (body: string) =>
    [...body.matchAll(/name="ids" value="(\d+),(\d+)"/g)].map(([, a, b]) => `${a} ${b}`)
  const pair = (a: { id: number }, b: { id: number }) => `${a.id} ${b.id}`

  test('likely pairs are found by name, address and nearness, and no others', async () => {
    const venue = (name: string, more: object = {}) => service.create('/venues', { venue: name, ...more })
    const [hall, again] = [
      await venue('St. Brigid’s Church', { city: 'Galway' }),
      await venue('Church of St Brigids, the', { city: 'Galway' }),
    ]
    const [kettle, nearby] = [
      await venue('Blue Kettle', { geo_lat: 53.27, geo_lng: -9.05 }),
      await venue('The Blue Kettle Café', { geo_lat: 53.2701, geo_lng: -9.0502 }),
    ]
    const [elsewhere] = [await venue('St. Brigid’s Church', { city: 'Cork' })]
    const venues = pairsIn((await editor.get('/desk/duplicates')).body)
    ok(venues.includes(pair(kettle, nearby)), String(venues))
    ok(venues.includes(pair(hall, again)), String(venues))
    ok(!venues.some((one) => one.split(' ').includes(String(elsewhere.id))), String(venues))
    const organizer = (name: string, more: object = {}) =>
      service.create('/organizers', { organizer: name, ...more })
    const [choir, same] = [
      await organizer('Parish Choir', { email: 'choir@example.org' }),
      await organizer('Choir of the Parish', { email: 'Choir@example.org' }),
    ]
    deepEqual(pairsIn((await editor.get('/desk/duplicates?kind=organizer')).body), [pair(choir, same)])
    const event = (title: string, start: string, more: object = {}) =>
      service.event({ title, ...onDay('2027-05-04', start, '22:00'), ...more })
    const [jazz, twice] = [
      await event('Jazz night with Anna', '20:00'),
      await event('Jazz Night with Anna!', '20:00'),
    ]
    await event('Jazz night with Anna', '20:00', { ...onDay('2027-05-11', '20:00', '22:00') })
    await event('Weekly jazz', '18:00', { recurrence: 'FREQ=DAILY;COUNT=3' })
    deepEqual(pairsIn((await editor.get('/desk/duplicates?kind=event')).body), [pair(jazz, twice)])
    await editor.post('/desk/duplicates/apart', { kind: 'event', ids: `${twice.id},${jazz.id}` })
    deepEqual(pairsIn((await editor.get('/desk/duplicates?kind=event')).body), [])
  })

  for (const [kind, room, naming, link] of [
    ['venue', 'venues', 'venue', 'venue'],
    ['organizer', 'organizers', 'organizer', 'organizer'],
    ['category', 'categories', 'name', 'categories'],
    ['tag', 'tags', 'name', 'tags'],
  ] as const)
    test(`a merge of two ${room} is undone: both are there, with addresses and links as before`, async () => {
      const made = (name: string) => service.create(`/${room}`, { [naming]: name })
      const [from, into, other] = [
        await made(`Old ${kind}`),
        await made(`New ${kind}`),
        await made(`Third ${kind}`),
      ]
      const event = async (links: number[], more: object = {}) =>
        (await service.event({ title: 'x', ...day, [link]: links, ...more })).id
      const both = await event([from.id, other.id, into.id])
      const [alone, changed] = [await event([from.id]), await event([from.id])]
      const series = await event([from.id], { title: 'Often', recurrence: 'FREQ=WEEKLY;COUNT=3' })
      const child =
        kind === 'category'
          ? await service.create('/categories', { name: 'Below', parent: from.id })
          : undefined
      const token = await merge(kind, from.id, into.id)
      deepEqual(ids((await read(`/events/${alone}`))[link]), [into.id])
      if (child) equal((await read(`/categories/${child.id}`)).parent, into.id)
      await service.update(`/events/${changed}`, { [link]: [other.id] })
      const told = await editor.get(`/desk/duplicates?kind=${kind}&merged=${token}`)
      match(told.body, /Merged in the last 30 days/)
      equal((await undo(token)).status, 303)
      equal((await read(`/${room}/${from.id}`)).slug, from.slug)
      equal((await service.get(`/${room}/${from.id}`)).status, 200)
      const has = async (id: number) => ids((await read(`/events/${id}`))[link])
      deepEqual((await has(both)).toSorted(), [from.id, other.id, into.id].toSorted())
      if (kind === 'venue') deepEqual(await has(both), [from.id, other.id, into.id])
      deepEqual(await has(alone), [from.id])
      deepEqual(await has(changed), [other.id])
      deepEqual(await has(series), [from.id])
      if (child) equal((await read(`/categories/${child.id}`)).parent, from.id)
      const page = { venue: 'venue', organizer: 'organizer', category: 'events/category', tag: 'events/tag' }[
        kind
      ]
      equal((await service.page(`/${page}/${from.slug}/`)).status, 200)
      equal((await undo(token)).status, 422)
    })

  test('merges of merged records are undone from the latest on, and links are as they were', async () => {
    const venue = (name: string) => service.create('/venues', { venue: name })
    const [one, other, last] = [await venue('Old mill'), await venue('The mill'), await venue('Mill arts')]
    const { id } = await service.event({
      ...{ title: 'Milling', venue: [one.id] },
      ...onDay('2027-06-05', '20:00', '22:00'),
    })
    const at = async () => ids((await read(`/events/${id}`)).venue)
    const first = await merge('venue', one.id, other.id)
    const second = await merge('venue', other.id, last.id)
    const refused = await undo(first)
    equal(refused.status, 422)
    match(refused.body, /Undo that merge first/)
    deepEqual(await at(), [last.id])
    equal((await read(`/venues/${one.id}`)).status, 'trash')
    equal((await undo(second)).status, 303)
    deepEqual(await at(), [other.id])
    equal((await undo(first)).status, 303)
    deepEqual(await at(), [one.id])
  })

  test('of two events one stays, the other’s address leads to it, and both are there again', async () => {
    const event = (title: string) => service.event({ title, ...onDay('2027-06-04', '20:00', '22:00') })
    const [from, into] = [await event('Regatta'), await event('Regatta of the lough')]
    const list = await editor.get(`/desk/duplicates/merge?kind=event&ids[]=${from.id}&ids[]=${into.id}`)
    equal(list.status, 200)
    match(list.body, /The one that stays/)
    const token = await merge('event', from.id, into.id)
    equal((await read(`/events/${from.id}`)).status, 'trash')
    equal((await service.page(`/event/${from.slug}/`)).status, 301)
    await undo(token)
    equal((await read(`/events/${from.id}`)).status, 'publish')
    equal((await service.page(`/event/${from.slug}/`)).status, 200)
  })

  test('lists offer to merge two that are ticked; one, three or others are asked for again', async () => {
    const tag = (name: string) => service.create('/tags', { name })
    const [one, two, three] = [await tag('choirs'), await tag('choir'), await tag('chorus')]
    const { body } = await editor.get('/desk/tags')
    match(body, new RegExp(`name="ids\\[\\]" value="${one.id}"`))
    match(body, /action="\/desk\/duplicates\/merge"[\s\S]*Merge…/)
    for (const chosen of [[one], [one, two, three], [one, one], [one, { id: 999_999 }]])
      equal(
        (await editor.get(`/desk/duplicates/merge?kind=tag&ids=${chosen.map(({ id }) => id)}`)).status,
        422,
      )
    const odd = await editor.post('/desk/duplicates/merge', {
      kind: 'tag',
      ids: `${one.id},${two.id}`,
      into: String(three.id),
    })
    equal(odd.status, 400)
    equal((await editor.post('/desk/duplicates/merge', { kind: 'person', ids: '1,2' })).status, 400)
  })
})
