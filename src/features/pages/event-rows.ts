import type { Site } from '../../base/config.ts'
import { dayOf } from '../../base/text/moments.ts'
import { distanceKm } from '../../store/storage/distance.ts'
import { written } from '../feeds/date-forms.ts'
import { statusWord } from '../feeds/event-status.ts'
import type { Card, Picture } from './cards.ts'
import {
  capitalized,
  lastDayOf,
  writtenDate,
  writtenDay,
  writtenDistance,
  writtenEnd,
  writtenStart,
  writtenTime,
} from './page-dates.ts'
import { type Html, html, link } from './page-html.ts'
import type { ShownTerm } from './page-terms.ts'
import { sayCount } from './page-texts.ts'
import { nameShown, pathTo, say, spanLink, type Viewing } from './viewing.ts'
import { isOvernight, nearName } from './when-in-words.ts'

export function titleOf({ context: { site } }: Viewing, { title }: Pick<Card, 'title'>): string {
  return title === '' ? say(site, '(no title)') : title
}

/** Title after the status of a canceled or postponed event; that of a canceled event is struck through. */
export function shownTitle(viewing: Viewing, card: Card): Html {
  const title = titleOf(viewing, card)
  const { site } = viewing.context
  const name = nameShown(site, title)
  if (card.event_status === 'scheduled') return name
  const struck = card.event_status === 'canceled' ? html`<s>${name}</s>` : name
  return html`<b class="state ${card.event_status}">${statusWord(
    site,
    card,
  )}<span class="hidden">:</span></b> ${struck}`
}

/** CSS class for the first category's colour, after a space; empty without a category. */
export function hueOf({ terms }: Viewing, card: Card): string {
  for (const id of card.terms) {
    const term = terms.byId.get(id)
    if (term?.taxonomy === 'category') return ` h${term.hue}`
  }
  return ''
}

function categoriesOf({ terms }: Viewing, ids: readonly number[]): ShownTerm[] {
  return ids.flatMap((id) => {
    const term = terms.byId.get(id)
    return term?.taxonomy === 'category' ? [term] : []
  })
}

export function chips(viewing: Viewing, ids: readonly number[], isLinked: boolean, most = 3): Html[] {
  const { site } = viewing.context
  return categoriesOf(viewing, ids)
    .slice(0, most)
    .map((term) =>
      isLinked
        ? html`<a class="chip h${term.hue}" href="${spanLink(
            site,
            { view: 'list' },
            { taxonomy: 'category', slugs: term.slugs },
            '',
          )}">${term.name}</a>`
        : html`<span class="chip h${term.hue}">${term.name}</span>`,
    )
}

export const isSeveralDays = (card: Pick<Card, 'start' | 'end'>) =>
  lastDayOf(card.start, card.end) > dayOf(card.start)

/** The event's zone, abbreviated; false if it is the site's. */
export const zoneBehind = ({ zone }: Card): Html | false => behind(zone)

const behind = (letters: string): Html | false =>
  letters !== '' && html` <abbr class="zone">${letters}</abbr>`

export const startTime = (site: Site, { start, end, zone }: Card): string =>
  [writtenStart(site, start, end, writtenTime), zone].filter(Boolean).join(' ')

/** The times; for an event of several days, also its last day. The first is shown elsewhere. */
function timesOfCard(viewing: Viewing, card: Card): Html {
  const { site } = viewing.context
  const until = isOvernight(card.start, card.end)
    ? html`${say(site, 'until {time} the next day', { time: written(site, 'time', card.end) })}${behind(
        card.endZone,
      )}`
    : say(site, 'until {date}', { date: writtenDate(site, lastDayOf(card.start, card.end), viewing.today) })
  const isLong = isSeveralDays(card)
  if (card.isAllDay)
    return html`<span>${say(site, 'All day')}</span>${isLong && html` <small>${until}</small>`}`
  const start = html`${written(site, 'time', card.start)}${zoneBehind(card)}`
  if (isLong) return html`${start} <small>${until}</small>`
  return card.end === card.start
    ? start
    : html`${start} <small>– ${writtenEnd(site, card.start, card.end)}${behind(card.endZone)}</small>`
}

/** True for the shapes of posters and banners, whose lettering would be lost by cropping. */
export const isUncropped = ({ width, height }: Pick<Picture, 'width' | 'height'>) =>
  width / height < 1.25 || width / height > 2.2

/** Returns `srcset` up to the first size that is at least `pixels` wide. */
export function sizesFor({ srcset }: Picture, pixels: number): string {
  const sizes = srcset.split(', ')
  const enough = sizes.findIndex((size) => Number(size.slice(size.lastIndexOf(' ') + 1, -1)) >= pixels)
  return sizes.slice(0, enough === -1 ? sizes.length : enough + 1).join(', ')
}

/** Thumbnail width on screens of double density. */
const THUMB_PIXELS = 264

/** With the category's colour around a picture that is not cropped. */
function thumbnail(viewing: Viewing, card: Card, picture: Picture): Html {
  const { src, width, height, focus } = picture
  const shape = isUncropped(picture) ? `thumb whole${hueOf(viewing, card)}` : 'thumb'
  const sizes = sizesFor(picture, THUMB_PIXELS)
  // If there is only one size, `src` has it.
  const others = sizes.includes(', ') && html` srcset="${sizes}" sizes="132px"`
  return html`<img class="${shape}${focus}" src="${link(src)}"${others} width="${width}" height="${
    height
  }" alt="" loading="lazy" decoding="async">`
}

