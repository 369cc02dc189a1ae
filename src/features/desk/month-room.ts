import { invalidParam, Problem } from '../../base/problems.ts'
import { addDays, dayOf, wallNow } from '../../base/text/moments.ts'
import { dayNumber } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findEvent } from '../../calendar/events/event-store.ts'
import { can, mayEdit } from '../../calendar/people/caller.ts'
import { events } from '../../calendar/resources.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { written } from '../feeds/date-forms.ts'
import { fillWeeks, type GridDay, hiddenOf, type Stretch, weekdayHeads } from '../pages/month-view.ts'
import {
  capitalized,
  firstOf,
  isDay,
  isMonth,
  lastDayOf,
  monthOf,
  monthsLater,
  weeksOf,
  writtenDay,
  writtenStart,
  writtenTime,
} from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { type PageTerms, readTermsAlone } from '../pages/page-terms.ts'
import { statusName } from './desk-inputs.ts'
import {
  countAtDesk,
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  fieldOf,
  sayAtDesk,
  titleAtDesk,
} from './desk-page.ts'
import { findPlannedTimes, type PlannedEvent, readPlanned } from './planned-events.ts'
import { authorFirst, eventLink } from './record-links.ts'
import { updateRecord } from './save-form.ts'

// The month for planning: a click on a day adds an event; dragging or a menu moves an event.

const MOST = 2000

interface Plan {
  request: DeskRequest
  context: Context
  month: string
  today: string
  byId: ReadonlyMap<number, PlannedEvent>
  terms: PageTerms
}

async function showMonth(request: DeskRequest): Promise<DeskAnswer> {
  const { context, variables, query, weekStart } = request
  const { site } = context
  const today = dayOf(wallNow(site.timezone, context.now))
  const month = variables.month ?? monthOf(today)
  if (!isMonth(month)) throw new Problem('rest_no_route')
  const weeks = weeksOf(month, weekStart)
  const [first = '', last = ''] = [weeks[0]?.[0], weeks.at(-1)?.at(-1)]
  const days = { first, after: addDays(last, 1), most: MOST }
  const author = authorFirst(context)
  const [all, own, terms] = await Promise.all([
    findPlannedTimes(context, days),
    author === undefined ? [] : findPlannedTimes(context, { ...days, author }),
    readTermsAlone(context),
  ])
  const owned = new Set(own.map(({ id }) => id))
  const times = [...own, ...all.filter(({ id }) => !owned.has(id))]
  const stretches = times.map(({ id, start_date, end_date }) => ({
    id,
    first: start_date.slice(0, 10),
    last: lastDayOf(start_date, end_date),
  }))
  const grid = fillWeeks(weeks, stretches)
  const day = query.get('day') ?? ''
  const ofDay = isDay(day) ? stretches.filter((stretch) => stretch.first <= day && stretch.last >= day) : []
  const shown = new Set(
    [...grid.flat().flatMap(({ lanes, single }) => [...lanes, ...single]), ...ofDay].map(
      (one) => one?.id ?? 0,
    ),
  )
  for (const name of ['chosen', 'moved']) shown.add(Number(query.get(name)) || 0)
  const planned = await readPlanned(
    context,
    [...shown].filter((id) => Number.isSafeInteger(id) && id > 0),
  )
  const plan: Plan = {
    request,
    context,
    month,
    today,
    byId: new Map(planned.map((event) => [event.id, event])),
    terms,
  }
  const chosen = plan.byId.get(Number(query.get('chosen')))
  return {
    title: capitalized(site, written(site, 'monthYear', firstOf(month))),
    room: 'month',
    under:
      all.length < MOST
        ? hintOf(context)
        : sayAtDesk(site, 'Only the first {count} events are shown.', { count: String(MOST) }),
    actions: ways(plan),
    notice: movedNotice(plan),
    body: html`${chosen && movePanel(plan, chosen)}${monthTable(plan, grid)}
<form id="move" method="post" action="${deskPath(
      site,
      '/month/move',
    )}" hidden><input type="hidden" name="id"><input type="hidden" name="day">\
<button type="submit">${sayAtDesk(site, 'Move')}</button></form>
${isDay(day) ? dayList(plan, day, ofDay) : ''}${agenda(plan, grid)}`,
  }
}

