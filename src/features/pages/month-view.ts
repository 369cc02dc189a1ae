import type { Site } from '../../base/config.ts'
import { dayOf, formatUtc, utcToMs } from '../../base/text/moments.ts'
import { DAY_MS, dayNumber, HOUR_MS } from '../../base/text/zones.ts'
import { EVENING } from '../../calendar/events/event-when.ts'
import type { EventIndex } from '../../store/memory/event-index.ts'
import { written } from '../feeds/date-forms.ts'
import { announced } from '../feeds/event-status.ts'
import type { Card } from './cards.ts'
import { hueOf, isSeveralDays, shownTitle, titleOf, zoneBehind } from './event-rows.ts'
import { isLong, MOST_ONGOING, ongoingBand } from './ongoing.ts'
import {
  capitalized,
  dayAt,
  earlierOf,
  firstOf,
  lastDayOf,
  laterOf,
  monthOf,
  monthsLater,
  NIGHT_MS,
  weeksOf,
  writtenDay,
  writtenShortTime,
  writtenStart,
  writtenTime,
} from './page-dates.ts'
import {
  between,
  cardsOf,
  type EventFilters,
  type FoundEvents,
  findBounds,
  findPageEvents,
} from './page-finding.ts'
import { type Html, html, NOTHING } from './page-html.ts'
import { findSticky } from './page-store.ts'
import {
  canonicalOf,
  daysOfSame,
  type EventsAsked,
  feedsOf,
  nothingFound,
  type PagerLink,
  pager,
  sameEvents,
  steps,
  viewHead,
} from './view-head.ts'
import { nameShown, pathTo, say, sayEvents, sayMore, type View, type Viewing } from './viewing.ts'
import { isOvernight } from './when-in-words.ts'

/** At most this many events are counted; only those shown are loaded. */
const MOST = 5000

interface Drawing {
  viewing: Viewing
  month: string
  cards: ReadonlyMap<number, Card>
  dayPath: (day: string) => string
}

interface DrawnMonth {
  heading: string
  total: number
  /** Events of more than three days, shown apart from the weeks (rule 31.2). */
  ongoing: Html | false
  table: Html
  agenda: Html
}

export async function drawMonth(viewing: Viewing, asked: EventsAsked, month: string): Promise<DrawnMonth> {
  const { context, weekStart } = viewing
  const { site } = context
  const { filters } = asked.query
  const weeks = weeksOf(month, weekStart)
  const [first = '', last = ''] = [weeks[0]?.[0], weeks.at(-1)?.at(-1)]
  const found = await findPageEvents(viewing, between(viewing, filters, first, last), 1, MOST)
  const stretches = await ranked(viewing, filters, [first, last], found)
  const grid = fillWeeks(
    weeks,
    stretches.filter((own) => !isLong(own.first, own.last)),
  )
  const own = stretches.filter(({ first, last }) => monthOf(first) <= month && monthOf(last) >= month)
  const long = own.filter(({ first, last }) => isLong(first, last)).sort(byEnd(viewing.today))
  const lasting = long.slice(0, MOST_ONGOING).map(({ id }) => id)
  const shown = grid
    .flat()
    .flatMap((day) => [...day.lanes, ...day.single].flatMap((stretch) => stretch?.id ?? []))
  const cards = await cardsOf(viewing, [...new Set([...lasting, ...shown])])
  const byId = new Map(cards.map((card) => [card.id, card]))
  const dayPath = daysOfSame(viewing, asked)
  const drawing: Drawing = { viewing, month, cards: byId, dayPath }
  const heading = capitalized(site, written(site, 'monthYear', firstOf(month)))
  const ongoing = { cards: lasting.flatMap((id) => byId.get(id) ?? []), total: long.length }
  const others = `${dayPath(monthOf(viewing.today) === month ? viewing.today : firstOf(month))}#ongoing`
  return {
    heading,
    total: own.length,
    ongoing: ongoingBand(viewing, ongoing, others),
    table: table(drawing, grid, heading),
    agenda: agenda(drawing, grid),
  }
}

