import { createHash } from 'node:crypto'
import type { Config, Site } from '../base/config.ts'
import { diskProblem, Problem } from '../base/problems.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { RawValues } from '../calendar/declare/parse.ts'
import type { UnderWay } from '../calendar/editing/idempotency.ts'
import { withImages } from '../calendar/images/images.ts'
import { problemAnswer } from '../calendar/locales/problem-answers.ts'
import { translatorFor } from '../calendar/locales/translate.ts'
import type { OnRefused } from '../calendar/people/authenticate.ts'
import { anonymous, type Caller, isLoggedIn, mayChangeAll } from '../calendar/people/caller.ts'
import type { ImageService } from '../store/media/media-store.ts'
import { catchUp, type EventMemory } from '../store/memory/event-memory.ts'
import type { Database } from '../store/storage/database.ts'
import type { Writer } from '../store/storage/recording.ts'
import { DatabaseUnavailable, type Lack, lackBehind } from '../store/storage/unavailable.ts'
import { admitted, isFull, overloaded, type QueueName } from './admission.ts'
import { VARY_WITH_ACCEPT } from './answer-headers.ts'
import { answerBatch } from './batch.ts'
import type { Entrance } from './entrance.ts'
import type { Answer } from './format.ts'
import { allowedMethods, answerRequest, describeRoute, mayAsk, recordAddressOf } from './handlers.ts'
import {
  type AnswerRoute,
  type Body,
  declaredValues,
  type IncomingRequest,
  LONGEST_URL,
  mediaType,
  NO_BODY,
  type ParsedRequest,
  parseBody,
  parseForm,
  repeatedKeys,
  type SignIn,
} from './incoming.ts'
import { wantsEnvelope, withFieldsAndEnvelope } from './json.ts'
import { countFurther } from './rate-limit.ts'
import { findRoute, type RouteTable } from './route-table.ts'
import {
  type Endpoint,
  isForAdministrators,
  type MatchedRequest,
  type MatchedRoute,
  type RouteAction,
  routeName,
} from './routes.ts'
import { isCrowded } from './slow-readers.ts'

export interface Service {
  site: Site
  database: Database
  edition: string
  images: ImageService
  /** As configured at the start; owners may change some settings. */
  start: Config
  memory: EventMemory
  /** @throws Problem for wrong credentials */
  authenticate: (header: string | undefined, address: string, now: number) => Promise<Caller>
  refused: OnRefused
  /** In ms since the epoch. */
  now: () => number
  report: (error: unknown, requestId?: string) => void
  /** Resolves once the operator has been told of the start; the service is not ready before. */
  announced?: Promise<void>
}

function parseRequest(incoming: IncomingRequest): ParsedRequest {
  const { text, query: sent } = incoming.url
  if (text.length > LONGEST_URL) throw new Problem('rest_uri_too_long')
  const query = sent === '' ? {} : parseForm(sent)
  return { ...incoming, method: overriddenMethod(incoming, query), query }
}

/** Only a POST takes `_method` and `X-HTTP-Method-Override` (rule 1.6). */
function overriddenMethod(incoming: IncomingRequest, query: RawValues): string {
  if (incoming.method !== 'POST') return incoming.method
  const override = query._method ?? incoming.headers['x-http-method-override']
  return typeof override === 'string' && override !== '' ? override.toUpperCase() : incoming.method
}

/** Answers a request. Never throws: every failure becomes an answer. */
export type Responder = (incoming: IncomingRequest, signIn: SignIn) => Promise<Answer>

export function byHeader({ authenticate, now }: Service): SignIn {
  return ({ headers, address }) => authenticate(headers.authorization, address, now())
}

export const signInAsStranger: SignIn = () => anonymous

interface Answering extends Pick<Entrance, 'admission' | 'rateLimit' | 'readers'> {
  service: Service
  routes: RouteTable
  underWay: UnderWay
}

