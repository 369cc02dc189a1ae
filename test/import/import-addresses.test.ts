import { deepEqual, equal, match } from 'node:assert/strict'
import type { OutgoingHttpHeaders, RequestListener } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { openSource } from '../../src/features/imports/open-source.ts'
import { pluck } from '../support/lists.ts'
import { startServer } from '../support/server.ts'
import { onDay } from '../support/service.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const ics = (title: string) =>
  `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:${title}@x\r\nSUMMARY:` +
  `${title}\r\nDTSTART:20270705T200000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`
const record = (title: string) => ({
  id: title,
  title,
  ...onDay('2027-07-05', '20:00:00', '21:00:00'),
  timezone: 'UTC',
})
const login = '<!DOCTYPE html><html><body><form><input name="p" type="password"></form></body></html>'

const ANSWERS: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  '/feed': ['text/calendar; charset=utf-8', ics('Feed')],
  '/remote.php/dav/public-calendars/abc?export': ['text/calendar', ics('Export')],
  '/ical/': ['text/calendar', ics('Ical')],
  '/untyped': ['application/octet-stream', `\ufeff\r\n${ics('Untyped')}`],
  '/warned': ['text/calendar', `<br />\n<b>Notice</b>: Undefined index in /var/www/x.php\n${ics('Warned')}`],
  '/misnamed.csv': ['text/plain', ics('Misnamed')],
  '/spreadsheet/pub?output=csv': ['text/csv', 'Title,Start\nSheet,2027-07-05 20:00\n'],
  '/tabs': ['text/tab-separated-values', 'Title\tStart\nTabs\t2027-07-05 20:00\n'],
  '/wide': ['text/csv', Buffer.from('\ufeffTitle;Start\nWide;2027-07-05 20:00\n', 'utf16le')],
  '/windows': ['text/csv', Buffer.from('Title;Start\nCafé;2027-07-05 20:00\n', 'latin1')],
  '/list': ['application/json', JSON.stringify({ events: [record('List')], total: 1 })],
  '/records': ['application/json', JSON.stringify([record('Records')])],
  '/lines': [
    'application/x-ndjson',
    `${JSON.stringify(record('Lines'))}\n${JSON.stringify(record('Lines too'))}\n`,
  ],
  '/webcal': ['text/calendar', ics('Webcal')],
  '/login.ics': ['text/html', login],
  '/page.ics': ['text/html', '<html><head><title>Welcome</title></head></html>'],
  '/sheet/pub': ['text/html', login],
  '/': ['text/html', '<!-- made by hand -->\n<html><h1>Our town</h1></html>'],
  '/rss': ['application/rss+xml', '<?xml version="1.0"?><rss version="2.0"></rss>'],
  '/nothing': ['application/json', '{"message":"Hello"}'],
  '/archive': ['application/zip', Buffer.from('PK\u0003\u0004abc')],
}

describe('an address to import from', () => {
  let calendar: Calendar
  let site: Awaited<ReturnType<typeof startServer>>
  let origin: string
  const answer: RequestListener = (request, response) => {
    const [type, body] = ANSWERS[request.url ?? ''] ?? []
    const headers: OutgoingHttpHeaders = type === undefined ? {} : { 'content-type': type }
    response.writeHead(body === undefined ? 404 : 200, headers).end(body)
  }
  before(async () => {
    calendar = await startCalendar()
    site = await startServer(answer)
    origin = site.origin
  })
  after(async () => {
    site.close()
    await calendar.close()
  })

  test('is read by what it answers with, whatever it ends with', async () => {
    const read = {
      '/feed': ['Feed'],
      '/remote.php/dav/public-calendars/abc?export': ['Export'],
      '/ical/': ['Ical'],
      '/untyped': ['Untyped'],
      '/warned': ['Warned'],
      '/misnamed.csv': ['Misnamed'],
      '/spreadsheet/pub?output=csv': ['Sheet'],
      '/tabs': ['Tabs'],
      '/wide': ['Wide'],
      '/windows': ['Café'],
      '/list': ['List'],
      '/records': ['Records'],
      '/lines': ['Lines', 'Lines too'],
    }
    for (const [path, titles] of Object.entries(read)) {
      const { out, err, code } = await calendar.kalends('import', origin + path)
      equal(code, 0, path + out + err)
      match(out, new RegExp(`${titles.length} made`), path)
    }
    const { events } = (await calendar.service.get('/events?start_date=2027-01-01&per_page=50')).body
    deepEqual(pluck(events, 'title').sort(), Object.values(read).flat().sort())
  })

  test('of webcal is asked by http when nothing answers by https', async () => {
    const reader = { zone: 'UTC', backOffMs: 1 }
    const { source, close } = await openSource(
      origin.replace('http:', 'webcal:').concat('/webcal'),
      {},
      reader,
    )
    equal(source.address, `${origin.replace('http:', 'https:')}/webcal`)
    const names: string[] = []
    const context = { site: { timezone: 'UTC' }, now: Date.now() }
    for await (const entry of source.entries({ context, images: false, expectsNew: () => true } as never))
      if ('name' in entry) names.push(entry.name)
    await close()
    deepEqual(names, ['Webcal'])
  })

  test('that answers with a page says so, and whether somebody has to log in', async () => {
    const said = async (path: string) => {
      const { err, code } = await calendar.kalends('import', origin + path)
      equal(code, 1, path)
      return err
    }
    equal(await said('/login.ics'), `${origin}/login.ics is a login page (HTML), and not a calendar.\n`)
    equal(await said('/page.ics'), `${origin}/page.ics is a web page (HTML), and not a calendar.\n`)
    match(
      await said('/sheet/pub'),
      /\/sheet\/pub does not lead to an event interface but to a login page \(HTML\)/,
    )
    match(await said('/'), /does not lead to an event interface but to a web page \(HTML\); give the address/)
    match(await said('/rss'), /but to a document in XML, such as an RSS feed/)
    match(await said('/nothing'), /is not a list of events/)
    match(await said('/missing.ics'), /answers with status 404/)
    equal((await said('/archive')).includes(`${origin}/archive is not a text file`), true)
  })

  test('is not confused with a file, which says as well what it is', async () => {
    const page = await calendar.file('saved.ics', login)
    equal(
      (await calendar.kalends('import', page)).err,
      `The file ${page} is a login page (HTML), and not a calendar.\n`,
    )
    const misnamed = await calendar.file('calendar.csv', ics('Local'))
    match((await calendar.kalends('import', '--dry-run', misnamed)).out, /1 made/)
  })
})
