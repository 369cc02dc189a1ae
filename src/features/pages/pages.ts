import { type CacheBudget, dropAll } from '../../base/cache.ts'
import type { Config, Language, Site } from '../../base/config.ts'
import { Problem } from '../../base/problems.ts'
import { canonicalSlug } from '../../base/text/characters.ts'
import { dayOf, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findEvent } from '../../calendar/events/event-store.ts'
import { imageUrl } from '../../calendar/images/images.ts'
import { findLinked } from '../../calendar/linked/linked-store.ts'
import { organizerRules } from '../../calendar/linked/organizer.ts'
import { recordPath, recordUrl } from '../../calendar/linked/record-present.ts'
import { venueRules } from '../../calendar/linked/venue.ts'
import { mayRead } from '../../calendar/people/caller.ts'
import { findIdBySlug, findKind } from '../../calendar/records/record-store.ts'
import { findSeries } from '../../calendar/series/series-store.ts'
import { TERM_LISTS } from '../../calendar/terms/term-store.ts'
import type { EventMemory } from '../../store/memory/event-memory.ts'
import type { Db } from '../../store/storage/database.ts'
import { wasPublic } from '../../store/storage/history.ts'
import {
  type EventRow,
  type OrganizerRow,
  type PagedKind,
  type RecordColumns,
  TABLE_OF,
  type Taxonomy,
  type VenueRow,
} from '../../store/storage/schema.ts'
import { type Cards, noCards } from './cards.ts'
import { dayView } from './day-view.ts'
import { directoryView } from './directory-view.ts'
import { embedView } from './embed-view.ts'
import { eventView } from './event-view.ts'
import { feedPath } from './feed-links.ts'
import { chosenInWords } from './filter-chips.ts'
import { type Framed, frameProblem, frameView, layOutFrame } from './frame-view.ts'
import { layOut, type ProblemStatus, problemView } from './layout.ts'
import { linkedView } from './linked-view.ts'
import { listView } from './list-view.ts'
import { type Look, lookOf } from './look.ts'
import { mapView } from './map-view.ts'
import { monthView } from './month-view.ts'
import { findByOldImagePath, namesOfImage, sizeInName } from './old-images.ts'
import { findByOldSlug, mayBeOldPath, noOldPaths, type OldPaths } from './old-paths.ts'
import { findByOldId, findByOldPath, hadListAt, type Paged } from './origins.ts'
import {
  type PageAddress,
  readOldLists,
  readPageAddress,
  rootOf,
  spanPath,
  splitFeed,
  translatedAddress,
  withQuery,
} from './page-addresses.ts'
import { type Assets, lookAssets, previewStyle, readAssets, styleText } from './page-assets.ts'
import { monthOf, weekStartOf, writtenDay } from './page-dates.ts'
import { type Html, html, NOTHING } from './page-html.ts'
import { byLanguage, keepLanguage } from './page-languages.ts'
import {
  type PageQuery,
  queryText,
  readPart,
  readQuery,
  unreadableQuery,
  withoutListDates,
} from './page-query.ts'
import { findTermAt, noTerms, type PageTerms, readPageTerms, scopeOf } from './page-terms.ts'
import type { PageLink, Subscribes } from './pages-part.ts'
import { seriesFeed, seriesPath, seriesView } from './series-view.ts'
import { robots, sitemapIndex, sitemapOfMonth, sitemapOfPages } from './sitemap.ts'
import { isList, oldSpan, type Span } from './spans.ts'
import { type Suggestion, suggest } from './suggestions.ts'
import { type EventsAsked, feedOf, wrongView } from './view-head.ts'
import { pathTo, spanLink, type View, type Viewing } from './viewing.ts'
import { weekView } from './week-view.ts'

/** A service has one of them while it runs. */
export interface Pages {
  memory: EventMemory
  assets: Assets
  look: Look
  links: readonly PageLink[]
  subscribes?: Subscribes | undefined
  /** The number of `memory.settings` when the look was read. */
  settings: number
  cards: Readonly<Record<Language, Cards>>
  terms: { version: string; read: Promise<PageTerms> } | undefined
  oldPaths: OldPaths
}

export interface PageAnswer {
  status: number
  mediaType: string
  body: string
  imagesFrom?: string | undefined
  /** The new address, or that of the feed in the requested format. */
  location?: string
  isFramed?: true
}

