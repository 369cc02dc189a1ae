// The licences of what others have written.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What somebody else has written, and the terms it is passed on under. */
interface Notice {
  name: string
  version: string
  /** As SPDX writes it. */
  license: string
  /** The texts that come with it. */
  texts: string[]
}

const TEXT = /^(licen[cs]e|copying|notice|third[-_]party)/i

/** The terms of the package of npm in this folder. Where it has no text of them, its README says under which libraries inside it are passed on. */
export function licenceOf(folder: string): Notice {
  const { name, version, license }: { name: string; version: string; license?: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  const files = readdirSync(folder).sort()
  const texts = files.filter((file) => TEXT.test(file))
  const named = texts.length > 0 ? texts : files.filter((file) => /^readme/i.test(file))
  return { name, version, license: license ?? '', texts: named.map((file) => readFileSync(join(folder, file), 'utf8')) }
}

/** The terms of every package below a `node_modules`, by name. */
export function licencesBelow(folder: string): Notice[] {
  const notices = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
    .map((path) => join(folder, path, '..'))
    .filter((path) => 'version' in JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')))
    .map(licenceOf)
  return notices.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Writes a page of notices. */
export function writeNotices(path: string, sentence: string, notices: readonly Notice[]): void {
  const parts = notices.map(({ name, version, license, texts }) =>
    [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n'),
  )
  writeFileSync(path, `${[sentence, ...parts].join(`\n\n${'='.repeat(80)}\n\n`)}\n`)
}

/** The terms of the names of time zones in the sources. */
export function zoneNotice(): Notice {
  return { ...licenceOf(fileURLToPath(new URL('../node_modules/cldr-core', import.meta.url))), name: 'Unicode CLDR' }
}
