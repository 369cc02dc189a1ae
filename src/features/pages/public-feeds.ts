import { type Cache, type CacheBudget, emptyCache, findCached, setCached } from '../../base/cache.ts'
import type { Site } from '../../base/config.ts'
import { Problem, type ProblemCode } from '../../base/problems.ts'
import { wallNow } from '../../base/text/moments.ts'
import { canonicalSlug } from '../../base/text/slugs.ts'
import { decodeLeniently } from '../../base/text/urls.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { problemAnswer } from '../../calendar/locales/problem-answers.ts'
import { findVisibleSlug, idAt, isVisible } from '../../calendar/records/record-store.ts'
import { findTerm, findTermBySlug, TERM_LISTS } from '../../calendar/terms/term-store.ts'
import { admitted } from '../../http/admission.ts'
import { answerHeaders } from '../../http/answer-headers.ts'
import { askerOf, type Entrance, refuseOverload } from '../../http/entrance.ts'
import type { Answer } from '../../http/format.ts'
import { type Exchange, LONGEST_URL, type RequestUrl, type SignIn, splitUrl } from '../../http/incoming.ts'
import type { TellWrong } from '../../http/public-reads.ts'
import { anonymousContext, type Service } from '../../http/respond.ts'
import { asNew, send } from '../../http/send.ts'
import { catchUp, isBehind } from '../../store/memory/event-memory.ts'
import { type PagedKind, TABLE_OF, type Taxonomy } from '../../store/storage/schema.ts'
import { formatOfFile } from '../feeds/formats.ts'
import { EXPANDED, icalendar } from '../feeds/icalendar.ts'
import { findByOldSlug } from './old-paths.ts'
import { type PageAddress, readPageAddress, rootOf, spanPath } from './page-addresses.ts'
import { withoutDates } from './page-query.ts'
import { type PublicPages, sendProblemPage, takesHtml } from './public-pages.ts'
import { calendarDates, isUndated } from './spans.ts'
import { isFile } from './translated-paths.ts'

/** Answers feed addresses such as `/events/category/music.ics` with REST lists, redirects or errors. */
export interface PublicFeeds {
  service: Service
  entrance: Entrance
  /**
   * REST lists by feed address. An entry without `version`, for which no record was read, is always valid.
   */
  lists: Cache<string, { version: string | undefined; list: string }>
  pages: PublicPages | undefined
  answerList: (exchange: Exchange, signIn: SignIn, tellWrong?: TellWrong) => unknown
  /** Answers an address with `ical=1` if it has no feed. */
  answerPage: (exchange: Exchange, signIn: SignIn) => unknown
}

export function makePublicFeeds(parts: Omit<PublicFeeds, 'lists'>, budget: CacheBudget): PublicFeeds {
  return { ...parts, lists: emptyCache(budget) }
}

/** Returns the feed's handler; undefined if the address is not that of a feed. */
export function feedAt(
  feeds: PublicFeeds,
  { url }: Exchange,
): ((exchange: Exchange, signIn: SignIn) => unknown) | undefined {
  if (!mayBeFeed(url) || url.text.length > LONGEST_URL) return undefined
  const { service } = feeds
  const known = findKnownList(feeds, url.text)
  if (known !== undefined) return (exchange, signIn) => showList(feeds, exchange, signIn, known)
  const address = readFeedAddress(url, service.site, service.now())
  if (!address) return undefined
  if (address.scope.of !== 'all') return (exchange, signIn) => lookUp(feeds, address, exchange, signIn)
  const list = withQuery(listOfEvents(address, service.site), address)
  if (!address.isOfToday) keepList(feeds, url.text, list, undefined)
  return (exchange, signIn) => showList(feeds, exchange, signIn, list)
}

/** Answers with the list. An invalid parameter is reported to programs as JSON, to people on a page. */
function showList(
  { pages, answerList }: PublicFeeds,
  exchange: Exchange,
  signIn: SignIn,
  list: string,
): unknown {
  const tellPeople: TellWrong = (told, names) => pages && sendProblemPage(pages, told, 400, names)
  return answerList(
    { ...exchange, url: splitUrl(list) },
    signIn,
    pages && takesHtml(exchange.request) ? tellPeople : undefined,
  )
}

async function lookUp(
  feeds: PublicFeeds,
  address: FeedAddress,
  exchange: Exchange,
  signIn: SignIn,
): Promise<unknown> {
  const { service, entrance } = feeds
  let found: FeedFound
  try {
    found = await findFeedInTurn(feeds, address, exchange)
  } catch (error) {
    if (!(error instanceof Problem)) service.report(error, exchange.requestId)
    return refuseOverload(entrance, exchange)
  }
  if (found === undefined && address.isPage) return feeds.answerPage(exchange, signIn)
  if (found === undefined || found === 'gone') return sendMissing(feeds, exchange, found)
  if ('list' in found) return showList(feeds, exchange, signIn, withQuery(found.list, address))
  const location = rootOf(service.site) + found.moved
  return sendAlone(feeds, exchange, { status: 301, headers: { Location: location }, body: { location } })
}

