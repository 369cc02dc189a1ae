import { isFault, matchingDates, searchedUntil } from '../../../base/recurrence/recurrence.ts'
import { type RecurrenceObject, readRecurrence } from '../../../base/recurrence/recurrence-text.ts'
import { addDays, dayOf, wallNow } from '../../../base/text/moments.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import { TAXONOMIES, TERM_LISTS } from '../../../calendar/terms/term-store.ts'
import { findNamed, findSameName, type PickedName } from '../picked-names.ts'
import { dateAt, type FoundDate, type SpokenHere } from './spoken-dates.ts'
import { spokenRuleAt } from './spoken-rules.ts'
import { type SpokenTime, skipFillers, timesAt } from './spoken-times.ts'
import { type Said, saidAt, type Token, tokensOf, type Vocabulary, vocabularyOf } from './spoken-words.ts'

// Reads an event from one natural-language line, such as `Choir practice, every Tuesday 7:30pm, Town hall`.

export interface QuickLine {
  title: string
  start_date?: string
  start_time?: string
  end_date?: string
  end_time?: string
  all_day: boolean
  venue?: string
  /** Names written after `#`, without that sign. */
  labels: string[]
  recurrence?: RecurrenceObject
}

/** `now` is in ms since the epoch. */
interface LineWriter {
  language: string
  timezone: string
  now: number
}

/** `taken[i]`: token `i` was understood as part of a label, date, time, rule or venue. */
interface Line {
  text: string
  tokens: readonly Token[]
  words: Vocabulary
  here: SpokenHere
  taken: boolean[]
}

/** What was understood, and its tokens: from index `from` until before `next`. */
interface PieceSpan<Meaning> extends Said<Meaning> {
  from: number
}

/**
 * Reads the line. The venue stands after `@`, or after the date and a comma: `Chorprobe, jeden Dienstag
 * 19:30, Pfarrsaal`. Undefined for more than 300 characters.
 */
export function readQuickLine(text: string, { language, timezone, now }: LineWriter): QuickLine | undefined {
  const tokens = tokensOf(text)
  if (tokens.length === 0 && text.trim() !== '') return undefined
  const line: Line = {
    text,
    tokens,
    words: vocabularyOf(language),
    here: { language, now: wallNow(timezone, now) },
    taken: tokens.map(() => false),
  }
  const labels = takeLabels(line)
  const rule = allSpans(line, (left, at) => spokenRuleAt(left, at, line.words))[0]
  take(line, rule)
  const until = rule && allSpans(line, (left, at) => untilAt(left, at, line))[0]
  take(line, until)
  const allDay = allSpans(line, (left, at) => saidAt(left, at, line.words.allDay))[0]
  take(line, allDay)
  const times = allSpans(line, (left, at) => timesAt(left, at, line.words)).filter(isStart(line))
  const date = bestDate(line, times, rule)
  const time = bestTime(line, times, date, rule)
  const day =
    date && (dateAt(tokens, date.from, line.words, line.here, time?.meaning)?.meaning ?? date.meaning)
  take(line, date)
  take(line, time)
  const recurrence = rule && { ...rule.meaning, ...(until ? { until: until.meaning } : {}) }
  const first = day ?? (recurrence && firstOf(recurrence, line, time?.meaning))
  return {
    ...placed(line, date ?? time ?? rule ?? allDay),
    ...(first
      ? whenOf(first, time?.meaning, allDay !== undefined)
      : timeAlone(time?.meaning, allDay !== undefined)),
    labels,
    ...(recurrence ? { recurrence } : {}),
  }
}

function take(line: Line, span: PieceSpan<unknown> | undefined): void {
  if (span) line.taken.fill(true, span.from, span.next)
}

