import type { Kind } from '../../base/fields/kinds.ts'
import type { Fields, Resource } from '../../calendar/declare/resource.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import type { Format } from '../../http/format.ts'
import { json } from '../../http/json.ts'
import { atom } from './atom.ts'
import { csv } from './csv.ts'
import { geojson } from './geojson.ts'
import { icalendar } from './icalendar.ts'
import { jsonFeed } from './json-feed.ts'
import { jsonLd } from './json-ld.ts'
import { ndjson } from './ndjson.ts'
import { rss } from './rss.ts'

// Representations, chosen by name, file name or `Accept`.

/** The first is the default. */
export const formats: readonly [Format, ...Format[]] = [
  json,
  ndjson,
  icalendar,
  rss,
  atom,
  jsonFeed,
  csv,
  jsonLd,
  geojson,
]

export function formatsOf({ path }: Resource): readonly Format[] {
  return formats.filter(({ lists }) => lists === 'all' || lists.includes(path))
}

const ABOUT: MessageText = 'The name of the format of the answer; without it Accept chooses'

/** By the end of its path. */
export function formatOfFile(path: string): Format | undefined {
  const dot = path.lastIndexOf('.')
  if (dot < path.lastIndexOf('/')) return undefined
  const extension = path.slice(dot + 1)
  return formats.find((format) => format.extension !== '' && format.extension === extension)
}

/** Where there are several. The index does not publish it. */
export function formatField(resource: Resource): Fields {
  const names = formatsOf(resource).map(({ name }) => name)
  if (names.length < 2) return {}
  const kind: Kind<string> = {
    wire: { type: 'string', enum: names },
    valid: (value) => names.some((name) => name === value),
    read: (value) => (typeof value === 'string' ? value : undefined),
  }
  return { format: { kind, about: ABOUT, unlisted: true } }
}

/** Named, else by `Accept`, else JSON (RFC 9110, 12.5.1). */
export function chooseFormat(resource: Resource, name: unknown, accept: string | undefined): Format {
  const offered = formatsOf(resource)
  return offered.find((format) => format.name === name) ?? preferredFormat(offered, accept)
}

/** JSON where `Accept` prefers none. */
export function preferredFormat(offered: readonly Format[], accept: string | undefined): Format {
  let best: Format = formats[0]
  if (!namesAnother(accept)) return best
  let bestRank = 0
  for (const format of offered) {
    const rank = rankOf(format, accept ?? '')
    if (rank > bestRank) {
      best = format
      bestRank = rank
    }
  }
  return best
}

/** Undefined for browsers, and for clients that take anything. */
export function preferredToPage(accept: string | undefined): Format | undefined {
  if (!namesAnother(accept)) return undefined
  const [, ...others] = formats
  const best = preferredFormat(others, accept)
  return rankOf(best, accept ?? '') > rankOf({ mediaType: 'text/html' }, accept ?? '') ? best : undefined
}

/** Other than JSON. */
export function namesAnother(accept: string | undefined): boolean {
  return accept !== undefined && OTHERS.test(accept)
}

const OTHERS = new RegExp(
  formats
    .slice(1)
    .map(({ mediaType }) => RegExp.escape(mediaType))
    .join('|'),
  'i',
)

/** By quality, then by how exactly the type is named; 0 if refused. */
function rankOf({ mediaType }: Pick<Format, 'mediaType'>, accept: string): number {
  const [group = ''] = mediaType.split('/')
  const ranges = [mediaType, `${group}/*`, '*/*']
  let exactness = ranges.length
  let quality = 0
  for (const entry of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const at = ranges.indexOf(range)
    if (at === -1 || at >= exactness) continue
    exactness = at
    quality = qualityOf(parameters)
  }
  return quality === 0 ? 0 : quality * 1000 + ranges.length - exactness
}

function qualityOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='))
  if (given === undefined) return 1
  const quality = Number(given.slice('q='.length))
  return quality >= 0 && quality <= 1 ? quality : 0
}
