import { loadSharp } from '../../store/media/image-sizes.ts'

const MOST_PIXELS = 16_000_000

const SECONDS = 5

/** Four bytes per pixel: red, green, blue, alpha. */
export type Pixels = Buffer

/**
 * Renders a square PNG on the background colour `ground`.
 * @throws Error for bytes that are not an accepted image
 */
export async function squarePng(image: Buffer, side: number, ground: string): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(image, { limitInputPixels: MOST_PIXELS })
    .autoOrient()
    .resize({ width: side, height: side, fit: 'contain', background: ground })
    .timeout({ seconds: SECONDS })
    .png()
    .toBuffer()
}

export async function pixelsPng(pixels: Pixels, side: number): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(pixels, { raw: { width: side, height: side, channels: 4 } })
    .png()
    .toBuffer()
}
