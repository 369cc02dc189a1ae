import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk that takes nothing any more when told so. */
export interface Disk {
  /** A folder on it. */
  folder: string
  /** To be run in front of the service, as `before` of `startServiceProcess`. */
  before: string
  /** From now on writes of the service fail. */
  refuse: (pid: number) => void
  /** From now on it succeeds. */
  allow: (pid: number) => void
  remove: () => void
}

/** Runs a command; the reason why it cannot, or undefined. */
function attempt(command: string, ...words: string[]): string | undefined {
  const { status, stderr, error } = spawnSync(command, words, { encoding: 'utf8' })
  if (error) return error.message
  return status === 0 ? undefined : stderr.trim()
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'kalends-disk-'))

/** A small file system of its own, which a file that grows fills up; the reason why there is none where this may not be mounted. */
export function smallDisk(megabytes: number): Disk | string {
  const folder = newFolder()
  const filler = join(folder, 'filler')
  const reason = attempt('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'kalends', folder)
  if (reason !== undefined) {
    rmSync(folder, { recursive: true })
    return `no file system of its own: ${reason}`
  }
  return {
    folder,
    before: ':',
    refuse: () => fillUp(filler),
    allow: () => rmSync(filler),
    remove: () => {
      attempt('umount', '-l', folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Leaves less room than any write needs. */
function fillUp(filler: string): void {
  for (const bytes of [1_000_000, 4096, 1]) {
    const piece = Buffer.alloc(bytes)
    try {
      for (;;) appendFileSync(filler, piece)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }
}

/** A disk where no file may be written by the service, as on one that has become read-only: its limit on the size of files is nothing. */
export function refusingDisk(): Disk | string {
  const reason = attempt('prlimit', '--fsize', '--pid', String(process.pid))
  if (reason !== undefined) return `no limits of running processes: ${reason}`
  const folder = newFolder()
  const limit = (pid: number, bytes: string) => {
    const failure = attempt('prlimit', '--pid', String(pid), `--fsize=${bytes}:unlimited`)
    if (failure !== undefined) throw new Error(failure)
  }
  return {
    folder,
    // Whoever writes too much is told so instead of being ended.
    before: "trap '' XFSZ",
    refuse: (pid) => limit(pid, '0'),
    allow: (pid) => limit(pid, 'unlimited'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
