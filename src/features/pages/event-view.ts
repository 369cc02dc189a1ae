import type { Site } from '../../base/config.ts'
import { beginningOf } from '../../base/text/characters.ts'
import { plainText } from '../../base/text/html.ts'
import { renderedForPage, showPrepared } from '../../base/text/long-texts.ts'
import { addDays, dayOf } from '../../base/text/moments.ts'
import { presentUrl } from '../../base/text/urls.ts'
import { isShown } from '../../calendar/events/event-present.ts'
import { type EventLinks, findEventLinks } from '../../calendar/events/event-store.ts'
import { asSeenBy } from '../../calendar/events/event-when.ts'
import { recordPath, recordUrl } from '../../calendar/linked/record-present.ts'
import { clockLocaleOf } from '../../calendar/locales/date-locales.ts'
import { soonFilled } from '../../store/memory/event-memory.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { showRecord } from '../../store/storage/unshowable.ts'
import { written } from '../feeds/date-forms.ts'
import { factsOf, isoTime, textsOfFacts } from '../feeds/event-facts.ts'
import { announced, noticeOf } from '../feeds/event-status.ts'
import { icalendar } from '../feeds/icalendar.ts'
import { linkedEvent } from '../feeds/json-ld.ts'
import { findPostponed, type Postponed } from '../feeds/postponed-store.ts'
import { type Card, type Picture, pictureOf } from './cards.ts'
import { nextAtVenue, relatedEvents, type Subject } from './coming-events.ts'
import { findTitles } from './event-page-store.ts'
import { hueOf, namedPlace, shownTitle, startTime, titleOf } from './event-rows.ts'
import { feedLinks, feedPath } from './feed-links.ts'
import { findOriginal } from './origins.ts'
import {
  capitalized,
  endOfOver,
  isOverAt,
  lastDayOf,
  writtenDate,
  writtenDay,
  zoneName,
} from './page-dates.ts'
import { cardsOf, findNeighbourIds } from './page-finding.ts'
import { type Html, html, link, trusted } from './page-html.ts'
import { learnTerms } from './page-terms.ts'
import { addressLines } from './places-shown.ts'
import { findOtherDates, repeatFact } from './series-view.ts'
import { joinLink, sellsTickets, sharedFacts, termChips, websiteLink } from './shared-facts.ts'
import { teaserOf } from './teasers.ts'
import { calendarPath } from './view-head.ts'
import {
  contentLanguage,
  nameShown,
  pageWork,
  pathTo,
  say,
  spanLink,
  type View,
  type Viewing,
} from './viewing.ts'
import { inWords } from './when-in-words.ts'

/** @throws UnshowableRecord if its stored data cannot be shown */
export async function eventView(viewing: Viewing, event: EventRow): Promise<View> {
  const { context } = viewing
  const row = asSeenBy(context.caller, event)
  const links = (await findEventLinks(context.db, [row])).get(row.id)
  if (!links) throw new Error(`links of event ${row.id} were not looked up`)
  const [neighbours, dates, original, more, postponed] = await Promise.all([
    findNeighbourIds(viewing, {}, row.start_date),
    findOtherDates(viewing, row),
    findOriginal(context.db, row),
    findMore(viewing, row, links),
    findPostponed(context, row),
  ])
  const ids = [...neighbours, ...dates, ...more.atVenue, ...more.alike].filter((id) => id !== undefined)
  const cards = new Map((await cardsOf(viewing, [...new Set(ids)])).map((card) => [card.id, card]))
  await learnTerms(
    context,
    viewing.terms,
    [...links.categories, ...links.tags].map(({ id }) => id),
  )
  const texts = [...textsOfFacts(context, row), pageWork(row)]
  return showPrepared(texts, () =>
    showRecord('event', row.id, () =>
      viewOf(viewing, row, links, {
        neighbours,
        dates,
        original,
        more,
        cards,
        postponed: shownOf(postponed),
      }),
    ),
  )
}

/** In characters; longer titles are shown in smaller type. */
const LONG_TITLE = 70

