import { hash } from 'node:crypto'
import { fold } from '../../base/text/characters.ts'
import type { ValueContext } from '../../calendar/declare/context.ts'
import { parseNew } from '../../calendar/declare/parse.ts'
import { event } from '../../calendar/events/event.ts'
import { type SettledValues, settleValues } from '../../calendar/events/event-rules.ts'
import type { RecordState } from '../../calendar/history/record-states.ts'
import type { ImportItemColumns } from '../../store/storage/schema.ts'

// The one form that records of all sources have: items, with their fingerprints.

/** The kinds of record that a source has; kinds that others refer to come first. */
export const ITEM_KINDS = ['category', 'tag', 'venue', 'organizer', 'series', 'event'] as const
export type ItemKind = (typeof ITEM_KINDS)[number]

/** The records of the source that an item refers to, by identity; kinds that are left out stay as they are. */
export interface ItemLinks {
  venue?: readonly string[]
  organizer?: readonly string[]
  categories?: readonly string[]
  tags?: readonly string[]
  /** Of a category; none for one at the top. */
  parent?: readonly string[]
}

/** The fields that are texts with markup. */
export const TEXTS = ['description', 'excerpt'] as const

/** A record of a source in the one form that all readers give. */
export interface SourceItem {
  kind: ItemKind
  /** Its name within the source, which stays the same: an id or a UID. */
  identity: string
  /** The original start, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SSZ`, of an occurrence that its series describes only in part; empty for all others. */
  occurrence: string
  /** Where it stands in the source, for reports: `line 12`. */
  at: string
  /** Its name in the report. */
  name: string
  /** Its fields as the interface takes them, without links and image. */
  values: Readonly<Record<string, unknown>>
  links: ItemLinks
  /** The address of its image, empty for none; undefined if the source does not say. */
  image: string | undefined
  /** The UID that other calendars know the event by, where it has one. */
  uid?: string
  /** The address of its page, where the source names one. */
  page?: string
  /** Which revision of it this is, where the source counts them (RFC 5545, 3.8.7.4). */
  sequence?: number
  /** Of a series: the identity that its first event had before it repeated. */
  formerly?: string
  /** The addresses of its image and of the pictures in its texts, where these come along. */
  pictures?: readonly string[] | undefined
  /** Data computed from it alone, if a thread has done so already. */
  ahead?: AheadOfWriting | undefined
}

/** Data computed from an item alone. */
interface AheadOfWriting {
  prints: Fingerprints
  /** One fingerprint of all of them together. */
  digest: string
  /** Of an event that is likely to be new here, and whose values are valid. */
  settled: SettledValues | undefined
}

/** Something in a source that could not be read. */
export interface SourceFault {
  at: string
  reason: string
  /** The identity of the event that has the fault, where that could be read. */
  identity?: string
  /** Whether it is a part of a record that comes in without it. */
  isPart?: true
}

/** An event that the source reports as deleted. */
interface SourceLoss {
  lost: string
}

/** A sentence on a source that is not whole. */
export interface SourceCut {
  cutOff: string
  /** It does not break off, but is one page of several. */
  isPage?: boolean
}

/** The entries of a source. */
export type ReadEntry = SourceItem | SourceFault

export type SourceEntry = ReadEntry | SourceLoss | SourceCut

/** A source to be read from its beginning. Records that others refer to come before them. */
export interface Source {
  /** Its name in the database, the same in every run. */
  address: string
  /** How much there is to read, in the unit that `progress` counts in; 0 while it is not known. */
  total: () => number
  /** How much has been read. */
  progress: () => number
  /** False when only a part of the source was read, so that missing items do not count as deleted. Called at the end. */
  isWhole: () => boolean
  /** How far it has been read, for sources that can be read on from there after an interruption. */
  position?: () => string
  resume?: (position: string) => void
  /** At a source with a feed of changes: asks it for the changes since a token, or for everything without one. Called before reading. */
  readSince?: (token: string) => void
  /** The token to start from the next time, once everything has been read; empty if there is none. */
  token?: () => string
  /** Once entries come: the edition of the database behind a site that tells of it (`storage/edition`); empty for any other. */
  edition?: () => string
  entries: (reading: Reading) => AsyncIterable<SourceEntry>
  /** Whether its first entries come soon, however many there are. */
  beginsSoon?: boolean
}

/** The use of the entries, for readers that can do some of the work ahead. */
export interface Reading {
  context: ValueContext
  /** Whether images come along. */
  images: boolean
  /** Whether the events to come are likely to be new here. */
  expectsNew: () => boolean
}

/** Returns an item, without its image if images are not imported. */
export function asAsked(item: SourceItem, images: boolean): SourceItem {
  return images || item.image === undefined ? item : { ...item, image: undefined }
}

