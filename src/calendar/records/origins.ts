import { type ExpressionBuilder, sql } from 'kysely'
import { dayOf } from '../../base/text/moments.ts'
import type { Db } from '../../store/storage/database.ts'
import type { EventRow, ImportItemColumns, Tables } from '../../store/storage/schema.ts'

// Where records come from: the addresses they had in a source that has moved here, and those they still have in one that stays the original.

/** A record that has a page. */
export interface Paged {
  kind: 'event' | 'venue' | 'organizer'
  id: number
}

const PAGED = ['event', 'venue', 'organizer'] as const

/** Written out, so that the indexes of pages serve. */
const hasPage = sql<boolean>`page <> ''`
const isAddress = sql<boolean>`page not like '/%'`

function pagedIn(row: Pick<ImportItemColumns, 'kind' | 'record'> | undefined): Paged | undefined {
  const kind = PAGED.find((paged) => paged === row?.kind)
  return kind && row && { kind, id: row.record }
}

/** The record that had this id in a source that has moved here; of the first such source where several had it. */
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

/** The record that had its page at this path in a source that has moved here. */
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

/** The path of a page in a source that has moved here, with the kind of its record. */
export type OldPage = Pick<ImportItemColumns, 'page' | 'kind'>

/** The paths of pages in sources that have moved here, in order: the next ones after `after`, at most `most`. */
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

/** The letters that moved sites put behind the word of one event for the word of their list: `/show/x/` and `/shows/`, `/termin/x/` and `/termine/`. */
const PLURALS = ['', 's', 'es', 'e', 'n', 'en'] as const

const DAY_BELOW = /\/\d{4}-\d\d-\d\d(?:\/\d{1,4})?$/

/** The folder that the pages of a source's events are in, by one of them; empty for the root. */
const folderOf = (page: string): string => page.replace(DAY_BELOW, '').replace(/\/[^/]*$/, '')

/** The paths where a source that has moved here may have had the list of its events, by the page of one of them. */
export function listPathsOf({ page, kind }: OldPage): string[] {
  const folder = kind === 'event' ? folderOf(page) : ''
  return folder === '' ? [] : PLURALS.map((letters) => folder + letters)
}

/** Pages that are looked at below a path to find the page of an event there. */
const LOOKED_AT = 100

/** Returns true if a source that has moved here had the pages of its events in the folder of this path, or in that of its word in the singular. */
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
 * The path of an address in the form that old paths are stored in: decoded, without a slash at the end. Empty for the root and for text that is no
 * address.
 */
export function oldPath(address: string): string {
  if (!URL.canParse(address, 'http://x')) return ''
  const { pathname } = new URL(address, 'http://x')
  try {
    return decodeURIComponent(pathname).normalize('NFC').replace(/\/+$/, '')
  } catch {
    return ''
  }
}

/**
 * The address of an event in the source that stays the original of it, or else the one that its series has for its day there.
 */
export async function findOriginal(
  db: Db,
  { id, series, recurrence_id }: Pick<EventRow, 'id' | 'series' | 'recurrence_id'>,
): Promise<string | undefined> {
  const own = await findAddress(db, 'event', id)
  if (own !== undefined || series === null) return own
  return (await findAddress(db, 'series', series))?.replace(DAY, dayOf(recurrence_id))
}

/** The placeholder for the day of each date in the address of a series. */
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

/** A condition on events: that their original is not elsewhere. */
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
