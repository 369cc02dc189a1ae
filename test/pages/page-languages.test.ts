// Pages in the language that the browser or the address asks for.
import { deepEqual, doesNotMatch, doesNotThrow, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LANGUAGES, type Language } from '../../src/base/config.ts'
import { messages } from '../../src/calendar/locales/messages.ts'
import { translate } from '../../src/calendar/locales/translate.ts'
import { writtenCost } from '../../src/features/pages/cards.ts'
import { zoneLetters, zoneName } from '../../src/features/pages/page-dates.ts'
import { chooseLanguage, makeLanguageChooser } from '../../src/features/pages/page-languages.ts'
import { uploadPicture } from '../support/pictures.ts'
import { type Answer, onDay, serviceForTests, startService, type TestService } from '../support/service.ts'
import { viewPaths } from '../support/view-paths.ts'

const service = serviceForTests({ site_name: 'Zzyzx', timezone: 'Europe/Berlin' }, { fill: prepare })
async function prepare(): Promise<void> {
  await fill(service)
}

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const paths: Record<string, string> = {}

async function fill(to: TestService): Promise<void> {
  const image = await uploadPicture(to, 900, 600)
  const category = await to.create('/categories', { name: 'Qq' })
  const access = {
    step_free: true,
    lift: false,
    venue: 'Xa',
    city: 'Xb',
    address: 'Xc 1',
    phone: '1',
    website: 'https://x.example/',
  }
  const venue = await to.create('/venues', {
    ...access,
    geo_lat: 52,
    geo_lng: 13,
    description: '<p>Xd</p>',
    image,
  })
  const organizer = await to.create('/organizers', { organizer: 'Xe', email: 'x@x.example', phone: '2' })
  const hours = (days: number) => onDay(day(days), '19:30:00', '22:00:00')
  const linked = { venue: venue.id, organizer: organizer.id, categories: [category.id], tags: ['xf'], image }
  const events = [
    {
      title: 'Xg',
      ...hours(2),
      ...linked,
      cost: '12.50',
      description: '<p>Xh</p>',
      website: 'https://x.example/',
    },
    { title: 'Xi', ...hours(3), event_status: 'canceled', event_status_reason: 'Xj', cost: '0' },
    { title: 'Xk', ...hours(4), event_status: 'postponed', timezone: 'America/New_York' },
    { title: 'Xl', start_date: day(5), end_date: day(9), all_day: true, captions: true, relaxed: true },
    { title: 'Xm', ...hours(-40), ...linked },
    {
      title: 'Xn',
      ...hours(6),
      attendance: 'mixed',
      online_url: 'https://x.example/o',
      online_shown: 'before:60',
    },
    { title: 'Xo', ...hours(2), recurrence: { rules: [{ type: 'Weekly', count: 4 }] } },
  ]
  for (const event of events) {
    const { status, body } = await to.post('/events', event)
    if (status === 201) paths[event.title] = new URL(body.url).pathname
  }
  for (const made of [venue, organizer]) paths[made.venue ?? made.organizer] = new URL(made.url).pathname
}

const page = (
  path: string,
  headers: Record<string, string> = {},
  from: TestService = service,
): Promise<Answer> => from.page(path, headers)

const everyPage = (): string[] => [
  '/',
  ...viewPaths,
  `/events/${day(2)}/`,
  '/events/category/qq/',
  '/events/category/qq/month/',
  '/events/tag/xf/',
  '/events/?search=xg&venue=1',
  '/events/?search=nothingatall',
  '/events/2040-01-01/',
  '/events/?when=weekend&free=true&attendance=online,mixed&time=evening',
  '/events/?near=1&geoloc_radius=3&access=captions',
  '/events/?start_date=2040-01-01&end_date=2040-02-01',
  '/events/?search=xgg',
  '/events/?page=99',
  '/venues/',
  '/organizers/',
  '/embed/frame/',
  '/embed/frame/?view=month',
  '/events/month/2040-01/',
  '/embed/',
  '/embed/?view=month',
  '/none/',
  '/events/?venue=abc',
  ...Object.values(paths),
]

