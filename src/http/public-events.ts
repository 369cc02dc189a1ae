import {
  areCurrent,
  areUnchanged,
  type EventStates,
  type Piece,
  readPiece,
  shownCounts,
  statesOf,
  updateCounts,
} from '../events/event-pieces.ts'
import type { Service } from './respond.ts'

/** The body of an answer to a single event, good for as long as the event has not changed, whatever else does. */
export interface PublicEvent {
  event: number
  states: EventStates
  piece: Piece
}

/** Keeps answers to single events beyond the version of the data they were made from. */
export interface PublicEvents {
  /** Whether this is the address of a single event, without parameters. */
  isEvent: (url: string) => boolean
  /** The event of an answer. */
  read: (body: { id: number }) => PublicEvent
  /** The event as it is now: itself where it has not changed, with the counts of its terms as they are; undefined where it may have. */
  renew: (known: PublicEvent) => PublicEvent | undefined
}

export function makePublicEvents({ site, memory }: Service): PublicEvents {
  const events = `${site.restRoot}/${site.namespace}/events/`
  return {
    isEvent: (url) => url.startsWith(events) && /^(?:\d+|by-slug\/[^/?]+)\/?$/.test(url.slice(events.length)),
    read: (body) => ({
      event: body.id,
      states: statesOf(memory.pieces, [body.id]),
      piece: readPiece(JSON.stringify(body), memory.pieces.countsVersion),
    }),
    renew: (known) => {
      // Without an index nobody has followed what changed.
      if (!memory.index || !areUnchanged(memory.pieces, [known.event], known.states)) return undefined
      if (areCurrent(shownCounts(known.piece), memory.terms)) return known
      // The bytes before may still be on their way out.
      const piece = { ...known.piece, bytes: Buffer.from(known.piece.bytes), counts: [...known.piece.counts] }
      updateCounts(memory.pieces, piece, memory.terms)
      return { ...known, piece }
    },
  }
}
