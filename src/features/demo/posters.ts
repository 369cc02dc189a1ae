import type { Sharp } from 'sharp'

export interface Poster {
  file: string
  /** Lines of letters A to Z and spaces. */
  words: readonly string[]
  /** As `#rrggbb`. */
  colours: readonly [above: string, below: string, motif: string, letters: string]
  motif: keyof typeof motifs
  /** `wide` suits a page, `tall` a wall; `large` has every image size. */
  shape: keyof typeof shapes
}

const shapes = {
  wide: { width: 1200, height: 800 },
  tall: { width: 800, height: 1200 },
  large: { width: 2400, height: 1600 },
} as const

/** Side of the square in which motifs are drawn. It covers the poster, cut off on two sides. */
const SIDE = 120

const count = (length: number) => Array.from({ length }, (_, at) => at)

const ring = (x: number, y: number, radius: number, width: number) =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="none" stroke="currentColor" stroke-width="${width}"/>`

const disc = (x: number, y: number, radius: number, opacity = 1) =>
  `<circle cx="${x}" cy="${y}" r="${radius}" opacity="${opacity}"/>`

const bar = (x: number, y: number, width: number, height: number, opacity = 1) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" opacity="${opacity}"/>`

const note = (x: number, y: number) =>
  `<g transform="rotate(-20 ${x} ${y})"><ellipse cx="${x}" cy="${y}" rx="6" ry="4.4"/></g>${bar(
    x + 4.2,
    y - 30,
    1.6,
    29,
  )}`

const motifs = {
  waves: () =>
    count(7).map((at) => {
      const y = 38 + at * 10
      return `<path d="M-20 ${y}q10 -9 20 0t20 0t20 0t20 0t20 0t20 0t20 0t20 0V130H-20Z" opacity="${
        0.14 + at * 0.05
      }"/>`
    }),
  sun: () => [
    disc(84, 42, 17),
    ...count(16).map((at) => `<g transform="rotate(${at * 22.5} 84 42)">${bar(83.2, 15, 1.6, 7)}</g>`),
  ],
  notes: () => [
    ...count(5).map((at) => bar(0, 26 + at * 8, SIDE, 0.7, 0.6)),
    note(30, 50),
    note(56, 42),
    note(86, 58),
    bar(34.2, 19, 27.6, 4),
  ],
  arches: () => count(4).flatMap((at) => [ring(60, 74, 12 + at * 12, 5.5)]),
  stars: () =>
    count(46).map((at) =>
      disc((at * 47.3) % SIDE, (at * 29.7) % 92, 0.4 + ((at * 13) % 7) / 5, 0.5 + (at % 3) / 5),
    ),
  hills: () => [
    '<path d="M0 64Q28 18 58 58T120 36V120H0Z" opacity=".5"/>',
    '<path d="M0 80Q34 44 70 74T120 60V120H0Z"/>',
  ],
  stalls: () =>
    count(5).flatMap((at) => [
      bar(at * 25 - 2, 30, 13, 26),
      `<path d="M${at * 25 - 2} 56a6.5 7 0 0 0 13 0Z"/>`,
      bar(at * 25 + 11, 30, 12, 26, 0.35),
    ]),
  oars: () =>
    count(4).map((at) => {
      const x = 18 + at * 26
      return `<g transform="rotate(32 ${x} 60)">${bar(x, 4, 2, 92)}<path d="M${x - 4} 84h10l-2 28h-6Z"/></g>`
    }),
  frames: () =>
    count(3).map((at) => {
      const x = 22 + at * 27
      return `<rect x="${x}" y="${26 + at * 6}" width="22" height="${
        30 - at * 4
      }" fill="none" stroke="currentColor" stroke-width="2.4"/>${disc(x + 11, 42 + at * 4, 6 - at, 0.7)}`
    }),
  pages: () =>
    count(6).map(
      (at) => `<g transform="rotate(${at * 13 - 40} 60 86)">${bar(58, 24, 30, 50, 0.2 + at * 0.1)}</g>`,
    ),
  reel: () => [
    ring(60, 48, 27, 3),
    disc(60, 48, 4),
    ...count(6).map((at) => `<g transform="rotate(${at * 60} 60 48)">${disc(60, 32, 6.5, 0.85)}</g>`),
  ],
  leaves: () =>
    count(9).map((at) => {
      const [x, y] = [12 + ((at * 31) % 100), 18 + ((at * 23) % 62)]
      return `<path transform="rotate(${at * 41} ${x} ${y})" d="M${x} ${
        y - 11
      }q9 11 0 22q-9 -11 0 -22Z" opacity="${0.4 + (at % 4) * 0.18}"/>`
    }),
} satisfies Record<string, () => string[]>

