import type { Site } from '../config.ts'
import { singleLine } from '../text/html.ts'
import { parseMoment } from '../text/moments.ts'
import { encodeUrl, isUrl, presentUrl } from '../text/urls.ts'
import { isTimezone } from '../text/zones.ts'
import { type Bounds, limits } from './limits.ts'

/** The schema of a value in the namespace index (rule 3.3). */
export interface WireSchema {
  type?: 'string' | 'integer' | 'boolean' | 'array'
  format?: string
  enum?: readonly string[]
  items?: { type: 'integer' } | { type: 'object'; properties: Readonly<Record<string, object>> }
  maxItems?: number
}

/** The form control of a field. `text` has several lines with markup. */
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
 * Returns `text` as an unchanged form control sends it back: a `text` control with `\n` for line breaks, any
 * other with spaces.
 */
export const asSentBack = (input: Input | undefined, text: string): string =>
  text.replace(/\r\n?|\n/g, input === 'text' ? '\n' : ' ')

export interface RequestTime {
  site: Pick<Site, 'timezone'>
  /** In ms since the epoch. */
  now: number
}

/** How a field is validated, parsed, stored and shown: code works with `Value`, the column holds `Column`. */
export interface Kind<Value, Column = Value> {
  wire: WireSchema
  /** For OpenAPI: what clients may send, where `wire` does not say all of it. */
  accepts?: Readonly<Record<string, unknown>>
  /** The type in responses, if it is not the type in `wire`. */
  answers?: 'string' | 'integer' | 'number' | 'boolean'
  list?: true
  within?: Bounds
  /** If it returns false, the request is refused by `rest_invalid_param` (rule 1.2). */
  valid?: (value: unknown, at: RequestTime) => boolean
  /** A valid value, shown when an invalid one is refused. */
  example?: string
  /** True for a value that counts as not sent; the header `X-Kalends-Ignored` then names the field. */
  ignores?: (value: unknown) => boolean
  /** Parses the value. Undefined for a wrong type, which `rest_invalid_type` refuses (rule 1.2). */
  read: (value: unknown) => Value | undefined
  /** Without `toColumn`, the code of the resource stores the value, if anything does. */
  toColumn?: (value: Value) => Column
  blank?: Column
  /** Without `show`, responses show the column as it is. */
  show?: (column: unknown) => unknown
  /** The allowed entries of a list; `wire.enum` has the allowed single values. */
  choices?: readonly string[]
  /** A kind without `clock` counts as `day`. */
  clock?: (value: unknown) => ClockPart
  isFlag?: true
  input?: Input
}

/** How long a response stays valid while no data change: until the day or minute is over, or not at all. */
export type ClockPart = 'day' | 'minute' | 'now'

export interface PlainKind<Value, Column = Value> extends Kind<Value, Column> {
  toColumn: (value: Value) => Column
  blank: Column
}

export type ValueOf<K> = K extends Kind<infer Value, infer _Kept> ? Value : never
export type ColumnOf<K> = K extends { toColumn: (value: never) => infer Column } ? Column : never

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumeric = (value: unknown): value is string | number =>
  typeof value === 'number'
    ? Number.isFinite(value)
    : isText(value) && value.trim() !== '' && Number.isFinite(Number(value))
const same = <T>(value: T): T => value
const isSwitchedOn = (column: unknown) => column === 1

/** True for a value that clears an optional field (rule 2.5). */
export function isEmpty(value: unknown): boolean {
  return (
    value === '' ||
    value === 0 ||
    value === '0' ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  )
}

/** Parses an integer, also from texts such as `"2"`, `"2.0"` and `"1e1"` (rule 2.1). */
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

/** True for `TRUE_WORDS`, `true` and any number but 0 (rule 2.3). */
export function isTruthy(value: unknown): boolean {
  if (isText(value)) return TRUE_WORDS.has(value.toLowerCase())
  return value === true || (typeof value === 'number' && value !== 0)
}

/**
 * Returns the entries of a list, a comma-separated text, or an object as forms send it (`ids[0]=3`); a number
 * is one entry. Undefined for other values.
 */
export function listEntries(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (isText(value)) return value.includes(',') ? value.split(',') : [value]
  if (typeof value === 'number') return [value]
  if (value !== null && typeof value === 'object') return Object.values(value)
  return undefined
}

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

function distinct<Entry>(entries: Entry[]): Entry[] {
  return entries.length === 1 ? entries : [...new Set(entries)]
}

/**
 * Returns the distinct words of a list. Undefined for an empty list, and if an entry is empty or neither text
 * nor number.
 */
export function readWords(value: unknown): string[] | undefined {
  const entries = listEntries(value)?.map((entry) =>
    isText(entry) || typeof entry === 'number' ? String(entry).trim() : '',
  )
  return entries?.length && entries.every((entry) => entry !== '') ? distinct(entries) : undefined
}

