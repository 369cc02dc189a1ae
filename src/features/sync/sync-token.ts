import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import type { Cursor } from '../../store/storage/database.ts'
import type { ChangeColumns } from '../../store/storage/schema.ts'
import { type ChangePlace, isCursor } from './changed-since.ts'

export interface SyncScope {
  kinds: readonly string[]
  filters: Readonly<Record<string, unknown>>
  /** Key of the caller (see `readerOf`), the only one for whom the token works: each sees other records. */
  reader: string
}

export interface SyncPlace {
  step: number
  id: number
  change?: ChangePlace | undefined
}

export interface SyncToken {
  edition: string
  scope: SyncScope
  /** Undefined on a first walk, over every record. */
  from: Cursor | undefined
  /** Undefined in a `sync_token`: the next walk ends where the log does then. */
  to: Cursor | undefined
  place: SyncPlace
}

export const START: SyncPlace = { step: 0, id: 0 }

export function writeToken({ edition, scope, from = '', to = '', place }: SyncToken): string {
  const { step, id, change } = place
  const { kinds, filters, reader } = scope
  const at = change ? [change.position, change.kind, change.record] : []
  return Buffer.from(JSON.stringify([edition, kinds, filters, reader, from, to, step, id, ...at])).toString(
    'base64url',
  )
}

export function readToken(text: string): SyncToken | undefined {
  const value = parsedJson(Buffer.from(text, 'base64url'))
  if (!Array.isArray(value)) return undefined
  const [edition, kinds, filters, reader, from, to, step, id, ...at] = value as unknown[]
  if (!isText(edition) || !isText(reader) || !isText(from) || !isText(to)) return undefined
  if (!Array.isArray(kinds) || !kinds.every(isText) || !isRecord(filters)) return undefined
  if (!isCount(step) || !isCount(id) || [from, to].some((cursor) => cursor !== '' && !isCursor(cursor)))
    return undefined
  const change = readPlace(at)
  if (at.length > 0 && !change) return undefined
  return {
    edition,
    scope: { kinds, filters, reader },
    from: from || undefined,
    to: to || undefined,
    place: { step, id, change },
  }
}

function readPlace([position, kind, record]: readonly unknown[]): ChangePlace | undefined {
  if (!isText(position) || !/^\d{1,18}$/.test(position) || !isText(kind) || !isCount(record)) return undefined
  return { position, kind: kind as ChangeColumns['kind'], record }
}

const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0')
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < 2 ** 31
