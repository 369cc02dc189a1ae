import type { Db } from '../storage/database.ts'
import type { ImportRun } from './import-run.ts'
import { findElsewhere, findItems } from './import-store.ts'
import type { ItemKind, SourceItem } from './source-item.ts'

/** The record here that calendars know by the UID of a new item. */
export interface UidHolder {
  /** Its kind and number, and the source that it came from. */
  name: string
  /** It may come back from the trash: the new record takes another UID. */
  isTrashed: boolean
}

/**
 * Finds the records here with the UIDs of these new items, so that no two events of a feed have the same one. An event of this source that has begun
 * or ceased to repeat takes the place of its own record.
 * @param own ids of the records that the items have become
 */
export async function findUidHolders(
  { source, context }: Pick<ImportRun, 'source' | 'context'>,
  kind: ItemKind,
  items: readonly SourceItem[],
  own: ReadonlySet<number> = new Set(),
): Promise<Map<SourceItem, UidHolder>> {
  const asked = items.flatMap((item) => (item.uid === undefined ? [] : [{ item, uid: item.uid }]))
  if (asked.length === 0) return new Map()
  const named = await findByUid(
    context.db,
    asked.map(({ uid }) => uid),
    (record) => record.kind === kind && own.has(record.id),
  )
  const held = asked.filter(({ uid }) => named.has(uid))
  if (held.length === 0) return new Map()
  const identities = held.map(({ item }) => item.identity)
  const other = kind === 'series' ? 'event' : 'series'
  const former = source === undefined ? [] : await findItems(context.db, source, other, identities)
  const replaced = new Set(former.map(({ identity }) => identity))
  const sources = new Map((await findElsewhere(context.db, source, identities)).map((row) => [row.record, row.address]))
  const holders = new Map<SourceItem, UidHolder>()
  for (const { item, uid } of held) {
    const holder = named.get(uid)
    if (!holder || (replaced.has(item.identity) && !holder.isTrashed)) continue
    const from = sources.get(holder.id)
    const name = `${holder.kind} ${holder.id}${from === undefined ? '' : `, from ${from}`}`
    holders.set(item, { name, isTrashed: holder.isTrashed })
  }
  return holders
}

interface Named {
  kind: 'series' | 'event'
  id: number
  isTrashed: boolean
}

/** The records with these UIDs other than one's own; of several one that is not in the trash. */
async function findByUid(
  db: Db,
  uids: readonly string[],
  isOwn: (record: Pick<Named, 'kind' | 'id'>) => boolean,
): Promise<Map<string, Named>> {
  const found = new Map<string, Named>()
  for (const kind of ['event', 'series'] as const) {
    const table = kind === 'event' ? 'events' : 'series'
    const rows = await db.selectFrom(table).select(['id', 'uid', 'status']).where('uid', 'in', uids).execute()
    for (const { id, uid, status } of rows) {
      if (isOwn({ kind, id })) continue
      const isTrashed = status === 'trash'
      if (!isTrashed || !found.has(uid)) found.set(uid, { kind, id, isTrashed })
    }
  }
  return found
}
