import { readFileSync } from 'node:fs'
import { LANGUAGES, type Site } from '../../base/config.ts'
import { contentName, LOOK_FILES, type LookFileSetting } from '../../base/look-settings.ts'
import { localeOf } from '../../calendar/locales/date-locales.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import { translate } from '../../calendar/locales/translate.ts'
import { weekStartOf } from '../../http/page-dates.ts'
import { type Pixels, pixelsPng, squarePng } from '../../store/media/image-sizes.ts'
import { type Look, lookStyle, readSet } from './look.ts'
import { attributeFilters } from './page-filters.ts'

// Makes the style sheets, scripts and images of pages, the colours of a look, the scripts for other sites,
// and the icons of the site.

/**
 * A file that pages refer to. An address below `ASSETS_PATH` changes with the content of its file, so it can
 * be cached for ever.
 */
export interface Asset {
  path: string
  mediaType: string
  bytes: Buffer
}

/** The files of all pages: those of `ownFiles`, and those that depend on the site and its look. */
export interface Assets extends ReturnType<typeof ownFiles> {
  style: Asset
  /** The library for maps, which is loaded once somebody asks for a map. */
  leaflet: { script: Asset; style: Asset }
  /** The files of the look, by their setting. */
  files: Readonly<Partial<Record<LookFileSetting, Asset>>>
  /** The picture of the site in tabs: its icon, else its logo, else the plain mark. */
  icon: Asset
  byPath: ReadonlyMap<string, Asset>
  /** The files that pages of other sites load, at addresses that never change. */
  embed: readonly Asset[]
}

/**
 * Returns a function that makes a value when it is first called, and keeps the value while the process runs.
 */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}

/**
 * The style sheets and scripts that are the same in every calendar; the first calendar of a process reads
 * them.
 */
const ownFiles = once(() => ({
  script: scriptAsset('calendar'),
  /** The styles of the opening of the front page, and of ongoing events. */
  front: sheet('front', 'ongoing'),
  week: sheet('week'),
  month: sheet('month', 'ongoing'),
  /** The styles of the pages of one event, series, venue or organizer. */
  eventStyle: sheet('event', 'texts'),
  /** The styles of pages of text, and of pages that explain a failure. */
  texts: sheet('texts'),
  event: scriptAsset('event'),
  /** The styles of directories and maps. */
  places: sheet('places'),
  map: scriptAsset('map'),
  /** The styles of events on other sites. */
  embedding: sheet('embedding'),
  /** The script of the page that generates embedding markup. */
  builder: scriptAsset('builder'),
  /** The script that finds the position of the reader; loaded when "Near me" is pressed. */
  near: scriptAsset('near'),
  /** The script that suggests while the reader types; loaded when the search field gets the focus. */
  suggest: scriptAsset('suggest'),
}))

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=UTF-8',
  '.js': 'text/javascript; charset=UTF-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.avif': 'image/avif',
  '.gif': 'image/gif',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/** The path of the files, below the root of the site. */
export const ASSETS_PATH = '/assets/'

/** The style sheet of all pages, without the rules of a look. */
const plainStyle = once(() => withoutBlanks(textOf('tokens.css') + textOf('calendar.css')) + FOCUS)

const textOf = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')

const sheet = (...names: readonly [string, ...string[]]) => {
  const text = names.map((name) => withoutBlanks(textOf(`${name}.css`)) + (NUMBERED[name] ?? '')).join('')
  return asset(names[0], '.css', Buffer.from(text))
}

const numbered = (first: number, last: number, rule: (number: number) => string) =>
  Array.from({ length: last - first + 1 }, (_, at) => rule(first + at)).join('')

/**
 * The rules for the point of a picture that stays in view where the picture is cropped, in tenths of its
 * width and height.
 */
const FOCUS = numbered(
  0,
  10,
  (tenth) => `.fx${tenth}{--focus-x:${tenth * 10}%}.fy${tenth}{--focus-y:${tenth * 10}%}`,
)
const LENGTHS = numbered(1, 7, (days) => `.w${days}{--days:${days}}`)
const NUMBERED: Readonly<Record<string, string>> = {
  month: LENGTHS,
  week: LENGTHS + numbered(1, 7, (column) => `.c${column}{grid-column-start:${column}}`),
}

const scriptAsset = (name: string) => asset(name, '.js', Buffer.from(bareScript(textOf(`${name}.js`))))

