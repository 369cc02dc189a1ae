import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { LANGUAGES } from '../../src/base/config.ts'
import { readSpokenDate } from '../../src/features/desk/spoken/spoken-dates.ts'
import { readSpokenTime } from '../../src/features/desk/spoken/spoken-times.ts'
import { fc, rounds } from '../support/rounds.ts'

const NOW = '2026-11-23 22:30:00'

const dates: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  en: {
    '2026-12-04': '2026-12-04',
    '12/4/2026': '2026-12-04',
    '12/4': '2026-12-04',
    '25/12/2026': '2026-12-25',
    '4.12.2026': '2026-12-04',
    'Oct 3': '2027-10-03',
    'October 3rd, 2028': '2028-10-03',
    '3 october': '2027-10-03',
    '29 feb': '2028-02-29',
    today: '2026-11-23',
    'day after tomorrow': '2026-11-25',
    'next friday': '2026-11-27',
    'next Monday': '2026-11-30',
    mon: '2026-11-23',
    'mon 7pm': '2026-11-30 19:00',
    'mon 11pm': '2026-11-23 23:00',
    'tuesday next week': '2026-12-01',
    'last friday': '2026-11-20',
    'next friday night 8pm': '2026-11-27 20:00',
    'tomorrow morning': '2026-11-24',
    'July 4th': '2027-07-04',
    'the 4th of July': '2027-07-04',
    'in 2 weeks': '2026-12-07',
    'Friday 4 December': '2026-12-04',
    'Sunday 22 November': '2026-11-22',
    'June 12-14': '2027-06-12/2027-06-14',
    'Dec 4 19:30-21:00': '2026-12-04 19:30-21:00',
    '7-9pm Dec 4': '2026-12-04 19:00-21:00',
    '31 feb': undefined,
    'feb 31': undefined,
    '2026-02-29': undefined,
    '13/13/2026': undefined,
    'Saturday 4 December 2026': undefined,
    'Dec 4 at the old mill': undefined,
    december: undefined,
    '7pm': undefined,
    '': undefined,
  },
  de: {
    'freitag 19:30': '2026-11-27 19:30',
    'Fr., 4.12. um 19.30 Uhr': '2026-12-04 19:30',
    'morgen 17 Uhr': '2026-11-24 17:00',
    'am Freitag von 19 bis 21 Uhr': '2026-11-27 19:00-21:00',
    'nächsten Dienstag': '2026-11-24',
    'naechsten dienstag': '2026-11-24',
    'in 3 Tagen': '2026-11-26',
    'Freitagabend 20 Uhr': '2026-11-27 20:00',
    'Freitag Abend um 20 Uhr': '2026-11-27 20:00',
    'Samstag früh': '2026-11-28',
    'heute nachmittag': '2026-11-23',
    ubermorgen: '2026-11-25',
    'nächste Woche Dienstag': '2026-12-01',
    '3. Oktober': '2027-10-03',
    '3. Okt. 2027': '2027-10-03',
    'Oct 3': '2027-10-03',
    'next friday': '2026-11-27',
    '5. Maerz': '2027-03-05',
    '12/4/2026': '2026-04-12',
    '12.–14. Juni': '2027-06-12/2027-06-14',
    '12.-14.6.': '2027-06-12/2027-06-14',
    '30. Juni bis 2. Juli 2027': '2027-06-30/2027-07-02',
    'Fr–So': '2026-11-27/2026-11-29',
    'Sa 12. – Mo 14. Juni': '2027-06-12/2027-06-14',
    'Sa., 12. bis Mo., 14.6.': '2027-06-12/2027-06-14',
    'Sa 12.6. – Mo 14.6.2027': '2027-06-12/2027-06-14',
    '31.2.': undefined,
    '31 feb': undefined,
    '14.–12. Juni': undefined,
  },
  fr: {
    'vendredi 19h30': '2026-11-27 19:30',
    'ven. 4 déc. 20 h 30': '2026-12-04 20:30',
    demain: '2026-11-24',
    'demain matin 10h': '2026-11-24 10:00',
    'vendredi soir': '2026-11-27',
    'APRES-DEMAIN': '2026-11-25',
    'aujourd’hui': '2026-11-23',
    'mardi prochain': '2026-11-24',
    'la semaine prochaine': '2026-11-30',
    '1er mai': '2027-05-01',
    '12/4/2026': '2026-04-12',
    'le vendredi 4 décembre à 20h': '2026-12-04 20:00',
    'du 12 au 14 juin': '2027-06-12/2027-06-14',
    '31 février': undefined,
  },
  es: {
    'viernes 19:30': '2026-11-27 19:30',
    mañana: '2026-11-24',
    manana: '2026-11-24',
    'pasado mañana': '2026-11-25',
    'viernes por la tarde': '2026-11-27',
    'mañana a las 10 de la mañana': '2026-11-24 10:00',
    'el próximo viernes': '2026-11-27',
    'viernes que viene': '2026-11-27',
    '3 de octubre de 2027': '2027-10-03',
    '12/4/2026': '2026-04-12',
    mar: '2026-11-24',
    '3 mar': '2027-03-03',
    'del 12 al 14 de junio': '2027-06-12/2027-06-14',
    '31 de febrero': undefined,
  },
}

