// Makes the self-contained folder: Node, the code with its packages, and the files of the service.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import lock from '../package-lock.json' with { type: 'json' }
import { licenceOf, licencesBelow, writeNotices, zoneNotice } from './notices.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Names of processors in Node. */
export type Processor = 'x64' | 'arm64'

/** The version of Node that runs the tests and is shipped. */
export const nodeVersion: string = lock.packages['node_modules/node'].version

/** Makes the folder from a staged package (`npm-package.ts`), at a path that does not exist yet. */
export function makeLinuxFolder(folder: string, staged: string, processor: Processor): void {
  cpSync(staged, folder, { recursive: true })
  const platform = ['--os=linux', `--cpu=${processor}`, '--libc=glibc']
  const install = [
    'ci',
    '--omit=dev',
    '--ignore-scripts',
    '--engine-strict=false',
    '--loglevel=error',
    ...platform,
  ]
  execFileSync('npm', [...install, '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const node = fetchNode(`${folder}.node`, processor)
  const sentence =
    'What others have written and this folder holds: Node, ' +
    'packages below node_modules, and names of time zones.'
  const all = [licenceOf(node), ...licencesBelow(join(folder, 'node_modules')), zoneNotice()]
  writeNotices(join(folder, 'THIRD-PARTY-NOTICES.txt'), sentence, all)
  renameSync(join(node, 'bin', 'node'), join(folder, 'node'))
  rmSync(`${folder}.node`, { recursive: true })
  removeIdle(join(folder, 'node_modules'))
  cpSync(join(root, 'packaging', 'folder'), folder, { recursive: true })
  for (const unit of UNITS) writeFileSync(join(folder, unit), unitFor(unit, '/opt/kalends'))
}

/**
 * The units that are shipped. An instance of `kalends@.service`, such as `kalends@8081`, is one of several
 * processes of a machine.
 */
export const UNITS = ['kalends.service', 'kalends@.service', 'kalends-backup.service', 'kalends-backup.timer']

/**
 * Files of packages that are only for their developers. Hidden files are included: one of npm names the
 * registry that was used.
 */
const IDLE = new RegExp(
  '(^|/)\\.[^/]|\\.(map|html|d\\.[cm]?ts)$|^(tests?|examples?|docs?|bench(marks?)?' +
    '|bin)(\\.js)?(/|$)|^build\\.js$|\\.sh$',
)

/** Removes files that are never run from packages, and sets the modes of the others. */
function removeIdle(packages: string): void {
  for (const path of readdirSync(packages, { recursive: true, encoding: 'utf8' })) {
    const [, inside = path] = /^(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+\/(.+)$/.exec(path) ?? []
    if (IDLE.test(inside)) rmSync(join(packages, path), { recursive: true, force: true })
  }
  execFileSync('find', [packages, '-type', 'f', '-exec', 'chmod', '644', '{}', '+'])
}

/** Sets one date for all files of a folder, so that equal files give an equal archive. */
export function setDates(folder: string, seconds: number): void {
  execFileSync('find', [folder, '-exec', 'touch', '-hd', `@${seconds}`, '{}', '+'])
}

/**
 * Returns a unit of `deploy/` for a folder with its own Node; `kalends@.service` is made of
 * `kalends.service`.
 */
export function unitFor(unit: string, folder: string): string {
  const text = readFileSync(join(root, 'deploy', unit.replace('@', '')), 'utf8')
  return (unit.includes('@') ? text.replace(/ serve$/m, ' serve --port %i') : text)
    .replaceAll('/opt/kalends/bin/kalends.js', `${folder}/kalends`)
    .replaceAll('WorkingDirectory=/opt/kalends', `WorkingDirectory=${folder}`)
}

/** Downloads Node into a folder. Returns the path of its package. */
function fetchNode(into: string, processor: Processor): string {
  mkdirSync(into)
  const words = ['pack', '--silent', '--pack-destination', into, `node-linux-${processor}@${nodeVersion}`]
  const archive = execFileSync('npm', words, { encoding: 'utf8' }).trim()
  const wanted = ['package/bin/node', 'package/LICENSE', 'package/package.json']
  execFileSync('tar', ['-xzf', archive, ...wanted], { cwd: into })
  return join(into, 'package')
}
