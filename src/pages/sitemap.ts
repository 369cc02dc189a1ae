import { sql } from 'kysely'
import type { Context } from '../context/context.ts'
import { seriesUrl } from '../events/recurrence-present.ts'
import { recordUrl } from '../linked/record-present.ts'
import { isOriginal } from '../records/origins.ts'
import { addDays } from '../text/moments.ts'
import { spanPath } from './page-addresses.ts'
import { firstOf, isMonth, monthsLater } from './page-dates.ts'
import { html } from './page-html.ts'
import { type PageTerms, scopeOf } from './page-terms.ts'

/** Addresses that one map of a site may have. */
const MOST = 50_000

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

interface Entry {
  address: string
  /** The time of the last change in UTC; empty where that is not known. */
  changed: string
}

/** Those of the calendar itself: the originals of others are elsewhere. */
const listedEvents = ({ db }: Context) =>
  db.selectFrom('events').where('status', '=', 'publish').where('hide_from_listings', '=', 0).where(isOriginal)

/** The maps there are: that of the pages, and one for each month with events. */
export async function sitemapIndex(context: Context): Promise<string> {
  const month = sql<string>`substr(start_date, 1, 7)`
  const query = listedEvents(context)
    .select([month.as('month'), sql<string>`max(modified_utc)`.as('changed')])
    .groupBy(month)
    .orderBy(month)
    .limit(MOST - 1)
  const [months] = await context.aside(context.db, 'list', [query])
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

/** The events that begin in a month. */
export async function sitemapOfMonth(context: Context, month: string): Promise<string> {
  const { site } = context
  const next = monthsLater(month, 1)
  const query = listedEvents(context)
    .select(['id', 'slug', 'status', 'modified_utc'])
    .where('start_date', '>=', firstOf(month))
    .where('start_date', '<', next === undefined ? '9999-12-32' : firstOf(next))
    .orderBy('start_date')
    .limit(MOST)
  const [rows] = await context.aside(context.db, 'list', [query])
  return addresses(rows.map((row) => ({ address: recordUrl(site, 'event', row), changed: row.modified_utc })))
}

/** The pages beside those of events: the calendar, its months from this one on, categories, tags, series, venues and organizers. */
export async function sitemapOfPages(context: Context, terms: PageTerms, today: string): Promise<string> {
  const { site, db } = context
  const linked = (table: 'venues' | 'organizers') =>
    db
      .selectFrom(table)
      .select(['id', 'slug', 'status', 'modified_utc'])
      .where('status', '=', 'publish')
      .orderBy('id')
      .limit(MOST / 4)
  const months = listedEvents(context)
    .select(sql<string>`substr(start_date, 1, 7)`.as('month'))
    .distinct()
    .where('start_date', '>=', `${today.slice(0, 7)}-01`)
    .where('start_date', '<', addDays(today, 1100))
  const series = db
    .selectFrom('series')
    .select(['id', 'slug', 'modified_utc'])
    .where('status', '=', 'publish')
    .orderBy('id')
    .limit(MOST / 4)
  const [listed, venues, organizers, coming] = await Promise.all([
    series.execute(),
    linked('venues').execute(),
    linked('organizers').execute(),
    months.execute(),
  ])
  const page = (path: string): Entry => ({ address: site.url + path, changed: '' })
  const inUse = [...terms.byId.values()].filter(({ count }) => count > 0)
  return addresses([
    page('/'),
    ...coming.flatMap(({ month }) => (isMonth(month) ? [page(spanPath({ view: 'month', month }, undefined))] : [])),
    ...inUse.map((term) => page(spanPath({ view: 'list' }, scopeOf(term)))),
    ...listed.map((row) => ({ address: seriesUrl(site, row), changed: row.modified_utc })),
    ...venues.map((row) => ({ address: recordUrl(site, 'venue', row), changed: row.modified_utc })),
    ...organizers.map((row) => ({ address: recordUrl(site, 'organizer', row), changed: row.modified_utc })),
  ])
}

function addresses(entries: readonly Entry[]): string {
  const rows = entries.map(({ address, changed }) => html`<url><loc>${address}</loc>${lastChange(changed)}</url>\n`)
  return HEAD + html`<urlset xmlns="${NAMESPACE}">\n${rows}</urlset>\n`.markup
}

const lastChange = (changed: string) => changed !== '' && html`<lastmod>${changed.replace(' ', 'T')}Z</lastmod>`

/** What crawlers are asked to leave alone: the interface, and pages narrowed by a query, of which there is no end. */
export function robots({ site }: Pick<Context, 'site'>, root: string): string {
  const lines = [
    'User-agent: *',
    `Disallow: ${root}${site.restRoot}/`,
    `Disallow: ${root}/*?`,
    `Allow: ${root}/*?page=`,
    `Allow: ${root}/?post_type=`,
    '',
    `Sitemap: ${site.url}/sitemap.xml`,
    '',
  ]
  return lines.filter((line) => line !== 'Disallow: /').join('\n')
}
