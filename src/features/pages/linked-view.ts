import type { Site } from '../../base/config.ts'
import { venueFacts } from '../../base/fields/event-members.ts'
import { organizerFields, venueFields } from '../../base/fields/linked-fields.ts'
import { asColumn, type LinkedField } from '../../base/fields/member.ts'
import { plainText } from '../../base/text/html.ts'
import { renderedForPage, showPrepared } from '../../base/text/long-texts.ts'
import { addDays } from '../../base/text/moments.ts'
import { presentUrl } from '../../base/text/urls.ts'
import { findImages } from '../../calendar/images/images.ts'
import { organizerLinkedData } from '../../calendar/linked/organizer.ts'
import { recordPath, recordUrl } from '../../calendar/linked/record-present.ts'
import { venueLinkedData } from '../../calendar/linked/venue.ts'
import { textsOfRecord } from '../../calendar/records/record-store.ts'
import type { OrganizerRow, VenueRow } from '../../store/storage/schema.ts'
import { showRecord } from '../../store/storage/unshowable.ts'
import { written } from '../feeds/date-forms.ts'
import { labelledFacts, venueAccess } from './access-shown.ts'
import { type Card, type Picture, pictureOf } from './cards.ts'
import { sectionsFrom } from './event-rows.ts'
import { feedLinks, subscribeMenu } from './feed-links.ts'
import { withFollowing } from './front-view.ts'
import { EVERY_DATE, PER_PAGE } from './list-view.ts'
import { capitalized, firstOf, monthOf, monthsLater } from './page-dates.ts'
import { between, type EventFilters, findCards, findPageEvents, from } from './page-finding.ts'
import { type Html, html, link, NOTHING, trusted } from './page-html.ts'
import type { PageQuery } from './page-query.ts'
import { addressLines, directionsTo, mapFigure, mapLink, mapNeeds, positionLink } from './places-shown.ts'
import { teaserOf } from './teasers.ts'
import { calendarPath, datedWay, pager } from './view-head.ts'
import { nameShown, pageWork, pathTo, say, sayEvents, spanLink, type View, type Viewing } from './viewing.ts'

type Linked = { kind: 'venue'; row: VenueRow } | { kind: 'organizer'; row: OrganizerRow }

/**
 * Shows a venue or organizer with its events. Each series is listed once, at its next date, unless the query
 * asks for every date.
 * @throws Problem event-archive-page-not-found for a page after the last
 */
export async function linkedView(
  viewing: Viewing,
  linked: Linked,
  { page, filters: sent }: PageQuery,
): Promise<View> {
  const { context, today } = viewing
  const { kind, row } = linked
  const isEvery = sent[EVERY_DATE] === false
  const every = from(viewing, { [kind]: [row.id] }, today)
  const filters: EventFilters = isEvery ? every : { ...every, collapse: 'series' }
  const { cards, total: shownTotal } = await findCards(viewing, filters, page, PER_PAGE)
  const { total } = isEvery ? { total: shownTotal } : await findPageEvents(viewing, every, 1, 1)
  const rows = isEvery ? cards : await withFollowing(viewing, filters, cards)
  const images = await findImages(context.db, row.image === null ? [] : [row.image])
  const picture = showRecord(kind, row.id, () => {
    const image = images.get(row.image ?? 0)
    return image && pictureOf(context, image)
  })
  const texts = [...textsOfRecord(row, 'single'), pageWork(row)]
  const ways = await waysOf(viewing, linked, filters, { total: shownTotal, page, isEvery })
  const months = await findMonths(viewing, linked)
  return showPrepared(texts, () =>
    showRecord(kind, row.id, () => {
      const { site } = context
      const path = recordPath(site, kind, row)
      const name = linkedName(site, linked)
      const needs: Partial<View> = isOnMap(site, linked) ? mapNeeds(viewing) : {}
      return {
        status: 200,
        title: name,
        description: teaserOf(row, name) || `${name}: ${sayEvents(site, total)}`,
        canonical: path,
        isIndexed: page === 1 && !isEvery,
        linkedData: {
          '@context': 'http://schema.org',
          ...filledMembers(kind === 'venue' ? venueLinkedData(row) : organizerLinkedData(row)),
          url: recordUrl(site, kind, row),
        },
        ...needs,
        styles: [viewing.assets.eventStyle, viewing.assets.front, ...(needs.styles ?? [])],
        feeds: feedLinks(path.replace(/\/$/, ''), ''),
        current: undefined,
        body: html`<article class="linked"${
          isOnMap(site, linked) && positionOf(site, linked, total)
        }><a class="back" href="${calendarPath(viewing)}"><span aria-hidden="true">←</span> ${say(
          site,
          'All events',
        )}</a>
<div class="lede"><p class="eyebrow">${say(
          site,
          kind === 'venue' ? 'Venue' : 'Organizer',
        )}</p><h1>${nameShown(site, name)}</h1></div>
<div class="about">${details(viewing, linked)}${picture && portrait(picture)}${
          row.description !== '' &&
          html`<div class="prose" dir="auto">${trusted(
            renderedForPage(row.description, row.trusted === 1),
          )}</div>`
        }</div></article>
${isOnMap(site, linked) && mapFigure(viewing)}${events(viewing, linked, rows, {
  total,
  ways,
  months,
  isShorter: total > shownTotal,
})}`,
      }
    }),
  )
}

