import { randomUUID } from 'node:crypto'
import { blankColumns, keptColumns, type Parsed } from '../../base/fields/field.ts'
import { invalidParam } from '../../base/problems.ts'
import { foldedText } from '../../base/text/long-texts.ts'
import { readMoment } from '../../base/text/moments.ts'
import { insertTakenIds, nextRecordId, takeRecordIds } from '../../store/storage/history.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow, Taxonomy, TermRow } from '../../store/storage/schema.ts'
import { indexWritten } from '../../store/storage/search/search-index.ts'
import type { Context, ValueContext } from '../declare/context.ts'
import type { WriteResult } from '../declare/operations.ts'
import { linkImage, type ResolvedImage } from '../images/images.ts'
import {
  areThere,
  createLinked,
  getImage,
  type LinkedRules,
  linkEntries,
  type PreparedLinked,
  prepareLinked,
  readNested,
} from '../linked/linked-store.ts'
import { organizerRules } from '../linked/organizer.ts'
import { recordUrl } from '../linked/record-present.ts'
import { venueRules } from '../linked/venue.ts'
import { settleNewSlugs, settleRecord, settleSlug, settleTrust, trashColumns } from '../records/record-rules.ts'
import { settleTerms, termEntries } from '../terms/term-rules.ts'
import { findTermsByIds, shiftCounts } from '../terms/term-store.ts'
import { event } from './event.ts'
import { parseCost } from './event-cost.ts'
import { findTermIds, insertEvents, type KnownLinks, type NewEvent, updateEvent } from './event-store.ts'
import { settleWhen } from './event-when.ts'

// The rules of writing events: how a create or a change affects the event and all that it links to.

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

/** Fetches everything from outside, so that the transaction waits for nothing else. */
export async function prepareEvent(values: EventValues, context: Context): Promise<PreparedEvent> {
  return { values, ...(await prepareReferred(values, context)) }
}

/** Fetches the image, and prepares the venues and organizers. */
export async function prepareReferred(
  values: Pick<EventValues, 'image' | 'venue' | 'organizer'>,
  context: Context,
): Promise<Omit<PreparedEvent, 'values'>> {
  return {
    image: values.image === undefined ? undefined : await getImage(values.image, context),
    venues: await prepareLinks(venueRules, values.venue, context),
    organizers: await prepareLinks(organizerRules, values.organizer, context),
  }
}

async function prepareLinks(rules: LinkedRules, value: unknown, context: Context): Promise<PreparedLink[] | undefined> {
  const entries = value === undefined ? undefined : linkEntries(value)
  if (!entries) return undefined
  const prepare = (entry: (typeof entries)[number]) => {
    if ('id' in entry) return entry
    // The author of a nested record is the caller (rule 16.4).
    const { author: _author, ...nested } = readNested(rules.fields, entry.fields)
    return prepareLinked(nested, context)
  }
  return Promise.all(entries.map(prepare))
}

/**
 * Looks at an event written as `row`; `links` are those that the write knows. Its queries run after all statements of the write, and reach the database
 * together with them.
 */
export type LookAtWritten = (tx: Tx, row: EventRow, links: KnownLinks) => Promise<WriteResult>

/** Moves an event, which is held, to the trash; its links stay, its terms count it no longer (rules 24.1 and 24.4). */
export async function trashEvent(tx: Tx, row: EventRow, context: Context, look: LookAtWritten): Promise<WriteResult> {
  const [columns, had] = await Promise.all([
    trashColumns(tx, 'events', { ...row, name: row.title }, context),
    row.status === 'publish' ? findTermIds(tx, row.id) : [],
  ])
  const terms = had.map((term) => term.id)
  const [, , seen] = await Promise.all([
    updateEvent(tx, row, columns, UNCHANGED),
    countTerms(tx, { terms, counted: true }, { terms, counted: false }),
    look(tx, { ...row, ...columns }, UNCHANGED),
  ])
  return seen
}

const UNCHANGED: KnownLinks = { venues: undefined, organizers: undefined, terms: undefined, made: new Set() }

/** The columns of a new event for which nothing was sent. */
export const UNSENT = {
  ...blankColumns(event.fields),
  cost: '[]',
  image: null,
  series: null,
  recurrence_id: '',
  own: '',
  access_words: '',
  is_free: 0,
  online_from: '',
} satisfies Partial<EventRow>

/**
 * Writes the sent fields of an event, which is held as `before`, with everything it links to (rule 16.2); nothing of it stays when any part fails.
 */
