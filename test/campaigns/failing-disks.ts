import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Disk {
  folder: string
  before: string
  refuse: (pid: number) => void
  allow: (pid: number) => void
  remove: () => void
}

function attempt(command: string, ...words: string[]): string | undefined {
  const { status, stderr, error } = spawnSync(command, words, { encoding: 'utf8' })
  if (error) return error.message
  return status === 0 ? undefined : stderr.trim()
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'kalends-disk-'))

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
    // The service ignores SIGXFSZ, so writes beyond the limit fail instead of ending it.
    before: "trap '' XFSZ",
    refuse: (pid) => limit(pid, '0'),
    allow: (pid) => limit(pid, 'unlimited'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
