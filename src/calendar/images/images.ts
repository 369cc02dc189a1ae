import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'
import { posix } from 'node:path'
import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { messageOf } from '../../base/errors.ts'
import { image as imageKind } from '../../base/fields/kinds.ts'
import { Problem } from '../../base/problems.ts'
import { fold } from '../../base/text/characters.ts'
import { formatUtc } from '../../base/text/moments.ts'
import {
  type ImageFile,
  inMemory,
  type PreparedFile,
  type PreparedImage,
  prepareImage,
  type SizeName,
} from '../../store/media/image-sizes.ts'
import type { MediaStore } from '../../store/media/media-store.ts'
import { lookUpAmong, mayConnect, NoPublicAddress, nameOf } from '../../store/media/public-addresses.ts'
import type { Db } from '../../store/storage/database.ts'
import { nextRecordId } from '../../store/storage/history.ts'
import { holdName, lockedRows } from '../../store/storage/locks.ts'
import { recordChange, type Tx } from '../../store/storage/recording.ts'
import type { ImageRow, RecordTable, Tables } from '../../store/storage/schema.ts'
import { contains } from '../../store/storage/sql-parts.ts'
import { statement } from '../../store/storage/statement.ts'
import { showOrLeaveOut } from '../../store/storage/unshowable.ts'
import type { Context, Presenting } from '../declare/context.ts'
import { type Caller, can, isLoggedIn, seesAll } from '../people/caller.ts'
import { isPossibleId, visibleTo } from '../records/record-store.ts'
import { type ImageTexts, mayDeleteImage, settleTexts } from './image-texts.ts'

export type ResolvedImage = { none: true } | { id: number } | { stored: StoredImage; sourceUrl: string }

/** An image whose files are stored, but which has no row yet. */
export type StoredImage = Pick<
  ImageRow,
  'title' | 'file' | 'mime_type' | 'width' | 'height' | 'filesize' | 'sizes' | 'original_image'
>

/** `file` is a key of the media store, `filesize` is in bytes. */
interface StoredSize {
  file: string
  width: number
  height: number
  filesize: number
  mime_type: string
}

type StoredSizes = Partial<Record<SizeName, StoredSize>>

const FETCH_TIMEOUT_MS = 20_000
/** A request fetches images only from its first so many URLs: all stay in memory until it is valid. */
export const MAX_ADDRESSES = 10

/** What a request's image URLs lead to, and images whose files are `stored`, perhaps without a row. */
interface RequestImages {
  addresses: Map<string, Promise<AddressImage | ImageLack>>
  stored: StoredImage[]
}

type AddressImage = { id: number } | { prepared: PreparedImage }

/** Kept by context, so that a write reuses what its validation fetched. */
const requests = new WeakMap<Context, RequestImages>()

export function requestImages(context: Context): RequestImages {
  const images = requests.get(context) ?? { addresses: new Map(), stored: [] }
  requests.set(context, images)
  return images
}

/** Runs `work`, then removes its files without a row: it failed, deleted the row, or another was faster. */
export async function withImages<T>(context: Context, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    // A file that stays in the store does no harm.
    await removeUnowned(context).catch(() => undefined)
  }
}

async function removeUnowned(context: Context): Promise<void> {
  for (const stored of requests.get(context)?.stored.splice(0) ?? []) {
    const owner = await context.db
      .selectFrom('images')
      .selectAll()
      .where('file', '=', stored.file)
      .executeTakeFirst()
    // If this file was lost before, another image may have its name, with other sizes.
    const isOwned = owner?.sizes === stored.sizes && owner.filesize === stored.filesize
    if (!isOwned) await Promise.all(filesOf(stored).map(context.images.store.remove))
  }
}

