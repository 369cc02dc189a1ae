import type { RecordState } from '../../calendar/history/record-states.ts'
import { findImages, imageUrl } from '../../calendar/images/images.ts'
import type { ImageRow, PushItemColumns } from '../../store/storage/schema.ts'
import { SourceFailure } from '../import/polite-fetch.ts'
import { readFingerprints } from '../import/source-item.ts'
import {
  describePushed,
  keyOfRecord,
  type PushItem,
  type PushKind,
  type PushRun,
  unkeptMembers,
  withoutOpenLink,
} from './push-run.ts'
import { findPushed, savePushed } from './push-store.ts'
import { refusalOf } from './push-target.ts'
import { describeKept, type SettledItem, settleItem } from './settle-item.ts'

// Pushes records of one kind, several at a time.

/** Requests to the target at the same time. */
const AT_ONCE = 4

/**
 * Brings records of a kind to the target in small groups, and stores the state at the target after each group.
 * @throws SourceFailure when the target stops answering; the state until then has been stored
 */
export async function pushItems(run: PushRun, kind: PushKind, items: readonly PushItem[]): Promise<void> {
  const records = items.map(({ record }) => record)
  const known = await findPushed(run.context.db, run.number, kind, records)
  for (let at = 0; at < items.length; at += AT_ONCE) {
    await pushGroup(run, items.slice(at, at + AT_ONCE), known)
    run.progress()
  }
}

async function pushGroup(
  run: PushRun,
  items: readonly PushItem[],
  known: ReadonlyMap<number, PushItemColumns>,
): Promise<void> {
  await noteIntents(
    run,
    items.filter(({ record }) => !known.has(record)),
  )
  const outcomes = await Promise.all(items.map((item) => attemptItem(run, item, known.get(item.record))))
  const rows = outcomes.flatMap(({ settled }) => settled?.row ?? [])
  if (rows.length > 0) await run.context.write((tx) => savePushed(tx, rows))
  for (const { item, settled, error } of outcomes) {
    if (settled) noteSettled(run, item, settled, known.get(item.record))
    else noteFailed(run, item, error)
  }
}

interface Outcome {
  item: PushItem
  settled?: SettledItem
  error?: unknown
}

async function attemptItem(run: PushRun, item: PushItem, row: PushItemColumns | undefined): Promise<Outcome> {
  try {
    const open = await withoutOpenLink(run, item)
    if (open !== item) countUnkept(run, 'online_shown')
    return { item, settled: await settleItem(run, open, row) }
  } catch (error) {
    return { item, error }
  }
}

/** Notes which records are about to be made: should the answer be lost, the next run looks for them first. */
async function noteIntents({ context, number, options }: PushRun, items: readonly PushItem[]): Promise<void> {
  if (options.dryRun || number === undefined || items.length === 0) return
  const rows = items.map(({ kind, record }) => ({ target: number, kind, record, remote: 0, sent: '{}', seen: '{}' }))
  await context.write((tx) => savePushed(tx, rows))
}

function noteSettled(run: PushRun, item: PushItem, settled: SettledItem, before: PushItemColumns | undefined): void {
  const { kind, record } = item
  const row = settled.row ?? before
  const remote = row?.remote ?? 0
  if (kind !== 'event' && kind !== 'series') run.links.set(keyOfRecord(kind, record), remote)
  if (kind !== 'image') run.counts[settled.count] += 1
  if (row)
    for (const name of unkeptMembers(kind, readFingerprints(row.sent), readFingerprints(row.seen)))
      if (name !== 'online_shown') countUnkept(run, name)
  const text = describeKept(item, settled)
  if (text !== undefined) run.remark({ kind: 'kept', at: `${kind} ${record}`, text })
}

function countUnkept({ unkept }: PushRun, name: string): void {
  unkept.set(name, (unkept.get(name) ?? 0) + 1)
}

/** @throws SourceFailure when it is not the record that is at fault */
function noteFailed(run: PushRun, item: PushItem, error: unknown): void {
  if (!(error instanceof SourceFailure) || isOutage(error)) throw error
  const { kind, record } = item
  if (kind !== 'event' && kind !== 'series') run.lost.add(keyOfRecord(kind, record))
  const text = `${describePushed(item)}: ${refusalOf(error)}`
  if (kind !== 'image') run.counts.failed += 1
  run.remark({ kind: kind === 'image' ? 'note' : 'failed', at: `${kind} ${record}`, text })
}

/** Whether the target does not answer, does not know the login any more, or is still busy after all attempts. */
function isOutage({ status }: SourceFailure): boolean {
  return status === 0 || status === 401 || status === 429 || (status > 500 && status < 600)
}

/** Uploads the images that these records show. Where nothing can be uploaded, the target fetches them from here. */
export async function pushImagesOf(run: PushRun, states: Iterable<RecordState>): Promise<void> {
  const shown = [...states].flatMap(({ image }) => (typeof image === 'number' ? [image] : []))
  const ids = [...new Set(shown)].filter((id) => !run.images.has(id))
  const rows = [...(await findImages(run.context.db, ids)).values()]
  for (const id of ids) run.images.add(id)
  if (run.target.takesUploads) return pushItems(run, 'image', rows.map(imageItem))
  for (const row of rows) run.links.set(keyOfRecord('image', row.id), imageUrl(row, run.context.images.mediaUrl))
}

function imageItem({ id, title, alt_text, caption, description, file, mime_type }: ImageRow): PushItem {
  const values = { title, alt_text, caption, description }
  return { kind: 'image', record: id, name: title, values, file: { key: file, mimeType: mime_type } }
}
