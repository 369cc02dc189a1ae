import { cachedText, emptyCache, processBudget } from '../cache.ts'
import { fold } from './characters.ts'

// Stems for the query parameter `words`, so that `concert` finds `concerts`, and spelling corrections. All
// languages are treated alike, since the language of a text is unknown. The database stores stems, so
// changing them needs a migration.

/** Characters of words that are stemmed; without Korean, which joins particles to words. */
const LETTER = '0-9a-z\\u00c0-\\u0dff\\u10a0-\\u16ff\\u1c80-\\u1fff'
const NOISE =
  '\\u0000-\\u002f\\u003a-\\u0060\\u007b-\\u00bf\\u2000-\\u206f' +
  '\\u3000-\\u303f\\ud800-\\udfff\\ufe00-\\ufe0f\\ufff0-\\uffff'
/** A single letter beside an apostrophe is no word, as in `St Brigid's` and `l'opéra`. */
const WORD = `[${LETTER}]{2,}|(?<!')[${LETTER}](?!')`
const UNSPACED = `[^${LETTER}${NOISE}]+`
const [WORDS, UNSPACED_RUNS, RUNS] = [
  new RegExp(WORD, 'g'),
  new RegExp(UNSPACED, 'gu'),
  new RegExp(`(${WORD})|${UNSPACED}`, 'gu'),
]

export const LONGEST_WORD = 32

/** Words that only look as if they had an ending, so each is its own stem. */
const WHOLE = new Set(
  (
    'center corner counter cover evening finger flower garden letter master matter morning number order ' +
    'poster power summer sister winter water paper silver super tower under garten hafen ' +
    'laden wagen boden ofen osten westen norden suden danger pasta paste planner banker leider messer ' +
    'wander founder news wedding marching'
  ).split(' '),
)

const IRREGULAR = new Map(
  (
    'children child, men man, women woman, mice mouse, feet foot, teeth tooth, geese goose, buses bus, ' +
    'skis ski, theatre theater, centre center, buss bus, museen museum, zentren zentrum, ' +
    'foren forum, alben album, nouvelle nouveau, nouvel nouveau, belle beau, bel beau, ' +
    'vieille vieux, travaux travail, amis ami, voces voz, luces luz, peces pez, veces vez, lapices lapiz, ' +
    'narices nariz, raices raiz, felices feliz, actrices actriz, actrice actriz, nina nino'
  )
    .split(', ')
    .map((pair) => pair.split(' ') as [string, string]),
)

/**
 * Word endings. `stemOf` applies the first that matches until none does, so that forms of a word mostly get
 * the same stem.
 */
const STEPS: readonly (readonly [RegExp, string])[] = [
  // Short German nouns lose no more than their own endings: Züge, Rädern.
  [/^(akt|art|bad|hof|ohr|ort|rad|tag|tal|tor|uhr|weg|zug)e?[nrs]?n?$/, '$1'],
  [/(eau|eu|ou)x$/, '$1'],
  [/(..)aux$/, '$1al'],
  [/(..[^isu]|...[iu])s$/, '$1'],
  [/([^aeiou])y$/, '$1i'],
  // Endings of feminine nouns, and case endings after -er and -el.
  [/(...[eo]r|ant|ent|ist|und|arzt|konig)in(?:nen)?$/, '$1'],
  [/(..e[lr])n$/, '$1'],
  [/^(...e)n$/, '$1'],
  // Forms of verbs: hiking, skiing, dancing.
  [/^([^aeiou][aeiou][^aeiouwxy])ing$/, '$1e'],
  [/^([aeiou]..|.[aeiouy].|..[aeiouy])ing$/, '$1'],
  [/(....)(?:ing|e[dmnr])$/, '$1'],
  // Consonants doubled before an ending.
  [/([bdgmnptz])\1$/, '$1'],
  [/(...el)l$/, '$1'],
  // Gender endings, and vowels of case endings.
  [/(...eu)r$/, '$1'],
  [/(....|x)e$/, '$1'],
  [/(...[^aeiou])[ao]$/, '$1'],
  [/v$/, 'f'],
]

/** For each ending that `STEPS` produce, the one that it replaced. */
const TURNED: readonly (readonly [RegExp, string])[] = [
  [/i$/, 'y'],
  [/f$/, 'v'],
  [/al$/, 'aux'],
  [/^(...)e$/, '$1ing'],
]

const PLAIN = /^[a-z]{4,}$/

export function stemOf(word: string): string {
  const single = IRREGULAR.get(word) ?? word
  if (!PLAIN.test(single)) return single.startsWith('ال') && single.length > 4 ? single.slice(2) : single
  if (WHOLE.has(single)) return single
  for (const [end, less] of STEPS) {
    const shorter = single.replace(end, less)
    if (shorter !== single) return stemOf(shorter)
  }
  return single
}