/** Letters as strokes in a 4 by 6 grid, since a machine may have no fonts. */
const strokes: Readonly<Record<string, string>> = {
  A: 'M0 6L2 0L4 6M.7 4H3.3',
  B: 'M0 0V6H2.6A1.6 1.6 0 0 0 2.6 2.8H0M0 0H2.4A1.4 1.4 0 0 1 2.4 2.8',
  C: 'M4 .9A2.6 3 0 1 0 4 5.1',
  D: 'M0 0V6H1.4A2.6 3 0 0 0 1.4 0Z',
  E: 'M3.6 0H0V6H3.6M0 3H3',
  F: 'M3.6 0H0V6M0 3H3',
  G: 'M4 .9A2.6 3 0 1 0 4 5.1V3.2H2.4',
  H: 'M0 0V6M4 0V6M0 3H4',
  I: 'M2 0V6',
  J: 'M3.4 0V4.3A1.7 1.7 0 0 1 0 4.3',
  K: 'M0 0V6M3.8 0L0 3.4M1.2 2.4L4 6',
  L: 'M0 0V6H3.6',
  M: 'M0 6V0L2 3.6L4 0V6',
  N: 'M0 6V0L4 6V0',
  O: 'M2 0A2.1 3 0 0 1 2 6A2.1 3 0 0 1 2 0Z',
  P: 'M0 6V0H2.4A1.6 1.6 0 0 1 2.4 3.2H0',
  Q: 'M2 0A2.1 3 0 0 1 2 6A2.1 3 0 0 1 2 0ZM2.6 4.4L4.2 6.2',
  R: 'M0 6V0H2.4A1.6 1.6 0 0 1 2.4 3.2H0M1.8 3.2L4 6',
  S: 'M3.8 .9A1.9 1.5 0 1 0 2 3A1.9 1.5 0 1 1 .2 5.1',
  T: 'M0 0H4M2 0V6',
  U: 'M0 0V4A2 2 0 0 0 4 4V0',
  V: 'M0 0L2 6L4 0',
  W: 'M-.3 0L.9 6L2 2L3.1 6L4.3 0',
  X: 'M0 0L4 6M4 0L0 6',
  Y: 'M0 0L2 3L4 0M2 3V6',
  Z: 'M0 0H4L0 6H4',
}

const ADVANCE = 5.6
const HEIGHT = 6
const LEADING = 9

function line(text: string, at: number): string {
  const left = -((text.length - 1) * ADVANCE + 4) / 2
  return [...text]
    .map((letter, place) => {
      const path = strokes[letter] ?? ''
      return path === ''
        ? ''
        : `<path transform="translate(${left + place * ADVANCE} ${at * LEADING})" d="${path}"/>`
    })
    .join('')
}

function lettering(words: readonly string[], width: number, height: number): string {
  // biome-ignore lint/plugin: words of the demo
  const longest = Math.max(...words.map((text) => text.length))
  const tall = (words.length - 1) * LEADING + HEIGHT
  const scale = Math.min((width * 0.84) / (longest * ADVANCE), (height * 0.26) / tall)
  const top = height * 0.93 - tall * scale
  return `<g transform="translate(${width / 2} ${top}) scale(${scale})">${words.map(line).join('')}</g>`
}

function svgOf({ words, colours, motif, shape }: Poster): string {
  const { width, height } = shapes[shape]
  const [above, below, drawn, letters] = colours
  const side = Math.max(width, height)
  const place = `translate(${(width - side) / 2} ${
    shape === 'tall' ? 0 : (height - side) * 0.3
  }) scale(${side / SIDE})`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <linearGradient id="sky" x2=".3" y2="1"><stop stop-color="${above}"/><stop offset="1" stop-color="${
      below
    }"/></linearGradient>
    <linearGradient id="shade" x2="0" y2="1"><stop offset=".5" stop-color="${
      below
    }" stop-opacity="0"/><stop offset=".85" stop-color="${below}" stop-opacity=".75"/></linearGradient>
    <rect width="100%" height="100%" fill="url(#sky)"/>
    <g fill="${drawn}" color="${drawn}" transform="${place}">${motifs[motif]().join('')}</g>
    <rect width="100%" height="100%" fill="url(#shade)"/>
    <g fill="none" stroke="${
      letters
    }" stroke-width=".62" stroke-linecap="round" stroke-linejoin="round">${lettering(
      words,
      width,
      height,
    )}</g>
  </svg>`
}

const SVG_READER = { operation: ['VipsForeignLoadSvg'] }

/** Draws posters as JPEG. Sharp can read SVG only meanwhile, since clients may send files. */
export async function drawPosters(posters: readonly Poster[]): Promise<Map<Poster, Buffer>> {
  const { default: sharp } = await import('sharp')
  const draw = (poster: Poster): Sharp => sharp(Buffer.from(svgOf(poster))).jpeg({ quality: 86 })
  sharp.unblock(SVG_READER)
  try {
    const drawn = posters.map(async (poster) => [poster, await draw(poster).toBuffer()] as const)
    return new Map(await Promise.all(drawn))
  } finally {
    sharp.block(SVG_READER)
  }
}
