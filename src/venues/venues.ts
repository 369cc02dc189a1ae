import { linkedOperations } from '../linked/linked-operations.ts'
import type { VenueRow } from '../storage/schema.ts'
import { presentVenue, venueLinkedData } from './venue-present.ts'
import { venueRules } from './venue-rules.ts'

/** The operations on venues. */
export const venueOperations = linkedOperations<VenueRow>(venueRules, (context, row, image, extent) =>
  presentVenue(context, row, image, extent === 'single' ? venueLinkedData(row) : undefined),
)
