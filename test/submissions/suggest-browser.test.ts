import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { axePath, axeScript, type Browser, SIGHTS, type Tab, untilShown } from '../support/browsers.ts'
import { findChromium, noChromium, startChromium, startChromiumHere } from '../support/chromium.ts'
import { sitAtDesk } from '../support/desk.ts'
import { findFirefox, startFirefox } from '../support/firefox.ts'
import { faultsOfMessage } from '../support/markup.ts'
import { startRelay, type TestRelay } from '../support/relay.ts'
import { serviceForTests, startService, type TestService } from '../support/service.ts'
import { ADD, concert, formToken, linkIn, suggest } from '../support/suggestions.ts'

const BROWSERS = [
  { name: 'Chromium', program: findChromium(), start: startChromium },
  { name: 'Firefox', program: findFirefox(), start: startFirefox },
]

const settings = {
  submissions: 'open',
  submissions_address: '400',
  submissions_network: '400',
  submissions_hour: '4000',
}

/** Nothing that axe objects to, and nothing wider than the window. */
async function holds(tab: Tab, name: string): Promise<void> {
  await untilShown(tab, `document.readyState === 'complete' && document.querySelector('h1')`)
  if (axePath !== undefined) deepEqual(await tab.evaluate<string[]>(axeScript()), [], name)
  equal(await tab.evaluate(`document.documentElement.scrollWidth <= innerWidth`), true, name)
}

/** An old enough form, and the button that sends it. */
async function send(service: TestService, tab: Tab, fields: Record<string, string>): Promise<void> {
  const token = await formToken(service)
  await tab.evaluate(`(() => {
    const form = document.querySelector('form[data-suggest]')
    const action = new URL(form.action)
    if (action.searchParams.has('form')) action.searchParams.set('form', '${token}')
    form.action = action.href
    for (const [name, value] of Object.entries(${JSON.stringify(fields)}))
      form.elements.namedItem(name).value = value
    form.querySelector('button.main').click()
  })()`)
}

const press = (tab: Tab, button: string) => tab.evaluate(`document.querySelector('${button}').click()`)

