// Compiles the sources into dist, which a package holds in their place: npm run build
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Compiles the sources into this folder, in place of what is there. Their types are looked at by `npm run check`. */
export function build(into: string): void {
  rmSync(into, { recursive: true, force: true })
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const words = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', into]
  execFileSync(process.execPath, [compiler, ...words], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  for (const room of ['pages', 'desk']) {
    const assets = join('src', 'serve', room, 'assets')
    cpSync(join(root, assets), join(into, assets), { recursive: true, filter: isSent })
  }
}

/** Whether browsers are sent a file of the assets; the others are for the compiler. */
function isSent(path: string): boolean {
  return basename(path) !== 'tsconfig.json' && !path.endsWith('.d.ts')
}

if (import.meta.main) build(join(root, 'dist'))
