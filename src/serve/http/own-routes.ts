import { resources, series } from '../../calendar/resources.ts'
import { changesRoute } from './changes-route.ts'
import { historyRoutes } from './history-routes.ts'
import { itemRoute, listRoute, type Route } from './routes.ts'
import { settingsRoute } from './settings-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

/** The routes of what this service offers beside the interface and the platform. */
export function ownRoutes(): Route[] {
  return [
    changesRoute(),
    uncached(listRoute(series)),
    uncached(itemRoute(series, 'id', series.resource.addresses.id)),
    ...[...resources, series].flatMap(historyRoutes),
    settingsRoute,
    ...webhookRoutes(),
  ]
}

/** Few ask for series, so that finished answers would only take room. */
function uncached(route: Route): Route {
  return { ...route, endpoints: route.endpoints.map(({ cached: _cached, ...endpoint }) => endpoint) }
}
