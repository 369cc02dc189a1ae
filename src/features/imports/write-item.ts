import { NEVER } from '../../base/fields/kinds.ts'
import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields, parseNew } from '../../calendar/declare/parse.ts'
import { event } from '../../calendar/events/event.ts'
import {
  type AskedEvent,
  type NewEvent,
  type PreparedEvent,
  prepareReferred,
  settleNew,
} from '../../calendar/events/event-rules.ts'
import { saveEvents } from '../../calendar/events/event-store.ts'
import { prepareNew as prepareNewEvent } from '../../calendar/events/events.ts'
import { eventState, type RecordState, seriesState } from '../../calendar/history/record-states.ts'
import { isImageReference, lackOfImage } from '../../calendar/images/images.ts'
import { isUnpublished } from '../../calendar/records/record-store.ts'
import { resourceNamed } from '../../calendar/resources.ts'
import { prepareSeriesChange } from '../../calendar/series/series-operations.ts'
import { findSeries, readShared, updateOne } from '../../calendar/series/series-store.ts'
import { TermExists } from '../../calendar/terms/term-rules.ts'
import { findTermsByIds, findTermsByName } from '../../calendar/terms/term-store.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { SeriesRow } from '../../store/storage/schema.ts'
import { indexWritten } from '../../store/storage/search/search-index.ts'
import { copyPictures } from './fetch-pictures.ts'
import { message } from './import-messages.ts'
import type { ImportRun } from './import-run.ts'
import { linkNames as eventLinks, LINKED, laterTimes } from './shown-records.ts'
import {
  type ItemKind,
  type ItemLinks,
  isToBeSeen,
  itemKey,
  KIND_NAMES,
  numberIn,
  type SourceItem,
  standsAlone,
} from './source-item.ts'

export interface PreparedItem {
  item: SourceItem
  record: number | undefined
  /** A new event, written together with others. */
  event: PreparedEvent | undefined
  /** For other writes: what the operations of the resource have prepared. */
  prepared: unknown
  /** Fields to write; others are tried again in the next run. */
  fields: ReadonlySet<string>
  isChanged: boolean
  pictures: readonly string[]
  context: Context
}

const LINK_KINDS: Readonly<Record<keyof ItemLinks, ItemKind>> = { ...LINKED, parent: 'category' }
const linkNames = ['parent', ...eventLinks] as const

export function* referencesOf({ links }: SourceItem): Generator<{ kind: ItemKind; identity: string }> {
  for (const name of linkNames)
    for (const identity of links[name] ?? []) yield { kind: LINK_KINDS[name], identity }
}

function linkedIds(run: ImportRun, name: keyof ItemLinks, identities: readonly string[]): number[] {
  return identities.flatMap((identity) => run.links.get(itemKey(LINK_KINDS[name], identity)) ?? [])
}

function noteUnknown(
  run: ImportRun,
  { at, name }: SourceItem,
  kind: ItemKind,
  identities: readonly string[],
): void {
  for (const identity of identities) {
    const number = run.links.has(itemKey(kind, identity)) ? undefined : numberIn(identity)
    if (number === undefined) continue
    const text = message('{name}: There is no {kind} with the id {number}, so it is in without it.', {
      name,
      kind: message(KIND_NAMES[kind]),
      number,
    })
    run.remark({ kind: 'note', at, text })
  }
}

interface AskedWrite {
  item: SourceItem
  record: number | undefined
  wanted: ReadonlySet<string> | undefined
  /** New values of fields that the item no longer has. */
  reset?: Readonly<Record<string, unknown>> | undefined
  state?: RecordState | undefined
}

