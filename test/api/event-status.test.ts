import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { XMLParser } from 'fast-xml-parser'
import ICAL from 'ical.js'
import { pluck } from '../support/lists.ts'
import { serviceForTests } from '../support/service.ts'

const WHEN = { start_date: '2027-03-03 10:00:00', end_date: '2027-03-03 12:00:00' }

const service = serviceForTests({ timezone: 'Europe/Berlin' })
async function listed(query: string): Promise<number[]> {
  const { status, body } = await service.get(`/events?${query}`)
  equal(status, 200, JSON.stringify(body))
  return body.events.map((event: { id: number }) => event.id)
}

async function text(path: string): Promise<string> {
  return (await fetch(service.origin + path)).text()
}

describe('whether an event takes place', () => {
  test('is said last, and of events alone that are not scheduled', async () => {
    const plain = await service.event({ ...WHEN, title: 'Plain' })
    equal(Object.keys(plain).at(-1), 'custom_fields')
    const said = await service.event({ ...WHEN, title: 'Said', event_status: 'scheduled' })
    ok(!('event_status' in said) && !('event_status_reason' in said))
    const off = await service.event({
      ...WHEN,
      title: 'Off',
      event_status: 'canceled',
      event_status_reason: 'Storm & <b>flood</b>\n at sea',
    })
    deepEqual(Object.entries(off).slice(-2), [
      ['event_status', 'canceled'],
      ['event_status_reason', 'Storm & flood at sea'],
    ])
    const single = (await service.get(`/events/${off.id}`)).body
    deepEqual(Object.keys(single).slice(-3), ['json_ld', 'event_status', 'event_status_reason'])
    equal(single.json_ld.eventStatus, 'https://schema.org/EventCancelled')
  })

  test('is changed, and cleared together with its reason', async () => {
    const { id } = await service.event({ ...WHEN, title: 'Changing' })
    equal((await service.update(`/events/${id}`, { event_status: 'canceled' })).event_status_reason, '')
    const told = await service.update(`/events/${id}`, { event_status_reason: 'Ill' })
    deepEqual([told.event_status, told.event_status_reason], ['canceled', 'Ill'])
    const moved = await service.update(`/events/${id}`, { event_status: 'postponed', title: 'Moved' })
    deepEqual([moved.event_status, moved.event_status_reason], ['postponed', 'Ill'])
    const whole = await service.update(`/events/${id}`, (await service.get(`/events/${id}`)).body)
    deepEqual([whole.event_status, whole.event_status_reason], ['postponed', 'Ill'])
    for (const empty of ['scheduled', '']) {
      await service.update(`/events/${id}`, { event_status: 'canceled', event_status_reason: 'Again' })
      ok(!('event_status' in (await service.update(`/events/${id}`, { event_status: empty }))))
      equal((await service.update(`/events/${id}`, { event_status: 'canceled' })).event_status_reason, '')
    }
    const alone = await service.update(`/events/${id}`, { event_status: '', event_status_reason: 'None' })
    ok(!('event_status_reason' in alone))
  })

  test('takes one of three words, and a reason within the length of a line', async () => {
    for (const wrong of ['cancelled', 'CANCELED', 'moved', 7, ['canceled'], { a: 1 }, true]) {
      const { status, body } = await service.post('/events', { ...WHEN, title: 'Wrong', event_status: wrong })
      deepEqual([status, body.code], [400, 'rest_invalid_param'], JSON.stringify(wrong))
    }
    for (const wrong of ['x'.repeat(1001), { a: 1 }, 7]) {
      const sent = { ...WHEN, title: 'Wrong', event_status: 'canceled', event_status_reason: wrong }
      equal((await service.post('/events', sent)).status, 400, JSON.stringify(wrong))
    }
    const long = await service.event({
      ...WHEN,
      title: 'Long',
      event_status: 'canceled',
      event_status_reason: 'é'.repeat(1000),
    })
    equal(long.event_status_reason.length, 1000)
  })

  test('narrows lists by any of several words, and stands in their links', async () => {
    const ids: Record<string, number> = {}
    for (const event_status of ['scheduled', 'canceled', 'postponed'])
      ids[event_status] = (await service.event({ ...WHEN, title: 'Filtered zebra', event_status })).id
    const { scheduled, canceled, postponed } = ids
    const zebras = (query: string) => listed(`search=zebra&${query}`)
    deepEqual(await zebras('event_status=canceled'), [canceled])
    deepEqual(await zebras('event_status=scheduled'), [scheduled])
    deepEqual(await zebras('event_status=canceled,postponed'), [canceled, postponed])
    deepEqual(await zebras('event_status[]=scheduled&event_status[]=postponed'), [scheduled, postponed])
    const { body } = await service.get('/events?search=zebra&event_status=canceled,postponed&per_page=1')
    equal(body.total, 2)
    deepEqual((await service.get(body.next_rest_url.slice(service.base.length))).body.events[0].id, postponed)
    for (const wrong of [
      'event_status=',
      'event_status=off',
      'event_status=canceled,off',
      'event_status[a][b]=canceled',
    ])
      equal((await service.get(`/events?${wrong}`)).status, 400, wrong)
  })
})

