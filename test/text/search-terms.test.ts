import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { fold } from '../../src/base/text/characters.ts'
import { hasSearchedWords, type Lookup, planWord, termsOf } from '../../src/base/text/search.ts'
import { beginningsOf, stemOf } from '../../src/base/text/stems.ts'
import { fc, rounds } from '../support/rounds.ts'

const piece = fc.constantFrom(
  ...'aab1é夏祭りの東京한글กข🎏❤%_"\'\\*?[]-+. \n\t\u0001\u200dשðß',
  'jazz',
  'a'.repeat(40),
  '👩‍👩‍👧',
)
const text = fc.oneof(
  fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
)

function answers(lookup: Lookup, terms: ReadonlySet<string>): boolean {
  return [...terms].some((term) => {
    const places = [...term.matchAll(new RegExp(RegExp.escape(lookup.text), 'g'))].map(({ index }) => index)
    if (lookup.before && lookup.after) return places.length > 0
    if (lookup.before) return term.endsWith(lookup.text)
    return lookup.after ? places.includes(0) : term === lookup.text
  })
}

test('an index of terms answers with every text that has a word, and just those if exact', () => {
  fc.assert(
    fc.property(text, text, fc.nat(), fc.nat(), (raw, other, from, length) => {
      const folded = fold(raw)
      const terms = termsOf(folded)
      const cut = from % (folded.length + 1)
      for (const word of [fold(other), fold(folded.slice(cut, cut + 1 + (length % 70)).toWellFormed())]) {
        if (word === '') continue
        const { lookups, isExact } = planWord(word)
        const isFound = hasSearchedWords({ include: [word], exclude: [] }, folded)
        const isAnswer = lookups.every((lookup) => answers(lookup, terms))
        if (isFound) ok(isAnswer, `${JSON.stringify(word)} in ${JSON.stringify(folded)}`)
        if (isExact) equal(isAnswer, isFound, `${JSON.stringify(word)} in ${JSON.stringify(folded)}`)
      }
    }),
    { numRuns: rounds(120) },
  )
})

test('the index knows all by itself which texts have a word of one term, and of no other', () => {
  for (const word of ['umpk', 'a', '夏', '夏祭', '%']) ok(planWord(word).isExact, word)
  for (const word of ['夏祭り', 'jazz night', '100%', 'x'.repeat(33)]) ok(!planWord(word).isExact, word)
})

const endings = 's es e en ern er ers ed ing ings ies y a o as os aux eaux al ale tte nning'.split(' ')
const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')
const words = fc
  .tuple(fc.array(letter, { minLength: 2, maxLength: 8 }), fc.constantFrom('', ...endings))
  .map(([letters, ending]) => letters.join('') + ending)

test('the stem of a word tells with what the word begins', () => {
  const begins = (word: string) => beginningsOf(stemOf(word)).some((beginning) => word.startsWith(beginning))
  const forms = 'parties city journaux chateaux children women museen theatre studying cerealien'
  for (const word of forms.split(' ')) ok(begins(word), `${word}: ${beginningsOf(stemOf(word))}`)
  fc.assert(fc.property(words, begins), { numRuns: rounds(500) })
})
