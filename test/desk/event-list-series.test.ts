import { deepEqual, equal, match } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { deskHere, sitAtDesk } from '../support/desk.ts'
import { pluck } from '../support/lists.ts'
import { beginAt } from '../support/moment.ts'
import { onDay, serviceForTests } from '../support/service.ts'

beginAt('2026-11-27T12:00:00Z')

const hrefs = (body: string, text: string) =>
  [...body.matchAll(new RegExp(`<a[^>]* href="([^"]*)"[^>]*>${text}`, 'g'))].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )

/** Days and titles with what follows them, in order. */
function rowsIn(body: string): string[] {
  const rows = body.matchAll(
    /<tr><td class="pick">[\s\S]*?datetime="([\d-]*)T[\s\S]*?class="title"[^>]*>([^<]*)<([\s\S]*?)<\/td>/g,
  )
  return [...rows].map(([, day, title, rest = '']) =>
    [day, title, /and \d+ more/.exec(rest)?.[0]].filter(Boolean).join(' '),
  )
}

describe('a series in the list of events', () => {
  const service = serviceForTests()
  const editor = deskHere(service, 'editor')
  let choir: number
  let ids: number[]

  before(async () => {
    const make = (title: string, day: string, more: object = {}) =>
      service.event({ title, ...onDay(day, '19:00', '21:00'), ...more })
    const weekly = (count: number) => ({ recurrence: `RRULE:FREQ=WEEKLY;COUNT=${count}` })
    // Two dates of the choir are over, eight are to come.
    const { post_parent } = await make('Choir', '2026-11-14', { ...weekly(10), tags: 'songs' })
    choir = post_parent
    const dates = (await service.get(`/events?post_parent=${choir}&start_date=2026-01-01&per_page=20`)).body
    ids = dates.events.map(({ id }: { id: number }) => id)
    await make('Concert', '2026-12-05', { tags: 'songs' })
    await make('Market', '2026-12-01', weekly(2))
    await make('Once only', '2026-12-02', weekly(1))
    await service.app.database.write((tx) =>
      tx
        .updateTable('events')
        .set({ modified_utc: '2027-01-01 00:00:00' })
        .where('id', '=', ids[5] ?? 0)
        .execute(),
    )
  })

  const list = async (query: string) => (await editor.get(`/desk/events?${query}`)).body
  const rows = async (query: string) => rowsIn(await list(query))

  test('stands at its first date, whatever narrows or orders the list, and opens by a link', async () => {
    const body = await list('')
    deepEqual(rowsIn(body), [
      '2026-11-28 Choir and 7 more',
      '2026-12-01 Market and 1 more',
      '2026-12-02 Once only',
      '2026-12-05 Concert',
    ])
    match(body, /Coming <span>12</)
    deepEqual(await rows('status=past'), ['2026-11-21 Choir and 1 more'])
    deepEqual(await rows('search=choir&start_date=2026-12-10'), ['2026-12-12 Choir and 5 more'])
    deepEqual(await rows('tags=songs&sort=title'), ['2026-11-28 Choir and 7 more', '2026-12-05 Concert'])
    // The date that was changed last stands for the others.
    for (const query of ['', 'tags=songs&'])
      equal((await rows(`${query}sort=changed`))[0], '2026-12-19 Choir and 7 more')
    const [opened = ''] = hrefs(await list('search=choir&start_date=2026-12-10'), 'and 5 more')
    const shown = (await editor.get(opened)).body
    deepEqual(
      rowsIn(shown),
      ['12-12', '12-19', '12-26', '01-02', '01-09', '01-16'].map(
        (day) => `${day.startsWith('12') ? 2026 : 2027}-${day} Choir`,
      ),
    )
    match(shown, /class="chip" href="\/desk\/events\?search=choir&amp;start_date=2026-12-10">/)
  })

  test('is met once on the way through the pages, forwards and backwards', async () => {
    const make = (title: string, day: number, recurrence?: string) =>
      service.event({
        title,
        ...onDay(`2028-01-${String(1 + (day % 28)).padStart(2, '0')}`, '10:00', '11:00'),
        ...(recurrence !== undefined && { recurrence }),
      })
    for (let i = 0; i < 60; i++) await make(`Page ${i}`, i)
    for (let i = 0; i < 50; i++) await make(`Paged series ${i}`, i, 'RRULE:FREQ=DAILY;COUNT=3')
    for (const query of ['', '&sort=title']) {
      const pages: string[][] = []
      let last = ''
      for (let next: string | undefined = `/desk/events?search=page${query}`; next; ) {
        last = (await editor.get(next)).body
        pages.push(rowsIn(last))
        next = hrefs(last, 'Next page')[0]
      }
      deepEqual(pluck(pages, 'length'), [50, 50, 10])
      equal(new Set(pages.flat()).size, 110)
      const [back = ''] = hrefs(last, 'Previous page')
      deepEqual(rowsIn((await editor.get(back)).body), pages.at(-2))
    }
  })

  test('its tick means the dates that the list shows by it, and says so', async () => {
    const body = await list('start_date=2026-12-10')
    match(body, new RegExp(`value="series:${choir}" data-dates="6"`))
    match(body, /6 dates chosen/)
    const ticked = { do: 'cancel', ids: [`series:${choir}`], list: 'start_date=2026-12-10' }
    const asked = (await editor.post('/desk/events/many', ticked)).body
    match(asked, /Cancel or postpone 6 events/)
    match(asked, /Choir<\/span> <small>6 dates</)
    match(asked, new RegExp(`name="ids" value="${ids.slice(4).join(',')}"`))
    // Somebody who does not see all events cannot reach drafts by the number of a series.
    const contributor = await sitAtDesk(service, 'contributor')
    const none = await contributor.post('/desk/events/many', { ...ticked, list: 'status=draft' })
    match(none.headers.get('location') ?? '', /chosen=none/)
  })

  test('has its place by start where too many events match to sort them by their last change', async () => {
    const { id: known } = await service.event({ title: 'Filler', ...onDay('2030-01-01', '10:00', '11:00') })
    await service.app.database.write(async (tx) => {
      const row = await tx.selectFrom('events').selectAll().where('id', '=', known).executeTakeFirstOrThrow()
      for (let from = 0; from < 1000; from += 20) {
        const own = Array.from({ length: 20 }, (_, at) => 900_000 + from + at)
        await tx
          .insertInto('records')
          .values(own.map((id) => ({ id, kind: 'event' })))
          .execute()
        await tx
          .insertInto('events')
          .values(own.map((id) => ({ ...row, id, slug: `filler-${id}`, uid: `${id}` })))
          .execute()
      }
    })
    deepEqual((await rows('sort=changed')).slice(0, 3), [
      '2026-11-28 Choir and 7 more',
      '2026-12-01 Market and 1 more',
      '2026-12-02 Once only',
    ])
  })
})
