import type { Site } from '../config.ts'
import { singleLine } from '../text/html.ts'
import { parseMoment } from '../text/moments.ts'
import { encodeUrl, isUrl, presentUrl } from '../text/urls.ts'
import { isTimezone } from '../text/zones.ts'
import { type Bounds, limits } from './limits.ts'

// The kinds of values: how a value of each kind is checked, read, described and kept.

/** The JSON schema keywords of a parameter that the namespace index publishes (rule 3.3). */
export interface WireSchema {
  type?: 'string' | 'integer' | 'boolean' | 'array'
  format?: string
  /** The texts it takes, where they are few. */
  enum?: readonly string[]
  items?: { type: 'integer' } | { type: 'object'; properties: Readonly<Record<string, object>> }
  maxItems?: number
}

/**
 * How a form asks for a value: one line, a text with markup, a switch, yes or no or unknown, one of the words of the schema, a number, a date and
 * time, a zone, an address, a slug, an image, a parent, or links. Values without a control, such as those of filters, have none.
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

/** When a request was made, and in which zone: all that a kind looks at besides the value. */
export interface RequestTime {
  site: Pick<Site, 'timezone'>
  /** Milliseconds since the epoch. */
  now: number
}

/**
 * A kind of value: how it is checked, read from JSON, form or query, described and stored. Rules and stores work with `Value`; the column of that
 * name holds `Kept`.
 */
export interface Kind<Value, Kept = Value> {
  /** The schema of the value in the index and in the interface description. */
  wire: WireSchema
  /** The JSON type of the value in answers, where it differs from `wire.type`. */
  answers?: 'string' | 'integer' | 'number' | 'boolean'
  /** True for lists, which also take comma-separated text and repeated keys. */
  list?: true
  /** The limits of values, unless the field or filter has its own; those of one line when the kind has none. */
  within?: Bounds
  /** Checks a supplied value before it is read; a value that fails is a plain `rest_invalid_param` (rule 1.2). */
  valid?: (value: unknown, at: RequestTime) => boolean
  /** A value that is taken, which the refusal of another one shows. */
  example?: string
  /** The typed value, or undefined when the type is wrong: `rest_invalid_type` (rule 1.2). */
  read: (value: unknown) => Value | undefined
  /** The column value; kinds without it are kept by the resource's own rules. */
  keep?: (value: Value) => Kept
  /** The value of the column where nothing was sent. */
  blank?: Kept
  /** How answers show the column; those of kinds without it are shown as they are. */
  show?: (kept: unknown) => unknown
  /** The words that a list takes, where they are few; those of a single word are in `wire.enum`. */
  choices?: readonly string[]
  /** True where the meaning of a value changes with the clock, unless it begins with a whole date. */
  goesByClock?: true
  /** True for yes and no, by which records of one name are not told apart. */
  isFlag?: true
  /** How a form asks for it; a kind without it has no control of its own. */
  input?: Input
}

/** A kind whose values are kept in the column of the field's own name, without a rule of the resource. */
export interface PlainKind<Value, Kept = Value> extends Kind<Value, Kept> {
  keep: (value: Value) => Kept
  blank: Kept
}

/** The type of a kind's values once read. */
export type ValueOf<K> = K extends Kind<infer Value, infer _Kept> ? Value : never
/** The type of a kind's column. */
export type KeptOf<K> = K extends { keep: (value: never) => infer Kept } ? Kept : never

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumeric = (value: unknown): value is string | number =>
  typeof value === 'number'
    ? Number.isFinite(value)
    : isText(value) && value.trim() !== '' && Number.isFinite(Number(value))
const same = <T>(value: T): T => value
const isSwitchedOn = (kept: unknown) => kept === 1

/** The empty values that clear an optional field (rule 2.5). */
export function isEmpty(value: unknown): boolean {
  return value === '' || value === 0 || value === '0' || value === false || (Array.isArray(value) && value.length === 0)
}

/** Whole number from a number or numeric text: `2`, `"2"`, `"2.0"`, `"1e1"` (rule 2.1). */
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

/** The loose truth of untyped flags (rule 2.3): known words are true, every other text is false. */
export function isTruthy(value: unknown): boolean {
  if (isText(value)) return TRUE_WORDS.has(value.toLowerCase())
  return value === true || (typeof value === 'number' && value !== 0)
}

