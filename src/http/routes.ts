import type { Config, Site } from '../base/config.ts'
import { anything } from '../base/fields/kinds.ts'
import type { Schema } from '../base/fields/member.ts'
import type { ProblemCode } from '../base/problems.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { RawValues } from '../calendar/declare/parse.ts'
import type { Field, Fields } from '../calendar/declare/resource.ts'
import type { Repeatable, UnderWay } from '../calendar/editing/idempotency.ts'
import type { MessageText } from '../calendar/locales/messages.ts'
import { resources, type Served } from '../calendar/resources.ts'
import { formatField } from '../features/feeds/formats.ts'
import type { Database } from '../store/storage/database.ts'
import type { Reply } from './format.ts'

// Makes and finds routes, which are data, below the namespace and beside it.

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A request with the route and endpoint that it matches; its parameters are still raw. */
export interface MatchedRequest {
  route: Route
  endpoint: Endpoint
  variables: Record<string, string>
  /**
   * Returns the declared parameters of the body and the query, by precedence. The parameters of the path
   * override them.
   */
  values: (fields: Fields) => RawValues
  /** The header `Accept`. */
  accept: string | undefined
  /** The header `If-Match`. */
  ifMatch: string | undefined
  /** The whole address that was asked for. */
  self: string
  repeatable: Repeatable
  underWay: UnderWay
}

/** The parts of the service that own operations answer from, besides the context. */
export interface OwnGround {
  database: Database
  /** The edition of the database, for tokens. */
  edition: string
  /** The hosts that the setting names for webhooks. */
  webhookHosts: readonly string[]
  /** The settings that the service was started with. */
  start: Config
}

/** An operation on what is no record: how it is asked for and answered. */
export interface PlainOperation {
  methods: readonly Method[]
  /** The parameters in the path besides those of a resource, in the query, and in the body. */
  address?: Fields
  query?: Fields
  body?: Fields
  /** Whom it answers; people are signed in, editors have the right to change the record. */
  audience: 'everybody' | 'people' | 'editors' | 'administrators'
  /** The queue in which the operation waits; one in `reads` changes nothing. */
  queue: 'reads' | 'writes' | 'uploads'
  /** The most bytes of its body; without it, as many as the caller may send. */
  mostBytes?: number
  /** Whether it makes a record, and takes an `Idempotency-Key`. */
  creates?: true
  /** Whether it takes `If-Match`. */
  takesVersion?: true
  /** @throws Problem */
  answer: (asked: MatchedRequest, ground: OwnGround, context: Context) => Promise<Reply>
}

/** An operation beside the interface and the platform, with what documents say of it. */
export interface OwnOperation extends PlainOperation {
  /** Its name in documents, followed by the title of the resource if it has one. */
  verb: string
  summary: MessageText
  outcome: MessageText
  /** The schema of its answer. */
  answers: Schema
  /** Problems that it may end with, besides those that its other properties imply. */
  problems?: readonly ProblemCode[]
}

/** The action of one method of a route. */
export type RouteAction =
  | { do: 'index' }
  | { do: 'doc' | 'batch' }
  | { do: 'plain'; operation: PlainOperation }
  | { do: 'own'; operation: OwnOperation; group: string }
  | { do: 'own'; operation: OwnOperation; served: Served; by: 'id' }
  | { do: 'list' | 'create'; served: Served }
  | { do: 'read' | 'update' | 'remove'; served: Served; by: 'id' | 'slug' }

/** Decides whether an action is for administrators alone, reads included. */
export function isForAdministrators(action: RouteAction): boolean {
  return action.do === 'own' && action.operation.audience === 'administrators'
}

/** Returns the name of a route, from its path or template: that of the REST root is `/`. */
export function routeName(namespace: string, path: string): string {
  return namespace === '' ? path || '/' : `/${namespace}${path}`
}

/** Methods that share an action and its parameters, as the index groups them (rule 3.2). */
export interface Endpoint {
  methods: readonly Method[]
  action: RouteAction
  args: Fields
  /** The parameters of an update that are fields of the record, as opposed to its address. */
  fields?: Fields
  /**
   * The parameters in the address of a change that are validated together with the others (rule 1.2): those
   * of venues, organizers and terms.
   */
  checked?: Fields
  /**
   * Whether finished answers to anonymous reads are cached: they depend on the address, the data and the day
   * alone.
   */
  cached?: true
  /** Whether a batch may hold requests for it. */
  batched?: true
}

