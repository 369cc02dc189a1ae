import {
  type Cache,
  type CacheBudget,
  emptyCache,
  findCached,
  madeOnce,
  setCached,
} from '../../base/cache.ts'
import type { Site } from '../../base/config.ts'
import { recurrenceInWords } from '../../base/recurrence/recurrence-in-words.ts'
import { decodeEntities, plainText } from '../../base/text/html.ts'
import { hasWallForm } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { FREE, type Price, presentCost, pricesOf, storedCost } from '../../calendar/events/event-cost.ts'
import { isShown } from '../../calendar/events/event-present.ts'
import { recurrenceOf, seriesUrl, startOf } from '../../calendar/events/recurrence-present.ts'
import { presentImage } from '../../calendar/images/images.ts'
import { recordPath } from '../../calendar/linked/record-present.ts'
import { localeOf } from '../../calendar/locales/date-locales.ts'
import type { EventMemory } from '../../store/memory/event-memory.ts'
import type { EventRow, ImageRow, SeriesRow } from '../../store/storage/schema.ts'
import { showOrLeaveOut } from '../../store/storage/unshowable.ts'
import { type CardRow, findCardRows } from '../feeds/card-rows.ts'
import { type CardLinks, findCardLinks } from './card-links.ts'
import { edgeLetters } from './page-dates.ts'
import { sayOfPages } from './page-texts.ts'
import { teaserOf } from './teasers.ts'
import { areUnchanged, type EventStates, statesOf } from './unchanged.ts'

/**
 * Of the sizes that are not cropped, `srcset` has all; `src` is the smallest of at least 300 pixels, else the
 * original.
 */
export interface Picture {
  src: string
  srcset: string
  width: number
  height: number
  alt: string
  /** CSS classes that keep the focal point visible where the image is cropped. */
  focus: string
}

/** What a list shows of an event. Texts are plain, not yet escaped for HTML. */
export interface Card {
  id: number
  url: string
  title: string
  event_status: EventRow['event_status']
  excerpt: string
  start: string
  end: string
  isAllDay: boolean
  /** The zone's abbreviation, such as `MEZ`; empty for events in the zone of the site. */
  zone: string
  /** Abbreviation of the zone at the end; empty if it is the same as at the start. */
  endZone: string
  terms: readonly number[]
  place: { name: string; city: string; id: number } | undefined
  cost: string
  picture: Picture | undefined
  /** `rhythm` says in words how the series repeats. */
  series: { id: number; path: string; rhythm: string } | undefined
  /** Number of later dates of the series, in lists that show each series once. */
  following?: number
}

interface CachedCard {
  card: Card | undefined
  states: EventStates
}

export type Cards = Cache<number, CachedCard>

export const noCards = (budget: CacheBudget): Cards => emptyCache(budget)

/**
 * Loads cards of events that can be shown. A cached one is reused unless its event or a linked record
 * changed.
 */
export async function loadCards(
  context: Context,
  memory: EventMemory,
  cards: Cards,
  ids: readonly number[],
): Promise<Card[]> {
  const found = new Map<number, Card>()
  const unknown: number[] = []
  for (const id of ids) {
    const kept = memory.index && findCached(cards, id)
    if (!kept || !areUnchanged(memory.pieces, [id], kept.states)) unknown.push(id)
    else if (kept.card) found.set(id, kept.card)
  }
  for (const [id, card] of await readCards(context, memory, cards, unknown)) found.set(id, card)
  return ids.flatMap((id) => found.get(id) ?? [])
}

const AT_ONCE = 500

async function readCards(
  context: Context,
  memory: EventMemory,
  cards: Cards,
  ids: readonly number[],
): Promise<Map<number, Card>> {
  const found = new Map<number, Card>()
  for (let i = 0; i < ids.length; i += AT_ONCE) {
    const some = ids.slice(i, i + AT_ONCE)
    // States are read before the rows, so that a change in between invalidates the card at once.
    const states = some.map((id) => statesOf(memory.pieces, [id]))
    const rows = await findCardRows(context.db, some)
    const links = await findCardLinks(context.db, rows)
    const byId = new Map(rows.map((row) => [row.id, row]))
    some.forEach((id, at) => {
      const [row, own, state] = [byId.get(id), links.get(id), states[at]]
      const isPublic = row?.status === 'publish'
      const card =
        isPublic && own ? showOrLeaveOut(context, 'event', id, () => makeCard(context, row, own)) : undefined
      if (card) found.set(id, card)
      if (memory.index && state) setCached(cards, id, { card, states: state }, sizeOf(card))
    })
  }
  return found
}

const sizeOf = (card: Card | undefined) => (card ? JSON.stringify(card).length * 2 + 400 : 300)

function makeCard(context: Context, row: CardRow, links: CardLinks): Card {
  if (!hasWallForm(row.start_date) || !hasWallForm(row.end_date)) throw new Error('its dates are no times')
  const { site } = context
  const place = links.venues.find((venue) => isShown(context, venue))
  const image = links.images.get(row.image ?? 0)
  return {
    id: row.id,
    url: recordPath(site, 'event', row),
    title: plainText(row.title),
    event_status: row.event_status,
    excerpt: teaserOf({ ...row, description: row.beginning }, plainText(row.title)),
    start: row.start_date,
    end: row.end_date,
    isAllDay: row.all_day === 1,
    ...zonesOf(site, row),
    terms: [...links.categories, ...links.tags].map(({ id }) => id),
    place: place && { name: plainText(place.venue), city: plainText(place.city), id: place.id },
    cost: writtenCost(site, storedCost(row.cost)),
    picture: image && showOrLeaveOut(context, 'image', image.id, () => pictureOf(context, image, row)),
    series: links.series && seriesOf(context, links.series),
  }
}

