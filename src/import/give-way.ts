import { readdirSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/** The threads of this process, as Linux lists them. */
const THREADS = '/proc/self/task'

/** Lets the service and other programs go first where processors are scarce: an import takes all the time that it gets. */
export function giveWay(): void {
  const wanted = constants.priority.PRIORITY_BELOW_NORMAL
  // Nobody but root may raise a priority that is lower already.
  if (getPriority() >= wanted) return
  // Linux gives each thread a priority of its own: those that collect garbage and compile take a quarter of the time of an import.
  for (const thread of threadsHere()) lower(thread, wanted)
}

function lower(thread: number, priority: number): void {
  try {
    setPriority(thread, priority)
  } catch {
    // It has ended meanwhile.
  }
}

/** The numbers of the threads; elsewhere 0, which stands for the whole process. */
function threadsHere(): number[] {
  try {
    return readdirSync(THREADS).map(Number)
  } catch {
    return [0]
  }
}
