import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addSignInLink } from '../../src/calendar/people/desk-passwords.ts'
import { getUserByLogin } from '../../src/calendar/people/users.ts'
import { untilShown } from '../support/browsers.ts'
import { type Chromium, type ChromiumTab, startChromium } from '../support/chromium.ts'
import { sitAtDesk } from '../support/desk.ts'
import { drawPng, uploadPicture } from '../support/pictures.ts'
import { type Body, onDay, startService, type TestService } from '../support/service.ts'
import { type Hands, runTask, type Task, type TaskFigures } from './task-runner.ts'

// What a parish secretary, the editor of a venue and the culture office of a city do at the desk.

const PHONE = { width: 360, height: 740 }
const SAVE = '.savebar button.first'

interface Ground {
  service: TestService
  tab: ChromiumTab
  picture: string
}

/** Does the tasks whose name has one of the words, or all. */
export async function runDeskTasks(
  words: readonly string[] = [],
  progress: (figures: TaskFigures) => void = () => undefined,
): Promise<TaskFigures[]> {
  await using service = await startService({ timezone: '' })
  await using browser: Chromium = await startChromium()
  const tab = await browser.open()
  await tab.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Dublin' })
  const picture = join(service.config.data, 'poster.png')
  await writeFile(picture, await drawPng(900, 600, 'teal'))
  const ground = { service, tab, picture }
  const done: TaskFigures[] = []
  for (const task of deskTasks(ground)) {
    if (words.length > 0 && !words.some((word) => task.name.includes(word))) continue
    const figures = await runTask(task, tab)
    done.push(figures)
    progress(figures)
  }
  return done
}

