import type { LinkedRules } from '../linked/linked-change.ts'
import { invalidParam } from '../problems.ts'
import { venue } from './venue.ts'

type Texts = Record<string, unknown>

/** State or province in one (rule 21.5): the state at home or without a country, else the province. */
export function stateOrProvince(place: Texts): string {
  const [state, province, country] = [place.state, place.province, place.country].map((value) => String(value ?? ''))
  if (state && ['', 'US', 'United States'].includes(country ?? '')) return state
  return province ?? ''
}

/** As sent, else worked out, unless somebody had set it by hand (rule 21.5). */
function settleStateProvince(values: Texts, before: Texts | undefined): Texts {
  if (values.stateprovince) return {}
  const setByHand = before !== undefined && before.stateprovince !== stateOrProvince(before)
  if (setByHand && values.stateprovince === undefined) return {}
  return { stateprovince: stateOrProvince({ ...before, ...values }) }
}

/** @throws Problem rest_invalid_param when only one coordinate would be left (rule 15.1). */
function checkCoordinates(values: Texts, before: Texts | undefined): void {
  const { geo_lat: lat = null, geo_lng: lng = null } = { ...before, ...values }
  if ((lat === null) !== (lng === null)) throw invalidParam(lat === null ? 'geo_lat' : 'geo_lng')
}

/** The rules of writing venues. */
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
