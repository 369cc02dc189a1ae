// @ts-check
// Shows a month or a day in <kalends-events>, and moves to the next or previous one.
import {
  anchor,
  clock,
  draw,
  later,
  levelOf,
  load,
  make,
  monthOf,
  sheetOf,
  site,
  spanOf,
  today,
  written,
  writtenDay,
} from './embed.js'

/** @import { Day, Shown, State } from './embed.js' */

/**
 * The server replaces `{}` by the style sheet and the texts.
 * @type {{ css: string, texts: Record<string, string[]>, events: Record<string, Record<string, string>> }}
 */
const facts = JSON.parse('{}')
export const sheet = sheetOf(facts.css)
const textsOf = (/** @type {State} */ { locale }) => facts.texts[locale.slice(0, 2)] ?? []

/** At most this many titles are shown in a day. */
const MOST_TITLES = 4
const WEEK = [0, 1, 2, 3, 4, 5, 6]

/** @param {State} state @param {Day} [day] */
const nameOf = (state, day = state.day) =>
  state.view === 'month' ? written(state, day, { month: 'long', year: 'numeric' }) : writtenDay(state, day)

/** @param {State} state @param {number} count */
function counted({ locale }, count) {
  const forms = facts.events[locale.slice(0, 2)] ?? {}
  return `${forms[new Intl.PluralRules(locale).select(count)] ?? forms.other}`.replace('{count}', `${count}`)
}

/** Returns the announcement of the shown days. @param {State} state */
export const told = (state) => `${nameOf(state)}: ${counted(state, state.events.length)}`

/** Returns the heading and buttons, and the table of a month, above the events. @param {State} state */
export function above(state) {
  const { view, day } = state
  const steps = [-1, 0, 1].map((by) => {
    const to = by === 0 ? today() : view === 'month' ? monthOf(day, by) : later(day, by)
    const button = make('button', { type: 'button', part: 'button', 'data-to': to, 'data-key': by })
    if (by === 0) button.textContent = `${textsOf(state)[0]}`
    else button.ariaLabel = nameOf(state, to)
    return button
  })
  const head = make(
    'div',
    { part: 'head' },
    make(`h${levelOf(state)}`, { part: 'heading' }, nameOf(state)),
    ...steps,
  )
  return view === 'month' ? [head, table(state)] : [head]
}

/** Returns a month as a table of days with one tab stop. @param {State} state */
function table(state) {
  const [first = '', last = ''] = spanOf(state)
  const rows = []
  for (let weekStart = first; weekStart <= last; weekStart = later(weekStart, 7)) {
    const lanes = lanesOf(state, weekStart)
    rows.push(make('tr', {}, ...WEEK.map((days) => cell(state, lanes, days, later(weekStart, days)))))
  }
  const names = WEEK.map((days) => {
    const name = make('th', { scope: 'col' }, written(state, later(first, days), { weekday: 'short' }))
    name.ariaLabel = written(state, later(first, days), { weekday: 'long' })
    return name
  })
  const head = make('thead', {}, make('tr', {}, ...names))
  return make('table', { part: 'month', 'aria-label': nameOf(state) }, head, make('tbody', {}, ...rows))
}

/**
 * Returns the lanes of a week. Events of several days are bars: each is in the first lane that is free.
 * @param {State} state
 * @param {Day} weekStart the first day of the week
 */
function lanesOf({ events }, weekStart) {
  /** @type {Shown[][]} */
  const lanes = []
  for (const event of events) {
    if (event.last === event.first || event.last < weekStart || event.first > later(weekStart, 6)) continue
    const free = lanes.find((lane) => lane.every(({ last }) => last < event.first))
    if (free) free.push(event)
    else lanes.push([event])
  }
  return lanes
}

/** @param {Day} on */
const isOn =
  (on) =>
  (/** @type {Shown} */ { first, last }) =>
    first <= on && last >= on

