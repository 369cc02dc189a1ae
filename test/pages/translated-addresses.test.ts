import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { slugify } from '../../src/base/text/slugs.ts'
import { type PathWord, pathWords } from '../../src/features/pages/path-words.ts'
import { inEnglish } from '../../src/features/pages/translated-paths.ts'
import { onDay, serviceForTests, startService } from '../support/service.ts'

const WHEN = onDay('2027-03-03', '10:00:00', '12:00:00')

const service = serviceForTests({}, { fill })
async function fill(): Promise<void> {
  const music = await service.create('/categories', { name: 'Musik' })
  const concerts = await service.create('/categories', { name: 'Konzerte', parent: music.id })
  // These names are also words of addresses.
  const today = await service.create('/categories', { name: 'Heute', parent: music.id })
  const card = await service.create('/categories', { name: 'Karte', parent: music.id })
  const venue = await service.create('/venues', { venue: 'Halle' })
  const organizer = await service.create('/organizers', { organizer: 'Chor' })
  await service.event({
    ...WHEN,
    title: 'Fest',
    categories: [concerts.id, today.id, card.id],
    tags: ['draussen'],
    venue: venue.id,
    organizer: organizer.id,
  })
}

test('no page of text has an address that the service answers or leads on, in any language', async () => {
  const roots = ['events', 'event', 'venue', 'venues', 'organizer', 'organizers', 'category', 'tag'] as const
  const words = Object.values(pathWords).flatMap((language) =>
    roots.flatMap((root) => language[root].map(slugify)),
  )
  for (const slug of ['mcp', 'desk', 'media', ...words]) {
    const pages_texts = [{ slug, text: '# About us' }]
    equal((await service.put('~/wp-json/kalends/v1/settings', { pages_texts })).status, 400, slug)
  }
})

async function at(path: string, accept = 'text/html'): Promise<string> {
  const response = await fetch(service.origin + path, { redirect: 'manual', headers: { accept } })
  await response.arrayBuffer()
  const location = response.headers.get('location')
  return `${response.status}${location === null ? '' : ` ${location}`}`
}

const MUSIC = '/events/category/musik/konzerte/'

