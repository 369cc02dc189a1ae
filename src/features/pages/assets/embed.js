// @ts-check
// <kalends-events> shows events of the calendar that serves this script on any page (docs/embed.md).

/**
 * @typedef {[day: string, none: string, calendar: string, failed: string, zone: string, untitled: string,
 * canceled: string, postponed: string, ...links: [path: string, text: string][]]} Texts
 */
/**
 * @type {{ list: string, zone: string, week: number, locale: string, filters: string, texts: Record<string,
 * Texts>, css: string }} Filled in by the server.
 */
export const site = JSON.parse('{}')
const home = new URL('.', import.meta.url).href
/** Returns a constructed style sheet, which no content security policy forbids. */
export function sheetOf(/** @type {string} */ css) {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  return sheet
}
const sheet = sheetOf(site.css)

/**
 * @typedef {{ url: string, width: number, height: number, sizes?: Record<string, { url: string, width:
 * number, height: number }>, focal_x?: number, focal_y?: number }} Picture
 */
/**
 * @typedef {Record<'title' | 'url' | 'start_date' | 'end_date' | 'timezone' | 'timezone_abbr', string> & {
 * all_day: boolean, venue: { venue?: string }, event_status?: string, image?: Picture | false, cost?: string,
 * cost_details?: { currency_symbol: string, values: string[] }, organizer?: { organizer: string }[],
 * categories?: { id: number, name: string, slug: string }[], first: string, last: string }} Shown
 */

/**
 * The state of an element while it is on a page.
 * @typedef {object} State
 * @property {HTMLElement} host
 * @property {ShadowRoot} root
 * @property {HTMLElement} status
 * @property {HTMLElement} slot the link to the calendar in the page's own markup, shown until events are
 * loaded
 * @property {HTMLElement} body
 * @property {string} view
 * @property {string} day the shown day, or a day of the shown month
 * @property {string} drawn the day drawn last, which stays while another day is loaded
 * @property {string} locale
 * @property {Texts} texts
 * @property {Shown[]} events
 * @property {typeof import('./embed-days.js') | undefined} days the module for a month or a day
 * @property {typeof import('./embed-extras.js') | undefined} extras the module for the attribute `show`
 * @property {boolean} isPicked true when the reader has chosen the day
 * @property {AbortController} loading
 */

const FIELDS = 'title,url,all_day,start_date,end_date,timezone,timezone_abbr,venue.venue,event_status'
/** The fields that `show` needs. */
const EXTRAS = ',image,cost,cost_details,organizer.organizer,categories'
/** The attributes that filter, each with its REST parameter if that has another name. */
const FILTERS = new URLSearchParams(site.filters)

/** @typedef {string} Day `YYYY-MM-DD` */
const dayOf = (/** @type {number | string} */ time) => new Date(time).toISOString().slice(0, 10)
export const later = (/** @type {Day} */ day, /** @type {number} */ days) =>
  dayOf(Date.parse(day) + days * 864e5)
/** Returns the first day of a month, this many months later. */
export const monthOf = (/** @type {Day} */ day, months = 0) =>
  dayOf(Date.UTC(+day.slice(0, 4), +day.slice(5, 7) - 1 + months))
/** Returns the present day in the time zone of the calendar. */
export const today = () => now().slice(0, 10)
const now = () => new Date().toLocaleString('sv', { timeZone: site.zone })

/** Returns the day in a text, or an empty text if there is none. */
const dayIn = (text = '', day = text.slice(0, 10)) =>
  day > '0' && new Date(day).toJSON()?.slice(0, 10) === day ? day : ''

/** @type {Record<string, string>} */
const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }

/** Returns a title without tags and entities. Nothing is parsed as HTML here. */
export const plain = (html = '') =>
  html
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:#(\d{1,6}|x[\da-f]{1,5})|(\w+));/gi, (all, code, name) =>
      code ? String.fromCodePoint(+`0${code}`) : (ENTITIES[name] ?? all),
    )
    .trim()

/**
 * @param {string} tag
 * @param {Record<string, unknown>} attributes false and undefined ones are left out
 * @param {(Node | string)[]} content
 */
export function make(tag, attributes, ...content) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes))
    if (value || value === 0) element.setAttribute(name, `${value}`)
  element.append(...content)
  return element
}

/**
 * Fetches the events of a query: the first page, or up to ten.
 * @param {URLSearchParams} query
 * @param {boolean} isAll
 * @param {AbortSignal} signal
 */
async function fetchEvents(query, isAll, signal) {
  /** @type {Shown[]} */
  const events = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    query.set('page', `${page}`)
    const reply = await fetch(`${home + site.list}?${query}`, { signal })
    if (!reply.ok) throw await reply.text()
    const told = await reply.json()
    if (isAll) pages = Math.min(told.total_pages, 10)
    for (const event of told.events ?? []) {
      const first = event.start_date.slice(0, 10)
      // An event that ends before five in the morning ends on the evening before.
      const last = later(event.end_date.slice(0, 10), event.end_date.slice(11) < '05' ? -1 : 0)
      events.push({ ...event, first, last: [first, last].sort()[1] })
    }
  }
  return events
}

