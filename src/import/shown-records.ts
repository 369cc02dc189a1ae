import { eventFields } from '../fields/event-fields.ts'
import { type EventMembers, eventMembers, unshownValues } from '../fields/event-members.ts'
import type { FieldsData } from '../fields/field.ts'
import { NEVER } from '../fields/kinds.ts'
import { organizerFields, venueFields } from '../fields/linked-fields.ts'
import { namesWith, type WithValue } from '../fields/member.ts'
import { termFields } from '../terms/term-rules.ts'
import { fold } from '../text/fold.ts'
import { fingerprintOf } from './fingerprints.ts'
import { decodeName, decodeTitle } from './shown-text.ts'
import { carriedFields, type ItemKind, type ItemLinks, type ReadEntry, type SourceItem } from './source-item.ts'

/** The kinds of record that answers show by themselves. */
export type ShownKind = Exclude<ItemKind, 'series'>

/** A record in an answer of the interface. */
export type Shown = Readonly<Record<string, unknown>>

/** The lists of records in the order in which they are read: first the records that events refer to. */
export const LISTS = [
  ['categories', 'category'],
  ['tags', 'tag'],
  ['venues', 'venue'],
  ['organizers', 'organizer'],
  ['events', 'event'],
] as const satisfies readonly (readonly [string, ShownKind])[]

/** Converts a member of an answer into a value that the interface accepts. */
type Read = (value: unknown, record: Shown) => unknown

const none: Read = () => undefined
const asTitle: Read = (value) => (typeof value === 'string' ? decodeTitle(value) : value)
const asName: Read = (value) => (typeof value === 'string' ? decodeName(value) : value)
/** A record never published shows noughts. */
const asMoment: Read = (value) => (value === NEVER ? undefined : value)
/** An event without a website shows its own address. */
const asWebsite: Read = (value, { url }) => (value === url ? '' : value)

/** An amount of nought shows a word in place of its figure and currency, which stand beside it. */
const asCost: Read = (value, { cost_details: details }) => {
  if (typeof value !== 'string' || !isShown(details) || !Array.isArray(details.values)) return value
  const [figure, ...more] = details.values.map(String)
  if (figure === undefined || more.length > 0 || !/^0(?:\.0+)?$/.test(figure)) return value
  const mark = typeof details.currency_symbol === 'string' ? details.currency_symbol : ''
  return details.currency_position === 'postfix' ? `${figure}${mark}` : `${mark}${figure}`
}

/** The members of events that lead to other records, in the order in which these are read. */
export const LINKED = {
  categories: 'category',
  tags: 'tag',
  venue: 'venue',
  organizer: 'organizer',
} as const satisfies Record<WithValue<EventMembers, 'from', 'link'>, Exclude<ShownKind, 'event'>>
export type LinkName = keyof typeof LINKED
export const linkNames = namesWith(eventMembers, 'from', 'link')

/** Members that need a conversion; links and images are handled elsewhere. */
const READERS: Readonly<Record<ShownKind, Readonly<Record<string, Read>>>> = {
  event: {
    title: asTitle,
    date_utc: asMoment,
    cost: asCost,
    website: asWebsite,
    image: none,
    ...Object.fromEntries(linkNames.map((name) => [name, none])),
  },
  venue: { venue: asTitle, date_utc: asMoment, image: none },
  organizer: { organizer: asTitle, date_utc: asMoment, image: none },
  category: { name: asName, parent: none },
  tag: { name: asName },
}

const FIELDS: Readonly<Record<ShownKind, FieldsData>> = {
  event: eventFields,
  venue: venueFields,
  organizer: organizerFields,
  category: termFields,
  tag: termFields,
}

/** The member with the name of a record. */
const NAMES = { event: 'title', venue: 'venue', organizer: 'organizer', category: 'name', tag: 'name' } as const

export const isShown = (value: unknown): value is Shown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Records that others have shown, as text by kind and id: each comes again with every record that refers to it. */
export type ShownBefore = Map<string, string>

const MOST_REMEMBERED = 50_000

