import { feedText } from './feed-text.ts'
import { fold } from './fold.ts'
import { plainText, renderText, stripUnsafe } from './html.ts'
import { pageText } from './page-text.ts'
import { readableText } from './readable.ts'
import { termsOf } from './search-terms.ts'

/** The kinds of work on long texts; `trusted` texts are by authors who may write unfiltered HTML. */
const WORKS = {
  html: (raw: string) => renderOnce(raw, false),
  trustedHtml: (raw: string) => renderOnce(raw, true),
  plain: (raw: string) => plainText(renderOnce(raw, false)),
  trustedPlain: (raw: string) => plainText(renderOnce(raw, true)),
  page: (raw: string) => pageText(renderOnce(raw, false)),
  trustedPage: (raw: string) => pageText(renderOnce(raw, true)),
  /** HTML for feeds; relative addresses in it become absolute by a base. */
  feed: (raw: string, base: string) => feedText(renderOnce(raw, false), base),
  trustedFeed: (raw: string, base: string) => feedText(renderOnce(raw, true), base),
  /** Plain text of several lines; relative addresses in it become absolute by a base. */
  readable: (raw: string, base: string) => readableText(renderOnce(raw, false), base),
  trustedReadable: (raw: string, base: string) => readableText(renderOnce(raw, true), base),
  safe: stripUnsafe,
  folded: (raw: string) => fold(plainText(raw)),
  /** The terms of folded text for an index of words, with blanks between them. */
  terms: (folded: string) => [...termsOf(folded)].join(' '),
} as const satisfies Record<string, (raw: string, base: string) => string>

interface Rendered {
  raw: string
  trusted: boolean
  rendered: string
}

const NONE: Rendered = { raw: '', trusted: false, rendered: '' }
let last = NONE
let lastButOne = NONE

/** Renders a text. The last two are cached: the linked data of a record are made of its description or excerpt right after both. */
function renderOnce(raw: string, trusted: boolean): string {
  if (raw === last.raw && trusted === last.trusted) return last.rendered
  const known = raw === lastButOne.raw && trusted === lastButOne.trusted
  const rendered = known ? lastButOne.rendered : renderText(raw, trusted)
  lastButOne = last
  last = { raw, trusted, rendered }
  return rendered
}

export type TextWork = keyof typeof WORKS

/** A text, and the work on it. */
export interface WantedText {
  work: TextWork
  raw: string
  /** The address that relative ones in it start from, for works that make them absolute. */
  base?: string
}

export function workText({ work, raw, base = '' }: WantedText): string {
  return WORKS[work](raw, base)
}

/** Texts for the thread, and its results. */
export interface TextRequest {
  number: number
  wanted: readonly WantedText[]
}

export type TextAnswer = { number: number; made: string[] } | { number: number; error: unknown }
