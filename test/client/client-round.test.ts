// Everything the client can do, with the service itself, in Node and on a page of another site in Chromium and Firefox, where there are such.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createKalends } from '../../client/src/kalends.ts'
import { etagOf } from '../../client/src/records.ts'
import { verifyWebhook } from '../../client/src/webhook.ts'
import { findChromium, startChromium } from '../support/chromium.ts'
import { findFirefox, startFirefox } from '../support/firefox.ts'
import { startService, type TestService } from '../support/service.ts'
import { groundOf, ROUND } from './client-ground.ts'
import { goRound } from './client-round.ts'

let service: TestService
let site: Server
let address: string

before(async () => {
  service = await startService({}, { waitsForRoom: true })
  // Sources are served as the modules that they are without their types.
  site = createServer(({ url = '' }, response) => {
    const isSource = /^\/(client\/src|test\/client)\/[\w-]+\.ts$/.test(url)
    const source = isSource ? readFileSync(new URL(`../..${url}`, import.meta.url), 'utf8') : ''
    response.setHeader('content-type', isSource ? 'text/javascript' : 'text/html').end(stripTypeScriptTypes(source))
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
})
after(async () => {
  site.closeAllConnections()
  site.close()
  await service.close()
})

test('everything can be done in Node', async () => {
  assert.deepEqual(await goRound({ createKalends, etagOf, verifyWebhook }, await groundOf(service)), ROUND)
})

const browsers = {
  Chromium: { program: findChromium(), start: startChromium },
  // It takes ten seconds to start, so it is looked at by `npm run pages:check` alone.
  Firefox: { program: process.env.PAGES_CHECK === 'all' ? findFirefox() : undefined, start: startFirefox },
}
for (const [name, { program, start }] of Object.entries(browsers))
  test(`everything can be done on a page in ${name}`, { skip: program === undefined }, async () => {
    const browser = await start(program ?? '')
    try {
      const tab = await browser.open()
      await tab.goTo(address)
      const ground = JSON.stringify(await groundOf(service))
      const told = await tab.evaluate<string>(`(async () => {
        const client = await import('/client/src/index.ts')
        const { goRound } = await import('/test/client/client-round.ts')
        return JSON.stringify(await goRound(client, ${ground}))
      })()`)
      assert.deepEqual(JSON.parse(told), ROUND)
    } finally {
      await browser.close()
    }
  })
