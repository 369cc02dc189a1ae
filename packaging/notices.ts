// Collects the licences of third-party software.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Third-party software and its licence. */
interface Notice {
  name: string
  version: string
  /** The SPDX expression. */
  license: string
  /** The texts of its licence files. */
  texts: string[]
}

const TEXT = /^(licen[cs]e|copying|notice|third[-_]party)/i

/**
 * Reads the licence of an npm package. Without a licence file, its README names the licences of the libraries
 * in it.
 */
export function licenceOf(folder: string): Notice {
  const { name, version, license }: { name: string; version: string; license?: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  const files = readdirSync(folder).sort()
  const texts = files.filter((file) => TEXT.test(file))
  const named = texts.length > 0 ? texts : files.filter((file) => /^readme/i.test(file))
  return {
    name,
    version,
    license: license ?? '',
    texts: named.map((file) => readFileSync(join(folder, file), 'utf8')),
  }
}

/** Reads the licence of every package below a `node_modules`, by name. */
export function licencesBelow(folder: string): Notice[] {
  const notices = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
    .map((path) => join(folder, path, '..'))
    .filter((path) => 'version' in JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')))
    .map(licenceOf)
  return notices.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Writes a file of notices. */
export function writeNotices(path: string, sentence: string, notices: readonly Notice[]): void {
  const parts = notices.map(({ name, version, license, texts }) =>
    [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n'),
  )
  writeFileSync(path, `${[sentence, ...parts].join(`\n\n${'='.repeat(80)}\n\n`)}\n`)
}

/** Returns the licence of the time zone names in the sources. */
export function zoneNotice(): Notice {
  return {
    ...licenceOf(fileURLToPath(new URL('../node_modules/cldr-core', import.meta.url))),
    name: 'Unicode CLDR',
  }
}
