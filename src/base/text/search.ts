import { fold } from './characters.ts'

export interface Search {
  include: string[]
  exclude: string[]
}

const MOST_WORDS = 9
const WORD = /(-?)"([^"]*)"(?=\s|$)|\S+/g
const FRAGMENT = /[\p{L}\p{M}\p{N}-]+/gu
const PHRASE = /^"([^"]+)"$/
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/**
 * Parses the query parameter `search` (rules 14.1, 14.2 and 14.5). A text matches if it has every word. A
 * "quoted phrase" is one word, and a minus sign excludes a word. More than nine words, or none with letters
 * or digits, are a single phrase. A blank search matches every text.
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
 * Returns the words that one field must all have (rules 14.3 and 14.5): the runs of letters, digits and
 * hyphens, folded. A text without such runs is a single word; a blank text has none, and matches nothing.
 */
export function parseWords(text: string): string[] {
  const fragments = fold(text).match(FRAGMENT) ?? []
  const words = fragments.filter((fragment) => /[^-]/.test(fragment))
  return words.length === 0 ? asItStands(text) : words
}

/**
 * True if `haystack` has all included words and no excluded one. Join its fields by newlines, so that no
 * phrase matches across two.
 */
export function hasSearchedWords(search: Search, haystack: string): boolean {
  return (
    search.include.every((word) => haystack.includes(word)) &&
    !search.exclude.some((word) => haystack.includes(word))
  )
}

// The search index stores terms. Ranges of code points decide what is a letter, since Unicode's categories
// change between versions, while stored terms stay.

/**
 * Digits, and letters of scripts that put spaces between words, so not of Thai, Lao, Tibetan, Burmese and
 * Khmer.
 */
const LETTER = '0-9a-z\\u00c0-\\u0dff\\u10a0-\\u16ff\\u1c80-\\u1fff\\uac00-\\ud7ff'
/** Characters that are never in a term. Folding has replaced all other whitespace by spaces. */
const BLANK = '\\u0000-\\u0020\\u007f'
const WORDS = new RegExp(`[${LETTER}]+`, 'g')
const UNSPACED = new RegExp(`[^${LETTER}${BLANK}]+`, 'gu')
const RUNS = new RegExp(`([${LETTER}]+)|[^${LETTER}${BLANK}]+`, 'gu')

/** Maximum characters of a term. A longer word is indexed in pieces that overlap by half. */
const LONGEST = 64
const HALF = LONGEST / 2

/**
 * Returns the terms by which a text is indexed: words, and of all else, such as scripts without spaces, each
 * character and each pair of adjacent characters.
 */
export function termsOf(text: string): Set<string> {
  const terms = new Set<string>()
  for (const word of text.match(WORDS) ?? []) addLetters(terms, word)
  for (const run of text.match(UNSPACED) ?? []) {
    const characters = [...run]
    for (const [i, character] of characters.entries()) {
      terms.add(character)
      if (i > 0) terms.add(`${characters[i - 1]}${character}`)
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
 * Finds terms of the index that contain `text`; only with `before` or `after` may a term have more characters
 * on that side.
 */
export interface Lookup {
  text: string
  before: boolean
  after: boolean
}

export interface WordPlan {
  word: string
  /** Each lookup finds every text with the word, and perhaps others. Empty for a word without terms. */
  lookups: Lookup[]
  isExact: boolean
}

export function planWord(word: string): WordPlan {
  const runs = [...word.matchAll(RUNS)]
  const [first] = runs
  const isWhole = first !== undefined && first[0] === word
  if (isWhole && first[1] !== undefined && word.length <= HALF)
    return { word, lookups: [{ text: word, before: true, after: true }], isExact: true }
  const lookups = runs.flatMap(({ 0: text, 1: letters, index }) =>
    letters === undefined
      ? lookUpCharacters(text)
      : [lookUpLetters(text, index === 0, index + text.length === word.length)],
  )
  return { word, lookups, isExact: isWhole && lookups.length === 1 && first[1] === undefined }
}

function lookUpLetters(text: string, before: boolean, after: boolean): Lookup {
  return text.length > HALF
    ? { text: text.slice(0, HALF), before: true, after: true }
    : { text, before, after }
}

function lookUpCharacters(run: string): Lookup[] {
  const characters = [...run]
  const terms =
    characters.length === 1
      ? characters
      : characters.slice(1).map((character, i) => `${characters[i]}${character}`)
  return terms.map((text) => ({ text, before: false, after: false }))
}
