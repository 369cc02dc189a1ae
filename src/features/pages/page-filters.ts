import { eventFilters } from '../../calendar/events/event-filters.ts'
import { TERM_LISTS } from '../../calendar/terms/term-store.ts'

// Derives the filters that pages and `<kalends-events>` share with the interface.

/**
 * Pages have other ways for the filters that are left out here (their path, `near`, their number), or no use,
 * since everybody sees the same page.
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

/** The taxonomy of each list of terms: an attribute is called `category`, and its filter `categories`. */
const TERM_OF_LIST = new Map<string, string>(
  Object.entries(TERM_LISTS).map(([taxonomy, list]) => [list, taxonomy]),
)

/** The filters that pages take, without the first and the last day. */
export const sharedFilters = shared

/**
 * The attributes of `<kalends-events>` that filter, each with the parameter of the interface that it means.
 */
export const attributeFilters: ReadonlyMap<string, string> = new Map(
  Object.keys(shared).map((name) => [TERM_OF_LIST.get(name) ?? name, name === 'search' ? 'words' : name]),
)
