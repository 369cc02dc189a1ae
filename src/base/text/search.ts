import { fold } from './characters.ts'

// Reads what somebody searches for, and how an index of words looks it up.

/** The words a text must and must not contain, folded. */
export interface Search {
  include: string[]
  exclude: string[]
}

const MOST_WORDS = 9
// A quoted phrase or a run without blanks, either of them after a minus sign or not.
const WORD = /(-?)"([^"]*)"(?=\s|$)|\S+/g
const FRAGMENT = /[\p{L}\p{M}\p{N}-]+/gu
const PHRASE = /^"([^"]+)"$/
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/**
 * The search of an event list (rules 14.1, 14.2 and 14.5): every word counts, a "quoted phrase" is one word, a minus before a letter or a phrase
 * leaves out; more than nine words are one phrase. No sign has a meaning of its own. Signs without any word are searched for as they
 * stand; blank text finds everything.
 */
export function parseSearch(text: string): Search {
  const search: Search = { include: [], exclude: [] }
  if (!LETTER_OR_DIGIT.test(text)) return { ...search, include: asItStands(PHRASE.exec(text)?.[1]?.trim() || text) }
  for (const [whole, minus, phrase] of text.matchAll(WORD)) addWord(search, whole, minus, phrase)
  const count = search.include.length + search.exclude.length
  if (count > 0 && count <= MOST_WORDS) return search
  return { include: asItStands(text), exclude: [] }
}

function asItStands(text: string): string[] {
  const all = fold(text)
  return all === '' ? [] : [all]
}

function addWord(search: Search, whole: string, minus: string | undefined, phrase: string | undefined): void {
  const excluded = phrase === undefined ? /^-\p{L}/u.test(whole) : minus === '-'
  const word = fold(phrase ?? (excluded ? whole.slice(1) : whole))
  if (word !== '') search[excluded ? 'exclude' : 'include'].push(word)
}

/**
 * The search of a list of venues or organizers (rules 14.3 and 14.5): the runs of letters, digits and minus signs, folded, which must all occur in
 * one field; a search of signs alone matches them as they stand. Blank text gives no words and finds nothing.
 */
export function parseWords(text: string): string[] {
  const fragments = fold(text).match(FRAGMENT) ?? []
  const words = fragments.filter((fragment) => /[^-]/.test(fragment))
  return words.length === 0 ? asItStands(text) : words
}

/** Whether folded text has every word to include and none to exclude; folded fields are best joined by newlines. */
export function hasSearchedWords(search: Search, haystack: string): boolean {
  return (
    search.include.every((word) => haystack.includes(word)) && !search.exclude.some((word) => haystack.includes(word))
  )
}

// How folded text is cut into the terms of an index of words, and what such an index can tell about a word of a search. Both are cut by
// the place of a character in Unicode alone, never by its category in a version of Unicode: an index outlives the version it was made with.

/** Letters and digits of scripts that put blanks between words; Thai, Lao, Tibetan, Burmese and Khmer do not. */
const LETTER = '0-9a-z\\u00c0-\\u0dff\\u10a0-\\u16ff\\u1c80-\\u1fff\\uac00-\\ud7ff'
/** Never part of a term. All other blanks are folded into these. */
const BLANK = '\\u0000-\\u0020\\u007f'
const WORDS = new RegExp(`[${LETTER}]+`, 'g')
/** Everything else: Chinese, Japanese, Thai, emoji, punctuation. */
const SIGNS = new RegExp(`[^${LETTER}${BLANK}]+`, 'gu')
const RUNS = new RegExp(`([${LETTER}]+)|[^${LETTER}${BLANK}]+`, 'gu')

/** Words are indexed whole up to this length, and longer ones in pieces of it that overlap by half. */
const LONGEST = 64
const HALF = LONGEST / 2

/** The terms of folded text: its words, its other characters, and each two of those that stand side by side. */
export function termsOf(text: string): Set<string> {
  const terms = new Set<string>()
  for (const word of text.match(WORDS) ?? []) addLetters(terms, word)
  for (const run of text.match(SIGNS) ?? []) {
    const signs = [...run]
    for (const [i, sign] of signs.entries()) {
      terms.add(sign)
      if (i > 0) terms.add(`${signs[i - 1]}${sign}`)
    }
  }
  return terms
}

function addLetters(terms: Set<string>, word: string): void {
  for (let start = 0; ; start += HALF) {
    terms.add(word.slice(start, start + LONGEST))
    if (start + LONGEST >= word.length) return
  }
}

/** A lookup in an index of words: the texts with a term that equals, starts with, ends with or contains `text`. */
export interface Lookup {
  text: string
  /** Whether more of a word may stand before or after the text. */
  before: boolean
  after: boolean
}

/** The lookups of one word of a search in an index of words. */
export interface WordPlan {
  word: string
  /** Each lookup finds every text that contains the word, and perhaps more; empty when no lookup can. */
  lookups: Lookup[]
  /** Whether the only lookup finds exactly the texts that contain the word. */
  isExact: boolean
}

export function planWord(word: string): WordPlan {
  const runs = [...word.matchAll(RUNS)]
  const [first] = runs
  const isWhole = first !== undefined && first[0] === word
  if (isWhole && first[1] !== undefined && word.length <= HALF)
    return { word, lookups: [{ text: word, before: true, after: true }], isExact: true }
  const lookups = runs.flatMap(({ 0: text, 1: letters, index }) =>
    letters === undefined ? lookUpSigns(text) : [lookUpLetters(text, index === 0, index + text.length === word.length)],
  )
  return { word, lookups, isExact: isWhole && lookups.length === 1 && first[1] === undefined }
}

/** Inside a phrase, letters are a whole word of the text; at its start and end they may be a part of one. */
function lookUpLetters(text: string, before: boolean, after: boolean): Lookup {
  return text.length > HALF ? { text: text.slice(0, HALF), before: true, after: true } : { text, before, after }
}

function lookUpSigns(run: string): Lookup[] {
  const signs = [...run]
  const terms = signs.length === 1 ? signs : signs.slice(1).map((sign, i) => `${signs[i]}${sign}`)
  return terms.map((text) => ({ text, before: false, after: false }))
}
