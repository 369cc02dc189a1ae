import { spawnSync } from 'node:child_process'

/** The processes that a process has started and that still run. */
export function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
  return stdout.split('\n').filter(Boolean).map(Number).filter(isRunning)
}

/** Whether a process runs. One that has ended, but whose parent has not asked about it yet, does not. */
export function isRunning(pid: number): boolean {
  const { stdout, error } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  if (error) throw error
  return stdout.trim() !== '' && !stdout.startsWith('Z')
}

/** Sends `kill -9` to a process that may be gone by now. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
