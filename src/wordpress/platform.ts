import type { Site } from '../base/config.ts'
import { anything, listEntries } from '../base/fields/kinds.ts'
import { Problem } from '../base/problems.ts'
import { formatUtc, utcToMs, utcToWall } from '../base/text/zones.ts'
import type { Context } from '../calendar/declare/context.ts'
import { defineResource, type Fields, OWN_NAMESPACE } from '../calendar/declare/resource.ts'
import { findImages } from '../calendar/images/images.ts'
import { postType } from '../calendar/linked/record-present.ts'
import type { MessageText } from '../calendar/locales/messages.ts'
import { translate } from '../calendar/locales/translate.ts'
import { can } from '../calendar/people/caller.ts'
import { findUser, presentMe, type User } from '../calendar/people/users.ts'
import { presentById } from '../calendar/records/record-store.ts'
import { resources, type ServedResource, series } from '../calendar/resources.ts'
import { taxonomyWord } from '../calendar/terms/term-present.ts'
import { findTermsByIds } from '../calendar/terms/term-store.ts'
import { VARY_WITH_ACCEPT } from '../http/answer-headers.ts'
import { batchRoute } from '../http/batch.ts'
import { uploadOf } from '../http/bodies.ts'
import { type Answer, type Format, okAnswer } from '../http/format.ts'
import { answerRequest, describeRoute } from '../http/handlers.ts'
import { historyRoutes } from '../http/history-rest.ts'
import type { AnswerRoute, Body, ParsedRequest } from '../http/incoming.ts'
import type { RouteTable } from '../http/route-table.ts'
import {
  collectionRoute,
  type Endpoint,
  indexRoute,
  itemRoute,
  listRoute,
  type MatchedRequest,
  type MatchedRoute,
  namespaceRoutes,
  type Route,
  type RouteAction,
  type RouteGroup,
  routeFinder,
  routeName,
} from '../http/routes.ts'
import { unwritten } from '../store/memory/event-pieces.ts'
import type { PagedKind, TermRow } from '../store/storage/schema.ts'
import { media, mediaPresentation } from './platform-media.ts'
import { CONSENT_PATH, passwordRoutes } from './platform-passwords.ts'
import { recordsOf } from './platform-records.ts'
import { serveForPlatform } from './platform-resource.ts'
import { categoriesAt, platformTags, presentTerms } from './platform-terms.ts'

/** Members of `_links` whose records `_embed` can include. */
const RELATIONS = ['wp:featuredmedia', 'wp:term'] as const
type Relation = (typeof RELATIONS)[number]

/** The relations that `_embed` asks for; all if it names none, as in `_embed=1`. */
function embeddedRelations(asked: unknown): ReadonlySet<Relation> {
  if (asked === undefined || asked === null) return new Set()
  const words = (listEntries(asked) ?? []).map((word) => String(word).trim())
  const named = RELATIONS.filter((relation) => words.includes(relation))
  return new Set(named.length > 0 || words.some((word) => word.includes(':')) ? named : RELATIONS)
}

interface Post {
  featured_media: number
  tags?: number[]
}

function isPost(body: unknown): body is Post {
  return body !== null && typeof body === 'object' && 'featured_media' in body
}

async function withEmbedded(
  body: unknown,
  relations: ReadonlySet<Relation>,
  context: Context,
): Promise<unknown> {
  if (relations.size === 0) return body
  const posts = (Array.isArray(body) ? body : [body]).filter(isPost)
  if (posts.length === 0) return body
  const images = relations.has('wp:featuredmedia')
    ? await findFeatured(posts, context)
    : new Map<number, object>()
  const terms = relations.has('wp:term') ? await findTerms(posts, context) : new Map<number, object>()
  const embed = (post: unknown) =>
    isPost(post) ? { ...post, _embedded: embeddedIn(post, images, terms, relations, context) } : post
  return Array.isArray(body) ? body.map(embed) : embed(body)
}

