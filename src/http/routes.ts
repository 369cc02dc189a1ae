import type { Config, Site } from '../base/config.ts'
import { anything } from '../base/fields/kinds.ts'
import type { Schema } from '../base/fields/member.ts'
import type { ProblemCode } from '../base/problems.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { RawValues } from '../calendar/declare/parse.ts'
import type { Field, Fields } from '../calendar/declare/resource.ts'
import type { Repeatable, UnderWay } from '../calendar/editing/idempotency.ts'
import type { Text } from '../calendar/locales/messages.ts'
import type { TextIn, Texts } from '../calendar/locales/texts.ts'
import { resources, type ServedResource } from '../calendar/resources.ts'
import type { Database } from '../store/storage/database.ts'
import { type Formats, formatField } from './choose-format.ts'
import type { Answer, Format } from './format.ts'
import { json } from './json.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface MatchedRequest {
  route: Route
  endpoint: Endpoint
  variables: Record<string, string>
  /** Sent values of the fields; the body wins over the query string. */
  values: (fields: Fields) => RawValues
  accept: string | undefined
  ifMatch: string | undefined
  self: string
  repeatable: Repeatable
  underWay: UnderWay
}

/** What an operation gets besides the context. */
export interface OwnGround {
  database: Database
  edition: string
  start: Config
}

export interface PlainOperation {
  methods: readonly Method[]
  address?: Fields
  query?: Fields
  body?: Fields
  /** `people` are signed in, `editors` may change the record. */
  audience: 'everybody' | 'people' | 'editors' | 'administrators'
  /** An operation in `reads` changes nothing. */
  queue: 'reads' | 'writes' | 'uploads'
  /** Maximum of the body in bytes; by default what the caller may send. */
  mostBytes?: number
  /** Set for a create, which takes an `Idempotency-Key`. */
  creates?: true
  takesVersion?: true
  answer: (request: MatchedRequest, ground: OwnGround, context: Context) => Promise<Answer>
}

/** `Said` is a text that locales translate. */
export interface OwnOperation<Said extends string = Text> extends PlainOperation {
  verb: string
  summary: Said
  outcome: Said
  answers: Schema
  problems?: readonly ProblemCode[]
}

export interface OperationGroup<Own extends Texts = Texts> {
  name: string
  about: string
  /** Texts of the feature, which translate `about` and all operations. */
  texts?: Own
}

export type RouteAction =
  | { do: 'index' }
  | { do: 'doc' | 'batch' }
  | { do: 'plain'; operation: PlainOperation }
  | { do: 'own'; operation: OwnOperation<string>; group: OperationGroup }
  | { do: 'own'; operation: OwnOperation<string>; served: ServedResource; by: 'id' }
  | { do: 'list'; served: ServedResource; formats: Formats }
  | { do: 'create'; served: ServedResource }
  | { do: 'read' | 'update' | 'remove'; served: ServedResource; by: 'id' | 'slug' }

export const actionTexts = (action: RouteAction): Texts | undefined =>
  'group' in action ? action.group.texts : undefined

/** True if only administrators may run the action, which may be a read. */
export function isForAdministrators(action: RouteAction): boolean {
  return action.do === 'own' && action.operation.audience === 'administrators'
}

/** Returns the path of a route below the REST root, such as `/wp/v2/media`; `/` for the root itself. */
export function routeName(namespace: string, path: string): string {
  return namespace === '' ? path || '/' : `/${namespace}${path}`
}

/** Methods of one action, grouped as in the index (rule 3.2). */
export interface Endpoint {
  methods: readonly Method[]
  action: RouteAction
  args: Fields
  fields?: Fields
  /** Parameters in the address that are validated with the others (rule 1.2). */
  checked?: Fields
  /** Set if anonymous answers depend only on URL, format, data and clock, and so may be cached. */
  cached?: true
  batched?: true
}

/** A route below its namespace, or below the REST root. */
export interface Route {
  /** A pattern such as `/events/(?P<id>\d+)`: the key in the index. */
  path: string
  /** The path with `{id}`, for documents and logs. */
  template: string
  endpoints: readonly Endpoint[]
}

const BATCHED = { batched: true } as const
export const UPDATES = ['POST', 'PUT', 'PATCH'] as const
function fixedRoutes(site: Site): Route[] {
  return [
    indexRoute('', { namespace: { kind: anything, about: '', default: site.namespace } }),
    {
      path: '/doc',
      template: '/doc',
      endpoints: [{ methods: ['GET'], action: { do: 'doc' }, args: {}, cached: true }],
    },
  ]
}

/** A route whose answer is the same for everybody. */
export function indexRoute(template: string, fields: Fields, path = template): Route {
  const args: Fields = { ...fields, context: { kind: anything, about: '', default: 'view' } }
  return { path, template, endpoints: [{ methods: ['GET'], action: { do: 'index' }, args, cached: true }] }
}

export function collectionRoute(served: ServedResource, others: readonly Format[] = []): Route {
  const { filters, resource } = served
  const { path, fields } = resource
  const formats: Formats = [json, ...others.filter(({ lists }) => lists === 'all' || lists.includes(path))]
  return {
    path: `/${path}`,
    template: `/${path}`,
    endpoints: [
      {
        methods: ['GET'],
        action: { do: 'list', served, formats },
        args: { ...filters, ...formatField(formats) },
        cached: true,
      },
      // A batch cannot contain files.
      {
        methods: ['POST'],
        action: { do: 'create', served },
        args: fields,
        ...('file' in fields ? {} : BATCHED),
      },
    ],
  }
}

