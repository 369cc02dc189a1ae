import type { Site } from '../config.ts'
import type { Context } from '../declare/context.ts'
import { formatOfFile } from '../formats/formats.ts'
import { type Asked, readAddress, type Span, spanPath } from '../pages/page-addresses.ts'
import { firstOf, monthOf, monthsLater } from '../pages/page-dates.ts'
import { findByOldSlug } from '../records/old-slugs.ts'
import { findVisibleSlug, idAt, isVisible } from '../records/record-store.ts'
import type { RecordTable, Taxonomy } from '../storage/schema.ts'
import { findTerm, findTermBySlug } from '../terms/term-store.ts'
import { addDays, dayOf, wallNow } from '../text/moments.ts'
import { canonicalSlug } from '../text/slug.ts'

/** The events that a feed at an address of its own is of. */
type Scope =
  | { of: 'all' }
  | { of: 'term'; taxonomy: Taxonomy; slug: string }
  | { of: 'event' | 'venue' | 'organizer'; slug: string }

/** A feed at an address of its own, such as `/events/category/music.ics`. */
export interface FeedAddress {
  /** The value of the parameter `format`. */
  format: string
  scope: Scope
  /** The query as sent: the filters of lists. */
  query: string
  /** The address of the same feed by another slug, below the root of the site. */
  by: (slug: string) => string
  /** Whether it is that of a page, which may know what is not found here under another address. */
  isPage: boolean
  /** Whether it means other days tomorrow. */
  isOfToday: boolean
}

/** The feed at an address: a list of events, a feed that has moved to another address, or one whose record is no longer public. */
export type FeedFound = { list: string } | { moved: string } | 'gone' | undefined

const EVENTS = /^\/events(?:\/(category|tag)((?:\/[^/]+){1,50}?))?\.(\w+)$/
const RECORD = /^\/(event|venue|organizer)\/([^/]+?)\.(\w+)$/
/** A link of the reference to the calendar file of the page it is on. */
const ICAL = /(?:^|&)ical=1(?=&|$)/
/** What calendars have none of: that parameter itself, and pages. */
const OF_PAGES = /(?:^|&)(?:ical=1|page=[^&]*)(?=&|$)/g
/** The dates that the path of a page says already. */
const OF_DATES = /(?:^|&)(?:start_date|end_date|(?:starts|ends)_(?:before|after)|strict_dates)=[^&]*(?=&|$)/g

/** False for an address that cannot be a feed: neither a file nor a page with `ical`. Quick, since every request for a page passes here. */
export function mayBeFeed(url: string): boolean {
  const mark = url.indexOf('?')
  const last = mark === -1 ? url.length - 1 : mark - 1
  return url.lastIndexOf('.', last) > url.lastIndexOf('/', last) || (mark !== -1 && url.includes('ical=1', mark))
}

/** The feed that an address is of; undefined for all others. Never throws. */
export function readFeedAddress(url: string, site: Site, now: number): FeedAddress | undefined {
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const query = mark === -1 ? '' : url.slice(mark + 1)
  if (ICAL.test(query) && path.endsWith('/')) return readCalendarLink(path, query, site, now)
  const [scope, extension = ''] = readScope(path)
  const format = formatOfFile(extension)
  if (!scope || !format) return undefined
  const by = (slug: string) => otherSlug(path, slug) + url.slice(path.length)
  return { format: format.name, scope, query, by, isPage: false, isOfToday: false }
}

/** The calendar of the page that a link with `ical=1` is on, with its filters: of a month or a day, that month or day; of what is past, all of it. */
function readCalendarLink(path: string, query: string, site: Site, now: number): FeedAddress | undefined {
  const asked = readAddress(path, new URLSearchParams(query), site)
  const scope = scopeOfPage(asked)
  if (!scope) return undefined
  const by = (slug: string) => `${pathBy(asked, slug)}?${query}`
  const today = dayOf(wallNow(site.timezone, now))
  const dates = asked.is === 'events' ? datesOf(asked.span, today) : undefined
  const filters = query.replace(OF_PAGES, '')
  const parts = [(dates ? filters.replace(OF_DATES, '') : filters).replace(/^&/, ''), dates]
  const isOfToday = asked.is === 'events' && dates !== undefined && isUndated(asked.span)
  return { format: 'ics', scope, query: parts.filter(Boolean).join('&'), by, isPage: true, isOfToday }
}