function embeddedIn(
  post: Post,
  images: ReadonlyMap<number, object>,
  terms: ReadonlyMap<number, object>,
  relations: ReadonlySet<Relation>,
  { site }: Context,
): Record<string, object[]> {
  const image = images.get(post.featured_media)
  const categories = idsIn(post, taxonomyWord(site, 'category'))
  const termsOf = (ids: readonly number[]) => ids.flatMap((id) => terms.get(id) ?? [])
  return {
    ...(image ? { 'wp:featuredmedia': [image] } : {}),
    ...(relations.has('wp:term') && post.tags
      ? { 'wp:term': [termsOf(categories), termsOf(post.tags ?? [])] }
      : {}),
  }
}

function idsIn(post: object, member: string): number[] {
  const ids: unknown = Object.entries(post).find(([name]) => name === member)?.[1]
  return Array.isArray(ids) ? ids : []
}

async function findFeatured(posts: readonly Post[], context: Context): Promise<Map<number, object>> {
  const ids = posts.map((post) => post.featured_media).filter((id) => id !== 0)
  const rows = await findImages(context.db, ids)
  return presentById(context, mediaPresentation, [...rows.values()])
}

async function findTerms(posts: readonly Post[], context: Context): Promise<Map<number, object>> {
  const category = taxonomyWord(context.site, 'category')
  const ids = new Set(posts.flatMap((post) => [...idsIn(post, category), ...(post.tags ?? [])]))
  const rows = await findTermsByIds(context.db, [...ids])
  const shown = (terms: TermRow[], path: string) => presentTerms(context, path, terms)
  const ofTaxonomy = (taxonomy: TermRow['taxonomy']) => rows.filter((row) => row.taxonomy === taxonomy)
  return new Map([
    ...(await shown(ofTaxonomy('category'), category)),
    ...(await shown(ofTaxonomy('tag'), 'tags')),
  ])
}

/** Members with the text as written in `raw`, which is removed unless the request has `context=edit`. */
const TEXTS = ['title', 'content', 'excerpt', 'caption', 'description']

function withoutRaw(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutRaw)
  if (body === null || typeof body !== 'object') return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      TEXTS.includes(name) ? rendered(value) : name === 'previous' ? withoutRaw(value) : value,
    ]),
  )
}

function rendered(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || !('raw' in value)) return value
  const { raw: _raw, ...shown } = value
  return shown
}

/** True if the record has raw texts, which only callers who may edit get. */
function hasRaw(body: unknown): boolean {
  if (body === null || typeof body !== 'object' || !('title' in body)) return false
  return body.title !== null && typeof body.title === 'object' && 'raw' in body.title
}

// The `wp/v2` namespace of WordPress itself, for WordPress clients (rules 29.1 to 29.6).

const PLATFORM = 'wp/v2'
const DESCRIPTION: MessageText = 'Events, venues, organizers, categories and tags of this calendar.'
/** A larger `per_page` is reduced to this number (rule 29.6). */
const MOST_ON_A_PAGE = 100

const me = serveForPlatform<User>(
  defineResource({ name: 'user', path: 'users/me', title: 'User', addresses: { id: {} }, fields: {} }),
  {},
  {
    locate: async (context, address) => ('id' in address ? findUser(context.db, address.id) : undefined),
    missing: async () => new Problem('rest_not_logged_in'),
    loadOne: async (_context, user) => user,
    presentation: {
      nameOf: ({ id }) => ({ kind: 'user', id }),
      textsOf: () => [],
      present: (context, user) => presentMe(user, context.caller),
    },
  },
)

const meRoute: Route = {
  path: '/users/me',
  template: '/users/me',
  endpoints: [{ methods: ['GET'], action: { do: 'read', served: me, by: 'id' }, args: {} }],
}

/** The routes besides those of `<vendor>/events/v1`. Some paths contain the vendor word of the site. */
interface Platform {
  root: RouteGroup
  batch: RouteGroup
  platform: RouteGroup
  own: RouteGroup
  finders: { group: RouteGroup; find: (path: string) => MatchedRoute | undefined }[]
  /** Routes whose response is the same for every caller, with the function that makes it. */
  fixed: ReadonlyMap<Route, (site: Site) => object>
  namespaceRoutes: readonly Route[]
}

