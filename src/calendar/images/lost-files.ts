import type { MediaStore } from '../../store/media/media-store.ts'
import type { Db } from '../../store/storage/database.ts'
import type { ImageColumns } from '../../store/storage/schema.ts'
import { filesOf, sizesOfFiles } from './images.ts'

export type FiledImage = Pick<ImageColumns, 'file' | 'filesize' | 'original_image' | 'sizes'>

/** `looked` counts files looked for; `missing` are not in the store, `others` differ in size. */
export interface LookedFor {
  looked: number
  missing: string[]
  others: string[]
}

const FILES_AT_ONCE = 8
const WITHIN_MS = 5000

export async function lookForFiles(images: readonly FiledImage[], store: MediaStore): Promise<LookedFor> {
  const sizes = new Map(images.flatMap((image) => [...sizesOfFiles(image)]))
  const keys = [...new Set(images.flatMap(filesOf))]
  const until = performance.now() + WITHIN_MS
  const missing: string[] = []
  const others: string[] = []
  let looked = 0
  while (looked < keys.length && performance.now() < until) {
    const some = keys.slice(looked, looked + FILES_AT_ONCE)
    const found = await Promise.all(some.map((key) => sizeIn(store, key)))
    for (const [at, key] of some.entries()) {
      const size = found[at]
      if (size === undefined) missing.push(key)
      else if (size !== (sizes.get(key) ?? size)) others.push(key)
    }
    looked += some.length
  }
  return { looked, missing, others }
}

async function sizeIn(store: MediaStore, key: string): Promise<number | undefined> {
  const file = await store.read(key)
  file?.stream.destroy()
  return file?.size
}

const AT_START = 20

/** Warns if files of the newest images are missing, as with a wrong setting or an unmounted disk. */
export async function tellLostFiles(
  db: Db,
  store: MediaStore,
  place: string,
  tell: (sentence: string) => void,
): Promise<void> {
  const columns = ['file', 'filesize', 'original_image', 'sizes'] as const
  const newest = await db.selectFrom('images').select(columns).orderBy('id', 'desc').limit(AT_START).execute()
  const { looked, missing } = await lookForFiles(newest, store)
  if (missing.length === 0) return
  tell(
    `${missing.length} of the ${looked} files of the newest images are not in ${place}, such ` +
      `as ${missing[0]}: is its disk mounted, and KALENDS_MEDIA right? kalends doctor looks for all.`,
  )
}