function shownOf({ former, later }: Postponed): Postponed {
  const shown = (row: EventRow | undefined) => (row?.status === 'publish' ? row : undefined)
  return { former: shown(former), later: shown(later) }
}

interface Others {
  neighbours: readonly (number | undefined)[]
  dates: readonly number[]
  /** URL of an imported event's page at its source, if that is the original. */
  original: string | undefined
  more: MoreEvents
  postponed: Postponed
  /** Cards by event id, without events that cannot be shown. */
  cards: ReadonlyMap<number, Card>
}

function viewOf(viewing: Viewing, row: EventRow, links: EventLinks, others: Others): View {
  const { original, more, cards, postponed } = others
  const cardOf = (id = 0) => cards.get(id)
  const dates = others.dates.flatMap((id) => cardOf(id) ?? [])
  const { context, today } = viewing
  const { site } = context
  const title = plainText(row.title)
  const name = titleOf(viewing, { title })
  const heading = nameShown(site, name)
  const path = recordPath(site, 'event', row)
  const image = links.images.get(row.image ?? 0)
  const picture = image && pictureOf(context, image, row)
  const excerpt = plainText(row.excerpt)
  const isListed = row.hide_from_listings === 0
  const [previous, next] = isListed ? others.neighbours.map(cardOf) : []
  return {
    status: 200,
    title: announced(site, row, name),
    description: describe(site, row),
    canonical: path,
    original,
    isIndexed: isListed && dayOf(row.end_date) >= today,
    image: image && picture && `${context.images.mediaUrl}/${image.file}`,
    type: 'article',
    styles: [viewing.assets.eventStyle],
    scripts: [viewing.assets.event],
    feeds: feedLinks(path.replace(/\/$/, ''), '').slice(0, 1),
    linkedData: {
      '@context': 'https://schema.org',
      ...linkedEvent(context, factsOf(context, row, links)),
      ...(row.event_status === 'scheduled' && rescheduled(postponed)),
    },
    current: undefined,
    body: html`<article class="event">
<a class="back" href="${calendarPath(viewing)}" data-back="${say(
      site,
      'Back to your selection',
    )}"><span aria-hidden="true">←</span> ${say(site, 'All events')}</a>
<div class="lede">${stateOf(viewing, row, postponed)}<h1${title.length > LONG_TITLE && html` class="long"`}>${
      row.event_status === 'canceled' ? html`<s>${heading}</s>` : heading
    }</h1>${excerpt && html`<p class="lead">${nameShown(site, excerpt)}</p>`}<p class="tags">${termChips(
      viewing,
      links,
    )}</p></div>
${facts(viewing, row, links, dates)}
<div class="text">${picture && cover(picture, title)}${
      row.description !== '' &&
      html`<div class="prose" dir="auto"${contentLanguage(site)}>${trusted(
        renderedForPage(row.description, row.trusted === 1),
      )}</div>`
    }</div>
</article>
${moreEvents(viewing, more, cards)}${beside(viewing, previous, next)}`,
  }
}

/** Description for search engines and previews; that of a canceled or postponed event begins by saying so. */
function describe(site: Site, row: EventRow): string {
  const text = teaserOf(row, plainText(row.title))
  const parts = [noticeOf(site, row), capitalized(site, writtenDay(site, dayOf(row.start_date), '')), text]
  return parts
    .filter(Boolean)
    .map((part, at, all) => (at + 1 < all.length && !/[.!?…]$/.test(part) ? `${part}.` : part))
    .join(' ')
}

/** Banners about the event's state. From five in the morning, they stay the same all day. */
function stateOf({ context: { site }, wall }: Viewing, row: EventRow, { former, later }: Postponed): Html {
  const { event_status: status } = row
  const isOver = isOverAt(wall, row.start_date, row.end_date)
  const reason = plainText(row.event_status_reason)
  return html`${
    status !== 'scheduled' &&
    html`<p class="banner ${status}"><strong>${say(
      site,
      status === 'canceled' ? 'This event has been canceled.' : 'This event has been postponed.',
    )}</strong>${reason !== '' && html` ${nameShown(site, reason)}`}${
      later && html` ${dateLink(site, later, 'New date: {date}')}`
    }</p>`
  }${former && html`<p class="banner">${dateLink(site, former, 'Postponed from {date}')}</p>`}${
    isOver && html`<p class="banner">${say(site, 'This event is over.')}</p>`
  }`
}

