import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serviceForTests } from '../support/service.ts'

const service = serviceForTests({ site_name: 'Kilvara' }, { fill })

const page = (path: string, caller: 'anonymous' | 'admin' = 'anonymous') =>
  service.get(`~${path}`, caller, { accept: 'text/html' })
const shown = async (path: string): Promise<string> => {
  const { status, body } = await page(path)
  equal(status, 200, path)
  return body
}

const entriesOf = (body: string) =>
  [...body.matchAll(/<li[^>]*><a href="\/(?:venue|organizer)\/[^"]*"><bdi>.*?<\/li>/g)].map(([entry]) =>
    entry.replaceAll(/<[^>]+>/g, '').trim(),
  )

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const LONG = `Very ${'long '.repeat(99)}`.slice(0, 500).trim()
const SCRIPTS = ['قاعة البلدية', 'היכל התרבות', 'Дом культуры', '市民会館', 'Ålesund Scene']

async function fill(): Promise<void> {
  const town = await service.create('/venues', { venue: 'Town <b>Hall</b> & Sons', city: 'Kilvara' })
  await service.create('/venues', { venue: 'Attic' })
  await service.create('/venues', { venue: 'Draft Barn', status: 'draft' })
  await service.create('/venues', { venue: 'Private Barn', status: 'private' })
  const gone = await service.create('/venues', { venue: 'Old Barn' })
  await service.remove(`/venues/${gone.id}`)
  for (const venue of [...SCRIPTS, LONG]) await service.create('/venues', { venue })
  const choir = await service.create('/organizers', { organizer: 'Choir' })
  const at = (title: string, start: string, end: string, more: object = {}) =>
    service.event({ title, start_date: start, end_date: end, venue: town.id, organizer: choir.id, ...more })
  await at('Past', `${day(-9)} 10:00`, `${day(-9)} 11:00`)
  await at('Lasting', `${day(-3)} 10:00`, `${day(3)} 11:00`)
  await at('Coming', `${day(4)} 10:00`, `${day(4)} 11:00`)
  await at('Draft', `${day(5)} 10:00`, `${day(5)} 11:00`, { status: 'draft' })
  await at('Hidden', `${day(5)} 10:00`, `${day(5)} 11:00`, { hide_from_listings: true })
}

describe('the directory of venues', () => {
  test('has each public venue by name, with its city and the number of its coming events', async () => {
    const body = await shown('/venues/')
    match(body, /<a class="quiet" href="\/events\/map\/">Events by venue<\/a>/)
    doesNotMatch(await shown('/organizers/'), /class="quiet" href="\/events\/map/)
    const entries = entriesOf(body)
    equal(entries.length, 2 + SCRIPTS.length + 1)
    ok(entries.includes('Town Hall &amp; Sons Kilvara 2 events'), entries.join('\n'))
    match(body, /<li class="idle"><a href="\/venue\/attic\/"><bdi>Attic<\/bdi><\/a><\/li>/)
    const names = ['Ålesund Scene', 'Attic', 'Town', 'Very', 'Дом', 'היכל', 'قاعة', '市民会館']
    deepEqual(
      entries.map((entry) => names.findIndex((name) => entry.startsWith(name))),
      names.map((_, at) => at),
    )
    doesNotMatch(body, /Barn/)
    match(body, /<link rel="canonical" href="[^"]+\/venues\/">/)
    match(body, /<nav aria-label="Main navigation">.*<a href="\/venues\/" aria-current="true">Venues</)
  })

  test('is of everybody: who is signed in sees no more', async () => {
    doesNotMatch((await page('/venues/', 'admin')).body, /Barn/)
  })

  test('is searched by words of names, without accents, and by the first letter', async () => {
    deepEqual(entriesOf(await shown('/venues/?search=scene+alesund')), ['Ålesund Scene'])
    deepEqual(entriesOf(await shown('/venues/?letter=a')), ['Ålesund Scene', 'Attic'])
    deepEqual(entriesOf(await shown(`/venues/?letter=${encodeURIComponent('市')}`)), ['市民会館'])
    for (const letter of ['%00', '%25', '_', '%5C', '%ED%A0%80', '%27', '%F0%9F%98%80'])
      equal((await page(`/venues/?letter=${letter}`)).status, 200, letter)
    const none = await shown('/venues/?search=%25')
    match(none, /No venues match\./)
    match(none, /name="robots" content="noindex/)
    match(none, /name="search" value="%"/)
    for (const search of ['%00', '"><script>', '_', "'", '\\', 'x'.repeat(5000)])
      doesNotMatch(await shown(`/venues/?search=${encodeURIComponent(search)}`), /<script>/)
    match(await shown('/venues/?search=barn'), /No venues match\./)
    doesNotMatch(await shown('/venues/?letter=p'), /Barn/)
  })

  test('has pages of a hundred, and no page behind the last', async () => {
    for (let i = 0; i < 120; i++)
      await service.create('/venues', { venue: `Mill ${String(i).padStart(3, '0')}` })
    const first = await shown('/venues/?letter=m')
    equal(entriesOf(first).length, 100)
    match(first, /rel="next" href="\/venues\/\?letter=m&amp;page=2">Next page/)
    const second = await shown('/venues/?letter=m&page=2')
    equal(entriesOf(second).length, 20)
    match(second, /Mill 119/)
    for (const number of ['3', '51', '999', '99999999', '1e9'])
      equal((await page(`/venues/?letter=m&page=${number}`)).status, 404)
    for (const number of ['0', '-1', 'x', '99999999999999999999'])
      equal((await page(`/venues/?page=${number}`)).status, 400, number)
    match(first, /<nav class="letters".*letter=a">A<.*letter=m" aria-current="true">M</)
  })

  test('is where old and translated addresses lead, and in the map of the site', async () => {
    const moves = [
      ['/venue/', '/venues/'],
      ['/venues', '/venues/'],
      ['/organizer/', '/organizers/'],
      ['/veranstaltungsorte/', '/venues/'],
      ['/veranstalter/', '/organizers/'],
      ['/lieux/', '/venues/'],
      ['/organisateurs/', '/organizers/'],
      ['/recintos/', '/venues/'],
      ['/organizadores/', '/organizers/'],
    ] as const
    for (const [from, to] of moves) {
      let [at, answer] = [from as string, await page(from)]
      for (let i = 0; i < 3 && answer.status === 301; i++) {
        at = answer.headers.get('location') ?? ''
        answer = await page(at)
      }
      deepEqual([at, answer.status], [to, 200], from)
    }
    match((await page('/sitemap-pages.xml')).body, /\/venues\/<\/loc>.*\/organizers\/<\/loc>/s)
    equal((await page('/venues/attic/')).status, 404)
  })
})

test('a directory keeps the language that its address names', async () => {
  const body = await shown('/venues/?lang=de&letter=m')
  match(body, /<h1[^>]*>Orte<|<h1[^>]*>Veranstaltungsorte</)
  match(body, /href="\/venues\/\?letter=m&amp;page=2&amp;lang=de"/)
  match(body, /<input type="hidden" name="lang" value="de">/)
  match(body, /href="\/venue\/mill-000\/\?lang=de"/)
})

test('the directory of organizers has the number of coming events too', async () => {
  deepEqual(entriesOf(await shown('/organizers/')), ['Choir 2 events'])
})