/** Prepares a write; fetches the image and pictures. @throws Problem for a refused value */
export async function prepareItem(
  run: ImportRun,
  { item, record, wanted, reset = {}, state = {} }: AskedWrite,
): Promise<PreparedItem> {
  // The copied context makes the item one request, in which an image is fetched once.
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
    // Linked records that a dry run would create have the id 0.
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
  const pictures = item.pictures && (await copyPictures(run, item, raw, isWanted('pictures') ? state : {}))
  if (pictures) Object.assign(raw, pictures.texts)
  if (pictures?.isWhole && isWanted('pictures')) fields.add('pictures')
  const waits =
    run.options.review === true && waitsForReview(item, record === undefined ? undefined : state, raw)
  if (waits) raw.status = 'pending'
  const isChanged = record === undefined || Object.keys(raw).length > 0
  const fetched = pictures?.fetched ?? []
  const ready = {
    item,
    record,
    fields,
    isChanged,
    pictures: fetched,
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

/** True if the event is to be reviewed: a new one to be published, or one still pending. */
function waitsForReview(
  { kind }: SourceItem,
  state: RecordState | undefined,
  raw: Readonly<Record<string, unknown>>,
) {
  if (!standsAlone(kind)) return false
  if (state) return state.status === 'pending' && isToBeSeen(raw.status)
  return raw.status === undefined || isToBeSeen(raw.status)
}

const { image, venue, organizer, categories, tags, slug } = event.fields
const referring = { image, venue, organizer, categories, tags, slug }

/** Prepares a new event; the write looks up its venues and organizers. */
async function prepareEvent(
  context: Context,
  { ahead, uid }: SourceItem,
  raw: Readonly<Record<string, unknown>>,
): Promise<PreparedEvent> {
  if (!ahead?.settled)
    return { ...(await prepareNewEvent(context, parseNew(event.fields, raw, context))), uid }
  const values = parseNew(referring, raw, context)
  return { values, ...(await prepareReferred(values, context)), columns: ahead.settled, uid }
}

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

/** A series is created by its first event. */
async function prepareNew(
  context: Context,
  kind: ItemKind,
  raw: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { resource, operations } = resourceNamed(kind === 'series' ? 'event' : kind)
  const values = await parseFields(resource.fields, raw, context, { extent: 'whole', mayAsk: true })
  return operations.create.prepare(context, values)
}

/** Prepares a change. @throws Problem for a refused value; rest_post_invalid_id if the record is gone */
export async function prepareItemChange(
  context: Context,
  kind: ItemKind,
  record: number,
  raw: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (kind === 'series') return prepareSeriesChange(context, record, raw)
  const { resource, operations } = resourceNamed(kind)
  const values = await parseFields(resource.fields, raw, context, { extent: 'partial', mayAsk: true })
  const row = await operations.locate(context, { id: record })
  if (row === undefined) throw new Problem('rest_post_invalid_id')
  return operations.update.prepare(context, { row, values })
}

/** True if no image is wanted, or if a real run has got it: the context keeps it for the write. */
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
  run.remark({
    kind: 'note',
    at,
    text: message('Its image could not be fetched: {image}', { image }),
    operator: `Its image could not be fetched, since ${lack}: ${image}`,
  })
  return false
}

/** Writes an item other than a new event. */
export async function writeItem(
  run: ImportRun,
  tx: Tx,
  { item, record, prepared }: PreparedItem,
): Promise<{ id: number; isNew: boolean }> {
  if (record !== undefined) {
    await resourceNamed(item.kind).operations.update.write(tx, prepared, run.context)
    return { id: record, isNew: false }
  }
  const child = await findChild(tx, item)
  if (child !== undefined) return { id: child, isNew: false }
  const { create } = resourceNamed(item.kind === 'series' ? 'event' : item.kind).operations
  try {
    const made = await create.write(tx, prepared, run.context)
    const id = item.kind === 'series' ? (made.series ?? 0) : made.id
    if (item.uid !== undefined && item.kind === 'series') await keepSeriesUid(tx, id, item.uid)
    // The write may have returned an existing record of that name.
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
 * The child category of that name, for a category whose parent the source does not tell.
 * @returns undefined if there is none, or a top-level category has the name
 */
async function findChild(tx: Tx, { kind, name, values, links }: SourceItem): Promise<number | undefined> {
  if (kind !== 'category' || links.parent !== undefined || values.slug !== undefined) return undefined
  const namesakes = await findTermsByName(tx, 'category', name)
  return namesakes.some(({ parent }) => parent === 0) ? undefined : namesakes[0]?.id
}

/** Moves a record to the trash; deletes a term. @throws Problem rest_post_invalid_id if the record is gone */
export async function trashRecord(tx: Tx, context: Context, kind: ItemKind, record: number): Promise<void> {
  const { locate, remove } = resourceNamed(kind).operations
  const here = { ...context, db: tx }
  const row = await locate(here, { id: record })
  if (row === undefined) throw new Problem('rest_post_invalid_id')
  await remove.write(tx, await remove.prepare(here, row), here)
}

/** Stores the UID that the series had in calendars before the import. */
export async function keepSeriesUid(tx: Tx, id: number, uid: string): Promise<void> {
  await updateOne(tx, { id, columns: { uid } })
}

/** Writes many events in few statements, and indexes their words. */
export async function createEvents(tx: Tx, asked: readonly AskedEvent[]): Promise<NewEvent[]> {
  const events = await settleNew(tx, asked)
  await saveEvents(tx, events)
  await indexWritten(tx, events.length)
  return events
}

export function stateOfMade({ values, links, categories, tags }: NewEvent): RecordState {
  return eventState(values, {
    venue: links.venues ?? [],
    organizer: links.organizers ?? [],
    categories,
    tags,
  })
}

export async function likeOthers(db: Db, row: SeriesRow, start: string): Promise<RecordState> {
  const terms = await findTermsByIds(db, readShared(row).terms)
  const { recurrence: _recurrence, ...state } = seriesState(
    row,
    readShared(row),
    start,
    new Map(terms.map(({ id, taxonomy }) => [id, taxonomy])),
  )
  return state
}
