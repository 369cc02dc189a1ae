import { createEvents } from '../events/create-events.ts'
import { withImages } from '../images/images.ts'
import { attempt } from '../storage/attempt.ts'
import { isConflict } from '../storage/conflict.ts'
import { holdName } from '../storage/locks.ts'
import type { Tx } from '../storage/recording.ts'
import type { ImportActColumns, ImportItemColumns } from '../storage/schema.ts'
import { beginSeries } from './begin-series.ts'
import { newImageRows } from './bring-pictures.ts'
import { type Fingerprints, fingerprintsOf, readFingerprints } from './fingerprints.ts'
import { foresee } from './foreseen-events.ts'
import { type Counts, describeItem, type ImportRun, StalePlan } from './import-run.ts'
import { findItems, saveItems } from './import-store.ts'
import { recordPage } from './item-pages.ts'
import { findUidHolders, type UidHolder } from './known-uids.ts'
import { comparedOf } from './look-ahead.ts'
import { lookUpLinks } from './look-up-links.ts'
import {
  noteFailed,
  noteHeld,
  noteKept,
  noteLater,
  noteLeft,
  noteOlder,
  noteRecord,
  refuseOutage,
} from './note-item.ts'
import { findOwn } from './own-events.ts'
import { findPlaces, ownPart, type Place } from './place-occurrences.ts'
import { isOlder, type KnownItem, keptAfter, knownItem, type Plan, planItem } from './plan-item.ts'
import { likeOthers, type RecordState, readStates, stateOfMade } from './record-states.ts'
import { findSame, isAsTold, isLater, pageOf } from './same-items.ts'
import { isSeen } from './seen-records.ts'
import { fieldsOf, type ItemKind, keyOf, type SourceItem, standsAlone } from './source-item.ts'
import { type PreparedItem, prepareItem, writeItem } from './write-item.ts'

/** An item with its stored state and its plan. */
interface Planned {
  item: SourceItem
  prints: Fingerprints
  digest: string
  known: ImportItemColumns | undefined
  /** The occurrence of a series that it describes. */
  place: Place | undefined
  /** Fields that the occurrence shares with its series again. */
  reset: RecordState
  state: RecordState | undefined
  /** A twin has the same identity as an event before it. An older item is an earlier revision than the stored one. Private events that are new are
   * left out where that is asked for, and those that are here already from another source. */
  plan: Plan | { act: 'twin' } | { act: 'older' } | { act: 'leave out' } | { act: 'pass over'; holder: UidHolder }
  /** Another record, in the trash, has its UID. */
  isUidTaken?: boolean
}

const OWN = new Error('It is an event of this calendar itself.')
const TWIN = new Error('Another event with the same id or UID stands before it in the source, and was taken.')

/** How often a batch is planned again after losing a race. */
const MOST_ATTEMPTS = 5

/** Items prepared at the same time; fetching images is the slow part. */
const PREPARED_AT_ONCE = 4

/** Writes items of one kind with one transaction: all except those that cannot be written. */
export async function importBatch(run: ImportRun, kind: ItemKind, items: readonly SourceItem[]): Promise<void> {
  const own = await findOwn(run, items)
  for (const item of own) noteFailed(run, item, OWN)
  const foreign = own.size === 0 ? items : items.filter((item) => !own.has(item))
  const singles = withoutTwins(run, foreign)
  for (let attempts = 1; ; attempts++) {
    try {
      return await tryBatch(run, kind, singles)
    } catch (error) {
      if (!(error instanceof StalePlan || isConflict(error)) || attempts === MOST_ATTEMPTS) throw error
    }
  }
}

/** Of items with the same identity, only the one of the latest revision, or else the first. */
function withoutTwins(run: ImportRun, items: readonly SourceItem[]): SourceItem[] {
  const first = new Map<string, SourceItem>()
  for (const item of items) {
    const key = keyOf(item.kind, item.identity, item.occurrence)
    const before = first.get(key)
    if (!before || isLater(item, before)) first.set(key, item)
    else if (isLater(before, item)) continue
    else if (standsAlone(item.kind) && !isAlike(before, item)) noteFailed(run, item, TWIN)
  }
  return [...first.values()]
}

const isAlike = (a: SourceItem, b: SourceItem) => JSON.stringify(fieldsOf(a)) === JSON.stringify(fieldsOf(b))

