import type { Context } from '../context/context.ts'
import { invalidParam } from '../problems.ts'
import type { Circle } from '../storage/geo.ts'
import { anyCoordinates } from './linked-store.ts'

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

/**
 * The geolocation filter of a list. It has no effect before any venue has coordinates: such a calendar does not use geolocation
 * (rule 15.3).
 * @throws Problem rest_invalid_param when one of latitude and longitude is missing.
 */
export async function geoFilter(context: Context, query: GeoQuery): Promise<GeoFilter> {
  const {
    geoloc,
    geoloc_lat: lat = null,
    geoloc_lng: lng = null,
    geoloc_radius: radius = context.site.geolocRadius,
  } = query
  if ((lat === null) !== (lng === null)) throw invalidParam(lat === null ? 'geoloc_lat' : 'geoloc_lng')
  const circle = lat === null || lng === null ? undefined : { lat, lng, radius }
  if (geoloc === undefined && !circle) return { geoloc, circle }
  return (await anyCoordinates(context.db, context.caller))
    ? { geoloc, circle }
    : { geoloc: undefined, circle: undefined }
}
