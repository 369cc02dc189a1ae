import { formatUtc } from '../../../base/text/moments.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import type { RawValues } from '../../../calendar/declare/parse.ts'
import {
  findLastSaved,
  findUnsavedRow,
  keepUnsaved,
  removeUnsaved,
  selectUnsaved,
  trimUnsaved,
} from '../desk-rows.ts'
import type { UnsavedTextColumns } from '../desk-tables.ts'

// Text that a user has typed but not saved, stored apart from the record and visible only to that user.

/** In bytes of JSON. */
const MOST_BYTES = 200_000
/** In seconds: the shortest time between two stored texts of a user. */
const PAUSE_S = 5
const LONGEST_FORM = 64
/** Per user; a further text replaces the oldest. */
const MOST_TEXTS = 100

export interface UnsavedText {
  kind: string
  /** 0 for a record not created yet. */
  record: number
  form: string
  /** Version that the form showed; a later one means that somebody has changed the record since. */
  version: number
  values: RawValues
  saved_utc: string
}

export type Unsaved = Pick<UnsavedText, 'kind' | 'record' | 'form' | 'version' | 'values'>

/**
 * Stores what the caller has typed. Refuses a text that is too large, and unless `isLast`, one within
 * `PAUSE_S` of the caller's previous text.
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

/** The caller's unsaved text for a record (0: not created yet); without `form`, the latest of all forms. */
export async function findUnsavedText(
  { caller, db }: Context,
  kind: string,
  record: number,
  form?: string,
): Promise<UnsavedText | undefined> {
  const row = await findUnsavedRow(db, { user: caller.id, kind, record, form })
  return row && readUnsaved(row)
}

/** The caller's unsaved texts, latest first. */
export async function listUnsavedTexts({ caller, db }: Context): Promise<UnsavedText[]> {
  return (await selectUnsaved(db, caller.id)).map(readUnsaved)
}

const readUnsaved = ({ user: _user, values, ...row }: UnsavedTextColumns): UnsavedText => ({
  ...row,
  values: JSON.parse(values),
})

export function discardUnsavedText(
  { caller, write }: Context,
  kind: string,
  record: number,
  form = '',
): Promise<void> {
  return write((tx) => removeUnsaved(tx, { user: caller.id, kind, record, form }))
}
