import { addDays, dayOf } from '../../base/text/moments.ts'
import { capitalized, lastDayOf, written, writtenSpan } from '../../http/page-dates.ts'
import { type Html, html, link, NOTHING } from '../../http/page-html.ts'
import { nearName } from '../../http/when-in-words.ts'
import type { Card, Picture } from './cards.ts'
import {
  againOf,
  heardAs,
  hueOf,
  isSeveralDays,
  isUncropped,
  shownTitle,
  sizesFor,
  startTime,
} from './event-rows.ts'
import { findOngoing } from './ongoing.ts'
import { type EventFilters, everyDateOf, findCards, findPageEvents, starting } from './page-finding.ts'
import { pathTo, say, type Viewing } from './viewing.ts'

// The opening of the front page from featured events; later dates of series.

/** The list below leaves these events out. */
export interface Lead {
  ids: ReadonlySet<number>
  body: Html
}

export const NO_LEAD: Lead = { ids: new Set(), body: NOTHING }

const MOST = 5
/** Canceled events are passed over. */
const AMONG = 15

/**
 * Coming featured events first, then those still on. The first with a picture leads, preferably one that may
 * be cropped (rule 31.1).
 */
export async function findLead(viewing: Viewing): Promise<Lead> {
  const filters: EventFilters = { featured: true }
  const coming: EventFilters = { ...starting(filters, viewing.today, undefined), collapse: 'series' }
  const { cards } = await findCards(viewing, coming, 1, AMONG)
  const ongoing =
    cards.length < MOST ? await findOngoing(viewing, filters, viewing.today, MOST) : { cards: [] }
  const found = [...(await withFollowing(viewing, coming, cards)), ...ongoing.cards]
  const shown = inShape(found.filter(({ event_status }) => event_status === 'scheduled'))
  const lead =
    shown.find(({ picture }) => picture && !isUncropped(picture)) ??
    shown.find(({ picture }) => picture) ??
    shown[0]
  if (!lead) return NO_LEAD
  const others = shown.filter((card) => card !== lead)
  const { site } = viewing.context
  const body = html`<h1 class="hidden" tabindex="-1">${site.name}</h1>
<section class="front of${shown.length}" aria-label="${say(site, 'Featured')}">${hero(viewing, lead)}${
    others.length > 0 &&
    html`<ul class="cards">${others.map((card) => html`<li>${featured(viewing, card, 'card')}</li>`)}</ul>`
  }</section>
`
  return { ids: new Set(shown.map(({ id }) => id)), body }
}

/** The layout has a shape for one, two, three and five cards. */
const inShape = (cards: readonly Card[]) =>
  cards.slice(0, cards.length >= MOST ? MOST : Math.min(cards.length, 3))

/** A card of a series gets the number of its later dates under these filters. */
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

/** As `sizes` writes them, and their pixels at double density. */
const SIZES = { hero: '(max-width: 47.5rem) 100vw, 700px', card: '(max-width: 47.5rem) 66vw, 340px' }
const PIXELS = { hero: 1400, card: 680 }

/** Without a picture: text on the colour of its category. */
function featured(viewing: Viewing, card: Card, kind: 'hero' | 'card'): Html {
  const { site } = viewing.context
  const isHero = kind === 'hero'
  const details = [card.place && html`<bdi>${card.place.name}</bdi>`, card.cost].filter(Boolean)
  const when = whenOf(viewing, card, kind)
  const title = html`<a href="${pathTo(site, card.url)}">${shownTitle(viewing, card)}</a>${heardAs(when)}`
  return html`<article class="${kind}${!card.picture && ' plain'}${hueOf(viewing, card)}">${
    card.picture && picture(card.picture, kind)
  }<div class="said"><p class="when-line" aria-hidden="true">${when}</p>${isHero ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`}${
    isHero && card.excerpt && html`<p class="excerpt"><bdi>${card.excerpt}</bdi></p>`
  }${details.length > 0 && html`<p class="where">${details[0]}${details.length > 1 && html` · ${details[1]}`}</p>`}${againOf(viewing, card)}</div></article>`
}

function picture(image: Picture, kind: 'hero' | 'card'): Html {
  const { src, width, height, focus } = image
  const loading = kind === 'hero' ? html`fetchpriority="high"` : html`loading="lazy"`
  return html`<div class="shot${isUncropped(image) && ' whole'}"><img${focus && html` class="${focus.trim()}"`} src="${link(src)}" srcset="${sizesFor(image, PIXELS[kind])}" sizes="${SIZES[kind]}" width="${width}" height="${height}" alt="" ${loading} decoding="async"></div>`
}

/** Nearer dates have no year. */
const NEAR_DAYS = 300

/** Short weekdays on a card; for an event that has begun its last day. */
function whenOf({ context: { site }, today }: Viewing, card: Card, kind: 'hero' | 'card'): string {
  const [first, last] = [dayOf(card.start), lastDayOf(card.start, card.end)]
  const isNear = last < addDays(today, NEAR_DAYS)
  const form = isNear ? (kind === 'hero' ? 'full' : 'weekdayDate') : 'fullYear'
  const day = (one: string) => nearName(site, one, today) || written(site, form, one)
  if (first < today) return capitalized(site, say(site, 'until {date}', { date: day(last) }))
  if (isSeveralDays(card))
    return capitalized(site, writtenSpan(site, isNear ? 'weekdayDate' : 'fullYear', first, last))
  return capitalized(site, card.isAllDay ? day(first) : `${day(first)}, ${startTime(site, card)}`)
}
