import { madeOnce } from '../../base/cache.ts'
import type { Site } from '../../base/config.ts'
import type { LinkedKind } from '../../calendar/linked/linked-store.ts'
import type { PagedKind, Taxonomy } from '../../store/storage/schema.ts'
import { atom } from '../feeds/atom.ts'
import { icalendar } from '../feeds/icalendar.ts'
import { rss } from '../feeds/rss.ts'
import { isDay, isMonth } from './page-dates.ts'
import { oldSpan, readSpan, type Span, writeSpan } from './spans.ts'
import { inEnglish, isFile } from './translated-paths.ts'

/** `slugs` begins with those of the ancestors. */
export interface TermPath {
  taxonomy: Taxonomy
  slugs: readonly string[]
}

/** A redirect of an old address. `byQuery`: made from the old query, which is not appended. */
interface Moved {
  is: 'moved'
  to: string
  byQuery?: true
}

export type PageAddress =
  | { is: 'events'; span: Span; scope: TermPath | undefined }
  | { is: 'record'; kind: PagedKind; slug: string }
  | { is: 'directory'; kind: LinkedKind }
  | { is: 'series'; id: number }
  | { is: 'numbered'; id: number }
  | { is: 'dated'; slug: string; day: string }
  | Moved
  | { is: 'robots' }
  | { is: 'suggest' }
  | { is: 'embed' }
  | { is: 'frame' }
  | { is: 'sitemap' }
  | { is: 'unknown' }
  | { is: 'sitemap of pages' }
  | { is: 'sitemap of month'; month: string }

/** The path prefix of every link, without a final slash. */
export const rootOf = ({ url }: Site): string => rootAt(url)

/** Computed once: a process has only one site. */
const rootAt = madeOnce((url: string) => new URL(url).pathname.replace(/(?<!\/)\/+$/, ''))

const PAGES = new RegExp(
  '^/(?:$|(?:events|event|venues?|organizers?|tag|embed|series|feed)(?:/|$)' +
    '|robots\\.txt$|sitemap(?:-[\\w-]+)?\\.xml$|index\\.php$)',
)

export const SUGGEST_PATH = '/events/suggest'

/** True if the path has a page's form; some feeds have such paths, too. */
export function isPagePath(path: string): boolean {
  return PAGES.test(path)
}

/** Reads a page's address. Where an old address leads may also depend on the query. */
export function readPageAddress(path: string, query: URLSearchParams, site: Site): PageAddress {
  if (!isPagePath(path)) return { is: 'unknown' }
  if (path === '/robots.txt') return { is: 'robots' }
  if (path === SUGGEST_PATH) return { is: 'suggest' }
  if (path.endsWith('.xml')) return readSitemap(path)
  return readOldQuery(path, query, site) ?? readPath(path)
}

function readPath(path: string): PageAddress {
  if (path === '/' || path === '/index.php') return { is: 'events', span: { view: 'list' }, scope: undefined }
  if (!path.endsWith('/')) return isFile(path) ? { is: 'unknown' } : { is: 'moved', to: `${path}/` }
  const [, root = '', ...segments] = path.slice(0, -1).split('/')
  if (segments.includes('')) return { is: 'unknown' }
  if (root === 'events') return readEvents(segments)
  if (root === 'venues' || root === 'organizers')
    return segments.length === 0
      ? { is: 'directory', kind: root === 'venues' ? 'venue' : 'organizer' }
      : { is: 'unknown' }
  if (root === 'embed') return readEmbed(segments)
  if (root === 'series') return readSeries(segments)
  if (root === 'tag')
    return segments.length === 1 ? { is: 'moved', to: `/events/tag/${segments[0]}/` } : { is: 'unknown' }
  return readRecord(root, segments)
}

/** The English address of a page's path with words of another language, or undefined. It reads no data. */
export function translatedAddress(path: string, queryText: string, site: Site): string | undefined {
  const english = inEnglish(path)
  if (english === undefined) return undefined
  const asked = readPageAddress(english, new URLSearchParams(queryText), site)
  if (asked.is === 'unknown') return undefined
  return asked.is === 'moved' ? withQuery(asked, queryText) : withQuery({ to: english }, queryText)
}

/** Appends the query, unless the address was made from it. */
export function withQuery(
  { to, byQuery = false }: Pick<Moved, 'to'> & { byQuery?: boolean },
  queryText: string,
): string {
  if (byQuery || queryText === '') return to
  return `${to}${to.includes('?') ? '&' : '?'}${queryText}`
}

/** Extensions of our feeds by their names at moved sites. */
const FEEDS: ReadonlyMap<string, string> = new Map([
  ['feed', rss.extension],
  ['rss', rss.extension],
  ['rss2', rss.extension],
  ['rdf', rss.extension],
  ['atom', atom.extension],
])

