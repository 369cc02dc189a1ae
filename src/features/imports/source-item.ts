import { hash } from 'node:crypto'
import { beginningOf, fold } from '../../base/text/characters.ts'
import type { ValueContext } from '../../calendar/declare/context.ts'
import { parseNew } from '../../calendar/declare/parse.ts'
import { event } from '../../calendar/events/event.ts'
import { type SettledValues, settleValues } from '../../calendar/events/event-rules.ts'
import type { RecordState } from '../../calendar/history/record-states.ts'
import type { ImportItemColumns } from '../../store/storage/schema.ts'

// Defines items, the one form that records of all sources have; makes their fingerprints; plans what to do
// with each.

/** The kinds of record that a source has; kinds that others refer to come first. */
export const ITEM_KINDS = ['category', 'tag', 'venue', 'organizer', 'series', 'event'] as const
export type ItemKind = (typeof ITEM_KINDS)[number]

/**
 * The records of the source that an item refers to, by identity; kinds that are left out stay as they are.
 */
export interface ItemLinks {
  venue?: readonly string[]
  organizer?: readonly string[]
  categories?: readonly string[]
  tags?: readonly string[]
  /** For a category: its parent; an empty list at the top. */
  parent?: readonly string[]
}

/** The fields that are texts with markup. */
export const TEXTS = ['description', 'excerpt'] as const

/** A record of a source in the one form that all readers give. */
export interface SourceItem {
  kind: ItemKind
  /** Its name within the source, the same in every run: an id or a UID. */
  identity: string
  /**
   * The original start, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SSZ`, of an occurrence that its series describes
   * only in part; empty for all others.
   */
  occurrence: string
  /** Its place in the source, for the report: `line 12`. */
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
  /** The `date` of a record that was never published, which a new record has until it is. */
  unpublishedDate?: string
  /** The address of its page, where the source names one. */
  page?: string
  /** The number of its revision, where the source counts revisions (RFC 5545, 3.8.7.4). */
  sequence?: number
  /** For a series: the identity that its first event had before it repeated. */
  formerly?: string
  /** The addresses of its image and of the pictures in its texts, where pictures are imported. */
  pictures?: readonly string[] | undefined
  /**
   * Set if its e-mail address is that of an organizer whom a calendar names, which it may not have meant to
   * publish.
   */
  hasAddress?: true
  /** Set if a feed of changes has the record as it is now, whatever other records have shown of it before. */
  isChange?: true
  /** The data computed from the item alone, if that was done ahead. */
  ahead?: AheadOfWriting | undefined
}

/** Data that depend on an item alone, so that a thread can compute them ahead of the write. */
interface AheadOfWriting {
  prints: Fingerprints
  /** One fingerprint of all `prints` together. */
  digest: string
  /**
   * The columns of an event that is likely to be new here; undefined for any other, and for values that are
   * refused.
   */
  settled: SettledValues | undefined
}

/** Something in a source that could not be read. */
export interface SourceFault {
  at: string
  reason: string
  /** The identity of the event that has the fault, where that could be read. */
  identity?: string
  /** Set if the fault is in a part of a record, which comes in without that part. */
  isPart?: true
}

/** Something that a source has and that no run reads, in one sentence. It makes no record incomplete. */
interface SourceOmission {
  at: string
  unread: string
}

interface SourceLoss {
  lost: string
}

/** A sentence that says how a source is cut off. */
export interface SourceCut {
  cutOff: string
  /** Set if the source does not break off, but is one page of several. */
  isPage?: boolean
}

/** A record of a source, or a fault. */
export type ReadEntry = SourceItem | SourceFault

/**
 * Anything that a source gives: an item, a fault, what is not read, an event that was deleted, or a sentence
 * that the source is cut off.
 */
export type SourceEntry = ReadEntry | SourceOmission | SourceLoss | SourceCut

