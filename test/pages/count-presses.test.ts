import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Chromium, type ChromiumTab, findChromium, startChromium } from '../support/chromium.ts'
import { startService, type TestService } from '../support/service.ts'

const program = findChromium()
const DAY = 86_400_000

/** Today if it is a Saturday, else the next one. */
const saturday = (now: number) =>
  new Date(now + ((6 - new Date(now).getUTCDay() + 7) % 7) * DAY).toISOString().slice(0, 10)

describe('visitors are where they want to be after few presses', {
  skip: program === undefined && 'no Chromium',
}, () => {
  let service: TestService
  let browser: Chromium
  let tab: ChromiumTab
  let presses = 0

  before(async () => {
    service = await startService()
    const hall = await service.create('/venues', { venue: 'Hall', geo_lat: 60.4, geo_lng: 5.32 })
    const far = await service.create('/venues', { venue: 'Far', geo_lat: 50, geo_lng: 5.32 })
    for (const name of ['Concerts', 'Families']) await service.create('/categories', { name })
    const on = saturday(Date.now())
    const make = (title: string, hour: number, more: object) =>
      service.create('/events', {
        title,
        start_date: `${on} ${hour}:00:00`,
        end_date: `${on} ${hour + 1}:00:00`,
        ...more,
      })
    const puppets = { cost: '0', categories: ['families'], venue: hall.id }
    await make('Puppets', 18, puppets)
    await make('Morning puppets', 10, puppets)
    await make('Dear puppets', 18, { ...puppets, cost: '20' })
    await make('Far puppets', 18, { ...puppets, venue: far.id })
    await make('Concert', 18, { categories: ['concerts'], venue: hall.id })
    browser = await startChromium(program ?? '')
    tab = await browser.open()
    await tab.send('Browser.grantPermissions', { permissions: ['geolocation'] }).catch(() => undefined)
    await tab.send('Emulation.setGeolocationOverride', { latitude: 60.39123, longitude: 5.32456, accuracy: 9 })
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const titles = () =>
    tab.evaluate<string[]>("[...document.querySelectorAll('.row .what a')].map((link) => link.textContent)")

  async function open(width: number): Promise<void> {
    await tab.look({ width })
    await tab.goTo(`${service.app.site.url}/events/`)
    presses = 0
  }

  /** Presses what a selector finds, or the one with a text, and waits until another address is there. */
  async function press(selector: string, text = ''): Promise<void> {
    presses++
    const before = await tab.evaluate<string>('location.href')
    const found = await tab.evaluate<boolean>(
      `(() => { const found = [...document.querySelectorAll(${JSON.stringify(selector)})].find((one) => one.checkVisibility() && one.textContent.trim() === ${JSON.stringify(text)}); found?.click(); return found !== undefined })()`,
    )
    assert.ok(found, `nothing to press: ${selector} ${text}`)
    await tab.evaluate(
      `new Promise((settle, fail) => { const end = Date.now() + 10_000; const look = () => location.href !== ${JSON.stringify(before)} && !document.querySelector('[aria-busy]') ? settle(true) : Date.now() > end ? fail(new Error('still there')) : setTimeout(look, 20); look() })`,
    )
  }

  test('Saturday evening for children, free, near me: five', async () => {
    await open(1280)
    const on = saturday(Date.now())
    await press(`.mini a[href*="${on}"]`, String(Number(on.slice(8))))
    await press('.pill', 'Evenings')
    await press('.pill', 'Families')
    await press('.pill', 'Free')
    await press('.pill', 'Near me')
    assert.deepEqual(await titles(), ['Puppets'])
    assert.equal(presses, 5)
    const address = new URL(await tab.evaluate<string>('location.href'))
    assert.equal(address.searchParams.get('geoloc_lat'), '60.39')
    assert.equal(address.searchParams.get('geoloc_lng'), '5.32')
  })

  test('all concerts on a phone: one', async () => {
    await open(390)
    await press('.pill', 'Concerts')
    assert.deepEqual(await titles(), ['Concert'])
    assert.equal(presses, 1)
    const isFirst = 'document.querySelector(".pill[aria-current]:not(.any)").getBoundingClientRect().left < 60'
    assert.ok(await tab.evaluate<boolean>(isFirst), 'the chosen press is in view')
  })
})
