import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nameAndClock } from '../../base/config.ts'
import { codeOf, messageOf } from '../../base/errors.ts'
import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import { checked, choice, readEntries, type SettingGroup, word } from '../../base/setting-kinds.ts'

// Files for the look of pages, such as a logo. Of files that owners set, the content decides the format.

export type LookFileSetting = 'pages_logo' | 'pages_logo_dark' | 'pages_icon' | 'pages_picture' | 'pages_font'

type Ending = '.svg' | '.png' | '.webp' | '.jpg' | '.ico' | '.woff2'

interface FileRule {
  stem: string
  endings: readonly Ending[]
  most: number
}

/** All files together, as Base64 in JSON, fit into the `MOST_LOOK` bytes that a look may have. */
export const LOOK_FILES: Readonly<Record<LookFileSetting, FileRule>> = {
  pages_logo: { stem: 'logo', endings: ['.svg', '.png', '.webp', '.jpg'], most: 100_000 },
  pages_logo_dark: { stem: 'logo-dark', endings: ['.svg', '.png', '.webp', '.jpg'], most: 100_000 },
  pages_icon: { stem: 'icon', endings: ['.svg', '.png', '.ico'], most: 50_000 },
  pages_picture: { stem: 'picture', endings: ['.png', '.webp', '.jpg'], most: 250_000 },
  pages_font: { stem: 'font', endings: ['.woff2'], most: 150_000 },
}

export const ASSETS_PATH = '/assets/'

export function isLookFile(name: string): name is LookFileSetting {
  return Object.hasOwn(LOOK_FILES, name)
}

const longestData = (name: LookFileSetting): number => Math.ceil(LOOK_FILES[name].most / 3) * 4 + 100

const startsWith = (bytes: Buffer, text: string, at = 0): boolean =>
  bytes.toString('latin1', at, at + text.length) === text

/** Recognises a format by the content, mostly the first bytes. */
const SIGNATURES: Readonly<Record<Ending, (bytes: Buffer) => boolean>> = {
  '.svg': isPlainSvg,
  '.png': (bytes) => startsWith(bytes, '\x89PNG\r\n\x1a\n'),
  '.webp': (bytes) => startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8),
  '.jpg': (bytes) => startsWith(bytes, '\xff\xd8\xff'),
  '.ico': (bytes) => startsWith(bytes, '\0\0\x01\0'),
  '.woff2': (bytes) =>
    bytes.length > 48 && startsWith(bytes, 'wOF2') && bytes.readUInt32BE(8) === bytes.length,
}

/** Parts of an SVG that might have or load code, and that no drawing needs. */
const ACTIVE = /<!doctype|<!entity|<script|<foreignobject|<iframe|javascript:|\son\w{3,20}\s*=/i

function isPlainSvg(bytes: Buffer): boolean {
  const text = bytes.toString('utf8')
  if (text.includes('\ufffd') || ACTIVE.test(text)) return false
  const start = text.slice(0, 2000).replace(/^\ufeff/, '')
  const [drawing = ''] = start.split('<svg', 1)
  return (
    start.includes('<svg') && text.includes('</svg>') && /^(?:\s|<\?[^?]*\?>|<!--[^-]*-->)*$/.test(drawing)
  )
}

/** The file name extension for the content; undefined if the setting does not allow its format or size. */
export function endingOf(name: LookFileSetting, bytes: Buffer): Ending | undefined {
  const { endings, most } = LOOK_FILES[name]
  return bytes.length > most ? undefined : endings.find((ending) => SIGNATURES[ending](bytes))
}

/**
 * Returns the end of an error sentence that begins with the name of the setting; undefined for an allowed
 * file.
 */
export function faultOfFile(name: LookFileSetting, bytes: Buffer): string | undefined {
  const { endings, most } = LOOK_FILES[name]
  if (endingOf(name, bytes) !== undefined) return undefined
  const kinds = endings.join(', ').replaceAll('.', '')
  return `takes a file of at most ${most / 1000} kB that is ${kinds} by its content`
}

