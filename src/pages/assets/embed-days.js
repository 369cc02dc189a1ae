// @ts-check
// What <kalends-events> needs to show a month or a day, and to go from one to the next.
import {
  anchor,
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

/** @import { Day, State } from './embed.js' */

/** Put in by the server. */
export const sheet = sheetOf(JSON.parse('""'))

/** The titles that a day has room for. */
const MOST_TITLES = 4
const WEEK = [0, 1, 2, 3, 4, 5, 6]

/** @param {State} state @param {Day} [day] */
const nameOf = (state, day = state.day) =>
  state.view === 'month' ? written(state, day, { month: 'long', year: 'numeric' }) : writtenDay(state, day)

/** @param {State} state @param {number} count */
const counted = ({ texts }, count) => `${texts[count === 1 ? 3 : 4]}`.replace('{count}', `${count}`)

/** What was loaded, in words. @param {State} state */
export const told = (state) => `${nameOf(state)}: ${counted(state, state.events.length)}`

/** What stands above the events. @param {State} state */
export function above(state) {
  const { view, day, texts } = state
  const steps = [-1, 0, 1].map((by) => {
    const to = by === 0 ? today() : view === 'month' ? monthOf(day, by) : later(day, by)
    const button = make('button', { type: 'button', part: 'button', 'data-to': to, 'data-key': by })
    if (by === 0) button.textContent = `${texts[1]}`
    else button.ariaLabel = nameOf(state, to)
    return button
  })
  const head = make('div', { part: 'head' }, make(`h${levelOf(state)}`, { part: 'heading' }, nameOf(state)), ...steps)
  return view === 'month' ? [head, table(state)] : [head]
}

/** A month as a table of days, with one stop of the tab key. @param {State} state */
function table(state) {
  const [first = '', last = ''] = spanOf(state)
  const rows = []
  for (let on = first; on <= last; on = later(on, 7))
    rows.push(make('tr', {}, ...WEEK.map((days) => cell(state, later(on, days)))))
  const names = WEEK.map((days) => {
    const name = make('th', { scope: 'col' }, written(state, later(first, days), { weekday: 'short' }))
    name.ariaLabel = written(state, later(first, days), { weekday: 'long' })
    return name
  })
  const head = make('thead', {}, make('tr', {}, ...names))
  return make('table', { part: 'month', 'aria-label': nameOf(state) }, head, make('tbody', {}, ...rows))
}

/** @param {State} state @param {Day} on */
function cell(state, on) {
  const { day, events } = state
  const own = events.filter(({ first, last }) => first <= on && last >= on)
  const isToday = on === today()
  const attributes = {
    type: 'button',
    tabindex: on === day ? 0 : -1,
    'data-to': on,
    'data-key': on,
    'aria-pressed': on === day,
  }
  const number = make('button', { ...attributes, part: isToday ? 'number today' : 'number' }, `${+on.slice(8)}`)
  number.ariaLabel = `${writtenDay(state, on)}, ${counted(state, own.length)}`
  number.classList.toggle('busy', own.length > 0)
  const titles = own.slice(0, MOST_TITLES).map((event) => make('li', {}, anchor(state, event, 'entry')))
  if (own.length > MOST_TITLES) titles.push(make('li', {}, `+${own.length - MOST_TITLES}`))
  const isOther = monthOf(on) !== monthOf(day)
  return make(
    'td',
    { class: isOther && 'other', 'aria-current': isToday && 'date' },
    number,
    ...(titles.length > 0 ? [make('ul', {}, ...titles)] : []),
  )
}

/** Shows another day, of another month perhaps. @param {State} state @param {Day} to @param {string} focus */
function goTo(state, to, focus) {
  const isSame = state.view === 'month' && monthOf(to) === monthOf(state.day)
  state.isPicked = state.view === 'month' && focus === to
  state.day = to
  if (isSame) draw(state, focus)
  else load(state, focus)
}

/** @param {State} state @param {Event} event */
export function onClick(state, { target }) {
  const { to, key } = target instanceof HTMLElement ? target.dataset : {}
  if (to && key) goTo(state, to, key)
}

/** Days and months by key. @param {State} state @param {KeyboardEvent} event */
export function onKey(state, event) {
  const { day, view, host } = state
  if (view !== 'month' || !(event.target instanceof HTMLElement) || event.target.dataset.key !== day) return
  const on = getComputedStyle(host).direction === 'rtl' ? -1 : 1
  const weekday = (new Date(day).getUTCDay() - site.week + 7) % 7
  /** @type {Record<string, number>} */
  const days = { ArrowLeft: -on, ArrowRight: on, ArrowUp: -7, ArrowDown: 7, Home: -weekday, End: 6 - weekday }
  const by = days[event.key]
  const months = event.key === 'PageDown' ? 1 : event.key === 'PageUp' ? -1 : 0
  if (by === undefined && months === 0) return
  event.preventDefault()
  const to = by === undefined ? monthOf(day, months) : later(day, by)
  goTo(state, to, to)
}
