import type { LinkedRules } from '../common/linked-change.ts'
import { organizer } from './organizer.ts'

/** What is special about writing organizers: nothing beyond their fields. */
export const organizerRules: LinkedRules = {
  kind: 'organizer',
  table: 'organizers',
  links: 'event_organizers',
  fields: organizer.fields,
  settle: () => ({}),
}
