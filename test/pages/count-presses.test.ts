import assert from 'node:assert/strict'
import { after, before, describe, mock, test } from 'node:test'
import { type ChromiumTab, noChromium, startChromiumHere } from '../support/chromium.ts'
import { onDay, startService, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const NOW = Date.parse('2027-05-12T16:00:00Z')
const TODAY = '2027-05-12'
const SATURDAY = '2027-05-15'
const DECEMBER = '2027-07'

describe('visitors are where they want to be after few presses', noChromium, () => {
  let service: TestService
  const browser = startChromiumHere()
  let tab: ChromiumTab
  let presses = 0

  before(async () => {
    mock.timers.enable({ apis: ['Date'], now: NOW })
    service = await startService()
    const hall = await service.create('/venues', { venue: 'Hall', geo_lat: 60.4, geo_lng: 5.32 })
    const far = await service.create('/venues', { venue: 'Far', geo_lat: 50, geo_lng: 5.32 })
    for (const name of ['Concerts', 'Families']) await service.create('/categories', { name })
    const make = (title: string, hour: number, more: object) =>
      service.create('/events', {
        title,
        start_date: `${SATURDAY} ${hour}:00:00`,
        end_date: `${SATURDAY} ${hour + 1}:00:00`,
        ...more,
      })
    const puppets = { cost: '0', categories: ['families'], venue: hall.id }
    await make('Puppets', 18, puppets)
    await make('Morning puppets', 10, puppets)
    await make('Dear puppets', 18, { ...puppets, cost: '20' })
    await make('Far puppets', 18, { ...puppets, venue: far.id })
    await make('Concert', 18, { categories: ['concerts'], venue: hall.id })
    const at = onDay(`${DECEMBER}-10`, '19:00:00', '20:00:00')
    await service.create('/events', { title: 'Carols', ...at, venue: hall.id })
    await service.create('/events', { title: 'Carols far away', ...at, venue: far.id })
    const tonight = onDay(TODAY, '23:30:00', '23:59:00')
    await service.create('/events', { title: 'Open air', ...tonight, event_status: 'canceled' })
    tab = await browser.open()
    await tab.send('Browser.grantPermissions', { permissions: ['geolocation'] }).catch(() => undefined)
    await tab.send('Emulation.setGeolocationOverride', {
      latitude: 60.39123,
      longitude: 5.32456,
      accuracy: 9,
    })
  })
  after(async () => {
    await service?.close()
    mock.timers.reset()
  })

  const titles = () =>
    tab.evaluate<string[]>("[...document.querySelectorAll('.row .what a')].map((link) => link.textContent)")

  async function open(width: number): Promise<void> {
    await tab.look({ width })
    await tab.goTo(`${service.app.site.url}/events/`)
    presses = 0
  }

  async function press(selector: string, text?: string): Promise<void> {
    presses++
    const before = await tab.evaluate<string>('location.href')
    const found = await tab.evaluate<boolean>(
      `(() => { const found = [...document.querySelectorAll(${JSON.stringify(selector)})].find((one) ` +
        '=> one.checkVisibility() ' +
        `&& ${text === undefined ? true : `one.textContent.trim() === ${JSON.stringify(text)}`}); ` +
        'found?.click(); return found !== undefined })()',
    )
    assert.ok(found, `nothing to press: ${selector} ${text ?? ''}`)
    // The evaluation fails while the page is being replaced.
    const isThere =
      `location.href !== ${JSON.stringify(before)} && document.readyState ` +
      `=== 'complete' && !document.querySelector('[aria-busy]')`
    await until(() => tab.evaluate<boolean>(isThere).catch(() => false), 'another address')
  }

  test('Saturday evening for children, free, near me: five', async () => {
    await open(1280)
    await press(`.mini a[href*="${SATURDAY}"]`, '15')
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

  test("a venue's December: two, once its name is typed", async () => {
    await open(1280)
    await tab.evaluate("document.querySelector('[data-suggest]').focus()")
    await until(() => tab.evaluate<boolean>("document.activeElement.role === 'combobox'"), 'suggestions')
    await tab.send('Input.insertText', { text: 'Hall' })
    await until(() => tab.evaluate<boolean>("document.querySelector('.suggestions li') !== null"), 'Hall')
    await press('.suggestions li')
    await press(`nav.pills a[href*="${DECEMBER}"]`)
    assert.equal(presses, 2)
    const shown = await tab.evaluate<string[]>(
      "[...document.querySelectorAll('table.month td:not(.other) .entry bdi')].map((one) => one.textContent)",
    )
    assert.deepEqual(shown, ['Carols'])
  })
})
