import type { Site } from '../config.ts'
import { singleLine } from '../text/html.ts'
import { parseMoment } from '../text/moments.ts'
import { encodeUrl, isUrl, presentUrl } from '../text/urls.ts'
import { isTimezone } from '../text/zones.ts'
import { type Bounds, limits } from './limits.ts'

// The kinds of values. Each says how its values are checked, read, described, stored and shown.

/** The JSON schema keywords of a parameter that the namespace index publishes (rule 3.3). */
export interface WireSchema {
  type?: 'string' | 'integer' | 'boolean' | 'array'
  format?: string
  /** The texts that the parameter takes, if they are few. */
  enum?: readonly string[]
  items?: { type: 'integer' } | { type: 'object'; properties: Readonly<Record<string, object>> }
  maxItems?: number
}

/**
 * The control by which a form asks for a value. `text` has markup, `fact` is yes, no or unknown, and `choice`
 * offers the words of the schema.
 */
export type Input =
  | 'line'
  | 'email'
  | 'tel'
  | 'url'
  | 'text'
  | 'switch'
  | 'fact'
  | 'choice'
  | 'number'
  | 'moment'
  | 'zone'
  | 'slug'
  | 'image'
  | 'parent'
  | 'links'

/**
 * Returns a text as its control sends it back untouched. Browsers drop line ends from a line, which therefore
 * shows blanks.
 */
export const asSentBack = (input: Input | undefined, text: string): string =>
  text.replace(/\r\n?|\n/g, input === 'text' ? '\n' : ' ')

/** The time of a request and the zone of the site: all that a kind needs besides the value. */
export interface RequestTime {
  site: Pick<Site, 'timezone'>
  /** Milliseconds since the epoch. */
  now: number
}

/**
 * A kind of value: how it is checked, read, described, stored and shown. Rules work with `Value`; the column
 * of the field holds `Kept`.
 */
export interface Kind<Value, Kept = Value> {
  /** The schema of the value in the index and in the interface description. */
  wire: WireSchema
  /**
   * The JSON schema of what a client may send, where that is more than `wire` says: bounds of numbers, and an
   * empty text that clears them.
   */
  accepts?: Readonly<Record<string, unknown>>
  /** The JSON type of the value in answers, where it differs from `wire.type`. */
  answers?: 'string' | 'integer' | 'number' | 'boolean'
  /** True for lists, which may also be sent as text with commas or as repeated keys. */
  list?: true
  /**
   * The limits of values, unless the field or filter has limits of its own. A kind without it has the limits
   * of one line.
   */
  within?: Bounds
  /**
   * Checks a value before it is read. A value that fails is refused with a plain `rest_invalid_param` (rule
   * 1.2).
   */
  valid?: (value: unknown, at: RequestTime) => boolean
  /** A value that is accepted. The answer that refuses another value shows it. */
  example?: string
  /**
   * Returns true for a value that is passed over as if it had not been sent. The answer names its field in
   * `X-Kalends-Ignored`.
   */
  ignores?: (value: unknown) => boolean
  /**
   * Reads a value; undefined for one of a wrong type, which is refused with `rest_invalid_type` (rule 1.2).
   */
  read: (value: unknown) => Value | undefined
  /** Returns the value of the column. Values of kinds without it are stored by rules of the resource. */
  keep?: (value: Value) => Kept
  /** The value of the column of a record for which no value was sent. */
  blank?: Kept
  /** Returns the value that answers show for the column. A kind without it shows the column as it is. */
  show?: (kept: unknown) => unknown
  /**
   * The words that the entries of a list may be, if they are few. The words for a single value are in
   * `wire.enum`.
   */
  choices?: readonly string[]
  /**
   * True if the meaning of a value changes with the present time, unless the value begins with a whole date.
   */
  goesByClock?: true
  /** True for flags: two records of the same name are not told apart by them. */
  isFlag?: true
  /** The control of a form for the value. Forms do not ask for a kind without it. */
  input?: Input
}

/**
 * A kind whose values are stored in the column with the name of the field, without a rule of the resource.
 */
