import { type RecordState, readStates } from '../../calendar/history/record-states.ts'
import { TIMES } from '../../calendar/series/series-schedule.ts'
import type { Db } from '../../store/storage/database.ts'
import type { ImportActColumns, ImportItemColumns } from '../../store/storage/schema.ts'
import {
  countItem,
  type ImportRun,
  noteFailed,
  noteKept,
  noteLeft,
  noteRecord,
  noteSeenRecord,
  OLDER,
  refuseOutage,
  StalePlan,
} from './import-run.ts'
import { deleteItem, findItems, saveItems } from './import-store.ts'
import { laterTimes } from './item-times.ts'
import {
  describeStay,
  fieldsOf,
  fingerprintsOf,
  isOlder,
  keptAfter,
  knownItem,
  planItem,
  readFingerprints,
  type SourceItem,
} from './source-item.ts'
import { prepareItemChange, servedByKind } from './write-item.ts'

// Turns single events of earlier imports into series, where the source has done so.

/** Items that still need a plan, and notes on those that are settled. */
interface Begun {
  items: SourceItem[]
  notes: (() => void)[]
}

/**
 * Turns events of earlier runs into series where the source has done so since. Each event stays and becomes the first date of its series, which takes
 * over the stored state of the event.
 */
export async function beginSeries(run: ImportRun, items: readonly SourceItem[]): Promise<Begun> {
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

/** A single event that an earlier run has imported, and its stored state. */
interface Single {
  row: ImportItemColumns
  state: RecordState
}

/** The single events that these series were before, by the identity of the series. */
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
  const found = await db.selectFrom('events').select('id').where('id', 'in', ids).where('series', 'is', null).execute()
  return found.map(({ id }) => id)
}

/** Turns one event into a series. A returned note reports an item that is settled. */
async function beginOne(run: ImportRun, item: SourceItem, single: Single): Promise<(() => void) | undefined> {
  const { row, state } = single
  if (isOlder(item, row, run.options.conflicts)) return () => noteLeft(run, item, row.record, OLDER, state)
  const plan = planItem(fingerprintsOf(fieldsOf(item)), knownItem(row, state), run.options.conflicts)
  if (plan.act === 'leave')
    return () => noteLeft(run, item, row.record, describeStay(plan.kept, 'here', plan.isGone), state)
  if (plan.act !== 'update' || state.status === 'trash') return undefined
  if (run.options.dryRun)
    return () => {
      noteRecord(run, item, row.record)
      countItem(run, item, 'updated')
      if (plan.kept.length > 0) noteKept(run, item, describeStay(plan.kept, 'here'))
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

/**
 * Writes the recurrence of the event, and its start unless that was changed here; the other fields are written as for any series. Returns the series.
 */
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
  const raw = isMoved ? { recurrence } : { ...times, recurrence, ...laterTimes(item.values, undefined, context.now) }
  const prepared = await prepareItemChange(context, 'event', row.record, raw)
  return context.write(async (tx) => {
    const before = (await readStates(tx, 'event', [row.record])).get(row.record)
    if (JSON.stringify(before) !== JSON.stringify(state)) throw new StalePlan(item.identity)
    const { series } = await servedByKind('event').operations.update.write(tx, prepared, context)
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
