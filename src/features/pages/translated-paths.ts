import { slugify } from '../../base/text/slugs.ts'
import { decodeLeniently } from '../../base/text/urls.ts'
import { isDay } from './page-dates.ts'
import { type PathWord, pathWords } from './path-words.ts'

// Translates paths of moved sites, which may have words of other languages, without reading data.

/** English words by slug, for one place of a path: German `tag` is a day in one, a tag in another. */
type Words = ReadonlyMap<string, PathWord>

const SCOPES = wordsFor(['category', 'tag'])
const ROOTS = wordsFor(['events', 'event', 'venue', 'venues', 'organizer', 'organizers'])
const VIEWS = wordsFor([
  'list',
  'upcoming',
  'past',
  'month',
  'week',
  'day',
  'today',
  'photo',
  'map',
  'summary',
  'page',
])
/** Words that may follow a term. Any other word there may be a child term's slug. */
const VIEWS_OF_TERMS = wordsFor(['list', 'past', 'month', 'week', 'day', 'today', 'page'])
const OF_EVENTS = wordsFor(['all'])

/** Words by slug for one place of a path. A slug that is also an English word keeps its English meaning. */
function wordsFor(english: readonly PathWord[]): Words {
  const foreign = Object.values(pathWords).flatMap((language) =>
    english.flatMap((word) => language[word].map((text) => [slugify(text), word] as const)),
  )
  return new Map([...foreign, ...english.map((word) => [word, word] as const)])
}

const PLAIN = /^[a-z-]*$/
const LONGEST = 60
/** At most this many words are translated, so that a long path costs little. */
const MOST_WORDS = 4

function wordOf(words: Words, segment = ''): PathWord | undefined {
  if (segment.length > LONGEST) return undefined
  return words.get(PLAIN.test(segment) ? segment : slugify(decodeLeniently(segment)))
}

/** True for a path with a dot in its last segment; slugs never have one. */
export const isFile = (path: string): boolean => path.lastIndexOf('.') > path.lastIndexOf('/')

/** Returns the path in English, or undefined if unchanged. */
export function inEnglish(path: string): string | undefined {
  if (isFile(path)) return undefined
  const end = path.indexOf('/', 1)
  const root = wordOf(ROOTS, path.slice(1, end === -1 ? undefined : end))
  if (root === undefined) return undefined
  const segments = path.split('/').slice(2)
  // The last segment is empty if the path ends in a slash.
  if (segments.at(-1) === '') segments.pop()
  const below = root === 'events' ? belowEvents(segments) : belowRecord(root, segments)
  const english = ['', root, ...below, ''].join('/')
  return english === path || english === `${path}/` ? undefined : english
}

function belowRecord(root: PathWord, [slug, ...rest]: readonly string[]): readonly string[] {
  if (slug === undefined) return []
  const isWords = root === 'event' && rest.length <= MOST_WORDS
  return [slug, ...(isWords ? rest.map((segment) => wordOf(OF_EVENTS, segment) ?? segment) : rest)]
}

function belowEvents(segments: readonly string[]): readonly string[] {
  const [first, day = '', ...more] = segments
  if (wordOf(VIEWS, first) === 'day' && isDay(day) && more.length === 0) return ['day', day]
  const scope = wordOf(SCOPES, first)
  if (scope !== undefined) return [scope, ...segments.slice(1, 2), ...endOfTerm(segments.slice(2))]
  return segments.length > MOST_WORDS
    ? segments
    : segments.map((segment) => wordOf(VIEWS, segment) ?? segment)
}

const NUMBER = /^[\d-]+$/

function endOfTerm(segments: readonly string[]): readonly string[] {
  const english = [...segments]
  for (let i = english.length - 1; i >= Math.max(0, english.length - MOST_WORDS); i--) {
    const segment = english[i] ?? ''
    const word = wordOf(VIEWS_OF_TERMS, segment)
    if (word === undefined && !NUMBER.test(segment)) break
    english[i] = word ?? segment
  }
  return english
}