export function makeResponder(
  service: Service,
  routes: RouteTable,
  { admission, rateLimit, readers }: Pick<Entrance, 'admission' | 'rateLimit' | 'readers'>,
): Responder {
  const answering: Answering = { service, routes, admission, rateLimit, readers, underWay: new Map() }
  return (incoming, signIn) => {
    let caller = anonymous
    return settle(
      service,
      incoming,
      () => caller,
      (parsed) => {
        const answer = (known: Caller) => {
          caller = known
          if (isLoggedIn(caller)) incoming.user = caller.login
          return dispatch(answering, parsed, contextOf(service, caller, service.now(), incoming))
        }
        const signedIn = signIn(incoming)
        return signedIn instanceof Promise ? signedIn.then(answer) : answer(signedIn)
      },
    )
  }
}

async function settle(
  service: Service,
  incoming: IncomingRequest,
  callerOf: () => Caller,
  answer: (parsed: ParsedRequest) => Promise<Answer>,
): Promise<Answer> {
  let parsed: ParsedRequest | undefined
  try {
    parsed = parseRequest(incoming)
    const made = withFieldsAndEnvelope(await answer(parsed), parsed.query)
    return made instanceof Promise ? await made : made
  } catch (error) {
    return withFieldsAndEnvelope(
      failureAnswer(error, service, isLoggedIn(callerOf()), incoming.requestId),
      parsed?.query ?? {},
    )
  }
}

function dispatch(answering: Answering, parsed: ParsedRequest, context: Context): Promise<Answer> {
  const { routes } = answering
  const found = parsed.found ?? findRoute(routes, parsed.url.path)
  if (!found) return unmatched(parsed)
  const answerTo: AnswerRoute = (to, request, by, work) => answerRoute(answering, to, request, by, work)
  const { group } = found
  if (group)
    return routes.beside.answer({ ...found, group }, parsed, context, answerTo, (request) =>
      answerOwn(answering, request, parsed, context),
    )
  const described = { routes: routes.namespace, beside: routes.beside.own }
  return answerTo(found, parsed, context, (request) => answerRequest(request, described, context))
}

async function answerRoute(
  answering: Answering,
  matched: MatchedRoute,
  parsed: ParsedRequest,
  context: Context,
  work: Parameters<AnswerRoute>[3],
): Promise<Answer> {
  const route = routeName(context.site.namespace, matched.route.template)
  const method = parsed.method === 'HEAD' ? 'GET' : parsed.method
  if (method === 'OPTIONS') {
    const headers = { Allow: await allowHeader(matched, context), 'Access-Control-Max-Age': '86400' }
    return { status: 200, headers, body: describeRoute(matched.route, context), route }
  }
  const endpoint = endpointFor(matched, method)
  if (!endpoint) throw new Problem('rest_no_route')
  let answer: Answer
  try {
    answer = await answerInTurn(answering, matched, endpoint, parsed, context, work)
  } catch (error) {
    // `Allow` cannot be found without the database, and an overloaded service looks nothing up.
    if (error instanceof DatabaseUnavailable || isOverload(error)) throw error
    answer = failureAnswer(error, answering.service, isLoggedIn(context.caller), parsed.requestId)
  }
  const allow = allowAfter(method, matched, context)
  const Allow = allow instanceof Promise ? await allow : allow
  return asPreferred(
    { ...answer, headers: { ...answer.headers, ...varyHeader(endpoint), Allow }, route },
    endpoint.action,
    parsed.headers.prefer,
    parsed.query,
    context.site.base,
  )
}

function endpointFor({ route }: MatchedRoute, method: string): Endpoint | undefined {
  return route.endpoints.find(({ methods }) => methods.some((known) => known === method))
}

const WRITES: ReadonlySet<QueueName | 'batches'> = new Set(['writes', 'uploads', 'batches'])

/**
 * Runs `work` in its turn. Parsing takes time, too, so it waits as well. A batch has a place only while it is
 * parsed; its requests wait for places later.
 */
