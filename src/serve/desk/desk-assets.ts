import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { type Asset, accentStyle, markOf, mediaTypeOf } from '../pages/page-assets.ts'

/** The files of the desk, by addresses that change with their content. */
export interface DeskAssets {
  style: string
  script: string
  icon: string
  byPath: ReadonlyMap<string, Asset>
}

/** Where the files of the desk are served, below the root of the site. */
export const DESK_ASSETS_PATH = '/desk/assets/'

const folder = new URL('./assets/', import.meta.url)
const pagesFolder = new URL('../pages/assets/', import.meta.url)

/** The style sheets of the desk, which pages get as one. */
const STYLES = ['desk.css', 'event-form.css', 'look.css']

/** Reads the files of the desk, whose scripts import each other by name, so that one version stands before all names. */
export function readDeskAssets(accent: string): DeskAssets {
  const own = readdirSync(folder).filter((name) => name.endsWith('.js') || name.endsWith('.css'))
  const files = new Map(own.map((name) => [name, readFileSync(new URL(name, folder))]))
  files.set('squire.js', readFileSync(new URL(import.meta.resolve('squire-rte'))))
  const tokens = readFileSync(new URL('tokens.css', pagesFolder))
  const sheets = STYLES.flatMap((name) => [files.get(name) ?? Buffer.alloc(0), Buffer.from('\n')])
  files.set('desk.css', Buffer.concat([tokens, Buffer.from('\n'), ...sheets, Buffer.from(accentStyle(accent))]))
  files.set('mark.svg', Buffer.from(markOf(accent)))
  const hash = createHash('sha256')
  for (const bytes of files.values()) hash.update(bytes)
  const root = `${DESK_ASSETS_PATH}${hash.digest('base64url').slice(0, 10)}/`
  const assets = [...files].map(([name, bytes]) => ({ path: root + name, mediaType: mediaTypeOf(name), bytes }))
  return {
    style: `${root}desk.css`,
    script: `${root}desk.js`,
    icon: `${root}mark.svg`,
    byPath: new Map(assets.map((asset) => [asset.path, asset])),
  }
}