function textsOf(markup: string): string[] {
  const plain = markup.replace(
    /<(script|style|pre|nav class="languages")[\s\S]*?<\/(script|style|pre|nav)>/g,
    '',
  )
  const said = [...plain.matchAll(/(?:title|aria-label|placeholder|alt|content|summary)="([^"]*)"/g)].map(
    ([, text = '']) => text,
  )
  const shown = plain.split(/<[^>]*>/)
  return [...said, ...shown].map((text) => text.replace(/\s+/g, ' ').trim()).filter((text) => text !== '')
}

const escaped = (text: string) => text.replace(/[.*+?^$()[\]\\|]/g, String.raw`\$&`)

/**
 * Returns patterns of the English texts that a language translates. `Tag` is left out, since it is German for
 * day.
 */
const foreign = (language: Language) =>
  messages
    .filter((text) => translate(language, text) !== text && !text.startsWith('{') && text !== 'Tag')
    .map((text) => new RegExp(`^${escaped(text).replace(/\{\w+\}/g, '.+')}$`))

const ENGLISH_DATES = new RegExp(
  '\\b(?:January|February|March|May|June|July|October|December|Monday|Tuesday|Wednesday' +
    '|Thursday|Friday|Saturday|Sunday|Mon|Tue|Wed|Thu)\\b',
)

