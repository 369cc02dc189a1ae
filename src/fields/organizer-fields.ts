import { clearableText, line, text, url } from './kinds.ts'
import { limits } from './limits.ts'
import { inAnswers, inTable, type LinkedField, onPage } from './member.ts'
import { authorFields, imageField, statusField } from './record-fields.ts'

/** The fields of organizers (rule 3.9). */
export const organizerFields = {
  author: { ...authorFields.author, default: null, ...inAnswers },
  date: { ...authorFields.date, default: null, ...inAnswers },
  date_utc: { ...authorFields.date_utc, default: null, ...inAnswers },
  organizer: {
    kind: text,
    about: 'The name of the organizer',
    required: true,
    default: null,
    within: limits.title,
    ...inTable,
  },
  description: { kind: clearableText, about: 'The description of the organizer', default: null, ...onPage },
  status: { ...statusField.status, default: null, ...inAnswers },
  phone: { kind: line, about: 'The phone number of the organizer', default: null, ...onPage },
  website: { kind: url, about: 'The website of the organizer', default: null, ...onPage },
  email: { kind: line, about: 'The e-mail address of the organizer', default: null, within: limits.email, ...onPage },
  image: { ...imageField.image, default: null, ...onPage },
} as const satisfies Readonly<Record<string, LinkedField>>