/** A text; `""` and `"0"` are refused. */
export const text: PlainKind<string> = {
  input: 'line',
  wire: { type: 'string' },
  valid: (value) => isText(value) && value !== '' && value !== '0',
  read: (value) => (isText(value) ? value : undefined),
  toColumn: same,
  blank: '',
}

/** A text with markup. An empty value clears it. */
export const clearableText: PlainKind<string> = {
  input: 'text',
  wire: { type: 'string' },
  within: limits.text,
  valid: (value) => isText(value) || isEmpty(value),
  read: (value) => (isText(value) && value !== '0' ? value : ''),
  toColumn: same,
  blank: '',
}

/** A text on one line without markup. An empty value clears it. */
export const line: PlainKind<string> = {
  ...clearableText,
  input: 'line',
  within: limits.line,
  toColumn: singleLine,
}

/** A text, such as a slug, whose column the code of the resource writes. */
export const settledText: Kind<string> = {
  input: 'slug',
  wire: { type: 'string' },
  valid: (value) => isText(value),
  read: (value) => (isText(value) ? value : undefined),
}

export const integer: Kind<number> = { wire: { type: 'integer' }, within: limits.word, read: readInteger }

export const count: Kind<number> = {
  wire: { type: 'integer' },
  within: limits.word,
  example: '10',
  valid: (value) => (readInteger(value) ?? 0) > 0,
  read: readInteger,
}

export const recordId: Kind<number> = { ...count, example: '12' }

/** The id of a parent category. 0 and the empty text mean none. */
export const parentId: Kind<number> = {
  input: 'parent',
  wire: { type: 'integer' },
  within: limits.word,
  read: (value) => (value === '' ? 0 : readInteger(value)),
}

export const ids: Kind<number[]> = {
  wire: { items: { type: 'integer' } },
  list: true,
  within: limits.ids,
  example: '12,34',
  valid: (value) => (readIds(value)?.length ?? 0) > 0,
  read: readIds,
}

export const idsOrSlugs: Kind<string[]> = {
  wire: { items: { type: 'integer' } },
  list: true,
  within: limits.slugs,
  example: '12,jazz',
  valid: (value) => readWords(value) !== undefined,
  read: readWords,
}

export const words: Kind<string[]> = {
  wire: { format: 'string' },
  list: true,
  within: limits.ids,
  valid: (value) => readWords(value) !== undefined || value === '',
  read: (value) => readWords(value) ?? [],
}

/** A boolean, stored as 0 or 1 (rule 2.2). */
export const flag: PlainKind<boolean, number> = {
  input: 'switch',
  wire: { type: 'boolean' },
  within: limits.word,
  read: readBoolean,
  toColumn: Number,
  blank: 0,
  show: isSwitchedOn,
  isFlag: true,
}

/** A fact about accessibility: yes, no, or an empty text for unknown, which responses leave out. */
export const factOfAccess: PlainKind<boolean | '', number | null> = {
  input: 'fact',
  wire: { type: 'boolean' },
  within: limits.word,
  example: 'yes',
  valid: (value) => readYesOrNo(value) !== undefined,
  read: readYesOrNo,
  toColumn: (value) => (value === '' ? null : Number(value)),
  blank: null,
  show: (column) => (column === null ? '' : column === 1),
}

function readYesOrNo(value: unknown): boolean | '' | undefined {
  if (value === '') return ''
  return value === 'yes' ? true : value === 'no' ? false : readBoolean(value)
}

/** A kind that takes one of `words`. An empty value means `blank`. */
export function oneOf<Word extends string>(words: readonly Word[], blank: Word): PlainKind<Word> {
  const read = (value: unknown) => (isEmpty(value) ? blank : words.find((word) => word === value))
  const named = words.filter((word) => word !== '')
  return {
    input: 'choice',
    wire: { type: 'string', enum: named },
    within: limits.word,
    valid: (value) => read(value) !== undefined,
    read,
    toColumn: same,
    blank,
  }
}

export function someOf(known: readonly string[]): Kind<string[]> {
  return {
    ...words,
    choices: known,
    valid: (value) => readWords(value)?.every((word) => known.includes(word)) ?? false,
  }
}

/** A boolean that accepts any value and is published without a type (rule 2.3). */
export const upcomingFlag: PlainKind<boolean, number> = {
  input: 'switch',
  wire: {},
  clock: () => 'now',
  within: limits.word,
  read: isTruthy,
  toColumn: Number,
  blank: 0,
}

/** A word that is kept as sent, since links of the list repeat it (rule 13.8). No lists or objects. */
export const looseWord: Kind<string | number | boolean> = {
  wire: {},
  within: limits.word,
  read: (value) =>
    isText(value) || typeof value === 'number' || typeof value === 'boolean' ? value : undefined,
}

