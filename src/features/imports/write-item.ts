import { NEVER } from '../../base/fields/kinds.ts'
import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields, parseNew } from '../../calendar/declare/parse.ts'
import { event } from '../../calendar/events/event.ts'
import { type AskedEvent, prepareReferred, settleValues } from '../../calendar/events/event-rules.ts'
import { prepareNew as prepareNewEvent } from '../../calendar/events/events.ts'
import type { RecordState } from '../../calendar/history/record-states.ts'
import { isImageReference, lackOfImage } from '../../calendar/images/images.ts'
import { isUnpublished } from '../../calendar/records/record-store.ts'
import { servedNamed } from '../../calendar/resources.ts'
import { prepareSeriesChange } from '../../calendar/series/series-operations.ts'
import { findSeries, keepSeriesUid } from '../../calendar/series/series-store.ts'
import { TermExists } from '../../calendar/terms/term-rules.ts'
import { findTermsByName } from '../../calendar/terms/term-store.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { bringPictures } from './bring-pictures.ts'
import type { ImportRun } from './import-run.ts'
import { linkNames as eventLinks, LINKED, laterTimes } from './shown-records.ts'
import {
  type ItemKind,
  type ItemLinks,
  isToBeSeen,
  itemKey,
  numberIn,
  type SourceItem,
  standsAlone,
} from './source-item.ts'

// Prepares, writes and trashes single items.

/** An item ready to be written: fetching and everything else that waits is done. */
export interface PreparedItem {
  item: SourceItem
  /** The record to change; undefined to make one. */
  record: number | undefined
  /** A new event, which is written together with others; undefined for any other write. */
  event: AskedEvent | undefined
  /** For any other write: the values that the operations of the resource have prepared. */
  prepared: unknown
  /**
   * The fields of the source that are written. The others could not be written, and are tried again in the
   * next run.
   */
  fields: ReadonlySet<string>
  /** Whether there is something to write. */
  isChanged: boolean
  /** The addresses from which the pictures of its texts were fetched. */
  pictures: readonly string[]
  /** The context in which its image was fetched. */
  context: Context
}

/** The kind of the records that each link leads to. */
const LINK_KINDS: Readonly<Record<keyof ItemLinks, ItemKind>> = { ...LINKED, parent: 'category' }
const linkNames = ['parent', ...eventLinks] as const

/** Yields every identity that an item refers to, with its kind. */
export function* referencesOf({ links }: SourceItem): Generator<{ kind: ItemKind; identity: string }> {
  for (const name of linkNames)
    for (const identity of links[name] ?? []) yield { kind: LINK_KINDS[name], identity }
}

/** Returns the ids of the records that a link of an item names; unknown records are left out. */
function linkedIds(run: ImportRun, name: keyof ItemLinks, identities: readonly string[]): number[] {
  return identities.flatMap((identity) => run.links.get(itemKey(LINK_KINDS[name], identity)) ?? [])
}

/** Reports the records that an item names by their numbers and that are not here. */
function noteUnknown(
  run: ImportRun,
  { at, name }: SourceItem,
  kind: ItemKind,
  identities: readonly string[],
): void {
  for (const identity of identities) {
    const number = run.links.has(itemKey(kind, identity)) ? undefined : numberIn(identity)
    if (number === undefined) continue
    run.remark({
      kind: 'note',
      at,
      text: `${name}: There is no ${kind} with the id ${number}, so it is in without it.`,
    })
  }
}

interface AskedWrite {
  item: SourceItem
  /** The record to change; undefined to make one. */
  record: number | undefined
  /** The fields to write; undefined for all of a new record. */
  wanted: ReadonlySet<string> | undefined
  /** Fields that the item no longer has, with the values that they are to get. */
  reset?: Readonly<Record<string, unknown>> | undefined
  /** The present values of the record. */
  state?: RecordState | undefined
}

