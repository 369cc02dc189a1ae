import { cachedText, emptyCache, processBudget } from '../cache.ts'
import { fold } from './characters.ts'

// Cuts words to their stems for the search by `words`, so that `concert` finds `concerts`, and reads and
// corrects the words of such a search. Words of all languages are cut in the same way, since the language of
// a text is not known. The database stores stems, so a change of them needs a migration.

/**
 * Letters and digits of scripts with blanks between words, by their places in Unicode. Korean is left out,
 * since it joins particles to its words.
 */
const LETTER = '0-9a-z\\u00c0-\\u0dff\\u10a0-\\u16ff\\u1c80-\\u1fff'
/** Signs that are no part of a word: blanks, punctuation, and halves of characters. */
const NOISE =
  '\\u0000-\\u002f\\u003a-\\u0060\\u007b-\\u00bf\\u2000-\\u206f\\u3000-\\u303f\\ud800-\\udfff\\ufe00-\\ufe0f\\ufff0-\\uffff'
/** A word. A single letter beside an apostrophe is none: `St Brigid's`, `l'opéra`. */
const WORD = `[${LETTER}]{2,}|(?<!')[${LETTER}](?!')`
const SIGNS = `[^${LETTER}${NOISE}]+`
const [WORDS, ALL_SIGNS, RUNS] = [
  new RegExp(WORD, 'g'),
  new RegExp(SIGNS, 'gu'),
  new RegExp(`(${WORD})|${SIGNS}`, 'gu'),
]

/** The most letters of a word. Longer words are cut: nobody types more of one. */
const LONGEST_WORD = 32

/** Words that only seem to have an ending: without it, each would be another word. */
const WHOLE = new Set(
  (
    'center corner counter cover evening finger flower garden letter master matter morning number order poster ' +
    'power summer sister winter water paper silver super tower under garten hafen laden wagen boden ofen osten ' +
    'westen norden suden danger pasta paste planner banker leider messer wander founder news wedding marching'
  ).split(' '),
)

/** Forms that no rule makes, each before the form of which the stem is taken. */
const IRREGULAR = new Map(
  (
    'children child, men man, women woman, mice mouse, feet foot, teeth tooth, geese goose, buses bus, skis ski, ' +
    'theatre theater, centre center, buss bus, museen museum, zentren zentrum, foren forum, alben album, ' +
    'nouvelle nouveau, nouvel nouveau, belle beau, bel beau, vieille vieux, travaux travail, amis ami, ' +
    'voces voz, luces luz, peces pez, veces vez, lapices lapiz, narices nariz, raices raiz, felices feliz, ' +
    'actrices actriz, actrice actriz, nina nino'
  )
    .split(', ')
    .map((pair) => pair.split(' ') as [string, string]),
)

/**
 * What words lose or become, the first that fits, again and again: so each form of a word comes to the same
 * stem.
 */
const STEPS: readonly (readonly [RegExp, string])[] = [
  // Short German nouns, of which nothing but their own endings may go: Züge, Rädern.
  [/^(akt|art|bad|hof|ohr|ort|rad|tag|tal|tor|uhr|weg|zug)e?[nrs]?n?$/, '$1'],
  // Plurals.
  [/(eau|eu|ou)x$/, '$1'],
  [/(..)aux$/, '$1al'],
  [/(..[^isu]|...[iu])s$/, '$1'],
  [/([^aeiou])y$/, '$1i'],
  // Words for women, and cases behind -er and -el.
  [/(...[eo]r|ant|ent|ist|und|arzt|konig)in(?:nen)?$/, '$1'],
  [/(..e[lr])n$/, '$1'],
  [/^(...e)n$/, '$1'],
  // Forms of verbs: hiking, skiing, dancing.
  [/^([^aeiou][aeiou][^aeiouwxy])ing$/, '$1e'],
  [/^([aeiou]..|.[aeiouy].|..[aeiouy])ing$/, '$1'],
  [/(....)(?:ing|e[dmnr])$/, '$1'],
  // Two equal letters, which only an ending asks for.
  [/([bdgmnptz])\1$/, '$1'],
  [/(...el)l$/, '$1'],
  // Genders, and vowels that only tell cases apart.
  [/(...eu)r$/, '$1'],
  [/(....|x)e$/, '$1'],
  [/(...[^aeiou])[ao]$/, '$1'],
  [/v$/, 'f'],
]

/** What a step turns an end into, before that end: no other step takes more than it leaves. */
const TURNED: readonly (readonly [RegExp, string])[] = [
  [/i$/, 'y'],
  [/f$/, 'v'],
  [/al$/, 'aux'],
  [/^(...)e$/, '$1ing'],
]

const PLAIN = /^[a-z]{4,}$/

/** Returns the stem of a folded word: the word without plural, gender and case. */
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

/** Returns beginnings of words: each word with this stem has one of them. */
export function beginningsOf(stem: string): string[] {
  const turned = TURNED.flatMap(([end, before]) => (end.test(stem) ? [stem.replace(end, before)] : []))
  return [stem, ...turned, ...[...IRREGULAR.keys()].filter((word) => stemOf(word) === stem)]
}