function takeLabels(line: Line): string[] {
  const { tokens, text } = line
  const labels: string[] = []
  for (let at = 0; at < tokens.length; at += 1) {
    const [sign, first] = [tokens[at], tokens[at + 1]]
    if (sign?.text !== '#' || sign.isGlued || first?.kind !== 'word' || !first.isGlued) continue
    let next = at + 2
    while (tokens[next]?.isGlued && isOfLabel(tokens[next])) next += 1
    labels.push(text.slice(first.from, tokens[next - 1]?.to))
    take(line, { meaning: undefined, from: at, next })
  }
  return labels
}

const isOfLabel = (token: Token | undefined) =>
  token !== undefined && (token.kind !== 'sign' || /^[-_&]$/.test(token.text))

/** Reads what is said from token `at` on; undefined if it is not of the kind sought. */
type Reader<Meaning> = (tokens: readonly Token[], at: number) => Said<Meaning> | undefined

/** Finds all that `read` understands in the free tokens; `read` gets none beyond the next taken token. */
function allSpans<Meaning>(line: Line, read: Reader<Meaning>): PieceSpan<Meaning>[] {
  const { tokens, taken } = line
  const spans: PieceSpan<Meaning>[] = []
  let left: readonly Token[] = []
  for (let at = 0; at < tokens.length; at += 1) {
    if (!isFree(line, at)) continue
    if (at >= left.length) left = tokens.slice(0, endOfLeft(taken, at))
    const found = read(left, at)
    if (!found) continue
    spans.push({ ...found, from: at })
    at = found.next - 1
  }
  return spans
}

function endOfLeft(taken: readonly boolean[], at: number): number {
  const end = taken.indexOf(true, at)
  return end < 0 ? taken.length : end
}

/** True if a date, time or rule may begin here: not taken, no comma, not within a word, not after `@`. */
function isFree({ tokens, taken }: Line, at: number): boolean {
  const [before, token] = [tokens[at - 1], tokens[at]]
  if (taken[at] || token?.text === ',' || before?.text === '@') return false
  return !token?.isGlued || before?.kind === 'sign' || taken[at - 1] === true
}

function untilAt(tokens: readonly Token[], at: number, { words, here }: Line): Said<string> | undefined {
  const until = saidAt(tokens, at, words.until)
  const date = until && dateAt(tokens, until.next, words, here)
  return date && { meaning: date.meaning.date, next: date.next }
}

/** False for a time that begins with `24`: mostly that is a duration, as in `24h race`. */
const isStart = ({ tokens }: Line) => {
  return ({ from }: PieceSpan<SpokenTime>) => tokens[from]?.text !== '24'
}

const CERTAINTY = { name: 3, word: 2, digits: 1, short: 0 }
/** Added to the certainty of a date that has a time next to it. */
const BESIDE_TIME = 3

function bestDate(
  line: Line,
  times: readonly PieceSpan<SpokenTime>[],
  rule: PieceSpan<unknown> | undefined,
): PieceSpan<FoundDate> | undefined {
  const found = allSpans(line, (left, at) => dateAt(left, at, line.words, line.here))
  const certain = (span: PieceSpan<FoundDate>) =>
    CERTAINTY[span.meaning.by] + (times.some((time) => areBeside(line, span, time)) ? BESIDE_TIME : 0)
  let best: PieceSpan<FoundDate> | undefined
  for (const span of found) {
    const isTime = span.meaning.by === 'digits' && rule !== undefined
    if (isTime || (certain(span) === 0 && !isAlone(line, span))) continue
    if (!best || certain(span) >= certain(best)) best = span
  }
  return best
}

function areBeside({ tokens, words }: Line, one: PieceSpan<unknown>, other: PieceSpan<unknown>): boolean {
  const [first, second] = one.from < other.from ? [one, other] : [other, one]
  return first.next <= second.from && skipFillers(tokens, first.next, words) >= second.from
}