/** Returns a file name with a hash of the content, so that caches never show former content under it. */
export function contentName(stem: string, ending: string, bytes: Buffer): string {
  return `${stem}-${createHash('sha256').update(bytes).digest('base64url').slice(0, 10)}${ending}`
}

const DATA = /^data:[\w.+/-]{0,100};base64,$/
const BASE64 = /^[\w+/]*={0,2}$/

/** Decodes a base64 `data:` URL; undefined for any other text. */
export function bytesOfData(text: string): Buffer | undefined {
  const at = text.indexOf(',')
  if (at > 120 || !DATA.test(text.slice(0, at + 1)) || !BASE64.test(text.slice(at + 1))) return undefined
  return Buffer.from(text.slice(at + 1), 'base64')
}

export interface OwnerLink {
  text: string
  address: string
}

/** An owner's page at `/<slug>/`. `text` is Markdown and begins with the title as a heading. */
export interface OwnerText {
  slug: string
  text: string
}

const MOST_LINKS = 6
export const MOST_TEXTS = 12
export const LONGEST_PAGE_TEXT = 20_000
const LONGEST_TEXTS = 100_000
const MOST_PRESSES = 6
const LONGEST_LABEL = 60
const LONGEST_ADDRESS = 500

/** True for an http, https or `mailto:` URL, and for a path of this site. */
function isAddress(text: string): boolean {
  if (text.length > LONGEST_ADDRESS || /[\s"'<>\\]/.test(text)) return false
  if (text.startsWith('/')) return !text.startsWith('//')
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'mailto:' || (/^https?:$/.test(url.protocol) && url.host !== ''))
}

/**
 * Reads one link per line: the words, then the address. Undefined if a line is not a link or there are too
 * many.
 */
export function readLinks(text: string): OwnerLink[] | undefined {
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  const links = lines.map((line) => {
    const at = line.search(/\s\S+$/)
    return { text: line.slice(0, Math.max(at, 0)).trim(), address: line.slice(at + 1) }
  })
  const isWrong = (link: OwnerLink) =>
    link.text === '' || link.text.length > LONGEST_LABEL || !isAddress(link.address)
  return links.length > MOST_LINKS || links.some(isWrong) ? undefined : links
}

/**
 * Slugs that pages of owners must not have: the service uses, may later use or redirects them
 * (`path-words.ts`).
 */
const TAKEN = new Set(
  `
  api assets calendar categoria categorie categories category date dates desk embed etiqueta etiquette
  evenement evenements event evento eventos events favicon feed feeds healthz index kategorie lieu lieux
  login lugar lugares map maps mcp media metrics organisateur organisateurs organisatoren organizador
  organizadores organizer organizers place places readyz recinto recintos robots schlagwort search series
  sitemap stats tag tags tickets tiles today venue venues veranstalter veranstaltung veranstaltungen
  veranstaltungsort veranstaltungsorte wp-admin wp-content wp-includes wp-json
  `.match(/\S+/g),
)

/**
 * Returns the heading in the first line, such as `# About us`; undefined without one, or above 100
 * characters.
 */
export function titleOfText(text: string): string | undefined {
  const [line = ''] = text.trimStart().split('\n', 1)
  const title = line.startsWith('# ') ? line.slice(2).trim() : ''
  return title === '' || title.length > 100 ? undefined : title
}

/** True for a slug in `TAKEN`. A new page with it is refused, an existing one hidden. */
export const isTaken = ({ slug }: Pick<OwnerText, 'slug'>): boolean => TAKEN.has(slug)

export function faultOfTexts(json: string): string | undefined {
  try {
    const taken = readTexts(json).find(isTaken)
    return taken && wrongAddress(taken)
  } catch (error) {
    return messageOf(error)
  }
}

const wrongAddress = ({ slug }: OwnerText) =>
  [
    `has pages of text at other addresses than "${slug.slice(0, 60)}":`,
    'small letters, digits and dashes, and no address of the calendar',
  ].join(' ')

function faultOfText({ slug, text }: OwnerText): string | undefined {
  if (!/^[a-z0-9][a-z0-9-]{0,59}$/.test(slug)) return wrongAddress({ slug, text })
  if (text.length > LONGEST_PAGE_TEXT)
    return `has texts of at most ${LONGEST_PAGE_TEXT} characters, and ${slug} is longer`
  return titleOfText(text) === undefined
    ? `has texts that begin with a title such as "# About us", and ${slug} does not`
    : undefined
}

/**
 * Parses and checks the JSON of `pages_texts`.
 * @throws Error with the end of a sentence that begins with the name of the setting
 */
export function readTexts(json: string): OwnerText[] {
  const read = parseTexts(json)
  if (read === undefined) throw new Error('takes a list of pages, each with slug and text')
  if (read.length > MOST_TEXTS) throw new Error(`has at most ${MOST_TEXTS} pages of text`)
  const slugs = new Set(read.map(({ slug }) => slug))
  const fault =
    slugs.size < read.length
      ? 'has one text for each address'
      : read.map(faultOfText).find((one) => one !== undefined)
  if (fault !== undefined) throw new Error(fault)
  return read
}

function parseTexts(json: string): OwnerText[] | undefined {
  const read = json === '' ? [] : parsedJson(json)
  return Array.isArray(read) && read.every(isOwnerText)
    ? read.map(({ slug, text }) => ({ slug, text }))
    : undefined
}

/**
 * Reads all `*.md` files of a folder as the JSON that `readTexts` parses.
 * @throws Error with one sentence
 */
export function readTextsFolder(folder: string): string {
  if (folder === '') return ''
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.md'))
    const texts = names
      .sort()
      .map((name) => ({ slug: name.slice(0, -'.md'.length), text: readFileSync(join(folder, name), 'utf8') }))
    const json = JSON.stringify(texts)
    readTexts(json)
    return json
  } catch (error) {
    const code = codeOf(error)
    const unread = code === 'ENOENT' ? 'there is no such folder' : `it cannot be read (${code})`
    throw new Error(
      `The pages of text in ${folder} are not taken: ${code === '' ? `it ${messageOf(error)}` : unread}.`,
    )
  }
}

