import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { deskHere } from '../support/desk.ts'
import { day, serviceForTests } from '../support/service.ts'
import { until } from '../support/waiting.ts'

describe('the search of the bar', () => {
  const service = serviceForTests()
  const editor = deskHere(service, 'editor')
  let jazz: { id: number; slug: string; ical_uid?: string }

  before(async () => {
    jazz = await service.event({ title: 'Thursday Jazz', ...day })
    await service.event({ title: 'Jazz for Children', ...day, status: 'draft' })
    await service.create('/venues', { venue: 'Mill Yard', city: 'Cork' })
    await service.create('/organizers', { organizer: 'Harbour Choir' })
  })

  const goal = async (search: string) => {
    const answer = await editor.get(`/desk/search?${new URLSearchParams({ search })}`)
    return answer.headers.get('location') ?? answer.status
  }

  test('a sole hit opens, whether it is found by its number, slug, UID, venue or organizer', async () => {
    const event = `/desk/events/${jazz.id}`
    equal(await goal(String(jazz.id)), event)
    equal(await goal(jazz.slug), event)
    equal(await goal('Thursday J'), event)
    const { uid } = await service.app.database.read
      .selectFrom('events')
      .select('uid')
      .where('id', '=', jazz.id)
      .executeTakeFirstOrThrow()
    equal(await goal(uid), event)
    match(String(await goal('mill')), /\/desk\/venues\/\d+$/)
    match(String(await goal('harbour')), /\/desk\/organizers\/\d+$/)
  })

  test('several hits are listed with what they are, and lead on to all events with these words', async () => {
    const { status, body } = await editor.get('/desk/search?search=jazz')
    equal(status, 200)
    match(body, /Thursday Jazz/)
    match(body, /Jazz for Children<\/a> <span class="state">Draft/)
    match(body, /Event · Thursday, April 1, 2027/)
    match(body, /href="\/desk\/events\?search=jazz"/)
    match((await editor.get('/desk/search?search=nothing+such')).body, /Nothing matches/)
    equal((await editor.get('/desk/search')).status, 200)
  })

  test('a script is told the same as data', async () => {
    const { headers, body } = await editor.get('/desk/search/as-typed?search=jazz')
    match(headers.get('content-type') ?? '', /^application\/json/)
    equal(headers.get('cache-control'), 'no-store')
    const { hits, told } = typeof body === 'string' ? JSON.parse(body) : body
    deepEqual(hits.map(({ title, state }: { title: string; state: string }) => [title, state]).toSorted(), [
      ['Jazz for Children', 'Draft'],
      ['Thursday Jazz', ''],
    ])
    equal(told, '2 found')
  })

  test('what was typed is text, and nothing that is typed is a defect', async () => {
    for (const search of [
      '<script>alert(1)</script>',
      '%00',
      '\u0000',
      '"'.repeat(400),
      'x'.repeat(5000),
      '%%%',
      "'; drop",
    ]) {
      const { status, body } = await editor.get(`/desk/search?${new URLSearchParams({ search })}`)
      equal(status, 200, search)
      doesNotMatch(body, /<script>alert/)
      equal(
        (await editor.get(`/desk/search/as-typed?${new URLSearchParams({ search })}`)).status,
        200,
        search,
      )
    }
  })

  test('another form or a wrong letter of a word is found, if nothing else is', async () => {
    const { id } = await service.event({ title: 'Night at the Jazzkeller', ...day })
    await until(async () => (await goal('jazzkeler')) === `/desk/events/${id}`, 'it is not found')
    for (const search of ['night jazzkeller', 'nights', 'jazzkellers'])
      equal(await goal(search), `/desk/events/${id}`, search)
    const suggested = async (search: string) => {
      const { body } = await service.get(`~/events/suggest?${new URLSearchParams({ search })}`)
      return body.suggestions.map(({ name }: { name: string }) => name)
    }
    for (const search of ['jazzkeler', 'nihgt jazzkeller']) {
      await until(async () => (await suggested(search)).length > 0, `nothing is suggested for ${search}`)
      deepEqual(await suggested(search), ['Night at the Jazzkeller'])
    }
    deepEqual(await suggested('jazzkeler nowhere'), [])
  })
})
