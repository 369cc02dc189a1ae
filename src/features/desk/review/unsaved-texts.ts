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

// Keeps the text that somebody is writing beside the record, for them alone.

/** JSON. */
const MOST_BYTES = 200_000
/** Seconds between two texts that one user saves. */
const PAUSE_S = 5
const LONGEST_FORM = 64
/** Maximum for a user; a further one removes the oldest. */
const MOST_TEXTS = 100

export interface UnsavedText {
  kind: string
  /** 0 for a new record. */
  record: number
  /** Several may be open of one record; empty for a form without a name. */
  form: string
  /** If the record has another version, somebody has changed it since. */
  version: number
  values: RawValues
  saved_utc: string
}

/** 0 for a new record. */
export type Unsaved = Pick<UnsavedText, 'kind' | 'record' | 'form' | 'version' | 'values'>

/** Refuses one that is too large, and one within five seconds of another unless it is the last (`isLast`). */
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

/** Without a form, finds the latest of all. Record 0 stands for new ones. */
export async function findUnsavedText(
  { caller, db }: Context,
  kind: string,
  record: number,
  form?: string,
): Promise<UnsavedText | undefined> {
  const row = await findUnsavedRow(db, { user: caller.id, kind, record, form })
  return row && readUnsaved(row)
}

/** The latest first. */
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
