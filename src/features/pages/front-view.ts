import { addDays, dayOf } from '../../base/text/moments.ts'
import { written } from '../feeds/date-forms.ts'
import type { Card, Picture } from './cards.ts'
import {
  againOf,
  briefRow,
  heardAs,
  hueOf,
  isSeveralDays,
  isUncropped,
  shownTitle,
  sizesFor,
  startTime,
} from './event-rows.ts'
import { findOngoing } from './ongoing.ts'
import { capitalized, isNight, lastDayOf, writtenNumber, writtenSpan } from './page-dates.ts'
import { type EventFilters, everyDateOf, findCards, findPageEvents, starting } from './page-finding.ts'
import { type Html, html, link, NOTHING } from './page-html.ts'
import { nameShown, pathTo, say, spanLink, type Viewing } from './viewing.ts'
import { nearName } from './when-in-words.ts'

// Above its list, the front page shows what is on soon and what is featured.

export interface Opening {
  ids: ReadonlySet<number>
  body: Html
}

const MOST_SOON = 3
const EVENING_WALL = '16:59:59'

/**
 * Finds what is shown above the list: featured events, and up to three of tonight, else of today, else the
 * next ones; only featured ones, or undefined, if these are the whole list.
 * @param coming the first page of the list, in its order
 */
export async function findOpening(
  viewing: Viewing,
  filters: EventFilters,
  coming: readonly Card[],
): Promise<Opening | undefined> {
  const { today, context } = viewing
  const ofToday = coming.filter(({ start }) => dayOf(start) === today)
  // Before five in the morning there is no “tonight”: this day still counts as the evening before.
  const tonight = isNight(viewing.wall) ? [] : await findTonight(viewing, filters, ofToday, coming.length)
  const soonest = (tonight.length > 0 ? tonight : ofToday).slice(0, MOST_SOON)
  const above = await findLead(viewing, new Set(soonest.map(({ id }) => id)))
  const next = coming.filter(({ id }) => !above.ids.has(id)).slice(0, MOST_SOON)
  const soon = soonest.length > 0 ? soonest : next
  const ids = new Set([...above.ids, ...soon.map(({ id }) => id)])
  const isAll = coming.every(({ id }) => ids.has(id))
  const lead = isAll && soonest.length > 0 ? await findLead(viewing, new Set()) : above
  if (isAll && lead.ids.size === 0) return undefined
  const shown = isAll ? [] : soon
  const when = soonest.length === 0 ? undefined : tonight.length > 0 ? 'tonight' : 'today'
  return {
    ids: isAll ? lead.ids : ids,
    body: html`<h1 class="hidden" tabindex="-1">${context.site.name}</h1>
${await soonSection(viewing, shown, when)}${lead.body}`,
  }
}

/** Tonight's events, from the list's first page, or looked up if that page ends before the day does. */
async function findTonight(
  viewing: Viewing,
  filters: EventFilters,
  ofToday: readonly Card[],
  length: number,
): Promise<readonly Card[]> {
  if (ofToday.length < length)
    return ofToday.filter(({ start, isAllDay }) => !isAllDay && start.slice(11) > EVENING_WALL)
  const evening = { ...filters, starts_after: `${viewing.today} ${EVENING_WALL}` }
  const { cards } = await findCards(viewing, evening, 1, MOST_SOON)
  const found = cards.filter(({ start }) => dayOf(start) === viewing.today)
  return withFollowing(viewing, filters, found)
}

async function soonSection(
  viewing: Viewing,
  cards: readonly Card[],
  when: 'tonight' | 'today' | undefined,
): Promise<Html | false> {
  if (cards.length === 0) return false
  const { site } = viewing.context
  const total = when === undefined ? 0 : (await findPageEvents(viewing, { when }, 1, 1)).total
  const all =
    total > cards.length &&
    html`<p class="all"><a class="quiet" href="${spanLink(
      site,
      { view: 'list' },
      undefined,
      `when=${when}`,
    )}">${say(site, 'All {count}', { count: writtenNumber(site, total) })}</a></p>`
  const name = when === undefined ? say(site, 'Coming up') : say(site, when === 'today' ? 'Today' : 'Tonight')
  return html`<section class="soon${
    when === undefined && ' dated'
  }"><h2>${name}</h2><ul class="rows">${cards.map((card) =>
    briefRow(viewing, card, when === undefined),
  )}</ul>${all}</section>
`
}

interface Lead {
  ids: ReadonlySet<number>
  body: Html
}

const MOST = 5
/** More events are looked up than shown, since canceled ones are skipped. */
const AMONG = 15

