import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../conformance.ts', import.meta.url))
const scenarios = fileURLToPath(new URL('../../../shared/conformance/scenarios', import.meta.url))
const root = mkdtempSync(join(tmpdir(), 'kalends-scenarios-'))
after(() => rmSync(root, { recursive: true }))

function conformance(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    const child = execFile(process.execPath, [program, ...words], (_error, out, err) =>
      done({ code: child.exitCode ?? 1, out, err }),
    )
  })
}

test('conformance of a folder that is missing, or has no scenarios, ends and says so', async () => {
  const empty = join(root, 'empty')
  mkdirSync(empty)
  for (const [place, said] of [
    [join(root, 'none'), /there is no folder .+none/],
    [program, /there is no folder .+conformance\.ts/],
    [empty, /empty has no scenarios: files NAME\.json/],
  ] as const) {
    const { code, err } = await conformance(place)
    assert.equal(code, 1)
    assert.match(err, said)
  }
})

test('conformance of a folder elsewhere is of its scenarios', { skip: !existsSync(scenarios) }, async () => {
  const elsewhere = join(root, 'elsewhere')
  mkdirSync(elsewhere)
  for (const ending of ['json', 'golden.json'])
    cpSync(join(scenarios, `category-crud.${ending}`), join(elsewhere, `category-crud.${ending}`))
  const { code, out } = await conformance(elsewhere)
  assert.match(out, /scenarios 1\/1/)
  assert.equal(code, 0)
})