/** The stems of words of a usual length, since texts have the same words again and again. */
const kept = emptyCache<string, string>(processBudget)
const LONGEST_KEPT = 14

interface WordRun {
  text: string
  /** The stems of this run in the index of the text. */
  stems: string[]
}

function runsIn(folded: string): WordRun[] {
  return Array.from(folded.matchAll(RUNS), ([text, letters]) => ({
    text,
    stems: letters === undefined ? signsOf(text) : [keptStem(letters)],
  }))
}

function keptStem(letters: string): string {
  if (letters.length > LONGEST_KEPT) return stemOf(letters.slice(0, LONGEST_WORD))
  return cachedText(kept, letters, () => stemOf(letters))
}

function signsOf(run: string): string[] {
  const signs = [...run]
  return signs.flatMap((sign, at) => (at === 0 ? [sign] : [sign, `${signs[at - 1]}${sign}`]))
}

/** The most characters of a text of which stems are taken: its first words are worth more than late ones. */
export const LONGEST_TEXT = 20_000

/** Returns all stems of the first `LONGEST_TEXT` characters of folded text. */
export function stemsIn(folded: string): Set<string> {
  const text = folded.slice(0, LONGEST_TEXT)
  const stems = new Set<string>()
  for (const word of text.match(WORDS) ?? []) stems.add(keptStem(word))
  for (const run of text.match(ALL_SIGNS) ?? []) for (const stem of signsOf(run)) stems.add(stem)
  return stems
}

/** A word that somebody looks for. */
export interface WantedWord {
  /** The word as it was typed, folded. */
  text: string
  /** The stems of the word: a text has the word if it has all of them. */
  stems: readonly string[]
}

/** The most words that a search looks for; it ignores further ones. */
const MOST_WANTED = 20
const MOST_SIGNS = 40

const FILLERS = new Set(
  (
    'a an and at by for from in near of on or the to with ' +
    'am an auf bei beim das dem den der des die ein eine fur im in mit nahe und vom von zu zum zur ' +
    'a au aux avec chez d dans de des du en et l la le les ou par pour pres sur un une ' +
    'al cerca con de del el en la las los o para por un una y'
  ).split(' '),
)

/**
 * Returns the words that a search of a visitor looks for, each once. Small words such as `near` and `der`
 * count only where there are no other words. A run of a script without blanks is one word: a text has it if
 * it has each pair of its signs that stand side by side.
 */
export function wantedWords(text: string): WantedWord[] {
  const wanted = new Map<string, WantedWord>()
  for (const { text: word, stems } of runsIn(fold(text))) {
    const pairs = stems.filter((stem) => [...stem].length > 1)
    const isSigns = stems.length > 1
    const own = {
      text: word.slice(0, LONGEST_WORD * 2),
      stems: (isSigns ? pairs : stems).slice(0, MOST_SIGNS),
    }
    wanted.set(own.stems.join(' '), own)
  }
  const all = [...wanted.values()]
  const meant = all.filter((word) => !FILLERS.has(word.text))
  return (meant.length > 0 ? meant : all).slice(0, MOST_WANTED)
}

/**
 * The fewest letters of a word that is corrected: too many other words differ from a shorter one in one
 * letter.
 */
const LEAST_CORRECTED = 5
const ALPHABETS = [
  { own: /^[a-z]+$/, letters: [...'abcdefghijklmnopqrstuvwxyz'] },
  { own: /^[α-ω]+$/, letters: [...'αβγδεζηθικλμνξοπρστυφχψω'] },
  { own: /^[а-я]+$/, letters: [...'абвгдежзийклмнопрстуфхцчшщъыьэюя'] },
]

/**
 * Returns, by their stem, the words that differ from a word in one letter: another one, one too many or too
 * few, or two that have changed places.
 */
export function nearWords({ text, stems }: WantedWord): Map<string, string> {
  const near = new Map<string, string>()
  const { letters = [] } = ALPHABETS.find(({ own }) => own.test(text)) ?? {}
  if (letters.length === 0 || text.length < LEAST_CORRECTED || text.length > LONGEST_WORD) return near
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

/**
 * Reads a search while somebody types it. `stems` are those of all words but the last, which may not be
 * finished: `begun` is its beginning, and `whole` its stem. Undefined if the last word has fewer than two
 * letters.
 */
export function typedSoFar(text: string): { stems: string[]; begun: string; whole: string } | undefined {
  const words = runsIn(fold(text))
  const last = words.pop()
  if (!last || [...last.text].length < LEAST_TYPED) return undefined
  const stems = words.flatMap((word) => word.stems).slice(0, MOST_WANTED)
  // In a script without blanks, the last stem is the last two signs.
  const whole = last.stems.at(-1) ?? ''
  return { stems, begun: last.stems.length > 1 ? whole : last.text.slice(0, LONGEST_WORD), whole }
}

const LEAST_TYPED = 2
