import { readFileSync } from 'node:fs'
import { LANGUAGES, type Site } from '../../base/config.ts'
import { localeOf } from '../../calendar/locales/date-locales.ts'
import { type Look, lookStyle, readSet } from './look.ts'
import { ASSETS_PATH, contentName, LOOK_FILES, type LookFileSetting } from './look-settings.ts'
import { weekStartOf } from './page-dates.ts'
import { attributeFilters } from './page-filters.ts'
import { formsOfPages, type PageText, sayOfPages } from './page-texts.ts'
import type { PageLink } from './pages-part.ts'
import { type Pixels, pixelsPng, squarePng } from './square-icons.ts'

/** Paths below `ASSETS_PATH` contain a hash of the content, so they can be cached forever. */
export interface Asset {
  path: string
  mediaType: string
  bytes: Buffer
}

export interface Assets extends ReturnType<typeof ownFiles> {
  style: Asset
  leaflet: { script: Asset; style: Asset }
  files: Readonly<Partial<Record<LookFileSetting, Asset>>>
  /** The look's icon, else its logo, else the built-in mark. */
  icon: Asset
  byPath: ReadonlyMap<string, Asset>
  embed: readonly Asset[]
}

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}

const ownFiles = once(() => ({
  script: asset('calendar', '.js', Buffer.from(scriptOf('calendar.js'))),
  front: sheet('front', 'ongoing'),
  week: sheet('week'),
  month: sheet('month', 'ongoing'),
  eventStyle: sheet('event', 'texts'),
  texts: sheet('texts'),
  /** Style sheet that most unfiltered front pages do not need. */
  others: sheet('others'),
  event: scriptAsset('event'),
  places: sheet('places'),
  map: scriptAsset('map'),
  embedding: sheet('embedding'),
  builder: scriptAsset('builder'),
  /** Loaded at the first change of filter or page. */
  place: scriptAsset('place'),
  /** Loaded when the search field gets the focus. */
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

const plainStyle = once(() => withoutBlanks(textOf('tokens.css') + textOf('calendar.css')))

/** Style sheet of the desk's preview, which shows the front page in another look. */
export const previewStyle = once(() => withoutBlanks(textOf('preview.css')))

const textOf = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')

const sheet = (...names: readonly [string, ...string[]]) => {
  const text = names.map((name) => withoutBlanks(textOf(`${name}.css`)) + (NUMBERED[name] ?? '')).join('')
  return asset(names[0], '.css', Buffer.from(text))
}

const numbered = (first: number, last: number, rule: (number: number) => string) =>
  Array.from({ length: last - first + 1 }, (_, at) => rule(first + at)).join('')

/** Classes of focal points, such as `fx5 fy3`: tenths of width and height. */
const FOCUS = numbered(
  0,
  10,
  (tenth) => `.fx${tenth}{--focus-x:${tenth * 10}%}.fy${tenth}{--focus-y:${tenth * 10}%}`,
)
const LENGTHS = numbered(1, 7, (days) => `.w${days}{--days:${days}}`)
const NUMBERED: Readonly<Record<string, string>> = {
  others: FOCUS,
  month: LENGTHS,
  week: LENGTHS + numbered(1, 7, (column) => `.c${column}{grid-column-start:${column}}`),
}

const scriptAsset = (name: string) => asset(name, '.js', Buffer.from(bareScript(textOf(`${name}.js`))))

/**
 * The style sheet of all pages.
 * @param font the URL of the owner's font
 * @throws Error with one sentence for a file that cannot be used
 */
export function styleText(look: Look, font: string | undefined): string {
  const hasBrand = look.sentence !== '' || look.files.pages_logo !== undefined
  const brand = hasBrand ? withoutBlanks(textOf('brand.css')) : ''
  const own = readOwnStyle(look.css)
  return [plainStyle(), brand, accentStyle(look.accent), lookStyle(look, font), own].join('\n')
}

/** @throws Error with one sentence if the file has `@import`, which browsers ignore after other rules */
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
 * All files that the pages refer to.
 * @throws Error with one sentence for a file that cannot be used
 */
export function readAssets(site: Site, look: Look, links: readonly PageLink[]): Assets {
  const { accent, weekStart } = look
  const files = lookAssets(look)
  const icon = files.pages_icon ?? files.pages_logo ?? asset('icon', '.svg', Buffer.from(markOf(accent)))
  const font = files.pages_font?.path.slice(ASSETS_PATH.length)
  const ofLinks = links.length > 0 ? withoutBlanks(textOf('links.css')) : ''
  const style = asset('calendar', '.css', Buffer.from(ofLinks + styleText(look, font)))
  const leaflet = leafletAssets()
  const embed = [...embedScripts(site, weekStart, links)].map(([path, text]) => ({
    path,
    mediaType: MEDIA_TYPES['.js'] ?? '',
    bytes: Buffer.from(text),
  }))
  const own = ownFiles()
  const all = [style, icon, leaflet.script, leaflet.style, ...Object.values(own), ...Object.values(files)]
  return { ...own, style, icon, leaflet, embed, files, byPath: new Map(all.map((file) => [file.path, file])) }
}

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

/** Minifies CSS. It also collapses white space within strings, on which our style sheets must not depend. */
function withoutBlanks(css: string): string {
  return css
    .replace(/\/\*[^*]*\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replaceAll(': ', ':')
    .replace(/(?<=[ :(,-])0(?=\.\d)/g, '')
    .replaceAll(';}', '}')
}

/** The built-in SVG mark, for sites without icon and logo. */
export const markOf = (accent: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 26 26"><rect width="26" height="26" rx="7" fill="${
    accent
  }"/><rect x="5" y="9" width="16" height="12" rx="3" fill="#fff"/></svg>`

function asset(name: string, ending: string, bytes: Buffer): Asset {
  return { path: ASSETS_PATH + contentName(name, ending, bytes), mediaType: mediaTypeOf(ending), bytes }
}

/** Returns the media type by extension; `text/plain` if that is unknown. */
export function mediaTypeOf(name: string): string {
  return MEDIA_TYPES[name.slice(name.lastIndexOf('.'))] ?? 'text/plain'
}

type Rgb = readonly [red: number, green: number, blue: number]

const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [17, 18, 20]
/** The darkest background of the light scheme, and the lightest of the dark one. */
const LIGHT_GROUND: Rgb = [240, 240, 236]
const DARK_GROUND: Rgb = [38, 41, 47]

/** Contrast ratio that text needs. */
const READABLE = 4.6
/** Higher than `READABLE`, since colours look weaker on dark backgrounds. */
const READABLE_IN_THE_DARK = 7
const STEPS = 40

/** Contrast ratio that a control needs to its background. */
const SEEN = 3.05

export function accentStyle(colour: string): string {
  const accent = rgbOf(colour)
  const [light, onLight] = controlOn(accent, BLACK, LIGHT_GROUND)
  const [dark, onDark] = controlOn(accent, WHITE, DARK_GROUND)
  const ofLight = `--accent:${hex(light)};--on-accent:${hex(onLight)}`
  const ofBoth = `--accent:light-dark(${hex(light)},${hex(dark)});--on-accent:light-dark(${hex(
    onLight,
  )},${hex(onDark)})`
  const texts = `--accent-light:${hex(towards(accent, BLACK, LIGHT_GROUND))};--accent-dark:${hex(
    towards(accent, WHITE, DARK_GROUND, READABLE_IN_THE_DARK),
  )}`
  return `:root{${ofLight};${texts}}@supports (color:light-dark(#000,#fff)){:root{${ofBoth}}}`
}

/**
 * Mixes `colour` with `target` until a control in it stands out from `ground` and text on it is readable, or
 * else returns `target`.
 */
function controlOn(colour: Rgb, target: Rgb, ground: Rgb): [control: Rgb, text: Rgb] {
  for (let step = 0; step <= STEPS; step++) {
    const mixed = mix(colour, target, step / STEPS)
    const text = contrast(mixed, WHITE) >= contrast(mixed, BLACK) ? WHITE : BLACK
    if (contrast(mixed, ground) >= SEEN && contrast(mixed, text) >= READABLE) return [mixed, text]
  }
  return [target, target === WHITE ? BLACK : WHITE]
}

/** Contrast of text in the accent colour: `ratio` is the colour's own, `shown` the colour used instead. */
interface TextContrast {
  ratio: number
  shown: string
}

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

/** Mixes `colour` with `target` until it has the contrast `needed` to `other`, or else returns `target`. */
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

/** The contrast ratio by WCAG 2, from 1 to 21. */
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

const TEXTS = [
  'All day',
  'No events found.',
  'Show the calendar',
  'Not available right now.',
  'All times are in {zone}',
  '(no title)',
  'Canceled: {text}',
  'Postponed: {text}',
] as const satisfies readonly PageText[]

const DAY_TEXTS = ['Today'] as const satisfies readonly PageText[]
const EXTRA_TEXTS = ['Free'] as const satisfies readonly PageText[]

const inLanguages = (texts: readonly PageText[], links: readonly PageLink[] = []) =>
  Object.fromEntries(
    LANGUAGES.map((language) => [
      language,
      [
        ...texts.map((text) => sayOfPages({ language }, text)),
        ...links.map(({ path, text }) => [path.slice(1), text({ language })]),
      ],
    ]),
  )

const countedEvents = () =>
  Object.fromEntries(LANGUAGES.map((language) => [language, formsOfPages({ language }, '{count} events')]))

export const EMBED_PATH = '/embed.js'

/** Scripts of `<kalends-events>` by path: one for lists, another for months and days, a third for extras. */
function embedScripts(
  site: Site,
  weekStart: string,
  links: readonly PageLink[],
): ReadonlyMap<string, string> {
  const facts = {
    list: `${site.restRoot}/${site.namespace}/events`.slice(1),
    zone: zoneOf(site.timezone),
    week: weekStartOf(site, weekStart),
    locale: localeOf(site),
    filters: [...attributeFilters].map((pair) => [...new Set(pair)].join('=')).join('&'),
    texts: inLanguages(TEXTS, links),
    css: styleOf('embed.css'),
  }
  const withFacts = (name: string, own: object) =>
    scriptOf(`${name}.js`).replace("JSON.parse('{}')", () => JSON.stringify(own))
  const moduleOf = (name: string, texts: readonly PageText[], more: object = {}): [string, string] => [
    `/${name}.js`,
    withFacts(name, { css: styleOf(`${name}.css`), texts: inLanguages(texts), ...more }),
  ]
  return new Map([
    [EMBED_PATH, withFacts('embed', facts)],
    moduleOf('embed-days', DAY_TEXTS, { events: countedEvents() }),
    moduleOf('embed-extras', EXTRA_TEXTS),
  ])
}

/** The zone as browsers write it: `+02:00` for `UTC+2`. */
const zoneOf = (timezone: string) =>
  timezone.replace(
    /^UTC([+-])(\d{1,2})(?::?(\d\d))?$/,
    (_, sign, hours: string, minutes = '00') => `${sign}${hours.padStart(2, '0')}:${minutes}`,
  )

const withoutComments = (text: string) =>
  text
    .split('/*')
    .map((part, i) => (i === 0 ? part : part.slice(part.indexOf('*/') + 2)))
    .join('')

/** Removes indentation and comments, so a string may not span lines or contain comment signs. */
const bareScript = (text: string): string =>
  withoutComments(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'))
    .join('\n')

/** For the scripts of every page: also removes spaces around operators, which strings must not contain. */
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

/** An icon that devices request at a fixed path, whether or not the page names it. */
interface SiteIcon {
  side: number
  /** Background colour, visible where the image is transparent or does not reach. */
  ground: string
  /** True if the built-in mark gets round corners; devices round home screen icons themselves. */
  isRound: boolean
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

export const SITE_ICONS: ReadonlyMap<string, SiteIcon> = new Map([
  [
    '/favicon.ico',
    { side: 48, ground: '#ffffff00', isRound: true, wrap: wrappedAsIco, mediaType: 'image/x-icon' },
  ],
  ['/apple-touch-icon.png', touch],
  ['/apple-touch-icon-precomposed.png', touch],
])

/** Makes an icon from `own` if that is a raster image, else from the mark in the accent colour. */
export async function makeSiteIcon(path: string, own: Asset, accent: string): Promise<Asset> {
  const icon = SITE_ICONS.get(path) ?? touch
  const { side, ground, mediaType } = icon
  if (own.mediaType === mediaType && own.path.endsWith('.ico')) return { ...own, path }
  const png =
    (await squarePng(own.bytes, side, ground).catch(() => undefined)) ??
    (await pixelsPng(drawMark(side, accent, icon.isRound), side))
  return { path, mediaType, bytes: icon.wrap(png, side) }
}

/** Returns an ICO file: a directory with one entry, then the PNG. */
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

const MARK = 26
const GROUND: Round = { left: 0, top: 0, right: MARK, bottom: MARK, radius: 7 }
const LEAF: Round = { left: 5, top: 9, right: 21, bottom: 21, radius: 3 }

/** Draws pixel by pixel, since SVG files are never rendered here. */
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

function covered({ left, top, right, bottom, radius }: Round, x: number, y: number, unit: number): number {
  const across = Math.max(left + radius - x, x - right + radius, 0)
  const down = Math.max(top + radius - y, y - bottom + radius, 0)
  const beyond =
    radius === 0 ? Math.max(left - x, x - right, top - y, y - bottom) : Math.hypot(across, down) - radius
  return Math.min(Math.max(0.5 - beyond / unit, 0), 1)
}
