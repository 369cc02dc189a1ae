import { event } from '../events/event.ts'
import type { EventMemory } from '../memory/event-memory.ts'
import { areUnchanged, readPiece, statesOf } from '../memory/event-pieces.ts'
import { type FollowedBody, followBody } from './public-lists.ts'
import type { Action } from './routes.ts'

/** Whether a row of the route table answers a single event of the namespace. */
export function isEvent(action: Action): boolean {
  return action.do === 'read' && action.served.resource === event
}

/** Makes the body of an answer of a single event, which is good for as long as the event has not changed, whatever else does. */
export function followEvent(memory: EventMemory, body: { id: number }): FollowedBody {
  const states = statesOf(memory.pieces, [body.id])
  const piece = readPiece(JSON.stringify(body), memory.pieces.countsVersion)
  // Without an index nobody has followed what changed.
  const isSame = () => memory.index !== undefined && areUnchanged(memory.pieces, [body.id], states)
  return followBody(memory, piece, isSame)
}