/** @throws Error with one sentence for a file that cannot be read */
export function makePages(
  site: Site,
  memory: EventMemory,
  budget: CacheBudget,
  { look, links, subscribes }: Pick<Pages, 'look' | 'links' | 'subscribes'>,
): Pages {
  return {
    memory,
    assets: readAssets(site, look, links),
    look,
    links,
    subscribes,
    settings: memory.settings,
    cards: byLanguage(() => noCards(budget)),
    terms: undefined,
    oldPaths: noOldPaths(),
  }
}

export function renewLook(pages: Pages, site: Site): void {
  pages.settings = pages.memory.settings
  pages.assets = readAssets(site, pages.look, pages.links)
  for (const cards of Object.values(pages.cards)) dropAll(cards)
}

const HTML = 'text/html; charset=UTF-8'
const XML = 'application/xml; charset=UTF-8'
const JSON_TYPE = 'application/json; charset=UTF-8'

/**
 * The answer to a failure is a page, too.
 * @param path below the root of the site
 * @param feed the ending of feeds that the client prefers, to which it is redirected
 */
export async function answerPage(
  pages: Pages,
  context: Context,
  path: string,
  queryText: string,
  feed: string | undefined,
): Promise<PageAnswer> {
  const asked = readPageAddress(path, new URLSearchParams(queryText), context.site)
  if (asked.is === 'robots')
    return {
      status: 200,
      mediaType: 'text/plain; charset=UTF-8',
      body: robots(context, rootOf(context.site)),
    }
  const address = queryText === '' ? path : `${path}?${queryText}`
  if (asked.is === 'moved')
    return redirected(context.site, movedTo(context.site, withQuery(asked, queryText)), queryText)
  try {
    const answer = await answerFound(pages, context, asked, path, new URLSearchParams(queryText), feed)
    return redirected(context.site, answer, queryText)
  } catch (error) {
    const status = statusOf(error)
    if (status === undefined) throw error
    const to = status === 404 ? translatedAddress(path, queryText, context.site) : undefined
    if (to !== undefined) return redirected(context.site, movedTo(context.site, to), queryText)
    return problemPage(pages, context, status, { address })
  }
}

/** Undefined for an error that the address has not caused. */
function statusOf(error: unknown): ProblemStatus | undefined {
  if (!(error instanceof Problem)) return undefined
  if (error.code === 'rest_invalid_param') return 400
  if (error.code === 'event-archive-page-not-found' || error.code === 'rest-event-not-found') return 404
  return error.code === 'event-no-longer-available' ? 410 : undefined
}

type AnsweredAddress = Exclude<PageAddress, { is: 'robots' | 'moved' }>

async function answerFound(
  pages: Pages,
  context: Context,
  asked: AnsweredAddress,
  path: string,
  query: URLSearchParams,
  feed: string | undefined,
): Promise<PageAnswer> {
  if (asked.is === 'sitemap') return { status: 200, mediaType: XML, body: await sitemapIndex(context) }
  if (asked.is === 'sitemap of month')
    return { status: 200, mediaType: XML, body: await sitemapOfMonth(context, asked.month) }
  if (asked.is === 'unknown' && isTextPath(pages, path)) return textPage(pages, context, path)
  if (asked.is === 'unknown') return oldPage(pages, context, path, query)
  if (asked.is === 'numbered') return numberedRecord(context, asked.id)
  if (asked.is === 'dated') return datedPage(context, asked, path)
  if (asked.is === 'suggest')
    return { status: 200, mediaType: JSON_TYPE, body: await suggestions(context, query) }
  const text = asked.is === 'embed' ? query.toString() : readPart(query)
  const viewing = await viewingOf(pages, context, text === '' ? path : `${path}?${text}`)
  if (asked.is === 'sitemap of pages')
    return { status: 200, mediaType: XML, body: await sitemapOfPages(context, viewing.today, pages.look) }
  if (asked.is === 'frame') return framePage(viewing, query)
  if (asked.is === 'embed') return shown(viewing, embedView(viewing, query))
  if (asked.is === 'directory') {
    const { page } = await readQuery(context, new URLSearchParams({ page: query.get('page') ?? '' }))
    return shown(viewing, await directoryView(viewing, asked.kind, query, page))
  }
  if (asked.is === 'series') return seriesPage(viewing, asked.id, path, query, feed)
  if (asked.is === 'record') return recordPage(viewing, asked, query, feed)
  if (path !== '/') return eventsPage(viewing, asked, query, feed)
  return eventsPage(viewing, { ...asked, span: firstSpan(pages.look) }, query, feed, pages.look.intro)
}