function dateLink(site: Site, row: EventRow, text: 'New date: {date}' | 'Postponed from {date}'): Html {
  const day = writtenDay(site, dayOf(row.start_date), '')
  const date = row.all_day === 1 ? day : `${day}, ${written(site, 'time', row.start_date)}`
  return html`<a href="${pathTo(site, recordPath(site, 'event', row))}">${say(site, text, { date })}</a>`
}

const rescheduled = ({ former }: Postponed) =>
  former && {
    eventStatus: 'https://schema.org/EventRescheduled',
    previousStartDate: isoTime(former, 'start'),
  }

const WIDE = 1.25

function cover({ srcset, src, width, height, alt, focus }: Picture, title: string): Html {
  const shape = width / height >= WIDE ? 'cover' : 'cover whole'
  return html`<div class="${shape}"><img${
    focus && html` class="${focus.trim()}"`
  } src="${link(src)}" srcset="${srcset}" sizes="(min-width: 60rem) 42rem, 100vw" width="${width}" height="${
    height
  }" alt="${alt === title ? '' : alt}" fetchpriority="high" decoding="async"></div>`
}

function facts(viewing: Viewing, row: EventRow, links: EventLinks, dates: readonly Card[]): Html {
  const { context } = viewing
  const { site } = context
  const venue = links.venues.find((one) => isShown(context, one))
  const website = presentUrl(row.website)
  const url = recordUrl(site, 'event', row)
  const keepable = {
    title: announced(site, row, titleOf(viewing, { title: plainText(row.title) })),
    text: plainText(row.excerpt),
    place: venue ? [plainText(venue.venue), ...addressLines(venue)].join(', ') : '',
    address: url,
    file: pathTo(site, feedPath(url.slice(site.url.length).replace(/\/$/, ''), icalendar.extension, '')),
    row,
  }
  const isOpen = row.event_status === 'scheduled' && !isOverAt(viewing.wall, row.start_date, row.end_date)
  const hasTickets = isOpen && sellsTickets(website)
  const remind = isOpen ? viewing.subscribes?.event(site, row.id) : undefined
  const buttons = html`${hasTickets && websiteLink(site, website, true)}${joinLink(site, row)}${addToCalendar(
    site,
    keepable,
    isOpen && !hasTickets,
  )}${!hasTickets && websiteLink(site, website, false)}${
    remind && html`<a class="button" rel="nofollow" href="${pathTo(site, remind.path)}">${remind.text}</a>`
  }<button type="button" class="button" data-copy="${url}" data-copied="${say(site, 'Copied')}">${say(
    site,
    'Copy link',
  )}</button><a class="button" href="${mailLink(
    keepable.title,
    url,
  )}" data-share="${keepable.title}">${say(site, 'Share')}</a>`
  return html`<aside class="facts" aria-label="${say(site, 'Event details')}">
${whenBlock(viewing, row)}
${sharedFacts(viewing, 'event', row, links, { first: repeatFact(viewing, links.series, dates), buttons })}
</aside>`
}

const mailLink = (title: string, url: string) =>
  `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(url)}`

/** An element into which a script writes the times for visitors in other time zones. */
function elsewhere(site: Site, row: EventRow): Html {
  const iso = (utc: string) => `${utc.replace(' ', 'T')}Z`
  return html`<span class="yours" hidden data-wall="${row.start_date.slice(0, 16)}" data-starts="${iso(
    row.utc_start_date,
  )}" data-ends="${iso(row.utc_end_date)}" data-locale="${clockLocaleOf(site)}" data-text="${say(
    site,
    'Your time: {time}',
  )}"></span>`
}

