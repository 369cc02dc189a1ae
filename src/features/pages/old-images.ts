import { findImage } from '../../calendar/images/images.ts'
import type { Db } from '../../store/storage/database.ts'
import type { ImageRow } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'
import { oldPath } from './origins.ts'

// Finds images by the URL from which they were fetched, or by their path at a moved source, in any size that
// sites keep: `a.jpg`, `a-300x200.jpg`, `a-scaled.jpg`.

export const IMAGE_NAME = /\.(?:avif|gif|jpe?g|png|webp)$/i

const SIZED = /-(?:(\d{1,5})x(\d{1,5})|scaled)(?=\.\w{1,5}$)/

/** Reads the size in a file name: 300 and 200 in `a-300x200.jpg`. */
export function sizeInName(name: string): Pick<ImageRow, 'width' | 'height'> | undefined {
  const [, width, height] = SIZED.exec(name) ?? []
  return width === undefined ? undefined : { width: Number(width), height: Number(height) }
}

export const unsized = (address: string) => address.replace(SIZED, '')

/** Names that the image may have: its own, that without a size, and that with `-scaled`. */
export function namesOfImage(address: string): string[] {
  const whole = unsized(address)
  return [...new Set([address, whole, whole.replace(/(?=\.\w{1,5}$)/, '-scaled')])]
}

const selectFetched = statement<{ addresses: readonly string[] }>()((db, value) =>
  db
    .selectFrom('images')
    .selectAll()
    .where('source_url', 'in', value('addresses'))
    .where('source_url', '<>', '')
    .orderBy('id', 'desc'),
)

export async function findFetched(db: Db, addresses: readonly string[]): Promise<Map<string, ImageRow>> {
  if (addresses.length === 0) return new Map()
  return new Map((await selectFetched(db, { addresses })).map((row) => [row.source_url, row]))
}

/** The image with this path at a moved source, in any size. */
export async function findByOldImagePath(db: Db, path: string): Promise<ImageRow | undefined> {
  if (!IMAGE_NAME.test(path)) return undefined
  const paths = namesOfImage(path).map(oldPath)
  const rows = await db
    .selectFrom('import_items')
    .innerJoin('import_sources', 'import_sources.id', 'import_items.source')
    .select(['page', 'record'])
    .where('page', 'in', paths)
    .where('page', '<>', '')
    .where('kind', '=', 'image')
    .where('import_sources.origin', '=', 'moved')
    .orderBy('source')
    .execute()
  const found = paths.flatMap((one) => rows.find(({ page }) => page === one) ?? [])[0]
  return found && findImage(db, found.record)
}
