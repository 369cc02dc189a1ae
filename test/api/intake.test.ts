import { deepEqual, doesNotMatch, equal, match, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { makeIntake, withBody } from '../../src/http/bodies.ts'
import { head, type Line, openLine } from '../support/lines.ts'
import { assertNone } from '../support/lists.ts'
import { type Reader, serviceForTests, startService, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const PATIENCE = 400

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const service = serviceForTests({
  patience_ms: String(PATIENCE),
  intake_bytes: '1000000',
  body_bytes: '900000',
  image_bytes: '15000000',
})
const open = () => openLine(service.origin)

const EVENTS = '/tribe/events/v1/events'
const JSON_TYPE = { 'content-type': 'application/json' }
const DAY = { start_date: '2027-05-01', end_date: '2027-05-01' }
const PNG = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="x.png"' }

describe('who may not write', () => {
  test('is refused before a long body has arrived, whatever is declared or sent of it', async () => {
    for (const [as, status] of [
      ['anonymous', 401],
      ['subscriber', 403],
    ] as const) {
      const line = open()
      line.socket.write(head('POST', EVENTS, as, { ...JSON_TYPE, 'content-length': '800000' }))
      line.socket.write('{"title":')
      equal(await line.status(), status)
      match(line.received(), /"code":"rest_forbidden"/)
      line.socket.destroy()
    }
  })

  test('is refused when a body of unknown length goes beyond 64 kB', async () => {
    const line = open()
    line.socket.write(head('POST', EVENTS, 'anonymous', { ...JSON_TYPE, 'transfer-encoding': 'chunked' }))
    for (let i = 0; i < 9; i++) line.socket.write(`2000\r\n${'x'.repeat(0x2000)}\r\n`)
    equal(await line.status(), 401)
    line.socket.destroy()
  })

  test('hears of what is wrong with a short body first', async () => {
    const missing = await service.post('/events', { title: 'x'.repeat(500) }, 'anonymous')
    deepEqual([missing.status, missing.body.code], [400, 'rest_missing_callback_param'])
    const long = await service.post('/events', { title: 'x', description: 'x'.repeat(70_000) }, 'anonymous')
    deepEqual([long.status, long.body.code], [401, 'rest_forbidden'])
  })

  test('is refused an upload without a byte of it being asked for', async () => {
    const line = open()
    const headers = { ...PNG, 'content-length': '18000000', expect: '100-continue' }
    line.socket.write(head('POST', '/wp/v2/media', 'contributor', headers))
    equal(await line.status(), 403)
    doesNotMatch(line.received(), /100 Continue/)
    line.socket.destroy()
  })

  test('with wrong credentials is refused before the body has arrived', async () => {
    const line = open()
    const authorization = `Basic ${Buffer.from('nobody:wrong').toString('base64')}`
    const headers = { ...JSON_TYPE, authorization, 'content-length': '800000' }
    line.socket.write(head('POST', EVENTS, 'anonymous', headers))
    equal(await line.status(), 401)
    line.socket.destroy()
  })
})

test('a connection whose body was refused is closed, however long the client goes on sending', async () => {
  const line = open()
  line.socket.write(head('POST', EVENTS, 'anonymous', { ...JSON_TYPE, 'content-length': '100000000' }))
  const sending = setInterval(() => line.socket.write('x'.repeat(1000)), 50)
  equal(await line.status(), 401)
  await line.closed
  clearInterval(sending)
})

test('unfinished uploads have no name on the disk', async () => {
  const piece = Buffer.alloc(1_000_000)
  const lines = Array.from({ length: 10 }, open)
  for (const { socket } of lines) {
    socket.write(head('POST', '/wp/v2/media', 'author', { ...PNG, 'content-length': '15000000' }))
    for (let i = 0; i < 8; i++) socket.write(piece)
  }
  await Promise.all(
    lines.map(({ socket }) => until(() => socket.writableLength === 0, 'the uploads were not taken in')),
  )
  assertNone(await readdir(service.config.data), (name) => name.startsWith('.upload'))
  for (const { socket } of lines) socket.destroy()
})

test('bodies beyond what all may hold are 503 with Retry-After, and the room comes back', async () => {
  const body = (title: string) => JSON.stringify({ title, start_date: '2027-05-01', end_date: '2027-05-01' })
  const lines = [open(), open()]
  for (const { socket } of lines) {
    socket.write(head('POST', EVENTS, 'author', { ...JSON_TYPE, 'content-length': '700000' }))
    socket.write(Buffer.alloc(600_000, 0x20))
  }
  equal(await Promise.race(lines.map((line) => line.status())), 503)
  const refused = lines.find((line) => line.received().includes('503'))
  match(refused?.received() ?? '', /retry-after: 1\r\n[\s\S]*"code":"rest_unavailable"/i)
  for (const { socket } of lines) socket.destroy()
  await sleep(50)
  const { status } = await service.post(
    '/events',
    `${' '.repeat(600_000)}${body('Room')}`,
    'author',
    JSON_TYPE,
  )
  equal(status, 201)
})

describe('bodies that one client sends slowly', () => {
  let shared: TestService
  before(async () => {
    const room = { intake_bytes: '1000000', body_bytes: '900000', image_bytes: '100000' }
    shared = await startService({ trusted_proxy: 'loopback', patience_ms: '60000', ...room })
  })
  after(() => shared.close())

  const from = (client: string) => ({ 'x-forwarded-for': client })

  async function stalled(
    path: string,
    as: Reader,
    headers: Record<string, string>,
    count: number,
    bytes: number,
  ) {
    const lines = Array.from({ length: count }, () => openLine(shared.origin))
    for (const { socket } of lines) {
      const length = { 'content-length': String(bytes + 1000) }
      socket.write(head('POST', path, as, { ...headers, ...length, ...from('192.0.2.1') }))
      socket.write(Buffer.alloc(bytes, 0x20))
    }
    await until(() => lines.some((line) => line.received().includes('503')), 'there is room for all')
    return lines
  }

  const refusedOf = (lines: readonly Line[]) => lines.filter((line) => line.received().includes('503')).length

  test('give way to those of others: to sign-ins, creates and uploads', async () => {
    const others = from('198.51.100.7')
    const strangers = await stalled(EVENTS, 'anonymous', JSON_TYPE, 3, 60_000)
    const form = new URLSearchParams({ login: 'author', password: 'x'.repeat(10_000) })
    equal((await shared.request('anonymous', 'POST', '~/desk/sign-in', form, others)).status, 401)
    const writers = await stalled(EVENTS, 'author', JSON_TYPE, 2, 600_000)
    const sent = JSON.stringify({ title: 'Others', ...DAY, description: ' '.repeat(100_000) })
    const create = await shared.request('editor', 'POST', '/events', sent.padEnd(500_000), {
      ...JSON_TYPE,
      ...others,
    })
    equal(create.status, 201)
    const uploads = await stalled('/wp/v2/media', 'author', PNG, 23, 90_000)
    const file = await shared.request('editor', 'POST', '~/wp-json/wp/v2/media', Buffer.alloc(95_000), {
      ...PNG,
      ...others,
    })
    deepEqual([file.status, file.body.code], [400, 'rest_upload_unknown_type'])
    await until(
      () => refusedOf(strangers) === 2 && refusedOf(writers) === 2,
      'those before have not given way',
    )
    for (const { socket } of [...strangers, ...writers, ...uploads]) socket.destroy()
  })
})

describe('a client that stands still', () => {
  test('in its body is answered with 408, a stranger and a writer alike', async () => {
    for (const as of ['anonymous', 'author'] as const) {
      const line = open()
      line.socket.write(head('POST', EVENTS, as, { ...JSON_TYPE, 'content-length': '1000' }))
      line.socket.write('{"title":')
      equal(await line.status(), 408)
      match(line.received(), /"code":"rest_request_timeout"/)
      await line.closed
    }
  })

  test('that sends a byte now and then stands still', async () => {
    const line = open()
    line.socket.write(head('POST', EVENTS, 'author', { ...JSON_TYPE, 'content-length': '100000' }))
    const sending = setInterval(() => line.socket.write('{'), 20)
    equal(await line.status(), 408)
    clearInterval(sending)
    await line.closed
  })

  test('in an upload or a form is answered with 408', async () => {
    const form = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': '10000' }
    for (const headers of [{ ...PNG, 'content-length': '10000' }, form]) {
      const line = open()
      line.socket.write(head('POST', '/wp/v2/media', 'author', headers))
      line.socket.write('--b\r\nContent-Disposition: form-data; name="file"; filename="x.png"\r\n\r\nx')
      equal(await line.status(), 408)
      await line.closed
    }
  })

  test('in its head is answered with 408, and closed', async () => {
    const line = open()
    line.socket.write('GET /wp-json/ HTTP/1.1\r\nHost: x\r\n')
    equal(await line.status(), 408)
    await line.closed
  })

  test('before its first word is closed without one', async () => {
    const line = open()
    await line.closed
    equal(line.received(), '')
  })
})

test('a client that waits to be told to send its body is told so when it may', async () => {
  const line = open()
  const text = JSON.stringify({ title: 'Asked', start_date: '2027-05-01', end_date: '2027-05-01' })
  const headers = { ...JSON_TYPE, 'content-length': String(text.length), expect: '100-continue' }
  line.socket.write(head('POST', EVENTS, 'author', headers))
  await until(() => line.received().startsWith('HTTP/1.1 100 Continue'), 'it was not told')
  line.socket.write(text)
  await until(() => line.received().includes('HTTP/1.1 201'), 'it was not answered')
  line.socket.destroy()
})

test('a POST that stands for a GET has no parameters in its body', async () => {
  const { body } = await service.post('/events?_method=GET&per_page=1', { per_page: 7 }, 'anonymous')
  match(body.rest_url, /per_page=1\b/)
})

test('files are taken where files are expected, and passed over elsewhere', async () => {
  const form = new FormData()
  form.append('title', 'With a file')
  form.append('start_date', '2027-05-01')
  form.append('end_date', '2027-05-01')
  form.append('file', new Blob(['no image']), 'x.txt')
  const { status, body } = await service.post('/events', form, 'author')
  deepEqual([status, body.title], [201, 'With a file'])
})

describe('a form', () => {
  // The room for bodies is so small that one refused form which kept its share would leave too little for
  // the next.
  const bytes = { body_bytes: '400000', intake_bytes: '1000000', image_bytes: '1000000' }
  const service = serviceForTests({ ...bytes, patience_ms: '2000' })

  const open = () => openLine(service.origin)
  const MEDIA = '/wp/v2/media'
  const FORM_TYPE = { 'content-type': 'multipart/form-data; boundary=b' }
  const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="x.png"\r\n\r\n'
  const partOf = (name: string, text = '') =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`

  function sendForm(path: string, text: string): Line {
    const line = open()
    line.socket.write(
      head('POST', path, 'author', { ...FORM_TYPE, 'content-length': String(Buffer.byteLength(text)) }),
    )
    line.socket.write(text)
    return line
  }

  async function assertAnswered(line: Line, status: number, code: string): Promise<void> {
    equal(await line.status(), status)
    match(line.received(), new RegExp(`"code":"${code}"`))
    line.socket.destroy()
  }

  async function openFiles(): Promise<string[]> {
    const names = await readdir('/proc/self/fd')
    const files = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
    return files.filter((file) => file.includes('.upload-'))
  }

  async function sendOn(path: string, first: string, again: string): Promise<Line> {
    const line = open()
    line.socket.write(head('POST', path, 'author', { ...FORM_TYPE, 'transfer-encoding': 'chunked' }))
    const write = (text: string) => line.socket.write(`${text.length.toString(16)}\r\n${text}\r\n`)
    if (first !== '') write(first)
    const piece = again.repeat(Math.ceil(50_000 / again.length))
    for (let sent = 0; sent < 10_000_000 && line.received() === ''; sent += piece.length)
      if (!write(piece))
        await until(() => line.socket.destroyed || line.socket.writableLength === 0, 'it is not read', 1)
    return line
  }

  test('that ends within a file is refused, and the service goes on', async () => {
    for (const path of [MEDIA, EVENTS])
      for (const end of ['', 'x', 'x'.repeat(100_000)])
        await assertAnswered(sendForm(path, FILE + end), 400, 'rest_invalid_form')
    equal((await service.get('/events')).status, 200)
  })

  test('that is refused while its files arrive leaves none of them open', async (t) => {
    if (process.platform !== 'linux') return t.skip('there is no /proc')
    // Node warns when it closes an open file whose object is garbage.
    const warnings: string[] = []
    const onWarning = ({ message }: Error) => warnings.push(message)
    process.on('warning', onWarning)
    t.after(() => process.off('warning', onWarning))
    const two = `${FILE}${'x'.repeat(1000)}\r\n${FILE}${'x'.repeat(1000)}`
    for (let round = 0; round < 5; round++) {
      await assertAnswered(sendForm(MEDIA, two), 400, 'rest_invalid_form')
      await assertAnswered(await sendOn(MEDIA, two, partOf('')), 413, 'rest_request_too_large')
      await assertAnswered(await sendOn(MEDIA, two, 'x'), 413, 'rest_request_too_large')
    }
    const still = open()
    still.socket.write(head('POST', MEDIA, 'author', { ...FORM_TYPE, 'content-length': '10000' }))
    still.socket.write(two)
    await assertAnswered(still, 408, 'rest_request_timeout')
    const left = open()
    left.socket.write(head('POST', MEDIA, 'author', { ...FORM_TYPE, 'content-length': '10000' }))
    left.socket.write(two)
    await until(async () => (await openFiles()).length > 0, 'its files were not taken')
    left.socket.destroy()
    await until(async () => (await openFiles()).length === 0, 'files of refused forms are still open')
    collectGarbage()
    await sleep(50)
    deepEqual(warnings, [])
  })

  const ENDLESS: Record<string, [first: string, again: string]> = {
    'a file': [FILE, 'x'],
    'a value': ['--b\r\nContent-Disposition: form-data; name="title"\r\n\r\n', 'x'],
    'values without names': ['', partOf('', 'x'.repeat(500))],
    'names without values': ['', partOf('n'.repeat(60_000))],
    'parts without a name': ['', '--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'],
    'the head of a part': ['--b\r\nContent-Disposition: ', 'x'],
    'text before its first part': ['', 'x'],
  }
  for (const [what, [first, again]] of Object.entries(ENDLESS))
    test(`whose length is not known, and that goes on with ${what}, is refused at the limit`, async () => {
      for (const path of [EVENTS, MEDIA])
        await assertAnswered(await sendOn(path, first, again), 413, 'rest_request_too_large')
    })

  test('holds its names as well as its values', async () => {
    const names = Array.from({ length: 10 }, () => partOf('n'.repeat(50_000))).join('')
    await assertAnswered(sendForm(MEDIA, `${names}--b--`), 413, 'rest_request_too_large')
  })

  test('whose texts are cut within a character is read as far as it can be', async () => {
    const wide = (text: string) => Buffer.from(text, 'utf16le').toString('latin1')
    const type = '\r\nContent-Type: text/plain; charset=utf-16le\r\n\r\n'
    const parts = [
      ...Object.entries(DAY).map(([name, value]) => partOf(name, value)),
      `--b\r\nContent-Disposition: form-data; name="title"${type}${wide('Half \ud83d')}\r\n--b--`,
    ].join('')
    const answer = await service.post('/events', Buffer.from(parts, 'latin1'), 'author', FORM_TYPE)
    deepEqual([answer.status, answer.body.title], [201, 'Half \ufffd'])
  })
})

test('a client that has gone before its body is read is not waited for', async (t) => {
  const server = createServer()
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const intake = makeIntake(
    {
      bodyBytes: 1000,
      fileBytes: 1000,
      folder: service.config.data,
      patienceMs: 3_600_000,
      trusted: undefined,
    },
    10_000,
  )
  for (const type of ['multipart/form-data; boundary=b', 'application/json', 'image/png']) {
    const line = openLine(`http://127.0.0.1:${port}`)
    line.socket.write(head('POST', EVENTS, 'author', { 'content-type': type, 'content-length': '500' }))
    const [request, response] = await once(server, 'request')
    line.socket.destroy()
    request.on('error', () => undefined)
    await until(() => request.closed, 'it has not gone')
    const read = withBody({ request, response }, intake, async (read) => {
      await read({ isTrusted: true, takesFile: type !== 'application/json' })
    })
    await rejects(read)
  }
})

test('every answer has a name of its own in X-Request-Id', async () => {
  const seen = new Set<string>()
  const paths = '/events /events /events?per_page=3 /venues /nothing ~/healthz ~/ ~/media/none.png'.split(' ')
  for (const path of paths) {
    const name = (await service.get(path)).headers.get('x-request-id') ?? ''
    match(name, /^[\w-]{8,}$/, path)
    seen.add(name)
  }
  equal(seen.size, paths.length)
})