/**
 * Writes the style sheet of all pages.
 * @param font the address of the font of the look
 * @throws Error with one sentence for a file that cannot be used
 */
export function styleText(look: Look, font: string | undefined): string {
  return [plainStyle(), accentStyle(look.accent), lookStyle(look, font), readOwnStyle(look.css)].join('\n')
}

/**
 * Reads the owner's style sheet. It stands behind all other rules, where browsers ignore `@import`, so that
 * is refused.
 * @throws Error with one sentence
 */
function readOwnStyle(path: string): string {
  const rules = path === '' ? '' : readSet(path, 'style sheet').toString('utf8')
  const withoutComments = rules.split('*/').map((part) => part.split('/*', 1)[0])
  if (/@import\b/i.test(withoutComments.join('')))
    throw new Error(
      `The style sheet of the pages cannot have @import: put the rules themselves into ${path}.`,
    )
  return rules
}

/**
 * Makes the files of the pages in a look.
 * @throws Error with one sentence for a file that is set and cannot be used
 */
export function readAssets(site: Site, look: Look): Assets {
  const { accent, weekStart } = look
  const files = lookAssets(look)
  const icon = files.pages_icon ?? files.pages_logo ?? asset('icon', '.svg', Buffer.from(markOf(accent)))
  const font = files.pages_font?.path.slice(ASSETS_PATH.length)
  const style = asset('calendar', '.css', Buffer.from(styleText(look, font)))
  const leaflet = leafletAssets()
  const embed = [...embedScripts(site, weekStart)].map(([path, text]) => ({
    path,
    mediaType: MEDIA_TYPES['.js'] ?? '',
    bytes: Buffer.from(text),
  }))
  const own = ownFiles()
  const all = [style, icon, leaflet.script, leaflet.style, ...Object.values(own), ...Object.values(files)]
  return { ...own, style, icon, leaflet, embed, files, byPath: new Map(all.map((file) => [file.path, file])) }
}

/** Returns the files of the look with their addresses, by their setting. */
export function lookAssets({ files }: Pick<Look, 'files'>): Assets['files'] {
  const named = Object.entries(files).map(([name, { ending, bytes }]) => {
    const { stem } = LOOK_FILES[name as LookFileSetting]
    return [name, asset(stem, ending, bytes)]
  })
  return Object.fromEntries(named)
}

const leafletAssets = once((): Assets['leaflet'] => {
  const file = (name: string) => readFileSync(new URL(import.meta.resolve(`leaflet/dist/${name}`)))
  return {
    script: asset('leaflet', '.js', file('leaflet.js')),
    style: asset('leaflet', '.css', file('leaflet.css')),
  }
})

/**
 * Removes comments, indents and needless blanks from one of our style sheets. Its strings must not depend on
 * these blanks.
 */
