import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Config } from '../../base/config.ts'
import { messageOf } from '../../base/errors.ts'
import { type Finding, failing } from '../../base/finding.ts'
import { readEntries } from '../../base/setting-kinds.ts'
import {
  endingOf,
  isLookFile,
  isTaken,
  LOOK_FILES,
  type LookFileSetting,
  type OwnerLink,
  readLinks,
  readTexts,
  readTextsFolder,
  titleOfText,
} from './look-settings.ts'
import { type Html, NOTHING, trusted } from './page-html.ts'

/** How pages look. Flags and environment variables take precedence over what owners set. */
export interface Look {
  accent: string
  scheme: Config['pages_scheme']
  header: Config['pages_header']
  corner: Config['pages_corner']
  density: Config['pages_density']
  typeface: Config['pages_typeface']
  /** Path of a style sheet that follows the built-in one; empty for none. */
  css: string
  files: LookFiles
  showsName: boolean
  /** Shown below the name of the calendar. */
  sentence: string
  links: readonly OwnerLink[]
  legal: Readonly<Record<LegalPage, string>>
  /** Shown above the list on the front page. */
  intro: Html
  texts: ReadonlyMap<string, LookText>
  firstView: Config['pages_first_view']
  /** Slugs of the categories with chips above lists. */
  presses: readonly string[]
  weekStart: string
}

export interface LookText {
  title: string
  body: Html
}

/** Pages to which public bodies must link, in the footer's order. */
export const LEGAL_PAGES = ['imprint', 'privacy', 'accessibility', 'contact'] as const
export type LegalPage = (typeof LEGAL_PAGES)[number]

/** `ending` is the extension, such as `.svg`. */
interface LookFile {
  ending: string
  bytes: Buffer
}
export type LookFiles = Readonly<Partial<Record<LookFileSetting, LookFile>>>

/** Extensions accepted only for files named at the start. Uploaded files are recognised by content. */
const ALSO = ['.jpeg', '.avif', '.gif']

/**
 * Reads the texts and files that the start of the service names.
 * @throws Error with one sentence for a file that cannot be read or is not of an accepted type
 */
export function readStart(config: Config): { texts: string; files: LookFiles } {
  if (config.pages !== 'off' && config.pages_css !== '') readSet(config.pages_css, 'style sheet')
  return { texts: readTextsFolder(config.pages_texts), files: readStartFiles(config) }
}

function readStartFiles(config: Config): LookFiles {
  const named = Object.keys(LOOK_FILES)
    .filter((name) => isLookFile(name))
    .filter((name) => config[name] !== '')
  return Object.fromEntries(named.map((name) => [name, readStartFile(name, config[name])]))
}

function readStartFile(name: LookFileSetting, path: string): LookFile {
  const { stem, endings } = LOOK_FILES[name]
  const ending = extname(path).toLowerCase()
  const taken: readonly string[] = name === 'pages_font' ? endings : [...endings, ...ALSO]
  if (!taken.includes(ending))
    throw new Error(`The ${stem} of the pages is a file that ends in ${taken.join(', ')}, not ${path}.`)
  return { ending, bytes: readSet(path, stem) }
}

/** @throws Error with one sentence if it cannot be read */
export function readSet(path: string, what: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new Error(`The ${what} of the pages cannot be read: ${messageOf(error)}.`)
  }
}

/** Uses a file of the owner only where the start names none. */
export function filesOfLook(
  start: LookFiles,
  owner: Readonly<Partial<Record<LookFileSetting, Buffer>>>,
): LookFiles {
  const theirs = Object.entries(owner).map(([name, bytes]) => [
    name,
    { ending: (isLookFile(name) && endingOf(name, bytes)) || '', bytes },
  ])
  return { ...Object.fromEntries(theirs), ...start }
}

export async function lookOf(config: Config, files: LookFiles): Promise<Look> {
  return {
    accent: config.pages_accent,
    scheme: config.pages_scheme,
    header: config.pages_header,
    corner: config.pages_corner,
    density: config.pages_density,
    typeface: config.pages_typeface,
    css: config.pages_css,
    files,
    showsName: config.pages_logo_name === 'beside',
    sentence: config.pages_sentence,
    links: readLinks(config.pages_links) ?? [],
    legal: {
      imprint: config.pages_imprint,
      privacy: config.pages_privacy,
      accessibility: config.pages_accessibility,
      contact: config.pages_contact,
    },
    ...(await readMarkdown(config)),
    firstView: config.pages_first_view,
    presses: readEntries(config.pages_presses),
    weekStart: config.week_start,
  }
}

