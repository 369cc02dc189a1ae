import type { FieldsData } from './field.ts'
import { clearableText, line, text, url } from './kinds.ts'
import { limits } from './limits.ts'
import { authorFields, imageField, statusField } from './record-fields.ts'

/** The fields of organizers (rule 3.9). */
export const organizerFields = {
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
} as const satisfies FieldsData
