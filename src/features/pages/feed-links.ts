import type { Site } from '../../base/config.ts'
import { formats } from '../feeds/formats.ts'
import { icalendar } from '../feeds/icalendar.ts'
import { rss } from '../feeds/rss.ts'
import { spanPath, type TermPath } from './page-addresses.ts'
import { type Html, html } from './page-html.ts'
import { type PageQuery, queryText } from './page-query.ts'
import { type FeedLink, pathTo, say } from './viewing.ts'

export const feedBase = (scope: TermPath | undefined) => spanPath({ view: 'list' }, scope).replace(/\/$/, '')

/**
 * @param base the path of the page, without an extension
 * @param query the filters of the page as a query string
 */
export function feedLinks(base: string, query: string): FeedLink[] {
  return formats.flatMap(({ extension, mediaType, title }) =>
    title === undefined ? [] : [{ mediaType, title, path: feedPath(base, extension, query) }],
  )
}

export const feedPath = (base: string, ending: string, query: string) =>
  `${base}.${ending}${query === '' ? '' : `?${query}`}`

/** The page's filters for its feed, without dates; `near` becomes coordinates, `search` becomes `words`. */
export function feedQuery(query: PageQuery): string {
  const kept = new URLSearchParams(queryText(query, ['start_date', 'end_date', 'near', 'geoloc_radius']))
  const words = kept.get('search')
  if (words !== null) {
    kept.delete('search')
    kept.set('words', words)
  }
  const { geoloc_lat: lat, geoloc_lng: lng, geoloc_radius: radius } = query.filters
  if (typeof lat === 'number' && typeof lng === 'number') {
    kept.set('geoloc_lat', String(lat))
    kept.set('geoloc_lng', String(lng))
    if (radius !== undefined) kept.set('geoloc_radius', String(radius))
  }
  return kept.toString()
}

export function subscribeMenu(
  site: Site,
  base: string,
  query: string,
  byMail?: { path: string; text: string } | undefined,
): Html {
  const file = feedPath(base, icalendar.extension, query)
  const calendar = `${site.url}${file}`
  const webcal = calendar.replace(/^https?:/, 'webcal:')
  const google = `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcal)}`
  const web = `calendar/0/addfromweb?url=${encodeURIComponent(calendar)}&name=${encodeURIComponent(
    site.name,
  )}`
  const copy = (address: string) =>
    html`<button type="button" class="quiet" data-copy="${address}" data-copied="${say(
      site,
      'Copied',
    )}">${say(site, 'Copy address')}</button>`
  const feed = feedPath(base, rss.extension, query)
  return html`<details class="menu end"><summary class="button">${say(site, 'Subscribe')}</summary><ul>
${
  byMail && html`<li><a href="${pathTo(site, byMail.path)}" rel="nofollow">${byMail.text}</a></li>\n`
}<li><a href="${webcal}">${say(site, 'Apple Calendar and other apps')}</a></li>
<li><a href="${google}" rel="noopener">Google Calendar</a></li>
<li><a href="https://outlook.live.com/${web}" rel="noopener">Outlook.com</a></li>
<li><a href="https://outlook.office.com/${web}" rel="noopener">Microsoft 365</a></li>
<li><a href="${pathTo(site, file)}">${say(
    site,
    'Calendar file',
  )} (.${icalendar.extension})</a>${copy(calendar)}</li>
<li><a href="${pathTo(site, feed)}">${rss.title}</a>${copy(`${site.url}${feed}`)}</li>
</ul></details>`
}
