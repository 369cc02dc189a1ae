import type { Site } from '../base/config.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { Format, Reply } from './format.ts'
import type { Incoming, RouteReply, Target } from './incoming.ts'
import type { FoundRoute, Match, MatchedRequest, Route } from './routes.ts'

// Declares the table of all routes, and finds routes in it.

/** Every route below the REST root, in the namespace and beside it. */
export interface RouteTable {
  site: Site
  namespace: readonly Route[]
  /** The path of the namespace in lower case. */
  prefix: string
  /** Finds the route of a path below the namespace. */
  find: (path: string) => Match | undefined
  /** The representations beside JSON. */
  formats: readonly Format[]
  beside: RoutesBeside
}

/** The routes beside the namespace. */
export interface RoutesBeside {
  /** Those of this project's own, for the document. */
  own: readonly Route[]
  find: (path: string) => FoundRoute | undefined
  reply: (
    found: Required<FoundRoute>,
    incoming: Incoming,
    target: Target,
    context: Context,
    replyTo: RouteReply,
    answerOwn: (asked: MatchedRequest) => Promise<Reply>,
  ) => Promise<Reply>
}

/** Finds the route that matches a path, of the namespace or beside it. */
export function findRoute({ prefix, find, beside }: RouteTable, path: string): FoundRoute | undefined {
  const isBelow = path.startsWith(prefix) || path.toLowerCase().startsWith(prefix)
  return (isBelow ? find(path.slice(prefix.length)) : undefined) ?? beside.find(path)
}
