import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { head, openLine } from '../support/lines.ts'
import { holdsUpNobody } from '../support/longest-turn.ts'
import { day, serviceForTests } from '../support/service.ts'
import { until } from '../support/waiting.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const service = serviceForTests()

test('a batch of a hundred events holds up nobody', async () => {
  await holdsUpNobody('the batch', 300, async (round) => {
    const requests = Array.from({ length: 100 }, (_, i) => ({
      path: '/tribe/events/v1/events',
      body: { title: `Batch ${round}`, ...day, venue: { venue: `Batch ${round} ${i}` } },
    }))
    const sent = { requests, validation: 'require-all-validate' }
    equal((await service.request('admin', 'POST', '~/wp-json/batch/v1', sent)).body.responses.length, 100)
  })
})

test('rules that are refused cost next to nothing and hold no memory', async () => {
  for (const rule of ['FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30', `FREQ=DAILY;BYHOUR=${'1,'.repeat(5000)}1`]) {
    collectGarbage()
    const held = process.memoryUsage().heapUsed
    await holdsUpNobody(rule.slice(0, 40), 50, async () => {
      const { status } = await service.post('/events', {
        title: 'Refused',
        ...day,
        recurrence: [`RRULE:${rule}`],
      })
      equal(status, 400)
    })
    collectGarbage()
    ok(process.memoryUsage().heapUsed - held < 64_000_000, `${rule.slice(0, 40)} holds memory`)
  }
})

test('unfinished uploads are kept on disk and take no memory', async () => {
  const lines = Array.from({ length: 10 }, () => openLine(service.origin))
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  for (const { socket } of lines) {
    socket.write(
      head('POST', '/wp/v2/media', 'author', { 'content-type': 'image/png', 'content-length': '15000000' }),
    )
    for (let i = 0; i < 8; i++) socket.write(Buffer.alloc(1_000_000))
  }
  const isLittle = () => {
    collectGarbage()
    return (
      lines.every(({ socket }) => socket.writableLength === 0) &&
      process.memoryUsage().arrayBuffers - before < 20_000_000
    )
  }
  await until(isLittle, '80 MB of uploads took more than 20 MB of memory', 50)
  for (const { socket } of lines) socket.destroy()
})

test('two megabytes of keys without values hold up nobody', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  await holdsUpNobody('the form', 100, async () => {
    equal((await service.request('admin', 'POST', '/events', 'a&'.repeat(990_000), form)).status, 400)
  })
})
