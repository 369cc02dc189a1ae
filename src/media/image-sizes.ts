import type { Sharp } from 'sharp'

/** The sizes made of an image, in the order answers list them (contract 3.6). */
export const SIZE_NAMES = ['medium', 'large', 'thumbnail', 'medium_large', '1536x1536', '2048x2048'] as const
export type SizeName = (typeof SIZE_NAMES)[number]

/** A file to be stored; `ending` follows the stem in its name, such as `-300x225.jpg`. */
export interface PreparedFile {
  ending: string
  bytes: Buffer
}

/** A file and its dimensions in pixels. */
export interface PreparedPicture extends PreparedFile {
  width: number
  height: number
}

/** A verified image and all that is made of it, ready to be stored under one stem. */
export interface PreparedImage {
  /** Start of every file name: letters, digits, `-` and `_`. */
  stem: string
  mimeType: string
  /** What is shown in full: the image as it came, or a copy that fits `MAX_SIDE`. */
  full: PreparedPicture
  /** The image as it came, where `full` is a copy. */
  original?: PreparedFile
  /** Sizes smaller than `full`; two of the same dimensions are the same file. */
  sizes: Partial<Record<SizeName, PreparedPicture>>
}

/** Longer images are shown as a copy with this many pixels on the long side (contract 3.6). */
export const MAX_SIDE = 2560
/** Seconds one step of the work may take. */
const STEP_TIMEOUT = 20

interface Format {
  extension: string
  /** Pixels up to which decoding stays within some 500 MB of memory. */
  maxPixels: number
  encode: (picture: Sharp) => Sharp
}

/** The formats accepted, by media type. AVIF is encoded at its least effort: the next takes three times as long for the same bytes. */
const formats: Readonly<Record<string, Format>> = {
  'image/jpeg': { extension: 'jpg', maxPixels: 64_000_000, encode: (picture) => picture.jpeg({ quality: 82 }) },
  'image/png': { extension: 'png', maxPixels: 64_000_000, encode: (picture) => picture.png() },
  'image/gif': { extension: 'gif', maxPixels: 64_000_000, encode: (picture) => picture.gif() },
  'image/webp': { extension: 'webp', maxPixels: 64_000_000, encode: (picture) => picture.webp({ quality: 82 }) },
  'image/avif': { extension: 'avif', maxPixels: 24_000_000, encode: (picture) => picture.avif({ effort: 0 }) },
}

/** The media type of a stored image by its file name. */
export function mimeTypeOf(fileName: string): string {
  const found = Object.entries(formats).find(([, { extension }]) => fileName.endsWith(`.${extension}`))
  return found?.[0] ?? 'application/octet-stream'
}

let queue: Promise<unknown> = Promise.resolve()

/**
 * The image in these bytes with the sizes of contract 3.6, or undefined when they are not a JPEG, PNG, GIF, WebP or AVIF image, are
 * damaged, or hold too many pixels. Images are prepared one after the other, which bounds the memory taken.
 */
export function prepareImage(bytes: Buffer, fileName: string): Promise<PreparedImage | undefined> {
  const prepared = queue.then(async () => {
    const sharp = await loadSharp()
    return prepare(sharp, bytes, fileName).catch(() => undefined)
  })
  queue = prepared.catch(() => undefined)
  return prepared
}

async function prepare(
  sharp: Awaited<ReturnType<typeof loadSharp>>,
  bytes: Buffer,
  fileName: string,
): Promise<PreparedImage | undefined> {
  const { mediaType = '', autoOrient, pages = 1 } = await sharp(bytes).metadata()
  const format = formats[mediaType]
  if (!format) return undefined
  const pixels = await decode(sharp(bytes, { failOn: 'error', limitInputPixels: format.maxPixels }))
  const { width, height } = pixels.info
  const encode = async (target: Dimensions, ending: string): Promise<PreparedPicture> => {
    const resized = sharp(pixels.data, { raw: pixels.info }).resize({ ...target, fit: 'cover' })
    const encoded = await format.encode(resized.timeout({ seconds: STEP_TIMEOUT })).toBuffer()
    return { ...target, ending: `${ending}.${format.extension}`, bytes: encoded }
  }
  const asItCame = { ending: `.${format.extension}`, bytes }
  // A scaled copy of an animation would be a still.
  const isScaled = pages === 1 && Math.max(autoOrient.width, autoOrient.height) > MAX_SIDE
  const full = isScaled ? await encode({ width, height }, '-scaled') : { ...asItCame, ...autoOrient }
  return {
    stem: stemOf(fileName),
    mimeType: mediaType,
    full,
    ...(isScaled ? { original: asItCame } : {}),
    sizes: await makeSizes(full, encode),
  }
}

/** Loaded with the first image, since start-up need not wait for it, and with the readers of all other formats shut. */
async function loadSharp() {
  const { default: sharp } = await import('sharp')
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif'].map((reader) => `VipsForeignLoad${reader}`) })
  return sharp
}

/** The pixels as they are seen, decoded once, at `MAX_SIDE` at most; every size is made of them. An animation's are its first frame. */
function decode(image: Sharp) {
  return image
    .autoOrient()
    .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .timeout({ seconds: STEP_TIMEOUT })
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
export interface Dimensions {
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

/** The dimensions of a size of an image: thumbnails are cropped, all others fit their box; none is larger than the image (contract 3.6). */
export function sizeOf(name: SizeName, full: Dimensions): Dimensions {
  if (name === 'thumbnail') return { width: Math.min(150, full.width), height: Math.min(150, full.height) }
  const ratio = Math.min(1, boxes[name].width / full.width, boxes[name].height / full.height)
  const scale = (side: number) => Math.max(1, Math.round(side * ratio))
  return { width: scale(full.width), height: scale(full.height) }
}

/** What a file name gives for the start of a stored one; `image` when nothing of it is left. */
function stemOf(fileName: string): string {
  const base = fileName.split(/[/\\]/).at(-1) ?? ''
  const plain = base
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
  const stem = plain.replace(/[^\w]+/g, '-').slice(0, 80)
  return stem.replace(/^[-_]+|[-_]+$/g, '') || 'image'
}
