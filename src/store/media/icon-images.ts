import { loadSharp } from './image-sizes.ts'

// Makes icons of images.

/** The most pixels of an image that icons are made of. */
const MOST_PIXELS = 16_000_000
const SECONDS = 5

/** Four bytes a pixel: red, green, blue and how much it covers. */
export type Pixels = Buffer

/** Returns an image as a square PNG, whole, on this ground. @throws Error for what is no image of a kind this service keeps */
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