for (const { name, program = '', start } of BROWSERS)
  describe(`the form of a suggestion in ${name}`, { skip: program === '' }, () => {
    let relay: TestRelay
    let service: TestService
    let browser: Browser
    before(async () => {
      relay = await startRelay()
      const mail = { mail: relay.address, mail_from: 'calendar@example.org', mail_per_hour: '1000' }
      service = await startService({ ...settings, ...mail, submissions: 'confirmed' })
      browser = await start(program)
    })
    after(async () => {
      await browser?.close()
      await service.close()
      await relay.close()
    })

    for (const [at, { language, ...sight }] of SIGHTS.entries())
      test(`is sent, confirmed, changed, withdrawn: ${JSON.stringify({ ...sight, language })}`, async () => {
        const tab = await browser.open()
        await tab.look(sight)
        const goTo = (path: string) =>
          tab.goTo(`${service.origin}${path}${path.includes('?') ? '&' : '?'}lang=${language}`)
        const title = `Lantern walk ${at}`
        const start_date = `2027-${String(1 + (at % 12)).padStart(2, '0')}-${11 + Math.floor(at / 12)}`
        const times = { start_date: `${start_date} 18:00:00`, end_date: `${start_date} 20:00:00` }
        await service.event({ title, ...times })
        await goTo(ADD)
        await holds(tab, 'form')
        equal(await tab.evaluate(`document.documentElement.lang`), language)
        await send(service, tab, { title, website: 'javascript:x' })
        await untilShown(tab, `document.querySelector('#website-error')`)
        await holds(tab, 'errors')
        if (sight.scripts) equal(await tab.evaluate(`document.activeElement.id`), 'faults')
        const { sender_name, venue_name } = concert
        const address = `walker-${at}@example.org`
        const typed = {
          title,
          website: '',
          start_date,
          start_time: '18:00',
          sender_name,
          address,
          venue_name,
        }
        await send(service, tab, typed)
        await untilShown(tab, `document.querySelector('.doubles')`)
        await holds(tab, 'double')
        await press(tab, 'form[data-suggest] button.main')
        await untilShown(tab, `location.pathname === '${ADD}sent/'`)
        await holds(tab, 'sent')
        const message = await relay.mailTo(address)
        deepEqual(await faultsOfMessage(message.mail.html || ''), [])
        await tab.goTo(service.origin + linkIn(message))
        await holds(tab, 'to confirm')
        equal(await tab.evaluate(`document.documentElement.lang`), language)
        await press(tab, 'main form button.main')
        await untilShown(tab, `document.querySelector('.acts')`)
        await holds(tab, 'page of the sender')
        await tab.evaluate(`document.querySelector('details.change').open = true`)
        await send(service, tab, { description: 'Bring a light.' })
        await untilShown(tab, `document.querySelector('.notice')`)
        await holds(tab, 'changed')
        const kept = await tab.evaluate<string>(`document.querySelector('textarea[name=description]').value`)
        match(kept, /Bring a light/)
        await press(tab, 'button[value=withdraw]')
        await untilShown(tab, `document.querySelector('.acts') && !document.querySelector('details.change')`)
        await holds(tab, 'withdrawn')
        await press(tab, 'button[value=forget]')
        await untilShown(tab, `!document.querySelector('.acts')`)
        await holds(tab, 'forgotten')
        await tab.goTo(service.origin + linkIn(message))
        await holds(tab, 'used link')
        await goTo(`${ADD}link/`)
        await holds(tab, 'lost link')
        await tab.evaluate(`document.querySelector('main form.suggest').noValidate = true`)
        await press(tab, 'main form.suggest button.main')
        await untilShown(tab, `document.querySelector('#address-error')`)
        await holds(tab, 'lost link, error')
        const others = tab.requested.filter(
          (url) => !url.startsWith(service.origin) && !/^(?:data|about):/.test(url),
        )
        deepEqual(others, [])
      })

    test('the room of editors holds, and one tick ticks all', async () => {
      await suggest(service, { ...concert, address: 'room@example.org' })
      const state = { state: 'waiting', confirmed_utc: '2026-11-27 10:00:00' } as const
      await service.app.database.write((tx) => tx.updateTable('submissions').set(state).execute())
      const desk = await sitAtDesk(service, 'editor')
      const [first = ''] = /\/desk\/suggestions\/\d+/.exec((await desk.get('/desk/suggestions')).body) ?? []
      const act = { act: 'trust', address: `${'long'.repeat(12)}@example.org` }
      await desk.post('/desk/suggestions/trusted', act)
      const tab = await browser.open()
      for (const width of [320, 1280]) {
        await tab.look({ width })
        await tab.goTo(`${service.origin}/desk/sign-in`)
        await tab.evaluate(`document.cookie = '${desk.cookie}; path=/'`)
        await tab.goTo(`${service.origin}/desk/suggestions`)
        await holds(tab, `list at ${width}`)
        await press(tab, '[data-all]')
        const ticked = `[...document.querySelectorAll('[name=id]')].every((one) => one.checked)`
        equal(await tab.evaluate(ticked), true)
        for (const path of [first, '/desk/suggestions/trusted']) {
          await tab.goTo(service.origin + path)
          await holds(tab, `${path} at ${width}`)
        }
      }
    })

    test('gets another token before its own is a day old, while somebody types', async () => {
      const tab = await browser.open()
      await tab.look({ width: 1280, scripts: true })
      await tab.goTo(service.origin + ADD)
      const action = `document.querySelector('form[data-suggest]').action`
      await untilShown(tab, action)
      const first = await tab.evaluate<string>(action)
      const type = `document.getElementById('title').dispatchEvent(new Event('input', { bubbles: true }))`
      await tab.evaluate(type)
      await tab.evaluate(
        `(() => { const { now } = Date; Date.now = () => now() + 21 * 3_600_000; ${type} })()`,
      )
      await untilShown(tab, `${action} !== ${JSON.stringify(first)}`)
      match(await tab.evaluate<string>(action), /form=[\w.-]{54}$/)
    })
  })

describe('the work of a suggestion in a browser', noChromium, () => {
  const service = serviceForTests(settings)
  const browser = startChromiumHere()

  test('computes its proof of work in a worker where it is asked for', async () => {
    const { database } = service.app
    await suggest(service, concert)
    const row = await database.read.selectFrom('submissions').selectAll().executeTakeFirst()
    ok(row)
    const { id: _, ...blank } = row
    const created_utc = new Date(Date.now() - 60_000).toISOString().replace('T', ' ').slice(0, 19)
    const many = Array.from({ length: 61 }, (__, at) => ({
      ...blank,
      created_utc,
      form: `p${at}`,
      digest: `p${at}`,
    }))
    await database.write((tx) => tx.insertInto('submissions').values(many).execute())
    await using busy = await startService({
      ...settings,
      submissions_network: '4000',
      database: service.config.database,
    })
    const tab = await browser.open()
    await tab.look({ width: 1280 })
    await tab.goTo(busy.origin + ADD)
    await untilShown(tab, `/^\\d+$/.test(document.querySelector('[name=proof]').value)`)
    const { sender_name } = concert
    await tab.evaluate(`{
      const form = document.querySelector('form[data-suggest]')
      const when = { start_date: '2027-08-08', start_time: '10:00' }
      const sent = { ...when, title: 'Proved', sender_name: '${sender_name}' }
      for (const [name, value] of Object.entries(sent)) form.elements.namedItem(name).value = value
    }`)
    // The clock of the test runs on while the proof is found; a form of less than four seconds is a bot's.
    await untilShown(tab, `performance.now() > 4200`)
    await tab.evaluate(`document.querySelector('form[data-suggest] button.main').click()`)
    await untilShown(tab, `document.querySelector('.acts')`)
    const sent = await database.read
      .selectFrom('submissions')
      .select(['state', 'aside'])
      .where('title', '=', 'Proved')
      .executeTakeFirst()
    deepEqual(sent, { state: 'waiting', aside: '' })
  })
})
