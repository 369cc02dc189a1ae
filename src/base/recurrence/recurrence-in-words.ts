import { madeOnce } from '../cache.ts'
import { dayOf, utcToMs } from '../text/moments.ts'
import { completed, type Frequency, type Recurrence, type Rule, type Start, WEEKDAYS } from './recurrence.ts'
import type { recurrenceTexts } from './recurrence-texts.ts'

type RecurrenceText = keyof typeof recurrenceTexts

type SayRecurrence = (text: RecurrenceText, values?: Readonly<Record<string, string>>) => string

const MOST_NAMED = 3

/**
 * Describes a recurrence, such as "every second Tuesday until 30 June 2027, but not on 24 December". `say`
 * translates phrases; `language` decides the names of weekdays and months. Dates in the year of the start are
 * written without a year.
 */
export function recurrenceInWords(
  recurrence: Recurrence,
  start: Start,
  language: string,
  say: SayRecurrence,
): string {
  const { rule, added, left } = recurrence
  const write = writerOf(start, language)
  const dates = (walls: readonly string[]) => joined(walls.map(write.date), language)
  const count = (walls: readonly string[]) => ({ count: String(walls.length) })
  if (!rule) {
    const all = [start.local, ...added]
    return all.length > MOST_NAMED
      ? say('on {count} dates', count(all))
      : say('on {dates}', { dates: dates(all) })
  }
  let text = ruleWords(withPlace(completed(rule, start)), write, language, say)
  if (rule.until !== undefined)
    text = say('{rule} until {date}', { rule: text, date: write.date(rule.until) })
  if (rule.count !== undefined)
    text =
      rule.count === 1
        ? say('{rule}, once', { rule: text })
        : say('{rule}, {count} times', { rule: text, count: String(rule.count) })
  if (added.length > MOST_NAMED)
    text = say('{rule}, and on {count} more dates', { rule: text, ...count(added) })
  else if (added.length > 0) text = say('{rule}, and on {dates}', { rule: text, dates: dates(added) })
  if (left.length > MOST_NAMED) return say('{rule}, but for {count} dates', { rule: text, ...count(left) })
  return left.length > 0 ? say('{rule}, but not on {dates}', { rule: text, dates: dates(left) }) : text
}

interface RecurrenceNames {
  date: (wall: string) => string
  yearday: (month: number, monthday: number) => string
  month: (month: number) => string
  weekday: (name: string) => string
}

/** Formatters by language; creating them takes far longer than using them. */
const formsOf = madeOnce((language: string) => {
  const tag = language === 'en' ? 'en-GB' : language
  const dates = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(tag, { timeZone: 'UTC', ...options })
  return {
    dayMonth: dates({ day: 'numeric', month: 'long' }),
    whole: dates({ day: 'numeric', month: 'long', year: 'numeric' }),
    month: dates({ month: 'long' }),
    weekday: dates({ weekday: 'long' }),
    list: new Intl.ListFormat(tag, { type: 'conjunction' }),
  }
})

function writerOf(start: Start, language: string): RecurrenceNames {
  const { dayMonth, whole, month, weekday } = formsOf(language)
  return {
    date: (wall) =>
      (wall.slice(0, 4) === start.local.slice(0, 4) ? dayMonth : whole).format(
        utcToMs(`${dayOf(wall)} 00:00:00`),
      ),
    yearday: (number, monthday) => dayMonth.format(Date.UTC(2024, number - 1, monthday)),
    month: (number) => month.format(Date.UTC(2024, number - 1, 1)),
    // 1 January 2024 was a Monday, so this date plus the index of a weekday is that weekday.
    weekday: (name) => weekday.format(Date.UTC(2024, 0, 1 + WEEKDAYS.findIndex((day) => name.endsWith(day)))),
  }
}

const joined = (texts: readonly string[], language: string): string => formsOf(language).list.format(texts)

const EVERY: Readonly<Record<Frequency, readonly [RecurrenceText, RecurrenceText, RecurrenceText]>> = {
  daily: ['every day', 'every second day', 'every {count} days'],
  weekly: ['every week', 'every second week', 'every {count} weeks'],
  monthly: ['every month', 'every second month', 'every {count} months'],
  yearly: ['every year', 'every second year', 'every {count} years'],
}

