import type { Site } from '../../base/config.ts'
import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields } from '../../calendar/declare/parse.ts'
import { eventFilters } from '../../calendar/events/event-filters.ts'
import { findLinked } from '../../calendar/linked/linked-store.ts'
import { venueRules } from '../../calendar/linked/venue.ts'
import { translate } from '../../calendar/locales/translate.ts'
import { isPossibleId } from '../../calendar/records/record-store.ts'
import type { VenueRow } from '../../store/storage/schema.ts'
import { windowFilters } from '../feeds/feed.ts'
import { sharedFilters } from './page-filters.ts'
import { type EventFilters, withoutDatesAndWhen } from './page-finding.ts'

const { page, start_date, end_date, geoloc_lat, geoloc_lng, geoloc_radius } = eventFilters
const SHARED = { ...sharedFilters, start_date, end_date }
const ABOUT: ReadonlyMap<string, string> = new Map(
  Object.entries(SHARED).map(([name, { about }]) => [name, about]),
)
const FIELDS = { ...SHARED, geoloc_lat, geoloc_lng, geoloc_radius, page }

export interface PageQuery {
  filters: EventFilters
  page: number
  /** Known parameters with a value, without `page`. */
  sent: ReadonlyMap<string, string>
  isFiltered: boolean
  /** Invalid parameters. If there are any, no filter applies. */
  wrong?: ReadonlySet<string>
}

/**
 * A filter in words with its value as sent; `view-head` and `filter-chips` have shorter words for some
 * filters.
 */
export const filterWithValue = (site: Site, name: string, value: string) =>
  `${translate(site.language, ABOUT.get(name) ?? name)}: ${value}`

const NAMES = [...Object.keys(SHARED), 'near', 'geoloc_lat', 'geoloc_lng', 'geoloc_radius']

/** A query without effect, with what was sent and the wrong parameters, for the form to show. */
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

/** Parameters used only by lists. */
export const OF_LISTS = ['start_date', 'end_date', 'when']

const DATES = new RegExp(`(?:^|&)(?:${windowFilters.join('|')})=[^&]*(?=&|$)`, 'g')

export const withoutDates = (query: string): string => query.replace(DATES, '')

/** @throws Problem rest_invalid_param */
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

export function withoutListDates({ filters, sent, ...query }: PageQuery): PageQuery {
  const kept = new Map([...sent].filter(([name]) => !OF_LISTS.includes(name)))
  return { ...query, filters: withoutDatesAndWhen(filters), sent: kept, isFiltered: kept.size > 0 }
}

/**
 * Keeps `near` or a position rounded to about a kilometre, so that URLs do not tell exactly where a visitor
 * is.
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
 * Returns filters for events around a venue.
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

export function readPart(query: URLSearchParams): string {
  return new URLSearchParams(
    [...query].filter(([name]) => name === 'page' || NAMES.includes(name)),
  ).toString()
}

/** Returns the query string; the number of the first page is left out. */
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

/** Returns the query with `changes`; parameters that are undefined there are removed. */
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
