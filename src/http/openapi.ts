import packageJson from '../../package.json' with { type: 'json' }
import type { Language, Site } from '../base/config.ts'
import { limits } from '../base/fields/limits.ts'
import { record, type Schema, schemaRef, string } from '../base/fields/member.ts'
import { Problem, type ProblemCode } from '../base/problems.ts'
import type { Context } from '../calendar/declare/context.ts'
import { type Field, type Fields, OWN_NAMESPACE, type Resource } from '../calendar/declare/resource.ts'
import type { MessageText } from '../calendar/locales/messages.ts'
import { problemAnswer } from '../calendar/locales/problem-answers.ts'
import { translate } from '../calendar/locales/translate.ts'
import { batchRoute } from './batch.ts'
import {
  acceptedSchema,
  batchAnswerSchema,
  batchSchema,
  bodyProperties,
  fixedDefault,
  isLinkedRecord,
  isTerm,
  problemSchema,
  resourceSchemas,
  type Say,
  schemaNames,
} from './openapi-schemas.ts'
import { actionTexts, type Method, type OwnOperation, type Route, type RouteAction } from './routes.ts'

interface Offer {
  methods: readonly Method[]
  action: Described
  args: Fields
}

const descriptions: Record<
  Exclude<Described['do'], 'own'>,
  Pick<OwnOperation<string>, 'verb' | 'summary' | 'outcome'>
> = {
  doc: {
    verb: 'describe',
    summary: 'Describe this interface as an OpenAPI document',
    outcome: 'The requested data',
  },
  batch: {
    verb: 'writeMany',
    summary: 'Write many records with one request',
    outcome: 'The answers to the requests, in their order',
  },
  list: {
    verb: 'list',
    summary: 'List the matching records, page by page',
    outcome: 'One page of the matching records',
  },
  create: { verb: 'create', summary: 'Create one', outcome: 'The created record' },
  read: { verb: 'read', summary: 'Read one', outcome: 'The requested data' },
  update: {
    verb: 'update',
    summary: 'Change the sent fields and leave the rest',
    outcome: 'The changed record',
  },
  remove: { verb: 'delete', summary: 'Move one to the trash', outcome: 'The removed record' },
}

const descriptionOf = (action: Described) =>
  action.do === 'own' ? action.operation : descriptions[action.do]

const groups: Readonly<Record<string, MessageText>> = {
  doc: 'The description of this interface',
  batch: 'Many requests in one',
  events: 'Events: what takes place and when',
  venues: 'Venues: where events take place',
  organizers: 'Organizers: who holds events',
  categories: 'Categories: the tree that events are sorted into',
  tags: 'Tags: the words that events are marked with',
  series: 'Series: events that repeat, with all their dates',
}

const aboutGroup = (action: Described, say: Say) =>
  say('group' in action ? action.group.about : (groups[groupOf(action)] ?? groupOf(action)))

interface Writing {
  resources: readonly Resource[]
  language: Language
  say: Say
}

function writingOf({ resources, language }: Writing, action: Described): Writing {
  return { resources, language, say: (text) => translate(language, text, undefined, actionTexts(action)) }
}

/** Returns the OpenAPI document in the language of the site (rule 3.7). */
export function describeInterface(
  routes: readonly Route[],
  beside: readonly Route[],
  { site }: Pick<Context, 'site'>,
): object {
  const { language } = site
  const say = (text: string) => translate(language, text)
  const batch = batchRoute()
  const offers = [...routes, ...beside, batch].flatMap(offersOf)
  const described = offers.filter(({ action }) => action.do !== 'own')
  const resources = [...new Set(described.flatMap(({ action }) => resourceOf(action) ?? []))]
  const writing: Writing = { resources, language, say }
  return {
    openapi: '3.1.0',
    info: describeService(site, say),
    servers: [{ url: site.base }],
    tags: describeGroups(offers, writing),
    paths: Object.fromEntries([
      ...routes.filter((route) => offersOf(route).length > 0).map((route) => describeAt(route, writing)),
      ...beside.map((route) => describeBeside(route, writing, site)),
      describeAt(batch, writing, site.restUrl),
    ]),
    components: {
      schemas: { ...resourceSchemas(resources, say), Problem: problemSchema(problemCodes) },
      responses: describeFailures(offers, site.language),
      parameters: describeHeaderParameters(say),
      headers: describeHeaders(say),
      securitySchemes: describeCredentials(say),
    },
  }
}