export interface PlainKind<Value, Kept = Value> extends Kind<Value, Kept> {
  keep: (value: Value) => Kept
  blank: Kept
}

/** The type of the values of a kind once they are read. */
export type ValueOf<K> = K extends Kind<infer Value, infer _Kept> ? Value : never
/** The type of the column of a kind. */
export type KeptOf<K> = K extends { keep: (value: never) => infer Kept } ? Kept : never

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumeric = (value: unknown): value is string | number =>
  typeof value === 'number'
    ? Number.isFinite(value)
    : isText(value) && value.trim() !== '' && Number.isFinite(Number(value))
const same = <T>(value: T): T => value
const isSwitchedOn = (kept: unknown) => kept === 1

/** Decides whether a value is one of the empty values that clear an optional field (rule 2.5). */
export function isEmpty(value: unknown): boolean {
  return (
    value === '' ||
    value === 0 ||
    value === '0' ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  )
}

/**
 * Reads a whole number from a number or numeric text: `2`, `"2"`, `"2.0"`, `"1e1"` (rule 2.1). Undefined for
 * other values.
 */
export function readInteger(value: unknown): number | undefined {
  if (!isNumeric(value)) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : undefined
}

function readBoolean(value: unknown): boolean | undefined {
  if (value === true || value === 1) return true
  if (value === false || value === 0) return false
  if (!isText(value)) return undefined
  const word = value.toLowerCase()
  if (word === 'true' || word === '1') return true
  if (word === 'false' || word === '0') return false
  return undefined
}

const TRUE_WORDS = new Set(['1', 'enable', 'enabled', 'on', 'y', 'yes', 'true'])

/**
 * Decides whether an untyped flag is true (rule 2.3): a text is if it is one of `TRUE_WORDS`, a number if it
 * is not 0.
 */
export function isTruthy(value: unknown): boolean {
  if (isText(value)) return TRUE_WORDS.has(value.toLowerCase())
  return value === true || (typeof value === 'number' && value !== 0)
}

/**
 * Returns the entries of a list that was sent as a list, as the record of a form, as text with commas, or as
 * one number. Undefined for other values.
 */
export function listEntries(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (isText(value)) return value.includes(',') ? value.split(',') : [value]
  if (typeof value === 'number') return [value]
  if (value !== null && typeof value === 'object') return Object.values(value)
  return undefined
}

/**
 * Decides whether a value is an object with named members, and not the numbered entries that a form sends for
 * a list.
 */
export function isNamedRecord(value: unknown): value is Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false
  return !Object.keys(value).every((key) => /^\d+$/.test(key))
}

function readIds(value: unknown): number[] | undefined {
  const entries = listEntries(value)?.map(readInteger)
  return entries?.every((entry): entry is number => entry !== undefined && entry > 0)
    ? distinct(entries)
    : undefined
}

/** Returns the entries of a list without duplicates. Most lists have one entry, and cost nothing. */
function distinct<Entry>(entries: Entry[]): Entry[] {
  return entries.length === 1 ? entries : [...new Set(entries)]
}

/**
 * Reads the words of a list, without duplicates. Undefined for a value that is no list of words, and for an
 * empty list.
 */
export function readWords(value: unknown): string[] | undefined {
  const entries = listEntries(value)?.map((entry) =>
    isText(entry) || typeof entry === 'number' ? String(entry).trim() : '',
  )
  return entries?.length && entries.every((entry) => entry !== '') ? distinct(entries) : undefined
}

/** A text that must not be empty: `""` and `"0"` are refused. */
export const text: PlainKind<string> = {
  input: 'line',
  wire: { type: 'string' },
  valid: (value) => isText(value) && value !== '' && value !== '0',
  read: (value) => (isText(value) ? value : undefined),
  keep: same,
  blank: '',
}

/** A text that an empty value clears, such as a description. */
export const clearableText: PlainKind<string> = {
  input: 'text',
  wire: { type: 'string' },
  within: limits.text,
  valid: (value) => isText(value) || isEmpty(value),
  read: (value) => (isText(value) && value !== '0' ? value : ''),
  keep: same,
  blank: '',
}