/** The fields of an item in the form that is compared. */
export function fieldsOf({
  kind,
  values,
  links,
  image,
  pictures,
}: Pick<SourceItem, 'kind' | 'values' | 'links' | 'image' | 'pictures'>): Readonly<Record<string, unknown>> {
  // The slug of a series is made once.
  const own = kind === 'series' && 'slug' in values ? withoutSlug(values) : values
  return { ...own, ...links, ...(image !== undefined && { image }), ...(pictures && { pictures }) }
}

function withoutSlug({ slug: _slug, ...values }: SourceItem['values']): SourceItem['values'] {
  return values
}

/** Whether a kind has its own place in the source: other kinds are shown again with each record that refers to them. */
export function standsAlone(kind: ItemKind): boolean {
  return kind === 'event' || kind === 'series'
}

/** Returns the fields of a status; `future` without a time becomes a draft, since it would be public at once. */
export function scheduled(status: string, date_utc: string | undefined): Readonly<Record<string, string>> {
  if (status !== 'future') return { status }
  return date_utc === undefined ? { status: 'draft' } : { status, date_utc }
}

/** The key of an item among those of its source. */
export function itemKey(kind: ItemKind, identity: string, occurrence = ''): string {
  return `${kind} ${identity}\u0000${occurrence}`
}

/** Short texts in place of values, by field: equal for equal values. */
export type Fingerprints = Readonly<Record<string, string>>

/** Longer values are replaced by their hash. */
const LONGEST = 40

/** The fingerprint of each of these values. */
export function fingerprintsOf(values: Readonly<Record<string, unknown>>): Fingerprints {
  const prints: Record<string, string> = {}
  for (const name in values) if (values[name] !== undefined) prints[name] = valuePrint(values[name])
  return prints
}

export function valuePrint(value: unknown): string {
  const text = typeof value === 'string' ? value : `\t${JSON.stringify(value)}`
  return text.length <= LONGEST ? text : `\n${hash('sha1', text, 'base64')}`
}

/** One fingerprint of all of them. */
function digestOf(prints: Fingerprints): string {
  return hash('sha1', JSON.stringify(prints), 'base64')
}

export function readFingerprints(text: string): Fingerprints {
  return JSON.parse(text)
}

/** An item with data computed from it alone: its fingerprints, and the columns of an event that is probably new here. */
export function lookAhead(item: SourceItem, context: ValueContext, expectsNew: boolean): SourceItem {
  const settled = expectsNew && item.kind === 'event' ? settledIfValid(item, context) : undefined
  return { ...item, ahead: { ...comparedOf(item), settled } }
}

/** The fingerprints that are compared with those last written. */
export function comparedOf(item: SourceItem): Pick<AheadOfWriting, 'prints' | 'digest'> {
  const prints = fingerprintsOf(fieldsOf(item))
  return { prints, digest: digestOf(prints) }
}

/** The columns of an event, or of the first one of a series, as they would be made; undefined for values that are refused. */
export function settledOf(item: SourceItem, context: ValueContext): SettledValues | undefined {
  return item.ahead?.settled ?? settledIfValid(item, context)
}

/** Undefined for values that are refused: the write of the event reports the reason. */
function settledIfValid({ values }: SourceItem, context: ValueContext): SettledValues | undefined {
  try {
    return settleValues(parseNew(event.fields, values, context), context)
  } catch {
    return undefined
  }
}

/** The longest text that is taken for a name. */
const LONGEST_NAME = 190

/** A record that a source identifies only by its name; undefined for an empty name. */
export function linkedItem(
  kind: Exclude<ItemKind, 'event'>,
  written: string,
  details: Readonly<Record<string, unknown>>,
  at: string,
): SourceItem | undefined {
  const name = written.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NAME).toWellFormed()
  if (name === '') return undefined
  const filled = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== '' && value !== undefined))
  const isTerm = kind === 'category' || kind === 'tag'
  const shown = isTerm ? name : name.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const identity = [fold(name), ...Object.entries(filled).map(([field, value]) => `${field} ${String(value)}`)].join(
    '\n',
  )
  const values = { [isTerm ? 'name' : kind]: shown, ...filled, ...(isTerm ? {} : { status: 'publish' }) }
  return { kind, identity, occurrence: '', at, name, values, links: {}, image: undefined }
}

const NUMBERED = 'id\n'

/** The identity of a record that a source names by its number alone. */
export const numberedIdentity = (number: string) => `${NUMBERED}${number}`

/** Reads the number of a `numberedIdentity`; undefined for any other. */
export function numberIn(identity: string): string | undefined {
  return identity.startsWith(NUMBERED) ? identity.slice(NUMBERED.length) : undefined
}

