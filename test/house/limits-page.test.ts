import { deepEqual } from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
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
  deepEqual(linesOf(readFileSync(PAGE, 'utf8')), linesOf(limitsPage()))
})
