import type { Asking } from '../declare/asking.ts'
import type { Operations } from '../declare/operations.ts'
import { isLoggedIn } from '../people/caller.ts'
import type { Action, Endpoint, Method, Route } from './routes.ts'

/** What the route of a request is about: the record addressed, when there is one. */
export interface Subject {
  route: Route
  row: unknown
}

/** True when the caller may ask for this action on this record; everything may be asked to be read (contract 8.2). */
export function mayAsk(action: Action, asking: Asking, row: unknown): boolean {
  if (action.do === 'create') return action.served.operations.rights.create(asking)
  if (action.do === 'update' || action.do === 'remove')
    return changeRight(action.do, action.served.operations, asking, row)
  return true
}

function changeRight(change: 'update' | 'remove', operations: Operations, asking: Asking, row: unknown): boolean {
  return operations.rights[change](asking, row)
}

/** The methods of a route that the caller may use, as the `Allow` header lists them (contract 9.1). */
export function allowedMethods({ route, row }: Subject, asking: Asking): Method[] {
  const permits = ({ action }: Endpoint) =>
    action.do === 'read' ||
    action.do === 'list' ||
    !('served' in action) ||
    (isLoggedIn(asking.caller) && mayAsk(action, asking, row))
  return route.endpoints.filter(permits).flatMap((endpoint) => [...endpoint.methods])
}
