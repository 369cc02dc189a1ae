import { invalidParam, Problem } from '../base/problems.ts'
import { decodeLeniently } from '../base/text/urls.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { Address, FoundRecords, Operations, WriteResult } from '../calendar/declare/operations.ts'
import { clockOf, ignoredIn, parseFields, type RawValues } from '../calendar/declare/parse.ts'
import type { Field, Fields } from '../calendar/declare/resource.ts'
import { type WriteAndStore, writeOnce } from '../calendar/editing/idempotency.ts'
import { type Around, makeNew, writeChange, writeNew, writeRemoval } from '../calendar/editing/save-record.ts'
import type { Texts } from '../calendar/locales/texts.ts'
import { translate } from '../calendar/locales/translate.ts'
import { can, isLoggedIn } from '../calendar/people/caller.ts'
import {
  findVersion,
  MAX_ID,
  presentSingle,
  type Version,
  wantedVersions,
} from '../calendar/records/record-store.ts'
import type { ServedResource } from '../calendar/resources.ts'
import { chooseFormat, type Formats } from './choose-format.ts'
import { type Answer, type Format, okAnswer } from './format.ts'
import { describeInterface } from './openapi.ts'
import {
  actionTexts,
  type Endpoint,
  isForAdministrators,
  type MatchedRequest,
  type Method,
  type Route,
  type RouteAction,
  routeName,
} from './routes.ts'

/** Describes the namespace (rule 3.2), without batches, since these belong to the platform. */
function describeNamespace(routes: readonly Route[], context: Context): object {
  const { site } = context
  const entries = routes.map((route) => [
    routeName(site.namespace, route.path),
    describeRoute(route, context, withoutBatches),
  ])
  return {
    namespace: site.namespace,
    routes: Object.fromEntries(entries),
    _links: { up: [{ href: `${site.restUrl}/` }] },
  }
}

export function describeRoute(route: Route, context: Context, batchesOf = batchesIn): object {
  const { site } = context
  const templated = route.template.includes('{')
  return {
    namespace: site.namespace,
    methods: route.endpoints.flatMap((endpoint) => endpoint.methods),
    endpoints: route.endpoints.map((endpoint) => ({
      methods: endpoint.methods,
      ...batchesOf(endpoint),
      args: describeArgs(endpoint.args, context, actionTexts(endpoint.action)),
    })),
    _links: { self: [{ href: site.base + route.template, ...(templated ? { templated } : {}) }] },
  }
}

function batchesIn({ batched }: Endpoint): object {
  return batched ? { allow_batch: { v1: true } } : {}
}

const withoutBatches = () => ({})

function describeArgs(
  fields: Fields,
  context: Context,
  texts: Texts | undefined,
): Record<string, object> | [] {
  const published = Object.entries(fields).filter(([, { unlisted }]) => !unlisted)
  return published.length === 0
    ? []
    : Object.fromEntries(published.map(([name, field]) => [name, describeArg(field, context, texts)]))
}

function describeArg(field: Field, context: Context, texts: Texts | undefined): object {
  const fallback = typeof field.default === 'function' ? field.default(context) : field.default
  return {
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(field.about === ''
      ? {}
      : { description: translate(context.site.language, field.about, undefined, texts) }),
    ...field.kind.wire,
    required: field.required ?? false,
  }
}

/** Routes of the namespace, and those `beside` it, which its index leaves out. */
interface Described {
  routes: readonly Route[]
  beside: readonly Route[]
}

/** Runs the endpoint's action; reports faults in the order of rule 1.2. */
export function answerRequest(
  request: MatchedRequest,
  { routes, beside }: Described,
  context: Context,
): Answer | Promise<Answer> {
  const { action } = request.endpoint
  switch (action.do) {
    case 'index':
      return answerIndex(request, routes, context)
    case 'doc':
      return okAnswer(describeInterface(routes, beside, context))
    case 'list':
      return answerList(request, action.served, action.formats, context)
    case 'create': {
      const isAllowed = mayAsk(action, context, undefined)
      return writeOnce(
        repeated(request, action.served, context),
        isLoggedIn(context.caller) && isAllowed,
        context,
        (storing, isStored) =>
          answerCreate(
            request,
            action.served,
            isAllowed,
            context,
            isStored || context.answerBudget ? storing : undefined,
          ),
      )
    }
    case 'read':
      return answerRead(request, action.served, context)
    case 'update':
    case 'remove': {
      const isAllowed = isLoggedIn(context.caller) && mayAsk(action, context, undefined)
      const change = action.do === 'update' ? answerUpdate : answerRemove
      return writeOnce(
        onceInBatch(repeated(request, action.served, context)),
        isAllowed,
        context,
        (storing) => change(request, action.served, isAllowed, context, storing),
      )
    }
    default:
      // No route of the namespace has another action.
      throw new Problem('rest_no_route')
  }
}

