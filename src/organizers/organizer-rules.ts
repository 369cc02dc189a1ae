import type { LinkedRules } from '../linked/linked-change.ts'
import { organizer } from './organizer.ts'

/** The rules of writing organizers: none beyond their fields. */
export const organizerRules: LinkedRules = {
  kind: 'organizer',
  table: 'organizers',
  links: 'event_organizers',
  fields: organizer.fields,
  settle: () => ({}),
}
