// Checks the pages in Chromium and Firefox, where installed. `npm run pages:check` checks every page in every
// sight; PAGES_BROWSER limits it to one browser. `npm test` uses Chromium alone and two sights.

import { deepEqual, equal, ifError, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { prepareGround } from '../../src/app.ts'
import {
  axePath,
  axeScript,
  type Browser,
  findPackage,
  firstOfKinds,
  type Sight,
  type Tab,
} from '../support/browsers.ts'
import { findChromium, startChromium } from '../support/chromium.ts'
import { findFirefox, startFirefox } from '../support/firefox.ts'
import { assertNone } from '../support/lists.ts'
import { markupValidator } from '../support/markup.ts'
import { onDay, serviceForTests, type TestService } from '../support/service.ts'
import { viewPaths } from '../support/view-paths.ts'
import { until } from '../support/waiting.ts'

const isWhole = process.env.PAGES_CHECK === 'all'

interface Looking {
  name: 'Chromium' | 'Firefox'
  program: string | undefined
  start: (program: string) => Promise<Browser>
  package: string
}

const browsers: readonly Looking[] = [
  { name: 'Chromium', program: findChromium(), start: startChromium, package: 'chromium' },
  { name: 'Firefox', program: findFirefox(), start: startFirefox, package: 'firefox-esr' },
]

function reasonNot({ name, program, package: debian }: Looking): string | undefined {
  if (axePath === undefined) return 'axe-core is not installed'
  const only = process.env.PAGES_BROWSER?.toLowerCase()
  if (only !== undefined && only !== name.toLowerCase()) return `PAGES_BROWSER is ${only}`
  if (program === undefined)
    return (
      `no ${name} is installed; Debian has it as ${debian}, ` +
      `and ${name.toUpperCase()} names another place`
    )
  return name === 'Firefox' && !isWhole ? 'only npm run pages:check looks in Firefox' : undefined
}

const PATHS = [
  '/',
  ...viewPaths,
  '/venues/',
  '/embed/?view=month',
  '/events/?search=jazz&categories=music',
  '/events/?search=zzzz',
  '/none',
  // German and Spanish have the longest words.
  '/events/?lang=de',
  '/?lang=es',
]
const FEW: Sight[] = [{ width: 1280 }, { width: 320, scheme: 'dark' }]
const ALL: Sight[] = [
  ...FEW,
  { width: 1280, scheme: 'dark' },
  { width: 390 },
  { width: 320 },
  { width: 1280, zoom: 2 },
  { width: 1280, forcedColors: true },
  { width: 1280, scripts: false },
]

const FETCHED_AHEAD = /blocked the loading of a resource \(default-src\) at \S+\/events\//

async function oddEvents({ post }: TestService): Promise<string[]> {
  const start = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const times = onDay(start, '18:00:00', '20:00:00')
  const titles = [
    'W'.repeat(500),
    'كلمة طويلة في عنوان من اليمين إلى اليسار مع Latin في الوسط',
    `<b>${'a b '.repeat(100)}</b>`,
  ]
  for (let i = 0; i < 40; i++) await post('/events', { title: `Crowd ${i}`, ...times })
  const venue = { venue: 'V'.repeat(400), address: 'A'.repeat(300), city: 'מקום' }
  const organizer = {
    organizer: 'O'.repeat(400),
    email: 'someone@example.org',
    website: `https://example.org/${'x'.repeat(500)}`,
  }
  const urls: string[] = [`${times.start_date.slice(0, 10)}`].map((day) => `http://any/events/${day}/`)
  const again = {
    title: `Again ${'W'.repeat(400)}`,
    ...times,
    recurrence: 'RRULE:FREQ=MONTHLY;BYDAY=1MO,3TU,-1FR;COUNT=60',
  }
  const repeated = (await post('/events', again)).body
  urls.push(
    repeated.url,
    (await fetch(`${new URL(repeated.url).origin}/series/${repeated.post_parent}/`)).url,
  )
  for (const event_status of ['canceled', 'postponed']) {
    const reason = 'The hall is flooded, and so is the road to it.'
    const off = await post('/events', {
      title: `Off: ${event_status}`,
      ...times,
      event_status,
      event_status_reason: reason,
    })
    urls.push(off.body.url)
  }
  for (const title of titles) {
    const { body } = await post('/events', {
      title,
      description: 'D'.repeat(3000),
      cost: '9'.repeat(80),
      attendance: 'mixed',
      online_url: 'https://meet.example/room',
      online_label: 'L'.repeat(80),
      ...times,
      venue,
      organizer,
    })
    urls.push(body.url, body.venue.url, body.organizer[0].url)
  }
  return urls
}

/** One calendar for all tests here, since filling it takes long. */
const service = serviceForTests({ timezone: 'Europe/Oslo', site_name: 'Kilvara' }, { fill })
let paths: string[]
async function fill(): Promise<void> {
  await prepareGround({ ...service.config, port: 0 }, ifError, { demo: true })
  const { body } = await service.get('/events?per_page=50')
  const shown = body.events.find(
    (event: { image: unknown; venue: { url?: string } }) => event.image && event.venue.url,
  )
  const path = (url: string) => new URL(url).pathname
  paths = [...PATHS, path(shown.url), path(shown.venue.url), path(shown.organizer[0].url)]
  paths.push(...(await oddEvents(service)).map(path))
}

for (const looking of browsers) {
  const reason = reasonNot(looking)
  describe(`pages in ${looking.name}`, { skip: reason ?? false }, () => lookIn(looking))
  test(`${looking.name} was not asked`, { skip: reason === undefined && 'it was' }, (t) => {
    t.diagnostic(`The pages were not looked at in ${looking.name}: ${reason}.`)
  })
}

function lookIn({ program, start }: Looking): void {
  let browser: Browser
  let tab: Tab

  before(async () => {
    browser = await start(program ?? '')
    tab = await browser.open()
  })
  after(() => browser?.close())

  for (const [at, sight] of (isWhole ? ALL : FEW).entries()) {
    test(`please axe, fit the window, cut no line, ask nobody else: ${JSON.stringify(sight)}`, async () => {
      await tab.look(sight)
      tab.requested.length = 0
      tab.complaints.length = 0
      for (const path of paths) {
        const isForAxe = isWhole || [...firstOfKinds(paths)].indexOf(path) % FEW.length === at
        if (!isForAxe && at === 0) continue
        await tab.goTo(service.origin + path)
        if (isForAxe) deepEqual(await tab.evaluate<string[]>(axeScript()), [], path)
        const [inner, outer] = await tab.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, innerWidth]',
        )
        ok(inner <= outer, `${path} is ${inner} wide in ${outer}`)
        const padded = await tab.evaluate<
          string[]
        >(`[...document.querySelectorAll('main *')].filter((part) => {
          const style = getComputedStyle(part)
          const isClamped = style.webkitLineClamp !== 'none'
          // In lines that are lower than that, letters such as g are cut off below.
          const isLow = parseFloat(style.lineHeight) < 1.25 * parseFloat(style.fontSize)
          return isClamped && (parseFloat(style.paddingBottom) > 0 || isLow)
        }).map((part) => part.outerHTML.slice(0, 200))`)
        deepEqual(padded.slice(0, 3), [], path)
      }
      assertNone(
        tab.requested,
        (address) => !address.startsWith(service.origin) && !address.startsWith('data:'),
      )
      assertNone(tab.complaints, (text) => !text.includes('404') && !FETCHED_AHEAD.test(text))
    })
  }

  test('change in place when they are filtered, say so, and come back', async () => {
    await tab.look({ width: 1280 })
    await tab.goTo(`${service.origin}/events/`)
    await tab.evaluate(
      "(document.querySelector('[name=search]').value = 'jazz', " +
        "document.querySelector('.filter').requestSubmit(), 1)",
    )
    const shown = () =>
      tab.evaluate<[string, string, string, string]>(
        '[location.search, document.activeElement.tagName, ' +
          "document.getElementById('status').textContent, document.title]",
      )
    const isFiltered = async () => {
      const [search, focused, status, title] = await shown()
      return (
        search === '?search=jazz' &&
        focused === 'H1' &&
        /jazz.*\d+ events?/.test(status) &&
        /jazz/.test(title)
      )
    }
    await until(isFiltered, 'it does not change, say so and move the focus')
    await tab.evaluate('(history.back(), 1)')
    const heading = () => tab.evaluate<string>('location.search + document.querySelector("h1").textContent')
    await until(async () => (await heading()) === 'Kilvara', 'it does not come back')
  })

  test('say how many events a filter, a search or a step leaves, also none', async () => {
    const status = () => tab.evaluate<string>("document.getElementById('status').textContent")
    for (const [path, press, said] of [
      ['/events/', '[href*="free=true"]', /^Free: \d+ events from today on$/],
      ['/events/?search=zzzz', '[href*="free=true"]', /^Events matching “zzzz”: No events found\.$/],
      ['/events/?bbox=0,0,1,1', '[href*="when=weekend"]', /^This weekend: No events found\.$/],
      ['/events/?bbox=0,0,1,1', '[href*="attendance=online"]', /^Online: No events found\.$/],
      ['/events/1999-01-02/', '.steps [href*="today"]', /: Today · \d+ events?$/],
      ['/events/month/?bbox=0,0,1,1', '[href*="free=true"]', /: 0 events$/],
    ] as const) {
      await tab.goTo(`${service.origin}${path}`)
      await tab.evaluate(`(document.querySelector('#main ${press}').click(), 1)`)
      await until(async () => said.test(await status()), `${path} ${press}`)
    }
  })

  test('suggest as one types, by keyboard, and let go by Escape', async () => {
    await tab.goTo(`${service.origin}/events/`)
    const typed = (keys: string) => `(async () => {
      const field = document.querySelector('[name=search]')
      const wait = (ms) => new Promise((done) => setTimeout(done, ms))
      const press = (key) => field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true,
        cancelable: true }))
      field.focus()
      for (let n = 0; n < 100 && field.getAttribute('role') !== 'combobox'; n++) await wait(20)
      field.value = 'jaz'
      field.dispatchEvent(new Event('input', { bubbles: true }))
      for (let n = 0; n < 100 && field.getAttribute('aria-expanded') !== 'true'; n++) await wait(20)
      for (const key of ${keys}) press(key)
      const active = document.getElementById(field.getAttribute('aria-activedescendant') ?? '')
      return [field.getAttribute('aria-expanded'), active?.getAttribute('aria-selected') ?? '',
        active?.textContent ?? '']
    })()`
    const [expanded, selected, text] = await tab.evaluate<string[]>(typed("['ArrowDown']"))
    deepEqual([expanded, selected], ['true', 'true'])
    match(text ?? '', /jazz/i)
    const list = "document.querySelector('[role=listbox]')"
    ok(
      await tab.evaluate(
        `${list}.getBoundingClientRect().height > 30 && ${list}.getBoundingClientRect().right <= innerWidth`,
      ),
    )
    deepEqual(await tab.evaluate(typed("['ArrowDown', 'Escape']")), ['false', '', ''])
    await tab.evaluate(typed("['ArrowDown']"))
    const enter = "new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true })"
    await tab.evaluate(`(setTimeout(() => document.activeElement.dispatchEvent(${enter}), 50), 1)`)
    const isThere = async () => /jazz/.test(await tab.evaluate<string>('location.pathname').catch(() => ''))
    await until(isThere, 'Enter does not lead to what is suggested')
  })

  test('keep what is marked among suggestions though others come later', async () => {
    await tab.goTo(`${service.origin}/events/`)
    const marked = await tab.evaluate<number>(`(async () => {
      const field = document.querySelector('[name=search]')
      const wait = (ms) => new Promise((done) => setTimeout(done, ms))
      const type = (text) => {
        field.value = text
        field.dispatchEvent(new Event('input', { bubbles: true }))
      }
      field.focus()
      for (let n = 0; n < 100 && field.getAttribute('role') !== 'combobox'; n++) await wait(20)
      type('jaz')
      for (let n = 0; n < 100 && field.getAttribute('aria-expanded') !== 'true'; n++) await wait(20)
      type('ja')
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }))
      await wait(1000)
      return document.querySelectorAll('[role=listbox] [aria-selected=true]').length
    })()`)
    equal(marked, 1)
  })

  test('are printed without what only a screen needs', async (t) => {
    if (!tab.showPrinted) return t.skip('this browser cannot be told to')
    await tab.goTo(`${service.origin}/`)
    await tab.showPrinted(true)
    const shown = await tab.evaluate<number>(
      "[...document.querySelectorAll('.filter, .pills, .tools, .pager, " +
        ".top nav')].filter((part) => part.getClientRects().length > 0).length",
    )
    const avoided = await tab.evaluate<string[]>(
      "['.day', '.row'].map((part) => getComputedStyle(document.querySelector(part)).breakInside)",
    )
    deepEqual(avoided, ['auto', 'avoid'])
    await tab.goTo(`${service.origin}/events/week/`)
    equal(await tab.evaluate<string>('getComputedStyle(document.body).page'), 'wide')
    await tab.showPrinted(false)
    equal(shown, 0)
  })

  test('have search, times, categories and the first event in the first window, always', async () => {
    for (const [width, height, most] of [
      [360, 740, 320],
      [1280, 900, 400],
    ] as const)
      for (const language of ['en', 'de', 'fr', 'es']) {
        await tab.look({ width, height })
        await tab.goTo(`${service.origin}/?lang=${language}`)
        const [top, ...others] = await tab.evaluate<number[]>(`(() => {
          const bottom = (part) => document.querySelector(part).getBoundingClientRect().bottom
          const first = document.querySelector('main :is(.row, article) a').closest('.row, article')
          return [first.getBoundingClientRect().top, ...['.words', '[href*="when=tonight"]',
            '.pill[href*="category"]'].map(bottom)]
        })()`)
        ok((top ?? most) <= most, `${language} at ${width}: ${top}`)
        for (const bottom of others) ok(bottom < (top ?? 0), `${language} at ${width}: ${bottom}`)
      }
  })

  test('reach the first event by eight presses of Tab, and by the link that skips to it', async () => {
    const focused = () => tab.evaluate<string>('document.activeElement.getAttribute("href") ?? ""')
    for (const width of [360, 1280]) {
      await tab.look({ width })
      await tab.goTo(`${service.origin}/`)
      await until(
        () => tab.evaluate<boolean>('document.querySelector(".views a[tabindex]") !== null'),
        'groups',
      )
      const stops: string[] = []
      while (stops.length < 12 && !stops.at(-1)?.startsWith('/event/')) {
        await tab.key('Tab')
        stops.push(await focused())
      }
      ok(stops.length <= 8, stops.join(' '))
      equal(stops[0], '#events')
      await tab.goTo(`${service.origin}/`)
      for (const key of ['Tab', 'Enter', 'Tab']) await tab.key(key)
      match(await focused(), /^\/event\//)
    }
  })

  test('move within a group by arrow keys, and the small calendar is one stop', async (t) => {
    if (!tab.showPrinted) return t.skip('this browser has no groups by keys')
    await tab.look({ width: 1280 })
    await tab.goTo(`${service.origin}/`)
    const stops = () => tab.evaluate<number>('document.querySelectorAll(\'.mini a[tabindex="0"]\').length')
    await until(async () => (await stops()) === 1, 'one stop')
    await tab.evaluate("(document.querySelector('.presses a').focus(), 1)")
    await tab.key('ArrowRight')
    const next = "document.activeElement === document.querySelectorAll('.presses a')[1]"
    ok(await tab.evaluate(`${next} && document.activeElement.tabIndex === 0`))
    const order = await tab.evaluate<boolean>(
      "(document.querySelector('.rows').compareDocumentPosition(document.querySelector('.mini')) & 4) === 4",
    )
    ok(order)
  })

  test('lead from an event back to the filters that it was found by', async () => {
    await tab.look({ width: 1280 })
    await tab.goTo(`${service.origin}/events/?free=true`)
    await tab.evaluate("(document.querySelector('.row h3 a').click(), 1)")
    const back = "document.querySelector('[data-back]')"
    await until(() => tab.evaluate<boolean>(`/free=true/.test(${back}?.href)`).catch(() => false), 'way back')
    match(await tab.evaluate<string>(`${back}.textContent`), /Back to your selection/)
    await tab.evaluate(`(${back}.click(), 1)`)
    const chosen = () =>
      tab.evaluate<boolean>("document.querySelector('.pill[aria-current]')?.textContent === 'Free'")
    await until(() => chosen().catch(() => false), 'Free is chosen')
  })

  test('have headings whose words are whole on a phone', async () => {
    await tab.look({ width: 390 })
    for (const path of ['/events/map/?lang=de', '/events/?search=jazz&lang=de']) {
      await tab.goTo(service.origin + path)
      const word = await tab.evaluate<number>(`(() => {
        const [text] = document.querySelector('h1').childNodes
        const range = document.createRange()
        range.setStart(text, 0)
        range.setEnd(text, text.data.split(' ')[0].length)
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
      })()`)
      equal(word, 1, path)
    }
  })
}

describe('the markup of pages', {
  skip: findPackage('html-validate') === undefined ? 'html-validate is not installed' : false,
}, () => {
  test('is valid', async () => {
    const validate = await markupValidator()
    for (const path of paths) {
      const page = await service.page(path)
      deepEqual((await validate(page.body)).slice(0, 10), [], path)
    }
  })
})