for (const [language, cases] of Object.entries(dates))
  for (const [text, expected] of Object.entries(cases))
    test(`the date field understands «${text}» in ${language} as ${expected ?? 'no date'}`, () => {
      equal(writtenDate(text, language), expected)
    })

function writtenDate(text: string, language: string): string | undefined {
  const read = readSpokenDate(text, { language, now: NOW })
  if (!read) return undefined
  const { date, last, time } = read
  return `${date}${last === undefined ? '' : `/${last}`}${time ? ` ${written(time)}` : ''}`
}

const written = ({ start, end }: { start: string; end?: string }) =>
  end === undefined ? start : `${start}-${end}`

const times: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  en: {
    '19:30': '19:30',
    '19:30:15': '19:30:15',
    '7pm': '19:00',
    '7:30 p.m.': '19:30',
    '12am': '00:00',
    noon: '12:00',
    '24:00': '00:00',
    '19.30': '19:30',
    '1930': '19:30',
    '19': '19:00',
    '7-9pm': '19:00-21:00',
    '11-1pm': '11:00-13:00',
    '11pm-1am': '23:00-01:00',
    '25:00': undefined,
    '19:60': undefined,
    '0pm': undefined,
    '9-5': undefined,
    friday: undefined,
    '': undefined,
  },
  de: {
    '17 Uhr': '17:00',
    '19 Uhr 30': '19:30',
    '19.30 Uhr': '19:30',
    '19:30–21:00': '19:30-21:00',
    'von 19 bis 21 Uhr': '19:00-21:00',
    '8 Uhr abends': '20:00',
    mittags: '12:00',
  },
  fr: {
    '19h': '19:00',
    '19h30': '19:30',
    '20 heures': '20:00',
    'de 20h à 22h': '20:00-22:00',
    '8h du soir': '20:00',
    midi: '12:00',
  },
  es: {
    'a las 19:30': '19:30',
    'de 19 a 21 horas': '19:00-21:00',
    '10 de la noche': '22:00',
    mediodía: '12:00',
  },
}

for (const [language, cases] of Object.entries(times))
  for (const [text, expected] of Object.entries(cases))
    test(`the time field understands «${text}» in ${language} as ${expected ?? 'no time'}`, () => {
      const read = readSpokenTime(text, language)
      equal(read && written(read), expected)
    })

for (const language of LANGUAGES)
  test(`every day of a year is understood as ${language} writes it, in full and in short`, () => {
    for (const style of ['full', 'long', 'medium'] as const) {
      const format = new Intl.DateTimeFormat(language, { dateStyle: style, timeZone: 'UTC' })
      for (let day = 0; day < 366; day += 1) {
        const ms = Date.UTC(2028, 0, 1 + day)
        const text = format.format(ms)
        const expected = new Date(ms).toISOString().slice(0, 10)
        equal(readSpokenDate(text, { language, now: NOW })?.date, expected, text)
        equal(readSpokenDate(text.toUpperCase(), { language, now: NOW })?.date, expected, text.toUpperCase())
      }
    }
  })

for (const language of LANGUAGES)
  test(`each weekday and month of ${language} is understood in full and in short`, () => {
    const plain = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '')
    for (const style of ['long', 'short'] as const) {
      for (let day = 0; day < 7; day += 1) {
        const ms = Date.UTC(2026, 10, 23 + day)
        const name = new Intl.DateTimeFormat(language, { weekday: style, timeZone: 'UTC' }).format(ms)
        const expected = new Date(ms).toISOString().slice(0, 10)
        for (const text of [name, plain(name), name.replace('.', '')])
          equal(readSpokenDate(text, { language, now: NOW })?.date, expected, text)
      }
      for (let month = 0; month < 12; month += 1) {
        const ms = Date.UTC(2028, month, 9)
        const name = new Intl.DateTimeFormat(language, { month: style, timeZone: 'UTC' }).format(ms)
        for (const text of [`9 ${name} 2028`, `9 ${plain(name)} 2028`, `9 ${name.replace('.', '')} 2028`])
          equal(
            readSpokenDate(text, { language, now: NOW })?.date,
            new Date(ms).toISOString().slice(0, 10),
            text,
          )
      }
    }
  })

const pieces = '12|.|-|–| |:|31|fr|next|de|la|bis|juin|a|m|2026|/|,|h|in|𝟛|\u0301'.split('|')
const typed = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((some) => some.join('')),
)

test('whatever is typed is a date there is or none, and never fails', () => {
  fc.assert(
    fc.property(typed, fc.constantFrom(...LANGUAGES), (text, language) => {
      const read = readSpokenDate(text, { language, now: NOW })
      if (read) equal(new Date(`${read.date}T00:00:00Z`).toISOString().slice(0, 10), read.date)
      const time = readSpokenTime(text, language)
      if (time) match(time.start, /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/)
    }),
    { numRuns: rounds(200) },
  )
})
