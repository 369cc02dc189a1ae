import { randomUUID } from 'node:crypto'
import { blankColumns, keptColumns, type Parsed } from '../../base/fields/field.ts'
import { invalidParam } from '../../base/problems.ts'
import { foldedText } from '../../base/text/long-texts.ts'
import { readMoment } from '../../base/text/moments.ts'
import { nextRecordIds } from '../../store/storage/history.ts'
import type { Tx, Writer } from '../../store/storage/recording.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { Context, ValueContext } from '../declare/context.ts'
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
  countMade,
  settleNewSlugs,
  settleRecord,
  settleSlug,
  settleTrust,
  trashColumns,
} from '../records/record-rules.ts'
import { freeSlug } from '../records/record-store.ts'
import { settleTerms, termEntries } from '../terms/term-rules.ts'
import { findTermsByIds, TAXONOMIES } from '../terms/term-store.ts'
import { event } from './event.ts'
import { parseCost } from './event-cost.ts'
import { type EventWrite, findTermIds, type LinkIds, saveEvents } from './event-store.ts'
import { settleWhen } from './event-when.ts'

export type EventValues = Parsed<typeof event.fields>

type PreparedLink = { id: number } | PreparedLinked

/** An event whose images, and those of its new linked records, have been fetched. */
export interface PreparedEvent {
  values: EventValues
  image: ResolvedImage | undefined
  venues: PreparedLink[] | undefined
  organizers: PreparedLink[] | undefined
  columns?: OwnColumns | undefined
  /** The iCalendar UID that an imported event has at its source. */
  uid?: string | undefined
}

/** Fetches images, so that the transaction waits for no other server. */
export async function prepareEvent(values: EventValues, context: Context): Promise<PreparedEvent> {
  return { values, ...(await prepareReferred(values, context)) }
}

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

/** An event as it will be saved. `made` are ids of venues and organizers created with it. */
export type SettledEvent = EventWrite & { made: ReadonlySet<number> }

/**
 * Moves an event, whose row is locked, to the trash. Its links stay, but term counts no longer include it
 * (rules 24.1 and 24.4).
 */
export async function trashEvent(tx: Tx, before: EventRow, context: Context): Promise<SettledEvent> {
  const values = await trashColumns(tx, 'events', { ...before, name: before.title }, context)
  const trashed = { before, values, links: {}, made: NONE }
  await saveEvents(tx, [trashed])
  return trashed
}

const NONE: ReadonlySet<number> = new Set()

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

/** Updates an event, whose row `before` is locked, and creates linked records in its values (rule 16.2). */
export async function changeEvent(
  tx: Tx,
  before: EventRow,
  prepared: PreparedEvent,
  context: Context,
): Promise<SettledEvent> {
  const settled = await settleChange(tx, before, prepared, context)
  await saveEvents(tx, [settled])
  return settled
}

type PreparedLinks = Pick<PreparedEvent, 'venues' | 'organizers'>

async function settleLinked(
  tx: Tx,
  { venues, organizers }: PreparedLinks,
  context: Context,
): Promise<{ links: LinkIds; made: ReadonlySet<number> }> {
  const made = new Set<number>()
  const links = {
    venues: venues && (await linkIds(tx, venueRules, venues, made, context)),
    organizers: organizers && (await linkIds(tx, organizerRules, organizers, made, context)),
  }
  return { links, made }
}

/**
 * An update as it will be saved, with new linked records and terms created. The row `before` is locked.
 * @throws Problem rest_invalid_param if a linked record was removed or trashed since the request was read
 */
export async function settleChange(
  tx: Tx,
  before: EventRow,
  prepared: PreparedEvent,
  context: Context,
): Promise<SettledEvent & { before: EventRow }> {
  const { values, image } = prepared
  const { links, made } = await settleLinked(tx, prepared, context)
  await refuseUnlinkable(tx, [prepared])
  const own = ownColumns(before, values, context)
  const named = { id: before.id, status: own.status, name: own.title ?? before.title }
  const [terms, slug] = await Promise.all([
    settleTermsOfChange(tx, before.id, values, context),
    settleSlug(tx, context.caller, 'events', named, before, values.slug),
  ])
  const pictured = image === undefined ? {} : { image: await linkImage(tx, image, context) }
  return { before, values: { ...own, ...pictured, slug }, links: { ...links, terms }, made }
}

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
    search:
      `${foldedText(textOf('title'))}\n${foldedText(textOf('excerpt'))}\n` +
      `${foldedText(textOf('description'))}`,
    trusted: settleTrust(context, before, ['title', 'description', 'excerpt'], values, before ?? {}),
  }
}

/** The columns of times (rule 18.1). Unsent local times stay; UTC times follow from local times and zone. */
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
    // A local time that clocks repeat means two moments, and does not say which. Sent back unchanged, it
    // means the stored one.
    return moment.utc === undefined && moment.wall === held?.wall ? held : moment
  }
  const times = settleWhen({ start: edge('start_date'), end: edge('end_date'), timezone: zone, allDay })
  return { ...times, timezone: zone, all_day: Number(allDay) }
}

/** Keeps the stored website if sent the event's own URL, which answers show for an event without website. */
function settleWebsite(values: EventValues, before: EventRow | undefined, context: ValueContext) {
  const isOwn = before !== undefined && values.website === recordUrl(context.site, 'event', before)
  return isOwn ? { website: before.website } : {}
}

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
    if (isNew) countMade(tx, context, rules.kind)
    if (isNew) made.add(id)
  }
  return [...ids]
}

