// Visitors on the page of an event go to its tickets, share it, read its times in their own zone and print
// it.
import { deepEqual, equal, ifError, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { prepareGround } from '../../src/app.ts'
import { flag, line, oneOf, url } from '../../src/base/fields/kinds.ts'
import { labelledFacts } from '../../src/features/pages/access-shown.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { publicContext } from '../support/public-context.ts'
import { isWhole } from '../support/rounds.ts'
import { onDay, serviceForTests, startService } from '../support/service.ts'

const NEXT_YEAR = 2027
const TIMES = onDay(`${NEXT_YEAR}-06-05`, '10:00', '11:30')
const TABLE = `<table><tr>${'<td>Interval</td>'.repeat(12)}</tr></table>`
const pathOf = (url: string) => new URL(url).pathname

describe('the page of an event', () => {
  const service = serviceForTests({ timezone: 'Europe/Oslo' })
  const pathFor = async (fields: object) => pathOf((await service.event({ ...TIMES, ...fields })).url)
  const read = async (path: string) => String((await service.page(path)).body)

  test('leads to the tickets first where its website sells them', async () => {
    const press = async (website: string, fields: object = {}) => {
      const body = await read(await pathFor({ title: 'Press', website, ...fields }))
      const label = />(Tickets|Website)<\/a>/.exec(body)?.[1]
      return (
        `${label} ${/<a class="button main[^>]*>Tickets</.test(body)} ` +
        `${/button main">Add to calendar/.test(body)}`
      )
    }
    for (const address of [
      'https://www.eventbrite.com/e/123',
      'https://tickets.hall.example/7',
      'https://hall.example/billetterie/jazz',
      'https://hall.example/Tickets?id=3',
    ])
      equal(await press(address), 'Tickets true false', address)
    for (const address of [
      'https://hall.example/jazz',
      'https://hall.example/?from=tickets',
      'https://thickness.example',
    ])
      equal(await press(address), 'Website false true', address)
    const past = onDay('2020-01-01', '10:00', '11:00')
    equal(await press('https://www.eventbrite.com/e/9', past), 'Tickets false false')
    equal(await press('https://www.eventbrite.com/e/9', { event_status: 'canceled' }), 'Tickets false false')
  })

  test('lists fields without a place of their own by labels, each value as its kind has it', async () => {
    const fields = {
      doors: { kind: line, about: 'When the doors open', label: 'Doors' },
      seated: { kind: flag, about: 'Seats for everybody' },
      stream: { kind: url, about: 'The stream' },
      dress: { kind: oneOf(['', 'formal'], ''), about: 'Dress', words: { formal: 'Black tie' } },
      places: { kind: line, about: 'How many places there are' },
      hours: { kind: line, about: 'How many hours it takes' },
      standing: { kind: flag, about: 'Standing' },
      note: { kind: line, about: 'A note' },
    }
    const values = {
      doors: '7 & 8',
      seated: true,
      stream: 'https://a.example/?x',
      dress: 'formal',
      places: 1200,
      hours: 2.5,
      standing: false,
      note: '',
    }
    const context = await publicContext(service.app)
    const shown = (language: 'en' | 'de') =>
      labelledFacts({ ...context, site: { ...context.site, language } }, fields, values).map(({ markup }) =>
        markup.replace(/<\/?(?:div|bdi)>/g, ''),
      )
    deepEqual(shown('en'), [
      '<dt>Doors</dt><dd>7 &amp; 8</dd>',
      '<dt>Seats for everybody</dt><dd>Yes</dd>',
      '<dt>The stream</dt><dd><a href="https://a.example/?x" rel="noopener">https://a.example/?x</a></dd>',
      '<dt>Dress</dt><dd>Black tie</dd>',
      '<dt>How many places there are</dt><dd>1,200</dd>',
      '<dt>How many hours it takes</dt><dd>2.5</dd>',
    ])
    const numbers = shown('de').slice(-2)
    deepEqual(
      numbers.map((fact) => /<dd>(.*)<\/dd>/.exec(fact)?.[1]),
      ['1.200', '2,5'],
    )
  })

  test('says in lists what is canceled, without a press', async () => {
    const today = new Date().toLocaleDateString('sv', { timeZone: 'Europe/Oslo' })
    const times = onDay(today, '00:00', '23:59')
    await service.event({ title: 'Tonight', ...times, event_status: 'canceled' })
    for (const path of ['/', '/events/today/', '/events/month/', '/events/week/'])
      match(
        await read(path),
        /<b class="state canceled">Canceled<span class="hidden">:<\/span><\/b> <s><bdi>Tonight/,
        path,
      )
  })

  test(
    'in a browser copies its address by one press, tells its times in the zone ' +
      'of the visitor where that is another, and keeps the words of tables whole',
    noChromium,
    async () => {
      await using browser = await startChromium()
      const tab = await browser.open()
      const [path, long] = [
        await pathFor({ title: 'Zones' }),
        await pathFor({
          title: 'Night',
          start_date: `${NEXT_YEAR}-06-05 22:00`,
          end_date: `${NEXT_YEAR}-06-06 02:00`,
        }),
      ]
      const yours = async (zone: string, of: string) => {
        await tab.send('Emulation.setTimezoneOverride', { timezoneId: zone })
        await tab.goTo(service.origin + of)
        return tab.evaluate<string>(
          "(({ hidden, textContent }) => (hidden ? '' : textContent))(document.querySelector('.yours'))",
        )
      }
      equal(await yours('Europe/Oslo', path), '')
      equal(await yours('Europe/Berlin', path), '')
      match(await yours('America/New_York', path), /^Your time: 0?4:00\s*[–-]\s*0?5:30$/)
      match(await yours('Asia/Tokyo', long), /^Your time: \w+,? 6 Jun.*5:00.*9:00/)
      // The event begins and ends on one day in the zone of the calendar, and on two days in London.
      match(await yours('Europe/London', long), /^Your time: \w+,? 5 Jun,? 21:00.*\w+,? 6 Jun,? 0?1:00$/)
      await tab.goTo(service.origin + (await pathFor({ description: TABLE, title: 'Table' })))
      ok((await tab.evaluate<number>("document.querySelector('td').offsetHeight")) < 50)
      await tab.goTo(service.origin + long)
      const copy = "document.querySelector('[data-copy]')"
      await tab.evaluate('navigator.clipboard.writeText = async (text) => void (window.copied = text)')
      equal(await tab.evaluate(`${copy}.hidden`), false)
      await tab.evaluate(`${copy}.click()`)
      equal(await tab.evaluate('window.copied'), service.origin + long)
      equal(await tab.evaluate(`${copy}.textContent`), 'Copied')
    },
  )

  test(
    'is printed on one page, and so is a month, across; ' +
      'a list is with its featured events on two at the most',
    isWhole ? noChromium : { skip: 'npm run test:rest does it' },
    async () => {
      await using demo = await startService({ timezone: 'Europe/Oslo', site_name: 'Kilvara' })
      await using browser = await startChromium()
      await prepareGround({ ...demo.config, port: 0 }, ifError, { demo: true })
      const tab = await browser.open()
      const { body } = await demo.get('/events?per_page=4')
      for (const path of [
        '/events/',
        '/events/month/',
        ...body.events.map(({ url }: { url: string }) => pathOf(url)),
      ]) {
        await tab.goTo(demo.origin + path)
        const { data } = await tab.send('Page.printToPDF', { preferCSSPageSize: true })
        const pdf = Buffer.from(String(data), 'base64').toString('latin1')
        const pages = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0
        ok(pages > 0 && pages <= (path === '/events/' ? 2 : 1), `${path}: ${pages}`)
        const [, width = '', height = ''] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)/.exec(pdf) ?? []
        equal(Number(width) > Number(height), path === '/events/month/', path)
      }
      await tab.goTo(`${demo.origin}/events/`)
      await tab.send('Emulation.setEmulatedMedia', { media: 'print' })
      const lead = `document.querySelector('.front :is(h2, h3)').checkVisibility()`
      equal(await tab.evaluate(lead), true)
    },
  )
})
