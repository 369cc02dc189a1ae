import { hash } from 'node:crypto'
import { posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { resourceNamed } from '../../calendar/resources.ts'
import type { Counts } from '../imports/import-run.ts'
import { SourceFailure } from '../imports/polite-fetch.ts'
import { decodeName, type ShownRecord } from '../imports/shown-records.ts'
import { type Fingerprints, type Plan, planItem, readFingerprints } from '../imports/source-item.ts'
import {
  bodyAsShown,
  bodyOfCreate,
  bodyOfUpdate,
  describePushed,
  type PushItem,
  type PushKind,
  type PushRun,
  printsOf,
  printsOfShown,
} from './push-run.ts'
import type { PushItemColumns } from './push-tables.ts'
import {
  NO_SLUG,
  type PushTarget,
  readShown,
  refusedWith,
  sendTo,
  type TargetRequest,
} from './push-target.ts'

export interface SettledItem {
  count: keyof Counts
  row?: PushItemColumns
  kept?: readonly string[]
  isGone?: boolean
}

export function targetAddress({ base, root }: PushTarget, kind: PushKind): string {
  if (kind === 'image') return `${root}/wp/v2/media`
  if (kind === 'series') return `${root}/kalends/v1/series`
  return `${base}/${resourceNamed(kind).resource.path}`
}

/** Creates or updates the record at the target; sends no request if unchanged since the last push. */
export async function settleItem(
  run: PushRun,
  item: PushItem,
  row: PushItemColumns | undefined,
): Promise<SettledItem> {
  const prints = printsOf(item)
  if (row === undefined) return createItem(run, item, prints)
  if (row.remote === 0) return resumeCreate(run, item, prints)
  const written = readFingerprints(row.sent)
  if (!Object.keys(prints).some((field) => prints[field] !== written[field])) return { count: 'unchanged' }
  const shown = await readShown(run.target, `${targetAddress(run.target, item.kind)}/${row.remote}`)
  const now = shown && printsOfShown(item.kind, shown)
  return changeItem(run, item, prints, { row, written, kept: readFingerprints(row.seen), now, shown })
}

interface There {
  row: PushItemColumns
  /**
   * Fingerprints: `written` of the values last sent, `kept` of the record shown afterwards, `now` of the
   * record shown now (undefined: it is gone).
   */
  written: Fingerprints
  kept: Fingerprints
  now: Fingerprints | undefined
  shown: ShownRecord | undefined
}

async function changeItem(
  run: PushRun,
  item: PushItem,
  prints: Fingerprints,
  there: There,
): Promise<SettledItem> {
  const { row, written, kept, now, shown = {} } = there
  const plan = planItem(
    prints,
    { written, lastSeen: kept, now, isTrashed: now?.status === 'trash' },
    run.options.conflicts,
  )
  if (plan.act === 'create') return createItem(run, item, prints)
  if (plan.act === 'leave') return { count: 'left', kept: plan.kept, isGone: plan.isGone }
  if (plan.act === 'nothing') return { count: 'unchanged' }
  if (run.options.dryRun) return { count: countOf(plan), kept: plan.kept }
  const after = plan.fields.length === 0 ? now : await updateItem(run, item, row.remote, shown, plan.fields)
  const seen = seenAfter(there, plan.fields, after ?? {})
  return {
    count: countOf(plan),
    kept: plan.kept,
    row: rowOf(run, item, row.remote, { ...written, ...prints }, seen),
  }
}

function countOf({ fields, kept }: Extract<Plan, { act: 'update' }>): keyof Counts {
  if (fields.length > 0) return 'updated'
  return kept.length > 0 ? 'left' : 'unchanged'
}

/**
 * Fingerprints stored in `seen` after an update. A field changed at the target keeps its former fingerprint,
 * so that later pushes still detect the change.
 */
function seenAfter({ kept, now = {} }: There, fields: readonly string[], after: Fingerprints): Fingerprints {
  const changedThere = Object.keys(now).filter(
    (field) => now[field] !== kept[field] && !fields.includes(field),
  )
  const former = changedThere.flatMap((field) => (kept[field] === undefined ? [] : [[field, kept[field]]]))
  return { ...after, ...Object.fromEntries(former) }
}

async function updateItem(
  run: PushRun,
  item: PushItem,
  remote: number,
  shown: ShownRecord,
  fields: readonly string[],
): Promise<Fingerprints> {
  const url = `${targetAddress(run.target, item.kind)}/${remote}`
  // Other services may empty fields that an update does not send.
  const others = run.target.isKalends ? {} : bodyAsShown(item.kind, shown)
  const body = JSON.stringify({ ...others, ...bodyOfUpdate(item, fields) })
  return printsOfShown(item.kind, await sendTo(run.target, url, { method: 'PUT', body }))
}

function rowOf(
  run: PushRun,
  { kind, record }: PushItem,
  remote: number,
  sent: Fingerprints,
  seen: Fingerprints,
): PushItemColumns {
  return {
    target: run.number ?? 0,
    kind,
    record,
    remote,
    sent: JSON.stringify(sent),
    seen: JSON.stringify(seen),
  }
}

async function createItem(run: PushRun, item: PushItem, prints: Fingerprints): Promise<SettledItem> {
  if (run.options.dryRun) return { count: 'created' }
  try {
    const shown = await create(run, item)
    return { count: 'created', row: rowOf(run, item, idOf(shown), prints, printsOfShown(item.kind, shown)) }
  } catch (error) {
    const remote = error instanceof SourceFailure ? Number(refusedWith(error, 'term_exists')?.term_id) : 0
    if (!(remote > 0)) throw error
    // The target has a term of this name: links use that term unchanged.
    const shown = (await readShown(run.target, `${targetAddress(run.target, item.kind)}/${remote}`)) ?? {}
    return { count: 'unchanged', row: rowOf(run, item, remote, prints, printsOfShown(item.kind, shown)) }
  }
}

async function resumeCreate(run: PushRun, item: PushItem, prints: Fingerprints): Promise<SettledItem> {
  const made = await findMade(run, item)
  if (!made) return createItem(run, item, prints)
  const now = printsOfShown(item.kind, made)
  return changeItem(run, item, prints, {
    row: rowOf(run, item, idOf(made), {}, now),
    written: {},
    kept: now,
    now,
    shown: made,
  })
}

async function create(run: PushRun, item: PushItem): Promise<ShownRecord> {
  const { target } = run
  const made = { findMade: () => findMade(run, item) }
  if (item.file) return sendTo(target, targetAddress(target, item.kind), await uploadOf(run, item, item.file))
  const body = JSON.stringify(bodyOfCreate(item))
  const sent: TargetRequest = { method: 'POST', body, key: createKey(run, item, body), ...made }
  if (item.kind !== 'series') return sendTo(target, targetAddress(target, item.kind), sent)
  // The answer is the first occurrence; its `post_parent` is the id of the series.
  const first = await sendTo(target, targetAddress(target, 'event'), sent)
  const url = `${targetAddress(target, 'series')}/${String(first.post_parent)}`
  const shown = await readShown(target, url)
  if (!shown) throw new SourceFailure(url, 'is not there, though its first occurrence is.')
  return shown
}

/** Idempotency-Key of a create, the same for the same body in every run: a retry creates no second record. */
function createKey({ edition }: PushRun, { kind, record }: PushItem, body: string): string {
  return `push-${hash('sha256', JSON.stringify([edition, kind, record, body]), 'base64url')}`
}

async function uploadOf(
  run: PushRun,
  item: PushItem,
  { key, mimeType }: { key: string; mimeType: string },
): Promise<TargetRequest> {
  const file = await run.context.images.store.read(key)
  if (!file) throw new SourceFailure(key, 'is not in the store of images.', NO_FILE)
  const form = new FormData()
  for (const [name, value] of Object.entries(bodyOfCreate(item))) form.set(name, String(value))
  form.set('file', new Blob([await buffer(file.stream)], { type: mimeType }), posix.basename(key))
  return { method: 'POST', body: form, key: createKey(run, item, JSON.stringify([key, item.values])) }
}

/** Status of a missing image file, so that only this image fails: status 0 would stop the push. */
const NO_FILE = 404

function idOf({ id }: ShownRecord): number {
  return Number(id) || 0
}

/**
 * After a create whose answer was lost, looks for the new record by slug, name and start. Undefined for
 * images and terms.
 */
async function findMade(run: PushRun, item: PushItem): Promise<ShownRecord | undefined> {
  const { kind, values } = item
  if (kind === 'image' || kind === 'category' || kind === 'tag') return undefined
  const start = String(values.start_date ?? '')
  const slug = kind === 'series' ? `${String(values.slug)}-${start.slice(0, 10)}` : String(values.slug ?? '')
  if (slug === '') return undefined
  const list = targetAddress(run.target, kind === 'series' ? 'event' : kind)
  const shown = await readShown(run.target, `${list}/by-slug/${encodeURIComponent(slug)}`, NO_SLUG)
  const name = shown && (shown.title ?? shown.venue ?? shown.organizer)
  if (!shown || decodeName(String(name)) !== decodeName(item.name)) return undefined
  if (start !== '' && shown.start_date !== start) return undefined
  if (kind !== 'series') return shown
  return Number(shown.post_parent) > 0
    ? readShown(run.target, `${targetAddress(run.target, kind)}/${String(shown.post_parent)}`)
    : undefined
}

export function describeKept(item: PushItem, { kept = [], isGone }: SettledItem): string | undefined {
  if (isGone) return `${describePushed(item)} was removed there, and stays so.`
  return kept.length === 0
    ? undefined
    : `${describePushed(item)} was changed there as well, which stays: ${kept.join(', ')}`
}