/** The entries of a list in any form: list, record of a form, or comma-separated text. Undefined for anything else. */
export function listEntries(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (isText(value)) return value.includes(',') ? value.split(',') : [value]
  if (typeof value === 'number') return [value]
  if (value !== null && typeof value === 'object') return Object.values(value)
  return undefined
}

/** A record of named members, as opposed to the numbered entries a form sends for a list. */
export function isNamedRecord(value: unknown): value is Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false
  return !Object.keys(value).every((key) => /^\d+$/.test(key))
}

function readIds(value: unknown): number[] | undefined {
  const entries = listEntries(value)?.map(readInteger)
  return entries?.every((entry): entry is number => entry !== undefined && entry > 0) ? distinct(entries) : undefined
}

/** The entries of a list without those given twice; most lists have one. */
function distinct<Entry>(entries: Entry[]): Entry[] {
  return entries.length === 1 ? entries : [...new Set(entries)]
}

/** The words of a list, without duplicates; undefined for a value that is no list of words, and for an empty list. */
export function readWords(value: unknown): string[] | undefined {
  const entries = listEntries(value)?.map((entry) =>
    isText(entry) || typeof entry === 'number' ? String(entry).trim() : '',
  )
  return entries?.length && entries.every((entry) => entry !== '') ? distinct(entries) : undefined
}

/** Text that must not be empty: `""` and `"0"` are refused. */
export const text: PlainKind<string> = {
  input: 'line',
  wire: { type: 'string' },
  valid: (value) => isText(value) && value !== '' && value !== '0',
  read: (value) => (isText(value) ? value : undefined),
  keep: same,
  blank: '',
}

/** Text that an empty value clears, such as a description. */
export const clearableText: PlainKind<string> = {
  input: 'text',
  wire: { type: 'string' },
  within: limits.text,
  valid: (value) => isText(value) || isEmpty(value),
  read: (value) => (isText(value) && value !== '0' ? value : ''),
  keep: same,
  blank: '',
}

/** Clearable text of one line without markup, such as an address. */
export const line: PlainKind<string> = { ...clearableText, input: 'line', within: limits.line, keep: singleLine }

/** Text whose column a rule of the resource settles, such as a slug. */
export const settledText: Kind<string> = {
  input: 'slug',
  wire: { type: 'string' },
  valid: (value) => isText(value),
  read: (value) => (isText(value) ? value : undefined),
}

/** A whole number. */
export const integer: Kind<number> = { wire: { type: 'integer' }, within: limits.word, read: readInteger }

/** The number of a page or of records on one: a whole number above zero. */
export const count: Kind<number> = {
  wire: { type: 'integer' },
  within: limits.word,
  example: '10',
  valid: (value) => (readInteger(value) ?? 0) > 0,
  read: readInteger,
}

/** One id of a record or term; `0` and below are refused. */
export const recordId: Kind<number> = {
  wire: { type: 'integer' },
  within: limits.word,
  example: '12',
  valid: (value) => (readInteger(value) ?? 0) > 0,
  read: readInteger,
}

/** The id of a parent term; 0 and empty text mean none. */
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
 * A fact of access: yes, no, or unknown. An empty text makes it unknown again, and answers leave out unknown facts. Pages show each field of this
 * kind as a fact, and the filter `access` finds it.
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

/** One of a few words; an empty value means `blank`. */
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

/** A list of some of these words. */
export function someOf(known: readonly string[]): Kind<string[]> {
  return {
    ...words,
    choices: known,
    valid: (value) => readWords(value)?.every((word) => known.includes(word)) ?? false,
  }
}

/** An untyped loose flag (rule 2.3). */
export const looseFlag: PlainKind<boolean, number> = {
  input: 'switch',
  wire: {},
  within: limits.word,
  read: isTruthy,
  keep: Number,
  blank: 0,
}

/** A loose flag kept as it was sent, since links repeat it (rule 13.8). Lists and records are refused. */
export const looseWord: Kind<string | number | boolean> = {
  wire: {},
  within: limits.word,
  read: (value) => (isText(value) || typeof value === 'number' || typeof value === 'boolean' ? value : undefined),
}

/** A loose flag that is published as text (the map switches of venues). Lists and records are refused. */
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