const byEnd = (today: string) => (a: Stretch, b: Stretch) =>
  Number(a.last < today) - Number(b.last < today) ||
  (a.last < b.last ? -1 : Number(a.last > b.last)) ||
  a.id - b.id

export async function monthView(viewing: Viewing, asked: EventsAsked, month: string): Promise<View> {
  const { context, today } = viewing
  const { site } = context
  const { heading, total, ongoing, table, agenda } = await drawMonth(viewing, asked, month)
  const name = written(site, 'monthYear', firstOf(month))
  const span = { view: 'month', month } as const
  const ways = await monthWays(viewing, asked, month)
  return {
    status: 200,
    title: heading,
    description: `${heading}: ${sayEvents(site, total)}`,
    canonical: canonicalOf(viewing, asked, span),
    isIndexed: month >= monthOf(today) && total > 0 && !asked.query.isFiltered,
    previous: ways.previous?.path,
    next: ways.next?.path,
    feeds: feedsOf(asked),
    current: 'month',
    styles: [viewing.assets.month],
    body: html`${viewHead(
      viewing,
      { ...asked, span },
      heading,
      sayEvents(site, total),
      monthSteps(viewing, asked, month, ways),
    )}
<div class="results" id="events" tabindex="-1">${table}${
      total === 0
        ? await nothingFound(
            viewing,
            asked,
            say(site, 'There are no events in {month}.', { month: name }),
            `${firstOf(month)} 00:00:00`,
          )
        : agenda
    }${ongoing}</div>
${pager(ways.previous, ways.next, say(site, 'Other months'))}`,
  }
}

/** Links to the months before and after; undefined in a direction without today or any matching event. */
export async function monthWays(
  viewing: Viewing,
  asked: EventsAsked,
  month: string,
): Promise<Record<'previous' | 'next', (PagerLink & { month: string }) | undefined>> {
  const { site } = viewing.context
  const bounds = await findBounds(viewing, asked.query.filters)
  const now = monthOf(viewing.today)
  const [first, last] = [monthOf(bounds?.first ?? viewing.today), monthOf(bounds?.last ?? viewing.today)]
  const way = (other: string | undefined) => {
    if (other === undefined || other < earlierOf(first, now) || other > laterOf(last, now)) return undefined
    const path = sameEvents(viewing, asked, { view: 'month', month: other })
    return { month: other, path, text: capitalized(site, written(site, 'monthYear', firstOf(other))) }
  }
  return { previous: way(monthsLater(month, -1)), next: way(monthsLater(month, 1)) }
}

function monthSteps(
  viewing: Viewing,
  asked: EventsAsked,
  month: string,
  { previous, next }: Awaited<ReturnType<typeof monthWays>>,
): Html {
  const { site } = viewing.context
  const now = monthOf(viewing.today)
  const present = { path: sameEvents(viewing, asked, { view: 'month', month: now }), isHere: month === now }
  return steps(site, say(site, 'Months'), previous, present, next)
}

function table(drawing: Drawing, grid: readonly GridDay[][], name: string): Html {
  const { site } = drawing.viewing.context
  const rows = grid.map((week) => html`<tr>${week.map((day, at) => cell(drawing, day, week, at))}</tr>\n`)
  return html`<table class="month"><caption class="hidden">${name}</caption><thead><tr>${weekdayHeads(
    site,
    grid,
  )}</tr></thead><tbody>\n${rows}</tbody></table>`
}

export const weekdayHeads = (site: Site, [week = []]: readonly GridDay[][]): Html[] =>
  week.map(
    ({ day }) =>
      html`<th scope="col"><span class="hidden">${written(
        site,
        'weekday',
        day,
      )}</span><span aria-hidden="true">${written(site, 'weekdayShort', day)}</span></th>`,
  )

