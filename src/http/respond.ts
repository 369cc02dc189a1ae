import type { IncomingHttpHeaders } from 'node:http'
import { type ImageService, withImages } from '../common/images.ts'
import type { Site } from '../config.ts'
import type { Asking } from '../declare/asking.ts'
import { isTruthy } from '../declare/kinds.ts'
import type { RawValues } from '../declare/parse.ts'
import type { Fields } from '../declare/resource.ts'
import type { EventMemory } from '../events/event-memory.ts'
import { anonymous, type Caller, isLoggedIn } from '../people/caller.ts'
import { Problem } from '../problems.ts'
import type { Database } from '../storage/database.ts'
import { DatabaseUnavailable } from '../storage/unavailable.ts'
import { allowedMethods } from './access.ts'
import { describeRoute } from './discovery.ts'
import { type Asked, addressOf, answer } from './handlers.ts'
import { platformReply } from './platform.ts'
import { problemReply } from './problem-replies.ts'
import { envelope, fieldPaths, keepFields, type Reply } from './reply.ts'
import { declaredValues, mediaType, parseBody, parseForm, repeatedKeys } from './request.ts'
import { type Match, namespaceRoutes, routeFinder } from './routes.ts'

/** What answering needs for as long as the service runs. */
export interface Service {
  site: Site
  database: Database
  /** Which history of the calendar this is, for entity tags. */
  edition: string
  images: ImageService
  /** What this process remembers of the calendar. */
  memory: EventMemory
  /** Who sends this Authorization header from this address. @throws Problem for credentials that are wrong */
  authenticate: (header: string | undefined, address: string, now: number) => Promise<Caller>
  /** Milliseconds since the epoch. */
  now: () => number
  /** Notes an error that is nobody's fault but ours. */
  report: (error: unknown) => void
}

/** A file that came with a multipart form. */
export interface Upload {
  fileName: string
  mimeType: string
  bytes: Buffer
}

/** A request once its body has arrived. */
export interface Incoming {
  method: string
  /** Path and query as sent. */
  url: string
  headers: IncomingHttpHeaders
  /** Address of the client. */
  address: string
  body: Buffer
  /** The fields, the keys that stand more than once, and the files of a multipart form, which replaces `body`. */
  form?: { fields: RawValues; repeated: Set<string>; files: Upload[] }
}

/** The path and query of a request, its method after overrides, and what every route knows (contract 9.3). */
export interface Target {
  method: string
  path: string
  query: RawValues
  queryText: string
}

/** Answers a matched request: OPTIONS by itself, any other method with what `work` makes of it, and the methods open to the caller. */
export type RouteReply = (
  matched: Match,
  incoming: Incoming,
  target: Target,
  asking: Asking,
  work: (asked: Asked) => Promise<Reply>,
) => Promise<Reply>

/** Longer addresses are refused. */
export const LONGEST_URL = 8000

function targetOf(incoming: Incoming): Target {
  if (incoming.url.length > LONGEST_URL) throw new Problem('rest_uri_too_long')
  const mark = incoming.url.indexOf('?')
  const path = mark === -1 ? incoming.url : incoming.url.slice(0, mark)
  const queryText = mark === -1 ? '' : incoming.url.slice(mark + 1)
  const query = queryText === '' ? {} : parseForm(queryText)
  return { method: overriddenMethod(incoming, query), path, query, queryText }
}

/** `_method` and `X-HTTP-Method-Override` stand in for the method of a POST, and of a POST alone (defect 17). */
function overriddenMethod(incoming: Incoming, query: RawValues): string {
  if (incoming.method !== 'POST') return incoming.method
  const override = query._method ?? incoming.headers['x-http-method-override']
  return typeof override === 'string' && override !== '' ? override.toUpperCase() : incoming.method
}

/** Answers any request below the REST root; what goes wrong is an answer too. */
export type Responder = (incoming: Incoming) => Promise<Reply>