async function answerInTurn(
  { admission, readers, underWay }: Answering,
  { route, variables }: MatchedRoute,
  endpoint: Endpoint,
  parsed: ParsedRequest,
  context: Context,
  work: Parameters<AnswerRoute>[3],
): Promise<Answer> {
  const kind = workOf(endpoint, parsed, context)
  const isWrite = WRITES.has(kind)
  if (!parsed.hasTurn) {
    if (isFull(admission, kind === 'batches' ? 'writes' : kind, parsed.address)) throw overloaded()
    // The answer to a write is held in any case, so a write is refused while answers have no room.
    if (isWrite && isCrowded(readers)) throw overloaded()
  }
  const isRead = parsed.method === 'GET' || parsed.method === 'HEAD'
  const body = isRead ? NO_BODY : await readBody(parsed, endpoint, context)
  const parse = () => ({ route, endpoint, variables, ...sentWith(parsed, body, context.site), underWay })
  if (parsed.hasTurn) return work(parse(), body)
  if (kind === 'batches') return work(await admitted(admission, 'writes', parsed, async () => parse()), body)
  return await admitted(admission, kind, parsed, () => {
    const request = parse()
    return isWrite ? withImages(context, () => work(request, body)) : work(request, body)
  })
}

const NO_ROUTES = { routes: [], beside: [] }

async function answerOwn(
  answering: Answering,
  request: MatchedRequest,
  incoming: IncomingRequest,
  context: Context,
): Promise<Answer> {
  const { service, admission, rateLimit } = answering
  const { action } = request.endpoint
  if ('operation' in action) {
    if (isForAdministrators(action) && !mayAsk(action, context, undefined))
      throw new Problem('rest_forbidden')
    return action.operation.answer(request, service, context)
  }
  if (action.do !== 'batch') return answerRequest(request, NO_ROUTES, context)
  return answerBatch(request, incoming, context, {
    admission,
    count: (requests) => rateLimit && countFurther(rateLimit, incoming.address, requests),
    answerItem: (item, own) => answerBatched(answering, item, own),
  })
}

function answerBatched(answering: Answering, item: IncomingRequest, context: Context): Promise<Answer> {
  return settle(
    answering.service,
    item,
    () => context.caller,
    async (parsed) => {
      const matched = findRoute(answering.routes, item.url.path)
      const endpoint = matched && endpointFor(matched, parsed.method)
      if (!endpoint) throw new Problem('rest_no_route')
      if (!endpoint.batched) throw new Problem('rest_batch_not_allowed')
      return dispatch(answering, parsed, context)
    },
  )
}

function workOf(
  { action, args }: Endpoint,
  { query }: ParsedRequest,
  { memory }: Context,
): QueueName | 'batches' {
  if (action.do === 'batch') return 'batches'
  if ('operation' in action) return action.operation.queue
  if (action.do === 'create' || action.do === 'update' || action.do === 'remove')
    return 'file' in args && action.do === 'create' ? 'uploads' : 'writes'
  const isSearch = query.search !== undefined || query.words !== undefined
  if (action.do !== 'list') return 'reads'
  if (isSearch) return 'searches'
  return memory?.index && action.served.operations.loadJson ? 'lists' : 'reads'
}

function isOverload(error: unknown): boolean {
  return error instanceof Problem && error.code === 'rest_unavailable'
}

/** From callers who may not write, reads only what reporting invalid parameters needs. */
async function readBody(
  incoming: IncomingRequest,
  { action, args }: Endpoint,
  context: Context,
): Promise<Body> {
  const isTrusted = isLoggedIn(context.caller) && mayAsk(action, context, undefined)
  const takesFile = action.do === 'create' && 'file' in args
  const most = 'operation' in action ? action.operation.mostBytes : undefined
  if (isTrusted) return incoming.readBody({ isTrusted, takesFile, ...(most !== undefined && { most }) })
  if (takesFile || isForAdministrators(action)) throw new Problem('rest_forbidden')
  try {
    return await incoming.readBody({ isTrusted, takesFile })
  } catch (error) {
    throw error instanceof Problem && error.code === 'rest_request_too_large'
      ? new Problem('rest_forbidden')
      : error
  }
}

export function anonymousContext(service: Service, now: number): Context & { memory: EventMemory } {
  return contextWith(service, anonymous, now, service.database.read, service.memory)
}

function contextOf(service: Service, caller: Caller, now: number, incoming: IncomingRequest): Context {
  const { database, memory } = service
  return isLoggedIn(caller)
    ? callerContext(service, caller, now, incoming)
    : contextWith(service, caller, now, database.read, memory, incoming)
}

