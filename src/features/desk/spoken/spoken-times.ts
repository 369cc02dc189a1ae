import { type Said, saidAt, type Token, tokensOf, type Vocabulary, vocabularyOf } from './spoken-words.ts'

/** `HH:MM`, or `HH:MM:SS` if the seconds are not 0. */
export type ClockTime = string

/** A start, and perhaps an end; an end before the start is on the next day. */
export interface SpokenTime {
  start: ClockTime
  end?: ClockTime
}

/**
 * Reads `19:30`, `19h`, `17 Uhr`, `7pm`, `noon`, `1930`, `19` or `19:30–21:00`. Undefined for any other text,
 * or more than 300 characters.
 */
export function readSpokenTime(text: string, language: string): SpokenTime | undefined {
  const tokens = tokensOf(text)
  const words = vocabularyOf(language)
  const found = timesAt(tokens, 0, words) ?? bareTime(tokens)
  return found && skipFillers(tokens, found.next, words) === tokens.length ? found.meaning : undefined
}

/** A number without a unit, `19` or `1930`: a time only if it is the whole text. */
function bareTime(tokens: readonly Token[]): Said<SpokenTime> | undefined {
  const [first] = tokens
  if (tokens.length !== 1 || first?.kind !== 'number') return undefined
  const { text } = first
  const [hours, minutes] = text.length > 2 ? [text.slice(0, -2), text.slice(-2)] : [text, '00']
  const start = clockTime(hours, minutes, '00')
  return start === undefined ? undefined : { meaning: { start }, next: 1 }
}

export function skipFillers(tokens: readonly Token[], at: number, { fillers }: Vocabulary): number {
  let next = at
  for (;;) {
    const filler = saidAt(tokens, next, fillers)
    if (filler) next = filler.next
    else if (tokens[next]?.text === ',') next += 1
    else return next
  }
}

export function timesAt(
  tokens: readonly Token[],
  at: number,
  words: Vocabulary,
): Said<SpokenTime> | undefined {
  const from = skipFillers(tokens, at, words)
  const start = clockAt(tokens, from, words)
  const end = endAt(tokens, start?.next, words)
  if (start?.isBare && !end) return isHourSaid(tokens, from, start, words) ? saidTimes(start) : undefined
  return start && ((end && stretchOf(start, end)) ?? (start.isBare ? undefined : saidTimes(start)))
}

/** True for an hour over 12 after a word such as `at`, unless the next word may be what the number counts. */
function isHourSaid(
  tokens: readonly Token[],
  at: number,
  { hour, next }: SpokenClock,
  words: Vocabulary,
): boolean {
  const isBehind = [1, 2].some((back) => saidAt(tokens, at - back, words.at)?.next === at)
  return isBehind && hour > MOST_HALF_HOURS && tokens[next]?.kind !== 'word'
}

const MOST_HALF_HOURS = 12

interface SpokenClock {
  hour: number
  minute: string
  second: string
  half: 'am' | 'pm' | undefined
  isBare: boolean
  next: number
}

function endAt(tokens: readonly Token[], at: number | undefined, words: Vocabulary): SpokenClock | undefined {
  const connector = at === undefined ? undefined : saidAt(tokens, at, words.to)
  return connector && clockAt(tokens, skipFillers(tokens, connector.next, words), words)
}

function stretchOf(start: SpokenClock, end: SpokenClock): Said<SpokenTime> | undefined {
  if (start.isBare && end.isBare) return undefined
  const last = timeOf(end)
  const half = start.half ?? (end.half && start.hour <= MOST_HALF_HOURS ? end.half : undefined)
  const first = timeOf({ ...start, half })
  // In `11-1pm` the start is in the other half of the day: 11am.
  const other =
    start.half === undefined &&
    half !== undefined &&
    first !== undefined &&
    last !== undefined &&
    first > last
  const begin = other ? timeOf({ ...start, half: half === 'pm' ? 'am' : 'pm' }) : first
  return begin === undefined || last === undefined
    ? undefined
    : { meaning: { start: begin, end: last }, next: end.next }
}

function saidTimes(clock: SpokenClock): Said<SpokenTime> | undefined {
  const start = timeOf(clock)
  return start === undefined ? undefined : { meaning: { start }, next: clock.next }
}