const hintOf = ({ site, caller }: Context): Content =>
  can(caller, 'edit') &&
  html`<span class="for-mice">${sayAtDesk(
    site,
    'Press a day to add an event; drag one to move it, or choose “…” beside it.',
  )}</span><span class="for-fingers">${sayAtDesk(
    site,
    'Click a day to add an event, or “…” beside one to move it.',
  )}</span>`

const monthPath = ({ context: { site } }: Pick<Plan, 'context'>, month: string, query = '') =>
  deskPath(site, `/month/${month}${query}`)

function ways(plan: Plan): Html {
  const { context, month, today } = plan
  const { site } = context
  const step = (months: number, sign: string) => {
    const other = monthsLater(month, months)
    if (other === undefined) return ''
    const name = written(site, 'monthYear', firstOf(other))
    return html`<a class="button" href="${monthPath(plan, other)}" aria-label="${name}" rel="${
      months < 0 ? 'prev' : 'next'
    }"><span aria-hidden="true">${sign}</span></a>`
  }
  return html`${step(-1, '←')}<a class="button" href="${monthPath(plan, monthOf(today))}">${sayAtDesk(
    site,
    'Today',
  )}</a>${step(1, '→')}`
}

function monthTable(plan: Plan, grid: readonly GridDay[][]): Html {
  const { site } = plan.context
  const rows = grid.map(
    (week) => html`<tr>${week.map((day, at) => cellOf(plan, day, week.length - at))}</tr>\n`,
  )
  return html`<table class="plan" data-plan><thead><tr>${weekdayHeads(
    site,
    grid,
  )}</tr></thead><tbody>\n${rows}</tbody></table>`
}

function cellOf(plan: Plan, day: GridDay, daysLeft: number): Html {
  const { context, month, today } = plan
  const { site, caller } = context
  const words = writtenDay(site, day.day, '')
  const classes = [monthOf(day.day) !== month && 'other', day.day === today && 'today']
    .filter(Boolean)
    .join(' ')
  const number = html`<time datetime="${day.day}" aria-hidden="true">${Number(day.day.slice(8))}</time>`
  const head = can(caller, 'edit')
    ? html`<a class="add" href="${deskPath(
        site,
        `/events/new?start_date=${day.day}`,
      )}" aria-label="${sayAtDesk(site, 'New event on {date}', {
        date: words,
      })}">${number}<span class="plus" aria-hidden="true">+</span></a>`
    : html`<span class="add"><span class="hidden">${words}</span>${number}</span>`
  // A lane without an event on this day gets an empty entry, so that bars stay aligned.
  const bars = Array.from(day.lanes, (stretch) => barOf(plan, stretch, day.day, daysLeft))
  const entries = day.single.flatMap(({ id }) => {
    const event = plan.byId.get(id)
    return event ? [entryOf(plan, event, '')] : []
  })
  const hidden = hiddenOf(day)
  const toDay = monthPath(plan, month, `?day=${day.day}#day`)
  const more =
    hidden > 0 &&
    html`<li><a class="rest" href="${toDay}">${countAtDesk(site, hidden, '+{count} more')}</a></li>`
  const dots =
    day.total > 0 &&
    html`<a class="dots" href="${toDay}"><span class="hidden">${words}: ${countAtDesk(
      site,
      day.total,
      '{count} events',
    )}</span>${Array.from({ length: Math.min(day.total, 3) }, () => html`<i class="dot"></i>`)}</a>`
  return html`<td data-day="${day.day}"${classes !== '' && html` class="${classes}"`}${
    day.day === today && html` aria-current="date"`
  }>${head}${dots}<ul>${bars}${entries}${more}</ul></td>`
}

function hueClass({ terms }: Plan, { category }: PlannedEvent): string {
  const term = category === undefined ? undefined : terms.byId.get(category)
  return term ? ` h${term.hue}` : ''
}

function stateWord({ site }: Pick<Context, 'site'>, { status, event_status }: PlannedEvent): string {
  if (event_status === 'canceled') return sayAtDesk(site, 'Canceled')
  if (event_status === 'postponed') return sayAtDesk(site, 'Postponed')
  return status === 'publish' ? '' : statusName(site, status)
}

/** An event's bar on its first day in the week, an empty entry on its other days. */
function barOf(plan: Plan, stretch: Stretch | undefined, day: string, daysLeft: number): Html {
  const event = stretch && plan.byId.get(stretch.id)
  const isDrawn = stretch !== undefined && (day === stretch.first || daysLeft === 7)
  if (!event || !isDrawn) return html`<li class="entry free" aria-hidden="true"></li>`
  const days = dayNumber(stretch.last) - dayNumber(day) + 1
  return entryOf(plan, event, ` whole long w${Math.min(days, daysLeft)}`)
}

