import { authorFields, imageField, statusField } from './field.ts'
import { clearableText, factOfAccess, latitude, line, longitude, text, url, wordFlag } from './kinds.ts'
import { limits } from './limits.ts'
import { inAnswers, inTable, type LinkedField, onPage } from './member.ts'

// Declares the fields of venues and organizers.

const fact = { kind: factOfAccess, unlisted: true, ...inTable } as const

/** The fields of venues (rule 3.9). Pages name the facts of access at the end by `about`. */
export const venueFields = {
  author: { ...authorFields.author, ...inAnswers },
  date: { ...authorFields.date, ...inAnswers },
  date_utc: { ...authorFields.date_utc, ...inAnswers },
  venue: {
    kind: text,
    about: 'The name of the venue',
    label: 'Name',
    required: true,
    within: limits.title,
    ...inTable,
  },
  description: {
    kind: clearableText,
    about: 'The description of the venue',
    label: 'Description',
    default: null,
    ...onPage,
  },
  status: { ...statusField.status, ...inAnswers },
  show_map: {
    kind: wordFlag,
    about: 'Whether events at the venue show a map',
    label: 'Show a map',
    default: null,
    ...inAnswers,
  },
  show_map_link: {
    kind: wordFlag,
    about: 'Whether events at the venue link to a map',
    label: 'Link to a map',
    default: null,
    ...inAnswers,
  },
  address: {
    kind: line,
    about: 'The street address of the venue',
    label: 'Street and number',
    default: null,
    ...inTable,
  },
  city: { kind: line, about: 'The city of the venue', label: 'City', inLists: true, default: null, ...inTable },
  country: { kind: line, about: 'The country of the venue', label: 'Country', default: null, ...inTable },
  province: {
    kind: line,
    about: 'The province of the venue',
    label: 'Province',
    input: false,
    default: null,
    ...inAnswers,
  },
  state: { kind: line, about: 'The state of the venue', label: 'State', input: false, default: null, ...inAnswers },
  zip: { kind: line, about: 'The postal code of the venue', label: 'Postal code', default: null, ...inTable },
  phone: {
    kind: line,
    about: 'The phone number of the venue',
    label: 'Phone',
    input: 'tel',
    default: null,
    ...onPage,
  },
  stateprovince: {
    kind: line,
    about: 'The state or province of the venue',
    label: 'State or province',
    default: null,
    ...onPage,
  },
  website: { kind: url, about: 'The website of the venue', label: 'Website', default: null, ...onPage },
  image: { ...imageField.image, default: null, ...onPage },
  geo_lat: {
    kind: latitude,
    about: 'The latitude of the venue, in degrees; sent together with geo_lng',
    label: 'Latitude',
    hint: 'In degrees, such as 53.2707; together with the longitude.',
    ...inTable,
    csv: 'latitude',
  },
  geo_lng: {
    kind: longitude,
    about: 'The longitude of the venue, in degrees; sent together with geo_lat',
    label: 'Longitude',
    hint: 'In degrees, such as -9.0568.',
    ...inTable,
    csv: 'longitude',
  },
  step_free: { ...fact, about: 'Step-free access' },
  accessible_toilet: { ...fact, about: 'Accessible toilet' },
  accessible_parking: { ...fact, about: 'Accessible parking' },
  lift: { ...fact, about: 'Lift' },
  hearing_loop: { ...fact, about: 'Hearing loop' },
  quiet_space: { ...fact, about: 'Quiet space' },
  assistance_dogs: { ...fact, about: 'Assistance dogs welcome' },
} as const satisfies Readonly<Record<string, LinkedField>>

/** The fields of organizers (rule 3.9). */
export const organizerFields = {
  author: { ...authorFields.author, default: null, ...inAnswers },
  date: { ...authorFields.date, default: null, ...inAnswers },
  date_utc: { ...authorFields.date_utc, default: null, ...inAnswers },
  organizer: {
    kind: text,
    about: 'The name of the organizer',
    label: 'Name',
    required: true,
    default: null,
    within: limits.title,
    ...inTable,
  },
  description: {
    kind: clearableText,
    about: 'The description of the organizer',
    label: 'Description',
    default: null,
    ...onPage,
  },
  status: { ...statusField.status, default: null, ...inAnswers },
  phone: {
    kind: line,
    about: 'The phone number of the organizer',
    label: 'Phone',
    input: 'tel',
    default: null,
    ...onPage,
  },
  website: { kind: url, about: 'The website of the organizer', label: 'Website', default: null, ...onPage },
  email: {
    kind: line,
    about: 'The e-mail address of the organizer',
    label: 'Email',
    input: 'email',
    inLists: true,
    default: null,
    within: limits.email,
    ...onPage,
  },
  image: { ...imageField.image, default: null, ...onPage },
} as const satisfies Readonly<Record<string, LinkedField>>
