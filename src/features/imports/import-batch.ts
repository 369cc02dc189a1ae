import { type RecordState, readStates } from '../../calendar/history/record-states.ts'
import { withImages } from '../../calendar/images/images.ts'
import { events } from '../../calendar/resources.ts'
import { TIMES } from '../../calendar/series/series-schedule.ts'
import type { Db } from '../../store/storage/database.ts'
import { attempt, holdName } from '../../store/storage/locks.ts'
import { recordChange, type Tx } from '../../store/storage/recording.ts'
import type { ImportItemColumns } from '../../store/storage/schema.ts'
import { isConflict } from '../../store/storage/unavailable.ts'
import { findOwn, findUidHolders } from './already-here.ts'
import { newImageRows } from './fetch-pictures.ts'
import { ImportError, message } from './import-messages.ts'
import {
  countItem,
  describeItem,
  describeOlder,
  type ImportRun,
  noteFailed,
  noteKept,
  noteLeft,
  noteRecord,
  noteSeenRecord,
  refuseOutage,
  remember,
  StalePlan,
} from './import-run.ts'
import { deleteItem, findItems, saveItems } from './import-store.ts'
import type { ImportActColumns } from './import-tables.ts'
import { isLater, type PlannedItem, pageOf, planItems, recordOf } from './plan-items.ts'
import { laterBegin, laterTimes } from './shown-records.ts'
import {
  describeStay,
  type Fingerprints,
  fieldsOf,
  fingerprintsOf,
  type ItemKind,
  isOlder,
  itemKey,
  KIND_NAMES,
  keptAfter,
  knownItem,
  planItem,
  readFingerprints,
  type SourceItem,
  standsAlone,
} from './source-item.ts'
import {
  createEvents,
  type PreparedItem,
  prepareItem,
  prepareItemChange,
  stateOfMade,
  writeItem,
} from './write-item.ts'

// Writes a batch, if possible in one transaction.

interface Begun {
  items: SourceItem[]
  notes: (() => void)[]
}

/**
 * Finds series whose event was imported as a single one. The event becomes the first date of the series,
 * which takes over its row in `import_items`.
 */
async function beginSeries(run: ImportRun, items: readonly SourceItem[]): Promise<Begun> {
  const singles = await findSingles(run, items)
  const begun: Begun = { items: [], notes: [] }
  for (const item of items) {
    const single = singles.get(item.identity)
    const note = single && (await beginOne(run, item, single))
    if (note) begun.notes.push(note)
    else begun.items.push(item)
  }
  return begun
}

interface Single {
  row: ImportItemColumns
  state: RecordState
}

async function findSingles(
  { source, context: { db } }: ImportRun,
  items: readonly SourceItem[],
): Promise<Map<string, Single>> {
  const formerly = new Map(
    items.flatMap((item) => (item.formerly === undefined ? [] : [[item.formerly, item.identity]])),
  )
  if (source === undefined || formerly.size === 0) return new Map()
  const rows = (await findItems(db, source, 'event', [...formerly.keys()])).filter(
    ({ occurrence }) => occurrence === '',
  )
  const known = await findItems(db, source, 'series', [...formerly.values()])
  const ids = await notRepeating(
    db,
    rows.map(({ record }) => record),
  )
  const states = await readStates(db, 'event', ids)
  const isKnown = new Set(known.map(({ identity }) => identity))
  return new Map(
    rows.flatMap((row) => {
      const [identity, state] = [formerly.get(row.identity) ?? '', states.get(row.record)]
      return state && !isKnown.has(identity) ? [[identity, { row, state }]] : []
    }),
  )
}

async function notRepeating(db: Db, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const found = await db
    .selectFrom('events')
    .select('id')
    .where('id', 'in', ids)
    .where('series', 'is', null)
    .execute()
  return found.map(({ id }) => id)
}

/** @returns a function that reports the item after the write; undefined if it still needs a plan */
async function beginOne(run: ImportRun, item: SourceItem, single: Single): Promise<(() => void) | undefined> {
  const { row, state } = single
  if (isOlder(item, row, run.options.conflicts))
    return () => noteLeft(run, item, row.record, describeOlder(item), state)
  const plan = planItem(fingerprintsOf(fieldsOf(item)), knownItem(row, state), run.options.conflicts)
  if (plan.act === 'leave')
    return () =>
      noteLeft(run, item, row.record, describeStay(describeItem(item), plan.kept, plan.isGone), state)
  if (plan.act !== 'update' || state.status === 'trash') return undefined
  if (run.options.dryRun)
    return () => {
      noteRecord(run, item, row.record)
      countItem(run, item, 'updated')
      if (plan.kept.length > 0) noteKept(run, item, describeStay(describeItem(item), plan.kept))
    }
  try {
    run.begun.add(await writeBegun(run, item, single, plan.kept))
    return undefined
  } catch (error) {
    refuseOutage(error)
    return () => {
      noteSeenRecord(run.seen, row.record)
      noteFailed(run, item, error)
    }
  }
}