function entryOf(plan: Plan, event: PlannedEvent, bar: string): Html {
  const { context, month } = plan
  const { site, caller } = context
  const title = titleAtDesk(site, event.title)
  const isWhole = event.all_day === 1 || bar !== ''
  const time = isWhole ? '' : writtenStart(site, event.start_date, event.end_date)
  const state = stateWord(context, event)
  const draft = event.status === 'publish' ? '' : ' draft'
  const off = event.event_status === 'canceled' ? ' off' : ''
  const looks = `${draft}${off}${isWhole && bar === '' ? ' whole' : ''}${bar}`
  const isMovable = mayEdit(caller, event)
  return html`<li class="entry${looks}${hueClass(plan, event)}"${
    isMovable && html` data-id="${event.id}" data-start="${event.start_date.slice(0, 10)}"`
  }>${eventLink(
    context,
    event,
    html`${time && html`<b>${time}</b> `}${title}${state && html`<span class="hidden"> · ${state}</span>`}`,
    { attributes: html` title="${title}${state && ` · ${state}`}"` },
  )}${
    isMovable &&
    html`<a class="menu" href="${monthPath(
      plan,
      month,
      `?chosen=${event.id}#chosen`,
    )}" aria-label="${sayAtDesk(site, 'Move {title}', { title })}">…</a>`
  }</li>`
}

function movePanel(plan: Plan, event: PlannedEvent): Html {
  const { context, month } = plan
  const { site } = context
  const day = event.start_date.slice(0, 10)
  const to = (days: number, text: Parameters<typeof sayAtDesk>[1]) =>
    html`<button type="submit" class="button" name="days" value="${days}">${sayAtDesk(site, text)}</button>`
  return html`<section class="card move" id="chosen" aria-labelledby="chosen-title" tabindex="-1">\
<h2 id="chosen-title">${titleAtDesk(site, event.title)}</h2><p class="hint">${written(site, 'fullYear', day)}\
</p>
<form method="post" action="${deskPath(
    site,
    '/month/move',
  )}"><input type="hidden" name="id" value="${event.id}"><div class="row"><div class="field">\
<label for="day">${sayAtDesk(
    site,
    'Move to',
  )}</label><input type="date" id="day" name="day" value="${day}"></div></div><p class="actions">\
<button type="submit" class="button main">${sayAtDesk(site, 'Move')}</button>${to(-7, 'A week earlier')}${to(
    -1,
    'A day earlier',
  )}${to(1, 'A day later')}${to(7, 'A week later')}<a class="button quiet" href="${monthPath(
    plan,
    month,
  )}">${sayAtDesk(site, 'Close')}</a></p></form></section>`
}

function dayList(plan: Plan, day: string, stretches: readonly Stretch[]): Html {
  const { site } = plan.context
  const on = stretches.flatMap(({ id }) => plan.byId.get(id) ?? [])
  return html`<section class="day" id="day"><h2>${written(site, 'full', day)}</h2>${eventLines(
    plan,
    on,
  )}</section>`
}

function agenda(plan: Plan, grid: readonly GridDay[][]): Html {
  const { context, month } = plan
  const days = grid.flat().filter(({ day, total }) => monthOf(day) === month && total > 0)
  const sections = days.map(({ day, lanes, single }) => {
    const on = [...lanes, ...single].flatMap((stretch) => (stretch && plan.byId.get(stretch.id)) ?? [])
    return html`<section><h2>${writtenDay(context.site, day, plan.today)}</h2>${eventLines(
      plan,
      on,
    )}</section>`
  })
  return html`<div class="agenda">${sections}</div>`
}

