import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type Settings, serviceForTests, startService, type TestService } from '../support/service.ts'

const service = serviceForTests({ site_name: 'Fish & <b>Chips</b> "Ltd"' })
async function withService(settings: Settings, work: (service: TestService) => Promise<void>): Promise<void> {
  await using other = await startService(settings)

  await work(other)
}

describe('the address of the site', () => {
  for (const path of ['/', '/index.php']) {
    test(`${path} leads generic clients to the interface, by GET and by HEAD`, async () => {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await service.request('anonymous', method, `~${path}`)
        equal(status, 200)
        equal(headers.get('link'), `<${service.origin}/wp-json/>; rel="https://api.w.org/"`)
        equal(headers.get('x-tec-api-root'), `${service.base}/`)
        equal(headers.get('x-tec-api-version'), 'v1')
        equal(headers.get('x-tec-api-origin'), service.origin)
        equal(headers.get('content-type'), 'text/html; charset=UTF-8')
        equal(headers.get('access-control-allow-origin'), '*')
        match(headers.get('access-control-expose-headers') ?? '', /X-TEC-API-ROOT/)
      }
    })
  }

  test('is a page whose head says the same, with the name of the site as text', async () => {
    const { body } = await service.get('~/')
    match(body, /<title>Fish &amp; &lt;b&gt;Chips&lt;\/b&gt; &quot;Ltd&quot;<\/title>/)
    doesNotMatch(body, /<b>C/)
    ok(body.includes(`<link rel="https://api.w.org/" href="${service.origin}/wp-json/">`))
    ok(body.includes(`<meta name="tec-api-origin" content="${service.origin}">`))
    ok(body.includes('<meta name="tec-api-version" content="v1">'))
    equal((await service.get(`~${new URL(`${service.base}/`).pathname}`)).status, 200)
  })

  test('speaks the language of the site and follows its settings', async () => {
    await withService({ language: 'de', vendor: 'acme', rest_root: '/api', pages: 'off' }, async (other) => {
      const { headers, body } = await other.get('~/')
      match(body, /<html lang="de">/)
      match(body, /Beschreibung/)
      equal(headers.get('x-tec-api-root'), `${other.origin}/api/acme/events/v1/`)
      equal(headers.get('link'), `<${other.origin}/api/>; rel="https://api.w.org/"`)
    })
  })

  test('takes no other method', async () => {
    const { status, body } = await service.post('~/', {})
    deepEqual([status, body.code], [404, 'rest_no_route'])
  })

  test('is the front page for browsers, and the interface for programs, at one address', async () => {
    await withService({ rest_root: '/' }, async (other) => {
      const asBrowser = (path: string) =>
        other.get(`~${path}`, 'anonymous', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
      for (let i = 0; i < 3; i++) {
        const page = await asBrowser('/')
        equal(page.status, 200)
        match(page.headers.get('content-type') ?? '', /^text\/html/)
        match(page.headers.get('vary') ?? '', /\bAccept\b(?!-)/)
        const { headers, body } = await other.get('~/')
        equal(body.name, 'Kalends')
        match(headers.get('vary') ?? '', /\bAccept\b(?!-)/)
      }
      const times = { start_date: '2027-05-03 10:00:00', end_date: '2027-05-03 11:00:00' }
      const { id, slug } = await other.event({ title: 'Fair', ...times })
      const old = await asBrowser(`/?post_type=tribe_events&p=${id}`)
      equal(old.headers.get('location'), `/event/${slug}/`)
    })
  })

  test('is the root index where the interface has no path of its own', async () => {
    await withService({ rest_root: '/' }, async (other) => {
      const { headers, body } = await other.get('~/')
      equal(body.name, 'Kalends')
      equal(headers.get('link'), `<${other.origin}/>; rel="https://api.w.org/"`)
      equal((await other.get('~/?rest_route=/tribe/events/v1/events')).body.total, 0)
    })
  })
})

