import type { Site } from '../../base/config.ts'
import { Problem } from '../../base/problems.ts'
import { canonicalSlug } from '../../base/text/slugs.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findEvent } from '../../calendar/events/event-store.ts'
import { imageUrl } from '../../calendar/images/images.ts'
import { findLinked } from '../../calendar/linked/linked-store.ts'
import { organizerRules } from '../../calendar/linked/organizer.ts'
import { recordPath } from '../../calendar/linked/record-present.ts'
import { venueRules } from '../../calendar/linked/venue.ts'
import { mayRead } from '../../calendar/people/caller.ts'
import { findIdBySlug, findKind } from '../../calendar/records/record-store.ts'
import type { Db } from '../../store/storage/database.ts'
import { wasPublic } from '../../store/storage/history.ts'
import { type PagedKind, type RecordColumns, TABLE_OF } from '../../store/storage/schema.ts'
import { findByOldImagePath, namesOfImage, sizeInName } from './old-images.ts'
import { findByOldSlug, mayBeOldPath } from './old-paths.ts'
import { findByOldId, findByOldPath, hadListAt, type Paged } from './origins.ts'
import { type PageAddress, readOldLists, readPageAddress, rootOf, splitFeed } from './page-addresses.ts'
import { movedTo, type PageAnswer } from './page-answer.ts'
import type { Pages } from './page-ground.ts'

const LINKED = { venue: venueRules, organizer: organizerRules }

/** The record with this slug, if there is one that the caller may see. */
export async function findPublic(
  context: Context,
  kind: PagedKind,
  slug: string,
): Promise<RecordColumns | undefined> {
  const id = await findIdBySlug(context, TABLE_OF[kind], slug)
  return id === undefined ? undefined : readPublic(context, kind, id)
}

async function readPublic(context: Context, kind: PagedKind, id: number): Promise<RecordColumns | undefined> {
  const row =
    kind === 'event' ? await findEvent(context.db, id) : await findLinked(context.db, LINKED[kind], id)
  return row && row.status !== 'trash' && mayRead(context.caller, row) ? row : undefined
}

/**
 * Redirects to the record that last had this slug, had this path at a moved source, or has this number.
 * @throws Problem event-no-longer-available for a record that is gone, else rest-event-not-found
 */
export async function missingRecord(context: Context, kind: PagedKind, slug: string): Promise<PageAnswer> {
  const id = await findByOldSlug(context.db, kind, canonicalSlug(slug))
  if (id !== undefined) return formerAddress(context, kind, id)
  const moved = await findByOldPath(context.db, `${rootOf(context.site)}/${kind}/${slug}`)
  if (moved) return pageOfRecord(context, moved)
  if (/^\d{1,10}$/.test(slug)) return numberedRecord(context, Number(slug))
  throw new Problem('rest-event-not-found')
}

async function formerAddress(context: Context, kind: PagedKind, id: number): Promise<PageAnswer> {
  const row = await readPublic(context, kind, id)
  if (!row) throw new Problem('event-no-longer-available')
  return toRecord(context, kind, row)
}

/**
 * Redirects to the record with this id: one of a moved source if there is any, else one of this calendar.
 * @throws Problem event-no-longer-available for a record that is gone, else rest-event-not-found
 */
export async function numberedRecord(context: Context, id: number): Promise<PageAnswer> {
  const moved = await findByOldId(context.db, id)
  if (moved) return pageOfRecord(context, moved)
  const kind = await findKind(context.db, id)
  if (kind === undefined || kind === 'image' || kind === 'series') throw new Problem('rest-event-not-found')
  return pageOfRecord(context, { kind, id })
}

/** True if the path may be an old one of a moved source; only false is certain. */
export function mayHaveMoved({ oldPaths, memory }: Pages, site: Site, db: Db, path: string): boolean {
  const mayBe = (one: string) => mayBeOldPath(oldPaths, memory, db, rootOf(site) + one)
  const feed = splitFeed(path)
  return (
    namesOfImage(path).some(mayBe) ||
    (feed !== undefined && mayBe(feed.page)) ||
    readOldLists(path, site).some(({ list }) => mayBe(list))
  )
}

/**
 * Redirects old paths of a moved source's pages, feeds, lists and images.
 * @throws Problem event-no-longer-available for a record that is gone, rest-event-not-found for other paths
 */
export async function oldPage(
  pages: Pages,
  context: Context,
  path: string,
  query: URLSearchParams,
): Promise<PageAnswer> {
  const { db, site } = context
  const root = rootOf(site)
  if (!mayHaveMoved(pages, site, db, path)) throw new Problem('rest-event-not-found')
  const moved = await findByOldPath(db, root + path)
  if (moved) {
    const page = await pageOfRecord(context, moved)
    return query.has('feed') ? byQuery(context, page, query) : page
  }
  const feed = splitFeed(path)
  const fed = feed && (await findByOldPath(db, root + feed.page))
  if (feed && fed) return feedOfPage(await pageOfRecord(context, fed), feed.ending)
  for (const { list, to } of readOldLists(path, site))
    if (mayBeOldPath(pages.oldPaths, pages.memory, db, root + list) && (await hadListAt(db, root + list)))
      return byQuery(context, movedTo(site, to), query)
  const image = await findByOldImagePath(db, root + path)
  if (image)
    return { ...movedTo(site, ''), location: imageUrl(image, context.images.mediaUrl, sizeInName(path)) }
  throw new Problem('rest-event-not-found')
}

function byQuery({ site }: Context, page: PageAnswer, query: URLSearchParams): PageAnswer {
  const asked = readPageAddress(page.location?.slice(rootOf(site).length) ?? '', query, site)
  return asked.is === 'moved' && asked.byQuery ? movedTo(site, asked.to) : page
}

function feedOfPage(page: PageAnswer, ending: string): PageAnswer {
  return { ...page, location: `${page.location?.replace(/\/$/, '')}.${ending}` }
}

/** Redirects an old path with a date to the occurrence on that day, or else to the event with the slug. */
export async function datedPage(
  context: Context,
  { slug, day }: Extract<PageAddress, { is: 'dated' }>,
  path: string,
): Promise<PageAnswer> {
  const moved = await findByOldPath(context.db, rootOf(context.site) + path)
  if (moved) return pageOfRecord(context, moved)
  const date = await findPublic(context, 'event', `${slug}-${day}`)
  return date ? toRecord(context, 'event', date) : movedTo(context.site, `/event/${slug}/`)
}

async function pageOfRecord(context: Context, { kind, id }: Paged): Promise<PageAnswer> {
  const row = await readPublic(context, kind, id)
  if (row) return toRecord(context, kind, row)
  throw new Problem(
    (await wasPublic(context.db, kind, id)) ? 'event-no-longer-available' : 'rest-event-not-found',
  )
}

const toRecord = ({ site }: Context, kind: PagedKind, row: RecordColumns): PageAnswer =>
  movedTo(site, recordPath(site, kind, row))
