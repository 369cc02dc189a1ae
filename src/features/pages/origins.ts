import { type ExpressionBuilder, sql } from 'kysely'
import { dayOf } from '../../base/text/moments.ts'
import type { Db } from '../../store/storage/database.ts'
import type { EventRow, ImportItemColumns, PagedKind, Tables } from '../../store/storage/schema.ts'

// Where records come from: paths at moved sources, and URLs of originals that stay elsewhere.

export interface Paged {
  kind: PagedKind
  id: number
}

const PAGED: readonly PagedKind[] = ['event', 'venue', 'organizer']

/** Written exactly as in the partial indexes on `page`, so that the database uses these. */
const hasPage = sql<boolean>`page <> ''`
const isAddress = sql<boolean>`page not like '/%'`

function pagedIn(row: Pick<ImportItemColumns, 'kind' | 'record'> | undefined): Paged | undefined {
  const kind = PAGED.find((paged) => paged === row?.kind)
  return kind && row && { kind, id: row.record }
}

/** Finds the record with this id at a moved source; of several, the first. */
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

/** The first record with this path at a moved source. Other sources store URLs, which no path equals. */
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

export type OldPage = Pick<ImportItemColumns, 'page' | 'kind'>

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

/** The list of `/show/x/` may be at `/shows/`, that of `/termin/x/` at `/termine/`. */
const PLURALS = ['', 's', 'es', 'e', 'n', 'en'] as const

const DAY_BELOW = /\/\d{4}-\d\d-\d\d(?:\/\d{1,4})?$/

const folderOf = (page: string): string => page.replace(DAY_BELOW, '').replace(/\/[^/]*$/, '')

/** Paths where the list of an old event page may have been; none for pages of other records. */
export function listPathsOf({ page, kind }: OldPage): string[] {
  const folder = kind === 'event' ? folderOf(page) : ''
  return folder === '' ? [] : PLURALS.map((letters) => folder + letters)
}

const LOOKED_AT = 100

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

/** Sorts after all texts that begin with a slash. */
const BEHIND_PATHS = '0'

/** The decoded path of an old URL, without a final slash. Empty for the root, and for an invalid URL. */
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

/** URL of the original page. An occurrence without its own has that of its series, with its day filled in. */
export async function findOriginal(
  db: Db,
  { id, series, recurrence_id }: Pick<EventRow, 'id' | 'series' | 'recurrence_id'>,
): Promise<string | undefined> {
  const own = await findAddress(db, 'event', id)
  if (own !== undefined || series === null) return own
  return (await findAddress(db, 'series', series))?.replace(DAY, dayOf(recurrence_id))
}

/** Stands for an occurrence's day in the URL of a series. */
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