async function tryBatch(run: ImportRun, kind: ItemKind, items: readonly SourceItem[]): Promise<void> {
  const { items: others, notes } = kind === 'series' ? await beginSeries(run, items) : { items, notes: [] }
  const same = await findSame(run, kind, others)
  const planned = await planBatch(
    run,
    kind,
    others.filter((item) => !same.has(item)),
  )
  const settled = planned.filter(({ plan }) => plan.act === 'nothing')
  const wanted = planned.filter(({ plan }) => plan.act === 'create' || plan.act === 'update')
  const { prepared, failed } = await prepareBatch(run, wanted)
  const written = run.options.dryRun ? prepared.map(asIfWritten) : await writeBatch(run, kind, prepared, failed)
  for (const { item, known } of settled) if (known) noteRecord(run, item, known.record)
  for (const [item, record] of same) noteRecord(run, item, record)
  run.counts.unchanged += same.size + settled.length
  for (const { item, known, plan } of planned) {
    if (plan.act === 'leave') noteLeft(run, item, known, plan)
    if (plan.act === 'twin') noteFailed(run, item, TWIN)
    if (plan.act === 'older' && known) noteOlder(run, item, known.record)
    if (plan.act === 'pass over') noteHeld(run, item, plan.holder.name)
    if (plan.act === 'leave out') run.remark({ kind: 'private', at: item.at, text: describeItem(item) })
  }
  for (const [one, error] of failed) noteFailed(run, one.item, error)
  for (const one of written) noteWritten(run, one)
  const unchanged = settled.flatMap(({ item, known }) => (known ? [[item, known.record] as const] : []))
  const now = written.map(({ one, record }) => [one.item, record] as const)
  if (kind === 'series') await noteLater(run, [...same, ...unchanged, ...now])
  const stays = [...same.keys(), ...[...settled, ...written.map(({ one }) => one)].map(({ item }) => item)]
  if (run.foreseen) foresee(run, run.foreseen, stays)
  for (const note of notes) note()
}

async function planBatch(run: ImportRun, kind: ItemKind, items: readonly SourceItem[]): Promise<Planned[]> {
  const { db } = run.context
  await lookUpLinks(run, items)
  const rows =
    run.source === undefined
      ? []
      : await findItems(db, run.source, kind, [...new Set(items.map(({ identity }) => identity))])
  const known = new Map(rows.map((row) => [keyOf(kind, row.identity, row.occurrence), row]))
  const places = await findPlaces(run, items)
  const compared = await Promise.all(
    items.map((item) => {
      const key = keyOf(kind, item.identity, item.occurrence)
      return compare(run, item, known.get(key), places.get(key))
    }),
  )
  const changed = compared.flatMap((one) => (one.isSame ? [] : (recordOf(one) ?? [])))
  const states = await readStates(db, kind, changed)
  const planned = compared.map(({ isSame, ...one }) => {
    const state = states.get(recordOf(one) ?? 0)
    return { ...one, state, plan: planOf(run, { ...one, state }, isSame) }
  })
  return withHolders(run, kind, planned)
}

/** Passes over new events whose UID a record has here, and gives another UID to those where that is in the trash. */
async function withHolders(run: ImportRun, kind: ItemKind, planned: readonly Planned[]): Promise<Planned[]> {
  const made = planned.flatMap(({ item, plan }) => (plan.act === 'create' ? [item] : []))
  const holders = await findUidHolders(run, kind, made)
  return planned.map((one) => {
    const holder = holders.get(one.item)
    if (!holder) return one
    return holder.isTrashed ? { ...one, isUidTaken: true } : { ...one, plan: { act: 'pass over', holder } }
  })
}

/** The record of an item, or the occurrence it describes. */
function recordOf({ known, place }: Pick<Planned, 'known' | 'place'>): number | undefined {
  return known?.record ?? place?.record
}

/** Compares an item with its last written state. An occurrence of a series keeps the fields that differ from the others. */
async function compare(
  run: ImportRun,
  told: SourceItem,
  row: ImportItemColumns | undefined,
  place: Place | undefined,
): Promise<Omit<Planned, 'state' | 'plan'> & { isSame: boolean }> {
  const { db, now } = run.context
  const item = place ? ownPart(told, place, now) : told
  const { prints: own, digest } = item.ahead ?? comparedOf(item)
  // The series may have been made again since.
  const known = place && row?.record !== place.record ? undefined : row
  const isSame = known !== undefined && isAsTold(run, item, digest, known)
  const before = place && known && !isSame ? readFingerprints(known.written) : {}
  const dropped = Object.keys(before).filter((name) => !(name in own) && before[name] !== place?.shared[name])
  const like: RecordState = place && dropped.length > 0 ? await likeOthers(db, place.series, place.start) : {}
  const reset = Object.fromEntries(dropped.flatMap((name) => (name in like ? [[name, like[name]]] : [])))
  const again = Object.fromEntries(Object.keys(reset).map((name) => [name, place?.shared[name] ?? '']))
  return { item, prints: { ...own, ...again }, digest, known, place, reset, isSame }
}

