import { linkImage, type ResolvedImage } from '../common/images.ts'
import {
  createLinked,
  getImage,
  type LinkedRules,
  type PreparedLinked,
  prepareLinked,
  readNested,
} from '../common/linked-change.ts'
import { linkEntries } from '../common/linked-rules.ts'
import { recordUrl } from '../common/record-present.ts'
import { settleRecord, settleSlug, settleTrust, trashColumns } from '../common/record-rules.ts'
import { nextRecordId } from '../common/record-store.ts'
import { settleTerms, termEntries } from '../common/term-rules.ts'
import { adjustCounts, findTermsByIds } from '../common/term-store.ts'
import type { Asking } from '../declare/asking.ts'
import { keptColumns, type Parsed } from '../declare/resource.ts'
import { organizerRules } from '../organizers/organizer-rules.ts'
import { invalidParam } from '../problems.ts'
import { noteChanges } from '../storage/changes.ts'
import type { Change, Db } from '../storage/database.ts'
import type { EventRow, Taxonomy } from '../storage/schema.ts'
import { fold } from '../text/fold.ts'
import { plainText } from '../text/html.ts'
import { parseMoment } from '../text/moments.ts'
import { venueRules } from '../venues/venue-rules.ts'
import { event } from './event.ts'
import { parseCost } from './event-cost.ts'
import {
  type EventColumnsToWrite,
  findTermIds,
  insertEvent,
  insertLinks,
  insertTerms,
  type KnownLinks,
  replaceLinks,
  replaceTerms,
  updateEvent,
} from './event-store.ts'
import { settleWhen } from './event-when.ts'

export type EventValues = Parsed<typeof event.fields>

/** A venue or organizer to link: one that exists, or one to make inside the transaction. */
type PreparedLink = { id: number } | PreparedLinked

/** An event ready to be written: everything that waits for the outside has been done. */
export interface PreparedEvent {
  values: EventValues
  image: ResolvedImage | undefined
  venues: PreparedLink[] | undefined
  organizers: PreparedLink[] | undefined
}

/** Fetches what the event needs from outside, so that the transaction can run through. */
export async function prepareEvent(values: EventValues, asking: Asking): Promise<PreparedEvent> {
  return {
    values,
    image: values.image === undefined ? undefined : await getImage(values.image, asking),
    venues: await prepareLinks(venueRules, values.venue, asking),
    organizers: await prepareLinks(organizerRules, values.organizer, asking),
  }
}

async function prepareLinks(rules: LinkedRules, value: unknown, asking: Asking): Promise<PreparedLink[] | undefined> {
  const entries = value === undefined ? undefined : linkEntries(value)
  if (!entries) return undefined
  const prepare = (entry: (typeof entries)[number]) => {
    if ('id' in entry) return entry
    // The author of a nested record is the caller (contract 5.7).
    const { author: _author, ...nested } = readNested(rules.fields, entry.fields)
    return prepareLinked(nested, asking)
  }
  return Promise.all(entries.map(prepare))
}

/** An event as it has been written, and the ids of what it is linked to, as far as they are known from writing it. */
export interface WrittenEvent {
  row: EventRow
  links: KnownLinks
}

/** Writes a new event with everything it links to; nothing of it stays when any part fails. */
export async function createEvent(tx: Db, prepared: PreparedEvent, asking: Asking): Promise<WrittenEvent> {
  return writeEvent(tx, undefined, prepared, asking)
}

/** Changes what was sent of an event (contract 0.3.2). */
export async function changeEvent(
  tx: Db,
  before: EventRow,
  prepared: PreparedEvent,
  asking: Asking,
): Promise<WrittenEvent> {
  return writeEvent(tx, before, prepared, asking)
}

/** Moves an event to the trash; its links stay, its terms count it no longer (contract 6). */
export async function trashEvent(tx: Db, row: EventRow, asking: Asking): Promise<WrittenEvent> {
  const trashed = await updateEvent(tx, row.id, await trashColumns(tx, 'events', row, asking))
  const terms = row.status === 'publish' ? (await findTermIds(tx, row.id)).map((term) => term.id) : []
  const counted = await countTerms(tx, { terms, counted: true }, { terms, counted: false })
  await noteChanges(tx, [...counted, { kind: 'event', record: row.id }])
  return { row: trashed, links: UNCHANGED }
}

const UNCHANGED: KnownLinks = { venues: undefined, organizers: undefined, terms: undefined }

