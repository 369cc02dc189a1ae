// Records that are hard to show: every address in an answer leads to a valid document.
import { deepEqual, doesNotMatch, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { XMLValidator } from 'fast-xml-parser'
import { readers } from '../campaigns/format-readers.ts'
import { findPackage, firstOfKinds } from '../support/browsers.ts'
import { onSqlite } from '../support/database.ts'
import { HARD_TEXTS, writeHardRecords } from '../support/hard-records.ts'
import { markupValidator } from '../support/markup.ts'
import { serviceForTests } from '../support/service.ts'
import { viewPaths } from '../support/view-paths.ts'

const service = serviceForTests(
  { timezone: 'Europe/Oslo', site_name: `Kil<vara> & "sons", 'and'; co` },
  { fill },
)

async function fill(): Promise<void> {
  await writeHardRecords(service)
}

const visit = (address: string) =>
  fetch(address, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })

function addressesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string' && value.startsWith(service.origin)) found.add(value)
  else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) addressesIn(one, found)
  return found
}

const OF_INDEX = /\(\?P<|\{|\/users\/me$|\/batch\/v1$|\/webhooks$|\/v1\/settings$/

async function walk(): Promise<Map<string, { type: string; text: string }>> {
  const platform = `${service.origin}/wp-json/wp/v2`
  const lists = ['events', 'venues', 'organizers', 'categories', 'tags'].map(
    (name) => `${service.base}/${name}`,
  )
  const posts = ['tribe_events', 'tribe_venue', 'tribe_organizer', 'tribe_events_cat', 'tags', 'types'].map(
    (name) => `${platform}/${name}`,
  )
  const own = ['series', 'changes'].map((name) => `${service.origin}/wp-json/kalends/v1/${name}`)
  const due = [`${service.origin}/wp-json/`, `${service.base}/`, ...lists, ...posts, ...own]
  const found = new Map<string, { type: string; text: string }>()
  for (let address = due.pop(); address !== undefined; address = due.pop()) {
    if (found.has(address) || OF_INDEX.test(address)) continue
    const response = await visit(address)
    equal(response.status, 200, address)
    const [type, text] = [response.headers.get('content-type') ?? '', await response.text()]
    found.set(address, { type, text })
    // The interface description is not followed: it lists the bases of addresses.
    if (type.startsWith('application/json') && !address.endsWith('/doc'))
      due.push(...addressesIn(JSON.parse(text)))
  }
  return found
}

describe('of records that are hard to show', () => {
  let found: Map<string, { type: string; text: string }>

  test('every url, rest_url and member of urls in any answer leads somewhere', async () => {
    found = await walk()
    const kinds = '/event/ /venue/ /organizer/ /events/category/ /tag/ /series/ /tribe/events/v1/'.split(' ')
    for (const kind of kinds) {
      const some = [...found.keys()].filter((address) => address.includes(kind))
      ok(some.length >= (kind === '/series/' ? 1 : HARD_TEXTS.length), `${kind} ${some.length}`)
    }
  })

  // The walk reads the same records on both databases, so one database is enough for markup.
  test('every page is valid', {
    skip: findPackage('html-validate') === undefined ? 'html-validate is not installed' : onSqlite.skip,
  }, async () => {
    const views = ['/', ...viewPaths, '/embed/?view=month', '/none/']
    const first = new URL([...found.keys()].find((address) => address.includes('/events/category/')) ?? '')
      .pathname
    const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const queries = HARD_TEXTS.map((text) => `/events/?search=${encodeURIComponent(text)}&venue=1`)
    const others = [
      `/events/${day}/`,
      `${first}month/`,
      '/events/?venue=abc',
      '/events/?page=999',
      ...queries,
    ]
    const shown = [...found].filter(([, { type }]) => type.startsWith('text/html'))
    const firsts = firstOfKinds(shown.map(([address]) => new URL(address).pathname))
    // Pages of events contain the texts of all other records, so `npm test` validates the first page of each
    // other kind and every third page.
    const isLookedAt = (path: string, number: number) =>
      process.env.PAGES_CHECK === 'all' || path.startsWith('/event/') || firsts.has(path) || number % 3 === 0
    const pages = shown
      .filter(([address], number) => isLookedAt(new URL(address).pathname, number))
      .map(([address, { text }]) => [address, text] as const)
    for (const path of [...views, ...others])
      pages.push([path, await (await visit(service.origin + path)).text()])
    const objections: string[] = []
    const validate = await markupValidator()
    for (const [address, text] of pages)
      for (const one of await validate(text)) objections.push(`${address}: ${one}`)
    deepEqual(objections.slice(0, 10), [])
  })

  test('every feed is valid, and has all of them', async () => {
    const expected = Number((await service.get('/events?start_date=2000-01-01&per_page=1')).body.total)
    for (const [ending, read] of Object.entries(readers)) {
      const text = await (
        await fetch(`${service.origin}/events.${ending}?start_date=2000-01-01&recurrence=expanded`)
      ).text()
      if (ending === 'rss' || ending === 'atom') equal(XMLValidator.validate(text), true, ending)
      if (ending !== 'json' && ending !== 'jsonld') doesNotMatch(text, /\0|\ufffe|\uffff/)
      const events = read(text)
      equal(events.length, expected, ending)
      for (const { url } of events) ok(found.has(url), `${ending} ${url}`)
    }
    const lines = await (await fetch(`${service.origin}/events.ndjson?start_date=2000-01-01`)).text()
    equal(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)).length,
      expected,
    )
  })

  test('every record has its feed and file, the first of a kind in every format, others in one', async () => {
    const pages = [...found.keys()].filter((address) => /\/(?:event|venue|organizer)\/[^/]+\/$/.test(address))
    ok(pages.length > HARD_TEXTS.length * 4)
    const kindOf = (page: string) => /\/(event|venue|organizer)\//.exec(page)?.[1]
    const firsts = new Set(
      ['event', 'venue', 'organizer'].map((kind) => pages.find((page) => kindOf(page) === kind)),
    )
    for (const [number, page] of pages.entries())
      for (const [at, [ending, read]] of Object.entries(readers).entries()) {
        if (!firsts.has(page) && number % Object.keys(readers).length !== at) continue
        const response = await fetch(`${page.slice(0, -1)}.${ending}`)
        equal(response.status, 200, `${page} ${ending}`)
        ok(read(await response.text()).length <= (page.includes('/event/') ? 1 : 10), `${page} ${ending}`)
      }
  })
})
