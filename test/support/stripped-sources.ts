// Makes what `read-stripped.ts` reads: the sources without their types, as Node would strip them in each process again.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Places } from './read-stripped.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Files that many processes load, and ES modules of a library that is in many files. */
const LOADED = ['src/**/*.ts', 'test/**/*.ts', 'node_modules/kysely/dist/esm/**/*.js']
/** Tests are loaded once or twice; the others are for browsers. */
const NOT_LOADED = ['**/*.test.ts', '**/assets/**', '**/*.d.ts']

/** Writes all sources into one file of a folder, with a table of their places in another; its path without an ending. */
export function writeStripped(folder: string): string {
  const places: Places = {}
  const pieces: Buffer[] = []
  let at = 0
  for (const file of globSync(LOADED, { cwd: root, exclude: NOT_LOADED })) {
    const path = join(root, file)
    const source = readFileSync(path, 'utf8')
    const piece = Buffer.from(file.endsWith('.ts') ? stripTypeScriptTypes(source) : source)
    pieces.push(piece)
    places[pathToFileURL(path).href] = [at, at + piece.length]
    at += piece.length
  }
  const stripped = join(folder, 'stripped')
  writeFileSync(`${stripped}.js`, Buffer.concat(pieces))
  writeFileSync(`${stripped}.json`, JSON.stringify(places))
  return stripped
}
