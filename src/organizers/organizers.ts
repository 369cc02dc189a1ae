import { linkedOperations } from '../linked/linked-operations.ts'
import type { OrganizerRow } from '../storage/schema.ts'
import { organizerLinkedData, presentOrganizer } from './organizer-present.ts'
import { organizerRules } from './organizer-rules.ts'

/** The operations on organizers. */
export const organizerOperations = linkedOperations<OrganizerRow>(organizerRules, (context, row, image, extent) =>
  presentOrganizer(context, row, image, extent === 'single' ? organizerLinkedData(row) : undefined),
)
