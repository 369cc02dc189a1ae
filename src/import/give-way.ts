import { constants, setPriority } from 'node:os'

/** Lets the service and other programs go first where processors are scarce: an import takes all the time that it gets. */
export function giveWay(): void {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
}
