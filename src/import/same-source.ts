import { resolve } from 'node:path'
import type { Context } from '../declare/context.ts'
import type { Db } from '../storage/database.ts'
import { holdSource } from './hold-source.ts'
import type { ImportRun } from './import-run.ts'
import { findElsewhere, findSource, listItems, moveSource } from './import-store.ts'
import { type RecordState, readStates } from './record-states.ts'
import type { SourceItem } from './source-item.ts'

/** The word for a source that shares events with another one, and is not the same. */
export const NOT_THE_SAME = 'none'

/**
 * Finds the source that a calendar under a new address goes on with: its number, undefined where that was done before.
 * @throws Error with one sentence when there is no such source, or the calendar was imported under the new address as well
 */
export async function findFormer(db: Db, name: string, address: string): Promise<number | undefined> {
  if (name === address) return undefined
  const now = await findSource(db, address)
  const isKnown = now !== undefined && (await hasEvents(db, now))
  const former = (await findSource(db, name)) ?? (await findSource(db, `file:${resolve(name)}`))
  if (former === undefined && isKnown) return undefined
  if (former === undefined) throw new Error(`There is no source ${name}; kalends imports lists them.`)
  if (isKnown)
    throw new Error(`${address} was imported by itself already; undo its runs first, which kalends imports lists.`)
  return former
}

/** Gives the records of a former source to a new address. `wait` is called once when an import of it has to end first. */
export async function continueSource(
  context: Pick<Context, 'db' | 'write'>,
  name: string,
  address: string,
  wait: () => void,
): Promise<void> {
  const former = await findFormer(context.db, name, address)
  if (former === undefined) return
  const { address: known } = await context.db
    .selectFrom('import_sources')
    .select('address')
    .where('id', '=', former)
    .executeTakeFirstOrThrow()
  const { write, release } = await holdSource(context, known, wait)
  await write((tx) => moveSource(tx, former, address)).finally(release)
}

/**
 * Refuses a source that was never imported while half of its first events are here from another one.
 * @throws Error that says how to go on
 */
export async function refuseDoubled(
  { source, context: { db } }: Pick<ImportRun, 'source' | 'context'>,
  events: readonly SourceItem[],
): Promise<void> {
  if (events.length === 0 || (source !== undefined && (await hasEvents(db, source)))) return
  const rows = await findElsewhere(
    db,
    source,
    events.map(({ identity }) => identity),
  )
  const states = new Map<string, RecordState>()
  for (const kind of ['event', 'series'] as const) {
    const records = rows.flatMap((row) => (row.kind === kind ? [row.record] : []))
    for (const [record, state] of await readStates(db, kind, records)) states.set(`${kind} ${record}`, state)
  }
  const known = Map.groupBy(rows, ({ kind, identity }) => `${kind} ${identity}`)
  const same = events.flatMap((item) => {
    const own = known.get(`${item.kind} ${item.identity}`) ?? []
    return own.find(({ kind, record }) => isSame(item, states.get(`${kind} ${record}`))) ?? []
  })
  if (same.length * 2 < events.length) return
  const address = same[0]?.address ?? ''
  throw new Error(
    `${same.length} of the first ${events.length} events are here already, from ${address}. If it is the same calendar under another address, go on with --same-as '${address}'; if it is another one that shares events, with --same-as ${NOT_THE_SAME}.`,
  )
}

/** Whether an item describes a record: a UID is enough, an id is not. */
function isSame({ uid, values }: SourceItem, state: RecordState | undefined): boolean {
  if (!state || state.status === 'trash') return false
  const day = String(values.start_date).slice(0, 10)
  return uid !== undefined || (state.title === values.title && String(state.start_date).startsWith(day))
}

async function hasEvents(db: Db, source: number): Promise<boolean> {
  for (const kind of ['event', 'series'] as const)
    if ((await listItems(db, source, kind, { identity: '', occurrence: '' }, 1)).length > 0) return true
  return false
}
