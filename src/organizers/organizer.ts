import { defineResource, withChecks } from '../declare/resource.ts'
import { integer, settledText } from '../fields/kinds.ts'
import { limits } from '../fields/limits.ts'
import { organizerFields } from '../fields/organizer-fields.ts'
import { isImageReference } from '../images/images.ts'
import { isIdOf, isSlugOf } from '../linked/linked-rules.ts'
import { recordChecks } from '../records/record-checks.ts'

/** Organizers: who holds events (rule 3.9). */
export const organizer = defineResource({
  name: 'organizer',
  path: 'organizers',
  title: 'Organizer',
  addresses: {
    id: { id: { kind: integer, about: 'The id of the organizer', required: true, lookUp: isIdOf('organizer') } },
    slug: {
      slug: {
        kind: settledText,
        about: 'The slug of the organizer',
        required: true,
        within: limits.slug,
        lookUp: isSlugOf('organizer'),
      },
    },
  },
  fields: withChecks(organizerFields, { ...recordChecks, image: { lookUp: isImageReference } }),
})