export function callerContext(
  service: Service,
  caller: Caller,
  now: number,
  incoming: IncomingRequest,
): Context {
  return contextWith(service, caller, now, service.database.read, undefined, incoming)
}

/** `listed` is the memory that answers public lists. */
function contextWith<Memory extends EventMemory | undefined>(
  { database, site, images, memory, report }: Service,
  caller: Caller,
  now: number,
  db: Context['db'],
  listed: Memory,
  incoming?: IncomingRequest,
): Context & { memory: Memory } {
  // Once a client has the answer to a write, every later answer of this process contains that write.
  const seen = async <T>(writing: Promise<T>): Promise<T> => {
    const result = await writing
    // After a failure the memory is behind, and reads go to the database.
    await catchUp(memory).catch(report)
    return result
  }
  const write: Context['write'] = (work) => seen(database.write(work, writerOf(caller, incoming)))
  const writeShared: Context['writeShared'] = (work, item) =>
    seen(database.writeShared(work, item, writerOf(caller, incoming)))
  const { readInLane, findMatching } = database
  return {
    db,
    readInLane,
    write,
    writeShared,
    findMatching,
    memory: listed,
    images,
    say: translatorFor(site),
    report,
    site,
    caller,
    now,
  }
}

function writerOf({ id: user, login }: Caller, incoming: IncomingRequest | undefined): Writer {
  const { address = '', requestId: request = '', headers = {} } = incoming ?? {}
  return { user, login, address, request, client: headers['user-agent'] ?? '' }
}

function parametersOf({ headers }: IncomingRequest, { bytes, form }: Body): RawValues {
  if (form) return form.fields
  return bytes.length === 0 ? {} : parseBody(mediaType(headers), bytes)
}

function sentWith(
  parsed: ParsedRequest,
  body: Body,
  site: Site,
): Pick<MatchedRequest, 'values' | 'accept' | 'ifMatch' | 'self' | 'repeatable'> {
  const parameters = parametersOf(parsed, body)
  const repeated = () => repeatedIn(parsed, body)
  return {
    values: (fields) => declaredValues(fields, parameters, parsed.query, repeated),
    accept: parsed.headers.accept,
    ifMatch: parsed.headers['if-match'],
    self: site.url + parsed.url.text,
    repeatable: parsed.repeatable ?? {
      key: idempotencyKey(parsed),
      fingerprint: () => fingerprintOf(parsed, body),
    },
  }
}

function idempotencyKey({ headers }: IncomingRequest): string | undefined {
  const key = headers['idempotency-key']
  return key === undefined ? undefined : String(key)
}

function repeatedIn({ headers, url: { query } }: IncomingRequest, { bytes, form }: Body): Set<string> {
  const isForm = mediaType(headers) === 'application/x-www-form-urlencoded'
  const inBody = form?.repeated ?? (isForm ? repeatedKeys(bytes.toString('utf8')) : [])
  return query === '' ? new Set(inBody) : new Set([...repeatedKeys(query), ...inBody])
}

function varyHeader({ action }: Endpoint): Record<string, string> {
  return action.do === 'list' && action.formats.length > 1 ? { Vary: VARY_WITH_ACCEPT } : {}
}

const ofStrangers = new WeakMap<MatchedRoute['route'], string>()

function allowHeader(matched: MatchedRoute, context: Context): string | Promise<string> {
  if (isLoggedIn(context.caller)) return allowedTo(matched, context)
  const { route } = matched
  const known = ofStrangers.get(route) ?? allowedMethods({ route, row: undefined }, context).join(', ')
  ofStrangers.set(route, known)
  return known
}

/** Returns the methods for `Allow`; fewer if the database has gone, so that the write is still answered. */
function allowAfter(method: string, matched: MatchedRoute, context: Context): string | Promise<string> {
  const allow = allowHeader(matched, context)
  if (method === 'GET' || !(allow instanceof Promise)) return allow
  return allow.catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailable)) throw error
    return allowedMethods({ route: matched.route, row: undefined }, context).join(', ')
  })
}

