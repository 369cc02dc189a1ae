import type { Site } from '../config.ts'
import type { Asking } from '../declare/asking.ts'
import { anything } from '../declare/kinds.ts'
import { defineResource, type Fields } from '../declare/resource.ts'
import type { MessageText } from '../locales/messages.ts'
import { translate } from '../locales/translate.ts'
import { findUser, presentMe, type User } from '../people/users.ts'
import { Problem } from '../problems.ts'
import type { Served } from '../resources.ts'
import { formatUtc, utcToMs, utcToWall } from '../text/zones.ts'
import { describeRoute } from './discovery.ts'
import { type Asked, answer } from './handlers.ts'
import { media } from './platform-media.ts'
import { offer } from './platform-resource.ts'
import { tags } from './platform-tags.ts'
import { uploadOf } from './platform-upload.ts'
import type { Reply } from './reply.ts'
import type { Incoming, RouteReply, Target } from './respond.ts'
import { collectionRoute, type Match, type Route, routeFinder } from './routes.ts'

/** Routes with a beginning of their own below the REST root; the root itself has an empty one. */
interface RouteGroup {
  namespace: string
  routes: readonly Route[]
}

const PLATFORM = 'wp/v2'
const DESCRIPTION: MessageText = 'Events, venues, organizers, categories and tags of this calendar.'
/** The most entries a page of the platform's lists holds; more are capped silently, as in the namespace (contract 12). */
const MOST_ON_A_PAGE = 100

const me = offer<User>(
  defineResource({ name: 'user', path: 'users/me', title: 'User', addresses: { id: {} }, fields: {}, filters: {} }),
  {
    find: async (asking, address) => ('id' in address ? findUser(asking.db, address.id) : undefined),
    missing: async () => new Problem('rest_not_logged_in'),
    read: async (_asking, user) => presentMe(user),
  },
)

const meRoute: Route = {
  path: '/users/me',
  template: '/users/me',
  endpoints: [{ methods: ['GET'], action: { do: 'read', served: me, by: 'id' }, args: {} }],
}

const root: RouteGroup = { namespace: '', routes: [indexRoute('/', {})] }
const platform: RouteGroup = {
  namespace: PLATFORM,
  routes: [
    indexRoute('', { namespace: { kind: anything, about: '', default: PLATFORM } }),
    meRoute,
    collectionRoute(media),
    itemRoute(media, ['read', 'remove']),
    collectionRoute(tags),
    itemRoute(tags, ['read']),
  ],
}
const finders = [platform, root].map((group) => ({ group, find: routeFinder(group.routes) }))

function indexRoute(template: string, fields: Fields): Route {
  const args: Fields = {
    ...fields,
    context: { kind: anything, about: '', default: 'view' },
  }
  return { path: '', template, endpoints: [{ methods: ['GET'], action: { do: 'index' }, args }] }
}

function itemRoute(served: Served, actions: readonly ('read' | 'remove')[]): Route {
  const { path, addresses } = served.resource
  return {
    path: `/${path}/(?P<id>\\d+)`,
    template: `/${path}/{id}`,
    endpoints: actions.map((action) => ({
      methods: [action === 'read' ? 'GET' : 'DELETE'],
      action: { do: action, served, by: 'id' },
      args: addresses.id,
    })),
  }
}

/**
 * Answers the routes beside the namespace that clients of the platform also call (contract 12) as `replyTo` answers those of the
 * namespace; undefined for any other path.
 */
export async function platformReply(
  namespaceRoutes: readonly Route[],
  incoming: Incoming,
  target: Target,
  asking: Asking,
  replyTo: RouteReply,
): Promise<Reply | undefined> {
  const found = findRoute(target.path, asking)
  if (!found) return undefined
  const { group, match } = found
  const beside = { ...asking, site: siteOf(group, asking.site) }
  if (group === root) return replyTo(match, incoming, target, beside, async () => describeRoot(namespaceRoutes, asking))
  return replyTo(match, incoming, target, beside, (asked) => answerBeside(asked, incoming, beside))
}

function findRoute(path: string, { site, caller }: Asking): { group: RouteGroup; match: Match } | undefined {
  for (const { group, find } of finders) {
    const prefix = pathOf(group, site)
    const match = path.toLowerCase().startsWith(prefix.toLowerCase()) ? find(path.slice(prefix.length)) : undefined
    // `me` stands for the id of the caller.
    if (match?.route === meRoute) return { group, match: { ...match, variables: { id: String(caller.id) } } }
    if (match) return { group, match }
  }
  return undefined
}

function pathOf({ namespace }: RouteGroup, site: Site): string {
  return namespace === '' ? site.restRoot : `${site.restRoot}/${namespace}`
}

/** The site as the handlers of the namespace need to see it to serve these routes. */
function siteOf(group: RouteGroup, site: Site): Site {
  return { ...site, namespace: group.namespace, base: site.url + pathOf(group, site), pageSizeCap: MOST_ON_A_PAGE }
}

async function answerBeside(asked: Asked, incoming: Incoming, asking: Asking): Promise<Reply> {
  const { action } = asked.endpoint
  const values: Asked['values'] = (fields) => ({
    ...asked.values(fields),
    ...('file' in fields ? { file: uploadOf(incoming) } : {}),
  })
  const reply = await answer({ ...asked, values }, platform.routes, asking)
  return action.do === 'list' ? bareList(reply, action.served.resource.path) : reply
}

/** A list the way the platform answers it: nothing but its entries, and the totals in its headers. */
function bareList(reply: Reply, path: string): Reply {
  const { 'X-TEC-Total': total = '', 'X-TEC-TotalPages': totalPages = '', ...headers } = reply.headers
  const entries = new Map(Object.entries(reply.body ?? {})).get(path)
  return { ...reply, headers: { 'X-WP-Total': total, 'X-WP-TotalPages': totalPages, ...headers }, body: entries }
}

/** The root index (contract 12): what this site is, how to sign in, and every route there is. */
function describeRoot(namespaceRoutes: readonly Route[], asking: Asking): Reply {
  const { site } = asking
  const groups: RouteGroup[] = [root, { namespace: site.namespace, routes: namespaceRoutes }, platform]
  const body = {
    name: site.name,
    description: translate(site.language, DESCRIPTION),
    url: site.url,
    home: site.url,
    ...describeZone(asking),
    namespaces: [site.namespace, PLATFORM],
    // No page hands out application passwords to other programs, so there is no address to tell.
    authentication: { 'application-passwords': { endpoints: {} } },
    routes: Object.fromEntries(groups.flatMap((group) => describeGroup(group, asking))),
    _links: { self: [{ href: `${site.restUrl}/` }], 'service-desc': [{ href: `${site.base}/doc` }] },
  }
  return { status: 200, headers: {}, body }
}

function describeGroup(group: RouteGroup, asking: Asking): [path: string, entry: object][] {
  const site = group.namespace === asking.site.namespace ? asking.site : siteOf(group, asking.site)
  return group.routes.map((route) => [`/${group.namespace}${route.path}`, describeRoute(route, { ...asking, site })])
}

/** The hours the site is ahead of UTC just now, and its zone by name, empty for one that is only an offset. */
function describeZone({ site, now }: Asking): { gmt_offset: number; timezone_string: string } {
  const utc = formatUtc(now)
  const ahead = utcToMs(utcToWall(utc, site.timezone)) - utcToMs(utc)
  return { gmt_offset: ahead / 3_600_000, timezone_string: /^(utc)?[+-]/i.test(site.timezone) ? '' : site.timezone }
}
