import { categoryOperations } from './categories/categories.ts'
import { category } from './categories/category.ts'
import type { Operations } from './declare/operations.ts'
import type { Resource } from './declare/resource.ts'
import { event } from './events/event.ts'
import { eventOperations } from './events/events.ts'
import { organizer } from './organizers/organizer.ts'
import { organizerOperations } from './organizers/organizers.ts'
import { tag } from './tags/tag.ts'
import { tagOperations } from './tags/tags.ts'
import { venue } from './venues/venue.ts'
import { venueOperations } from './venues/venues.ts'

/** A resource as the routes use it: its declaration and its operations. */
export interface Served {
  resource: Resource
  operations: Operations
}

const serve = <Row, Loaded>(resource: Resource, operations: Operations<Row, Loaded>): Served => ({
  resource,
  operations: operations as Operations,
})

/** The five resources, in the order of the namespace index (rule 3.1). */
export const resources: readonly Served[] = [
  serve(event, eventOperations),
  serve(venue, venueOperations),
  serve(organizer, organizerOperations),
  serve(category, categoryOperations),
  serve(tag, tagOperations),
]
