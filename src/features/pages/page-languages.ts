import { type Cache, cacheBudget, emptyCache, entryBytes, findCached, setCached } from '../../base/cache.ts'
import { LANGUAGES, type Language, type Site } from '../../base/config.ts'
import { type Html, html } from './page-html.ts'

export interface Chosen {
  language: Language
  /** True if the query names the language, or the site has no other. */
  isNamed: boolean
}

/** `known` has a cache budget of its own, so that odd headers cannot fill the caches of the process. */
export interface LanguageChooser {
  languages: readonly Language[]
  known: Cache<string, Chosen>
  byDefault: Chosen
}

export function makeLanguageChooser({ language, languages }: Site): LanguageChooser {
  const known: LanguageChooser['known'] = emptyCache(cacheBudget(KNOWN_BYTES))
  return { languages, known, byDefault: { language, isNamed: languages.length === 1 } }
}

/** In characters: the rest of an `Accept-Language` header is ignored. */
const LONGEST_HEADER = 256
const MOST_RANGES = 20
const KNOWN_BYTES = 200_000

const NAMED = /(?:^|&)lang=([a-z]+)(?=&|$)/

/** Returns the language that the query names, else the one that the header prefers. */
export function chooseLanguage(chooser: LanguageChooser, query: string, header: string | undefined): Chosen {
  const { languages, known, byDefault } = chooser
  if (byDefault.isNamed) return byDefault
  const named = query === '' ? undefined : namedIn(languages, query)
  if (named !== undefined) return { language: named, isNamed: true }
  if (header === undefined) return byDefault
  const chosen = findCached(known, header)
  if (chosen) return chosen
  const read = { language: bestOf(languages, header.slice(0, LONGEST_HEADER).toLowerCase()), isNamed: false }
  if (header.length <= LONGEST_HEADER) setCached(known, header, read, entryBytes(header))
  return read
}

function namedIn(languages: readonly Language[], query: string): Language | undefined {
  const [, code] = NAMED.exec(query) ?? []
  return code === undefined ? undefined : languages.find((language) => language === code)
}

/**
 * The language of highest quality in the header (RFC 9110, 12.5.4). Among equal ones, or if none is accepted,
 * the site's first language precedes the header's order.
 */
function bestOf(languages: readonly Language[], header: string): Language {
  const ranges = header.split(',', MOST_RANGES).map(readRange)
  const [own = 'en'] = languages
  const wanted = languages.map((language) => ({ language, ...wantedBy(ranges, language) }))
  const [best] = wanted
    .filter(({ quality }) => quality > 0)
    .sort(
      (a, b) =>
        b.quality - a.quality || Number(b.language === own) - Number(a.language === own) || a.at - b.at,
    )
  return best?.language ?? own
}

interface Range {
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

/** A language's quality and place in the header. A tag with a region counts for its language. */
function wantedBy(ranges: readonly Range[], language: Language): { quality: number; at: number } {
  const isOf = ({ tag }: Range) => tag === language || tag.startsWith(`${language}-`)
  const named = ranges.some(isOf) ? isOf : ({ tag }: Range) => tag === '*'
  const quality = ranges.filter(named).reduce((most, range) => Math.max(most, range.quality), 0)
  return { quality, at: ranges.findIndex((range) => named(range) && range.quality === quality) }
}

export function inLanguage(site: Site, { language, isNamed }: Chosen): Site {
  const named = isNamed && site.languages.length > 1
  return { ...site, language, ...(named && { namedLanguage: language }) }
}

export function byLanguage<Value>(make: (language: Language) => Value): Readonly<Record<Language, Value>> {
  return Object.fromEntries(LANGUAGES.map((language) => [language, make(language)])) as Record<
    Language,
    Value
  >
}

/** Language names in the language itself, capitalized. */
export const LANGUAGE_NAMES = byLanguage((language) => {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
})

const PARAMETER = 'lang'

/** Sets the query parameter `lang`, or removes it if `language` is undefined. */
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

/** Adds the query's language to a link to a page; links to files, without a final slash, are unchanged. */
export function keepLanguage({ namedLanguage }: Pick<Site, 'namedLanguage'>, address: string): string {
  return namedLanguage !== undefined && /^[^?#]*\/(?:\?|$)/.test(address)
    ? withLanguage(address, namedLanguage)
    : address
}

/** A hidden control for the language; false if the query names none. */
export const languageField = ({ namedLanguage }: Pick<Site, 'namedLanguage'>): Html | false =>
  namedLanguage !== undefined && html`<input type="hidden" name="${PARAMETER}" value="${namedLanguage}">`
