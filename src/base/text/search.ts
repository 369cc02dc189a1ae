import { fold } from './characters.ts'

// Reads the text of a search into words, and cuts texts and searches into the terms of an index of words.

/** A search: the words that a text must contain, and the words that it must not contain, all folded. */
export interface Search {
  include: string[]
  exclude: string[]
}

const MOST_WORDS = 9
// A quoted phrase or a run without blanks, each with or without a minus sign before it.
const WORD = /(-?)"([^"]*)"(?=\s|$)|\S+/g
const FRAGMENT = /[\p{L}\p{M}\p{N}-]+/gu
const PHRASE = /^"([^"]+)"$/
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/**
 * Reads the search of an event list (rules 14.1, 14.2 and 14.5). A text must contain every word; a "quoted
 * phrase" is one word; a minus before a letter or a phrase excludes it; more than nine words are one phrase.
 * Other signs have no meaning. A text without letters and digits is searched for as it stands, and a blank
 * text finds everything.
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
 * Reads the search of a list of venues or organizers (rules 14.3 and 14.5): returns the runs of letters,
 * digits and minus signs, folded. One field of a record must contain all of them. A text of signs alone is
 * searched for as it stands. A blank text gives no words and finds nothing.
 */
export function parseWords(text: string): string[] {
  const fragments = fold(text).match(FRAGMENT) ?? []
  const words = fragments.filter((fragment) => /[^-]/.test(fragment))
  return words.length === 0 ? asItStands(text) : words
}

/**
 * Decides whether a folded text has every word to include and none to exclude. Join several fields by
 * newlines, so that no phrase spans two of them.
 */
export function hasSearchedWords(search: Search, haystack: string): boolean {
  return (
    search.include.every((word) => haystack.includes(word)) &&
    !search.exclude.some((word) => haystack.includes(word))
  )
}

// Cuts folded text into the terms of an index of words, and words of a search into lookups in that index.
// Both go by the place of a character in Unicode alone, never by its category, which may change with the
// version of Unicode: an index outlives the version it was made with.

/**
 * Letters and digits of scripts that put blanks between words. Thai, Lao, Tibetan, Burmese and Khmer do not,
 * and are left out.
 */
const LETTER = '0-9a-z\\u00c0-\\u0dff\\u10a0-\\u16ff\\u1c80-\\u1fff\\uac00-\\ud7ff'
/** Characters that are never a part of a term. Folding turns all other blanks into these. */
const BLANK = '\\u0000-\\u0020\\u007f'
const WORDS = new RegExp(`[${LETTER}]+`, 'g')
/** Runs of all other characters: Chinese, Japanese, Thai, emoji, punctuation. */
const SIGNS = new RegExp(`[^${LETTER}${BLANK}]+`, 'gu')
const RUNS = new RegExp(`([${LETTER}]+)|[^${LETTER}${BLANK}]+`, 'gu')

/**
 * The most characters of a word that is indexed as a whole. A longer word is indexed in pieces of this length
 * that overlap by half.
 */
const LONGEST = 64
const HALF = LONGEST / 2

/**
 * Returns the terms of folded text: its words, each of its other characters, and each pair of other
 * characters that stand side by side.
 */
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

/**
 * A lookup in an index of words. It finds the texts with a term that equals, starts with, ends with or
 * contains `text`.
 */
export interface Lookup {
  text: string
  /** Whether the term may have more characters before and after `text`. */
  before: boolean
  after: boolean
}

/** The lookups of one word of a search in an index of words. */
export interface WordPlan {
  word: string
  /**
   * The lookups, each of which finds every text that contains the word, and perhaps other texts; empty if no
   * lookup can find them.
   */
  lookups: Lookup[]
  /** Whether the only lookup finds exactly the texts that contain the word. */
  isExact: boolean
}

/** Returns the lookups that find the texts with a word of a search, which may be a phrase. */
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

/**
 * Returns the lookup of a run of letters. Within a phrase it is a whole word of a text; at the start or end
 * of the phrase it may be a part of a word.
 */
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