export function portrait({ src, srcset, width, height, alt, focus }: Picture): Html {
  return html`<img class="${
    width < height ? 'portrait whole' : 'portrait'
  }${focus}" src="${link(src)}" srcset="${srcset}" sizes="320px" width="${width}" height="${height}" alt="${
    alt
  }">`
}

const isOnMap = ({ maps }: Site, linked: Linked) =>
  linked.kind === 'venue' && maps.tiles !== '' && linked.row.geo_lat !== null && linked.row.geo_lng !== null

function positionOf(site: Site, linked: Linked, total: number): Html | false {
  if (linked.kind !== 'venue') return false
  const { geo_lat: lat, geo_lng: lng } = linked.row
  const label = `${linkedName(site, linked)}, ${sayEvents(site, total)}`
  return html` data-lat="${lat}" data-lng="${lng}" data-label="${label}" data-count="${total}"`
}

type Ways = Record<'earlier' | 'later', { path: string; text: string } | undefined>

async function waysOf(
  viewing: Viewing,
  { kind, row }: Linked,
  filters: EventFilters,
  { total, page, isEvery }: { total: number; page: number; isEvery: boolean },
): Promise<Ways> {
  const { context, today } = viewing
  const path = recordPath(context.site, kind, row)
  const query = (other: number) => [
    ...(isEvery ? [`${EVERY_DATE}=0`] : []),
    ...(other > 1 ? [`page=${other}`] : []),
  ]
  const way = (other: number, text: string) =>
    datedWay(
      viewing,
      pathTo(context.site, [path, query(other).join('&')].filter(Boolean).join('?')),
      text,
      filters,
      { page: other, perPage: PER_PAGE, from: today },
    )
  return {
    earlier: page > 1 ? await way(page - 1, say(context.site, 'Earlier')) : undefined,
    later: page * PER_PAGE < total ? await way(page + 1, say(context.site, 'Later')) : undefined,
  }
}

/** Events are looked for in this many months, beginning with the present one. */
const MOST_MONTHS = 12

/** Months that have events; none if only one has, or without the index, as counting is then too slow. */
async function findMonths(viewing: Viewing, { kind, row }: Linked): Promise<string[]> {
  if (!viewing.memory.index) return []
  const now = monthOf(viewing.today)
  const all = Array.from({ length: MOST_MONTHS }, (_, at) => monthsLater(now, at) ?? now)
  const totals = await Promise.all(
    all.map(async (month) => {
      const first = month === now ? viewing.today : firstOf(month)
      const last = addDays(firstOf(monthsLater(month, 1) ?? month), -1)
      const { total } = await findPageEvents(
        viewing,
        between(viewing, { [kind]: [row.id] }, first, last),
        1,
        1,
      )
      return total
    }),
  )
  const found = all.filter((_, at) => (totals[at] ?? 0) > 0)
  return found.length > 1 ? found : []
}

function monthLinks(
  { context: { site }, today }: Viewing,
  { kind, row }: Linked,
  months: readonly string[],
): Html {
  const links = months.map((month) => {
    const form = month.slice(0, 4) === today.slice(0, 4) ? 'month' : 'monthYear'
    const path = spanLink(site, { view: 'month', month }, undefined, `${kind}=${row.id}`)
    return html`<a class="pill" href="${path}">${capitalized(site, written(site, form, firstOf(month)))}</a>`
  })
  return html`<nav class="pills" aria-label="${say(site, 'Months')}">${links}</nav>`
}

/** REST responses have empty members, JSON-LD should not. */
const filledMembers = (data: object) =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== ''))