/** A path below the namespace, and the actions of its methods. */
export interface Route {
  /** The path below the namespace as a pattern, such as `/events/(?P<id>\d+)`: its key in the index. */
  path: string
  /** The path with `{id}` in place of the pattern of a variable, as documents and logs show it. */
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

/** Makes a route that answers everybody alike, such as with an index. */
export function indexRoute(template: string, fields: Fields, path = template): Route {
  const args: Fields = { ...fields, context: { kind: anything, about: '', default: 'view' } }
  return { path, template, endpoints: [{ methods: ['GET'], action: { do: 'index' }, args, cached: true }] }
}

/** Makes the route of a whole collection: its list, and the creation of a record. */
export function collectionRoute(served: Served): Route {
  const { filters, resource } = served
  const { path, fields } = resource
  return {
    path: `/${path}`,
    template: `/${path}`,
    endpoints: [
      {
        methods: ['GET'],
        action: { do: 'list', served },
        args: { ...filters, ...formatField(served.resource) },
        cached: true,
      },
      // A batch holds no files.
      {
        methods: ['POST'],
        action: { do: 'create', served },
        args: fields,
        ...('file' in fields ? {} : BATCHED),
      },
    ],
  }
}

/**
 * Makes a route of own operations: those on versions of records name the resource, others the group of the
 * document that they stand in.
 */
export function ownRoute(template: string, of: string | Served, operations: readonly OwnOperation[]): Route {
  if (typeof of === 'string')
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

/** Makes a route of operations that documents do not describe. */
export function plainRoute(template: string, operations: readonly PlainOperation[]): Route {
  return operationsRoute(template, operations, (operation) => ({ do: 'plain', operation }))
}

/** The patterns of the variables in paths that are no number. */
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

/** Makes the route of the list of a collection, without the creation of a record. */
export function listRoute(served: Served): Route {
  const route = collectionRoute(served)
  return { ...route, endpoints: route.endpoints.filter(({ action }) => action.do === 'list') }
}

/**
 * Makes the route of one record, by id or slug. Resources without slugs list their methods in another order
 * than records (rule 3.1).
 */
export function itemRoute(served: Served, by: 'id' | 'slug', address: Fields): Route {
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

/**
 * Returns two parts of the parameters of a change: the fields of the record (`fields`), and those in its
 * address that are looked up (`checked`).
 */
function partsOfChange(
  { resource }: Served,
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
 * Returns the parameters of an update: the address, then the fields, none of which is required. A `slug` in
 * both is the field (rule 3.4). The file of an image is left out, since it stays.
 */
function updateArgs({ file: _file, ...fields }: Fields, by: 'id' | 'slug', address: Fields): Fields {
  const optional = Object.fromEntries(
    Object.entries(fields).map(([name, { required: _required, ...field }]) => [name, field]),
  )
  return by === 'slug' && fields.slug
    ? { slug: optional.slug ?? fields.slug, ...optional }
    : { ...address, ...optional }
}

/** Makes every route of the namespace, in the order of the index (rule 3.1). */
export function namespaceRoutes(site: Site): Route[] {
  const resourceRoutes = resources.flatMap((served) => {
    const { id, slug } = served.resource.addresses
    return [
      collectionRoute(served),
      itemRoute(served, 'id', id),
      ...(slug ? [itemRoute(served, 'slug', slug)] : []),
    ]
  })
  return [...fixedRoutes(site), ...resourceRoutes]
}

/** A route that matches a path, with the variables of the path. */
export interface Match {
  route: Route
  variables: Record<string, string>
}

/**
 * Makes the function that finds the route of a path below the namespace. Letter case and one slash at the end
 * do not matter (rule 1.1).
 */
export function routeFinder(routes: readonly Route[]): (path: string) => Match | undefined {
  // Most requests for a route without variables write its path exactly, and so need no pattern.
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
