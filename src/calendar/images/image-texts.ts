import { Problem } from '../../base/problems.ts'
import { fold } from '../../base/text/characters.ts'
import { plainText, singleLine } from '../../base/text/html.ts'
import { formatUtc } from '../../base/text/moments.ts'
import { slugify } from '../../base/text/slugs.ts'
import { holdName, lockedRows } from '../../store/storage/locks.ts'
import { recordChange, type Tx } from '../../store/storage/recording.ts'
import type { ImageRow } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import { type Caller, can } from '../people/caller.ts'

export type ImageTexts = Pick<ImageRow, 'title' | 'slug' | 'alt_text' | 'caption' | 'description'>

export function mayEditImage(caller: Caller, row: Pick<ImageRow, 'author'>): boolean {
  return can(caller, 'upload') && (row.author === caller.id || can(caller, 'edit_others'))
}

export function mayDeleteImage(caller: Caller, row: Pick<ImageRow, 'author'>): boolean {
  return can(caller, 'upload') && (row.author === caller.id || can(caller, 'delete_others'))
}

/**
 * The texts of an image after a write, with its search text. The slug is the sent one, else the present one,
 * else made from the title, else from the id; if another image has it, the id is appended.
 */
export async function settleTexts(
  tx: Tx,
  id: number,
  before: ImageTexts,
  sent: Partial<ImageTexts>,
): Promise<ImageTexts & Pick<ImageRow, 'search'>> {
  const { title, caption, description } = { ...before, ...sent }
  const alt_text = singleLine(sent.alt_text ?? before.alt_text)
  const wanted = slugify(sent.slug ?? '') || before.slug || slugify(title) || String(id)
  const slug = wanted === before.slug ? wanted : await freeSlug(tx, wanted, id)
  const lines = [title, slug, alt_text, caption, description].map((text) => fold(plainText(text)))
  const search = lines.filter(Boolean).join('\n')
  return { title, slug, alt_text, caption, description, search }
}

async function freeSlug(tx: Tx, wanted: string, id: number): Promise<string> {
  await holdName(tx, `image slug ${wanted}`)
  const other = await tx
    .selectFrom('images')
    .select('id')
    .where('slug', '=', wanted)
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst()
  return other === undefined ? wanted : `${wanted.slice(0, 180)}-${id}`
}

/** Sets the sent texts of an image. @throws Problem as `changeImage` */
export async function changeTexts(
  tx: Tx,
  id: number,
  sent: Partial<ImageTexts>,
  asker: ImageChanger,
): Promise<ImageRow> {
  return changeImage(tx, id, asker, (row) => settleTexts(tx, id, row, sent))
}

export type ImageChanger = Pick<Context, 'caller' | 'now'>

/**
 * Sets the columns that `columnsOf` returns for the locked row.
 * @throws Problem rest_post_invalid_id when the image is gone, rest_forbidden when the caller may not edit it
 */
export async function changeImage(
  tx: Tx,
  id: number,
  { caller, now }: ImageChanger,
  columnsOf: (row: ImageRow) => Partial<ImageRow> | Promise<Partial<ImageRow>>,
): Promise<ImageRow> {
  const row = await lockedRows(
    tx,
    tx.selectFrom('images').selectAll().where('id', '=', id),
  ).executeTakeFirst()
  if (!row) throw new Problem('rest_post_invalid_id')
  if (!mayEditImage(caller, row)) throw new Problem('rest_forbidden')
  const columns = { ...(await columnsOf(row)), modified_utc: formatUtc(now) }
  await tx.updateTable('images').set(columns).where('id', '=', id).execute()
  const after = { ...row, ...columns }
  const change = { kind: 'image', record: id, wasPublic: true, isPublic: true } as const
  recordChange(tx, change, { action: 'update', name: after.title })
  return after
}
