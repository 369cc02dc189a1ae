import type { Db } from '../storage/database.ts'
import type { ImportRun } from './import-run.ts'
import { findItems } from './import-store.ts'
import { type SourceItem, standsAlone } from './source-item.ts'

/**
 * The events and series among these items that come from this calendar itself, through its own feeds or lists: their pages are here, with the id or
 * UID that the source gives, and no earlier run of the source has made them.
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

/** The record on a page of this calendar: an event by its slug or, while it is not published, its number; or a series by its number. */
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

/** The names that a source may use for the records at these places: their ids and UIDs, and those of the series of an event. */
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
