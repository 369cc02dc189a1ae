// Events in a frame on another site, for owners who cannot add a script.
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { clockOfPage } from '../../src/features/pages/public-pages.ts'
import { axeScript, findPackage } from '../support/browsers.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { markupValidator } from '../support/markup.ts'
import { serverHere } from '../support/server.ts'
import { type Answer, onDay, serviceForTests, startService, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const service = serviceForTests({}, { fill })
async function fill(): Promise<void> {
  const music = await service.create('/categories', { name: 'Music' })
  for (const [title, days] of [
    ['Concert', 1],
    ['Talk', 2],
    ['Walk', 3],
    ['Far', 40],
  ] as const)
    await service.event({
      title,
      ...onDay(day(days), '19:00', '21:00'),
      categories: title === 'Concert' ? [music.id] : [],
    })
}

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const frame = (
  query: string,
  headers: Record<string, string> = {},
  from: TestService = service,
): Promise<Answer> => from.page(`/embed/frame/${query}`, headers)

const titles = (body: string) =>
  ['Concert', 'Talk', 'Walk', 'Far'].filter((title) => body.includes(`>${title}<`))

describe('a frame', () => {
  test('shows a list or a month of the events asked for', async () => {
    deepEqual(titles((await frame('')).body), ['Concert', 'Talk', 'Walk', 'Far'])
    deepEqual(titles((await frame('?limit=2')).body), ['Concert', 'Talk'])
    for (const limit of ['0', '-5', 'x', '1e99', ''])
      equal((await frame(`?limit=${limit}`)).status, 200, limit)
    deepEqual(titles((await frame('?category=music')).body), ['Concert'])
    deepEqual(titles((await frame('?categories=music')).body), ['Concert'])
    deepEqual(titles((await frame('?search=walk')).body), ['Walk'])
    deepEqual(titles((await frame(`?start_date=${day(2)}&end_date=${day(3)}`)).body), ['Talk', 'Walk'])
    const month = (await frame(`?view=month&date=${day(40)}`)).body
    match(month, /<table class="month">/)
    ok(titles(month).includes('Far'))
    for (const date of ['x', '9999-12', '0001-01-01', '2026-13'])
      equal((await frame(`?view=month&date=${date}`)).status, 200, date)
  })

  test('has no head, foot or script, no index, and links leave it but those to other months', async () => {
    for (const query of ['', '?view=month', '?search=nothingatall']) {
      const { body } = await frame(query)
      doesNotMatch(body, /<script|<form|class="top"|class="languages"|rel="canonical"|hreflang/, query)
      match(body, /<meta name="robots" content="noindex">/)
      match(body, /<base target="_blank">/)
      for (const [link, address = ''] of body.matchAll(/<a [^>]*href="([^"]*)"[^>]*>/g))
        equal(link.includes('target="_self"'), address.startsWith('/embed/frame/'), link)
    }
    match(
      (await frame('?view=month&event_status=scheduled')).body,
      /href="\/embed\/frame\/\?event_status=scheduled&amp;view=month&amp;date=/,
    )
  })

  test('may stand on every site, and no other page may', async () => {
    const policy = async (path: string) =>
      (await service.page(path)).headers.get('content-security-policy') ?? ''
    for (const path of ['/embed/frame/', '/embed/frame/?venue=abc']) {
      match(await policy(path), /frame-ancestors 'self' \*$/, path)
      match(await policy(path), /script-src 'none'.*form-action 'none'/, path)
    }
    for (const path of ['/', '/embed/', '/embed/frame/x/', '/events/month/', '/embed/frame/none'])
      match(await policy(path), /frame-ancestors 'none'$/, path)
  })

  test('stands on the sites that are set', async () => {
    for (const [setting, expected] of [
      ['https://a.example,https://*.b.example:8443', "'self' https://a.example https://*.b.example:8443"],
      ['none', "'none'"],
    ] as const) {
      await using own = await startService({ frame_ancestors: setting })
      const { headers } = await frame('', {}, own)
      ok(headers.get('content-security-policy')?.endsWith(`frame-ancestors ${expected}`), setting)
    }
  })

  test('says so where its query cannot be read, and reflects none of it', async () => {
    for (const query of ['?venue=abc', '?start_date=%3Cscript%3E', '?near=x']) {
      const { status, body } = await frame(query)
      equal(status, 400, query)
      match(body, /No events found/)
      doesNotMatch(body, /abc|script>/)
    }
    doesNotMatch((await frame('?view=%22%3E%3Cb%3E&x=%22%3E%3Cb%3E&search=%22%3E%3Cb%3E')).body, /"><b>/)
  })

  test('is in the language that its address names, or else the browser', async () => {
    const named = await frame('?view=month&lang=de', { 'accept-language': 'fr' })
    match(named.body, /<html lang="de">/)
    doesNotMatch(named.headers.get('vary') ?? '', /Accept-Language/)
    for (const [, address = ''] of named.body.matchAll(/href="(\/(?:embed|event)[^"]*\/(?:\?[^"]*)?)"/g))
      match(address, /lang=de$/)
    match((await frame('', { 'accept-language': 'fr' })).body, /<html lang="fr">/)
  })

  test('is kept like a page', async () => {
    await frame('')
    const first = await frame('')
    const tag = first.headers.get('etag') ?? ''
    equal((await frame('', { 'if-none-match': tag })).status, 304)
    equal(first.headers.get('cache-control'), 'public, max-age=0, must-revalidate')
  })

  test('is not kept for a day where its dates go by the hour', () => {
    for (const query of ['date=2027-01-01', 'until=2027-01-01', 'view=month&date=2027-01'])
      equal(clockOfPage(query), 'day', query)
    for (const query of ['date=9+hours', 'until=%2B9+hours', 'limit=5&until=noon+tomorrow'])
      equal(clockOfPage(query), 'now', query)
  })

  test('is valid', {
    skip: findPackage('html-validate') === undefined && 'html-validate is not installed',
  }, async () => {
    const validate = await markupValidator()
    for (const query of ['', '?view=month', '?venue=abc', '?search=zzz'])
      deepEqual(await validate((await frame(query)).body), [], query)
  })
})

describe('a frame in a browser', noChromium, () => {
  test('has nothing that axe objects to, and no more width than there is', async () => {
    await using chromium = await startChromium()
    const tab = await chromium.open()
    for (const sight of [{ width: 280 }, { width: 1280 }, { width: 390, scheme: 'dark' }] as const) {
      await tab.look(sight)
      for (const query of ['', '?view=month', '?search=zzz']) {
        await tab.goTo(`${service.origin}/embed/frame/${query}`)
        deepEqual(await tab.evaluate<string[]>(axeScript()), [], `${query} ${JSON.stringify(sight)}`)
        const [inner, outer] = await tab.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, innerWidth]',
        )
        ok(inner <= outer, `${query} is ${inner} wide in ${outer}`)
      }
    }
  })

  test('stands on a page of another site, where a page of the calendar does not', async () => {
    await using chromium = await startChromium()
    const other = await serverHere((request, response) => {
      const frame = `<iframe src="${service.origin}${request.url}"></iframe>`
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<!doctype html><title>Other</title>${frame}`)
    })
    const asked: string[] = []
    service.app.server.on('request', ({ url = '' }) => asked.push(url))
    const tab = await chromium.open()
    for (const [path, isShown] of [
      ['/embed/frame/', true],
      ['/embed/', false],
    ] as const) {
      tab.complaints.length = 0
      await tab.goTo(other + path)
      const isRefused = () => tab.complaints.some((text) => /frame-ancestors|Framing/.test(text))
      // A frame that is refused asks for no style.
      if (isShown) await until(() => asked.some((url) => url.endsWith('.css')), `${path} is not shown`)
      else await until(isRefused, `${path} is shown`)
    }
  })
})
