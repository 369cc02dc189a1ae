import { type RareColumn, rareFields, type SeriesMember, showRare } from '../../base/fields/event-members.ts'
import { type Parsed, pageFilters } from '../../base/fields/field.ts'
import { integer, words } from '../../base/fields/kinds.ts'
import { recurrenceLines } from '../../base/recurrence/recurrence-text.ts'
import { renderTitle } from '../../base/text/html.ts'
import { renderedText } from '../../base/text/long-texts.ts'
import { presentUrl } from '../../base/text/urls.ts'
import type { Db } from '../../store/storage/database.ts'
import type { OrganizerRow, SeriesRow, VenueRow } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import type { Presentation } from '../declare/operations.ts'
import { collectionUrl, defineFields, defineResource, OWN_NAMESPACE } from '../declare/resource.ts'
import { event } from '../events/event.ts'
import { FREE, presentCost, storedCost } from '../events/event-cost.ts'
import { presentLinks, textsOfEvent } from '../events/event-present.ts'
import type { EventLinks } from '../events/event-store.ts'
import { asSeriesSeenBy } from '../events/event-when.ts'
import { recurrenceOf, seriesUrl, showRule, startOf } from '../events/recurrence-present.ts'
import { findImages, showImage } from '../images/images.ts'
import { findLinkedByIds } from '../linked/linked-store.ts'
import { organizerRules } from '../linked/organizer.ts'
import { venueRules } from '../linked/venue.ts'
import { isAllowedStatusList } from '../records/record-store.ts'
import { compareTerms, findTermsByIds, termsApart } from '../terms/term-store.ts'
import { FOR_EVER, scheduleOf, whenAt } from './series-schedule.ts'
import { readShared } from './series-store.ts'

/** Each occurrence has its own slug, and a change of a series always has the scope `all`. */
const { slug: _slug, recurrence_scope: _scope, ...fields } = event.fields

export const seriesResource = defineResource({
  name: 'series',
  path: 'series',
  namespace: OWN_NAMESPACE,
  title: 'Series',
  addresses: { id: { id: { kind: integer, about: 'The id of the series', required: true } } },
  fields,
})

export const seriesFilters = defineFields({
  ...pageFilters,
  status: { kind: words, about: 'Only records with one of these statuses', valid: isAllowedStatusList },
})

export type SeriesQuery = Parsed<typeof seriesFilters>

/** Reads what each series links to, in the order of `rows`, without deleted records. */
export async function findSeriesLinks(db: Db, rows: readonly SeriesRow[]): Promise<EventLinks[]> {
  const shared = rows.map(readShared)
  const all = (name: 'venues' | 'organizers' | 'terms') => [...new Set(shared.flatMap((one) => one[name]))]
  const [venues, organizers, terms] = await Promise.all([
    findLinkedByIds<VenueRow>(db, venueRules, all('venues')),
    findLinkedByIds<OrganizerRow>(db, organizerRules, all('organizers')),
    findTermsByIds(db, all('terms')),
  ])
  const pictured: readonly { image: number | null }[] = [
    ...shared,
    ...venues.values(),
    ...organizers.values(),
  ]
  const images = await findImages(
    db,
    pictured.flatMap(({ image }) => image ?? []),
  )
  return shared.map((one) => ({
    venues: one.venues.flatMap((id) => venues.get(id) ?? []),
    organizers: one.organizers.flatMap((id) => organizers.get(id) ?? []),
    ...termsApart(terms.filter(({ id }) => one.terms.includes(id)).sort(compareTerms)),
    images,
    series: undefined,
  }))
}

/** `total` counts the occurrences in public lists. */
export interface LoadedSeries {
  row: SeriesRow
  links: EventLinks
  total: number
}

/** A series is shown the same in lists and alone (docs/series.md). */
export const seriesPresentation: Presentation<LoadedSeries> = {
  nameOf: ({ row }) => ({ kind: 'series', id: row.id }),
  textsOf: ({ row, links }) => textsOfEvent(readShared(row), links, 'listed'),
  present: presentSeries,
}

const rare = rareFields('series')

function presentSeries(
  context: Context,
  { row, links, total }: LoadedSeries,
): Record<Exclude<SeriesMember, RareColumn>, unknown> {
  const { site } = context
  const shared = readShared(row)
  const { description, excerpt, trusted } = shared
  const picture = links.images.get(shared.image ?? 0)
  const { timezone, all_day, start_date, end_date } = whenAt(scheduleOf(row), row.start_date)
  return {
    id: row.id,
    author: String(row.author),
    status: row.status,
    title: renderTitle(row.title, trusted === 1),
    description: renderedText(description, trusted === 1),
    excerpt: renderedText(excerpt, trusted === 1),
    slug: row.slug,
    image: (picture && showImage(context, picture)) ?? false,
    url: seriesUrl(site, row),
    rest_url: `${collectionUrl(site, seriesResource)}/${row.id}`,
    timezone,
    all_day: all_day === 1,
    start_date,
    end_date,
    recurrence: {
      series: row.id,
      ...showRule(context, row),
      lines: recurrenceLines(recurrenceOf(row), startOf(row)),
    },
    website: presentUrl(shared.website) ?? '',
    ...presentCost(storedCost(shared.cost), site.currency, FREE),
    show_map: shared.show_map === 1,
    show_map_link: shared.show_map_link === 1,
    hide_from_listings: shared.hide_from_listings === 1,
    sticky: shared.sticky === 1,
    featured: shared.featured === 1,
    ...presentLinks(context, links),
    written_until: row.written_until === FOR_EVER ? null : row.written_until,
    created_utc: row.created_utc,
    modified_utc: row.modified_utc,
    occurrences: { total, rest_url: `${site.base}/events?post_parent=${row.id}` },
    ...showRare(rare, asSeriesSeenBy(context.caller, shared, context.now)),
  }
}
