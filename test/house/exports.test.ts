import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../src/', import.meta.url))

const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm
const DECLARED = /^(export )?(?:async )?(function|const|class|interface|type)\b\*? (\w+)/gm
/** Matches the names that a file may use from others: names in braces, as in imports, and members. */
const TAKEN = /\{[\w\s,]*\}|\.\w+/g

const sources = globSync('**/*.ts', { cwd: root }).map((file) => {
  const text = readFileSync(`${root}${file}`, 'utf8').replaceAll(COMMENTS, '')
  const declared = [...text.matchAll(DECLARED)].map(([, exported, kind = '', name = '']) => ({
    file,
    kind,
    name,
    isExported: exported !== undefined,
  }))
  return { text, declared }
})

test('no exported name of src is there for tests alone', () => {
  const taken = new Set(
    sources.flatMap(({ text }) => [...text.matchAll(TAKEN)].flatMap(([all]) => all.match(/\w+/g) ?? [])),
  )
  const exported = sources.flatMap(({ text, declared }) =>
    declared
      .filter(({ isExported }) => isExported)
      .map(({ file, name }) => {
        const isUsedHere = text.match(new RegExp(`\\b${name}\\b`, 'g'))?.[1] !== undefined
        return { file, name, isUsed: isUsedHere || taken.has(name) }
      }),
  )
  assert.ok(exported.length > 1000)
  const unused = exported.filter(({ isUsed }) => !isUsed).map(({ file, name }) => `${file}: ${name}`)
  assert.deepEqual(unused, [], 'nothing in src uses these: move them to test/support, or delete them')
})

/** The most files that may declare a function of the same name, exported or not. */
const MOST_OF_A_NAME = 3

/** Returns the files that declare each name. Variants for SQLite and PostgreSQL count as one file. */
function filesByName(declared: readonly { name: string; file: string }[]): Map<string, string[]> {
  const byName = Map.groupBy(declared, ({ name }) => name)
  const files = [...byName].map(([name, places]): [string, string[]] => {
    const one = places.map(({ file }) => file.replaceAll(/sqlite|postgres/g, 'database'))
    return [name, [...new Set(one)]]
  })
  return new Map(files)
}

/** Returns true for the `up` function of a migration: each migration has one. */
const isUp = (name: string, file: string) => name === 'up' && file.includes('storage/migrations/')

function tooMany(byName: Map<string, string[]>, most: number): string[] {
  return [...byName].filter(([, files]) => files.length > most).map(([name, files]) => `${name}: ${files.join(', ')}`)
}

test('an exported name means one thing: it is exported from one file', () => {
  const exported = sources.flatMap(({ declared }) => declared.filter(({ isExported }) => isExported))
  assert.deepEqual(tooMany(filesByName(exported), 1), [])
})

test(`a function's name says what it does: no more than ${MOST_OF_A_NAME} files have one of the same name`, () => {
  const functions = sources.flatMap(({ declared }) =>
    declared.filter(({ kind, name, file }) => kind === 'function' && !isUp(name, file)),
  )
  assert.deepEqual(tooMany(filesByName(functions), MOST_OF_A_NAME), [])
})
