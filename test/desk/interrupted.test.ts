// The desk when answers, the end of a press or the save of a form come late, twice or never.
import { doesNotMatch, equal, match } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { untilShown } from '../support/browsers.ts'
import { type ChromiumTab, noChromium, startChromiumHere } from '../support/chromium.ts'
import { answered, openTab, type, untilAnswered, untilMet, untilSettled } from '../support/interruptions.ts'
import { onDay, type Reader, serviceForTests } from '../support/service.ts'

const long = { skip: process.env.PAGES_CHECK === 'all' ? false : '`npm run pages:check` does it' }

interface Point {
  x: number
  y: number
}

const NAMES = '.names:not([hidden]) li'
const KEPT = "document.querySelector('.kept').textContent"
const XSS = '&lt;img src=x onerror=window.taken=1&gt; Hall'

const focus = (tab: ChromiumTab, id: string) => tab.evaluate(`document.getElementById('${id}').focus()`)
const textIn = (tab: ChromiumTab, id: string) =>
  tab.evaluate<string>(`document.getElementById('${id}').value`)
const typeIn = async (tab: ChromiumTab, id: string, text: string) => {
  await focus(tab, id)
  await type(tab, text)
}
const untilNamed = (tab: ChromiumTab, count: number) =>
  untilShown(tab, `document.querySelectorAll('${NAMES}').length === ${count}`)
const keepForm = (tab: ChromiumTab) =>
  tab.evaluate(
    `document.querySelector('.event-form').addEventListener('submit', (event) => event.preventDefault())`,
  )
const leave = async (tab: ChromiumTab) => {
  await tab.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
  await untilAnswered(tab)
}
const slowDown = (tab: ChromiumTab) =>
  tab.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
const pointIn = (tab: ChromiumTab, selector: string, x: string, y: string) =>
  tab.evaluate<Point>(
    '(() => { const { left, top, bottom, width, height } = ' +
      `document.querySelector('${selector}').getBoundingClientRect(); return { x: ${x}, y: ${y} } })()`,
  )
const entryOf = (tab: ChromiumTab, id: number) =>
  pointIn(tab, `[data-id="${id}"] a`, 'left + 20', 'top + height / 2')
const dayAt = (tab: ChromiumTab, day: string, y: number | 'bottom - 5' = 'bottom - 5') =>
  pointIn(tab, `td[data-day="${day}"]`, 'left + width / 2', String(y))
const drag = async (tab: ChromiumTab, from: Point, to: Point) => {
  await tab.mouse('move', from.x, from.y)
  await tab.mouse('down', from.x, from.y)
  await tab.mouse('move', (from.x + to.x) / 2, (from.y + to.y) / 2)
  await tab.mouse('move', to.x, to.y)
  await tab.mouse('up', to.x, to.y)
  await untilSettled(tab)
}

