import type { Site } from '../../base/config.ts'
import { tileAddress } from '../../base/config.ts'
import { plainText } from '../../base/text/html.ts'
import type { VenueRow } from '../../store/storage/schema.ts'
import { type Html, html, NOTHING } from './page-html.ts'
import { formsOfPages } from './page-texts.ts'
import { pathTo, say, type View, type Viewing } from './viewing.ts'

type Address = Pick<VenueRow, 'venue' | 'address' | 'city' | 'zip' | 'stateprovince' | 'country'>

/** Address lines except one that equals the name, as parks and squares often have. */
export function addressLines(venue: Address): string[] {
  const name = plainText(venue.venue)
  return fullAddress(venue).filter((line) => line !== name)
}

function fullAddress({ address, city, zip, stateprovince, country }: Address): string[] {
  const town = [plainText(zip), plainText(city)].filter(Boolean).join(' ')
  return [
    plainText(address),
    town,
    [plainText(stateprovince), plainText(country)].filter(Boolean).join(', '),
  ].filter(Boolean)
}

/** A map link by coordinates or else by address; undefined without either. */
export function mapLink(venue: Address & Pick<VenueRow, 'geo_lat' | 'geo_lng'>): string | undefined {
  const { geo_lat: lat, geo_lng: lng } = venue
  if (lat !== null && lng !== null)
    return `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lng}#map=17/${lat}/${lng}`
  const lines = fullAddress(venue)
  return lines.length === 0
    ? undefined
    : `https://www.openstreetmap.org/search?query=${encodeURIComponent(lines.join(', '))}`
}

/** Link to directions; undefined without a map service, or without coordinates and address. */
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

/** A `geo:` link (RFC 5870) for map apps, with the name, which some show. Undefined without coordinates. */
export function positionLink({
  venue,
  geo_lat: lat,
  geo_lng: lng,
}: Pick<VenueRow, 'venue' | 'geo_lat' | 'geo_lng'>) {
  if (lat === null || lng === null) return undefined
  return `geo:${lat},${lng}?q=${lat},${lng}(${encodeURIComponent(plainText(venue))
    .replaceAll('(', '%28')
    .replaceAll(')', '%29')})`
}

/** A map that loads nothing before its button is clicked; `NOTHING` if no map tiles are configured. */
export function mapFigure({ context: { site }, assets }: Viewing): Html {
  const { tiles, attribution } = site.maps
  const host = tileAddress(tiles)?.host
  if (host === undefined) return NOTHING
  const { script, style } = assets.leaflet
  return html`<div class="map" data-tiles="${tiles}" data-script="${pathTo(
    site,
    script.path,
  )}" data-style="${pathTo(
    site,
    style.path,
  )}" data-group="${JSON.stringify(formsOfPages(site, '{count} venues'))}" data-in="${say(
    site,
    'Zoom in',
  )}" data-out="${say(site, 'Zoom out')}"><p class="offer" hidden><button type="button" class="button">${say(
    site,
    'Show map',
  )}</button> <small>${say(site, 'The map is loaded from {host}.', { host })}</small></p>
<div class="shown" hidden><div class="ground" role="region" aria-label="${say(
    site,
    'Map',
  )}"></div><p class="source">${linked(
    attribution,
  )}</p></div><p class="failed" role="status"></p><template>${say(
    site,
    'The map cannot be loaded at the moment. The list has the same venues.',
  )}</template></div>`
}

export function mapNeeds({
  context: { site },
  assets,
}: Viewing): Pick<View, 'scripts' | 'styles' | 'imagesFrom'> {
  const origin = tileAddress(site.maps.tiles)?.origin
  return origin === undefined
    ? { styles: [assets.places] }
    : { styles: [assets.places], scripts: [assets.map], imagesFrom: origin }
}

const LINK = /\[([^[\]]{1,200})\]\((https?:[^()\s]{1,500})\)/

function linked(text: string): Html[] {
  const found = LINK.exec(text)
  if (!found) return [html`${text}`]
  const [whole, words = '', address = ''] = found
  const behind = text.slice(found.index + whole.length)
  return [
    html`${text.slice(0, found.index)}<a href="${address}" rel="noopener">${words}</a>`,
    ...linked(behind),
  ]
}
