import { type ExpressionBuilder, sql } from 'kysely'
import { dayOf } from '../../base/text/moments.ts'
import type { Db } from '../../store/storage/database.ts'
import type { EventRow, ImportItemColumns, PagedKind, Tables } from '../../store/storage/schema.ts'

// Finds where records come from: the addresses that they had in a source that has moved here, and the
// addresses of originals that stay elsewhere.

/** A record of a kind that has pages. */
export interface Paged {
  kind: PagedKind
  id: number
}

const PAGED: readonly PagedKind[] = ['event', 'venue', 'organizer']

/**
 * The conditions of items with a page, and of items whose page is elsewhere. They are written as in the
 * indexes of pages, so that these are used.
 */
const hasPage = sql<boolean>`page <> ''`
const isAddress = sql<boolean>`page not like '/%'`

function pagedIn(row: Pick<ImportItemColumns, 'kind' | 'record'> | undefined): Paged | undefined {
  const kind = PAGED.find((paged) => paged === row?.kind)
  return kind && row && { kind, id: row.record }
}

/**
 * Finds the record that had this id in a source that has moved here; where several sources had it, the record
 * of the first source.
 */
export async function findByOldId(db: Db, id: number): Promise<Paged | undefined> {
  const moved = db.selectFrom('import_sources').select('id').where('origin', '=', 'moved')
  const row = await db
    .selectFrom('import_items')
    .select(['kind', 'record'])
    .where('source', 'in', moved)
    .where('kind', 'in', PAGED)
    .where('identity', '=', String(id))
    .where('occurrence', '=', '')
    .orderBy('source')
    .limit(1)
    .executeTakeFirst()
  return pagedIn(row)
}

/** Finds the record whose page was at this path in a source that has moved here. */
export async function findByOldPath(db: Db, path: string): Promise<Paged | undefined> {
  const page = oldPath(path)
  if (page === '') return undefined
  const row = await db
    .selectFrom('import_items')
    .select(['kind', 'record'])
    .where('page', '=', page)
    .where(hasPage)
    .where('kind', 'in', PAGED)
    .orderBy('source')
    .limit(1)
    .executeTakeFirst()
  return pagedIn(row)
}

/** The path of a page in a source that has moved here, and the kind of its record. */
export type OldPage = Pick<ImportItemColumns, 'page' | 'kind'>

/**
 * Lists the paths of pages in sources that have moved here, in order: those behind the path `after`, at most
 * `most`.
 */
export function listOldPages(db: Db, after: string, most: number): Promise<OldPage[]> {
  return pagesBelow(db, after === '' ? '/' : after, BEHIND_PATHS, most)
}

function pagesBelow(db: Db, after: string, before: string, most: number): Promise<OldPage[]> {
  return db
    .selectFrom('import_items')
    .select(['page', 'kind'])
    .where('page', '>', after)
    .where('page', '<', before)
    .where(hasPage)
    .orderBy('page')
    .limit(most)
    .execute()
}

/**
 * The endings that make the folder of a list from the folder of its events: `/show/x/` and `/shows/`,
 * `/termin/x/` and `/termine/`.
 */
const PLURALS = ['', 's', 'es', 'e', 'n', 'en'] as const

const DAY_BELOW = /\/\d{4}-\d\d-\d\d(?:\/\d{1,4})?$/

/**
 * Returns the folder of the event pages of a source, from the path of one of these pages; empty for the root.
 */
const folderOf = (page: string): string => page.replace(DAY_BELOW, '').replace(/\/[^/]*$/, '')

/**
 * Returns the paths where a source that has moved here may have had the list of its events, from the page of
 * one event; none for other records.
 */
export function listPathsOf({ page, kind }: OldPage): string[] {
  const folder = kind === 'event' ? folderOf(page) : ''
  return folder === '' ? [] : PLURALS.map((letters) => folder + letters)
}

/** The most pages below a folder that are read to find the page of an event among them. */
const LOOKED_AT = 100

/**
 * Decides whether a source that has moved here may have had the list of its events at this path:
 * `listPathsOf` of some event page has it.
 */
export async function hadListAt(db: Db, path: string): Promise<boolean> {
  const list = oldPath(path)
  for (const letters of PLURALS) {
    const folder = list.slice(0, list.length - letters.length)
    if (!list.endsWith(letters) || folder.endsWith('/') || folder === '') continue
    const pages = await pagesBelow(db, `${folder}/`, folder + BEHIND_PATHS, LOOKED_AT)
    if (pages.some((page) => listPathsOf(page).includes(list))) return true
  }
  return false
}

/** A text that sorts behind every text that begins with a slash. */
const BEHIND_PATHS = '0'

/**
 * Returns the path of an address as old paths are stored: decoded, without a slash at the end. Empty for the
 * root and for text that is no address.
 */
export function oldPath(address: string): string {
  if (!URL.canParse(address, 'http://x')) return ''
  const { pathname } = new URL(address, 'http://x')
  try {
    return decodeURIComponent(pathname)
      .normalize('NFC')
      .replace(/(?<!\/)\/+$/, '')
  } catch {
    return ''
  }
}

/**
 * Finds the address of an event in the source that stays its original, else the address of its series there
 * for the day of the event.
 */
export async function findOriginal(
  db: Db,
  { id, series, recurrence_id }: Pick<EventRow, 'id' | 'series' | 'recurrence_id'>,
): Promise<string | undefined> {
  const own = await findAddress(db, 'event', id)
  if (own !== undefined || series === null) return own
  return (await findAddress(db, 'series', series))?.replace(DAY, dayOf(recurrence_id))
}

/** The placeholder in the address of a series that stands for the day of an occurrence. */
export const DAY = '{date}'

async function findAddress(db: Db, kind: 'event' | 'series', record: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('import_items')
    .select('page')
    .where('kind', '=', kind)
    .where('record', '=', record)
    .where(hasPage)
    .where(isAddress)
    .orderBy('source')
    .limit(1)
    .executeTakeFirst()
  return row?.page
}

/** Returns the condition that the original of an event is in this calendar and not elsewhere. */
export function isOriginal({ not, exists, selectFrom }: ExpressionBuilder<Tables, 'events'>) {
  const elsewhere = (kind: 'event' | 'series', column: 'events.id' | 'events.series') =>
    selectFrom('import_items')
      .select('record')
      .where('kind', '=', kind)
      .whereRef('record', '=', column)
      .where(hasPage)
      .where(isAddress)
  return not(exists(elsewhere('event', 'events.id'))).and(not(exists(elsewhere('series', 'events.series'))))
}
