import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { deskHere } from '../support/desk.ts'
import { onDay, serviceForTests } from '../support/service.ts'

function fieldsOf(body: string): Record<string, string> {
  const hidden = body.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)
  return Object.fromEntries([...hidden].map(([, name, value = '']) => [name, value.replaceAll('&amp;', '&')]))
}

describe('a postponed event', () => {
  const service = serviceForTests({ timezone: 'Europe/Dublin' })
  const editor = deskHere(service, 'editor')

  const make = async (title: string, day: string, values: object = {}) =>
    (await service.event({ title, ...onDay(day, '19:00:00', '21:30:00'), ...values })).id
  const read = async (id: number) => (await service.get(`/events/${id}`, 'admin')).body
  const pageOf = async (id: number) => (await service.page(new URL((await read(id)).url).pathname)).body
  const linkedIn = (page: string) =>
    JSON.parse(/<script type="application\/ld\+json">([\s\S]*?)<\/script>/.exec(page)?.[1] ?? '{}')

  test('each of many gets its new day at its own time, the pages link, and all is undone', async () => {
    const venue = (await service.create('/venues', { venue: 'Mill Yard' })).id
    const ids = [
      await make('Concert', '2027-02-05', { venue, tags: 'songs', description: '<p>Two <b>halves</b></p>' }),
      await make('Long day', '2027-02-06', { end_date: '2027-02-07 01:00:00' }),
    ]
    const asked = await editor.post('/desk/events/many', { do: 'cancel', ids: ids.map(String) })
    match(asked.body, /New day<\/label>[\s\S]*New time<\/label>/)
    const sent = { ...fieldsOf(asked.body), event_status: 'postponed', reason: 'Snow' }
    const wrong = await editor.post('/desk/events/many', { ...sent, later_date: '1 Jan 2020' })
    equal(wrong.status, 422)
    match(wrong.body, /That is in the past\./)
    const done = await editor.post('/desk/events/many', { ...sent, later_date: '5 March 2027' })
    equal(done.status, 303, done.body)
    const told = (await editor.get(done.headers.get('location') ?? '')).body
    match(told, /2 events changed/)

    const { events } = (await service.get('/events?start_date=2027-03-05&end_date=2027-03-06')).body
    const times = events.map(({ title, start_date, end_date }: Record<string, string>) => [
      title,
      start_date,
      end_date,
    ])
    deepEqual(times, [
      ['Concert', '2027-03-05 19:00:00', '2027-03-05 21:30:00'],
      ['Long day', '2027-03-05 19:00:00', '2027-03-06 01:00:00'],
    ])
    const [first = 0] = ids
    const later = await read(events[0].id)
    deepEqual(
      [later.venue.venue, later.tags[0].name, later.status, later.description.trim()],
      ['Mill Yard', 'songs', 'publish', '<p>Two <b>halves</b></p>'],
    )
    const former = await pageOf(first)
    match(
      former,
      /postponed\.<\/strong> <bdi>Snow<\/bdi> <a href="\/event\/[^"]+">New date: Friday, 5 March 2027, 19:00/,
    )
    equal(linkedIn(former).eventStatus, 'https://schema.org/EventPostponed')
    const feeds = ['ics', 'rss', 'atom', 'json'].map((one) =>
      service.page(`/events.${one}?start_date=2027-01-01`),
    )
    for (const { body } of await Promise.all(feeds))
      match(
        (typeof body === 'string' ? body : JSON.stringify(body)).replace(/\r\n /g, ''),
        /New date: Friday\\?, (?:5 )?March/,
      )
    const now = await pageOf(later.id)
    match(now, /<a href="\/event\/concert\/">Postponed from Friday, 5 February 2027, 19:00/)
    deepEqual(
      [linkedIn(now).eventStatus, linkedIn(now).previousStartDate],
      ['https://schema.org/EventRescheduled', '2027-02-05T19:00:00+00:00'],
    )

    // The second one was changed since, so it stays.
    await service.update(`/events/${events[1].id}`, { title: 'Longer day' })
    const [, undo = ''] = /name="undo" value="([^"]*)"/.exec(told) ?? []
    const undone = (await editor.post('/desk/events/undo', { undo })).body
    match(undone, /Undone for 2 events[\s\S]*Not done: 1[\s\S]*Longer day/)
    equal((await read(first)).event_status, undefined)
    equal((await read(later.id)).status, 'trash')
    doesNotMatch(await pageOf(first), /New date/)
  })

  test('the form asks for the new day, leads to the new event, and takes both back', async () => {
    const id = await make('Play', '2027-04-09')
    const form = (await editor.get(`/desk/events/${id}`)).body
    match(form, /id="later_date"/)
    const version = /name="version" value="(\d+)"/.exec(form)?.[1] ?? ''
    const sent = { version, title: 'A play', event_status: 'postponed', event_status_reason: 'Ill' }
    const wrong = await editor.post(`/desk/events/${id}`, { ...sent, later_date: 'soon-ish' })
    equal(wrong.status, 422)
    match(wrong.body, /href="#later_date">New day:/)
    match(wrong.body, /id="later_date"[^>]* value="soon-ish"/)
    const { write } = service.app.database
    await write((tx) => sql`alter table postponed_events rename to away`.execute(tx))
    const failed = await editor.post(`/desk/events/${id}`, { ...sent, later_date: '16 April 2027' })
    await write((tx) => sql`alter table away rename to postponed_events`.execute(tx))
    equal(failed.status, 500)
    deepEqual([(await read(id)).title, (await read(id)).event_status], ['Play', undefined])
    const saved = await editor.post(`/desk/events/${id}`, {
      ...sent,
      later_date: '16 April 2027',
      later_time: '8pm',
    })
    equal(saved.status, 303, saved.body)
    const shown = (await editor.get(saved.headers.get('location') ?? '')).body
    const [, later = ''] =
      /href="\/desk\/events\/(\d+)">New date: Friday, 16 April 2027, 20:00/.exec(shown) ?? []
    deepEqual(
      [
        (await read(Number(later))).title,
        (await read(Number(later))).start_date,
        (await read(id)).event_status_reason,
      ],
      ['A play', '2027-04-16 20:00:00', 'Ill'],
    )
    match((await editor.get(`/desk/events/${later}`)).body, /Postponed from Friday, 9 April 2027/)
    const [, undo = ''] = /name="undo" value="([^"]*)"/.exec(shown) ?? []
    await editor.post('/desk/events/undo', { undo })
    const { title, event_status, event_status_reason } = await read(id)
    // What else was saved stays.
    deepEqual([title, event_status, event_status_reason], ['A play', undefined, undefined])
    equal((await read(Number(later))).status, 'trash')
  })

  test('a form that is sent twice makes one event on the new day', async () => {
    const id = await make('Reading', '2027-06-04')
    const version =
      /name="version" value="(\d+)"/.exec((await editor.get(`/desk/events/${id}`)).body)?.[1] ?? ''
    const sent = { version, event_status: 'postponed', event_status_reason: 'Ill', later_date: '2027-06-11' }
    for (const _ of [1, 2]) equal((await editor.post(`/desk/events/${id}`, sent)).status, 303)
    const { events } = (await service.get('/events?start_date=2027-06-11&end_date=2027-06-12')).body
    equal(events.length, 1)
  })

  test('a date of a series gets a single event, several dates get none', async () => {
    const id = await make('Choir', '2027-05-04', { recurrence: 'RRULE:FREQ=WEEKLY;COUNT=3' })
    const sent = { event_status: 'postponed', later_date: '2027-05-06' }
    const all = await editor.post(`/desk/events/${id}`, { ...sent, recurrence_scope: 'all' })
    equal(all.status, 422)
    match(all.body, /Only single dates get a new day/)
    const asked = fieldsOf((await editor.get(`/desk/events/many?do=cancel&ids=${id}`)).body)
    const many = await editor.post('/desk/events/many', { ...asked, ...sent, scope: 'all' })
    match(many.body, /Only single dates get a new day/)
    equal((await editor.post(`/desk/events/${id}`, { ...sent, recurrence_scope: 'this' })).status, 303)
    const { events } = (await service.get('/events?start_date=2027-05-06&end_date=2027-05-07')).body
    deepEqual([events.length, events[0].recurrence], [1, undefined])
  })
})
