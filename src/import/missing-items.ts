import { Problem } from '../problems.ts'
import type { ImportItemColumns } from '../storage/schema.ts'
import { fingerprintsOf, readFingerprints } from './fingerprints.ts'
import type { ImportRun } from './import-run.ts'
import { listItems, saveItems } from './import-store.ts'
import { type RecordState, readStates } from './record-states.ts'
import { trashRecord } from './write-item.ts'

/** Items looked at together. */
const AT_ONCE = 500

/** Lists the events that are gone from the source, and with `mirror` moves them to the trash, unless they were changed here. */
export async function handleMissing(run: ImportRun): Promise<void> {
  const { source } = run
  if (source === undefined) return
  let after = { identity: '', occurrence: '' }
  for (;;) {
    const items = await listItems(run.context.db, source, 'event', after, AT_ONCE)
    const missing = items.filter(({ record }) => !run.seen.has(record))
    await handleSome(run, missing)
    const last = items.at(-1)
    if (!last || items.length < AT_ONCE) return
    after = last
  }
}

async function handleSome(run: ImportRun, missing: readonly ImportItemColumns[]): Promise<void> {
  const states = await readStates(
    run.context.db,
    'event',
    missing.map(({ record }) => record),
  )
  for (const item of missing) {
    const state = states.get(item.record)
    if (!state || state.status === 'trash') continue
    await handleOne(run, item, state)
  }
}

async function handleOne(run: ImportRun, item: ImportItemColumns, state: RecordState): Promise<void> {
  const text = `event ${item.identity} (${String(state.title)}) is gone from the source`
  const remark = (end: string) => run.remark({ kind: 'missing', at: 'missing', text: `${text}${end}` })
  if (!run.options.mirror) return remark('.')
  if (run.options.conflicts !== 'overwrite' && isChangedHere(item, state)) {
    run.counts.left += 1
    return remark('; it was changed here, and stays.')
  }
  run.counts.trashed += 1
  remark('; it goes to the trash.')
  if (!run.options.dryRun) await trashMissing(run, item, state)
}

export function isChangedHere({ kept }: Pick<ImportItemColumns, 'kept'>, state: RecordState): boolean {
  const known = readFingerprints(kept)
  return Object.entries(fingerprintsOf(state)).some(([field, print]) => known[field] !== print)
}

async function trashMissing(run: ImportRun, item: ImportItemColumns, state: RecordState): Promise<void> {
  const { kind, record, identity, occurrence } = item
  await run.context.write(async (tx) => {
    await trashRecord(tx, run.context, 'event', record).catch(ignoreGone)
    const now = (await readStates(tx, 'event', [record])).get(record) ?? {}
    const before = JSON.stringify({ fields: { status: state.status }, item })
    const act = { run: run.run ?? 0, kind, record, action: 'trash', identity, occurrence, before } as const
    // Should it come back, it is written as a whole.
    const next = { ...item, digest: '', written: '{}', kept: JSON.stringify(fingerprintsOf(now)) }
    await saveItems(tx, [next], [act])
  })
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof Problem)) throw error
}
