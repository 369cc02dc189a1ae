import { changesRoute } from './changes-route.ts'
import type { Route } from './routes.ts'

/** The namespace of what this service offers beside the interface and the platform. */
export const OWN = 'kalends/v1'

export function ownRoutes(): Route[] {
  return [changesRoute()]
}
