import { constants, getPriority, setPriority } from 'node:os'

/** Lets the service and other programs go first where processors are scarce: an import takes all the time that it gets. */
export function giveWay(): void {
  const wanted = constants.priority.PRIORITY_BELOW_NORMAL
  // Nobody but root may raise a priority that is lower already.
  if (getPriority() < wanted) setPriority(wanted)
}
