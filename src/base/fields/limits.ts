import type { Site } from '../config.ts'
import type { LimitFault } from '../problems.ts'
import { hasLongMarkRun, LONGEST_MARK_RUN } from '../text/characters.ts'

// The limits of values, and the checks of them.

/**
 * The limits of a value. Each is checked before anything else is done with the value, in time that grows with the limit and not with
 * what was sent.
 */
export interface Bounds {
  /** Characters of a text and of each text of a list. An entity such as `&amp;` counts as one, since answers show signs that way. */
  characters?: number
  /** Bytes in UTF-8 of a text, or of all texts of a list together; `setting` is that of `text_bytes`. */
  bytes?: number | 'setting'
  /** Words of a text, parted by blanks. */
  words?: number
  /** Entries of a list, however it was sent. */
  entries?: number
  /** True for values that the service itself adds to a request, such as a file that came with it. */
  isOwn?: true
}

/** All limits by name: fields and filters refer to them, and `docs/limits.md` lists them. */
export const limits = {
  title: { characters: 500 },
  line: { characters: 1000 },
  text: { bytes: 'setting' },
  termName: { characters: 200 },
  /** The description of a term, which every event shows that is assigned to it: a list may show thousands. */
  termText: { bytes: 5000 },
  slug: { characters: 500 },
  url: { characters: 2000 },
  email: { characters: 320 },
  /** Dates, statuses, flags, numbers as text, orders. */
  word: { characters: 100 },
  cost: { bytes: 1000, entries: 100 },
  search: { characters: 500, words: 20 },
  /** Ids and other short entries of a filter. */
  ids: { characters: 100, entries: 500 },
  slugs: { characters: 500, entries: 500 },
  /** Terms of one kind that an event is assigned to. */
  terms: { entries: 100 },
  /** How an event repeats: a rule, and some hundred dates. */
  recurrence: { bytes: 40_000, entries: 1000 },
  /** Venues or organizers of one event. */
  links: { entries: 100 },
  /** Requests of a batch. */
  batch: { entries: 100 },
  /** All answers of a batch together; further answers have ids alone. */
  batchAnswers: { bytes: 8_000_000 },
  /** The records of a page of changes, unless there is only one. The smallest setting of the room for unsent answers is larger. */
  changesPage: { bytes: 900_000 },
  /** The header `Idempotency-Key`. */
  idempotencyKey: { characters: 255 },
} as const satisfies Record<string, Bounds>

/** Levels that lists and records nest in one value: the whole answer for an event, sent back, has five. */
export const MOST_LEVELS = 10
/** Members and entries of one value on all levels. */
export const MOST_MEMBERS = 20_000
/** Pairs of a name and a value in a query or form. */
export const MOST_PAIRS = 2000

/** Which limit a value is over; undefined for a value that stays within. The text of a list is its entries with commas between them. */
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

/** Which limit a text is over. */
export function overText(text: string, bounds: Bounds, site: Pick<Site, 'textBytes'>): LimitFault | undefined {
  const { characters, words } = bounds
  const bytes = bounds.bytes === 'setting' ? site.textBytes : bounds.bytes
  if (bytes !== undefined && text.length * 3 > bytes && Buffer.byteLength(text) > bytes) return over('bytes', bytes)
  if (characters !== undefined && text.length > characters && !hasAtMost(text, characters))
    return over('characters', characters)
  if (words !== undefined && hasMoreWords(text, words)) return over('words', words)
  return hasLongMarkRun(text) ? over('marks', LONGEST_MARK_RUN) : undefined
}

/** A fault that names a limit. */
export function over(unit: LimitFault['unit'], limit: number): LimitFault {
  return { why: 'limit', unit, limit }
}

function overEntries(count: number, { entries }: Bounds): LimitFault | undefined {
  return entries !== undefined && count > entries ? over('entries', entries) : undefined
}

/** The texts of a list; the texts of records in it are checked where the record is read. */
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
    bytes += entry.length
  }
  return typeof bounds.bytes === 'number' && bytes > bounds.bytes ? over('bytes', bounds.bytes) : undefined
}

/** Whether lists and records nest too deep, or are too many. It walks them level by level, without recursion. */
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

/** Whether a text has at most this many characters; an entity counts as one. */
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