function eventLines(plan: Plan, planned: readonly PlannedEvent[]): Html {
  const { context, month } = plan
  const { site, caller } = context
  const lines = planned.map((event) => {
    const state = stateWord(context, event)
    const time =
      event.all_day === 1
        ? sayAtDesk(site, 'All day')
        : writtenStart(site, event.start_date, event.end_date, writtenTime)
    return html`<li class="${hueClass(plan, event).trim()}"><span class="when">${time}</span>${eventLink(
      context,
      event,
      html`<i class="dot" aria-hidden="true"></i>${titleAtDesk(site, event.title)}`,
      { look: 'title' },
    )}${state && html`<span class="state">${state}</span>`}${
      mayEdit(caller, event) &&
      html`<a class="menu" href="${monthPath(
        plan,
        month,
        `?chosen=${event.id}#chosen`,
      )}" aria-label="${sayAtDesk(site, 'Move {title}', { title: titleAtDesk(site, event.title) })}">…</a>`
    }</li>`
  })
  return html`<ul class="lines">${lines}</ul>`
}

function movedNotice({ context, request, byId }: Plan): Content {
  const { site } = context
  const moved = byId.get(Number(request.query.get('moved')))
  const from = request.query.get('from') ?? ''
  const scope = request.query.get('scope') ?? 'this'
  if (!moved || !isDay(from) || !isScope(scope)) return undefined
  const words = sayAtDesk(site, '{title} is on {date} now.', {
    title: titleAtDesk(site, moved.title),
    date: written(site, 'full', moved.start_date),
  })
  return html`<form class="undo" method="post" action="${deskPath(
    site,
    '/month/move',
  )}">${words} <input type="hidden" name="id" value="${moved.id}"><input type="hidden" name="day" \
value="${from}"><input type="hidden" name="recurrence_scope" value="${scope}">\
<button type="submit" class="button">${sayAtDesk(site, 'Undo')}</button></form>`
}

const SCOPES = [
  { scope: 'this', text: 'This one' },
  { scope: 'following', text: 'This and the following' },
  { scope: 'all', text: 'All of them' },
] as const

const isScope = (text: string) => SCOPES.some(({ scope }) => scope === text)

/** Moves an event to another day at the same time. For a date of a series, asks first which dates to move. */
async function move(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const { site, caller } = context
  const id = Number(fieldOf(request, 'id'))
  const row = Number.isSafeInteger(id) && id > 0 ? await findEvent(context.db, id) : undefined
  if (!row) throw new Problem('rest_no_route')
  if (!mayEdit(caller, row)) throw new Problem('rest_forbidden')
  const from = row.start_date.slice(0, 10)
  const to = targetOf(request, from)
  const back = (query: string) => ({ seeOther: deskPath(site, `/month/${monthOf(to)}${query}`) })
  if (to === from) return back('')
  const scope = fieldOf(request, 'recurrence_scope')
  if (row.series !== null && !isScope(scope)) return askScope(request, row, to)
  const days = dayNumber(to) - dayNumber(from)
  const later = (wall: string) => `${addDays(wall.slice(0, 10), days)}${wall.slice(10)}`
  const times = { start_date: later(row.start_date), end_date: later(row.end_date) }
  await updateRecord(context, events, id, {
    ...times,
    ...(row.series !== null && { recurrence_scope: scope }),
  })
  return back(`?moved=${id}&from=${from}${row.series === null ? '' : `&scope=${scope}`}`)
}

/** @throws Problem rest_invalid_param for a day that does not exist */
function targetOf(request: DeskRequest, from: string): string {
  const days = fieldOf(request, 'days')
  const day = /^-?\d{1,3}$/.test(days) ? addDays(from, Number(days)) : fieldOf(request, 'day')
  if (!isDay(day)) throw invalidParam('day')
  return day
}

function askScope({ context }: DeskRequest, row: EventRow, to: string): DeskAnswer {
  const { site } = context
  return {
    title: titleAtDesk(site, row.title),
    room: 'month',
    body: html`<form class="card ask" method="post" action="${deskPath(site, '/month/move')}"><p>${sayAtDesk(
      site,
      'This is a date of a series. Which dates shall move with it to {date}?',
      { date: written(site, 'full', to) },
    )}</p><input type="hidden" name="id" value="${row.id}"><input type="hidden" name="day" value="${to}">\
<p class="actions">${SCOPES.map(
      ({ scope, text }) =>
        html`<button type="submit" class="button${
          scope === 'this' && ' main'
        }" name="recurrence_scope" value="${scope}">${sayAtDesk(site, text)}</button>`,
    )}<a class="button quiet" href="${deskPath(site, `/month/${monthOf(row.start_date)}`)}">${sayAtDesk(
      site,
      'Cancel',
    )}</a></p></form>`,
  }
}

export const monthPages: readonly DeskPage[] = [
  { at: '/month', get: showMonth },
  { at: '/month/move', post: move },
  { at: '/month/:month', get: showMonth },
]