describe('canceled and postponed events in feeds', () => {
  let off: { id: number; url: string; slug: string }
  let later: { id: number; url: string; slug: string }
  before(async () => {
    off = await service.event({
      ...WHEN,
      title: 'Regatta giraffe',
      description: '<p>On <em>water</em></p>',
      event_status: 'canceled',
      event_status_reason: 'Storm; all & sundry',
    })
    later = await service.event({ ...WHEN, title: 'Fair giraffe', event_status: 'postponed' })
  })

  test('STATUS of iCalendar and eventStatus of schema.org say it', async () => {
    const calendar = new ICAL.Component(ICAL.parse(await text('/events.ics?search=giraffe')))
    const [first, second] = calendar.getAllSubcomponents('vevent')
    equal(first?.getFirstPropertyValue('status'), 'CANCELLED')
    equal(first?.getFirstPropertyValue('summary'), 'Canceled: Regatta giraffe')
    equal(first?.getFirstPropertyValue('comment'), 'Canceled: Storm; all & sundry')
    equal(first?.getFirstPropertyValue('description'), 'Canceled: Storm; all & sundry\n\nOn water')
    match(
      String(first?.getFirstPropertyValue('x-alt-desc')),
      /^<p>Canceled: Storm\\; all &amp\\; sundry<\/p>/,
    )
    equal(second?.getFirstPropertyValue('status'), 'TENTATIVE')
    equal(second?.getFirstPropertyValue('summary'), 'Postponed: Fair giraffe')
    equal(second?.getFirstPropertyValue('description'), 'Postponed')
    const planned = await service.event({ ...WHEN, title: 'Planned okapi' })
    match(await text(`/event/${planned.slug}.ics`), /STATUS:CONFIRMED\r\n/)
    const { '@graph': graph } = JSON.parse(await text('/events.jsonld?search=giraffe'))
    deepEqual(pluck(graph, 'name', 'eventStatus'), [
      ['Regatta giraffe', 'https://schema.org/EventCancelled'],
      ['Fair giraffe', 'https://schema.org/EventPostponed'],
    ])
  })

  test('titles of RSS, Atom and JSON Feed begin with it, and their texts have the reason', async () => {
    const parser = new XMLParser()
    const { item } = parser.parse(await text('/events.rss?search=giraffe')).rss.channel
    deepEqual(pluck(item, 'title'), ['Canceled: Regatta giraffe', 'Postponed: Fair giraffe'])
    match(item[0].description, /^Canceled: Storm; all &amp; sundry<br>\n/)
    const { entry } = parser.parse(await text('/events.atom?search=giraffe')).feed
    equal(entry[0].title, 'Canceled: Regatta giraffe')
    match(entry[0].summary, /^Canceled: Storm/)
    const { items } = JSON.parse(await text('/events.json?search=giraffe'))
    equal(items[1].title, 'Postponed: Fair giraffe')
    match(items[0].summary, /^Canceled: Storm; all & sundry\n/)
    equal(items[0]._kalends.event_status, 'canceled')
    equal(items[0]._kalends.event_status_reason, 'Storm; all & sundry')
  })

  test('pages say it in words, strike what is canceled, and do so in every view', async () => {
    const page = await text(`/event/${off.slug}/`)
    match(
      page,
      new RegExp(
        '<p class="banner canceled"><strong>This event has been canceled\\.</strong> <bdi>Storm; ' +
          'all &amp; sundry</bdi></p><h1><s><bdi>Regatta giraffe</bdi></s></h1>',
      ),
    )
    match(page, /<title>Canceled: Regatta giraffe/)
    match(page, /schema\.org\/EventCancelled/)
    const postponed = await text(`/event/${later.slug}/`)
    match(postponed, /This event has been postponed\./)
    doesNotMatch(postponed, /<s>Fair/)
    for (const path of ['/events/?start_date=2027-03-03', '/events/month/2027-03/', '/events/2027-03-03/']) {
      const view = await text(`${path}${path.includes('?') ? '&' : '?'}search=giraffe`)
      match(
        view,
        new RegExp(
          '<b class="state canceled">Canceled<span class="hidden">:</span></b> <s><bdi>Regatta ' +
            'giraffe</bdi></s>',
        ),
        path,
      )
      match(
        view,
        /<b class="state postponed">Postponed<span class="hidden">:<\/span><\/b> <bdi>Fair giraffe<\/bdi>/,
        path,
      )
    }
  })
})
