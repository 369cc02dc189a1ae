// Bundles the sources into dist, which packages hold in their place and a clone starts while nothing in it is newer: npm run build
import { cpSync, globSync, readFileSync, rmSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import packageJson from '../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = join(root, 'src')

/** What a process or a thread of the service begins with. */
const ENTRIES = ['src/main.ts', ...globSync('src/**/*-thread.ts', { cwd: root }).sort()]

/** Packages with code of the machine, with files for browsers, and what is installed on demand: they stay where npm puts them. */
const APART = ['sharp', 'leaflet', 'squire-rte', ...Object.keys(packageJson.peerDependencies)]

/** Has code find the files beside it as if it still lay in its folder of `src`: all that asks for its own address is in files of `dist/src`. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!path.startsWith(SOURCES) || !source.includes('import.meta.url')) return undefined
      const place = `./${relative(SOURCES, path).replace(/ts$/, 'js')}`
      const contents = source.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`)
      return { contents, loader: 'ts' }
    }),
}

/** Packages of CommonJS ask for Node's own modules by `require`. */
export const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'\nconst require = requireFrom(import.meta.url)"

/**
 * Bundles the sources, and the packages they need, into this folder, in place of what is there: to find and read nine hundred files takes half of a start.
 * Their types are looked at by `npm run check`.
 * @returns the folders of the packages that were bundled, within the repository
 */
export async function build(into: string): Promise<string[]> {
  const { build: bundle } = await import('esbuild')
  rmSync(into, { recursive: true, force: true })
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: into,
    outbase: '.',
    bundle: true,
    splitting: true,
    // Beside the main file, so that addresses go by one folder.
    chunkNames: 'src/[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: `node${process.versions.node.split('.')[0]}`,
    external: APART,
    banner: { js: REQUIRE },
    legalComments: 'inline',
    logLevel: 'warning',
    metafile: true,
    plugins: [keepPlaces],
  })
  for (const room of ['pages', 'desk']) {
    const assets = join('src', 'serve', room, 'assets')
    cpSync(join(root, assets), join(into, assets), { recursive: true, filter: isSent })
  }
  return packagesOf(Object.keys(metafile.inputs))
}

/** Folders of packages, by the paths of files in them. */
function packagesOf(files: readonly string[]): string[] {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0])
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort()
}

/** Whether browsers are sent a file of the assets; the others are for the compiler. */
function isSent(path: string): boolean {
  return basename(path) !== 'tsconfig.json' && !path.endsWith('.d.ts')
}

if (import.meta.main) await build(join(root, 'dist'))
