import { LANGUAGES, type Language, type Site } from '../../base/config.ts'
import { type Html, html } from './page-html.ts'

// The language of a page, by its address or the header.

/** The language that a page is written in. */
export interface Chosen {
  language: Language
  /** Whether the address names it; else it comes from the header `Accept-Language`. */
  isNamed: boolean
}

/** The offered languages, and the choices for headers that were read lately: a few hundred, so that strangers cannot fill the caches of the process. */
export interface LanguageChooser {
  languages: readonly Language[]
  /** By header: a few hundred, none of them long. */
  known: Map<string, Chosen>
  byDefault: Chosen
}

export function makeLanguageChooser({ language, languages }: Site): LanguageChooser {
  return { languages, known: new Map(), byDefault: { language, isNamed: languages.length === 1 } }
}

/** The characters of a header that are read; browsers send fewer than a hundred. */
const LONGEST_HEADER = 256
const MOST_RANGES = 20
const MOST_KNOWN = 500

const NAMED = /(?:^|&)lang=([a-z]+)(?=&|$)/

/** The language of a page by the query of its address, as sent, or else by the header. It looks at a bounded part of the header alone. */
export function chooseLanguage(chooser: LanguageChooser, query: string, header: string | undefined): Chosen {
  const { languages, known, byDefault } = chooser
  if (byDefault.isNamed) return byDefault
  const named = query === '' ? undefined : namedIn(languages, query)
  if (named !== undefined) return { language: named, isNamed: true }
  if (header === undefined) return byDefault
  const chosen = known.get(header)
  if (chosen) return chosen
  const read = { language: bestOf(languages, header.slice(0, LONGEST_HEADER).toLowerCase()), isNamed: false }
  if (header.length > LONGEST_HEADER) return read
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(header, read)
  return read
}

function namedIn(languages: readonly Language[], query: string): Language | undefined {
  const [, code] = NAMED.exec(query) ?? []
  return code === undefined ? undefined : languages.find((language) => language === code)
}

/**
 * The offered language of the highest quality (RFC 9110, 12.5.4). Of equal ones it is the first of `languages`, else the one that the header names first; the
 * first of `languages` also where none is wanted.
 */
function bestOf(languages: readonly Language[], header: string): Language {
  const ranges = header.split(',', MOST_RANGES).map(readRange)
  const [own = 'en'] = languages
  const wanted = languages.map((language) => ({ language, ...wantedBy(ranges, language) }))
  const [best] = wanted
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || Number(b.language === own) - Number(a.language === own) || a.at - b.at)
  return best?.language ?? own
}

interface Range {
  /** A tag such as `de-at`, or `*`. */
  tag: string
  quality: number
}

const WEIGHT = /;\s*q=([^;\s]*)/

function readRange(text: string): Range {
  const mark = text.indexOf(';')
  const tag = (mark === -1 ? text : text.slice(0, mark)).trim()
  const quality = mark === -1 ? 1 : Number(WEIGHT.exec(text.slice(mark))?.[1] ?? 1)
  return { tag, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

/** How much a language is wanted, and its place in the header. A region stands for its language, and `*` for each that is not named. */
function wantedBy(ranges: readonly Range[], language: Language): { quality: number; at: number } {
  const isOf = ({ tag }: Range) => tag === language || tag.startsWith(`${language}-`)
  const named = ranges.some(isOf) ? isOf : ({ tag }: Range) => tag === '*'
  const quality = ranges.filter(named).reduce((most, range) => Math.max(most, range.quality), 0)
  return { quality, at: ranges.findIndex((range) => named(range) && range.quality === quality) }
}

/** The site in the language of a page. */
export function inLanguage(site: Site, { language, isNamed }: Chosen): Site {
  const named = isNamed && site.languages.length > 1
  return { ...site, language, ...(named && { namedLanguage: language }) }
}

/** A value for each language. */
export function byLanguage<Value>(make: (language: Language) => Value): Readonly<Record<Language, Value>> {
  return Object.fromEntries(LANGUAGES.map((language) => [language, make(language)])) as Record<Language, Value>
}

/** The name of each language in itself. */
export const LANGUAGE_NAMES = byLanguage((language) => {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
})

/** The parameter of addresses that names the language of a page. */
const PARAMETER = 'lang'

/** An address of a page, without or with a query, that names a language; or none. */
export function withLanguage(address: string, language: Language | undefined): string {
  const mark = address.indexOf('?')
  const path = mark === -1 ? address : address.slice(0, mark)
  const others = (mark === -1 ? '' : address.slice(mark + 1))
    .split('&')
    .filter((part) => part !== '' && !part.startsWith(`${PARAMETER}=`))
  if (language !== undefined) others.push(`${PARAMETER}=${language}`)
  const query = others.join('&')
  return query === '' ? path : `${path}?${query}`
}

/** An address that keeps the language which the address of the page names, if it leads to a page: paths of files end in no slash. */
export function keepLanguage({ namedLanguage }: Pick<Site, 'namedLanguage'>, address: string): string {
  return namedLanguage !== undefined && /^[^?#]*\/(?:\?|$)/.test(address)
    ? withLanguage(address, namedLanguage)
    : address
}

/** The hidden field by which forms that lead to pages keep the language. */
export const languageField = ({ namedLanguage }: Pick<Site, 'namedLanguage'>): Html | false =>
  namedLanguage !== undefined && html`<input type="hidden" name="${PARAMETER}" value="${namedLanguage}">`