function cell(drawing: Drawing, day: GridDay, week: readonly GridDay[], at: number): Html {
  const { viewing, month } = drawing
  const { site } = viewing.context
  const isOther = monthOf(day.day) !== month
  const isToday = day.day === viewing.today
  const kind = isOther ? 'other' : isToday ? 'today' : day.day < viewing.today ? 'past' : ''
  const path = drawing.dayPath(day.day)
  const words = writtenDay(site, day.day, '')
  // Days of other months name their month; only days with events are links.
  const seen = html`<time datetime="${day.day}" aria-hidden="true">${Number(day.day.slice(8))}</time>${
    isOther && otherMonth(drawing, day)
  }`
  const head =
    day.total > 0
      ? html`<a class="number" href="${path}"><span class="hidden">${words}, ${sayEvents(
          site,
          day.total,
        )}</span>${seen}${dots(drawing, day)}</a>`
      : html`<span class="number"><span class="hidden">${words}</span>${seen}</span>`
  const lanes = Array.from(day.lanes, (bar) => lane(drawing, bar, day.day, week.length - at))
  const single = day.single.map((stretch) => entry(drawing, stretch))
  const hidden = hiddenOf(day)
  const more = hidden > 0 && html`<li class="rest"><a href="${path}">${sayMore(site, hidden)}</a></li>`
  const list = (lanes.length > 0 || single.length > 0 || more) && html`<ul>${lanes}${single}${more}</ul>`
  return html`<td${kind !== '' && html` class="${kind}"`}${
    isToday && html` aria-current="date"`
  }>${head}${list}</td>`
}

function otherMonth({ viewing }: Drawing, { day }: GridDay): Html {
  return html`<span class="of" aria-hidden="true"> ${written(viewing.context.site, 'monthShort', day)}</span>`
}

const MOST_DOTS = 3

function dots({ viewing, cards }: Drawing, { lanes, single }: GridDay): Html {
  const shown: Html[] = []
  for (const stretch of [...lanes, ...single]) {
    const card = stretch && cards.get(stretch.id)
    if (card && shown.length < MOST_DOTS) shown.push(html`<i class="dot${hueOf(viewing, card)}"></i>`)
  }
  return html`<span class="dots" aria-hidden="true">${shown}</span>`
}

/**
 * Shows a bar's part on one day. On the first day of the bar and of each week, that is the whole week's bar;
 * on other days, only words for screen readers.
 * @param daysLeft days of the week from this one on
 */
function lane({ viewing, cards }: Drawing, bar: Stretch | undefined, day: string, daysLeft: number): Html {
  const card = bar && cards.get(bar.id)
  if (!bar || !card) return html`<li class="lane" aria-hidden="true"></li>`
  const { site } = viewing.context
  const title = announced(site, card, titleOf(viewing, card))
  const isHead = day === bar.first
  if (!isHead && daysLeft < 7)
    return html`<li class="lane"><span class="hidden">${say(site, '{title}, continues', {
      title,
    })}</span></li>`
  const days = dayNumber(bar.last) - dayNumber(day) + 1
  const ends = days <= daysLeft ? ' ends' : ''
  return html`<li class="lane bar w${Math.min(days, daysLeft)}${isHead && ' starts'}${ends}${hueOf(
    viewing,
    card,
  )}"><a href="${pathTo(site, card.url)}" title="${title}">${
    !isHead && html`<span class="hidden">${say(site, 'continues')}: </span>`
  }${shownTitle(viewing, card)}</a></li>`
}

