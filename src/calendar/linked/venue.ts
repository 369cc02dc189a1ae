import { venueFacts } from '../../base/fields/event-members.ts'
import { integer, settledText } from '../../base/fields/kinds.ts'
import { limits } from '../../base/fields/limits.ts'
import { venueFields } from '../../base/fields/linked-fields.ts'
import { invalidParam } from '../../base/problems.ts'
import { linkedText, plainText } from '../../base/text/html.ts'
import { renderedPlain } from '../../base/text/long-texts.ts'
import { presentUrl } from '../../base/text/urls.ts'
import type { ImageRow, VenueRow } from '../../store/storage/schema.ts'
import type { Presenting } from '../declare/context.ts'
import { defineResource, withChecks } from '../declare/resource.ts'
import { isImageReference } from '../images/images.ts'
import { recordChecks } from '../records/record-rules.ts'
import { linkedOperations } from './linked-operations.ts'
import { isIdOf, isSlugOf, type LinkedRules } from './linked-store.ts'
import { presentLinkedRecord } from './record-present.ts'

/** The addresses are those of rule 3.9. */
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

type Texts = Record<string, unknown>

/** The state, if given, in the United States or without a country; else the province (rule 21.5). */
export function stateOrProvince(place: Texts): string {
  const [state, province, country] = [place.state, place.province, place.country].map((value) =>
    String(value ?? ''),
  )
  if (state && ['', 'US', 'United States'].includes(country ?? '')) return state
  return province ?? ''
}

/** Computes `stateprovince`, unless it was sent now, or once set to another value (rule 21.5). */
function settleStateProvince(values: Texts, before: Texts | undefined): Texts {
  if (values.stateprovince) return {}
  const setByHand = before !== undefined && before.stateprovince !== stateOrProvince(before)
  if (setByHand && values.stateprovince === undefined) return {}
  return { stateprovince: stateOrProvince({ ...before, ...values }) }
}

/** @throws Problem rest_invalid_param when a venue would have only one coordinate (rule 15.1) */
function checkCoordinates(values: Texts, before: Texts | undefined): void {
  const { geo_lat: lat = null, geo_lng: lng = null } = { ...before, ...values }
  if ((lat === null) !== (lng === null)) throw invalidParam(lat === null ? 'geo_lat' : 'geo_lng')
}

export const venueRules: LinkedRules = {
  kind: 'venue',
  table: 'venues',
  links: 'event_venues',
  fields: venue.fields,
  settle: (values, before) => {
    checkCoordinates(values, before)
    return settleStateProvince(values, before)
  },
}

/** A venue as answers show it (rule 6.1). @throws Error when it cannot be shown */
export function presentVenue(
  presenting: Presenting,
  row: VenueRow,
  image: ImageRow | undefined,
  linkedData?: object,
): object {
  return presentLinkedRecord(presenting, 'venue', venue.fields, row, image, linkedData)
}

/** A schema.org Place (rule 9.3). */
export function venueLinkedData(row: VenueRow): object {
  const address = {
    streetAddress: row.address,
    addressLocality: row.city,
    addressRegion: row.stateprovince,
    postalCode: row.zip,
    addressCountry: row.country,
  }
  return {
    '@type': 'Place',
    name: linkedText(plainText(row.venue)),
    description: linkedText(renderedPlain(row.description, row.trusted === 1)),
    url: '',
    address: {
      '@type': 'PostalAddress',
      ...Object.fromEntries(
        Object.entries(address).flatMap(([name, part]) => (part === '' ? [] : [[name, linkedText(part)]])),
      ),
    },
    ...(row.geo_lat === null || row.geo_lng === null
      ? {}
      : { geo: { '@type': 'GeoCoordinates', latitude: row.geo_lat, longitude: row.geo_lng } }),
    telephone: linkedText(row.phone),
    sameAs: presentUrl(row.website),
    ...amenities(row),
  }
}

export function amenities(row: VenueRow): object {
  const known = venueFacts.filter((fact) => row[fact] !== null)
  const amenityFeature = known.map((fact) => ({
    '@type': 'LocationFeatureSpecification',
    name: venueFields[fact].about,
    value: row[fact] === 1,
  }))
  return known.length === 0 ? {} : { amenityFeature }
}

export const venueOperations = linkedOperations<VenueRow>(venueRules, (context, row, image, extent) =>
  presentVenue(context, row, image, extent === 'single' ? venueLinkedData(row) : undefined),
)
