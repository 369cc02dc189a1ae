import type { Metadata, Sharp } from 'sharp'
import { Problem } from '../../base/problems.ts'
import { normalize } from '../../base/text/characters.ts'
import { stripMetadata } from './strip-metadata.ts'

/** In the order in which answers list the sizes (rule 8.2). */
const SIZE_NAMES = ['medium', 'large', 'thumbnail', 'medium_large', '1536x1536', '2048x2048'] as const
export type SizeName = (typeof SIZE_NAMES)[number]

/** `ending`, such as `-300x225.jpg`, is appended to the stem of the file name. */
export interface PreparedFile {
  ending: string
  bytes: Buffer
}

interface PreparedPicture extends PreparedFile {
  width: number
  height: number
}

export interface PreparedImage {
  stem: string
  mimeType: string
  /** The image without metadata, or a copy scaled down to `MAX_SIDE`. */
  full: PreparedPicture
  /** The image without metadata, if `full` is a scaled copy. */
  original?: PreparedFile
  /** Each is narrower or lower than `full`; two of the same dimensions are the same file. */
  sizes: Partial<Record<SizeName, PreparedPicture>>
}

/** Pixels of the long side above which `full` is a scaled copy (rule 8.3). */
const MAX_SIDE = 2560
/** Seconds that the processing of one image may take. */
const DEADLINE = 20
const MOST_FRAMES = 2000
const SLOW_BYTES = 4_000_000

interface Format {
  extension: string
  /** Maximum pixels; decoding so many takes up to some 500 MB of memory. */
  maxPixels: number
  /** From this number of pixels on, making the sizes is `slow` work. */
  slowPixels: number
  encode: (picture: Sharp) => Sharp
}

/**
 * AVIF and GIF are encoded with the least effort: the next level takes several times as long for hardly fewer
 * bytes.
 */
const formats: Readonly<Record<string, Format>> = {
  'image/jpeg': {
    extension: 'jpg',
    maxPixels: 64_000_000,
    slowPixels: 16_000_000,
    encode: (picture) => picture.jpeg({ quality: 82 }),
  },
  'image/png': {
    extension: 'png',
    maxPixels: 64_000_000,
    slowPixels: 8_000_000,
    encode: (picture) => picture.png(),
  },
  'image/gif': {
    extension: 'gif',
    maxPixels: 64_000_000,
    slowPixels: 1_000_000,
    encode: (picture) => picture.gif({ effort: 1 }),
  },
  'image/webp': {
    extension: 'webp',
    maxPixels: 64_000_000,
    slowPixels: 3_000_000,
    encode: (picture) => picture.webp({ quality: 82 }),
  },
  'image/avif': {
    extension: 'avif',
    maxPixels: 24_000_000,
    slowPixels: 3_000_000,
    encode: (picture) => picture.avif({ effort: 0 }),
  },
}

/** Returns the media type by the ending of the name; `application/octet-stream` for an unknown ending. */
export function mimeTypeOf(fileName: string): string {
  const found = Object.entries(formats).find(([, { extension }]) => fileName.endsWith(`.${extension}`))
  return found?.[0] ?? 'application/octet-stream'
}

export interface ImageFile {
  size: number
  read: () => Promise<Buffer>
}

export function inMemory(bytes: Buffer): ImageFile {
  return { size: bytes.length, read: async () => bytes }
}

const queue = makeImageQueue()

interface Inspected {
  bytes: Buffer
  mimeType: string
  format: Format
  /** As shown, after the orientation is applied. */
  dimensions: Dimensions
  orientation: number
  isMoving: boolean
}

/**
 * Makes the sizes of rule 8.2 without metadata. Returns undefined for a damaged image, and for any but JPEG,
 * PNG, GIF, WebP and AVIF. Few images are processed at a time, and slow ones never take all places.
 * @throws Problem rest_upload_image_too_large for more pixels, frames or seconds than allowed,
 * rest_unavailable if too many images wait
 */
export async function prepareImage(file: ImageFile, fileName: string): Promise<PreparedImage | undefined> {
  const sharp = await loadSharp()
  const isLarge = file.size >= SLOW_BYTES
  const inspected = await takeTurn(queue, isLarge ? 'slow' : 'quick', async () => {
    const found = await inspect(sharp, await file.read())
    return !found || (isSlow(found) && !isLarge) ? found : { prepared: await prepare(sharp, found, fileName) }
  })
  if (!inspected || 'prepared' in inspected) return inspected?.prepared
  return takeTurn(queue, 'slow', () => prepare(sharp, inspected, fileName))
}

function isSlow({ dimensions: { width, height }, format }: Inspected): boolean {
  return width * height >= format.slowPixels
}