function describeGroups(offers: readonly Offer[], { resources, language, say }: Writing): object[] {
  const own = new Map(
    offers.flatMap(({ action }) => ('group' in action ? [[action.group.name, action.group] as const] : [])),
  )
  const described = (name: string) => ({ name, description: say(groups[name] ?? name) })
  return [
    ...['doc', ...resources.map(({ path }) => path)].map(described),
    ...[...own]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, { about, texts }]) => ({
        name,
        description: translate(language, about, undefined, texts),
      })),
    described('batch'),
  ]
}

function describeAt(route: Route, writing: Writing, server?: string): [path: string, described: object] {
  const path = describePath(route, writing)
  return [route.template, server === undefined ? path : { servers: [{ url: server }], ...path }]
}

/**
 * Paths to versions of records begin with `OWN_NAMESPACE`; `/events/{id}/history` would be ambiguous beside
 * `/events/by-slug/{slug}`.
 */
function describeBeside(
  route: Route,
  writing: Writing,
  { restUrl }: Site,
): [path: string, described: object] {
  if (!offersOf(route).some(({ action }) => action.do === 'own' && 'served' in action))
    return describeAt(route, writing, `${restUrl}/${OWN_NAMESPACE}`)
  const [path, described] = describeAt(route, writing, restUrl)
  return [`/${OWN_NAMESPACE}${path}`, described]
}

function offersOf({ endpoints }: Route): Offer[] {
  return endpoints.flatMap(({ methods, action, args }) =>
    action.do === 'index' || action.do === 'plain' ? [] : [{ methods, action, args }],
  )
}

function resourceOf(action: Described): Resource | undefined {
  return 'served' in action ? action.served.resource : undefined
}

function describeService({ name, url }: Site, say: Say): object {
  const sentences: MessageText[] = [
    'Events, venues, organizers, categories and tags of this calendar.',
    'Every operation also takes _fields to pick members of the answer, _envelope to put status and headers \
into the body, and _pretty to indent it.',
  ]
  const { version, license } = packageJson
  return {
    title: name,
    version,
    description: sentences.map(say).join('\n\n'),
    contact: { name, url },
    license: { name: license, identifier: license },
  }
}

function describePath(route: Route, writing: Writing): object {
  const offers = offersOf(route)
  const [first] = offers
  const parameters = first
    ? Object.entries(addressFields(first, route.template)).map(([name, field]) => {
        const place = route.template.includes(`{${name}}`) ? 'path' : 'query'
        return describeParameter(name, field, place, writingOf(writing, first.action))
      })
    : []
  const operations = offers.flatMap((offer) =>
    offer.methods.map((method) => [
      method.toLowerCase(),
      describeOperation(offer, method, writingOf(writing, offer.action)),
    ]),
  )
  return { ...(parameters.length > 0 ? { parameters } : {}), ...Object.fromEntries(operations) }
}

function addressFields({ action, args }: Offer, template: string): Fields {
  if ('by' in action && action.do !== 'own') return action.served.resource.addresses[action.by] ?? {}
  return Object.fromEntries(Object.entries(args).filter(([name]) => template.includes(`{${name}}`)))
}

function filterFields({ action, args }: Offer): Fields {
  if (action.do === 'own') return action.operation.query ?? {}
  return action.do === 'list' ? args : {}
}

function describeParameter(
  name: string,
  field: Field,
  place: 'path' | 'query',
  { resources, say }: Writing,
): object {
  return {
    name,
    in: place,
    description: say(field.about),
    required: place === 'path',
    ...(field.kind.list ? { style: 'form', explode: false } : {}),
    schema: { ...acceptedSchema(name, field, resources), ...fixedDefault(field) },
  }
}

const CREDENTIALS = [{ applicationPassword: [] }, { token: [] }]