/** @param {State} state @param {Shown[][]} lanes @param {number} weekday @param {Day} on */
function cell(state, lanes, weekday, on) {
  const { day, events } = state
  const own = events.filter(isOn(on))
  const isToday = on === today()
  const attributes = {
    type: 'button',
    tabindex: on === day ? 0 : -1,
    'data-to': on,
    'data-key': on,
    'aria-pressed': on === day,
  }
  const number = make(
    'button',
    { ...attributes, part: isToday ? 'number today' : 'number' },
    `${+on.slice(8)}`,
  )
  number.ariaLabel = `${writtenDay(state, on)}, ${counted(state, own.length)}`
  number.classList.toggle('busy', own.length > 0)
  const isOther = monthOf(on) !== monthOf(day)
  return make(
    'td',
    { class: isOther && 'other', 'aria-current': isToday && 'date' },
    number,
    ...titles(state, own, lanes.map((lane) => lane.find(isOn(on))).slice(0, MOST_TITLES), weekday, on),
  )
}

/**
 * Returns the titles of a day: bars, then events of this day only, then the number of further events.
 * @param {State} state
 * @param {Shown[]} own
 * @param {(Shown | undefined)[]} bars one for each lane
 * @param {number} weekday
 * @param {Day} on
 */
function titles(state, own, bars, weekday, on) {
  const used = bars.findLastIndex(Boolean) + 1
  const single = own.filter(({ first, last }) => first === last).slice(0, MOST_TITLES - used)
  const more = own.length - single.length - bars.filter(Boolean).length
  if (own.length === 0) return []
  const items = [
    ...bars.slice(0, used).map((event) => bar(state, event, weekday, on)),
    ...single.map((event) => entry(state, event)),
  ]
  return [make('ul', {}, ...items, ...(more > 0 ? [make('li', {}, `+${more}`)] : []))]
}

/**
 * Returns a bar on its first day in a week, and an empty lane on its other days.
 * @param {State} state
 * @param {Shown | undefined} event
 * @param {number} weekday
 * @param {Day} on
 */
function bar(state, event, weekday, on) {
  if (!event || (event.first < on && weekday > 0)) return make('li', { class: 'lane', 'aria-hidden': true })
  const days = WEEK.filter((more) => weekday + more < 7 && later(on, more) <= event.last).length
  return make('li', { class: `lane w${days}` }, anchor(state, event, 'entry bar'))
}

/** @param {State} state @param {Shown} event */
function entry(state, event) {
  const time = event.all_day ? [] : [make('span', { part: 'clock' }, clock(state, event.start_date)), ' ']
  const link = anchor(state, event, 'entry')
  link.prepend(...time)
  return make('li', {}, link)
}

/**
 * Shows another day, and loads its month if needed.
 * @param {State} state
 * @param {Day} to
 * @param {string} focus
 */
function goTo(state, to, focus) {
  const isSame = state.view === 'month' && monthOf(to) === monthOf(state.drawn)
  state.isPicked = state.view === 'month' && focus === to
  state.day = to
  if (isSame) {
    state.loading.abort()
    draw(state, focus)
  } else load(state, focus)
}

/** @param {State} state @param {Event} event */
export function onClick(state, { target }) {
  const { to, key } = target instanceof HTMLElement ? target.dataset : {}
  if (to && key) goTo(state, key === '0' ? today() : to, key)
}

/** Moves through days and months by keys. @param {State} state @param {KeyboardEvent} event */
export function onKey(state, event) {
  const { day, drawn, view } = state
  if (view !== 'month' || !(event.target instanceof HTMLElement) || event.target.dataset.key !== drawn) return
  const weekday = (new Date(day).getUTCDay() - site.week + 7) % 7
  /** @type {Record<string, number>} */
  const days = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7, Home: -weekday, End: 6 - weekday }
  const by = days[event.key]
  const months = event.key === 'PageDown' ? 1 : event.key === 'PageUp' ? -1 : 0
  if (by === undefined && months === 0) return
  event.preventDefault()
  const to = by === undefined ? monthOf(day, months) : later(day, by)
  goTo(state, to, to)
}
