// <kalends-events> on a page of another origin, in Chromium, where installed.

import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { wallNow } from '../../src/base/text/moments.ts'
import { changeFocus } from '../../src/features/desk/picture-store.ts'
import { axeScript, untilShown } from '../support/browsers.ts'
import { callerContext } from '../support/caller-context.ts'
import { type ChromiumTab, noChromium, startChromium, startChromiumHere } from '../support/chromium.ts'
import { assertNone } from '../support/lists.ts'
import { uploadPicture } from '../support/pictures.ts'
import { serverHere, startServer } from '../support/server.ts'
import { onDay, serviceForTests, startService, type TestService } from '../support/service.ts'

const NASTY = `<img src=x onerror="window.taken = 1"> & "quoted" 'ü' <b>bold</b> it&#x27;s`
const YEAR = 2027
const DAY = `${YEAR}-05-14`
// Days are written without the year in which they are.
const IN_YEAR = wallNow('Europe/Oslo', Date.now()).startsWith(`${YEAR}`) ? '' : ` ${YEAR}`
const later = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
/** Returns the number of days since Monday. */
const weekday = (day: string) => (new Date(day).getUTCDay() + 6) % 7

const service = serviceForTests({ timezone: 'Europe/Oslo', site_name: 'Kilvara' }, { fill })

async function makeEvents(service: TestService): Promise<void> {
  const { post } = service
  const music = (await post('/categories', { name: 'Music' })).body.id
  const at = (day: string, from: string, to: string) => onDay(day, `${from}:00`, `${to}:00`)
  await post('/events', {
    title: 'Concert',
    categories: [music],
    ...at(DAY, '19:30', '22:00'),
    venue: { venue: 'Hall <1>' },
    organizer: [{ organizer: 'Ann & <b>Bob</b>' }],
    cost: '12.50 €',
    image: await uploadPicture(service, 900, 600),
  })
  await post('/events', { title: NASTY, ...at(DAY, '10:00', '11:00') })
  await post('/events', {
    title: 'Far away',
    timezone: 'Asia/Tokyo',
    ...at(`${YEAR}-05-15`, '09:00', '10:00'),
  })
  await post('/events', {
    title: 'Festival',
    all_day: true,
    start_date: `${YEAR}-05-20`,
    end_date: `${YEAR}-05-22`,
  })
  await post('/events', {
    title: 'Called off',
    event_status: 'canceled',
    ...at(`${YEAR}-06-20`, '09:00', '10:00'),
  })
  await post('/events', {
    title: 'Night',
    start_date: `${YEAR}-05-24 22:00:00`,
    end_date: `${YEAR}-05-25 02:00:00`,
  })
}

async function fill(): Promise<void> {
  await makeEvents(service)
}

describe('the script of the element', () => {
  test('is small, may be loaded by every site, and is asked for again only when it has changed', async () => {
    const response = await fetch(`${service.origin}/embed.js`, { headers: { origin: 'https://example.org' } })
    const text = await response.text()
    equal(response.status, 200)
    ok(Buffer.byteLength(text) < 10_000, `${Buffer.byteLength(text)} bytes`)
    equal(response.headers.get('access-control-allow-origin'), '*')
    equal(response.headers.get('cross-origin-resource-policy'), 'cross-origin')
    match(response.headers.get('content-type') ?? '', /^text\/javascript/)
    const again = await fetch(`${service.origin}/embed.js`, {
      headers: { 'if-none-match': response.headers.get('etag') ?? '' },
    })
    equal(again.status, 304)
  })

  test('never reads text as HTML', () => {
    for (const name of ['embed.js', 'embed-days.js', 'embed-extras.js', 'builder.js']) {
      const text = readFileSync(new URL(`../../src/features/pages/assets/${name}`, import.meta.url), 'utf8')
      doesNotMatch(
        text,
        /innerHTML|insertAdjacentHTML|outerHTML|DOMParser|document\.write|\beval\b|\.style\b/,
      )
    }
  })
})