async function answerRead(
  request: MatchedRequest,
  { operations }: ServedResource,
  context: Context,
): Promise<Answer> {
  const address = recordAddressOf(request.variables)
  const read = address && operations.readSingle && (await operations.readSingle(context, address))
  if (read) return { ...okAnswer(read.record), version: read.version }
  const version = await versionBefore(request, operations, context)
  const loaded = await operations.loadOne(context, await located(request, operations, context))
  return { ...okAnswer(await presentSingle(context, operations.presentation, loaded)), version }
}

/**
 * Finds the record's version. Call it before the record is read, so that the version is never newer than the
 * record.
 */
async function versionBefore(
  request: MatchedRequest,
  operations: Operations,
  context: Context,
): Promise<Version | undefined> {
  const { versioned } = operations
  const address = recordAddressOf(request.variables)
  if (!versioned || !address) return undefined
  const id = 'id' in address ? address.id : versioned.idOf(await located(request, operations, context))
  return id > MAX_ID ? undefined : findVersion(context.db, versioned.kind, id)
}

/** Adds `render`, which shows the record of a repeated request whose first answer was too large to store. */
function repeated<Sent extends object>(request: Sent, { operations }: ServedResource, context: Context) {
  const render = async (id: number) => {
    const row = await operations.locate(context, { id })
    if (row === undefined) return undefined
    try {
      return await presentSingle(context, operations.presentation, await operations.loadOne(context, row))
    } catch (error) {
      if (error instanceof Problem) return undefined
      throw error
    }
  }
  return { ...request, render }
}

/** Drops the idempotency key outside batches: running an update or removal again changes nothing more. */
function onceInBatch<Sent extends Pick<MatchedRequest, 'repeatable'>>(sent: Sent): Sent {
  const { repeatable } = sent
  return repeatable.place === undefined ? { ...sent, repeatable: { ...repeatable, key: undefined } } : sent
}

async function answerCreate(
  request: MatchedRequest,
  { resource, operations }: ServedResource,
  isAllowed: boolean,
  context: Context,
  storing: WriteAndStore | undefined,
): Promise<Answer> {
  const { args } = request.endpoint
  const raw = request.values(args)
  const created = ({ id, answer }: WriteResult): Answer => {
    const headers = { Location: `${context.site.base}/${resource.path}/${id}`, ...ignoredHeader(args, raw) }
    return { status: 201, headers, body: answer, id }
  }
  const sent = { fields: args, raw, isAllowed }
  if (!storing) return created(await makeNew(context, operations, sent))
  return writeNew(context, operations, sent, (tx, write) => storing(tx, async () => created(await write())))
}

type AnswerChange = (
  request: MatchedRequest,
  served: ServedResource,
  isAllowed: boolean,
  context: Context,
  storing: WriteAndStore,
) => Promise<Answer>

const answerUpdate: AnswerChange = async (request, { operations }, isAllowed, context, storing) => {
  const { args, fields = args } = request.endpoint
  const parsing = { extent: 'partial', mayAsk: isAllowed } as const
  const raw = request.values(fields)
  const values = await withAddress(request, async () => parseFields(fields, raw, context, parsing), context)
  const row = await permitted(request, operations, context)
  return writeChange(
    context,
    operations,
    { row, values },
    wantedOf(request),
    changed(storing, ignoredHeader(fields, raw)),
  )
}

const answerRemove: AnswerChange = async (
  request,
  { resource, operations },
  _isAllowed,
  context,
  storing,
) => {
  const fields = resource.removal ?? NONE
  const values = await withAddress(
    request,
    async () => parseFields(fields, request.values(fields), context),
    context,
  )
  const row = await permitted(request, operations, context)
  return writeRemoval(context, operations, { row, values }, wantedOf(request), changed(storing))
}

export const wantedOf = ({ ifMatch }: MatchedRequest) =>
  ifMatch === undefined ? 'any' : wantedVersions(ifMatch)

function changed(storing: WriteAndStore, headers: Record<string, string> = {}): Around<Answer> {
  return (tx, write) =>
    storing(tx, async () => {
      const { id, answer } = await write()
      return { status: 200, headers, body: answer, id }
    })
}

function ignoredHeader(fields: Fields, raw: RawValues): Record<string, string> {
  const names = ignoredIn(fields, raw)
  return names.length === 0 ? {} : { 'X-Kalends-Ignored': names.join(', ') }
}

