import { eventFilters } from '../../calendar/events/event-filters.ts'
import { TERM_LISTS } from '../../calendar/terms/term-store.ts'

// Pages and `<kalends-events>` share these filters with the interface.

/** Pages have other ways for these (path, `near`, number), or no use for them. */
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
  // Pages call it `search`.
  words: _words,
  ...shared
} = eventFilters

/** The attribute is `category`, the filter `categories`. */
const TERM_OF_LIST = new Map<string, string>(
  Object.entries(TERM_LISTS).map(([taxonomy, list]) => [list, taxonomy]),
)

export const sharedFilters = shared

export const attributeFilters: ReadonlyMap<string, string> = new Map(
  Object.keys(shared).map((name) => [TERM_OF_LIST.get(name) ?? name, name === 'search' ? 'words' : name]),
)