/** True if the value refers to an image (rule 23.1). Fetches one at a URL and keeps it for `resolveImage`. */
export async function isImageReference(value: unknown, context: Context): Promise<boolean> {
  const reference = imageKind.read(value)
  if (reference === undefined) return false
  if (reference === '') return true
  if (typeof reference === 'number') return (await findOpenImage(context, reference)) !== undefined
  return (await lackOfImage(reference, context)) === undefined
}

/** Why a URL gives no image, as the end of a sentence; undefined if it gives one. */
export async function lackOfImage(url: string, context: Context): Promise<string | undefined> {
  const found = await findAddress(url, context)
  return 'lack' in found ? found.lack : undefined
}

/**
 * Finds an image, and stores the files of a new one, whose row `linkImage` inserts. Runs before the
 * transaction, within `withImages`. Undefined if the reference gives no image (rule 23.1).
 */
export async function resolveImage(
  reference: string | number,
  context: Context,
): Promise<ResolvedImage | undefined> {
  if (reference === '') return { none: true }
  if (typeof reference === 'number') return (await findImage(context.db, reference)) && { id: reference }
  const found = await findAddress(reference, context)
  if ('lack' in found) return undefined
  if ('id' in found) return found
  return { stored: await storeImage(found.prepared, context), sourceUrl: reference }
}

function findAddress(url: string, context: Context): Promise<AddressImage | ImageLack> {
  const { addresses } = requestImages(context)
  const found = addresses.get(url) ?? lookInto(url, context, addresses.size < MAX_ADDRESSES)
  addresses.set(url, found)
  return found
}

async function lookInto(url: string, context: Context, mayFetch: boolean): Promise<AddressImage | ImageLack> {
  if (!can(context.caller, 'upload')) return { lack: `the user ${context.caller.login} may upload no images` }
  const known = await findKnown(context.db, url, context.images.mediaUrl)
  if (known) return known
  if (!mayFetch) return { lack: `one request fetches ${MAX_ADDRESSES} images at the most` }
  const { hosts, maxBytes } = context.images
  const fetched = await fetchImage(url, { hosts, maxBytes, timeoutMs: FETCH_TIMEOUT_MS })
  return 'lack' in fetched ? fetched : prepareFetched(inMemory(fetched.bytes), fetched.fileName)
}

async function prepareFetched(file: ImageFile, fileName: string): Promise<AddressImage | ImageLack> {
  try {
    const prepared = await prepareImage(file, fileName)
    return prepared ? { prepared } : { lack: 'it is no image that can be read' }
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'rest_upload_image_too_large') throw error
    return { lack: 'it has too many pixels' }
  }
}

/** The image fetched from this URL, or whose file in the media store has this URL (rule 23.3). */
async function findKnown(db: Db, url: string, mediaUrl: string): Promise<{ id: number } | undefined> {
  const own = url.startsWith(`${mediaUrl}/`) ? url.slice(mediaUrl.length + 1) : undefined
  const images = db.selectFrom('images').select('id').orderBy('id').limit(1)
  if (own !== undefined) return images.where('file', '=', own).executeTakeFirst()
  // Repeats the condition of the database index, which leaves out empty values.
  return images.where('source_url', '=', url).where('source_url', '<>', '').executeTakeFirst()
}

/** The image's id, or null for none. Inserts the row of a new image, unless another request did meanwhile. */
export async function linkImage(tx: Tx, resolved: ResolvedImage, context: Context): Promise<number | null> {
  if ('none' in resolved) return null
  if ('id' in resolved) return (await findImage(tx, resolved.id))?.id ?? null
  await holdName(tx, `image ${resolved.sourceUrl}`)
  const known = await findKnown(tx, resolved.sourceUrl, context.images.mediaUrl)
  return known?.id ?? (await insertImage(tx, resolved.stored, resolved.sourceUrl, context)).id
}

const NO_TEXTS = { slug: '', alt_text: '', caption: '', description: '' }

