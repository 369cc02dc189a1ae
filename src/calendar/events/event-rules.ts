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
import {
  settleNewSlugs,
  settleRecord,
  settleSlug,
  settleTrust,
  trashColumns,
} from '../records/record-rules.ts'
import { settleTerms, termEntries } from '../terms/term-rules.ts'
import { findTermsByIds, shiftCounts, TAXONOMIES } from '../terms/term-store.ts'
import { event } from './event.ts'
import { parseCost } from './event-cost.ts'
import {
  findTermIds,
  insertEvents,
  type KnownLinks,
  type NewEvent,
  UNCHANGED,
  updateEvent,
} from './event-store.ts'
import { settleWhen } from './event-when.ts'

// Writes events by the rules: creates, changes, trashes and publishes them, with their links and the counts
// of their terms.

export type EventValues = Parsed<typeof event.fields>

/** A venue or organizer to link: the id of an existing one, or one to make inside the transaction. */
type PreparedLink = { id: number } | PreparedLinked

/**
 * An event ready to be written: its image, and the images of new linked records, have been fetched already.
 */
export interface PreparedEvent {
  values: EventValues
  image: ResolvedImage | undefined
  venues: PreparedLink[] | undefined
  organizers: PreparedLink[] | undefined
}

/**
 * Prepares an event for its write: what has to be fetched is fetched here, so that the transaction waits for
 * no other server.
 */
export async function prepareEvent(values: EventValues, context: Context): Promise<PreparedEvent> {
  return { values, ...(await prepareReferred(values, context)) }
}

/**
 * Fetches the image of an event, and prepares its venues and organizers. Members that were not sent are
 * undefined.
 */
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