/** True if an abbreviation such as `So` may be a date: it ends a part, and is capitalized or alone in it. */
function isAlone({ tokens, text, taken }: Line, { from, next }: PieceSpan<unknown>): boolean {
  const [before, first, after] = [tokens[from - 1], tokens[from], tokens[next]]
  const isEnd = after === undefined || taken[next] === true || after.text === ',' || after.text === '@'
  const letter = text[first?.from ?? 0] ?? ''
  return isEnd && (before === undefined || before.text === ',' || letter !== letter.toLowerCase())
}

/** Chooses the time next to the date, else next to the rule, else the last in the line. */
function bestTime(
  line: Line,
  times: readonly PieceSpan<SpokenTime>[],
  date: PieceSpan<unknown> | undefined,
  rule: PieceSpan<unknown> | undefined,
): PieceSpan<SpokenTime> | undefined {
  const free = times.filter(({ from, next }) => !date || next <= date.from || from >= date.next)
  const beside = (span: PieceSpan<unknown> | undefined) =>
    span &&
    (free.find((time) => time.from >= span.from && areBeside(line, span, time)) ??
      free.find((time) => areBeside(line, span, time)))
  return beside(date) ?? beside(rule) ?? free.at(-1)
}

/** The rule's first date from today on, or from tomorrow if `time` has passed today. */
function firstOf(
  recurrence: RecurrenceObject,
  { here }: Line,
  time: SpokenTime | undefined,
): FoundDate | undefined {
  const isOver = time !== undefined && time.start < here.now.slice(11)
  const today = dayOf(here.now)
  const start = { local: `${isOver ? addDays(today, 1) : today} 00:00:00`, zone: 'UTC', allDay: true }
  const read = readRecurrence(recurrence, start)
  if (!read || isFault(read) || !read.rule) return undefined
  for (const wall of matchingDates(read.rule, start, searchedUntil(start)))
    return { date: dayOf(wall), by: 'word' }
  return undefined
}

type LineTimes = Pick<QuickLine, 'start_date' | 'start_time' | 'end_date' | 'end_time' | 'all_day'>

function whenOf({ date, last }: FoundDate, time: SpokenTime | undefined, isAllDay: boolean): LineTimes {
  if (isAllDay || (time === undefined && last !== undefined))
    return { start_date: date, end_date: last ?? date, all_day: true }
  if (time === undefined) return { start_date: date, all_day: false }
  const { start, end } = time
  const ends = end === undefined ? undefined : (last ?? (end <= start ? addDays(date, 1) : date))
  return {
    start_date: date,
    start_time: start,
    ...(ends === undefined ? {} : { end_date: ends }),
    ...(last !== undefined && end === undefined ? { end_date: last } : {}),
    ...(end === undefined ? {} : { end_time: end }),
    all_day: false,
  }
}

function timeAlone(time: SpokenTime | undefined, isAllDay: boolean): LineTimes {
  if (!time || isAllDay) return { all_day: isAllDay }
  return { start_time: time.start, ...(time.end === undefined ? {} : { end_time: time.end }), all_day: false }
}

/** Without `@`, the venue is the last of several parts between commas, if it comes after the span `when`. */
function placed(line: Line, when: PieceSpan<unknown> | undefined): Pick<QuickLine, 'title' | 'venue'> {
  const venue = takeVenue(line)
  const parts = partsLeft(line)
  const [title, ...others] = parts
  if (title === undefined) return { title: '', ...(venue === undefined ? {} : { venue }) }
  const last = others.at(-1)
  const isVenue = venue === undefined && when !== undefined && last !== undefined && last.from >= when.next
  const titles = isVenue ? parts.slice(0, -1) : parts
  const named = isVenue ? last.text : venue
  return {
    title: titles.map(({ text }) => text).join(', '),
    ...(named === undefined ? {} : { venue: named }),
  }
}

function takeVenue(line: Line): string | undefined {
  const { tokens, taken, text } = line
  const at = tokens.findIndex((token, place) => token.text === '@' && !token.isGlued && !taken[place])
  if (at < 0) return undefined
  let next = at + 1
  while (next < tokens.length && !taken[next] && tokens[next]?.text !== ',') next += 1
  const name = text.slice(tokens[at + 1]?.from, tokens[next - 1]?.to).trim()
  if (next === at + 1 || name === '') return undefined
  take(line, { meaning: undefined, from: at, next })
  return name
}