function describeOperation(offer: Offer, method: Method, writing: Writing): object {
  const { action } = offer
  const isRead = method === 'GET'
  const summary = writing.say(summaryOf(action))
  const parameters = [
    ...Object.entries(filterFields(offer)).map(([name, field]) =>
      describeParameter(name, field, 'query', writing),
    ),
    ...headersSent(action, isRead).map((name) => ({ $ref: `#/components/parameters/${identifierOf(name)}` })),
  ]
  return {
    operationId: operationId(offer, method),
    summary,
    description: `${aboutGroup(action, writing.say)}. ${summary}.`,
    tags: [groupOf(action)],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(action.do === 'create' || action.do === 'update'
      ? { requestBody: describeBody(action, writing) }
      : {}),
    ...(action.do === 'batch' ? { requestBody: describeJson(batchSchema) } : {}),
    ...(action.do === 'own' ? describeOwnBody(action.operation, writing.say) : {}),
    responses: { ...describeSuccess(action, isRead, writing.say), ...failureRefs(action) },
    security:
      isRead && (action.do !== 'own' || action.operation.audience === 'everybody')
        ? [{}, ...CREDENTIALS]
        : CREDENTIALS,
  }
}

function describeOwnBody({ body }: OwnOperation<string>, say: Say): object {
  if (!body) return {}
  const required = Object.keys(body).filter((name) => body[name]?.required)
  const schema = record(bodyProperties({ fields: body }, required, [], say), required)
  return { requestBody: { ...describeJson(schema), required: required.length > 0 } }
}

function groupOf(action: Described): string {
  return 'group' in action ? action.group.name : (resourceOf(action)?.path ?? action.do)
}

