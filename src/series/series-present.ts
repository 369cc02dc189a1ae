import type { Context } from '../context/context.ts'
import type { Presentation } from '../declare/operations.ts'
import { collectionUrl } from '../declare/resource.ts'
import { FREE, presentCost, storedCost } from '../events/event-cost.ts'
import { presentLinks } from '../events/event-present.ts'
import type { EventLinks } from '../events/event-store.ts'
import { textsOfEvent } from '../events/event-texts.ts'
import { recurrenceOf, seriesUrl, showRule, startOf } from '../events/recurrence-present.ts'
import { type RareColumn, rareFields, type SeriesMember, showRare } from '../fields/event-members.ts'
import { showImage } from '../images/images.ts'
import { recurrenceLines } from '../recurrence/write-recurrence.ts'
import type { SeriesRow } from '../storage/schema.ts'
import { renderTitle } from '../text/html.ts'
import { renderedText } from '../text/long-texts.ts'
import { shownUrl } from '../text/urls.ts'
import { seriesResource } from './series.ts'
import { FOR_EVER, scheduleOf, whenAt } from './series-schedule.ts'
import { readShared } from './series-shared.ts'

/** A series, its links, and the number of its occurrences that lists show to everybody. */
export interface LoadedSeries {
  row: SeriesRow
  links: EventLinks
  total: number
}

/** A series as routes show it: the same in lists and alone (docs/series.md). */
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
    website: shownUrl(shared.website) ?? '',
    ...presentCost(storedCost(shared.cost), site.currency, FREE),
    show_map: shared.show_map === 1,
    show_map_link: shared.show_map_link === 1,
    hide_from_listings: shared.hide_from_listings === 1,
    sticky: shared.sticky === 1,
    featured: shared.featured === 1,
    ...presentLinks(context, links, false),
    written_until: row.written_until === FOR_EVER ? null : row.written_until,
    created_utc: row.created_utc,
    modified_utc: row.modified_utc,
    occurrences: { total, rest_url: `${site.base}/events?post_parent=${row.id}` },
    ...showRare(rare, shared),
  }
}