async function insertImage(
  tx: Tx,
  stored: StoredImage,
  sourceUrl: string,
  context: Context,
  sent: Partial<ImageTexts> = {},
): Promise<ImageRow> {
  const id = await nextRecordId(tx, 'image')
  const texts = await settleTexts(tx, id, { ...NO_TEXTS, title: stored.title }, sent)
  const now = formatUtc(context.now)
  const origin = { author: context.caller.id, date_utc: now, modified_utc: now, source_url: sourceUrl }
  const row = { id, ...stored, ...texts, ...origin, focal_x: null, focal_y: null }
  await tx.insertInto('images').values(row).execute()
  const change = { kind: 'image', record: id, wasPublic: false, isPublic: true } as const
  recordChange(tx, change, { action: 'create', name: row.title })
  return row
}

export interface PreparedUpload {
  stored: StoredImage
  texts: Partial<ImageTexts>
}

/**
 * Stores the files of an uploaded image, within `withImages`. Undefined when the bytes are no image, whatever
 * the request claims.
 */
export async function prepareUpload(
  upload: ImageFile & { fileName: string },
  context: Context,
  texts: Partial<ImageTexts> = {},
): Promise<PreparedUpload | undefined> {
  const prepared = await prepareImage(upload, upload.fileName)
  return prepared && { stored: await storeImage(prepared, context), texts }
}

export async function insertUpload(
  tx: Tx,
  { stored, texts }: PreparedUpload,
  context: Context,
): Promise<ImageRow> {
  return insertImage(tx, stored, '', context, texts)
}

export const SHOWN_BY = [
  ['events', 'event'],
  ['venues', 'venue'],
  ['organizers', 'organizer'],
] as const

/**
 * Deletes an image and takes it off all records. `withImages` deletes its files at the end of the request.
 * @throws Problem rest_post_invalid_id when the image is gone, rest_forbidden when the caller may not delete
 * it
 */
export async function deleteImage(tx: Tx, { id }: Pick<ImageRow, 'id'>, context: Context): Promise<void> {
  const row = await lockedRows(
    tx,
    tx.selectFrom('images').selectAll().where('id', '=', id),
  ).executeTakeFirst()
  if (!row) throw new Problem('rest_post_invalid_id')
  if (!mayDeleteImage(context.caller, row)) throw new Problem('rest_forbidden')
  for (const [table, kind] of SHOWN_BY) {
    const shown = tx
      .updateTable(table)
      .set({ image: null })
      .where('image', '=', id)
      .returning(['id', 'status'])
    for (const { id: record, status } of await shown.execute()) {
      const isPublic = status === 'publish'
      recordChange(tx, { kind, record, wasPublic: isPublic, isPublic })
    }
  }
  await tx.deleteFrom('images').where('id', '=', id).execute()
  await tx.deleteFrom('records').where('id', '=', id).execute()
  const gone = { kind: 'image', record: id, wasPublic: true, isPublic: false, isDeleted: true } as const
  recordChange(tx, gone, { action: 'delete', name: row.title })
  // After the commit no image owns these files, so `withImages` removes them.
  requestImages(context).stored.push(row)
}

export async function findImage(db: Db, id: number): Promise<ImageRow | undefined> {
  return (await findImages(db, [id])).get(id)
}

const selectImages = statement<{ ids: number[] }>()((db, value) =>
  db.selectFrom('images').selectAll().where('id', 'in', value('ids')),
)

export async function findImages(db: Db, ids: readonly number[]): Promise<Map<number, ImageRow>> {
  const possible = [...new Set(ids)].filter(isPossibleId)
  if (possible.length === 0) return new Map()
  const rows = await selectImages(db, { ids: possible })
  return new Map(rows.map((row) => [row.id, row]))
}

export function showImage(presenting: Presenting, row: ImageRow) {
  return showOrLeaveOut(presenting, 'image', row.id, () => presentImage(row, presenting.images.mediaUrl))
}

