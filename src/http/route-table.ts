import type { Site } from '../base/config.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { Format, Reply } from './format.ts'
import type { Incoming, RouteReply, Target } from './incoming.ts'
import type { FoundRoute, Match, MatchedRequest, Route } from './routes.ts'

/** Every route below the REST root, in the namespace and beside it. */
export interface RouteTable {
  site: Site
  namespace: readonly Route[]
  prefix: string
  find: (path: string) => Match | undefined
  formats: readonly Format[]
  beside: RoutesBeside
}

export interface RoutesBeside {
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

export function findRoute({ prefix, find, beside }: RouteTable, path: string): FoundRoute | undefined {
  const isBelow = path.startsWith(prefix) || path.toLowerCase().startsWith(prefix)
  return (isBelow ? find(path.slice(prefix.length)) : undefined) ?? beside.find(path)
}