export const given = (/** @type {State} */ { host }, /** @type {string} */ name) =>
  host.getAttribute(name) ?? ''

/**
 * Returns the whole number in an attribute, from 1 to `most`.
 * @param {State} state
 * @param {string} name
 * @param {number} otherwise
 * @param {number} most
 */
const numberIn = (state, name, otherwise, most) =>
  Math.min(Math.max(Math.trunc(+given(state, name)) || otherwise, 1), most)

/**
 * Returns a local time or a day in the language of the element.
 * @param {State} state
 * @param {string} wall
 * @param {Intl.DateTimeFormatOptions} form
 */
export const written = ({ locale }, wall, form) =>
  new Date(`${wall.replace(' ', 'T')}${wall.includes(' ') ? 'Z' : ''}`).toLocaleString(locale, {
    timeZone: 'UTC',
    calendar: 'gregory',
    numberingSystem: 'latn',
    ...form,
  })

export const writtenDay = (/** @type {State} */ state, /** @type {Day} */ day) =>
  written(state, day, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: day.slice(0, 4) === today().slice(0, 4) ? undefined : 'numeric',
  })

export const clock = (/** @type {State} */ state, /** @type {string} */ wall) =>
  written(state, wall, { hour: 'numeric', minute: '2-digit' })

/** Returns the first and last shown day; a list has no last day. */
export function spanOf(/** @type {State} */ { view, day }) {
  if (view === 'list') return [day, '']
  if (view === 'day') return [day, day]
  const [first, last] = [monthOf(day), later(monthOf(day, 1), -1)]
  const weekday = (/** @type {Day} */ one) => (new Date(one).getUTCDay() - site.week + 7) % 7
  return [later(first, -weekday(first)), later(last, 6 - weekday(last))]
}

/** Returns the parameters of the list that the attributes ask for. @param {State} state */
function queryOf(state) {
  const [first = '', last] = spanOf(state)
  // `ends_after` also finds events that began earlier and are still on.
  const query = new URLSearchParams({
    per_page: `${last ? 50 : numberIn(state, 'limit', 10, 50)}`,
    ends_after: `${later(first, -1)} 23:59:59`,
    strict_dates: '1',
  })
  const until = last || dayIn(given(state, 'until'))
  if (until) query.set('starts_before', `${later(until, 1)} 00:00:00`)
  for (const [name, parameter] of FILTERS)
    if (given(state, name)) query.set(parameter || name, given(state, name))
  query.set(
    '_fields',
    `total_pages,${(FIELDS + (given(state, 'show') && EXTRAS)).replace(/[^,]+/g, 'events.$&')}`,
  )
  return query
}

/** Loads and shows the events. Then the button or day with the key `focus` gets the focus. */
export async function load(/** @type {State} */ state, focus = '') {
  state.loading.abort()
  state.loading = new AbortController()
  const { signal } = state.loading
  const [, last] = spanOf(state)
  try {
    const days = last ? import('./embed-days.js') : undefined
    const more = given(state, 'show') ? import('./embed-extras.js') : undefined
    state.events = await fetchEvents(
      queryOf(state),
      !!last,
      AbortSignal.any([signal, AbortSignal.timeout(2e4)]),
    )
    state.days = await days
    state.extras = await more
    state.root.adoptedStyleSheets = [{ sheet }, state.days, state.extras].flatMap((part) => part?.sheet ?? [])
    draw(state, focus)
    state.slot.remove()
    state.status.className = 'hidden'
    state.status.textContent = (focus && state.days?.told(state)) || ''
  } catch (e) {
    if (signal.aborted) return
    console.warn(e)
    state.status.className = ''
    state.status.textContent = state.texts[3]
  }
}