/** Whether the same record was shown before without a difference. */
function isShownBefore(before: ShownBefore, kind: ShownKind, record: Shown): boolean {
  const key = `${kind} ${String(record.id)}`
  const text = JSON.stringify(record)
  if (before.get(key) === text) return true
  if (before.size >= MOST_REMEMBERED) before.clear()
  before.set(key, text)
  return false
}

/** A record of an answer with everything it shows: first the records that it refers to, unless they were shown before. */
export function* itemsOf(kind: ShownKind, record: unknown, at: string, before?: ShownBefore): Generator<ReadEntry> {
  if (!isShown(record)) {
    yield { at, reason: 'This is not a record.' }
    return
  }
  const links: Partial<Record<keyof ItemLinks, readonly string[]>> = {}
  if (kind === 'event') {
    for (const member of linkNames) {
      const linked = LINKED[member]
      if (record[member] === undefined) continue
      const records = listOf(record[member], NAMES[linked])
      for (const one of records) if (!before || !isShownBefore(before, linked, one)) yield* itemsOf(linked, one, at)
      links[member] = records.flatMap((one) => identityOf(linked, one) ?? [])
    }
  }
  yield itemOf(kind, record, at, links)
}

/** A venue stands alone or in a list, and an empty list or false stands for none. A text is a name. */
function listOf(value: unknown, name: string): Shown[] {
  return (Array.isArray(value) ? value : [value])
    .map((one) => (typeof one === 'string' ? { [name]: one } : one))
    .filter(isShown)
}

/** The id of a record; without one its address, or an event's title and start, or the name and details of what an event refers to. */
function identityOf(kind: ShownKind, record: Shown): string | undefined {
  const { id, url, title, start_date: start } = record
  if (typeof id === 'number' && Number.isSafeInteger(id)) return String(id)
  if (typeof id === 'string' && id !== '') return id
  if (typeof url === 'string' && url !== '') return url.slice(0, LONGEST_IDENTITY)
  if (kind === 'event') {
    const isNamed = typeof title === 'string' && typeof start === 'string' && title !== ''
    return isNamed ? `${title.slice(0, LONGEST_IDENTITY)}\n${start}` : undefined
  }
  const { [NAMES[kind]]: named, ...details } = valuesOf(kind, record)
  const name = fold(typeof named === 'string' ? named : '').slice(0, LONGEST_IDENTITY)
  if (name === '') return undefined
  return Object.keys(details).length === 0 ? name : `${name}\n${fingerprintOf(details)}`
}

/** The most characters of an identity that a text makes. */
const LONGEST_IDENTITY = 500

function itemOf(
  kind: ShownKind,
  record: Shown,
  at: string,
  links: ItemLinks,
): SourceItem | { at: string; reason: string } {
  const identity = identityOf(kind, record)
  const shownName = record[NAMES[kind]]
  const name = typeof shownName === 'string' ? decodeName(shownName) : ''
  if (identity === undefined)
    return {
      at,
      reason: `This ${kind} has no ${kind === 'event' ? 'id, and no title with a start_date' : 'name'}${name ? `: ${name}` : ''}.`,
    }
  const parent = kind === 'category' && Number(record.parent) > 0 ? [String(record.parent)] : []
  return {
    kind,
    identity,
    occurrence: '',
    at,
    name,
    values: valuesOf(kind, record),
    links: kind === 'category' && record.parent !== undefined ? { parent } : links,
    image: imageOf(kind, record.image),
    ...(typeof record.url === 'string' && { page: record.url }),
  }
}

function valuesOf(kind: ShownKind, record: Shown): Record<string, unknown> {
  const values: Record<string, unknown> = kind === 'event' ? { ...unshownValues } : {}
  for (const member of carriedFields(FIELDS[kind])) {
    const value = record[member]
    if (value === undefined || value === null) continue
    const read = READERS[kind][member]
    const taken = read ? read(value, record) : value
    if (taken !== undefined) values[member] = taken
  }
  return values
}

/** Terms have no image; a record without one shows false, or nothing. */
function imageOf(kind: ShownKind, image: unknown): string | undefined {
  if (kind === 'category' || kind === 'tag') return undefined
  return isShown(image) && typeof image.url === 'string' ? image.url : ''
}