/** A source that is read from its beginning. It gives a record before all records that refer to it. */
export interface Source {
  /** Its name in the database, the same in every run. */
  address: string
  /** How much there is to read, in the unit that `progress` counts in; 0 while it is not known. */
  total: () => number
  /** How much has been read. */
  progress: () => number
  /**
   * Called at the end: returns false if only a part of the source was read, so that missing items do not
   * count as deleted.
   */
  isWhole: () => boolean
  /**
   * Returns how far the source has been read; after an interruption, `resume` goes on from there. Both only
   * for sources that can do so.
   */
  position?: () => string
  resume?: (position: string) => void
  /**
   * For a site with a feed of changes, called before reading: asks for the changes since a token, or for
   * everything if the token is empty.
   */
  readSince?: (token: string) => void
  /**
   * Returns the token from which the next run starts, once everything has been read; empty if there is none.
   */
  token?: () => string
  /**
   * Returns the edition of the database of a site that tells it, once entries have come; empty for any other
   * source (`storage/edition`).
   */
  edition?: () => string
  entries: (reading: Reading) => AsyncIterable<SourceEntry>
  /** Whether its first entries come soon, however many there are. */
  beginsSoon?: boolean
}

/** How the entries of a source are used, so that readers can do some of the work ahead. */
export interface Reading {
  context: ValueContext
  /** Whether images are imported. */
  images: boolean
  /** Whether the e-mail addresses of organizers of calendar files are. */
  addresses: boolean
  /** Whether the events to come are likely to be new here. */
  expectsNew: () => boolean
}

/** Returns an item, without its image or e-mail address if these are not imported. */
export function asAsked(
  item: SourceItem,
  { images, addresses }: Pick<Reading, 'images' | 'addresses'>,
): SourceItem {
  const { email: _email, ...others } = item.values
  const known = item.hasAddress && !addresses ? { ...item, values: others } : item
  return images || item.image === undefined ? known : { ...known, image: undefined }
}

/** Returns the fields of an item in the form that is compared. */
export function fieldsOf({
  kind,
  values,
  links,
  image,
  pictures,
}: Pick<SourceItem, 'kind' | 'values' | 'links' | 'image' | 'pictures'>): Readonly<Record<string, unknown>> {
  // A series gets its slug once, so that a later slug does not count as a change.
  const own = kind === 'series' && 'slug' in values ? withoutSlug(values) : values
  return { ...own, ...links, ...(image !== undefined && { image }), ...(pictures && { pictures }) }
}

function withoutSlug({ slug: _slug, ...values }: SourceItem['values']): SourceItem['values'] {
  return values
}

/**
 * Tells whether records of a kind stand for themselves in a source. Records of other kinds are shown again
 * with each record that refers to them.
 */
export function standsAlone(kind: ItemKind): boolean {
  return kind === 'event' || kind === 'series'
}

/**
 * Returns the fields of a status; `future` without a time becomes a draft, since it would be public at once.
 */
export function scheduled(status: string, date_utc: string | undefined): Readonly<Record<string, string>> {
  if (status !== 'future') return { status }
  return date_utc === undefined ? { status: 'draft' } : { status, date_utc }
}

/** Returns the key of an item among the items of its source. */
export function itemKey(kind: ItemKind, identity: string, occurrence = ''): string {
  return `${kind} ${identity}\u0000${occurrence}`
}

/** Short texts in place of values, by field: equal for equal values. */
export type Fingerprints = Readonly<Record<string, string>>

/** The most characters of a fingerprint that is the value itself; a longer value is replaced by its hash. */
const LONGEST = 40

/** Returns the fingerprints of these values; undefined values have none. */
export function fingerprintsOf(values: Readonly<Record<string, unknown>>): Fingerprints {
  const prints: Record<string, string> = {}
  for (const name in values) if (values[name] !== undefined) prints[name] = valuePrint(values[name])
  return prints
}

export function valuePrint(value: unknown): string {
  const text = typeof value === 'string' ? value : `\t${JSON.stringify(value)}`
  return text.length <= LONGEST ? text : `\n${hash('sha1', text, 'base64')}`
}

function digestOf(prints: Fingerprints): string {
  return hash('sha1', JSON.stringify(prints), 'base64')
}

export function readFingerprints(text: string): Fingerprints {
  return JSON.parse(text)
}

/**
 * Returns an item with the data computed from it alone: its fingerprints and, for an event that is likely to
 * be new here, its columns.
 */
export function lookAhead(item: SourceItem, context: ValueContext, expectsNew: boolean): SourceItem {
  const settled = expectsNew && item.kind === 'event' ? settledIfValid(item, context) : undefined
  return { ...item, ahead: { ...comparedOf(item), settled } }
}

/** Returns the fingerprints of an item that are compared with those last written, and their digest. */
export function comparedOf(item: SourceItem): Pick<AheadOfWriting, 'prints' | 'digest'> {
  const prints = fingerprintsOf(fieldsOf(item))
  return { prints, digest: digestOf(prints) }
}

