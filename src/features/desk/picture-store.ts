import { sql } from 'kysely'
import type { Context } from '../../calendar/declare/context.ts'
import { changeImage, type ImageChanger } from '../../calendar/images/image-texts.ts'
import {
  imageConditions,
  imagesOpenTo,
  isShownNowhere,
  type PreparedUpload,
  requestImages,
  SHOWN_BY,
} from '../../calendar/images/images.ts'
import { visibleTo } from '../../calendar/records/record-store.ts'
import type { Db } from '../../store/storage/database.ts'
import { recordChange, type Tx } from '../../store/storage/recording.ts'
import type { ImageRow, PagedKind } from '../../store/storage/schema.ts'
import { MOST_COUNTED } from './desk-list-counts.ts'

/**
 * Replaces a picture's file and removes its focal point. The former files are deleted when `withImages` ends.
 * @throws Problem as `changeTexts`
 */
export async function replaceFile(
  tx: Tx,
  id: number,
  { stored: { title: _title, ...columns } }: PreparedUpload,
  context: Context,
): Promise<void> {
  await changeImage(tx, id, context, (before) => {
    requestImages(context).stored.push(before)
    return { ...columns, focal_x: null, focal_y: null }
  })
  for (const [table, kind] of SHOWN_BY) {
    const shown = tx.selectFrom(table).select(['id', 'status']).where('image', '=', id)
    for (const { id: record, status } of await shown.execute()) {
      const isPublic = status === 'publish'
      recordChange(tx, { kind, record, wasPublic: isPublic, isPublic })
    }
  }
}

export interface ImageList {
  search?: string
  before?: number | undefined
  /** `unused`: pictures that no record uses; `untold`: pictures without alternative text. */
  only?: 'unused' | 'untold' | undefined
}

export async function findUnused(db: Db, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('images')
    .select('images.id')
    .where('images.id', 'in', ids)
    .where(isShownNowhere())
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export interface ImageUse {
  kind: PagedKind
  id: number
  name: string
  start: string
}

export async function listUses({ db, caller }: Context, image: number, most: number): Promise<ImageUse[]> {
  const uses = SHOWN_BY.map(async ([table, kind]) => {
    const name = sql.ref(`${table}.${table === 'events' ? 'title' : kind}`)
    const start = table === 'events' ? sql.ref('events.start_date') : sql`''`
    const { rows } = await sql<Omit<ImageUse, 'kind'>>`
      select id, ${name} as name, ${start} as start from ${sql.table(table)} where image = ${image}
        and ${visibleTo(caller, table)}
      order by id desc limit ${sql.lit(most)}`.execute(db)
    return rows.map((row) => ({ kind, ...row }))
  })
  return (await Promise.all(uses)).flat()
}

function openImages(
  { db, caller }: Pick<Context, 'db' | 'caller'>,
  { search = '', before, only }: ImageList,
) {
  let open = db.selectFrom('images').where(imagesOpenTo(caller))
  for (const condition of imageConditions({ search })) open = open.where(condition)
  if (before !== undefined) open = open.where('images.id', '<', before)
  if (only === 'unused') open = open.where(isShownNowhere())
  if (only === 'untold') open = open.where('images.alt_text', '=', '')
  return open
}

export const listLatestImages = (
  context: Pick<Context, 'db' | 'caller'>,
  most: number,
  list: ImageList = {},
): Promise<ImageRow[]> => openImages(context, list).selectAll().orderBy('id', 'desc').limit(most).execute()

/** `MOST_COUNTED + 1` if there are more. */
export async function countImages(context: Context, list: ImageList): Promise<number> {
  const open = openImages(context, list)
    .select('images.id')
    .limit(MOST_COUNTED + 1)
  const { total } = await context.db
    .selectFrom(open.as('open'))
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** From 0 (left, top) to 1 (right, bottom). */
export interface FocalPoint {
  x: number
  y: number
}

/**
 * Changes the focal point; undefined means the middle.
 * @throws Problem as `changeTexts`
 */
export async function changeFocus(
  tx: Tx,
  id: number,
  point: FocalPoint | undefined,
  asker: ImageChanger,
): Promise<void> {
  await changeImage(tx, id, asker, () => ({ focal_x: point?.x ?? null, focal_y: point?.y ?? null }))
}
