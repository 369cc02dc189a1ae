// Makes what `read-stripped.ts` reads: the sources without their types, as Node would strip them in each process again, and packages in one file each.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { REQUIRE } from '../../packaging/build.ts'
import type { Places, Stripped } from './read-stripped.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Files that many processes load. */
const LOADED = ['src/**/*.ts', 'test/**/*.ts']
/** Tests are loaded once or twice; the others are for browsers. */
const NOT_LOADED = ['**/*.test.ts', '**/assets/**', '**/*.d.ts']

/** Packages of JavaScript alone that most processes load, most of them of dozens of files. */
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

/** Writes all sources into one file of a folder, and their places with those of packages into another; its path without an ending. */
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

/** Bundles each package into one file; their addresses by name. */
async function bundlePackages(folder: string): Promise<Record<string, string>> {
  const { build } = await import('esbuild')
  const fileOf = (name: string) => join(folder, `${name.replace('/', '-')}.mjs`)
  mkdirSync(folder)
  for (const name of PACKAGES) {
    // What is of CommonJS has its names only for Node, which has looked for them.
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