function tooLarge(limit: number): Problem {
  return new Problem('rest_upload_image_too_large', { data: { limit } })
}

async function readHead(sharp: SharpFactory, bytes: Buffer): Promise<Metadata | undefined> {
  try {
    return await sharp(bytes).metadata()
  } catch {
    return undefined
  }
}

async function inspect(sharp: SharpFactory, bytes: Buffer): Promise<Inspected | undefined> {
  const found = await readHead(sharp, bytes)
  const { mediaType: mimeType = '', autoOrient: dimensions, orientation = 1, pages = 1 } = found ?? {}
  const format = formats[mimeType]
  if (!format || !dimensions) return undefined
  if (dimensions.width * dimensions.height > format.maxPixels || pages > MOST_FRAMES)
    throw tooLarge(format.maxPixels)
  // AVIF stores the orientation as a property; Exif only repeats it.
  const held = mimeType === 'image/avif' ? 1 : orientation
  return { bytes, mimeType, format, dimensions, orientation: held, isMoving: pages > 1 }
}

/** @throws Problem rest_upload_image_too_large if it takes too long */
async function prepare(
  sharp: SharpFactory,
  image: Inspected,
  fileName: string,
): Promise<PreparedImage | undefined> {
  const { format, isMoving, dimensions } = image
  const seconds = secondsUntil(performance.now() + DEADLINE * 1000, format)
  try {
    const pixels = await decode(
      sharp(image.bytes, { failOn: 'error', limitInputPixels: format.maxPixels }),
      seconds(),
    )
    const { width, height } = pixels.info
    const encode = async (target: Dimensions, ending: string): Promise<PreparedPicture> => {
      const resized = sharp(pixels.data, { raw: pixels.info }).resize({ ...target, fit: 'cover' })
      const encoded = await format.encode(resized.timeout({ seconds: seconds() })).toBuffer()
      return { ...target, ending: `${ending}.${format.extension}`, bytes: encoded }
    }
    const clean = await cleaned(sharp, image)
    // An animation cannot be encoded again, since `pixels` has only its first frame.
    if (!clean && isMoving) return undefined
    const asItCame = clean && { ending: `.${format.extension}`, bytes: clean }
    const isScaled = !isMoving && Math.max(dimensions.width, dimensions.height) > MAX_SIDE
    const full =
      asItCame && !isScaled
        ? { ...asItCame, ...dimensions }
        : await encode({ width, height }, asItCame ? '-scaled' : '')
    return {
      stem: stemOf(fileName),
      mimeType: image.mimeType,
      full,
      ...(asItCame && isScaled ? { original: asItCame } : {}),
      sizes: await makeSizes(full, encode),
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    return isTimeout(error) ? Promise.reject(tooLarge(format.maxPixels)) : undefined
  }
}

function secondsUntil(deadline: number, { maxPixels }: Format): () => number {
  return () => {
    const left = Math.ceil((deadline - performance.now()) / 1000)
    if (left <= 0) throw tooLarge(maxPixels)
    return left
  }
}

const isTimeout = (error: unknown) => error instanceof Error && /timeout/.test(error.message)

/**
 * Returns the image without metadata. Undefined if metadata is left or the dimensions differ: then the image
 * must be encoded again from its pixels.
 */
async function cleaned(sharp: SharpFactory, image: Inspected): Promise<Buffer | undefined> {
  const bytes = await stripMetadata(image.bytes, image.mimeType, image.orientation)
  if (!bytes) return undefined
  const left = await readHead(sharp, bytes)
  const isSame =
    left?.autoOrient.width === image.dimensions.width && left.autoOrient.height === image.dimensions.height
  const isClean = left && !left.xmp && !left.iptc && (left.exif?.length ?? 0) <= MOST_EXIF
  return isSame && isClean ? bytes : undefined
}

/** Exif of at most this many bytes has only the orientation, with the header that readers add. */
const MOST_EXIF = 64

let loading: ReturnType<typeof openSharp> | undefined

/**
 * Imports `sharp` once, with the first image: before, it would delay the start, and to set it up again would
 * make reads under way fail.
 */
export function loadSharp(): ReturnType<typeof openSharp> {
  loading ??= openSharp()
  return loading
}

async function openSharp() {
  const { default: sharp } = await import('sharp')
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif'].map((reader) => `VipsForeignLoad${reader}`),
  })
  // The queue decides how many images are made at a time, so each gets one thread.
  sharp.concurrency(1)
  return sharp
}

type SharpFactory = Awaited<ReturnType<typeof loadSharp>>

function decode(image: Sharp, seconds: number) {
  return image
    .autoOrient()
    .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .timeout({ seconds })
    .raw()
    .toBuffer({ resolveWithObject: true })
}

