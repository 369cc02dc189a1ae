import type { Site } from '../base/config.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { Format, Reply } from './format.ts'
import type { Incoming, RouteReply, Target } from './incoming.ts'
import type { Match, MatchedRequest, Route } from './routes.ts'

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
  find: (path: string) => Match | undefined
  /** Undefined for a path of no route. */
  reply: (
    incoming: Incoming,
    target: Target,
    context: Context,
    replyTo: RouteReply,
    answerOwn: (asked: MatchedRequest) => Promise<Reply>,
  ) => Promise<Reply | undefined>
}

export function findInNamespace({ prefix, find }: RouteTable, path: string): Match | undefined {
  const isBelow = path.startsWith(prefix) || path.toLowerCase().startsWith(prefix)
  return isBelow ? find(path.slice(prefix.length)) : undefined
}

/** Finds the route that matches a path, of the namespace or beside it. */
export function findMatch(table: RouteTable, path: string): Match | undefined {
  return findInNamespace(table, path) ?? table.beside.find(path)
}