/** The URL of the image, or of its size with this width and height, if there is one. */
export function imageUrl(
  row: ImageRow,
  mediaUrl: string,
  pixels?: Pick<ImageRow, 'width' | 'height'>,
): string {
  const sizes: StoredSizes = pixels ? JSON.parse(row.sizes) : {}
  const sized = Object.values(sizes).find(
    ({ width, height }) => width === pixels?.width && height === pixels.height,
  )
  return `${mediaUrl}/${(sized ?? row).file}`
}

/** An image as answers show it (rule 8.1). `sizes` is left out when empty. */
export function presentImage(row: ImageRow, mediaUrl: string) {
  const sizes: StoredSizes = JSON.parse(row.sizes)
  const shown = Object.entries(sizes).map(([name, { width, height, mime_type, filesize, file }]) => {
    return [name, { width, height, 'mime-type': mime_type, filesize, url: `${mediaUrl}/${file}` }] as const
  })
  return {
    url: imageUrl(row, mediaUrl),
    id: row.id,
    extension: posix.extname(row.file).slice(1),
    width: row.width,
    height: row.height,
    filesize: row.filesize,
    ...(shown.length > 0 ? { sizes: Object.fromEntries(shown) } : {}),
    ...(row.original_image === '' ? {} : { original_image: row.original_image }),
    ...(row.focal_x === null || row.focal_y === null ? {} : { focal_x: row.focal_x, focal_y: row.focal_y }),
  }
}

/** After this many numbered file names, a random one is used. */
const NUMBERED_NAMES = 20

async function storeImage(prepared: PreparedImage, context: Context): Promise<StoredImage> {
  const folder = formatUtc(context.now).slice(0, 7).replace('-', '/')
  for (let attempt = 0; ; attempt++) {
    const end = attempt <= NUMBERED_NAMES ? String(attempt) : randomBytes(4).toString('hex')
    const stem = `${folder}/${prepared.stem}${attempt === 0 ? '' : `-${end}`}`
    const files = filesUnder(stem, prepared)
    if (await isTaken(context.db, [...files.keys()])) continue
    if (await putAll(context.images.store, files, prepared.mimeType)) {
      const stored = describeStored(stem, prepared)
      requestImages(context).stored.push(stored)
      return stored
    }
  }
}

function filesUnder(stem: string, prepared: PreparedImage): Map<string, PreparedFile> {
  const files = new Map<string, PreparedFile>()
  for (const file of [prepared.full, prepared.original, ...Object.values(prepared.sizes)]) {
    if (file) files.set(stem + file.ending, file)
  }
  return files
}

async function isTaken(db: Db, keys: readonly string[]): Promise<boolean> {
  // A key may be the main file or one of its sizes.
  const owners = keys.flatMap((key) => {
    const { dir, name, ext } = posix.parse(key)
    const stems = new Set([name, name.replace(/-[^-]*$/, '')])
    return [...stems].flatMap((stem) => [`${dir}/${stem}${ext}`, `${dir}/${stem}-scaled${ext}`])
  })
  const rows = await db
    .selectFrom('images')
    .selectAll()
    .where('file', 'in', [...new Set(owners)])
    .execute()
  return rows.some((row) => filesOf(row).some((file) => keys.includes(file)))
}

async function putAll(
  store: MediaStore,
  files: ReadonlyMap<string, PreparedFile>,
  mimeType: string,
): Promise<boolean> {
  const put: string[] = []
  try {
    for (const [key, file] of files) {
      if (await store.put(key, file.bytes, mimeType)) put.push(key)
      else break
    }
    return put.length === files.size
  } finally {
    if (put.length < files.size) await Promise.all(put.map(store.remove))
  }
}

