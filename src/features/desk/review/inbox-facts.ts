import { decodeEntities } from '../../../base/text/html.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import { FREE, presentCost, storedCost } from '../../../calendar/events/event-cost.ts'
import { findImage } from '../../../calendar/images/images.ts'
import { pictureOf } from '../../pages/cards.ts'
import { type Content, html, link } from '../../pages/page-html.ts'
import { teaserOf } from '../../pages/teasers.ts'
import { sayAtDesk } from '../desk-page.ts'
import type { DeskText } from '../desk-texts.ts'

// What a reviewer needs for a decision: an event's picture, text and price, and what is missing.

/** @param columns the event's database columns, and the ids of its linked records */
export async function factsOfEvent(
  context: Context,
  columns: Readonly<Record<string, unknown>>,
): Promise<Content> {
  const { site, db } = context
  const say = (text: DeskText) => sayAtDesk(site, text)
  const text = (name: string) => String(columns[name] ?? '')
  const image = Number(columns.image) > 0 ? await findImage(db, Number(columns.image)) : undefined
  const picture = image && pictureOf(context, image)
  const teaser = teaserOf({ excerpt: text('excerpt'), description: text('description') }, text('title'))
  const prices = storedCost(text('cost') || '[]')
  const price = decodeEntities(presentCost(prices, site.currency, sayAtDesk(site, FREE)).cost)
  const lacks: [boolean, DeskText][] = [
    [isNone(columns.venues) && text('online_url') === '', 'a venue'],
    [teaser === '', 'a text'],
    [!picture, 'a picture'],
    [isNone(columns.categories ?? columns.terms), 'a category'],
    [price === '', 'a price'],
  ]
  const missing = lacks.flatMap(([isMissing, what]) => (isMissing ? [say(what)] : []))
  return html`<div class="gist">${
    picture &&
    html`<img src="${link(
      picture.src,
    )}" width="${picture.width}" height="${picture.height}" alt="${picture.alt}">`
  }<div>${teaser !== '' && html`<p dir="auto">${teaser}</p>`}${price !== '' && html`<p>${price}</p>`}${
    missing.length > 0 &&
    html`<p class="hint">${sayAtDesk(site, 'Missing: {what}', { what: missing.join(', ') })}</p>`
  }</div></div>`
}

const isNone = (ids: unknown): boolean => !Array.isArray(ids) || ids.length === 0
