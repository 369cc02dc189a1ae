import { equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { ADD, concert, formToken, suggest } from '../support/suggestions.ts'

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
  ok(form < page * 1.2, `${form} and ${page} µs`)
})

test('a bot is answered in the time of a suggestion', async (t) => {
  const many = { submissions_address: '1000', submissions_network: '1000', submissions_hour: '1000' }
  const mail = { mail: 'smtp://127.0.0.1:9', mail_from: 'calendar@example.org' }
  const settings = { submissions: 'confirmed', trusted_proxy: 'loopback', submissions_proof: '0' }
  await using service = await startService({ ...settings, ...many, ...mail })
  const times: Record<'bot' | 'sender', number[]> = { bot: [], sender: [] }
  for (let round = 0; round < 50; round++)
    for (const [who, trap] of [
      ['sender', ''],
      ['bot', 'x'],
    ] as const) {
      const own = {
        title: `${who} ${round}`,
        description: `${who} ${round}`,
        address: `${who}@r${round}.example`,
      }
      const token = await formToken(service)
      const began = performance.now()
      const { status } = await suggest(service, { ...concert, ...own, second_subject: trap }, { token })
      times[who].push(performance.now() - began)
      equal(status, 303)
    }
  const [bot = 0, sender = 0] = [times.bot, times.sender].map((all) => all.sort((a, b) => a - b)[12])
  t.diagnostic(`A bot is answered in ${bot.toFixed(1)} ms, a sender in ${sender.toFixed(1)} ms.`)
  ok(bot > sender * 0.6 && bot < sender * 1.6, `${bot} and ${sender} ms`)
})
