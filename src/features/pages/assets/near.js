// @ts-check
// Finds the position of the reader. Loaded when the reader asks for events nearby.

/** Rounds positions to about a kilometre, for privacy. */
const DIGITS = 2

/**
 * Returns the address of this page for events near the rounded position of the reader, or undefined if the
 * position is unknown.
 * @returns {Promise<URL | undefined>}
 */
export function nearHere() {
  const options = { maximumAge: 600_000, timeout: 10_000 }
  return new Promise((settle) => {
    if (!('geolocation' in navigator)) return settle(undefined)
    const found = (/** @type {GeolocationPosition} */ { coords }) => settle(addressAt(coords))
    navigator.geolocation.getCurrentPosition(found, () => settle(undefined), options)
  })
}

function addressAt(/** @type {GeolocationCoordinates} */ { latitude, longitude }) {
  const address = new URL(location.href)
  address.hash = ''
  for (const name of ['near', 'geoloc_radius', 'page']) address.searchParams.delete(name)
  address.searchParams.set('geoloc_lat', latitude.toFixed(DIGITS))
  address.searchParams.set('geoloc_lng', longitude.toFixed(DIGITS))
  return address
}