export async function changeEvent(
  tx: Tx,
  before: EventRow,
  prepared: PreparedEvent,
  context: Context,
  look: LookAtWritten,
): Promise<WriteResult> {
  const linked = await settleLinked(tx, prepared, context)
  const { row, columns, terms } = await settleEvent(tx, before, prepared, context)
  // Links that were not sent stay.
  const links = { ...linked, terms: terms.isSent ? terms.after : undefined }
  const had = { terms: terms.before, counted: before.status === 'publish' }
  const has = { terms: terms.after, counted: row.status === 'publish' }
  // The statements are independent, so they reach the database together, in this order. Other writers wait for terms: they are held last.
  const [, , seen] = await Promise.all([
    updateEvent(tx, before, columns, links),
    countTerms(tx, had, has),
    look(tx, row, links),
  ])
  return seen
}

/** The links of a new event: of a kind that was not sent there are none. */
export function linksOfNew(
  { venues = [], organizers = [], made = new Set() }: Partial<KnownLinks> = {},
  terms: readonly number[],
): KnownLinks {
  return { venues, organizers, terms, made }
}

/** The venues and organizers of an event that is written. */
type PreparedLinks = Pick<PreparedEvent, 'venues' | 'organizers'>

/**
 * Finds or makes the venues and organizers that were sent.
 * @throws Problem rest_invalid_param for one that is gone, or in the trash, since the request was read
 */
export async function settleLinked(
  tx: Tx,
  prepared: PreparedLinks,
  context: Context,
): Promise<Omit<KnownLinks, 'terms'>> {
  const [linked] = await Promise.all([linkAll(tx, prepared, context), refuseUnlinkable(tx, [prepared])])
  return linked
}

async function linkAll(tx: Tx, prepared: PreparedLinks, context: Context): Promise<Omit<KnownLinks, 'terms'>> {
  const made = new Set<number>()
  const venues = prepared.venues && (await linkIds(tx, venueRules, prepared.venues, made, context))
  const organizers = prepared.organizers && (await linkIds(tx, organizerRules, prepared.organizers, made, context))
  return { venues, organizers, made }
}

/** An event as it is to be written. */
export interface SettledEvent {
  /** The whole row. */
  row: EventRow
  /** The columns that were sent or follow from what was sent. */
  columns: Partial<EventRow>
  terms: EventTerms
}

export async function settleEvent(
  tx: Tx,
  before: EventRow | undefined,
  { values, image }: PreparedEvent,
  context: Context,
): Promise<SettledEvent> {
  const own = ownColumns(before, values, context)
  const numbered = before?.id ?? nextRecordId(tx, 'event')
  const named = { id: numbered, status: own.status, name: own.title ?? before?.title ?? UNSENT.title }
  const [id, terms, slug] = await Promise.all([
    numbered,
    settleEventTerms(tx, before, values, own.status, context),
    settleSlug(tx, context.caller, 'events', named, before, values.slug),
  ])
  const pictured = image === undefined ? {} : { image: await linkImage(tx, image, context) }
  const columns = { ...own, ...pictured, slug }
  return { row: { ...UNSENT, uid: randomUUID(), ...before, ...columns, id }, columns, terms }
}

/** The columns that were sent or follow from what was sent, but those that depend on other rows. */
function ownColumns(before: EventRow | undefined, values: EventValues, context: ValueContext) {
  const kept = keptColumns(event.fields, values) as Partial<EventRow> & Pick<EventRow, 'title'>
  const textOf = (name: 'title' | 'excerpt' | 'description' | 'event_status') =>
    kept[name] ?? before?.[name] ?? UNSENT[name]
  return {
    ...kept,
    ...settleRecord(context, before, values, 'now'),
    ...settleWebsite(values, before, context),
    ...settleTimes(values, before, context),
    ...(values.cost === undefined ? {} : { cost: JSON.stringify(parseCost(values.cost) ?? []) }),
    ...(textOf('event_status') === 'scheduled' ? { event_status_reason: '' } : {}),
    search: `${foldedText(textOf('title'))}\n${foldedText(textOf('excerpt'))}\n${foldedText(textOf('description'))}`,
    trusted: settleTrust(context, before, ['title', 'description', 'excerpt'], values, before ?? {}),
  }
}

/** Local and UTC times (rule 18.1): times that were not sent stay, and UTC follows from the wall clock and the zone. */
export function settleTimes(values: EventValues, before: EventRow | undefined, context: ValueContext) {
  const zone =
    values.timezone === undefined
      ? (before?.timezone ?? context.site.timezone)
      : values.timezone || context.site.timezone
  const allDay = values.all_day ?? before?.all_day === 1
  const edge = (name: 'start_date' | 'end_date') => {
    const sent = values[name]
    const held = before && zone === before.timezone ? { wall: before[name], utc: before[`utc_${name}`] } : undefined
    if (sent === undefined && before) return held ?? before[name]
    const moment = sent === undefined ? undefined : readMoment(sent, zone, context.now)
    if (moment === undefined) throw invalidParam(name)
    // Of a time that occurs twice an answer does not tell which it is: put back, it stays the same moment.
    return moment.utc === undefined && moment.wall === held?.wall ? held : moment
  }
  const times = settleWhen({ start: edge('start_date'), end: edge('end_date'), timezone: zone, allDay })
  return { ...times, timezone: zone, all_day: Number(allDay) }
}

