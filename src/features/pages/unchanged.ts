import type { EventPieces } from '../../store/memory/event-pieces.ts'

export interface EventStates {
  age: number
  changes: readonly number[]
}

export function statesOf({ age, changes }: EventPieces, ids: readonly number[]): EventStates {
  return { age, changes: ids.map((id) => changes[id] ?? 0) }
}

/** True if the events are as they were in `before`; counts of their terms may differ. */
export function areUnchanged(
  { age, changes }: EventPieces,
  ids: readonly number[],
  before: EventStates,
): boolean {
  return age === before.age && ids.every((id, i) => (changes[id] ?? 0) === before.changes[i])
}
