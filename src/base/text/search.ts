import { fold } from './characters.ts'

// Words of a search; terms of an index of words.

/** Folded: what a text must contain and must not. */
export interface Search {
  include: string[]
  exclude: string[]
}

const MOST_WORDS = 9
// A quoted phrase or a run without blanks, perhaps with a minus.
const WORD = /(-?)"([^"]*)"(?=\s|$)|\S+/g
const FRAGMENT = /[\p{L}\p{M}\p{N}-]+/gu
const PHRASE = /^"([^"]+)"$/
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/**
 * Rules 14.1, 14.2, 14.5: every word; a "quoted phrase" is one; a minus excludes; more than nine words are
 * one phrase. Signs alone are searched as they stand; a blank text finds everything.
 */
export function parseSearch(text: string): Search {
  const search: Search = { include: [], exclude: [] }
  if (!LETTER_OR_DIGIT.test(text))
    return { ...search, include: asItStands(PHRASE.exec(text)?.[1]?.trim() || text) }
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
 * Rules 14.3, 14.5: runs of letters, digits and minus signs, folded; one field must contain all. Signs alone
 * are searched as they stand; a blank text finds nothing.
 */
export function parseWords(text: string): string[] {
  const fragments = fold(text).match(FRAGMENT) ?? []
  const words = fragments.filter((fragment) => /[^-]/.test(fragment))
  return words.length === 0 ? asItStands(text) : words
}

/** Join fields by newlines, so that no phrase spans two. */
export function hasSearchedWords(search: Search, haystack: string): boolean {
  return (
    search.include.every((word) => haystack.includes(word)) &&
    !search.exclude.some((word) => haystack.includes(word))
  )
}

// Terms and lookups go by places of characters in Unicode, never by category, which may change: an index
// outlives its version.

/** Scripts with blanks between words: not Thai, Lao, Tibetan, Burmese and Khmer. */
const LETTER = '0-9a-z\\u00c0-\\u0dff\\u10a0-\\u16ff\\u1c80-\\u1fff\\uac00-\\ud7ff'
/** Never part of a term; folding turns other blanks into these. */
const BLANK = '\\u0000-\\u0020\\u007f'
const WORDS = new RegExp(`[${LETTER}]+`, 'g')
/** Chinese, Japanese, Thai, emoji, punctuation. */
const SIGNS = new RegExp(`[^${LETTER}${BLANK}]+`, 'gu')
const RUNS = new RegExp(`([${LETTER}]+)|[^${LETTER}${BLANK}]+`, 'gu')

/** A longer word is indexed in pieces that overlap by half. */
const LONGEST = 64
const HALF = LONGEST / 2

/** Words, other characters, and pairs of these side by side. */
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

/** Equals, starts with, ends with or contains `text`. */
export interface Lookup {
  text: string
  /** More characters before and after `text`. */
  before: boolean
  after: boolean
}

export interface WordPlan {
  word: string
  /** Each finds every text with the word, and perhaps others; empty if none can. */
  lookups: Lookup[]
  /** The only lookup finds exactly the texts with the word. */
  isExact: boolean
}

/** It may be a phrase. */
export function planWord(word: string): WordPlan {
  const runs = [...word.matchAll(RUNS)]
  const [first] = runs
  const isWhole = first !== undefined && first[0] === word
  if (isWhole && first[1] !== undefined && word.length <= HALF)
    return { word, lookups: [{ text: word, before: true, after: true }], isExact: true }
  const lookups = runs.flatMap(({ 0: text, 1: letters, index }) =>
    letters === undefined
      ? lookUpSigns(text)
      : [lookUpLetters(text, index === 0, index + text.length === word.length)],
  )
  return { word, lookups, isExact: isWhole && lookups.length === 1 && first[1] === undefined }
}

/** A whole word within a phrase, perhaps a part at its start or end. */
function lookUpLetters(text: string, before: boolean, after: boolean): Lookup {
  return text.length > HALF
    ? { text: text.slice(0, HALF), before: true, after: true }
    : { text, before, after }
}

function lookUpSigns(run: string): Lookup[] {
  const signs = [...run]
  const terms = signs.length === 1 ? signs : signs.slice(1).map((sign, i) => `${signs[i]}${sign}`)
  return terms.map((text) => ({ text, before: false, after: false }))
}