/** A function that answers every request below the REST root. */
export function makeResponder(service: Service): Responder {
  const { site } = service
  const routes = namespaceRoutes(site)
  const findRoute = routeFinder(routes)
  const prefix = `${site.restRoot}/${site.namespace}`.toLowerCase()

  const match = (path: string): Match | undefined =>
    path.toLowerCase().startsWith(prefix) ? findRoute(path.slice(prefix.length)) : undefined

  return async (incoming) => {
    let caller = anonymous
    let target: Target | undefined
    try {
      target = targetOf(incoming)
      caller = await service.authenticate(incoming.headers.authorization, incoming.address, service.now())
      const asking = askingOf(service, caller, service.now())
      const matched = match(target.path)
      const reply = matched
        ? await routeReply(matched, incoming, target, asking, (asked) => answer(asked, routes, asking))
        : ((await platformReply(routes, incoming, target, asking, routeReply)) ?? unmatched(target, asking))
      return dressed(reply, target.query)
    } catch (error) {
      return dressed(failure(error, service, isLoggedIn(caller)), target?.query ?? {})
    }
  }

  async function routeReply(...[matched, incoming, target, asking, work]: Parameters<RouteReply>): Promise<Reply> {
    const { route, variables } = matched
    const method = target.method === 'HEAD' ? 'GET' : target.method
    if (method === 'OPTIONS') {
      const headers = { Allow: await allowHeader(matched, asking), 'Access-Control-Max-Age': '86400' }
      return { status: 200, headers, body: describeRoute(route, asking) }
    }
    const endpoint = route.endpoints.find(({ methods }) => methods.some((known) => known === method))
    if (!endpoint) throw new Problem('rest_no_route')
    const reply = await attempt(async () => {
      const body = bodyOf(incoming)
      const repeated = repeatedIn(incoming, target)
      const values = (fields: Fields) => declaredValues(fields, body, target.query, repeated)
      return withImages(asking, () => work({ route, endpoint, variables, values }))
    }, asking)
    return { ...reply, headers: { ...reply.headers, Allow: await allowHeader(matched, asking) } }
  }

  async function attempt(work: () => Promise<Reply>, asking: Asking): Promise<Reply> {
    try {
      return await work()
    } catch (error) {
      // Without a database there is nothing to say of the methods that are allowed either.
      if (error instanceof DatabaseUnavailable) throw error
      return failure(error, service, isLoggedIn(asking.caller))
    }
  }
}

/** What answers a request of anybody at all. */
export function anonymousAsking(service: Service, now: number): Asking {
  return askingOf(service, anonymous, now)
}

function askingOf(service: Service, caller: Caller, now: number): Asking {
  const { database, site, images, memory } = service
  const write: Asking['write'] = async (work) => {
    const result = await database.write(work)
    // Whoever hears of the write sees it in whatever they ask next.
    await memory.catchUp()
    return result
  }
  const db = isLoggedIn(caller) ? database.read : database.readPublic()
  return { db, write, findMatching: database.findMatching, images, site, caller, now }
}

/** Parameters of a body; nobody reads the body of a GET. */
function bodyOf(incoming: Incoming): RawValues {
  if (incoming.form) return incoming.form.fields
  return incoming.method === 'GET' || incoming.method === 'HEAD'
    ? {}
    : parseBody(mediaType(incoming.headers), incoming.body)
}

function repeatedIn(incoming: Incoming, target: Target): Set<string> {
  const isForm = mediaType(incoming.headers) === 'application/x-www-form-urlencoded'
  const inBody = incoming.form?.repeated ?? (isForm ? repeatedKeys(incoming.body.toString('utf8')) : [])
  return target.queryText === '' ? new Set(inBody) : new Set([...repeatedKeys(target.queryText), ...inBody])
}

async function allowHeader({ route, variables }: Match, asking: Asking): Promise<string> {
  const operations = route.endpoints.flatMap(({ action }) => ('by' in action ? [action.served.operations] : []))[0]
  const address = addressOf(variables)
  const row = operations && address && isLoggedIn(asking.caller) ? await operations.find(asking, address) : undefined
  return allowedMethods({ route, row }, asking).join(', ')
}

/** OPTIONS on a path that is not there is answered with nothing (contract 9.4). */
function unmatched(target: Target, _asking: Asking): Reply {
  if (target.method === 'OPTIONS') return { status: 200, headers: { 'Access-Control-Max-Age': '86400' }, body: [] }
  throw new Problem('rest_no_route')
}

function failure(error: unknown, service: Service, loggedIn: boolean): Reply {
  const problem = asProblem(error)
  if (problem !== error) note(error, service)
  const { status, body } = problemReply(problem, service.site.language, loggedIn)
  const retry = problem.details.retryAfter
  return { status, headers: retry === undefined ? {} : { 'Retry-After': String(retry) }, body }
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return error instanceof DatabaseUnavailable
    ? new Problem('rest_unavailable', { retryAfter: 1 })
    : new Problem('rest_internal_error')
}

/** Milliseconds between notes of an outage, which every request meets. */
const OUTAGE_EVERY = 1000
let outageNoted = Number.NEGATIVE_INFINITY

function note(error: unknown, service: Service): void {
  if (error instanceof DatabaseUnavailable) {
    if (performance.now() - outageNoted < OUTAGE_EVERY) return
    outageNoted = performance.now()
  }
  service.report(error)
}

/** Applies `_fields` to what succeeded, and the envelope to whatever came of it (contract 9.3). */
function dressed(reply: Reply, query: RawValues): Reply {
  const paths = fieldPaths(query._fields)
  const trimmed = paths && reply.status < 300 ? { ...reply, body: keepFields(reply.body, paths) } : reply
  return wantsEnvelope(query) ? envelope(trimmed) : trimmed
}

/** Naming `_envelope` is enough. */
function wantsEnvelope({ _envelope: asked }: RawValues): boolean {
  return asked === '' || isTruthy(asked)
}