function planOf(
  run: ImportRun,
  { item, prints, known, place, state }: Omit<Planned, 'plan'>,
  isSame: boolean,
): Planned['plan'] {
  if (isSame) return { act: 'nothing' }
  const { conflicts } = run.options
  if (known && isOlder(item, known, conflicts)) return { act: 'older' }
  const isNext = known && isLater(item, known)
  if (known && !isNext && standsAlone(item.kind) && isSeen(run.seen, known.record)) return { act: 'twin' }
  const before = known ? knownItem(known, state) : place && knownOccurrence(place, state)
  const isGone = before !== undefined && (!before.now || before.isTrashed)
  const { pictures: _pictures, ...others } = prints
  // Pictures alone bring nothing back that was removed here.
  const told = isGone && planItem(others, before, conflicts).act === 'nothing' ? others : prints
  const plan = planItem(told, before, conflicts)
  if (plan.act === 'create' && !run.options.private && item.values.status === 'private') return { act: 'leave out' }
  // A later revision, or another address of the page, is stored even if nothing else has changed.
  const isNoted = isNext || (known && known.page !== pageOf(run, item))
  return plan.act === 'nothing' && isNoted ? { act: 'update', fields: [], kept: [] } : plan
}

/** An occurrence that the source has not described so far: its own fields were changed here. */
function knownOccurrence({ own, series }: Place, state: RecordState | undefined): KnownItem {
  const now = state && fingerprintsOf(state)
  const others = Object.entries(now ?? {}).filter(([name]) => !own.includes(name))
  const kept = { ...Object.fromEntries(others), status: series.status }
  return { written: {}, kept, now, isTrashed: state?.status === 'trash' }
}

/** Prepared items, and those that could not be prepared. */
interface PreparedBatch {
  prepared: [Planned, PreparedItem][]
  failed: [Planned, unknown][]
}

async function prepareBatch(run: ImportRun, wanted: readonly Planned[]): Promise<PreparedBatch> {
  const batch: PreparedBatch = { prepared: [], failed: [] }
  const prepareOne = async (one: Planned) => {
    const { plan, reset } = one
    const item = one.isUidTaken ? withoutUid(one.item) : one.item
    const isUpdate = plan.act === 'update'
    try {
      const wanted = isUpdate ? new Set(plan.fields) : undefined
      const record = isUpdate ? recordOf(one) : undefined
      return { one, ready: await prepareItem(run, { item, record, wanted, reset, state: one.state }) }
    } catch (error) {
      refuseOutage(error)
      return { one, error }
    }
  }
  for (let at = 0; at < wanted.length; at += PREPARED_AT_ONCE) {
    const some = await Promise.all(wanted.slice(at, at + PREPARED_AT_ONCE).map(prepareOne))
    for (const { one, ready, error } of some) {
      if (ready) batch.prepared.push([one, ready])
      else batch.failed.push([one, error])
    }
  }
  return batch
}

function withoutUid({ uid: _uid, ...item }: SourceItem): SourceItem {
  return item
}

/** An item that was written. */
interface Written {
  one: Planned
  ready: PreparedItem
  record: number
  isNew: boolean
  isChanged: boolean
}

function asIfWritten([one, ready]: [Planned, PreparedItem]): Written {
  const isNew = ready.record === undefined
  return { one, ready, record: ready.record ?? 0, isNew, isChanged: ready.isChanged }
}

/** Writes the prepared items; adds failures to `failed`. All are written in one transaction first; if one fails, each by itself. */
async function writeBatch(
  run: ImportRun,
  kind: ItemKind,
  prepared: readonly [Planned, PreparedItem][],
  failed: [Planned, unknown][],
): Promise<Written[]> {
  const { context } = run
  if (prepared.length === 0) return []
  try {
    return await context.write((tx) => writeAll(run, tx, kind, prepared, undefined))
  } catch (error) {
    refuseOutage(error)
  }
  const failures: [Planned, unknown][] = []
  const written = await context.write((tx) => {
    failures.length = 0
    return writeAll(run, tx, kind, prepared, async (work, one) => {
      try {
        return await attempt(tx, work)
      } catch (error) {
        refuseOutage(error)
        failures.push([one, error])
        return undefined
      }
    })
  })
  for (const failure of failures) failed.push(failure)
  for (const [, { context }] of prepared) await withImages(context, async () => undefined)
  return written
}

