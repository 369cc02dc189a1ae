type Rgb = readonly [red: number, green: number, blue: number]

const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [17, 18, 20]
/** The backgrounds that accents have in the style sheet: the darkest light one and the lightest dark one. */
const LIGHT_GROUND: Rgb = [240, 240, 236]
const DARK_GROUND: Rgb = [38, 41, 47]

/** The contrast ratio that text needs. */
const READABLE = 4.6
/** The contrast ratio of accented text on dark backgrounds, where colours look weaker. */
const READABLE_IN_THE_DARK = 7
const STEPS = 40

/** The custom properties for the accent colour of the site: the colour, the text on it, and the colour as text in light and dark mode. */
export function accentStyle(colour: string): string {
  const accent = rgbOf(colour)
  const on = contrast(accent, WHITE) >= contrast(accent, BLACK) ? WHITE : BLACK
  const ground = towards(accent, on === WHITE ? BLACK : WHITE, on)
  return `:root{--accent:${hex(ground)};--on-accent:${hex(on)};--accent-light:${hex(towards(accent, BLACK, LIGHT_GROUND))};--accent-dark:${hex(towards(accent, WHITE, DARK_GROUND, READABLE_IN_THE_DARK))}}`
}

/** A colour moved towards another until it has enough contrast to a third. */
function towards(colour: Rgb, target: Rgb, other: Rgb, needed = READABLE): Rgb {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(colour, target, step / STEPS)
    if (contrast(mixed, other) >= needed) return mixed
  }
  return target
}

function rgbOf(colour: string): Rgb {
  const long = colour.length === 4 ? colour.replace(/[0-9a-f]/gi, '$&$&') : colour
  const number = Number.parseInt(long.slice(1), 16)
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255]
}

const hex = (colour: Rgb) => `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

const mix = (a: Rgb, b: Rgb, share: number): Rgb => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
]

/** The contrast ratio of WCAG 2. */
function contrast(a: Rgb, b: Rgb): number {
  const [x, y] = [luminance(a), luminance(b)]
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return red * 0.2126 + green * 0.7152 + blue * 0.0722
}
