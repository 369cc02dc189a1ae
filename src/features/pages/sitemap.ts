import { addDays } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { seriesUrl } from '../../calendar/events/recurrence-present.ts'
import { organizerRules } from '../../calendar/linked/organizer.ts'
import { recordUrl } from '../../calendar/linked/record-present.ts'
import { venueRules } from '../../calendar/linked/venue.ts'
import { findEventMonths, listEventMonths, listMappedEvents } from './event-page-store.ts'
import type { Look } from './look.ts'
import { spanPath } from './page-addresses.ts'
import { firstOf, isMonth, monthsLater } from './page-dates.ts'
import { html } from './page-html.ts'
import { listPublicLinked, listPublicSeries } from './page-store.ts'
import { listShownTerms, scopeOf } from './page-terms.ts'

const MOST = 50_000

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

interface Entry {
  address: string
  /** Last change in UTC; empty if unknown. */
  changed: string
}

/** The index of site maps: one for general pages, and one for each month with events. */
export async function sitemapIndex(context: Context): Promise<string> {
  const months = await listEventMonths(context, MOST - 1)
  const { url } = context.site
  const maps = [
    { address: `${url}/sitemap-pages.xml`, changed: '' },
    ...months.map(({ month, changed }) => ({ address: `${url}/sitemap-${month}.xml`, changed })),
  ]
  const rows = maps.map(
    ({ address, changed }) => html`<sitemap><loc>${address}</loc>${lastChange(changed)}</sitemap>\n`,
  )
  return HEAD + html`<sitemapindex xmlns="${NAMESPACE}">\n${rows}</sitemapindex>\n`.markup
}

export async function sitemapOfMonth(context: Context, month: string): Promise<string> {
  const { site } = context
  const next = monthsLater(month, 1)
  const days = { start: firstOf(month), end: next === undefined ? '9999-12-32' : firstOf(next) }
  const rows = await listMappedEvents(context, days, MOST)
  return addresses(rows.map((row) => ({ address: recordUrl(site, 'event', row), changed: row.modified_utc })))
}

export async function sitemapOfPages(
  context: Context,
  today: string,
  { texts }: Pick<Look, 'texts'>,
): Promise<string> {
  const { site, db } = context
  const days = { start: `${today.slice(0, 7)}-01`, end: addDays(today, 1100) }
  const [terms, series, venues, organizers, coming] = await Promise.all([
    listShownTerms(context, MOST / 8),
    listPublicSeries(db, MOST / 4),
    listPublicLinked(db, venueRules, MOST / 4),
    listPublicLinked(db, organizerRules, MOST / 4),
    findEventMonths(db, days),
  ])
  const page = (path: string): Entry => ({ address: site.url + path, changed: '' })
  return addresses([
    page('/'),
    ...(venues.length > 0 ? [page('/venues/')] : []),
    ...(organizers.length > 0 ? [page('/organizers/')] : []),
    ...[...texts.keys()].map(page),
    ...coming.flatMap((month) =>
      isMonth(month) ? [page(spanPath({ view: 'month', month }, undefined))] : [],
    ),
    ...terms.map((term) => page(spanPath({ view: 'list' }, scopeOf(term)))),
    ...series.map((row) => ({ address: seriesUrl(site, row), changed: row.modified_utc })),
    ...venues.map((row) => ({ address: recordUrl(site, 'venue', row), changed: row.modified_utc })),
    ...organizers.map((row) => ({ address: recordUrl(site, 'organizer', row), changed: row.modified_utc })),
  ])
}

function addresses(entries: readonly Entry[]): string {
  const rows = entries.map(
    ({ address, changed }) => html`<url><loc>${address}</loc>${lastChange(changed)}</url>\n`,
  )
  return HEAD + html`<urlset xmlns="${NAMESPACE}">\n${rows}</urlset>\n`.markup
}

const lastChange = (changed: string) =>
  changed !== '' && html`<lastmod>${changed.replace(' ', 'T')}Z</lastmod>`

/** Returns `robots.txt`, which keeps crawlers from the REST API and from pages with filters. */
export function robots({ site }: Pick<Context, 'site'>, root: string): string {
  const lines = [
    'User-agent: *',
    `Disallow: ${root}${site.restRoot}/`,
    `Disallow: ${root}/*?`,
    `Allow: ${root}/*?page=`,
    ...(site.languages.length > 1 ? [`Allow: ${root}/*?lang=`] : []),
    `Allow: ${root}/?post_type=`,
    '',
    `Sitemap: ${site.url}/sitemap.xml`,
    '',
  ]
  return lines.filter((line) => line !== 'Disallow: /').join('\n')
}
