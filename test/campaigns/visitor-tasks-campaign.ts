import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { prepareGround } from '../../src/app.ts'
import { untilShown } from '../support/browsers.ts'
import { type Chromium, type ChromiumTab, startChromium } from '../support/chromium.ts'
import { uploadPicture } from '../support/pictures.ts'
import { memoryFilled, startService, type TestService } from '../support/service.ts'
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
  const run = async (tasks: readonly Task[]) => {
    for (const task of tasks) {
      if (words.length > 0 && !words.some((word) => task.name.includes(word))) continue
      const figures = await runTask(task, tab)
      done.push(figures)
      progress(figures)
    }
  }
  {
    await using demo = await startService({ timezone: 'Europe/Dublin' })
    await prepareGround({ ...demo.config, port: 0 }, assert.ifError, { demo: true })
    await memoryFilled(demo)
    await run(firstScreens('the demo', demo, tab))
  }
  mock.timers.enable({ apis: ['Date'], now: NOW })
  try {
    await using full = await startService({ timezone: 'Europe/Dublin', site_name: 'Lindhaven' })
    await fillMonth(full)
    await memoryFilled(full)
    await run([...firstScreens('300 events a month', full, tab), ...visitorTasks(full, tab)])
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
  const image = await uploadPicture(service, 900, 600)
  const kinds = ['concerts', 'families', 'markets', 'sports', 'talks']
  for (let at = 0; at < DAYS * EACH_DAY; at++) {
    const day = new Date(NOW + Math.floor(at / EACH_DAY) * 86_400_000).toISOString().slice(0, 10)
    const hour = String(10 + (at % EACH_DAY)).padStart(2, '0')
    await service.create('/events', {
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
  const follow = async ({ press }: Hands, selector: string) => {
    const before = await tab.evaluate<string>('location.href')
    await press(selector)
    const isThere =
      `location.href !== ${JSON.stringify(before)} && document.readyState ` +
      `=== 'complete' && !document.querySelector('[aria-busy]')`
    await untilShown(tab, isThere)
  }
  const pressPill = async (hands: Hands, part: string) => {
    const selector = `.pill[href*="${part}"]`
    assert.ok(await tab.evaluate<boolean>(isInFirstScreen(selector)), `${part} is further down`)
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
        assert.ok(found.length > 0, 'nothing is found')
        for (const title of found) assert.match(title, /families 2027-05-14/)
      },
    },
    {
      name: 'visitor 2 all concerts of next month',
      most: { presses: 3, seconds: 4 },
      run: async (hands) => {
        await open()
        await pressPill(hands, 'category/concerts')
        await follow(hands, '.views a[href*="/month/"]')
        await follow(hands, '.steps a[rel=next]')
        assert.match(await hands.text('h1'), /June 2027/)
      },
    },
    {
      name: 'visitor 3 is Saturday’s event canceled',
      most: { presses: 2, seconds: 3 },
      run: async (hands) => {
        await open()
        await pressPill(hands, 'when=weekend')
        assert.match(await hands.text('main'), /Canceled/)
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
        assert.match(await text('main'), /Step-free/i)
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
        assert.ok(await tab.evaluate<boolean>(isInFirstScreen('.languages a[lang=de]')))
        await goes(() => press('.languages a[lang=de]'))
        assert.equal(await tab.evaluate('document.documentElement.lang'), 'de')
      },
    },
  ]
  return tasks.map((task) => ({ sight: PHONE, ...task }))
}

/** The first event, in document order. */
const FIRST = '.row .what a, .front h2 a'

function firstScreens(name: string, { origin }: TestService, tab: ChromiumTab): Task[] {
  const sights = [
    { sight: PHONE, lowest: 320 },
    { sight: DESKTOP, lowest: 400 },
  ]
  return sights.map(({ sight, lowest }) => ({
    name: `${name}: the first event stands at most ${lowest} px down, ${sight.width} px wide`,
    sight,
    most: { presses: 0, seconds: 1 },
    run: async ({ key }: Hands) => {
      await tab.goTo(`${origin}/events/`)
      const top = await tab.evaluate<number>(
        `document.querySelector(${JSON.stringify(FIRST)}).closest('.row, .hero').getBoundingClientRect().top`,
      )
      assert.ok(top <= lowest, `${top} px`)
      for (const first of ['[type=search]', '.pill[href*="tonight"]', '.pill[href*="category/"]'])
        assert.ok(await tab.evaluate<boolean>(isInFirstScreen(first)), `${first} is further down`)
      await key('Tab')
      await key('Enter')
      await key('Tab')
      const isThere = `document.activeElement.matches(${JSON.stringify(FIRST)})`
      for (let more = 0; more < 6 && !(await tab.evaluate<boolean>(isThere)); more++) await key('Tab')
      assert.ok(await tab.evaluate<boolean>(isThere), 'the Tab key does not lead to the first event')
    },
  }))
}
