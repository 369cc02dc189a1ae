import type { FieldsData } from './field.ts'
import { clearableText, latitude, line, longitude, text, url, wordFlag } from './kinds.ts'
import { limits } from './limits.ts'
import { authorFields, imageField, statusField } from './record-fields.ts'

/** The fields of venues (rule 3.9). */
export const venueFields = {
  ...authorFields,
  venue: { kind: text, about: 'The name of the venue', required: true, within: limits.title },
  description: { kind: clearableText, about: 'The description of the venue', default: null },
  ...statusField,
  show_map: { kind: wordFlag, about: 'Whether events at the venue show a map', default: null },
  show_map_link: { kind: wordFlag, about: 'Whether events at the venue link to a map', default: null },
  address: { kind: line, about: 'The street address of the venue', default: null },
  city: { kind: line, about: 'The city of the venue', default: null },
  country: { kind: line, about: 'The country of the venue', default: null },
  province: { kind: line, about: 'The province of the venue', default: null },
  state: { kind: line, about: 'The state of the venue', default: null },
  zip: { kind: line, about: 'The postal code of the venue', default: null },
  phone: { kind: line, about: 'The phone number of the venue', default: null },
  stateprovince: { kind: line, about: 'The state or province of the venue', default: null },
  website: { kind: url, about: 'The website of the venue', default: null },
  image: { ...imageField.image, default: null },
  geo_lat: { kind: latitude, about: 'The latitude of the venue, in degrees; sent together with geo_lng' },
  geo_lng: { kind: longitude, about: 'The longitude of the venue, in degrees; sent together with geo_lat' },
} as const satisfies FieldsData
