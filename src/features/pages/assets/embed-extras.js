// @ts-check
// Adds pictures, prices, categories and organizers to the events of <kalends-events>, for its attribute
// `show`.
import { given, make, plain, sheetOf } from './embed.js'

/** @import { Picture, Shown, State } from './embed.js' */

/** @type {{ css: string, texts: Record<string, string[]> }} Filled in by the server. */
const facts = JSON.parse('{}')

/** Classes for colours of categories and for focal points, since a strict policy forbids style attributes. */
const STEPS = Array.from(
  { length: 12 },
  (_, i) => `.h${i}{--hue:${i * 30}}.x${i}{--x:${i}0%}.y${i}{--y:${i}0%}`,
)
export const sheet = sheetOf(facts.css + STEPS.join(''))

/**
 * @type {Record<string, (state: State, event: Shown) => (Node | string | undefined)[]>} In the order on the
 * page.
 */
const EXTRAS = {
  organizer: (_, { organizer = [] }) => organizer.map((one) => made('organizer', plain(one.organizer))),
  category: (_, { categories = [] }) =>
    categories
      .slice(0, 3)
      .map(({ id, name, slug }) => made(`category category-${slug}`, plain(name), `h${id % 12}`)),
  price: (state, event) => [made('price', priceOf(state, event))],
}

/** @param {string} part @param {string} text @param {string} [hue] */
const made = (part, text, hue) =>
  text ? make('span', { part, class: hue }, make('bdi', {}, text)) : undefined

/**
 * Returns what the attribute `show` adds to the row of an event.
 * @param {State} state
 * @param {Shown} event
 */
export function extrasOf(state, event) {
  const asked = given(state, 'show').split(/[\s,]+/)
  const lines = Object.entries(EXTRAS).flatMap(([name, shown]) =>
    asked.includes(name) ? shown(state, event) : [],
  )
  const said = lines.filter((line) => line !== undefined)
  return [
    said.length > 0 && make('p', { part: 'extras' }, ...said),
    asked.includes('picture') && event.image && pictureOf(event.image),
  ].filter((node) => node instanceof Node)
}

/** Returns the smallest size that is sharp in a row, with its focal point. @param {Picture} image */
function pictureOf(image) {
  const { sizes = {}, width, height, focal_x: x = 0.5, focal_y: y = 0.5 } = image
  const ratio = width / height
  const [one = image] = Object.values(sizes)
    .filter((size) => size.width >= 240 && Math.abs(size.width / size.height - ratio) < ratio / 50)
    .sort((a, b) => a.width - b.width)
  const place = `x${Math.round(x * 10)} y${Math.round(y * 10)}`
  const attributes = {
    part: 'picture',
    class: place,
    src: /^https?:/.test(one.url) && one.url,
    width: one.width,
  }
  const picture = make('img', { ...attributes, height: one.height, loading: 'lazy', decoding: 'async' })
  picture.setAttribute('alt', '')
  return picture
}

/**
 * Returns amounts of one currency in the form of the language, and any other cost unchanged.
 * @param {State} state
 * @param {Shown} event
 */
function priceOf({ locale }, { cost = '', cost_details: details }) {
  const free = `${facts.texts[locale.slice(0, 2)]?.[0]}`
  if (cost === 'Free') return free
  const { currency_symbol: mark = '', values = [] } = details ?? {}
  const isClear =
    /^\p{Sc}$/u.test(mark) && values.every((value) => /^\d{1,12}(\.\d\d?)?$/.test(value) && +value > 0)
  const [low = 0, high = low] = [values[0], values.at(-1)].map(Number)
  if (!isClear || values.length === 0 || /\p{L}/u.test(plain(cost))) return plain(cost)
  const digits = values.some((value) => value.includes('.')) ? 2 : 0
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'EUR',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  const parts = low === high ? format.formatToParts(low) : format.formatRangeToParts(low, high)
  return parts.map(({ type, value }) => (type === 'currency' ? mark : value)).join('')
}
