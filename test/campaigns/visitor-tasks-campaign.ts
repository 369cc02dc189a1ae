import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mock } from 'node:test'
import { untilShown } from '../support/browsers.ts'
import { type Chromium, type ChromiumTab, startChromium } from '../support/chromium.ts'
import { uploadPicture } from '../support/pictures.ts'
import { memoryFilled, onDay, startService, type TestService } from '../support/service.ts'
import { type Hands, runTask, type Task, type TaskFigures } from './task-runner.ts'

// What a visitor does from the front page of a full calendar, on a phone.

const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1280, height: 900 }

/** A Friday, so that the weekend and the next month lie ahead. */
const NOW = Date.parse('2027-05-14T14:00:00Z')
const DAYS = 30
const EACH_DAY = 10

export async function runVisitorTasks(
  words: readonly string[] = [],
  progress: (figures: TaskFigures) => void = () => undefined,
): Promise<TaskFigures[]> {
  await using browser: Chromium = await startChromium()
  const tab = await browser.open()
  const done: TaskFigures[] = []
  mock.timers.enable({ apis: ['Date'], now: NOW })
  try {
    await using full = await startService({ timezone: 'Europe/Dublin', site_name: 'Lindhaven' })
    await fillMonth(full)
    await memoryFilled(full)
    for (const task of visitorTasks(full, tab)) {
      if (words.length > 0 && !words.some((word) => task.name.includes(word))) continue
      const figures = await runTask(task, tab)
      done.push(figures)
      progress(figures)
    }
  } finally {
    mock.timers.reset()
  }
  return done
}

async function fillMonth(service: TestService): Promise<void> {
  const place = { geo_lat: 53.27, geo_lng: -9.05, step_free: 'yes', city: 'Lindhaven' }
  const hall = await service.create('/venues', { venue: 'Town hall', address: 'Main Street 1', ...place })
  for (const name of ['Concerts', 'Families', 'Markets', 'Sports', 'Talks'])
    await service.create('/categories', { name })
  const { id: barn } = await service.create('/venues', { venue: 'Barn', geo_lat: 50, geo_lng: -9.05 })
  const free = { cost: '0', categories: ['families'], venue: barn }
  const at = onDay('2027-05-15', '18:30:00', '18:59:00')
  await service.event({ title: 'Far away', ...at, ...free })
  await service.event({ title: 'Puppets', ...at, ...free, venue: hall.id })
  await service.event({ title: 'Barn dance', ...onDay('2027-06-10', '19:00', '20:00'), ...free })
  const image = await uploadPicture(service, 900, 600)
  const kinds = ['concerts', 'families', 'markets', 'sports', 'talks']
  for (let at = 0; at < DAYS * EACH_DAY; at++) {
    const day = new Date(NOW + Math.floor(at / EACH_DAY) * 86_400_000).toISOString().slice(0, 10)
    const hour = String(10 + (at % EACH_DAY)).padStart(2, '0')
    await service.event({
      title: `${kinds[at % 5]} ${day} ${hour}`,
      start_date: `${day} ${hour}:30:00`,
      end_date: `${day} ${hour}:59:00`,
      categories: [kinds[at % 5]],
      venue: hall.id,
      cost: at % 3 === 0 ? '0' : '12',
      ...(at % 50 === 49 && { featured: true, image }),
      ...(at === 12 && { event_status: 'canceled', event_status_reason: 'The hall is flooded.' }),
    })
  }
}

const isInFirstScreen = (selector: string) => `(() => {
  scrollTo({ top: 0, behavior: 'instant' })
  const { bottom, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()
  return height > 0 && bottom <= innerHeight
})()`

