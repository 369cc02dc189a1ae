import type { Site } from '../base/config.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { Answer, Format } from './format.ts'
import type { AnswerRoute, ParsedRequest } from './incoming.ts'
import type { MatchedRequest, MatchedRoute, Route } from './routes.ts'

/** Every route below the REST root, in the namespace and beside it. */
export interface RouteTable {
  site: Site
  namespace: readonly Route[]
  prefix: string
  find: (path: string) => MatchedRoute | undefined
  formats: readonly Format[]
  beside: RoutesBeside
}

export interface RoutesBeside {
  own: readonly Route[]
  find: (path: string) => MatchedRoute | undefined
  answer: (
    found: Required<MatchedRoute>,
    parsed: ParsedRequest,
    context: Context,
    answerTo: AnswerRoute,
    answerOwn: (request: MatchedRequest) => Promise<Answer>,
  ) => Promise<Answer>
}

export function findRoute({ prefix, find, beside }: RouteTable, path: string): MatchedRoute | undefined {
  const isBelow = path.startsWith(prefix) || path.toLowerCase().startsWith(prefix)
  return (isBelow ? find(path.slice(prefix.length)) : undefined) ?? beside.find(path)
}
