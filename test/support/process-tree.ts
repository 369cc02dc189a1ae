import { spawnSync } from 'node:child_process'

/** Returns the running child processes of a process. */
export function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
  return stdout.split('\n').filter(Boolean).map(Number).filter(isRunning)
}

/** Returns true while a process runs. A zombie, which has ended but still has an entry, does not. */
export function isRunning(pid: number): boolean {
  const { stdout, error } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  if (error) throw error
  return stdout.trim() !== '' && !stdout.startsWith('Z')
}

/** Kills a process with SIGKILL. It may be gone already. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
