// Makes the npm package as it is published: manifest, code, and the versions of the packages it was tested
// with.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageJson from '../package.json' with { type: 'json' }
import { build } from './build.ts'
import { licenceOf, writeNotices, zoneNotice } from './notices.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * The members of package.json for users. The others, such as scripts and packages of tests, stay in the
 * repository.
 */
const { name, version, description, keywords, license, type, bin, files, engines, ...rest } = packageJson
const { dependencies, peerDependencies, peerDependenciesMeta } = rest
const needs = { engines, dependencies, peerDependencies, peerDependenciesMeta }
const held = [...files, 'npm-shrinkwrap.json']
const manifest = { name, version, description, keywords, license, type, bin, files: held, ...needs }

/** Lays out the package in an empty folder. Its `node_modules` are not installed yet. */
export async function stagePackage(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const bundled = await build(join(folder, 'dist'))
  for (const path of ['bin', 'LICENSE', 'README.md'])
    cpSync(join(root, path), join(folder, path), { recursive: true })
  writeJson(join(folder, 'package.json'), manifest)
  writeJson(join(folder, 'npm-shrinkwrap.json'), shrinkwrap())
  const sentence = 'This folder holds code of the packages below, and names of time zones from CLDR.'
  const notices = [...bundled.map((path) => licenceOf(join(root, path))), zoneNotice()]
  writeNotices(join(folder, 'dist', 'THIRD-PARTY-NOTICES.txt'), sentence, notices)
}

/** Packs a staged package. npm sets one date for all files, so that equal files give an equal archive. */
export function pack(folder: string, into: string): string {
  const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', into]
  return join(into, execFileSync('npm', words, { cwd: folder, encoding: 'utf8' }).trim())
}

/** An entry of the lock file. */
interface Locked {
  dev?: boolean
  link?: boolean
  peer?: boolean
}

/** Returns the lock file without packages of tests, so that an installation gets the tested versions. */
function shrinkwrap(): object {
  const lock: { packages: Record<string, Locked> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const needed = Object.entries(lock.packages).filter(
    ([path, { dev, link, peer }]) => path.startsWith('node_modules/') && !dev && !link && !peer,
  )
  const own = { name, version, license, bin, ...needs }
  return { ...lock, packages: { '': own, ...Object.fromEntries(needed) } }
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
