// Takes each feature that may be left out away from a copy of the sources, with its line and with the
// features that import it, and compiles the rest.
//   npm run without [-- FEATURE ...]
import { execFile } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const SPARE = [
  'accounts',
  'webhooks',
  'mail',
  'openid-connect',
  'submissions',
  'assistants',
  'imports',
  'push',
  'transfer',
  'sync',
  'demo',
  'doctor',
  'metrics',
]

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'kalends-without-'))
const aside = join(copy, 'aside')
const list = join(copy, 'src/features.ts')

/** The features with a file that imports this one. */
function importersOf(feature: string): string[] {
  const paths = globSync('src/features/*/**/*.ts', { cwd: copy })
  const importing = paths.filter((path) =>
    new RegExp(`'[./]+/${feature}/`).test(readFileSync(join(copy, path), 'utf8')),
  )
  return [...new Set(importing.map((path) => path.split('/')[2] ?? ''))].filter((name) => name !== feature)
}

function withImporters(feature: string): string[] {
  const gone = [feature]
  for (const name of gone) gone.push(...importersOf(name).filter((other) => !gone.includes(other)))
  return gone
}

async function faultsWithout(gone: readonly string[]): Promise<string> {
  const before = readFileSync(list, 'utf8')
  for (const name of gone) renameSync(join(copy, 'src/features', name), join(aside, name))
  const imports = new RegExp(`^import \\{ (\\w+) \\} from './features/(?:${gone.join('|')})/.*\n`, 'gm')
  const names = [...before.matchAll(imports)].map(([, name = '']) => name)
  const line = new RegExp(`^(import .*/features/(${gone.join('|')})/.*|  (${names.join('|')}),)\n`, 'gm')
  writeFileSync(list, before.replace(line, ''))
  try {
    await run(
      join(root, 'node_modules/.bin/tsc'),
      ['-p', 'tsconfig.sources.json', '--noEmit', '--incremental', '--tsBuildInfoFile', 'types.json'],
      { cwd: copy },
    )
    return ''
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
  } finally {
    for (const name of gone) renameSync(join(aside, name), join(copy, 'src/features', name))
    writeFileSync(list, before)
  }
}

try {
  for (const name of ['src', 'tsconfig.json', 'tsconfig.sources.json', 'package.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  mkdirSync(aside)
  const asked = process.argv.slice(2)
  for (const feature of asked.length > 0 ? asked : SPARE) {
    const gone = withImporters(feature)
    const faults = await faultsWithout(gone)
    console.log(`${faults === '' ? 'compiles' : 'FAILS'} without ${gone.join(', ')}\n${faults}`.trim())
    if (faults !== '') process.exitCode = 1
  }
} finally {
  rmSync(copy, { recursive: true })
}
