import type { Site } from '../config.ts'
import type { LimitFault } from '../problems.ts'
import { hasLongMarkRun, LONGEST_MARK_RUN } from '../text/characters.ts'

// Holds the limits of all values, and checks values against them.

/**
 * The limits of a value. All are checked before anything else is done with it, in time that grows with the
 * limits and not with the size of the value.
 */
export interface Bounds {
  /**
   * The most characters of a text, and of each text of a list. An entity such as `&amp;` counts as one, since
   * answers show some signs as entities.
   */
  characters?: number
  /**
   * The most bytes in UTF-8 of a text, or of all texts of a list together; `setting` stands for the setting
   * `text_bytes`.
   */
  bytes?: number | 'setting'
  /** The most words of a text, with blanks between them. */
  words?: number
  /** The most entries of a list, whether sent as a list or as text with commas. */
  entries?: number
  /**
   * True for values that the service itself adds to a request, such as an uploaded file. They are not
   * checked.
   */
  isOwn?: true
}

/** All limits by name. Fields and filters refer to them, and `docs/limits.md` lists them. */
export const limits = {
  title: { characters: 500 },
  line: { characters: 1000 },
  text: { bytes: 'setting' },
  termName: { characters: 200 },
  /**
   * The description of a term. Every event with the term shows it, so a list may show it thousands of times.
   */
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
  /** The categories of one event, or its tags. */
  terms: { entries: 100 },
  /** The recurrence of an event: a rule and some hundred dates. */
  recurrence: { bytes: 40_000, entries: 1000 },
  /** The venues of one event, or its organizers. */
  links: { entries: 100 },
  /** The requests of a batch. */
  batch: { entries: 100 },
  /** All answers of a batch together; further answers have only ids. */
  batchAnswers: { bytes: 8_000_000 },
  /**
   * The records of a page of changes; a single record may be larger. It is less than the smallest setting of
   * the room for unsent answers.
   */
  changesPage: { bytes: 900_000 },
  /** All dates of a series by `ROW_BYTES`, `LINK_BYTES` and their texts; in a batch, of all its requests. */
  seriesDates: { bytes: 20_000_000 },
  /** The header `Idempotency-Key`. */
  idempotencyKey: { characters: 255 },
} as const satisfies Record<string, Bounds>

/** What an event counts as besides its texts, and what each of its links counts as, in bytes. */
export const ROW_BYTES = 2000
export const LINK_BYTES = 200
/**
 * The most levels by which lists and objects nest in one value. The whole answer for an event, sent back, has
 * five.
 */
export const MOST_LEVELS = 10
/** The most members and entries of one value, on all levels together. */
export const MOST_MEMBERS = 20_000
/** The most pairs of a name and a value in a query or form. */
export const MOST_PAIRS = 2000

/**
 * Returns the limit that a value is over; undefined for a value within its limits. With `isList`, a text is
 * split into entries at its commas.
 */
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

/** Returns the limit that a text is over; undefined for a text within its limits. */
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

/** Returns the fault of a value that is over a limit. */
export function over(unit: LimitFault['unit'], limit: number): LimitFault {
  return { why: 'limit', unit, limit }
}

function overEntries(count: number, { entries }: Bounds): LimitFault | undefined {
  return entries !== undefined && count > entries ? over('entries', entries) : undefined
}

/**
 * Returns the limit that a list or its texts are over. Texts within records of the list are checked where
 * these are read.
 */
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

/**
 * Returns the limit that a value is over by its levels or its members; undefined for none. Walks it level by
 * level: recursion could overflow the stack.
 */
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

/** Decides whether a text has at most this many characters. An entity counts as one. */
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
