import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import { startProcess } from '../support/processes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('what npm run build makes serves by itself, as it does from a package', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-build-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const copy =
    "for (const room of ['pages', 'desk']) fs.cpSync('src/serve/' + room + '/assets', 'dist/src/serve/' + room + '/assets', { recursive: true })"
  assert.equal(packageJson.scripts.build, `tsc -p tsconfig.build.json && node -e "${copy}"`)
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  // Types change nothing of what is written, and `npm run check` looks at them.
  const words = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', join(folder, 'dist')]
  execFileSync(process.execPath, [compiler, ...words], { cwd: root })
  for (const room of ['pages', 'desk']) {
    const assets = join('src', 'serve', room, 'assets')
    cpSync(join(root, assets), join(folder, 'dist', assets), { recursive: true })
  }
  for (const file of packageJson.files.filter((name) => name !== 'dist'))
    cpSync(join(root, file), join(folder, file), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')

  const flags = ['--port', '0', '--log-level', 'silent', '--data', join(folder, 'data')]
  const { lines, end } = startProcess(join(folder, 'bin', 'kalends.js'), ['serve', ...flags])
  t.after(() => end())
  for await (const line of lines) {
    const [, base] = line.match(/^Kalends answers at (\S+)$/) ?? []
    if (base === undefined) continue
    for (const path of ['/events', '/events?search=lantern', '/doc', '/venues?search=lantern'])
      assert.equal((await fetch(base + path)).status, 200, path)
    const page = await (await fetch(new URL('/', base))).text()
    const [, style = ''] = page.match(/<link rel="stylesheet" href="([^"]+)"/) ?? []
    assert.equal((await fetch(new URL(style, base))).status, 200, style)
    return
  }
  assert.fail('the service did not start')
})
