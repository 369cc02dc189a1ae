import type { Asking } from '../declare/asking.ts'
import { isEmpty, isNamedRecord, listEntries, readInteger } from '../declare/kinds.ts'
import type { Fields } from '../declare/resource.ts'
import type { RecordTable } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { findIdBySlug, findKind, forEachTable, isPossibleId } from './record-store.ts'

/** The kinds of record that events link to. */
export type LinkedKind = 'venue' | 'organizer'

const TABLES = { venue: 'venues', organizer: 'organizers' } as const satisfies Record<LinkedKind, RecordTable>

/** Validates the id a record is addressed by. */
export function isIdOf(kind: LinkedKind) {
  return async (value: unknown, asking: Asking): Promise<boolean> => {
    const id = readInteger(value)
    return id !== undefined && (await findKind(asking.db, id)) === kind
  }
}

/** Validates the slug a record is addressed by. */
export function isSlugOf(kind: LinkedKind) {
  return async (value: unknown, asking: Asking): Promise<boolean> =>
    (await findIdBySlug(asking.db, TABLES[kind], String(value))) !== undefined
}

/** Validates a filter: every entry is the id of a record of this kind, in any status (contract 4.7). */
export function areRecordsOf(kind: LinkedKind) {
  return async (value: unknown, asking: Asking): Promise<boolean> => {
    for (const entry of listEntries(value) ?? []) {
      const id = readInteger(entry)
      if (id === undefined || (await findKind(asking.db, id)) !== kind) return false
    }
    return true
  }
}

/** Venues or organizers one event can have, since each is looked up before it is known whether the caller may write at all. */
const MOST_LINKS = 100

/** One entry of an event's `venue` or `organizer`: a record that exists, or the fields of one to make. */
export type LinkEntry = { id: number } | { fields: Record<string, unknown> }

/**
 * The entries of what was sent as an event's venue or organizers (contract 0.3.3): an id, numeric text, comma-separated ids, a record with
 * an id, a record of fields, or a list of these. Empty for the empty values; undefined for anything else.
 */
export function linkEntries(value: unknown): LinkEntry[] | undefined {
  if (isEmpty(value)) return []
  if (isNamedRecord(value)) return allKnown([recordEntry(value)])
  const entries = typeof value === 'boolean' ? undefined : listEntries(value)
  if (!entries || entries.length > MOST_LINKS) return undefined
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

/** Validates an event's venue or organizers: known records that are not in the trash, or fields that would make one (defect 16). */
export function areLinks(kind: LinkedKind, fields: Fields) {
  return async (value: unknown, asking: Asking): Promise<boolean> => {
    const entries = linkEntries(value)
    if (!entries) return false
    const ids = entries.flatMap((entry) => ('id' in entry ? [entry.id] : []))
    if (!(await areLinkable(kind, ids, asking))) return false
    for (const entry of entries) {
      if ('fields' in entry && !(await areFieldsOf(fields, kind, entry.fields, asking))) return false
    }
    return true
  }
}

const selectLinkable = forEachTable((table) =>
  statement<{ ids: number[] }>()((db, value) =>
    db.selectFrom(table).select('id').where('id', 'in', value('ids')).where('status', '!=', 'trash'),
  ),
)

async function areLinkable(kind: LinkedKind, ids: readonly number[], asking: Asking): Promise<boolean> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return true
  if (!wanted.every(isPossibleId)) return false
  const rows = await selectLinkable[TABLES[kind]](asking.db, { ids: wanted })
  return rows.length === wanted.length
}

async function areFieldsOf(
  fields: Fields,
  name: string,
  record: Record<string, unknown>,
  asking: Asking,
): Promise<boolean> {
  if (typeof record[name] !== 'string' || record[name].trim() === '') return false
  for (const [key, field] of Object.entries(fields)) {
    const value = record[key]
    if (value === undefined || value === null) continue
    if (field.kind.valid && !(await field.kind.valid(value, asking))) return false
    if (field.valid && (await field.valid(value, asking)) !== true) return false
    if (field.kind.read(value) === undefined) return false
  }
  return true
}