function entry({ viewing, cards }: Drawing, { id, first }: Stretch): Html {
  const card = cards.get(id)
  if (!card) return NOTHING
  const { site } = viewing.context
  const title = announced(site, card, titleOf(viewing, card))
  const time = !card.isAllDay && html`<b>${timeOn(site, card, first)}</b>${zoneBehind(card)} `
  return html`<li class="entry${card.isAllDay && ' whole'}${hueOf(viewing, card)}"><a href="${pathTo(
    site,
    card.url,
  )}" title="${title}"><i class="dot" aria-hidden="true"></i>${time}${shownTitle(viewing, card)}</a></li>`
}

function agenda(drawing: Drawing, grid: readonly GridDay[][]): Html {
  const { viewing, month, cards, dayPath } = drawing
  const { site } = viewing.context
  const evening = dayOf(formatUtc(utcToMs(viewing.wall) - NIGHT_MS))
  const isOfNow = monthOf(viewing.today) === month
  const inMonth = grid.flat().filter(({ day }) => monthOf(day) === month)
  const coming = grid
    .flat()
    .filter(({ day }) => day >= evening && (monthOf(day) === month || (isOfNow && day === evening)))
  // The list begins today (before five in the morning: yesterday), or on the first if no events are to come.
  const days = coming.some(({ total }) => total > 0) ? coming : inMonth
  const first = days[0]?.day
  const sections = days.map((own) => {
    const starting = [...own.lanes, ...own.single].flatMap((stretch) => {
      const card =
        stretch && (stretch.first === own.day || own.day === first) ? cards.get(stretch.id) : undefined
      return card ? [card] : []
    })
    if (starting.length === 0) return NOTHING
    const hidden = hiddenOf(own)
    return html`<section><h2><a href="${dayPath(own.day)}">${writtenDay(
      site,
      own.day,
      viewing.today,
    )}</a></h2><ul class="brief">${starting.map((card) => brief(viewing, card, own.day))}${
      hidden > 0 && html`<li><a class="quiet" href="${dayPath(own.day)}">${sayMore(site, hidden)}</a></li>`
    }</ul></section>`
  })
  return html`<div class="agenda">${sections}</div>`
}

function brief(viewing: Viewing, card: Card, day: string): Html {
  const { site } = viewing.context
  const time =
    card.isAllDay || (isSeveralDays(card) && !isOvernight(card.start, card.end))
      ? say(site, 'All day')
      : html`${timeOn(site, card, day, writtenTime)}${zoneBehind(card)}`
  return html`<li class="${hueOf(viewing, card).trim()}"><a href="${pathTo(
    site,
    card.url,
  )}"><i class="dot" aria-hidden="true"></i><span class="when">${time}</span><span class="title">${shownTitle(
    viewing,
    card,
  )}</span>${card.place && html`<span class="where">${nameShown(site, card.place.name)}</span>`}</a></li>`
}

/** The start time; on days after the first, the end time. */
export function timeOn(site: Site, { start, end }: Card, day: string, write = writtenShortTime): string {
  return dayOf(start) < day
    ? say(site, 'until {date}', { date: write(site, end) })
    : writtenStart(site, start, end, write)
}

export interface Stretch {
  id: number
  first: string
  last: string
  /** If there are too many events, those of lowest rank are shown. Rank 0 also comes first within its day. */
  rank?: number
}

/** `total` counts all its events, shown or not. */
export interface GridDay {
  day: string
  /** Events of several days by lane; undefined for a free lane. */
  lanes: (Stretch | undefined)[]
  single: Stretch[]
  total: number
}

/** Maximum shown per day, bars included. */
const MOST_OF_A_DAY = 5
const MOST_LANES = 3

/**
 * First and last days of the found events, without those deleted since. An event that ends in the small hours
 * of the first day is put on that day: it is still on, or `when` asks for it.
 */
export function stretchesOf({ memory: { index } }: Viewing, found: FoundEvents, firstDay: string): Stretch[] {
  const stretches: Stretch[] = []
  for (const id of found.ids) {
    const times = found.times?.get(id)
    const slot = (index?.slotOf[id] ?? 0) - 1
    if (times) stretches.push({ id, first: dayOf(times.start), last: lastDayOf(times.start, times.end) })
    else if (index && slot >= 0) stretches.push(stretchAt(index, slot, id))
  }
  return stretches.map((own) => (own.last < firstDay ? { ...own, first: firstDay, last: firstDay } : own))
}