/** Turns the single event into a series; times changed here stay. @returns the id of the series */
async function writeBegun(
  run: ImportRun,
  item: SourceItem,
  { row, state }: Single,
  kept: readonly string[],
): Promise<number> {
  const { context } = run
  const { recurrence } = item.values
  const isMoved = TIMES.some((name) => kept.includes(name))
  const times = Object.fromEntries(TIMES.map((name) => [name, item.values[name]]))
  const raw = isMoved
    ? { recurrence }
    : { ...times, recurrence, ...laterTimes(item.values, undefined, context.now) }
  const prepared = await prepareItemChange(context, 'event', row.record, raw)
  return context.write(async (tx) => {
    const before = (await readStates(tx, 'event', [row.record])).get(row.record)
    if (JSON.stringify(before) !== JSON.stringify(state)) throw new StalePlan(item.identity)
    const { series } = await events.operations.update.write(tx, prepared, context)
    const record = series ?? 0
    const after = fingerprintsOf((await readStates(tx, 'series', [record])).get(record) ?? {})
    const written = new Set(Object.keys(raw))
    const known = keptAfter(readFingerprints(row.kept), fingerprintsOf(state), after, written)
    const { identity } = item
    const next = { ...row, kind: 'series', identity, record, digest: '', kept: JSON.stringify(known) }
    const act: ImportActColumns = {
      run: run.run ?? 0,
      kind: 'series',
      record,
      action: 'begin',
      identity,
      occurrence: '',
      before: JSON.stringify({ event: row.record, fields: state, item: row }),
    }
    await deleteItem(tx, row)
    await saveItems(tx, [next], [act])
    return record
  })
}

const OWN = new ImportError(message('It is an event of this calendar itself.'))
const TWIN = new ImportError(
  message('Another event with the same id or UID stands before it in the source, and was taken.'),
)

/** A batch whose records change meanwhile is planned at most this often. */
const MOST_ATTEMPTS = 5

const PREPARED_AT_ONCE = 4

