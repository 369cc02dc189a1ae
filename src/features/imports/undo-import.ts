import type { Context } from '../../calendar/declare/context.ts'
import { type RecordState, readStates } from '../../calendar/history/record-states.ts'
import { resourceNamed } from '../../calendar/resources.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { ImportItemColumns } from '../../store/storage/schema.ts'
import { holdSource } from './hold-source.ts'
import { ImportError, type Message, message } from './import-messages.ts'
import {
  ABOVE_ALL,
  deleteItem,
  findItems,
  findLaterRun,
  getRun,
  type ListedRun,
  listActs,
  saveItems,
  saveToken,
  updateRun,
} from './import-store.ts'
import type { ImportActColumns } from './import-tables.ts'
import { isTouched } from './missing-items.ts'
import {
  fingerprintsOf,
  ITEM_KINDS,
  type ItemKind,
  KIND_NAMES,
  readFingerprints,
  standsAlone,
} from './source-item.ts'
import { prepareItemChange, trashRecord } from './write-item.ts'

interface Undone {
  restored: number
  removed: number
  left: Message[]
}

const AT_ONCE = 100

/**
 * Restores former values, trashes records that the run created, except what was changed since, and deletes
 * unused terms. A second call resumes an interrupted undo. `wait` is called once if an import must end first.
 * @throws ImportError for an unknown or undone run, and while a later one is not undone
 */
export async function undoImport(context: Context, id: number, wait: () => void): Promise<Undone> {
  const { address } = await getUndoable(context.db, id)
  const { write, release } = await holdSource(context, address, wait)
  return undoHeld({ ...context, write }, id).finally(release)
}

async function undoHeld(context: Context, id: number): Promise<Undone> {
  const run = await getUndoable(context.db, id)
  const undone: Undone = { restored: 0, removed: 0, left: [] }
  // Events first: afterwards nothing refers to venues, organizers and terms.
  for (const kind of ITEM_KINDS.toReversed()) await undoKind(context, run, kind, undone)
  await context.write(async (tx) => {
    // Without a token the next run reads the whole source.
    await saveToken(tx, run.source, '', '')
    await updateRun(tx, id, { state: 'undone' })
  })
  return undone
}

async function getUndoable(db: Db, id: number): Promise<ListedRun> {
  const run = await getRun(db, id)
  if (run.state === 'undone')
    throw new ImportError(message('Run {run} was undone already.', { run: `${id}` }))
  const later = await findLaterRun(db, run)
  if (later !== undefined)
    throw new ImportError(
      message('Run {later} of the same source came after run {run}; undo that one first.', {
        later: `${later}`,
        run: `${id}`,
      }),
    )
  return run
}

async function undoKind(context: Context, run: ListedRun, kind: ItemKind, undone: Undone): Promise<void> {
  for (let below = ABOVE_ALL; ; ) {
    const acts = await listActs(context.db, run.id, kind, below, AT_ONCE)
    const last = acts.at(-1)
    if (!last) return
    const done = await context.write((tx) => undoSome({ ...context, db: tx }, tx, run, kind, acts))
    undone.restored += done.restored
    undone.removed += done.removed
    for (const sentence of done.left) undone.left.push(sentence)
    below = last.record
  }
}

async function undoSome(
  context: Context,
  tx: Tx,
  run: ListedRun,
  kind: ItemKind,
  acts: readonly ImportActColumns[],
): Promise<Undone> {
  const undone: Undone = { restored: 0, removed: 0, left: [] }
  const states = await readStates(
    tx,
    kind,
    acts.map(({ record }) => record),
  )
  const items = await findItems(tx, run.source, kind, [...new Set(acts.map(({ identity }) => identity))])
  for (const act of acts) {
    const item = items.find(
      ({ identity, occurrence }) => identity === act.identity && occurrence === act.occurrence,
    )
    const state = states.get(act.record)
    if (!item || !state) continue
    if (act.action === 'create') await undoCreate(context, tx, act, item, state, undone)
    else if (act.action === 'begin') await undoBegin(context, tx, act, item, state, undone)
    else await undoChange(context, tx, act, item, state, undone)
  }
  await tx
    .deleteFrom('import_acts')
    .where('run', '=', run.id)
    .where('kind', '=', kind)
    .where(
      'record',
      'in',
      acts.map(({ record }) => record),
    )
    .execute()
  return undone
}

