import type { Metadata, Sharp } from 'sharp'
import { Problem } from '../../base/problems.ts'
import { normalize } from '../../base/text/characters.ts'
import { stripMetadata } from './strip-metadata.ts'

// Checks images, and makes their sizes and icons.

/** The sizes made of an image, in the order answers list them (rule 8.2). */
const SIZE_NAMES = ['medium', 'large', 'thumbnail', 'medium_large', '1536x1536', '2048x2048'] as const
export type SizeName = (typeof SIZE_NAMES)[number]

/** A file to be stored; `ending` follows the stem in its name, such as `-300x225.jpg`. */
export interface PreparedFile {
  ending: string
  bytes: Buffer
}

/** A file and its dimensions in pixels. */
interface PreparedPicture extends PreparedFile {
  width: number
  height: number
}

/** A verified image with its sizes, ready to be stored under one stem. */
export interface PreparedImage {
  /** Start of every file name: letters, digits, `-` and `_`. */
  stem: string
  mimeType: string
  /** The full size: the image as it came, or a copy that fits `MAX_SIDE`. */
  full: PreparedPicture
  /** The image as it came, where `full` is a copy. */
  original?: PreparedFile
  /** Sizes smaller than `full`; two of the same dimensions are the same file. */
  sizes: Partial<Record<SizeName, PreparedPicture>>
}

/** Longer images are shown as a copy with this many pixels on the long side (rule 8.3). */
const MAX_SIDE = 2560
/** Seconds that preparing an image may take. */
const DEADLINE = 20
/** Frames of a moving image. */
const MOST_FRAMES = 2000
/** Bytes from which a file is expected to take long. */
const SLOW_BYTES = 4_000_000

interface Format {
  extension: string
  /** Pixels up to which decoding stays within some 500 MB of memory. */
  maxPixels: number
  /** Pixels from which making the sizes takes longer than about a second. */
  slowPixels: number
  encode: (picture: Sharp) => Sharp
}

/**
 * The formats accepted, by media type. AVIF and GIF are encoded at their least effort: the next takes several times as long for about the
 * same bytes.
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

/** Whether a key of the store is such as images have: a year, a month, and a name that ends as those of an accepted format do. */
export function isImageKey(key: string): boolean {
  return /^\d{4}\/\d\d\/\w[\w.-]{0,199}$/.test(key) && mimeTypeOf(key) !== 'application/octet-stream'
}

/** The media type of a stored image by its file name. */
export function mimeTypeOf(fileName: string): string {
  const found = Object.entries(formats).find(([, { extension }]) => fileName.endsWith(`.${extension}`))
  return found?.[0] ?? 'application/octet-stream'
}

/** A file that may be an image. Its bytes are asked for when its turn comes, and not before. */
export interface ImageFile {
  /** bytes */
  size: number
  read: () => Promise<Buffer>
}

export function inMemory(bytes: Buffer): ImageFile {
  return { size: bytes.length, read: async () => bytes }
}

const queue = makeImageQueue()

/** An image whose head has been read. */
interface Inspected {
  bytes: Buffer
  mimeType: string
  format: Format
  /** The dimensions as shown. */
  dimensions: Dimensions
  orientation: number
  isMoving: boolean
}

/**
 * The image of a file with the sizes of rule 8.2, without the metadata of cameras (`stripMetadata`); undefined when it is damaged or no JPEG, PNG,
 * GIF, WebP or AVIF. Few images are prepared at a time, and slow ones never hold up the others.
 * @throws Problem rest_upload_image_too_large for more pixels, frames or seconds than allowed, rest_unavailable when too many wait
 */
