// Pages and the element when answers, style sheets or positions come late, twice or never.

import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { untilShown } from '../support/browsers.ts'
import { noChromium, startChromiumHere } from '../support/chromium.ts'
import { answered, openTab, type, untilMet, untilSettled } from '../support/interruptions.ts'
import { assertNone } from '../support/lists.ts'
import { onDay, serviceForTests } from '../support/service.ts'

const long = { skip: process.env.PAGES_CHECK === 'all' ? false : '`npm run pages:check` does it' }

describe('on pages', noChromium, () => {
  const service = serviceForTests({
    timezone: 'Europe/Oslo',
    map_tiles: 'https://tiles.example/{z}/{x}/{y}.png',
  })
  const browser = startChromiumHere()
  const times = onDay('2027-04-15', '10:00:00', '12:00:00')
  before(async () => {
    for (const name of ['Music', 'Dance']) {
      const { id } = await service.create('/categories', { name })
      for (const n of [1, 2]) {
        const venue = { venue: `${name} hall ${n}`, city: 'Kilvara', geo_lat: 60 + n, geo_lng: 10 }
        await service.event({ title: `${name} ${n}`, categories: [id], ...times, venue })
      }
    }
  })
  const element = async (attributes: string) => {
    const tab = await openTab(browser, service, '/embed/')
    await tab.evaluate(`import('/embed.js')`)
    await tab.evaluate(
      `document.getElementById('main').innerHTML = '<kalends-events ${attributes}></kalends-events>'`,
    )
    return tab
  }
  const root = "document.querySelector('kalends-events').shadowRoot"

  for (const how of [{ ms: 700 }, { status: 503 }])
    test(
      'Enter searches for what is typed, not for a suggestion ' +
        `of what was typed before ${JSON.stringify(how)}`,
      'ms' in how ? {} : long,
      async () => {
        const tab = await openTab(browser, service, '/events/')
        await tab.evaluate("document.querySelector('[data-suggest]').focus()")
        await untilShown(tab, "document.querySelector('[data-suggest][role=combobox]')")
        await type(tab, 'Music')
        await untilShown(tab, "document.querySelector('.suggestions:not([hidden]) li')")
        await tab.key('ArrowDown')
        await tab.evaluate(answered('suggest', how))
        await type(tab, 'al theatre')
        if (how.status) await untilMet(tab)
        await tab.key('Enter')
        await untilShown(tab, "location.href.includes('search=Musical')")
      },
    )

  test('Enter that ends a composition goes nowhere', long, async () => {
    const tab = await openTab(browser, service, '/events/')
    await tab.evaluate("document.querySelector('[data-suggest]').focus()")
    await untilShown(tab, "document.querySelector('[data-suggest][role=combobox]')")
    await type(tab, 'Music')
    await untilShown(tab, "document.querySelector('.suggestions:not([hidden]) li')")
    await tab.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 })
    await tab.key('ArrowDown')
    await tab.key('Enter')
    await untilSettled(tab)
    equal(await tab.evaluate('location.pathname'), '/events/')
  })

  test('what is typed while a filter is awaited stays', async () => {
    const tab = await openTab(browser, service, '/events/')
    await tab.evaluate(answered('/events/', { ms: 600 }))
    await tab.evaluate(
      `(() => { const select = document.querySelector('.filter select'); select.focus(); ` +
        `select.selectedIndex = 1; select.dispatchEvent(new Event('change', { bubbles: true })) })()`,
    )
    await tab.evaluate("document.querySelector('.filter input[type=search]').focus()")
    await type(tab, 'jazz')
    await untilShown(tab, "location.search !== ''")
    await untilSettled(tab)
    deepEqual(
      await tab.evaluate(
        "[document.querySelector('.filter input[type=search]').value, document.activeElement.name]",
      ),
      ['jazz', 'search'],
    )
  })

  test('the link to the content loads nothing and leaves the page as it is', long, async () => {
    const tab = await openTab(browser, service, '/events/')
    await tab.evaluate("document.querySelector('h1').dataset.mark = '1'")
    const before = tab.requested.length
    await tab.evaluate("document.querySelector('a.skip').click()")
    await untilSettled(tab)
    assertNone(tab.requested.slice(before), (one) => !/icon|\/assets\//.test(one))
    equal(await tab.evaluate("document.querySelector('h1').dataset.mark"), '1')
  })

  test('a page whose style sheet is late does not replace one that was asked for later', long, async () => {
    const tab = await openTab(browser, service, '/events/')
    await tab.evaluate(`{
      const before = Element.prototype.before
      HTMLLinkElement.prototype.before = function (...nodes) {
        window.isLate = true
        setTimeout(() => before.apply(this, nodes), 1500)
      }
    }`)
    await tab.evaluate("document.querySelector('.views a[href*=month]').click()")
    await untilShown(tab, 'window.isLate')
    await tab.evaluate("document.querySelector('.pills a[href*=when]').click()")
    await untilShown(tab, "location.href.includes('when=')")
    const shown = await tab.evaluate<string>('location.href')
    await untilSettled(tab)
    equal(await tab.evaluate('location.href'), shown)
  })

  test('a position that is found late does not replace what the reader went on to', long, async () => {
    const tab = await openTab(browser, service, '/events/')
    await tab.evaluate(
      `navigator.geolocation.getCurrentPosition = (found) => { window.isSought = true; setTimeout(() ` +
        '=> found({ coords: { latitude: 60, longitude: 10 } }), 1500) }',
    )
    await tab.evaluate("document.querySelector('a[data-lost]').click()")
    await untilShown(tab, 'window.isSought')
    await tab.evaluate("document.querySelector('.views a[href*=month]').click()")
    await untilShown(tab, "location.pathname.includes('/month/')")
    await untilSettled(tab)
    equal(await tab.evaluate('location.search'), '')
  })

  test('a map whose style sheet does not come says so', long, async () => {
    const tab = await openTab(browser, service, '/events/map/')
    const style = await tab.evaluate<string>("document.querySelector('.map').dataset.style")
    await tab.send('Network.setBlockedURLs', { urls: [`*${new URL(style, service.origin).pathname}`] })
    await tab.evaluate("document.querySelector('.map .offer button').click()")
    await untilShown(tab, "document.querySelector('.map .failed').textContent !== ''")
  })

  test('a filter of the map page leaves a map that can be shown', long, async () => {
    const tab = await openTab(browser, service, '/events/map/')
    await untilSettled(tab)
    const has = await tab.evaluate<boolean>("Boolean(document.querySelector('.filter select'))")
    ok(has, 'no filter')
    await tab.evaluate(
      `(() => { const select = document.querySelector('.filter select'); select.selectedIndex ` +
        `= 1; select.dispatchEvent(new Event('change', { bubbles: true })) })()`,
    )
    await untilShown(tab, "location.search !== '' || location.pathname !== '/events/map/'")
    await untilSettled(tab)
    equal(await tab.evaluate("document.querySelector('.map .offer').hidden"), false)
  })

  test('a map shows where storage is forbidden', long, async () => {
    const tab = await openTab(browser, service, '/events/')
    await tab.send('Page.addScriptToEvaluateOnNewDocument', {
      source:
        "for (const name of ['sessionStorage', 'localStorage']) Object.defineProperty(window, " +
        "name, { get() { throw new DOMException('denied', 'SecurityError') } })",
    })
    await tab.goTo(`${service.origin}/events/map/`)
    await tab.evaluate("document.querySelector('.map .offer button').click()")
    await untilShown(tab, "document.querySelector('.map .shown').hidden === false")
  })

  test('the page stays busy while the second of two answers is awaited', long, async () => {
    const tab = await openTab(browser, service, '/events/')
    await tab.evaluate(
      '(() => { const ask = fetch; window.fetch = async (a, b) => { ' +
        'window.asked = (window.asked ?? 0) + 1; await new Promise((_, ' +
        `fail) => { b.signal.addEventListener('abort', ` +
        '() => fail(b.signal.reason)) }); return ask(a, b) } })()',
    )
    const go =
      `[...document.querySelectorAll('.views a')].find((a) ` + `=> a.pathname.includes('/month/')).click()`
    await tab.evaluate(go)
    await tab.evaluate(go)
    await untilShown(tab, 'window.asked === 2')
    await tab.evaluate('new Promise(requestAnimationFrame)')
    equal(await tab.evaluate("document.getElementById('main').getAttribute('aria-busy')"), 'true')
  })

  for (const [how, late] of [
    ['fails', { status: 503 }],
    ['is late', { ms: 1500 }],
  ] as const)
    test(
      `pressing again for a month whose answer ${how} shows no empty month`,
      how === 'fails' ? {} : long,
      async () => {
        const tab = await element('view="month" date="2027-03-15"')
        await untilShown(tab, `${root}.querySelector('table')`)
        await tab.evaluate(answered('/events', late))
        await tab.evaluate(`${root}.querySelector('[data-key="1"]').click()`)
        await untilMet(tab)
        if (how === 'fails') await tab.evaluate('window.fetch = before')
        await tab.evaluate(`${root}.querySelector('[data-key="1"]').click()`)
        await (how === 'fails' ? untilSettled(tab) : tab.evaluate('new Promise(requestAnimationFrame)'))
        const [heading, events] = await tab.evaluate<[string, number]>(
          `[${root}.querySelector('[part=heading]').textContent, ` +
            `${root}.querySelectorAll('[part~=entry]').length]`,
        )
        ok(!(heading.includes('April') && events === 0), `${heading} with ${events} events; there are 4`)
      },
    )

  test('the keys of a month go on after an answer that failed', long, async () => {
    const tab = await element('view="month" date="2027-03-31"')
    await untilShown(tab, `${root}.querySelector('table')`)
    await tab.evaluate(answered('/events', { status: 503 }))
    await tab.evaluate(`${root}.querySelector('[data-key="2027-03-31"]').focus()`)
    await tab.key('ArrowRight')
    await untilMet(tab)
    await tab.evaluate('window.fetch = before')
    await tab.key('ArrowRight')
    await untilShown(tab, `${root}.querySelector('[part=heading]').textContent.includes('April')`)
  })

  test('Today leads to today after midnight', long, async () => {
    const tab = await openTab(browser, service, '/embed/')
    await tab.evaluate(
      '(() => { const Real = Date; window.ahead = 0; window.Date = class extends Real { ' +
        'constructor(...a) { if (a.length) super(...a); else super(Real.now() + window.ahead) } } })()',
    )
    await tab.evaluate(`import('/embed.js')`)
    await tab.evaluate(
      `document.getElementById('main').innerHTML = '<kalends-events view="day"></kalends-events>'`,
    )
    await untilShown(tab, `${root}.querySelector('[data-key="0"]')`)
    await tab.evaluate('window.ahead = 86400000')
    const tomorrow = await tab.evaluate<string>(
      `new Date().toLocaleDateString('en-GB', { timeZone: 'Europe/Oslo', day: 'numeric', month: 'long' })`,
    )
    await tab.evaluate(`${root}.querySelector('[data-key="0"]').click()`)
    await untilSettled(tab)
    match(
      await tab.evaluate<string>(`${root}.querySelector('[part=heading]').textContent`),
      new RegExp(tomorrow.replace(/(\w+) (\w+)/, '$1.*$2|$2.*$1')),
    )
  })

  test('a day with a time is that day wherever the visitor is', async () => {
    const tab = await openTab(browser, service, '/embed/')
    await tab.send('Emulation.setTimezoneOverride', { timezoneId: 'Pacific/Auckland' })
    await tab.evaluate(`import('/embed.js')`)
    await tab.evaluate(
      `document.getElementById('main').innerHTML = '<kalends-events ` +
        `view="day" date="2027-04-01T00:00"></kalends-events>'`,
    )
    await untilShown(tab, `${root}.querySelector('[part=heading]')`)
    match(await tab.evaluate<string>(`${root}.querySelector('[part=heading]').textContent`), /April/)
  })

  test('Back leads to where one was', long, async () => {
    for (let i = 0; i < 45; i++) await service.event({ title: `Long ${i}`, ...times })
    const tab = await openTab(browser, service, '/events/')
    await tab.look({ width: 1280, height: 700 })
    await untilSettled(tab)
    await tab.evaluate('scrollTo(0, document.body.scrollHeight)')
    await untilShown(tab, 'scrollY > 500')
    const before = await tab.evaluate<number>('scrollY')
    await tab.evaluate("[...document.querySelectorAll('.pager a, .steps a')].at(-1).click()")
    await untilShown(tab, "location.href.includes('page')")
    await untilSettled(tab)
    await tab.evaluate('history.back()')
    await untilShown(tab, `!location.href.includes('page') && Math.abs(scrollY - ${before}) < 200`)
  })

  test('suggestions are closed when somebody comes back', long, async () => {
    const tab = await openTab(browser, service, '/events/')
    await tab.evaluate("window.mark = 1; document.querySelector('[data-suggest]').focus()")
    await untilShown(tab, "document.querySelector('[data-suggest][role=combobox]')")
    await type(tab, 'Music')
    await untilShown(tab, "document.querySelector('.suggestions:not([hidden]) li')")
    await tab.key('ArrowDown')
    await tab.key('Enter')
    await untilShown(tab, "!location.pathname.startsWith('/events/')")
    await untilSettled(tab)
    await tab.evaluate('setTimeout(() => history.back())')
    await untilShown(tab, "location.pathname === '/events/'")
    await untilSettled(tab)
    equal(await tab.evaluate("document.querySelectorAll('.suggestions:not([hidden])').length"), 0)
  })
})
