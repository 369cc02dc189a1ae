import { stripAvif } from './strip-avif.ts'
import { stripGif } from './strip-gif.ts'
import { stripJpeg } from './strip-jpeg.ts'
import { stripPng } from './strip-png.ts'
import { stripWebp } from './strip-webp.ts'

type Strip = (bytes: Buffer, orientation: number) => Buffer | Promise<Buffer>

const strips: Readonly<Record<string, Strip>> = {
  'image/jpeg': stripJpeg,
  'image/png': stripPng,
  'image/webp': stripWebp,
  'image/gif': stripGif,
  'image/avif': stripAvif,
}

/**
 * An image without the metadata of cameras and programs: places, times, names, devices, previews, comments (Exif, XMP, IPTC and the like). Pixels,
 * colour profile and animation stay, and so does `orientation` (1 to 8), as the one entry of new Exif data. The same bytes when there is nothing to
 * remove; undefined for a file whose parts cannot be told apart.
 */
export async function stripMetadata(bytes: Buffer, mimeType: string, orientation: number): Promise<Buffer | undefined> {
  const strip = strips[mimeType]
  try {
    return await strip?.(bytes, orientation)
  } catch (error) {
    // Offsets in the file that lead out of it.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
