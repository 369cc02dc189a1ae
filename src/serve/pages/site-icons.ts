import { type Pixels, pixelsPng, squarePng } from '../../store/media/image-sizes.ts'
import { type Asset, rgbOf } from './page-assets.ts'

/** An icon that browsers and devices ask for by a fixed address, whether a page names it or not. */
interface SiteIcon {
  side: number
  /** The colour where the image covers nothing. */
  ground: string
  /** The corners of the mark; devices round those of icons for home screens themselves. */
  isRound: boolean
  /** The file around the PNG. */
  wrap: (png: Buffer, side: number) => Buffer
  mediaType: string
}

const touch: SiteIcon = { side: 180, ground: '#ffffff', isRound: false, wrap: (png) => png, mediaType: 'image/png' }

/** The icons by their path below the root of the site. */
export const SITE_ICONS: ReadonlyMap<string, SiteIcon> = new Map([
  ['/favicon.ico', { side: 48, ground: '#ffffff00', isRound: true, wrap: wrappedAsIco, mediaType: 'image/x-icon' }],
  ['/apple-touch-icon.png', touch],
  ['/apple-touch-icon-precomposed.png', touch],
])

/** Makes one of the icons: from the icon of the site where that is made of pixels, else the mark in the accent of the site. */
export async function makeSiteIcon(path: string, own: Asset, accent: string): Promise<Asset> {
  const icon = SITE_ICONS.get(path) ?? touch
  const { side, ground, mediaType } = icon
  if (own.mediaType === mediaType && own.path.endsWith('.ico')) return { ...own, path }
  const png =
    (await squarePng(own.bytes, side, ground).catch(() => undefined)) ??
    (await pixelsPng(drawMark(side, accent, icon.isRound), side))
  return { path, mediaType, bytes: icon.wrap(png, side) }
}

/** A file of one icon: a directory of one entry and the PNG. */
function wrappedAsIco(png: Buffer, side: number): Buffer {
  const head = Buffer.alloc(22)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(1, 4)
  head.writeUInt8(side, 6)
  head.writeUInt8(side, 7)
  head.writeUInt16LE(1, 10)
  head.writeUInt16LE(32, 12)
  head.writeUInt32LE(png.length, 14)
  head.writeUInt32LE(head.length, 18)
  return Buffer.concat([head, png])
}

/** A rectangle with round corners, in units of the mark. */
interface Round {
  left: number
  top: number
  right: number
  bottom: number
  radius: number
}

/** The side of the mark in its own units, as `markOf` draws it. */
const MARK = 26
const GROUND: Round = { left: 0, top: 0, right: MARK, bottom: MARK, radius: 7 }
const LEAF: Round = { left: 5, top: 9, right: 21, bottom: 21, radius: 3 }

/** Draws the mark as pixels with smooth edges, since SVG files are never rendered here. */
function drawMark(side: number, accent: string, isRound: boolean): Pixels {
  const pixels = Buffer.alloc(side * side * 4)
  const colour = rgbOf(accent)
  const unit = MARK / side
  const ground = isRound ? GROUND : { ...GROUND, radius: 0 }
  for (let at = 0; at < side * side; at++) {
    const [x, y] = [((at % side) + 0.5) * unit, (Math.floor(at / side) + 0.5) * unit]
    const white = covered(LEAF, x, y, unit)
    for (const [channel, value] of colour.entries()) pixels[at * 4 + channel] = value + (255 - value) * white
    pixels[at * 4 + 3] = 255 * covered(ground, x, y, unit)
  }
  return pixels
}

/** How much of the pixel around a point a rectangle covers, 0 to 1. */
function covered({ left, top, right, bottom, radius }: Round, x: number, y: number, unit: number): number {
  const across = Math.max(left + radius - x, x - right + radius, 0)
  const down = Math.max(top + radius - y, y - bottom + radius, 0)
  const beyond = radius === 0 ? Math.max(left - x, x - right, top - y, y - bottom) : Math.hypot(across, down) - radius
  return Math.min(Math.max(0.5 - beyond / unit, 0), 1)
}