function whenBlock(viewing: Viewing, row: EventRow): Html {
  const { context, today } = viewing
  const { site } = context
  const first = dayOf(row.start_date)
  const { days, hours, zone } = inWords(site, row, today)
  const letters =
    zone && html` <abbr class="zone" title="${zoneName(site, row.timezone, row.utc_end_date)}">${zone}</abbr>`
  const lines = days.map(
    (day, at) => html`<strong>${day}${!hours && at + 1 === days.length && letters}</strong>`,
  )
  const begin = html`<time datetime="${row.start_date.slice(0, 16).replace(' ', 'T')}">${hours?.start}</time>`
  const times =
    row.all_day === 1
      ? html`<span>${say(site, 'All day')}</span>`
      : html`${hours && html`<span>${begin}${hours.end}${letters}</span>`}${elsewhere(site, row)}`
  return html`<div class="when"><div class="leaf" aria-hidden="true"><b>${written(
    site,
    'monthShort',
    first,
  )}</b><span>${Number(first.slice(8))}</span></div><div>${lines}${times}<a class="quiet" href="${spanLink(
    site,
    { view: 'day', day: first },
    undefined,
    '',
  )}">${say(site, 'All events on {date}', { date: writtenDate(site, first, today) })}</a></div></div>`
}

function beside(viewing: Viewing, previous: Card | undefined, next: Card | undefined): Html | false {
  if (!previous && !next) return false
  const { context, today } = viewing
  const { site } = context
  const way = (card: Card, label: string, rel: string) =>
    html`<a rel="${rel}" href="${pathTo(site, card.url)}"><span>${label} · ${writtenDate(
      site,
      dayOf(card.start),
      today,
    )}</span><strong>${shownTitle(viewing, card)}</strong></a>`
  return html`<nav class="beside" aria-label="${say(site, 'Other events')}">${
    previous ? way(previous, say(site, 'Before'), 'prev') : html`<span></span>`
  }${next && way(next, say(site, 'After'), 'next')}</nav>`
}

/** More are looked up than listed, since of events with the same title only the first is listed. */
const MOST = 4
const LOOKED_AT = 8

interface MoreEvents {
  venuePath: string
  atVenue: readonly number[]
  alike: readonly number[]
}

async function findMore(viewing: Viewing, row: EventRow, links: EventLinks): Promise<MoreEvents> {
  const { context, memory } = viewing
  const over = endOfOver(viewing.wall)
  const venue = links.venues.find((one) => isShown(context, one))
  await soonFilled(memory)
  if (!memory.index) return { venuePath: '', atVenue: [], alike: [] }
  const subject: Subject = {
    id: row.id,
    series: row.series ?? 0,
    terms: [...links.categories, ...links.tags].map(({ id }) => id),
    organizers: links.organizers.filter((one) => isShown(context, one)).map(({ id }) => id),
  }
  const there = venue ? nextAtVenue(memory.index, venue.id, subject, over, LOOKED_AT) : []
  const alike = relatedEvents(memory.index, subject, over, new Set(there), LOOKED_AT)
  const titles = await findTitles(context.db, [...there, ...alike])
  const taken = new Set([row.title])
  const firstOfTitles = (ids: readonly number[]) => {
    const chosen: number[] = []
    for (const id of ids) {
      const title = titles.get(id)
      if (title === undefined || taken.has(title) || chosen.length === MOST) continue
      taken.add(title)
      chosen.push(id)
    }
    return chosen
  }
  return {
    venuePath: venue ? pathTo(context.site, recordPath(context.site, 'venue', venue)) : '',
    atVenue: firstOfTitles(there),
    alike: firstOfTitles(alike),
  }
}

