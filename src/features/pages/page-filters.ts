import { eventFilters } from '../../calendar/events/event-filters.ts'
import { TERM_LISTS } from '../../calendar/terms/term-store.ts'

// Filters that pages and `<kalends-events>` have in common with the REST API.

/**
 * REST filters that pages do not use: they express them by the path, `near` or the page number, or have no
 * use for them.
 */
const {
  page: _page,
  per_page: _perPage,
  start_date: _startDate,
  end_date: _endDate,
  starts_before: _startsBefore,
  starts_after: _startsAfter,
  ends_before: _endsBefore,
  ends_after: _endsAfter,
  strict_dates: _strictDates,
  status: _status,
  geoloc_lat: _lat,
  geoloc_lng: _lng,
  geoloc_radius: _radius,
  collapse: _collapse,
  ticketed: _ticketed,
  // Pages call this filter `search`.
  words: _words,
  ...shared
} = eventFilters

/** Attribute names of the filters by terms: `category` for `categories`. */
const TERM_OF_LIST = new Map<string, string>(
  Object.entries(TERM_LISTS).map(([taxonomy, list]) => [list, taxonomy]),
)

export const sharedFilters = shared

export const attributeFilters: ReadonlyMap<string, string> = new Map(
  Object.keys(shared).map((name) => [TERM_OF_LIST.get(name) ?? name, name === 'search' ? 'words' : name]),
)