/** Writes one item, which may fail by itself. */
type Do = <T>(work: () => Promise<T>, one: Planned) => Promise<T | undefined>

async function writeAll(
  run: ImportRun,
  tx: Tx,
  kind: ItemKind,
  prepared: readonly [Planned, PreparedItem][],
  perform: Do | undefined,
): Promise<Written[]> {
  await refuseStale(tx, kind, prepared)
  const states = new Map<number, RecordState>()
  const written = await writeEvents(run, tx, prepared, states, perform)
  for (const [one, ready] of prepared) {
    if (ready.event) continue
    const { isChanged } = ready
    const write = () => writeItem(run, tx, ready)
    const known = { id: ready.record ?? 0, isNew: false }
    const made = isChanged ? await (perform ? perform(write, one) : write()) : known
    if (made) written.push({ one, ready, record: made.id, isNew: made.isNew, isChanged })
  }
  await claimUids(run, tx, kind, written)
  const others = written.flatMap(({ record }) => (states.has(record) ? [] : [record]))
  for (const [id, state] of await readStates(tx, kind, [...new Set(others)])) states.set(id, state)
  for (const { one, record, isChanged } of written)
    if (!isChanged && one.known && one.known.page !== pageOf(run, one.item))
      recordPage(tx, kind, record, states.get(record) ?? {})
  const rows = [...changedRows(itemRows(run, written, states), written), ...(await imageRows(run, tx, written))]
  await saveItems(tx, rows, actRows(run, written, states))
  return written
}

/** The rows of the images of these items and of the pictures in their texts. */
const imageRows = (run: ImportRun, tx: Tx, written: readonly Written[]) =>
  newImageRows(
    run,
    tx,
    written.flatMap(({ one, ready }) => [...(one.item.image ? [one.item.image] : []), ...ready.pictures]),
  )

/** Writes the new events among the items, all together or one after the other; notes their states. */
async function writeEvents(
  run: ImportRun,
  tx: Tx,
  prepared: readonly [Planned, PreparedItem][],
  states: Map<number, RecordState>,
  perform: Do | undefined,
): Promise<Written[]> {
  const asked = prepared.flatMap(([one, ready]) => (ready.event ? [{ one, ready, ...ready.event }] : []))
  const written: Written[] = []
  for (const some of perform ? asked.map((single) => [single]) : [asked]) {
    const [first] = some
    if (!first) continue
    const write = () => createEvents(tx, some, run.context)
    const made = await (perform ? perform(write, first.one) : write())
    for (const [at, event] of made?.entries() ?? []) {
      const { one, ready } = some[at] ?? first
      states.set(event.row.id, stateOfMade(event))
      written.push({ one, ready, record: event.row.id, isNew: true, isChanged: true })
    }
  }
  return written
}

/** @throws StalePlan when a record has changed since its change was planned */
async function refuseStale(tx: Tx, kind: ItemKind, prepared: readonly [Planned, PreparedItem][]): Promise<void> {
  const changing = prepared.flatMap(([one, { record }]) => (record === undefined ? [] : [{ one, record }]))
  const states = await readStates(
    tx,
    kind,
    changing.map(({ record }) => record),
  )
  for (const { one, record } of changing)
    if (JSON.stringify(states.get(record)) !== JSON.stringify(one.state)) throw new StalePlan(one.item.identity)
}

/** Holds the UIDs of new records until the end of the transaction. @throws StalePlan when another import was faster with one of them */
async function claimUids(run: ImportRun, tx: Tx, kind: ItemKind, written: readonly Written[]): Promise<void> {
  const made = written.flatMap(({ ready: { item }, record, isNew }) => (isNew && item.uid ? [{ item, record }] : []))
  if (made.length === 0) return
  await holdName(tx, 'UIDs of imports')
  const own = new Set(made.map(({ record }) => record))
  const items = made.map(({ item }) => item)
  const [taken] = (await findUidHolders({ ...run, context: { ...run.context, db: tx } }, kind, items, own)).keys()
  if (taken) throw new StalePlan(taken.identity)
}