/** Builds the routes of rules 29.1 to 29.5. */
export function makePlatform(
  site: Site,
  namespaceRoutes: readonly Route[],
  featureRoutes: readonly Route[],
): Platform {
  const described = [
    ['/types', describeTypes],
    ['/taxonomies', describeTaxonomies],
  ] as const
  const fixed = new Map<Route, (site: Site) => object>(
    described.flatMap(([path, describe]) => [
      [indexRoute(path, {}), describe] as const,
      ...Object.keys(describe(site)).map(
        (word) =>
          [indexRoute(`${path}/${word}`, {}), (beside: Site) => describe(beside)[word] ?? {}] as const,
      ),
    ]),
  )
  const root: RouteGroup = { namespace: '', routes: [indexRoute('/', {}, '')] }
  const batch: RouteGroup = { namespace: '', routes: [batchRoute()] }
  const categories = categoriesAt(taxonomyWord(site, 'category'))
  const platform: RouteGroup = {
    namespace: PLATFORM,
    routes: [
      indexRoute('', { namespace: { kind: anything, about: '', default: PLATFORM } }),
      meRoute,
      ...passwordRoutes,
      collectionRoute(media),
      platformItem(media, ['read', 'update', 'remove']),
      collectionRoute(platformTags),
      platformItem(platformTags, ['read']),
      ...fixed.keys(),
      ...recordsOf(site).flatMap((records) => [
        listRoute(records),
        platformItem(records, 'featured_media' in records.resource.fields ? ['read', 'update'] : ['read']),
      ]),
      listRoute(categories),
      platformItem(categories, ['read']),
    ],
  }
  const own: RouteGroup = { namespace: OWN_NAMESPACE, routes: ownRoutes(featureRoutes) }
  const finders = [platform, own, batch, root].map((group) => ({ group, find: routeFinder(group.routes) }))
  return { root, batch, platform, own, finders, fixed, namespaceRoutes }
}

/** The routes of our own namespace: series, the history of records, and those of features. */
export function ownRoutes(featureRoutes: readonly Route[]): Route[] {
  return [
    uncached(listRoute(series)),
    uncached(itemRoute(series, 'id', series.resource.addresses.id)),
    ...[...resources, series].flatMap(historyRoutes),
    ...featureRoutes,
  ]
}

/** Turns off the response cache. Series are requested rarely, so the cache would only take memory. */
function uncached(route: Route): Route {
  return { ...route, endpoints: route.endpoints.map(({ cached: _cached, ...endpoint }) => endpoint) }
}

/** Reading takes `context` if lists of the resource do. */
function platformItem(served: ServedResource, actions: readonly RouteAction['do'][]): Route {
  const { context } = served.filters
  const route = itemRoute(served, 'id', served.resource.addresses.id)
  const withContext = (endpoint: Endpoint): Endpoint =>
    endpoint.action.do === 'read' && context ? { ...endpoint, args: { ...endpoint.args, context } } : endpoint
  return {
    ...route,
    endpoints: route.endpoints.filter(({ action }) => actions.includes(action.do)).map(withContext),
  }
}

function answerPlatform(
  platform: Platform,
  { group, ...found }: Required<MatchedRoute>,
  parsed: ParsedRequest,
  context: Context,
  answerTo: AnswerRoute,
  answerOwn: (request: MatchedRequest) => Promise<Answer>,
): Promise<Answer> {
  // In the path, `me` stands for the id of the caller.
  const match = found.route === meRoute ? { ...found, variables: { id: String(context.caller.id) } } : found
  const beside = { ...context, site: siteOf(group, context.site) }
  if (group === platform.own || group === platform.batch) return answerTo(match, parsed, beside, answerOwn)
  return answerTo(match, parsed, beside, async (request, body) => {
    if (request.endpoint.action.do === 'plain') return answerOwn(request)
    if (group === platform.root) return describeRoot(platform, context)
    const fixed = platform.fixed.get(match.route)
    if (fixed) return okAnswer(fixed(beside.site))
    return answerBeside(platform, request, body, beside)
  })
}