function deskTasks({ service, tab, picture }: Ground): Task[] {
  const ofTask = new Map<string, string>()
  const sit = async (login: string, path = '/desk/') => {
    const cookie = ofTask.get(login) ?? (await sitAtDesk(service, login)).cookie
    ofTask.set(login, cookie)
    const [name, value] = cookie.split('=')
    await tab.send('Network.setCookie', { name, value, url: service.origin })
    await tab.goTo(service.origin + path)
  }
  const alive = ({ see }: Hands) => see('form.event-form.alive')
  const list = async (query: string, status = 'publish'): Promise<Body[]> => {
    const wide = `/events?per_page=50&start_date=2020-01-01&status=${status}&${query}`
    return (await service.read(wide, 'admin')).events
  }
  const titled = async (title: string, status?: string) => {
    const found = await list(`search=${encodeURIComponent(title)}`, status)
    return found.filter((event) => event.title === title)
  }
  /** What stands at the end of a row, or in its menu where nothing hovers. */
  const pressInRow = async ({ press }: Hands, title: string, link: string) => {
    const [{ id }] = await titled(title, 'publish,draft')
    const row = `tr:has(input[value="${id}"])`
    const isHovered = await tab.evaluate<boolean>(`matchMedia('(hover: hover)').matches`)
    if (!isHovered) await press(`${row} .menu summary`)
    await press(`${row} ${isHovered ? '.near' : '.menu'} a${link}`)
  }
  const inGerman = (login: string) =>
    service.app.database.write((tx) =>
      tx.updateTable('users').set({ language: 'de' }).where('login', '=', login).execute(),
    )

  return [
    {
      name: '1 from the set-up link to the desk',
      most: { presses: 3, seconds: 5 },
      run: async ({ press, key, type, goes, text }) => {
        const token = await service.app.database.write(async (tx) =>
          addSignInLink(tx, await getUserByLogin(tx, 'admin'), Date.now()),
        )
        await tab.goTo(`${service.origin}/desk/set-up/${token}`)
        await press('#name')
        await key('Control+a')
        await type('St Brigid’s')
        await press('#password')
        await type('a choir that sings well')
        await goes(() => key('Enter'))
        match(await text('main'), /Logo and colour/)
        await service.create('/categories', { name: 'Concerts' })
        await tab.goTo(`${service.origin}/desk/events`)
        match(await text('main'), /Europe\/Dublin/)
      },
    },
    {
      name: '2 a weekly mass at a new venue, with a text',
      most: { presses: 8, seconds: 14 },
      run: async (hands) => {
        const { press, type, key, goes, see } = hands
        await sit('admin')
        await goes(() => press('.bar a.main'))
        await alive(hands)
        await type('Sunday mass')
        await press('#start_date')
        await type('sunday')
        await key('Tab')
        await type('10:30')
        await press('#repeats')
        await type('every w')
        await key('Enter')
        await see('#next-dates .dates li')
        await press('#venue_name')
        await type('St Brigid’s Church')
        await press('.rich [role=textbox]')
        await type('With the choir, and tea in the hall afterwards.')
        await goes(() => press(SAVE))
        const [mass] = await titled('Sunday mass')
        match(JSON.stringify(mass.recurrence), /WEEKLY/)
        equal(mass.venue.venue, 'St Brigid’s Church')
        match(mass.description, /With the choir/)
      },
    },
    {
      name: '3 a concert with a poster and a category',
      most: { presses: 8, seconds: 14 },
      run: async (hands) => {
        const { press, type, key, goes, choose } = hands
        await sit('admin')
        await goes(() => press('.bar a.main'))
        await alive(hands)
        await type('Carols by candlelight')
        await key('Tab')
        await type('next saturday 20:00')
        await press('#venue_name')
        await type('St Brigid’s Church')
        await key('Tab')
        await choose('#picture-file', picture)
        await untilShown(tab, "document.querySelector('#picture-shown img')?.naturalWidth > 0")
        await press('#image_alt')
        await type('A candle')
        await press('#categories .tree label')
        await goes(() => press(SAVE))
        const [concert] = await titled('Carols by candlelight')
        ok(concert.image.url)
        equal(concert.categories[0].name, 'Concerts')
      },
    },
    {
      name: '4 a weekly choir by one line',
      most: { presses: 3, seconds: 6 },
      run: async ({ press, type, key, goes }) => {
        await sit('admin')
        await press('#line')
        await type('Choir every Tue 19:00–21:00 @ St Brigid’s Church')
        await goes(() => key('Enter'))
        await goes(() => key('Enter'))
        const dates = await titled('Choir')
        ok(dates.length > 10, String(dates.length))
      },
    },
    {
      name: '5 cancel this week’s choir, with a reason',
      most: { presses: 4, seconds: 6 },
      run: async (hands) => {
        const { pressNamed, press, type, goes } = hands
        await sit('admin')
        await goes(() => pressNamed('.lines a.title', 'Choir'))
        await alive(hands)
        await press('#event_status input[value="canceled"]')
        await press('#event_status_reason')
        await type('No heating')
        await goes(() => press(SAVE))
        const canceled = (await titled('Choir')).filter((date) => date.event_status === 'canceled')
        equal(canceled.length, 1)
        equal(canceled[0].event_status_reason, 'No heating')
      },
    },
    {
      name: '6 leave out two dates of the choir',
      most: { presses: 6, seconds: 7 },
      run: async (hands) => {
        const { press, pressNamed, goes, see } = hands
        const days = async () => (await titled('Choir')).map(({ start_date }) => start_date.slice(0, 10))
        const [, , , fourth, fifth, sixth] = await days()
        await sit('admin')
        await goes(() => pressNamed('.lines a.title', 'Choir'))
        await alive(hands)
        await see('#next-dates .dates li')
        for (const day of [fourth, fifth]) await press(`.dates label:has([value="${day}"])`)
        await goes(() => press(SAVE))
        const left = await days()
        ok(left.includes(sixth) && !left.includes(fourth) && !left.includes(fifth), left.join())
      },
    },
    {
      name: '7 from a month on, the choir is at 18:30',
      most: { presses: 6, seconds: 8 },
      run: async (hands) => {
        const { press, pressNamed, typeOver, goes } = hands
        await sit('admin', '/desk/month')
        for (let month = 0; month < 2; month++)
          await goes(() => press('.head a[rel=next], .steps a[rel=next]'))
        await goes(() => pressNamed('.plan .entry > a', /Choir/))
        await alive(hands)
        await typeOver('#start_time', '18:30')
        await press('#recurrence_scope input[value="following"]')
        await goes(() => press(SAVE))
        const times = (await titled('Choir')).map(({ start_date }) => String(start_date).slice(11, 16))
        deepEqual([...new Set(times)].sort(), ['18:30', '19:00'])
        equal(times.at(-1), '18:30')
      },
    },
    {
      name: '8 move an event to another day, by drag and by menu',
      most: { presses: 4, seconds: 5 },
      run: async ({ press, drag, goes }) => {
        const { id } = await service.event({
          title: 'Jumble sale',
          ...onDay('2031-03-12', '10:00:00', '12:00:00'),
        })
        const day = async () => (await service.read(`/events/${id}`)).start_date.slice(0, 10)
        await sit('admin', '/desk/month/2031-03')
        await goes(() => drag(`.plan [data-id="${id}"]`, 'td[data-day="2031-03-20"]'))
        equal(await day(), '2031-03-20')
        await goes(() => press(`.plan [data-id="${id}"] .menu`))
        await goes(() => press('#chosen button[name=days][value="1"]'))
        equal(await day(), '2031-03-21')
      },
    },
    {
      name: '9 trash an event and take it back',
      most: { presses: 5, seconds: 6 },
      run: async (hands) => {
        const { press, goes } = hands
        await sit('admin')
        await goes(() => press('.rail a[href="/desk/events"]'))
        await goes(() => pressInRow(hands, 'Carols by candlelight', '.bad'))
        await goes(() => press('form.confirm button.bad'))
        equal((await titled('Carols by candlelight')).length, 0)
        await goes(() => press('form:has([name=undo]) button'))
        equal((await titled('Carols by candlelight')).length, 1)
      },
    },
    {
      name: '10 forty events from a table, two rows with faults',
      most: { presses: 12, seconds: 40 },
      run: async ({ press, paste, see, typeOver, text }) => {
        const rows = Array.from({ length: 40 }, (_, at) => {
          const day = at === 6 ? '31.02.2027' : `${(at % 28) + 1}.${(at % 9) + 1}.2027`
          return [day, at === 20 ? '25:70' : '19:30', `Evening ${at}`, `Hall ${at % 4}`, '€12'].join('\t')
        })
        await sit('editor')
        await press('.rail a[href="/desk/import"]')
        await press('#text')
        await paste(rows.join('\n'))
        await untilShown(tab, `document.querySelectorAll('[aria-invalid]').length === 2`)
        await typeOver('input[name="cell_7_0"]', '28.2.2027')
        await typeOver('input[name="cell_21_1"]', '19:30')
        await press('button.main[value="import"]')
        await see('#notice form')
        match(await text('#notice'), /40 events/)
        equal((await list('search=Evening', 'draft')).length, 40)
      },
    },
    {
      name: '10 two events from a table with a new picture, nothing typed',
      most: { presses: 6, seconds: 8 },
      run: async ({ press, paste, choose, see, text }) => {
        await sit('editor')
        await press('.rail a[href="/desk/import"]')
        await press('#text')
        await paste('12.12.2027\t19:30\tBrahms\tHall\n13.12.2027\t19:30\tJazz\tBar')
        await see('#picture-file')
        await choose('#picture-file', picture)
        await press('button.main[value="import"]')
        await see('#notice form')
        match(await text('#notice'), /2 events are in as drafts/)
        const drafts = await list('start_date=2027-12-01', 'draft')
        equal(drafts.filter(({ image }) => /poster(-\d+)?\.png$/.test(image.url)).length, 2)
      },
    },
    {
      name: '11 a co-organizer for four of them, the first ones stay',
      most: { presses: 8, seconds: 11 },
      run: async ({ press, pressNamed, type, key, goes }) => {
        for (const organizer of ['The Hall', 'Kilvara Arts'])
          await service.create('/organizers', { organizer })
        for (const { id } of await list('search=Evening', 'draft'))
          await service.update(`/events/${id}`, { organizer: { organizer: 'The Hall' } })
        await sit('editor', '/desk/events?status=draft')
        for (const at of [0, 1, 2, 3]) await pressNamed('.pick label', new RegExp(`Evening ${at}$`))
        await goes(() => press('.bulk button[value="organizer"]'))
        await press('#add')
        await type('Kilvara Arts')
        await goes(() => key('Enter'))
        const both = (await list('search=Evening', 'draft')).filter(({ organizer }) => organizer.length === 2)
        equal(both.length, 4)
      },
    },
    {
      name: '12 a second evening of one of them',
      most: { presses: 4, seconds: 6 },
      run: async (hands) => {
        const { press, typeOver, goes } = hands
        await sit('editor', '/desk/events?status=draft')
        await goes(() => pressInRow(hands, 'Evening 2', '[href$="/duplicate"]'))
        await alive(hands)
        await typeOver('#start_date', '4 May 2027')
        await goes(() => press(SAVE))
        const twice = await titled('Evening 2', 'draft,publish')
        deepEqual(
          twice.map(({ start_date }) => start_date.slice(0, 10)),
          ['2027-03-03', '2027-05-04'],
        )
      },
    },
    {
      name: '13 publish one on Monday at 9:00',
      most: { presses: 4, seconds: 6 },
      run: async ({ press, pressNamed, type, key, goes }) => {
        await sit('editor', '/desk/events?status=draft')
        await pressNamed('.pick label', /Evening 3$/)
        await goes(() => press('.bulk button[value="schedule"]'))
        await press('#date')
        await type('monday')
        await key('Tab')
        await type('9:00')
        await goes(() => key('Enter'))
        const [planned] = await titled('Evening 3', 'future')
        match(planned.date, / 09:00:00$/)
        equal(new Date(`${planned.date.slice(0, 10)}T12:00:00Z`).getUTCDay(), 1)
      },
    },
    {
      name: '14 one picture for the whole season',
      most: { presses: 6, seconds: 8 },
      run: async ({ press, type, choose, goes }) => {
        await sit('editor', '/desk/events?status=draft')
        await press('thead label.box')
        await goes(() => press('.bulk button[value="picture"]'))
        await choose('#picture-file', picture)
        await press('#image_alt')
        await type('The stage')
        await goes(() => press('form.confirm button.main'))
        const season = await list('search=Evening', 'draft')
        ok(
          season.every(({ image }) => image.url),
          'an event has no picture',
        )
      },
    },
    {
      name: '15 use again the picture of an event of last spring',
      most: { presses: 4, seconds: 6 },
      run: async (hands) => {
        const { press, pressNamed, type, goes, see } = hands
        const image = await uploadPicture(service, 640, 480)
        await service.request('admin', 'POST', `~/wp-json/wp/v2/media/${image}`, { alt_text: 'Blossoms' })
        await service.event({ title: 'Spring fair', ...onDay('2026-04-12', '10:00:00', '12:00:00'), image })
        for (let at = 0; at < 14; at++) await uploadPicture(service, 60 + at, 40)
        const [{ id }] = await titled('Evening 5', 'draft')
        await sit('editor', `/desk/events/${id}`)
        await alive(hands)
        await pressNamed('.picture-card summary', /library/)
        await press('input[name=picture_search]')
        await type('blossoms')
        await see('.library [data-alt="Blossoms"]')
        await press('.library label:has([data-alt="Blossoms"])')
        await goes(() => press(SAVE))
        const [evening] = await titled('Evening 5', 'draft')
        equal(evening.image.id, image)
      },
    },
    {
      name: '16 invite an association (in German)',
      most: { presses: 6, seconds: 9 },
      run: async ({ press, type, key, goes, text }) => {
        await inGerman('admin')
        await inGerman('editor')
        await sit('admin')
        await goes(() => press('.rail a[href="/desk/people"]'))
        await goes(() => press('a[href="/desk/people/new"]'))
        match(await text('h1'), /einladen/i)
        await press('#name')
        await type('Chor am See')
        await key('Tab')
        await type('chor')
        await press('input[name=role][value=contributor]')
        await goes(() => press('.savebar button'))
        await press('[data-copy=letter]')
        const link = await tab.evaluate<string>(`document.querySelector('#link').value`)
        match(link, /\/desk\/set-up\//)
        ofTask.set('link', link)
        match(await text('main'), /sieben|7 Tage/)
      },
    },
    {
      name: '17 as that contributor, on a phone: the first event, with a poster',
      sight: PHONE,
      most: { presses: 9, seconds: 14 },
      run: async (hands) => {
        const { press, type, key, goes, choose } = hands
        await tab.send('Network.clearBrowserCookies')
        await tab.goTo(service.origin + new URL(ofTask.get('link') ?? '').pathname)
        await press('#password')
        await type('ein Chor am See singt')
        await goes(() => key('Enter'))
        await goes(() => press('.bar a.main'))
        await alive(hands)
        await type('Sommerkonzert')
        await press('#start_date')
        await type('12.6.2027 19:30')
        await press('#venue_name')
        await type('Seehaus')
        await key('Tab')
        await choose('#picture-file', picture)
        await press('#image_alt')
        await type('Der Chor')
        await goes(() => press(SAVE))
        const [concert] = await titled('Sommerkonzert', 'pending')
        equal(concert.venue.venue, 'Seehaus')
        ok(concert.image.url)
      },
    },
    {
      name: '18 publish it from the inbox with its new venue',
      most: { presses: 1, seconds: 2 },
      run: async ({ press, goes }) => {
        await tab.send('Network.clearBrowserCookies')
        await sit('editor', '/desk/inbox')
        await goes(() => press('.inbox form[action$="/publish"] button'))
        const [concert] = await titled('Sommerkonzert')
        equal(concert.venue.status, 'publish')
      },
    },
    {
      name: '19 send another one back with a note',
      most: { presses: 3, seconds: 5 },
      run: async ({ press, type, goes }) => {
        const { id } = await service.create(
          '/events',
          { title: 'Flohmarkt', ...onDay('2027-06-19', '10:00:00', '16:00:00'), status: 'pending' },
          'contributor',
        )
        await sit('editor', '/desk/inbox')
        await press(`#event-${id} details.back summary`)
        await press(`#event-${id} details.back [name=note]`)
        await type('Wo findet er statt? Bitte noch ergänzen.')
        await goes(() => press(`#event-${id} details.back form button`))
        equal((await service.read(`/events/${id}`, 'admin')).status, 'draft')
      },
    },
    {
      name: '20 merge two venues that are the same, and take it back',
      most: { presses: 3, seconds: 4 },
      run: async ({ press, goes }) => {
        const names = ['Altes Rathaus', 'Das alte Rathaus']
        const ids: number[] = []
        for (const venue of names)
          ids.push((await service.create('/venues', { venue, city: 'Lindhaven' })).id)
        const count = async () =>
          (await Promise.all(ids.map((id) => service.get(`/venues/${id}`)))).filter(
            (one) => one.status === 200,
          ).length
        await sit('editor')
        await goes(() => press('.rail a[href="/desk/duplicates"]'))
        await goes(() => press('.pair button.main'))
        equal(await count(), 1)
        await goes(() => press('#notice button'))
        equal(await count(), 2)
      },
    },
    {
      name: '21 two editors change the same field',
      most: { presses: 3, seconds: 4 },
      run: async (hands) => {
        const { press, typeOver, goes, text } = hands
        const { id } = await service.event({
          title: 'Lesung',
          ...onDay('2027-06-20', '19:00:00', '20:00:00'),
        })
        await sit('editor', `/desk/events/${id}`)
        await alive(hands)
        await service.update(`/events/${id}`, { cost: '5' })
        await typeOver('#cost', '8')
        await goes(() => press(SAVE))
        match(await text('main'), /5[\s\S]*8|8[\s\S]*5/)
        match((await service.read(`/events/${id}`)).cost, /5/)
        await goes(() => press(SAVE))
        match((await service.read(`/events/${id}`)).cost, /8/)
      },
    },
    {
      name: '22 put one field back to what it was',
      most: { presses: 3, seconds: 4 },
      run: async ({ press, pressNamed, goes }) => {
        const { id } = await service.event({
          title: 'Vortrag',
          ...onDay('2027-06-21', '19:00:00', '20:00:00'),
          cost: '5',
        })
        await service.update(`/events/${id}`, { title: 'Vortrag im Rathaus', cost: '50' })
        await sit('editor', `/desk/events/${id}`)
        await goes(() => press(`a[href="/desk/events/${id}/history"]`))
        await goes(() => pressNamed('button[name=member][value=cost]', /./))
        const { cost, title } = await service.read(`/events/${id}`)
        match(cost, /5$/)
        equal(title, 'Vortrag im Rathaus')
      },
    },
    {
      name: '23 on a phone: cancel tonight’s event',
      sight: PHONE,
      most: { presses: 4, seconds: 6 },
      run: async (hands) => {
        const { press, pressNamed, type, goes } = hands
        const start = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
        const { id } = await service.event({
          title: 'Heute im Park',
          start_date: start,
          end_date: start,
          timezone: 'UTC',
        })
        await sit('editor')
        await goes(() => pressNamed('.lines a.title', 'Heute im Park'))
        await alive(hands)
        await press('#event_status input[value="canceled"]')
        await press('#event_status_reason')
        await type('Es regnet.')
        await goes(() => press(SAVE))
        equal((await service.read(`/events/${id}`)).event_status, 'canceled')
      },
    },
    {
      name: '24 an event by keyboard alone',
      most: { presses: 0, seconds: 4 },
      run: async (hands) => {
        const { tabTo, type, key, goes } = hands
        await sit('editor')
        await goes(() => key('Alt+n'))
        await alive(hands)
        await type('Tanz am See')
        await tabTo('#start_date')
        await type('12.7.2027 19:30')
        await tabTo('#venue_name')
        await type('Seehaus')
        await goes(() => key('Control+Enter'))
        const [dance] = await titled('Tanz am See')
        equal(dance.venue.venue, 'Seehaus')
      },
    },
    {
      name: '24 an event by phone',
      sight: PHONE,
      most: { presses: 5, seconds: 7 },
      run: async (hands) => {
        const { press, type, goes } = hands
        await sit('editor')
        await goes(() => press('.bar a.main'))
        await alive(hands)
        await type('Tanz im Hof')
        await press('#start_date')
        await type('13.7.2027 19:30')
        await press('#venue_name')
        await type('Seehaus')
        await goes(() => press(SAVE))
        equal((await titled('Tanz im Hof')).length, 1)
      },
    },
  ]
}
