import { doesNotMatch, equal, match, ok } from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pluck } from '../support/lists.ts'
import { serverHere } from '../support/server.ts'
import { onDay } from '../support/service.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const PATH = '/wp-json/tribe/events/v1'

async function site(answer: RequestListener): Promise<string> {
  return `${await serverHere(answer)}${PATH}`
}

const event = (id: number, more: object = {}) => ({
  id,
  title: `Event ${id}`,
  ...onDay('2027-07-05', '20:00:00', '21:00:00'),
  timezone: 'UTC',
  ...more,
})

describe('an import of a hostile source', () => {
  let calendar: Calendar
  before(async () => {
    calendar = await startCalendar()
  })
  after(() => calendar.close())
  const titles = async () =>
    pluck((await calendar.service.get('/events?start_date=2027-01-01&per_page=50')).body.events, 'title')

  test('ends at an answer that unpacks to more than may be held', async () => {
    const bomb = gzipSync(Buffer.alloc(60_000_000, ' '))
    const source = await site((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb)
    })
    const { err, code } = await calendar.kalends('import', source)
    equal(code, 1)
    match(err, /answers with more than 50000000 bytes/)
  })

  test('ends where changes have no end, with what was told before', async () => {
    let asked = 0
    const source = await site((request, response) => {
      if (!request.url?.includes('/kalends/v1/changes')) return void response.writeHead(404).end('{}')
      asked += 1
      const changes = [{ action: 'upsert', kind: 'event', id: asked, record: event(asked) }]
      response.end(JSON.stringify({ changes, next_token: asked > 3 ? 'again' : `token ${asked}` }))
    })
    const { err, code } = await calendar.kalends('import', source)
    equal(code, 1)
    match(err, /reports changes without an end/)
    equal(asked, 5)
  })

  test('names the records that it cannot take, and brings in the others', async () => {
    const records = [
      JSON.stringify(event(1, { start_date: '2027-02-31 20:00:00' })),
      JSON.stringify(event(2, { timezone: 'Nowhere/Town' })),
      JSON.stringify(event(3, { title: '' })),
      JSON.stringify(event(4, { start_date: { $gt: '' } })),
      JSON.stringify(
        event(5, {
          recurrence: { series: 9, id: '2027-99-99 00:00:00', rrule: 'FREQ=SECONDLY', overrides: 7 },
        }),
      ),
      JSON.stringify(
        event(6, {
          recurrence: { series: 9, id: '2027-07-05 20:00:00', rrule: 'FREQ=SECONDLY', overrides: 7 },
        }),
      ),
      JSON.stringify(
        event(7, {
          recurrence: { series: 8, id: '2027-07-05 20:00:00', rrule: `FREQ=DAILY;COUNT=${'9'.repeat(300)}` },
        }),
      ),
      JSON.stringify({ id: { toString: 1 }, title: 'No id' }),
      '[1,2',
      'null',
      JSON.stringify(event(10, { venue: { id: 1, venue: 'x'.repeat(100_000) } })),
      `${'['.repeat(200_000)}`,
    ]
    const bytes = Buffer.concat([
      Buffer.from(`${records.join('\n')}\n`),
      Buffer.from(
        '{"id":11,"title":"Caf\u00e9","start_date":"2027-07-05 ' +
          '20:00:00","end_date":"2027-07-05 21:00:00","timezone":"UTC"}\n',
        'latin1',
      ),
      Buffer.from(`${JSON.stringify(event(12))}\n`),
    ])
    const out = await calendar.run(2, 'import', await calendar.file('odd.ndjson', bytes))
    for (const line of [2, 3, 4, 8, 9, 10, 12]) match(out, new RegExp(`line ${line}: .`), out)
    const found = await titles()
    for (const title of ['Event 5', 'Event 6', 'Event 7', 'Event 12'])
      ok(found.includes(title), `${title}: ${out}`)
    ok(found.includes('Caf\ufffd'), out)
  })

  test('shows texts without what could run, whoever imports, and fetches no private picture', async () => {
    const description =
      '<p onclick="x()">Fine</p><script>alert(1)</script><iframe src="https://x.example"></iframe>'
    const title = 'Bare <img src=x onerror=alert(1)>'
    const image = { url: 'http://10.0.0.1/a.png' }
    const source = await calendar.file(
      'html.ndjson',
      JSON.stringify(event(30, { title, description, image })),
    )
    const { out } = await calendar.kalends('import', '--user', 'admin', source)
    match(
      out,
      new RegExp(
        'Its image could not be fetched, since 10\\.0\\.0\\.1 is not among .*KALENDS_IMAGE_HOSTS: ' +
          'http://10\\.0\\.0\\.1',
      ),
    )
    const { events } = (await calendar.service.get('/events?start_date=2027-01-01&search=bare')).body
    match(events[0].description, /^<p>Fine<\/p>/)
    doesNotMatch(JSON.stringify(events[0]), /onerror|onclick|<script|iframe/)
  })

  test('reads past a line of twenty million bytes, whatever the format', async () => {
    const huge = Buffer.alloc(20_000_000, 'x')
    const lines = Buffer.concat([
      Buffer.from('{"id":1,"title":"'),
      huge,
      Buffer.from(`"}\n${JSON.stringify(event(20))}\n`),
    ])
    match((await calendar.imports('huge.ndjson', lines)).out, /line 1: It has 20000019 bytes/)
    const head = 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:h@x\r\nDTSTART:20270705T200000Z\r\nDESCRIPTION:'
    const tail =
      '\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:i@x\r\nSUMMARY:After\r\n' +
      'DTSTART:20270705T200000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'
    const calendarFile = Buffer.concat([Buffer.from(head), huge, Buffer.from(tail)])
    match((await calendar.imports('huge.ics', calendarFile)).out, /line 2: Line 5 is too long/)
    const found = await titles()
    ok(found.includes('Event 20') && found.includes('After'))
  })
})
