import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import type { Asking } from '../declare/asking.ts'
import { image as imageKind } from '../declare/kinds.ts'
import { type PreparedFile, type PreparedImage, prepareImage, type SizeName } from '../media/image-sizes.ts'
import type { MediaStore } from '../media/media-store.ts'
import { can } from '../people/caller.ts'
import { type Db, recordChange } from '../storage/database.ts'
import { holdName } from '../storage/locks.ts'
import type { ImageRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { formatUtc } from '../text/moments.ts'
import { fetchImage } from './image-fetch.ts'
import { isPossibleId, nextRecordId } from './record-store.ts'

/** Where images are kept and what they are taken from. */
export interface ImageService {
  store: MediaStore
  /** The only hosts to fetch from; empty: every public one. */
  hosts: readonly string[]
  maxBytes: number
  /** Public address of the store's files without a slash at the end, such as `https://example.org/media`. */
  mediaUrl: string
}

/** An image ready to be linked inside a transaction. */
export type ResolvedImage = { none: true } | { id: number } | { stored: StoredImage; sourceUrl: string }

/** An image whose files are stored, while it has no id yet. */
export type StoredImage = Omit<ImageRow, 'id' | 'author' | 'date_utc' | 'source_url'>

/** An entry of the column `sizes`; `file` is a key of the media store. */
interface StoredSize {
  file: string
  width: number
  height: number
  /** bytes */
  filesize: number
  mime_type: string
}

type StoredSizes = Partial<Record<SizeName, StoredSize>>

const FETCH_TIMEOUT_MS = 20_000
/** Addresses that one request may have fetched, since their images are held in memory until it is known to be in order. */
const MAX_ADDRESSES = 10

/** What one request has fetched and stored. */
interface RequestImages {
  addresses: Map<string, Promise<AddressImage | undefined>>
  stored: StoredImage[]
}

type AddressImage = { id: number } | { prepared: PreparedImage }

/** By the request, so that what its validation fetched is there for its write and goes when it ends. */
const requests = new WeakMap<Asking, RequestImages>()

function imagesOf(asking: Asking): RequestImages {
  const images = requests.get(asking) ?? { addresses: new Map(), stored: [] }
  requests.set(asking, images)
  return images
}

/**
 * Runs the part of a request that may resolve images. Files that no image owns when it ends, because it failed or another request was
 * faster with the same address, are removed again.
 */
export async function withImages<T>(asking: Asking, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    // A file that cannot be removed lies in nobody's way; the answer is not withheld for it.
    await removeUnowned(asking).catch(() => undefined)
  }
}

async function removeUnowned(asking: Asking): Promise<void> {
  for (const stored of requests.get(asking)?.stored.splice(0) ?? []) {
    const owner = await asking.db.selectFrom('images').select('id').where('file', '=', stored.file).executeTakeFirst()
    if (!owner) await removeFiles(asking.images.store, stored)
  }
}

/**
 * True for the id of an image, an empty value, and, from callers who may upload, an address that gives an image (contract 2.2). What was
 * fetched is kept for `resolveImage`.
 */
export async function isImageReference(value: unknown, asking: Asking): Promise<boolean> {
  const reference = imageKind.read(value)
  if (reference === undefined) return false
  if (reference === '') return true
  if (typeof reference === 'number') return (await findImage(asking.db, reference)) !== undefined
  return (await findAddress(reference, asking)) !== undefined
}

/**
 * The image a reference of kind `image` means, its files stored, ready for `linkImage`. Waits for other machines: called before the
 * transaction and within `withImages`. Undefined when the reference gives no image to this caller (contract 5.11).
 */
export async function resolveImage(reference: string | number, asking: Asking): Promise<ResolvedImage | undefined> {
  if (reference === '') return { none: true }
  if (typeof reference === 'number') return (await findImage(asking.db, reference)) && { id: reference }
  const found = await findAddress(reference, asking)
  if (!found || 'id' in found) return found
  return { stored: await storeImage(found.prepared, asking), sourceUrl: reference }
}

