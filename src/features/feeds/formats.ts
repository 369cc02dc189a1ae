import type { Resource } from '../../calendar/declare/resource.ts'
import { type Formats, mostWanted, namesOneOf, rankOf } from '../../http/choose-format.ts'
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

export const others: readonly Format[] = [ndjson, icalendar, rss, atom, jsonFeed, csv, jsonLd, geojson]

export const formats: Formats = [json, ...others]

export function formatsOf({ path }: Resource): Formats {
  return [json, ...others.filter(({ lists }) => lists === 'all' || lists.includes(path))]
}

export function formatOfFile(path: string): Format | undefined {
  const dot = path.lastIndexOf('.')
  if (dot < path.lastIndexOf('/')) return undefined
  const extension = path.slice(dot + 1)
  return formats.find((format) => format.extension !== '' && format.extension === extension)
}

/** The format that Accept prefers to HTML; undefined for browsers and clients that accept anything. */
export function preferredToPage(accept: string | undefined): Format | undefined {
  if (!namesAnother(accept)) return undefined
  const best = mostWanted(others, accept)
  return best && rankOf(best, accept ?? '') > rankOf({ mediaType: 'text/html' }, accept ?? '')
    ? best
    : undefined
}

export const namesAnother = namesOneOf(others)
