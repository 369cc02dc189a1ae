import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { LANGUAGES, type Language } from '../../src/base/config.ts'
import type { Fields } from '../../src/calendar/declare/resource.ts'
import { messages, type Text } from '../../src/calendar/locales/messages.ts'
import type { Forms, Texts } from '../../src/calendar/locales/texts.ts'
import { locales, sayCountIn, translate } from '../../src/calendar/locales/translate.ts'
import { shortTexts } from '../../src/calendar/locales/words.ts'
import { resources, type ServedResource, series } from '../../src/calendar/resources.ts'
import { assertNone } from '../support/lists.ts'

const languages = LANGUAGES.filter((language) => language !== 'en')

const SAME_AS_ENGLISH: Readonly<Partial<Record<keyof typeof locales, readonly string[]>>> = {
  de: ['Name', 'Administrator', 'Link', 'Online', 'Website', 'Tickets'],
  es: ['{fact}: no', 'No'],
  fr: ['E-mail'],
}

const hasWords = (text: string) => /\p{L}/u.test(text.replaceAll(/\{\w+\}/g, ''))

function textsOf(fields: Fields): string[] {
  return Object.values(fields).flatMap(({ about, label, hint, words = {} }) =>
    [about, label, hint, ...Object.values(words)].filter((text) => text !== undefined),
  )
}

function declaredTexts({ resource: { addresses, fields }, filters }: ServedResource): string[] {
  return [...textsOf(addresses.id), ...textsOf(addresses.slug ?? {}), ...textsOf(fields), ...textsOf(filters)]
}

const texts = [...new Set([...[...resources, series].flatMap(declaredTexts), ...messages])]

function placeholders(text: string): string[] {
  return (text.match(/\{\w+\}/g) ?? []).sort()
}

for (const language of languages) {
  const locale = locales[language]

  test(`${language} translates every declared text and every message`, () => {
    const missing = texts.filter((text) => !Object.hasOwn(locale, text) && !Object.hasOwn(shortTexts, text))
    deepEqual(missing, [])
  })

  test(`${language} translates nothing that is no longer declared`, () => {
    const stale = Object.keys(locale).filter((text) => !texts.includes(text))
    deepEqual(stale, [])
  })

  test(`${language} says something for every text`, () => {
    const blank = texts.filter((text) => translate(language, text).trim() === '')
    deepEqual(blank, [])
  })

  test(`${language} leaves no text in English`, () => {
    const allowed: readonly string[] = SAME_AS_ENGLISH[language] ?? []
    const same = texts.filter(
      (text) => translate(language, text) === text && hasWords(text) && !allowed.includes(text),
    )
    deepEqual(same, [])
  })

  test(`${language} keeps the placeholders of every text`, () => {
    for (const text of texts) deepEqual(placeholders(translate(language, text)), placeholders(text), text)
  })

  test(`${language} puts each value in the place of its name`, () => {
    const filled = translate(language, 'The value of {name} is not of the type {type}.', {
      name: 'cost',
      type: 'integer',
    })
    match(filled, /\bcost\b.*\binteger\b/)
    deepEqual(placeholders(filled), [])
  })
}

const root = new URL('../../src/', import.meta.url)

const isTexts = (value: unknown): value is Texts =>
  typeof value === 'object' && value !== null && Object.values(value).every((row) => row?.de !== undefined)

async function readCatalogue(file: string) {
  const exported: Record<string, unknown> = await import(new URL(file, root).href)
  const rows = Object.values(exported).filter(isTexts)
  ok(rows.length > 0, `${file} exports no texts`)
  // A catalogue that is joined of others has their rows.
  const all = new Map(
    rows.flatMap((texts) => Object.entries(texts)).map((entry) => [entry[1], entry] as const),
  )
  return { file, rows: [...all.values()] }
}

/** The texts of features, beside them. */
const catalogues = await Promise.all(
  globSync('features/**/*-texts.ts', { cwd: root })
    .filter((file) => readFileSync(new URL(file, root), 'utf8').includes('satisfies Texts'))
    .map(readCatalogue),
)

/** With its forms for numbers. */
const formsOf = (value: string | Forms): string[] =>
  typeof value === 'string' ? [value] : Object.values(value)