/** The place in a text, and the address of a web page in it, such as that of a meeting. */
export function partsOfPlace(text: string): { place: string; link: string } {
  const [link = ''] = /\bhttps?:\/\/[^\s,;<>()"]{1,1000}/i.exec(text) ?? []
  if (link === '') return { place: text, link }
  const parts = text.split(link).map((part) => part.replace(/^[\s,;:|)>-]{1,20}|[\s,;:|(<-]{1,20}$/g, ''))
  return { place: parts.filter(Boolean).join(', '), link }
}

/** A venue in a text such as `Harbour Hall, 1 Quay, Kilvara`: its name ends at the first comma or line end. */
export function placeItem(
  text: string,
  details: Readonly<Record<string, unknown>>,
  at: string,
): SourceItem | undefined {
  const [name = '', ...rest] = partsOfPlace(text)
    .place.split(/[,\n]/)
    .map((part) => part.trim())
  return linkedItem('venue', name, { address: rest.filter(Boolean).join(', ').slice(0, 500), ...details }, at)
}

/** Whether an item with this status is one for visitors, now or at a time. */
export const isToBeSeen = (status: unknown) => status === 'publish' || status === 'future'

// Plans the fate of one item, by the values last written and the record here.

/** The policies for a field that was changed both in the source and here. */
export const POLICIES = ['keep', 'overwrite', 'skip'] as const
export type ConflictPolicy = (typeof POLICIES)[number]

/** The plan for an item of a source. */
export type Plan =
  | { act: 'create' }
  | { act: 'nothing' }
  /** `fields` are written; `kept` were changed here as well, and keep their values. */
  | { act: 'update'; fields: readonly string[]; kept: readonly string[] }
  /** The record is left unchanged: it was changed here, moved to the trash, or deleted. */
  | { act: 'leave'; kept: readonly string[]; isGone: boolean }

/** The end of a sentence about a record: which fields keep their changed values, or that the record stays removed. */
export function describeStay(kept: readonly string[], where: 'here' | 'there', isGone = false): string {
  return isGone
    ? `was removed ${where}, and stays so.`
    : `was changed ${where} as well, which stays: ${kept.join(', ')}`
}

/** The stored state of an item that was imported before. */
export interface KnownItem {
  written: Fingerprints
  kept: Fingerprints
  /** The fingerprints of the present record; undefined for a deleted one. */
  now: Fingerprints | undefined
  isTrashed: boolean
}

/** The stored state of an item, with that of its record. */
export function knownItem(row: ImportItemColumns, state: RecordState | undefined): KnownItem {
  return {
    written: readFingerprints(row.written),
    kept: readFingerprints(row.kept),
    now: state && fingerprintsOf(state),
    isTrashed: state?.status === 'trash',
  }
}

/**
 * The state of a record after some fields are written: fields changed here before, and so different from the stored state, stay marked as changed.
 */
export function keptAfter(
  kept: Fingerprints,
  before: Fingerprints,
  after: Fingerprints,
  written: ReadonlySet<string>,
): Fingerprints {
  const changedHere = Object.keys(after).filter((field) => before[field] !== kept[field] && !written.has(field))
  const known = changedHere.flatMap((field) => (kept[field] === undefined ? [] : [[field, kept[field]]]))
  return { ...after, ...Object.fromEntries(known) }
}

/** Whether a later revision of an item was read before; with `overwrite` the older one is written all the same. */
export function isOlder(
  { sequence }: Pick<SourceItem, 'sequence'>,
  known: Pick<ImportItemColumns, 'sequence'>,
  policy: ConflictPolicy,
): boolean {
  return sequence !== undefined && sequence < known.sequence && policy !== 'overwrite'
}

/** Compares an item with its last written state, and with the present record. */
export function planItem(source: Fingerprints, known: KnownItem | undefined, policy: ConflictPolicy): Plan {
  if (!known) return { act: 'create' }
  const { now } = known
  const changed = Object.keys(source).filter((field) => source[field] !== known.written[field])
  if (changed.length === 0) return { act: 'nothing' }
  if (!now) return policy === 'overwrite' ? { act: 'create' } : { act: 'leave', kept: changed, isGone: true }
  if (known.isTrashed && known.kept.status !== now.status && policy !== 'overwrite')
    return { act: 'leave', kept: changed, isGone: true }
  const apart = changed.filter((field) => now[field] !== source[field])
  const conflicts = apart.filter((field) => now[field] !== known.kept[field])
  if (policy === 'overwrite' && known.isTrashed && source.status !== undefined)
    return { act: 'update', fields: [...new Set([...apart, 'status'])], kept: [] }
  if (conflicts.length === 0 || policy === 'overwrite') return { act: 'update', fields: apart, kept: [] }
  if (policy === 'skip') return { act: 'leave', kept: conflicts, isGone: false }
  return { act: 'update', fields: apart.filter((field) => !conflicts.includes(field)), kept: conflicts }
}
