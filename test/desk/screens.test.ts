// Checks the screens of the desk in Chromium and Firefox, where installed. `npm run pages:check` checks every
// screen in every sight.

import { deepEqual, equal, ifError, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { prepareGround } from '../../src/app.ts'
import { addSignInLink } from '../../src/calendar/people/desk-passwords.ts'
import { getUserByLogin } from '../../src/calendar/people/users.ts'
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
import { DESK_PASSWORD, giveDeskPassword, sitAtDesk } from '../support/desk.ts'
import { findFirefox, startFirefox } from '../support/firefox.ts'
import { assertNone } from '../support/lists.ts'
import { markupValidator } from '../support/markup.ts'
import { uploadPicture } from '../support/pictures.ts'
import { onDay, serviceForTests, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const isWhole = process.env.PAGES_CHECK === 'all'

const FEW: Sight[] = [{ width: 1280 }, { width: 320, scheme: 'dark' }]
const ALL: Sight[] = [
  ...FEW,
  { width: 1280, scheme: 'dark' },
  { width: 390 },
  { width: 1280, zoom: 2 },
  { width: 1280, forcedColors: true },
  { width: 1280, scripts: false },
]

const SCREENS = [
  '/desk/',
  '/desk/events',
  '/desk/events?search=zzzz',
  '/desk/events?status=past&categories=music&sort=title',
  '/desk/events?status=trash',
  '/desk/search?search=jazz',
  '/desk/search?search=zzzz',
  '/desk/quick?line=Choir+every+tue+19:00-21:00+@+Nowhere+%23music',
  '/desk/events/new',
  '/desk/people',
  '/desk/look',
  '/desk/settings',
  '/desk/people/new',
  '/desk/me',
  '/desk/month',
  '/desk/inbox',
  '/desk/import',
  '/desk/imports',
  '/desk/venues',
  '/desk/venues/new',
  '/desk/venues?status=trash',
  '/desk/organizers',
  '/desk/categories',
  '/desk/categories/new',
  '/desk/tags',
  '/desk/pictures',
  '/desk/pictures?only=unused&search=zzzz',
  '/desk/duplicates?kind=event',
  '/desk/set-up/none',
  '/wp-admin/authorize-application.php?app_name=Pocket%20Calendar&success_url=https://app.example/back',
  '/wp-admin/authorize-application.php?app_name=',
  '/desk/nowhere',
]

const FAILING = ['/desk/nowhere', '/desk/set-up/none', '/wp-admin/authorize-application.php?app_name=']

async function ground(service: TestService): Promise<string[]> {
  await prepareGround({ ...service.config, port: 0 }, ifError, { demo: true })
  const start = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const times = onDay(start, '18:00:00', '20:00:00')
  const odd = { title: `${'W'.repeat(300)} <b>كلمة</b>`, ...times, venue: { venue: 'V'.repeat(300) } }
  const { body } = await service.post('/events', odd)
  await service.post('/events', { title: 'Sent for review', ...times, status: 'pending' }, 'contributor')
  // Parts of the form that have a value are open.
  await service.update(`/events/${body.id}`, { cost: '5', captions: true, sign_language: 'bfi' })
  const picture = await uploadPicture(service, 60, 40)
  await service.create('/venues', { venue: 'The old town hall', city: 'Kilvara' })
  await service.create('/venues', { venue: 'Old Town Hall', city: 'Kilvara' })
  const { database } = service.app
  const editor = await getUserByLogin(database.read, 'editor')
  const token = await database.write((tx) => addSignInLink(tx, editor, Date.now()))
  return [
    `/desk/people/${editor.id}`,
    `/desk/set-up/${token}`,
    `/desk/events/${body.id}`,
    `/desk/events/${body.id}/duplicate`,
    `/desk/events/${body.id}/history`,
    `/desk/venues/${body.venue.id}`,
    `/desk/venues/${body.venue.id}/trash`,
    `/desk/venues/${body.venue.id}/merge`,
    `/desk/pictures/${picture}`,
    `/desk/pictures/${picture}/delete`,
    '/desk/duplicates',
    ...['trash', 'move', 'cancel', 'categories', 'venue', 'picture', 'price', 'featured', 'schedule'].map(
      (action) => `/desk/events/many?do=${action}&ids=${body.id}`,
    ),
    `/desk/month?chosen=${body.id}`,
    `/desk/month?day=${start}`,
  ]
}

/** One calendar for all tests here, since filling it takes long. */
const service = serviceForTests({ timezone: 'Europe/Oslo', site_name: 'Kilvara' }, { fill: prepare })
let screens: string[]
async function prepare(): Promise<void> {
  screens = [...SCREENS, ...(await ground(service))]
  await giveDeskPassword(service, 'admin')
}

const browsers = [
  { name: 'Chromium', program: findChromium(), start: startChromium },
  { name: 'Firefox', program: isWhole ? findFirefox() : undefined, start: startFirefox },
]

for (const { name, program, start } of browsers) {
  const isAsked = program !== undefined && axePath !== undefined
  describe(`the screens of the desk in ${name}`, { skip: isAsked ? false : `${name} is not asked` }, () =>
    lookIn(() => start(program ?? '')),
  )
}

function lookIn(start: () => Promise<Browser>): void {
  let browser: Browser
  let tab: Tab

  before(async () => {
    browser = await start()
    tab = await browser.open()
    await tab.goTo(`${service.origin}/desk/sign-in`)
  })
  after(() => browser?.close())

  const go = async (expression: string) => {
    await tab
      .evaluate(`new Promise((done) => { addEventListener('pagehide', done); ${expression} })`)
      .catch(() => undefined)
    await tab.evaluate(
      `new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))`,
    )
  }
  const objections = async (where: string) => {
    deepEqual(await tab.evaluate<string[]>(axeScript('target-size')), [], where)
    await requireFit(where)
  }
  const requireFit = async (where: string) => {
    const [inner, outer] = await tab.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    )
    ok(inner <= outer, `${where} is ${inner} wide in ${outer}`)
  }

  test('signing in says what is wrong, and then opens the desk', async () => {
    await tab.look({ width: 390 })
    await objections('/desk/sign-in')
    const fill = (password: string) =>
      `document.querySelector('[name=login]').value = 'admin'; ` +
      `document.querySelector('[name=password]').value ` +
      `= ${JSON.stringify(password)}; document.querySelector('main form').requestSubmit()`
    await go(fill('a wrong password'))
    equal(await tab.evaluate('Boolean(document.querySelector("[role=alert]"))'), true)
    await objections('/desk/sign-in after a wrong password')
    await go(fill(DESK_PASSWORD))
    match(await tab.evaluate<string>('location.pathname'), /^\/desk\//)
  })

  for (const [at, sight] of (isWhole ? ALL : FEW).entries())
    test(`please axe, fit the window load nothing foreign: ${JSON.stringify(sight)}`, async () => {
      await tab.look(sight)
      // Firefox starts a new process for each colour scheme, which has no cookies yet.
      await tab.goTo(`${service.origin}/desk/sign-in`)
      await tab.evaluate(`document.cookie = '${(await sitAtDesk(service, 'admin')).cookie}; path=/'`)
      tab.requested.length = 0
      for (const screen of screens) {
        const isForAxe = isWhole || [...firstOfKinds(screens)].indexOf(screen) % FEW.length === at
        if (!isForAxe && at === 0) continue
        tab.complaints.length = 0
        await tab.goTo(service.origin + screen)
        ok(!(await tab.evaluate<string>('location.pathname')).endsWith('/sign-in'), screen)
        if (isForAxe) await objections(screen)
        else await requireFit(screen)
        if (!FAILING.includes(screen)) deepEqual(tab.complaints, [], screen)
      }
      const foreign = tab.requested.filter(
        (address) => !address.startsWith(service.origin) && !address.startsWith('data:'),
      )
      deepEqual(foreign, [])
    })

  test('a form with a fault moves the focus to what is wrong, and axe does not object', async () => {
    await tab.look({ width: 1280 })
    for (const screen of ['/desk/venues/new', '/desk/events/new']) {
      await tab.goTo(service.origin + screen)
      await go(`document.querySelector('form.edit').requestSubmit()`)
      equal(await tab.evaluate('document.activeElement.id'), 'faults', screen)
      await objections(`${screen} with a fault`)
    }
  })

  test('a new password is shown while its button is pressed, and sent hidden', async () => {
    await tab.look({ width: 390 })
    await tab.goTo(`${service.origin}/desk/me`)
    const kinds = await tab.evaluate<string[]>(`(() => {
      const [field, button] = ['#password', '[data-unveils]'].map((one) => document.querySelector(one))
      field.form.addEventListener('submit', (event) => event.preventDefault())
      const send = () => field.form.dispatchEvent(new Event('submit'))
      const presses = [() => undefined, () => button.click(), send]
      return presses.map((press) => { press(); return field.type + ' ' + button.ariaPressed })
    })()`)
    deepEqual(kinds, ['password false', 'text true', 'password false'])
  })

  test('buttons of a form stay in sight on a phone where a language has long words', async () => {
    await tab.look({ width: 390 })
    await tab.goTo(`${service.origin}/desk/events/new`)
    const beyond = await tab.evaluate<string[]>(`[...document.querySelectorAll('.savebar .button')]
      .map((one) => { one.textContent += ' or another'; return one })
      .filter((one) => one.getBoundingClientRect().right > innerWidth)
      .map((one) => one.textContent)`)
    deepEqual(beyond, [])
  })

  test('a yes to a program leads to its address, which the policy of the page allows', async () => {
    await tab.look({ width: 1280 })
    tab.requested.length = 0
    tab.complaints.length = 0
    const asked = new URLSearchParams({
      app_name: 'Pocket Calendar',
      success_url: 'https://127.0.0.1:49151/back',
    })
    await tab.goTo(`${service.origin}/wp-admin/authorize-application.php?${asked}`)
    await tab.evaluate('setTimeout(() => document.querySelector("[value=approve]").click())')
    const isAsked = () =>
      tab.requested.some((address) => address.startsWith('https://127.0.0.1:49151/back?site_url='))
    await until(isAsked, `nothing leads there: ${tab.complaints}`)
    assertNone(tab.complaints, (complaint) => complaint.includes('Content Security Policy'))
  })
}

describe('the markup of the desk', {
  skip: findPackage('html-validate') === undefined ? 'html-validate is not installed' : false,
}, () => {
  test('is valid', async () => {
    const desk = await sitAtDesk(service, 'admin')
    const validate = await markupValidator('switches')
    // The button that saves a draft has the name `status` as well; the last value counts.
    const isMeant = (fault: string) => fault.endsWith('Duplicate form control name "status"')
    for (const screen of screens) {
      const faults = await validate((await desk.get(screen)).body)
      deepEqual(faults.filter((fault) => !isMeant(fault)).slice(0, 5), [], screen)
    }
  })
})
