import type { Site } from '../../base/config.ts'
import { addDays } from '../../base/text/moments.ts'
import { countStarts } from '../../calendar/events/find-events.ts'
import { firstOf, monthOf, monthsLater, weeksOf, written } from './page-dates.ts'
import { type EventFilters, withoutTimes } from './page-finding.ts'
import { type Html, html } from './page-html.ts'
import type { Span } from './spans.ts'
import { say, sayEvents, type Viewing } from './viewing.ts'

// The small month beside a list, by which a reader goes to a day.

/** The address of a day or month of the same events. */
type AddressOf = (span: Span<'day' | 'month'>) => string

/** The rest of the month of a day to jump by, and in its last week the next one. */
export function miniMonths(viewing: Viewing, filters: EventFilters, day: string, to: AddressOf): Html {
  const { site } = viewing.context
  const months = [...new Set([monthOf(day), monthOf(addDays(day, SOON))])]
  const name = say(site, 'Jump to a date')
  return html`<details class="mini"><summary class="quiet">${name}</summary><nav aria-label="${name}">${months.map((month, at) => html`<p>${step(site, month, at === 0 ? -1 : undefined, '←', to)}<a href="${to({ view: 'month', month })}">${written(site, 'monthYear', firstOf(month))}</a>${step(site, month, at === months.length - 1 ? 1 : undefined, '→', to)}</p>${oneMonth(viewing, filters, month, day, to)}`)}</nav></details>`
}

const SOON = 7

/** The weeks of a month from that of a day on. Days on which events of these filters begin are links; without an index to tell, all are. */
function oneMonth(
  { context, today, weekStart }: Viewing,
  filters: EventFilters,
  month: string,
  from: string,
  to: AddressOf,
): Html {
  const { site } = context
  const weeks = weeksOf(month, weekStart).filter((week) => (week[6] ?? '') >= from)
  const days = weeks.flat().filter((one) => monthOf(one) === month)
  const counts = countStarts(context, { ...withoutTimes(filters), strict_dates: true, page: 1, per_page: 1 }, days)
  const cell = (one: string) => {
    if (monthOf(one) !== month) return html`<td></td>`
    const count = counts?.[days.indexOf(one)]
    const mark = one === today && html` aria-current="date"`
    const number = Number(one.slice(8))
    return count === 0
      ? html`<td${mark}>${number}</td>`
      : html`<td${mark}><a href="${to({ view: 'day', day: one })}" aria-label="${written(site, 'dayMonth', one)}${count !== undefined && html`, ${sayEvents(site, count)}`}">${number}</a></td>`
  }
  const head = weeks[0]?.map(
    (one) => html`<th scope="col" abbr="${written(site, 'weekday', one)}">${letterOf(site, one)}</th>`,
  )
  return html`<table><thead><tr>${head}</tr></thead><tbody>${weeks.map((week) => html`<tr>${week.map(cell)}</tr>`)}</tbody></table>`
}

const letterOf = (site: Site, day: string) => [...written(site, 'weekdayShort', day)].slice(0, 2).join('')

/** An arrow to the month before or after; room in its place where there is none. */
function step(site: Site, month: string, by: number | undefined, arrow: string, to: AddressOf): Html {
  const other = by && monthsLater(month, by)
  return other
    ? html`<a class="step" href="${to({ view: 'month', month: other })}" aria-label="${written(site, 'monthYear', firstOf(other))}"><span aria-hidden="true">${arrow}</span></a>`
    : html`<span class="step"></span>`
}
