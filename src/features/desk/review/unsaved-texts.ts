import { formatUtc } from '../../../base/text/moments.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import type { RawValues } from '../../../calendar/declare/parse.ts'
import type { UnsavedTextColumns } from '../../../store/storage/schema.ts'
import {
  findLastSaved,
  findUnsavedRow,
  keepUnsaved,
  removeUnsaved,
  selectUnsaved,
  trimUnsaved,
} from '../desk-rows.ts'

// Keeps the text that somebody is writing beside the record, for them alone, and finds it when they come
// back. It never becomes part of the record by itself.

/** The most bytes of one text, as JSON. */
const MOST_BYTES = 200_000
/** The least seconds between two texts that are kept of one user. */
const PAUSE_S = 5
/** The most characters of the name of a form. */
const LONGEST_FORM = 64
/** The most texts kept of one user; beyond them the oldest are removed. */
const MOST_TEXTS = 100

/** A text that was not saved. */
export interface UnsavedText {
  kind: string
  /** 0 for a record that is still to be made. */
  record: number
  /**
   * The form that it was typed in, as several may be open of one record; empty where the form has no name.
   */
  form: string
  /**
   * The version of the record that the form showed. Where the record has another one now, somebody has
   * changed it since.
   */
  version: number
  values: RawValues
  saved_utc: string
}

/** The values in a form, and the record that they are of; 0 for a record that is still to be made. */
export type Unsaved = Pick<UnsavedText, 'kind' | 'record' | 'form' | 'version' | 'values'>

/**
 * Keeps the text that the caller is writing. Refuses one that is too large, and one within five seconds of
 * another unless no other follows (`isLast`).
 */
export async function keepUnsavedText(
  { caller, write, now }: Context,
  { values, ...place }: Unsaved,
  isLast = false,
): Promise<'kept' | 'too large' | 'too soon'> {
  const json = JSON.stringify(values)
  if (Buffer.byteLength(json) > MOST_BYTES || place.form.length > LONGEST_FORM) return 'too large'
  const row: UnsavedTextColumns = { user: caller.id, ...place, values: json, saved_utc: formatUtc(now) }
  return write(async (tx) => {
    const { rows, last } = await findLastSaved(tx, caller.id)
    if (!isLast && last !== null && last > formatUtc(now - PAUSE_S * 1000)) return 'too soon'
    await keepUnsaved(tx, row)
    if (rows >= MOST_TEXTS) await trimUnsaved(tx, caller.id, MOST_TEXTS)
    return 'kept'
  })
}

/**
 * Finds the text that the caller typed in this form of a record, or without a form the latest of all its
 * forms. Record 0 stands for new records.
 */
export async function findUnsavedText(
  { caller, db }: Context,
  kind: string,
  record: number,
  form?: string,
): Promise<UnsavedText | undefined> {
  const row = await findUnsavedRow(db, { user: caller.id, kind, record, form })
  return row && readUnsaved(row)
}

/** Lists all unsaved texts of the caller, the latest first. */
export async function listUnsavedTexts({ caller, db }: Context): Promise<UnsavedText[]> {
  return (await selectUnsaved(db, caller.id)).map(readUnsaved)
}

const readUnsaved = ({ user: _user, values, ...row }: UnsavedTextColumns): UnsavedText => ({
  ...row,
  values: JSON.parse(values),
})

/** Removes an unsaved text that the caller does not want. */
export function discardUnsavedText(
  { caller, write }: Context,
  kind: string,
  record: number,
  form = '',
): Promise<void> {
  return write((tx) => removeUnsaved(tx, { user: caller.id, kind, record, form }))
}
