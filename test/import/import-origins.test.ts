import { equal, match, ok, rejects } from 'node:assert/strict'
import type { IncomingMessage, RequestListener } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync } from 'node:zlib'
import { fetchPolitely, nameOrigin } from '../../src/features/imports/polite-fetch.ts'
import { serverHere } from '../support/server.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const PATH = '/wp-json/tribe/events/v1'
const ICS =
  'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:o@x\r\nSUMMARY:Ball\r\n' +
  'DTSTART:20270705T200000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'

async function server(answer: RequestListener): Promise<{ origin: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = []
  const origin = await serverHere((request, response) => {
    asked.push(request)
    answer(request, response)
  })
  return { origin, asked }
}

const empty: RequestListener = (request, response) => {
  const list = request.url?.split('?')[0]?.split('/').at(-1) ?? ''
  response.end(JSON.stringify({ namespaces: ['tribe/events/v1'], [list]: [], total: 0, total_pages: 0 }))
}

describe('what a source leads to', () => {
  let calendar: Calendar
  let login: string[]
  before(async () => {
    calendar = await startCalendar()
    login = ['--login', 'anna', '--password-file', await calendar.file('password', 'abcd\n')]
  })
  after(() => calendar.close())

  test('is not asked with a login for another origin, be it by Link or by a redirect', async () => {
    const other = await server(empty)
    const linking = await server((_request, response) => {
      response.setHeader('link', `<${other.origin}/wp-json/>; rel="https://api.w.org/"`).end('<html></html>')
    })
    const redirecting = await server((request, response) => {
      response.writeHead(307, { location: `${other.origin}${request.url}` }).end()
    })
    for (const address of [linking.origin, redirecting.origin, redirecting.origin + PATH]) {
      const { err, code } = await calendar.kalends('import', ...login, address)
      equal(code, 1)
      ok(err.includes(`${other.origin}/`), err)
      match(
        err,
        /is not asked: the source leads there, and (?:the login is for http:\S+ alone|it is at no public)/,
      )
    }
    equal(other.asked.length, 0)
  })

  test('is asked with the login at the origin that was named, also by a redirect', async () => {
    const named = await server((request, response) => {
      if (request.url?.startsWith(PATH)) empty(request, response)
      else if (request.url?.startsWith('/new')) response.end(ICS)
      else response.writeHead(301, { location: `/new${request.url}` }).end()
    })
    await calendar.run(0, 'import', ...login, named.origin + PATH)
    const { out, err } = await calendar.kalends('import', ...login, `${named.origin}/calendar.ics`)
    match(out, /1 made/, err)
    const expected = `Basic ${Buffer.from('anna:abcd').toString('base64')}`
    for (const { url, headers } of named.asked) equal(headers.authorization, expected, url)
  })

  test('is not asked at an address that is not public', async () => {
    const inner = await server(empty)
    const { port } = new URL(inner.origin)
    for (const origin of [inner.origin, `http://localhost:${port}`]) {
      const linking = await server((_request, response) => {
        response.setHeader('link', `<${origin}/wp-json/>; rel="https://api.w.org/"`).end('<html></html>')
      })
      const redirecting = await server((_request, response) => {
        response.writeHead(302, { location: `${origin}/secret` }).end()
      })
      for (const address of [
        linking.origin,
        redirecting.origin + PATH,
        `${redirecting.origin}/calendar.ics`,
      ]) {
        const { err, code } = await calendar.kalends('import', address)
        equal(code, 1)
        match(err, /is not asked: the source leads there, and it is at no public address/)
        ok(err.startsWith(`${origin}/`), err)
      }
    }
    equal(inner.asked.length, 0)
  })

  test('is not asked when it is no address of the web, or leads round in a circle', async () => {
    const circle = await server((request, response) => {
      const location = request.url?.startsWith('/file') ? 'file:///etc/passwd' : `${request.url}x`
      response.writeHead(302, { location }).end()
    })
    match((await calendar.kalends('import', `${circle.origin}/file.ics`)).err, /is not asked/)
    match(
      (await calendar.kalends('import', `${circle.origin}/round.ics`)).err,
      /redirects more than 10 times/,
    )
    equal(circle.asked.length, 12)
  })

  test('gets no login by http when https was named', async () => {
    const plain = await server(empty)
    const named = nameOrigin(plain.origin.replace('http:', 'https:'), 'anna', 'abcd')
    const asking = fetchPolitely(`${plain.origin}/x`, { named, accept: '*/*', backOffMs: 1 })
    await rejects(asking, /the login is for https:\/\/127\.0\.0\.1:\d+ alone/)
    equal(plain.asked.length, 0)
  })

  test('is read in any encoding, and asked for once where it cannot be decoded', async () => {
    const body = Buffer.from('BEGIN:VCALENDAR')
    const answers: Readonly<Record<string, readonly [encoding: string, body: Buffer]>> = {
      '/zlib': ['deflate', deflateSync(body)],
      '/raw': ['deflate', deflateRawSync(body)],
      '/brotli': ['br', brotliCompressSync(body)],
      '/unknown': ['constructor', body],
      '/empty': ['gzip', Buffer.alloc(0)],
      '/broken': ['gzip', Buffer.from('no gzip')],
    }
    const { origin, asked } = await server((request, response) => {
      const [encoding = '', encoded] = answers[request.url ?? ''] ?? []
      response.setHeader('content-encoding', encoding).end(encoded)
    })
    const named = nameOrigin(origin)
    const fetched = (url: string) => fetchPolitely(url, { named, accept: '*/*', backOffMs: 1 })
    for (const path of ['/zlib', '/raw', '/brotli', '/unknown'])
      equal((await fetched(origin + path)).body.toString(), 'BEGIN:VCALENDAR', path)
    equal((await fetched(`${origin}/empty`)).body.length, 0)
    await rejects(
      fetched(`${origin}/broken`),
      /broken answers with a body that cannot be decoded: incorrect header/,
    )
    await rejects(fetched('http://[no-address/'), /^SourceFailure: http:\/\/\[no-address\/ is no address\.$/)
    equal(asked.length, 6)
  })
})
