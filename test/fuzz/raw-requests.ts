import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Bytes that no HTTP client would send. */
export interface RawRequest {
  name: string
  pieces: readonly (string | Buffer)[]
  drops?: boolean
}

const HEAD = 'Host: x\r\n'
const LIST = '/wp-json/tribe/events/v1/events'
const JSON_HEAD = `${HEAD}Content-Type: application/json\r\n`

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\n${HEAD}${more}\r\n`
const post = (length: string | number, body = '') =>
  `POST ${LIST} HTTP/1.1\r\n${JSON_HEAD}Content-Length: ${length}\r\n\r\n${body}`
const chunked = (body: string) =>
  `POST ${LIST} HTTP/1.1\r\n${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n${body}`

export const RAW_REQUESTS: readonly RawRequest[] = [
  { name: 'no HTTP', pieces: ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'] },
  { name: 'a blank line', pieces: ['\r\n\r\n', get(LIST)] },
  { name: 'half a request line', pieces: ['GET /wp-js'], drops: true },
  { name: 'half a head', pieces: [`GET ${LIST} HTTP/1.1\r\nHost: x\r\nX-A: `], drops: true },
  { name: 'half a body', pieces: [post(1000, '{"title":')], drops: true },
  { name: 'two halves', pieces: [get(LIST).slice(0, 20), get(LIST).slice(20)] },
  { name: 'three at once', pieces: [get(LIST) + get('/healthz') + get('/nothing')] },
  { name: 'two hundred at once', pieces: [get(`${LIST}?per_page=50`).repeat(200)] },
  { name: 'two hundred at once, unread', pieces: [get(`${LIST}?per_page=50`).repeat(200)], drops: true },
  { name: 'a body behind a GET', pieces: [`${get(LIST, 'Content-Length: 5\r\n')}hello${get('/healthz')}`] },
  { name: 'two lengths', pieces: [post('5\r\nContent-Length: 6', '{"a":1}')] },
  { name: 'a length and chunks', pieces: [post('5\r\nTransfer-Encoding: chunked', '0\r\n\r\n')] },
  { name: 'a negative length', pieces: [post(-1)] },
  { name: 'a length beyond all', pieces: [post('99999999999999999999')] },
  { name: 'a length of ten gigabytes', pieces: [post(1e10, 'x')], drops: true },
  { name: 'a chunk beyond all', pieces: [chunked('ffffffffffffffffff\r\nx\r\n')] },
  { name: 'a chunk that is no number', pieces: [chunked('zz\r\nx\r\n')] },
  { name: 'a chunk without an end', pieces: [chunked('5\r\nhello')], drops: true },
  { name: 'many small chunks', pieces: [chunked(`${'1\r\n \r\n'.repeat(20_000)}0\r\n\r\n`)] },
  { name: 'a long chunk extension', pieces: [chunked(`1;${'a'.repeat(20_000)}\r\nx\r\n0\r\n\r\n`)] },
  { name: 'trailers', pieces: [chunked(`2\r\n{}\r\n0\r\n${'X-A: b\r\n'.repeat(1000)}\r\n`)] },
  { name: 'a long request line', pieces: [get(`/${'a'.repeat(60_000)}`)] },
  { name: 'a request line without an end', pieces: [`GET /${'a'.repeat(100_000)}`] },
  { name: 'a long header', pieces: [get(LIST, `X-A: ${'a'.repeat(60_000)}\r\n`)] },
  { name: 'many headers', pieces: [get(LIST, 'X-A: b\r\n'.repeat(3000))] },
  { name: 'too many headers', pieces: [get(LIST, 'X-A: b\r\n'.repeat(30_000))] },
  { name: 'NUL in the path', pieces: [get(`${LIST}?search=a\0b`)] },
  { name: 'bytes in the path', pieces: [Buffer.from(get(`${LIST}?search=\xff\xfe`), 'latin1')] },
  { name: 'bytes in a header', pieces: [Buffer.from(get(LIST, 'Origin: \xff\xe9\r\n'), 'latin1')] },
  { name: 'a line feed alone', pieces: [`GET ${LIST} HTTP/1.1\nHost: x\n\n`] },
  { name: 'a folded header', pieces: [get(LIST, 'X-A: b\r\n c\r\n')] },
  { name: 'no host', pieces: [`GET ${LIST} HTTP/1.1\r\n\r\n`] },
  { name: 'HTTP/1.0', pieces: [`GET ${LIST} HTTP/1.0\r\n\r\n`] },
  { name: 'HTTP/2', pieces: ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'] },
  { name: 'HTTP/9.9', pieces: [`GET ${LIST} HTTP/9.9\r\n${HEAD}\r\n`] },
  { name: 'an asterisk', pieces: [`OPTIONS * HTTP/1.1\r\n${HEAD}\r\n`] },
  { name: 'a full address', pieces: [`GET http://x${LIST} HTTP/1.1\r\n${HEAD}\r\n`] },
  { name: 'an address that is none', pieces: [`GET http://[::1 HTTP/1.1\r\n${HEAD}\r\n`] },
  { name: 'a path without a slash', pieces: [`GET wp-json HTTP/1.1\r\n${HEAD}\r\n`] },
  { name: 'two slashes', pieces: [get('//'), get('///x//y')] },
  { name: 'CONNECT', pieces: [`CONNECT example.org:443 HTTP/1.1\r\n${HEAD}\r\n`] },
  { name: 'an upgrade', pieces: [get(LIST, 'Connection: Upgrade\r\nUpgrade: websocket\r\n')] },
  {
    name: 'an expectation',
    pieces: [`POST ${LIST} HTTP/1.1\r\n${JSON_HEAD}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`, '{}'],
  },
  {
    name: 'a multipart that never begins',
    pieces: [
      `POST ${LIST} HTTP/1.1\r\n${HEAD}Content-Type: ` +
        'multipart/form-data; boundary=b\r\nContent-Length: 3\r\n\r\nabc',
    ],
  },
  {
    name: 'a multipart that stops',
    pieces: [
      `POST ${LIST} HTTP/1.1\r\n${HEAD}Content-Type: multipart/form-data; ` +
        'boundary=b\r\nContent-Length: 3000\r\n\r\n--b\r\nContent-',
    ],
    drops: true,
  },
]

export async function sendRaw(port: number, raw: RawRequest): Promise<number[]> {
  const socket = connect(port, '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (bytes) => received.push(bytes)).on('error', () => undefined)
  await once(socket, 'connect').catch(() => undefined)
  for (const piece of raw.pieces) {
    if (socket.writable) socket.write(piece)
    await sleep(1)
  }
  if (!raw.drops) await untilQuiet(socket, received)
  socket.destroy()
  return statusesIn(Buffer.concat(received).toString('latin1'))
}

const QUIET_MS = 40
const MOST_MS = 2000

async function untilQuiet(socket: Socket, received: Buffer[]): Promise<void> {
  const start = performance.now()
  for (let seen = -1; !socket.destroyed && !socket.readableEnded && performance.now() - start < MOST_MS; ) {
    if (received.length > 0 && received.length === seen) return
    seen = received.length
    await sleep(QUIET_MS)
  }
}

function statusesIn(text: string): number[] {
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status))
}
