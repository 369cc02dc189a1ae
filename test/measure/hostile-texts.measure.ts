import { ok } from 'node:assert/strict'
import { test } from 'node:test'
import { textOf } from '../../client/src/texts.ts'
import { LANGUAGES, readConfig, siteOf } from '../../src/base/config.ts'
import { readRecurrence } from '../../src/base/recurrence/recurrence-text.ts'
import { plainText, renderText } from '../../src/base/text/html.ts'
import { readableText } from '../../src/base/text/long-texts.ts'
import { parseMoment } from '../../src/base/text/moments.ts'
import { nextDates } from '../../src/features/desk/event-form/rule-builder.ts'
import { readQuickLine } from '../../src/features/desk/spoken/quick-line.ts'
import { readSpokenDate } from '../../src/features/desk/spoken/spoken-dates.ts'
import { writtenCost } from '../../src/features/pages/cards.ts'
import { markdownHtml } from '../../src/features/pages/markdown.ts'
import { chooseLanguage, makeLanguageChooser } from '../../src/features/pages/page-languages.ts'
import { shownUrl, withoutSecrets } from '../../src/http/request-log.ts'
import { medianMs } from '../support/thread-time.ts'

const MOST_GROWTH = 40
const NOTHING = 25

async function growsWithLength(
  name: string,
  length: number,
  work: (length: number) => unknown,
): Promise<void> {
  const [short, long] = [await medianMs(() => work(length)), await medianMs(() => work(length * 10))]
  ok(long < MOST_GROWTH * short + NOTHING, `${name}: ${long} ms for ten times the length of ${short} ms`)
}

test('HTML is read as plain text in proportion to its length, however it is nested', async () => {
  for (const piece of ['<a href="x">', '<a href="', '<p>', '&amp;', '</a>', '<li>', '<img alt="', ' ', '<a '])
    await growsWithLength(piece, 10_000, (length) =>
      readableText(piece.repeat(length / piece.length), 'https://calendar.example/'),
    )
})

test('a text of nothing but marks of Markdown costs a moment', async () => {
  const ms = await medianMs(() => markdownHtml('*a_'.repeat(6600), 'below'))
  ok(ms < 500, `${ms} ms`)
})

test('a long cost is written in proportion to its length', async () => {
  const site = { ...siteOf(readConfig({}, {}, []), 80), language: 'de' } as const
  await growsWithLength('cost', 500, (length) => {
    for (let i = 0; i < 100; i++) writtenCost(site, [`${'1,'.repeat(length)}€`])
  })
})

test('a megabyte as a date costs no more than the length that is looked at', async () => {
  const read = (text: string) =>
    medianMs(() => {
      for (let i = 0; i < 100; i++) readSpokenDate(text, { language: 'de', now: '2026-11-23 22:30:00' })
    })
  for (const piece of ['1', 'fr ', '12.', 'de la ', '-']) {
    const [least, most] = [await read(piece.repeat(301)), await read(piece.repeat(1_000_000))]
    ok(most < 10 * least + NOTHING, `${piece}: ${most} ms for a megabyte, ${least} for little`)
  }
})

test('the longest quick line costs a moment, and a longer one nothing', async () => {
  const NOW = Date.UTC(2026, 10, 23, 21, 30)
  for (const piece of ['1 ', 'every ', '@ ', '#a ', ', ', 'fr ', '12.', '19:00 '])
    for (const language of LANGUAGES) {
      const read = (text: string) =>
        medianMs(() => readQuickLine(text, { language, timezone: 'Europe/Berlin', now: NOW }))
      const [long, longer] = [
        await read(piece.repeat(300).slice(0, 300)),
        await read(piece.repeat(1_000_000)),
      ]
      ok(long < 100 && longer < 50, `${piece} in ${language}: ${long} and ${longer} ms`)
    }
})

test('the next dates of a rule cost a moment, however far away and rare they are', async () => {
  const old = { local: '0001-01-01 10:00:00', zone: 'Europe/Berlin', allDay: false }
  for (const rule of [
    'FREQ=DAILY',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU',
    'FREQ=MONTHLY;INTERVAL=1000',
  ]) {
    const ms = await medianMs(() => nextDates(`RRULE:${rule}`, old, '2027-01-01 00:00:00', 1e9))
    ok(ms < 1000, `${rule}: ${ms} ms`)
  }
})

test('HTML is rendered, and its entities are decoded, in proportion to its length', async () => {
  for (const piece of '<a "|<!|<!--|<script>|<b></i>|<b>|&| \n|<p>a\n\n|&#|&amp'.split('|'))
    await growsWithLength(piece, 12_000, (length) => {
      const text = piece.repeat(length / piece.length)
      renderText(text, false)
      renderText(text, true)
      plainText(text)
      textOf(text)
    })
})

test('a text as a moment costs a moment, within the limit and beyond', async () => {
  for (const piece of [' ', '1', '1 ', '-', 'a/', '(', '+1 day ', 't10:00 ', ',', 'first ', '1:', '\t\n'])
    for (const text of [piece.repeat(100).slice(0, 100), piece.repeat(500_000)]) {
      const ms = await medianMs(() => parseMoment(text, 'America/New_York', Date.UTC(2026, 10, 20)))
      ok(ms < 100, `${piece}: ${ms} ms`)
    }
})

test('a rule without dates and a list of too many are refused in a moment', async () => {
  const start = { local: '2026-11-24 19:00:00', zone: 'Europe/Berlin', allDay: false }
  const days = Array.from({ length: 10_000 }, () => '20270101').join()
  for (const rule of [
    'FREQ=YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29',
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6',
    `FREQ=YEARLY;BYDAY=${'MO,'.repeat(60_000)}MO`,
    `FREQ=DAILY\nRDATE:${days}`,
  ]) {
    const ms = await medianMs(() => readRecurrence(rule, start))
    ok(ms < 50, `${rule.slice(0, 60)}: ${ms} ms`)
  }
})

test('languages are chosen in a moment, whatever the header', async () => {
  const chooser = makeLanguageChooser(siteOf(readConfig({}, {}, []), 80))
  const long = `${'x,'.repeat(500_000)}de`
  const ms = await medianMs(() => {
    for (let i = 0; i < 1000; i++) chooseLanguage(chooser, '', `${i}-x, de;q=0.${i}`)
    for (let i = 0; i < 100; i++) chooseLanguage(chooser, '', long)
  })
  ok(ms < 200, `${ms} ms`)
})

test('secrets are hidden in proportion to the length of a line', async () => {
  for (const piece of ['a://', 'password', 'basic ', 'kal_', '%5Bkey'])
    await growsWithLength(piece, 16_000, (length) => withoutSecrets(piece.repeat(length / piece.length)))
  const ms = await medianMs(() => shownUrl(`?${'%5Bkey'.repeat(1300)}`))
  ok(ms < 100, `${ms} ms`)
})