function visitorTasks({ origin }: TestService, tab: ChromiumTab): Task[] {
  const open = () => tab.goTo(`${origin}/events/`)
  /** Presses a link that changes the page in place, or opens another one. */
  const changes = async (deed: () => Promise<void>) => {
    const before = await tab.evaluate<string>('location.href')
    await deed()
    const isThere =
      `location.href !== ${JSON.stringify(before)} && document.readyState ` +
      `=== 'complete' && !document.querySelector('[aria-busy]')`
    await untilShown(tab, isThere)
  }
  const follow = ({ press }: Hands, selector: string) => changes(() => press(selector))
  const pressPill = async (hands: Hands, part: string) => {
    const selector = `.pill[href*="${part}"]`
    ok(await tab.evaluate<boolean>(isInFirstScreen(selector)), `${part} is further down`)
    await follow(hands, selector)
  }
  const titles = () =>
    tab.evaluate<string[]>(
      "[...document.querySelectorAll('.row .what a, .entry bdi')].map((one) => one.textContent)",
    )
  const tasks: Task[] = [
    {
      name: 'visitor 1 tonight, with children, free',
      most: { presses: 3, seconds: 4 },
      run: async (hands) => {
        await open()
        for (const part of ['when=tonight', 'category/families', 'free=true']) await pressPill(hands, part)
        const found = await titles()
        ok(found.length > 0, 'nothing is found')
        for (const title of found) match(title, /families 2027-05-14/)
      },
    },
    {
      name: 'visitor 2 all concerts of next month',
      most: { presses: 2, seconds: 3 },
      run: async (hands) => {
        await open()
        await pressPill(hands, 'category/concerts')
        await pressPill(hands, 'month/2027-06')
        match(await hands.text('h1'), /June 2027/)
      },
    },
    {
      name: 'visitor 3 is Saturday’s event canceled',
      most: { presses: 2, seconds: 3 },
      run: async (hands) => {
        await open()
        await pressPill(hands, 'when=weekend')
        match(await hands.text('main'), /Canceled/)
      },
    },
    {
      name: 'visitor 4 how do I get there with a wheelchair',
      most: { presses: 2, seconds: 3 },
      run: async (hands) => {
        const { press, goes, text, see } = hands
        await open()
        await goes(() => press('.soon .what a, .row .what a'))
        await see('a[href*="maps"], a[href*="openstreetmap"], a[href^="geo:"]')
        match(await text('main'), /Step-free/i)
      },
    },
    {
      name: 'visitor 5 send it to a friend',
      most: { presses: 2, seconds: 3 },
      run: async ({ press, goes, see }) => {
        await open()
        await goes(() => press('.soon .what a, .row .what a'))
        await see('[data-copy], [data-share], a[href^="mailto:"]')
        await press('[data-share], [data-copy], a[href^="mailto:"]')
      },
    },
    {
      name: 'visitor 6 subscribe, and copy the address for another program',
      most: { presses: 2, seconds: 3 },
      run: async ({ press, see }) => {
        await open()
        await press('.tools .menu summary')
        await see('.menu[open] a[href^="webcal:"]')
        await press('.menu[open] [data-copy]')
      },
    },
    {
      name: 'visitor 7 the same in German',
      most: { presses: 1, seconds: 2 },
      run: async ({ press, goes }) => {
        await open()
        ok(await tab.evaluate<boolean>(isInFirstScreen('.languages a[lang=de]')))
        await goes(() => press('.languages a[lang=de]'))
        equal(await tab.evaluate('document.documentElement.lang'), 'de')
      },
    },
    {
      name: 'visitor 8 Saturday evening for children, free, near me',
      sight: DESKTOP,
      most: { presses: 5, seconds: 6 },
      run: async (hands) => {
        await tab.send('Browser.grantPermissions', { permissions: ['geolocation'] }).catch(() => undefined)
        const place = { latitude: 53.27123, longitude: -9.05456, accuracy: 9 }
        await tab.send('Emulation.setGeolocationOverride', place)
        await open()
        await follow(hands, '.mini a[href*="2027-05-15"]')
        for (const text of ['Evenings', 'Families', 'Free', 'Near me'])
          await changes(() => hands.pressNamed('.pill', text))
        deepEqual(await titles(), ['Puppets'])
        const { searchParams } = new URL(await tab.evaluate<string>('location.href'))
        deepEqual([searchParams.get('geoloc_lat'), searchParams.get('geoloc_lng')], ['53.27', '-9.05'])
      },
    },
    {
      name: 'visitor 9 what is at a venue next month, once its name is typed',
      sight: DESKTOP,
      most: { presses: 2, seconds: 4 },
      run: async (hands) => {
        await open()
        await tab.evaluate("document.querySelector('[data-suggest]').focus()")
        await untilShown(tab, "document.activeElement.role === 'combobox'")
        await hands.type('Barn')
        await hands.see('.suggestions li')
        await changes(() => hands.press('.suggestions li'))
        await changes(() => hands.press('nav.pills a[href*="2027-06"]'))
        deepEqual(await titles(), ['Barn dance'])
      },
    },
  ]
  return tasks.map((task) => ({ sight: PHONE, ...task }))
}
