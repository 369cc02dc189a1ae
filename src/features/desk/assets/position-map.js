// A map on which a click sets the position of a venue.

export {}

/**
 * The parts of Leaflet that this script uses.
 * @typedef {[number, number]} Point
 * @typedef {{ setLatLng: (at: Point) => void, addTo: (map: LeafletMap) => Marker }} Marker
 * @typedef {{ setView: (at: Point, zoom: number) => void,
 *   on: (name: string, then: (event: { latlng: { lat: number, lng: number } }) => void) => void }} LeafletMap
 * @typedef {{ map: (element: Element, options: object) => LeafletMap, divIcon: (options: object) => object,
 *   tileLayer: (template: string, options: object) => { addTo: (map: LeafletMap) => void },
 *   marker: (at: Point, options: object) => Marker,
 *   control: { zoom: (options: object) => { addTo: (map: LeafletMap) => void } } }} Leaflet
 */

const NEAR = 16
const AROUND = 12
const FAR = 2
/** Decimals of a degree; the fifth is about a metre. */
const DECIMALS = 5

const place = document.querySelector('.pick-map')
const input = document.getElementById('position')
if (place instanceof HTMLElement && input instanceof HTMLInputElement) offerMap(place, input)

/** @param {HTMLElement} place @param {HTMLInputElement} input */
function offerMap(place, input) {
  place.hidden = false
  const button = place.querySelector('button')
  button?.addEventListener('click', async () => {
    const shown = place.querySelector('div')
    const ground = place.querySelector('.ground')
    if (!shown || !ground) return
    const L = await loadLeaflet()
    button.parentElement?.remove()
    shown.hidden = false
    draw(L, place, ground, input)
  })
}

/** @returns {Promise<Leaflet>} */
async function loadLeaflet() {
  const script = new URL('leaflet.js', import.meta.url).href
  const sheet = Object.assign(document.createElement('link'), {
    rel: 'stylesheet',
    href: new URL('leaflet.css', import.meta.url).href,
  })
  document.head.append(sheet)
  await import(script)
  return /** @type {{ L: Leaflet }} */ (/** @type {unknown} */ (window)).L
}

/** @param {string} text @returns {Point | undefined} */
function pointIn(text) {
  const [lat = Number.NaN, lng = Number.NaN] = text.split(', ').map(Number)
  return Number.isFinite(lat) && Number.isFinite(lng) && text !== '' ? [lat, lng] : undefined
}

/** @param {Leaflet} L @param {HTMLElement} place @param {Element} ground @param {HTMLInputElement} input */
function draw(L, place, ground, input) {
  const map = L.map(ground, { attributionControl: false, zoomControl: false, maxZoom: 19 })
  L.control.zoom({ zoomInTitle: place.dataset.in, zoomOutTitle: place.dataset.out }).addTo(map)
  L.tileLayer(place.dataset.tiles ?? '', {
    maxZoom: 19,
    referrerPolicy: 'strict-origin-when-cross-origin',
  }).addTo(map)
  /** @type {Marker | undefined} */
  let marker
  /** @param {Point} at */
  const mark = (at) => {
    if (marker) marker.setLatLng(at)
    else
      marker = L.marker(at, {
        icon: L.divIcon({ className: 'point', iconSize: [18, 18] }),
        interactive: false,
        keyboard: false,
      }).addTo(map)
  }
  const own = pointIn(input.value)
  const near = pointIn(place.dataset.near ?? '')
  if (own) mark(own)
  map.setView(own ?? near ?? [30, 0], own ? NEAR : near ? AROUND : FAR)
  map.on('click', ({ latlng }) => {
    const at = /** @type {Point} */ ([
      Number(latlng.lat.toFixed(DECIMALS)),
      Number(latlng.lng.toFixed(DECIMALS)),
    ])
    mark(at)
    input.value = at.join(', ')
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })
}