const withQuery = (list: string, { query }: FeedAddress) => (query === '' ? list : `${list}&${query}`)

/** A list found by reading records has a `version`, and is used only while the data has that version. */
function findKnownList({ service: { memory }, lists }: PublicFeeds, url: string): string | undefined {
  const known = findCached(lists, url)
  if (known?.version === undefined) return known?.list
  return !isBehind(memory) && known.version === memory.version ? known.list : undefined
}

function keepList({ lists }: PublicFeeds, url: string, list: string, version: string | undefined): void {
  setCached(lists, url, { version, list }, (url.length + list.length) * 2 + 200)
}

/**
 * Looks up the list once the request is admitted.
 * @throws Problem rest_unavailable if too many requests are waiting
 */
async function findFeedInTurn(
  feeds: PublicFeeds,
  address: FeedAddress,
  exchange: Exchange,
): Promise<FeedFound> {
  const { service, entrance } = feeds
  const { memory, site } = service
  const context = anonymousContext(service, service.now())
  // If the database fails, `findFeed` fails, too, and the client gets that error.
  if (isBehind(memory)) await catchUp(memory).catch(service.report)
  const { version } = memory
  const found = await admitted(entrance.admission, 'reads', askerOf(entrance, exchange), () =>
    findFeed(address, site, context),
  )
  if (found !== undefined && found !== 'gone' && 'list' in found && version !== '' && !address.isOfToday)
    keepList(feeds, exchange.url.text, withQuery(found.list, address), version)
  return found
}

function sendMissing(feeds: PublicFeeds, exchange: Exchange, found: 'gone' | undefined): void {
  const { pages, service } = feeds
  if (pages && takesHtml(exchange.request)) {
    sendProblemPage(pages, exchange, found === 'gone' ? 410 : 404)
    return
  }
  const code: ProblemCode = found === 'gone' ? 'rest_gone' : 'rest_no_route'
  const { status, body } = problemAnswer(new Problem(code), service.site.language, false)
  sendAlone(feeds, exchange, { status, headers: {}, body })
}

function sendAlone(
  { service, entrance }: PublicFeeds,
  exchange: Exchange,
  { status, headers, body }: Answer,
): void {
  const all = answerHeaders(service.site, headers, true)
  const text = Buffer.from(JSON.stringify(body))
  send(entrance, exchange, { ...asNew(), status, route: '', headers: all, tag: '', body: text }, 'ordinary')
}

type Scope =
  | { of: 'all' }
  | { of: 'term'; taxonomy: Taxonomy; slug: string }
  | { of: PagedKind; slug: string }

interface FeedAddress {
  format: string
  scope: Scope
  query: string
  by: (slug: string) => string
  isPage: boolean
  isOfToday: boolean
}

/** `gone`: the record is no longer public; undefined: there never was one. */
type FeedFound = { list: string } | { moved: string } | 'gone' | undefined

const EVENTS = /^\/events(?:\/(category|tag)((?:\/[^/]+){1,50}?))?\.\w+$/
const RECORD = /^\/(event|venue|organizer)\/([^/]+?)\.\w+$/
/** The Events Calendar links to iCalendar files by `ical=1`. */
const ICAL = /(?:^|&)ical=1(?=&|$)/
const OF_PAGES = /(?:^|&)(?:ical=1|page=[^&]*)(?=&|$)/g

const ENDS = /(?:^|&)(?:end_date|starts_before|ends_before|when)=[^&]/

/** A quick check, since every request for a page passes it. */
function mayBeFeed({ path, query }: RequestUrl): boolean {
  return isFile(path) || query.includes('ical=1')
}

/** Reads an address without checking whether records exist. Never throws. */
function readFeedAddress(
  { text, path, query }: RequestUrl,
  site: Site,
  now: number,
): FeedAddress | undefined {
  if (ICAL.test(query) && path.endsWith('/')) return readCalendarLink(path, query, site, now)
  const scope = readScope(path)
  const format = formatOfFile(path)
  if (!scope || !format) return undefined
  const by = (slug: string) => otherSlug(path, slug) + text.slice(path.length)
  return { format: format.name, scope, query, by, isPage: false, isOfToday: false }
}