describe('the page that writes the markup', () => {
  test('does so without scripts, whatever it is asked for', async () => {
    const query = new URLSearchParams({
      view: 'month',
      search: `"><script>x</script>`,
      limit: '5',
      other: 'left',
    })
    const { status, body } = await service.page(`/embed/?${query}`)
    equal(status, 200)
    const [, code = ''] = /<code>([\s\S]*?)<\/code>/.exec(body) ?? []
    const unescaped = code
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&')
    equal(
      unescaped,
      `<script type="module" src="${service.origin}/embed.js"></script>
<kalends-events view="month" search="&quot;&gt;&lt;script&gt;x&lt;/script&gt;" limit="5">
  <a href="${service.origin}/events/">Kilvara</a>
</kalends-events>`,
    )
    doesNotMatch(body.replace(/<script[^>]*src="[^"]*"[^>]*>/g, ''), /<script(?! type="application)/)
  })

  test('writes every attribute, and a frame for pages that may hold no script', async () => {
    const query =
      'show=picture&show=price&until=2030-05-01&free=true&level=3&language=de&lang=fr&category=a%26b'
    const { body } = await service.page(`/embed/?${query}`)
    const [element = '', frame = ''] = [...body.matchAll(/<code>([\s\S]*?)<\/code>/g)].map(
      ([, code = '']) => code,
    )
    match(
      element,
      new RegExp(
        ' category=&quot;a&amp;amp;b&quot; free=&quot;true&quot; until=&quot;2030-05-01&quot; ' +
          'show=&quot;picture price&quot; level=&quot;3&quot; lang=&quot;de&quot;&gt;',
      ),
    )
    ok(
      frame.includes(
        '/embed/frame/?category=a%26b&amp;amp;free=true&amp;' +
          'amp;until=2030-05-01&amp;amp;lang=de&quot; title=',
      ),
      frame,
    )
    match(body, /<html lang="fr">/)
    await using closed = await startService({ frame_ancestors: 'none' })
    doesNotMatch(await (await fetch(`${closed.origin}/embed/`)).text(), /iframe/)
  })

  test('is linked from every page', async () => {
    match((await service.page('/events/')).body, /href="\/embed\/"/)
  })
})