interface Part {
  text: string
  from: number
}

const LOOSE = /^[-–—:;|·•@]$/

function partsLeft(line: Line): Part[] {
  const { tokens, taken } = line
  const parts: number[][] = [[]]
  for (const [at, token] of tokens.entries()) {
    if (token.text === ',' && tokens[at + 1]?.isGlued !== true) parts.push([])
    else if (!taken[at]) parts.at(-1)?.push(at)
  }
  return parts.flatMap((places) => {
    const kept = withoutLoose(places, tokens)
    const [from] = kept
    return from === undefined ? [] : [{ text: writtenAgain(kept, line), from }]
  })
}

function withoutLoose(places: readonly number[], tokens: readonly Token[]): readonly number[] {
  const sign = (place: number | undefined) => (place === undefined ? undefined : tokens[place]?.text)
  const full = places.filter(
    (place, at) =>
      !(sign(place) === '(' && sign(places[at + 1]) === ')') &&
      !(sign(place) === ')' && sign(places[at - 1]) === '('),
  )
  const isKept = (place: number) => !LOOSE.test(sign(place) ?? '')
  const first = full.findIndex(isKept)
  return first < 0 ? [] : full.slice(first, full.findLastIndex(isKept) + 1)
}

function writtenAgain(places: readonly number[], { tokens, text }: Line): string {
  let written = ''
  let before: number | undefined
  for (const place of places) {
    const token = tokens[place]
    if (!token) continue
    const isClose = before === undefined || (token.isGlued && before === place - 1)
    written += `${isClose ? '' : ' '}${text.slice(token.from, token.to)}`
    before = place
  }
  return written
}

export interface QuickLinks {
  title: string
  venue?: PickedName
  /** The venue's name, if no known venue has it. */
  newVenue?: string
  categories: PickedName[]
  tags: PickedName[]
  newTags: string[]
}

const MOST_LABELS = 10

/**
 * Finds the records that the line names in full, or by a prefix of only one visible record. A label is a
 * category or else a tag; its hyphens and underscores may stand for spaces.
 */
export async function findQuickLinks(
  line: QuickLine,
  context: Pick<Context, 'db' | 'caller'>,
): Promise<QuickLinks> {
  const links: QuickLinks = { title: line.title, categories: [], tags: [], newTags: [] }
  for (const label of line.labels.slice(0, MOST_LABELS)) await addLabel(links, label, context)
  for (const label of line.labels.slice(MOST_LABELS)) links.newTags.push(label)
  if (line.venue === undefined) return { ...links, ...(await venueInTitle(line.title, context)) }
  const venue = await findNamed('venue', line.venue, context)
  return { ...links, ...(venue ? { venue } : { newVenue: line.venue }) }
}

async function addLabel(
  links: QuickLinks,
  label: string,
  context: Pick<Context, 'db' | 'caller'>,
): Promise<void> {
  const names = [...new Set([label, label.replace(/[-_]/g, ' ')])]
  for (const kind of TAXONOMIES)
    for (const name of names) {
      const found = await findNamed(kind, name, context)
      const list = links[TERM_LISTS[kind]]
      if (!found) continue
      if (!list.some(({ id }) => id === found.id)) list.push(found)
      return
    }
  if (!links.newTags.includes(label)) links.newTags.push(label)
}

async function venueInTitle(
  title: string,
  context: Pick<Context, 'db' | 'caller'>,
): Promise<Partial<Pick<QuickLinks, 'title' | 'venue'>>> {
  const at = title.lastIndexOf(', ')
  const venue = at < 1 ? undefined : await findSameName('venue', title.slice(at + 2), context)
  return venue ? { title: title.slice(0, at), venue } : {}
}
