import type { Site } from '../../base/config.ts'
import { eventFields, minutesBefore } from '../../base/fields/event-fields.ts'
import { eventFacts, type RareColumn, rareFields, showRare } from '../../base/fields/event-members.ts'
import { plainText } from '../../base/text/html.ts'
import { storedCost } from '../../calendar/events/event-cost.ts'
import { isShown } from '../../calendar/events/event-present.ts'
import type { EventLinks } from '../../calendar/events/event-store.ts'
import { recordPath } from '../../calendar/linked/record-present.ts'
import type { SharedColumns } from '../../calendar/series/series-store.ts'
import type { EventRow, OrganizerRow, VenueRow } from '../../store/storage/schema.ts'
import { accessFact, labelledFacts } from './access-shown.ts'
import { writtenCost } from './cards.ts'
import { chips } from './event-rows.ts'
import { linkedName } from './linked-view.ts'
import { type Html, html, link, NOTHING } from './page-html.ts'
import { addressLines, directionsTo, mapLink } from './places-shown.ts'
import { nameShown, pathTo, say, spanLink, type Viewing } from './viewing.ts'

export const PLACED_FIELDS = [
  ...eventFacts,
  'image_alt',
  'event_status',
  'event_status_reason',
  'access_note',
  'access_contact',
  'attendance',
  'online_url',
  'online_label',
  'online_shown',
] as const satisfies readonly RareColumn[]

const labelled = rareFields('page').filter(({ name }) => !PLACED_FIELDS.some((placed) => placed === name))
const ofSeries = new Set(rareFields('series').map(({ name }) => name))
const LABELLED = { event: labelled, series: labelled.filter(({ name }) => ofSeries.has(name)) }

type SharedRow = SharedColumns & Pick<EventRow, 'online_from'>

export function sharedFacts(
  viewing: Viewing,
  of: 'event' | 'series',
  row: SharedRow,
  links: EventLinks,
  { first = NOTHING, buttons }: { first?: Html; buttons: Html },
): Html {
  const { context } = viewing
  const { site } = context
  const venues = links.venues.filter((venue) => isShown(context, venue))
  const organizers = links.organizers.filter((organizer) => isShown(context, organizer))
  const cost = writtenCost(site, storedCost(row.cost))
  return html`<dl>${first}${whereFact(viewing, row, venues)}${
    organizers.length > 0 &&
    html`<div><dt>${say(site, 'Organizer')}</dt>${organizers.map((organizer) =>
      organizerFact(viewing, organizer),
    )}</div>`
  }${cost && html`<div><dt>${say(site, 'Price')}</dt><dd><strong>${cost}</strong></dd></div>`}${labelledFacts(
    context,
    eventFields,
    showRare(LABELLED[of], row),
  )}</dl>
<div class="do">${buttons}</div>
<dl>${accessFact(context, row, venues)}</dl>`
}

const ATTENDANCE = { in_person: 'In person', online: 'Online event', mixed: 'In person and online' } as const

function whereFact(viewing: Viewing, row: SharedRow, venues: readonly VenueRow[]): Html | false {
  const { site } = viewing.context
  const { attendance, online_from: from, online_shown: shown } = row
  const minutes = minutesBefore(shown)
  const hint =
    from === '' || row.online_url !== ''
      ? ''
      : Number.isNaN(minutes)
        ? say(site, 'The link isn’t shown here.')
        : minutes === 0
          ? say(site, 'The link will appear here when the event starts.')
          : say(site, 'The link will appear here {time} before the start.', {
              time: lengthInWords(site.language, minutes ?? 0),
            })
  const online =
    (attendance !== '' || hint !== '') &&
    html`<dd>${attendance !== '' && html`<strong>${say(site, ATTENDANCE[attendance])}</strong>`}${
      hint !== '' && html`<span>${hint}</span>`
    }</dd>`
  return (
    (online || venues.length > 0) &&
    html`<div><dt>${say(site, 'Where')}</dt>${venues.map((venue) =>
      venueFact(viewing, row, venue),
    )}${online}</div>`
  )
}

/** A duration in the largest unit of which it is a multiple: days, hours or minutes. */
function lengthInWords(language: string, minutes: number): string {
  const units = [
    [1440, 'day'],
    [60, 'hour'],
    [1, 'minute'],
  ] as const
  const [size, unit] = units.find(([size]) => minutes % size === 0) ?? [1, 'minute']
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(minutes / size)
}

function venueFact({ context: { site } }: Viewing, row: SharedRow, venue: VenueRow): Html {
  const lines = addressLines(venue)
  const map = (row.show_map_link === 1 || row.show_map === 1 || venue.geo_lat !== null) && mapLink(venue)
  const way = map && directionsTo(site, venue)
  const name = linkedName(site, { kind: 'venue', row: venue })
  return html`<dd><strong><a href="${pathTo(
    site,
    recordPath(site, 'venue', venue),
  )}">${nameShown(site, name)}</a></strong>${lines.map((line) => html`<span><bdi>${line}</bdi></span>`)}${
    map && html`<a class="quiet" href="${map}" rel="noopener">${say(site, 'Show on map')}</a>`
  }${
    way &&
    html` <a class="quiet" href="${link(way)}" rel="noopener" aria-label="${say(
      site,
      'Directions to {name}',
      { name },
    )}">${say(site, 'Directions')}</a>`
  }</dd>`
}

function organizerFact({ context: { site } }: Viewing, organizer: OrganizerRow): Html {
  return html`<dd><strong><a href="${pathTo(site, recordPath(site, 'organizer', organizer))}">${nameShown(
    site,
    linkedName(site, { kind: 'organizer', row: organizer }),
  )}</a></strong></dd>`
}

export function termChips(viewing: Viewing, { categories, tags }: EventLinks): Html {
  const { site } = viewing.context
  const tagChips = tags.flatMap(({ id }) => {
    const term = viewing.terms.byId.get(id)
    return term
      ? [
          html`<a class="chip plain" href="${spanLink(
            site,
            { view: 'list' },
            { taxonomy: 'tag', slugs: term.slugs },
            '',
          )}">${term.name}</a>`,
        ]
      : []
  })
  return html`${chips(
    viewing,
    categories.map(({ id }) => id),
    true,
    20,
  )}${tagChips.slice(0, 20)}`
}

const TICKETS = new RegExp(
  'ticket|billet|entrada|eintrittskarte|karten(?:shop|verkauf)|eventbrite\\.|eventim\\.|weezevent\\.|dic' +
    'e\\.fm|seetickets\\.|' +
    'universe\\.com|pretix\\.|helloasso\\.|skiddle\\.|ra\\.co/events|bilheteria|biglietti',
)

/** True if host and path look like a ticket shop. */
export function sellsTickets(website: string): boolean {
  const address = URL.parse(website)
  return address !== null && TICKETS.test(`${address.host}${address.pathname}`.toLowerCase())
}

export function websiteLink(site: Site, website: string, isMain: boolean): Html | false {
  const label = say(site, sellsTickets(website) ? 'Tickets' : 'Website')
  return (
    website !== '' &&
    html`<a class="button${isMain && ' main join'}" href="${website}" rel="noopener">${label}</a>`
  )
}

export const joinLink = (site: Site, { online_url: url, online_label: label }: SharedRow): Html | false =>
  url !== '' &&
  html`<a class="button main join" href="${url}" rel="noopener"><bdi>${
    plainText(label) || say(site, 'Join online')
  }</bdi></a>`
