// @ts-check
// Shows maps. Nothing is loaded from another host until the reader asks for a map. The list beside the map
// has the same places.

/**
 * The parts of Leaflet that this script uses.
 * @typedef {[number, number]} Point
 * @typedef {{ x: number, y: number }} Pixel
 * @typedef {{ addTo: (map: LeafletMap) => Layer, on: (name: string, then: () => void) => Layer, remove: () =>
 * void }} Layer
 * @typedef {{ setLatLng: (at: Point) => Popup, setContent: (content: Element) => Popup, openOn: (map:
 * LeafletMap) => Popup, isOpen: () => boolean }} Popup
 * @typedef {{ fitBounds: (points: Point[], options: object) => void, setView: (at: Point, zoom: number) =>
 * void, getZoom: () => number, getMaxZoom: () => number,
 *   project: (at: Point, zoom: number) => Pixel, on: (name: string, then: () => void) => void, closePopup: ()
 * => void }} LeafletMap
 * @typedef {{ map: (element: Element, options: object) => LeafletMap, tileLayer: (template: string, options:
 * object) => Layer, divIcon: (options: object) => object,
 *   marker: (at: Point, options: object) => Layer, popup: (options: object) => Popup, control: { zoom:
 * (options: object) => Layer } }} Leaflet
 * @typedef {{ at: Point, label: string, count: number, element: HTMLElement }} Place
 */

const REMEMBERED = 'kalends-map'
/** With more places than this, close places share one button. */
const MOST_SINGLE = 50
const CELL = 72
const CLOSEST = 17

/** Returns the places of the elements with coordinates, in their order. @returns {Place[]} */
function placesOf(/** @type {ParentNode} */ root) {
  return [...root.querySelectorAll('[data-lat]')].flatMap((element) => {
    if (!(element instanceof HTMLElement)) return []
    const { lat, lng, label = '', count = '1' } = element.dataset
    return [{ at: /** @type {Point} */ ([Number(lat), Number(lng)]), label, count: Number(count), element }]
  })
}

/** @returns {Promise<Leaflet>} */
async function loadLeaflet(/** @type {DOMStringMap} */ { script = '', style = '' }) {
  const sheet = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: style })
  const loaded = new Promise((settle, fail) => {
    sheet.addEventListener('load', settle)
    sheet.addEventListener('error', fail)
  })
  document.head.append(sheet)
  await Promise.all([import(script), loaded])
  return /** @type {{ L: Leaflet }} */ (/** @type {unknown} */ (window)).L
}

/** Loads the map, and shows it in place of the button that offers it. */
async function show(/** @type {HTMLElement} */ figure) {
  const ground = figure.querySelector('.ground')
  const shown = figure.querySelector('.shown')
  if (!ground || !(shown instanceof HTMLElement) || !shown.hidden) return
  figure.querySelector('.offer')?.setAttribute('hidden', '')
  shown.hidden = false
  try {
    draw(await loadLeaflet(figure.dataset), figure, ground)
  } catch {
    fail(figure)
  }
}

function fail(/** @type {HTMLElement} */ figure) {
  const failed = figure.querySelector('.failed')
  if (failed) failed.textContent = figure.querySelector('template')?.content.textContent ?? ''
}

function draw(/** @type {Leaflet} */ L, /** @type {HTMLElement} */ figure, /** @type {Element} */ ground) {
  const places = placesOf(document)
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
  const motion = {
    fadeAnimation: !isCalm,
    zoomAnimation: !isCalm,
    markerZoomAnimation: !isCalm,
    inertia: !isCalm,
  }
  const map = L.map(ground, {
    ...motion,
    attributionControl: false,
    zoomControl: false,
    maxZoom: 19,
    scrollWheelZoom: false,
  })
  L.control.zoom({ zoomInTitle: figure.dataset.in, zoomOutTitle: figure.dataset.out }).addTo(map)
  let hasTile = false
  L.tileLayer(figure.dataset.tiles ?? '', { maxZoom: 19, referrerPolicy: 'strict-origin-when-cross-origin' })
    .on('tileload', () => {
      hasTile = true
    })
    .on('tileerror', () => {
      if (!hasTile) fail(figure)
    })
    .addTo(map)
  const [only] = places
  if (places.length === 1 && only) map.setView(only.at, 16)
  else
    map.fitBounds(
      places.map(({ at }) => at),
      { padding: [40, 40], maxZoom: 16 },
    )
  const popup = L.popup({ closeButton: false, maxWidth: 260, autoPan: true })
  /** @type {Layer[]} */
  let markers = []
  const redraw = () => {
    for (const marker of markers) marker.remove()
    markers = groupsOf(map, places).map((group) => addMarker(L, map, popup, figure, group))
  }
  redraw()
  if (places.length > MOST_SINGLE) map.on('zoomend', redraw)
  map.on('popupclose', () => choose(undefined))
}

