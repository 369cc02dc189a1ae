import type { ValueContext } from '../declare/context.ts'
import type { SettledValues } from '../events/create-events.ts'
import type { FieldsData } from '../fields/field.ts'
import type { Fingerprints } from './fingerprints.ts'

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
export interface AheadOfWriting {
  prints: Fingerprints
  /** What stands for all of them together. */
  digest: string
  /** Of an event that is likely to be new here, and whose values are valid. */
  settled: SettledValues | undefined
}

/** Something in a source that could not be read. */
export interface SourceFault {
  at: string
  reason: string
  /** The identity of the event that it is in, where that could be read. */
  identity?: string
  /** Whether it is a part of a record that comes in without it. */
  isPart?: true
}

/** An event that the source reports as deleted. */
export interface SourceLoss {
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

/** An item with its image only where images come along. */
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

/** A status as a source gives it. One that is scheduled for no known time is a draft, since it would be public at once. */
export function scheduled(status: string, date_utc: string | undefined): Readonly<Record<string, string>> {
  if (status !== 'future') return { status }
  return date_utc === undefined ? { status: 'draft' } : { status, date_utc }
}

/** The key of an item among those of its source. */
export function keyOf(kind: ItemKind, identity: string, occurrence = ''): string {
  return `${kind} ${identity}\u0000${occurrence}`
}

/**
 * Fields that are not imported: authors are people of the source, the local publication date follows from that in UTC, and the series has the
 * recurrence.
 */
const LEFT_BEHIND = new Set(['author', 'date', 'recurrence', 'recurrence_scope'])

const carried = new WeakMap<FieldsData, readonly string[]>()

/** The names of the declared fields that an import carries over. */
export function carriedFields(fields: FieldsData): readonly string[] {
  const known = carried.get(fields)
  if (known) return known
  const names = Object.keys(fields).filter((name) => !LEFT_BEHIND.has(name))
  carried.set(fields, names)
  return names
}
