import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { over } from '../../base/fields/limits.ts'
import { invalidParam, Problem } from '../../base/problems.ts'
import { TURN_MS } from '../../base/text/long-texts.ts'
import { formatUtc, utcToMs, wallNow } from '../../base/text/moments.ts'
import { HOUR_MS } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { AskedUpdate, WriteSteps } from '../../calendar/declare/operations.ts'
import { parseFields, type RawValues } from '../../calendar/declare/parse.ts'
import { parseCost } from '../../calendar/events/event-cost.ts'
import { findEvent, findEventLinks } from '../../calendar/events/event-store.ts'
import {
  listActsWithChanges,
  prepareRestore,
  type RecordHistory,
  readHistory,
} from '../../calendar/history/record-history.ts'
import { readColumns } from '../../calendar/history/record-states.ts'
import { mayRead, type Owned } from '../../calendar/people/caller.ts'
import { findVersion, isPossibleId, requireVersion } from '../../calendar/records/record-store.ts'
import { resources, type ServedResource, series } from '../../calendar/resources.ts'
import { findTermIdsOf } from '../../calendar/terms/term-store.ts'
import { attempt } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { findBulkChange, keepBulkChange, takeBulkChange } from './desk-rows.ts'
import { formerStatus } from './former-status.ts'
import { isMerged, isUsedInPublic } from './merge-records.ts'
import { nameOfRow, permittedRecord, statusOf } from './permitted-record.ts'
import { type NewDay, prepareLater } from './postpone.ts'
import { type LinkedDraft, preparePublication, publishesOthers } from './review/linked-drafts.ts'
import { reopenNames } from './review/proposal-store.ts'
import { eraseRecord } from './save-form.ts'

/** All actions except publish, draft, trash, restore and erase are for events only. */
export type BulkAction = { scope?: 'this' | 'all' } & (
  | { do: 'publish' | 'draft' | 'trash' | 'restore' }
  /** Deletes records in the trash for good, without undo. */
  | { do: 'erase' }
  /** Adds and removes links; with `replaces`, only the added ones remain. */
  | { do: 'link'; field: LinkField; add: readonly number[]; remove: readonly number[]; replaces?: boolean }
  /** The picture's id; 0 removes it. */
  | { do: 'picture'; image: number }
  /** An empty `cost` removes the price. */
  | { do: 'price'; cost: string }
  | { do: 'feature'; featured: boolean }
  /** Publishes at `date`, a local time of the site; public and private events stay so. */
  | { do: 'schedule'; date: string }
  | {
      do: 'announce'
      event_status: 'scheduled' | 'canceled' | 'postponed'
      reason: string
      /** For `postponed`: the day of each event's copy. */
      later?: NewDay
    }
  /** Moves local times: an event at eight stays at eight, even if the clocks change in between. */
  | { do: 'move'; days: number; hours: number }
)

export type LinkField = 'categories' | 'tags' | 'venue' | 'organizer'

/**
 * Returns the values to save, or undefined if there is nothing to do.
 * @param former the record's status before it was trashed
 * @throws Problem rest_invalid_param if the action does not apply to this record
 */
async function valuesOf(
  { db, site, now }: Context,
  kind: string,
  row: unknown,
  action: BulkAction,
  former: string | undefined,
): Promise<RawValues | undefined> {
  const status = statusOf(row)
  switch (action.do) {
    case 'publish':
    case 'draft': {
      const wanted = action.do === 'publish' ? 'publish' : 'draft'
      // A record leaves the trash only by `restore`.
      if (status === undefined || status === 'trash') throw invalidParam('status')
      // Without the present time as its date, an event scheduled for publication would stay so.
      if (wanted === 'publish' && status === 'future')
        return { status: wanted, date: wallNow(site.timezone, now) }
      return status === wanted ? undefined : { status: wanted }
    }
    case 'restore':
      return status === 'trash' ? { status: former } : undefined
    case 'trash':
      return status === 'trash' ? undefined : {}
    case 'erase':
      return {}
    default:
      if (kind !== 'event') throw invalidParam('do')
      if (status === 'trash') throw invalidParam('status')
      return eventValuesOf(db, row as EventRow, action)
  }
}

type EventAction = Exclude<BulkAction, { do: 'publish' | 'draft' | 'trash' | 'restore' | 'erase' }>

