import type { Operations } from './declare/operations.ts'
import type { Fields, Resource } from './declare/resource.ts'
import { event } from './events/event.ts'
import { eventFilters } from './events/event-filters.ts'
import { linkedFilters, placedFilters } from './linked/linked-filters.ts'
import { organizer, organizerOperations } from './linked/organizer.ts'
import { venue, venueOperations } from './linked/venue.ts'
import { recurringEventOperations } from './series/recurring-events.ts'
import { seriesFilters, seriesResource } from './series/series.ts'
import { seriesOperations } from './series/series-operations.ts'
import { category, categoryOperations, tag, tagOperations } from './terms/taxonomies.ts'
import { categoryFilters, tagFilters } from './terms/term-filters.ts'

export interface ServedResource {
  resource: Resource
  filters: Fields
  operations: Operations
}

const serve = <Row, Loaded>(
  resource: Resource,
  filters: Fields,
  operations: Operations<Row, Loaded>,
): ServedResource => ({ resource, filters, operations: operations as Operations })

export const events: ServedResource = serve(event, eventFilters, recurringEventOperations)

/** In the order of the index (rule 3.1). */
export const resources: readonly ServedResource[] = [
  events,
  serve(venue, placedFilters, venueOperations),
  serve(organizer, linkedFilters, organizerOperations),
  serve(category, categoryFilters, categoryOperations),
  serve(tag, tagFilters, tagOperations),
]

/** Not in `resources`, since its routes are outside the interface of The Events Calendar. */
export const series: ServedResource = serve(seriesResource, seriesFilters, seriesOperations)

/** Finds a resource by name, also `series`. @throws Error if no resource has the name */
export function resourceNamed(name: string): ServedResource {
  const served = [...resources, series].find(({ resource }) => resource.name === name)
  if (!served) throw new Error(`No resource is called ${name}.`)
  return served
}