/** Validates the fields of an item, and fetches its image and pictures. @throws Problem */
export async function prepareItem(
  run: ImportRun,
  { item, record, wanted, reset = {}, state = {} }: AskedWrite,
): Promise<PreparedItem> {
  // Images are fetched once in each request: a context of its own makes the item count as one.
  const context = { ...run.context }
  const isWanted = (name: string) => wanted === undefined || wanted.has(name)
  const raw: Record<string, unknown> = { ...item.values, ...reset }
  if (wanted) for (const name in raw) if (!wanted.has(name)) delete raw[name]
  const fields = new Set(Object.keys(raw))
  for (const name of linkNames) {
    const identities = item.links[name]
    if (identities === undefined || !isWanted(name)) continue
    const ids = linkedIds(run, name, identities)
    noteUnknown(run, item, LINK_KINDS[name], identities)
    if (ids.length === identities.length) fields.add(name)
    else if (record !== undefined) continue
    // Records that a dry run would make have no ids.
    raw[name] = name === 'parent' ? (ids[0] ?? 0) : ids.filter((id) => id > 0)
  }
  if (
    item.image !== undefined &&
    isWanted('image') &&
    (await canFetchImage(run, item, item.image, context))
  ) {
    raw.image = item.image
    fields.add('image')
  }
  if (item.kind === 'series' && 'recurrence' in raw)
    Object.assign(raw, await writableTimes(run, item, record, wanted))
  const pictures = item.pictures && (await bringPictures(run, item, raw, isWanted('pictures') ? state : {}))
  if (pictures) Object.assign(raw, pictures.texts)
  if (pictures?.isWhole && isWanted('pictures')) fields.add('pictures')
  const waits =
    run.options.review === true && waitsForReview(item, record === undefined ? undefined : state, raw)
  if (waits) raw.status = 'pending'
  const isChanged = record === undefined || Object.keys(raw).length > 0
  const brought = pictures?.brought ?? []
  const ready = {
    item,
    record,
    fields,
    isChanged,
    pictures: brought,
    context,
    event: undefined,
    prepared: undefined,
  }
  if (record !== undefined)
    return { ...ready, prepared: await prepareItemChange(context, item.kind, record, raw) }
  const isDated = item.unpublishedDate !== undefined && isUnpublished(String(raw.status))
  if (isDated) Object.assign(raw, { date: item.unpublishedDate, date_utc: NEVER })
  if (item.kind !== 'event') return { ...ready, prepared: await prepareNew(context, item.kind, raw) }
  return {
    ...ready,
    event: await prepareEvent(context, waits || isDated ? { ...item, ahead: undefined } : item, raw),
  }
}

/**
 * Tells whether an item has to wait where it would be published: a new item, and an item whose record is
 * still pending.
 */
function waitsForReview(
  { kind }: SourceItem,
  state: RecordState | undefined,
  raw: Readonly<Record<string, unknown>>,
) {
  if (!standsAlone(kind)) return false
  if (state) return state.status === 'pending' && isToBeSeen(raw.status)
  return raw.status === undefined || isToBeSeen(raw.status)
}

const { image, venue, organizer, categories, tags } = event.fields
/** The fields of an event that refer to something here. */
const referring = { image, venue, organizer, categories, tags }

/**
 * Prepares a new event. Its image has been fetched by now; its venues and organizers are looked up when it is
 * written.
 * @throws Problem
 */
async function prepareEvent(
  context: Context,
  { ahead, uid }: SourceItem,
  raw: Readonly<Record<string, unknown>>,
): Promise<AskedEvent> {
  if (ahead?.settled) {
    const values = parseNew(referring, raw, context)
    return { ...ahead.settled, event: { values, ...(await prepareReferred(values, context)) }, uid }
  }
  const values = parseNew(event.fields, raw, context)
  return { ...settleValues(values, context), event: await prepareNewEvent(context, values), uid }
}

/**
 * Returns the times and the rule of a series in place of those of the source that cannot be written; else
 * empty.
 */