function findBeside({ finders }: Platform, path: string, site: Site): MatchedRoute | undefined {
  for (const { group, find } of finders) {
    const prefix = pathOf(group, site)
    const match = path.toLowerCase().startsWith(prefix.toLowerCase())
      ? find(path.slice(prefix.length))
      : undefined
    if (match) return { ...match, group }
  }
  return undefined
}

function pathOf({ namespace }: RouteGroup, site: Site): string {
  return namespace === '' ? site.restRoot : `${site.restRoot}/${namespace}`
}

function siteOf(group: RouteGroup, site: Site): Site {
  return {
    ...site,
    namespace: group.namespace,
    base: site.url + pathOf(group, site),
    pageSizeCap: MOST_ON_A_PAGE,
  }
}

const shaping: Fields = {
  context: { kind: anything, about: '' },
  offset: { kind: anything, about: '' },
  _embed: { kind: anything, about: '' },
}

async function answerBeside(
  { platform }: Platform,
  request: MatchedRequest,
  body: Body,
  context: Context,
): Promise<Answer> {
  const { action } = request.endpoint
  const values: MatchedRequest['values'] = (fields) => ({
    ...request.values(fields),
    ...('file' in fields ? { file: uploadOf(body) } : {}),
  })
  const { context: audience, offset, _embed } = request.values(shaping)
  const isEdited = audience === 'edit' && 'served' in action && 'context' in action.served.filters
  if (isEdited && action.do === 'list' && !can(context.caller, 'edit')) throw new Problem('rest_forbidden')
  const answered = await answerRequest(
    { ...request, values },
    { routes: platform.routes, beside: [] },
    context,
  )
  const answer = { ...answered, body: unwritten(answered.body) }
  if (isEdited && action.do === 'read' && !hasRaw(answer.body)) throw new Problem('rest_forbidden')
  const bare = action.do === 'list' ? bareList(answer, action.served.resource.path, Boolean(offset)) : answer
  const shown = isEdited ? bare.body : withoutRaw(bare.body)
  return { ...bare, body: await withEmbedded(shown, embeddedRelations(_embed), context) }
}

/** Makes a list a bare array, as WordPress has it; the totals move into headers. */
function bareList(answer: Answer, path: string, isOffset: boolean): Answer {
  const { 'X-TEC-Total': total = '', 'X-TEC-TotalPages': totalPages = '', ...others } = answer.headers
  // These links count pages from the first record and not from `offset`, so a request with `offset` gets
  // none.
  const { Link: link, ...headers } = { Link: '', ...others }
  const entries = new Map(Object.entries(answer.body ?? {})).get(path)
  return {
    ...answer,
    headers: {
      'X-WP-Total': total,
      'X-WP-TotalPages': totalPages,
      ...headers,
      ...(link && !isOffset ? { Link: link } : {}),
    },
    body: entries,
  }
}

const consentUrl = ({ url }: Site) => `${url}${CONSENT_PATH}`

/** The site, the ways to sign in and all routes (rule 29.1). */
function describeRoot({ root, batch, platform, own, namespaceRoutes }: Platform, context: Context): Answer {
  const { site } = context
  const groups: RouteGroup[] = [
    root,
    batch,
    { namespace: site.namespace, routes: namespaceRoutes },
    platform,
    own,
  ]
  const body = {
    name: site.name,
    description: translate(site.language, DESCRIPTION),
    url: site.url,
    home: site.url,
    ...describeZone(context),
    namespaces: [site.namespace, PLATFORM, OWN_NAMESPACE],
    authentication: {
      'application-passwords': { endpoints: site.hasDesk ? { authorization: consentUrl(site) } : {} },
    },
    routes: Object.fromEntries(groups.flatMap((group) => describeGroup(group, context))),
    _links: { self: [{ href: `${site.restUrl}/` }], 'service-desc': [{ href: `${site.base}/doc` }] },
  }
  // At the root path, the Accept header decides between this index and the front page for browsers.
  return { status: 200, headers: site.restRoot === '' ? { Vary: VARY_WITH_ACCEPT } : {}, body }
}

