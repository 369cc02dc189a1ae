import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { head, openLine } from '../support/lines.ts'
import { startService, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const PATIENCE = 400

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

let service: TestService
before(async () => {
  service = await startService({ patience_ms: String(PATIENCE), intake_bytes: '1000000', body_bytes: '900000' })
})
after(() => service.close())

const open = () => openLine(service.origin)

const EVENTS = '/tribe/events/v1/events'
const JSON_TYPE = { 'content-type': 'application/json' }
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
      assert.equal(await line.status(), status)
      assert.match(line.received(), /"code":"rest_forbidden"/)
      line.socket.destroy()
    }
  })

  test('is refused when a body of unknown length goes beyond 64 kB', async () => {
    const line = open()
    line.socket.write(head('POST', EVENTS, 'anonymous', { ...JSON_TYPE, 'transfer-encoding': 'chunked' }))
    for (let i = 0; i < 9; i++) line.socket.write(`2000\r\n${'x'.repeat(0x2000)}\r\n`)
    assert.equal(await line.status(), 401)
    line.socket.destroy()
  })

  test('hears of what is wrong with a short body first', async () => {
    const missing = await service.post('/events', { title: 'x'.repeat(500) }, 'anonymous')
    assert.deepEqual([missing.status, missing.body.code], [400, 'rest_missing_callback_param'])
    const long = await service.post('/events', { title: 'x', description: 'x'.repeat(70_000) }, 'anonymous')
    assert.deepEqual([long.status, long.body.code], [401, 'rest_forbidden'])
  })

  test('is refused an upload without a byte of it being asked for', async () => {
    const line = open()
    const headers = { ...PNG, 'content-length': '18000000', expect: '100-continue' }
    line.socket.write(head('POST', '/wp/v2/media', 'contributor', headers))
    assert.equal(await line.status(), 403)
    assert.doesNotMatch(line.received(), /100 Continue/)
    line.socket.destroy()
  })

  test('with wrong credentials is refused before the body has arrived', async () => {
    const line = open()
    const authorization = `Basic ${Buffer.from('nobody:wrong').toString('base64')}`
    const headers = { ...JSON_TYPE, authorization, 'content-length': '800000' }
    line.socket.write(head('POST', EVENTS, 'anonymous', headers))
    assert.equal(await line.status(), 401)
    line.socket.destroy()
  })
})

test('a connection whose body was refused is closed, however long the client goes on sending', async () => {
  const line = open()
  line.socket.write(head('POST', EVENTS, 'anonymous', { ...JSON_TYPE, 'content-length': '100000000' }))
  const sending = setInterval(() => line.socket.write('x'.repeat(1000)), 50)
  assert.equal(await line.status(), 401)
  await line.closed
  clearInterval(sending)
})

test('unfinished uploads are kept on disk, without a name, and take no memory', async () => {
  const piece = Buffer.alloc(1_000_000)
  const lines = Array.from({ length: 10 }, open)
  collectGarbage()
  const before = process.memoryUsage()
  for (const { socket } of lines) {
    socket.write(head('POST', '/wp/v2/media', 'author', { ...PNG, 'content-length': '15000000' }))
    for (let i = 0; i < 8; i++) socket.write(piece)
  }
  await Promise.all(
    lines.map(({ socket }) => until(() => socket.writableLength === 0, 'the uploads were not taken in')),
  )
  const isLittle = () => {
    collectGarbage()
    return process.memoryUsage().arrayBuffers - before.arrayBuffers < 20_000_000
  }
  await until(isLittle, '80 MB of uploads took more than 20 MB of memory', 50)
  assert.deepEqual(
    (await readdir(service.config.data)).filter((name) => name.startsWith('.upload')),
    [],
  )
  for (const { socket } of lines) socket.destroy()
})

test('bodies beyond what all together may hold are 503 with Retry-After, and the room is there again afterwards', async () => {
  const body = (title: string) => JSON.stringify({ title, start_date: '2027-05-01', end_date: '2027-05-01' })
  const lines = [open(), open()]
  for (const { socket } of lines) {
    socket.write(head('POST', EVENTS, 'author', { ...JSON_TYPE, 'content-length': '700000' }))
    socket.write(Buffer.alloc(600_000, 0x20))
  }
  const statuses = await Promise.race(lines.map((line) => line.status()))
  assert.equal(statuses, 503)
  const refused = lines.find((line) => line.received().includes('503'))
  assert.match(refused?.received() ?? '', /retry-after: 1\r\n[\s\S]*"code":"rest_unavailable"/i)
  for (const { socket } of lines) socket.destroy()
  await sleep(50)
  const { status } = await service.request(
    'author',
    'POST',
    '/events',
    `${' '.repeat(600_000)}${body('Room')}`,
    JSON_TYPE,
  )
  assert.equal(status, 201)
})

describe('a client that stands still', () => {
  test('in its body is answered with 408, a stranger and a writer alike', async () => {
    for (const as of ['anonymous', 'author'] as const) {
      const line = open()
      line.socket.write(head('POST', EVENTS, as, { ...JSON_TYPE, 'content-length': '1000' }))
      line.socket.write('{"title":')
      assert.equal(await line.status(), 408)
      assert.match(line.received(), /"code":"rest_request_timeout"/)
      await line.closed
    }
  })

  test('that sends a byte now and then stands still', async () => {
    const line = open()
    line.socket.write(head('POST', EVENTS, 'author', { ...JSON_TYPE, 'content-length': '100000' }))
    const sending = setInterval(() => line.socket.write('{'), 20)
    assert.equal(await line.status(), 408)
    clearInterval(sending)
    await line.closed
  })

  test('in an upload or a form is answered with 408', async () => {
    const form = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': '10000' }
    for (const headers of [{ ...PNG, 'content-length': '10000' }, form]) {
      const line = open()
      line.socket.write(head('POST', '/wp/v2/media', 'author', headers))
      line.socket.write('--b\r\nContent-Disposition: form-data; name="file"; filename="x.png"\r\n\r\nx')
      assert.equal(await line.status(), 408)
      await line.closed
    }
  })

  test('in its head is answered with 408, and closed', async () => {
    const line = open()
    line.socket.write('GET /wp-json/ HTTP/1.1\r\nHost: x\r\n')
    assert.equal(await line.status(), 408)
    await line.closed
  })

  test('before its first word is closed without one', async () => {
    const line = open()
    await line.closed
    assert.equal(line.received(), '')
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
  const { body } = await service.request('anonymous', 'POST', '/events?_method=GET&per_page=1', { per_page: 7 })
  assert.match(body.rest_url, /per_page=1\b/)
})

test('files are taken where files are expected, and passed over elsewhere', async () => {
  const form = new FormData()
  form.append('title', 'With a file')
  form.append('start_date', '2027-05-01')
  form.append('end_date', '2027-05-01')
  form.append('file', new Blob(['no image']), 'x.txt')
  const { status, body } = await service.request('author', 'POST', '/events', form)
  assert.deepEqual([status, body.title], [201, 'With a file'])
})

test('every answer has a name of its own in X-Request-Id', async () => {
  const seen = new Set<string>()
  const paths = [
    '/events',
    '/events',
    '/events?per_page=3',
    '/venues',
    '/nothing',
    '~/healthz',
    '~/',
    '~/media/none.png',
  ]
  for (const path of paths) {
    const name = (await service.get(path)).headers.get('x-request-id') ?? ''
    assert.match(name, /^[\w-]{8,}$/, path)
    seen.add(name)
  }
  assert.equal(seen.size, paths.length)
})