export async function prepareImage(file: ImageFile, fileName: string): Promise<PreparedImage | undefined> {
  const sharp = await loadSharp()
  const isLarge = file.size >= SLOW_BYTES
  const inspected = await takeTurn(queue, isLarge ? 'slow' : 'quick', async () => {
    const found = await inspect(sharp, await file.read())
    return !found || (isSlow(found) && !isLarge) ? found : { prepared: await prepare(sharp, found, fileName) }
  })
  if (!inspected || 'prepared' in inspected) return inspected?.prepared
  // It has few bytes and many pixels: it waits with the slow ones.
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

/** @throws Problem rest_upload_image_too_large */
async function inspect(sharp: SharpFactory, bytes: Buffer): Promise<Inspected | undefined> {
  const found = await readHead(sharp, bytes)
  const { mediaType: mimeType = '', autoOrient: dimensions, orientation = 1, pages = 1 } = found ?? {}
  const format = formats[mimeType]
  if (!format || !dimensions) return undefined
  if (dimensions.width * dimensions.height > format.maxPixels || pages > MOST_FRAMES) throw tooLarge(format.maxPixels)
  // The orientation of an AVIF is a property of its picture, which its Exif data only repeat.
  const held = mimeType === 'image/avif' ? 1 : orientation
  return { bytes, mimeType, format, dimensions, orientation: held, isMoving: pages > 1 }
}

/** @throws Problem rest_upload_image_too_large when it takes too long */
async function prepare(sharp: SharpFactory, image: Inspected, fileName: string): Promise<PreparedImage | undefined> {
  const { format, isMoving, dimensions } = image
  const seconds = secondsUntil(performance.now() + DEADLINE * 1000, format)
  try {
    const pixels = await decode(sharp(image.bytes, { failOn: 'error', limitInputPixels: format.maxPixels }), seconds())
    const { width, height } = pixels.info
    const encode = async (target: Dimensions, ending: string): Promise<PreparedPicture> => {
      const resized = sharp(pixels.data, { raw: pixels.info }).resize({ ...target, fit: 'cover' })
      const encoded = await format.encode(resized.timeout({ seconds: seconds() })).toBuffer()
      return { ...target, ending: `${ending}.${format.extension}`, bytes: encoded }
    }
    const clean = await cleaned(sharp, image)
    // A scaled copy of an animation would be a still.
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

/** Gives the whole seconds left until the deadline. */
function secondsUntil(deadline: number, { maxPixels }: Format): () => number {
  return () => {
    const left = Math.ceil((deadline - performance.now()) / 1000)
    if (left <= 0) throw tooLarge(maxPixels)
    return left
  }
}

const isTimeout = (error: unknown) => error instanceof Error && /timeout/.test(error.message)

/**
 * The bytes of an image without its metadata, verified: no metadata is left, and the pixels are the same. Undefined when that fails; then the shown
 * image is made of the pixels alone.
 */
async function cleaned(sharp: SharpFactory, image: Inspected): Promise<Buffer | undefined> {
  const bytes = await stripMetadata(image.bytes, image.mimeType, image.orientation)
  if (!bytes) return undefined
  const left = await readHead(sharp, bytes)
  const isSame = left?.autoOrient.width === image.dimensions.width && left.autoOrient.height === image.dimensions.height
  const isClean = left && !left.xmp && !left.iptc && (left.exif?.length ?? 0) <= MOST_EXIF
  return isSame && isClean ? bytes : undefined
}

/** Bytes of Exif data that hold nothing but the orientation, with what readers put before and behind them. */
const MOST_EXIF = 64

let loading: ReturnType<typeof openSharp> | undefined

/**
 * The library, loaded with the first image to keep start-up quick. It is set up once: setting it up again would refuse images that are being read.
 */
function loadSharp(): ReturnType<typeof openSharp> {
  loading ??= openSharp()
  return loading
}

/** With the readers of all other formats blocked. */
async function openSharp() {
  const { default: sharp } = await import('sharp')
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif'].map((reader) => `VipsForeignLoad${reader}`) })
  // The queue says how many threads work on images.
  sharp.concurrency(1)
  return sharp
}

type SharpFactory = Awaited<ReturnType<typeof loadSharp>>

/** The pixels as they are seen, decoded once, at `MAX_SIDE` at most; every size is made of them. Of an animation, its first frame. */
function decode(image: Sharp, seconds: number) {
  return image
    .autoOrient()
    .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .timeout({ seconds })
    .raw()
    .toBuffer({ resolveWithObject: true })
}

async function makeSizes(full: Dimensions, encode: (target: Dimensions, ending: string) => Promise<PreparedPicture>) {
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

/** Width and height in pixels. */
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

/** The dimensions of a size of an image: thumbnails are cropped, all others fit their box; none is larger than the image (rule 8.2). */
function sizeOf(name: SizeName, full: Dimensions): Dimensions {
  if (name === 'thumbnail') return { width: Math.min(150, full.width), height: Math.min(150, full.height) }
  const ratio = Math.min(1, boxes[name].width / full.width, boxes[name].height / full.height)
  const scale = (side: number) => Math.max(1, Math.round(side * ratio))
  return { width: scale(full.width), height: scale(full.height) }
}

/** Of a longer file name, its end is used. */
const LONGEST_NAME = 300

/** The stem of a stored file name, from the name sent; `image` when nothing of that is left. */
function stemOf(fileName: string): string {
  const base = fileName.slice(-LONGEST_NAME).split(/[/\\]/).at(-1) ?? ''
  const plain = normalize(base.replace(/\.[a-z0-9]{1,5}$/i, ''), 'NFKD').replace(/\p{M}/gu, '')
  const stem = plain.replace(/[^\w]+/g, '-').slice(0, 80)
  return stem.replace(/^[-_]+|[-_]+$/g, '') || 'image'
}

/** The expected work of an image: `slow` ones may take seconds and never hold all places. */
export type Pace = 'quick' | 'slow'

interface Waiting {
  pace: Pace
  begin: () => void
}

/** The images being prepared and the waiting ones, in the order of arrival. */
interface ImageQueue {
  running: Record<Pace, number>
  waiting: Waiting[]
}

/** Images prepared at the same time. Each holds a thread of the pool that file and DNS lookups use as well. */
const PLACES = 2
/** The places that slow images may take. */
const SLOW_PLACES = 1
/** The most images that may wait. */
const MOST_WAITING: Readonly<Record<Pace, number>> = { quick: 32, slow: 4 }
/** Seconds after which a refused upload may be tried again. */
const RETRY_AFTER = 5

export function makeImageQueue(): ImageQueue {
  return { running: { quick: 0, slow: 0 }, waiting: [] }
}

/**
 * Does the work when its turn comes: in order, except that slow work waits for other slow work and quick work does not.
 * @throws Problem rest_unavailable at once, when too many wait already
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

/** Begins the first waiting image that has a place. */
function beginNext({ running, waiting }: ImageQueue): void {
  if (running.quick + running.slow >= PLACES) return
  const next = waiting.findIndex(({ pace }) => pace === 'quick' || running.slow < SLOW_PLACES)
  const [begun] = next === -1 ? [] : waiting.splice(next, 1)
  if (!begun) return
  running[begun.pace] += 1
  begun.begin()
}

/** The most pixels of an image that icons are made of. */
const MOST_PIXELS = 16_000_000
const SECONDS = 5

/** Four bytes a pixel: red, green, blue and how much it covers. */
export type Pixels = Buffer

/** Returns an image as a square PNG, whole, on this ground. @throws Error for bytes that are no image of a kind this service keeps */
export async function squarePng(image: Buffer, side: number, ground: string): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(image, { limitInputPixels: MOST_PIXELS })
    .autoOrient()
    .resize({ width: side, height: side, fit: 'contain', background: ground })
    .timeout({ seconds: SECONDS })
    .png()
    .toBuffer()
}

/** Returns a square of pixels as a PNG. */
export async function pixelsPng(pixels: Pixels, side: number): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(pixels, { raw: { width: side, height: side, channels: 4 } })
    .png()
    .toBuffer()
}
