import type { Context } from '../context/context.ts'
import { parseFields } from '../declare/parse.ts'
import { keepUid } from '../events/event-store.ts'
import { problemReply } from '../http/problem-replies.ts'
import { isImageReference } from '../images/images.ts'
import { Problem } from '../problems.ts'
import { resources, type Served } from '../resources.ts'
import type { Tx } from '../storage/recording.ts'
import { type ImportRun, PATHS } from './import-run.ts'
import { type ItemKind, type ItemLinks, keyOf, type SourceItem } from './source-item.ts'

/** An item ready to be written: everything that waits for the outside has been done. */
export interface PreparedItem {
  item: SourceItem
  /** The record to change; undefined for one to be made. */
  record: number | undefined
  /** What the operations of the resource have prepared. */
  prepared: unknown
  /** The fields of the source that are written. Others could not be, and are tried again the next time. */
  fields: ReadonlySet<string>
  /** The context that its image was fetched in. */
  context: Context
}

const byPath = new Map(resources.map((served) => [served.resource.path, served]))

/** The resource of a kind. */
export function servedOf(kind: ItemKind): Served {
  const served = byPath.get(PATHS[kind])
  if (!served) throw new Error(`There is no resource ${PATHS[kind]}.`)
  return served
}

/** The kinds of the records that links lead to. */
const LINKED: Readonly<Record<keyof ItemLinks, ItemKind>> = {
  venue: 'venue',
  organizer: 'organizer',
  categories: 'category',
  tags: 'tag',
  parent: 'category',
}

export const linkNames = [
  'venue',
  'organizer',
  'categories',
  'tags',
  'parent',
] as const satisfies readonly (keyof ItemLinks)[]

/** Every identity that an item refers to, with its kind. */
export function* referencesOf({ links }: SourceItem): Generator<{ kind: ItemKind; identity: string }> {
  for (const name of linkNames) for (const identity of links[name] ?? []) yield { kind: LINKED[name], identity }
}

/** The fields of an item in the shape that they are compared in. */
export function fieldsOf({ values, links, image }: SourceItem): Readonly<Record<string, unknown>> {
  return image === undefined ? { ...values, ...links } : { ...values, ...links, image }
}

/** The records that a link of an item leads to, those of unknown ones left out. */
function linkedIds(run: ImportRun, name: keyof ItemLinks, identities: readonly string[]): number[] {
  return identities.flatMap((identity) => run.links.get(keyOf(LINKED[name], identity)) ?? [])
}

/**
 * Validates the fields of an item and fetches its image. `wanted` are the fields to write, or all of a new record.
 * @throws Problem
 */
export async function prepareItem(
  run: ImportRun,
  item: SourceItem,
  record: number | undefined,
  wanted: ReadonlySet<string> | undefined,
): Promise<PreparedItem> {
  const { resource, operations } = servedOf(item.kind)
  // An image is fetched once for each request, and an item is like one.
  const context = { ...run.context }
  const isWanted = (name: string) => wanted === undefined || wanted.has(name)
  const fields = new Set(Object.keys(item.values).filter(isWanted))
  const raw: Record<string, unknown> = {}
  for (const name of fields) raw[name] = item.values[name]
  for (const name of linkNames) {
    const identities = item.links[name]
    if (identities === undefined || !isWanted(name)) continue
    const ids = linkedIds(run, name, identities)
    if (ids.length === identities.length) fields.add(name)
    else if (record !== undefined) continue
    // Those that a dry run would make have no ids.
    raw[name] = name === 'parent' ? (ids[0] ?? 0) : ids.filter((id) => id > 0)
  }
  if (item.image !== undefined && isWanted('image') && (await isThere(run, item, item.image, context))) {
    raw.image = item.image
    fields.add('image')
  }
  const extent = record === undefined ? 'whole' : 'partial'
  const values = await parseFields(resource.fields, raw, context, { extent, mayAsk: true })
  return { item, record, prepared: await prepareWrite(operations, context, record, values), fields, context }
}

async function prepareWrite(
  { create, update, locate }: Served['operations'],
  context: Context,
  record: number | undefined,
  values: object,
): Promise<unknown> {
  if (record === undefined) return create.prepare(context, values)
  const row = await locate(context, { id: record })
  if (row === undefined) throw new Problem('rest_post_invalid_id')
  return update.prepare(context, { row, values })
}

/** Whether the image of an item can be had. It is fetched here, and the write of the item finds it fetched. */
async function isThere(run: ImportRun, { at }: SourceItem, image: string, context: Context): Promise<boolean> {
  if (image === '') return true
  if (run.options.dryRun) return false
  if (await isImageReference(image, context)) return true
  run.remark({ kind: 'note', at, text: `Its image could not be fetched: ${image}` })
  return false
}

/** Writes a prepared item; returns the id of its record, and whether the record is new. @throws Problem */
export async function writeItem(
  run: ImportRun,
  tx: Tx,
  { item, record, prepared }: PreparedItem,
): Promise<{ id: number; isNew: boolean }> {
  const { create, update } = servedOf(item.kind).operations
  if (record !== undefined) {
    await update.write(tx, prepared, run.context)
    return { id: record, isNew: false }
  }
  try {
    const id = idOf(await create.write(tx, prepared, run.context))
    if (item.uid !== undefined) await keepUid(tx, id, item.uid)
    // One of the same name may have been there, which is taken in its place.
    const recorded = tx.recording.changes.get(
      `${item.kind === 'category' || item.kind === 'tag' ? 'term' : item.kind} ${id}`,
    )
    return { id, isNew: recorded?.act?.action === 'create' }
  } catch (error) {
    if (error instanceof Problem && error.code === 'term_exists')
      return { id: Number(error.details.data?.term_id), isNew: false }
    throw error
  }
}

function idOf(made: object): number {
  return 'id' in made ? Number(made.id) : 0
}

/** Why an item could not be written, in words. */
export function reasonOf(run: ImportRun, error: unknown): string {
  if (!(error instanceof Problem)) return error instanceof Error ? error.message : String(error)
  const { message, data } = problemReply(error, run.context.site.language, true).body
  const { params } = data
  const named = params !== null && typeof params === 'object' && !Array.isArray(params) ? Object.entries(params) : []
  return named.length === 0 ? message : named.map(([name, text]) => `${name}: ${String(text)}`).join(' ')
}

/** Moves a record to the trash, or removes a term. @throws Problem */
export async function trashRecord(tx: Tx, context: Context, kind: ItemKind, record: number): Promise<void> {
  const { locate, remove } = servedOf(kind).operations
  const here = { ...context, db: tx }
  const row = await locate(here, { id: record })
  if (row === undefined) throw new Problem('rest_post_invalid_id')
  await remove.write(tx, await remove.prepare(here, row), here)
}
