import { isIdOf, isSlugOf } from '../common/linked-rules.ts'
import { authorFields, imageField, linkedFilters, statusField } from '../common/record-fields.ts'
import { clearableText, integer, line, settledText, text, url } from '../declare/kinds.ts'
import { defineResource } from '../declare/resource.ts'

/** Organizers: who holds events (specification 2.3, 4.7). */
export const organizer = defineResource({
  name: 'organizer',
  path: 'organizers',
  title: 'Organizer',
  addresses: {
    id: { id: { kind: integer, about: 'The id of the organizer', required: true, valid: isIdOf('organizer') } },
    slug: {
      slug: { kind: settledText, about: 'The slug of the organizer', required: true, valid: isSlugOf('organizer') },
    },
  },
  fields: {
    author: { ...authorFields.author, default: null },
    date: { ...authorFields.date, default: null },
    date_utc: { ...authorFields.date_utc, default: null },
    organizer: { kind: text, about: 'The name of the organizer', required: true, default: null },
    description: { kind: clearableText, about: 'The description of the organizer', default: null },
    status: { ...statusField.status, default: null },
    phone: { kind: line, about: 'The phone number of the organizer', default: null },
    website: { kind: url, about: 'The website of the organizer', default: null },
    email: { kind: line, about: 'The e-mail address of the organizer', default: null },
    image: { ...imageField.image, default: null },
  },
  filters: linkedFilters,
})