function events(
  viewing: Viewing,
  linked: Linked,
  cards: readonly Card[],
  {
    total,
    ways,
    months,
    isShorter,
  }: { total: number; ways: Ways; months: readonly string[]; isShorter: boolean },
): Html {
  const { site } = viewing.context
  const heading = say(site, linked.kind === 'venue' ? 'Events here' : 'Events by this organizer')
  const path = recordPath(site, linked.kind, linked.row)
  const base = path.replace(/\/$/, '')
  // Events do not name the venue of the page again.
  const rows = cards.map((card) =>
    linked.kind === 'venue' && card.place?.id === linked.row.id ? { ...card, place: undefined } : card,
  )
  const every =
    isShorter &&
    html`<span class="apart"> · </span><a class="quiet" rel="nofollow" href="${pathTo(
      site,
      `${path}?${EVERY_DATE}=0`,
    )}">${say(site, 'Show every date')}</a>`
  return html`<section class="theirs"><div class="side">${subscribeMenu(
    site,
    base,
    '',
  )}</div><h2>${heading}</h2><p class="count">${
    total === 0 ? say(site, 'Nothing planned at the moment.') : sayEvents(site, total)
  }${every}</p>
${months.length > 0 && monthLinks(viewing, linked, months)}<div class="results nested">${sectionsFrom(
    viewing,
    rows,
    viewing.today,
  )}</div>${pager(ways.earlier, ways.later, say(site, 'More pages'))}</section>`
}

/** Name as plain text, or “Venue” or “Organizer” if the name is nothing but markup. */
export function linkedName(site: Site, linked: Linked): string {
  return linked.kind === 'venue'
    ? plainText(linked.row.venue) || say(site, 'Venue')
    : plainText(linked.row.organizer) || say(site, 'Organizer')
}

export const PLACED_LINKED_FIELDS = {
  venue: [
    'venue',
    'description',
    'address',
    'zip',
    'city',
    'stateprovince',
    'country',
    'phone',
    'website',
    'image',
    'geo_lat',
    'geo_lng',
    ...venueFacts,
  ],
  organizer: ['organizer', 'description', 'phone', 'email', 'website', 'image'],
} as const

const FIELDS = { venue: venueFields, organizer: organizerFields } as const
const LABELLED = { venue: labelledOf('venue'), organizer: labelledOf('organizer') } as const

function labelledOf(kind: Linked['kind']): [name: string, field: LinkedField][] {
  const placed: readonly string[] = PLACED_LINKED_FIELDS[kind]
  const fields: [string, LinkedField][] = Object.entries(FIELDS[kind])
  return fields.filter(([name, { page }]) => page === true && !placed.includes(name))
}

function labelledValues({ kind, row }: Linked): Record<string, unknown> {
  const columns: Readonly<Record<string, unknown>> = { ...row }
  return Object.fromEntries(
    LABELLED[kind].map(
      ([
        name,
        {
          kind: { show = asColumn },
        },
      ]) => [name, show(columns[name])],
    ),
  )
}

function details({ context }: Viewing, linked: Linked): Html {
  const { site } = context
  const { row } = linked
  const website = presentUrl(row.website)
  const phone = plainText(row.phone)
  const map = linked.kind === 'venue' ? mapLink(linked.row) : undefined
  const way = linked.kind === 'venue' ? directionsTo(site, linked.row) : undefined
  const position = linked.kind === 'venue' ? positionLink(linked.row) : undefined
  const lines = linked.kind === 'venue' ? addressLines(linked.row) : []
  const access = linked.kind === 'venue' ? venueAccess(context, linked.row) : NOTHING
  const email = linked.kind === 'organizer' ? plainText(linked.row.email) : ''
  const facts = [
    lines.length > 0 &&
      html`<div><dt>${say(site, 'Address')}</dt><dd>${lines.map(
        (line) => html`<span><bdi>${line}</bdi></span>`,
      )}</dd></div>`,
    phone &&
      html`<div><dt>${say(site, 'Phone')}</dt><dd><a href="${`tel:${phone.replace(
        /[^\d+]/g,
        '',
      )}`}">${phone}</a></dd></div>`,
    access !== NOTHING && html`<div><dt>${say(site, 'Accessibility')}</dt><dd>${access}</dd></div>`,
    email &&
      html`<div><dt>${say(site, 'Email')}</dt><dd><a href="${`mailto:${encodeURIComponent(email).replace(
        '%40',
        '@',
      )}`}">${email}</a></dd></div>`,
    ...labelledFacts(context, FIELDS[linked.kind], labelledValues(linked)),
  ].filter(Boolean)
  if (facts.length === 0 && !website && !map) return NOTHING
  return html`<div class="facts plain">${facts.length > 0 && html`<dl>${facts}</dl>`}${
    (map || website) &&
    html`<div class="do">${
      map && html`<a class="button" href="${map}" rel="noopener">${say(site, 'Show on map')}</a>`
    }${
      way &&
      html`<a class="button" href="${link(way)}" rel="noopener" aria-label="${say(
        site,
        'Directions to {name}',
        { name: linkedName(site, linked) },
      )}">${say(site, 'Directions')}</a>`
    }${
      position && html`<a class="button device" href="${link(position)}">${say(site, 'Open in map app')}</a>`
    }${website && html`<a class="button" href="${website}" rel="noopener">${say(site, 'Website')}</a>`}</div>`
  }</div>`
}