describe('in every language', () => {
  for (const language of ['de', 'fr', 'es'] as const)
    test(`no English text is left on any page in ${language}`, async () => {
      const english = foreign(language)
      for (const path of everyPage()) {
        const { body, headers, status } = await page(path, { 'accept-language': language })
        ok(status < 500, path)
        match(body, new RegExp(`^<!doctype html>\n<html lang="${language}"`), path)
        match(headers.get('vary') ?? '', /Accept-Language/, path)
        const left = textsOf(body).filter(
          (text) => english.some((one) => one.test(text)) || ENGLISH_DATES.test(text),
        )
        deepEqual(left, [], path)
      }
    })

  test('all links and forms keep the language that the address names', async () => {
    for (const path of everyPage()) {
      const named = `${path}${path.includes('?') ? '&' : '?'}lang=fr`
      const { body, headers } = await page(named, { 'accept-language': 'de' })
      match(body, /<html lang="fr"/, named)
      doesNotMatch(headers.get('vary') ?? '', /Accept-Language/, named)
      const [main = ''] =
        body.replace(/<nav class="languages"[\s\S]*?<\/nav>/, '').match(/<body[\s\S]*/) ?? []
      const links = [...main.matchAll(/<a [^>]*?href="(\/[^"]*)"/g)].map(([, address = '']) => address)
      ok(links.length >= 3, named)
      const without = links.filter(
        (link) => /^[^?]*\/(\?|$)/.test(link) && !/^\/wp-json/.test(link) && !/[?;&]lang=fr$/.test(link),
      )
      deepEqual(without, [], named)
      for (const [form] of main.matchAll(/<form [\s\S]*?<\/form>/g))
        match(form, /<input type="hidden" name="lang" value="fr">/, named)
      doesNotMatch(body, /lang=fr[^"]*lang=fr/, named)
    }
  })

  test('a page without a language in its address has none in its links', async () => {
    const { body } = await page('/events/', { 'accept-language': 'fr' })
    doesNotMatch(
      body.replace(/<nav class="languages"[\s\S]*?<\/nav>/, '').replace(/<link[^>]*>/g, ''),
      /lang=fr(?!")/,
    )
  })
})

describe('the language', () => {
  const chosen = (
    header: string | undefined,
    query = '',
    site: Language = 'en',
    languages: readonly Language[] = LANGUAGES,
  ) =>
    chooseLanguage(
      makeLanguageChooser({
        ...service.app.site,
        language: site,
        languages: [...new Set([site, ...languages])],
      }),
      query,
      header,
    )

  test('is that of the highest quality, whatever the region', () => {
    for (const [header, site, expected] of [
      [undefined, 'de', 'de'],
      ['', 'de', 'de'],
      ['de', 'en', 'de'],
      ['de-AT,en;q=0.5', 'en', 'de'],
      ['DE-at', 'en', 'de'],
      ['en;q=0.5,de;q=0.9', 'en', 'de'],
      ['it,pt;q=0.9', 'es', 'es'],
      ['it,*;q=0.5', 'es', 'es'],
      ['fr;q=0,*', 'fr', 'en'],
      ['es, fr', 'en', 'es'],
      ['es, fr, en', 'en', 'en'],
      ['fr;q=2, es', 'en', 'es'],
      ['fr;q=x', 'en', 'en'],
      ['den', 'en', 'en'],
    ] as const)
      equal(chosen(header, '', site).language, expected, `${header} of ${site}`)
  })

  test('is named by the address before the header, if it is one that is offered', () => {
    deepEqual(chosen('fr', 'lang=de'), { language: 'de', isNamed: true })
    deepEqual(chosen('fr', 'page=2&lang=de'), { language: 'de', isNamed: true })
    for (const query of ['lang=xx', 'lang=', 'lang=de-AT', 'slang=de', 'lang=constructor'])
      deepEqual(chosen('fr', query), { language: 'fr', isNamed: false }, query)
    deepEqual(chosen('fr', 'lang=fr', 'en', ['de']), { language: 'en', isNamed: false })
  })

  test('keeps no more than some short headers, whatever is sent', () => {
    const chooser = makeLanguageChooser(service.app.site)
    const long = `${'x,'.repeat(500_000)}de`
    for (let i = 0; i < 10_000; i++) chooseLanguage(chooser, '', `${i}-x, de;q=0.${i}`)
    for (let i = 0; i < 1000; i++) chooseLanguage(chooser, '', long)
    const { young, old } = chooser.known
    ok(young.size + old.size < 2000, `${young.size} and ${old.size}`)
    ok([...young.keys(), ...old.keys()].every((header) => header.length <= 256))
  })
})

describe('kept pages', () => {
  test('are at most one a language, whatever the header', async () => {
    const tags = new Set<string | null>()
    for (let i = 0; i < 100; i++) {
      const header = `${['de', 'fr', 'es', 'it', 'en'][i % 5]}-${String(i).padStart(3, 'X')},x;q=0.${i}`
      tags.add((await page('/events/past/', { 'accept-language': header })).headers.get('etag'))
    }
    equal(tags.size, 4)
    for (const language of LANGUAGES)
      ok(
        [...tags].some((tag) => tag?.includes(`.${language}.`)),
        language,
      )
  })

  test('answer with 304 and to HEAD in the language asked for', async () => {
    const first = await page('/events/month/', { 'accept-language': 'de' })
    const tag = first.headers.get('etag') ?? ''
    equal((await page('/events/month/', { 'accept-language': 'de-CH', 'if-none-match': tag })).status, 304)
    const other = await page('/events/month/', { 'accept-language': 'fr', 'if-none-match': tag })
    equal(other.status, 200)
    notEqual(other.headers.get('etag'), tag)
    const head = await service.request('anonymous', 'HEAD', '~/events/month/', undefined, {
      accept: 'text/html',
      'accept-language': 'de',
    })
    equal(head.headers.get('etag'), tag)
    match(head.headers.get('vary') ?? '', /Accept-Language/)
  })

  test('of one address do not answer another', async () => {
    for (const path of ['/events/?lang=de', '/events/?lang=fr', '/events/', '/events/?lang=de'])
      for (let i = 0; i < 3; i++)
        match(
          (await page(path, { 'accept-language': 'es' })).body,
          new RegExp(`<html lang="${path.split('=')[1] ?? 'es'}"`),
        )
  })

  test('are found anew after a change in every language', async () => {
    for (const language of LANGUAGES) await page('/events/', { 'accept-language': language })
    const { id } = await service.event({ title: 'Xz', ...onDay(day(1), '10:00', '11:00') })
    for (const language of LANGUAGES)
      match((await page('/events/', { 'accept-language': language })).body, />Xz</, language)
    await service.remove(`/events/${id}`)
  })
})

describe('search engines', () => {
  test('know a page in each language by an address, and that of the site without one', async () => {
    const { body } = await page('/events/category/qq/?lang=de')
    const links = [...body.matchAll(/<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">/g)].map(
      ([, code, to]) => [code, to],
    )
    const plain = `${service.origin}/events/category/qq/`
    deepEqual(links, [
      ['en', plain],
      ['de', `${plain}?lang=de`],
      ['fr', `${plain}?lang=fr`],
      ['es', `${plain}?lang=es`],
      ['x-default', plain],
    ])
    const canonical = (text: string) => /<link rel="canonical" href="([^"]+)"/.exec(text)?.[1]
    equal(canonical(body), `${plain}?lang=de`)
    equal(canonical((await page('/events/category/qq/?lang=en')).body), plain)
    equal(canonical((await page('/events/category/qq/')).body), plain)
    match((await page('/robots.txt')).body, /^Allow: \/\*\?lang=$/m)
    doesNotMatch((await page('/sitemap-pages.xml', { 'accept-language': 'de' })).body, /lang/)
  })

  test('are told of no other language where a page is not to be indexed', async () => {
    doesNotMatch((await page('/events/?search=x')).body, /rel="alternate" hreflang/)
  })
})

describe('redirects', () => {
  test('keep the language of the address, and are the same whatever the header', async () => {
    for (const [path, to] of [
      ['/events?lang=de', '/events/?lang=de'],
      ['/events/monat/?lang=de', '/events/month/?lang=de'],
      ['/tag/xf/?lang=fr', '/events/tag/xf/?lang=fr'],
      [`/event/${paths.Xg?.split('/')[2]?.toUpperCase()}/?lang=es`, `${paths.Xg}?lang=es`],
      ['/events', '/events/'],
    ]) {
      const answer = await fetch(service.origin + path, {
        redirect: 'manual',
        headers: { accept: 'text/html', 'accept-language': 'de' },
      })
      equal(answer.status, 301, path)
      equal(answer.headers.get('location'), to, path)
      doesNotMatch(answer.headers.get('vary') ?? '', /Accept-Language/, path)
    }
  })
})

describe('the interface', () => {
  test('stays in the language of the site', async () => {
    const read = (language: string) =>
      service.get('/events/999999', 'anonymous', { 'accept-language': language })
    deepEqual((await read('de')).body, (await read('en')).body)
    const list = await service.get('/events', 'anonymous', { 'accept-language': 'de' })
    doesNotMatch(list.headers.get('vary') ?? '', /Accept-Language/)
  })
})

describe('money', () => {
  const site = (language: Language) => ({ ...service.app.site, language, timezone: 'Europe/Berlin' })

  test('is written as the language writes it', () => {
    const plain = (language: Language, ...raw: string[]) =>
      writtenCost(site(language), raw).replace(/[\u00a0\u202f]/g, ' ')
    for (const [raw, en, de, fr, es] of [
      ['12.50 €', '€12.50', '12,50 €', '12,50 €', '12,50 €'],
      ['€12,5', '€12.50', '12,50 €', '12,50 €', '12,50 €'],
      ['€10 – 20', '€10 – €20', '10–20 €', '10–20 €', '10-20 €'],
      ['1,500 $', '$1,500', '1.500 $', '1 500 $', '1500 $'],
      ['EUR 8', 'EUR 8', '8 EUR', '8 EUR', '8 EUR'],
      ['US$5', 'US$5', '5 US$', '5 US$', '5 US$'],
      ['12.50', '$12.50', '12,50 $', '12,50 $', '12,50 $'],
      ['0', 'Free', 'Kostenlos', 'Gratuit', 'Gratis'],
      ['gratis', 'Free', 'Kostenlos', 'Gratuit', 'Gratis'],
      ['Free – €5', 'Free – €5', 'Kostenlos – 5 €', 'Gratuit – 5 €', 'Gratis – 5 €'],
    ] as const)
      deepEqual(
        [plain('en', raw), plain('de', raw), plain('fr', raw), plain('es', raw)],
        [en, de, fr, es],
        raw,
      )
    equal(plain('de', '5', '12.50 €'), '5,00–12,50 €')
  })

  test('stays as it was written where it is unclear', () => {
    for (const raw of [
      '10 € at the door, 8 € before',
      '1.500€',
      '5+',
      'Pay what you can',
      '1500円',
      '99999999999999999€',
    ])
      equal(writtenCost(site('de'), [raw]), raw)
    equal(writtenCost(site('de'), ['5 €', '7 £']), writtenCost(site('en'), ['5 €', '7 £']))
    equal(writtenCost(site('de'), ['<b> & 5 "']), '<b> & 5 "')
    equal(writtenCost(site('de'), []), '')
  })
})

describe('zones', () => {
  test('have the names of the language', async () => {
    const zoneOf = async (language: string, path: string) => {
      const { body } = await page(path, { 'accept-language': language })
      const [, title, letters] = /<abbr class="zone" title="([^"]*)">([^<]*)</.exec(body) ?? []
      return { title, letters, foot: /<span class="end">([^<]*)</.exec(body)?.[1] }
    }
    const german = await zoneOf('de', paths.Xg ?? '')
    match(`${german.title} ${german.letters}`, /^Mitteleuropäische (Normalzeit MEZ|Sommerzeit MESZ)$/)
    match(german.foot ?? '', /Mitteleuropäische Zeit/)
    const english = await zoneOf('en', paths.Xg ?? '')
    match(`${english.title} ${english.letters}`, /^Central European (Standard Time CET|Summer Time CEST)$/)
    const abroad = await zoneOf('de', paths.Xk ?? '')
    match(`${abroad.title} ${abroad.letters}`, /^Nordamerikanische Ostküsten.+ E[SD]T$/)
  })

  test('without a name are said as they are set', () => {
    const site = { ...service.app.site, language: 'de' } as const
    for (const zone of ['UTC+2', '+05:30', 'Etc/GMT-3']) {
      doesNotThrow(() => zoneName(site, zone))
      notEqual(zoneLetters(site, zone, '2026-01-01 00:00:00'), '')
    }
    equal(zoneName(site, 'UTC+2'), 'UTC+2')
    equal(zoneName(site, 'UTC'), 'Koordinierte Weltzeit')
    equal(zoneName({ ...site, language: 'fr' }, 'Europe/Dublin'), 'Irlande')
    equal(zoneName({ ...site, language: 'fr' }, 'Europe/Paris'), 'heure d’Europe centrale')
  })
})

describe('the setting', () => {
  test('offers fewer languages, or that of the site alone', async () => {
    for (const [languages, offered] of [
      ['de', ['en', 'de']],
      ['none', ['en']],
    ] as const) {
      await using own = await startService({ languages })
      const french = await page('/events/', { 'accept-language': 'fr' }, own)
      match(french.body, /<html lang="en"/)
      const german = await page('/events/?lang=de', {}, own)
      const isOffered = offered.length > 1
      match(german.body, isOffered ? /<html lang="de"/ : /<html lang="en"/)
      equal(/class="languages"/.test(german.body), isOffered)
      equal(/hreflang/.test(german.body), isOffered)
      equal(french.headers.get('vary')?.includes('Accept-Language'), isOffered)
    }
  })
})

test('a path with two slashes leads to no other site', async () => {
  for (const path of ['//x.example/', '/\\x.example/']) {
    doesNotMatch((await page(path)).body, /href="[/\\]{2}/, path)
  }
})
