// The linked data of an event for search engines: its price and its place.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { day, startService, type TestService } from '../support/service.ts'

let service: TestService

/** Makes an event and returns the linked data of its page. */
async function linked(fields: object) {
  const { url } = await service.create('/events', { title: 'Linked', ...day, ...fields })
  const { body } = await service.request('anonymous', 'GET', `~${new URL(url).pathname}`, undefined, {
    accept: 'text/html',
  })
  return JSON.parse(/ld\+json">(.*?)<\/script>/.exec(String(body))?.[1] ?? '')
}

describe('the linked data of an event', () => {
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  test('has the price in the currency that the cost names', async () => {
    const offers: Record<string, unknown> = {}
    for (const cost of [
      '¥1,500',
      '€12',
      '12,50 €',
      'CHF 20',
      '15 pln',
      '$5 – $10',
      '7',
      'Free',
      'Free, €5',
      'CA$ 20',
    ]) {
      const { price, lowPrice, highPrice, priceCurrency, availability } = (await linked({ cost })).offers
      assert.equal(availability, undefined)
      offers[cost] = [price ?? `${lowPrice}–${highPrice}`, priceCurrency]
    }
    assert.deepEqual(offers, {
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
      assert.equal((await linked({ cost })).offers, undefined, cost)
  })

  test('in the interface, too, has the currency of the cost', async () => {
    const { id } = await service.create('/events', { title: 'Yen', cost: '¥1,500', ...day })
    assert.deepEqual(
      (({ price, priceCurrency }) => [price, priceCurrency])((await service.get(`/events/${id}`)).body.json_ld.offers),
      ['1500', 'JPY'],
    )
  })

  test('without a venue is on its website, unless it is said how people take part', async () => {
    const website = 'https://example.org/stream'
    const online = await linked({ website })
    assert.deepEqual(online.location, { '@type': 'VirtualLocation', url: website })
    assert.equal(online.eventAttendanceMode, 'https://schema.org/OnlineEventAttendanceMode')
    const here = await linked({ website, attendance: 'in_person' })
    assert.equal(here.location, undefined)
    assert.equal(here.eventAttendanceMode, 'https://schema.org/OfflineEventAttendanceMode')
    const hall = await linked({ website, venue: { venue: 'Hall', city: 'Bern', step_free: true } })
    assert.equal(hall.location['@type'], 'Place')
    assert.equal('url' in hall.location, false)
    assert.equal(hall.location.amenityFeature[0].value, true)
    assert.equal(hall.eventAttendanceMode, 'https://schema.org/OfflineEventAttendanceMode')
    const nowhere = await linked({})
    assert.deepEqual([nowhere.location, nowhere.eventAttendanceMode], [undefined, undefined])
  })

  test('never has the link of a meeting that is not for everybody yet', async () => {
    const secret = 'https://meet.example/secret'
    const fields = { attendance: 'mixed', online_url: secret, online_shown: 'never', venue: { venue: 'Hall' } }
    const data = await linked({ ...fields, website: 'https://example.org/about' })
    assert.doesNotMatch(JSON.stringify(data), /secret/)
    assert.deepEqual(
      data.location.map((place: { '@type': string }) => place['@type']),
      ['Place', 'VirtualLocation'],
    )
    assert.equal(data.eventAttendanceMode, 'https://schema.org/MixedEventAttendanceMode')
  })
})
