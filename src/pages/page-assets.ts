import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Site } from '../config.ts'
import { accentStyle } from './accent.ts'
import { embedScripts } from './embed-scripts.ts'

/** The settings for the look of pages. */
export interface Look {
  /** A colour such as `#0b6e5f`. */
  accent: string
  /** The path of a style sheet that is loaded after the built-in one; empty for none. */
  css: string
  /** The path of an image file; empty for none. */
  logo: string
  /** The first day of the week, or `auto`. */
  weekStart: string
}

/** A file that pages refer to. Its address changes with its content, so it can be cached for ever. */
export interface Asset {
  path: string
  mediaType: string
  bytes: Buffer
}

/** The files of all pages. */
export interface Assets {
  style: Asset
  script: Asset
  logo: Asset | undefined
  /** The picture of the site in tabs: the logo, else the plain mark. */
  icon: Asset
  byPath: ReadonlyMap<string, Asset>
  /** The script of the page that generates embedding markup. */
  builder: Asset
  /** The files that pages of other sites load, at addresses that never change. */
  embed: readonly Asset[]
}

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
}

/** Where the files are served, below the root of the site. */
export const ASSETS_PATH = '/assets/'

/** Reads the files once. @throws Error with one sentence for a file that is set and cannot be read */
export function readAssets(site: Site, { accent, css, logo, weekStart }: Look): Assets {
  const own = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')
  const theirs = css === '' ? '' : readSet(css, 'style sheet').toString('utf8')
  const style = asset('calendar', '.css', Buffer.from([own('calendar.css'), accentStyle(accent), theirs].join('\n')))
  const script = asset('calendar', '.js', Buffer.from(own('calendar.js')))
  const image = logo === '' ? undefined : asset('logo', logoEnding(logo), readSet(logo, 'logo'))
  const icon = image ?? asset('icon', '.svg', Buffer.from(markOf(accent)))
  const builder = asset('builder', '.js', Buffer.from(own('builder.js')))
  const embed = [...embedScripts(site, weekStart)].map(([path, text]) => ({
    path,
    mediaType: MEDIA_TYPES['.js'] ?? '',
    bytes: Buffer.from(text),
  }))
  const all = [style, script, icon, builder]
  return { style, script, builder, embed, logo: image, icon, byPath: new Map(all.map((file) => [file.path, file])) }
}

/** The mark before the name of a site without a logo. */
const markOf = (accent: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 26 26"><rect width="26" height="26" rx="7" fill="${accent}"/><rect x="5" y="9" width="16" height="12" rx="3" fill="#fff"/></svg>`

function readSet(path: string, what: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new Error(
      `The ${what} of the pages cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}

function logoEnding(path: string): string {
  const ending = extname(path).toLowerCase()
  if (MEDIA_TYPES[ending]?.startsWith('image/')) return ending
  throw new Error(`The logo of the pages is an image file (svg, png, webp, jpg, avif or gif), not ${path}.`)
}

function asset(name: string, ending: string, bytes: Buffer): Asset {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 10)
  return { path: `${ASSETS_PATH}${name}-${hash}${ending}`, mediaType: MEDIA_TYPES[ending] ?? 'text/plain', bytes }
}