/** Names are `listEvents`, `readEventBySlug`, `updateEvent` for PATCH, `updateEventWithPut` for synonyms. */
function operationId({ action, methods }: Offer, method: Method): string {
  const synonym =
    methods.includes('PATCH') && method !== 'PATCH' ? `With${capitalized(method.toLowerCase())}` : ''
  const { verb } = descriptionOf(action)
  if (action.do === 'batch' || 'group' in action) return verb + synonym
  const resource = resourceOf(action)
  const subject =
    resource === undefined ? 'Interface' : action.do === 'list' ? capitalized(resource.path) : resource.title
  return verb + subject + ('by' in action && action.by === 'slug' ? 'BySlug' : '') + synonym
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

function summaryOf(action: Described): string {
  const isForGood = action.do === 'remove' && isTerm(action.served.resource)
  return isForGood ? 'Remove one for good' : descriptionOf(action).summary
}

function describeBody(action: Described, { resources }: Writing): object {
  const resource = resourceOf(action)
  if (!resource) return {}
  const { create, update } = schemaNames(resource)
  const schema = schemaRef(action.do === 'create' ? create : update)
  const lists = Object.entries(resource.fields).filter(([, { kind }]) => kind.list)
  const encoding = Object.fromEntries(
    lists.map(([name]) => [
      name,
      { style: isLinkedRecord(name, resources) ? 'deepObject' : 'form', explode: true },
    ]),
  )
  const form = lists.length > 0 ? { schema, encoding } : { schema }
  return {
    required: action.do === 'create',
    content: {
      'application/json': { schema },
      'application/x-www-form-urlencoded': form,
      'multipart/form-data': form,
    },
  }
}

function describeJson(schema: Schema): object {
  return { required: true, content: { 'application/json': { schema } } }
}

const creates = (action: Described) =>
  action.do === 'create' || (action.do === 'own' && action.operation.creates === true)

function describeSuccess(action: Described, isRead: boolean, say: Say): object {
  const isPaged = action.do === 'list'
  const isNew = creates(action)
  // biome-ignore lint/plugin: written here
  const headers = headerRefs(
    ...(isPaged ? (['X-TEC-Total', 'X-TEC-TotalPages'] as const) : []),
    ...(isNew ? (['Location'] as const) : []),
    ...(isNew || action.do === 'batch' ? (['Idempotency-Replayed'] as const) : []),
    ...(isNew || action.do === 'update' ? (['Preference-Applied', 'X-Kalends-Ignored'] as const) : []),
    ...(isRead ? (['ETag'] as const) : []),
  )
  const success = {
    description: say(descriptionOf(action).outcome),
    headers,
    // Generated clients would treat further media types as a choice.
    content: { 'application/json': { schema: answerSchema(action) } },
  }
  const unchanged = {
    description: say('Nothing has changed since the version that If-None-Match names'),
    headers,
  }
  return { [isNew ? 201 : action.do === 'batch' ? 207 : 200]: success, ...(isRead ? { 304: unchanged } : {}) }
}

function answerSchema(action: Described): Schema {
  if (action.do === 'own') return action.operation.answers
  if (action.do === 'batch') return batchAnswerSchema
  const resource = resourceOf(action)
  if (!resource) return { ...record({ openapi: string }), additionalProperties: true }
  const { answer, list } = schemaNames(resource)
  return schemaRef(action.do === 'list' ? list : answer)
}

const headerTexts = {
  Allow: 'The methods open to the caller',
  'Idempotency-Replayed': 'Says that the answer was given before to the same key',
  'Preference-Applied': 'The preference that was followed',
  ETag: 'The version of the answer, for If-None-Match',
  Link: 'The address of the REST root, and of the next and the previous page of a list',
  Location: 'The address of the created record',
  'Retry-After': 'Seconds to wait before trying again',
  'X-Request-Id': 'The name of the request in the log of the service',
  'X-TEC-Total': 'How many records match in all',
  'X-TEC-TotalPages': 'How many pages they fill',
  'X-Kalends-Ignored': 'The fields whose values were passed over',
} as const satisfies Record<string, MessageText>

type Header = keyof typeof headerTexts

const SURE_HEADERS: readonly string[] = ['Location', 'X-TEC-Total', 'X-TEC-TotalPages'] satisfies Header[]
const NUMBERS: readonly string[] = ['Retry-After', 'X-TEC-Total', 'X-TEC-TotalPages'] satisfies Header[]

const identifierOf = (header: string) => header.replaceAll('-', '')

function describeHeaders(say: Say): object {
  const headers = Object.entries(headerTexts).map(([name, text]) => {
    const schema = NUMBERS.includes(name) ? { type: 'integer', minimum: 0 } : { type: 'string' }
    return [identifierOf(name), { description: say(text), required: SURE_HEADERS.includes(name), schema }]
  })
  return Object.fromEntries(headers)
}

function headerRefs(...names: Header[]): object {
  const all: Header[] = [...names, 'Link', 'Allow', 'X-Request-Id']
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${identifierOf(name)}` }]))
}

const sentHeaders = {
  'If-None-Match': {
    about: 'The version of the answer that is known already, as its ETag named it',
    schema: {},
  },
  'If-Match': {
    about: 'Changes the record only if it still has the version that this ETag of it names',
    schema: {},
  },
  'Idempotency-Key': {
    about: 'For 24 hours the same request with the same key gets the same answer and creates nothing more',
    schema: { minLength: 1, maxLength: limits.idempotencyKey.characters },
  },
  Prefer: { about: 'return=minimal asks for an answer without a body', schema: {} },
} as const satisfies Record<string, { about: MessageText; schema: object }>

function headersSent(action: Described, isRead: boolean): (keyof typeof sentHeaders)[] {
  const { do: does } = action
  if (creates(action)) return ['Idempotency-Key', 'Prefer']
  if (does === 'batch') return ['Idempotency-Key']
  if (does === 'update') return ['If-Match', 'Prefer']
  if (does === 'remove' || (does === 'own' && action.operation.takesVersion)) return ['If-Match']
  return isRead ? ['If-None-Match'] : []
}

function describeHeaderParameters(say: Say): object {
  const described = Object.entries(sentHeaders).map(([name, { about, schema }]) => {
    return [
      identifierOf(name),
      { name, in: 'header', description: say(about), required: false, schema: { type: 'string', ...schema } },
    ]
  })
  return Object.fromEntries(described)
}

function describeCredentials(say: Say): object {
  return {
    applicationPassword: {
      type: 'http',
      scheme: 'basic',
      description: say('A user name or e-mail address with an application password'),
    },
    token: { type: 'http', scheme: 'bearer', description: say('An access token') },
  }
}

function failureRefs(action: Described): object {
  const refs = failuresOf(action).map((failure) => [
    failure.status,
    { $ref: `#/components/responses/${failureName(failure)}` },
  ])
  return Object.fromEntries(refs)
}