async function allowedTo({ route, variables }: MatchedRoute, context: Context): Promise<string> {
  const operations = route.endpoints.flatMap(({ action }) =>
    'by' in action ? [action.served.operations] : [],
  )[0]
  const address = recordAddressOf(variables)
  const { caller } = context
  const row =
    operations && address && !mayChangeAll(caller) ? await operations.locate(context, address) : undefined
  return allowedMethods({ route, row }, context).join(', ')
}

/** OPTIONS gets an empty answer (rule 3.6). @throws Problem rest_no_route for any other method */
async function unmatched({ method }: ParsedRequest): Promise<Answer> {
  if (method === 'OPTIONS') return { status: 200, headers: { 'Access-Control-Max-Age': '86400' }, body: [] }
  throw new Problem('rest_no_route')
}

/** Makes an answer of an error; reports the error unless it is a Problem. */
export function failureAnswer(
  error: unknown,
  service: Service,
  loggedIn: boolean,
  requestId: string,
): Answer {
  const problem = asProblem(error)
  if (problem !== error) noteFailure(error, service, requestId)
  const { status, body } = problemAnswer(problem, service.site.language, loggedIn)
  const retry = problem.details.retryAfter
  const headers: Record<string, string> = retry === undefined ? {} : { 'Retry-After': String(retry) }
  return error === overloaded() ? { status, headers, body, isRefused: true } : { status, headers, body }
}

/** An unavailable, full or read-only database has codes of its own; other errors are rest_internal_error. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const lack = lackBehind(error)
  return lack === undefined ? new Problem('rest_internal_error') : lackingProblem(lack)
}

function lackingProblem(lack: Lack): Problem {
  if (lack === 'answer') return new Problem('rest_unavailable', { retryAfter: 1 })
  return diskProblem(lack === 'space' ? 'rest_insufficient_storage' : 'rest_read_only')
}

const OUTAGE_EVERY = 1000
let outageNoted = Number.NEGATIVE_INFINITY

/** An outage is reported at most once a second, since it affects every request. */
export function noteFailure(error: unknown, service: Service, requestId: string): void {
  if (error instanceof DatabaseUnavailable) {
    if (performance.now() - outageNoted < OUTAGE_EVERY) return
    outageNoted = performance.now()
  }
  service.report(error, requestId)
}

/** Returns a hash of method, URL and body; of a multipart form, hashes fields and files: boundaries vary. */
async function fingerprintOf(
  { method, url, headers }: IncomingRequest,
  { bytes, form, file }: Body,
): Promise<string> {
  const files = form?.files ?? (file ? [file] : [])
  const parts = [method, url.text, mediaType(headers), JSON.stringify(form?.fields ?? {}), digest(bytes)]
  for (const { fileName, mimeType, read } of files) parts.push(fileName, mimeType, digest(await read()))
  return digest(JSON.stringify(parts))
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url')
}

const MINIMAL = 'return=minimal'

/**
 * `return=minimal` (RFC 7240) drops the body; `Location` leads to the created or changed record. An envelope
 * stays, since it has the status.
 */
function asPreferred(
  answer: Answer,
  action: RouteAction,
  prefer: string | string[] | undefined,
  query: RawValues,
  base: string,
): Answer {
  const isMade = action.do === 'create' || (action.do === 'own' && action.operation.creates)
  const mayBeMinimal = (isMade || action.do === 'update') && answer.status < 300
  if (!mayBeMinimal || prefer === undefined || wantsEnvelope(query) || !wantsMinimal(String(prefer)))
    return answer
  const place = 'served' in action ? { Location: `${base}/${action.served.resource.path}/${answer.id}` } : {}
  const headers = { ...place, ...answer.headers, 'Preference-Applied': MINIMAL }
  return { ...answer, headers, body: undefined, representation: { format: 'none', bytes: Buffer.alloc(0) } }
}

function wantsMinimal(prefer: string): boolean {
  const preferences = prefer
    .split(',')
    .map((entry) => entry.split(';', 1)[0]?.replaceAll(/[\s"]/g, '').toLowerCase())
  return preferences.find((preference) => preference?.startsWith('return=')) === MINIMAL
}
