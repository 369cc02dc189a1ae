import { linkedOperations } from '../common/linked-operations.ts'
import type { OrganizerRow } from '../storage/schema.ts'
import { organizerLinkedData, presentOrganizer } from './organizer-present.ts'
import { organizerRules } from './organizer-rules.ts'

/** What the routes do with organizers. */
export const organizerOperations = linkedOperations<OrganizerRow>(organizerRules, (asking, row, image, single) =>
  presentOrganizer(asking, row, image, single ? organizerLinkedData(row) : undefined),
)
