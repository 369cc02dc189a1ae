import { readFileSync } from 'node:fs'
import { LANGUAGES, type Site } from '../../base/config.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import { translate } from '../../calendar/locales/translate.ts'
import { localeOf, weekStartOf } from './page-dates.ts'

// The scripts that show events on other sites.

/** The texts of the element, in the order in which its script reads them. */
const TEXTS = [
  'All day',
  'No events found.',
  'Show the calendar',
  'Not available right now.',
  'All times are in {zone}',
  '(no title)',
  'Canceled: {text}',
  'Postponed: {text}',
] as const satisfies readonly MessageText[]

/** The further texts of months and days, and those of the extras that `show` names. */
const DAY_TEXTS = ['Today', '1 event', '{count} events'] as const satisfies readonly MessageText[]
const EXTRA_TEXTS = ['Free'] as const satisfies readonly MessageText[]

const inLanguages = (texts: readonly MessageText[]) =>
  Object.fromEntries(LANGUAGES.map((language) => [language, texts.map((text) => translate(language, text))]))

/** The path of the script that defines `<kalends-events>`, below the root of the site. */
export const EMBED_PATH = '/embed.js'

/** The modules of `<kalends-events>` by path. A list needs only the first; months and days load another, and pictures and the like a third. */
export function embedScripts(site: Site, weekStart: string): ReadonlyMap<string, string> {
  const facts = {
    list: `${site.restRoot}/${site.namespace}/events`.slice(1),
    zone: zoneOf(site.timezone),
    week: weekStartOf(site, weekStart),
    locale: localeOf(site),
    texts: inLanguages(TEXTS),
    css: styleOf('embed.css'),
  }
  const withFacts = (name: string, own: object) =>
    scriptOf(`${name}.js`).replace("JSON.parse('{}')", () => JSON.stringify(own))
  const moduleOf = (name: string, texts: readonly MessageText[]): [string, string] => [
    `/${name}.js`,
    withFacts(name, { css: styleOf(`${name}.css`), texts: inLanguages(texts) }),
  ]
  return new Map([
    [EMBED_PATH, withFacts('embed', facts)],
    moduleOf('embed-days', DAY_TEXTS),
    moduleOf('embed-extras', EXTRA_TEXTS),
  ])
}

/** Zones that are offsets, as browsers write them. */
const zoneOf = (timezone: string) =>
  timezone.replace(
    /^UTC([+-])(\d{1,2})(?::?(\d\d))?$/,
    (_, sign, hours: string, minutes = '00') => `${sign}${hours.padStart(2, '0')}:${minutes}`,
  )

const own = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')

/** A script without its block comments. */
const withoutComments = (text: string) =>
  text
    .split('/*')
    .map((part, i) => (i === 0 ? part : part.slice(part.indexOf('*/') + 2)))
    .join('')

/** A script without comments and indentation; no text in it has lines or the signs of comments. */
export const bareScript = (text: string): string =>
  withoutComments(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'))
    .join('\n')

/** A script without the blanks, too, that no text in it has, since every page that shows events loads it. */
const scriptOf = (name: string) =>
  bareScript(own(name))
    .replace(/ (=>|[=?}]|&&|===) /g, '$1')
    .replace(/\{ | \}|(?<=[(,]) (?=\w)/g, (blank) => blank.trim())

const styleOf = (name: string) =>
  withoutComments(own(name))
    .replaceAll('\n', '')
    .replace(/ ?([{};,]) */g, '$1')
    .replace(/([{;][\w-]+): /g, '$1:')
    .replaceAll(';}', '}')
