import {
  clearableText,
  distance,
  flag,
  integer,
  latitude,
  line,
  longitude,
  settledText,
  text,
  url,
  wordFlag,
} from '../declare/kinds.ts'
import { limits } from '../declare/limits.ts'
import { defineResource } from '../declare/resource.ts'
import { imageField } from '../images/image-field.ts'
import { isIdOf, isSlugOf } from '../linked/linked-rules.ts'
import { authorFields, linkedFilters, statusField } from '../records/record-fields.ts'

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
  fields: {
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
  },
  filters: {
    ...linkedFilters,
    geoloc: { kind: flag, about: 'Only venues that have coordinates, or only those that have none' },
    geoloc_lat: { kind: latitude, about: 'The latitude to look around; needs geoloc_lng' },
    geoloc_lng: { kind: longitude, about: 'The longitude to look around; needs geoloc_lat' },
    geoloc_radius: { kind: distance, about: 'How far to look around geoloc_lat and geoloc_lng, in kilometres' },
  },
})
