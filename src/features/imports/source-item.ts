import { hash } from 'node:crypto'
import { beginningOf, fold } from '../../base/text/characters.ts'
import type { ValueContext } from '../../calendar/declare/context.ts'
import { parseNew } from '../../calendar/declare/parse.ts'
import { event } from '../../calendar/events/event.ts'
import { type OwnColumns, settleValues } from '../../calendar/events/event-rules.ts'
import type { RecordState } from '../../calendar/history/record-states.ts'
import type { ImportItemColumns } from '../../store/storage/schema.ts'
import { type Message, message } from './import-messages.ts'

// An item is a record of any source in one form, compared by fingerprints of its fields.

/** In the order of writing: records before those that refer to them. */
export const ITEM_KINDS = ['category', 'tag', 'venue', 'organizer', 'series', 'event'] as const
export type ItemKind = (typeof ITEM_KINDS)[number]

export const KIND_NAMES = {
  category: 'category',
  tag: 'tag',
  venue: 'venue',
  organizer: 'organizer',
  series: 'series',
  event: 'event',
} as const satisfies Record<ItemKind, string>

/** Links as identities; an undefined link is not changed. */
export interface ItemLinks {
  venue?: readonly string[]
  organizer?: readonly string[]
  categories?: readonly string[]
  tags?: readonly string[]
  parent?: readonly string[]
}

export const TEXTS = ['description', 'excerpt'] as const

export interface SourceItem {
  kind: ItemKind
  /** An id or a UID, the same in every run. */
  identity: string
  /** Original start of an occurrence unlike its series, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SSZ`, else `''`. */
  occurrence: string
  /** Place in the source for the report, such as `line 12`. */
  at: string
  name: string
  /** Values as the interface accepts them, without links and image. */
  values: Readonly<Record<string, unknown>>
  links: ItemLinks
  /** Address of the image; empty for none, undefined if the source does not say. */
  image: string | undefined
  uid?: string
  /** The `date` of a record never published. */
  unpublishedDate?: string
  page?: string
  /** SEQUENCE (RFC 5545, 3.8.7.4). */
  sequence?: number
  /** For a series: the identity that its first event had as a single event. */
  formerly?: string
  /** Addresses of the image and of pictures in texts, if these are imported. */
  pictures?: readonly string[] | undefined
  /** Set for an organizer's e-mail address in a calendar file, which may not be for the public. */
  hasAddress?: true
  /** Set for items of a feed of changes, which are newer than copies in other records. */
  isChange?: true
  ahead?: AheadOfWriting | undefined
}

/** Computed by a worker thread before the write. */
interface AheadOfWriting {
  prints: Fingerprints
  digest: string
  /** Columns of the event, computed ahead if it is probably new; undefined for refused values. */
  settled: OwnColumns | undefined
}

export interface SourceFault {
  at: string
  reason: Message
  identity?: string
  name?: string
  isPart?: true
}

/** A part that is never read, such as a column; it leaves no record incomplete. */
interface SourceOmission {
  at: string
  unread: Message
}

interface SourceLoss {
  lost: string
}

export interface SourceCut {
  cutOff: Message
  /** True for one page of several: the source has more, undamaged. */
  isPage?: boolean
}

export type ReadEntry = SourceItem | SourceFault

export type SourceEntry = ReadEntry | SourceOmission | SourceLoss | SourceCut

/** Yields a record before all others that refer to it. */
export interface Source {
  address: string
  /** In the unit of `progress`; 0 while unknown. */
  total: () => number
  progress: () => number
  /** Called at the end. False if only a part was read: missing items do not count as gone. */
  isWhole: () => boolean
  /** Where an interrupted run is resumed: `resume` of the next run takes it. */
  position?: () => string
  resume?: (position: string) => void
  /** Called before reading; an empty sync token asks for everything. */
  readSince?: (token: string) => void
  /** Sync token for the next run, once everything has been read; else empty. */
  token?: () => string
  /** Edition of the database of a Kalends (`storage/edition`), once entries were read. */
  edition?: () => string
  entries: (reading: Reading) => AsyncIterable<SourceEntry>
  beginsSoon?: boolean
}

/** What a source needs to do work before the write. */
export interface Reading {
  context: ValueContext
  images: boolean
  /** True if e-mail addresses of organizers in calendar files are read. */
  addresses: boolean
  expectsNew: () => boolean
}

export function asAsked(
  item: SourceItem,
  { images, addresses }: Pick<Reading, 'images' | 'addresses'>,
): SourceItem {
  const { email: _email, ...others } = item.values
  const known = item.hasAddress && !addresses ? { ...item, values: others } : item
  return images || item.image === undefined ? known : { ...known, image: undefined }
}

export function fieldsOf({
  kind,
  values,
  links,
  image,
  pictures,
}: Pick<SourceItem, 'kind' | 'values' | 'links' | 'image' | 'pictures'>): Readonly<Record<string, unknown>> {
  // A series gets its slug when it is created: a later one is no change.
  const own = kind === 'series' && 'slug' in values ? withoutSlug(values) : values
  return { ...own, ...links, ...(image !== undefined && { image }), ...(pictures && { pictures }) }
}

function withoutSlug({ slug: _slug, ...values }: SourceItem['values']): SourceItem['values'] {
  return values
}

