import { isEmpty, isNamedRecord, listEntries, readInteger } from '../../base/fields/kinds.ts'
import type { Db } from '../../store/storage/database.ts'
import type { RecordTable } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'
import type { Context, ValueContext } from '../declare/context.ts'
import type { Fields } from '../declare/resource.ts'
import { findIdBySlug, findKind, findKinds, forEachTable, isPossibleId } from '../records/record-store.ts'

// References to venues and organizers in events and filters, and their checks.

/** The kinds of record that events link to. */
export type LinkedKind = 'venue' | 'organizer'

const TABLES = { venue: 'venues', organizer: 'organizers' } as const satisfies Record<LinkedKind, RecordTable>

/** Validates the id a record is addressed by. */
export function isIdOf(kind: LinkedKind) {
  return async (value: unknown, context: Context): Promise<boolean> => {
    const id = readInteger(value)
    return id !== undefined && (await findKind(context.db, id)) === kind
  }
}

/** Validates the slug a record is addressed by. */
export function isSlugOf(kind: LinkedKind) {
  return async (value: unknown, context: Context): Promise<boolean> =>
    (await findIdBySlug(context, TABLES[kind], String(value))) !== undefined
}

/** Validates a filter: every entry is the id of a record of this kind, in any status (rule 13.3). */
export function areRecordsOf(kind: LinkedKind) {
  return async (value: unknown, context: Context): Promise<boolean> => {
    const ids = new Set(listEntries(value)?.map(readInteger))
    const wanted = [...ids].filter((id) => id !== undefined).filter(isPossibleId)
    if (wanted.length < ids.size) return false
    const kinds = await findKinds(context.db, wanted)
    return kinds.length === wanted.length && kinds.every((found) => found === kind)
  }
}

/** One entry of an event's `venue` or `organizer`: a record that exists, or the fields of one to make. */
export type LinkEntry = { id: number } | { fields: Record<string, unknown> }

/**
 * The entries of an event's venue or organizers as sent (rule 21.1): an id, numeric text, comma-separated ids, a record with
 * an id, a record of fields, or a list of these. Empty for the empty values; undefined for anything else.
 */
export function linkEntries(value: unknown): LinkEntry[] | undefined {
  if (isEmpty(value)) return []
  if (isNamedRecord(value)) return allKnown([recordEntry(value)])
  const entries = typeof value === 'boolean' ? undefined : listEntries(value)
  if (!entries) return undefined
  // A form that clears a list sends it with one empty entry.
  const filled = entries.filter((entry) => entry !== '')
  return allKnown(filled.map((entry) => (isNamedRecord(entry) ? recordEntry(entry) : idEntry(entry))))
}

function recordEntry(record: Record<string, unknown>): LinkEntry | undefined {
  return record.id === undefined || record.id === null || record.id === '' ? { fields: record } : idEntry(record.id)
}

function idEntry(value: unknown): LinkEntry | undefined {
  const id = readInteger(value)
  return id === undefined || id <= 0 ? undefined : { id }
}

function allKnown(entries: (LinkEntry | undefined)[]): LinkEntry[] | undefined {
  return entries.every((entry): entry is LinkEntry => entry !== undefined) ? entries : undefined
}

/** Validates an event's venue or organizers without looking anything up: ids that records can have, or the fields of a new record. */
export function areLinks(kind: LinkedKind, fields: Fields) {
  return (value: unknown, context: ValueContext): boolean => {
    const entries = linkEntries(value)
    return (
      entries?.every((entry) =>
        'id' in entry ? isPossibleId(entry.id) : areFieldsOf(fields, kind, entry.fields, context),
      ) === true
    )
  }
}

/** Looks up an event's venue or organizers: known records that are not in the trash, and the references in the fields of new ones (rule 21.1). */
export function areLinkable(kind: LinkedKind, fields: Fields) {
  return async (value: unknown, context: Context): Promise<boolean> => {
    const entries = linkEntries(value) ?? []
    const ids = entries.flatMap((entry) => ('id' in entry ? [entry.id] : []))
    if (!(await areThere(context.db, kind, ids))) return false
    for (const entry of entries) {
      if ('fields' in entry && !(await areFieldsLinkable(fields, entry.fields, context))) return false
    }
    return true
  }
}

const selectLinkable = forEachTable((table) =>
  statement<{ ids: number[] }>()((db, value) =>
    db.selectFrom(table).select('id').where('id', 'in', value('ids')).where('status', '!=', 'trash'),
  ),
)

/** Whether events may link to all of these records: they are there, and not in the trash (rule 21.1). */
export async function areThere(db: Db, kind: LinkedKind, ids: readonly number[]): Promise<boolean> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return true
  const rows = await selectLinkable[TABLES[kind]](db, { ids: wanted })
  return rows.length === wanted.length
}

function areFieldsOf(fields: Fields, name: string, record: Record<string, unknown>, context: ValueContext): boolean {
  if (typeof record[name] !== 'string' || record[name].trim() === '') return false
  return Object.entries(fields).every(([key, field]) => {
    const value = record[key]
    if (value === undefined || value === null) return true
    if (field.kind.valid?.(value, context) === false || (field.valid?.(value, context) ?? true) !== true) return false
    return field.kind.read(value) !== undefined
  })
}

async function areFieldsLinkable(fields: Fields, record: Record<string, unknown>, context: Context): Promise<boolean> {
  for (const [key, field] of Object.entries(fields)) {
    const value = record[key]
    if (value !== undefined && value !== null && field.lookUp && !(await field.lookUp(value, context))) return false
  }
  return true
}