/** Returns prefixes, one of which begins each word with this stem, except Arabic words with their article. */
export function beginningsOf(stem: string): string[] {
  const turned = TURNED.flatMap(([end, before]) => (end.test(stem) ? [stem.replace(end, before)] : []))
  return [stem, ...turned, ...[...IRREGULAR.keys()].filter((word) => stemOf(word) === stem)]
}

/** Texts repeat words of ordinary length, so their stems are cached. */
const cachedStems = emptyCache<string, string>(processBudget)
const LONGEST_CACHED = 14

interface WordRun {
  text: string
  stems: string[]
}

export function runsIn(folded: string): WordRun[] {
  return Array.from(folded.matchAll(RUNS), ([text, letters]) => ({
    text,
    stems: letters === undefined ? charactersOf(text) : [cachedStem(letters)],
  }))
}

function cachedStem(letters: string): string {
  if (letters.length > LONGEST_CACHED) return stemOf(letters.slice(0, LONGEST_WORD))
  return cachedText(cachedStems, letters, () => stemOf(letters))
}

function charactersOf(run: string): string[] {
  const characters = [...run]
  return characters.flatMap((character, at) =>
    at === 0 ? [character] : [character, `${characters[at - 1]}${character}`],
  )
}

/** Maximum characters of a text that are indexed; the first words of a text matter most. */
export const LONGEST_TEXT = 20_000

export function stemsIn(folded: string): Set<string> {
  const text = folded.slice(0, LONGEST_TEXT)
  const stems = new Set<string>()
  for (const word of text.match(WORDS) ?? []) stems.add(cachedStem(word))
  for (const run of text.match(UNSPACED_RUNS) ?? []) for (const stem of charactersOf(run)) stems.add(stem)
  return stems
}

export interface WantedWord {
  text: string
  stems: readonly string[]
}

export const MOST_WANTED = 20
const MOST_CHARACTERS = 40

const FILLERS = new Set(
  (
    'a an and at by for from in near of on or the to with ' +
    'am an auf bei beim das dem den der des die ein eine fur im in mit nahe und vom von zu zum zur ' +
    'a au aux avec chez d dans de des du en et l la le les ou par pour pres sur un une ' +
    'al cerca con de del el en la las los o para por un una y'
  ).split(' '),
)

/**
 * Returns the words of a search. Small words such as `near` and `der` count only if there are no others. A
 * run of a script without spaces is one word, whose stems are its pairs of adjacent characters.
 */
export function wantedWords(text: string): WantedWord[] {
  const wanted = new Map<string, WantedWord>()
  for (const { text: word, stems } of runsIn(fold(text))) {
    const pairs = stems.filter((stem) => [...stem].length > 1)
    const isUnspaced = stems.length > 1
    const own = {
      text: word.slice(0, LONGEST_WORD * 2),
      stems: (isUnspaced ? pairs : stems).slice(0, MOST_CHARACTERS),
    }
    wanted.set(own.stems.join(' '), own)
  }
  const all = [...wanted.values()]
  const meant = all.filter((word) => !FILLERS.has(word.text))
  return (meant.length > 0 ? meant : all).slice(0, MOST_WANTED)
}

const LEAST_CORRECTED = 5
const ALPHABETS = [
  { own: /^[a-z]+$/, letters: [...'abcdefghijklmnopqrstuvwxyz'] },
  { own: /^[α-ω]+$/, letters: [...'αβγδεζηθικλμνξοπρστυφχψω'] },
  { own: /^[а-я]+$/, letters: [...'абвгдежзийклмнопрстуфхцчшщъыьэюя'] },
]

/** The letters that a correction may put into the word; none if it is not corrected. */
function lettersFor({ text }: WantedWord): readonly string[] {
  if (text.length < LEAST_CORRECTED || text.length > LONGEST_WORD) return []
  return ALPHABETS.find(({ own }) => own.test(text))?.letters ?? []
}

export const isCorrectable = (word: WantedWord) => lettersFor(word).length > 0

/**
 * Returns, by stem, the words that differ by one letter changed, added or left out, or by two adjacent
 * letters swapped; none for a word that is short, very long or of other alphabets than `ALPHABETS`.
 */
export function nearWords(wanted: WantedWord): Map<string, string> {
  const { text, stems } = wanted
  const near = new Map<string, string>()
  const letters = lettersFor(wanted)
  if (letters.length === 0) return near
  const add = (word: string) => {
    const stem = stemOf(word)
    if (!stems.includes(stem) && !near.has(stem)) near.set(stem, word)
  }
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)]
    if (after.length > 1) add(`${before}${after[1]}${after[0]}${after.slice(2)}`)
    if (after !== '') add(`${before}${after.slice(1)}`)
    for (const letter of letters) {
      if (after !== '') add(`${before}${letter}${after.slice(1)}`)
      add(`${before}${letter}${after}`)
    }
  }
  return near
}