/** False for kinds whose records are repeated with each record that refers to them. */
export function standsAlone(kind: ItemKind): boolean {
  return kind === 'event' || kind === 'series'
}

/** Status and time of publication. Without a time `future` becomes a draft: it would be published at once. */
export function scheduled(status: string, date_utc: string | undefined): Readonly<Record<string, string>> {
  if (status !== 'future') return { status }
  return date_utc === undefined ? { status: 'draft' } : { status, date_utc }
}

export function itemKey(kind: ItemKind, identity: string, occurrence = ''): string {
  return `${kind} ${identity}\u0000${occurrence}`
}

export type Fingerprints = Readonly<Record<string, string>>

/** In characters: a longer value is replaced by its hash. */
const LONGEST = 40

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

export function lookAhead(item: SourceItem, context: ValueContext, expectsNew: boolean): SourceItem {
  const settled = expectsNew && item.kind === 'event' ? settledIfValid(item, context) : undefined
  return { ...item, ahead: { ...comparedOf(item), settled } }
}

export function comparedOf(item: SourceItem): Pick<AheadOfWriting, 'prints' | 'digest'> {
  const prints = fingerprintsOf(fieldsOf(item))
  return { prints, digest: digestOf(prints) }
}

export function settledOf(item: SourceItem, context: ValueContext): OwnColumns | undefined {
  return item.ahead?.settled ?? settledIfValid(item, context)
}

/** The error is dropped: the write reports it. */
function settledIfValid({ values }: SourceItem, context: ValueContext): OwnColumns | undefined {
  try {
    return settleValues(parseNew(event.fields, values, context), context)
  } catch {
    return undefined
  }
}

const LONGEST_NAME = 190

/** A venue, organizer or term identified by name and details only. @returns undefined for an empty name */
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

export const numberedIdentity = (number: string) => `${NUMBERED}${number}`

export function numberIn(identity: string): string | undefined {
  return identity.startsWith(NUMBERED) ? identity.slice(NUMBERED.length) : undefined
}

export const isToBeSeen = (status: unknown) => status === 'publish' || status === 'future'

// A plan compares what was last written, the record after that, and the record now.

/** What happens to a field changed both in the source and here. */
export const POLICIES = ['keep', 'overwrite', 'skip'] as const
export type ConflictPolicy = (typeof POLICIES)[number]

export type Plan =
  | { act: 'create' }
  | { act: 'nothing' }
  /** `kept`: fields changed here as well, which keep their values. */
  | { act: 'update'; fields: readonly string[]; kept: readonly string[] }
  /** Nothing is written: the record was changed here, or trashed or deleted (`isGone`). */
  | { act: 'leave'; kept: readonly string[]; isGone: boolean }

export function describeStay(item: Message, kept: readonly string[], isGone = false): Message {
  return isGone
    ? message('{item} was removed here, and stays so.', { item })
    : message('{item} was changed here as well, which stays: {fields}', { item, fields: kept.join(', ') })
}

/** `written`: what was last written; `lastSeen`: the record after that; `now`: the record at present. */
export interface KnownItem {
  written: Fingerprints
  lastSeen: Fingerprints
  now: Fingerprints | undefined
  isTrashed: boolean
}

export function knownItem(row: ImportItemColumns, state: RecordState | undefined): KnownItem {
  return {
    written: readFingerprints(row.written),
    lastSeen: readFingerprints(row.kept),
    now: state && fingerprintsOf(state),
    isTrashed: state?.status === 'trash',
  }
}

/**
 * Fingerprints after a write. Fields changed here before keep their former ones, and so stay marked as
 * changed.
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

/** True for an earlier revision than the stored one, unless the policy is `overwrite`, which writes it. */
export function isOlder(
  { sequence }: Pick<SourceItem, 'sequence'>,
  known: Pick<ImportItemColumns, 'sequence'>,
  policy: ConflictPolicy,
): boolean {
  return sequence !== undefined && sequence < known.sequence && policy !== 'overwrite'
}

export function planItem(source: Fingerprints, known: KnownItem | undefined, policy: ConflictPolicy): Plan {
  if (!known) return { act: 'create' }
  const { now } = known
  const changed = Object.keys(source).filter((field) => source[field] !== known.written[field])
  if (changed.length === 0) return { act: 'nothing' }
  if (!now) return policy === 'overwrite' ? { act: 'create' } : { act: 'leave', kept: changed, isGone: true }
  if (known.isTrashed && known.lastSeen.status !== now.status && policy !== 'overwrite')
    return { act: 'leave', kept: changed, isGone: true }
  const apart = changed.filter((field) => now[field] !== source[field])
  const conflicts = apart.filter((field) => now[field] !== known.lastSeen[field])
  if (policy === 'overwrite' && known.isTrashed && source.status !== undefined)
    return { act: 'update', fields: [...new Set([...apart, 'status'])], kept: [] }
  if (conflicts.length === 0 || policy === 'overwrite') return { act: 'update', fields: apart, kept: [] }
  if (policy === 'skip') return { act: 'leave', kept: conflicts, isGone: false }
  return { act: 'update', fields: apart.filter((field) => !conflicts.includes(field)), kept: conflicts }
}