function itemRows(
  run: ImportRun,
  written: readonly Written[],
  states: ReadonlyMap<number, RecordState>,
): ImportItemColumns[] {
  const rows = new Map<string, ImportItemColumns>()
  for (const { one, ready, record } of written) {
    const { kind, identity, occurrence } = one.item
    const { written: last, isWhole } = writtenAfter(one, ready)
    rows.set(`${identity}\0${occurrence}`, {
      source: run.source ?? 0,
      kind,
      identity,
      occurrence,
      record,
      sequence: one.item.sequence ?? one.known?.sequence ?? 0,
      digest: isWhole ? one.digest : '',
      written: JSON.stringify(last),
      kept: JSON.stringify(keptOf(one, ready, fingerprintsOf(states.get(record) ?? {}))),
      page: pageOf(run, one.item),
    })
  }
  return [...rows.values()]
}

/** The fingerprints of the fields last written of an item, and whether they are complete. */
function writtenAfter(one: Planned, ready: PreparedItem): { written: Fingerprints; isWhole: boolean } {
  const fields = Object.keys(one.prints)
  const unsettled = fields.filter((field) => !isSettled(one, ready, field))
  const isWhole = unsettled.length === 0
  if (isWhole && !one.known) return { written: one.prints, isWhole }
  const settled = fields.flatMap((field) => (unsettled.includes(field) ? [] : [[field, one.prints[field] ?? '']]))
  const before = one.known ? readFingerprints(one.known.written) : {}
  return { written: { ...before, ...Object.fromEntries(settled) }, isWhole }
}

/** The rows that differ from the stored ones: an item whose image cannot be fetched is tried in every run. */
function changedRows(rows: readonly ImportItemColumns[], written: readonly Written[]): ImportItemColumns[] {
  const known = new Set(written.flatMap(({ one }) => (one.known ? [textOf(one.known)] : [])))
  if (known.size === 0) return [...rows]
  return rows.filter((row) => !known.has(textOf(row)))
}

const textOf = (row: ImportItemColumns) =>
  JSON.stringify([
    row.source,
    row.kind,
    row.identity,
    row.occurrence,
    row.record,
    row.sequence,
    row.digest,
    row.written,
    row.kept,
    row.page,
  ])

/** Whether a field of the source is settled: it was written, or had been written before. One that keeps its value here waits for another policy. */
function isSettled({ plan }: Planned, { fields }: PreparedItem, field: string): boolean {
  return fields.has(field) || (plan.act === 'update' && !plan.fields.includes(field) && !plan.kept.includes(field))
}

/** The state of the record after the write; fields changed here before it stay marked as changed. */
function keptOf({ known, state, plan }: Planned, { fields }: PreparedItem, after: Fingerprints): Fingerprints {
  if (!known || !state || plan.act !== 'update') return after
  return keptAfter(readFingerprints(known.kept), fingerprintsOf(state), after, fields)
}

function actRows(
  run: ImportRun,
  written: readonly Written[],
  states: ReadonlyMap<number, RecordState>,
): ImportActColumns[] {
  return written.flatMap(({ one, record, isNew, isChanged }): ImportActColumns[] => {
    const { kind, identity, occurrence } = one.item
    const act = { run: run.run ?? 0, kind, record, identity, occurrence }
    if (isNew) return [{ ...act, action: 'create', before: '{}' }]
    if (!isChanged || !one.state) return []
    const after = states.get(record) ?? {}
    const changed = Object.entries(one.state).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(after[field]),
    )
    const before = JSON.stringify({ fields: Object.fromEntries(changed), item: one.known })
    return [{ ...act, action: 'update', before }]
  })
}

function noteMade(counts: Counts, kind: ItemKind): void {
  counts.created += 1
  counts.made = { ...counts.made, [kind]: (counts.made?.[kind] ?? 0) + 1 }
}

function noteWritten(run: ImportRun, { one, ready, record, isNew, isChanged }: Written): void {
  const { item, plan } = one
  noteRecord(run, item, record)
  if (plan.act === 'update' && plan.kept.length > 0) noteKept(run, item, plan.kept)
  if (isNew || (one.place && !one.known)) noteMade(run.counts, item.kind)
  else if ((isChanged && ready.record !== undefined) || run.begun.has(record)) run.counts.updated += 1
  else if (plan.act === 'update' && plan.kept.length > 0) run.counts.left += 1
  else run.counts.unchanged += 1
}