/**
 * Reads an address with `ical=1`: the page's filters and its month or day, or all past events. If there is a
 * last day, occurrences are single, since the rule of a series would go on beyond it.
 */
function readCalendarLink(path: string, query: string, site: Site, now: number): FeedAddress | undefined {
  const asked = readPageAddress(path, new URLSearchParams(query), site)
  const scope = scopeOfPage(asked)
  if (!scope) return undefined
  const by = (slug: string) => `${pathBy(asked, slug)}?${query}`
  const dates = asked.is === 'events' ? calendarDates(asked.span, wallNow(site.timezone, now)) : undefined
  const filters = query.replace(OF_PAGES, '')
  // Dates in the path replace those of the query.
  const hasEnd = dates !== undefined || ENDS.test(filters)
  const each = hasEnd && !/(?:^|&)recurrence=/.test(filters) ? EXPANDED : undefined
  const parts = [(dates ? withoutDates(filters) : filters).replace(/^&/, ''), dates, each]
  const isOfToday = asked.is === 'events' && dates !== undefined && isUndated(asked.span)
  return {
    format: icalendar.name,
    scope,
    query: parts.filter(Boolean).join('&'),
    by,
    isPage: true,
    isOfToday,
  }
}

function scopeOfPage(asked: PageAddress): Scope | undefined {
  if (asked.is === 'record') return { of: asked.kind, slug: decodeLeniently(asked.slug) }
  if (asked.is !== 'events') return undefined
  const { scope } = asked
  return scope
    ? { of: 'term', taxonomy: scope.taxonomy, slug: decodeLeniently(scope.slugs.at(-1) ?? '') }
    : { of: 'all' }
}

function pathBy(asked: PageAddress, slug: string): string {
  if (asked.is === 'record') return `/${asked.kind}/${slug}/`
  if (asked.is !== 'events' || !asked.scope) return '/events/'
  const { taxonomy, slugs } = asked.scope
  return spanPath(asked.span, { taxonomy, slugs: [...slugs.slice(0, -1), slug] })
}

function otherSlug(path: string, slug: string): string {
  const end = path.lastIndexOf('.')
  return path.slice(0, path.lastIndexOf('/', end - 1) + 1) + slug + path.slice(end)
}

function readScope(path: string): Scope | undefined {
  const events = EVENTS.exec(path)
  if (events) {
    const [, taxonomy, slugs = ''] = events
    const slug = decodeLeniently(slugs.slice(slugs.lastIndexOf('/') + 1))
    return taxonomy === 'category' || taxonomy === 'tag' ? { of: 'term', taxonomy, slug } : { of: 'all' }
  }
  const [, kind, slug = ''] = RECORD.exec(path) ?? []
  return kind === 'event' || kind === 'venue' || kind === 'organizer'
    ? { of: kind, slug: decodeLeniently(slug) }
    : undefined
}

const FILTERS = { event: 'include', venue: 'venue', organizer: 'organizer' } as const

const listOfEvents = ({ format }: FeedAddress, { restRoot, namespace }: Site) =>
  `${restRoot}/${namespace}/events?format=${format}`

async function findFeed(address: FeedAddress, site: Site, context: Context): Promise<FeedFound> {
  const { scope } = address
  const list = listOfEvents(address, site)
  if (scope.of === 'all') return { list }
  if (scope.of === 'term') {
    const term = await findTermBySlug(context.db, scope.taxonomy, scope.slug)
    if (!term) return findFormerTerm(address, scope.taxonomy, scope.slug, context)
    return { list: `${list}&${TERM_LISTS[scope.taxonomy]}=${term.id}` }
  }
  const table = TABLE_OF[scope.of]
  const id = await idAt(context, table, { slug: scope.slug })
  if (id === undefined || !(await isVisible(context.db, context.caller, table, id)))
    return findFormer(address, scope.of, scope.slug, context)
  return { list: `${list}&${FILTERS[scope.of]}=${id}` }
}

async function findFormerTerm(
  { by }: FeedAddress,
  taxonomy: Taxonomy,
  slug: string,
  { db }: Context,
): Promise<FeedFound> {
  const id = await findByOldSlug(db, taxonomy, canonicalSlug(slug))
  const term = id === undefined ? undefined : await findTerm(db, taxonomy, id)
  return term && { moved: by(term.slug) }
}

async function findFormer(
  { by }: FeedAddress,
  kind: PagedKind,
  slug: string,
  { db, caller }: Context,
): Promise<FeedFound> {
  const id = await findByOldSlug(db, kind, canonicalSlug(slug))
  if (id === undefined) return undefined
  const now = await findVisibleSlug(db, caller, TABLE_OF[kind], id)
  return now === undefined ? 'gone' : { moved: by(now) }
}
