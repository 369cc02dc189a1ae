import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { axeScript, untilShown } from '../support/browsers.ts'
import { noChromium, type startChromium, startChromiumHere } from '../support/chromium.ts'
import { sitAtDesk } from '../support/desk.ts'
import { answered, openTab, type, untilMet, untilSettled } from '../support/interruptions.ts'
import { drawPng, uploadPicture } from '../support/pictures.ts'
import { onDay, serviceForTests } from '../support/service.ts'

type Chromium = Awaited<ReturnType<typeof startChromium>>
type ChromiumTab = Awaited<ReturnType<Chromium['open']>>

const NAMES = 'alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima'.split(' ')
const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

describe('the list of events in a browser', noChromium, () => {
  const service = serviceForTests({ timezone: 'Europe/Oslo' })
  const browser = startChromiumHere()
  let cookie: string
  let ids: number[]

  before(async () => {
    ids = []
    for (let i = 0; i < NAMES.length; i++)
      ids.push(
        (
          await service.event({
            title: `Jazz night ${NAMES[i]}`,
            ...onDay(later(2 + i), '19:00:00', '21:00:00'),
          })
        ).id,
      )
    cookie = (await sitAtDesk(service, 'editor')).cookie
  })

  async function open(
    path: string,
    { width = 1280, height = 900, scripts = true } = {},
  ): Promise<ChromiumTab> {
    const tab = await browser.open()
    await tab.look({ width, height, scripts })
    const [name, value] = cookie.split('=')
    await tab.send('Network.setCookie', { name, value, url: service.origin })
    await tab.goTo(new URL(path, service.origin).href)
    return tab
  }

  test('the dot of an event stands on the first line of its title, however long a word is', async () => {
    const title = 'Donaudampfschifffahrtsgesellschaftskapitänsversammlung'
    const times = { start_date: `${later(1)} 19:00:00`, end_date: `${later(1)} 21:00:00` }
    const { id } = await service.event({ title, ...times })
    const tab = await open('/desk/month', { width: 390 })
    const apart = await tab.evaluate<number>(`(() => {
      const link = [...document.querySelectorAll('.agenda a')].find((one) =>
        one.textContent.includes('Donau'))
      const range = document.createRange()
      range.selectNodeContents(link.lastChild)
      const [line] = range.getClientRects()
      const dot = link.querySelector('.dot').getBoundingClientRect()
      return Math.abs(dot.y + dot.height / 2 - line.y - line.height / 2)
    })()`)
    ok(apart < 6, `${apart} px`)
    await service.remove(`/events/${id}?force=true`)
  })

  test('the slash leads to the search, which lists hits as one types and opens by keyboard', async () => {
    const tab = await open('/desk/events')
    await tab.key('/')
    equal(await tab.evaluate('document.activeElement.id'), 'everything')
    await tab.send('Input.insertText', { text: 'jazz hotel' })
    await untilShown(tab, `document.querySelectorAll('#everything-found [role=option]').length === 1`)
    equal(await tab.evaluate(`everything.getAttribute('aria-expanded')`), 'true')
    await tab.key('Escape')
    equal(await tab.evaluate(`everything.getAttribute('aria-expanded')`), 'false')
    await tab.evaluate(`everything.select()`)
    await tab.send('Input.insertText', { text: 'jazz night' })
    await untilShown(tab, `document.querySelectorAll('#everything-found [role=option]').length === 8`)
    await tab.key('ArrowDown')
    await tab.key('ArrowDown')
    await tab.key('ArrowUp')
    const chosen = await tab.evaluate<string>(
      `document.getElementById(everything.getAttribute('aria-activedescendant')).dataset.href`,
    )
    await tab.key('Enter')
    await untilShown(tab, `location.pathname === ${JSON.stringify(chosen)}`)
  })

  test('a hit that is marked stays so though an answer comes later', async () => {
    const tab = await openTab(browser, service, '/desk/events', 'editor')
    await tab.key('/')
    await type(tab, 'jazz')
    await untilShown(tab, `document.querySelectorAll('#everything-found [role=option]').length === 8`)
    await tab.evaluate(answered('', { ms: 500 }))
    await type(tab, ' nig')
    await untilMet(tab)
    await tab.key('ArrowDown')
    await untilSettled(tab)
    const marked = `document.querySelectorAll('#everything-found [aria-selected=true]').length`
    equal(await tab.evaluate(marked), 1)
    await type(tab, 'ht')
    await untilShown(tab, `${marked} === 0`)
  })

  test('keys of the inbox walk, open, send back, act on the focused card, and are switched off', async () => {
    for (const title of ['Key one', 'Key two'])
      await service.event({ title, ...onDay('2031-03-01', '10:00', '11:00'), status: 'pending' })
    const tab = await open('/desk/inbox')
    await untilShown(tab, "document.querySelector('details.keys:not([hidden])')")
    const focused = () => tab.evaluate<string>('document.activeElement.textContent')
    await tab.key('a')
    equal(await tab.evaluate('location.search'), '')
    await tab.key('j')
    const first = await focused()
    await tab.key('j')
    notEqual(await focused(), first)
    await tab.key('k')
    equal(await focused(), first)
    await tab.key('r')
    equal(await tab.evaluate('document.activeElement.tagName'), 'TEXTAREA')
    await tab.evaluate(
      "document.querySelector('.keys').open = true; document.querySelector('.keys " +
        "input').click(); document.querySelector('.inbox a.title').focus()",
    )
    await tab.key('j')
    equal(await focused(), first)
    await tab.evaluate(
      "document.querySelector('.keys input').click(); document.querySelector('.inbox a.title').focus()",
    )
    await tab.key('e')
    await untilShown(tab, "document.querySelector('.event-form')")
  })

  test('rows are chosen by the keyboard, the bar counts them, and one click undoes all', async () => {
    const tab = await open('/desk/events')
    equal(await tab.evaluate(`document.querySelector('.bulk').hidden`), true)
    await tab.evaluate(`document.querySelectorAll('tbody input[type=checkbox]')[0].focus()`)
    await tab.key(' ')
    await tab.evaluate(`document.querySelectorAll('tbody input[type=checkbox]')[2].click()`)
    await untilShown(tab, `document.querySelector('.bulk p').textContent === '2 chosen'`)
    await tab.evaluate(`document.querySelector('.bulk [value=trash]').focus()`)
    await tab.key('Enter')
    await untilShown(tab, `document.querySelector('h1').textContent.startsWith('Move 2 events')`)
    await tab.evaluate(`document.querySelector('.confirm .button.bad').focus()`)
    await tab.key('Enter')
    await untilShown(tab, `document.querySelector('h1').textContent === '2 events changed'`)
    equal((await service.get(`/events/${ids[0]}`, 'admin')).body.status, 'trash')
    await tab.evaluate(`document.querySelector('[action$="/events/undo"] button').focus()`)
    await tab.key('Enter')
    await untilShown(tab, `document.querySelector('h1').textContent === 'Undone for 2 events'`)
    equal((await service.get(`/events/${ids[0]}`)).body.status, 'publish')
  })

  test('a series is one row, its tick means all of its dates and says so, and a link opens it', async () => {
    const recurrence = 'RRULE:FREQ=WEEKLY;COUNT=8'
    const { id } = await service.event({ title: 'Choir', ...onDay(later(3), '18:00', '19:00'), recurrence })
    for (const { width, scripts } of [
      { width: 1280, scripts: true },
      { width: 360, scripts: false },
    ]) {
      const tab = await open('/desk/events', { width, scripts })
      const row = `[...document.querySelectorAll('tr')].find((tr) => tr.textContent.includes('Choir'))`
      const isSaid = `getComputedStyle(${row}.querySelector('.ticked')).display !== 'none'`
      equal(await tab.evaluate(isSaid), false)
      await tab.evaluate(`${row}.querySelector('.pick input').click()`)
      equal(await tab.evaluate(isSaid), true)
      match(await tab.evaluate(`${row}.querySelector('.ticked').textContent`), /^8 dates chosen$/)
      if (scripts) equal(await tab.evaluate(`document.querySelector('.bulk p').textContent`), '8 chosen')
      await tab.evaluate(`${row}.querySelector('a.dates').click()`)
      await untilShown(tab, `location.search.includes('series=') && document.readyState === 'complete'`)
      equal(await tab.evaluate(`document.querySelectorAll('.events .pick').length`), 8)
    }
    await service.remove(`/events/${id}?recurrence_scope=all`)
  })

  /** As a person clicks: what is in sight of a page that has loaded. */
  async function click(tab: ChromiumTab, selector: string): Promise<void> {
    await untilShown(tab, `document.querySelector(${JSON.stringify(selector)})`)
    await tab.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`)
  }

  const objectionsIn = (tab: ChromiumTab) => tab.evaluate<string[]>(axeScript('target-size'))

  test('a season of forty gets one picture from the library by four clicks and a search', async () => {
    for (let i = 0; i < 40; i++)
      await service.event({ title: `Season ${i}`, ...onDay(later(100 + i), '20:00', '22:00') })
    const picture = await uploadPicture(service, 60, 40)
    const media = `~/wp-json/wp/v2/media/${picture}`
    await service.put(media, { alt_text: 'The curtain of the season' })
    const tab = await open('/desk/events?search=season')
    await click(tab, 'thead input[type=checkbox]')
    await click(tab, '.bulk [value=picture]')
    await untilShown(tab, `document.querySelector('h1').textContent === 'Set the picture of 40 events'`)
    deepEqual(await objectionsIn(tab), [])
    await tab.evaluate(`document.querySelector('[data-library]').focus()`)
    await tab.send('Input.insertText', { text: 'curtain' })
    await untilShown(tab, `document.querySelectorAll('.library img').length === 1`)
    await click(tab, `.library input[value="${picture}"]`)
    await click(tab, '.confirm .button.main')
    await untilShown(tab, `document.querySelector('h1').textContent === '40 events changed'`)
    const { body } = await service.get('/events?search=season&per_page=50')
    deepEqual([...new Set(body.events.map((one: { image: { id: number } }) => one.image.id))], [picture])
  })

  test('pictures are sent one after the other as they are dropped, and what is none is told', async () => {
    const tab = await open('/desk/pictures')
    const png = (await drawPng(8, 8, '#0b6e5f')).toString('base64')
    await untilShown(tab, `document.querySelector('.dropped:not([hidden])')`)
    await tab.evaluate(`(() => {
      const bytes = Uint8Array.from(atob('${png}'), (sign) => sign.charCodeAt(0))
      const data = new DataTransfer()
      const pictures = ['one.png', 'two.png'].map((name) => new File([bytes], name, { type: 'image/png' }))
      for (const file of pictures) data.items.add(file)
      data.items.add(new File(['none'], 'none.png', { type: 'image/png' }))
      document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    })()`)
    await untilShown(tab, `document.querySelector('.sending .error')`)
    const names = await tab.evaluate<string[]>(
      `[...document.querySelectorAll('.pictures .name')].slice(0, 2).map((one) => one.textContent)`,
    )
    deepEqual(names, ['two', 'one'])
    match(await tab.evaluate<string>(`document.querySelector('.sending').textContent`), /none\.png/)
    deepEqual(await objectionsIn(tab), [])
  })

  test('the bar never covers the last row, on a screen of a desk and on that of a phone', async () => {
    for (const [width, height] of [
      [1280, 500],
      [390, 700],
    ] as const) {
      const tab = await open('/desk/events', { width, height })
      await tab.evaluate(`document.querySelector('tbody input[type=checkbox]').click()`)
      await tab.evaluate(`scrollTo(0, document.documentElement.scrollHeight)`)
      const [row, bar] = await tab.evaluate<[number, number]>(
        "[[...document.querySelectorAll('tbody tr')].at(-1).getBoundingClientRect().bottom, " +
          "document.querySelector('.bulk').getBoundingClientRect().top]",
      )
      ok(row <= bar, `the last row ends at ${row}, the bar begins at ${bar}, ${width} wide`)
    }
  })

  test('without a script everything is there: the bar, the filters, the search and the line', async () => {
    const tab = await open('/desk/events', { scripts: false })
    equal(await tab.evaluate(`getComputedStyle(document.querySelector('.bulk')).display`), 'flex')
    await tab.evaluate(
      `document.querySelectorAll('tbody input[type=checkbox]')[1].click(); ` +
        `document.querySelector('.bulk [value=move]').click()`,
    )
    await untilShown(tab, `document.querySelector('#days')`)
    await tab.evaluate(`days.value = '1'; document.querySelector('.confirm .button.main').click()`)
    await untilShown(tab, `document.querySelector('[action$="/events/undo"]')`)
    equal((await service.get(`/events/${ids[1]}`)).body.start_date, `${later(4)} 19:00:00`)
    await tab.evaluate(`everything.value = 'juliet'; everything.form.requestSubmit()`)
    await untilShown(tab, `location.pathname === '/desk/events/${ids[9]}'`)
  })

  test('on a phone the actions of a row open from a menu of a size for fingers', async () => {
    const tab = await open('/desk/events', { width: 390, height: 844 })
    const [width, height] = await tab.evaluate<[number, number]>(
      `(({ width, height }) => [width, height])(document.querySelector('.menu ` +
        `summary').getBoundingClientRect())`,
    )
    ok(width >= 44 && height >= 44, `${width} × ${height}`)
    await tab.evaluate(`document.querySelector('.menu summary').click()`)
    await untilShown(tab, `document.querySelector('.menu[open] a').getBoundingClientRect().height >= 44`)
    const [inner, outer] = await tab.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    )
    ok(inner <= outer, `${inner} wide in ${outer}`)
  })
})
