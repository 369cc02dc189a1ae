import type { Context } from '../context/context.ts'
import { invalidParam } from '../problems.ts'
import type { Circle } from '../storage/geo.ts'
import { anyCoordinates } from './linked-conditions.ts'

/** The geolocation parameters of events and venues (rule 15.2). */
export interface GeoQuery {
  geoloc?: boolean
  geoloc_lat?: number | null
  geoloc_lng?: number | null
  geoloc_radius?: number
}

/** The filter they make. */
export interface GeoFilter {
  geoloc: boolean | undefined
  circle: Circle | undefined
}

/** The circle that is asked for, if any. @throws Problem rest_invalid_param when one of latitude and longitude is missing */
export function geoCircle(context: Context, query: GeoQuery): Circle | undefined {
  const { geoloc_lat: lat = null, geoloc_lng: lng = null, geoloc_radius: radius = context.site.geolocRadius } = query
  if ((lat === null) !== (lng === null)) throw invalidParam(lat === null ? 'geoloc_lat' : 'geoloc_lng')
  return lat === null || lng === null ? undefined : { lat, lng, radius }
}

/**
 * The geolocation filter of a list. It has no effect before any venue has coordinates: such a calendar does not use geolocation
 * (rule 15.3).
 * @throws Problem as `geoCircle` does
 */
export async function geoFilter(context: Context, query: GeoQuery): Promise<GeoFilter> {
  const circle = geoCircle(context, query)
  const { geoloc } = query
  const isUsed = (geoloc !== undefined || circle !== undefined) && (await anyCoordinates(context))
  return isUsed ? { geoloc, circle } : { geoloc: undefined, circle: undefined }
}
