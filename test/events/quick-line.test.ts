import { deepEqual, equal, fail, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { LANGUAGES } from '../../src/base/config.ts'
import { type QuickLine, readQuickLine } from '../../src/features/desk/spoken/quick-line.ts'
import { fc, rounds } from '../support/rounds.ts'

const NOW = Date.UTC(2026, 10, 23, 21, 30)

const read = (text: string, language: string) =>
  readQuickLine(text, { language, timezone: 'Europe/Berlin', now: NOW })

type Expected = Partial<QuickLine> & { when?: string }

const tuesday = { frequency: 'weekly', interval: 1, weekdays: ['tu'] }

const lines: Readonly<Record<string, Readonly<Record<string, Expected>>>> = {
  en: {
    "Choir Tue 19:00–21:00 @ St Brigid's #music": {
      title: 'Choir',
      when: '2026-11-24 19:00 2026-11-24 21:00',
      venue: "St Brigid's",
      labels: ['music'],
    },
    "Choir, fri 19:30-21:00, St Mary's": {
      title: 'Choir',
      when: '2026-11-27 19:30 2026-11-27 21:00',
      venue: "St Mary's",
    },
    "Fri 19:30 Choir, St Mary's": { title: 'Choir', when: '2026-11-27 19:30', venue: "St Mary's" },
    'Dinner, dance and talk, Friday 19:00': { title: 'Dinner, dance and talk', when: '2026-11-27 19:00' },
    'Party Sat 22:00-02:00': { title: 'Party', when: '2026-11-28 22:00 2026-11-29 02:00' },
    'Summer camp June 12-14': { title: 'Summer camp', when: '2027-06-12 2027-06-14', all_day: true },
    'Fair Dec 4 all day @ Market': {
      title: 'Fair',
      when: '2026-12-04 2026-12-04',
      all_day: true,
      venue: 'Market',
    },
    'Choir every Tuesday 7pm @ Hall until 30 June': {
      title: 'Choir',
      when: '2026-11-24 19:00',
      venue: 'Hall',
      recurrence: { ...tuesday, until: '2027-06-30' },
    },
    'Book club every 2nd tuesday of the month 19:30': {
      title: 'Book club',
      when: '2026-12-08 19:30',
      recurrence: { frequency: 'monthly', interval: 1, weekdays: ['2tu'] },
    },
    'Yoga every other week Tue 19:00': {
      title: 'Yoga',
      when: '2026-11-24 19:00',
      recurrence: { frequency: 'weekly', interval: 2 },
    },
    'Jazz Friday night 20:00': { title: 'Jazz', when: '2026-11-27 20:00' },
    'Jazz night 20:00 Fri': { title: 'Jazz night', when: '2026-11-27 20:00' },
    'Walk 12/4 9:30': { title: 'Walk', when: '2026-12-04 09:30' },
    'Workshop in 3/4 time, Fri 19:00': { title: 'Workshop in 3/4 time', when: '2026-11-27 19:00' },
    'Choir (Tue 19:00)': { title: 'Choir', when: '2026-11-24 19:00' },
    'Walk mon 19:00': { title: 'Walk', when: '2026-11-30 19:00' },
    'Yesterday: Beatles night Fri 20:00': { title: 'Yesterday: Beatles night', when: '2026-11-27 20:00' },
    'May Day parade 1 May': { title: 'May Day parade', when: '2027-05-01' },
    'Dance in the sun': { title: 'Dance in the sun' },
    'Session #3 with a@b.example': { title: 'Session #3 with a@b.example' },
    '24h race': { title: '24h race' },
    'Choir 31 feb 19:00': { title: 'Choir 31 feb', when: ' 19:00' },
    '': { title: '' },
  },
  de: {
    'Chorprobe Fr 19:30 @ Pfarrsaal #musik': {
      title: 'Chorprobe',
      when: '2026-11-27 19:30',
      venue: 'Pfarrsaal',
      labels: ['musik'],
    },
    'Chorprobe jeden Dienstag 19:30, Pfarrsaal': {
      title: 'Chorprobe',
      when: '2026-11-24 19:30',
      venue: 'Pfarrsaal',
      recurrence: tuesday,
    },
    'Chor jeden Di 19:30 bis 30. Juni': {
      title: 'Chor',
      when: '2026-11-24 19:30',
      recurrence: { ...tuesday, until: '2027-06-30' },
    },
    'Chor dienstags und donnerstags 19-21 Uhr': {
      title: 'Chor',
      when: '2026-11-24 19:00 2026-11-24 21:00',
      recurrence: { ...tuesday, weekdays: ['tu', 'th'] },
    },
    'Sommerfest 12.–14. Juni': { title: 'Sommerfest', when: '2027-06-12 2027-06-14', all_day: true },
    'Konzert mit Orgel 4.12. 19.30 Uhr': { title: 'Konzert mit Orgel', when: '2026-12-04 19:30' },
    'Chor am Freitag um 19, Pfarrsaal': { title: 'Chor', when: '2026-11-27 19:00', venue: 'Pfarrsaal' },
    'Yoga alle 2 Wochen Mo 18:00': {
      title: 'Yoga',
      when: '2026-11-30 18:00',
      recurrence: { frequency: 'weekly', interval: 2 },
    },
    'Tag der 15 Türen, 4. Dezember': { title: 'Tag der 15 Türen', when: '2026-12-04' },
    'Flohmarkt morgen ganztägig': { title: 'Flohmarkt', when: '2026-11-24 2026-11-24', all_day: true },
    'So schön: Lesung am Freitag, den 4. Dezember um 20 Uhr': {
      title: 'So schön: Lesung',
      when: '2026-12-04 20:00',
    },
    'Vortrag 19.11 Uhr': { title: 'Vortrag', when: ' 19:11' },
  },
  fr: {
    'Concert vendredi 20h à la salle X': { title: 'Concert à la salle X', when: '2026-11-27 20:00' },
    'Chorale tous les mardis 19h30 @ Église': {
      title: 'Chorale',
      when: '2026-11-24 19:30',
      venue: 'Église',
      recurrence: tuesday,
    },
    'Fête 12 et 13 juin toute la journée': { title: 'Fête', when: '2027-06-12 2027-06-13', all_day: true },
    'Concert de mon chœur mar 20h': { title: 'Concert de mon chœur', when: '2026-11-24 20:00' },
    'Marché chaque premier dimanche du mois': {
      title: 'Marché',
      when: '2026-12-06',
      recurrence: { frequency: 'monthly', interval: 1, weekdays: ['1su'] },
    },
  },
  es: {
    'Coro cada martes 19:30 @ Salón': {
      title: 'Coro',
      when: '2026-11-24 19:30',
      venue: 'Salón',
      recurrence: tuesday,
    },
    'Coro los martes y jueves 19:30': {
      title: 'Coro',
      when: '2026-11-24 19:30',
      recurrence: { ...tuesday, weekdays: ['tu', 'th'] },
    },
    'Feria mañana todo el día': { title: 'Feria', when: '2026-11-24 2026-11-24', all_day: true },
    'Misa mañana a las 10 de la mañana, Catedral': {
      title: 'Misa',
      when: '2026-11-24 10:00',
      venue: 'Catedral',
    },
  },
}

for (const [language, cases] of Object.entries(lines))
  for (const [text, expected] of Object.entries(cases))
    test(`the line «${text}» is understood in ${language}`, () => {
      const { start_date, start_time, end_date, end_time, ...others } = read(text, language) ?? fail()
      const { when = '', ...rest } = expected
      const said = [start_date ?? '', start_time, end_date, end_time]
        .filter((part) => part !== undefined)
        .join(' ')
      deepEqual({ when: said, ...others }, { when, all_day: false, labels: [], ...rest })
    })

test('a title, a date as a language writes it, a time and a venue are found in any line made of them', () => {
  const days = fc.integer({ min: 0, max: 360 }).map((day) => Date.UTC(2026, 10, 24 + day))
  const styles = fc.constantFrom('full' as const, 'long' as const, 'medium' as const)
  const hours = fc
    .integer({ min: 0, max: 47 })
    .map((half) => `${String(half >> 1).padStart(2, '0')}:${half % 2}0`)
  const titles = fc.constantFrom(
    'Choir',
    'Sommer & Herbst',
    'L’été',
    'Año Nuevo',
    'Top 10',
    'C# für alle',
    'May Day',
  )
  const line = fc.record({
    language: fc.constantFrom(...LANGUAGES),
    day: days,
    style: styles,
    hour: hours,
    title: titles,
  })
  fc.assert(
    fc.property(line, ({ language, day, style, hour, title }) => {
      const date = new Intl.DateTimeFormat(language, { dateStyle: style, timeZone: 'UTC' }).format(day)
      const expected = { title, start_date: new Date(day).toISOString().slice(0, 10), start_time: hour }
      for (const text of [`${title} ${date} ${hour} @ Mill`, `${title}, ${date}, ${hour}, Mill`]) {
        const { all_day: _allDay, labels: _labels, ...found } = read(text, language) ?? fail()
        deepEqual(found, { ...expected, venue: 'Mill' }, text)
      }
    }),
    { numRuns: rounds(120) },
  )
})

const pieces =
  'Choir|every|Tue|und|19:00|–|21:00|@|#music|,|(|)|12.|Juni|bis|all day|tous les|a|de|31|/|.'.split('|')
const typed = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((some) => some.join(' ').slice(0, 300)),
)

test('whatever is written in a line is understood or stays in it, and never fails', () => {
  fc.assert(
    fc.property(typed, fc.constantFrom(...LANGUAGES), (text, language) => {
      const line = read(text, language) ?? fail()
      const letters = (part: string) => part.match(/\p{L}+/gu) ?? []
      const known = new Set(letters(text))
      for (const word of [line.title, line.venue ?? '', ...line.labels].flatMap(letters))
        ok(known.has(word), word)
      if (line.start_date !== undefined && line.end_date !== undefined) ok(line.start_date <= line.end_date)
    }),
    { numRuns: rounds(200) },
  )
})

test('a megabyte is refused', () => {
  const here = { language: 'de', timezone: 'UTC', now: NOW } as const
  for (const piece of ['1', 'every ', '@ ', '# ', ', ']) {
    const whole = piece.repeat(1_000_000)
    equal(readQuickLine(whole, here), undefined, piece)
  }
})