const [LEADING, OF_EVENING, OF_DAY] = [0, 1, 2]

/** Ranks featured and sticky events before those of the evening, and these before others (rule 31.4). */
async function ranked(
  viewing: Viewing,
  filters: EventFilters,
  [first, last]: readonly [string, string],
  found: FoundEvents,
): Promise<Stretch[]> {
  const { index } = viewing.memory
  const asked = between(viewing, { ...filters, featured: true }, first, last)
  const leading = new Set([
    ...(filters.featured === false ? [] : (await findPageEvents(viewing, asked, 1, MOST)).ids),
    ...(await findSticky(viewing.context.db, found.ids)),
  ])
  const hourOf = (id: number) => {
    const times = found.times?.get(id)
    if (times) return Number(times.start.slice(11, 13))
    return ((index?.starts[(index.slotOf[id] ?? 0) - 1] ?? 0) / HOUR_MS) % 24
  }
  return stretchesOf(viewing, found, first).map((own) => ({
    ...own,
    rank: leading.has(own.id) ? LEADING : hourOf(own.id) >= EVENING ? OF_EVENING : OF_DAY,
  }))
}

const rankOf = ({ rank = OF_DAY }: Stretch) => rank

/** Chooses the `most` events of lowest rank: those of rank 0 first, the others in their order. */
function chosen(single: readonly Stretch[], most: number): Stretch[] {
  const byRank = new Set(single.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, most))
  const isLed = (own: Stretch) => (rankOf(own) === LEADING ? 0 : 1)
  return single.filter((own) => byRank.has(own)).sort((a, b) => isLed(a) - isLed(b))
}

function stretchAt({ starts, ends }: EventIndex, slot: number, id: number): Stretch {
  const first = Math.floor((starts[slot] as number) / DAY_MS)
  const last = Math.max(first, Math.floor(((ends[slot] as number) - NIGHT_MS) / DAY_MS))
  return { id, first: dayAt(first), last: dayAt(last) }
}

/** Fills the days of weeks; the bar of an event of several days stays in one lane throughout a week. */
export function fillWeeks(weeks: readonly (readonly string[])[], stretches: readonly Stretch[]): GridDay[][] {
  const byDay = Map.groupBy(
    stretches.filter(({ first, last }) => first === last),
    ({ first }) => first,
  )
  const long = stretches.filter(({ first, last }) => first < last)
  return weeks.map((week) => fillWeek(week, long, byDay))
}

function fillWeek(
  week: readonly string[],
  long: readonly Stretch[],
  byDay: ReadonlyMap<string, Stretch[]>,
): GridDay[] {
  const [monday = '', sunday = ''] = [week[0], week.at(-1)]
  const ends: string[] = []
  const days = week.map((day): GridDay => ({ day, lanes: [], single: [], total: 0 }))
  for (const bar of long) {
    if (bar.first > sunday || bar.last < monday) continue
    const free = ends.findIndex((end) => end < laterOf(bar.first, monday))
    const lane = free === -1 ? ends.length : free
    ends[lane] = bar.last
    for (const day of days) {
      if (day.day < bar.first || day.day > bar.last) continue
      day.total += 1
      if (lane < MOST_LANES) day.lanes[lane] = bar
    }
  }
  for (const day of days) {
    const single = byDay.get(day.day) ?? []
    day.total += single.length
    day.single = chosen(single, Math.max(0, MOST_OF_A_DAY - day.lanes.filter(Boolean).length))
  }
  return days
}

export const hiddenOf = ({ total, lanes, single }: GridDay) =>
  total - lanes.filter(Boolean).length - single.length
