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
import type { Format, Reply } from './format.ts'
import { json } from './json.ts'

// Routes are data.

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Parameters are raw. */
export interface MatchedRequest {
  route: Route
  endpoint: Endpoint
  variables: Record<string, string>
  /** By precedence; those of the path win. */
  values: (fields: Fields) => RawValues
  accept: string | undefined
  ifMatch: string | undefined
  /** As asked for. */
  self: string
  repeatable: Repeatable
  underWay: UnderWay
}

/** Besides the context. */
export interface OwnGround {
  database: Database
  /** For tokens. */
  edition: string
  /** The settings that the service was started with. */
  start: Config
}

/** On what is no record. */
export interface PlainOperation {
  methods: readonly Method[]
  /** In the path (besides those of a resource), query and body. */
  address?: Fields
  query?: Fields
  body?: Fields
  /** People are signed in, editors may change the record. */
  audience: 'everybody' | 'people' | 'editors' | 'administrators'
  /** `reads` changes nothing. */
  queue: 'reads' | 'writes' | 'uploads'
  /** Else as many as the caller may send. */
  mostBytes?: number
  /** And takes an `Idempotency-Key`. */
  creates?: true
  takesVersion?: true
  /** @throws Problem */
  answer: (asked: MatchedRequest, ground: OwnGround, context: Context) => Promise<Reply>
}

/** Beside the interface and the platform. `Said` are the texts that translate it. */
export interface OwnOperation<Said extends string = Text> extends PlainOperation {
  /** In documents, followed by the title of the resource. */
  verb: string
  summary: Said
  outcome: Said
  answers: Schema
  /** Besides those that other properties imply. */
  problems?: readonly ProblemCode[]
}

/** Of operations, in documents. */
export interface OperationGroup<Own extends Texts = Texts> {
  name: string
  about: string
  /** Of its feature: they translate `about`, and all of its operations. */
  texts?: Own
}

/** Of one method. */
export type RouteAction =
  | { do: 'index' }
  | { do: 'doc' | 'batch' }
  | { do: 'plain'; operation: PlainOperation }
  | { do: 'own'; operation: OwnOperation<string>; group: OperationGroup }
  | { do: 'own'; operation: OwnOperation<string>; served: ServedResource; by: 'id' }
  | { do: 'list'; served: ServedResource; formats: Formats }
  | { do: 'create'; served: ServedResource }
  | { do: 'read' | 'update' | 'remove'; served: ServedResource; by: 'id' | 'slug' }

/** That translate it, besides those of the kernel. */
export const actionTexts = (action: RouteAction): Texts | undefined =>
  'group' in action ? action.group.texts : undefined

/** Reads included. */
export function isForAdministrators(action: RouteAction): boolean {
  return action.do === 'own' && action.operation.audience === 'administrators'
}

/** That of the REST root is `/`. */
export function routeName(namespace: string, path: string): string {
  return namespace === '' ? path || '/' : `/${namespace}${path}`
}

/** As the index groups them (rule 3.2). */
export interface Endpoint {
  methods: readonly Method[]
  action: RouteAction
  args: Fields
  /** As opposed to the address. */
  fields?: Fields
  /** In the address, validated with the others (rule 1.2): venues, organizers and terms. */
  checked?: Fields
  /** Anonymous answers depend on address, data and day alone. */
  cached?: true
  batched?: true
}

/** Below the namespace. */
export interface Route {
  /** A pattern such as `/events/(?P<id>\d+)`: the key in the index. */
  path: string
  /** With `{id}`, for documents and logs. */
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

/** Everybody alike. */
export function indexRoute(template: string, fields: Fields, path = template): Route {
  const args: Fields = { ...fields, context: { kind: anything, about: '', default: 'view' } }
  return { path, template, endpoints: [{ methods: ['GET'], action: { do: 'index' }, args, cached: true }] }
}

/** Makes the route of a whole collection: its list, and the creation of a record. */
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

/** Those on versions name the resource, others their group. */
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

/** Not in documents. */
export function plainRoute(template: string, operations: readonly PlainOperation[]): Route {
  return operationsRoute(template, operations, (operation) => ({ do: 'plain', operation }))
}

/** No number. */
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

/** Without creation. */
export function listRoute(served: ServedResource): Route {
  const route = collectionRoute(served)
  return { ...route, endpoints: route.endpoints.filter(({ action }) => action.do === 'list') }
}

/** Resources without slugs list methods in another order (rule 3.1). */
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

/** `fields` of the record, and `checked` in the address. */
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

/** Nothing is required. A `slug` in both is the field (rule 3.4); an image's file stays. */
function updateArgs({ file: _file, ...fields }: Fields, by: 'id' | 'slug', address: Fields): Fields {
  const optional = Object.fromEntries(
    Object.entries(fields).map(([name, { required: _required, ...field }]) => [name, field]),
  )
  return by === 'slug' && fields.slug
    ? { slug: optional.slug ?? fields.slug, ...optional }
    : { ...address, ...optional }
}

/**
 * Makes every route of the namespace, in the order of the index (rule 3.1).
 * @param others the representations beside JSON
 */
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

/** With the variables of the path. */
export interface Match {
  route: Route
  variables: Record<string, string>
}

/** Empty for the root. */
export interface RouteGroup {
  namespace: string
  routes: readonly Route[]
}

/** A route that matches a path, and its group where it is beside the namespace. */
export interface FoundRoute extends Match {
  group?: RouteGroup
}

/** Letter case and one slash at the end do not matter (rule 1.1). */
export function routeFinder(routes: readonly Route[]): (path: string) => Match | undefined {
  // Most requests write a route without variables exactly.
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
