// Makes the package for Debian and its relatives from the self-contained folder.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import packageJson from '../package.json' with { type: 'json' }
import { type Processor, setDates, UNITS, unitFor } from './linux-folder.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const ARCHITECTURES: Record<Processor, string> = { x64: 'amd64', arm64: 'arm64' }
/** The installed folder of the code. */
const CODE = '/usr/lib/kalends'
/**
 * The parts of the folder that are installed there. The rest is for other ways to install, or documentation.
 */
const RUN = ['bin', 'dist', 'kalends', 'node', 'node_modules', 'package.json', 'restart-processes']

/** The entry of the changelog: its time in seconds since 1970. */
interface Release {
  seconds: number
  /** The revision of the Debian package: 1 for the first one of a version of Kalends. */
  revision: number
}

/** Makes the package in a folder and returns its path. */
export function makeDebianPackage(
  folder: string,
  into: string,
  processor: Processor,
  release: Release,
): string {
  const architecture = ARCHITECTURES[processor]
  const version = `${packageJson.version}-${release.revision}`
  const laid = `${folder}.deb`
  layOut(laid, folder, version, release)
  const [size = ''] = execFileSync('du', ['-sk', '--apparent-size', laid], { encoding: 'utf8' }).split('\t')
  mkdirSync(join(laid, 'DEBIAN'))
  const control = filled('control', { VERSION: version, ARCHITECTURE: architecture, SIZE: size })
  writeFileSync(join(laid, 'DEBIAN', 'control'), control)
  writeFileSync(join(laid, 'DEBIAN', 'conffiles'), '/etc/kalends/kalends.env\n')
  for (const name of ['config', 'postinst', 'prerm', 'postrm', 'templates'])
    writeFileSync(join(laid, 'DEBIAN', name), filled(name, {}), {
      mode: name === 'templates' ? 0o644 : 0o755,
    })
  writeFileSync(join(laid, 'DEBIAN', 'md5sums'), sums(laid))
  const path = join(into, `kalends_${version}_${architecture}.deb`)
  setDates(laid, release.seconds)
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', laid, path], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(release.seconds) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  rmSync(laid, { recursive: true })
  return path
}

/** Lays out the files of the package as they will be installed. */
function layOut(laid: string, folder: string, version: string, { seconds }: Release): void {
  const code = join(laid, CODE)
  const documents = join(laid, 'usr/share/doc/kalends')
  const units = join(laid, 'usr/lib/systemd/system')
  const page = join(laid, 'usr/share/man/man1')
  const overrides = join(laid, 'usr/share/lintian/overrides')
  for (const path of [
    code,
    documents,
    units,
    page,
    overrides,
    join(laid, 'usr/bin'),
    join(laid, 'etc/kalends'),
  ])
    mkdirSync(path, { recursive: true })
  for (const path of RUN) cpSync(join(folder, path), join(code, path), { recursive: true })
  symlinkSync('../lib/kalends/kalends', join(laid, 'usr/bin/kalends'))
  for (const unit of UNITS) writeFileSync(join(units, unit), unitFor(unit, CODE))
  // Mode 0600, since the address of a database contains a password.
  writeFileSync(join(laid, 'etc/kalends/kalends.env'), readFileSync(join(folder, 'kalends.env')), {
    mode: 0o600,
  })
  writeFileSync(join(overrides, 'kalends'), filled('lintian-overrides', {}))
  // Text in a field is indented, and a dot replaces an empty line.
  const licence = readFileSync(join(folder, 'LICENSE'), 'utf8')
    .trim()
    .replace(/^/gm, ' ')
    .replace(/^ $/gm, ' .')
  writeFileSync(join(documents, 'copyright'), filled('copyright', { LICENCE: licence }))
  const date = new Date(seconds * 1000).toUTCString().replace('GMT', '+0000')
  const entry =
    `kalends (${version}) stable; urgency=medium\n\n  * Release of Kalends ${packageJson.version}.\n\n ` +
    `-- The Kalends maintainers <kalends@packages.debian.org>  ${date}\n`
  const compressed = {
    [join(documents, 'changelog.Debian.gz')]: entry,
    [join(documents, 'changelog.gz')]: readFileSync(join(root, 'CHANGELOG.md')),
    [join(documents, 'THIRD-PARTY-NOTICES.gz')]: readFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt')),
    [join(page, 'kalends.1.gz')]: filled('kalends.1', {}),
  }
  for (const [path, text] of Object.entries(compressed)) writeFileSync(path, gzipSync(text, { level: 9 }))
}

/** Reads a file of packaging/debian and fills in names such as `@VERSION@`. */
function filled(name: string, values: Record<string, string>): string {
  const text = readFileSync(join(root, 'packaging', 'debian', name), 'utf8')
  return Object.entries(values).reduce(
    (filling, [key, value]) => filling.replaceAll(`@${key}@`, () => value),
    text,
  )
}

/** Returns the checksums of all files, by which dpkg verifies an installation. */
function sums(laid: string): string {
  const command = 'find etc usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum'
  return execFileSync('sh', ['-c', command], { cwd: laid, encoding: 'utf8' })
}
