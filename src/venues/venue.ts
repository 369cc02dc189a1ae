import { defineResource, withChecks } from '../declare/resource.ts'
import { integer, settledText } from '../fields/kinds.ts'
import { limits } from '../fields/limits.ts'
import { venueFields } from '../fields/venue-fields.ts'
import { isImageReference } from '../images/images.ts'
import { isIdOf, isSlugOf } from '../linked/linked-rules.ts'
import { recordChecks } from '../records/record-checks.ts'

/** Venues: where events take place (rule 3.9). */
export const venue = defineResource({
  name: 'venue',
  path: 'venues',
  title: 'Venue',
  addresses: {
    id: { id: { kind: integer, about: 'The id of the venue', required: true, lookUp: isIdOf('venue') } },
    slug: {
      slug: {
        kind: settledText,
        about: 'The slug of the venue',
        required: true,
        within: limits.slug,
        lookUp: isSlugOf('venue'),
      },
    },
  },
  fields: withChecks(venueFields, { ...recordChecks, image: { lookUp: isImageReference } }),
})