async function eventValuesOf(
  db: Context['db'],
  row: EventRow,
  action: EventAction,
): Promise<RawValues | undefined> {
  switch (action.do) {
    case 'move':
      return movedTimes(row, action)
    case 'announce': {
      const { event_status, reason } = action
      const isSame = row.event_status === event_status && row.event_status_reason === reason
      return isSame ? undefined : { event_status, event_status_reason: reason }
    }
    case 'picture':
      // The event's own alternative text described the former picture.
      return (row.image ?? 0) === action.image
        ? undefined
        : { image: action.image || '', image_alt: '', image_decorative: '0' }
    case 'price':
      return row.cost === JSON.stringify(parseCost(action.cost)) ? undefined : { cost: action.cost }
    case 'feature':
      return (row.featured === 1) === action.featured ? undefined : { featured: action.featured ? '1' : '0' }
    case 'schedule': {
      const isOut = row.status === 'publish' || row.status === 'private'
      const isSame = row.status === 'future' && row.date === action.date
      return isOut || isSame ? undefined : { status: 'future', date: action.date }
    }
    default:
      return linkedValues(db, row, action)
  }
}

async function linkedValues(
  db: Context['db'],
  row: EventRow,
  { field, add, remove, replaces = false }: Extract<BulkAction, { do: 'link' }>,
): Promise<RawValues | undefined> {
  const had = await linkedTo(db, row, field)
  const has = [...new Set([...(replaces ? [] : had), ...add])].filter((one) => !remove.includes(one))
  if (has.length === had.length && has.every((one, at) => one === had[at])) return undefined
  return { [field]: has.length > 0 ? has : '' }
}

/** Returns the linked ids except those in the trash, which a save would refuse. */
async function linkedTo(db: Context['db'], row: EventRow, field: LinkField): Promise<readonly number[]> {
  if (field === 'categories' || field === 'tags') {
    const found = (await findTermIdsOf(db, [row.id])).get(row.id)
    return found?.[field === 'categories' ? 'category' : 'tag'] ?? []
  }
  const links = (await findEventLinks(db, [row])).get(row.id)
  const linked = links?.[field === 'venue' ? 'venues' : 'organizers'] ?? []
  return linked.flatMap(({ id, status }) => (status === 'trash' ? [] : [id]))
}

/** @throws Problem rest_invalid_param for moving an all-day event by hours */
function movedTimes(row: EventRow, { days, hours }: { days: number; hours: number }): RawValues | undefined {
  if (row.all_day === 1 && hours !== 0) throw invalidParam('hours')
  const by = (days * 24 + hours) * HOUR_MS
  const moved = (wall: string) => formatUtc(utcToMs(wall) + by)
  return by === 0 ? undefined : { start_date: moved(row.start_date), end_date: moved(row.end_date) }
}

// Bulk changes need the same rights as changes by REST. A refused record does not affect the others. If the
// process ends midway, records already changed stay changed.

export const MOST_AT_ONCE = 1000
const IN_A_PIECE = 50
const MOST_TRIES = 3

interface BulkRow {
  id: number
  /** Empty if the caller may not read the record. */
  title: string
  outcome: 'done' | 'unchanged' | 'refused'
  problem?: Problem
}

/** `undo` is the token for `undoMany`, or undefined if nothing can be undone. */
export interface BulkResult {
  rows: BulkRow[]
  undo: string | undefined
}

interface PreparedRow {
  id: number
  title: string
  write: (tx: Tx) => Promise<'done' | 'unchanged'>
}

/**
 * A changed record and its version before, or `WAS_NOT` if it was created. `along`: published or created with
 * another record. `only`: the undo restores just these fields.
 */
type VersionBefore = readonly [
  path: string,
  id: number,
  version: number,
  along?: boolean,
  only?: readonly string[],
]

const WAS_NOT = -1

/** Returns `beside`, which creates the copy in the event's transaction; one undo reverts both events. */
export function postponing(context: Context, id: number, later: NewDay) {
  const token = randomUUID()
  const done = { undo: '' }
  const beside = async (tx: Tx, version: number) => {
    const row = await findEvent(tx, id)
    const made = row && (await (await prepareLater({ ...context, db: tx }, row, later))(tx))
    done.undo = made === undefined ? '' : token
    if (made === undefined) return
    const records: VersionBefore[] = [
      ['events', id, version, false, ['event_status', 'event_status_reason']],
      ['events', made, WAS_NOT, true],
    ]
    const undo = { token, user: context.caller.id, done_utc: formatUtc(context.now) }
    await keepBulkChange(tx, { ...undo, records: JSON.stringify(records) })
  }
  return { beside, done }
}

