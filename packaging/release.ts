// Makes all files of a release in the folder release: npm run release [-- --processors x64,arm64]
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import { makeDebianPackage } from './debian-package.ts'
import { makeLinuxFolder, nodeVersion, type Processor, setDates } from './linux-folder.ts'
import { pack, stagePackage } from './npm-package.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { version } = packageJson
const PROCESSORS: readonly Processor[] = ['x64', 'arm64']

/** Returns the date for all files, that of the last commit, so that the same commit gives the same bytes. */
function releaseSeconds(): number {
  const given = process.env.SOURCE_DATE_EPOCH
  return Number(given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }))
}

/** Makes the release for these processors in an empty folder. */
async function release(into: string, processors: readonly Processor[], seconds: number): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'kalends-release-'))
  try {
    const staged = join(work, 'staged')
    await stagePackage(staged)
    pack(staged, into)
    writeBill(join(into, `kalends-${version}.cdx.json`), staged, ['--package-lock-only'], [], seconds)
    for (const processor of processors) {
      const name = `kalends-${version}-linux-${processor}`
      const folder = join(work, name)
      makeLinuxFolder(folder, staged, processor)
      setDates(folder, seconds)
      archive(folder, join(into, `${name}.tar.gz`))
      writeBill(join(into, `${name}.cdx.json`), folder, [], [NODE], seconds)
      makeDebianPackage(folder, into, processor, { seconds, revision: 1 })
      rmSync(folder, { recursive: true })
    }
  } finally {
    rmSync(work, { recursive: true })
  }
}

/**
 * Archives a folder without what differs between machines: the order of files, owners, and dates of the
 * compressor.
 */
function archive(folder: string, path: string): void {
  const words = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu', '-I', 'gzip -9n']
  const [name = ''] = folder.split('/').slice(-1)
  execFileSync('tar', [...words, '-cf', path, '-C', join(folder, '..'), name], {
    env: { ...process.env, LC_ALL: 'C' },
  })
}

const NODE = {
  'bom-ref': `node@${nodeVersion}`,
  type: 'platform',
  name: 'node',
  version: nodeVersion,
  purl: `pkg:github/nodejs/node@v${nodeVersion}`,
}

/** A bill of materials (CycloneDX) as npm writes it. */
interface Bill {
  serialNumber?: string
  metadata: { timestamp: string; component: { name: string } }
  components: { externalReferences?: { type: string }[] }[]
}

/** Writes the bill of materials of a package without what depends on the time or the registry. */
function writeBill(path: string, folder: string, words: string[], more: object[], seconds: number): void {
  const asked = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', ...words]
  const { serialNumber, ...bill }: Bill = JSON.parse(
    execFileSync('npm', asked, { cwd: folder, encoding: 'utf8' }),
  )
  bill.metadata.timestamp = new Date(seconds * 1000).toISOString()
  bill.metadata.component.name = packageJson.name
  for (const component of bill.components)
    component.externalReferences =
      component.externalReferences?.filter(({ type }) => type !== 'distribution') ?? []
  writeFileSync(path, `${JSON.stringify({ ...bill, components: [...bill.components, ...more] }, null, 2)}\n`)
}

/** Writes the checksums of all files for `sha256sum -c`. */
function writeSums(folder: string): void {
  const lines = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}

if (import.meta.main) {
  // Everybody can read the released files, whoever makes them.
  process.umask(0o022)
  const { values } = parseArgs({ options: { processors: { type: 'string', default: 'x64,arm64' } } })
  const processors = PROCESSORS.filter((name) => values.processors.split(',').includes(name))
  const into = join(root, 'release')
  rmSync(into, { recursive: true, force: true })
  mkdirSync(into)
  await release(into, processors, releaseSeconds())
  writeSums(into)
  for (const name of readdirSync(into))
    console.log(`${(statSync(join(into, name)).size / 1_000_000).toFixed(1).padStart(7)} MB  ${name}`)
}