/** A text of one line without markup, which an empty value clears, such as an address. */
export const line: PlainKind<string> = {
  ...clearableText,
  input: 'line',
  within: limits.line,
  keep: singleLine,
}

/** A text whose column a rule of the resource writes, such as a slug. */
export const settledText: Kind<string> = {
  input: 'slug',
  wire: { type: 'string' },
  valid: (value) => isText(value),
  read: (value) => (isText(value) ? value : undefined),
}

/** A whole number. */
export const integer: Kind<number> = { wire: { type: 'integer' }, within: limits.word, read: readInteger }

/** A whole number above zero: the number of a page, or of the records on a page. */
export const count: Kind<number> = {
  wire: { type: 'integer' },
  within: limits.word,
  example: '10',
  valid: (value) => (readInteger(value) ?? 0) > 0,
  read: readInteger,
}

/** The id of a record or term, a whole number above zero. */
export const recordId: Kind<number> = { ...count, example: '12' }

/** The id of a parent term; 0 and an empty text mean no parent. */
export const parentId: Kind<number> = {
  input: 'parent',
  wire: { type: 'integer' },
  within: limits.word,
  read: (value) => (value === '' ? 0 : readInteger(value)),
}

/** A list of ids above zero. */
export const ids: Kind<number[]> = {
  wire: { items: { type: 'integer' } },
  list: true,
  within: limits.ids,
  example: '12,34',
  valid: (value) => (readIds(value)?.length ?? 0) > 0,
  read: readIds,
}

/** A list whose entries are ids, slugs or names, as text. */
export const idsOrSlugs: Kind<string[]> = {
  wire: { items: { type: 'integer' } },
  list: true,
  within: limits.slugs,
  example: '12,jazz',
  valid: (value) => readWords(value) !== undefined,
  read: readWords,
}

/** A list of words, such as statuses. */
export const words: Kind<string[]> = {
  wire: { format: 'string' },
  list: true,
  within: limits.ids,
  valid: (value) => readWords(value) !== undefined || value === '',
  read: (value) => readWords(value) ?? [],
}

/** True or false (rule 2.2). */
export const flag: PlainKind<boolean, number> = {
  input: 'switch',
  wire: { type: 'boolean' },
  within: limits.word,
  read: readBoolean,
  keep: Number,
  blank: 0,
  show: isSwitchedOn,
  isFlag: true,
}

/**
 * A fact of access: yes, no, or unknown. An empty text means unknown, and answers leave out unknown facts.
 * Pages show each field of this kind as a fact, and the filter `access` finds records by it.
 */
export const factOfAccess: PlainKind<boolean | '', number | null> = {
  input: 'fact',
  wire: { type: 'boolean' },
  within: limits.word,
  example: 'yes',
  valid: (value) => readYesOrNo(value) !== undefined,
  read: readYesOrNo,
  keep: (value) => (value === '' ? null : Number(value)),
  blank: null,
  show: (kept) => (kept === null ? '' : kept === 1),
}

function readYesOrNo(value: unknown): boolean | '' | undefined {
  if (value === '') return ''
  return value === 'yes' ? true : value === 'no' ? false : readBoolean(value)
}

/** Returns a kind whose values are one of these words. An empty value means `blank`. */
export function oneOf<Word extends string>(words: readonly Word[], blank: Word): PlainKind<Word> {
  const read = (value: unknown) => (isEmpty(value) ? blank : words.find((word) => word === value))
  const named = words.filter((word) => word !== '')
  return {
    input: 'choice',
    wire: { type: 'string', enum: named },
    within: limits.word,
    valid: (value) => read(value) !== undefined,
    read,
    keep: same,
    blank,
  }
}

/** Returns a kind whose values are lists of some of these words. */
export function someOf(known: readonly string[]): Kind<string[]> {
  return {
    ...words,
    choices: known,
    valid: (value) => readWords(value)?.every((word) => known.includes(word)) ?? false,
  }
}

