import type { Site } from '../../base/config.ts'
import { anything } from '../../base/fields/kinds.ts'
import type { Field, Fields } from '../../calendar/declare/resource.ts'
import { resources, type Served } from '../../calendar/resources.ts'
import { formatField } from '../formats/formats.ts'
import { isWebhookDeed, type WebhookDeed } from './webhook-deeds.ts'

// The table of routes below the namespace.

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const HISTORY_DEEDS = ['listVersions', 'readVersion', 'restoreVersion'] as const

/** The actions of the routes of versions. */
export type HistoryDeed = (typeof HISTORY_DEEDS)[number]

/** Whether an action is about versions of records. */
export function isHistoryDeed(does: string): does is HistoryDeed {
  return HISTORY_DEEDS.some((known) => known === does)
}

/** The actions on what owners set. */
export type SettingsDeed = 'readSettings' | 'updateSettings'

export function isSettingsDeed(does: string): does is SettingsDeed {
  return does === 'readSettings' || does === 'updateSettings'
}

/** Whether an action is for administrators alone, reads included. */
export function isForAdministrators(does: string): does is WebhookDeed | SettingsDeed {
  return isWebhookDeed(does) || isSettingsDeed(does)
}

/** The action of one method of a route. */
export type RouteAction =
  | { do: 'index' }
  | { do: 'doc' }
  | { do: 'changes' }
  | { do: 'batch' }
  | { do: WebhookDeed | SettingsDeed }
  | { do: 'list' | 'create'; served: Served }
  | { do: 'read' | 'update' | 'remove' | HistoryDeed; served: Served; by: 'id' | 'slug' }

/** The name of a route, from its path or template: that of the REST root is `/`. */
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
  /** Of the address of a change, the parameters that are validated together with the others (rule 1.2): that of venues, organizers and terms. */
  checked?: Fields
  /** Whether finished answers to anonymous reads are cached: they depend on the address, the data and the day alone. */
  cached?: true
  /** Whether a batch may hold requests for it. */
  batched?: true
}

export interface Route {
  /** The path below the namespace as a pattern, such as `/events/(?P<id>\d+)`: its key in the index. */
  path: string
  /** The path with `{id}` in place of the pattern of a variable, as documents and logs show it. */
  template: string
  endpoints: readonly Endpoint[]
}

const BATCHED = { batched: true } as const
const UPDATES = ['POST', 'PUT', 'PATCH'] as const
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

/** A route that answers with an index, or with something else that is the same for everybody. */
export function indexRoute(template: string, fields: Fields, path = template): Route {
  const args: Fields = { ...fields, context: { kind: anything, about: '', default: 'view' } }
  return { path, template, endpoints: [{ methods: ['GET'], action: { do: 'index' }, args, cached: true }] }
}

/** The route of a whole collection: its list, and the making of one more. */
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
      { methods: ['POST'], action: { do: 'create', served }, args: fields, ...('file' in fields ? {} : BATCHED) },
    ],
  }
}

/** The list of a collection that is only read. */
export function listRoute(served: Served): Route {
  const route = collectionRoute(served)
  return { ...route, endpoints: route.endpoints.filter(({ action }) => action.do === 'list') }
}

/** An item route; those without a slug list their methods in another order than records (rule 3.1). */
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

/** The parts in which an endpoint that changes a record validates its parameters. */
function partsOfChange({ resource }: Served, by: 'id' | 'slug', args: Fields): Pick<Endpoint, 'fields' | 'checked'> {
  const partOf = (fields: Fields, isWanted: (name: string, field: Field) => boolean): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([name, field]) => isWanted(name, field)))
  return {
    fields: partOf(args, (name) => name in resource.fields),
    checked: partOf(resource.addresses[by] ?? {}, (_name, field) => field.lookUp !== undefined),
  }
}

/**
 * The parameters of an update: the address, then the fields, none of which is required. A `slug` in both is the field (rule 3.4). The file of an image
 * stays.
 */
function updateArgs({ file: _file, ...fields }: Fields, by: 'id' | 'slug', address: Fields): Fields {
  const optional = Object.fromEntries(
    Object.entries(fields).map(([name, { required: _required, ...field }]) => [name, field]),
  )
  return by === 'slug' && fields.slug
    ? { slug: optional.slug ?? fields.slug, ...optional }
    : { ...address, ...optional }
}

/** Every route of the namespace, in the order of the index (rule 3.1). */
export function namespaceRoutes(site: Site): Route[] {
  const resourceRoutes = resources.flatMap((served) => {
    const { id, slug } = served.resource.addresses
    return [collectionRoute(served), itemRoute(served, 'id', id), ...(slug ? [itemRoute(served, 'slug', slug)] : [])]
  })
  return [...fixedRoutes(site), ...resourceRoutes]
}

/** A route that matches a path, with the variables of the path. */
export interface Match {
  route: Route
  variables: Record<string, string>
}

/** Finds the route of a path below the namespace: letter case and one slash at the end do not matter (rule 1.1). */
export function routeFinder(routes: readonly Route[]): (path: string) => Match | undefined {
  // Most paths are written as the routes that have no variables are.
  const plain = new Map(routes.filter(({ path, template }) => path === template).map((route) => [route.path, route]))
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
