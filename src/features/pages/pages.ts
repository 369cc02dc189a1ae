import { Problem } from '../../base/problems.ts'
import { dayOf, wallNow } from '../../base/text/moments.ts'
import { canonicalSlug } from '../../base/text/slugs.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { recordUrl } from '../../calendar/linked/record-present.ts'
import { findSeries } from '../../calendar/series/series-store.ts'
import type { EventRow, OrganizerRow, VenueRow } from '../../store/storage/schema.ts'
import { directoryView } from './directory-view.ts'
import { embedView } from './embed-view.ts'
import { eventView } from './event-view.ts'
import { eventsPage } from './events-page.ts'
import { feedPath } from './feed-links.ts'
import { datedPage, findPublic, missingRecord, numberedRecord, oldPage } from './former-pages.ts'
import { type Framed, frameProblem, frameView, layOutFrame } from './frame-view.ts'
import { type ProblemStatus, problemView } from './layout.ts'
import { linkedView } from './linked-view.ts'
import type { Look } from './look.ts'
import { type PageAddress, readPageAddress, rootOf, translatedAddress, withQuery } from './page-addresses.ts'
import { HTML, JSON_TYPE, movedTo, type PageAnswer, redirected, seeOther, shown, XML } from './page-answer.ts'
import { type Pages, viewingOf } from './page-ground.ts'
import { html } from './page-html.ts'
import { readPart, readQuery } from './page-query.ts'
import { noTerms } from './page-terms.ts'
import { seriesFeed, seriesPath, seriesView } from './series-view.ts'
import { robots, sitemapIndex, sitemapOfMonth, sitemapOfPages } from './sitemap.ts'
import { oldSpan, type Span } from './spans.ts'
import { suggestions } from './suggestions.ts'
import type { Viewing } from './viewing.ts'

/**
 * Answers a request for a page; client errors get a page, too.
 * @param path below the root of the site
 * @param feed extension of the feeds that the client prefers: it is redirected to that of the page
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

function statusOf(error: unknown): ProblemStatus | undefined {
  if (!(error instanceof Problem)) return undefined
  if (error.code === 'rest_invalid_param') return 400
  if (error.code === 'event-archive-page-not-found' || error.code === 'rest-event-not-found') return 404
  return error.code === 'event-no-longer-available' ? 410 : undefined
}

type AnsweredAddress = Exclude<PageAddress, { is: 'robots' | 'moved' }>

export async function answerFound(
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

/** True if the owner has a text page here, with or without the final slash. */
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

export const firstSpan = ({ firstView }: Look): Span => oldSpan(firstView, undefined, undefined)

/** Shows the frame, or within it the error of an invalid query, since other pages may not be framed. */
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

/** A page for an error, made without reading data. `names` are the invalid parameters. */
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