/**
 * Changes up to a thousand records. Of a series, only the chosen dates change unless the action has another
 * `scope`.
 * @throws Problem rest_invalid_param for more than a thousand ids
 */
export async function changeMany(
  context: Context,
  served: ServedResource,
  ids: readonly number[],
  action: BulkAction,
): Promise<BulkResult> {
  const asked = [...new Set(ids)]
  if (asked.length > MOST_AT_ONCE) throw invalidParam('ids', over('entries', MOST_AT_ONCE))
  const before: VersionBefore[] = []
  const token = randomUUID()
  const row = { token, user: context.caller.id, done_utc: formatUtc(context.now) }
  const chosen = new Map<number, number>()
  const prepare = (id: number) =>
    titled(context, served, id, () => prepareRow(context, served, id, action, before, chosen))
  const keep = async (tx: Tx, had: number) => {
    const records = JSON.stringify(before)
    if (before.length > had) await keepBulkChange(tx, { ...row, records })
  }
  const rows = await inPieces(context, asked, prepare, keep, before)
  return { rows, undo: before.length > 0 ? token : undefined }
}

/** Changes `IN_A_PIECE` records per transaction; one that others change is tried `MOST_TRIES` times. */
async function inPieces(
  context: Context,
  ids: readonly number[],
  prepare: (id: number) => Promise<PreparedRow | BulkRow>,
  keep: (tx: Tx, had: number) => Promise<void>,
  before: VersionBefore[],
): Promise<BulkRow[]> {
  const rows = new Map<number, BulkRow>()
  let left = [...ids]
  for (let tries = 1; left.length > 0 && tries <= MOST_TRIES; tries += 1) {
    for (let at = 0; at < left.length; at += IN_A_PIECE) {
      const had = before.length
      const piece = await preparePiece(left.slice(at, at + IN_A_PIECE), prepare)
      const written = await context.write(async (tx) => {
        // Entries of an earlier attempt at the transaction are removed.
        before.length = had
        const done = await writePiece(tx, piece)
        await keep(tx, had)
        return done
      })
      for (const one of written) rows.set(one.id, one)
    }
    left = left.filter((id) => isOvertaken(rows.get(id)))
  }
  return ids.flatMap((id) => rows.get(id) ?? [])
}

const isOvertaken = (row: BulkRow | undefined) =>
  row?.problem?.code === 'rest_precondition_failed' || row?.problem?.code === 'series-was-changed'

async function preparePiece(
  ids: readonly number[],
  prepare: (id: number) => Promise<PreparedRow | BulkRow>,
): Promise<(PreparedRow | BulkRow)[]> {
  const piece: (PreparedRow | BulkRow)[] = []
  for (const id of ids) {
    piece.push(await prepare(id))
    await nextTurn()
  }
  return piece
}

async function writePiece(tx: Tx, piece: readonly (PreparedRow | BulkRow)[]): Promise<BulkRow[]> {
  const rows: BulkRow[] = []
  let since = performance.now()
  for (const one of piece) {
    if ('outcome' in one) {
      rows.push(one)
      continue
    }
    const { id, title } = one
    try {
      rows.push({ id, title, outcome: await attempt(tx, () => one.write(tx)) })
    } catch (error) {
      rows.push(refusedRow(one, error))
    }
    if (performance.now() - since < TURN_MS) continue
    await nextTurn()
    since = performance.now()
  }
  return rows
}

/** @throws `error`, unless it is a Problem */
function refusedRow({ id, title }: Pick<BulkRow, 'id' | 'title'>, error: unknown): BulkRow {
  if (!(error instanceof Problem)) throw error
  return { id, title, outcome: 'refused', problem: error }
}

/** Turns a refusal into a row, which has a title only if the caller may read the record. */
async function titled(
  context: Context,
  { resource, operations }: ServedResource,
  id: number,
  prepare: () => Promise<PreparedRow>,
): Promise<PreparedRow | BulkRow> {
  try {
    return await prepare()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const row = isPossibleId(id) ? await operations.locate(context, { id }) : undefined
    const isRead = row !== undefined && (statusOf(row) === undefined || mayRead(context.caller, row as Owned))
    return refusedRow({ id, title: isRead ? nameOfRow(resource.name, row) : '' }, error)
  }
}