const withSlash = (path: string) => (path.endsWith('/') ? path : `${path}/`)

/** A slash at the end may be missing. */
export const isTextPath = ({ look }: Pages, path: string): boolean => look.texts.has(withSlash(path))

async function textPage(pages: Pages, context: Context, path: string): Promise<PageAnswer> {
  const found = pages.look.texts.get(path)
  if (!found) return movedTo(context.site, withSlash(path))
  const { title, body } = found
  return shown(await viewingOf(pages, context, path), {
    status: 200,
    styles: [pages.assets.texts],
    title,
    description: title,
    canonical: path,
    isIndexed: true,
    current: undefined,
    body: html`<article class="own-text"><h1 tabindex="-1" dir="auto">${
      title
    }</h1><div class="prose" dir="auto">${body}</div></article>`,
  })
}

const firstSpan = ({ firstView }: Look): Span => oldSpan(firstView, undefined, undefined)

export async function viewingOf(pages: Pages, context: Context, address?: string): Promise<Viewing> {
  const { memory, assets, look, links, subscribes, cards } = pages
  const { site, now } = context
  const terms = await termsOf(pages, context)
  const wall = wallNow(site.timezone, now)
  return {
    context,
    memory,
    cards: cards[site.language],
    assets,
    look,
    links,
    subscribes,
    // A page adds the terms that it shows, for itself alone.
    terms: { ...terms, byId: new Map(terms.byId) },
    weekStart: weekStartOf(site, look.weekStart),
    wall,
    today: dayOf(wall),
    address,
  }
}

function termsOf(pages: Pages, context: Context): Promise<PageTerms> {
  const { version } = pages.memory
  if (pages.terms?.version !== version || version === '') {
    const read = readPageTerms(context)
    pages.terms = { version, read }
    read.catch(() => {
      if (pages.terms?.read === read) pages.terms = undefined
    })
  }
  return pages.terms.read
}

/** A faulty query is explained in the frame, since other pages may not stand in it. */
async function framePage(viewing: Viewing, query: URLSearchParams): Promise<PageAnswer> {
  const answer = (status: number, framed: Framed): PageAnswer => ({
    status,
    mediaType: HTML,
    body: layOutFrame(viewing, framed),
    isFramed: true,
  })
  try {
    return answer(200, await frameView(viewing, query))
  } catch (error) {
    const status = statusOf(error)
    if (status === undefined) throw error
    return answer(status, frameProblem(viewing))
  }
}

async function eventsPage(
  viewing: Viewing,
  { span, scope }: Extract<PageAddress, { is: 'events' }>,
  query: URLSearchParams,
  feed: string | undefined,
  intro = NOTHING,
): Promise<PageAnswer> {
  const { context, terms } = viewing
  const term = scope && (await findTermAt(context, terms, scope))
  if (scope && !term) throw new Problem('event-archive-page-not-found')
  if (term && scope?.slugs.join('/') !== term.slugs.join('/'))
    return movedTo(context.site, withQuery({ to: spanPath(span, scopeOf(term)) }, query.toString()))
  const read = await readQuery(context, query).catch((error: unknown) => unreadBy(error, query))
  if (read.wrong) return shown(viewing, wrongView(viewing, { span, term, query: read }))
  if (isTooExact(read, query))
    return seeOther(context.site, `${spanPath(span, scope)}?${queryText(read, [], read.page)}`)
  const own = isList(span) ? read : withoutListDates(read)
  const asked: EventsAsked = { span, term, query: term ? narrowed(own, term.taxonomy, term.slug) : own }
  if (feed !== undefined) return seeOther(context.site, feedOf(asked, feed))
  const { geoloc_lat: lat, geoloc_lng: lng } = read.filters
  const around = typeof lat === 'number' && typeof lng === 'number' ? { lat, lng } : undefined
  const made = await viewOf({ ...viewing, around }, asked, span)
  const chosen = chosenInWords(context.site, asked.query.sent)
  const view = made.title.includes(chosen) ? made : { ...made, title: `${made.title} · ${chosen}` }
  return shown(
    viewing,
    query.size > 0 || intro === NOTHING
      ? view
      : {
          ...view,
          styles: [viewing.assets.texts, ...(view.styles ?? [])],
          body: html`<div class="prose intro">${intro}</div>${view.body}`,
        },
  )
}

/** True if the visitor is to be redirected to a rounded position. */
function isTooExact({ sent }: PageQuery, query: URLSearchParams): boolean {
  return ['geoloc_lat', 'geoloc_lng'].some((name) => sent.has(name) && sent.get(name) !== query.get(name))
}