describe('rest_route', () => {
  let event: number
  before(async () => {
    const times = { start_date: '2027-05-03 10:00:00', end_date: '2027-05-03 11:00:00' }
    const { body } = await service.post('/events', {
      title: 'Fête d’été',
      slug: 'fête',
      ...times,
      tags: ['jazz'],
    })
    event = body.id
    for (const name of ['Second', 'Third']) await service.post('/events', { title: name, ...times })
  })

  test('names the route that a request is for, at both addresses', async () => {
    const named: [query: string, path: string][] = [
      ['rest_route=/', '/wp-json/'],
      ['rest_route=%2F', '/wp-json/'],
      ['rest_route=/tribe/events/v1', '/wp-json/tribe/events/v1'],
      ['rest_route=%2Ftribe%2Fevents%2Fv1%2Fevents&per_page=2', '/wp-json/tribe/events/v1/events?per_page=2'],
      [
        'per_page=2&rest_route=/tribe/events/v1/events/&page=2',
        '/wp-json/tribe/events/v1/events/?per_page=2&page=2',
      ],
      ['rest%5Froute=tribe/events/v1/events', '/wp-json/tribe/events/v1/events'],
      ['rest_route=/x&rest_route=/wp/v2/tags', '/wp-json/wp/v2/tags'],
      [
        `rest_route=/tribe/events/v1/events/${event}&_fields=id`,
        `/wp-json/tribe/events/v1/events/${event}?_fields=id`,
      ],
      [
        'rest_route=/tribe/events/v1/events/by-slug/f%C3%AAte',
        '/wp-json/tribe/events/v1/events/by-slug/f%C3%AAte',
      ],
      ['rest_route=/no/such/route', '/wp-json/no/such/route'],
      ['rest_route=/wp/v2/tags?per_page=1', '/wp-json/wp/v2/tags%3Fper_page=1'],
    ]
    for (const [query, path] of named) {
      const expected = await service.get(`~${path}`)
      for (const start of ['/', '/index.php']) {
        const answer = await service.get(`~${start}?${query}`)
        deepEqual([answer.status, answer.body], [expected.status, expected.body], query)
        equal(answer.headers.get('allow'), expected.headers.get('allow'))
        equal(answer.headers.get('x-tec-total'), expected.headers.get('x-tec-total'))
      }
    }
  })

  test('is no parameter of the links in an answer, which lead on', async () => {
    const { body } = await service.get('~/?rest_route=/tribe/events/v1/events&per_page=2&rest_route_=x')
    ok(body.next_rest_url.startsWith(`${service.base}/events/?per_page=2&`))
    ok(!JSON.stringify([body.rest_url, body.next_rest_url]).includes('rest_route'))
    equal((await service.get(body.next_rest_url.replace(service.origin, '~'))).body.events.length, 1)
  })

  test('takes every method, with rights and bodies as ever', async () => {
    const address = '~/?rest_route=/tribe/events/v1/venues'
    equal((await service.post(address, { venue: 'Hall' }, 'anonymous')).status, 401)
    const { status, body } = await service.post(address, { venue: 'Hall' })
    deepEqual([status, body.venue], [201, 'Hall'])
    const one = `~/index.php?rest_route=/tribe/events/v1/venues/${body.id}`
    equal((await service.put(one, { city: 'Aldbury' })).body.city, 'Aldbury')
    const options = await service.request('admin', 'OPTIONS', one)
    match(options.headers.get('allow') ?? '', /DELETE/)
    equal((await service.request('admin', 'HEAD', one)).status, 200)
    equal((await service.post(`${one}&_method=DELETE`, undefined)).body.status, 'trash')
    const form = await service.post(address, new URLSearchParams({ venue: 'Form hall' }))
    deepEqual([form.status, form.body.venue], [201, 'Form hall'])
  })

  test('reaches the interface alone, and nothing when it is empty or elsewhere', async () => {
    equal((await service.get('~/?rest_route=/../healthz')).status, 404)
    equal((await service.get('~/?rest_route=')).headers.get('content-type'), 'text/html; charset=UTF-8')
    equal((await service.get('~/healthz?rest_route=/wp/v2/tags')).body.status, 'alive')
    const list = await service.get('/events?rest_route=/wp/v2/tags')
    ok('events' in list.body)
    const long = await service.get(`~/?rest_route=/${'x'.repeat(9000)}`)
    deepEqual([long.status, long.body.code], [414, 'rest_uri_too_long'])
  })
})