function describeStored(stem: string, prepared: PreparedImage): StoredImage {
  const { full, original, mimeType } = prepared
  const sizes = Object.entries(prepared.sizes).map(
    ([name, { ending, width, height, bytes }]): [string, StoredSize] => {
      return [name, { file: stem + ending, width, height, filesize: bytes.length, mime_type: mimeType }]
    },
  )
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

/** The keys of an image's files in the media store. */
export function filesOf(image: Pick<StoredImage, 'file' | 'original_image' | 'sizes'>): string[] {
  const sizes: StoredSizes = JSON.parse(image.sizes)
  const original = image.original_image === '' ? [] : [`${posix.dirname(image.file)}/${image.original_image}`]
  return [...new Set([image.file, ...original, ...Object.values(sizes).map(({ file }) => file)])]
}

/** The sizes of an image's files in bytes, by key. The original's size is not known. */
export function sizesOfFiles({
  file,
  filesize,
  sizes,
}: Pick<StoredImage, 'file' | 'filesize' | 'sizes'>): Map<string, number> {
  const stored: StoredSizes = JSON.parse(sizes)
  return new Map([
    [file, filesize],
    ...Object.values(stored).map((one): [string, number] => [one.file, one.filesize]),
  ])
}

const TABLES: readonly RecordTable[] = ['events', 'venues', 'organizers']

/**
 * The images of records that the caller may see, the caller's own, and those that `isShownNowhere` finds. The
 * file itself is open to anybody who knows its URL.
 */
export function imagesOpenTo(caller: Caller): Expression<SqlBool> {
  const images = expressionBuilder<Tables, 'images'>()
  if (seesAll(caller)) return images.and([])
  const open = TABLES.map((table) => images.exists(shownBy(table).where(visibleTo(caller, table))))
  return images.or([
    ...open,
    isShownNowhere(),
    ...(isLoggedIn(caller) ? [images('images.author', '=', caller.id)] : []),
  ])
}

function shownBy(table: RecordTable) {
  return expressionBuilder<Tables, 'images'>()
    .selectFrom(table as 'events')
    .select(sql.lit(1).as('used'))
    .whereRef(`${table}.image` as 'events.image', '=', 'images.id')
}

export function isShownNowhere(): Expression<SqlBool> {
  const images = expressionBuilder<Tables, 'images'>()
  return images.and([
    ...TABLES.map((table) => images.not(images.exists(shownBy(table)))),
    // Others see images of contributors and subscribers only by way of records.
    images.not(
      images.exists(
        expressionBuilder<Tables, 'images'>()
          .selectFrom('users')
          .select(sql.lit(1).as('waits'))
          .whereRef('users.id', '=', 'images.author')
          .where('users.role', 'in', ['contributor', 'subscriber']),
      ),
    ),
  ])
}

export async function findOpenImage(context: Context, id: number): Promise<ImageRow | undefined> {
  if (!isPossibleId(id)) return undefined
  return context.db
    .selectFrom('images')
    .selectAll()
    .where('images.id', '=', id)
    .where(imagesOpenTo(context.caller))
    .executeTakeFirst()
}

interface ImageQuery {
  search?: string
  media_type?: string
  mime_type?: string
}

/** The conditions of a list of images. Every file is an image, so another `media_type` finds nothing. */
export function imageConditions({ search, media_type, mime_type }: ImageQuery): RawBuilder<SqlBool>[] {
  const words = fold(search ?? '')
  return [
    ...(words === '' ? [] : [contains('images.search', words)]),
    ...(media_type === undefined || media_type === 'image' ? [] : [sql<SqlBool>`1 = 0`]),
    ...(mime_type ? [sql<SqlBool>`images.mime_type = ${mime_type.toLowerCase()}`] : []),
  ]
}

export interface FetchLimits {
  /**
   * Images may come from these hosts, on any port and IP address; if empty, from every host with a public IP
   * address.
   */
  hosts: readonly string[]
  maxBytes: number
  timeoutMs: number
}

/** A response whose Content-Type header says image; its bytes are verified later. */
export interface FetchedImage {
  bytes: Buffer
  mimeType: string
  /** The last segment of the URL's path, percent-decoded. */
  fileName: string
}

/** Why there is no image. Only for the operator, since it reveals which hosts this machine can reach. */
interface ImageLack {
  lack: string
}

class NotFetched extends Error {
  override name = 'NotFetched'
}

const MAX_REDIRECTS = 5

/** Fetches an image, or says why there is none (rule 23.2). Never throws because of the URL. */
export async function fetchImage(url: string, limits: FetchLimits): Promise<FetchedImage | ImageLack> {
  const target = URL.parse(url)
  if (!target) return { lack: 'it is no address' }
  const signal = AbortSignal.timeout(limits.timeoutMs)
  try {
    const response = await follow(target, limits, signal, MAX_REDIRECTS)
    try {
      const mimeType = imageType(response)
      return { bytes: await readAtMost(response, limits.maxBytes), mimeType, fileName: lastSegment(target) }
    } finally {
      response.destroy()
    }
  } catch (error) {
    return { lack: lackOf(error, signal, limits) }
  }
}

function lackOf(error: unknown, { aborted }: AbortSignal, { timeoutMs }: FetchLimits): string {
  if (aborted) return `it did not come within ${timeoutMs / 1000} seconds`
  if (error instanceof NotFetched) return error.message
  if (error instanceof NoPublicAddress) return notPublic(error.host)
  return `its server does not answer as it should (${messageOf(error)})`
}

const notPublic = (host: string) =>
  `${host} has no public address, and is asked only when ` +
  'KALENDS_IMAGE_HOSTS names it, which then has to name every host of images'

function requireAllowed(target: URL, hosts: readonly string[]): void {
  if (mayConnect(target, hosts)) return
  const isPlain = /^https?:$/.test(target.protocol) && target.username === '' && target.password === ''
  if (!isPlain) throw new NotFetched('only http and https addresses without a login are asked')
  throw new NotFetched(
    hosts.length > 0
      ? `${nameOf(target)} is not among the hosts of KALENDS_IMAGE_HOSTS`
      : notPublic(nameOf(target)),
  )
}

/** Requests a URL, and checks and follows redirects. @throws NotFetched unless the last response is a 200 */
async function follow(
  target: URL,
  limits: FetchLimits,
  signal: AbortSignal,
  left: number,
): Promise<IncomingMessage> {
  requireAllowed(target, limits.hosts)
  const response = await request(target, limits, signal)
  if (response.statusCode === 200) return response
  response.destroy()
  const next = isRedirect(response) ? URL.parse(response.headers.location ?? '', target.href) : null
  if (!next) throw new NotFetched(`the answer was ${response.statusCode}`)
  if (left === 0) throw new NotFetched(`it was redirected more than ${MAX_REDIRECTS} times`)
  return follow(next, limits, signal, left - 1)
}

/** Uses a connection of its own: a shared one may lead to an IP address that was not checked. */
function request(target: URL, limits: FetchLimits, signal: AbortSignal): Promise<IncomingMessage> {
  const get = target.protocol === 'https:' ? getSecure : getPlain
  const headers = { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'Kalends' }
  return new Promise((resolve, reject) => {
    get(target, { agent: false, headers, signal, lookup: lookUpAmong(limits.hosts) }, resolve).on(
      'error',
      reject,
    )
  })
}

function isRedirect(response: IncomingMessage): boolean {
  return [301, 302, 303, 307, 308].includes(response.statusCode ?? 0)
}

const MOST_OF_TYPE = 100

function imageType(response: IncomingMessage): string {
  const [sent = ''] = (response.headers['content-type'] ?? '').split(';', 1)
  const type = sent.trim()
  if (/^image\/./i.test(type)) return type.toLowerCase()
  throw new NotFetched(`the answer is no image but ${type.slice(0, MOST_OF_TYPE) || 'of no type'}`)
}

async function readAtMost(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new NotFetched(`it has more than ${maxBytes} bytes, the most of KALENDS_IMAGE_BYTES`)
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function lastSegment(target: URL): string {
  const segment = target.pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
