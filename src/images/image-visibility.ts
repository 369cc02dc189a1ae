import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '../declare/context.ts'
import { type Caller, isLoggedIn, seesAll } from '../people/caller.ts'
import { isPossibleId, visibleTo } from '../records/record-store.ts'
import type { ImageRow, RecordTable, Tables } from '../storage/schema.ts'

const TABLES: readonly RecordTable[] = ['events', 'venues', 'organizers']

/**
 * The condition that the caller may see an image: a record that they may see shows it, no record shows it, it is their own, or they see all
 * records. The file itself is open to everybody who knows its address.
 */
export function imagesOpenTo(caller: Caller): Expression<SqlBool> {
  const images = expressionBuilder<Tables, 'images'>()
  if (seesAll(caller)) return images.and([])
  const usedIn = (table: RecordTable) =>
    images
      .selectFrom(table as 'events')
      .select(sql.lit(1).as('used'))
      .whereRef(`${table}.image` as 'events.image', '=', 'images.id')
  const open = TABLES.map((table) => images.exists(usedIn(table).where(visibleTo(caller, table))))
  const unused = images.and(TABLES.map((table) => images.not(images.exists(usedIn(table)))))
  return images.or([...open, unused, ...(isLoggedIn(caller) ? [images('images.author', '=', caller.id)] : [])])
}

/** The image with this id, if the caller may see it. */
export async function findOpenImage(context: Context, id: number): Promise<ImageRow | undefined> {
  if (!isPossibleId(id)) return undefined
  return context.db
    .selectFrom('images')
    .selectAll()
    .where('images.id', '=', id)
    .where(imagesOpenTo(context.caller))
    .executeTakeFirst()
}
