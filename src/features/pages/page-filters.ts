import { eventFilters } from '../../calendar/events/event-filters.ts'
import { TERM_LISTS } from '../../calendar/terms/term-store.ts'

// Filters that pages and `<kalends-events>` share with the REST API.

/** Filters that pages have no use for, or replace by the path, `near` or the page number. */
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
  // Called `search` on pages.
  words: _words,
  ...shared
} = eventFilters

const TERM_OF_LIST = new Map<string, string>(
  Object.entries(TERM_LISTS).map(([taxonomy, list]) => [list, taxonomy]),
)

export const sharedFilters = shared

export const attributeFilters: ReadonlyMap<string, string> = new Map(
  Object.keys(shared).map((name) => [TERM_OF_LIST.get(name) ?? name, name === 'search' ? 'words' : name]),
)
