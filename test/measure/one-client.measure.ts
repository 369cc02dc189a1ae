import { ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { head, openLine } from '../support/lines.ts'
import { serviceForTests } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const service = serviceForTests({ trusted_proxy: 'loopback' })

const open = () => openLine(service.origin)

describe('while one client asks over 200 connections without a pause', () => {
  for (const [name, path] of [
    ['searches', '/venues?search='],
    ['lists', '/events?per_page=2&_fields=id,title&exclude='],
    ['reads', '/organizers?exclude='],
  ] as const)
    test(`the ${name} of another are answered`, async (t) => {
      const greedy = Array.from({ length: 200 }, open)
      t.after(() => greedy.map(({ socket }) => socket.destroy()))
      let asked = 0
      for (const { socket } of greedy) {
        const ask = () =>
          socket.write(
            head('GET', `${'/tribe/events/v1'}${path}${++asked}`, 'anonymous', {
              'x-forwarded-for': '192.0.2.1',
            }),
          )
        socket.on('data', ask)
        ask()
      }
      await until(() => asked > 600, 'they were not kept busy')
      const answers = []
      for (let i = 0; i < 20; i++) {
        const began = performance.now()
        const { status } = await service.request('anonymous', 'GET', `${path}9${i}`, undefined, {
          'x-forwarded-for': '192.0.2.2',
        })
        answers.push({ status, ms: Math.round(performance.now() - began) })
      }
      t.diagnostic(`${asked} were asked beside; milliseconds: ${answers.map(({ ms }) => ms).join()}`)
      // If turns followed the number of requests, one in fifty would be answered.
      const answered = answers.filter(({ status }) => status === 200)
      ok(answered.length >= answers.length / 2, `${answered.length} of ${answers.length} were answered`)
    })
})