/** @throws the error, if it names no parameters */
function unreadBy(error: unknown, query: URLSearchParams): PageQuery {
  const wrong = error instanceof Problem ? Object.keys(error.details.params ?? {}) : []
  if (wrong.length === 0) throw error
  return unreadableQuery(query, wrong)
}

/** Puts the term in the place of those that the query names. */
function narrowed(query: PageQuery, taxonomy: Taxonomy, slug: string): PageQuery {
  const name = TERM_LISTS[taxonomy]
  const sent = new Map(query.sent)
  sent.delete(name)
  return { ...query, sent, isFiltered: sent.size > 0, filters: { ...query.filters, [name]: [slug] } }
}

const VIEWS: {
  [Name in Span['view']]: (viewing: Viewing, asked: EventsAsked, span: Span<Name>) => Promise<View>
} = {
  list: listView,
  past: listView,
  map: mapView,
  month: (viewing, asked, { month = monthOf(viewing.today) }) => monthView(viewing, asked, month),
  week: (viewing, asked, { day = viewing.today }) => weekView(viewing, asked, day),
  day: (viewing, asked, { day = viewing.today }) => dayView(viewing, asked, day),
}

function viewOf<Name extends Span['view']>(
  viewing: Viewing,
  asked: EventsAsked,
  span: Span<Name>,
): Promise<View> {
  const show: (viewing: Viewing, asked: EventsAsked, span: Span<Name>) => Promise<View> = VIEWS[span.view]
  return show(viewing, asked, span)
}

async function recordPage(
  viewing: Viewing,
  { kind, slug }: Extract<PageAddress, { is: 'record' }>,
  query: URLSearchParams,
  feed: string | undefined,
): Promise<PageAnswer> {
  const { context } = viewing
  const { site } = context
  const row = await findPublic(context, kind, slug)
  if (row === undefined) return missingRecord(context, kind, slug)
  const path = new URL(recordUrl(site, kind, row)).pathname
  if (canonicalSlug(slug) !== slug || row.slug !== slug) return movedTo(site, path.slice(rootOf(site).length))
  if (feed !== undefined) return seeOther(site, feedPath(path.slice(rootOf(site).length, -1), feed, ''))
  if (kind === 'event') return shown(viewing, await eventView(viewing, row as EventRow))
  const asked = await readQuery(context, query)
  const linked = kind === 'venue' ? { kind, row: row as VenueRow } : { kind, row: row as OrganizerRow }
  return shown(viewing, await linkedView(viewing, linked, asked))
}

async function seriesPage(
  viewing: Viewing,
  id: number,
  path: string,
  query: URLSearchParams,
  feed: string | undefined,
): Promise<PageAnswer> {
  const { context } = viewing
  const series = await findSeries(context.db, id)
  if (series?.status !== 'publish')
    throw new Problem(series?.status === 'trash' ? 'event-no-longer-available' : 'rest-event-not-found')
  const canonical = seriesPath(viewing, series)
  if (encodeURI(decodeURI(path)) !== encodeURI(decodeURI(canonical))) return movedTo(context.site, canonical)
  if (feed !== undefined) return seeOther(context.site, seriesFeed(series, feed))
  const { page } = await readQuery(context, query)
  return shown(viewing, await seriesView(viewing, series, page))
}

const LINKED = { venue: venueRules, organizer: organizerRules }

/** Undefined if the caller may not see it. */
async function findPublic(
  context: Context,
  kind: PagedKind,
  slug: string,
): Promise<RecordColumns | undefined> {
  const id = await findIdBySlug(context, TABLE_OF[kind], slug)
  return id === undefined ? undefined : readPublic(context, kind, id)
}

async function readPublic(context: Context, kind: PagedKind, id: number): Promise<RecordColumns | undefined> {
  const row =
    kind === 'event' ? await findEvent(context.db, id) : await findLinked(context.db, LINKED[kind], id)
  return row && row.status !== 'trash' && mayRead(context.caller, row) ? row : undefined
}

/**
 * Redirects to the record that had this address last.
 * @throws Problem (410 for a record that is gone, else 404)
 */