async function makeSizes(
  full: Dimensions,
  encode: (target: Dimensions, ending: string) => Promise<PreparedPicture>,
) {
  const made = new Map<string, PreparedPicture>()
  const sizes: PreparedImage['sizes'] = {}
  for (const name of SIZE_NAMES) {
    const target = sizeOf(name, full)
    if (target.width >= full.width && target.height >= full.height) continue
    const ending = `-${target.width}x${target.height}`
    const picture = made.get(ending) ?? (await encode(target, ending))
    made.set(ending, picture)
    sizes[name] = picture
  }
  return sizes
}

interface Dimensions {
  width: number
  height: number
}

const boxes: Readonly<Record<Exclude<SizeName, 'thumbnail'>, Dimensions>> = {
  medium: { width: 300, height: 300 },
  large: { width: 1024, height: 1024 },
  medium_large: { width: 768, height: Number.POSITIVE_INFINITY },
  '1536x1536': { width: 1536, height: 1536 },
  '2048x2048': { width: 2048, height: 2048 },
}

/** Thumbnails are cropped, others fit their box; none is larger than the image (rule 8.2). */
function sizeOf(name: SizeName, full: Dimensions): Dimensions {
  if (name === 'thumbnail') return { width: Math.min(150, full.width), height: Math.min(150, full.height) }
  const ratio = Math.min(1, boxes[name].width / full.width, boxes[name].height / full.height)
  const scale = (side: number) => Math.max(1, Math.round(side * ratio))
  return { width: scale(full.width), height: scale(full.height) }
}

const LONGEST_NAME = 300

function stemOf(fileName: string): string {
  const base = fileName.slice(-LONGEST_NAME).split(/[/\\]/).at(-1) ?? ''
  const plain = normalize(base.replace(/\.[a-z0-9]{1,5}$/i, ''), 'NFKD').replace(/\p{M}/gu, '')
  const stem = plain.replace(/[^\w]+/g, '-').slice(0, 80)
  return stem.replace(/^[-_]+|(?<![-_])[-_]+$/g, '') || 'image'
}

/** `slow` work may take seconds; it never occupies all `PLACES`. */
export type Pace = 'quick' | 'slow'

interface Waiting {
  pace: Pace
  begin: () => void
}

interface ImageQueue {
  running: Record<Pace, number>
  waiting: Waiting[]
}

/** Maximum images processed at once: each takes a thread of the pool that files and DNS use. */
const PLACES = 2
const SLOW_PLACES = 1
const MOST_WAITING: Readonly<Record<Pace, number>> = { quick: 32, slow: 4 }
const RETRY_AFTER = 5

export function makeImageQueue(): ImageQueue {
  return { running: { quick: 0, slow: 0 }, waiting: [] }
}

/**
 * Runs `work` after the work queued before, except that quick work overtakes waiting slow work.
 * @throws Problem rest_unavailable at once, if too much work of this pace waits
 */
export async function takeTurn<T>(queue: ImageQueue, pace: Pace, work: () => Promise<T>): Promise<T> {
  const { waiting, running } = queue
  if (waiting.filter((other) => other.pace === pace).length >= MOST_WAITING[pace])
    throw new Problem('rest_unavailable', { retryAfter: RETRY_AFTER })
  await new Promise<void>((begin) => {
    waiting.push({ pace, begin })
    beginNext(queue)
  })
  try {
    return await work()
  } finally {
    running[pace] -= 1
    beginNext(queue)
  }
}

function beginNext({ running, waiting }: ImageQueue): void {
  if (running.quick + running.slow >= PLACES) return
  const next = waiting.findIndex(({ pace }) => pace === 'quick' || running.slow < SLOW_PLACES)
  const [begun] = next === -1 ? [] : waiting.splice(next, 1)
  if (!begun) return
  running[begun.pace] += 1
  begun.begin()
}

/** Encodes the image that `work` makes, with the limits of `prepareImage`; undefined if it cannot be read. */
export async function encodeOne(file: ImageFile, work: (image: Sharp) => Sharp): Promise<Buffer | undefined> {
  const sharp = await loadSharp()
  return takeTurn(queue, file.size >= SLOW_BYTES ? 'slow' : 'quick', async () => {
    const found = await inspect(sharp, await file.read())
    if (!found) return undefined
    const { maxPixels } = found.format
    const image = sharp(found.bytes, { failOn: 'error', limitInputPixels: maxPixels })
    const made = work(image).timeout({ seconds: DEADLINE }).toBuffer()
    return made.catch((error: unknown) =>
      isTimeout(error) ? Promise.reject(tooLarge(maxPixels)) : undefined,
    )
  })
}