/**
 * A flag that is published without a type and takes any value (rule 2.3): see `isTruthy`. It finds records by
 * the time of the request.
 */
export const upcomingFlag: PlainKind<boolean, number> = {
  input: 'switch',
  wire: {},
  goesByClock: true,
  within: limits.word,
  read: isTruthy,
  keep: Number,
  blank: 0,
}

/**
 * A flag of a filter that keeps the word it was sent with, since links repeat it (rule 13.8). Lists and
 * records are refused.
 */
export const looseWord: Kind<string | number | boolean> = {
  wire: {},
  within: limits.word,
  read: (value) =>
    isText(value) || typeof value === 'number' || typeof value === 'boolean' ? value : undefined,
}

/**
 * A flag that is published as text, for the map switches of venues. Lists and records are refused; `isTruthy`
 * reads all other values.
 */
export const wordFlag: PlainKind<boolean, number> = {
  input: 'switch',
  wire: { type: 'string' },
  within: limits.word,
  answers: 'boolean',
  read: (value) => (value === null || typeof value === 'object' ? undefined : isTruthy(value)),
  keep: Number,
  blank: 0,
  show: isSwitchedOn,
  isFlag: true,
}

/**
 * A switch of a filter: a word such as `true`, `1`, `on` or `yes` turns it on, any other text leaves it off.
 * An empty text is refused.
 */
export const switchWord: Kind<boolean> = {
  wire: {},
  within: limits.word,
  valid: (value) =>
    (isText(value) && value !== '') || typeof value === 'boolean' || typeof value === 'number',
  read: isTruthy,
}

/**
 * A date and time in any form that `parseMoment` reads. The rules of the resource decide in which zone it is
 * read.
 */
export const moment: Kind<string | number> = {
  input: 'moment',
  wire: { type: 'string' },
  within: limits.word,
  example: '2027-05-04 19:30:00',
  goesByClock: true,
  valid: (value, { site, now }) =>
    (isText(value) || typeof value === 'number') && parseMoment(value, site.timezone, now) !== undefined,
  read: (value) => (isText(value) || typeof value === 'number' ? value : undefined),
}

/** A date and time that is published without a type, as parameters of lists are. */
export const untypedMoment: Kind<string | number> = { ...moment, wire: {} }

/**
 * The UTC publication date that answers show for a record that was never published. Sent back, it means no
 * date.
 */
export const NEVER = '0000-00-00 00:00:00'

/** A publication date. `NEVER` is accepted as well, and means no date. */
export const publicationMoment: Kind<string | number> = {
  ...moment,
  valid: (value, at) => value === NEVER || moment.valid?.(value, at) === true,
}

/** A time zone by name, abbreviation or offset. An empty text means the zone of the site (rule 2.7). */
export const timezone: Kind<string> = {
  input: 'zone',
  wire: { type: 'string' },
  within: limits.word,
  example: 'Europe/Oslo',
  valid: (value) => value === '' || (isText(value) && isTimezone(value)),
  read: (value) => (isText(value) ? value : undefined),
}

const ENTITY_SIGNS: Record<string, string> = { amp: '&', '#38': '&', '#038': '&', '#39': "'", '#039': "'" }

/**
 * An absolute URL, which an empty value clears. Signs that answers show as entities are stored as signs (rule
 * 2.8).
 */