describe('at the desk', noChromium, () => {
  const service = serviceForTests({ timezone: 'Europe/Oslo' })
  const browser = startChromiumHere()
  const times = { ...onDay('2027-06-09', '19:00:00', '21:30:00'), timezone: 'Europe/Oslo' }
  before(async () => {
    await service.create('/venues', { venue: 'The Blue Kettle', city: 'Kilvara' })
    await service.create('/venues', { venue: 'The Black Cat', city: 'Kilvara' })
  })
  const made = async (title: string, more = {}) => (await service.event({ title, ...times, ...more })).id
  const open = async (path: string, login: Reader = 'editor') => {
    const tab = await openTab(browser, service, `/desk/${path}`, login)
    await untilSettled(tab)
    return tab
  }
  const form = async (id: number | string) => {
    const tab = await open(`events/${id}`)
    await untilShown(tab, "document.querySelector('.event-form.alive')")
    return tab
  }
  const unsavedOf = async (id: number) => {
    const tab = await open(`events/${id}?unsaved`)
    return `${await textIn(tab, 'title')}|${await textIn(tab, 'venue_name')}`
  }
  const startOf = async (id: number) => (await service.get(`/events/${id}`)).body.start_date

  for (const key of ['Tab', 'Enter'])
    test(
      `${key} after typing on does not take the name that was marked before`,
      key === 'Tab' ? {} : long,
      async () => {
        const tab = await form(await made(`Choir ${key}`))
        await typeIn(tab, 'venue_name', 'The Bl')
        await untilNamed(tab, 3)
        await tab.key('ArrowDown')
        await tab.evaluate(answered('/names', { ms: 600 }))
        await keepForm(tab)
        await type(tab, 'ue Moon Café')
        await tab.key(key)
        equal(await textIn(tab, 'venue_name'), 'The Blue Moon Café')
      },
    )

  test('the marked option is not named any longer once the list has been replaced', long, async () => {
    const tab = await form(await made('Choir 1b'))
    await typeIn(tab, 'venue_name', 'The Bl')
    await untilNamed(tab, 3)
    await tab.key('ArrowDown')
    await type(tab, 'a')
    await untilNamed(tab, 2)
    const active = "document.getElementById('venue_name').getAttribute('aria-activedescendant')"
    equal(await tab.evaluate(active), null)
  })

  test('Enter that ends a composition takes no name', long, async () => {
    const tab = await form(await made('Choir 3'))
    await typeIn(tab, 'venue_name', 'The Bl')
    await untilShown(tab, `document.querySelector('${NAMES}')`)
    // On a real keyboard, the composition takes this Enter and the form is not sent.
    await keepForm(tab)
    await tab.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 })
    await tab.key('ArrowDown')
    await tab.key('Enter')
    equal(await textIn(tab, 'venue_name'), 'The Blに')
  })

  for (const [what, answer] of [
    ['what could not be kept is tried again, and is not said to be kept', { status: 503 }],
    ['what is on its way to be kept is kept though the tab is closed', { ms: 60_000 }],
  ] as const)
    test(what, long, async () => {
      const id = await made('Choir 4')
      const tab = await form(id)
      await tab.evaluate(answered('/unsaved', answer))
      await typeIn(tab, 'title', 'On its way ')
      await untilMet(tab)
      await tab.evaluate('window.fetch = before')
      await leave(tab)
      match(await unsavedOf(id), /On its way/)
    })

  test('the last words are kept when the tab is closed just after a keep', async () => {
    const id = await made('Choir 5')
    const tab = await form(id)
    await typeIn(tab, 'title', 'First ')
    await untilShown(tab, `${KEPT} !== ''`)
    await type(tab, 'Second ')
    await leave(tab)
    match(await unsavedOf(id), /First Second/)
  })

  test('what is typed is kept at once when the page goes to the background', async () => {
    const id = await made('Choir 5c')
    const tab = await form(id)
    await typeIn(tab, 'title', 'Behind ')
    await tab.evaluate(
      "Object.defineProperty(document, 'visibilityState', { value: " +
        "'hidden' }); document.dispatchEvent(new Event('visibilitychange'))",
    )
    await untilAnswered(tab)
    match(await unsavedOf(id), /Behind/)
    match(await tab.evaluate<string>(KEPT), /Kept/)
  })

  test('whoever stops a save goes on being warned and kept', long, async () => {
    const id = await made('Choir 6')
    const tab = await form(id)
    await typeIn(tab, 'title', 'Stopped ')
    // `stop` cancels the request, as Escape does while a page loads.
    await tab.evaluate("document.querySelector('.event-form').requestSubmit(); window.stop()")
    await untilAnswered(tab)
    equal(await textIn(tab, 'title'), 'Stopped Choir 6')
    await type(tab, 'more ')
    const warns = await tab.evaluate(
      "(() => { const leaving = new Event('beforeunload', { cancelable: " +
        'true }); dispatchEvent(leaving); return leaving.defaultPrevented })()',
    )
    equal(warns, true, 'warns')
    // If a tab of another test has just kept its text, this one waits five seconds more.
    await untilShown(tab, `${KEPT} !== ''`)
    match(await unsavedOf(id), /more/)
  })

  for (const [how, late] of [
    ['503', { status: 503 }],
    ['late', { ms: 900 }],
  ] as const)
    test(`the end moves with the start though an answer was ${how}`, long, async () => {
      const tab = await form(await made('Choir 7'))
      await untilShown(tab, "document.getElementById('when-words').textContent.includes('2 hours')")
      await focus(tab, 'start_time')
      await tab.evaluate("document.getElementById('start_time').select()")
      await tab.evaluate(answered('/words', late))
      await type(tab, '20:15')
      await tab.key('Tab')
      await untilMet(tab)
      if (how === '503') await tab.evaluate('window.fetch = before')
      await typeIn(tab, 'title', 'x')
      await untilShown(tab, "document.getElementById('end_time').value === '22:45'")
    })

  test('a name that was picked is kept', long, async () => {
    const id = await made('Choir 9')
    const tab = await form(id)
    await typeIn(tab, 'venue_name', 'The Blu')
    await untilShown(tab, `document.querySelector('${NAMES}')`)
    await untilShown(tab, `${KEPT} !== ''`)
    await tab.key('ArrowDown')
    await tab.key('Enter')
    await untilSettled(tab)
    match(await unsavedOf(id), /The Blue Kettle/)
  })

  for (const how of [{ ms: 700 }, { status: 503 }])
    test(`Enter searches for what is typed, not an earlier hit ${JSON.stringify(how)}`, long, async () => {
      await made('Alpha night')
      const tab = await open('')
      await typeIn(tab, 'everything', 'Alpha')
      await untilShown(tab, "document.querySelector('#everything-found:not([hidden]) li')")
      await tab.key('ArrowDown')
      await tab.evaluate(answered('as-typed', how))
      await type(tab, 'bet soup')
      if (how.status) await untilMet(tab)
      await tab.key('Enter')
      await untilShown(tab, "location.href.includes('search=Alphabet')")
    })

  test('the editor of a description takes no focus from where somebody went meanwhile', long, async () => {
    const tab = await form(await made('Choir 8', { description: '<p>Text</p>' }))
    await slowDown(tab)
    await focus(tab, 'description')
    await typeIn(tab, 'venue_name', 'The ')
    await untilShown(tab, "document.querySelector('.rich-frame .text')")
    await untilAnswered(tab)
    await type(tab, 'Blue')
    equal(await textIn(tab, 'venue_name'), 'The Blue')
  })

  test('a press whose end the page never saw moves nothing', long, async () => {
    const id = await made('Choir 10', onDay('2027-07-06', '19:00:00', '20:00:00'))
    const tab = await open('month/2027-07')
    const [from, to] = [await entryOf(tab, id), await dayAt(tab, '2027-07-15')]
    await tab.mouse('move', from.x, from.y)
    // On a Mac, a press with Control opens a menu, and the menu gets the end of the press.
    await tab.evaluate(
      `document.querySelector('[data-id="${id}"]').dispatchEvent(new PointerEvent('pointerdown', ` +
        '{ bubbles: true, button: 0, buttons: 1, ctrlKey: true, ' +
        `clientX: ${from.x}, clientY: ${from.y}, pointerType: 'mouse' }))`,
    )
    await tab.mouse('move', to.x - 20, to.y)
    await tab.mouse('move', to.x, to.y)
    const dragged = await tab.evaluate("document.querySelectorAll('.dragged').length")
    equal(dragged, 0, 'is dragged without a button')
    await tab.mouse('down', to.x, to.y)
    await tab.mouse('up', to.x, to.y)
    await untilSettled(tab)
    equal(await startOf(id), '2027-07-06 19:00:00')
  })

  test('Escape ends a drag, and letting go opens nothing', long, async () => {
    const id = await made('Choir 10b', onDay('2027-08-06', '19:00:00', '20:00:00'))
    const tab = await open('month/2027-08')
    const { x, y } = await entryOf(tab, id)
    await tab.mouse('move', x, y)
    await tab.mouse('down', x, y)
    await tab.mouse('move', x + 12, y)
    equal(await tab.evaluate("document.querySelectorAll('.dragged').length"), 1)
    await tab.key('Escape')
    await tab.mouse('up', x + 12, y)
    await untilSettled(tab)
    equal(await tab.evaluate('location.pathname'), '/desk/month/2027-08')
  })

  for (const how of ['held key', 'double press'])
    test(`publishing by a ${how} says that it is published`, how === 'double press' ? {} : long, async () => {
      await service.event({ title: `Pending ${how}`, ...times, status: 'pending' }, 'contributor')
      const tab = await open('inbox')
      await untilShown(tab, "document.querySelector('details.keys:not([hidden])')")
      await tab.evaluate("document.querySelector('.inbox > li.card a.title').focus()")
      const key = { type: 'keyDown', key: 'a', text: 'a', windowsVirtualKeyCode: 65 }
      if (how === 'held key')
        for (let i = 0; i < 6; i++) await tab.send('Input.dispatchKeyEvent', { ...key, autoRepeat: i > 0 })
      else
        await tab.evaluate(
          '(() => { const form = document.querySelector(\'form[action$="/publish"]\'); ' +
            'form.requestSubmit(); setTimeout(() => form.requestSubmit(), 8) })()',
        )
      await untilShown(tab, "document.querySelector('main').innerText.includes('Published')")
      await untilSettled(tab)
      const text = await tab.evaluate<string>("document.querySelector('main').innerText")
      match(text, /Published/, (await tab.evaluate<string>('location.href')) + text.slice(0, 400))
      doesNotMatch(text, /faster/)
    })

  test('the picture that is shown is the one that was chosen last', long, async () => {
    const tab = await form('new')
    const shown = await tab.evaluate<string>(`(async () => {
    const input = document.getElementById('picture-file')
    const choose = (file) => {
      const data = new DataTransfer()
      data.items.add(file)
      input.files = data.files
      input.dispatchEvent(new Event('change', { bubbles: true }))
    }
    const large = new File([new Uint8Array(40_000_000)], 'large.png', { type: 'image/png' })
    choose(large)
    choose(new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'small.svg', { type: 'image/svg+xml' }))
    // The page has begun to read it before this.
    await new Promise((done) => Object.assign(new FileReader(), { onload: done }).readAsDataURL(large))
    while (!document.querySelector('#picture-shown img')?.src) await new Promise(requestAnimationFrame)
    return document.querySelector('#picture-shown img').src.slice(0, 20)
  })()`)
    match(shown, /svg/)
  })

  test('trying a look out adds nothing to the way back', long, async () => {
    const tab = await open('look', 'admin')
    const before = await tab.evaluate<number>('history.length')
    const input = "document.querySelector('form[data-look] input[type=text], form[data-look] textarea')"
    for (const text of ['a', 'b', 'c']) {
      await tab.evaluate(`${input}.focus()`)
      await type(tab, text)
      await untilSettled(tab)
    }
    equal(await tab.evaluate<number>('history.length'), before)
  })

  test('Escape closes the names, not the filters around them', long, async () => {
    await service.create('/organizers', { organizer: 'The Band' })
    const tab = await open('events')
    const field = "document.querySelector('.tools [data-names]')"
    await tab.evaluate(`${field}.closest('details')?.setAttribute('open', '')`)
    await tab.evaluate(`${field}.focus()`)
    // Its script is loaded when the field has the focus.
    await untilShown(tab, `${field}.getAttribute('role') === 'combobox'`)
    await type(tab, 'The')
    await untilShown(tab, `document.querySelector('${NAMES}')`)
    await tab.key('Escape')
    equal(await tab.evaluate("document.activeElement.matches('[data-names]')"), true)
  })

  test('names are never read as markup at the desk', long, async () => {
    await service.create('/venues', { venue: XSS })
    await made('&lt;img src=x onerror=window.taken=1> Hall', {
      venue: { venue: XSS.replaceAll('&lt;', '<') },
    })
    const tab = await form(await made(XSS, { venue: { venue: XSS } }))
    const taken = "window.taken ?? document.querySelectorAll('img[src=x]').length"
    await focus(tab, 'venue_name')
    await tab.evaluate("document.getElementById('venue_name').select()")
    await type(tab, '<img')
    await untilSettled(tab)
    equal(await tab.evaluate(taken), 0)
    await typeIn(tab, 'title', '<img src=x onerror=window.taken=1> Hall')
    await untilSettled(tab)
    equal(await tab.evaluate(taken), 0)
  })

  test('a bar that is dragged by its fourth day to the next moves by one day', async () => {
    // 5 July 2027 is a Monday.
    const id = await made('Festival', { start_date: '2027-07-05 10:00:00', end_date: '2027-07-09 12:00:00' })
    const tab = await open('month/2027-07')
    const { y } = await pointIn(tab, `[data-id="${id}"]`, 'left', 'top + height / 2')
    await drag(tab, await dayAt(tab, '2027-07-08', y), await dayAt(tab, '2027-07-09'))
    equal(await startOf(id), '2027-07-06 10:00:00')
  })

  test('a text that is too large to keep is said not to be kept', long, async () => {
    const tab = await form(await made('Choir 16'))
    await tab.evaluate(
      `(() => { const area = document.getElementById('excerpt'); area.value = ` +
        `'x'.repeat(210000); area.dispatchEvent(new Event('input', { bubbles: true })) })()`,
    )
    await untilShown(tab, `${KEPT}.includes('Too long to be kept')`)
  })

  test('an event that is dropped on a bar moves to that day, not the first of the bar', long, async () => {
    const bar = await made('Fair', { start_date: '2027-09-06 10:00:00', end_date: '2027-09-10 12:00:00' })
    const id = await made('Talk', onDay('2027-09-15', '10:00:00', '12:00:00'))
    const tab = await open('month/2027-09')
    const { y } = await pointIn(tab, `[data-id="${bar}"]`, 'left', 'top + height / 2')
    await drag(tab, await entryOf(tab, id), await dayAt(tab, '2027-09-09', y))
    equal(await startOf(id), '2027-09-09 10:00:00')
  })
})
