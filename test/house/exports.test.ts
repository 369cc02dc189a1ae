import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../src/', import.meta.url))

const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm
const DECLARED = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm
/** Names that a file may take from others: alone in braces, as imports have them, or members of a module. */
const TAKEN = /\{[\w\s,]*\}|\.\w+/g

const sources = globSync('**/*.ts', { cwd: root }).map((file) => ({
  file,
  text: readFileSync(`${root}${file}`, 'utf8').replaceAll(COMMENTS, ''),
}))

test('no exported name of src is there for tests alone', () => {
  const taken = new Set(
    sources.flatMap(({ text }) => [...text.matchAll(TAKEN)].flatMap(([all]) => all.match(/\w+/g) ?? [])),
  )
  const declared = sources.flatMap(({ file, text }) =>
    [...text.matchAll(DECLARED)].map(([, name = '']) => {
      const isUsedHere = text.match(new RegExp(`\\b${name}\\b`, 'g'))?.[1] !== undefined
      return { file, name, isUsed: isUsedHere || taken.has(name) }
    }),
  )
  assert.ok(declared.length > 1000)
  const unused = declared.filter(({ isUsed }) => !isUsed).map(({ file, name }) => `${file}: ${name}`)
  assert.deepEqual(unused, [], 'nothing in src uses these: move them to test/support, or delete them')
})