async function writableTimes(
  run: ImportRun,
  item: SourceItem,
  record: number | undefined,
  wanted: ReadonlySet<string> | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const { db, now } = run.context
  const series = record === undefined || wanted?.has('start_date') ? undefined : await findSeries(db, record)
  return laterTimes(item.values, series, now)
}

/**
 * Prepares a new record from fields as the interface takes them. A series is made with its first event.
 * @throws Problem
 */
async function prepareNew(
  context: Context,
  kind: ItemKind,
  raw: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { resource, operations } = servedNamed(kind === 'series' ? 'event' : kind)
  const values = await parseFields(resource.fields, raw, context, { extent: 'whole', mayAsk: true })
  return operations.create.prepare(context, values)
}

/** Prepares a change of a record. @throws Problem */
export async function prepareItemChange(
  context: Context,
  kind: ItemKind,
  record: number,
  raw: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (kind === 'series') return prepareSeriesChange(context, record, raw)
  const { resource, operations } = servedNamed(kind)
  const values = await parseFields(resource.fields, raw, context, { extent: 'partial', mayAsk: true })
  const row = await operations.locate(context, { id: record })
  if (row === undefined) throw new Problem('rest_post_invalid_id')
  return operations.update.prepare(context, { row, values })
}

/**
 * Tells whether the image of an item is available. Fetches the image, which the write of the item then
 * reuses.
 */
async function canFetchImage(
  run: ImportRun,
  { at }: SourceItem,
  image: string,
  context: Context,
): Promise<boolean> {
  if (image === '') return true
  if (run.options.dryRun) return false
  if (await isImageReference(image, context)) return true
  const lack = await lackOfImage(image, context)
  run.remark({ kind: 'note', at, text: `Its image could not be fetched, since ${lack}: ${image}` })
  return false
}

/**
 * Writes a prepared item other than a new event; returns the id of its record, and whether the record is new.
 * @throws Problem
 */
export async function writeItem(
  run: ImportRun,
  tx: Tx,
  { item, record, prepared }: PreparedItem,
): Promise<{ id: number; isNew: boolean }> {
  if (record !== undefined) {
    await servedNamed(item.kind).operations.update.write(tx, prepared, run.context)
    return { id: record, isNew: false }
  }
  const child = await findChild(tx, item)
  if (child !== undefined) return { id: child, isNew: false }
  const { create } = servedNamed(item.kind === 'series' ? 'event' : item.kind).operations
  try {
    const made = await create.write(tx, prepared, run.context)
    const id = item.kind === 'series' ? (made.series ?? 0) : made.id
    if (item.uid !== undefined && item.kind === 'series') await keepSeriesUid(tx, id, item.uid)
    // The write may have found a record of the same name and taken it.
    const recorded = tx.recording.changes.get(
      `${item.kind === 'category' || item.kind === 'tag' ? 'term' : item.kind} ${id}`,
    )
    return { id, isNew: recorded?.act?.action === 'create' }
  } catch (error) {
    if (error instanceof TermExists) return { id: error.term, isNew: false }
    throw error
  }
}

/**
 * Finds a category of the same name below another one, for an item without a place in the tree; undefined if
 * one of the name stands at the top.
 */
async function findChild(tx: Tx, { kind, name, values, links }: SourceItem): Promise<number | undefined> {
  if (kind !== 'category' || links.parent !== undefined || values.slug !== undefined) return undefined
  const namesakes = await findTermsByName(tx, 'category', name)
  return namesakes.some(({ parent }) => parent === 0) ? undefined : namesakes[0]?.id
}

/** Moves a record to the trash, or removes a term. @throws Problem */
export async function trashRecord(tx: Tx, context: Context, kind: ItemKind, record: number): Promise<void> {
  const { locate, remove } = servedNamed(kind).operations
  const here = { ...context, db: tx }
  const row = await locate(here, { id: record })
  if (row === undefined) throw new Problem('rest_post_invalid_id')
  await remove.write(tx, await remove.prepare(here, row), here)
}
