// The layout of pages in Chromium, where installed: on narrow screens, in the first window and on paper.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Tab } from '../support/browsers.ts'
import { noChromium, startChromiumHere } from '../support/chromium.ts'
import { onDay, serviceForTests } from '../support/service.ts'

const NEXT_YEAR = 2027

describe('the layout of pages', noChromium, () => {
  const service = serviceForTests({ language: 'de', timezone: 'Europe/Berlin', site_name: 'Kilvara' })
  const browser = startChromiumHere()
  let tab: Tab
  let today: string

  const see = <Seen>(expression: string) => tab.evaluate<Seen>(expression)
  const goTo = (path: string) => tab.goTo(service.origin + path)

  before(async () => {
    today = new Date().toLocaleDateString('sv', { timeZone: 'Europe/Berlin' })
    const [day, quiet] = [`${NEXT_YEAR}-05-03`, `${NEXT_YEAR}-05-04`]
    const times = onDay(day, '18:00', '20:00')
    const categories: number[] = []
    for (let i = 10; i < 25; i++)
      categories.push((await service.create('/categories', { name: `Kategorie ${i}` })).id)
    await service.event({
      title: 'Ganzer Tag',
      all_day: true,
      start_date: quiet,
      end_date: quiet,
      categories,
    })
    for (let i = 0; i < 15; i++) await service.event({ title: `Menge ${i}`, ...times })
    await service.event({ title: 'Heute', ...onDay(today, '10:00', '11:00') })
    tab = await browser.open()
  })

  test('a month on a phone has the way to the rest of a day on one line, and words whole', async () => {
    for (const width of [320, 360, 390]) {
      await tab.look({ width })
      await goTo(`/events/month/${NEXT_YEAR}-05/?lang=de`)
      const rest = await see<number>("document.querySelector('.brief .quiet').getBoundingClientRect().height")
      ok(rest > 20 && rest <= 48, `the way to the rest is ${rest} high at ${width}`)
      const lines = await see<[string, number][]>(
        "[...document.querySelectorAll('.brief .when')].map((when) " +
          '=> [when.textContent, when.getBoundingClientRect().height])',
      )
      ok(lines.some(([text]) => text === 'Ganztägig'))
      for (const [text, height] of lines) ok(height < 30, `${text} is ${height} high at ${width}`)
    }
  })

  test('the way to the rest of a day covers nothing of a month', async () => {
    await tab.look({ width: 1280 })
    await goTo(`/events/month/${NEXT_YEAR}-05/`)
    const covered = await see<boolean>(`(() => {
      const rest = document.querySelector('.month .rest')
      const { position, boxShadow, backgroundColor } = getComputedStyle(rest)
      const before = rest.previousElementSibling.getBoundingClientRect().bottom
      return position !== 'static' || boxShadow !== 'none' || backgroundColor !== 'rgba(0, 0, 0, 0)' ||
        before > rest.getBoundingClientRect().top + 1
    })()`)
    equal(covered, false)
  })

  test('the categories end where the page ends', async () => {
    await tab.look({ width: 1280 })
    await goTo('/events/')
    const [pill, views] = await see<[number, number]>(
      "['.finding .rest > summary', '.views'].map((part) => " +
        'document.querySelector(part).getBoundingClientRect().right)',
    )
    ok(pill <= views + 1, `${pill} and ${views}`)
  })

  test('a found event has its day and its hours apart on a phone', async () => {
    await tab.look({ width: 360 })
    await goTo('/events/?search=ganzer')
    const text = await see<string>("document.querySelector('.dated .time').innerText")
    match(text, /\d{4}\s+All day/)
  })

  test('the chosen category is in view on a phone', async () => {
    await tab.look({ width: 360 })
    for (const path of ['/events/category/kategorie-20/', '/events/?categories=kategorie-20']) {
      await goTo(path)
      const [start, end] = await see<[number, number]>(
        '(({ left, right }) => [left, ' +
          "right])(document.querySelector('.pill[aria-current]').getBoundingClientRect())",
      )
      ok(start >= 0 && end <= 360, `${path}: ${start} to ${end}`)
    }
  })

  test('the corner of the look is that of buttons, too', async () => {
    await tab.look({ width: 1280 })
    await goTo('/events/')
    const corners = () =>
      see<string[]>(
        "['.button', '.pill', '.views'].map((part) => " +
          'getComputedStyle(document.querySelector(part)).borderRadius)',
      )
    ok((await corners()).every((corner) => Number.parseFloat(corner) >= 20))
    await see("document.documentElement.style.setProperty('--radius', '0px')")
    deepEqual(await corners(), ['0px', '0px', '0px'])
  })

  test('the ring around what has the focus in a month is not cut off', async () => {
    await goTo(`/events/month/${NEXT_YEAR}-05/?lang=de`)
    const cut = await see<string[]>(`[...document.querySelectorAll('.month a')].flatMap((part) => {
      part.focus({ focusVisible: true })
      const { outlineWidth, outlineOffset } = getComputedStyle(part)
      const reach = parseFloat(outlineWidth) + parseFloat(outlineOffset)
      const own = part.getBoundingClientRect()
      for (let box = part.parentElement; box && box !== document.body; box = box.parentElement) {
        if (getComputedStyle(box).overflow === 'visible') continue
        const { left, right, top, bottom } = box.getBoundingClientRect()
        if (own.left - reach < left || own.right + reach > right || own.top - reach < top ||
          own.bottom + reach > bottom)
          return [part.outerHTML.slice(0, 80)]
      }
      const next = part.closest('li')?.nextElementSibling?.getBoundingClientRect()
      return next && own.bottom + reach > next.top + 1 && getComputedStyle(part).outlineStyle === 'auto' ?
        ['next'] : []
    })`)
    deepEqual(cut.slice(0, 3), [])
  })

  test('the number of today is on paper', async (t) => {
    if (!tab.showPrinted) return t.skip('this browser cannot be told to')
    await goTo('/events/month/')
    await tab.showPrinted(true)
    const [ink, ground] = await see<[string, string]>(
      '(({ color, backgroundColor }) => [color, ' +
        "backgroundColor])(getComputedStyle(document.querySelector('.month .today time')))",
    )
    await tab.showPrinted(false)
    deepEqual([ink, ground], ['rgb(0, 0, 0)', 'rgba(0, 0, 0, 0)'])
  })
})
