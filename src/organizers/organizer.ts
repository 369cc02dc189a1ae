import { clearableText, integer, line, settledText, text, url } from '../declare/kinds.ts'
import { limits } from '../declare/limits.ts'
import { defineResource } from '../declare/resource.ts'
import { imageField } from '../images/image-field.ts'
import { isIdOf, isSlugOf } from '../linked/linked-rules.ts'
import { authorFields, linkedFilters, statusField } from '../records/record-fields.ts'

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
  fields: {
    author: { ...authorFields.author, default: null },
    date: { ...authorFields.date, default: null },
    date_utc: { ...authorFields.date_utc, default: null },
    organizer: { kind: text, about: 'The name of the organizer', required: true, default: null, within: limits.title },
    description: { kind: clearableText, about: 'The description of the organizer', default: null },
    status: { ...statusField.status, default: null },
    phone: { kind: line, about: 'The phone number of the organizer', default: null },
    website: { kind: url, about: 'The website of the organizer', default: null },
    email: { kind: line, about: 'The e-mail address of the organizer', default: null, within: limits.email },
    image: { ...imageField.image, default: null },
  },
  filters: linkedFilters,
})