/** Imports items of one kind; reports those that cannot be written as failed. */
export async function importBatch(
  run: ImportRun,
  kind: ItemKind,
  items: readonly SourceItem[],
): Promise<void> {
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

/**
 * Keeps one item of each identity: the latest revision, else the first. A different item of the same revision
 * is reported as failed.
 */
function withoutTwins(run: ImportRun, items: readonly SourceItem[]): SourceItem[] {
  const first = new Map<string, SourceItem>()
  for (const item of items) {
    const key = itemKey(item.kind, item.identity, item.occurrence)
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
  const { same, planned } = await planItems(run, kind, others)
  const wanted = planned.filter(({ plan }) => plan.act === 'create' || plan.act === 'update')
  const { prepared, failed } = await prepareBatch(run, wanted)
  const written = run.options.dryRun
    ? prepared.map(asIfWritten)
    : await writeBatch(run, kind, prepared, failed)
  for (const { item, record } of same) {
    if (record !== undefined) noteRecord(run, item, record)
    countItem(run, item, 'unchanged')
  }
  for (const one of planned) noteUnwritten(run, one)
  for (const [one, error] of failed) noteFailed(run, one.item, error)
  for (const one of written) noteWritten(run, one)
  if (kind === 'series')
    await noteLater(run, [...same, ...written.map(({ one, record }) => ({ item: one.item, record }))])
  for (const note of notes) note()
}

function noteUnwritten(run: ImportRun, { item, known, state, plan }: PlannedItem): void {
  if (plan.act === 'leave')
    noteLeft(run, item, known?.record, describeStay(describeItem(item), plan.kept, plan.isGone), state)
  if (plan.act === 'older') noteLeft(run, item, known?.record, describeOlder(item), state)
  if (plan.act === 'twin') noteFailed(run, item, TWIN)
  if (plan.act === 'leave out') run.remark({ kind: 'private', at: item.at, text: describeItem(item) })
  if (plan.act !== 'pass over') return
  countItem(run, item, 'left')
  const { kind, id, address } = plan.holder
  const holder = { item: describeItem(item), kind: message(KIND_NAMES[kind]), id: String(id) }
  const text =
    address === undefined
      ? message('{item} is here already: {kind} {id}', holder)
      : message('{item} is here already: {kind} {id}, from {address}', { ...holder, address })
  noteKept(run, item, text)
}

interface PreparedBatch {
  prepared: [PlannedItem, PreparedItem][]
  failed: [PlannedItem, unknown][]
}

async function prepareBatch(run: ImportRun, wanted: readonly PlannedItem[]): Promise<PreparedBatch> {
  const batch: PreparedBatch = { prepared: [], failed: [] }
  const prepareOne = async (one: PlannedItem) => {
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

interface WrittenItem {
  one: PlannedItem
  ready: PreparedItem
  record: number
  isNew: boolean
  isChanged: boolean
}

function asIfWritten([one, ready]: [PlannedItem, PreparedItem]): WrittenItem {
  const isNew = ready.record === undefined
  return { one, ready, record: ready.record ?? 0, isNew, isChanged: ready.isChanged }
}

/**
 * Writes all items in one transaction; if that fails, with a savepoint each, so that one item fails alone.
 */
async function writeBatch(
  run: ImportRun,
  kind: ItemKind,
  prepared: readonly [PlannedItem, PreparedItem][],
  failed: [PlannedItem, unknown][],
): Promise<WrittenItem[]> {
  const { context } = run
  if (prepared.length === 0) return []
  try {
    return await context.write((tx) => writeAll(run, tx, kind, prepared, undefined))
  } catch (error) {
    refuseOutage(error)
  }
  const failures: [PlannedItem, unknown][] = []
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

type Do = <T>(work: () => Promise<T>, one: PlannedItem) => Promise<T | undefined>

async function writeAll(
  run: ImportRun,
  tx: Tx,
  kind: ItemKind,
  prepared: readonly [PlannedItem, PreparedItem][],
  perform: Do | undefined,
): Promise<WrittenItem[]> {
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
  const rows = [
    ...changedRows(itemRows(run, written, states), written),
    ...(await imageRows(run, tx, written)),
  ]
  await saveItems(tx, rows, actRows(run, written, states))
  return written
}

/** Records a change where only the address in the source is new, to which the page here links. */
function recordPage(tx: Tx, kind: ItemKind, record: number, { status }: RecordState): void {
  if (kind !== 'event' && kind !== 'series') return
  const isPublic = status === 'publish'
  recordChange(tx, { kind, record, wasPublic: isPublic, isPublic })
}

const imageRows = (run: ImportRun, tx: Tx, written: readonly WrittenItem[]) =>
  newImageRows(
    run,
    tx,
    written.flatMap(({ one, ready }) => [...(one.item.image ? [one.item.image] : []), ...ready.pictures]),
  )

async function writeEvents(
  run: ImportRun,
  tx: Tx,
  prepared: readonly [PlannedItem, PreparedItem][],
  states: Map<number, RecordState>,
  perform: Do | undefined,
): Promise<WrittenItem[]> {
  const asked = prepared.flatMap(([one, ready]) =>
    ready.event ? [{ one, ready, prepared: ready.event, context: run.context }] : [],
  )
  const written: WrittenItem[] = []
  for (const some of perform ? asked.map((single) => [single]) : [asked]) {
    const [first] = some
    if (!first) continue
    const write = () => createEvents(tx, some)
    const made = await (perform ? perform(write, first.one) : write())
    for (const [at, event] of made?.entries() ?? []) {
      const { one, ready } = some[at] ?? first
      states.set(event.values.id, stateOfMade(event))
      written.push({ one, ready, record: event.values.id, isNew: true, isChanged: true })
    }
  }
  return written
}

/** @throws StalePlan when a record has changed since it was planned */
async function refuseStale(
  tx: Tx,
  kind: ItemKind,
  prepared: readonly [PlannedItem, PreparedItem][],
): Promise<void> {
  const changing = prepared.flatMap(([one, { record }]) => (record === undefined ? [] : [{ one, record }]))
  const states = await readStates(
    tx,
    kind,
    changing.map(({ record }) => record),
  )
  for (const { one, record } of changing)
    if (JSON.stringify(states.get(record)) !== JSON.stringify(one.state))
      throw new StalePlan(one.item.identity)
}

/**
 * Checks that UIDs of new records are free, and holds them in the transaction.
 * @throws StalePlan when another import was faster
 */
async function claimUids(
  run: ImportRun,
  tx: Tx,
  kind: ItemKind,
  written: readonly WrittenItem[],
): Promise<void> {
  const made = written.flatMap(({ ready: { item }, record, isNew }) =>
    isNew && item.uid ? [{ item, record }] : [],
  )
  if (made.length === 0) return
  await holdName(tx, 'UIDs of imports')
  const own = new Set(made.map(({ record }) => record))
  const items = made.map(({ item }) => item)
  const [taken] = (
    await findUidHolders({ ...run, context: { ...run.context, db: tx } }, kind, items, own)
  ).keys()
  if (taken) throw new StalePlan(taken.identity)
}

function itemRows(
  run: ImportRun,
  written: readonly WrittenItem[],
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

function writtenAfter(one: PlannedItem, ready: PreparedItem): { written: Fingerprints; isWhole: boolean } {
  const fields = Object.keys(one.prints)
  const unsettled = fields.filter((field) => !isSettled(one, ready, field))
  const isWhole = unsettled.length === 0
  if (isWhole && !one.known) return { written: one.prints, isWhole }
  const settled = fields.flatMap((field) =>
    unsettled.includes(field) ? [] : [[field, one.prints[field] ?? '']],
  )
  const before = one.known ? readFingerprints(one.known.written) : {}
  return { written: { ...before, ...Object.fromEntries(settled) }, isWhole }
}

/** Leaves out rows stored already: an item without its image is tried in every run, often unchanged. */
function changedRows(
  rows: readonly ImportItemColumns[],
  written: readonly WrittenItem[],
): ImportItemColumns[] {
  const known = new Set(written.flatMap(({ one }) => (one.known ? [textOf(one.known)] : [])))
  return rows.filter((row) => !known.has(textOf(row)))
}

const textOf = ({
  source,
  kind,
  identity,
  occurrence,
  record,
  sequence,
  digest,
  written,
  kept,
  page,
}: ImportItemColumns) =>
  JSON.stringify([source, kind, identity, occurrence, record, sequence, digest, written, kept, page])

/** False for a field that keeps its value here: a run under another policy may write it. */
function isSettled({ plan }: PlannedItem, { fields }: PreparedItem, field: string): boolean {
  return (
    fields.has(field) || (plan.act === 'update' && !plan.fields.includes(field) && !plan.kept.includes(field))
  )
}

/** Fingerprints for `kept`: fields changed here keep their former ones, and so stay marked as changed. */
function keptOf(
  { known, state, plan }: PlannedItem,
  { fields }: PreparedItem,
  after: Fingerprints,
): Fingerprints {
  if (!known || !state || plan.act !== 'update') return after
  return keptAfter(readFingerprints(known.kept), fingerprintsOf(state), after, fields)
}

function actRows(
  run: ImportRun,
  written: readonly WrittenItem[],
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

function noteWritten(run: ImportRun, { one, ready, record, isNew, isChanged }: WrittenItem): void {
  const { item, plan, state = {} } = one
  const kept = plan.act === 'update' ? plan.kept : []
  noteRecord(run, item, record, Object.fromEntries(kept.map((field) => [field, state[field]])))
  // Events may link to what is written; whether others are in the trash here, `planItems` looks up.
  if (!standsAlone(item.kind)) remember(run.links, itemKey(item.kind, item.identity), record)
  if (kept.length > 0) noteKept(run, item, describeStay(describeItem(item), kept))
  if (isNew || (one.place && !one.known)) countItem(run, item, 'created')
  else if ((isChanged && ready.record !== undefined) || run.begun.has(record)) countItem(run, item, 'updated')
  else countItem(run, item, kept.length > 0 ? 'left' : 'unchanged')
}

async function noteLater(
  { context: { db, now }, options, remark }: ImportRun,
  items: readonly { item: SourceItem; record: number | undefined }[],
): Promise<void> {
  const records = items.flatMap(({ record }) => record ?? [])
  const states = await readStates(db, 'series', records)
  for (const { item, record = 0 } of items) {
    const state = states.get(record)
    if (!state && !options.dryRun) continue
    const begin = laterBegin(item.values, state && String(state.start_date), now)
    if (begin === undefined) continue
    const text = message('{item} has too many dates in the past; it begins with {begin}.', {
      item: describeItem(item),
      begin,
    })
    remark({ kind: 'note', at: item.at, text })
  }
}
