import { doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { beginAt } from '../support/moment.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'
import { ics, vevent } from './calendar-file.ts'

const YEAR = 2027

beginAt(`${YEAR - 1}-11-27T12:00:00Z`)

const at = (day: string) => `DTSTART;TZID=Europe/Berlin:${day}T200000`

const TOWN = ics(
  vevent(
    'ball@x',
    'SUMMARY:Ball & \u001b[31mdance',
    at(`${YEAR}0705`),
    'DURATION:PT2H',
    'LOCATION:Harbour Hall\\, 1 Quay',
  ),
  vevent(
    'fair@x',
    'SUMMARY:Fair',
    `DTSTART;VALUE=DATE:${YEAR}0801`,
    `DTEND;VALUE=DATE:${YEAR}0804`,
    'STATUS:CANCELLED',
  ),
  vevent('board@x', 'SUMMARY:Board', at(`${YEAR}0706`), 'CLASS:PRIVATE'),
  vevent('draft@x', 'SUMMARY:Draft', at(`${YEAR}0707`), 'X-KALENDS-STATUS:draft'),
  vevent('later@x', 'SUMMARY:Later', at(`${YEAR}0708`), 'X-KALENDS-STATUS:pending'),
  vevent('gone@x', 'SUMMARY:Gone', at('20200705')),
  vevent('course@x', 'SUMMARY:Course', at('20240105'), `RRULE:FREQ=WEEKLY;UNTIL=${YEAR}0105T200000Z`),
  vevent('over@x', 'SUMMARY:Over', at('20240105'), 'RRULE:FREQ=WEEKLY;COUNT=3'),
  vevent('new-york@x', 'SUMMARY:Call', `DTSTART;TZID=America/New_York:${YEAR}0705T200000`),
  vevent('bad@x', 'SUMMARY:Bad', 'DTSTART:soon'),
  ...[1, 2, 3].map((n) => vevent(`more${n}@x`, `SUMMARY:More ${n}`, at(`${YEAR}070${n}`))),
)

describe('the report of an import', () => {
  const open = async (language: 'en' | 'de') => startCalendar({ timezone: 'Europe/Berlin', language })
  const run = async (calendar: Calendar, ...words: string[]) =>
    (await calendar.kalends('import', ...words)).out

  test('counts what visitors see and do not see, after a run and for a dry run', async (t) => {
    const calendar = await open('en')
    t.after(calendar.close)
    const source = await calendar.file('town.ics', TOWN)
    const counts = '7 coming, 2 past; and not: 1 private, 2 draft, pending or scheduled.'
    const would = `Of what was read visitors would see: ${counts}\n`
    const sees = `Of this source visitors see: ${counts}\n`
    for (const [words, line] of [
      [['--dry-run'], would],
      [[], sees],
      [[], sees],
      [['--dry-run'], would],
    ] as const) {
      const out = await run(calendar, ...words, source)
      ok(out.includes(line), out)
    }
    match(await run(calendar, await calendar.file('none.ics', ics())), /^Run 3: 0 made/)
  })

  test('counts for a dry run as well what stays as it is here', async (t) => {
    const calendar = await open('en')
    t.after(calendar.close)
    const town = (title: string, sequence: number) =>
      ics(
        vevent('ball@x', `SUMMARY:Ball ${title}`, at(`${YEAR}0705`)),
        vevent('fair@x', `SUMMARY:Fair ${title}`, at(`${YEAR}0706`)),
        vevent('gone@x', `SUMMARY:Gone ${title}`, at(`${YEAR}0707`)),
        vevent('play@x', `SUMMARY:Play ${title}`, at(`${YEAR}0708`), `SEQUENCE:${sequence}`),
        vevent(
          'club@x',
          `SUMMARY:Club ${title}`,
          at(`${YEAR}0709`),
          'RRULE:FREQ=WEEKLY;COUNT=2',
          `SEQUENCE:${sequence}`,
        ),
      )
    await run(calendar, await calendar.file('town.ics', town('one', 2)))
    const { service } = calendar
    const { events } = (await service.get(`/events?start_date=${YEAR}-01-01&end_date=${YEAR}-12-31`)).body
    const [ball, fair, gone] = ['Ball one', 'Fair one', 'Gone one'].map((one) =>
      events.find(({ title }: { title: string }) => title === one),
    )
    await service.update(`/events/${ball.id}`, { title: 'Ball here' })
    await service.update(`/events/${fair.id}`, { title: 'Fair here', status: 'draft' })
    await service.remove(`/events/${gone.id}`, 'admin')
    const out = await run(
      calendar,
      '--dry-run',
      '--conflicts',
      'skip',
      await calendar.file('town.ics', town('two', 1)),
    )
    match(out, /0 made, 0 changed, 0 unchanged, 5 left as they are here/)
    match(out, /visitors would see: 3 coming, 0 past; and not: 0 private, 1 draft/)
  })

  test('of a dry run shows the first ten events as pages would, with the hours in their zones', async (t) => {
    const calendar = await open('en')
    t.after(calendar.close)
    const source = await calendar.file('town.ics', TOWN)
    const parts = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const
    const day = (date: string) => new Intl.DateTimeFormat('en-GB', parts).format(new Date(`${date}T00:00:00`))
    const lines = [
      `Ball &  [31mdance · ${day(`${YEAR}-07-05`)}, 20:00 – 22:00 CEST · Harbour Hall`,
      `Canceled: Fair · ${day(`${YEAR}-08-01`)}, until ${day(`${YEAR}-08-03`)}, All day`,
      `Board · ${day(`${YEAR}-07-06`)}, 20:00 CEST · Private`,
      `Draft · ${day(`${YEAR}-07-07`)}, 20:00 CEST · Draft`,
      `Later · ${day(`${YEAR}-07-08`)}, 20:00 CEST · Pending review`,
      `Gone · ${day('2020-07-05')}, 20:00 CEST`,
      `Course · ${day('2024-01-05')}, 20:00 CET · every Friday until 5 January ${YEAR}`,
      `Over · ${day('2024-01-05')}, 20:00 CET · every Friday, 3 times`,
      `Call · ${day(`${YEAR}-07-05`)}, 20:00 EDT`,
      `More 1 · ${day(`${YEAR}-07-01`)}, 20:00 CEST`,
    ]
    const indented = lines.map((line) => `  ${line}\n`).join('')
    const shown = `The first events, as pages would show them:\n${indented}`
    const out = await run(calendar, '--dry-run', source)
    equal(out.slice(out.indexOf('The first'), out.indexOf('Would make')), shown)
    doesNotMatch(await run(calendar, source), /The first events/)
    doesNotMatch(await run(calendar, '--dry-run', '--no-private', source), /Board · /)
    // The page of the event shows the same date and time.
    const page = await (await fetch(`${calendar.service.origin}/event/call/`)).text()
    const words = page.replace(/<[^>]+>/g, '')
    ok(words.includes(day(`${YEAR}-07-05`)) && words.includes('20:00 EDT'), words)
  })

  test('is in the language of the site', async (t) => {
    const calendar = await open('de')
    t.after(calendar.close)
    const source = await calendar.file('town.ics', TOWN)
    const out = await run(calendar, '--dry-run', source)
    match(out, /Abgesagt: Fair · .*, \d+\. August \d+, bis \w+, 3\. August \d+, Ganztägig\n/)
    match(out, /Vom Gelesenen sähen Besucher: 7 kommende, 2 vergangene; und nicht: 1 private, 2 als Entwurf/)
  })
})
