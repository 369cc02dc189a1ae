import type { Site } from '../../base/config.ts'
import { layOut } from './layout.ts'
import { rootOf } from './page-addresses.ts'
import { keepLanguage } from './page-languages.ts'
import type { View, Viewing } from './viewing.ts'

export interface PageAnswer {
  status: number
  mediaType: string
  body: string
  imagesFrom?: string | undefined
  /** New address of the page, or its feed in the requested format. */
  location?: string
  isFramed?: true
}

export const HTML = 'text/html; charset=UTF-8'

export const XML = 'application/xml; charset=UTF-8'

export const JSON_TYPE = 'application/json; charset=UTF-8'

export const shown = (viewing: Viewing, view: View): PageAnswer => ({
  status: view.status,
  mediaType: HTML,
  body: layOut(viewing, view),
  ...(view.imagesFrom === undefined ? {} : { imagesFrom: view.imagesFrom }),
})

export function movedTo(site: Site, path: string): PageAnswer {
  return { status: 301, mediaType: HTML, body: '', location: rootOf(site) + path }
}

export function seeOther(site: Site, path: string): PageAnswer {
  return { ...movedTo(site, path), status: 303 }
}

export function redirected(site: Site, answer: PageAnswer, queryText: string): PageAnswer {
  const { location } = answer
  const kept = location?.startsWith(`${rootOf(site)}/`)
    ? { ...answer, location: keepLanguage(site, location) }
    : answer
  return withCalendar(kept, queryText)
}

/** Adds `ical=1` to a redirect if the query asks for the page's iCalendar feed. */
function withCalendar(answer: PageAnswer, queryText: string): PageAnswer {
  const { status, location } = answer
  if (status !== 301 || location === undefined || !/(?:^|&)ical=1(?:&|$)/.test(queryText)) return answer
  if (/[?&]ical=1(?:&|$)/.test(location)) return answer
  return { ...answer, location: `${location}${location.includes('?') ? '&' : '?'}ical=1` }
}
