import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { addSignInLink } from '../../src/calendar/people/desk-passwords.ts'
import { getUserByLogin } from '../../src/calendar/people/users.ts'
import { axePath, axeScript, type Browser, type Tab, untilShown } from '../support/browsers.ts'
import { findChromium, startChromium } from '../support/chromium.ts'
import { giveDeskPassword } from '../support/desk.ts'
import { findFirefox, startFirefox } from '../support/firefox.ts'
import { startProvider, type TestProvider } from '../support/openid-provider.ts'
import { startService, type TestService } from '../support/service.ts'

// Signing in by OpenID Connect in browsers: cookies and redirects as they take them, and how the pages look.

const { OPENID_PICTURES, PAGES_CHECK } = process.env

const browsers = [
  { name: 'Chromium', program: findChromium(), start: startChromium },
  { name: 'Firefox', program: PAGES_CHECK === 'all' ? findFirefox() : undefined, start: startFirefox },
]

for (const { name, program = '', start } of browsers)
  describe(`signing in by OpenID Connect in ${name}`, { skip: program === '' || !axePath }, () => {
    let provider: TestProvider
    let service: TestService
    let hidden: TestService
    let browser: Browser
    let tab: Tab

    before(async () => {
      provider = await startProvider()
      const settings = {
        ...provider.settings,
        oidc_roles: 'groups owners=administrator; groups staff=author',
      }
      service = await startService(settings)
      hidden = await startService({ ...settings, passwords: 'off', language: 'de' })
      provider.accounts.set('anna-1', { name: 'Anna Lund', preferred_username: 'anna', groups: ['owners'] })
      provider.accounts.set('ben-1', { name: 'Ben', preferred_username: 'ben', groups: [] })
      await giveDeskPassword(service, 'editor')
      browser = await start(program)
      tab = await browser.open()
    })
    after(async () => {
      await browser?.close()
      await hidden?.close()
      await service?.close()
      await provider?.close()
    })

    let shot = 0
    async function look(what: string, title?: string) {
      if (title !== undefined) equal(await tab.evaluate('document.querySelector("h1").innerText'), title)
      deepEqual(await tab.evaluate(axeScript('target-size')), [], what)
      const width = 'document.documentElement.scrollWidth <= innerWidth'
      for (const sight of [
        { width: 360, height: 740 },
        { width: 1280, height: 900 },
        { width: 360, height: 740, scheme: 'dark' },
      ] as const) {
        await tab.look(sight)
        ok(await tab.evaluate<boolean>(width), `${what} at ${sight.width}`)
        if (OPENID_PICTURES === undefined) continue
        mkdirSync(OPENID_PICTURES, { recursive: true })
        const file =
          `${name}-${String(++shot).padStart(2, '0')}-${what}-` +
          `${sight.width}${'scheme' in sight ? '-dark' : ''}.png`
        writeFileSync(join(OPENID_PICTURES, file.replaceAll(' ', '-')), await tab.picture())
      }
      await tab.look({ width: 1280, height: 900, scheme: 'light' })
    }
    const at = (path: string) => `location.pathname + location.search === ${JSON.stringify(path)}`
    const press = (selector: string) =>
      tab.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`)

    test('there, back to where one was, out here and out there', async () => {
      await tab.goTo(`${service.origin}/desk/events?tab=draft`)
      await untilShown(tab, `document.querySelector('.elsewhere a')`)
      await look('sign-in')
      provider.who = 'anna-1'
      await press('.elsewhere a')
      await untilShown(tab, at('/desk/events?tab=draft'))
      await tab.goTo(`${service.origin}/desk/people`)
      await untilShown(tab, `document.body.innerText.includes('Riverside University')`)
      await look('people')
      await tab.goTo(`${service.origin}/desk/me`)
      await look('account connected')
      await tab.goTo(
        `${service.origin}/desk/people/${(await getUserByLogin(service.app.database.read, 'editor')).id}`,
      )
      await look('person not connected')
      await press('form[action$="/sign-out"] button')
      await untilShown(tab, at('/desk/sign-in?signed-out'))
      await look('signed out')
      await press('.notice a')
      await untilShown(tab, `location.origin === ${JSON.stringify(provider.issuer)}`)
    })

    test('the pages for what goes wrong', async () => {
      provider.who = 'ben-1'
      await tab.goTo(`${service.origin}/desk/openid/start`)
      await untilShown(tab, `document.querySelector('h1')?.innerText.includes('no access')`)
      await look('no role', 'You have no access to this calendar')
      await tab.goTo(`${service.origin}/desk/openid/return?state=x&code=y`)
      await look('not begun here', 'This sign-in was not begun here')
      await tab.goTo(`${hidden.origin}/desk/sign-in`)
      await look('passwords off', 'Am Schreibtisch anmelden')
      await tab.goTo(`${hidden.origin}/desk/sign-in?local`)
      await look('passwords off local')
      const editor = await getUserByLogin(hidden.app.database.read, 'editor')
      const token = await hidden.app.database.write((tx) => addSignInLink(tx, editor, Date.now()))
      await tab.goTo(`${hidden.origin}/desk/set-up/${token}`)
      await look('link with passwords off')
      provider.change['/token'] = () => '<p>'
      provider.who = 'anna-1'
      await tab.goTo(`${hidden.origin}/desk/openid/start`)
      await untilShown(tab, `document.querySelector('h1')?.innerText.includes('nicht brauchbar')`)
      await look('unusable', 'Die Antwort von Riverside University ist nicht brauchbar')
    })
  })