function describeGroup(group: RouteGroup, context: Context): [path: string, entry: object][] {
  const site = group.namespace === context.site.namespace ? context.site : siteOf(group, context.site)
  return group.routes.map((route) => [
    routeName(group.namespace, route.path),
    describeRoute(route, { ...context, site }),
  ])
}

/** The present UTC offset of the site in hours, and its zone name, empty if the setting is a UTC offset. */
function describeZone({ site, now }: Context): { gmt_offset: number; timezone_string: string } {
  const utc = formatUtc(now)
  const ahead = utcToMs(utcToWall(utc, site.timezone)) - utcToMs(utc)
  return {
    gmt_offset: ahead / 3_600_000,
    timezone_string: /^(utc)?[+-]/i.test(site.timezone) ? '' : site.timezone,
  }
}

/** An entry of `wp/v2/types` (rule 29.5). */
interface PostType {
  slug: string
  rest_base: string
  name: MessageText
  taxonomies: string[]
  has_archive: boolean
}

function typesOf(site: Site): PostType[] {
  const record = (kind: PagedKind, name: MessageText, taxonomies: string[]) => {
    const slug = postType(site, kind)
    return { slug, rest_base: slug, name, taxonomies, has_archive: kind === 'event' }
  }
  return [
    { slug: 'attachment', rest_base: 'media', name: 'Media', taxonomies: [], has_archive: false },
    record('event', 'Events', ['post_tag', taxonomyWord(site, 'category')]),
    record('venue', 'Venues', []),
    record('organizer', 'Organizers', []),
  ]
}

/** `wp/v2/types` by slug. `site.base` is the base of `wp/v2`. */
function describeTypes(site: Site): Record<string, object> {
  return Object.fromEntries(typesOf(site).map((type) => [type.slug, describeType(site, type)]))
}

function describeType(site: Site, { name, ...type }: PostType): object {
  return {
    description: '',
    hierarchical: false,
    ...type,
    name: translate(site.language, name),
    icon: null,
    rest_namespace: site.namespace,
    _links: {
      self: [{ href: `${site.base}/types/${type.slug}` }],
      collection: [{ href: `${site.base}/types` }],
      'wp:items': [{ href: `${site.base}/${type.rest_base}` }],
    },
  }
}

function describeTaxonomies(site: Site): Record<string, object> {
  const category = taxonomyWord(site, 'category')
  return {
    post_tag: describeTaxonomy(site, {
      slug: 'post_tag',
      rest_base: 'tags',
      name: 'Tags',
      hierarchical: false,
    }),
    [category]: describeTaxonomy(site, {
      slug: category,
      rest_base: category,
      name: 'Categories',
      hierarchical: true,
    }),
  }
}

function describeTaxonomy(
  site: Site,
  { name, ...taxonomy }: Pick<PostType, 'slug' | 'rest_base' | 'name'> & { hierarchical: boolean },
): object {
  return {
    description: '',
    ...taxonomy,
    name: translate(site.language, name),
    types: [postType(site, 'event')],
    rest_namespace: site.namespace,
    _links: {
      self: [{ href: `${site.base}/taxonomies/${taxonomy.slug}` }],
      collection: [{ href: `${site.base}/taxonomies` }],
      'wp:items': [{ href: `${site.base}/${taxonomy.rest_base}` }],
    },
  }
}

export interface FeatureRoutes {
  formats: readonly Format[]
  routes: readonly Route[]
}

export function makeRouteTable(site: Site, { formats, routes }: FeatureRoutes): RouteTable {
  const namespace = namespaceRoutes(site, formats)
  const platform = makePlatform(site, namespace, routes)
  return {
    site,
    namespace,
    prefix: `${site.restRoot}/${site.namespace}`.toLowerCase(),
    find: routeFinder(namespace),
    formats,
    beside: {
      own: platform.own.routes,
      find: (path) => findBeside(platform, path, site),
      answer: (found, parsed, context, answerTo, answerOwn) =>
        answerPlatform(platform, found, parsed, context, answerTo, answerOwn),
    },
  }
}