test('features say something for each of their texts, with its placeholders, in every language', () => {
  for (const { file, rows } of catalogues)
    for (const [text, row] of rows)
      for (const language of languages) {
        const forms = formsOf(row[language])
        for (const form of forms) notEqual(form.trim(), '', `${file}: ${text}`)
        // Languages share many a single word.
        if (
          !SAME_AS_ENGLISH[language]?.includes(text) &&
          /\p{L}\P{L}+\p{L}/u.test(text.replaceAll(/\{\w+\}/g, ''))
        )
          ok(!forms.includes(text), `${file}: ${text} in ${language}`)
        if ('en' in row)
          ok(
            forms.some((form) => form.includes('{count}')),
            `${file}: ${text}`,
          )
        else deepEqual(placeholders(forms.join(' ')), placeholders(text), `${file}: ${text}`)
      }
})

/** Words of another form of address than that of the pages: Sie, vous and usted. */
const FAMILIAR: Readonly<Record<(typeof languages)[number], RegExp>> = {
  de: /(?<!\p{L})(?:du|dir|dich|dein(?:e[mnrs]?)?)(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:tu|te|toi|ton|tes)(?!\p{L})/iu,
  es: /(?<!\p{L})(?:tú|tus?|te|ti|tuy[oa]s?)(?!\p{L})/iu,
}

test('all texts address their reader in the same form', () => {
  const rows = catalogues.flatMap((one) => one.rows.map(([, row]) => row))
  for (const language of languages) {
    const said = [
      ...texts.map((text) => translate(language, text)),
      ...rows.flatMap((row) => formsOf(row[language])),
    ]
    const familiar = said.filter((text) => FAMILIAR[language].test(text))
    deepEqual(familiar, [], language)
  }
})

/** Long texts are broken by a backslash. */
const textOf = (file: string) => readFileSync(new URL(file, root), 'utf8').replaceAll('\\\n', '')

test('features say each of their texts, and none that the kernel has', () => {
  const said = globSync('features/**/*.ts', { cwd: root }).map(textOf).join('\n')
  const rowsOf = Map.groupBy(
    catalogues.flatMap(({ rows }) => rows),
    ([text]) => text,
  )
  for (const [text, rows] of rowsOf) {
    ok(!texts.includes(text), `the kernel has ${text}`)
    ok(said.split(text).length - 1 > rows.length, `nothing says ${text}`)
  }
})

test('a text that depends on a number has the form of the language for it', () => {
  const say = sayCountIn({
    '{count} dates': {
      en: { one: '{count} date', other: '{count} dates' },
      de: { one: 'Ein Termin', other: '{count} Termine' },
      fr: { one: '{count} évènement', other: '{count} évènements' },
      es: { one: 'Una fecha', other: '{count} fechas' },
    },
  } as const)
  const said = (language: Language) => [0, 1, 2, 1_000_000].map((n) => say({ language }, '{count} dates', n))
  deepEqual(said('en'), ['0 dates', '1 date', '2 dates', '1000000 dates'])
  deepEqual(said('de'), ['0 Termine', 'Ein Termin', '2 Termine', '1000000 Termine'])
  deepEqual(said('fr'), ['0 évènement', '1 évènement', '2 évènements', '1000000 évènements'])
  deepEqual(said('es'), ['0 fechas', 'Una fecha', '2 fechas', '1000000 fechas'])
})

test('every message is said somewhere, and stands once in the list', () => {
  const files = globSync('**/*.ts', {
    cwd: root,
    exclude: languages.map((language) => `calendar/locales/${language}.ts`),
  })
  // Skips the lists of texts, whose lines use no text.
  const said = files
    .map((file) =>
      file.endsWith('messages.ts') ? textOf(file).replaceAll(/^ {2}['"].*['"],$/gm, '') : textOf(file),
    )
    .join('\n')
  assertNone(messages, (text) => !said.includes(text))
  deepEqual(
    messages.filter((text, at) => messages.indexOf(text) !== at),
    [],
  )
})

test('a text that nobody declared is answered in English, and the compiler refuses it as a key', () => {
  // @ts-expect-error `Text` lists the declared texts; were it any text, the locales could miss some
  // unnoticed.
  const undeclared: Text = 'A text that nobody declared'
  for (const language of languages) equal(translate(language, undeclared), undeclared)
})