async function settleTermsOfChange(
  tx: Tx,
  event: number,
  values: EventValues,
  context: Context,
): Promise<number[] | undefined> {
  if (values.categories === undefined && values.tags === undefined) return undefined
  const sent = sentTerms(values)
  const numbers = [sent.category ?? [], sent.tag ?? []].flat().filter((entry) => typeof entry === 'number')
  const [had, rows] = await Promise.all([
    sent.category && sent.tag ? [] : findTermIds(tx, event),
    findTermsByIds(tx, numbers),
  ])
  const known = new Map(rows.map((term) => [term.id, term]))
  const after: number[] = []
  for (const taxonomy of TAXONOMIES) {
    const entries = sent[taxonomy]
    const ids = entries
      ? await settleTerms(tx, context, taxonomy, entries, known)
      : had.flatMap((term) => (term.taxonomy === taxonomy ? [term.id] : []))
    for (const id of ids) after.push(id)
  }
  return after
}

function sentTerms({ categories, tags }: Pick<EventValues, 'categories' | 'tags'>) {
  return {
    category: categories === undefined ? undefined : (termEntries(categories) ?? []),
    tag: tags === undefined ? undefined : (termEntries(tags) ?? []),
  }
}

export async function publishEvent(tx: Tx, before: EventRow, slug: string): Promise<void> {
  await saveEvents(tx, [{ before, values: { status: 'publish', slug }, links: {} }])
}

export type OwnColumns = ReturnType<typeof ownColumns>

/** A new event's columns that need no database. @throws Problem for refused values */
export function settleValues(values: EventValues, context: ValueContext): OwnColumns {
  return ownColumns(undefined, values, context)
}

/** `by` is the writer, if requests of several writers share the transaction. */
export interface AskedEvent {
  prepared: PreparedEvent
  context: Context
  by?: Writer | undefined
}

/** A new event as it will be saved. `categories` and `tags` are ids in ascending order. */
export type NewEvent = SettledEvent & {
  before?: undefined
  values: EventRow
  categories: readonly number[]
  tags: readonly number[]
}

/**
 * New events as they will be saved, with linked records and terms created. Of two that want one slug and may
 * not share it (rule 17.3), the second gets another.
 * @throws Problem rest_invalid_param for a venue or organizer that does not exist or is in the trash
 */
export async function settleNew(tx: Tx, asked: readonly AskedEvent[]): Promise<NewEvent[]> {
  const settled = asked.map(({ prepared: { values, columns }, context }) => {
    return columns ?? settleValues(values, context)
  })
  const named = asked.map(({ prepared, context: { caller } }, at) => {
    const { status = '', title: name = '' } = settled[at] ?? {}
    return { caller, status, name, sent: prepared.values.slug }
  })
  const linked: Awaited<ReturnType<typeof settleLinked>>[] = []
  for (const { prepared, context } of asked) linked.push(await settleLinked(tx, prepared, context))
  const [ids, terms, slugs] = await Promise.all([
    nextRecordIds(tx, 'event', asked.length),
    settleTermsOf(tx, asked),
    settleNewSlugs(tx, 'events', named),
    refuseUnlinkable(
      tx,
      asked.map(({ prepared }) => prepared),
    ),
  ])
  const events: NewEvent[] = []
  for (const [at, { prepared, context, by }] of asked.entries()) {
    const { categories, tags } = terms[at] ?? { categories: [], tags: [] }
    const { links: { venues = [], organizers = [] } = {}, made = NONE } = linked[at] ?? {}
    const id = ids[at] ?? 0
    const values = {
      ...UNSENT,
      ...(settled[at] ?? settleValues(prepared.values, context)),
      id,
      image: prepared.image === undefined ? null : await linkImage(tx, prepared.image, context),
      slug: slugs[at] ?? (await freeSlug(tx, 'events', String(id), id)),
      uid: prepared.uid ?? randomUUID(),
    }
    const links = { venues, organizers, terms: [...categories, ...tags] }
    events.push({ values, links, made, categories, tags, by })
  }
  return events
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

async function settleTermsOf(
  tx: Tx,
  asked: readonly AskedEvent[],
): Promise<Pick<NewEvent, 'categories' | 'tags'>[]> {
  const sent = asked.map(({ prepared: { values } }) => sentTerms(values))
  const numbers = new Set<number>()
  for (const { category = [], tag = [] } of sent)
    for (const entry of [...category, ...tag]) if (typeof entry === 'number') numbers.add(entry)
  const known = new Map((await findTermsByIds(tx, [...numbers])).map((term) => [term.id, term]))
  const settled = asked.map((): Record<'category' | 'tag', readonly number[]> => ({ category: [], tag: [] }))
  // Taxonomies in a fixed order, against deadlocks between writers.
  for (const taxonomy of TAXONOMIES)
    for (const [at, { context }] of asked.entries()) {
      const entries = sent[at]?.[taxonomy] ?? []
      const ids = await settleTerms(tx, context, taxonomy, entries, known)
      const own = settled[at]
      if (own) own[taxonomy] = ids.sort(byNumber)
    }
  return settled.map(({ category, tag }) => ({ categories: category, tags: tag }))
}

const byNumber = (a: number, b: number) => a - b
