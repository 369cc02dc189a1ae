import type { Presenting } from '../context/context.ts'
import { presentLinkedRecord } from '../linked/record-present.ts'
import type { ImageRow, VenueRow } from '../storage/schema.ts'
import { linkedText, plainText } from '../text/html.ts'
import { renderedPlain } from '../text/long-texts.ts'
import { shownUrl } from '../text/urls.ts'
import { venue } from './venue.ts'

/** A venue as events embed it and lists show it (rule 6.1). */
export function presentVenue(
  presenting: Presenting,
  row: VenueRow,
  image: ImageRow | undefined,
  linkedData?: object,
): object {
  return presentLinkedRecord(presenting, 'venue', venue.fields, row, image, linkedData)
}

/** A venue as linked data (rule 9.3): schema.org Place. */
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
    sameAs: shownUrl(row.website),
  }
}
