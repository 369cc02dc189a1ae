import { createHash } from 'node:crypto'

// The files of a look: the size and the kinds that each may have, and its name. The kind is found by the content, and the sent name is ignored.

/** A setting of the look whose value is a file. */
export type LookFileSetting = 'pages_logo' | 'pages_logo_dark' | 'pages_icon' | 'pages_picture' | 'pages_font'

type Ending = '.svg' | '.png' | '.webp' | '.jpg' | '.ico' | '.woff2'

interface FileRule {
  /** The start of its name. */
  stem: string
  endings: readonly Ending[]
  /** bytes */
  most: number
}

/** The bounds of each file. All together, as JSON carries them, are less than a megabyte. */
export const LOOK_FILES: Readonly<Record<LookFileSetting, FileRule>> = {
  pages_logo: { stem: 'logo', endings: ['.svg', '.png', '.webp', '.jpg'], most: 100_000 },
  pages_logo_dark: { stem: 'logo-dark', endings: ['.svg', '.png', '.webp', '.jpg'], most: 100_000 },
  pages_icon: { stem: 'icon', endings: ['.svg', '.png', '.ico'], most: 50_000 },
  pages_picture: { stem: 'picture', endings: ['.png', '.webp', '.jpg'], most: 250_000 },
  pages_font: { stem: 'font', endings: ['.woff2'], most: 150_000 },
}

export function isLookFile(name: string): name is LookFileSetting {
  return Object.hasOwn(LOOK_FILES, name)
}

/** Characters of the longest file as a `data:` address. */
export const longestData = (name: LookFileSetting): number => Math.ceil(LOOK_FILES[name].most / 3) * 4 + 100

const startsWith = (bytes: Buffer, text: string, at = 0): boolean =>
  bytes.toString('latin1', at, at + text.length) === text

/** Tells each kind of file by its first bytes. */
const SIGNS: Readonly<Record<Ending, (bytes: Buffer) => boolean>> = {
  '.svg': isPlainSvg,
  '.png': (bytes) => startsWith(bytes, '\x89PNG\r\n\x1a\n'),
  '.webp': (bytes) => startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8),
  '.jpg': (bytes) => startsWith(bytes, '\xff\xd8\xff'),
  '.ico': (bytes) => startsWith(bytes, '\0\0\x01\0'),
  '.woff2': (bytes) => bytes.length > 48 && startsWith(bytes, 'wOF2') && bytes.readUInt32BE(8) === bytes.length,
}

/** Scripts and the like, which no drawing needs. They could not run anyway, since the answers that carry a drawing forbid that. */
const ACTIVE = /<!doctype|<!entity|<script|<foreignobject|<iframe|javascript:|\son\w{3,20}\s*=/i

function isPlainSvg(bytes: Buffer): boolean {
  const text = bytes.toString('utf8')
  if (text.includes('\ufffd') || ACTIVE.test(text)) return false
  const start = text.slice(0, 2000).replace(/^\ufeff/, '')
  const [drawing = ''] = start.split('<svg', 1)
  return start.includes('<svg') && text.includes('</svg>') && /^(?:\s|<\?[^?]*\?>|<!--[^-]*-->)*$/.test(drawing)
}

/** The ending that the content of a file asks for; undefined for a file that this setting does not take. */
export function endingOf(name: LookFileSetting, bytes: Buffer): Ending | undefined {
  const { endings, most } = LOOK_FILES[name]
  return bytes.length > most ? undefined : endings.find((ending) => SIGNS[ending](bytes))
}

/** Why a file is not taken, as the end of a sentence. */
export function faultOfFile(name: LookFileSetting, bytes: Buffer): string | undefined {
  const { endings, most } = LOOK_FILES[name]
  if (endingOf(name, bytes) !== undefined) return undefined
  return `takes a file of at most ${most / 1000} kB that is ${endings.join(', ').replaceAll('.', '')} by its content`
}

/** The name of a file with this content: another content has another name. */
export function contentName(stem: string, ending: string, bytes: Buffer): string {
  return `${stem}-${createHash('sha256').update(bytes).digest('base64url').slice(0, 10)}${ending}`
}

const DATA = /^data:[\w.+/-]{0,100};base64,$/
const BASE64 = /^[\w+/]*={0,2}$/

/** The bytes of a `data:` address in base64; undefined for any other text. */
export function bytesOfData(text: string): Buffer | undefined {
  const at = text.indexOf(',')
  if (at > 120 || !DATA.test(text.slice(0, at + 1)) || !BASE64.test(text.slice(at + 1))) return undefined
  return Buffer.from(text.slice(at + 1), 'base64')
}

/** A file as a `data:` address, as `bytesOfData` reads it. */
export const dataOf = (bytes: Buffer): string => `data:;base64,${bytes.toString('base64')}`
