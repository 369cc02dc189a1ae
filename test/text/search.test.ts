import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fold, foldUnicode, latinToAscii } from '../../src/base/text/characters.ts'
import { parseSearch, parseWords, termsOf } from '../../src/base/text/search.ts'
import { fc, isWhole, rounds } from '../support/rounds.ts'

describe('folding', () => {
  const folded: readonly (readonly [string, string])[] = [
    ['Pumpkin  PIE\n', 'pumpkin pie'],
    ['Café', 'cafe'],
    ['Cafe\u0301', 'cafe'],
    ['Straße Ærø Łódź Đà Nẵng þing', 'strasse aero lodz da nang thing'],
    ['İstanbul ISPARTA ısı', 'istanbul isparta isi'],
    ['Ёлка Ά ΟΔΟΣ', 'елка α οδοσ'],
    ['ﬁne ＷＩＤＥ', 'fine wide'],
    ['Miller’s “Big” Jump – now', 'miller\'s "big" jump - now'],
    ['co\u00adoperate', 'cooperate'],
    ['夏祭り ガ ｶﾞ は', '夏祭り ガ ガ は'],
    ['한국', '한국'],
    ['हिन्दी', 'हिन्दी'],
    ['שָׁלוֹם', 'שלום'],
    ['مُوسِيقَى أحمد مـــرحبا', 'موسيقى احمد مرحبا'],
    ['❤️ 🎏', '❤ 🎏'],
    ['', ''],
  ]
  for (const [text, key] of folded) {
    test(`${JSON.stringify(text)} is folded to ${JSON.stringify(key)}`, () => equal(fold(text), key))
  }

  test('is the same part by part as of a whole text', () => {
    const whole = (text: string) => foldUnicode(text).replace(/\s+/g, ' ').trim()
    const same = (text: string) => equal(fold(text), whole(text), JSON.stringify(text))
    // Of the thousands of signs of Chinese, Korean and old scripts, every seventh.
    const isOfMany = (code: number) =>
      (code >= 0x3400 && code < 0xf900) || (code >= 0x12000 && code < 0x1d000)
    for (let code = 0x80; code < 0x20000; code += isOfMany(code) && !isWhole ? 7 : 1) {
      const sign = String.fromCodePoint(code)
      same(`Ra${sign}b`)
      same(`A ${sign}\u0301e`)
    }
    const signs = fc.constantFrom(...'aE z\n\u0301\u0308\u00ad\u200dÉßİΣςЯй´ﬁ’한ｶﾞำ日😀\ufe0f', '\ud800')
    fc.assert(fc.property(fc.string({ unit: signs, maxLength: 12 }), same), { numRuns: rounds(120) })
  })

  test('leaves folded text alone, whatever it was', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
    )
    fc.assert(
      fc.property(text, (raw) => {
        equal(fold(fold(raw)), fold(raw))
        equal(latinToAscii(latinToAscii(raw)), latinToAscii(raw))
        equal(fold(raw.toUpperCase().normalize('NFD')), fold(raw.toUpperCase()))
      }),
      { numRuns: rounds(60), examples: [['ﹷ']] },
    )
  })
})

describe('searches for events', () => {
  const searches: readonly (readonly [string, string[], string[]])[] = [
    ['PUMPKIN', ['pumpkin'], []],
    ['pumpkin pie', ['pumpkin', 'pie'], []],
    ['"Pumpkin  pie" tart', ['pumpkin pie', 'tart'], []],
    ['pumpkin -pie', ['pumpkin'], ['pie']],
    ['-"pumpkin pie" tart', ['tart'], ['pumpkin pie']],
    ['-pie', [], ['pie']],
    ['100%', ['100%'], []],
    ['under_score', ['under_score'], []],
    ['Café', ['cafe'], []],
    ["miller's", ["miller's"], []],
    ['&', ['&'], []],
    ['fish & chips', ['fish', '&', 'chips'], []],
    ['夏祭り', ['夏祭り'], []],
    ["' OR 1=1 --", ["'", 'or', '1=1', '--'], []],
    ['well-known a-', ['well-known', 'a-'], []],
    ['"unclosed phrase', ['"unclosed', 'phrase'], []],
    ['5" nails', ['5"', 'nails'], []],
    ['-', ['-'], []],
    ['-5 degrees', ['-5', 'degrees'], []],
    ['pie -5', ['pie', '-5'], []],
    ['--pie', ['--pie'], []],
    ['-élan', [], ['elan']],
    ['!!! ???', ['!!! ???'], []],
    ['"!!! ???"', ['!!! ???'], []],
    ['" "', ['" "'], []],
    ['🎏  🎉', ['🎏 🎉'], []],
    ['""', ['""'], []],
    [
      'one two three four five six seven eight nine',
      ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'],
      [],
    ],
    [
      'One two three four five six seven eight nine -ten',
      ['one two three four five six seven eight nine -ten'],
      [],
    ],
    ['  ', [], []],
  ]
  for (const [text, include, exclude] of searches) {
    test(`${JSON.stringify(text)} is read as words to include and exclude`, () => {
      deepEqual(parseSearch(text), { include, exclude })
    })
  }
})

test('the index holds no term longer than 64, however long a word is', () => {
  for (const length of [63, 64, 65, 96, 97, 500, 40_000])
    for (const term of termsOf('ab'.repeat(length).slice(0, length))) ok(term.length <= 64)
})

describe('searches for venues and organizers', () => {
  const searches: readonly (readonly [string, string[]])[] = [
    ['KINGSTON', ['kingston']],
    ['nothing-here', ['nothing-here']],
    ['arts.example', ['arts', 'example']],
    ['Zürich', ['zurich']],
    ["Tom & Anna's", ['tom', 'anna', 's']],
    ['+44 20 5550', ['44', '20', '5550']],
    ['हिन्दी भवन', ['हिन्दी', 'भवन']],
    ['Main - Hall', ['main', 'hall']],
    ['-5 degrees', ['-5', 'degrees']],
    ['%_"&', ['%_"&']],
    ['!!!  ???', ['!!! ???']],
    ['--', ['--']],
    ['  ', []],
  ]
  for (const [text, words] of searches) {
    test(`${JSON.stringify(text)} is cut into ${JSON.stringify(words)}`, () =>
      deepEqual(parseWords(text), words))
  }
})
