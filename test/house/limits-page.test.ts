import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { limits } from '../../src/base/fields/limits.ts'
import { limitsPage } from '../support/limits-page.ts'

const PAGE = fileURLToPath(new URL('../../docs/limits.md', import.meta.url))

function linesOf(page: string): string[] {
  return page
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ +(?=\|)/g, ' ').replace(/-{3,}/g, '---'))
}

test('docs/limits.md is what the declarations say; UPDATE=1 writes it anew', () => {
  if (process.env.UPDATE) writeFileSync(PAGE, `${limitsPage()}\n`)
  assert.deepEqual(linesOf(readFileSync(PAGE, 'utf8')), linesOf(limitsPage()))
})

test('the limits that were promised are those that are declared', () => {
  assert.deepEqual(limits.title, { characters: 500 })
  assert.deepEqual(limits.line, { characters: 1000 })
  assert.deepEqual(limits.termName, { characters: 200 })
  assert.deepEqual(limits.search, { characters: 500, words: 20 })
  assert.equal(limits.cost.bytes, 1000)
  assert.equal(limits.ids.entries, 500)
  assert.equal(limits.terms.entries, 100)
})
