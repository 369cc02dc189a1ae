import type { Context } from '../declare/context.ts'
import type { EventWindow } from '../memory/event-index-list.ts'
import { defaultWindow, parseWindowEdge } from './event-when.ts'

/** The published default of an edge of the window, computed at the time of the request (rule 12.1). */
export function defaultWindowOf(edge: 'start' | 'end') {
  return (context: Context) => defaultWindow(context.site.timezone, context.now)[edge]
}

type Edge = string | number

/** The parameters that make the window. */
export interface WindowQuery {
  start_date?: Edge
  end_date?: Edge
  starts_before?: Edge
  starts_after?: Edge
  ends_before?: Edge
  ends_after?: Edge
  strict_dates?: boolean
  include?: readonly number[]
}

/**
 * The window a query asks for (rules 12.4 and 12.5): whole days unless strict; the default window falls away when any of the four
 * relative bounds is given; `starts_after` and `ends_before` win over `start_date` and `end_date`; `include` ignores every date
 * (rule 12.6).
 */
export function eventWindow(query: WindowQuery, context: Context): EventWindow {
  if (query.include !== undefined) return WITHOUT_BOUNDS
  const edge = (value: string | number | undefined, which: 'start' | 'end' | 'before-after') =>
    value === undefined
      ? undefined
      : parseWindowEdge(value, which, query.strict_dates ?? false, context.site.timezone, context.now)
  const startsBefore = edge(query.starts_before, 'before-after')
  const startsAfter = edge(query.starts_after, 'before-after')
  const endsBefore = edge(query.ends_before, 'before-after')
  const endsAfter = edge(query.ends_after, 'before-after')
  const isRelative = (startsBefore ?? startsAfter ?? endsBefore ?? endsAfter) !== undefined
  const fallback = isRelative ? undefined : defaultWindow(context.site.timezone, context.now)
  const from = edge(query.start_date, 'start') ?? fallback?.start
  const to = edge(query.end_date, 'end') ?? fallback?.end
  return { from, to, startsBefore, startsAfter, endsBefore, endsAfter }
}

const WITHOUT_BOUNDS: EventWindow = {
  from: undefined,
  to: undefined,
  startsBefore: undefined,
  startsAfter: undefined,
  endsBefore: undefined,
  endsAfter: undefined,
}