async function writeEvent(
  tx: Db,
  before: EventRow | undefined,
  prepared: PreparedEvent,
  asking: Asking,
): Promise<WrittenEvent> {
  const { values } = prepared
  const venues = prepared.venues && (await linkIds(tx, venueRules, prepared.venues, asking))
  const organizers = prepared.organizers && (await linkIds(tx, organizerRules, prepared.organizers, asking))
  const record = settleRecord(asking, before, values, 'now')
  const [id, terms] = await Promise.all([
    before?.id ?? nextRecordId(tx, 'event'),
    settleEventTerms(tx, before, values, record.status, asking),
  ])
  const texts = { ...before, ...keptColumns(event.fields, values) } as Pick<
    EventRow,
    'title' | 'description' | 'excerpt'
  >
  const columns = {
    ...keptColumns(event.fields, values),
    ...record,
    ...settleWebsite(values, before, asking),
    ...settleTimes(values, before, asking),
    ...(values.cost === undefined ? {} : { cost: settleCost(values.cost) }),
    ...(prepared.image === undefined ? {} : { image: await linkImage(tx, prepared.image, asking) }),
    slug: await settleSlug(
      tx,
      asking.caller,
      'events',
      { id, status: record.status, name: texts.title },
      before,
      values.slug,
    ),
    search: [texts.title, texts.excerpt ?? '', texts.description ?? ''].map((text) => fold(plainText(text))).join('\n'),
    trusted: settleTrust(asking, before, ['title', 'description', 'excerpt'], values, { ...before }),
  }
  const link = before ? replaceLinks : insertLinks
  const counts = countChanges(
    { terms: terms.before, counted: before?.status === 'publish' },
    { terms: terms.after, counted: record.status === 'publish' },
  )
  // None waits for another, so they reach the database together, in this order.
  const [row] = await Promise.all([
    before
      ? updateEvent(tx, id, columns as EventColumnsToWrite)
      : insertEvent(tx, { ...columns, id } as EventColumnsToWrite),
    venues && link(tx, venueRules, id, venues),
    organizers && link(tx, organizerRules, id, organizers),
    terms.isSent && (before ? replaceTerms : insertTerms)(tx, id, terms.after),
    adjustCounts(tx, counts),
    noteChanges(tx, [...termChanges(counts), { kind: 'event', record: id }]),
  ])
  // What was not sent of a new event is none; what was not sent of another stays.
  const links = before
    ? { venues, organizers, terms: terms.isSent ? terms.after : undefined }
    : { venues: venues ?? [], organizers: organizers ?? [], terms: terms.after }
  return { row, links }
}

/** Local and UTC times (contract 5.3): what was not sent stays, and UTC follows from the wall clock and the zone. */
function settleTimes(values: EventValues, before: EventRow | undefined, asking: Asking) {
  const zone =
    values.timezone === undefined ? (before?.timezone ?? asking.site.timezone) : values.timezone || asking.site.timezone
  const allDay = values.all_day ?? before?.all_day === 1
  const wall = (name: 'start_date' | 'end_date') => {
    const sent = values[name]
    const time = sent === undefined ? before?.[name] : parseMoment(sent, zone, asking.now)
    if (time === undefined) throw invalidParam(name)
    return time
  }
  const times = settleWhen({ start: wall('start_date'), end: wall('end_date'), timezone: zone, allDay })
  return { ...times, timezone: zone, all_day: Number(allDay) }
}

/** An event without a website shows its own address there, which sent back is still none. */
function settleWebsite(values: EventValues, before: EventRow | undefined, asking: Asking) {
  const isOwn = before !== undefined && values.website === recordUrl(asking.site, 'event', before)
  return isOwn ? { website: before.website } : {}
}

function settleCost(value: unknown): string {
  return JSON.stringify(parseCost(value) ?? [])
}

async function linkIds(tx: Db, rules: LinkedRules, links: readonly PreparedLink[], asking: Asking): Promise<number[]> {
  const ids = new Set<number>()
  for (const link of links) ids.add('id' in link ? link.id : await createLinked(tx, rules, link, asking))
  return [...ids]
}

/** The terms of an event, before and after a change. */
interface EventTerms {
  before: readonly number[]
  after: readonly number[]
  /** Whether the change is about terms at all. */
  isSent: boolean
}

/** Finds or makes the terms that were sent, and finds those that there were; none of them where nothing changes about them. */
async function settleEventTerms(
  tx: Db,
  before: EventRow | undefined,
  values: EventValues,
  status: string,
  asking: Asking,
): Promise<EventTerms> {
  const isSent = values.categories !== undefined || values.tags !== undefined
  const isCountedAlike = before && (before.status === 'publish') === (status === 'publish')
  if (!isSent && isCountedAlike) return { before: [], after: [], isSent }
  const sent = {
    category: values.categories === undefined ? undefined : (termEntries(values.categories) ?? []),
    tag: values.tags === undefined ? undefined : (termEntries(values.tags) ?? []),
  }
  const numbers = [sent.category ?? [], sent.tag ?? []].flat().filter((entry) => typeof entry === 'number')
  const [had, rows] = await Promise.all([before ? findTermIds(tx, before.id) : [], findTermsByIds(tx, numbers)])
  const known = new Map(rows.map((term) => [term.id, term]))
  const settled = async (taxonomy: Taxonomy) => {
    const entries = sent[taxonomy]
    return entries
      ? settleTerms(tx, asking.caller, taxonomy, entries, known)
      : had.flatMap((term) => (term.taxonomy === taxonomy ? [term.id] : []))
  }
  const after = [...(await settled('category')), ...(await settled('tag'))]
  return { before: had.map((term) => term.id), after, isSent }
}

interface Counted {
  terms: readonly number[]
  /** Whether the event counts at all: only published ones do (contract 3.4). */
  counted: boolean
}

/** By how much the counts of terms change from what an event had to what it has; terms whose counts stay are left out. */
function countChanges(before: Counted, after: Counted): Map<number, number> {
  const changes = new Map<number, number>()
  const add = ({ terms, counted }: Counted, change: number) => {
    for (const id of counted ? terms : []) changes.set(id, (changes.get(id) ?? 0) + change)
  }
  add(before, -1)
  add(after, 1)
  for (const [id, change] of changes) if (change === 0) changes.delete(id)
  return changes
}

/** Brings the counts of terms from what an event had to what it has. Returns the terms whose counts changed, which the caller notes. */
export async function countTerms(tx: Db, before: Counted, after: Counted): Promise<Change[]> {
  const counts = countChanges(before, after)
  await adjustCounts(tx, counts)
  return termChanges(counts)
}

function termChanges(counts: ReadonlyMap<number, number>): Change[] {
  return [...counts.keys()].map((record) => ({ kind: 'term', record }))
}
