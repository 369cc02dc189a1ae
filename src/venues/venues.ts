import { linkedOperations } from '../linked/linked-operations.ts'
import type { VenueRow } from '../storage/schema.ts'
import { presentVenue, venueLinkedData } from './venue-present.ts'
import { venueRules } from './venue-rules.ts'

/** What the routes do with venues. */
export const venueOperations = linkedOperations<VenueRow>(venueRules, (context, row, image, single) =>
  presentVenue(context, row, image, single ? venueLinkedData(row) : undefined),
)
