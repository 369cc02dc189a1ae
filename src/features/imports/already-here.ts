import { type RecordState, readStates } from '../../calendar/history/record-states.ts'
import type { Db } from '../../store/storage/database.ts'
import { hasEvents, NOT_THE_SAME } from './hold-source.ts'
import { ImportError, message } from './import-messages.ts'
import type { ImportRun } from './import-run.ts'
import { findElsewhere, findItems } from './import-store.ts'
import { type ItemKind, type SourceItem, standsAlone } from './source-item.ts'

/**
 * Finds items that are records of this calendar read back, for example from its feed: their page is here,
 * with the same id or UID. Leaves out items imported from the source before.
 */
export async function findOwn(
  { source, context: { db, site } }: Pick<ImportRun, 'source' | 'context'>,
  items: readonly SourceItem[],
): Promise<Set<SourceItem>> {
  const asked = items.flatMap((item) => {
    const place = standsAlone(item.kind) ? placeHere(item.page ?? '', site.url) : undefined
    return place ? [{ item, ...place }] : []
  })
  if (asked.length === 0) return new Set()
  const names = await findNames(db, asked)
  const own = asked.flatMap(({ item, place }) => (names.get(place)?.has(item.identity) ? [item] : []))
  const known = new Set<string>()
  for (const kind of ['event', 'series'] as const) {
    const identities = own.map(({ identity }) => identity)
    const rows = source === undefined ? [] : await findItems(db, source, kind, identities)
    for (const { identity } of rows) known.add(identity)
  }
  return new Set(own.filter(({ identity }) => !known.has(identity)))
}

/** A page of this calendar: an event by slug (by id until published), a series by id. */
interface Place {
  place: string
  slug: string
  event: number
  series: number
}

function placeHere(page: string, site: string): Place | undefined {
  if (!page.startsWith(`${site}/`)) return undefined
  const path = page.slice(site.length)
  const [numbered, id] = /^\/\?post_type=\w{1,100}&p=(\d{1,9})$/.exec(path) ?? []
  if (numbered !== undefined) return { place: numbered, slug: numbered, event: Number(id), series: 0 }
  const [place, kind, slug = ''] = /^\/(event|series)\/([^/?#]{1,500})/.exec(path) ?? []
  if (place === undefined) return undefined
  return { place, slug, event: 0, series: kind === 'series' ? Number(/\d{1,9}$/.exec(slug)?.[0] ?? 0) : 0 }
}

async function findNames(db: Db, places: readonly Place[]): Promise<Map<string, Set<string>>> {
  const slugs = places.map(({ slug }) => slug)
  const numbers = places.map(({ event }) => event)
  const ids = places.map(({ series }) => series)
  const [events, series] = await Promise.all([
    db
      .selectFrom('events')
      .leftJoin('series', 'series.id', 'events.series')
      .select(['events.slug', 'events.id', 'events.uid', 'events.series', 'series.uid as series_uid'])
      .where((row) => row.or([row('events.slug', 'in', slugs), row('events.id', 'in', numbers)]))
      .execute(),
    db.selectFrom('series').select(['id', 'uid']).where('id', 'in', ids).execute(),
  ])
  const bySlug = Map.groupBy(events, ({ slug }) => slug)
  const byNumber = Map.groupBy(events, ({ id }) => id)
  const byId = Map.groupBy(series, ({ id }) => id)
  const names = new Map<string, Set<string>>()
  for (const { place, slug, event, series: id } of places) {
    const single = event === 0 ? bySlug.get(slug) : byNumber.get(event)
    const found: readonly object[] = (id === 0 ? single : byId.get(id)) ?? []
    names.set(place, new Set(found.flatMap((called) => Object.values(called).map(String))))
  }
  return names
}

export interface UidHolder {
  kind: 'series' | 'event'
  id: number
  address: string | undefined
  /** True if the record is in the trash: it may be restored with its UID, so the item gets another. */
  isTrashed: boolean
}

/**
 * Finds records with the UID of an item, which no two events of a feed may share. Leaves out `own`, and a
 * record that the item replaces because the event has begun or ceased to repeat.
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
  const sources = new Map(
    (await findElsewhere(context.db, source, identities)).map((row) => [row.record, row.address]),
  )
  const holders = new Map<SourceItem, UidHolder>()
  for (const { item, uid } of held) {
    const holder = named.get(uid)
    if (!holder || (replaced.has(item.identity) && !holder.isTrashed)) continue
    holders.set(item, { ...holder, address: sources.get(holder.id) })
  }
  return holders
}

interface Named {
  kind: 'series' | 'event'
  id: number
  isTrashed: boolean
}

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

/** Refuses a source without imported events if half of its first `events` came from another. @throws Error */
export async function refuseDoubled(
  { source, context: { db } }: Pick<ImportRun, 'source' | 'context'>,
  events: readonly SourceItem[],
): Promise<void> {
  if (events.length === 0 || (source !== undefined && (await hasEvents(db, source)))) return
  const rows = await findElsewhere(
    db,
    source,
    events.map(({ identity }) => identity),
  )
  const states = new Map<string, RecordState>()
  for (const kind of ['event', 'series'] as const) {
    const records = rows.flatMap((row) => (row.kind === kind ? [row.record] : []))
    for (const [record, state] of await readStates(db, kind, records)) states.set(`${kind} ${record}`, state)
  }
  const known = Map.groupBy(rows, ({ kind, identity }) => `${kind} ${identity}`)
  const same = events.flatMap((item) => {
    const own = known.get(`${item.kind} ${item.identity}`) ?? []
    return own.find(({ kind, record }) => isSame(item, states.get(`${kind} ${record}`))) ?? []
  })
  if (same.length * 2 < events.length) return
  const address = same[0]?.address ?? ''
  const counts = { same: `${same.length}`, events: `${events.length}` }
  throw new ImportError([
    message('{same} of the first {events} events are here already, from {address}.', { ...counts, address }),
    message("If it is the same calendar under another address, go on with --same-as '{address}';", {
      address,
    }),
    message('if it is another one that shares events, with --same-as {word}.', { word: NOT_THE_SAME }),
  ])
}

/** True if the item is the record of its identity: it has a UID, or title and day agree, as ids may clash. */
function isSame({ uid, values }: SourceItem, state: RecordState | undefined): boolean {
  if (!state || state.status === 'trash') return false
  const day = String(values.start_date).slice(0, 10)
  return uid !== undefined || (state.title === values.title && String(state.start_date).startsWith(day))
}
