import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { axePath, axeScript, type Browser, SIGHTS, type Tab, untilShown } from '../support/browsers.ts'
import { findChromium, startChromium } from '../support/chromium.ts'
import { findFirefox, startFirefox } from '../support/firefox.ts'
import { faultsOfMessage } from '../support/markup.ts'
import { startRelay, type TestRelay } from '../support/relay.ts'
import { day, startService, type TestService } from '../support/service.ts'

const BROWSERS = [
  { name: 'Chromium', program: findChromium(), start: startChromium },
  { name: 'Firefox', program: findFirefox(), start: startFirefox },
] as const

/** Serves a message, at an address of its own. */
async function startShelf(page: string) {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end(page)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { address: `http://127.0.0.1:${port}/`, [Symbol.asyncDispose]: close }
}

for (const { name, program, start } of BROWSERS) {
  const skip = program === undefined && `no ${name} is installed`
  describe(`the pages of subscriptions in ${name}`, { skip }, () => {
    let browser: Browser
    let relay: TestRelay
    let service: TestService
    let event = 0
    before(async () => {
      browser = await start(program ?? '')
      relay = await startRelay()
      service = await startService({ mail: relay.address, mail_from: 'calendar@example.org' })
      const title = 'A concert \u202e with a long title'
      event = (await service.event({ title, ...day })).id
    })
    after(async () => {
      await browser?.close()
      await service.close()
      await relay.close()
    })

    /** Nothing that axe objects to, and nothing wider than the window. */
    async function holds(tab: Tab, what: string): Promise<void> {
      await untilShown(tab, `document.readyState === 'complete' && document.querySelector('h1')`)
      const faults = axePath === undefined ? [] : await tab.evaluate<string[]>(axeScript())
      // The page of the mail program around a message has the landmarks.
      const ours = faults.filter(
        (fault) => what !== 'message' || !/^(?:landmark-one-main|region):/.test(fault),
      )
      deepEqual(ours, [], what)
      equal(await tab.evaluate(`document.documentElement.scrollWidth <= innerWidth`), true, what)
    }

    const send = (tab: Tab, button: string, fields: Record<string, string> = {}) =>
      tab.evaluate(`(() => {
        for (const [name, value] of Object.entries(${JSON.stringify(fields)}))
          document.querySelector('[name="' + name + '"]').value = value
        document.querySelector('${button}').click()
      })()`)

    for (const [at, { language, ...sight }] of SIGHTS.entries())
      test(`ask, confirm, change and end, seen so: ${JSON.stringify({ ...sight, language })}`, async () => {
        const tab = await browser.open()
        await tab.look(sight)
        const address = `reader-${at}@example.com`
        const goTo = (path: string) => tab.goTo(`${service.origin}${path}`)
        await goTo(`/subscribe/?event=${event}&lang=${language}`)
        await holds(tab, 'form of an event')
        await goTo(`/subscribe/?lang=${language}`)
        await holds(tab, 'form of a list')
        await tab.evaluate(`document.querySelector('form.by-mail').noValidate = true`)
        await send(tab, '.by-mail .main', { address: 'nobody', rhythm: 'friday' })
        await untilShown(tab, `document.querySelector('#fault')`)
        await holds(tab, 'error')
        equal(await tab.evaluate(`document.querySelector('[name=rhythm]').value`), 'friday')
        await goTo(`/subscribe/?lang=${language}`)
        await send(tab, '.by-mail .main', { address, rhythm: 'friday', timezone: 'Asia/Tokyo' })
        await untilShown(tab, `location.pathname === '/subscribe/sent/'`)
        await holds(tab, 'sent')
        const { mail } = await relay.mailTo(address)
        deepEqual(await faultsOfMessage(mail.html || ''), [])
        await showMessage(tab, mail.html || '')
        const confirm = /http\S+\/subscribe\/confirm\/[\w-]+/.exec(mail.text ?? '')?.[0] ?? ''
        await tab.goTo(`${confirm}?lang=${language}`)
        await holds(tab, 'to confirm')
        await send(tab, '.prose .main')
        await untilShown(tab, `document.querySelector('a[href*="/mine/"]')`)
        await holds(tab, 'confirmed')
        const mine = await tab.evaluate<string>(`document.querySelector('a[href*="/mine/"]').href`)
        await tab.goTo(`${mine}?lang=${language}`)
        await holds(tab, 'mine')
        equal(await tab.evaluate(`document.querySelector('[name=timezone]').value`), 'Asia/Tokyo')
        await send(tab, 'button[value=rhythm]', { rhythm: 'daily' })
        await untilShown(tab, `document.querySelector('.prose [role=status]')`)
        await holds(tab, 'saved')
        equal(await tab.evaluate(`document.querySelector('[name=rhythm]').value`), 'daily')
        await tab.goTo(`${mine.replace(/\/mine\/.*/, '/end/0-x')}?lang=${language}`)
        await holds(tab, 'ended')
        await tab.goTo(mine)
        await send(tab, 'button[value=end]')
        await untilShown(tab, `!document.querySelector('button[value=end]')`)
        const others = tab.requested.filter(
          (url) => !url.startsWith(service.origin) && !/^(?:data|about):|^http:\/\/127\.0\.0\.1:/.test(url),
        )
        deepEqual(others, [])
      })

    async function showMessage(tab: Tab, message: string): Promise<void> {
      await using shelf = await startShelf(message)
      await tab.goTo(shelf.address)
      await holds(tab, 'message')
    }
  })
}
