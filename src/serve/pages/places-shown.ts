import type { Site } from '../../base/config.ts'
import { plainText } from '../../base/text/html.ts'
import type { VenueRow } from '../../store/storage/schema.ts'

// Addresses of venues on pages, with maps and directions.

type Address = Pick<VenueRow, 'venue' | 'address' | 'city' | 'zip' | 'stateprovince' | 'country'>

/** The address of a venue in lines, shown below its name: parks and squares often have their name as their address. */
export function addressLines(venue: Address): string[] {
  const name = plainText(venue.venue)
  return fullAddress(venue).filter((line) => line !== name)
}

function fullAddress({ address, city, zip, stateprovince, country }: Address): string[] {
  const town = [plainText(zip), plainText(city)].filter(Boolean).join(' ')
  return [plainText(address), town, [plainText(stateprovince), plainText(country)].filter(Boolean).join(', ')].filter(
    Boolean,
  )
}

/** Where a map shows a venue: by its coordinates, else by its address; undefined when it has neither. */
export function mapLink(venue: Address & Pick<VenueRow, 'geo_lat' | 'geo_lng'>): string | undefined {
  const { geo_lat: lat, geo_lng: lng } = venue
  if (lat !== null && lng !== null) return `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lng}#map=17/${lat}/${lng}`
  const lines = fullAddress(venue)
  return lines.length === 0
    ? undefined
    : `https://www.openstreetmap.org/search?query=${encodeURIComponent(lines.join(', '))}`
}

/** The address of directions to a venue, by the service that the site has set; undefined without a service, or for a venue without position and address. */
export function directionsTo(
  { maps }: Pick<Site, 'maps'>,
  venue: Address & Pick<VenueRow, 'geo_lat' | 'geo_lng'>,
): string | undefined {
  const { geo_lat: lat, geo_lng: lng } = venue
  const to = lat !== null && lng !== null ? `${lat},${lng}` : fullAddress(venue).join(', ')
  return maps.directions === '' || to === ''
    ? undefined
    : maps.directions.replaceAll('{to}', () => encodeURIComponent(to))
}

/** The position of a venue, for the program of maps that a device has (RFC 5870); undefined without one. Some programs show the place with its name, and others ignore the name. */
export function positionLink({ venue, geo_lat: lat, geo_lng: lng }: Pick<VenueRow, 'venue' | 'geo_lat' | 'geo_lng'>) {
  if (lat === null || lng === null) return undefined
  return `geo:${lat},${lng}?q=${lat},${lng}(${encodeURIComponent(plainText(venue)).replaceAll('(', '%28').replaceAll(')', '%29')})`
}