function withoutBlanks(css: string): string {
  return css
    .replace(/\/\*[^*]*\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replaceAll(': ', ':')
    .replaceAll(';}', '}')
}

/** Draws the mark before the name of a site without a logo, as SVG. */
export const markOf = (accent: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 26 26"><rect width="26" height="26" rx="7" fill="${accent}"/><rect x="5" y="9" width="16" height="12" rx="3" fill="#fff"/></svg>`

function asset(name: string, ending: string, bytes: Buffer): Asset {
  return { path: ASSETS_PATH + contentName(name, ending, bytes), mediaType: mediaTypeOf(ending), bytes }
}

/** Returns the media type of a file by the ending of its name; `text/plain` for an unknown ending. */
export function mediaTypeOf(name: string): string {
  return MEDIA_TYPES[name.slice(name.lastIndexOf('.'))] ?? 'text/plain'
}

type Rgb = readonly [red: number, green: number, blue: number]

const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [17, 18, 20]
/**
 * The backgrounds on which the style sheet puts the accent: the darkest one of light pages, and the lightest
 * one of dark pages.
 */
const LIGHT_GROUND: Rgb = [240, 240, 236]
const DARK_GROUND: Rgb = [38, 41, 47]

/** The contrast ratio that text needs. */
const READABLE = 4.6
/** The contrast ratio of accented text on dark backgrounds, where colours look weaker. */
const READABLE_IN_THE_DARK = 7
const STEPS = 40

/** The contrast ratio that a control needs to its surroundings. */
const SEEN = 3.05

/**
 * Writes the custom properties for the accent colour of the site: the colour, the text on it and the colour
 * as text, in light and dark mode.
 */
export function accentStyle(colour: string): string {
  const accent = rgbOf(colour)
  const [light, onLight] = controlOn(accent, BLACK, LIGHT_GROUND)
  const [dark, onDark] = controlOn(accent, WHITE, DARK_GROUND)
  const ofLight = `--accent:${hex(light)};--on-accent:${hex(onLight)}`
  const ofBoth = `--accent:light-dark(${hex(light)},${hex(dark)});--on-accent:light-dark(${hex(onLight)},${hex(onDark)})`
  const texts = `--accent-light:${hex(towards(accent, BLACK, LIGHT_GROUND))};--accent-dark:${hex(towards(accent, WHITE, DARK_GROUND, READABLE_IN_THE_DARK))}`
  return `:root{${ofLight};${texts}}@supports (color:light-dark(#000,#fff)){:root{${ofBoth}}}`
}

/**
 * Moves a colour towards `target` until a control in it stands out from `ground` and text on the control can
 * be read. Returns the colours of both.
 */
function controlOn(colour: Rgb, target: Rgb, ground: Rgb): [control: Rgb, text: Rgb] {
  for (let step = 0; step <= STEPS; step++) {
    const mixed = mix(colour, target, step / STEPS)
    const text = contrast(mixed, WHITE) >= contrast(mixed, BLACK) ? WHITE : BLACK
    if (contrast(mixed, ground) >= SEEN && contrast(mixed, text) >= READABLE) return [mixed, text]
  }
  return [target, target === WHITE ? BLACK : WHITE]
}

/**
 * A colour as text in light or in dark mode: its contrast ratio as it is, and the colour in which pages show
 * it.
 */
interface TextContrast {
  ratio: number
  shown: string
}

/**
 * Returns how well a colour can be read as text, in light and in dark mode, and the colours in which pages
 * show it there.
 */
export function accentContrast(colour: string): Record<'light' | 'dark', TextContrast> {
  const accent = rgbOf(colour)
  return {
    light: { ratio: contrast(accent, LIGHT_GROUND), shown: hex(towards(accent, BLACK, LIGHT_GROUND)) },
    dark: {
      ratio: contrast(accent, DARK_GROUND),
      shown: hex(towards(accent, WHITE, DARK_GROUND, READABLE_IN_THE_DARK)),
    },
  }
}

/**
 * Moves a colour towards `target` until its contrast ratio to `other` is at least `needed`; returns `target`
 * where no mixture is enough.
 */
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

const hex = (colour: Rgb) =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

const mix = (a: Rgb, b: Rgb, share: number): Rgb => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
]

/** Returns the contrast ratio of two colours by WCAG 2, from 1 to 21. */
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

// The scripts that show events on other sites.

/** The texts of `<kalends-events>`, in the order in which its script reads them. */
const TEXTS = [
  'All day',
  'No events found.',
  'Show the calendar',
  'Not available right now.',
  'All times are in {zone}',
  '(no title)',
  'Canceled: {text}',
  'Postponed: {text}',
] as const satisfies readonly MessageText[]

/** The further texts of months and days, and those of the extras that `show` names. */
const DAY_TEXTS = ['Today', '1 event', '{count} events'] as const satisfies readonly MessageText[]
const EXTRA_TEXTS = ['Free'] as const satisfies readonly MessageText[]

const inLanguages = (texts: readonly MessageText[]) =>
  Object.fromEntries(LANGUAGES.map((language) => [language, texts.map((text) => translate(language, text))]))

/** The path of the script that defines `<kalends-events>`, below the root of the site. */
export const EMBED_PATH = '/embed.js'

/**
 * Writes the modules of `<kalends-events>`, by path. A list needs only the first one; months and days load
 * another, and extras such as pictures a third.
 */
function embedScripts(site: Site, weekStart: string): ReadonlyMap<string, string> {
  const facts = {
    list: `${site.restRoot}/${site.namespace}/events`.slice(1),
    zone: zoneOf(site.timezone),
    week: weekStartOf(site, weekStart),
    locale: localeOf(site),
    filters: [...attributeFilters].map((pair) => [...new Set(pair)].join('=')).join('&'),
    texts: inLanguages(TEXTS),
    css: styleOf('embed.css'),
  }
  const withFacts = (name: string, own: object) =>
    scriptOf(`${name}.js`).replace("JSON.parse('{}')", () => JSON.stringify(own))
  const moduleOf = (name: string, texts: readonly MessageText[]): [string, string] => [
    `/${name}.js`,
    withFacts(name, { css: styleOf(`${name}.css`), texts: inLanguages(texts) }),
  ]
  return new Map([
    [EMBED_PATH, withFacts('embed', facts)],
    moduleOf('embed-days', DAY_TEXTS),
    moduleOf('embed-extras', EXTRA_TEXTS),
  ])
}

/** Returns a zone as browsers write it: `UTC+2` as `+02:00`; a named zone stays as it is. */
const zoneOf = (timezone: string) =>
  timezone.replace(
    /^UTC([+-])(\d{1,2})(?::?(\d\d))?$/,
    (_, sign, hours: string, minutes = '00') => `${sign}${hours.padStart(2, '0')}:${minutes}`,
  )

/** Returns a script or a style sheet without its block comments. */
const withoutComments = (text: string) =>
  text
    .split('/*')
    .map((part, i) => (i === 0 ? part : part.slice(part.indexOf('*/') + 2)))
    .join('')

/**
 * Returns a script without comments and indentation. No string in the script may go over several lines or
 * hold the signs of comments.
 */
const bareScript = (text: string): string =>
  withoutComments(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'))
    .join('\n')

/**
 * Reads a script and removes needless blanks as well, since every page that shows events loads it. No string
 * in the script may have such blanks.
 */
const scriptOf = (name: string) =>
  bareScript(textOf(name))
    .replace(/ (=>|[<>]=|[=?:}<>]|&&|\|\||\?\?|[!=]==|[-+*](?= [\w('])) /g, '$1')
    .replace(/ =>\n/g, '=>')
    .replace(/\n(?=[.}\])])|(?<=[{[(,])\n/g, '')
    .replace(/\{ | \}|(?<=[(,)]|\w:) +(?=[\w'"`{[.!-])|(?<=\b(?:if|for)) /g, (blank) => blank.trim())

const styleOf = (name: string) =>
  withoutComments(textOf(name))
    .replaceAll('\n', '')
    .replace(/ ?([{};,]) */g, '$1')
    .replace(/([{;][\w-]+): /g, '$1:')
    .replace(/="(\w+)"\]/g, '=$1]')
    .replaceAll(';}', '}')

/** An icon that browsers and devices ask for by a fixed address, whether a page names it or not. */
interface SiteIcon {
  side: number
  /** The colour where the image covers nothing. */
  ground: string
  /** Whether the corners of the mark are round: devices round the icons of home screens themselves. */
  isRound: boolean
  /** Returns the file around the PNG. */
  wrap: (png: Buffer, side: number) => Buffer
  mediaType: string
}

const touch: SiteIcon = {
  side: 180,
  ground: '#ffffff',
  isRound: false,
  wrap: (png) => png,
  mediaType: 'image/png',
}

/** The icons by their path below the root of the site. */
export const SITE_ICONS: ReadonlyMap<string, SiteIcon> = new Map([
  [
    '/favicon.ico',
    { side: 48, ground: '#ffffff00', isRound: true, wrap: wrappedAsIco, mediaType: 'image/x-icon' },
  ],
  ['/apple-touch-icon.png', touch],
  ['/apple-touch-icon-precomposed.png', touch],
])

/**
 * Makes one of the icons of the site: from the icon of its look if that is made of pixels, else from the mark
 * in the accent colour of the site.
 */
export async function makeSiteIcon(path: string, own: Asset, accent: string): Promise<Asset> {
  const icon = SITE_ICONS.get(path) ?? touch
  const { side, ground, mediaType } = icon
  if (own.mediaType === mediaType && own.path.endsWith('.ico')) return { ...own, path }
  const png =
    (await squarePng(own.bytes, side, ground).catch(() => undefined)) ??
    (await pixelsPng(drawMark(side, accent, icon.isRound), side))
  return { path, mediaType, bytes: icon.wrap(png, side) }
}

/** Returns an ICO file of one icon: a directory of one entry, and the PNG. */
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

/** Returns how much of the pixel around a point lies in a rectangle, from 0 to 1. */
function covered({ left, top, right, bottom, radius }: Round, x: number, y: number, unit: number): number {
  const across = Math.max(left + radius - x, x - right + radius, 0)
  const down = Math.max(top + radius - y, y - bottom + radius, 0)
  const beyond =
    radius === 0 ? Math.max(left - x, x - right, top - y, y - bottom) : Math.hypot(across, down) - radius
  return Math.min(Math.max(0.5 - beyond / unit, 0), 1)
}