/** Makes a route of operations. Operations on versions belong to a resource, others to a group. */
export function ownRoute<const Own extends Texts = Record<never, never>>(
  template: string,
  of: OperationGroup<Own> | ServedResource,
  operations: readonly OwnOperation<TextIn<Own>>[],
): Route {
  if (!('resource' in of))
    return operationsRoute(template, operations, (operation) => ({ do: 'own', operation, group: of }))
  const route = operationsRoute(template, operations, (operation) => ({
    do: 'own',
    operation,
    served: of,
    by: 'id',
  }))
  const { id } = of.resource.addresses
  return {
    ...route,
    endpoints: route.endpoints.map((endpoint) => ({ ...endpoint, args: { ...id, ...endpoint.args } })),
  }
}

export function plainRoute(template: string, operations: readonly PlainOperation[]): Route {
  return operationsRoute(template, operations, (operation) => ({ do: 'plain', operation }))
}

const PATTERNS: Readonly<Record<string, string>> = { user_id: '(?:[\\d]+|me)', uuid: '[\\w\\-]+' }

function operationsRoute<Operation extends PlainOperation>(
  template: string,
  operations: readonly Operation[],
  actionOf: (operation: Operation) => RouteAction,
): Route {
  return {
    path: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => `(?P<${name}>${PATTERNS[name] ?? '\\d+'})`),
    template,
    endpoints: operations.map((operation) => ({
      methods: operation.methods,
      action: actionOf(operation),
      args: { ...operation.address, ...operation.query, ...operation.body },
    })),
  }
}

export function listRoute(served: ServedResource): Route {
  const route = collectionRoute(served)
  return { ...route, endpoints: route.endpoints.filter(({ action }) => action.do === 'list') }
}

/** Makes the route to one record. The order of methods differs for resources without slugs (rule 3.1). */
export function itemRoute(served: ServedResource, by: 'id' | 'slug', address: Fields): Route {
  const { path, fields, addresses, removal } = served.resource
  const read: Endpoint = { methods: ['GET'], action: { do: 'read', served, by }, args: address, cached: true }
  const remove: Endpoint = {
    methods: ['DELETE'],
    action: { do: 'remove', served, by },
    args: { ...address, ...removal },
    ...partsOfChange(served, by, {}),
    ...BATCHED,
  }
  const args = updateArgs(fields, by, address)
  const update: Endpoint = {
    methods: UPDATES,
    action: { do: 'update', served, by },
    args,
    ...partsOfChange(served, by, args),
    ...BATCHED,
  }
  return {
    path: by === 'id' ? `/${path}/(?P<id>\\d+)` : `/${path}/by-slug/(?P<slug>[^/]+)`,
    template: by === 'id' ? `/${path}/{id}` : `/${path}/by-slug/{slug}`,
    endpoints: addresses.slug ? [read, remove, update] : [read, update, remove],
  }
}

function partsOfChange(
  { resource }: ServedResource,
  by: 'id' | 'slug',
  args: Fields,
): Pick<Endpoint, 'fields' | 'checked'> {
  const partOf = (fields: Fields, isWanted: (name: string, field: Field) => boolean): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([name, field]) => isWanted(name, field)))
  return {
    fields: partOf(args, (name) => name in resource.fields),
    checked: partOf(resource.addresses[by] ?? {}, (_name, field) => field.lookUp !== undefined),
  }
}

/**
 * No parameter of an update is required. If address and fields both have a `slug`, the field counts (rule
 * 3.4). An image's file cannot be changed.
 */
function updateArgs({ file: _file, ...fields }: Fields, by: 'id' | 'slug', address: Fields): Fields {
  const optional = Object.fromEntries(
    Object.entries(fields).map(([name, { required: _required, ...field }]) => [name, field]),
  )
  return by === 'slug' && fields.slug
    ? { slug: optional.slug ?? fields.slug, ...optional }
    : { ...address, ...optional }
}

export function namespaceRoutes(site: Site, others: readonly Format[]): Route[] {
  const resourceRoutes = resources.flatMap((served) => {
    const { id, slug } = served.resource.addresses
    return [
      collectionRoute(served, others),
      itemRoute(served, 'id', id),
      ...(slug ? [itemRoute(served, 'slug', slug)] : []),
    ]
  })
  return [...fixedRoutes(site), ...resourceRoutes]
}

export interface MatchedRoute {
  route: Route
  variables: Record<string, string>
  /** Set for a route beside the namespace. */
  group?: RouteGroup
}

/** `namespace` is empty for the REST root. */
export interface RouteGroup {
  namespace: string
  routes: readonly Route[]
}

/** Makes a finder of routes by path, in any letter case, with or without a trailing slash (rule 1.1). */
export function routeFinder(routes: readonly Route[]): (path: string) => MatchedRoute | undefined {
  // Most requests have exactly the path of a route without variables.
  const plain = new Map(
    routes.filter(({ path, template }) => path === template).map((route) => [route.path, route]),
  )
  const patterns = routes.map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replaceAll('(?P<', '(?<')}/?$`, 'i'),
  }))
  return (path) => {
    const known = plain.get(path)
    if (known) return { route: known, variables: {} }
    for (const { route, pattern } of patterns) {
      const found = pattern.exec(path)
      if (found) return { route, variables: { ...found.groups } }
    }
    return undefined
  }
}