function describeFailures(offers: readonly Offer[], language: Language): object {
  const failures = new Map(
    offers.flatMap(({ action }) => failuresOf(action)).map((failure) => [failureName(failure), failure]),
  )
  return Object.fromEntries(
    [...failures].map(([name, failure]) => [name, describeFailure(failure, language)]),
  )
}

function saysWhen({ status, codes }: Failure): boolean {
  return status === 503 || codes.includes('rest_idempotency_key_in_use')
}

function describeFailure(failure: Failure, language: Language): object {
  const ofThese = { properties: { code: { enum: failure.codes } } }
  return {
    description: failureText(failure, language),
    headers: saysWhen(failure) ? headerRefs('Retry-After') : headerRefs(),
    content: { 'application/json': { schema: { allOf: [schemaRef('Problem'), ofThese] } } },
  }
}

/** The index and `plain` operations are not in the document (rule 3.7). */
type Described = Exclude<RouteAction, { do: 'index' | 'plain' }>

interface Failure {
  status: number
  codes: ProblemCode[]
}

interface FailureTraits {
  does: Described['do']
  /** The name of a resource, or `''`. */
  name: string
  by: 'id' | 'slug' | undefined
  own: OwnOperation<string> | undefined
}

const always = () => true
const never = () => false
const named = never
const takesKey = ({ does, own }: FailureTraits) =>
  does === 'create' || does === 'batch' || own?.creates === true
const isUpdate = ({ does, own }: FailureTraits) => does === 'update' || own?.takesVersion === true
const writesOwn = ({ own }: FailureTraits) => own !== undefined && own.queue !== 'reads'
const takesBody = (occasion: FailureTraits) =>
  takesKey(occasion) || isUpdate(occasion) || (writesOwn(occasion) && occasion.own?.methods[0] !== 'DELETE')
const writes = (occasion: FailureTraits) =>
  takesBody(occasion) || occasion.does === 'remove' || writesOwn(occasion)
const on = (names: readonly string[], ...actions: Described['do'][]) => {
  return ({ name, does }: FailureTraits) => names.includes(name) && actions.includes(does)
}

/** True if parameters are validated. Ids of series and of events read are looked up instead (rule 25.4). */
function checksParameters({ does, name, by, own }: FailureTraits): boolean {
  if (own) return own.query !== undefined || own.body !== undefined
  const onlyAddressed = does === 'read' || does === 'remove'
  if (onlyAddressed && name === 'series') return false
  return onlyAddressed ? !(name === 'event' && by === 'id' && does === 'read') : does !== 'doc'
}