/** An event without a website shows its own address there, which sent back is still none. */
function settleWebsite(values: EventValues, before: EventRow | undefined, context: ValueContext) {
  const isOwn = before !== undefined && values.website === recordUrl(context.site, 'event', before)
  return isOwn ? { website: before.website } : {}
}

/** The ids of the linked records, in order; ids of new records are added to `made`. */
async function linkIds(
  tx: Tx,
  rules: LinkedRules,
  links: readonly PreparedLink[],
  made: Set<number>,
  context: Context,
): Promise<number[]> {
  const ids = new Set<number>()
  for (const link of links) {
    const { id, isNew } = 'id' in link ? { ...link, isNew: false } : await createLinked(tx, rules, link, context)
    ids.add(id)
    if (isNew) made.add(id)
  }
  return [...ids]
}

/** The terms of an event, before and after a change. */
interface EventTerms {
  before: readonly number[]
  after: readonly number[]
  /** Whether the change is about terms at all. */
  isSent: boolean
}

/** Finds or makes the sent terms, and finds the former ones; none where they do not change. */
async function settleEventTerms(
  tx: Tx,
  before: EventRow | undefined,
  values: EventValues,
  status: string,
  context: Context,
): Promise<EventTerms> {
  const isSent = values.categories !== undefined || values.tags !== undefined
  const isCountedAlike = before && (before.status === 'publish') === (status === 'publish')
  if (!isSent && isCountedAlike) return { before: [], after: [], isSent }
  const sent = sentTerms(values)
  const numbers = [sent.category ?? [], sent.tag ?? []].flat().filter((entry) => typeof entry === 'number')
  const [had, rows] = await Promise.all([before ? findTermIds(tx, before.id) : [], findTermsByIds(tx, numbers)])
  const known = new Map(rows.map((term) => [term.id, term]))
  const settled = async (taxonomy: Taxonomy) => {
    const entries = sent[taxonomy]
    return entries
      ? settleTerms(tx, context.caller, taxonomy, entries, known)
      : had.flatMap((term) => (term.taxonomy === taxonomy ? [term.id] : []))
  }
  const after = [...(await settled('category')), ...(await settled('tag'))]
  return { before: had.map((term) => term.id), after, isSent }
}

/** The entries of the terms that were sent, by taxonomy. */
function sentTerms({ categories, tags }: Pick<EventValues, 'categories' | 'tags'>) {
  return {
    category: categories === undefined ? undefined : (termEntries(categories) ?? []),
    tag: tags === undefined ? undefined : (termEntries(tags) ?? []),
  }
}

interface Counted {
  terms: readonly number[]
  /** Whether the event counts at all: only published ones do (rule 7.4). */
  counted: boolean
}

/** Counts an event for its terms, and no longer for those it had: begun with the statements that change it. */
async function countTerms(tx: Tx, before: Counted, after: Counted): Promise<void> {
  const had = new Set(before.counted ? before.terms : [])
  const has = new Set(after.counted ? after.terms : [])
  const by = new Map<number, number>()
  for (const term of has.difference(had)) by.set(term, 1)
  for (const term of had.difference(has)) by.set(term, -1)
  await shiftCounts(tx, by)
}

/** Publishes an event whose time has come, which is held. */
export async function publishEvent(tx: Tx, row: EventRow, slug: string): Promise<void> {
  const terms = (await findTermIds(tx, row.id)).map((term) => term.id)
  await Promise.all([
    updateEvent(tx, row, { status: 'publish', slug }, UNCHANGED),
    countTerms(tx, { terms, counted: false }, { terms, counted: true }),
  ])
}

/** The parts of a new event that follow from its values alone: its columns, and the slug it asks for. */
export interface SettledValues {
  own: ReturnType<typeof ownColumns>
  slug: string | undefined
}

/** Settles a new event's values. @throws Problem for refused ones */
export function settleValues(values: EventValues, context: ValueContext): SettledValues {
  return { own: ownColumns(undefined, values, context), slug: values.slug }
}

/** An event to be made for whoever asks for it, with what it links to, and the UID that calendars know it by, if they do. */
export interface AskedEvent extends SettledValues {
  event: Omit<PreparedEvent, 'values'> & { values: Pick<EventValues, 'categories' | 'tags'> }
  uid?: string | undefined
}