export function eventRow(viewing: Viewing, card: Card, heading: 'h2' | 'h3' | 'h4' = 'h3'): Html {
  const { site } = viewing.context
  // A row whose heading is an `h2` is not below a day's heading, so it names the day.
  const on = heading === 'h2' && writtenDay(site, dayOf(card.start), viewing.today)
  const day = on && html`<b class="on" aria-hidden="true">${on}</b> `
  const place = card.place && html`${namedPlace(site, card.place)}${awayFrom(viewing, card.place.id)}`
  const title = html`<a href="${pathTo(site, card.url)}">${shownTitle(viewing, card)}</a>`
  return html`<li class="row"><p class="time">${day}${timesOfCard(viewing, card)}</p><div class="what">${
    on
      ? html`<h2>${title}${heardAs(on)}</h2>`
      : heading === 'h3'
        ? html`<h3>${title}</h3>`
        : html`<h4>${title}</h4>`
  }${place && html`<p class="where">${place}</p>`}${
    card.excerpt && html`<p class="excerpt">${nameShown(site, card.excerpt)}</p>`
  }${againOf(viewing, card)}${tags(viewing, card)}</div>${
    card.picture && thumbnail(viewing, card, card.picture)
  }</li>`
}

export function briefRow(viewing: Viewing, card: Card, isDated: boolean): Html {
  const { site } = viewing.context
  const on = isDated && nameOfDay(viewing, dayOf(card.start))
  const day = on && html`<b class="on" aria-hidden="true">${on}</b> `
  const time = card.isAllDay ? say(site, 'All day') : startTime(site, card)
  const details = [card.place && nameShown(site, card.place.name), card.cost].filter(Boolean)
  return html`<li class="row"><p class="time">${day}${time}</p><div class="what"><h3><a href="${pathTo(
    site,
    card.url,
  )}">${shownTitle(viewing, card)}</a>${on && heardAs(on)}</h3>${
    details.length > 0 &&
    html`<p class="where">${details[0]}${details.length > 1 && html` · ${details[1]}`}</p>`
  }${againOf(viewing, card)}</div>${card.picture && thumbnail(viewing, card, card.picture)}</li>`
}

function nameOfDay({ context: { site }, today }: Viewing, day: string): string {
  const form = day.slice(0, 4) === today.slice(0, 4) ? 'weekdayDate' : 'fullYear'
  return capitalized(site, nearName(site, day, today) || written(site, form, day))
}

/** The day after an event's title, for screen readers only. */
export const heardAs = (day: string): Html => html`<span class="hidden">, ${day}</span>`

/** Name and city are isolated, so that each is read in its own direction. */
export const namedPlace = (site: Site, { name, city }: { name: string; city: string }): Html =>
  html`${nameShown(site, name)}${city && html`, ${nameShown(site, city)}`}`

function awayFrom({ context: { site }, memory, around }: Viewing, venue: number): Html | false {
  const place = around && memory.index?.places.all.get(venue)
  if (!place) return false
  const km = distanceKm(around.lat, around.lng, place.lat, place.lng)
  return html` · <span class="away">${writtenDistance(site, km)}</span>`
}

export function againOf({ context: { site } }: Viewing, { series, following = 0 }: Card): Html | false {
  if (!series || following === 0) return false
  const more = sayCount(site, '{count} more dates', following)
  const text = series.rhythm === '' ? more : `${capitalized(site, series.rhythm)}, ${more}`
  return html`<p class="again"><a href="${pathTo(site, series.path)}">${text}</a></p>`
}

function tags(viewing: Viewing, card: Card): Html | false {
  const shown = chips(viewing, card.terms, false, 2)
  return (
    (shown.length > 0 || card.cost !== '') &&
    html`<p class="tags">${shown}${card.cost && html`<span class="chip plain">${card.cost}</span>`}</p>`
  )
}

export const datedRows = (viewing: Viewing, cards: readonly Card[]): Html =>
  html`<ul class="rows dated">${cards.map((card) => eventRow(viewing, card, 'h2'))}</ul>`

/**
 * One section for each day on which events start.
 * @param more markup below the events of a day
 */
export function daySections(
  viewing: Viewing,
  cards: readonly Card[],
  more?: (day: string) => Html | false,
): Html[] {
  const days = Map.groupBy(cards, (card) => dayOf(card.start))
  return [...days].map(
    ([day, own]) =>
      html`<section class="day${day === viewing.today && ' today'}">${dayHeader(
        viewing,
        day,
      )}<ul class="rows">${own.map((card) => eventRow(viewing, card))}</ul>${more?.(day)}</section>`,
  )
}

/** A section for each day from `first` on, then one with the events begun earlier that still last. */
export function sectionsFrom(viewing: Viewing, cards: readonly Card[], first: string): Html {
  const { site } = viewing.context
  const lasting = cards.filter((card) => dayOf(card.start) < first)
  const starting = cards.filter((card) => dayOf(card.start) >= first)
  return html`${daySections(viewing, starting)}${
    lasting.length > 0 &&
    html`<section class="day lasting"><h2 class="date"><b>${say(
      site,
      'Still on',
    )}</b></h2><ul class="rows">${lasting.map((card) => eventRow(viewing, card))}</ul></section>`
  }`
}

function dayHeader(viewing: Viewing, day: string): Html {
  const { context, today } = viewing
  const { site } = context
  const near = nearName(site, day, today)
  const isOtherYear = day.slice(0, 4) !== today.slice(0, 4)
  return html`<h2 class="date"><a href="${spanLink(
    site,
    { view: 'day', day },
    undefined,
    '',
  )}"><b>${near || written(site, 'weekday', day)}</b> <i>${Number(day.slice(8))}</i> ${written(
    site,
    isOtherYear ? 'monthYear' : 'month',
    day,
  )}</a></h2>`
}
