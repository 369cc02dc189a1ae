import { findSeriesByIds } from '../events/event-store.ts'
import { readStates } from '../history/record-states.ts'
import { SourceFailure } from '../import/polite-fetch.ts'
import { readFingerprints } from '../import/source-item.ts'
import type { PushItemColumns } from '../storage/schema.ts'
import { keyOfRecord, type PushRun } from './push-run.ts'
import { forgetPushed, listPushed, savePushed } from './push-store.ts'
import { readShown, refusalOf, sendTo } from './push-target.ts'
import { printsOfShown } from './pushed-values.ts'
import { addressOf } from './settle-item.ts'

/** Records looked at together. */
const AT_ONCE = 500

/** Lists the events that were pushed and are gone from here, and with `mirror` moves them to the trash there, unless they were changed there. */
export async function handleGone(run: PushRun): Promise<void> {
  if (run.number === undefined) return
  for (const kind of ['series', 'event'] as const) {
    let after = 0
    for (;;) {
      const rows = await listPushed(run.context.db, run.number, kind, after, AT_ONCE)
      for (const row of await goneAmong(run, kind, rows)) await handleOne(run, kind, row)
      const last = rows.at(-1)
      if (!last || rows.length < AT_ONCE) break
      after = last.record
    }
  }
}

/** Those that are not here any more, or not public any more where only public ones are pushed. */
async function goneAmong(
  run: PushRun,
  kind: 'series' | 'event',
  rows: readonly PushItemColumns[],
): Promise<PushItemColumns[]> {
  const open = rows.filter(
    ({ remote, seen, record }) =>
      remote > 0 && !run.seen.has(keyOfRecord(kind, record)) && readFingerprints(seen).status !== 'trash',
  )
  const ids = open.map(({ record }) => record)
  const { db } = run.context
  const states: ReadonlyMap<number, { status?: unknown }> =
    kind === 'event' ? await readStates(db, kind, ids) : await findSeriesByIds(db, ids)
  const isKept = (status: unknown) => status === 'publish' || (run.options.all && status !== 'trash')
  return open.filter(({ record }) => {
    const state = states.get(record)
    return state === undefined || !isKept(state.status)
  })
}

async function handleOne(run: PushRun, kind: 'series' | 'event', row: PushItemColumns): Promise<void> {
  const url = `${addressOf(run.target, kind)}/${row.remote}`
  const shown = await readShown(run.target, url)
  const now = shown && printsOfShown(kind, shown)
  if (!now || now.status === 'trash')
    return run.options.dryRun ? undefined : run.context.write((tx) => forgetPushed(tx, row))
  const at = `${kind} ${row.record}`
  const remark = (end: string) =>
    run.remark({ kind: 'missing', at, text: `“${String(shown.title)}” (${row.remote} there) is gone from here${end}` })
  if (!run.options.mirror) return remark('.')
  const seen = readFingerprints(row.seen)
  if (run.options.conflicts !== 'overwrite' && Object.keys(now).some((field) => now[field] !== seen[field])) {
    run.counts.left += 1
    return remark('; it was changed there, and stays.')
  }
  await trash(run, kind, row, url, remark)
}

async function trash(
  run: PushRun,
  kind: 'series' | 'event',
  row: PushItemColumns,
  url: string,
  remark: (end: string) => void,
): Promise<void> {
  if (!run.options.dryRun) {
    try {
      await sendTo(run.target, url, { method: 'DELETE' })
    } catch (error) {
      if (!(error instanceof SourceFailure) || ![400, 403, 404, 410].includes(error.status)) throw error
      run.counts.failed += 1
      return remark(`, and could not be moved to the trash: ${refusalOf(error)}`)
    }
    const after = await readShown(run.target, url)
    // Should it come back, it is written as a whole.
    const next = { ...row, sent: '{}', seen: JSON.stringify(after ? printsOfShown(kind, after) : {}) }
    await run.context.write((tx) => (after ? savePushed(tx, [next]) : forgetPushed(tx, row)))
  }
  run.counts.trashed += 1
  remark('; it goes to the trash there.')
}