async function prepareRow(
  context: Context,
  served: ServedResource,
  id: number,
  action: BulkAction,
  before: VersionBefore[],
  chosen: Map<number, number>,
): Promise<PreparedRow> {
  const { resource, operations } = served
  const { versioned } = operations
  if (!versioned) throw new Problem('rest_forbidden')
  const isRemoval = action.do === 'trash' || action.do === 'erase'
  // The version is read first, so that it is never newer than the values on which the change is based.
  const { sequence } = await findVersion(context.db, versioned.kind, id)
  const row = await permittedRecord(context, operations, id, isRemoval ? 'remove' : 'update')
  const title = nameOfRow(resource.name, row)
  if (action.do === 'erase') {
    const erase = async (tx: Tx) => {
      await eraseRecord(tx, served, id, context)
      return 'done' as const
    }
    return { id, title, write: erase }
  }
  const unchanged: PreparedRow = { id, title, write: async () => 'unchanged' }
  const scope = scopeOf(id, row, action, chosen)
  if (scope === 'with others') return unchanged
  const wasStatus =
    action.do === 'restore' ? ((await formerStatus(context.db, versioned.kind, id)) ?? 'draft') : undefined
  const values = await valuesOf(context, resource.name, row, action, wasStatus)
  const make =
    action.do === 'announce' && action.later && (await prepareLater(context, row as EventRow, action.later))
  if (!values && !make) return unchanged
  const columns =
    values && publishesOthers(context, served, row, values)
      ? (await readColumns(context.db, 'event', [id])).get(id)
      : undefined
  const publication =
    columns && values && (await preparePublication(context, row as EventRow, columns, values))
  const along = await Promise.all((publication?.records ?? []).map((one) => draftBefore(context, one)))
  const sent = { ...values, ...scope, ...publication?.values }
  const write = values && (await prepareWrite(context, served, row, sent, action.do === 'trash'))
  return {
    id,
    title,
    write: async (tx) => {
      await requireVersion(tx, versioned.kind, id, [{ id, sequence }])
      await write?.(tx)
      await publication?.publish(tx)
      const { series: repeated }: { series?: unknown } = Object(row)
      // If all dates of a series were changed, the undo restores the series.
      if ('recurrence_scope' in scope && typeof repeated === 'number') await noteSeries(tx, repeated, before)
      else if (isChanged(tx, versioned.kind, id)) before.push([resource.path, id, sequence])
      // Linked records follow the event: their undo can then tell whether another public event uses them.
      for (const [path, one, version, kind] of along)
        if (isChanged(tx, kind, one)) before.push([path, one, version, true])
      const made = make ? await make(tx) : undefined
      if (made !== undefined) before.push([resource.path, made, WAS_NOT, true])
      return values || made !== undefined ? 'done' : 'unchanged'
    },
  }
}

async function draftBefore({ db }: Context, { kind, id }: LinkedDraft) {
  return [`${kind}s`, id, (await findVersion(db, kind, id)).sequence, kind] as const
}

/** True if the transaction has changed the record; otherwise it needs no undo. */
function isChanged({ recording }: Tx, kind: string, id: number): boolean {
  return Object.keys(recording.changes.get(`${kind} ${id}`)?.former ?? {}).length > 0
}

async function noteSeries(tx: Tx, id: number, before: VersionBefore[]): Promise<void> {
  if (!isChanged(tx, 'series', id)) return
  before.push([series.resource.path, id, (await findVersion(tx, 'series', id)).sequence])
}

/**
 * Returns the scope of a save. If the action is for a whole series, only its first chosen date is saved; the
 * other dates get `'with others'`.
 * @param chosen the first chosen date of each series
 */
function scopeOf(
  id: number,
  row: unknown,
  { scope }: BulkAction,
  chosen: Map<number, number>,
): RawValues | 'with others' {
  const { series: repeated }: { series?: unknown } = Object(row)
  if (typeof repeated !== 'number' || scope === undefined || scope === 'this') return {}
  const first = chosen.get(repeated) ?? id
  chosen.set(repeated, first)
  return first === id ? { recurrence_scope: scope } : 'with others'
}

async function prepareWrite(
  context: Context,
  { resource, operations }: ServedResource,
  row: unknown,
  raw: RawValues,
  isRemoval: boolean,
): Promise<(tx: Tx) => Promise<unknown>> {
  if (!isRemoval) {
    const values = await parseFields(resource.fields, raw, context, { extent: 'partial', mayAsk: true })
    return prepared(context, operations.update, { row, values })
  }
  // Removing a term, which has no trash, could not be undone.
  if (statusOf(row) === undefined) throw new Problem('rest_forbidden')
  if (!operations.removeWith) return prepared(context, operations.remove, row)
  const values = await parseFields(resource.removal ?? {}, raw, context)
  return prepared(context, operations.removeWith, { row, values } satisfies AskedUpdate<unknown>)
}

