// The folder that needs nothing: Node, the code and its packages, and what makes a service of them.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import lock from '../package-lock.json' with { type: 'json' }
import { licenceOf, licencesBelow, writeNotices, zoneNotice } from './notices.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Processors as Node names them. */
export type Processor = 'x64' | 'arm64'

/** The release of Node that runs the tests, which is the one that is passed on. */
export const nodeVersion: string = lock.packages['node_modules/node'].version

/** Makes the folder of a staged package (`npm-package.ts`) in a place that is not there yet. */
export function makeLinuxFolder(folder: string, staged: string, processor: Processor): void {
  cpSync(staged, folder, { recursive: true })
  const platform = ['--os=linux', `--cpu=${processor}`, '--libc=glibc']
  const install = ['ci', '--omit=dev', '--ignore-scripts', '--engine-strict=false', '--loglevel=error', ...platform]
  execFileSync('npm', [...install, '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const node = fetchNode(`${folder}.node`, processor)
  const sentence =
    'What others have written and this folder holds: Node, packages below node_modules, and names of time zones.'
  const all = [licenceOf(node), ...licencesBelow(join(folder, 'node_modules')), zoneNotice()]
  writeNotices(join(folder, 'THIRD-PARTY-NOTICES.txt'), sentence, all)
  renameSync(join(node, 'bin', 'node'), join(folder, 'node'))
  rmSync(`${folder}.node`, { recursive: true })
  removeIdle(join(folder, 'node_modules'))
  cpSync(join(root, 'packaging', 'folder'), folder, { recursive: true })
  for (const unit of ['kalends.service', 'kalends-backup.service', 'kalends-backup.timer'])
    writeFileSync(join(folder, unit), unitFor(unit, '/opt/kalends'))
}

/** What packages hold for those who work on them, by paths inside a package. Hidden files are among it: one of npm's own names the registry that was asked. */
const IDLE =
  /(^|\/)\.[^/]|\.(map|html|d\.[cm]?ts)$|^(tests?|examples?|docs?|bench(marks?)?|bin)(\.js)?(\/|$)|^build\.js$|\.sh$/

/** Removes what is never run from packages, and gives the rest the modes of files that are read. */
function removeIdle(packages: string): void {
  for (const path of readdirSync(packages, { recursive: true, encoding: 'utf8' })) {
    const [, inside = path] = /^(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+\/(.+)$/.exec(path) ?? []
    if (IDLE.test(inside)) rmSync(join(packages, path), { recursive: true, force: true })
  }
  execFileSync('find', [packages, '-type', 'f', '-exec', 'chmod', '644', '{}', '+'])
}

/** Gives all files of a folder one date, so that equal files make an equal archive. */
export function setDates(folder: string, seconds: number): void {
  execFileSync('find', [folder, '-exec', 'touch', '-hd', `@${seconds}`, '{}', '+'])
}

/** A unit of `deploy/` for a folder that has its own Node. */
export function unitFor(unit: string, folder: string): string {
  const text = readFileSync(join(root, 'deploy', unit), 'utf8')
  return text
    .replaceAll('/opt/kalends/bin/kalends.js', `${folder}/kalends`)
    .replaceAll('WorkingDirectory=/opt/kalends', `WorkingDirectory=${folder}`)
}

/** Fetches the release of Node into a folder, and returns where its package lies there. */
function fetchNode(into: string, processor: Processor): string {
  mkdirSync(into)
  const words = ['pack', '--silent', '--pack-destination', into, `node-linux-${processor}@${nodeVersion}`]
  const archive = execFileSync('npm', words, { encoding: 'utf8' }).trim()
  const wanted = ['package/bin/node', 'package/LICENSE', 'package/package.json']
  execFileSync('tar', ['-xzf', archive, ...wanted], { cwd: into })
  return join(into, 'package')
}
