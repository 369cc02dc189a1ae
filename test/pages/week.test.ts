import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mondayOf, weekNumberOf, weekOf } from '../../src/features/pages/page-dates.ts'
import { serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin', site_name: 'Kilvara' }, { fill })

const page = (path: string) => service.page(path)
const shown = async (path: string): Promise<string> => {
  const { status, body } = await page(path)
  equal(status, 200, path)
  return body.replaceAll('\u2009', '')
}

function sectionOf(body: string, day: string): string {
  const section = body.split('<section class="of').find((one) => one.includes(`<time datetime="${day}"`))
  ok(section, `no section of ${day}`)
  return section
}

const MONDAY = '2031-05-05'

async function fill(): Promise<void> {
  const at = (title: string, start: string, end = start) =>
    service.event({ title, start_date: start, end_date: end })
  await at('On Monday', `${MONDAY} 19:30`, `${MONDAY} 21:00`)
  await at('On Sunday', '2031-05-11 10:00', '2031-05-11 11:00')
  await at('The Sunday before', '2031-05-04 10:00', '2031-05-04 11:00')
  await at('The Monday after', '2031-05-12 10:00', '2031-05-12 11:00')
  await at('Late night', '2031-05-06 22:00', '2031-05-07 03:00')
  await at('Festival', '2031-05-09 10:00', '2031-05-13 18:00')
  await at('Exhibition', '2031-04-01 10:00', '2031-07-01 18:00')
  for (let i = 0; i < 43; i++) await at(`Talk ${i}`, '2031-05-08 09:00', '2031-05-08 10:00')
  for (const day of ['2031-03-29', '2031-03-30']) await at(`Clocks ${day}`, `${day} 02:30`, `${day} 03:30`)
  await at('مهرجان الموسيقى '.repeat(25), '2031-06-17 09:00', '2031-06-17 10:00')
}

describe('a week', () => {
  test('is that of any of its days, and of its number, under one canonical address', async () => {
    for (const end of [MONDAY, '2031-05-08', '2031-05-11', '2031-W19']) {
      const body = await shown(`/events/week/${end}/`)
      match(body, /<h1[^>]*>5–11 May 2031</u, end)
      match(body, new RegExp(`<link rel="canonical" href="[^"]+/events/week/${MONDAY}/">`))
      match(body, /Week 19 · 48 events/)
    }
  })

  test('has a list for each day, and what lasts several days above them as bars', async () => {
    const body = await shown(`/events/week/${MONDAY}/`)
    equal(body.match(/<section class="of/g)?.length, 7)
    match(sectionOf(body, MONDAY), /19:30<\/time>.*On Monday/s)
    match(sectionOf(body, '2031-05-11'), /On Sunday/)
    // An event that ends before five in the morning is on the evening before only.
    match(sectionOf(body, '2031-05-06'), /Late night/)
    doesNotMatch(sectionOf(body, '2031-05-07'), /Late night/)
    doesNotMatch(body, /The Sunday before|The Monday after/)
    const bars = body.slice(body.indexOf('class="lasts"'), body.indexOf('<section class="of'))
    match(bars, /<li class="c5 w3 starts"><a[^>]*>.*Festival/)
    match(bars, /<li class="c1 w7"><a[^>]*>.*Exhibition/)
    ok(bars.indexOf('Festival') < bars.indexOf('Exhibition'), 'what begins in the week comes first')
  })

  test('shows forty events of a day, and leads to the others', async () => {
    const section = sectionOf(await shown(`/events/week/${MONDAY}/`), '2031-05-08')
    equal(section.match(/Talk \d+</g)?.length, 40)
    match(section, /href="\/events\/2031-05-08\/">\+3 more</)
  })

  test('names the days of the weeks before and after it, and keeps filters', async () => {
    const body = await shown(`/events/week/${MONDAY}/?featured=false`)
    match(body, /rel="prev" href="\/events\/week\/2031-04-28\/\?featured=false">.*28 April–4 May 2031/)
    match(body, /rel="next" href="\/events\/week\/2031-05-12\/\?featured=false">12–18 May 2031/)
    match(body, /href="\/events\/week\/" aria-current="true">Week</)
  })

  test('has its events as a calendar, and feeds', async () => {
    const { body } = await page(`/events/week/${MONDAY}/?ical=1`)
    match(body, /SUMMARY:On Sunday\r/)
    doesNotMatch(body, /The Monday after|The Sunday before/)
    match(await shown(`/events/week/${MONDAY}/`), /type="application\/rss\+xml"/)
  })

  test('has seven days where the clocks change', async () => {
    const body = await shown('/events/week/2031-03-30/')
    equal(body.match(/<section class="of/g)?.length, 7)
    for (const day of ['2031-03-29', '2031-03-30']) match(sectionOf(body, day), new RegExp(`Clocks ${day}`))
  })

  test('without events says when the nearest is', async () => {
    const body = await shown('/events/week/2032-05-05/')
    match(body, /There are no events that week\./)
    match(body, /The last one was on/)
    match(body, /name="robots" content="noindex/)
  })

  test('is there for the first and the last years, and for nothing that is no week', async () => {
    for (const end of ['0001-01-01', '9999-12-31', '0001-W01', '9999-W52'])
      await shown(`/events/week/${end}/`)
    for (const end of '2031-W54 2031-W53 2031-W00 0000-W01 2031-02-30 x 2031-5-5 99999-01-01'.split(' '))
      equal((await page(`/events/week/${end}/`)).status, 404, end)
  })

  test('isolates names that are written from right to left', async () => {
    match(await shown('/events/week/2031-06-17/'), /<span class="title"><(?:bdi|span dir="auto")>مهرجان/u)
  })
})

test('the days of a week follow the first day that is set', () => {
  deepEqual([weekOf('2026-11-25', 1)[0], weekOf('2026-11-25', 0)[0]], ['2026-11-23', '2026-11-22'])
  deepEqual([weekOf('2026-11-22', 1)[0], weekOf('2026-11-22', 6).at(-1)], ['2026-11-16', '2026-11-27'])
  deepEqual(weekOf('9999-12-31', 1).at(-1), '9999-12-31')
})

test('weeks have the numbers of ISO 8601', () => {
  equal(mondayOf('2026-W01'), '2025-12-29')
  equal(mondayOf('2026-W53'), '2026-12-28')
  equal(mondayOf('2027-W01'), '2027-01-04')
  equal(mondayOf('2025-W53'), undefined)
  deepEqual(['2026-12-28', '2027-01-04', '2024-12-30'].map(weekNumberOf), [53, 1, 1])
})

test('pages of a list name the days that the pages beside them have', async () => {
  match(await shown('/events/?start_date=2031-05-05'), /rel="next" href="[^"]+page=2">Later · 8 May 2031 </)
  match(await shown('/events/?start_date=2031-05-05&page=2'), /rel="prev"[^>]*>.*Earlier · 5–8 May 2031</)
  match(await shown('/events/2031-05-08/'), /Friday 9 May 2031|9 May 2031 /)
  match(await shown('/events/month/2031-05/'), /class="pager".*April 2031.*June 2031/s)
})
