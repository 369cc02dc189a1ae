import { keptColumns } from '../../base/fields/field.ts'
import { invalidParam, Problem } from '../../base/problems.ts'
import { fold } from '../../base/text/characters.ts'
import { foldedText } from '../../base/text/long-texts.ts'
import type { Db } from '../../store/storage/database.ts'
import { holdName } from '../../store/storage/locks.ts'
import { nextRecordId } from '../../store/storage/record-ids.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { RecordColumns } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import type { Fields } from '../declare/resource.ts'
import { linkImage, type ResolvedImage, resolveImage } from '../images/images.ts'
import { can, mayEdit, mayRead } from '../people/caller.ts'
import { type RecordValues, settleRecord, settleSlug, settleTrust, trashColumns } from '../records/record-rules.ts'
import {
  findLinked,
  findNamesakes,
  insertLinked,
  type LinkedRow,
  type LinkedType,
  type LinkedValues,
  nameOfLinked,
  updateLinked,
} from './linked-store.ts'

// Writes of venues and organizers.

/** Values of a venue or organizer ready to be written: its image has been fetched, since no transaction waits for other machines. */
export interface PreparedLinked {
  values: Record<string, unknown>
  image: ResolvedImage | undefined
}

/** A linked type together with its declared fields and the columns it settles beyond the plain ones. */
export interface LinkedRules extends LinkedType {
  fields: Fields
  /** Columns that follow from the sent values and the row before. @throws Problem rest_invalid_param */
  settle: (values: Record<string, unknown>, before: Record<string, unknown> | undefined) => Record<string, unknown>
}

export async function prepareLinked(values: Record<string, unknown>, context: Context): Promise<PreparedLinked> {
  const reference = values.image as string | number | undefined
  return { values, image: reference === undefined ? undefined : await getImage(reference, context) }
}

/** @throws Problem rest_invalid_param when the reference gives no image */
export async function getImage(reference: string | number, context: Context): Promise<ResolvedImage> {
  const image = await resolveImage(reference, context)
  if (!image) throw invalidParam('image')
  return image
}

/** Typed values of a record nested in an event, whose fields have been validated: wrong types were refused there. */
export function readNested(fields: Fields, record: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    if (record[name] !== undefined && record[name] !== null) values[name] = field.kind.read(record[name])
  }
  return values
}

/**
 * Makes a venue or organizer, or reuses one of the same name whose details all agree with the sent ones, or are empty
 * and may be filled (rule 21.3).
 * @throws Problem could-not-create-… for a blank name.
 */
export async function createLinked(
  tx: Tx,
  rules: LinkedRules,
  prepared: PreparedLinked,
  context: Context,
): Promise<{ id: number; isNew: boolean }> {
  const name = String(prepared.values[rules.kind]).trim()
  if (name === '') throw new Problem(`could-not-create-${rules.kind}`)
  const details = detailsOf(rules, prepared.values)
  const [, namesakes] = await Promise.all([holdName(tx, `${rules.kind} ${fold(name)}`), findNamesakes(tx, rules, name)])
  for (const namesake of namesakes) {
    if (await reuse(tx, rules, namesake, details, context)) return { id: namesake.id, isNew: false }
  }
  const id = await nextRecordId(tx, rules.kind)
  await writeLinked(tx, rules, id, undefined, prepared, context)
  return { id, isNew: true }
}

/** Changes the sent fields of a venue or organizer. */
export async function changeLinked(
  tx: Tx,
  rules: LinkedRules,
  row: LinkedRow,
  prepared: PreparedLinked,
  context: Context,
): Promise<void> {
  const name = prepared.values[rules.kind]
  if (typeof name === 'string' && name.trim() === '') throw new Problem(`could-not-create-${rules.kind}`)
  await writeLinked(tx, rules, row.id, row, prepared, context)
}

async function writeLinked(
  tx: Tx,
  rules: LinkedRules,
  id: number,
  before: LinkedRow | undefined,
  prepared: PreparedLinked,
  context: Context,
): Promise<void> {
  const { values } = prepared
  const record = settleRecord(context, before, values as RecordValues, 'published')
  const columns: Record<string, unknown> = {
    ...keptColumns(rules.fields, values),
    ...rules.settle(values, before && { ...before }),
  }
  const current: Record<string, unknown> = { ...before, ...columns }
  const name = String(current[rules.kind]).trim()
  const slug = await settleSlug(tx, context.caller, rules.table, { id, status: record.status, name }, before, undefined)
  const image = prepared.image === undefined ? {} : { image: await linkImage(tx, prepared.image, context) }
  const written = {
    ...columns,
    ...record,
    ...image,
    slug,
    [rules.kind]: name,
    folded: fold(name),
    search: searchLines(rules.fields, current),
    trusted: settleTrust(context, before as RecordColumns | undefined, [rules.kind, 'description'], values, {
      ...before,
    }),
  } as LinkedValues
  if (before) await updateLinked(tx, rules, before, written)
  else await insertLinked(tx, rules, id, written)
}

/** The folded texts of a record, one line each, in which searches look. */
function searchLines(fields: Fields, current: Record<string, unknown>): string {
  const texts = Object.entries(fields).flatMap(([name, field]) => {
    const value = current[name]
    return field.kind.keep && typeof value === 'string' && value !== '' ? [foldedText(value)] : []
  })
  return texts.join('\n')
}

/** The sent values that tell a record from its namesakes, without empty ones. */
function detailsOf(rules: LinkedRules, values: Record<string, unknown>): Record<string, unknown> {
  const kept = { ...keptColumns(rules.fields, values), ...rules.settle(values, undefined) }
  return Object.fromEntries(
    Object.entries(kept).filter(
      ([name, value]) => name !== rules.kind && !rules.fields[name]?.kind.isFlag && isFilled(value),
    ),
  )
}

const isFilled = (value: unknown) => value !== '' && value !== null && value !== undefined

async function reuse(
  tx: Tx,
  rules: LinkedRules,
  namesake: LinkedRow,
  details: Record<string, unknown>,
  context: Context,
): Promise<boolean> {
  const known: Record<string, unknown> = { ...namesake }
  const gaps = Object.entries(details).filter(([name]) => !isFilled(known[name]))
  const agrees = Object.entries(details).every(([name, value]) => !isFilled(known[name]) || known[name] === value)
  if (!agrees || !mayRead(context.caller, namesake)) return false
  if (gaps.length === 0) return true
  if (!mayEdit(context.caller, namesake)) return false
  const columns = Object.fromEntries(gaps) as LinkedValues
  const trusted = 'description' in columns && !can(context.caller, 'unfiltered_html') ? 0 : namesake.trusted
  const search = searchLines(rules.fields, { ...known, ...columns })
  await updateLinked(tx, rules, namesake, { ...columns, trusted, search })
  return true
}

/** Moves a venue or organizer to the trash; its links stay, so that restoring it brings it back (rule 24.3). */
export async function trashLinked(tx: Tx, rules: LinkedRules, row: LinkedRow, context: Context): Promise<void> {
  const named = { ...row, name: nameOfLinked(rules, row) }
  await updateLinked(tx, rules, row, await trashColumns(tx, rules.table, named, context))
}

/** @throws Error when the record is gone, which no request can bring about. */
export async function getLinked<Row extends LinkedRow>(db: Db, type: LinkedType, id: number): Promise<Row> {
  const row = await findLinked<Row>(db, type, id)
  if (!row) throw new Error(`${type.kind} ${id} is gone`)
  return row
}
