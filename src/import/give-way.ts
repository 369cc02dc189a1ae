import { readdirSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/** The threads of this process, as Linux lists them. */
const THREADS = '/proc/self/task'

/** Lowers the priority of this process, so that the service and other programs go first on a busy machine: an import takes all the time it gets. */
export function giveWay(): void {
  const wanted = constants.priority.PRIORITY_BELOW_NORMAL
  // A priority that is lower already stays: only root may raise it.
  if (getPriority() >= wanted) return
  // On Linux each thread has its own priority: the threads for garbage collection and compiling take a quarter of the time of an import.
  for (const thread of threadsHere()) lower(thread, wanted)
}

function lower(thread: number, priority: number): void {
  try {
    setPriority(thread, priority)
  } catch {
    // The thread has ended meanwhile.
  }
}

/** The ids of the threads; on other systems 0, which means the whole process. */
function threadsHere(): number[] {
  try {
    return readdirSync(THREADS).map(Number)
  } catch {
    return [0]
  }
}
