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

/**
 * The search of an event list (contract 4.5): every word counts, a "quoted phrase" is one word, a leading minus leaves out;
 * more than nine words are one phrase. No sign has a meaning of its own. Text that leaves no word is searched for as it
 * stands; blank text finds everything.
 */
export function parseSearch(text: string): Search {
  const search: Search = { include: [], exclude: [] }
  for (const [whole, minus, phrase] of text.matchAll(WORD)) addWord(search, whole, minus, phrase)
  const count = search.include.length + search.exclude.length
  if (count > 0 && count <= MOST_WORDS) return search
  const all = fold(text)
  return { include: all === '' ? [] : [all], exclude: [] }
}

function addWord(search: Search, whole: string, minus: string | undefined, phrase: string | undefined): void {
  const excluded = phrase === undefined ? /^-+[^-]/.test(whole) : minus === '-'
  const word = fold(phrase ?? (excluded ? whole.slice(1) : whole))
  if (word !== '') search[excluded ? 'exclude' : 'include'].push(word)
}

/**
 * The search of a list of venues or organizers (contract 4.5): the runs of letters, digits and minus signs, folded, which
 * must all occur in one and the same field. Nothing is left of mere punctuation, and nothing is to be found then.
 */
export function parseWords(text: string): string[] {
  const fragments = fold(text).match(FRAGMENT) ?? []
  return fragments.filter((fragment) => /[^-]/.test(fragment))
}

/** Whether folded text has every word asked for and none of those left out; folded fields are best joined by newlines. */
export function matchesSearch(search: Search, haystack: string): boolean {
  return (
    search.include.every((word) => haystack.includes(word)) && !search.exclude.some((word) => haystack.includes(word))
  )
}