/** A boolean that is published as text: the map switches of venues. Lists and objects are refused. */
export const wordFlag: PlainKind<boolean, number> = {
  input: 'switch',
  wire: { type: 'string' },
  within: limits.word,
  answers: 'boolean',
  read: (value) => (value === null || typeof value === 'object' ? undefined : isTruthy(value)),
  toColumn: Number,
  blank: 0,
  show: isSwitchedOn,
  isFlag: true,
}

/** A boolean, parsed by `isTruthy`; the empty text is refused. */
export const switchWord: Kind<boolean> = {
  wire: {},
  within: limits.word,
  valid: (value) =>
    (isText(value) && value !== '') || typeof value === 'boolean' || typeof value === 'number',
  read: isTruthy,
}

const WHOLE_DATE = /^\d{4}-\d\d-\d\d/

/** A time in any format of `parseMoment`. The code of the resource decides its time zone. */
export const moment: Kind<string | number> = {
  input: 'moment',
  wire: { type: 'string' },
  within: limits.word,
  example: '2027-05-04 19:30:00',
  clock: (value) => (typeof value === 'string' && WHOLE_DATE.test(value) ? 'day' : 'now'),
  valid: (value, { site, now }) =>
    (isText(value) || typeof value === 'number') && parseMoment(value, site.timezone, now) !== undefined,
  read: (value) => (isText(value) || typeof value === 'number' ? value : undefined),
}

export const untypedMoment: Kind<string | number> = { ...moment, wire: {} }

/** The UTC publication date of a record never published. If a client sends it back, it means no date. */
export const NEVER = '0000-00-00 00:00:00'

export const publicationMoment: Kind<string | number> = {
  ...moment,
  valid: (value, at) => value === NEVER || moment.valid?.(value, at) === true,
}

/** A time zone name, abbreviation or UTC offset. An empty text means the zone of the site (rule 2.7). */
export const timezone: Kind<string> = {
  input: 'zone',
  wire: { type: 'string' },
  within: limits.word,
  example: 'Europe/Oslo',
  valid: (value) => value === '' || (isText(value) && isTimezone(value)),
  read: (value) => (isText(value) ? value : undefined),
}

const ENTITIES: Record<string, string> = { amp: '&', '#38': '&', '#038': '&', '#39': "'", '#039': "'" }

/** A URL. `ENTITIES` are decoded (rule 2.8), and an empty value clears it. */
export const url: PlainKind<string> = {
  input: 'url',
  wire: { type: 'string' },
  within: limits.url,
  example: 'https://example.org/page',
  valid: (value) => isEmpty(value) || (isText(value) && isUrl(value)),
  read: (value) => (isText(value) && value !== '0' ? value : ''),
  toColumn: (value) =>
    encodeUrl(value.replace(/&(amp|#0?3[89]);/g, (_, name: string) => ENTITIES[name] ?? '')),
  blank: '',
  show: (column) => presentUrl(String(column)),
}

/** A URL with the scheme https. An empty value clears it. */
export const secureUrl: PlainKind<string> = {
  ...url,
  valid: (value) => isEmpty(value) || (isText(value) && /^https:/i.test(value) && isUrl(value)),
}

/** A BCP 47 language tag, such as `bfi`. An empty value clears it. */
export const language: PlainKind<string> = {
  ...clearableText,
  input: 'line',
  within: limits.word,
  example: 'bfi',
  valid: (value) => isEmpty(value) || (isText(value) && canonicalLanguage(value) !== undefined),
  toColumn: (value) => canonicalLanguage(value) ?? '',
}

function canonicalLanguage(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

/** The id of an image, a URL to fetch one from, or an image object as shown. An empty value means none. */
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
    toColumn: same,
    blank: null,
  }
}

/** In degrees north. An empty text clears it. */
export const latitude = degrees(90)
/** In degrees east. An empty text clears it. */
export const longitude = degrees(180)

/** In degrees. If `west` is greater than `east`, the box crosses the date line. */
export interface Box {
  west: number
  south: number
  east: number
  north: number
}

/** A bounding box as `west,south,east,north`, the order of GeoJSON. */
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

/** True for a position in the box or on its edge; false without coordinates. */
export function isInBox({ west, south, east, north }: Box, lat: number | null, lng: number | null): boolean {
  if (lat === null || lng === null) return false
  const isBetween = west <= east ? lng >= west && lng <= east : lng >= west || lng <= east
  return lat >= south && lat <= north && isBetween
}

export const distance: Kind<number> = {
  wire: { format: 'double' },
  accepts: { type: 'number', exclusiveMinimum: 0 },
  within: limits.word,
  answers: 'number',
  example: '2.5',
  valid: (value) => isNumeric(value) && Number(value) > 0,
  read: (value) => (isNumeric(value) ? Number(value) : undefined),
}

export const anything: Kind<unknown> = { input: 'line', wire: {}, read: (value) => value }

export const links: Kind<unknown> = {
  input: 'links',
  wire: { items: { type: 'integer' } },
  list: true,
  within: limits.links,
  read: (value) => value,
}