const isOwnerText = (entry: unknown): entry is OwnerText =>
  isRecord(entry) && typeof entry.slug === 'string' && typeof entry.text === 'string'

const address = (about: string) =>
  checked(
    word(`${about} Empty: none.`, 'ADDRESS', ''),
    'takes an address such as https://example.org/, /about/ or mailto:us@example.org',
    (text) => text === '' || isAddress(text),
  )

export const lookSettings = {
  site_name: nameAndClock.site_name,
  pages_sentence: word('A sentence below the name of the calendar on its pages.', 'TEXT', ''),
  pages_accent: checked(
    word(
      'The colour of the pages; what is written on it or in it is made dark or light enough to be read.',
      '#RRGGBB',
      '#0b6e5f',
    ),
    'takes a colour such as #0b6e5f',
    (text) => /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
  ),
  pages_scheme: choice(
    'Whether pages are light or dark; auto follows the device of the visitor.',
    ['auto', 'light', 'dark'],
    'auto',
  ),
  pages_header: choice(
    'The head of the pages: a line, a band in the colour of the pages, or the name large and in the middle.',
    ['line', 'band', 'masthead'],
    'line',
  ),
  pages_corner: choice('The corners of the pages.', ['round', 'slight', 'square'], 'round'),
  pages_density: choice('How much empty space the pages have.', ['normal', 'spacious', 'compact'], 'normal'),
  pages_typeface: choice(
    'The typeface of the pages, one that devices have.',
    ['sans', 'humanist', 'geometric', 'serif', 'slab', 'mono'],
    'sans',
  ),
  pages_font: word(
    'A font for the pages, as WOFF2, which the service itself sends. Empty: none.',
    'FILE',
    '',
  ),
  pages_logo: word(
    'The logo, shown before the name of the calendar on its pages. Empty: a plain mark.',
    'FILE',
    '',
  ),
  pages_logo_dark: word('The logo on dark pages. Empty: the same.', 'FILE', ''),
  pages_logo_name: choice(
    'Whether the name of the calendar stands beside its logo.',
    ['beside', 'hidden'],
    'beside',
  ),
  pages_icon: word('The picture of the calendar in the tabs of browsers. Empty: the logo.', 'FILE', ''),
  pages_picture: word(
    'The picture that other sites show with links to pages without a picture of their own. Empty: none.',
    'FILE',
    '',
  ),
  pages_links: checked(
    word(
      [
        'Links in the head of the pages, such as to the site of the owner:',
        `one a line, words first and address last, ${MOST_LINKS} at the most.`,
      ].join(' '),
      'TEXT',
      '',
    ),
    `takes lines such as "Town hall https://example.org/", ${MOST_LINKS} at the most`,
    (text) => readLinks(text) !== undefined,
  ),
  pages_imprint: address('The imprint, which the foot of the pages links to.'),
  pages_privacy: address('The privacy notice, which the foot of the pages links to.'),
  pages_accessibility: address('The accessibility statement, which the foot of the pages links to.'),
  pages_contact: address('Where visitors reach the owner, which the foot of the pages links to.'),
  pages_intro: word('A text above the list at the address of the site, in Markdown.', 'TEXT', ''),
  pages_texts: checked(
    word(
      [
        'Pages of text in Markdown, such as about.md for /about/: a folder of such files,',
        `${MOST_TEXTS} at the most. Empty: none.`,
      ].join(' '),
      'FOLDER',
      '',
    ),
    'takes a folder of files such as about.md',
    (text) => !text.includes('\0'),
  ),
  pages_first_view: choice('The view at the address of the site.', ['list', 'month', 'week'], 'list'),
  pages_clock: nameAndClock.pages_clock,
  pages_presses: checked(
    word(
      `Categories that visitors can press above lists: up to ${MOST_PRESSES} slugs, separated by commas.`,
      'SLUG,…',
      '',
    ),
    `takes at most ${MOST_PRESSES} slugs, separated by commas`,
    (text) => readEntries(text).length <= MOST_PRESSES && !/[\s/?#"'<>]/.test(readEntries(text).join('')),
  ),
  week_start: choice(
    'The first day of the week on pages; auto: as is usual in the language.',
    ['auto', 'monday', 'saturday', 'sunday'],
    'auto',
  ),
}

export const MOST_LOOK = 1_000_000

export type LookSetting = keyof typeof lookSettings

/** Maximum characters of settings for which it is not 200. With `isText`, a value may have several lines. */
const EXTENTS: Readonly<Partial<Record<LookSetting, { most: number; isText?: true }>>> = {
  pages_font: { most: longestData('pages_font') },
  pages_logo: { most: longestData('pages_logo') },
  pages_logo_dark: { most: longestData('pages_logo_dark') },
  pages_icon: { most: longestData('pages_icon') },
  pages_picture: { most: longestData('pages_picture') },
  pages_links: { most: 3600, isText: true },
  pages_presses: { most: 500 },
  pages_intro: { most: 2000, isText: true },
  pages_texts: { most: LONGEST_TEXTS, isText: true },
  pages_imprint: { most: LONGEST_ADDRESS },
  pages_privacy: { most: LONGEST_ADDRESS },
  pages_accessibility: { most: LONGEST_ADDRESS },
  pages_contact: { most: LONGEST_ADDRESS },
}

export const extentOf = (name: LookSetting): { most: number; isText?: true } => EXTENTS[name] ?? { most: 200 }

const settings = {
  ...lookSettings,
  pages_css: word('A style sheet that pages load after their own. Empty: none.', 'FILE', ''),
}

export type PagesSettings = typeof settings

declare module '../../base/config.ts' {
  interface FeatureSettings extends PagesSettings {}
}

export const pagesSettings: SettingGroup = { heading: 'Look', settings }