/** A new event, with its terms in the order of their ids. */
export interface MadeEvent extends NewEvent {
  links: KnownLinks
  /** The context of whoever asked for it. */
  context: Context
  categories: readonly number[]
  tags: readonly number[]
}

/**
 * Writes new events with everything they link to, with few statements for all. When one fails, none is written.
 * Linked records are looked up for all of them together. The events are presented when they are first read, and their words are indexed together.
 * @throws Problem rest_invalid_param for a venue or organizer that is not there, or in the trash
 */
export async function createEvents(tx: Tx, asked: readonly AskedEvent[], context: Context): Promise<MadeEvent[]> {
  const events = await settleNewEvents(
    tx,
    asked.map((one) => ({ ...one, context })),
  )
  await Promise.all(insertSettled(tx, events))
  await indexWritten(tx, events.length)
  return events
}

/**
 * Settles new events that are written together: the later of two that ask for the same slug gets another.
 * @throws Problem rest_invalid_param for a venue or organizer that is not there, or in the trash
 */
export async function settleNewEvents(
  tx: Tx,
  asked: readonly (AskedEvent & Pick<MadeEvent, 'context' | 'by'>)[],
): Promise<MadeEvent[]> {
  const linked: Omit<KnownLinks, 'terms'>[] = []
  for (const { event, context } of asked) linked.push(await linkAll(tx, event, context))
  const numbered = takeRecordIds(tx, 'event', asked.length)
  const named = asked.map(({ own, slug, context: { caller } }) => {
    return { caller, status: own.status, name: own.title, sent: slug }
  })
  const [terms, ids, slugs] = await Promise.all([
    settleTermsOf(tx, asked),
    numbered,
    settleNewSlugs(tx, 'events', named, numbered),
    refuseUnlinkable(
      tx,
      asked.map(({ event }) => event),
    ),
  ])
  const events: MadeEvent[] = []
  for (const [at, { own, event, uid = randomUUID(), context, by }] of asked.entries()) {
    const image = event.image === undefined ? null : await linkImage(tx, event.image, context)
    const { categories, tags } = terms[at] ?? { categories: [], tags: [] }
    const row = { ...UNSENT, ...own, id: ids[at] ?? 0, image, slug: slugs[at] ?? '', uid }
    events.push({ row, links: linksOfNew(linked[at], [...categories, ...tags]), categories, tags, context, by })
  }
  return events
}

/** Writes settled events, and counts them for their terms, which resolve as they are then. All statements have begun when the function returns. */
export function insertSettled(tx: Tx, events: readonly MadeEvent[]): [Promise<unknown>, Promise<TermRow[]>] {
  const noted = insertTakenIds(
    tx,
    'event',
    events.map(({ row }) => row.id),
  )
  return [Promise.all([noted, insertEvents(tx, events)]), shiftCounts(tx, countsOf(events))]
}

async function refuseUnlinkable(tx: Tx, asked: readonly PreparedLinks[]): Promise<void> {
  const refuse = async ([kind, links]: (typeof LINKS)[number]) => {
    const entries = asked.flatMap((one) => one[links] ?? [])
    const ids = entries.flatMap((entry) => ('id' in entry ? [entry.id] : []))
    if (!(await areThere(tx, kind, ids))) throw invalidParam(kind)
  }
  await Promise.all(LINKS.map(refuse))
}

const LINKS = [
  ['venue', 'venues'],
  ['organizer', 'organizers'],
] as const

/** The ids of the terms of each event; those that were named by ids are looked up together. */
async function settleTermsOf(
  tx: Tx,
  asked: readonly (AskedEvent & { context: Context })[],
): Promise<Pick<MadeEvent, 'categories' | 'tags'>[]> {
  const sent = asked.map(({ event: { values } }) => sentTerms(values))
  const numbers = new Set<number>()
  for (const { category = [], tag = [] } of sent)
    for (const entry of [...category, ...tag]) if (typeof entry === 'number') numbers.add(entry)
  const known = new Map((await findTermsByIds(tx, [...numbers])).map((term) => [term.id, term]))
  const settled = asked.map((): Record<'category' | 'tag', readonly number[]> => ({ category: [], tag: [] }))
  // One taxonomy after the other: writers that make terms of both wait for each other in that order.
  for (const taxonomy of ['category', 'tag'] as const)
    for (const [at, { context }] of asked.entries()) {
      const entries = sent[at]?.[taxonomy] ?? []
      const ids = await settleTerms(tx, context.caller, taxonomy, entries, known)
      const own = settled[at]
      if (own) own[taxonomy] = ids.sort(byNumber)
    }
  return settled.map(({ category, tag }) => ({ categories: category, tags: tag }))
}

const byNumber = (a: number, b: number) => a - b

function countsOf(events: readonly NewEvent[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { row, links } of events)
    if (row.status === 'publish') for (const term of links.terms ?? []) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}
