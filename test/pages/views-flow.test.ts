// Uses the map in Chromium with a tile server, and goes from view to view: npm test -- views-flow

import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { axePath, axeScript, type Browser, type Tab } from '../support/browsers.ts'
import { findChromium, startChromium } from '../support/chromium.ts'
import { assertNone } from '../support/lists.ts'
import { drawPng } from '../support/pictures.ts'
import { onDay, startService, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const program = findChromium()
const skip =
  program === undefined ? 'no Chromium is installed' : axePath === undefined && 'axe-core is not installed'

const asked: { address: string; referrer: string | undefined }[] = []
let areTilesThere = true
const png = await drawPng(256, 256, '#dfe7dc')
const tiles = createServer(({ url = '', headers }, response) => {
  asked.push({ address: url, referrer: headers.referer })
  response
    .writeHead(areTilesThere ? 200 : 429, { 'Content-Type': 'image/png', 'Cache-Control': 'no-store' })
    .end(areTilesThere ? png : '')
})

let service: TestService
let browser: Browser
let tab: Tab

before(async () => {
  if (skip || program === undefined) return
  await new Promise<void>((resolve) => tiles.listen(0, '127.0.0.1', resolve))
  const { port } = tiles.address() as AddressInfo
  service = await startService({ map_tiles: `http://127.0.0.1:${port}/{z}/{x}/{y}.png` })
  const names = ['Harbour Hall', 'Old Mill', 'قاعة البلدية', '市民会館', 'Дом культуры', 'Nowhere']
  for (const [i, venue] of names.entries()) {
    const place = venue === 'Nowhere' ? {} : { geo_lat: 53.3 + i / 50, geo_lng: -8.9 + (i % 3) / 20 }
    const { id } = await service.create('/venues', { venue, city: 'Kilvara', ...place })
    for (let n = 0; n <= i; n++) {
      const on = `2031-05-${10 + i} 20:00`
      await service.event({ title: `Concert ${i}.${n}`, start_date: on, end_date: on, venue: id })
    }
  }
  browser = await startChromium(program)
  tab = await browser.open()
  await tab.look({ width: 1280 })
})
after(async () => {
  await browser?.close()
  await service?.close()
  tiles.close()
  tiles.closeAllConnections()
})

const settled = (expression: string) => until(() => tab.evaluate<boolean>(expression), expression)
const MARKERS = `[...document.querySelectorAll('.pin button')].map((one) => one.getAttribute('aria-label'))`

describe('a map in the browser', { skip }, () => {
  test('asks no other host for anything before its button is pressed', async () => {
    await tab.goTo(`${service.origin}/events/map/`)
    await settled(`!document.querySelector('.offer').hidden`)
    deepEqual(asked, [])
    assertNone(
      tab.requested,
      (address) => /leaflet|127\.0\.0\.1/.test(address) && !address.startsWith(service.origin),
    )
    equal(
      tab.requested.some((address) => address.includes('leaflet')),
      false,
    )
    if (process.env.SHOTS) writeFileSync(`${process.env.SHOTS}-before.png`, await tab.picture())
  })

  test('has a button for each venue with name and number of events, in the order of the list', async () => {
    await tab.evaluate(`document.querySelector('.offer button').click()`)
    await settled(
      `document.querySelectorAll('.pin button').length === 5 && ` +
        `document.querySelectorAll('.leaflet-tile-loaded').length > 0`,
    )
    deepEqual(await tab.evaluate(MARKERS), [
      'Harbour Hall, 1 event',
      'Old Mill, 2 events',
      'قاعة البلدية, 3 events',
      '市民会館, 4 events',
      'Дом культуры, 5 events',
    ])
    equal(await tab.evaluate(`document.activeElement.getAttribute('aria-label')`), 'Harbour Hall, 1 event')
    match(await tab.evaluate(`document.querySelector('.source').innerText`), /© OpenStreetMap contributors/)
    ok(asked.length > 0)
    for (const { referrer } of asked) equal(referrer, `${service.origin}/`)
    deepEqual(tab.complaints, [])
    deepEqual(await tab.evaluate(axeScript()), [])
    if (process.env.SHOTS) writeFileSync(`${process.env.SHOTS}-shown.png`, await tab.picture())
  })

  test('opens a venue by keyboard, marks it in the list, and gives the focus back on Escape', async () => {
    await tab.key('Tab')
    await tab.key('Enter')
    await settled(`document.querySelector('.leaflet-popup a')?.textContent === 'Old Mill'`)
    equal(await tab.evaluate(`document.activeElement.textContent`), 'Old Mill')
    match(await tab.evaluate(`document.querySelector('.places [aria-current]').innerText`), /^Old Mill/)
    if (process.env.SHOTS) writeFileSync(`${process.env.SHOTS}-open.png`, await tab.picture())
    await tab.key('Escape')
    await settled(
      `document.querySelector('.leaflet-popup-content') === null ` +
        `|| document.querySelector('.places [aria-current]') === null`,
    )
    equal(await tab.evaluate(`document.activeElement.getAttribute('aria-label')`), 'Old Mill, 2 events')
    equal(await tab.evaluate(`document.querySelector('.places [aria-current]')`), null)
  })

  test('is shown again in the session, and says so where tiles fail, the list in its place', async () => {
    areTilesThere = false
    await tab.goTo(`${service.origin}/events/map/?featured=false`)
    await settled(`document.querySelector('.failed').textContent !== ''`)
    match(
      await tab.evaluate(`document.querySelector('.failed').textContent`),
      /The list has the same venues\./,
    )
    equal(await tab.evaluate(`document.querySelectorAll('.places > li').length`), 6)
  })

  test('groups more than fifty venues, and shows them all once it is close', async () => {
    areTilesThere = true
    for (let i = 0; i < 60; i++) {
      const { id } = await service.create('/venues', {
        venue: `Stall ${i}`,
        geo_lat: 53.5 + (i % 8) / 1000,
        geo_lng: -8.5 + i / 4000,
      })
      await service.event({ title: `Fair ${i}`, ...onDay('2032-05-01', '10:00', '12:00'), venue: id })
    }
    await tab.look({ width: 390 })
    await tab.goTo(`${service.origin}/events/map/`)
    await settled(`document.querySelectorAll('.pin button').length > 0`)
    const labels = await tab.evaluate<string[]>(MARKERS)
    ok(labels.length < 50, `${labels.length} buttons`)
    const group = labels.find((label) => /^\d+ venues$/.test(label))
    ok(group, labels.join('\n'))
    if (process.env.SHOTS) writeFileSync(`${process.env.SHOTS}-groups.png`, await tab.picture())
    await tab.evaluate(
      `[...document.querySelectorAll('.pin button')].find((one) ` +
        `=> one.getAttribute('aria-label') === '${group}').click()`,
    )
    await settled(`${MARKERS}.join() !== ${JSON.stringify(labels.join())}`)
    const isSourceInView = `(() => {
      const { left, top, width, height } = document.querySelector('.map .source a').getBoundingClientRect()
      const at = document.elementFromPoint(left + width / 2, top + height / 2)
      return at?.closest('.source') !== null && left >= 0 && left + width <= innerWidth
    })()`
    ok(await tab.evaluate<boolean>(isSourceInView), 'the source of the map is covered')
    equal(await tab.evaluate(`document.querySelector('.ground').matches('[class*=-anim]')`), false)
    deepEqual(await tab.evaluate(axeScript()), [])
  })

  test('the page of a venue shows where it is', { skip }, async () => {
    await tab.look({ width: 390, scheme: 'dark' })
    await tab.goTo(`${service.origin}/venue/old-mill/`)
    await settled(`document.querySelectorAll('.pin button').length === 1`)
    await tab.evaluate(`document.querySelector('.pin button').click()`)
    await settled(`document.querySelector('.leaflet-popup-content')?.innerText === 'Old Mill, 2 events'`)
    deepEqual(await tab.evaluate(axeScript()), [])
    if (process.env.SHOTS) writeFileSync(`${process.env.SHOTS}-venue.png`, await tab.picture())
  })

  test('a view that is gone to in place brings its own style', { skip }, async () => {
    await tab.look({ width: 1280 })
    const columns = `getComputedStyle(document.querySelector('.week')).gridTemplateColumns.split(' ').length`
    await tab.goTo(`${service.origin}/events/2031-05-12/`)
    await tab.evaluate(`window.isSame = true`)
    await tab.evaluate(`document.querySelector('.views a[href^="/events/week/"]').click()`)
    await settled(`document.querySelector('.week') !== null`)
    equal(await tab.evaluate(`window.isSame`), true)
    equal(await tab.evaluate(columns), 7)
  })
})