describe('addresses of moved sites in other languages', () => {
  const moved: [string, string][] = [
    ['/veranstaltungen/', '/events/'],
    ['/veranstaltungen', '/events/'],
    ['/Veranstaltungen/', '/events/'],
    ['/veranstaltungen/?search=fest&featured=false', '/events/?search=fest&featured=false'],
    ['/veranstaltungen/?tribe-bar-search=jazz', '/events/?search=jazz'],
    ['/veranstaltungen/monat/', '/events/month/'],
    ['/veranstaltungen/monat/2026-11/', '/events/month/2026-11/'],
    ['/veranstaltungen/monat/2026-11', '/events/month/2026-11/'],
    ['/veranstaltungen/monat/?tribe-bar-date=2026-11-01', '/events/month/2026-11/'],
    ['/veranstaltungen/2026-11/', '/events/month/2026-11/'],
    ['/veranstaltungen/heute/', '/events/today/'],
    ['/veranstaltungen/2026-11-21/', '/events/2026-11-21/'],
    ['/veranstaltungen/tag/2026-11-21/', '/events/2026-11-21/'],
    ['/veranstaltungen/liste/', '/events/'],
    ['/veranstaltungen/list/', '/events/'],
    ['/veranstaltungen/liste/?search=jazz', '/events/?search=jazz'],
    ['/veranstaltungen/liste/seite/2/', '/events/?page=2'],
    ['/veranstaltungen/liste/seite/2/?search=jazz', '/events/?page=2&search=jazz'],
    ['/veranstaltungen/seite/3/', '/events/?page=3'],
    ['/veranstaltungen/vergangen/', '/events/past/'],
    ['/veranstaltungen/anstehende/', '/events/'],
    ['/veranstaltungen/woche/2026-11-16/', '/events/week/2026-11-16/'],
    ['/veranstaltungen/foto/seite/2/', '/events/?page=2'],
    ['/veranstaltungen/karte/', '/events/map/'],
    ['/veranstaltungen/zusammenfassung/', '/events/'],
    ['/veranstaltungen/kategorie/musik/konzerte/', MUSIC],
    ['/veranstaltungen/category/musik/konzerte/', MUSIC],
    ['/veranstaltungen/kategorie/musik/konzerte/monat/2026-11/', `${MUSIC}month/2026-11/`],
    ['/veranstaltungen/kategorie/musik/konzerte/liste/seite/2/', `${MUSIC}?page=2`],
    ['/veranstaltungen/kategorie/musik/konzerte/heute/', `${MUSIC}today/`],
    ['/veranstaltungen/kategorie/musik/konzerte/tag/2026-11-21/', `${MUSIC}2026-11-21/`],
    ['/veranstaltungen/kategorie/musik/?ical=1', '/events/category/musik/?ical=1'],
    ['/veranstaltungen/kategorie/heute/', '/events/category/heute/'],
    ['/veranstaltungen/kategorie/musik/karte/', '/events/category/musik/karte/'],
    ['/veranstaltungen/schlagwort/draussen/', '/events/tag/draussen/'],
    ['/veranstaltungen/tag/draussen/', '/events/tag/draussen/'],
    ['/veranstaltungen/schlagwort/draussen/monat/', '/events/tag/draussen/month/'],
    ['/veranstaltungen/feed/', '/events.rss'],
    ['/veranstaltungen/kategorie/musik/feed/', '/events/category/musik.rss'],
    ['/veranstaltung/fest/', '/event/fest/'],
    ['/veranstaltung/fest/alle/', '/event/fest/'],
    ['/veranstaltung/fest/2027-03-03/', '/event/fest/2027-03-03/'],
    ['/veranstaltung/fest/?ical=1', '/event/fest/?ical=1'],
    ['/veranstaltungsort/halle/', '/venue/halle/'],
    ['/veranstalter/chor/', '/organizer/chor/'],
    ['/events/monat/2026-11/', '/events/month/2026-11/'],
    ['/events/kategorie/musik/konzerte/', MUSIC],
    ['/events/category/musik/konzerte/monat/', `${MUSIC}month/`],
    ['/events/tag/2026-11-21/', '/events/2026-11-21/'],
    ['/event/fest/alle/', '/event/fest/'],
    ['/evenements/', '/events/'],
    ['/%C3%A9v%C3%A8nements/', '/events/'],
    ['/%c3%a9v%c3%a9nements/mois/2026-11/', '/events/month/2026-11/'],
    ['/evenements/aujourdhui/', '/events/today/'],
    ['/evenements/aujourd%E2%80%99hui/', '/events/today/'],
    ['/evenements/liste/page/2/', '/events/?page=2'],
    ['/evenements/a-venir/', '/events/'],
    ['/evenements/semaine/2026-11-16/', '/events/week/2026-11-16/'],
    ['/evenements/categorie/musik/konzerte/jour/2026-11-21/', `${MUSIC}2026-11-21/`],
    ['/%C3%A9v%C3%A8nements/cat%C3%A9gorie/musik/konzerte/', MUSIC],
    ['/evenements/%C3%A9tiquette/draussen/', '/events/tag/draussen/'],
    ['/evenement/fest/', '/event/fest/'],
    ['/lieu/halle/', '/venue/halle/'],
    ['/organisateur/chor/', '/organizer/chor/'],
    ['/eventos/', '/events/'],
    ['/eventos/mes/2026-11/', '/events/month/2026-11/'],
    ['/eventos/hoy/', '/events/today/'],
    ['/eventos/lista/pagina/2/', '/events/?page=2'],
    ['/eventos/lista/p%C3%A1gina/2/', '/events/?page=2'],
    ['/eventos/categoria/musik/konzerte/dia/2026-11-21/', `${MUSIC}2026-11-21/`],
    ['/eventos/etiqueta/draussen/lista/', '/events/tag/draussen/'],
    ['/evento/fest/', '/event/fest/'],
    ['/evento/fest/todos/', '/event/fest/'],
    ['/lugar/halle/', '/venue/halle/'],
    ['/organizador/chor/', '/organizer/chor/'],
  ]
  for (const [from, to] of moved) {
    test(`${from} has moved to ${to}`, async () => {
      equal(await at(from), `301 ${to}`)
      equal(await at(from, '*/*'), `301 ${to}`, 'for a program')
      if (!/page=/.test(to))
        match(await at(to), /^200|^301 \/event(\/fest|s\/category\/musik\/heute)\/$/, 'the end')
    })
  }

  const PLACES: Partial<Record<PathWord, [before: string, behind: string]>> = {
    events: ['/', '/'],
    event: ['/', '/x/'],
    venue: ['/', '/x/'],
    organizer: ['/', '/x/'],
    venues: ['/', '/'],
    organizers: ['/', '/'],
    category: ['/events/', '/x/'],
    tag: ['/events/', '/x/'],
    day: ['/events/', '/2026-11-21/'],
    page: ['/events/', '/2/'],
    all: ['/event/x/', '/'],
  }
  for (const [language, words] of Object.entries(pathWords))
    test(`each word of ${language} stands for the English one in its place`, () => {
      for (const [english, texts] of Object.entries(words)) {
        const [before, behind] = PLACES[english as PathWord] ?? ['/events/', '/']
        for (const text of texts) {
          const expected = `${before}${english}${behind}`
          for (const word of [slugify(text), encodeURIComponent(text)])
            equal(inEnglish(before + word + behind) ?? before + word + behind, expected, text)
        }
      }
    })

  test('that are of nothing are 404, as a page for people and as JSON for programs', async () => {
    const long = `/veranstaltungen/${'%C3%A9/'.repeat(1000)}`
    for (const path of [
      '/veranstaltungen/etwas/',
      '/veranstaltungen/monat/2026-13/',
      '/veranstaltungen//',
      '/veranstaltung/',
      '/veranstaltung/fest/etwas/',
      '/veranstaltung/fest.html',
      '/veranstalter/chor/seite/',
      '/veranstaltungen/%ff/',
      '/termine/',
      long,
    ]) {
      equal(await at(path), '404', path)
      const response = await fetch(service.origin + path)
      equal(((await response.json()) as { code: string }).code, 'rest_no_route', path)
    }
  })

  test('lead on where the interface is at the root of the site, and are not taken for it', async () => {
    await using other = await startService({ rest_root: '/', vendor: 'evento' })
    const get = (path: string, accept: string) =>
      fetch(other.origin + path, { redirect: 'manual', headers: { accept } })
    for (const accept of ['text/html', '*/*']) {
      const { status, headers } = await get('/veranstaltungen/monat/2026-11/', accept)
      deepEqual([status, headers.get('location')], [301, '/events/month/2026-11/'], accept)
      equal((await get('/evento/events/v1/events', accept)).status, 200, accept)
      equal((await get('/evento/', accept)).status, 404, accept)
    }
  })

  test('a word below a category that has it as its slug is the category', async () => {
    equal(await at('/events/category/musik/heute/'), '200')
    equal(await at('/events/category/musik/karte/'), '200')
  })

  test('a calendar of another language is one', async () => {
    const response = await fetch(`${service.origin}/veranstaltungen/kategorie/musik/?ical=1`)
    equal(response.headers.get('content-type'), 'text/calendar; charset=utf-8')
    match(await response.text(), /SUMMARY:Fest/)
  })
})

