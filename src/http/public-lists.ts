import type { Context } from '../context/context.ts'
import type { Found } from '../declare/operations.ts'
import { parseFields } from '../declare/parse.ts'
import { event } from '../events/event.ts'
import { type EventsQuery, eventFilters } from '../events/event-filters.ts'
import { findInMemory } from '../events/find-events.ts'
import { type JsonList, showPieces } from '../formats/json-lists.ts'
import { Problem } from '../problems.ts'
import type { Served } from '../resources.ts'
import { parsePlainQuery } from './request.ts'
import { anonymousContext, type Service } from './respond.ts'
import type { Action } from './routes.ts'

/** Whether a row of the route table lists the events of the namespace. */
export function isEventList(action: Action): boolean {
  return action.do === 'list' && action.served.resource === event
}

/** Whether a row of the route table answers a single event of the namespace. */
export function isEvent(action: Action): boolean {
  return action.do === 'read' && action.served.resource === event
}

/** A list of events from memory; undefined when memory cannot answer it, or for an unusual request. */
export function findList(
  service: Service,
  served: Served,
  queryText: string,
  now: number,
): JsonList | undefined | Promise<JsonList | undefined> {
  const context = anonymousContext(service, now)
  const show = (found: Found | undefined) =>
    !found || (found.page > 1 && found.ids.length === 0) ? undefined : showPieces(context, served, found)
  const list = (query: EventsQuery) => {
    const found = findInMemory(context, query)
    return found instanceof Promise ? found.then(show) : show(found)
  }
  try {
    const query = readQuery(queryText, context)
    return query instanceof Promise ? query.then(list).catch(leaveProblem) : query && list(query)
  } catch (error) {
    return leaveProblem(error)
  }
}

const FILTERS: ReadonlySet<string> = new Set(Object.keys(eventFilters))

/** Whether a parameter only changes how the list is shown. */
const SHOWING = /(?:^|&)(?:_|format=)/

/** The parameters of a simple query; undefined for any other, which is answered the ordinary way. @throws Problem */
function readQuery(text: string, context: Context): EventsQuery | undefined | Promise<EventsQuery> {
  const raw = SHOWING.test(text) ? undefined : parsePlainQuery(text, FILTERS)
  return raw && parseFields(eventFilters, raw, context)
}

/** The ordinary way reports the faults of a request. */
function leaveProblem(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error
}
