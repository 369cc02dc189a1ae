import type { Site } from '../../base/config.ts'
import type { WhenWord } from '../../base/fields/event-fields.ts'
import { addDays, dayOf, formatUtc, utcToMs, wallNow } from '../../base/text/moments.ts'
import { daysMeant, eveningOf, type Locality } from '../../calendar/events/event-when.ts'
import { endOfOver, firstOf, isDay, isMonth, mondayOf, monthOf, monthsLater, unitName } from './page-dates.ts'
import { sayOfPages } from './page-texts.ts'

/** What a path says of a view. A date is undefined if the path has none: then the present one is meant. */
interface Said {
  list: unknown
  past: unknown
  map: unknown
  month: { month: string | undefined }
  week: { day: string | undefined }
  day: { day: string | undefined }
}

export type Span<View extends keyof Said = keyof Said> = { [Name in View]: { view: Name } & Said[Name] }[View]

/** How a view's path is read and written. `events-page.ts` shows the view. */
interface ViewRow<View extends keyof Said> {
  read: (name: string | undefined, value: string | undefined) => Span<View> | undefined
  write: (span: Span<View>) => string
  /** Returns the view's span around the day and month, which a link or old address may lack. */
  at: (day: string | undefined, month: string | undefined) => Span<View>
  /** Returns the dates of the view's iCalendar feed as a query string; undefined for the ordinary feed. */
  dates: (span: Span<View>, today: string, wall: string) => string | undefined
  /** True if the dates are in the query, not in the path. */
  isList: boolean
  /** Returns the view's name in links; undefined for a view that others do not link to. */
  name: ((site: Site) => string | undefined) | undefined
}

export const VIEWS: { [View in keyof Said]: ViewRow<View> } = {
  list: {
    read: (name) => (name === undefined ? { view: 'list' } : undefined),
    write: () => '',
    at: () => ({ view: 'list' }),
    dates: () => undefined,
    isList: true,
    name: (site) => sayOfPages(site, 'List'),
  },
  past: {
    read: (name, value) => (name === 'past' && value === undefined ? { view: 'past' } : undefined),
    write: () => 'past/',
    at: () => ({ view: 'past' }),
    dates: (_span, today, wall) => {
      const over = encodeURI(formatUtc(utcToMs(endOfOver(wall)) + 1000))
      return `starts_after=0001-01-01&starts_before=${today}%2000:00:00&ends_before=${over}&strict_dates=true`
    },
    isList: false,
    name: undefined,
  },
  month: {
    read: (name, value) =>
      name === 'month' && (value === undefined || isMonth(value))
        ? { view: 'month', month: value }
        : undefined,
    write: ({ month }) => (month === undefined ? 'month/' : `month/${month}/`),
    at: (_day, month) => ({ view: 'month', month }),
    dates: ({ month }, today) => datesOfMonth(month ?? monthOf(today)),
    isList: false,
    name: (site) => unitName(site, 'month'),
  },
  week: {
    read: (name, value) => {
      if (name !== 'week') return undefined
      const day = value === undefined || isDay(value) ? value : mondayOf(value)
      return day === undefined && value !== undefined ? undefined : { view: 'week', day }
    },
    write: ({ day }) => (day === undefined ? 'week/' : `week/${day}/`),
    at: (day) => ({ view: 'week', day }),
    dates: ({ day }, today) => `start_date=${day ?? today}&end_date=${addDays(day ?? today, 6)}`,
    isList: false,
    name: (site) => unitName(site, 'weekOfYear'),
  },
  day: {
    read: (name = '', value) => {
      if (value !== undefined || (name !== 'today' && !isDay(name))) return undefined
      return { view: 'day', day: name === 'today' ? undefined : name }
    },
    write: ({ day = 'today' }) => `${day}/`,
    at: (day) => ({ view: 'day', day }),
    dates: ({ day }, today) => `start_date=${day ?? today}&end_date=${day ?? today}`,
    isList: false,
    name: (site) => unitName(site, 'day'),
  },
  map: {
    read: (name, value) => (name === 'map' && value === undefined ? { view: 'map' } : undefined),
    write: () => 'map/',
    at: () => ({ view: 'map' }),
    dates: () => undefined,
    isList: true,
    name: (site) => sayOfPages(site, site.maps.tiles === '' ? 'Places' : 'Map'),
  },
}

function datesOfMonth(month: string): string {
  const next = monthsLater(month, 1)
  return `start_date=${firstOf(month)}&end_date=${
    next === undefined ? `${month}-31` : addDays(firstOf(next), -1)
  }`
}

export function readSpan(segments: readonly string[]): Span | undefined {
  const [name, value, ...rest] = segments
  if (rest.length > 0) return undefined
  for (const { read } of Object.values(VIEWS)) {
    const span = read(name, value)
    if (span) return span
  }
  return undefined
}

export function writeSpan<View extends keyof Said>(span: Span<View>): string {
  const row: ViewRow<View> = VIEWS[span.view]
  return row.write(span)
}

/** Reads an old view: an unknown one becomes the list, and a list of one day the view of that day. */
export function oldSpan(name: string, day: string | undefined, month: string | undefined): Span {
  if (name === 'today') return { view: 'day', day: undefined }
  const row = new Map(Object.entries(VIEWS)).get(name) ?? VIEWS.list
  const span = row.at(day, month)
  return span.view === 'list' && day !== undefined ? { view: 'day', day } : span
}

export function calendarDates<View extends keyof Said>(span: Span<View>, wall: string): string | undefined {
  const row: ViewRow<View> = VIEWS[span.view]
  return row.dates(span, dayOf(wall), wall)
}

export const isUndated = ({ view: _view, ...dates }: Span) =>
  Object.values(dates).every((date) => date === undefined)

/** True for a list, whose dates are in the query, not in the path. */
export const isList = ({ view }: Span) => VIEWS[view].isList

/** Views that a page links to: its own without a date, the others at the page's date. */
export function linkedSpans(site: Site, from: Span, today: string): { span: Span; name: string }[] {
  const day = 'day' in from ? from.day : undefined
  const month = 'month' in from ? from.month : undefined
  const first = month === undefined || today.startsWith(month) ? undefined : firstOf(month)
  return Object.values(VIEWS).flatMap(({ at, name }) => {
    const text = name?.(site)
    if (text === undefined) return []
    const plain = at(undefined, undefined)
    return [{ span: plain.view === from.view ? plain : at(day ?? first, day?.slice(0, 7)), name: text }]
  })
}

export function firstDayOf(word: WhenWord, { timezone, language }: Locality, now: number): string {
  const wall = wallNow(timezone, now)
  if (word === 'now') return dayOf(wall)
  return word === 'tonight' ? eveningOf(wall) : daysMeant(word, dayOf(wall), language).first
}
