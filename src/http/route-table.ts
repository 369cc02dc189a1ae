import type { Site } from '../config.ts'
import { findBeside, makePlatform, type Platform } from './platform.ts'
import { type Match, namespaceRoutes, type Route, routeFinder } from './routes.ts'

/** Every route below the REST root, in the namespace and beside it. */
export interface RouteTable {
  site: Site
  namespace: readonly Route[]
  platform: Platform
  /** The path of the namespace in lower case. */
  prefix: string
  /** The route of a path below the namespace. */
  find: (path: string) => Match | undefined
}

export function makeRouteTable(site: Site): RouteTable {
  const namespace = namespaceRoutes(site)
  return {
    site,
    namespace,
    platform: makePlatform(site, namespace),
    prefix: `${site.restRoot}/${site.namespace}`.toLowerCase(),
    find: routeFinder(namespace),
  }
}

/** The route of the namespace that matches a path. */
export function findInNamespace({ prefix, find }: RouteTable, path: string): Match | undefined {
  const isBelow = path.startsWith(prefix) || path.toLowerCase().startsWith(prefix)
  return isBelow ? find(path.slice(prefix.length)) : undefined
}

/** The route that matches a path, of the namespace or beside it. */
export function findMatch(table: RouteTable, path: string): Match | undefined {
  return findInNamespace(table, path) ?? findBeside(table.platform, path, table.site)?.match
}
