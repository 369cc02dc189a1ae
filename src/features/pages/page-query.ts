import type { Site } from '../../base/config.ts'
import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields } from '../../calendar/declare/parse.ts'
import { eventFilters, windowFilters } from '../../calendar/events/event-filters.ts'
import { findLinked } from '../../calendar/linked/linked-store.ts'
import { venueRules } from '../../calendar/linked/venue.ts'
import { translate } from '../../calendar/locales/translate.ts'
import { isPossibleId } from '../../calendar/records/record-store.ts'
import type { VenueRow } from '../../store/storage/schema.ts'
import { sharedFilters } from './page-filters.ts'
import { type EventFilters, withoutDatesAndWhen } from './page-finding.ts'

// Reads and writes the query of a page: its filters and the number of the page.

const { page, start_date, end_date, geoloc_lat, geoloc_lng, geoloc_radius } = eventFilters
const SHARED = { ...sharedFilters, start_date, end_date }
const ABOUT: ReadonlyMap<string, string> = new Map(
  Object.entries(SHARED).map(([name, { about }]) => [name, about]),
)
const FIELDS = { ...SHARED, geoloc_lat, geoloc_lng, geoloc_radius, page }

/** The query of a page, parsed. */
export interface PageQuery {
  filters: EventFilters
  page: number
  /**
   * The parameters as sent, for the form and for links: without blank or unknown parameters, and without the
   * page.
   */
  sent: ReadonlyMap<string, string>
  /** Whether anything narrows the events. */
  isFiltered: boolean
  /** The parameters that cannot be used, if there are any; the filters are empty then. */
  wrong?: ReadonlySet<string>
}

/**
 * Writes an active filter as its `about` and its value. `view-head` and `presses` have shorter words for some
 * filters.
 */
export const filterWithValue = (site: Site, name: string, value: string) =>
  `${translate(site.language, ABOUT.get(name) ?? name)}: ${value}`

/** The names of all parameters of pages but `page`, in the order in which addresses have them. */
const NAMES = [...Object.keys(SHARED), 'near', 'geoloc_lat', 'geoloc_lng', 'geoloc_radius']

/**
 * Returns the query of an address whose parameters cannot all be used: nothing is filtered, and the form
 * shows the values that were sent.
 */
export const unreadableQuery = (query: URLSearchParams, wrong: readonly string[]): PageQuery => {
  const sent = sentIn(query)
  return { filters: {}, page: 1, sent, isFiltered: sent.size > 0, wrong: new Set(wrong) }
}

function sentIn(query: URLSearchParams): Map<string, string> {
  const sent = new Map<string, string>()
  for (const name of NAMES) {
    const value = query.getAll(name).filter(Boolean).join(',')
    if (value.trim() !== '') sent.set(name, value.trim())
  }
  settlePlace(sent)
  return sent
}

/** The parameters that other views than lists of coming events ignore. */
export const OF_LISTS = ['start_date', 'end_date', 'when']

const DATES = new RegExp(`(?:^|&)(?:${windowFilters.join('|')})=[^&]*(?=&|$)`, 'g')

/** The text of a query without the dates in it. */
export const withoutDates = (query: string): string => query.replace(DATES, '')

/** Reads the query of a page. @throws Problem rest_invalid_param */
export async function readQuery(context: Context, query: URLSearchParams): Promise<PageQuery> {
  const sent = sentIn(query)
  const { near, ...raw } = Object.fromEntries(sent)
  const asked = query.get('page') ?? ''
  const parsed = await parseFields(FIELDS, { ...raw, ...(asked === '' ? {} : { page: asked }) }, context)
  const { page = 1, geoloc_radius: radius, search: words, ...filters } = parsed
  const half = POSITION.filter((name) => !(name in filters))
  if (half.length === 1)
    throw new Problem('rest_invalid_param', { params: { [`${half[0]}`]: { why: 'invalid' } } })
  const own = 'geoloc_lat' in filters ? { geoloc_radius: radius ?? NEAR_KM } : {}
  const circle = near === undefined ? own : await circleAround(context, near, radius)
  return {
    filters: { ...filters, ...circle, ...(words === undefined ? {} : { words }) },
    page,
    sent,
    isFiltered: sent.size > 0,
  }
}

/** Returns the query without what only lists of coming events read. */
export function withoutListDates({ filters, sent, ...query }: PageQuery): PageQuery {
  const kept = new Map([...sent].filter(([name]) => !OF_LISTS.includes(name)))
  return { ...query, filters: withoutDatesAndWhen(filters), sent: kept, isFiltered: kept.size > 0 }
}

/**
 * Keeps one place to look around: `near` before a position. Rounds a position to about a kilometre, so that
 * addresses do not tell where a visitor is.
 */
function settlePlace(sent: Map<string, string>): void {
  const own = POSITION.flatMap((name) => {
    const text = sent.get(name)
    sent.delete(name)
    return text === undefined ? [] : [[name, text] as const]
  })
  if (own.length > 0 && !sent.has('near'))
    for (const [name, text] of own)
      sent.set(
        name,
        text !== '' && Number.isFinite(Number(text)) ? String(Math.round(Number(text) * 100) / 100) : text,
      )
  else if (!sent.has('near')) sent.delete('geoloc_radius')
}

const POSITION = ['geoloc_lat', 'geoloc_lng'] as const

const NEAR_KM = 5

/**
 * Returns the filters for a circle around a venue.
 * @throws Problem rest_invalid_param unless `near` is the id of a public venue with coordinates
 */
async function circleAround(
  { db }: Context,
  near: string,
  radius: number | undefined,
): Promise<EventFilters> {
  const id = /^\d{1,10}$/.test(near) ? Number(near) : 0
  const place = isPossibleId(id) ? await findLinked<VenueRow>(db, venueRules, id) : undefined
  const { geo_lat: lat, geo_lng: lng } =
    place?.status === 'publish' ? place : { geo_lat: null, geo_lng: null }
  if (lat === null || lng === null)
    throw new Problem('rest_invalid_param', { params: { near: { why: 'invalid' } } })
  return { geoloc_lat: lat, geoloc_lng: lng, geoloc_radius: radius ?? NEAR_KM }
}

/** Returns the part of a query, as sent, that pages of events and records read. */
export function readPart(query: URLSearchParams): string {
  return new URLSearchParams(
    [...query].filter(([name]) => name === 'page' || NAMES.includes(name)),
  ).toString()
}

/**
 * Writes the query of a link that keeps these filters except those in `without`, and that names the page
 * unless it is the first.
 */
export function queryText(
  { sent }: Pick<PageQuery, 'sent'>,
  without: readonly string[] = [],
  page = 1,
): string {
  const kept = new URLSearchParams()
  for (const [name, value] of sent) if (!without.includes(name)) kept.set(name, value)
  if (page > 1) kept.set('page', String(page))
  return kept.toString()
}

/**
 * Returns the query with some parameters changed, in the order of addresses; a change to undefined removes
 * its parameter.
 */
export function changedQuery(
  { sent }: Pick<PageQuery, 'sent'>,
  changes: Readonly<Record<string, string | undefined>>,
): Pick<PageQuery, 'sent'> {
  const all: Readonly<Record<string, string | undefined>> = { ...Object.fromEntries(sent), ...changes }
  return {
    sent: new Map(
      NAMES.flatMap((name) => {
        const value = all[name]
        return value === undefined ? [] : [[name, value] as const]
      }),
    ),
  }
}
