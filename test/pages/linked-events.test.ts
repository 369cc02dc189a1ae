// The linked data of an event for search engines: its price and its place.
import { deepEqual, doesNotMatch, equal } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { day, startService, type TestService } from '../support/service.ts'

let service: TestService

async function linked(fields: object) {
  const { url } = await service.event({ title: 'Linked', ...day, ...fields })
  const { body } = await service.page(`${new URL(url).pathname}`)
  return linkedIn(body)
}

const linkedIn = (body: unknown) => JSON.parse(/ld\+json">(.*?)<\/script>/.exec(String(body))?.[1] ?? '')

describe('the linked data of an event', () => {
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  test('has the price in the currency that the cost names', async () => {
    const offers: Record<string, unknown> = {}
    for (const cost of '¥1,500|€12|12,50 €|CHF 20|15 pln|$5 – $10|7|Free|Free, €5|CA$ 20'.split('|')) {
      const { price, lowPrice, highPrice, priceCurrency, availability } = (await linked({ cost })).offers
      equal(availability, undefined)
      offers[cost] = [price ?? `${lowPrice}–${highPrice}`, priceCurrency]
    }
    deepEqual(offers, {
      '¥1,500': ['1500', 'JPY'],
      '€12': ['12', 'EUR'],
      '12,50 €': ['12.50', 'EUR'],
      'CHF 20': ['20', 'CHF'],
      '15 pln': ['15', 'PLN'],
      '$5 – $10': ['5–10', 'USD'],
      '7': ['7', 'USD'],
      Free: ['0', 'USD'],
      'Free, €5': ['0–5', 'EUR'],
      'CA$ 20': ['20', 'CAD'],
    })
  })

  test('has no offer where the cost is not clear', async () => {
    for (const cost of ['', 'Donation', 'Members 5, others 8 or so', '€5 to $10', 'kr 100', 'fr. 20'])
      equal((await linked({ cost })).offers, undefined, cost)
  })

  test('says how people take part where the event says so or has a venue, in every answer', async () => {
    const website = 'https://tickets.example/run'
    const draft = await service.create('/venues', { venue: 'Secret', status: 'draft' })
    for (const [fields, mode, place] of [
      [{}, undefined, undefined],
      [{ website }, undefined, undefined],
      [{ website, venue: draft.id }, undefined, undefined],
      [{ website, online_url: 'https://meet.example/room' }, undefined, undefined],
      [{ website, attendance: 'in_person' }, 'Offline', undefined],
      [{ website, attendance: 'online' }, 'Online', 'VirtualLocation'],
      [{ website, venue: { venue: 'Hall', city: 'Bern' } }, 'Offline', 'Place'],
    ] as const) {
      const { id, url } = await service.event({ title: 'Run', ...fields, ...day })
      const answers = [
        (await service.get(`/events/${id}`)).body.json_ld,
        linkedIn((await service.get(`~${new URL(url).pathname}`)).body),
        JSON.parse(await fetch(`${service.origin}/events.jsonld?include=${id}`).then((it) => it.text()))[
          '@graph'
        ][0],
      ]
      for (const { eventAttendanceMode, location } of answers) {
        equal(
          eventAttendanceMode,
          mode && `https://schema.org/${mode}EventAttendanceMode`,
          JSON.stringify(fields),
        )
        equal(location?.['@type'], place, JSON.stringify(fields))
      }
      const found = (await service.get(`/events?attendance=online,mixed&include=${id}`)).body.total
      equal(found === 1, mode === 'Online', JSON.stringify(fields))
    }
  })

  test('has a venue without what is not known of it', async () => {
    const hall = await linked({ venue: { venue: 'Hall', city: 'Bern', step_free: true } })
    equal('url' in hall.location, false)
    equal(hall.location.amenityFeature[0].value, true)
  })

  test('never has the link of a meeting that is not for everybody yet', async () => {
    const secret = 'https://meet.example/secret'
    const fields = {
      attendance: 'mixed',
      online_url: secret,
      online_shown: 'never',
      venue: { venue: 'Hall' },
    }
    const data = await linked({ ...fields, website: 'https://example.org/about' })
    doesNotMatch(JSON.stringify(data), /secret/)
    deepEqual(
      data.location.map((place: { '@type': string }) => place['@type']),
      ['Place', 'VirtualLocation'],
    )
    equal(data.eventAttendanceMode, 'https://schema.org/MixedEventAttendanceMode')
  })
})
