import type { Site } from '../config.ts'
import type { LimitFault } from '../problems.ts'
import { hasLongMarkRun, LONGEST_MARK_RUN } from '../text/characters.ts'

/** Limits of one value, checked before all else. */
export interface Bounds {
  /**
   * Maximum characters of each text. An entity such as `&amp;` counts as one, since responses write some
   * characters as entities.
   */
  characters?: number
  /** UTF-8 bytes of a text, and of all texts of a list together. `setting`: the setting `text_bytes`. */
  bytes?: number | 'setting'
  words?: number
  entries?: number
  /** Set for an object that the service itself made, such as an upload, and that is not checked. */
  isOwn?: true
}

/** Limits, as listed in `docs/limits.md`. */
export const limits = {
  title: { characters: 500 },
  line: { characters: 1000 },
  text: { bytes: 'setting' },
  termName: { characters: 200 },
  /** For descriptions of terms: one list may repeat each in thousands of events. */
  termText: { bytes: 5000 },
  slug: { characters: 500 },
  url: { characters: 2000 },
  email: { characters: 320 },
  /** For dates, statuses, flags, sort orders, and numbers sent as text. */
  word: { characters: 100 },
  cost: { bytes: 1000, entries: 100 },
  search: { characters: 500, words: 20 },
  ids: { characters: 100, entries: 500 },
  slugs: { characters: 500, entries: 500 },
  terms: { entries: 100 },
  /** Room for a rule and several hundred dates. */
  recurrence: { bytes: 40_000, entries: 1000 },
  links: { entries: 100 },
  batch: { entries: 100 },
  /** For terms, venues and organizers that the events of a batch create in one transaction. */
  batchMade: { entries: 1000 },
  /** For all responses of a batch together; further ones contain only ids. */
  batchAnswers: { bytes: 8_000_000 },
  /**
   * For a page of the changes feed: less than the smallest buffer for unsent responses. A larger record gets
   * a page of its own.
   */
  changesPage: { bytes: 900_000 },
  /** For all dates of a series, or of all series in a batch; counts `ROW_BYTES`, `LINK_BYTES` and texts. */
  seriesDates: { bytes: 20_000_000 },
  idempotencyKey: { characters: 255 },
} as const satisfies Record<string, Bounds>

/** Estimated bytes of an event without its texts, and of each link to another record. */
export const ROW_BYTES = 2000
export const LINK_BYTES = 200
/** Maximum nesting depth of JSON in a request. An event in a response has five levels. */
export const MOST_LEVELS = 10
export const MOST_MEMBERS = 20_000
/** Maximum parameters in a query string or form. */
export const MOST_PAIRS = 2000

export function overLimit(
  value: unknown,
  bounds: Bounds,
  isList: boolean,
  site: Pick<Site, 'textBytes'>,
): LimitFault | undefined {
  if (typeof value === 'string' && isList && value.includes(','))
    return overEntries(countCommas(value) + 1, bounds) ?? overList(value.split(','), bounds, site)
  if (typeof value === 'string') return overText(value, bounds, site)
  if (value === null || typeof value !== 'object' || bounds.isOwn) return undefined
  return overShape(value) ?? overList(value, bounds, site)
}

export function overText(
  text: string,
  bounds: Bounds,
  site: Pick<Site, 'textBytes'>,
): LimitFault | undefined {
  const { characters, words } = bounds
  const bytes = bounds.bytes === 'setting' ? site.textBytes : bounds.bytes
  if (bytes !== undefined && text.length * 3 > bytes && Buffer.byteLength(text) > bytes)
    return over('bytes', bytes)
  if (characters !== undefined && text.length > characters && !hasAtMost(text, characters))
    return over('characters', characters)
  if (words !== undefined && hasMoreWords(text, words)) return over('words', words)
  return hasLongMarkRun(text) ? over('marks', LONGEST_MARK_RUN) : undefined
}

export function over(unit: LimitFault['unit'], limit: number): LimitFault {
  return { why: 'limit', unit, limit }
}

function overEntries(count: number, { entries }: Bounds): LimitFault | undefined {
  return entries !== undefined && count > entries ? over('entries', entries) : undefined
}

function overList(value: object, bounds: Bounds, site: Pick<Site, 'textBytes'>): LimitFault | undefined {
  const entries: unknown[] = Object.values(value)
  const tooMany = Array.isArray(value) ? overEntries(entries.length, bounds) : undefined
  if (tooMany) return tooMany
  let bytes = 0
  for (const entry of entries) {
    if (typeof entry === 'number') bytes += String(entry).length
    if (typeof entry !== 'string') continue
    const fault = overText(entry, bounds, site)
    if (fault) return fault
    bytes += Buffer.byteLength(entry)
  }
  return typeof bounds.bytes === 'number' && bytes > bounds.bytes ? over('bytes', bounds.bytes) : undefined
}

/** Checks the depth and number of members. Goes level by level, since recursion could overflow the stack. */
export function overShape(value: object, mostLevels = MOST_LEVELS): LimitFault | undefined {
  let level: object[] = [value]
  let members = 0
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > mostLevels) return over('levels', mostLevels)
    const next: object[] = []
    for (const container of level) {
      for (const name in container) {
        if (++members > MOST_MEMBERS) return over('members', MOST_MEMBERS)
        const member: unknown = container[name as keyof typeof container]
        if (member !== null && typeof member === 'object') next.push(member)
      }
    }
    level = next
  }
  return undefined
}

function countCommas(text: string): number {
  let count = 0
  for (let at = text.indexOf(','); at !== -1; at = text.indexOf(',', at + 1)) count++
  return count
}

const ENTITY = /&(?:amp|lt|gt|quot|#0?3[489]);/g
const LONGEST_ENTITY = '&quot;'.length

function hasAtMost(text: string, characters: number): boolean {
  if (text.length > characters * LONGEST_ENTITY) return false
  let count = 0
  for (const _ of text.replace(ENTITY, '&')) count++
  return count <= characters
}

function hasMoreWords(text: string, words: number): boolean {
  let count = 0
  for (const _ of text.matchAll(/\S+/g)) if (++count > words) return true
  return false
}
