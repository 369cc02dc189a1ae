import type { Context } from '../declare/context.ts'
import type { Operations } from '../declare/operations.ts'
import { isLoggedIn } from '../people/caller.ts'
import { type Action, type Endpoint, isHistoryDeed, type Method, type Route } from './routes.ts'
import { isWebhookDeed, managesWebhooks } from './webhook-deeds.ts'

/** The route of a request and the record it addresses, if any. */
export interface Subject {
  route: Route
  row: unknown
}

/** Whether the caller may request this action on this record. Reads are always open (rule 26.2), except those of webhooks. */
export function mayAsk(action: Action, context: Context, row: unknown): boolean {
  if (action.do === 'create') return action.served.operations.rights.create(context)
  if (action.do === 'update' || action.do === 'remove')
    return changeRight(action.do, action.served.operations, context, row)
  if (isHistoryDeed(action.do) && 'served' in action)
    return changeRight('update', action.served.operations, context, row)
  return isWebhookDeed(action.do) ? managesWebhooks(context.caller) : true
}

function changeRight(change: 'update' | 'remove', operations: Operations, context: Context, row: unknown): boolean {
  return operations.rights[change](context, row)
}

/** The methods of a route that the caller may use, as the `Allow` header lists them (rule 28.2). */
export function allowedMethods({ route, row }: Subject, context: Context): Method[] {
  const permits = ({ action }: Endpoint) =>
    action.do === 'read' ||
    action.do === 'list' ||
    (!('served' in action) && !isWebhookDeed(action.do)) ||
    (isLoggedIn(context.caller) && mayAsk(action, context, row))
  return route.endpoints.filter(permits).flatMap((endpoint) => [...endpoint.methods])
}