async function prepared<Asked>(context: Context, steps: WriteSteps<Asked>, asked: Asked) {
  const ready = await steps.prepare(context, asked)
  return (tx: Tx) => steps.write(tx, ready, context)
}

/**
 * Undoes a bulk change: each record gets its former values back, except for fields changed since. Venues and
 * organizers published with an event stay public if another public event uses them. Returns undefined if the
 * token is unknown, used or another user's.
 */
export async function undoMany(context: Context, token: string): Promise<BulkRow[] | undefined> {
  const found = await findBulkChange(context.db, token)
  if (found?.user !== context.caller.id) return undefined
  const before: VersionBefore[] = JSON.parse(found.records)
  const byId = new Map(before.map((one) => [one[1], one]))
  const prepare = (id: number) => prepareUndo(context, byId.get(id))
  const rows = await inPieces(context, [...byId.keys()], prepare, async () => undefined, [])
  // The token is deleted last, so that an interrupted undo can be repeated.
  await context.write((tx) => takeBulkChange(tx, token))
  return rows.filter(({ id, problem }) => problem || byId.get(id)?.[3] !== true)
}

async function prepareUndo(
  context: Context,
  before: VersionBefore | undefined,
): Promise<PreparedRow | BulkRow> {
  const [path, id, version, along = false, of] = before ?? ['', 0, 0]
  const served = [...resources, series].find(({ resource }) => resource.path === path)
  if (!served) throw new Error(`there are no ${path} to be put back`)
  return titled(context, served, id, () => prepareBack(context, served, { id, version, along, of }))
}

interface Back {
  id: number
  version: number
  along: boolean
  of: readonly string[] | undefined
}

async function prepareBack(
  context: Context,
  served: ServedResource,
  { id, version, along, of }: Back,
): Promise<PreparedRow> {
  const { resource, operations } = served
  const { versioned } = operations
  const row = await permittedRecord(context, operations, id, 'update')
  const kind = resource.name as RecordHistory['kind']
  const history = versioned && (await readHistory(context.db, kind, versioned.kind, id))
  if (!history) throw new Problem('rest_version_not_found')
  if (version === WAS_NOT) return prepareRemoval(context, served, row, history)
  const changed = await changedOnlyThen(context, history, version)
  const only = of ? changed.filter((member) => of.includes(member)) : changed
  const restore = await prepareRestore(context, served, history, row, { version, only })
  return {
    id,
    title: nameOfRow(kind, row),
    write: async (tx) => {
      if (restore.members.length === 0) return 'unchanged'
      if (along && isMerged(kind) && (await isUsedInPublic(tx, kind, id))) return 'unchanged'
      await requireVersion(tx, versioned.kind, id, [{ id, sequence: history.version }])
      if (kind === 'event' && restore.members.includes('status')) await reopenNames(tx, id)
      await operations.update.write(tx, restore.prepared, restore.context)
      return 'done'
    },
  }
}

async function prepareRemoval(
  context: Context,
  served: ServedResource,
  row: unknown,
  { id, acts, version }: RecordHistory,
): Promise<PreparedRow> {
  if (acts.length > 0) throw new Problem('rest_precondition_failed')
  const remove = await prepareWrite(context, served, row, {}, true)
  return {
    id,
    title: nameOfRow(served.resource.name, row),
    write: async (tx) => {
      await requireVersion(tx, 'event', id, [{ id, sequence: version }])
      await remove(tx)
      return 'done'
    },
  }
}

/**
 * Returns the fields that the first change after `version` changed and no later one did.
 * @throws Problem rest_version_not_found
 */
async function changedOnlyThen({ db }: Context, history: RecordHistory, version: number): Promise<string[]> {
  const since = history.acts.findIndex(({ sequence }) => sequence <= version)
  const told = await listActsWithChanges(db, history, 0, since === -1 ? history.acts.length : since)
  const [first, ...later] = told.toReversed()
  if (!first) return []
  const again = new Set(later.flatMap(({ changes }) => changes.map(({ member }) => member)))
  return first.changes.map(({ member }) => member).filter((member) => !again.has(member))
}
