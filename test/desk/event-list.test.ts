import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { deskHere, sitAtDesk } from '../support/desk.ts'
import { onDay, serviceForTests } from '../support/service.ts'

const DAY_MS = 86_400_000
const dayFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
const on = (days: number, from = '19:00', to = '21:00') => ({
  ...onDay(dayFromNow(days), `${from}:00`, `${to}:00`),
})

function titlesIn(body: string): string[] {
  return [...body.matchAll(/<td class="what"><\w+ class="title"[^>]*>([^<]*)</g)].map(
    ([, title = '']) => title,
  )
}

function countsIn(body: string): Record<string, string> {
  const tabs = body.matchAll(/<a href="[^"]*"(?: aria-current="page")?>([^<]+) <span>([^<]+)<\/span><\/a>/g)
  return Object.fromEntries([...tabs].map(([, name, count]) => [name, count]))
}

describe('the list of events', () => {
  const service = serviceForTests()
  const editor = deskHere(service, 'editor')
  let venue: number

  before(async () => {
    venue = (await service.create('/venues', { venue: 'Mill Yard' })).id
    await service.create('/categories', { name: 'Music', slug: 'music' })
    await service.create('/categories', { name: 'Jazz', slug: 'jazz', parent: 1 })
    const make = (title: string, values: object) => service.event({ title, ...values })
    await make('Third', { ...on(9), categories: 'jazz' })
    await make('Second', {
      ...on(2, '20:00', '22:00'),
      venue,
      event_status: 'canceled',
      event_status_reason: 'Flood',
    })
    await make('First', { ...on(2, '09:00', '10:00'), hide_from_listings: true })
    await make('Exhibition', {
      start_date: `${dayFromNow(-9)} 10:00:00`,
      end_date: `${dayFromNow(20)} 18:00:00`,
    })
    await make('Yesterday', on(-2))
    await make('Long ago', on(-400))
    await make('A thought', { ...on(5), status: 'draft' })
    await make('For review', { ...on(5), status: 'pending' })
    await make('For few', { ...on(12), status: 'private' })
    await make('Later told', { ...on(30), status: 'future', date: `${dayFromNow(10)} 08:00:00` })
    const { id } = await make('Thrown away', on(3))
    await service.remove(`/events/${id}`)
  })

  test('reads as a calendar: what is still on, then by days, with hidden and private events', async () => {
    const { status, body } = await editor.get('/desk/events')
    equal(status, 200)
    deepEqual(titlesIn(body), ['Exhibition', 'First', 'Second', 'Third', 'For few'])
    match(body, /Still on/)
    match(body, /<span class="state bad">Canceled<\/span>/)
    match(body, /Flood/)
    match(body, /Hidden from lists/)
    deepEqual(countsIn(body), {
      Coming: '5',
      'Waiting for review': '1',
      Drafts: '1',
      Scheduled: '1',
      Past: '2',
      Trash: '1',
    })
  })

  test('has a tab for each status, and what is over with the latest first', async () => {
    const shown = async (status: string) => titlesIn((await editor.get(`/desk/events?status=${status}`)).body)
    deepEqual(await shown('past'), ['Yesterday', 'Long ago'])
    deepEqual(await shown('draft'), ['A thought'])
    deepEqual(await shown('pending'), ['For review'])
    deepEqual(await shown('future'), ['Later told'])
    deepEqual(await shown('trash'), ['Thrown away'])
  })

  test('is narrowed by words, category, venue, author and dates, each of which comes off', async () => {
    const shown = async (query: string) => titlesIn((await editor.get(`/desk/events?${query}`)).body)
    deepEqual(await shown('search=second'), ['Second'])
    deepEqual(await shown('categories=music'), ['Third'])
    deepEqual(await shown(`venue=${venue}`), ['Second'])
    deepEqual(await shown('venue=mill+yard'), ['Second'])
    deepEqual(await shown('author=mine'), [])
    deepEqual(await shown(`start_date=${dayFromNow(9)}&end_date=${dayFromNow(11)}`), ['Third'])
    const { body } = await editor.get('/desk/events?search=second&status=draft')
    match(body, /href="\/desk\/events\?status=draft"><span dir="auto">“second”<\/span>/)
    match(body, /Nothing matches\./)
    match(body, /href="\/desk\/events\?search=second">Coming <span class="count">1<\/span>/)
  })

  test('has controls for organizers and tags, which take names and show them again', async () => {
    const { id } = await service.create('/organizers', { organizer: 'Choir &amp; Co' })
    await service.event({ title: 'Named', ...on(40), organizer: id, tags: 'open air', status: 'draft' })
    for (const query of [`organizer=${id}`, 'organizer=choir+%26+co', 'tags=Open+Air', 'tags=open-air']) {
      const { body } = await editor.get(`/desk/events?status=draft&${query}`)
      deepEqual(titlesIn(body), ['Named'], query)
    }
    const { body } = await editor.get(`/desk/events?status=draft&organizer=${id}`)
    match(body, /name="organizer" value="Choir &amp; Co"[^>]*data-names="organizer"/)
    match(body, /Organizer: Choir &amp; Co</)
    match(body, /name="tags" value=""[^>]*data-names="tag"/)
  })

  test('a name that nobody has is told, with the way back to the rest of the list', async () => {
    const { status, body } = await editor.get('/desk/events?status=draft&organizer=%3Cb%3ENobody')
    equal(status, 400)
    match(body, /There is no “&lt;b&gt;Nobody”\./)
    match(body, /href="\/desk\/events\?status=draft">Remove this filter/)
  })

  test('is put in the order of titles or of changes', async () => {
    const shown = async (query: string) => titlesIn((await editor.get(`/desk/events?${query}`)).body)
    deepEqual(await shown('sort=title'), ['Exhibition', 'First', 'For few', 'Second', 'Third'])
    deepEqual((await shown('sort=changed')).toSorted(), ['Exhibition', 'First', 'For few', 'Second', 'Third'])
  })

  test('an address that means nothing is told so, and nothing is a defect', async () => {
    for (const query of [`search=${'x'.repeat(5000)}`, 'venue=999999', 'categories=nothing', 'venue=%00'])
      equal((await editor.get(`/desk/events?${query}`)).status, 400, query)
    for (const query of [
      'status=wrong',
      'after=wrong',
      'author=x',
      'start_date=31',
      'after=9999-99-99T99:99:99_1',
      'sort=x',
    ])
      equal((await editor.get(`/desk/events?${query}`)).status, 200, query)
  })

  test('others see their own events and what is public, and actions for what they may do alone', async () => {
    const contributor = await sitAtDesk(service, 'contributor')
    const own = await service.create(
      '/events',
      { title: 'Mine alone', ...on(4), status: 'draft' },
      'contributor',
    )
    deepEqual(titlesIn((await contributor.get('/desk/events?status=draft')).body), ['Mine alone'])
    deepEqual(titlesIn((await contributor.get('/desk/events?status=draft&author=all')).body), ['Mine alone'])
    const { body } = await contributor.get('/desk/events?author=all')
    deepEqual(titlesIn(body), ['Exhibition', 'First', 'Second', 'Third'])
    doesNotMatch(body, /type="checkbox"/)
    match((await contributor.get('/desk/events?status=draft')).body, new RegExp(`value="${own.id}"`))
    equal(countsIn((await contributor.get('/desk/events?author=all')).body)['Waiting for review'], '0')
  })

  test('titles, names and reasons are text', async () => {
    const title = '<img src=x onerror=alert(1)> \u202egnp'
    await service.event({ title: `&lt;b&gt;${title}`, ...on(6), status: 'draft' })
    const { body } = await editor.get('/desk/events?status=draft')
    doesNotMatch(body, /<img src=x/)
    match(body, /dir="auto">/)
  })

  test('pages go on from a place, forwards and backwards, and meet each event once', async () => {
    const start = `${dayFromNow(40)} 10:00:00`
    const events = Array.from({ length: 120 }, (_, i) => ({
      title: `Row ${String(i).padStart(3, '0')}`,
      start_date: i < 70 ? start : `${dayFromNow(40 + i)} 10:00:00`,
      end_date: `${dayFromNow(40 + i)} 11:00:00`,
    }))
    for (const event of events) await service.event(event)
    for (const query of ['', 'search=row&', 'sort=title&', 'author=1&']) {
      const seen: string[][] = []
      let next: string | undefined = `/desk/events?${query}`
      let last = ''
      while (next) {
        last = (await editor.get(next)).body
        seen.push(titlesIn(last))
        next = /<a class="button" href="([^"]*)" rel="next">/.exec(last)?.[1]?.replaceAll('&amp;', '&')
      }
      const rows = seen.flat().filter((title) => title.startsWith('Row'))
      equal(new Set(rows).size, 120, query)
      equal(rows.length, 120, query)
      const back = /<a class="button" href="([^"]*)" rel="prev">/.exec(last)?.[1]?.replaceAll('&amp;', '&')
      deepEqual(titlesIn((await editor.get(back ?? '')).body), seen.at(-2), query)
    }
  })
})