/** Returns the name of the calendar's zone in the language. */
const zoneOf = (/** @type {State} */ { locale }) =>
  new Intl.DateTimeFormat(locale, { timeZone: site.zone, timeZoneName: 'longGeneric' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value ?? site.zone

/** @param {State} state @param {string} focus */
export function draw(state, focus) {
  const { body, texts, days } = state
  state.drawn = state.day
  const foot = make('p', { part: 'foot' }, make('a', { href: home, part: 'link' }, texts[2]))
  for (const [path, text] of texts.slice(8))
    foot.append(' ', make('a', { href: home + path, part: 'link' }, `${text}`))
  if (new Intl.DateTimeFormat().resolvedOptions().timeZone !== site.zone)
    foot.append(make('span', {}, texts[4].replace('{zone}', zoneOf(state))))
  body.replaceChildren(...(days?.above(state) ?? []), agenda(state), foot)
  const found = focus && body.querySelector(`[data-key="${focus}"]`)
  if (found instanceof HTMLElement) found.focus()
}

export const levelOf = (/** @type {State} */ state) => numberIn(state, 'level', 2, 5)

/** Returns the events from the shown day on, grouped by the day they begin. @param {State} state */
function agenda(state) {
  const { view, day, events, texts, isPicked } = state
  const isMonth = view === 'month' && !isPicked
  const to = isMonth ? later(monthOf(day, 1), -1) : view === 'list' ? '9' : day
  const isAll = view === 'list' && given(state, 'when')
  const at = now()
  // What ends in the small hours is on until then; a list with `when` has what was found.
  const shown = events.filter(
    ({ first, last, end_date }) => first <= to && (isAll || last >= day || (at > day && end_date > at)),
  )
  const list = make('div', { part: 'agenda', class: isMonth && 'narrow' })
  const dayOn = (/** @type {Shown} */ { first, last }) => (last < day || first > day ? first : day)
  for (const [on, own] of [...Map.groupBy(shown, dayOn)].sort()) {
    if (view !== 'day')
      list.append(make(`h${levelOf(state) + +(view !== 'list')}`, { part: 'date' }, writtenDay(state, on)))
    list.append(make('ul', {}, ...own.map((event) => item(state, event))))
  }
  if (shown.length === 0) list.append(make('p', { part: 'empty' }, texts[1]))
  return list
}

/** @param {State} state @param {Shown} event */
function item(state, event) {
  const { start_date, end_date, all_day, first, last, timezone, timezone_abbr, venue } = event
  const until =
    last > first ? written(state, last, { day: 'numeric', month: 'short' }) : clock(state, end_date)
  const isLong = last > first || (!all_day && end_date > start_date)
  const zone = timezone === site.zone || all_day ? '' : ` ${timezone_abbr}`
  const time = `${all_day ? state.texts[0] : clock(state, start_date)}${zone}${isLong ? ` – ${until}` : ''}`
  const place = plain(venue?.venue)
  return make(
    'li',
    { part: 'event' },
    make('span', { part: 'time' }, time),
    anchor(state, event, 'title'),
    place && make('span', { part: 'place' }, make('bdi', {}, place)),
    ...(state.extras?.extrasOf(state, event) ?? []),
  )
}

/** @param {State} state @param {Shown} event @param {string} part */
export const anchor = ({ texts }, { title, url, event_status }, part) => {
  const name = plain(title) || texts[5]
  // A canceled or postponed event says so before its title.
  const before = texts[event_status === 'canceled' ? 6 : 7]
  return make(
    'a',
    { part, href: /^https?:/.test(url) && url },
    make('bdi', {}, event_status ? before.replace('{text}', () => name) : name),
  )
}

/**
 * Returns the locale of texts and dates: the calendar's if the language has no texts, or is the calendar's
 * without a region.
 * @param {string | null} [lang]
 */
function localeOf(lang) {
  try {
    const [own = ''] = Intl.DateTimeFormat.supportedLocalesOf(lang || site.locale)
    return site.locale.startsWith(`${own}-`) || !site.texts[own.slice(0, 2)] ? site.locale : own
  } catch {
    return site.locale
  }
}

/** @param {HTMLElement} host @param {ShadowRoot} root */
function begin(host, root) {
  const locale = localeOf(host.closest('[lang]')?.getAttribute('lang'))
  // Every language of the calendar is written from left to right, whatever page it stands on.
  const own = { lang: locale, dir: 'ltr' }
  const view = host.getAttribute('view') ?? ''
  /** @type {State} */
  const state = {
    host,
    root,
    status: make('p', { role: 'status', part: 'status', ...own }),
    slot: make('slot', {}, make('a', { href: home }, home)),
    body: make('div', own),
    view: view === 'month' || view === 'day' ? view : 'list',
    day: dayIn(host.getAttribute('date') ?? '') || today(),
    drawn: '',
    locale,
    texts: /** @type {Texts} */ (site.texts[locale.slice(0, 2)]),
    events: [],
    days: undefined,
    extras: undefined,
    isPicked: false,
    loading: new AbortController(),
  }
  root.replaceChildren(state.body, state.status, state.slot)
  state.body.onkeydown = (event) => state.days?.onKey(state, event)
  state.body.onclick = (event) => state.days?.onClick(state, event)
  load(state)
  return state
}

customElements.define(
  'kalends-events',
  class extends HTMLElement {
    static observedAttributes = ['view', 'date', 'until', 'lang', 'level', 'limit', 'show', ...FILTERS.keys()]
    /** @type {State | undefined} */
    #state

    connectedCallback() {
      this.#state = begin(this, this.shadowRoot ?? this.attachShadow({ mode: 'open' }))
    }

    disconnectedCallback() {
      this.#state?.loading.abort()
    }

    /** Loads the events anew, only once if several attributes change together. */
    attributeChangedCallback() {
      const state = this.#state
      if (!state || !this.isConnected) return
      this.#state = undefined
      queueMicrotask(() => this.isConnected && this.connectedCallback())
      state.loading.abort()
    }
  },
)