/**
 * Featured events: coming ones before those still on. The first with a picture is shown large, preferably one
 * whose picture may be cropped (rule 31.1).
 */
async function findLead(viewing: Viewing, shownAbove: ReadonlySet<number>): Promise<Lead> {
  const filters: EventFilters = { featured: true }
  const coming: EventFilters = { ...starting(filters, viewing.today, undefined), collapse: 'series' }
  const { cards } = await findCards(viewing, coming, 1, AMONG)
  const ongoing =
    cards.length < MOST ? await findOngoing(viewing, filters, viewing.today, MOST) : { cards: [] }
  const found = [...(await withFollowing(viewing, coming, cards)), ...ongoing.cards]
  const shown = inShape(
    found.filter(({ id, event_status }) => event_status === 'scheduled' && !shownAbove.has(id)),
  )
  const lead =
    shown.find(({ picture }) => picture && !isUncropped(picture)) ??
    shown.find(({ picture }) => picture) ??
    shown[0]
  if (!lead) return { ids: new Set(), body: NOTHING }
  const others = shown.filter((card) => card !== lead)
  const { site } = viewing.context
  const body = html`<section class="front of${shown.length}" aria-label="${say(
    site,
    'Featured',
  )}">${hero(viewing, lead)}${
    others.length > 0 &&
    html`<ul class="cards">${others.map((card) => html`<li>${featured(viewing, card, 'card')}</li>`)}</ul>`
  }</section>
`
  return { ids: new Set(shown.map(({ id }) => id)), body }
}

/** Leaves one, two, three or five cards, numbers for which there is a layout. */
const inShape = (cards: readonly Card[]) =>
  cards.slice(0, cards.length >= MOST ? MOST : Math.min(cards.length, 3))

/** Adds the number of later dates under these filters to each card of a series. */
export async function withFollowing(
  viewing: Viewing,
  filters: EventFilters,
  cards: readonly Card[],
): Promise<Card[]> {
  return Promise.all(
    cards.map(async (card) => {
      if (!card.series) return card
      const all = { ...everyDateOf(filters), post_parent: card.series.id }
      const { total } = await findPageEvents(viewing, all, 1, 1)
      return { ...card, following: total - 1 }
    }),
  )
}

const hero = (viewing: Viewing, card: Card) => featured(viewing, card, 'hero')

const SIZES = { hero: '(max-width: 47.5rem) 72vw, 372px', card: '(max-width: 47.5rem) 52vw, 120px' }
const PIXELS = { hero: 760, card: 400 }

function featured(viewing: Viewing, card: Card, kind: 'hero' | 'card'): Html {
  const { site } = viewing.context
  const isHero = kind === 'hero'
  const details = [card.place && nameShown(site, card.place.name), card.cost].filter(Boolean)
  const when = whenOf(viewing, card)
  const title = html`<a href="${pathTo(site, card.url)}">${shownTitle(viewing, card)}</a>${heardAs(when)}`
  return html`<article class="${kind}${!card.picture && ' plain'}${hueOf(viewing, card)}">${
    card.picture && picture(card.picture, kind)
  }<div class="said"><p class="when-line" aria-hidden="true">${when}</p>${
    isHero ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`
  }${
    details.length > 0 &&
    html`<p class="where">${details[0]}${details.length > 1 && html` · ${details[1]}`}</p>`
  }${againOf(viewing, card)}</div></article>`
}

function picture(image: Picture, kind: 'hero' | 'card'): Html {
  const { src, width, height, focus } = image
  const loading = kind === 'card' && html` loading="lazy"`
  return html`<div class="shot${isUncropped(image) && ' whole'}"><img${
    focus && html` class="${focus.trim()}"`
  } src="${link(src)}" srcset="${sizesFor(
    image,
    PIXELS[kind],
  )}" sizes="${SIZES[kind]}" width="${width}" height="${height}" alt=""${loading} decoding="async"></div>`
}

/** Dates fewer days away are written without the year. */
const NEAR_DAYS = 300

function whenOf({ context: { site }, today }: Viewing, card: Card): string {
  const [first, last] = [dayOf(card.start), lastDayOf(card.start, card.end)]
  const isNear = last < addDays(today, NEAR_DAYS)
  const form = isNear ? 'weekdayDate' : 'fullYear'
  const day = (one: string) => nearName(site, one, today) || written(site, form, one)
  if (first < today) return capitalized(site, say(site, 'until {date}', { date: day(last) }))
  if (isSeveralDays(card)) return capitalized(site, writtenSpan(site, form, first, last))
  return capitalized(site, card.isAllDay ? day(first) : `${day(first)}, ${startTime(site, card)}`)
}