describe('old addresses of feeds', () => {
  const feeds: [string, string][] = [
    ['/feed/', '/events.rss'],
    ['/feed', '/events.rss'],
    ['/feed/atom/', '/events.atom'],
    ['/feed/rss2/', '/events.rss'],
    ['/feed/?post_type=tribe_events', '/events.rss'],
    ['/?feed=rss2', '/events.rss'],
    ['/?feed=atom', '/events.atom'],
    ['/?feed=rss2&post_type=tribe_events', '/events.rss'],
    ['/?feed=rss2&post_type=tribe_events&tribe_events_cat=konzerte', '/events/category/konzerte.rss'],
    ['/?feed=rss2&tribe-bar-search=Fest', '/events.rss?search=Fest'],
    ['/?feed=rss2&ical=1', '/events.ics?ical=1'],
    ['/feed/?post_type=tribe_events&ical=1', '/events.ics?ical=1'],
    ['/events/feed/', '/events.rss'],
    ['/events/feed', '/events/feed/'],
    ['/events/feed/atom/', '/events.atom'],
    ['/events/rss2/', '/events.rss'],
    ['/events/atom/', '/events.atom'],
    ['/events/ical/', '/events.ics'],
    ['/events/?feed=atom', '/events.atom'],
    ['/events/category/konzerte/feed/', '/events/category/konzerte.rss'],
    ['/events/category/musik/konzerte/feed/atom/', '/events/category/musik/konzerte.atom'],
    ['/events/category/konzerte/ical/', '/events/category/konzerte.ics'],
    ['/events/category/konzerte/?feed=rss2', '/events/category/konzerte.rss'],
    ['/events/tag/draussen/feed/', '/events/tag/draussen.rss'],
    ['/event/fest/feed/', '/event/fest.rss'],
    ['/event/fest/ical/', '/event/fest.ics'],
    ['/event/fest/?feed=atom', '/event/fest.atom'],
    ['/venue/halle/feed/', '/venue/halle.rss'],
  ]
  const MEDIA: Record<string, RegExp> = {
    rss: /^application\/rss\+xml/,
    atom: /^application\/atom\+xml/,
    ics: /^text\/calendar/,
  }
  for (const [from, to] of feeds) {
    test(`${from} has moved to ${to}`, async () => {
      equal(await at(from, 'application/rss+xml, */*'), `301 ${to}`)
      equal(await at(from), `301 ${to}`)
      const response = await fetch(service.origin + from)
      const kind = /\.(\w+)/.exec(new URL(response.url).pathname)?.[1] ?? ''
      match(response.headers.get('content-type') ?? '', MEDIA[kind] ?? /^$/)
      match(await response.text(), /Fest/)
    })
  }

  test('that are of nothing are 404', async () => {
    for (const path of ['/feed/other/', '/feed/atom/2/', '/events/feed/other/', '/event/fest/feed/x/y/'])
      equal(await at(path), '404', path)
  })
})

describe('names of files that are of no format', () => {
  test('are 404 at once, at whatever address', async () => {
    for (const path of [
      '/events/category/musik.html',
      '/event/fest.html',
      '/events.html',
      '/venue/halle.php',
    ])
      equal(await at(path), '404', path)
  })
})
