import { eventFields } from '../../base/fields/event-fields.ts'
import { anything, integer, settledText } from '../../base/fields/kinds.ts'
import { limits } from '../../base/fields/limits.ts'
import { defineResource, withChecks } from '../declare/resource.ts'
import { isImageReference } from '../images/images.ts'
import { areLinkable, areLinks } from '../linked/linked-store.ts'
import { organizer } from '../linked/organizer.ts'
import { venue } from '../linked/venue.ts'
import { recordChecks } from '../records/record-rules.ts'
import { areTermEntries } from '../terms/term-rules.ts'
import { isCost } from './event-cost.ts'

const password = { kind: anything, about: 'Accepted and ignored: events have no passwords' } as const

/** The addresses are those of rule 3.9. */
export const event = defineResource({
  name: 'event',
  path: 'events',
  title: 'Event',
  addresses: {
    id: {
      id: { kind: integer, about: 'The id of the event', required: true },
      password: { ...password, kind: settledText },
    },
    slug: {
      slug: { kind: settledText, about: 'The slug of the event', required: true, within: limits.slug },
    },
  },
  removal: { recurrence_scope: eventFields.recurrence_scope },
  fields: withChecks(eventFields, {
    ...recordChecks,
    image: { lookUp: isImageReference },
    cost: { valid: isCost },
    categories: { valid: areTermEntries },
    tags: { valid: areTermEntries },
    venue: { valid: areLinks('venue', venue.fields), lookUp: areLinkable('venue', venue.fields) },
    organizer: {
      valid: areLinks('organizer', organizer.fields),
      lookUp: areLinkable('organizer', organizer.fields),
    },
  }),
})
