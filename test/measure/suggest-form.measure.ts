import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { ADD } from '../support/suggestions.ts'

/** Answers that one write asks for, so that the client costs next to nothing. */
const AT_ONCE = 100
const ROUNDS = 200

test('the empty form of a suggestion costs no more than a kept page', async (t) => {
  await using service = await startService({ submissions: 'open' })
  const { hostname, port } = new URL(service.origin)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')

  /** Microseconds of the processor for one answer. */
  async function costOf(path: string): Promise<number> {
    const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAccept: text/html\r\n\r\n`
    const began = process.cpuUsage()
    socket.write(request.repeat(AT_ONCE))
    let pages = 0
    let end = ''
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      const text = end + chunk.toString('latin1')
      pages += text.split('</html>').length - 1
      end = text.slice(1 - '</html>'.length)
      if (pages === AT_ONCE) break
    }
    const { user, system } = process.cpuUsage(began)
    return (user + system) / AT_ONCE
  }
  const costs: Record<'page' | 'form', number[]> = { page: [], form: [] }
  for (let round = 0; round < ROUNDS; round++) {
    costs.page.push(await costOf('/events/'))
    costs.form.push(await costOf(ADD))
  }
  socket.destroy()
  const quarter = (all: number[]) => all.sort((a, b) => a - b)[ROUNDS / 4] ?? 0
  const [page, form] = [quarter(costs.page), quarter(costs.form)]
  t.diagnostic(`A kept page takes ${page.toFixed(1)} µs, the form ${form.toFixed(1)} µs.`)
  assert.ok(form < page * 1.2, `${form} and ${page} µs`)
})