/** Moved sites had feeds at `…/feed/`, `…/feed/atom/` and `…/ical/`. */
function readFeedBelow(
  page: string,
  [name = '', kind = 'feed', ...rest]: readonly string[],
): Moved | undefined {
  const ending =
    name === 'feed' ? FEEDS.get(kind) : name === 'ical' && kind === 'feed' ? icalendar.extension : undefined
  return ending === undefined || rest.length > 0 ? undefined : { is: 'moved', to: `${page}.${ending}` }
}

export function splitFeed(path: string): { page: string; ending: string } | undefined {
  const [, page = '', ...below] = /^(.+?)\/(feed|ical)(?:\/(\w+))?\/?$/.exec(path) ?? []
  const moved = readFeedBelow(
    page,
    below.filter((segment) => segment !== undefined),
  )
  return page === '' || moved === undefined ? undefined : { page, ending: moved.to.slice(page.length + 1) }
}

/** A view adds at most this many segments to a list's path. */
const MOST_OF_VIEW = 4

/** Lists the ways to split an old path into that of a list and a view, with the view's present address. */
export function readOldLists(path: string, site: Site): { list: string; to: string }[] {
  const segments = path.split('/').filter((segment) => segment !== '')
  const found: { list: string; to: string }[] = []
  for (let taken = 0; taken <= Math.min(MOST_OF_VIEW, segments.length - 1); taken++) {
    const at = segments.length - taken
    const to = ['', 'events', ...segments.slice(at), ''].join('/')
    const asked = readPageAddress(to, new URLSearchParams(), site)
    if (asked.is === 'events' || asked.is === 'moved')
      found.push({ list: `/${segments.slice(0, at).join('/')}`, to: asked.is === 'moved' ? asked.to : to })
  }
  return found
}

function readSitemap(path: string): PageAddress {
  if (path === '/sitemap.xml') return { is: 'sitemap' }
  if (path === '/sitemap-pages.xml') return { is: 'sitemap of pages' }
  const [, month = ''] = /^\/sitemap-(.+)\.xml$/.exec(path) ?? []
  return isMonth(month) ? { is: 'sitemap of month', month } : { is: 'unknown' }
}

function readEmbed([name, ...rest]: readonly string[]): PageAddress {
  if (name === undefined) return { is: 'embed' }
  return name === 'frame' && rest.length === 0 ? { is: 'frame' } : { is: 'unknown' }
}

function readSeries([name = '', ...rest]: readonly string[]): PageAddress {
  const [, id] = /^(?:.*-)?(\d{1,10})$/.exec(name) ?? []
  return id === undefined || rest.length > 0 ? { is: 'unknown' } : { is: 'series', id: Number(id) }
}

function readRecord(root: string, [slug, ...rest]: string[]): PageAddress {
  if (slug === undefined && (root === 'venue' || root === 'organizer'))
    return { is: 'moved', to: `/${root}s/` }
  if (slug === undefined || !(root === 'event' || root === 'venue' || root === 'organizer'))
    return { is: 'unknown' }
  // Moved sites have an address for each date of a repeating event.
  const [day = '', number = '1', ...more] = rest
  if (root === 'event' && isDay(day) && /^\d{1,4}$/.test(number) && more.length === 0)
    return { is: 'dated', slug, day }
  if (root === 'event' && day === 'all' && rest.length === 1) return { is: 'moved', to: `/event/${slug}/` }
  if (rest.length === 0) return { is: 'record', kind: root, slug }
  return readFeedBelow(`/${root}/${slug}`, rest) ?? { is: 'unknown' }
}

function readEvents(segments: string[]): PageAddress {
  const [first] = segments
  if (first !== 'category' && first !== 'tag') {
    const span = readSpan(segments)
    if (span === undefined) return readOldFeed(segments) ?? readOldSpan('/events/', segments)
    return { is: 'events', span, scope: undefined }
  }
  const inside = segments.slice(1)
  if (inside.length === 0) return { is: 'unknown' }
  for (const taken of [3, 2, 1]) {
    const tail = inside.slice(-taken)
    const slugs = inside.slice(0, -taken)
    if (slugs.length === 0) continue
    const feed = readFeedBelow(`/events/${first}/${slugs.join('/')}`, tail)
    if (feed) return feed
    const span = readSpan(tail)
    if (span) return { is: 'events', span, scope: { taxonomy: first, slugs } }
    const old = readOldSpan(`/events/${first}/${slugs.join('/')}/`, tail)
    if (old.is === 'moved') return old
  }
  return { is: 'events', span: { view: 'list' }, scope: { taxonomy: first, slugs: inside } }
}

function readOldFeed(segments: readonly string[]): Moved | undefined {
  const [name = ''] = segments
  return FEEDS.has(name) && name !== 'feed'
    ? readFeedBelow('/events', ['feed', ...segments])
    : readFeedBelow('/events', segments)
}

