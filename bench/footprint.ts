import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchRun } from './bench-run.ts'
import { databaseBytes } from './data-store.ts'
import { residentBytes } from './processes.ts'
import { type Result, resultOf } from './results.ts'

const MB = 1_000_000

/**
 * Measures the time to the first answer and the memory after it over several starts, and the size of the
 * database.
 */
export async function measureStart(run: BenchRun): Promise<Result[]> {
  const seconds: number[] = []
  const idle: number[] = []
  for (let start = 0; start < (run.quick ? 1 : 3); start++) {
    const service = await run.startOwn([])
    await sleep(500)
    seconds.push(service.startSeconds)
    idle.push(residentBytes(service.pid) / MB)
    await service.stop()
  }
  const bytes = await databaseBytes(run.store)
  return [
    resultOf({ id: 'start', title: 'start to the first answer' }, 's', seconds),
    resultOf({ id: 'memory-idle', title: 'memory after the first answer' }, 'MB', idle),
    ...(bytes === undefined
      ? []
      : [resultOf({ id: 'database-size', title: 'database file' }, 'MB', [bytes / MB])]),
  ]
}

/** The ms without requests after which a service has returned memory. */
const REST_MS = 12_000

/** Measures the memory of the service that has answered all reads of the run, at once and after a rest. */
export async function measureMemory(run: BenchRun): Promise<Result[]> {
  const { pid } = await run.reader()
  const title = 'memory after all reads of this run'
  const after = residentBytes(pid) / MB
  await sleep(REST_MS)
  return [
    resultOf({ id: 'memory-after-reads', title }, 'MB', [after]),
    resultOf({ id: 'memory-at-rest', title: `${title}, and twelve quiet seconds` }, 'MB', [
      residentBytes(pid) / MB,
    ]),
  ]
}

/** Measures the time and size of a production installation from the registry, with the cache of npm. */
export async function measureInstall(): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-bench-install-'))
  try {
    for (const file of ['package.json', 'package-lock.json'])
      await cp(join(import.meta.dirname, '..', file), join(folder, file))
    const began = performance.now()
    const { status, stdout, stderr } = spawnSync(
      'npm',
      ['install', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'],
      { cwd: folder, encoding: 'utf8' },
    )
    const complaints = `${stdout}${stderr}`.split('\n').filter((line) => /^npm error .*\s/.test(line))
    if (status !== 0) throw new Error(`npm install failed: ${complaints.slice(0, 3).join(' ')}`)
    const seconds = (performance.now() - began) / 1000
    return [
      resultOf({ id: 'install', title: '`npm install --omit=dev`' }, 's', [seconds]),
      resultOf({ id: 'install-size', title: 'installed packages' }, 'MB', [
        (await folderBytes(join(folder, 'node_modules'))) / MB,
      ]),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function folderBytes(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  }
  return bytes
}
