import { readFileSync } from 'node:fs'
import { LANGUAGES, type Site } from '../../base/config.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import { translate } from '../../calendar/locales/translate.ts'
import { localeOf, weekStartOf } from './page-dates.ts'

/** The texts of the element, in the order in which its script reads them. */
const TEXTS = [
  'All day',
  'Today',
  'No event matches.',
  '1 event',
  '{count} events',
  'Show the calendar',
  'Not available just now.',
  'All times are of {zone}',
  '(no title)',
  'Canceled: {text}',
  'Postponed: {text}',
] as const satisfies readonly MessageText[]

/** The path of the script that defines `<kalends-events>`, below the root of the site. */
export const EMBED_PATH = '/embed.js'

/** The modules of `<kalends-events>` by path. A list needs only the first; months and days load the other. */
export function embedScripts(site: Site, weekStart: string): ReadonlyMap<string, string> {
  const facts = {
    list: `${site.restRoot}/${site.namespace}/events`.slice(1),
    zone: zoneOf(site.timezone),
    week: weekStartOf(site, weekStart),
    locale: localeOf(site),
    texts: Object.fromEntries(LANGUAGES.map((language) => [language, TEXTS.map((text) => translate(language, text))])),
    css: styleOf('embed.css'),
  }
  return new Map([
    [EMBED_PATH, scriptOf('embed.js').replace("JSON.parse('{}')", () => JSON.stringify(facts))],
    [
      '/embed-days.js',
      scriptOf('embed-days.js').replace(`JSON.parse('""')`, () => JSON.stringify(styleOf('embed-days.css'))),
    ],
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

/** A script without comments and indentation, since every page that shows events loads it. */
function scriptOf(name: string): string {
  return withoutComments(own(name))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'))
    .join('\n')
}

const styleOf = (name: string) =>
  withoutComments(own(name))
    .replaceAll('\n', '')
    .replace(/ ?([{};,]) */g, '$1')
    .replace(/([{;][\w-]+): /g, '$1:')
    .replaceAll(';}', '}')