async function undoCreate(
  context: Context,
  tx: Tx,
  { kind, record }: ImportActColumns,
  item: ImportItemColumns,
  state: RecordState,
  undone: Undone,
): Promise<void> {
  const known = describeRecord(kind, record, state)
  const reason = (await isTouched(tx, item, state))
    ? message('{item} was changed since, and stays.', { item: known })
    : await describeUse(tx, item.kind as ItemKind, record, known)
  if (state.status !== 'trash' && reason) {
    undone.left.push(reason)
    return
  }
  if (state.status !== 'trash') {
    await trashRecord(tx, context, item.kind as ItemKind, record)
    undone.removed += 1
  }
  await deleteItem(tx, item)
}

function describeRecord(
  kind: string,
  record: number,
  { title, venue, organizer, name }: RecordState,
): Message {
  return message('{kind} {which} ({name})', {
    kind: message(KIND_NAMES[kind as ItemKind]),
    which: `${record}`,
    name: String(title ?? name ?? venue ?? organizer ?? ''),
  })
}

async function describeUse(
  tx: Tx,
  kind: ItemKind,
  record: number,
  item: Message,
): Promise<Message | undefined> {
  if (standsAlone(kind)) return undefined
  const events = tx.selectFrom('events').select('events.id').where('status', '!=', 'trash').limit(1)
  const isUsed =
    kind === 'venue'
      ? events.innerJoin('event_venues', 'event', 'events.id').where('venue', '=', record)
      : kind === 'organizer'
        ? events.innerJoin('event_organizers', 'event', 'events.id').where('organizer', '=', record)
        : events.innerJoin('event_terms', 'event', 'events.id').where('term', '=', record)
  if (await isUsed.executeTakeFirst()) return message('{item} has other events, and stays.', { item })
  if (kind !== 'category') return undefined
  const child = await tx.selectFrom('terms').select('id').where('parent', '=', record).executeTakeFirst()
  return child && message('{item} has categories below it, and stays.', { item })
}

interface Before {
  fields: Record<string, unknown>
  item?: ImportItemColumns
}

/** Acts of older versions lack these values. */
const OF_OLDER_RUNS = { sequence: 0, page: '' }

async function undoChange(
  context: Context,
  tx: Tx,
  act: ImportActColumns,
  item: ImportItemColumns,
  state: RecordState,
  undone: Undone,
): Promise<void> {
  const before: Before = JSON.parse(act.before)
  const [now, kept] = [fingerprintsOf(state), readFingerprints(item.kept)]
  const untouched = Object.keys(before.fields).filter((field) => now[field] === kept[field])
  const touched = Object.keys(before.fields).filter((field) => now[field] !== kept[field])
  if (untouched.length > 0) {
    await putBack(
      context,
      tx,
      item,
      Object.fromEntries(untouched.map((field) => [field, before.fields[field]])),
    )
    undone.restored += 1
  }
  if (touched.length > 0)
    undone.left.push(
      message(
        touched.length === 1
          ? '{item} was changed since: {fields} stays.'
          : '{item} was changed since: {fields} stay.',
        { item: describeRecord(act.kind, act.record, state), fields: touched.join(', ') },
      ),
    )
  if (before.item) await saveItems(tx, [{ ...OF_OLDER_RUNS, ...before.item }], [])
  else await deleteItem(tx, item)
}

async function undoBegin(
  context: Context,
  tx: Tx,
  { record, before }: ImportActColumns,
  item: ImportItemColumns,
  state: RecordState,
  undone: Undone,
): Promise<void> {
  if (await isTouched(tx, item, state)) {
    const known = describeRecord('series', record, state)
    undone.left.push(message('{item} was changed since, and stays.', { item: known }))
    return
  }
  const former: { event: number; fields: RecordState; item: ImportItemColumns } = JSON.parse(before)
  const values = { ...former.fields, recurrence: '', recurrence_scope: 'all' }
  await putBack(context, tx, { kind: 'event', record: former.event }, values)
  undone.restored += 1
  await deleteItem(tx, item)
  await saveItems(tx, [{ ...OF_OLDER_RUNS, ...former.item }], [])
}

async function putBack(
  context: Context,
  tx: Tx,
  { kind, record }: Pick<ImportItemColumns, 'kind' | 'record'>,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const prepared = await prepareItemChange(context, kind as ItemKind, record, values)
  await resourceNamed(kind).operations.update.write(tx, prepared, context)
}
