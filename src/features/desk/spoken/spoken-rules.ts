import { WEEKDAYS } from '../../../base/recurrence/recurrence.ts'
import type { RecurrenceObject } from '../../../base/recurrence/recurrence-text.ts'
import { type Said, saidAt, type Token, type Vocabulary } from './spoken-words.ts'

/** Reads a recurrence rule such as `every Tuesday`, `dienstags` or `toutes les 2 semaines`. */
export function spokenRuleAt(
  tokens: readonly Token[],
  at: number,
  words: Vocabulary,
): Said<RecurrenceObject> | undefined {
  const frequency = saidAt(tokens, at, words.frequencies)
  if (frequency) return { meaning: { frequency: frequency.meaning, interval: 1 }, next: frequency.next }
  const repeated = weekdaysAt(tokens, at, words, false)
  if (repeated) return weekly(repeated)
  const every = saidAt(tokens, at, words.every)
  if (!every) {
    const few = saidAt(tokens, at, words.everyFew)
    return few ? severalAt(tokens, few.next, words) : placeAt(tokens, at, words, false)
  }
  const weekdays = weekdaysAt(tokens, every.next, words, true)
  if (weekdays) return weekly(weekdays)
  return placeAt(tokens, every.next, words, true) ?? severalAt(tokens, every.next, words)
}

function weekly({ meaning, next }: Said<number[]>): Said<RecurrenceObject> {
  return { meaning: { frequency: 'weekly', interval: 1, weekdays: meaning.map(ruleName) }, next }
}

const ruleName = (weekday: number) => (WEEKDAYS[weekday] ?? 'MO').toLowerCase()

/** Reads weekdays. Without `every`, the first must itself mean repetition, as `dienstags` does. */
function weekdaysAt(
  tokens: readonly Token[],
  at: number,
  words: Vocabulary,
  isEvery: boolean,
): Said<number[]> | undefined {
  let found = dayAt(tokens, at, words, isEvery)
  const days: number[] = []
  let next = at
  while (found) {
    days.push(found.meaning)
    next = found.next
    const and = saidAt(tokens, next, words.and)
    found = and && dayAt(tokens, and.next, words, isEvery || tokens[next]?.text !== ',')
  }
  return days.length === 0
    ? undefined
    : { meaning: [...new Set(days)].sort((one, other) => one - other), next }
}

function dayAt(
  tokens: readonly Token[],
  at: number,
  words: Vocabulary,
  isPlain: boolean,
): Said<number> | undefined {
  const plural = saidAt(tokens, at, words.repeated)
  const single = isPlain ? saidAt(tokens, at, words.weekdays) : undefined
  return plural ?? (single && { meaning: single.meaning.day, next: single.next })
}

/** `first Sunday of the month`; without `of the month`, `every second Sunday` means every two weeks. */
function placeAt(
  tokens: readonly Token[],
  at: number,
  words: Vocabulary,
  isEvery: boolean,
): Said<RecurrenceObject> | undefined {
  const place = saidAt(tokens, at, words.places) ?? numberedAt(tokens, at, words)
  const weekday = place && dayAt(tokens, place.next, words, true)
  if (!weekday) return undefined
  const name = ruleName(weekday.meaning)
  const ofMonth = saidAt(tokens, weekday.next, words.ofMonth)
  if (!ofMonth && !isEvery) return undefined
  if (!ofMonth && place.meaning === 2)
    return { meaning: { frequency: 'weekly', interval: 2, weekdays: [name] }, next: weekday.next }
  const weekdays = [`${place.meaning}${name}`]
  return { meaning: { frequency: 'monthly', interval: 1, weekdays }, next: ofMonth?.next ?? weekday.next }
}

/** A weekday occurs at most five times in a month. */
const MOST_PLACES = 5

function numberedAt(tokens: readonly Token[], at: number, words: Vocabulary): Said<number> | undefined {
  const token = tokens[at]
  const ordinal = tokens[at + 1]?.isGlued ? saidAt(tokens, at + 1, words.ordinals) : undefined
  const place = token?.kind === 'number' ? Number(token.text) : 0
  return ordinal && place >= 1 && place <= MOST_PLACES ? { meaning: place, next: ordinal.next } : undefined
}

const MOST_INTERVAL = 1000
const DAYS_A_WEEK = 7

/** An interval: `2 weeks`, `3 Tage`, `other week`, `quinzaine`. */
function severalAt(
  tokens: readonly Token[],
  at: number,
  words: Vocabulary,
): Said<RecurrenceObject> | undefined {
  const counted = countAt(tokens, at, words)
  const unit = saidAt(tokens, counted.next, words.units)
  if (!unit) return undefined
  const isWeekly = unit.meaning % DAYS_A_WEEK === 0
  const interval = counted.meaning * (isWeekly ? unit.meaning / DAYS_A_WEEK : unit.meaning)
  if (interval < 1 || interval > MOST_INTERVAL) return undefined
  return { meaning: { frequency: isWeekly ? 'weekly' : 'daily', interval }, next: unit.next }
}

function countAt(tokens: readonly Token[], at: number, words: Vocabulary): Said<number> {
  const token = tokens[at]
  if (token?.kind === 'number' && token.text.length <= 3) return { meaning: Number(token.text), next: at + 1 }
  const place = saidAt(tokens, at, words.places)
  return place && place.meaning > 0 ? place : { meaning: 1, next: at }
}