async function missingRecord(context: Context, kind: PagedKind, slug: string): Promise<PageAnswer> {
  const id = await findByOldSlug(context.db, kind, canonicalSlug(slug))
  if (id !== undefined) return formerAddress(context, kind, id)
  const moved = await findByOldPath(context.db, `${rootOf(context.site)}/${kind}/${slug}`)
  if (moved) return pageOfRecord(context, moved)
  if (/^\d{1,10}$/.test(slug)) return numberedRecord(context, Number(slug))
  throw new Problem('rest-event-not-found')
}

async function formerAddress(context: Context, kind: PagedKind, id: number): Promise<PageAnswer> {
  const row = await readPublic(context, kind, id)
  if (!row) throw new Problem('event-no-longer-available')
  return toRecord(context, kind, row)
}

/** Ids of moved sources come before ids of this calendar. @throws Problem */
async function numberedRecord(context: Context, id: number): Promise<PageAnswer> {
  const moved = await findByOldId(context.db, id)
  if (moved) return pageOfRecord(context, moved)
  const kind = await findKind(context.db, id)
  if (kind === undefined || kind === 'image' || kind === 'series') throw new Problem('rest-event-not-found')
  return pageOfRecord(context, { kind, id })
}

/** False is certain. Cheap enough for every 404. */
export function mayHaveMoved({ oldPaths, memory }: Pages, site: Site, db: Db, path: string): boolean {
  const mayBe = (one: string) => mayBeOldPath(oldPaths, memory, db, rootOf(site) + one)
  const feed = splitFeed(path)
  return (
    namesOfImage(path).some(mayBe) ||
    (feed !== undefined && mayBe(feed.page)) ||
    readOldLists(path, site).some(({ list }) => mayBe(list))
  )
}

/** Reads old paths of pages, feeds, lists and images of a moved source. @throws Problem for other paths */
async function oldPage(
  pages: Pages,
  context: Context,
  path: string,
  query: URLSearchParams,
): Promise<PageAnswer> {
  const { db, site } = context
  const root = rootOf(site)
  if (!mayHaveMoved(pages, site, db, path)) throw new Problem('rest-event-not-found')
  const moved = await findByOldPath(db, root + path)
  if (moved) {
    const page = await pageOfRecord(context, moved)
    return query.has('feed') ? byQuery(context, page, query) : page
  }
  const feed = splitFeed(path)
  const fed = feed && (await findByOldPath(db, root + feed.page))
  if (feed && fed) return feedOfPage(await pageOfRecord(context, fed), feed.ending)
  for (const { list, to } of readOldLists(path, site))
    if (mayBeOldPath(pages.oldPaths, pages.memory, db, root + list) && (await hadListAt(db, root + list)))
      return byQuery(context, movedTo(site, to), query)
  const image = await findByOldImagePath(db, root + path)
  if (image)
    return { ...movedTo(site, ''), location: imageUrl(image, context.images.mediaUrl, sizeInName(path)) }
  throw new Problem('rest-event-not-found')
}

function byQuery({ site }: Context, page: PageAnswer, query: URLSearchParams): PageAnswer {
  const asked = readPageAddress(page.location?.slice(rootOf(site).length) ?? '', query, site)
  return asked.is === 'moved' && asked.byQuery ? movedTo(site, asked.to) : page
}

function feedOfPage(page: PageAnswer, ending: string): PageAnswer {
  return { ...page, location: `${page.location?.replace(/\/$/, '')}.${ending}` }
}

/** Redirects to the occurrence on that day, else to the event. */
async function datedPage(
  context: Context,
  { slug, day }: Extract<PageAddress, { is: 'dated' }>,
  path: string,
): Promise<PageAnswer> {
  const moved = await findByOldPath(context.db, rootOf(context.site) + path)
  if (moved) return pageOfRecord(context, moved)
  const date = await findPublic(context, 'event', `${slug}-${day}`)
  return date ? toRecord(context, 'event', date) : movedTo(context.site, `/event/${slug}/`)
}

async function pageOfRecord(context: Context, { kind, id }: Paged): Promise<PageAnswer> {
  const row = await readPublic(context, kind, id)
  if (row) return toRecord(context, kind, row)
  throw new Problem(
    (await wasPublic(context.db, kind, id)) ? 'event-no-longer-available' : 'rest-event-not-found',
  )
}

const toRecord = ({ site }: Context, kind: PagedKind, row: RecordColumns): PageAnswer =>
  movedTo(site, recordPath(site, kind, row))

/** The record need not be public; a banner stands above it. */
export async function previewPage(
  pages: Pages,
  context: Context,
  event: EventRow,
  banner: Html,
): Promise<string> {
  const viewing = await viewingOf(pages, context)
  const view = await eventView(viewing, event)
  return layOut(viewing, { ...view, isIndexed: false, body: html`${banner}${view.body}` })
}