function moreEvents(viewing: Viewing, more: MoreEvents, shown: ReadonlyMap<number, Card>): Html {
  const { site } = viewing.context
  const list = (name: 'at-venue' | 'alike', ids: readonly number[], heading: Html) => {
    const cards = ids.flatMap((id) => shown.get(id) ?? [])
    return (
      cards.length > 0 &&
      html`<section class="further" aria-labelledby="${name}"><h2 id="${name}">${heading}</h2><ul>${cards.map(
        (card) => smallCard(viewing, card, name === 'alike'),
      )}</ul></section>\n`
    )
  }
  return html`${list(
    'at-venue',
    more.atVenue,
    html`<a href="${more.venuePath}">${say(site, 'More at this venue')}</a>`,
  )}${list('alike', more.alike, html`${say(site, 'More like this')}`)}`
}

function smallCard(viewing: Viewing, card: Card, hasPlace: boolean): Html {
  const { site } = viewing.context
  const day = dayOf(card.start)
  const last = lastDayOf(card.start, card.end)
  const when =
    day < viewing.today && last >= viewing.today
      ? capitalized(site, say(site, 'until {date}', { date: writtenDay(site, last, viewing.today) }))
      : `${written(site, 'weekdayShort', day)} ${writtenDate(site, day, viewing.today)}${
          card.isAllDay ? '' : `, ${startTime(site, card)}`
        }`
  const place = hasPlace && card.place && namedPlace(site, card.place)
  return html`<li class="${hueOf(viewing, card).trim() || 'plain'}"><a href="${pathTo(
    site,
    card.url,
  )}"><small>${when}</small> <strong>${shownTitle(viewing, card)}</strong>${
    place && html` <span>${place}</span>`
  }</a></li>`
}

export interface Keepable {
  title: string
  text: string
  place: string
  address: string
  file: string
  row: Pick<EventRow, 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date' | 'all_day'>
}

/** In characters: longer descriptions are cut in links to calendar services, since some cut long URLs. */
const LONGEST_TEXT = 600

function addToCalendar(site: Site, event: Keepable, isMain: boolean): Html {
  return html`<details class="menu"><summary class="button${isMain && ' main'}">${say(
    site,
    'Add to calendar',
  )}</summary><ul>
<li><a href="${event.file}">${say(site, 'Apple Calendar and other apps')} (.${icalendar.extension})</a></li>
<li><a href="${googleLink(event)}" rel="noopener">Google</a></li>
<li><a href="${outlookLink('https://outlook.live.com', event)}" rel="noopener">Outlook.com</a></li>
<li><a href="${outlookLink('https://outlook.office.com', event)}" rel="noopener">Microsoft 365</a></li>
</ul></details>`
}

const notesOf = ({ text, address }: Keepable) =>
  [beginningOf(text, LONGEST_TEXT), address].filter(Boolean).join('\n\n')

/** In links to calendar services, an all-day event ends on the day after its last. */
const dayAfter = (wall: string) => addDays(dayOf(wall), 1)

function googleLink(event: Keepable): string {
  const { row } = event
  const compact = (time: string) => `${time.replaceAll(/[-:]/g, '').replace(' ', 'T')}Z`
  const dates =
    row.all_day === 1
      ? [dayOf(row.start_date), dayAfter(row.end_date)].map((day) => day.replaceAll('-', ''))
      : [compact(row.utc_start_date), compact(row.utc_end_date)]
  const query = new URLSearchParams({
    action: 'TEMPLATE',
    text: event.title,
    dates: dates.join('/'),
    details: notesOf(event),
    location: event.place,
  })
  return `https://calendar.google.com/calendar/render?${query}`
}

function outlookLink(host: string, event: Keepable): string {
  const { row } = event
  const isAllDay = row.all_day === 1
  const iso = (time: string) => `${time.replace(' ', 'T')}Z`
  const query = new URLSearchParams({
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: event.title,
    startdt: isAllDay ? dayOf(row.start_date) : iso(row.utc_start_date),
    enddt: isAllDay ? dayAfter(row.end_date) : iso(row.utc_end_date),
    allday: String(isAllDay),
    body: notesOf(event),
    location: event.place,
  })
  return `${host}/calendar/0/deeplink/compose?${query}`
}