function findAddress(url: string, asking: Asking): Promise<AddressImage | undefined> {
  const { addresses } = imagesOf(asking)
  const found = addresses.get(url) ?? lookInto(url, asking, addresses.size < MAX_ADDRESSES)
  addresses.set(url, found)
  return found
}

async function lookInto(url: string, asking: Asking, mayFetch: boolean): Promise<AddressImage | undefined> {
  if (!can(asking.caller, 'upload')) return undefined
  const known = await findKnown(asking.db, url, asking.images.mediaUrl)
  if (known || !mayFetch) return known
  const { hosts, maxBytes } = asking.images
  const fetched = await fetchImage(url, { hosts, maxBytes, timeoutMs: FETCH_TIMEOUT_MS })
  const prepared = fetched && (await prepareImage(fetched.bytes, fetched.fileName))
  return prepared && { prepared }
}

/** The image that was fetched from this address, or whose own address it is (contract 5.11). */
async function findKnown(db: Db, url: string, mediaUrl: string): Promise<{ id: number } | undefined> {
  const own = url.startsWith(`${mediaUrl}/`) ? url.slice(mediaUrl.length + 1) : undefined
  const images = db.selectFrom('images').select('id').orderBy('id').limit(1)
  if (own !== undefined) return images.where('file', '=', own).executeTakeFirst()
  // The index on sources leaves out empty ones, and is used only by queries that do, too.
  return images.where('source_url', '=', url).where('source_url', '<>', '').executeTakeFirst()
}

/** The id to link inside a transaction, null for none. An image that is new is inserted, unless its address has become known meanwhile. */
export async function linkImage(tx: Db, resolved: ResolvedImage, asking: Asking): Promise<number | null> {
  if ('none' in resolved) return null
  if ('id' in resolved) return (await findImage(tx, resolved.id))?.id ?? null
  await holdName(tx, `image ${resolved.sourceUrl}`)
  const known = await findKnown(tx, resolved.sourceUrl, asking.images.mediaUrl)
  return known?.id ?? insertImage(tx, resolved.stored, resolved.sourceUrl, asking)
}

async function insertImage(tx: Db, stored: StoredImage, sourceUrl: string, asking: Asking): Promise<number> {
  const id = await nextRecordId(tx, 'image')
  const origin = { author: asking.caller.id, date_utc: formatUtc(asking.now), source_url: sourceUrl }
  await tx
    .insertInto('images')
    .values({ id, ...stored, ...origin })
    .execute()
  await recordChange(tx, 'image', id)
  return id
}

/** Keeps an uploaded file as an image of the caller's. Undefined when its bytes are no image, whatever type was claimed for them. */
export async function saveUpload(
  upload: { bytes: Buffer; fileName: string },
  asking: Asking,
): Promise<ImageRow | undefined> {
  const prepared = await prepareImage(upload.bytes, upload.fileName)
  if (!prepared) return undefined
  return withImages(asking, async () => {
    const stored = await storeImage(prepared, asking)
    const id = await asking.write((tx) => insertImage(tx, stored, '', asking))
    return findImage(asking.db, id)
  })
}

/** Removes an image and its files. Records that show it show none from then on. */
export async function deleteImage(row: ImageRow, asking: Asking): Promise<void> {
  await asking.write(async (tx) => {
    await tx.deleteFrom('images').where('id', '=', row.id).execute()
    await tx.deleteFrom('records').where('id', '=', row.id).execute()
    await recordChange(tx, 'image', row.id)
  })
  await removeFiles(asking.images.store, row)
}

export async function findImage(db: Db, id: number): Promise<ImageRow | undefined> {
  return (await findImages(db, [id])).get(id)
}

const selectImages = statement<{ ids: number[] }>()((db, value) =>
  db.selectFrom('images').selectAll().where('id', 'in', value('ids')),
)