function zonesOf(site: Site, row: CardRow): Pick<Card, 'zone' | 'endZone'> {
  if (row.timezone === site.timezone) return { zone: '', endZone: '' }
  const [zone, end] = edgeLetters(site, row)
  return { zone, endZone: end === zone ? '' : end }
}

function seriesOf(context: Context, series: SeriesRow): Card['series'] {
  if (series.status !== 'publish') return undefined
  return {
    id: series.id,
    path: seriesUrl(context.site, series).slice(context.site.url.length),
    rhythm: rhythmOf(context, series),
  }
}

/**
 * As a share. If aspect ratios differ by less, it is from rounding to pixels, and the size is not cropped.
 */
const ALIKE = 0.02

function focusOf({ focal_x: x, focal_y: y }: ImageRow): string {
  return x === null || y === null ? '' : ` fx${Math.round(x * 10)} fy${Math.round(y * 10)}`
}

type ImageUse = Pick<EventRow, 'image_alt' | 'image_decorative'>

/** @param use the event or series that shows the image, whose own alternative text is preferred */
export function pictureOf({ images }: Pick<Context, 'images'>, row: ImageRow, use?: ImageUse): Picture {
  const { url, width, height, sizes = {} } = presentImage(row, images.mediaUrl)
  const ratio = width / height
  const alike = Object.values(sizes).filter(
    (size) => Math.abs(size.width / size.height - ratio) < ratio * ALIKE,
  )
  const all = [...alike, { url, width, height }].sort((a, b) => a.width - b.width)
  const byWidth = new Map(all.map((size) => [size.width, size]))
  const srcset = [...byWidth.values()].map((size) => `${size.url} ${size.width}w`).join(', ')
  const small = all.find((size) => size.width >= 300) ?? { url, width, height }
  const shows = use?.image_alt || (use?.image_decorative === 1 ? '' : row.alt_text)
  return { src: small.url, srcset, width, height, alt: plainText(shows), focus: focusOf(row) }
}

/**
 * Lowest and highest price in the site's language: `12,50 €`, `10–20 €`. Ambiguous prices are not
 * reformatted.
 */
export function writtenCost(site: Site, raw: readonly string[]): string {
  const free = sayOfPages(site, FREE)
  const prices = pricesOf(raw, FREE)
  const [lowest, highest] = [prices[0], prices.at(-1)]
  if (!lowest || !highest) return ''
  const mark = markOf(prices, site.currency.symbol.trim())
  const figures = [lowest, highest].map(amountIn)
  const [low, high] = figures
  if (mark === undefined || low === undefined || high === undefined) return asWritten(site, raw, free)
  if (Number(high) === 0) return free
  const write = moneyWriter(localeOf(site), mark, figures.some((figure) => figure?.includes('.')) ? 2 : 0)
  if (Number(low) === 0) return `${free} – ${write(high, high)}`
  return write(low, high)
}

const asWritten = (site: Site, raw: readonly string[], free: string) =>
  decodeEntities(presentCost(raw, site.currency, free).cost)

/** Currency signs such as `US$`, and codes and words such as `EUR` or `Fr.`. */
const MARK = /^(?:\p{Lu}{0,3}\p{Sc}|\p{Script=Latin}+\.?)$/u

/** The only currency mark of the prices, or `own` without one; undefined for several, or for words. */
function markOf(prices: readonly Price[], own: string): string | undefined {
  if (prices.some(({ kind }) => kind === 'words')) return undefined
  const marks = new Set(prices.map(({ symbol }) => symbol).filter((symbol) => symbol !== ''))
  const [mark = own] = marks
  return marks.size <= 1 && MARK.test(mark) ? mark : undefined
}

/** Amounts that can be read in one way only: three digits after the point might mean thousands. */
const CLEAR = /^\d{1,12}(?:\.\d{1,2})?$/

function amountIn({ numbers }: Price): string | undefined {
  const [number = ''] = numbers
  return CLEAR.test(number) ? number : undefined
}

const moneyFormat = madeOnce((locale: string) =>
  madeOnce((currencyDisplay: 'symbol' | 'code') =>
    madeOnce((decimals: 0 | 2) => {
      const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
      return new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR', currencyDisplay, ...digits })
    }),
  ),
)

function moneyWriter(locale: string, mark: string, decimals: 0 | 2): (low: string, high: string) => string {
  const format = moneyFormat(locale)(/\p{Sc}$/u.test(mark) ? 'symbol' : 'code')(decimals)
  return (low, high) => {
    const parts =
      low === high ? format.formatToParts(Number(low)) : format.formatRangeToParts(Number(low), Number(high))
    return parts.map(({ type, value }) => (type === 'currency' ? mark : value)).join('')
  }
}

/** How a series repeats, without its end: “every Thursday”. Empty without a rule. */
export function rhythmOf({ site, say }: Pick<Context, 'site' | 'say'>, series: SeriesRow): string {
  const { rule } = recurrenceOf(series)
  if (!rule) return ''
  const { count: _count, until: _until, ...endless } = rule
  return recurrenceInWords({ rule: endless, added: [], left: [] }, startOf(series), site.language, say)
}