/** The Markdown parser is loaded on demand, since most calendars have no such texts. */
async function readMarkdown({ pages_intro, pages_texts }: Config): Promise<Pick<Look, 'intro' | 'texts'>> {
  if (pages_intro === '' && pages_texts === '') return { intro: NOTHING, texts: new Map() }
  const { markdownHtml } = await import('./markdown.ts')
  const shown = readTexts(pages_texts).filter((one) => !isTaken(one))
  const texts = shown.map(({ slug, text }): [string, LookText] => {
    const [first = ''] = text.trimStart().split('\n', 1)
    const body = trusted(markdownHtml(text.trimStart().slice(first.length), 'below'))
    return [`/${slug}/`, { title: titleOfText(text) ?? slug, body }]
  })
  return { intro: trusted(markdownHtml(pages_intro, 'bold')), texts: new Map(texts) }
}

/** Font stacks. `sans` is empty, since `tokens.css` has it. */
const TYPEFACES: Readonly<Record<Look['typeface'], string>> = {
  sans: '',
  humanist: 'Seravek,"Gill Sans Nova",Ubuntu,Calibri,"DejaVu Sans",source-sans-pro,sans-serif',
  geometric: 'Avenir,Montserrat,Corbel,"URW Gothic",source-sans-pro,sans-serif',
  serif: '"Iowan Old Style","Palatino Linotype","URW Palladio L",P052,Georgia,serif',
  slab: 'Rockwell,"Rockwell Nova","Roboto Slab","DejaVu Serif","Sitka Small",serif',
  mono: 'ui-monospace,"Cascadia Code","Source Code Pro",Menlo,Consolas,"DejaVu Sans Mono",monospace',
}

const CORNERS: Readonly<Record<Look['corner'], string>> = {
  round: '',
  slight: '--radius:5px;--round:5px;--field:4px;',
  square: '--radius:0;--round:0;--field:0;',
}

const DENSITIES: Readonly<Record<Look['density'], string>> = {
  normal: '',
  spacious: 'html{font-size:106.25%}:root{--room:1.5}',
  compact: 'html{font-size:93.75%}:root{--room:.6}',
}

const HEADERS: Readonly<Record<Look['header'], string>> = {
  line: '',
  band:
    '.top{border:0;background:var(--accent);color:var(--on-accent)}.top nav a,.top nav ' +
    'a[aria-current],.top .brand small{color:inherit}.top nav ' +
    'a:hover{background:none;color:inherit;text-decoration:underline}.top nav ' +
    'a[aria-current]{text-decoration:underline;text-underline-offset:.4em;text-decoration-thickness:2px}' +
    '.top :focus-visible{outline-color:currentColor}.mark{background:var(--on-accent)}' +
    '.mark::after{background:var(--accent)}',
  masthead:
    '.top .wrap{flex-wrap:wrap;justify-content:center;padding-block:28px ' +
    '10px}.brand{flex-basis:100%;flex-direction:column;gap:6px;text-align:center;' +
    'font-size:var(--title);line-height:1.1}.brand span,.brand ' +
    'small{white-space:normal}.mark{display:none}.logo{block-size:72px;max-inline-size:min(100%,420px)}' +
    '.top nav{margin-inline-start:0;justify-content:center}',
}

/**
 * CSS rules that follow those of the pages.
 * @param font the URL of the owner's own font
 */
export function lookStyle(
  { scheme, corner, density, typeface, header }: Look,
  font: string | undefined,
): string {
  const stack = TYPEFACES[typeface]
  const face = font === undefined ? stack : `Own,${stack || 'system-ui,sans-serif'}`
  const own = `${CORNERS[corner]}${face && `--font:${face};`}${
    scheme === 'auto' ? '' : `color-scheme:${scheme};`
  }`
  const loaded = font && `@font-face{font-family:Own;src:url(${font}) format("woff2");font-display:swap}`
  return `${loaded ?? ''}${own && `:root{${own}}`}${DENSITIES[density]}${HEADERS[header]}`
}

/** A finding for `kalends doctor` if a configured file or text cannot be read. */
export function checkLook(config: Config): Finding[] {
  try {
    readStart(config)
    return []
  } catch (error) {
    return [
      failing(
        'look',
        messageOf(error),
        'Put it back, or take it out of the settings: kalends serve does not start.',
      ),
    ]
  }
}

export const dataOf = (bytes: Buffer): string => `data:;base64,${bytes.toString('base64')}`
