// The package of npm as it is published: its manifest, its code, and the versions of the packages it was tested with.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageJson from '../package.json' with { type: 'json' }
import { build } from './build.ts'
import { licenceOf, writeNotices, zoneNotice } from './notices.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What the manifest of package.json tells those who install it. The rest, such as scripts and the packages of tests, is of the repository alone. */
const { name, version, description, keywords, license, type, bin, files, engines, ...rest } = packageJson
const { dependencies, peerDependencies, peerDependenciesMeta } = rest
const needs = { engines, dependencies, peerDependencies, peerDependenciesMeta }
const held = [...files, 'npm-shrinkwrap.json']
const manifest = { name, version, description, keywords, license, type, bin, files: held, ...needs }

/** Lays the package out in an empty folder, with its `node_modules` yet to be installed. */
export async function stagePackage(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const bundled = await build(join(folder, 'dist'))
  for (const path of ['bin', 'LICENSE', 'README.md']) cpSync(join(root, path), join(folder, path), { recursive: true })
  writeJson(join(folder, 'package.json'), manifest)
  writeJson(join(folder, 'npm-shrinkwrap.json'), shrinkwrap())
  const sentence = 'This folder holds code of the packages below, and names of time zones from CLDR.'
  const notices = [...bundled.map((path) => licenceOf(join(root, path))), zoneNotice()]
  writeNotices(join(folder, 'dist', 'THIRD-PARTY-NOTICES.txt'), sentence, notices)
}

/** Packs a staged package. npm gives all files one date, so that equal files make an equal archive. */
export function pack(folder: string, into: string): string {
  const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', into]
  return join(into, execFileSync('npm', words, { cwd: folder, encoding: 'utf8' }).trim())
}

/** A package of the lock file, as far as it says who needs it. */
interface Locked {
  dev?: boolean
  link?: boolean
  peer?: boolean
}

/** The lock file without what tests need: with it an installation has the versions that were tested. */
function shrinkwrap(): object {
  const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const needed = Object.entries(lock.packages).filter(
    ([path, { dev, link, peer }]) => path.startsWith('node_modules/') && !dev && !link && !peer,
  )
  const own = { name, version, license, bin, ...needs }
  return { ...lock, packages: { '': own, ...Object.fromEntries(needed) } }
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
