// Somebody keeps the calendar by keys and mouse in Chromium and Firefox, where installed. `npm test` does the
// most frequent work in Chromium; `npm run pages:check` does everything in both.

import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Sight, Tab } from '../support/browsers.ts'
import { findChromium, startChromium } from '../support/chromium.ts'
import { kalends } from '../support/commands.ts'
import { giveDeskPassword, sitAtDesk } from '../support/desk.ts'
import { findFirefox, startFirefox } from '../support/firefox.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Person, personAt } from '../support/person.ts'
import { drawPng } from '../support/pictures.ts'
import { startServiceProcess } from '../support/processes.ts'
import { onDay, type Reader, startService, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const isWhole = process.env.PAGES_CHECK === 'all'
const only = process.env.PAGES_BROWSER?.toLowerCase()

const browsers = [
  { name: 'Chromium', program: findChromium(), start: startChromium },
  { name: 'Firefox', program: isWhole ? findFirefox() : undefined, start: startFirefox },
]

for (const { name, program, start } of browsers) {
  const isAsked = program !== undefined && (only === undefined || only === name.toLowerCase())
  describe(`somebody at the desk in ${name}`, { skip: isAsked ? false : `${name} is not asked` }, () =>
    workIn(() => start(program ?? ''), name === 'Firefox' ? 'Alt+Shift+' : 'Alt+'),
  )
}

const FROM_WORD =
  '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal{margin:0}' +
  '</style></head><body><!--StartFragment--><p class="MsoNormal" ' +
  'style="color:red;mso-margin-top-alt:auto"><b>From</b> <span lang="EN-GB" style="font-family:Arial" ' +
  'onclick="alert(1)">Word<o:p></o:p></span></p><script>alert(2)</script><!--EndFragment--></body></html>'

function workIn(start: () => Promise<Browser>, access: string): void {
  let service: TestService
  let browser: Browser
  let tab: Tab
  let person: Person
  let picture: string

  before(async () => {
    service = await startService({ timezone: 'Europe/Oslo', site_name: 'Kilvara' })
    const venues = ['Harbour Hall', 'Harbour Museum', 'St Brigid’s Church']
    for (const venue of venues) await service.create('/venues', { venue, city: 'Kilvara' })
    await service.create('/tags', { name: 'music' })
    await giveDeskPassword(service, 'editor')
    picture = join(service.config.data, 'picture.png')
    await writeFile(picture, await drawPng(900, 600, 'teal'))
    browser = await start()
    tab = await browser.open()
    await lookAs({ width: 1280 })
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const lookAs = async (sight: Sight) => {
    await tab.look(sight)
    person = personAt(tab)
  }
  const goTo = (path: string) => tab.goTo(service.origin + path)
  const cookies = new Map<string, string>()
  const sit = async (login: Reader, path = '/desk/') => {
    const cookie = cookies.get(login) ?? (await sitAtDesk(service, login)).cookie
    cookies.set(login, cookie)
    await goTo('/desk/sign-in')
    await tab.evaluate(`document.cookie = '${cookie}; path=/'`)
    await goTo(path)
    person.begin()
  }
  const text = (selector = 'main') =>
    tab.evaluate<string>(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`)
  const value = (selector: string) =>
    tab.evaluate<string>(`document.querySelector(${JSON.stringify(selector)}).value`)
  const pathNow = () => tab.evaluate<string>('location.pathname')
  const idNow = async () => Number((await pathNow()).split('/')[3])
  const eventNow = async () => (await service.get(`/events/${await idNow()}`, 'editor')).body
  const alive = () => person.see('form.event-form.alive')
  const create = (title: string, more: object = {}, as: Reader = 'editor') =>
    service.event({ title, ...onDay('2031-03-12', '19:00:00', '21:00:00'), ...more }, as)

  const isPlain = async (title: string) => {
    const { status, venue, start_date, ...event } = await eventNow()
    ok(event.id, `${await pathNow()}: ${await text('main')}`)
    equal(event.title, title)
    equal(status, 'publish')
    equal(venue.venue, 'Harbour Hall')
    match(start_date, / 19:30:00$/)
    equal(new Date(`${start_date.slice(0, 10)}T12:00:00Z`).getUTCDay(), 5)
  }

  for (const width of [1280, 390])
    test(`a plain event at a known venue is made by its form, ${width} px wide`, async () => {
      await lookAs({ width })
      await sit('editor')
      await person.goes(() => person.press('.bar a.main'))
      await alive()
      await person.type('Winter concert')
      await (width < 600 ? person.press('#start_date') : person.key('Tab'))
      await person.type('next friday')
      await person.key('Tab')
      await person.type('19:30')
      await person.press('#venue_name')
      await person.type('harbour h')
      await person.see('.names:not([hidden]) [role=option]')
      await person.goes(async () => {
        await person.press('.names:not([hidden]) [role=option]')
        await person.key('Control+Enter')
      })
      await isPlain('Winter concert')
    })

  test('the quick line makes a plain event by the keyboard alone', async () => {
    await lookAs({ width: 1280 })
    await sit('editor')
    await person.key(`${access}q`)
    await person.type('Choir next Friday 19:30–21:00 @ Harbour Hall #music')
    await person.goes(() => person.key('Enter'))
    match(await text('.understood'), /Found in the directory/)
    await person.goes(() => person.key('Enter'))
    await isPlain('Choir')
    equal((await eventNow()).tags[0].name, 'music')
  })

  test('the form makes an event by the keyboard alone', async () => {
    await sit('editor')
    await person.goes(() => person.key(`${access}n`))
    await alive()
    await person.type('By the keys')
    await person.tabTo('#start_date')
    await person.type('next friday 19:30')
    await person.tabTo('#venue_name')
    await person.type('harbour h')
    await person.see('.names:not([hidden]) [role=option]')
    await person.key('ArrowDown')
    await person.key('Enter')
    await person.goes(() => person.key('Control+Enter'))
    await isPlain('By the keys')
  })

  test('without scripts the form makes the event in one post', async () => {
    await lookAs({ width: 1280, scripts: false })
    await sit('editor', '/desk/events/new')
    await person.type('Without scripts')
    await person.tabTo('#start_date')
    await person.type('next friday')
    await person.tabTo('#start_time')
    await person.type('19:30')
    await person.tabTo('#venue_name')
    await person.type('Harbour Hall')
    await person.goes(() => person.key(`${access}s`))
    await isPlain('Without scripts')
  })

  describe('in all that is done', { skip: isWhole ? false : '`npm run pages:check` does it' }, () => {
    test('an event of the month is dragged to another day, back by one click; Escape leaves it', async () => {
      await lookAs({ width: 1280 })
      const { id } = await create('To be dragged')
      const day = async () => (await service.get(`/events/${id}`)).body.start_date.slice(0, 10)
      await sit('editor', '/desk/month/2031-03')
      const entry = `.plan [data-id="${id}"]`
      await person.drag(entry, 'td[data-day="2031-03-20"]', () => tab.key('Escape'))
      equal(await pathNow(), '/desk/month/2031-03')
      equal(await day(), '2031-03-12')
      await person.goes(() => person.drag(entry, 'td[data-day="2031-03-20"]'))
      equal(await day(), '2031-03-20')
      match(await text('#notice'), /To be dragged/)
      await person.goes(() => person.press('.undo button'))
      equal(await day(), '2031-03-12')
      await person.goes(() => person.tabTo(`${entry} .menu`).then(() => person.key('Enter')))
      await person.goes(() => person.press('#chosen button[name=days][value="7"]'))
      equal(await day(), '2031-03-19')
    })

    test('arrow keys walk through the days of the month, which are one stop of the Tab key', async () => {
      await sit('editor', '/desk/month/2031-03')
      await person.tabTo('.plan a.add')
      const at = () => tab.evaluate<string>(`document.activeElement.closest('td').dataset.day`)
      const first = await at()
      for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft']) await person.key(key)
      equal(new Date(await at()).getTime() - new Date(first).getTime(), 7 * 86_400_000)
      const chosen = await at()
      await person.goes(() => person.key('Enter'))
      await alive()
      equal(await pathNow(), '/desk/events/new')
      ok((await value('#start_date')).includes(String(Number(chosen.slice(8)))))
    })

    test('the editor of texts saves what is allowed, and its policy forbids nothing', async () => {
      const { id } = await create('Richly told')
      await sit('editor', `/desk/events/${id}`)
      await alive()
      tab.complaints.length = 0
      await person.see('.rich [role=textbox]')
      await person.press('.rich [role=textbox]')
      await person.type('Plain ')
      await tab.key('Control+b')
      await person.type('bold')
      await tab.key('Control+b')
      await person.type(' text\n')
      await person.press('.rich .keys button:nth-child(4)')
      await person.type('One\nTwo\n\n')
      await tab.evaluate(`addEventListener('copy', (event) => {
        event.preventDefault()
        event.clipboardData.setData('text/html', ${JSON.stringify(FROM_WORD)})
      }, { once: true })`)
      for (const key of ['Control+c', 'Control+v']) await tab.key(key)
      await until(async () => /Word/.test(await text('.rich [role=textbox]')), 'nothing was pasted')
      await person.type(' ')
      tab.answers.push('https://example.org/choir')
      await person.press('.rich .keys button:nth-child(7)')
      await person.goes(() => person.press('.savebar button.first'))
      const { description } = await eventNow()
      match(description, /Plain <(b|strong)>bold<\/(b|strong)> text/)
      match(description, /<ul>\s*<li>One(<br>)?<\/li>\s*<li>Two(<br>)?<\/li>\s*<\/ul>/)
      match(description, /<(b|strong)>From<\/(b|strong)>\s*Word/)
      match(description, /<a [^>]*href="https:\/\/example\.org\/choir"/)
      doesNotMatch(description, /Mso|style|script|onclick|o:p/)
      deepEqual(tab.complaints, [])
    })

    test('a calendar is set up by the link of its first start, others come by own links', async () => {
      const folder = temporaryFolder()
      const first = await startServiceProcess({ data: folder })
      const origin = new URL(first.base).origin
      try {
        const written = await readFile(join(folder, 'first-password.txt'), 'utf8')
        const open = (link: string) => tab.goTo(origin + new URL(link).pathname)
        const link = linkIn(written)
        await open(link)
        await person.press('#name')
        await tab.key('Control+a')
        await person.type('Choirs of Kilvara')
        await person.press('#password')
        await person.type('a choir that sings well')
        await person.goes(() => person.key('Enter'))
        equal(await pathNow(), '/desk/')
        await until(
          async () => (await (await fetch(`${origin}/events/`)).text()).includes('Choirs of Kilvara'),
          'no name',
        )
        await person.goes(() => person.press('.rail form button'))
        equal(await pathNow(), '/desk/sign-in')
        await open(link)
        match(await text(), /kalends user link/)

        const words = `user add maria --email maria@example.org --role editor --data ${folder}`
        const added = linkIn((await kalends(words.split(' '))).out)
        const again = linkIn((await kalends(['user', 'link', 'maria', '--data', folder])).out)
        await open(again)
        equal(await tab.evaluate(`document.querySelector('#name')`), null)
        await person.press('#password')
        await person.type('maria sings well too')
        await person.goes(() => person.key('Enter'))
        match(await text('h1'), /maria/)
        await person.goes(() => person.press('.rail form button'))
        for (const used of [added, again]) {
          await open(used)
          match(await text(), /kalends user link/)
        }
      } finally {
        await first.end()
      }
    })

    const linkIn = (text: string) => /http\S+\/desk\/set-up\/[\w-]+/.exec(text)?.[0] ?? ''
  })
}