interface Preview {
  stylePath: string
  banner: Html
}

/** Links and buttons do nothing, since they lead to pages in the present look. */
export async function previewFront(
  pages: Pages,
  context: Context,
  config: Config,
  { stylePath, banner }: Preview,
): Promise<string> {
  const look = await lookOf(config, pages.look.files)
  const assets = {
    ...pages.assets,
    files: lookAssets(look),
    style: { ...pages.assets.style, path: stylePath },
  }
  const site = { ...context.site, name: config.site_name, clock: config.pages_clock }
  const asked = { is: 'events', span: firstSpan(look), scope: undefined } as const
  const query = new URLSearchParams()
  const { body } = await answerFound(
    { ...pages, look, assets },
    { ...context, site },
    asked,
    '/',
    query,
    undefined,
  )
  return body
    .replace('<body>', () => `<body>${banner.markup}`)
    .replace('<a class="skip"', '<a inert class="skip"')
    .replace('<header class="top">', '<header inert class="top">')
    .replace('<main id="main"', '<main inert id="main"')
    .replace('<footer class="foot">', '<footer inert class="foot">')
}

export async function previewStyleSheet({ look }: Pages, site: Site, config: Config): Promise<string> {
  const font = lookAssets(look).pages_font
  return previewStyle() + styleText(await lookOf(config, look.files), font && rootOf(site) + font.path)
}

const shown = (viewing: Viewing, view: View): PageAnswer => ({
  status: view.status,
  mediaType: HTML,
  body: layOut(viewing, view),
  ...(view.imagesFrom === undefined ? {} : { imagesFrom: view.imagesFrom }),
})

/** Reads no data. `names` are the wrong parameters. */
export function problemPage(
  pages: Pick<Pages, 'assets' | 'look' | 'links' | 'memory' | 'cards'>,
  context: Context,
  status: ProblemStatus,
  { names = [], address }: { names?: readonly string[]; address?: string } = {},
): PageAnswer {
  const { assets, look, links, memory, cards } = pages
  const wall = wallNow(context.site.timezone, context.now)
  const viewing: Viewing = {
    context,
    memory,
    cards: cards[context.site.language],
    assets,
    look,
    links,
    terms: noTerms(),
    weekStart: 0,
    wall,
    today: dayOf(wall),
    address,
  }
  return shown(viewing, problemView(viewing, status, names))
}

function movedTo(site: Site, path: string): PageAnswer {
  return { status: 301, mediaType: HTML, body: '', location: rootOf(site) + path }
}

function seeOther(site: Site, path: string): PageAnswer {
  return { ...movedTo(site, path), status: 303 }
}

function redirected(site: Site, answer: PageAnswer, queryText: string): PageAnswer {
  const { location } = answer
  const kept = location?.startsWith(`${rootOf(site)}/`)
    ? { ...answer, location: keepLanguage(site, location) }
    : answer
  return withCalendar(kept, queryText)
}

/** A redirect keeps `ical=1`, which asks for the calendar of the page. */
function withCalendar(answer: PageAnswer, queryText: string): PageAnswer {
  const { status, location } = answer
  if (status !== 301 || location === undefined || !/(?:^|&)ical=1(?:&|$)/.test(queryText)) return answer
  if (/[?&]ical=1(?:&|$)/.test(location)) return answer
  return { ...answer, location: `${location}${location.includes('?') ? '&' : '?'}ical=1` }
}

async function suggestions(context: Context, query: URLSearchParams): Promise<string> {
  const { site, now } = context
  const today = dayOf(wallNow(site.timezone, now))
  const found = await suggest(query.get('search') ?? '', context)
  const shown = found.map((hit) => ({
    kind: hit.kind,
    id: hit.id,
    name: hit.name,
    about: hit.kind === 'event' ? writtenDay(site, dayOf(hit.about), today) : hit.about,
    url: new URL(suggestedPath(context, hit), site.url).href,
  }))
  return JSON.stringify({ suggestions: shown })
}

/** A term's path lacks its parents, and redirects to the full one. */
function suggestedPath({ site }: Context, { kind, id, slug }: Suggestion): string {
  if (kind === 'category' || kind === 'tag')
    return spanLink(site, { view: 'list' }, { taxonomy: kind, slugs: [slug] }, '')
  return pathTo(site, recordPath(site, kind, { id, status: 'publish', slug }))
}
