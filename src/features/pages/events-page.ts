import { Problem } from '../../base/problems.ts'
import { TERM_LISTS } from '../../calendar/terms/term-store.ts'
import type { Taxonomy } from '../../store/storage/schema.ts'
import { dayView } from './day-view.ts'
import { chosenInWords } from './filter-chips.ts'
import { listView } from './list-view.ts'
import { mapView } from './map-view.ts'
import { monthView } from './month-view.ts'
import { type PageAddress, spanPath, withQuery } from './page-addresses.ts'
import { movedTo, type PageAnswer, seeOther, shown } from './page-answer.ts'
import { monthOf } from './page-dates.ts'
import { html, NOTHING } from './page-html.ts'
import { type PageQuery, queryText, readQuery, unreadableQuery, withoutListDates } from './page-query.ts'
import { findTermAt, scopeOf } from './page-terms.ts'
import { isList, type Span } from './spans.ts'
import { type EventsAsked, feedOf, wrongView } from './view-head.ts'
import type { View, Viewing } from './viewing.ts'
import { weekView } from './week-view.ts'

export async function eventsPage(
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

/** True if a coordinate in the query is not the rounded one, to which the visitor is then redirected. */
function isTooExact({ sent }: PageQuery, query: URLSearchParams): boolean {
  return ['geoloc_lat', 'geoloc_lng'].some((name) => sent.has(name) && sent.get(name) !== query.get(name))
}

/**
 * Returns a query without filters that has the names of the invalid parameters.
 * @throws `error` if it does not say which parameters are wrong
 */
function unreadBy(error: unknown, query: URLSearchParams): PageQuery {
  const wrong = error instanceof Problem ? Object.keys(error.details.params ?? {}) : []
  if (wrong.length === 0) throw error
  return unreadableQuery(query, wrong)
}

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
