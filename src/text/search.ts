import { fold } from './fold.ts'

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
export function matchesSearch(search: Search, haystack: string): boolean {
  return (
    search.include.every((word) => haystack.includes(word)) && !search.exclude.some((word) => haystack.includes(word))
  )
}
