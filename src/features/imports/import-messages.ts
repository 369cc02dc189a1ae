import { messageOf } from '../../base/errors.ts'
import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import { Problem, type ProblemCode, type ProblemDetails } from '../../base/problems.ts'
import { problemAnswer } from '../../calendar/locales/problem-answers.ts'
import type { CountedIn, TextIn } from '../../calendar/locales/texts.ts'
import { sayCountIn, translate } from '../../calendar/locales/translate.ts'
import { messageTexts } from './message-texts.ts'
import { sourceTexts } from './source-texts.ts'

// A message of an import: a text with values, translated for each reader.

export type Message = string | Sentence | KeptProblem | readonly Message[]

interface Sentence {
  text: string
  values?: Readonly<Record<string, Message>>
  count?: number
}

interface KeptProblem {
  code: ProblemCode
  details: ProblemDetails
}

const texts = { ...messageTexts, ...sourceTexts }

type Language = Parameters<typeof translate>[0]
type Values = Readonly<Record<string, Message>>
type CountedMessage = CountedIn<typeof texts>

export const message = (text: TextIn<typeof texts>, values?: Values): Sentence =>
  values ? { text, values } : { text }

export const countMessage = (text: CountedMessage, count: number, values: Values = {}): Sentence => ({
  text,
  values: { ...values, count: String(count) },
  count,
})

const sayCount = sayCountIn(texts)

export function showMessage(site: { language: Language }, said: Message): string {
  const { language } = site
  if (typeof said === 'string') return said
  if (isMessageList(said)) return said.map((one) => showMessage(site, one)).join(' ')
  if ('code' in said) return describeProblem(said, language)
  const values = Object.fromEntries(
    Object.entries(said.values ?? {}).map(([name, value]) => [name, within(said.text, name, value, site)]),
  )
  return said.count !== undefined && isCounted(said.text)
    ? sayCount(site, said.text, said.count, values)
    : translate(language, said.text, values, texts)
}

/** A sentence inside another one loses its full stop, except at the end. */
function within(text: string, name: string, value: Message, site: { language: Language }): string {
  const shown = showMessage(site, value)
  return typeof value === 'string' || text.endsWith(`{${name}}`) ? shown : shown.replace(/\.$/, '')
}

/** `Array.isArray` does not narrow to a readonly array. */
export const isMessageList = (said: Message): said is readonly Message[] => Array.isArray(said)

const isCounted = (text: string): text is CountedMessage =>
  text in texts && 'en' in texts[text as keyof typeof texts]

export const englishMessage = (said: Message) => showMessage({ language: 'en' }, said)

function describeProblem({ code, details }: KeptProblem, language: Language): string {
  const { message: whole, data } = problemAnswer(new Problem(code, details), language, true).body
  const named = isRecord(data.params) ? Object.entries(data.params) : []
  return named.length === 0 ? whole : named.map(([name, text]) => `${name}: ${String(text)}`).join(' ')
}

/** An error that people read in their language; `message` is the English text. */
export class ImportError extends Error {
  override name = 'ImportError'
  readonly said: Message
  constructor(said: Message) {
    super(englishMessage(said))
    this.said = said
  }
}

export function messageIn(error: unknown): Message {
  if (error instanceof ImportError) return error.said
  return error instanceof Problem ? { code: error.code, details: error.details } : messageOf(error)
}

export const keptMessage = (said: Message): string => (typeof said === 'string' ? said : JSON.stringify(said))

export function readKeptMessage(text: string): Message {
  const value = parsedJson(text)
  return isMessage(value) ? value : text
}

export function isMessage(value: unknown): value is Message {
  if (typeof value === 'string') return true
  if (Array.isArray(value)) return value.every(isMessage)
  if (!isRecord(value)) return false
  if (typeof value.code === 'string') return isRecord(value.details)
  const { text, values = {} } = value
  return typeof text === 'string' && isRecord(values) && Object.values(values).every(isMessage)
}

/** Translates a place in a source, such as `line 12`; other text stays. */
export function showPlace(site: { language: Language }, at: string): string {
  const [, part = '', number = ''] = /^([a-z]+) (\d+)$/.exec(at) ?? []
  const text = PLACES.get(part)
  return text === undefined ? at : translate(site.language, text, { number }, texts)
}

const PLACES: ReadonlyMap<string, TextIn<typeof texts>> = new Map([
  ['line', 'line {number}'],
  ['row', 'row {number}'],
  ['record', 'record {number}'],
  ['events', 'events {number}'],
  ['venues', 'venues {number}'],
  ['organizers', 'organizers {number}'],
  ['categories', 'categories {number}'],
  ['tags', 'tags {number}'],
])
