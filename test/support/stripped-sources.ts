// Writes the file that `read-stripped.ts` reads: all sources without types, and some packages bundled into one file each.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { REQUIRE } from '../../packaging/build.ts'
import type { Places, Stripped } from './read-stripped.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Sources that many processes load. */
const LOADED = ['src/**/*.ts', 'test/**/*.ts']
/** Test files are loaded only once or twice, and assets run in browsers. */
const NOT_LOADED = ['**/*.test.ts', '**/assets/**', '**/*.d.ts']

/** Packages that most processes load, most of them with dozens of files, and without native code. */
const PACKAGES = [
  '@fastify/busboy',
  'commander',
  'csv-parse',
  'kysely',
  'marked',
  'pg',
  'pino',
  'qs',
  'sanitize-html',
  'temporal-polyfill',
]

/** Writes all sources into one file, and a second file with their places and the packages. Returns the path of both, without an ending. */
export async function writeStripped(folder: string): Promise<string> {
  const places: Places = {}
  const pieces: Buffer[] = []
  let at = 0
  for (const file of globSync(LOADED, { cwd: root, exclude: NOT_LOADED })) {
    const path = join(root, file)
    const piece = Buffer.from(stripTypeScriptTypes(readFileSync(path, 'utf8')))
    pieces.push(piece)
    places[pathToFileURL(path).href] = [at, at + piece.length]
    at += piece.length
  }
  const packages = await bundlePackages(join(folder, 'packages'))
  const stripped = join(folder, 'stripped')
  writeFileSync(`${stripped}.js`, Buffer.concat(pieces))
  writeFileSync(`${stripped}.json`, JSON.stringify({ places, packages } satisfies Stripped))
  return stripped
}

/** Bundles each package into one file. Returns their addresses by name. */
async function bundlePackages(folder: string): Promise<Record<string, string>> {
  const { build } = await import('esbuild')
  const fileOf = (name: string) => join(folder, `${name.replace('/', '-')}.mjs`)
  mkdirSync(folder)
  for (const name of PACKAGES) {
    // Node finds the export names of CommonJS packages at run time. esbuild needs them written out.
    const names = Object.keys(await import(name)).filter((one) => one !== 'module.exports')
    writeFileSync(fileOf(name), `export { ${names.join(', ')} } from '${name}'\n`)
  }
  await build({
    entryPoints: PACKAGES.map(fileOf),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    nodePaths: [join(root, 'node_modules')],
    banner: { js: REQUIRE },
    logLevel: 'warning',
  })
  return Object.fromEntries(PACKAGES.map((name) => [name, pathToFileURL(fileOf(name)).href]))
}