export const url: PlainKind<string> = {
  input: 'url',
  wire: { type: 'string' },
  within: limits.url,
  example: 'https://example.org/page',
  valid: (value) => isEmpty(value) || (isText(value) && isUrl(value)),
  read: (value) => (isText(value) && value !== '0' ? value : ''),
  keep: (value) =>
    encodeUrl(value.replace(/&(amp|#0?3[89]);/g, (_, name: string) => ENTITY_SIGNS[name] ?? '')),
  blank: '',
  show: (kept) => presentUrl(String(kept)),
}

/** An absolute URL with the scheme https, which an empty value clears. */
export const secureUrl: PlainKind<string> = {
  ...url,
  valid: (value) => isEmpty(value) || (isText(value) && /^https:/i.test(value) && isUrl(value)),
}

/** A language as a tag of BCP 47, such as `bfi`, which an empty value clears. */
export const language: PlainKind<string> = {
  ...clearableText,
  input: 'line',
  within: limits.word,
  example: 'bfi',
  valid: (value) => isEmpty(value) || (isText(value) && canonicalLanguage(value) !== undefined),
  keep: (value) => canonicalLanguage(value) ?? '',
}

function canonicalLanguage(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

/** An image by its id, by a URL, or as the object by which answers show it. `''` and `0` mean no image. */
export const image: Kind<string | number> = {
  input: 'image',
  wire: { type: 'string' },
  answers: 'integer',
  within: limits.url,
  example: 'https://example.org/picture.jpg',
  valid: (value) => imageReference(value) !== undefined,
  read: imageReference,
}

function imageReference(value: unknown): string | number | undefined {
  if (isEmpty(value)) return ''
  if (value !== null && typeof value === 'object' && 'id' in value) return readInteger(value.id)
  if (isNumeric(value)) return readInteger(value)
  return isText(value) ? value : undefined
}

function degrees(limit: number): PlainKind<number | null> {
  const read = (value: unknown): number | null | undefined => {
    if (value === '') return null
    return isNumeric(value) && Math.abs(Number(value)) <= limit ? Number(value) : undefined
  }
  return {
    input: 'number',
    wire: { format: 'double' },
    accepts: { anyOf: [{ type: 'number', minimum: -limit, maximum: limit }, { const: '' }] },
    answers: 'number',
    within: limits.word,
    example: '12.5',
    valid: (value) => read(value) !== undefined,
    read,
    keep: same,
    blank: null,
  }
}

/** A latitude in degrees north, -90 to 90, which an empty text clears. */
export const latitude = degrees(90)
/** A longitude in degrees east, -180 to 180, which an empty text clears. */
export const longitude = degrees(180)

/** A part of the map in degrees. A box whose `west` is greater than its `east` crosses the date line. */
export interface Box {
  west: number
  south: number
  east: number
  north: number
}

/** A box as text, in the order of GeoJSON: `west,south,east,north` in degrees. */
export const box: Kind<Box> = {
  wire: { type: 'string' },
  within: limits.word,
  example: '10.6,59.8,10.9,60',
  valid: (value) => readBox(value) !== undefined,
  read: readBox,
}

function readBox(value: unknown): Box | undefined {
  const parts = isText(value) ? value.split(',').map((part) => part.trim()) : []
  const [west, south, east, north] = parts.map((part) => (isNumeric(part) ? Number(part) : Number.NaN))
  if (
    parts.length !== 4 ||
    west === undefined ||
    south === undefined ||
    east === undefined ||
    north === undefined
  )
    return undefined
  const isOnEarth =
    Math.max(Math.abs(west), Math.abs(east)) <= 180 && south >= -90 && south <= north && north <= 90
  return isOnEarth ? { west, south, east, north } : undefined
}

/** Decides whether a point lies in a box or on its edge. False for a place without a position. */
export function isInBox({ west, south, east, north }: Box, lat: number | null, lng: number | null): boolean {
  if (lat === null || lng === null) return false
  const isBetween = west <= east ? lng >= west && lng <= east : lng >= west || lng <= east
  return lat >= south && lat <= north && isBetween
}

/** A distance in kilometres above zero. */
export const distance: Kind<number> = {
  wire: { format: 'double' },
  accepts: { type: 'number', exclusiveMinimum: 0 },
  within: limits.word,
  answers: 'number',
  example: '2.5',
  valid: (value) => isNumeric(value) && Number(value) > 0,
  read: (value) => (isNumeric(value) ? Number(value) : undefined),
}

/** Any value. The rules of the resource check it. */
export const anything: Kind<unknown> = { input: 'line', wire: {}, read: (value) => value }

/** Ids of records to link, or the records themselves. The rules of the resource read them. */
export const links: Kind<unknown> = {
  input: 'links',
  wire: { items: { type: 'integer' } },
  list: true,
  within: limits.links,
  read: (value) => value,
}