/**
 * Returns the columns of an event, or of the first event of a series, as they would be made; undefined for
 * values that are refused.
 */
export function settledOf(item: SourceItem, context: ValueContext): SettledValues | undefined {
  return item.ahead?.settled ?? settledIfValid(item, context)
}

/**
 * Returns the columns of an event; undefined for values that are refused. The write of the event reports the
 * reason.
 */
function settledIfValid({ values }: SourceItem, context: ValueContext): SettledValues | undefined {
  try {
    return settleValues(parseNew(event.fields, values, context), context)
  } catch {
    return undefined
  }
}

/** The most characters of a name; longer texts are cut. */
const LONGEST_NAME = 190

/** Returns an item for a record that a source identifies only by its name; undefined for an empty name. */
export function linkedItem(
  kind: Exclude<ItemKind, 'event'>,
  written: string,
  details: Readonly<Record<string, unknown>>,
  at: string,
): SourceItem | undefined {
  const name = beginningOf(written.replace(/\s+/g, ' ').trim(), LONGEST_NAME)
  if (name === '') return undefined
  const filled = Object.fromEntries(
    Object.entries(details).filter(([, value]) => value !== '' && value !== undefined),
  )
  const isTerm = kind === 'category' || kind === 'tag'
  const shown = isTerm ? name : name.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const identity = [
    fold(name),
    ...Object.entries(filled).map(([field, value]) => `${field} ${String(value)}`),
  ].join('\n')
  const values = { [isTerm ? 'name' : kind]: shown, ...filled, ...(isTerm ? {} : { status: 'publish' }) }
  return { kind, identity, occurrence: '', at, name, values, links: {}, image: undefined }
}

const NUMBERED = 'id\n'

/** Returns the identity of a record that a source names by its number alone. */
export const numberedIdentity = (number: string) => `${NUMBERED}${number}`

/** Reads the number of a `numberedIdentity`; undefined for any other. */
export function numberIn(identity: string): string | undefined {
  return identity.startsWith(NUMBERED) ? identity.slice(NUMBERED.length) : undefined
}

/** Tells whether a record with this status is meant for visitors, now or from some time on. */
export const isToBeSeen = (status: unknown) => status === 'publish' || status === 'future'

// Plans what to do with one item, by the values last written and the record here.

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

/**
 * Returns the end of a sentence about a record: which fields keep their changed values, or that the record
 * stays removed.
 */
export function describeStay(kept: readonly string[], where: 'here' | 'there', isGone = false): string {
  return isGone
    ? `was removed ${where}, and stays so.`
    : `was changed ${where} as well, which stays: ${kept.join(', ')}`
}

/**
 * The stored state of an item that was imported before: the values last written, the record as it was after
 * that, and the record now.
 */
export interface KnownItem {
  written: Fingerprints
  kept: Fingerprints
  /** The fingerprints of the present record; undefined for a deleted one. */
  now: Fingerprints | undefined
  isTrashed: boolean
}

/** Returns the stored state of an item together with the state of its record. */
export function knownItem(row: ImportItemColumns, state: RecordState | undefined): KnownItem {
  return {
    written: readFingerprints(row.written),
    kept: readFingerprints(row.kept),
    now: state && fingerprintsOf(state),
    isTrashed: state?.status === 'trash',
  }
}

/**
 * Returns the state to store after some fields are written. Fields changed here before keep their
 * fingerprints, and so stay marked as changed.
 */
export function keptAfter(
  kept: Fingerprints,
  before: Fingerprints,
  after: Fingerprints,
  written: ReadonlySet<string>,
): Fingerprints {
  const changedHere = Object.keys(after).filter(
    (field) => before[field] !== kept[field] && !written.has(field),
  )
  const known = changedHere.flatMap((field) => (kept[field] === undefined ? [] : [[field, kept[field]]]))
  return { ...after, ...Object.fromEntries(known) }
}

/**
 * Tells whether an item is an earlier revision than the stored one; false with `overwrite`, which writes
 * earlier revisions as well.
 */
export function isOlder(
  { sequence }: Pick<SourceItem, 'sequence'>,
  known: Pick<ImportItemColumns, 'sequence'>,
  policy: ConflictPolicy,
): boolean {
  return sequence !== undefined && sequence < known.sequence && policy !== 'overwrite'
}

/** Plans what to do with an item, by its values, its stored state and the policy for conflicts. */
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
