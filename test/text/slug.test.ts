import { doesNotMatch, doesNotThrow, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  canonicalSlug,
  numberedSlug,
  slugify,
  TRASHED_SUFFIX,
  trashedSlug,
  untrashedSlug,
} from '../../src/base/text/slugs.ts'
import { fc, rounds } from '../support/rounds.ts'

const JAPANESE = '%e6%97%a5%e6%9c%ac%e8%aa%9e'

describe('slugs of titles', () => {
  // Cases from rule 17.1 and from the recorded answers.
  const slugs: readonly (readonly [string, string])[] = [
    ['My Slug', 'my-slug'],
    ['Ünï', 'uni'],
    ['a/b', 'a-b'],
    ['A & B <script>x</script>', 'a-b-x'],
    ['It\'s "quoted"', 'its-quoted'],
    ['It’s “quoted”', 'its-quoted'],
    ['日本語', JAPANESE],
    ['夏祭り', '%e5%a4%8f%e7%a5%ad%e3%82%8a'],
    ['Café Société: “Été” à la Plage', 'cafe-societe-ete-a-la-plage'],
    ['Tom & Jane\'s "Big" Quiz <em>Live</em>', 'tom-janes-big-quiz-live'],
    ['Script <script>alert(1)</script> Night', 'script-alert1-night'],
    ['A Very Odd/Slug_Näme!', 'a-very-odd-slug_name'],
    ['Kite Day 🎏', 'kite-day-%f0%9f%8e%8f'],
    ['2027', '2027'],
    ['  Padded   Title  ', 'padded-title'],
    ['Braces and 100% wool', 'braces-and-100-wool'],
    ['Food &amp; Drink &#8217;n caf&eacute;', 'food-drink-n-cafe'],
    ['v1.2 — now', 'v1-2-now'],
    ['Straße, Łódź, Ærø & Đà Nẵng', 'strasse-lodz-aero-da-nang'],
    ['½ price', '1-2-price'],
    ['¿Qué?', 'que'],
    ['ガギ ｶﾞ', '%e3%82%ac%e3%82%ae-%e3%82%ac'],
    ['!!!', ''],
    ['', ''],
    [JAPANESE.toUpperCase(), JAPANESE],
    ['100%e6', '100e6'],
  ]
  for (const [title, slug] of slugs) {
    test(`the slug of ${JSON.stringify(title)} is ${JSON.stringify(slug)}`, () => equal(slugify(title), slug))
  }

  test('end within 200 bytes, in no half character and no dash', () => {
    const lanterns = `long${'-lantern'.repeat(29)}`
    equal(slugify(lanterns.replaceAll('-', ' ')), `long${'-lantern'.repeat(24)}-lan`)
    equal(slugify('日'.repeat(30)), '%e6%97%a5'.repeat(22))
    equal(slugify(`${'a'.repeat(199)} b`), 'a'.repeat(199))
  })
})

test('numbered slugs keep within 200 bytes', () => {
  equal(numberedSlug('my-slug', 2), 'my-slug-2')
  equal(numberedSlug('a'.repeat(200), 12), `${'a'.repeat(197)}-12`)
  equal(numberedSlug('%e6%97%a5'.repeat(22), 2), `${'%e6%97%a5'.repeat(22)}-2`)
  equal(numberedSlug(`${'%e6%97%a5'.repeat(22)}x`, 1000), `${'%e6%97%a5'.repeat(21)}-1000`)
  equal(numberedSlug(`${'a'.repeat(197)}-bc`, 2), `${'a'.repeat(197)}-2`)
})

test('a slug in an address may be raw or percent-encoded, in any letter case', () => {
  for (const slug of ['日本語', JAPANESE, JAPANESE.toUpperCase()]) equal(canonicalSlug(slug), JAPANESE)
  equal(canonicalSlug('My-Slug_2'), 'my-slug_2')
  equal(canonicalSlug('%E6%97'), '%e6%97')
  notEqual(canonicalSlug('c++'), 'c')
})

test('trashed slugs give their own back, numbered or not', () => {
  equal(trashedSlug('my-slug'), 'my-slug__trashed')
  equal(trashedSlug(trashedSlug('my-slug')), `my-slug${TRASHED_SUFFIX}`)
  equal(untrashedSlug('my-slug__trashed'), 'my-slug')
  equal(untrashedSlug(numberedSlug(trashedSlug('a'.repeat(200)), 3)), 'a'.repeat(200))
  equal(untrashedSlug('my-slug'), 'my-slug')
})

test('any text at all gives a slug of at most 200 bytes that is its own slug and canonical', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.string({ unit: 'grapheme', maxLength: 100 }),
    fc
      .array(
        fc.constantFrom(
          'e',
          '\u0301',
          '%e6',
          '%97%a5',
          '-',
          ' ',
          'か',
          '\u3099',
          '!',
          '<b>',
          '&amp;',
          '🎏',
          '.',
        ),
      )
      .map((bits) => bits.join('')),
  )
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 9999 }), (raw, n) => {
      const slug = slugify(raw)
      match(slug, /^(?:[a-z0-9_-]|%[89a-f][0-9a-f])*$/)
      doesNotMatch(slug, /^-|-$|--/)
      ok(slug.length <= 200)
      equal(slugify(slug), slug)
      equal(canonicalSlug(slug), slug)
      const numbered = numberedSlug(slug, n)
      ok(numbered.length <= 200 && numbered.endsWith(`-${n}`))
      doesNotThrow(() => decodeURIComponent(numbered))
    }),
    { numRuns: rounds(60) },
  )
})