async function answerList(
  request: MatchedRequest,
  served: ServedResource,
  formats: Formats,
  context: Context,
): Promise<Answer> {
  const { args } = request.endpoint
  const raw = request.values(args)
  const format = chooseFormat(formats, raw.format, request.accept)
  if (format.byAccept === 'redirect' && raw.format === undefined) return redirectTo(format, request.self)
  const parsed = parseFields(args, format.withDefaults?.(context, raw) ?? raw, context)
  const { format: _named, ...query } = parsed instanceof Promise ? await parsed : parsed
  const clock = clockOf(args, raw)
  if (format.extent === 'page') {
    const finding = served.operations.find(context, query)
    const found = finding instanceof Promise ? await finding : finding
    if (isPastEnd(found) && found.pastEnd) throw new Problem(found.pastEnd)
    const showing = format.showList(context, served, found, request.self)
    const shown = showing instanceof Promise ? await showing : showing
    return { ...shown, clock, isFromMemory: found.isIndexed === true }
  }
  for (const name of ['page', 'per_page']) if (raw[name] !== undefined) throw invalidParam(name)
  const { findAll } = served.operations
  if (!findAll) throw new Error(`the list of ${served.resource.path} has no form without pages`)
  return { ...(await format.showList(context, served, await findAll(context, query), request.self)), clock }
}

/** Redirects, so that shared caches do not mix up formats. */
function redirectTo({ name }: Format, self: string): Answer {
  const location = `${self}${self.includes('?') ? '&' : '?'}format=${name}`
  return { status: 303, headers: { Location: location }, body: { location } }
}

function isPastEnd({ page, perPage, total, ids }: FoundRecords): boolean {
  return page > 1 && ids.length === 0 && (page - 1) * perPage >= total
}

function answerIndex(request: MatchedRequest, routes: readonly Route[], context: Context): Answer {
  const { namespace = context.site.namespace } = request.values(request.endpoint.args)
  if (namespace !== context.site.namespace) throw new Problem('rest_invalid_namespace')
  return okAnswer(describeNamespace(routes, context))
}

/** Returns the id or slug in the path; body and query string cannot override it (rule 1.4). */
export function recordAddressOf(variables: Record<string, string>): Address | undefined {
  if (variables.id !== undefined) return { id: idIn(variables.id) }
  return variables.slug === undefined ? undefined : { slug: decodeLeniently(variables.slug) }
}

/** Returns the id; a number too large becomes one that no record has. */
export function idIn(digits: string): number {
  return Math.min(Number(digits), MAX_ID + 1)
}

const NONE: Fields = {}

async function withAddress<T>(
  request: MatchedRequest,
  parse: () => Promise<T>,
  context: Context,
): Promise<T> {
  const { checked = NONE } = request.endpoint
  const path = recordAddressOf(request.variables) ?? {}
  try {
    await parseFields(checked, { ...path }, context)
  } catch (wrongAddress) {
    if (!(wrongAddress instanceof Problem)) throw wrongAddress
    await parse().catch((wrongValues: unknown) => {
      if (!(wrongValues instanceof Problem)) throw wrongValues
      throw new Problem('rest_invalid_param', {
        params: { ...wrongAddress.details.params, ...wrongValues.details.params },
      })
    })
    throw wrongAddress
  }
  return parse()
}

async function located(request: MatchedRequest, operations: Operations, context: Context): Promise<unknown> {
  const address = recordAddressOf(request.variables)
  if (!address) throw new Problem('rest_no_route')
  const row = await operations.locate(context, address)
  if (row !== undefined) return row
  if ('slug' in address && isNoUpdate(request)) throw invalidParam('slug')
  throw await operations.missing(context, address)
}

/**
 * True for reads and removals. There an unknown slug is an invalid parameter; in an update it is a missing
 * record (rule 25.4).
 */
function isNoUpdate(request: MatchedRequest): boolean {
  return request.endpoint.action.do !== 'update'
}

export async function permitted(
  request: MatchedRequest,
  operations: Operations,
  context: Context,
): Promise<unknown> {
  const { action } = request.endpoint
  const isBySlug = 'by' in action && action.by === 'slug'
  if (isBySlug && isNoUpdate(request)) await located(request, operations, context)
  if (!isLoggedIn(context.caller) || !mayAsk(action, context, undefined)) throw new Problem('rest_forbidden')
  const row = await located(request, operations, context)
  if (!mayAsk(action, context, row)) throw new Problem('rest_forbidden')
  return row
}

interface Addressed {
  route: Route
  row: unknown
}

/**
 * True if the caller may run the action; reads are open (rule 26.2), except those for editors and
 * administrators.
 */
export function mayAsk(action: RouteAction, context: Context, row: unknown): boolean {
  if (action.do === 'create') return action.served.operations.rights.create(context)
  if ('by' in action && action.do !== 'read')
    return action.served.operations.rights[action.do === 'remove' ? 'remove' : 'update'](context, row)
  return !isForAdministrators(action) || can(context.caller, 'manage_users')
}

/** The methods listed by `Allow` (rule 28.2). */
export function allowedMethods({ route, row }: Addressed, context: Context): Method[] {
  const permits = ({ action }: Endpoint) =>
    action.do === 'read' ||
    action.do === 'list' ||
    (!('served' in action) && (!('operation' in action) || action.operation.audience === 'everybody')) ||
    (isLoggedIn(context.caller) && mayAsk(action, context, row))
  return route.endpoints.filter(permits).flatMap((endpoint) => [...endpoint.methods])
}