/** Returns the places in groups, each of which gets one button. */
function groupsOf(/** @type {LeafletMap} */ map, /** @type {Place[]} */ places) {
  if (places.length <= MOST_SINGLE) return places.map((place) => [place])
  const cells = Map.groupBy(places, ({ at }) => {
    const { x, y } = map.project(at, map.getZoom())
    return `${Math.floor(x / CELL)} ${Math.floor(y / CELL)}`
  })
  return [...cells.values()]
}

/** Marks a place in the list, and no other. */
function choose(/** @type {HTMLElement | undefined} */ element) {
  for (const other of document.querySelectorAll('[data-lat][aria-current]'))
    other.removeAttribute('aria-current')
  element?.setAttribute('aria-current', 'true')
}

/** @param {HTMLElement} figure @param {number} count */
function labelOf({ dataset }, count) {
  /** @type {Record<string, string>} */
  const forms = JSON.parse(dataset.group ?? '{}')
  const form = forms[new Intl.PluralRules(document.documentElement.lang).select(count)] ?? forms.other
  return form?.replace('{count}', String(count))
}

function addMarker(
  /** @type {Leaflet} */ L,
  /** @type {LeafletMap} */ map,
  /** @type {Popup} */ popup,
  /** @type {HTMLElement} */ figure,
  /** @type {Place[]} */ group,
) {
  const [first] = group
  const at = first?.at ?? [0, 0]
  const sum = group.reduce((all, { count }) => all + count, 0)
  const text = group.length === 1 ? first?.label : labelOf(figure, group.length)
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: String(sum) })
  button.setAttribute('aria-label', text ?? '')
  button.title = text ?? ''
  button.addEventListener('click', (event) => {
    event.stopPropagation()
    if (group.length > 1 && map.getZoom() < CLOSEST) {
      map.fitBounds(
        group.map((place) => place.at),
        { padding: [60, 60], maxZoom: map.getZoom() + 3 },
      )
      figure.querySelector('.ground')?.querySelector('button')?.focus()
      return
    }
    open(map, popup, group, button)
  })
  const icon = L.divIcon({ className: 'pin', html: button, iconSize: [36, 36] })
  return L.marker(at, { icon, keyboard: false }).addTo(map)
}

/** Opens a popup with places, which Escape closes. */
function open(
  /** @type {LeafletMap} */ map,
  /** @type {Popup} */ popup,
  /** @type {Place[]} */ group,
  /** @type {HTMLElement} */ button,
) {
  const bubble = document.createElement('div')
  for (const { element } of group) {
    const copy = element.querySelector('h3')?.parentElement?.cloneNode(true)
    bubble.append(...(copy?.childNodes ?? [group[0]?.label ?? '']))
  }
  bubble.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    map.closePopup()
    button.focus()
  })
  button.onkeydown = (event) => {
    if (event.key === 'Escape') map.closePopup()
  }
  popup
    .setLatLng(group[0]?.at ?? [0, 0])
    .setContent(bubble)
    .openOn(map)
  choose(group[0]?.element)
  bubble.querySelector('a')?.focus({ preventScroll: true })
}

/**
 * Stores a text for this tab, if given, and returns the stored text. Returns null if storage is not allowed.
 */
function remembered(/** @type {string} */ text = '') {
  try {
    if (text) sessionStorage.setItem(REMEMBERED, text)
    return sessionStorage.getItem(REMEMBERED)
  } catch {
    return null
  }
}

for (const figure of document.querySelectorAll('.map')) {
  if (!(figure instanceof HTMLElement)) continue
  figure.querySelector('.offer')?.removeAttribute('hidden')
  figure.querySelector('.offer button')?.addEventListener('click', () => {
    remembered('shown')
    show(figure).then(() =>
      figure.querySelector('.ground')?.querySelector('button')?.focus({ preventScroll: true }),
    )
  })
  if (remembered() === 'shown') show(figure)
}
