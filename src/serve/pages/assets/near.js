// @ts-check
// Loaded when somebody asks for what is near.

/** Some kilometre: nobody needs to know more of where somebody is. */
const DIGITS = 2

/**
 * The address of this page for events near the reader, by their rounded position; undefined where that is not known.
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