function timeOf({ hour, minute, second, half }: SpokenClock): ClockTime | undefined {
  if (half !== undefined && hour < 1) return undefined
  // `20 Uhr abends` names the half of the day twice, so nothing is added to the hour.
  if (half !== undefined && hour > MOST_HALF_HOURS)
    return half === 'pm' ? clockTime(String(hour), minute, second) : undefined
  const whole = half === undefined ? hour : (hour % MOST_HALF_HOURS) + (half === 'pm' ? MOST_HALF_HOURS : 0)
  return clockTime(String(whole), minute, second)
}

/** `HH:MM` or `HH:MM:SS`, with 24:00 as 00:00; undefined if there is no such time. */
function clockTime(hours: string, minutes: string, seconds: string): ClockTime | undefined {
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)]
  if (hour > 24 || minute > 59 || second > 59 || (hour === 24 && minute + second > 0)) return undefined
  const time = `${String(hour % 24).padStart(2, '0')}:${minutes.padStart(2, '0')}`
  return second === 0 ? time : `${time}:${seconds.padStart(2, '0')}`
}

function clockAt(tokens: readonly Token[], at: number, words: Vocabulary): SpokenClock | undefined {
  const named = noonAt(tokens, at, words)
  if (named) return named
  const [first, sign, second] = [tokens[at], tokens[at + 1], tokens[at + 2]]
  if (first?.kind !== 'number' || first.text.length > 2) return undefined
  const hour = Number(first.text)
  const plain = { hour, minute: '00', second: '00', half: undefined, isBare: true, next: at + 1 }
  if (sign?.isGlued && (sign.text === ':' || sign.text === '.') && isMinutes(second))
    return closed(
      tokens,
      withSeconds(tokens, { ...plain, minute: second.text, isBare: false, next: at + 3 }),
      words,
    )
  return closed(tokens, plain, words)
}

function noonAt(tokens: readonly Token[], at: number, words: Vocabulary): SpokenClock | undefined {
  const noon = saidAt(tokens, at, words.noons)
  // The `midi` of `après-midi` is not noon.
  if (!noon || (tokens[at]?.isGlued && tokens[at - 1]?.text === '-')) return undefined
  return { hour: noon.meaning, minute: '00', second: '00', half: undefined, isBare: false, next: noon.next }
}

function isMinutes(token: Token | undefined): token is Token {
  return token?.kind === 'number' && token.text.length === 2 && token.isGlued
}

function withSeconds(tokens: readonly Token[], clock: SpokenClock): SpokenClock {
  const [sign, seconds] = [tokens[clock.next], tokens[clock.next + 1]]
  if (sign?.text !== ':' || !sign.isGlued || !isMinutes(seconds)) return clock
  return { ...clock, second: seconds.text, next: clock.next + 2 }
}

function closed(tokens: readonly Token[], clock: SpokenClock, words: Vocabulary): SpokenClock {
  const hours = saidAt(tokens, clock.next, words.hours)
  const minutes = hours && clock.isBare ? minutesAt(tokens, hours.next, words) : undefined
  const told = hours
    ? {
        ...clock,
        ...(minutes ? { minute: minutes.text } : {}),
        isBare: false,
        next: hours.next + (minutes ? 1 : 0),
      }
    : clock
  const half = saidAt(tokens, told.next, words.halves)
  const filler = saidAt(tokens, told.next, words.fillers)
  // In `19 Uhr am Freitag` the word `am` belongs to the weekday, so it is no half of the day.
  if (!half || (filler && filler.next >= half.next) || !isHour(told.hour, half.meaning)) return told
  const isDotted = tokens[half.next]?.text === '.' && tokens[half.next - 2]?.text === '.'
  return { ...told, half: half.meaning, isBare: false, next: half.next + (isDotted ? 1 : 0) }
}

const isHour = (hour: number, half: 'am' | 'pm') => hour >= 1 && (half === 'pm' || hour <= MOST_HALF_HOURS)

/** Reads the minutes after `h` or `Uhr`: `19h30`, `19 Uhr 30`. */
function minutesAt(tokens: readonly Token[], at: number, words: Vocabulary): Token | undefined {
  const token = tokens[at]
  if (token?.kind !== 'number' || token.text.length !== 2 || Number(token.text) > 59) return undefined
  // In `19 Uhr 12.6.` and `19h 12 juin` a date follows the hour.
  const sign = tokens[at + 1]
  const isDate = sign?.isGlued && /^[.:/-]$/.test(sign.text) && tokens[at + 2]?.isGlued
  return isDate || saidAt(tokens, at + 1, words.months) ? undefined : token
}