const occurrences: Record<ProblemCode, (occasion: FailureTraits) => boolean> = {
  rest_no_route: ({ by, own }) => by === 'id' || own?.address !== undefined,
  rest_gone: never,
  rest_invalid_namespace: never,
  rest_invalid_json: takesBody,
  rest_invalid_form: takesBody,
  rest_too_many_parameters: always,
  rest_invalid_request: never,
  rest_unsupported_transfer_coding: never,
  rest_unsupported_http_version: never,
  rest_version_not_found: named,
  rest_sync_token_expired: named,
  rest_idempotency_key_reused: takesKey,
  rest_idempotency_key_in_use: takesKey,
  rest_precondition_failed: (occasion) => isUpdate(occasion) || occasion.does === 'remove',
  // This problem is within the answer to the batch.
  rest_batch_not_allowed: never,
  rest_missing_callback_param: takesKey,
  rest_invalid_param: checksParameters,
  rest_forbidden: (occasion) =>
    writes(occasion) || (occasion.own !== undefined && occasion.own.audience !== 'everybody'),
  rest_not_logged_in: never,
  rest_unsupported_media_type: takesBody,
  rest_request_too_large: takesBody,
  rest_head_too_large: never,
  rest_request_timeout: never,
  rest_uri_too_long: always,
  rest_too_many_requests: never,
  rest_unavailable: always,
  rest_read_only: writes,
  rest_insufficient_storage: writes,
  rest_internal_error: always,
  rest_upload_no_data: never,
  rest_upload_unknown_type: never,
  rest_upload_image_too_large: never,
  rest_post_invalid_id: never,
  rest_post_invalid_page_number: never,
  rest_term_invalid: never,
  incorrect_password: always,
  invalid_username: always,
  invalid_token: always,
  credential_expired: always,
  too_many_attempts: always,
  term_exists: on(['category', 'tag'], 'create'),
  duplicate_term_slug: on(['category', 'tag'], 'update'),
  'event-archive-page-not-found': on(['event'], 'list'),
  'venue-archive-page-not-found': on(['venue'], 'list'),
  'organizer-archive-page-not-found': on(['organizer'], 'list'),
  'event-not-accessible': on(['event'], 'read'),
  'venue-not-accessible': on(['venue'], 'read'),
  'organizer-not-accessible': on(['organizer'], 'read'),
  'event-is-in-trash': on(['event'], 'update', 'remove'),
  'venue-is-in-trash': on(['venue'], 'remove'),
  'organizer-is-in-trash': on(['organizer'], 'remove'),
  'could-not-create-venue': on(['venue'], 'create', 'update'),
  'could-not-create-organizer': on(['organizer'], 'create', 'update'),
  'rest-event-not-found': ({ name, does, by }) =>
    name === 'event' && (by === 'id' || (by === 'slug' && does === 'update')),
  'rest-invalid-event-id': ({ name, by }) => name === 'event' && by === 'id',
  'event-no-longer-available': on(['event'], 'read'),
  'rest-series-not-found': ({ name, by }) => name === 'series' && by === 'id',
  'series-not-accessible': on(['series'], 'read'),
  'series-is-in-trash': on(['series'], 'update', 'remove'),
  'rest-webhook-not-found': named,
  'rest-message-not-found': named,
  'too-many-webhooks': named,
  'series-was-changed': on(['event', 'series'], 'update', 'remove'),
  rest_cannot_list_application_passwords: never,
  rest_cannot_read_application_password: never,
  rest_cannot_create_application_passwords: never,
  rest_cannot_edit_application_password: never,
  rest_cannot_delete_application_password: never,
  rest_cannot_delete_application_passwords: never,
  rest_cannot_introspect_app_password_for_non_authenticated_user: never,
  rest_no_authenticated_app_password: never,
  rest_application_password_not_found: never,
  'too-many-passwords': never,
}

export const problemCodes = Object.keys(occurrences) as ProblemCode[]

const statusesOf = new Map(
  problemCodes.map((code) => [
    code,
    [false, true].map((loggedIn) => problemAnswer(new Problem(code), 'en', loggedIn).status),
  ]),
)

function failuresOf(action: Described): Failure[] {
  const occasion: FailureTraits = {
    does: action.do,
    name: 'served' in action ? action.served.resource.name : '',
    by: 'by' in action ? action.by : undefined,
    own: action.do === 'own' ? action.operation : undefined,
  }
  const possible = problemCodes.filter(
    (code) => occurrences[code](occasion) || occasion.own?.problems?.includes(code),
  )
  const statuses = new Set(possible.flatMap((code) => statusesOf.get(code) ?? []))
  // Anonymous callers get another status for the whole batch; a 403 is only within its answer.
  if (action.do === 'batch') statuses.delete(403)
  return [...statuses]
    .sort((a, b) => a - b)
    .map((status) => ({ status, codes: possible.filter((code) => statusesOf.get(code)?.includes(status)) }))
}

/**
 * Returns the name of a response. Code generators name types and files after it, so it is an identifier in
 * every language: `Error404RestEventNotFound`.
 */
function failureName({ status, codes }: Failure): string {
  const words = codes.flatMap((code) => code.split(/[^a-z0-9]+/i))
  return `Error${status}${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`
}

/** Lists codes with their messages, in which an ellipsis stands for what depends on the request. */
function failureText({ status, codes }: Failure, language: Language): string {
  const lines = codes.map((code) => {
    const problem = new Problem(code, { missing: ['…'], data: { bytes: '…', limit: '…' } })
    return `- \`${code}\`: ${problemAnswer(problem, language, status !== 401).body.message}`
  })
  return lines.join('\n')
}
