import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { axePath, axeScript, type Browser, type Tab, untilShown } from '../support/browsers.ts'
import { findChromium, noChromium, startChromium, startChromiumHere } from '../support/chromium.ts'
import { sitAtDesk } from '../support/desk.ts'
import { findFirefox, startFirefox } from '../support/firefox.ts'
import { serviceForTests, startService, type TestService } from '../support/service.ts'
import { ADD, concert, formToken, suggest } from '../support/suggestions.ts'

const SIGHTS = [320, 1280].flatMap((width) => [
  { width, scripts: true },
  { width, scripts: false },
])

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
  await untilShown(tab, `document.querySelector('h1')`)
  if (axePath !== undefined) assert.deepEqual(await tab.evaluate<string[]>(axeScript()), [], name)
  assert.equal(await tab.evaluate(`document.documentElement.scrollWidth <= innerWidth`), true, name)
}

/** An old enough form, and the button that sends it. */
async function send(service: TestService, tab: Tab, fields: Record<string, string>): Promise<void> {
  const token = await formToken(service)
  await tab.evaluate(`{
    const form = document.querySelector('form[data-suggest]')
    const action = new URL(form.action)
    if (action.searchParams.has('form')) action.searchParams.set('form', '${token}')
    form.action = action.href
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) form.elements.namedItem(name).value = value
    form.querySelector('button.main').click()
  }`)
}

for (const { name, program = '', start } of BROWSERS)
  describe(`the form of a suggestion in ${name}`, { skip: program === '' }, () => {
    const service = serviceForTests(settings)
    let browser: Browser
    before(async () => {
      browser = await start(program)
    })
    after(() => browser?.close())

    for (const sight of SIGHTS)
      test(`is filled, corrected, sent, changed and withdrawn, seen so: ${JSON.stringify(sight)}`, async () => {
        const tab = await browser.open()
        await tab.look(sight)
        const title = `Lantern walk ${sight.width} ${sight.scripts}`
        await service.create('/events', {
          title,
          start_date: `2027-0${1 + SIGHTS.indexOf(sight)}-11 18:00:00`,
          end_date: `2027-0${1 + SIGHTS.indexOf(sight)}-11 20:00:00`,
        })
        await tab.goTo(service.origin + ADD)
        await holds(tab, 'form')
        await send(service, tab, { title, website: 'javascript:x' })
        await untilShown(tab, `document.querySelector('#website-error')`)
        await holds(tab, 'errors')
        if (sight.scripts) assert.equal(await tab.evaluate(`document.activeElement.id`), 'faults')
        const { sender_name, address, venue_name } = concert
        const day = `2027-0${1 + SIGHTS.indexOf(sight)}-11`
        await send(service, tab, {
          title,
          website: '',
          start_date: day,
          start_time: '18:00',
          sender_name,
          address,
          venue_name,
        })
        await untilShown(tab, `document.querySelector('.doubles')`)
        await holds(tab, 'double')
        await tab.evaluate(`document.querySelector('form[data-suggest] button.main').click()`)
        await untilShown(tab, `document.querySelector('.acts')`)
        await holds(tab, 'page of the sender')
        await tab.evaluate(`document.querySelector('details.change').open = true`)
        await send(service, tab, { description: 'Bring a light.' })
        await untilShown(tab, `document.querySelector('.notice')`)
        assert.match(
          await tab.evaluate<string>(`document.querySelector('textarea[name=description]').value`),
          /Bring a light/,
        )
        await tab.evaluate(`document.querySelector('button[value=withdraw]').click()`)
        await untilShown(tab, `document.body.innerText.includes('You have withdrawn it')`)
        const others = tab.requested.filter(
          (url) => !url.startsWith(service.origin) && !url.startsWith('data:'),
        )
        assert.deepEqual(others, [])
      })

    test('speaks each language, wide and narrow, with and without scripts', async () => {
      for (const sight of SIGHTS) {
        const tab = await browser.open()
        await tab.look(sight)
        for (const language of ['en', 'de', 'fr', 'es']) {
          await tab.goTo(`${service.origin}${ADD}?lang=${language}`)
          await holds(tab, `${language} ${JSON.stringify(sight)}`)
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
      await tab.evaluate(`{ const { now } = Date; Date.now = () => now() + 21 * 3_600_000; ${type} }`)
      await untilShown(tab, `${action} !== ${JSON.stringify(first)}`)
      assert.match(await tab.evaluate<string>(action), /form=[\w.-]{54}$/)
    })
  })

describe('the work of a suggestion in a browser', noChromium, () => {
  const service = serviceForTests(settings)
  const browser = startChromiumHere()

  test('computes its proof of work in a worker where it is asked for', async () => {
    const { database } = service.app
    await suggest(service, concert)
    const row = await database.read.selectFrom('submissions').selectAll().executeTakeFirst()
    assert.ok(row)
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
      for (const [name, value] of Object.entries({ title: 'Proved', start_date: '2027-08-08', start_time: '10:00', sender_name: '${sender_name}' })) form.elements.namedItem(name).value = value
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
    assert.deepEqual(sent, { state: 'waiting', aside: '' })
  })

  test('the room of editors holds in a browser, and one tick ticks all', async () => {
    const desk = await sitAtDesk(service, 'editor')
    const tab = await browser.open()
    const [name = '', value = ''] = desk.cookie.split('=')
    await tab.send('Network.setCookie', { name, value, url: service.origin })
    for (const width of [320, 1280]) {
      await tab.look({ width })
      await tab.goTo(`${service.origin}/desk/suggestions`)
      await holds(tab, `list at ${width}`)
      await tab.evaluate(`document.querySelector('[data-all]').click()`)
      assert.equal(
        await tab.evaluate(`[...document.querySelectorAll('[name=id]')].every((one) => one.checked)`),
        true,
      )
      const row = await service.app.database.read
        .selectFrom('submissions')
        .select('id')
        .where('state', '=', 'waiting')
        .executeTakeFirst()
      await tab.goTo(`${service.origin}/desk/suggestions/${row?.id}`)
      await holds(tab, `one at ${width}`)
      await desk.post('/desk/suggestions/trusted', {
        act: 'trust',
        address: `${'long'.repeat(12)}@example.org`,
      })
      await tab.goTo(`${service.origin}/desk/suggestions/trusted`)
      await holds(tab, `trusted addresses at ${width}`)
    }
  })
})