/**
 * List views at moved sites, which a date or page number may follow. Except for `list`, they count only
 * directly after `/events/`: after a term, such a word may be its child's slug.
 */
const LISTS = new Set(['list', 'upcoming', 'week', 'photo', 'map', 'summary'])

function readOldSpan(base: string, [view = '', ...rest]: readonly string[]): PageAddress {
  const isList = view === 'list' || (base === '/events/' && LISTS.has(view))
  const [first, second, ...more] = isList ? rest : [view, ...rest]
  if (first === undefined) return { is: 'moved', to: base }
  if (more.length > 0) return { is: 'unknown' }
  if (first === 'day' && second !== undefined && isDay(second))
    return { is: 'moved', to: `${base}${second}/` }
  if (first === 'page' && /^\d{1,6}$/.test(second ?? '')) return { is: 'moved', to: `${base}?page=${second}` }
  if (second === undefined && isMonth(first)) return { is: 'moved', to: `${base}month/${first}/` }
  if (second === undefined && isDay(first)) return { is: 'moved', to: `${base}${first}/` }
  return { is: 'unknown' }
}

/** Reads the query of an old WordPress address, such as `?p=12`; undefined for any other query. */
function readOldQuery(path: string, query: URLSearchParams, site: Site): PageAddress | undefined {
  const vendor = site.vendor
  const id = query.get('p') ?? query.get('page_id')
  if (path === '/' && id !== null && /^\d{1,10}$/.test(id)) return { is: 'numbered', id: Number(id) }
  for (const kind of ['event', 'venue', 'organizer'] as const) {
    const slug = query.get(kind === 'event' ? `${vendor}_events` : `${vendor}_${kind}`)
    if (path === '/' && slug)
      return { is: 'moved', to: `/${kind}/${encodeURIComponent(slug)}/`, byQuery: true }
  }
  const display =
    query.get('eventDisplay') ?? query.get(`${vendor}_event_display`) ?? query.get('tribe_event_display')
  const date = query.get('tribe-bar-date') ?? query.get('eventDate')
  const words = query.get('tribe-bar-search')
  const category = query.get(`${vendor}_events_cat`)
  const feed = feedOf(path, query)
  const isOld = display !== null || date !== null || words !== null || category !== null || feed !== undefined
  if (!isOld && !(path === '/' && query.get('post_type') === `${vendor}_events`)) return undefined
  const isOfRecord = feed !== undefined && RECORD_PATH.test(path)
  const below = readListBelow(path)
  const base = category ? `/events/category/${encodeURIComponent(category)}/` : isOfRecord ? path : below.base
  // A subscription to a list from `date` on is redirected to the feed from that day on.
  if (query.get('ical') === '1' && display === 'list' && date !== null && isDay(date))
    return {
      is: 'moved',
      to: `${base}?start_date=${date}${words ? `&search=${encodeURIComponent(words)}` : ''}`,
      byQuery: true,
    }
  const to =
    feed === undefined
      ? base + endOfOld(display ?? below.view, date ?? below.date)
      : `${base.slice(0, -1)}.${feed}`
  return { is: 'moved', to: to + (words ? `?search=${encodeURIComponent(words)}` : ''), byQuery: true }
}

function feedOf(path: string, query: URLSearchParams): string | undefined {
  const [isOfSite, kind = 'feed'] = /^\/feed(?:\/(\w+))?\/?$/.exec(path) ?? []
  const name = query.get('feed') ?? (isOfSite === undefined ? '' : kind)
  const ending = FEEDS.get(name)
  return ending !== undefined && query.get('ical') === '1' ? icalendar.extension : ending
}

const RECORD_PATH = /^\/(?:event|venue|organizer)\/[^/]+\/$/

function readListBelow(path: string): { base: string; view: string | null; date: string | null } {
  const asked = readPath(path)
  // A path of a moved site is first translated to its present form.
  if (asked.is === 'moved') return readListBelow(asked.to.split('?', 1)[0] ?? '/')
  if (asked.is !== 'events') return { base: '/events/', view: null, date: null }
  const { span, scope } = asked
  const date = 'day' in span ? span.day : 'month' in span ? span.month : undefined
  return { base: spanPath({ view: 'list' }, scope), view: span.view, date: date ?? null }
}

function endOfOld(display: string | null, date: string | null): string {
  const day = date !== null && isDay(date) ? date : undefined
  const month = date !== null && isMonth(date.slice(0, 7)) ? date.slice(0, 7) : undefined
  return writeSpan(oldSpan(date !== null && isMonth(date) ? 'month' : (display ?? 'list'), day, month))
}

export function spanPath(span: Span, scope: TermPath | undefined): string {
  return (scope ? `/events/${scope.taxonomy}/${scope.slugs.join('/')}/` : '/events/') + writeSpan(span)
}
