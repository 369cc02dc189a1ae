import { doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { day, startService, type TestService } from '../support/service.ts'

const TAGS = 2300
const AT_ONCE = 100

let service: TestService

const page = async (path: string) => {
  const { status, body } = await service.page(path)
  return { status, body: String(body) }
}

const numbered = (from: number, word: string) =>
  Array.from({ length: AT_ONCE }, (_, at) => `${word} ${from + at}`)

describe('a calendar with thousands of categories and tags', () => {
  before(async () => {
    service = await startService()
    for (let from = 0; from < TAGS; from += AT_ONCE)
      await service.event({ title: 'Honest', ...day, tags: numbered(from, 'Tag') })
    const roots = await Promise.all(
      ['Music', 'Film', 'Dance'].map((name) => service.create('/categories', { name })),
    )
    const jazz = await service.create('/categories', { name: 'Jazz', parent: roots[0].id })
    await service.event({ title: 'Concert', ...day, categories: [jazz.id, roots[1].id], tags: ['Tag 7'] })
    for (let from = 0; from < 300; from += AT_ONCE)
      await service.event({ title: 'Many', ...day, categories: numbered(from, 'Category') })
    const popular = await service.create('/categories', { name: 'Popular' })
    const below = await service.create('/categories', { name: 'Below', parent: popular.id })
    for (const title of ['One', 'Two']) await service.event({ title, ...day, categories: [below.id] })
    const seldom = await service.create('/categories', { name: 'Seldom', parent: popular.id })
    await service.event({ title: 'Rarely', ...day, categories: [seldom.id] })
    await service.create(
      '/events',
      { title: 'Secret', ...day, status: 'draft', tags: ['Takeover'], categories: [roots[2].id] },
      'author',
    )
  })
  after(() => service.close())

  test('has a page for each of them that a published event has', async () => {
    for (const path of [
      '/events/tag/tag-2299/',
      '/events/tag/tag-7/',
      '/events/category/music/jazz/',
      '/events/category/category-299/',
    ]) {
      const { status, body } = await page(path)
      equal(status, 200, path)
      match(body, /class="row/, path)
    }
  })

  test('shows a category above one in use by its own address', async () => {
    const { status, body } = await page('/events/category/music/')
    equal(status, 200)
    match(body, /Concert/)
  })

  test('tells strangers nothing of terms that only drafts have', async () => {
    equal((await page('/events/category/dance/')).status, 404)
    equal((await page('/events/tag/takeover/')).status, 404)
    for (const path of ['/', '/events/month/', '/embed/', '/sitemap-pages.xml'])
      doesNotMatch((await page(path)).body, /takeover|\bdance/i, path)
  })

  test('has pages that do not grow with their number', async () => {
    for (const path of ['/', '/events/month/2027-04/', '/events/tag/tag-7/', '/embed/']) {
      const { body } = await page(path)
      ok(body.length < 120_000, `${path}: ${body.length}`)
    }
  })

  test('offers those with the most events, and takes the names of others', async () => {
    const { body } = await page('/')
    match(body, /<option value="tag-7">Tag 7</)
    match(body, /<input name="tags" list="tags-offered"/)
    match(body, /<summary class="pill">More categories/)
    match(
      body,
      new RegExp(
        '<a class="pill[^>]*>(?:<i[^>]*></i>)?(?:<bdi>)?Popular(?:</bdi>)?(?: <small>\\d+' +
          '</small>)?</a>.*<summary class="pill">More categories',
        's',
      ),
    )
    const typed = await page('/events/?tags=Tag+2299')
    equal(typed.status, 200)
    match(typed.body, /Honest/)
  })

  test('shows the categories of an event that no form offers', async () => {
    match((await page('/events/category/category-299/')).body, /<span class="chip h\d+">Category 2\d\d</)
  })

  test('gives a category that no form offers the colour of those above it, on every page', async () => {
    const colour = /<a class="pill (h\d+)"[^>]*>(?:<i[^>]*><\/i>)?(?:<bdi>)?Popular/.exec(
      (await page('/')).body,
    )?.[1]
    ok(colour)
    for (const path of [
      '/event/rarely/',
      '/events/category/popular/',
      '/events/category/popular/seldom/',
      '/event/rarely/',
    ])
      match((await page(path)).body, new RegExp(`class="chip ${colour}"[^>]*>(?:<bdi>)?Seldom`), path)
  })

  test('has each of them in its site map', async () => {
    const { body } = await page('/sitemap-pages.xml')
    for (const slug of ['tag-0', 'tag-2299', 'category-299', 'jazz']) match(body, new RegExp(`/${slug}/`))
  })
})