describe('the page that writes the markup, with its script', noChromium, () => {
  test('writes the same as it does without, and previews it', async () => {
    await using chromium = await startChromium()
    const tab = await chromium.open()
    const query = 'view=month&search=a%22%26b&show=picture&show=price&date=2030-05-01&limit=5&language=de'
    const { body } = await service.page(`/embed/?${query}`)
    await tab.goTo(`${service.origin}/embed/?${query}&lang=fr`)
    const written = await tab.evaluate<string[]>(
      `[...document.querySelectorAll('.snippet code')].map((code) => code.textContent)`,
    )
    const told = [...body.matchAll(/<code>([\s\S]*?)<\/code>/g)].map(([, code = '']) =>
      code.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    )
    const sorted = (texts: string[]) => texts.map((text) => text.split(/[\s>&?"]+/).sort())
    deepEqual(sorted(written), sorted(told))
    const [shown, view] = await tab.evaluate<[number, string]>(
      '((element) => [element.shadowRoot !== null, ' +
        `element.getAttribute('view')])(document.querySelector('.preview kalends-events'))`,
    )
    deepEqual([shown, view], [true, 'month'])
    deepEqual(await tab.evaluate<string[]>(axeScript()), [])
  })
})

describe('the element on a page of another site', noChromium, () => {
  const chromium = startChromiumHere()
  let tab: ChromiumTab
  let markup = ''
  let policy = ''
  const answer: RequestListener = (request, response) => {
    const isPage = request.url === '/'
    response.writeHead(isPage ? 200 : 404, {
      'content-type': 'text/html; charset=utf-8',
      ...(policy === '' ? {} : { 'content-security-policy': policy }),
    })
    response.end(isPage ? markup : '')
  }
  let site: Awaited<ReturnType<typeof startServer>>

  before(async () => {
    site = await startServer(answer)
    tab = await chromium.open()
  })
  after(() => site.close())

  const STRICT = () =>
    `default-src 'none'; script-src ${service.origin}; ` +
    `connect-src ${service.origin}; require-trusted-types-for 'script'`

  async function open(
    body: string,
    { strict = true, images = false, html = 'lang="en"', script = `${service.origin}/embed.js` } = {},
  ) {
    policy = strict ? STRICT() + (images ? `; img-src ${service.origin}` : '') : ''
    markup =
      `<!doctype html><html ${html}><head><meta name="color-scheme" content="light dark"><title>Other ` +
      'site</title><script type="module" ' +
      `src="${script}"></script></head><body><main><h1>Elsewhere</h1>${body}</main></body></html>`
    tab.requested.length = 0
    tab.complaints.length = 0
    await tab.goTo(`${site.origin}/`)
    // Another script may never load, so only the script of the service is awaited.
    if (script.startsWith(service.origin)) await settled()
  }
  const settled = () =>
    untilShown(
      tab,
      `[...document.querySelectorAll('kalends-events')].every(({ shadowRoot }) => ` +
        `shadowRoot?.querySelector('[part=foot]') || ` +
        `shadowRoot?.querySelector('[role=status]')?.textContent)`,
    )
  const inside = <Value>(expression: string) =>
    tab.evaluate<Value>(`((root) => ${expression})(document.querySelector('kalends-events').shadowRoot)`)
  const untilInside = (expression: string, at = 0) =>
    untilShown(
      tab,
      `((root) => ${expression})(document.querySelectorAll('kalends-events')[${at}].shadowRoot)`,
    )
  const press = async (key: string) => {
    for (const type of ['keyDown', 'keyUp'])
      await tab.send('Input.dispatchKeyEvent', { type, key, code: key })
  }
  const titles = (at = 0) =>
    tab.evaluate<string[]>(
      `[...document.querySelectorAll('kalends-events')[${at}` +
        `].shadowRoot.querySelectorAll('[part=title]')].map((title) => title.textContent)`,
    )

  test('shows a list under the strictest of policies, and asks nobody else for anything', async () => {
    await tab.look({ width: 1280 })
    await open(
      `<kalends-events date="${YEAR}-05-01" limit="3"><a href="/there">Calendar</a></kalends-events>`,
    )
    deepEqual(await titles(), [`& "quoted" 'ü' bold it's`, 'Concert', 'Far away'])
    equal(await tab.evaluate('window.taken'), undefined)
    const text = await inside<string>('root.textContent')
    match(text, new RegExp(`14 May${IN_YEAR}`))
    match(text, /19:30 – 22:00/)
    match(text, /Hall <1>|Hall/)
    match(text, /9:00 JST – 10:00/)
    assertNone(
      tab.requested,
      (address) => !address.startsWith(service.origin) && !address.startsWith(site.origin),
    )
    assertNone(tab.complaints, (text) => !text.includes('favicon') && !text.includes('404'))
    equal(await inside('root.querySelector("slot")'), null)
  })

  test('filters, and shares nothing with another one on the page', async () => {
    await open(
      `<kalends-events date="${DAY}" category="music"></kalends-events><kalends-events ` +
        `view="day" date="${YEAR}-05-21"></kalends-events>`,
    )
    deepEqual(await titles(0), ['Concert'])
    deepEqual(await titles(1), ['Festival'])
    await tab.evaluate(
      `document.querySelectorAll('kalends-events')[1].shadowRoot.querySelector('[data-key="-1"]').click()`,
    )
    await untilInside(`root.querySelector('[role=status]').textContent.includes('20 May${IN_YEAR}')`, 1)
    deepEqual(await titles(0), ['Concert'])
    const [heading, focused, said] = await tab.evaluate<string[]>(
      `((root) => [root.querySelector('[part=heading]').textContent, root.activeElement.dataset.key, ` +
        `root.querySelector('[role=status]').textContent])` +
        `(document.querySelectorAll('kalends-events')[1].shadowRoot)`,
    )
    match(heading ?? '', new RegExp(`20 May${IN_YEAR}`))
    equal(focused, '-1')
    match(said ?? '', new RegExp(`20 May${IN_YEAR}: 1 event$`))
  })

  test('says of what does not take place that it does not', async () => {
    await open(`<kalends-events view="day" date="${YEAR}-06-20"></kalends-events>`)
    deepEqual(await titles(), ['Canceled: Called off'])
  })

  test('shows pictures at their focal point, prices, categories, organizers where asked', async () => {
    const image = (await service.get('/events?search=Concert')).body.events[0].image.id
    const context = await callerContext(service, 'admin')
    await context.write((tx) => changeFocus(tx, image, { x: 0.2, y: 0.9 }, context))
    await open(
      `<kalends-events date="${DAY}" limit="2" show="picture, ` +
        'price category organizer" lang="de"></kalends-events>',
      { images: true },
    )
    const said = await inside<string[]>(
      `[...root.querySelectorAll('[part=extras] > span')].map((one) => one.textContent)`,
    )
    deepEqual(said, ['Ann & Bob', 'Music', '12,50\u00a0€'])
    equal(await inside(`root.querySelectorAll('[part~=category-music]').length`), 1)
    const place = await inside<string>(
      `getComputedStyle(root.querySelector('[part=picture]')).objectPosition`,
    )
    equal(place, '20% 90%')
    ok(
      (await inside<number>(
        `new Promise((done) => { const image = root.querySelector('[part=picture]'); image.loading ` +
          `= 'eager'; const look = (tries) => image.naturalWidth || tries > 80 ? ` +
          'done(image.naturalWidth) : setTimeout(look, 25, tries + 1); look(0) })',
      )) > 0,
    )
    assertNone(tab.complaints, (text) => !text.includes('favicon') && !text.includes('404'))
    await open(`<kalends-events date="${DAY}" show="price"></kalends-events>`)
    equal(await inside(`root.querySelector('img')`), null)
    equal(await inside(`root.querySelector('[part=extras]').textContent`), '€12.50')
  })

  test('takes a last day, and the filters of lists', async () => {
    await open(`<kalends-events date="${DAY}" until="${later(DAY, 1)}"></kalends-events>`)
    equal((await titles()).length, 3)
    await open(`<kalends-events date="${DAY}" free="true"></kalends-events>`)
    deepEqual(await titles(), [])
    await open(`<kalends-events date="${DAY}" attendance="online"></kalends-events>`)
    deepEqual(await titles(), [])
    await open(`<kalends-events when="today"></kalends-events>`)
    deepEqual(await titles(), [])
  })

  test('can be taken away, put back and changed', async () => {
    await open(`<kalends-events date="${DAY}" category="music"></kalends-events>`)
    await tab.evaluate(
      `((element) => { element.remove(); document.querySelector('main').append(element); ` +
        `element.removeAttribute('category'); element.setAttribute('limit', ` +
        `'2') })(document.querySelector('kalends-events'))`,
    )
    await untilInside("root.querySelectorAll('[part=title]').length === 2")
  })

  test('shows a month as a table that is walked through by keys', async () => {
    await open(`<kalends-events view="month" date="${DAY}"></kalends-events>`)
    const columns = await inside<string[]>(
      '[...root.querySelectorAll("th")].map((th) => th.scope + " " + th.ariaLabel)',
    )
    deepEqual([columns.length, columns[0]], [7, 'col Monday'])
    equal(await inside('root.querySelectorAll("[tabindex=\\"0\\"]").length'), 1)
    match(
      await inside<string>(`root.querySelector('[data-key="${DAY}"]').ariaLabel`),
      new RegExp(`14 May${IN_YEAR}, 2 events$`),
    )
    // An event that ends at night ends on the evening before. An event of several days is on each of them.
    const busy = await inside<string[]>(
      '[...root.querySelectorAll(".busy")].map((day) => day.dataset.to.slice(5))',
    )
    deepEqual(busy, ['05-14', '05-15', '05-20', '05-21', '05-22', '05-24'])
    await inside(`root.querySelector('[data-key="${DAY}"]').focus()`)
    const monday = later(DAY, 8 - weekday(later(DAY, 8)))
    const steps = {
      ArrowRight: later(DAY, 1),
      ArrowDown: later(DAY, 8),
      Home: monday,
      End: later(monday, 6),
      ArrowUp: later(monday, -1),
      ArrowLeft: later(monday, -2),
      PageDown: `${YEAR}-06-01`,
    }
    for (const [key, day] of Object.entries(steps)) {
      await press(key)
      await untilInside(`root.activeElement?.dataset.to === '${day}'`)
    }
    await untilInside(`root.querySelector('[role=status]').textContent === 'June ${YEAR}: 1 event'`)
    match(await inside<string>('root.querySelector("[part=agenda]").textContent'), /No event/)
  })

  test('draws an event of days once a week, as wide as its days, and says when others begin', async () => {
    await tab.look({ width: 1280 })
    await open(`<kalends-events view="month" date="${DAY}"></kalends-events>`)
    const [cell, ...bars] = await inside<number[]>(
      `['td', '[part~=bar]'].flatMap((part) => [...root.querySelectorAll(part)].slice(0, 9)
        .map((one) => one.getBoundingClientRect().width)).filter((width, at) => at === 0 || at >= 9)`,
    )
    const days =
      weekday(`${YEAR}-05-22`) < 2 ? [2 - weekday(`${YEAR}-05-22`), weekday(`${YEAR}-05-22`) + 1] : [3]
    deepEqual(
      bars.map((width) => Math.round(width / (cell ?? 1))),
      days,
    )
    equal(
      await inside(`root.querySelector('[data-key="${DAY}"]').nextSibling.lastChild.textContent`),
      '19:30 Concert',
    )
    const fillers = `[...root.querySelectorAll('.lane')].filter((lane) => !lane.querySelector('a'))`
    ok((await inside<number>(`${fillers}.length`)) > 0)
    const wide =
      `${fillers}.filter((lane) => lane.getBoundingClientRect().width ` +
      `> lane.closest('td').getBoundingClientRect().width)`
    equal(await inside<number>(`${wide}.length`), 0)
  })

  test('speaks French, and has its own language and direction on any page', async () => {
    await open(`<kalends-events view="month" date="${DAY}"></kalends-events>`, { html: 'lang="fr"' })
    const text = await inside<string>('root.textContent')
    match(text, new RegExp(`mai ${YEAR}`))
    match(text, /Aujourd’hui/)
    await open(`<kalends-events view="month" date="${DAY}" lang="ar"></kalends-events>`, {
      html: 'lang="ar" dir="rtl"',
    })
    // The element has no Arabic texts, so months and days are in English too.
    match(await inside<string>('root.textContent'), new RegExp(`^May ${YEAR}Today`))
    await inside(`root.querySelector('[data-key="${DAY}"]').focus()`)
    await press('ArrowLeft')
    await untilInside(`root.activeElement?.dataset.to === '${YEAR}-05-13'`)
    for (const [own, lang] of [
      ['', 'en-GB'],
      ['lang="en"', 'en-GB'],
      ['lang="de"', 'de'],
    ] as const) {
      await open(`<kalends-events view="day" date="${DAY}" ${own}></kalends-events>`, {
        html: 'lang="ar" dir="rtl"',
      })
      for (const part of ['[part=heading]', '[part=time]', '[role=status]']) {
        const [is, reads] = await inside<string[]>(
          `((one) => [one.closest('[lang]').lang, ` +
            `getComputedStyle(one).direction])(root.querySelector('${part}'))`,
        )
        deepEqual([is, reads], [lang, 'ltr'], `${own} ${part}`)
      }
    }
  })

  test('keeps what is still on from the evening before until it ends', async () => {
    for (const [wall, shown] of [
      ['01:30', ['Night']],
      ['02:30', []],
    ] as const) {
      const source = `{ const at = Date.parse('${YEAR}-05-25T${wall}+02:00'), Real = Date
        globalThis.Date = class extends Real { constructor(...given) { super(...(given.length ? given :
          [at])) } } }`
      const { identifier } = await tab.send('Page.addScriptToEvaluateOnNewDocument', { source })
      await open(`<kalends-events until="${YEAR}-05-25"></kalends-events>`)
      deepEqual(await titles(), shown, wall)
      if (shown.length > 0) match(await inside('root.querySelector("[part=date]").textContent'), /24 May/)
      await tab.send('Page.removeScriptToEvaluateOnNewDocument', { identifier })
    }
  })

  test('has for `when` what the list has, though it ended in the small hours', async () => {
    const today = wallNow('Europe/Oslo', Date.now()).slice(0, 10)
    const night = { start_date: `${later(today, -1)} 22:00:00`, end_date: `${today} 02:00:00` }
    const { id } = await service.event({ title: 'Last night', ...night })
    await open(`<kalends-events when="today"></kalends-events>`)
    deepEqual(await titles(), ['Last night'])
    await service.remove(`/events/${id}?force=true`)
  })

  test('leaves the link of the page where the calendar cannot be asked', async () => {
    const link = `<kalends-events venue="none"><a href="/there">Calendar</a></kalends-events>`
    const visible = `document.querySelector('kalends-events a').getClientRects().length`
    const source = `var said = ''; console.warn = (...words) => { said += words.join(' ') }`
    const { identifier } = await tab.send('Page.addScriptToEvaluateOnNewDocument', { source })
    await open(link)
    await tab.send('Page.removeScriptToEvaluateOnNewDocument', { identifier })
    equal(await tab.evaluate(visible), 1)
    match(await inside<string>('root.querySelector("[role=status]").textContent'), /Not available/)
    match(await tab.evaluate<string>('said'), /"status":400.*venue|venue.*"status":400/s)
    await open(link, { script: 'http://localhost:9/embed.js' })
    equal(await tab.evaluate(visible), 1)
  })

  test('takes attributes that say nothing usable as if they were not there', async () => {
    const complaints = () =>
      tab.complaints.filter((text) => !text.includes('favicon') && !text.includes('404'))
    for (const [wrong, shown] of [
      ['limit="-1"', 1],
      ['limit="2.5"', 2],
      ['limit="x"', 6],
      ['until="99999"', 6],
      ['until="+275760-09-13"', 6],
      ['until="x"', 6],
      ['view="year" colour="red" onevent="x" lang="no language"', 6],
    ] as const) {
      await open(`<kalends-events date="${YEAR}-05-01" ${wrong}></kalends-events>`)
      equal((await titles()).length, shown, wrong)
      deepEqual(complaints(), [], wrong)
    }
    for (const date of ['x', '99999', '5', '+275760-09-13', `${YEAR}-02-31x`]) {
      await open(`<kalends-events view="day" date="${date}"></kalends-events>`)
      equal(
        await inside(`root.querySelector('[data-key="1"]').dataset.to`),
        later(await tab.evaluate("new Date().toLocaleDateString('sv', { timeZone: 'Europe/Oslo' })"), 1),
        date,
      )
    }
    for (const [level, heading] of Object.entries({ '-1': 'H1', '2.5': 'H2', x: 'H2', 9: 'H5' })) {
      await open(`<kalends-events view="month" date="${DAY}" level="${level}"></kalends-events>`)
      equal(await inside(`root.querySelector('[part=heading]').tagName`), heading, level)
    }
    deepEqual(complaints(), [])
  })

  test('says so and leaves the link of the page where the calendar answers anything but events', async () => {
    const script = Buffer.from(await (await fetch(`${service.origin}/embed.js`)).arrayBuffer())
    const answers: Readonly<Record<string, [status: number, type: string, text: string]>> = {
      'a page': [200, 'text/html', '<!doctype html><title>Sign in</title>'],
      'a failure': [503, 'application/json', '{"code":"x"}'],
      'no object': [200, 'application/json', 'null'],
      'other events': [200, 'application/json', '{"events":[{"id":1}],"total_pages":1}'],
    }
    let answer: (typeof answers)[string] | undefined
    const calendar = await serverHere((request, response) => {
      const [status, type, text] =
        request.url === '/embed.js' ? [200, 'text/javascript', script] : (answer ?? [404, 'text/plain', ''])
      response.writeHead(status, { 'content-type': type, 'access-control-allow-origin': '*' }).end(text)
    })
    for (const [name, given] of Object.entries(answers)) {
      answer = given
      const script = `${calendar}/embed.js`
      await open(`<kalends-events><a href="/there">Calendar</a></kalends-events>`, { strict: false, script })
      await settled()
      const status = await inside<string>('root.querySelector("[role=status]").textContent')
      match(status, /Not available/, name)
      const link = `document.querySelector('kalends-events a').getClientRects().length`
      equal(await tab.evaluate(link), 1, name)
    }
  })

  const GROUND = '<style>:root { background: canvas }</style>'

  test('has nothing that axe objects to, light and dark, wide and narrow', async () => {
    for (const sight of [
      { width: 1280 },
      { width: 320, scheme: 'dark' },
      { width: 320 },
      { width: 1280, scheme: 'dark' },
    ] as const) {
      await tab.look(sight)
      for (const view of ['list', 'month', 'day']) {
        await open(
          `${GROUND}<kalends-events view="${view}" date="${DAY}" ` +
            'show="picture price category organizer"></kalends-events>',
          { strict: false },
        )
        deepEqual(await tab.evaluate<string[]>(axeScript()), [], `${view} ${JSON.stringify(sight)}`)
        const [inner, outer] = await tab.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, innerWidth]',
        )
        ok(inner <= outer, `${view} is ${inner} wide in ${outer}`)
      }
    }
  })
})