/** `true`, `1`, `on` or `yes` switch it on; any other text leaves it off. */
export const switchWord: Kind<boolean> = {
  wire: {},
  within: limits.word,
  valid: (value) => (isText(value) && value !== '') || typeof value === 'boolean' || typeof value === 'number',
  read: isTruthy,
}

/** A date and time in any form of `parseMoment`; the rules decide the zone it is read in. */
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

/** A moment published without a type, as the list parameters are. */
export const untypedMoment: Kind<string | number> = { ...moment, wire: {} }

/** The UTC publication date that answers show for records never published; sent back, it means none. */
export const NEVER = '0000-00-00 00:00:00'

/** A publication date; the date of a record that was never published counts as none, and so does an empty text. */
export const publicationMoment: Kind<string | number> = {
  ...moment,
  valid: (value, at) => value === NEVER || moment.valid?.(value, at) === true,
}

/** A time zone by name, abbreviation or offset; an empty value means the site's (rule 2.7). */
export const timezone: Kind<string> = {
  input: 'zone',
  wire: { type: 'string' },
  within: limits.word,
  example: 'Europe/Oslo',
  valid: (value) => value === '' || (isText(value) && isTimezone(value)),
  read: (value) => (isText(value) ? value : undefined),
}

const ENTITY_SIGNS: Record<string, string> = { amp: '&', '#38': '&', '#038': '&', '#39': "'", '#039': "'" }

/** An absolute URL, or an empty value to clear it. Signs that an answer shows as entities are kept as signs (rule 2.8). */
export const url: PlainKind<string> = {
  input: 'url',
  wire: { type: 'string' },
  within: limits.url,
  example: 'https://example.org/page',
  valid: (value) => isEmpty(value) || (isText(value) && isUrl(value)),
  read: (value) => (isText(value) && value !== '0' ? value : ''),
  keep: (value) => encodeUrl(value.replace(/&(amp|#0?3[89]);/g, (_, name: string) => ENTITY_SIGNS[name] ?? '')),
  blank: '',
  show: (kept) => presentUrl(String(kept)),
}

/** As `url`, by HTTPS alone. */
export const secureUrl: PlainKind<string> = {
  ...url,
  valid: (value) => isEmpty(value) || (isText(value) && /^https:/i.test(value) && isUrl(value)),
}

/** A language as a tag of BCP 47, such as `bfi`; an empty value clears it. */
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

/** An image by id, by URL or as an answer's image object; `''` and `0` stand for none. */
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
    answers: 'number',
    within: limits.word,
    example: '12.5',
    valid: (value) => read(value) !== undefined,
    read,
    keep: same,
    blank: null,
  }
}

/** Degrees north, -90 to 90; `''` clears. */
export const latitude = degrees(90)
/** Degrees east, -180 to 180; `''` clears. */
export const longitude = degrees(180)

/** A part of the map in degrees; one whose `west` is greater than its `east` crosses the date line. */
export interface Box {
  west: number
  south: number
  east: number
  north: number
}

/** A box as GeoJSON writes it: `west,south,east,north`. */
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
  if (parts.length !== 4 || west === undefined || south === undefined || east === undefined || north === undefined)
    return undefined
  const isOnEarth = Math.max(Math.abs(west), Math.abs(east)) <= 180 && south >= -90 && south <= north && north <= 90
  return isOnEarth ? { west, south, east, north } : undefined
}

/** Whether a point lies in a box, its edges included; one without a position does not. */
export function isInBox({ west, south, east, north }: Box, lat: number | null, lng: number | null): boolean {
  if (lat === null || lng === null) return false
  const isBetween = west <= east ? lng >= west && lng <= east : lng >= west || lng <= east
  return lat >= south && lat <= north && isBetween
}

/** A distance in kilometres above zero. */
export const distance: Kind<number> = {
  wire: { format: 'double' },
  within: limits.word,
  answers: 'number',
  example: '2.5',
  valid: (value) => isNumeric(value) && Number(value) > 0,
  read: (value) => (isNumeric(value) ? Number(value) : undefined),
}

/** Anything; the rules of the resource look at it. */
export const anything: Kind<unknown> = { input: 'line', wire: {}, read: (value) => value }

/** Ids or records to link, read by the rules of the resource. */
export const links: Kind<unknown> = {
  input: 'links',
  wire: { items: { type: 'integer' } },
  list: true,
  within: limits.links,
  read: (value) => value,
}