/** The images among these ids, by id. */
export async function findImages(db: Db, ids: readonly number[]): Promise<Map<number, ImageRow>> {
  const possible = [...new Set(ids)].filter(isPossibleId)
  if (possible.length === 0) return new Map()
  const rows = await selectImages(db, { ids: possible })
  return new Map(rows.map((row) => [row.id, row]))
}

/** An image as answers show it (contract 3.6); `sizes` is left out when there are none. */
export function presentImage(row: ImageRow, mediaUrl: string) {
  const sizes: StoredSizes = JSON.parse(row.sizes)
  const shown = Object.entries(sizes).map(([name, { width, height, mime_type, filesize, file }]) => {
    return [name, { width, height, 'mime-type': mime_type, filesize, url: `${mediaUrl}/${file}` }] as const
  })
  return {
    url: `${mediaUrl}/${row.file}`,
    id: row.id,
    extension: posix.extname(row.file).slice(1),
    width: row.width,
    height: row.height,
    filesize: row.filesize,
    ...(shown.length > 0 ? { sizes: Object.fromEntries(shown) } : {}),
    ...(row.original_image === '' ? {} : { original_image: row.original_image }),
  }
}

/** Tries after which a name gets a random end instead of a number. */
const NUMBERED_NAMES = 20

/** Puts all files of an image into the store, in the folder of the month, under the first stem that none of them finds taken. */
async function storeImage(prepared: PreparedImage, asking: Asking): Promise<StoredImage> {
  const folder = formatUtc(asking.now).slice(0, 7).replace('-', '/')
  for (let attempt = 0; ; attempt++) {
    const end = attempt <= NUMBERED_NAMES ? String(attempt) : randomBytes(4).toString('hex')
    const stem = `${folder}/${prepared.stem}${attempt === 0 ? '' : `-${end}`}`
    if (await putAll(asking.images.store, stem, prepared)) {
      const stored = describeStored(stem, prepared)
      imagesOf(asking).stored.push(stored)
      return stored
    }
  }
}

/** All files or none: false when one of their names is taken. */
async function putAll(store: MediaStore, stem: string, prepared: PreparedImage): Promise<boolean> {
  const files = new Map<string, PreparedFile>()
  for (const file of [prepared.full, prepared.original, ...Object.values(prepared.sizes)]) {
    if (file) files.set(stem + file.ending, file)
  }
  const put: string[] = []
  try {
    for (const [key, file] of files) {
      if (await store.put(key, file.bytes, prepared.mimeType)) put.push(key)
      else break
    }
    return put.length === files.size
  } finally {
    if (put.length < files.size) await Promise.all(put.map(store.remove))
  }
}

function describeStored(stem: string, prepared: PreparedImage): StoredImage {
  const { full, original, mimeType } = prepared
  const sizes = Object.entries(prepared.sizes).map(([name, { ending, width, height, bytes }]): [string, StoredSize] => {
    return [name, { file: stem + ending, width, height, filesize: bytes.length, mime_type: mimeType }]
  })
  return {
    title: prepared.stem,
    file: stem + full.ending,
    mime_type: mimeType,
    width: full.width,
    height: full.height,
    filesize: full.bytes.length,
    sizes: JSON.stringify(Object.fromEntries(sizes)),
    original_image: original ? posix.basename(stem) + original.ending : '',
  }
}

async function removeFiles(store: MediaStore, image: StoredImage): Promise<void> {
  await Promise.all(filesOf(image).map(store.remove))
}

/** Keys of all files of an image. */
export function filesOf(image: StoredImage): string[] {
  const sizes: StoredSizes = JSON.parse(image.sizes)
  const original = image.original_image === '' ? [] : [`${posix.dirname(image.file)}/${image.original_image}`]
  return [...new Set([image.file, ...original, ...Object.values(sizes).map(({ file }) => file)])]
}
