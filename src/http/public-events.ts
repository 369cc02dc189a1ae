import { areUnchanged, readPiece, statesOf } from '../memory/event-pieces.ts'
import { type FollowedBody, followBody } from './public-lists.ts'
import type { Service } from './respond.ts'

/** Answers to single events, which are good for as long as the event has not changed, whatever else does. */
export interface PublicEvents {
  /** Whether this is the address of a single event, without parameters. */
  isEvent: (url: string) => boolean
  /** Makes the body of an answer, and follows it. */
  follow: (body: { id: number }) => FollowedBody
}

export function makePublicEvents({ site, memory }: Service): PublicEvents {
  const events = `${site.restRoot}/${site.namespace}/events/`
  return {
    isEvent: (url) => url.startsWith(events) && /^(?:\d+|by-slug\/[^/?]+)\/?$/.test(url.slice(events.length)),
    follow: (body) => {
      const states = statesOf(memory.pieces, [body.id])
      const piece = readPiece(JSON.stringify(body), memory.pieces.countsVersion)
      // Without an index nobody has followed what changed.
      const isSame = () => memory.index !== undefined && areUnchanged(memory.pieces, [body.id], states)
      return followBody(memory, piece, isSame)
    },
  }
}
