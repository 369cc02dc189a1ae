// Bundles the sources into dist, which packages contain instead of src, and which a clone starts while no
// source is newer: npm run build
import { cpSync, globSync, readFileSync, rmSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import packageJson from '../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = join(root, 'src')

/** The modules with which a process or a thread of the service starts. */
const ENTRIES = ['src/main.ts', ...globSync('src/**/*-{process,thread}.ts', { cwd: root }).sort()]

/**
 * Packages that stay where npm installs them: with native code, with files for browsers, and those installed
 * on demand.
 */
const APART = ['sharp', 'leaflet', 'squire-rte', ...Object.keys(packageJson.peerDependencies)]

/**
 * Lets bundled code find files by its own address as if it were still in its folder of `src`. Such code is in
 * files of `dist/src`.
 */
const keepPlaces: Plugin = {
  name: 'keep-places',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!path.startsWith(SOURCES) || !source.includes('import.meta.url')) return undefined
      const place = `./${relative(SOURCES, path).replace(/ts$/, 'js')}`
      const contents = source.replaceAll(
        'import.meta.url',
        `new URL(${JSON.stringify(place)}, import.meta.url).href`,
      )
      return { contents, loader: 'ts' }
    }),
}

/** Defines `require` for bundled CommonJS packages, which use it to load modules of Node. */
export const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'\nconst require = requireFrom(import.meta.url)"

/**
 * Bundles the sources and their packages into a folder and replaces its content: finding and reading nine
 * hundred files takes half of a start. `npm run check` checks types.
 * @returns the folders of the bundled packages within the repository
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
    // In the folder of the main file, since addresses depend on the folder.
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
  for (const assets of globSync('src/features/*/assets', { cwd: root })) {
    cpSync(join(root, assets), join(into, assets), { recursive: true, filter: isSent })
  }
  return packagesOf(Object.keys(metafile.inputs))
}

/** Returns the folders of packages from the paths of their files. */
function packagesOf(files: readonly string[]): string[] {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0])
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort()
}

/** Returns true if a file of the assets is sent to browsers. The others are for the compiler. */
function isSent(path: string): boolean {
  return basename(path) !== 'tsconfig.json' && !path.endsWith('.d.ts')
}

if (import.meta.main) await build(join(root, 'dist'))