export function withPlace(rule: Rule): Rule {
  const { frequency, weekdays, monthdays, months, positions } = rule
  const [weekday = '', ...others] = weekdays
  const isInOne = frequency === 'monthly' || (frequency === 'yearly' && months.length < 2)
  if (!isInOne || weekday.length !== 2 || others.length + monthdays.length > 0) return rule
  if (positions.length === 0) return rule
  return { ...rule, weekdays: positions.map((place) => `${place}${weekday}`), positions: [] }
}

function ruleWords(rule: Rule, write: RecurrenceNames, language: string, say: SayRecurrence): string {
  const { frequency, interval, weekdays, months, positions } = rule
  const isPlainWeek = frequency === 'weekly' && months.length === 0 && positions.length === 0 && interval < 3
  if (isPlainWeek && weekdays.length === 1)
    return say(interval === 1 ? 'every {weekday}' : 'every second {weekday}', {
      weekday: write.weekday(weekdays[0] ?? ''),
    })
  const [one, two, more] = EVERY[frequency]
  const unit = interval === 1 ? say(one) : interval === 2 ? say(two) : say(more, { count: String(interval) })
  return [unit, ...dayWords(rule, write, language, say)].join(' ')
}

function dayWords(rule: Rule, write: RecurrenceNames, language: string, say: SayRecurrence): string[] {
  const { frequency, months, monthdays, weekdays, positions } = rule
  const [month] = months
  const [monthday] = monthdays
  const isYearday =
    frequency === 'yearly' && months.length === 1 && monthdays.length === 1 && weekdays.length === 0
  if (isYearday && month !== undefined && monthday !== undefined && monthday > 0 && positions.length === 0)
    return [say('on {day}', { day: write.yearday(month, monthday) })]
  const words: string[] = []
  const days = weekdays.map((name) => weekdayWords(name, write, say))
  if (weekdays.join() === 'MO,TU,WE,TH,FR' && positions.length === 0) words.push(say('from Monday to Friday'))
  else if (weekdays.length > 0) words.push(positionsWords(joined(days, language), positions, language, say))
  if (monthdays.length > 0) {
    const numbers = monthdaysWords(monthdays, language, say)
    words.push(
      weekdays.length > 0
        ? say('if it is {days}', { days: numbers })
        : positionsWords(numbers, positions, language, say),
    )
  }
  if (months.length > 0) words.push(say('in {months}', { months: joined(months.map(write.month), language) }))
  return words
}

function positionsWords(
  days: string,
  positions: readonly number[],
  language: string,
  say: SayRecurrence,
): string {
  if (positions.length === 0) return say('on {day}', { day: days })
  return say('on the {places} of these days: {days}', { places: placesWords(positions, language, say), days })
}

function placesWords(places: readonly number[], language: string, say: SayRecurrence): string {
  return joined(
    places.map((place) => placeWord(place, say)),
    language,
  )
}

const PLACES: Readonly<Record<string, RecurrenceText>> = {
  1: 'first',
  2: 'second',
  3: 'third',
  4: 'fourth',
  5: 'fifth',
  [-1]: 'last',
  [-2]: 'second to last',
}

function placeWord(place: number, say: SayRecurrence): string {
  const word = PLACES[place]
  if (word !== undefined) return say(word)
  const number = { number: String(Math.abs(place)) }
  return place > 0 ? say('{number}th', number) : say('{number}th to last', number)
}

function weekdayWords(name: string, write: RecurrenceNames, say: SayRecurrence): string {
  const nth = Number(name.slice(0, -2))
  const weekday = write.weekday(name)
  return nth === 0 ? weekday : say('the {place} {weekday}', { place: placeWord(nth, say), weekday })
}

function monthdaysWords(monthdays: readonly number[], language: string, say: SayRecurrence): string {
  const texts = [...monthdays.filter((day) => day > 0), ...monthdays.filter((day) => day < 0)].map((day) =>
    day > 0
      ? say('day {number}', { number: String(day) })
      : say('the {place} day', { place: placeWord(day, say) }),
  )
  return joined(texts, language)
}