/** The parameters for the dates of a page; undefined for one of coming events, whose calendar reaches as far as others do. */
function datesOf(span: Span, today: string): string | undefined {
  switch (span.view) {
    case 'list':
      return undefined
    case 'past':
      return `starts_after=0001-01-01&ends_before=${today}%2000:00:00&strict_dates=true`
    case 'month':
      return datesOfMonth(span.month ?? monthOf(today))
    case 'day':
      return `start_date=${span.day ?? today}&end_date=${span.day ?? today}`
  }
}

function datesOfMonth(month: string): string {
  const next = monthsLater(month, 1)
  return `start_date=${firstOf(month)}&end_date=${next === undefined ? `${month}-31` : addDays(firstOf(next), -1)}`
}

/** Whether an address names a view without a date. */
const isUndated = ({ view: _view, ...dates }: Span) => Object.values(dates).every((date) => date === undefined)

function scopeOfPage(asked: Asked): Scope | undefined {
  if (asked.is === 'record') return { of: asked.kind, slug: decoded(asked.slug) }
  if (asked.is !== 'events') return undefined
  const { scope } = asked
  return scope ? { of: 'term', taxonomy: scope.taxonomy, slug: decoded(scope.slugs.at(-1) ?? '') } : { of: 'all' }
}

/** The path of a page of events or of a record with another slug. */
function pathBy(asked: Asked, slug: string): string {
  if (asked.is === 'record') return `/${asked.kind}/${slug}/`
  if (asked.is !== 'events' || !asked.scope) return '/events/'
  const { taxonomy, slugs } = asked.scope
  return spanPath(asked.span, { taxonomy, slugs: [...slugs.slice(0, -1), slug] })
}

/** The path of a file with another slug before its end. */
function otherSlug(path: string, slug: string): string {
  const end = path.lastIndexOf('.')
  return path.slice(0, path.lastIndexOf('/', end - 1) + 1) + slug + path.slice(end)
}

function readScope(path: string): [scope?: Scope, extension?: string | undefined] {
  const events = EVENTS.exec(path)
  if (events) {
    const [, taxonomy, slugs = '', extension] = events
    const slug = decoded(slugs.slice(slugs.lastIndexOf('/') + 1))
    if (taxonomy === 'category' || taxonomy === 'tag') return [{ of: 'term', taxonomy, slug }, extension]
    return [{ of: 'all' }, extension]
  }
  const [, kind, slug = '', extension] = RECORD.exec(path) ?? []
  if (kind !== 'event' && kind !== 'venue' && kind !== 'organizer') return []
  return [{ of: kind, slug: decoded(slug) }, extension]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const TABLES: Readonly<Record<'event' | 'venue' | 'organizer', RecordTable>> = {
  event: 'events',
  venue: 'venues',
  organizer: 'organizers',
}
const FILTERS = { event: 'include', venue: 'venue', organizer: 'organizer' } as const

/** The address of the list of all events in the format of a feed. */
export const listOfEvents = ({ format }: FeedAddress, { restRoot, namespace }: Site) =>
  `${restRoot}/${namespace}/events?format=${format}`

/** The list that a feed shows, without its query, or the fate of the record it was about; undefined if there never was one. */
export async function findFeed(address: FeedAddress, site: Site, context: Context): Promise<FeedFound> {
  const { scope } = address
  const list = listOfEvents(address, site)
  if (scope.of === 'all') return { list }
  if (scope.of === 'term') {
    const term = await findTermBySlug(context.db, scope.taxonomy, scope.slug)
    if (!term) return findFormerTerm(address, scope.taxonomy, scope.slug, context)
    return { list: `${list}&${scope.taxonomy === 'category' ? 'categories' : 'tags'}=${term.id}` }
  }
  const table = TABLES[scope.of]
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
  kind: keyof typeof TABLES,
  slug: string,
  { db, caller }: Context,
): Promise<FeedFound> {
  const id = await findByOldSlug(db, kind, canonicalSlug(slug))
  if (id === undefined) return undefined
  const now = await findVisibleSlug(db, caller, TABLES[kind], id)
  return now === undefined ? 'gone' : { moved: by(now) }
}