async function prepareLinks(
  rules: LinkedRules,
  value: unknown,
  context: Context,
): Promise<PreparedLink[] | undefined> {
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
 * Makes the result of a write from the event written as `row`; `links` are the links that the write knows.
 * Its queries run after all statements of the write, and are sent to the database together with them.
 */
export type LookAtWritten = (tx: Tx, row: EventRow, links: KnownLinks) => Promise<WriteResult>

/**
 * Moves an event, whose row the caller holds, to the trash. Its links stay; its terms no longer count it
 * (rules 24.1 and 24.4).
 */
export async function trashEvent(
  tx: Tx,
  row: EventRow,
  context: Context,
  look: LookAtWritten,
): Promise<WriteResult> {
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
 * Writes the sent fields of an event, whose row the caller holds as `before`, with the records and terms that
 * it links to (rule 16.2). When any part fails, the transaction keeps nothing of it.
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
  // The statements are independent, so they are sent together, in this order. Terms come last, since other
  // writers wait for them.
  const [, , seen] = await Promise.all([
    updateEvent(tx, before, columns, links),
    countTerms(tx, had, has),
    look(tx, row, links),
  ])
  return seen
}

/** Returns the links of a new event: none of a kind that was not sent. */
export function linksOfNew(
  { venues = [], organizers = [], made = new Set() }: Partial<KnownLinks> = {},
  terms: readonly number[],
): KnownLinks {
  return { venues, organizers, terms, made }
}

/** The venues and organizers to link to an event. */
type PreparedLinks = Pick<PreparedEvent, 'venues' | 'organizers'>

/**
 * Finds or makes the venues and organizers that were sent, and returns their ids.
 * @throws Problem rest_invalid_param for a venue or organizer that was removed or trashed since the request
 * was read
 */
export async function settleLinked(
  tx: Tx,
  prepared: PreparedLinks,
  context: Context,
): Promise<Omit<KnownLinks, 'terms'>> {
  const [linked] = await Promise.all([linkAll(tx, prepared, context), refuseUnlinkable(tx, [prepared])])
  return linked
}

async function linkAll(
  tx: Tx,
  prepared: PreparedLinks,
  context: Context,
): Promise<Omit<KnownLinks, 'terms'>> {
  const made = new Set<number>()
  const venues = prepared.venues && (await linkIds(tx, venueRules, prepared.venues, made, context))
  const organizers =
    prepared.organizers && (await linkIds(tx, organizerRules, prepared.organizers, made, context))
  return { venues, organizers, made }
}

/** An event whose values are settled, ready for the statements of its write. */
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

/**
 * Returns the columns that were sent or follow from sent values, without columns that depend on other rows.
 * @throws Problem for refused values
 */
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

/**
 * Returns the columns of an event's times (rule 18.1): wall times that were not sent stay, and UTC times
 * follow from wall times and the zone.
 */
export function settleTimes(values: EventValues, before: EventRow | undefined, context: ValueContext) {
  const zone =
    values.timezone === undefined
      ? (before?.timezone ?? context.site.timezone)
      : values.timezone || context.site.timezone
  const allDay = values.all_day ?? before?.all_day === 1
  const edge = (name: 'start_date' | 'end_date') => {
    const sent = values[name]
    const held =
      before && zone === before.timezone ? { wall: before[name], utc: before[`utc_${name}`] } : undefined
    if (sent === undefined && before) return held ?? before[name]
    const moment = sent === undefined ? undefined : readMoment(sent, zone, context.now)
    if (moment === undefined) throw invalidParam(name)
    // An answer does not tell which of two moments a repeated wall time means: when a client sends it back,
    // the stored moment stays.
    return moment.utc === undefined && moment.wall === held?.wall ? held : moment
  }
  const times = settleWhen({ start: edge('start_date'), end: edge('end_date'), timezone: zone, allDay })
  return { ...times, timezone: zone, all_day: Number(allDay) }
}

/**
 * Keeps the stored website where the event's own address was sent: an event without a website shows that
 * address as its website.
 */
function settleWebsite(values: EventValues, before: EventRow | undefined, context: ValueContext) {
  const isOwn = before !== undefined && values.website === recordUrl(context.site, 'event', before)
  return isOwn ? { website: before.website } : {}
}

/**
 * Makes the linked records that are new, and returns the ids of all of them, in order. Adds the ids of new
 * records to `made`.
 */
async function linkIds(
  tx: Tx,
  rules: LinkedRules,
  links: readonly PreparedLink[],
  made: Set<number>,
  context: Context,
): Promise<number[]> {
  const ids = new Set<number>()
  for (const link of links) {
    const { id, isNew } =
      'id' in link ? { ...link, isNew: false } : await createLinked(tx, rules, link, context)
    ids.add(id)
    if (isNew) made.add(id)
  }
  return [...ids]
}

/** The ids of the terms of an event, before and after a change. */
interface EventTerms {
  before: readonly number[]
  after: readonly number[]
  /** True when terms were sent. */
  isSent: boolean
}

/**
 * Finds or makes the sent terms, and finds the former ones. Both lists are empty where neither terms nor
 * whether they count the event change.
 */
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
  const [had, rows] = await Promise.all([
    before ? findTermIds(tx, before.id) : [],
    findTermsByIds(tx, numbers),
  ])
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

/** Returns the entries of the sent terms by taxonomy; undefined for a taxonomy that was not sent. */
function sentTerms({ categories, tags }: Pick<EventValues, 'categories' | 'tags'>) {
  return {
    category: categories === undefined ? undefined : (termEntries(categories) ?? []),
    tag: tags === undefined ? undefined : (termEntries(tags) ?? []),
  }
}

interface Counted {
  terms: readonly number[]
  /** True for a published event: terms count no others (rule 7.4). */
  counted: boolean
}

/**
 * Adds one to the counts of terms that begin to count an event, and takes one from the counts of terms that
 * no longer do.
 */
async function countTerms(tx: Tx, before: Counted, after: Counted): Promise<void> {
  const had = new Set(before.counted ? before.terms : [])
  const has = new Set(after.counted ? after.terms : [])
  const by = new Map<number, number>()
  for (const term of has.difference(had)) by.set(term, 1)
  for (const term of had.difference(has)) by.set(term, -1)
  await shiftCounts(tx, by)
}

/** Publishes an event whose time has come. The caller holds its row. */
export async function publishEvent(tx: Tx, row: EventRow, slug: string): Promise<void> {
  const terms = (await findTermIds(tx, row.id)).map((term) => term.id)
  await Promise.all([
    updateEvent(tx, row, { status: 'publish', slug }, UNCHANGED),
    countTerms(tx, { terms, counted: false }, { terms, counted: true }),
  ])
}

/**
 * The parts of a new event that follow from its sent values alone: its columns, and the slug that was asked
 * for.
 */
export interface SettledValues {
  own: ReturnType<typeof ownColumns>
  slug: string | undefined
}

/** Settles the values of a new event. @throws Problem for refused values */
export function settleValues(values: EventValues, context: ValueContext): SettledValues {
  return { own: ownColumns(undefined, values, context), slug: values.slug }
}

/**
 * A new event that was asked for, with the records and terms to link it to. `uid` is given where calendars
 * know the event already.
 */
export interface AskedEvent extends SettledValues {
  event: Omit<PreparedEvent, 'values'> & { values: Pick<EventValues, 'categories' | 'tags'> }
  uid?: string | undefined
}

/** A new event with its id and slug. The ids of its categories and tags are in ascending order. */
export interface MadeEvent extends NewEvent {
  links: KnownLinks
  /** The context of the request that asked for the event. */
  context: Context
  categories: readonly number[]
  tags: readonly number[]
}

/**
 * Writes new events, with the records and terms that they link to, in few statements. When one event fails,
 * none is written. The words of all events are indexed together. The events are not presented here, but when
 * they are first read.
 * @throws Problem rest_invalid_param for a venue or organizer that does not exist or is in the trash
 */
export async function createEvents(
  tx: Tx,
  asked: readonly AskedEvent[],
  context: Context,
): Promise<MadeEvent[]> {
  const events = await settleNewEvents(
    tx,
    asked.map((one) => ({ ...one, context })),
  )
  await Promise.all(insertSettled(tx, events))
  await indexWritten(tx, events.length)
  return events
}

/**
 * Settles new events that are written together, in the order of `asked`. The later of two events that ask for
 * the same slug gets another slug.
 * @throws Problem rest_invalid_param for a venue or organizer that does not exist or is in the trash
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
    events.push({
      row,
      links: linksOfNew(linked[at], [...categories, ...tags]),
      categories,
      tags,
      context,
      by,
    })
  }
  return events
}

/**
 * Writes settled events, and adds them to the counts of their terms. Returns a promise of the writes, and one
 * of the rows of the terms with their new counts. All statements have begun when the function returns.
 */
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

/**
 * Finds or makes the terms of each event, and returns their ids. Terms that were named by ids are looked up
 * in one query.
 */
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
  // One taxonomy after the other, not at once: the order keeps writers from waiting for each other.
  for (const taxonomy of TAXONOMIES)
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
    if (row.status === 'publish')
      for (const term of links.terms ?? []) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}
