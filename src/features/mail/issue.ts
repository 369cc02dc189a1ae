import type { Site } from '../../base/config.ts'
import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import { Problem } from '../../base/problems.ts'
import { plainText } from '../../base/text/html.ts'
import { addDays, dayOf, formatUtc, wallNow } from '../../base/text/moments.ts'
import { utcToWall, wallToUtc } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { isShown } from '../../calendar/events/event-present.ts'
import { findEvent, findListedEvents } from '../../calendar/events/event-store.ts'
import { findEvents } from '../../calendar/events/find-events.ts'
import { type CalendarGround, readerContext } from '../../calendar/ground.ts'
import { recordUrl } from '../../calendar/linked/record-present.ts'
import { translatorFor } from '../../calendar/locales/translate.ts'
import { events } from '../../calendar/resources.ts'
import type { EventRow, ImageRow } from '../../store/storage/schema.ts'
import { showOrLeaveOut } from '../../store/storage/unshowable.ts'
import { announced } from '../feeds/event-status.ts'
import { icalendar } from '../feeds/icalendar.ts'
import { findCardLinks } from '../pages/card-links.ts'
import { pictureOf } from '../pages/cards.ts'
import { writtenDay, writtenNumber } from '../pages/page-dates.ts'
import { between, type EventFilters } from '../pages/page-finding.ts'
import { readQuery } from '../pages/page-query.ts'
import { whenInWords } from '../pages/when-in-words.ts'
import { readerZone } from './issue-times.ts'
import { type Block, type Entry, entriesWithin, type Letter, withoutTurning } from './letter.ts'
import type { MailMessageColumns, SubscriptionColumns } from './mail-tables.ts'
import { type MailText, sayMail } from './mail-texts.ts'
import { languageOf } from './outbox.ts'
import { describeList } from './subscribed-lists.ts'
import { findSubscriber, findSubscription, tokenOf } from './subscription-store.ts'

// Composes messages of subscriptions only when sent, so that none lists events withdrawn meanwhile.

export interface WrittenIssue {
  letter: Letter
  foot: readonly Block[]
  /** URL for one-click unsubscribe. */
  unsubscribe: string
  /** An attached iCalendar file. */
  calendar?: string | undefined
}

const MOST_ENTRIES = 60
const MOST_NEW = 20
/** Maximum bytes of HTML for the list, so that messages in any script stay below 100 kB. */
const MOST_LISTED = 34_000
const MOST_LISTED_NEW = 10_000
/** Maximum of events read. It exceeds `MOST_ENTRIES`, since all events of a series are one entry. */
const MOST_READ = 300
/** Maximum of further dates in the entry of a series. */
const MOST_DATES = 6

export const isOfSubscription = ({ content }: Pick<MailMessageColumns, 'content'>): boolean =>
  content.startsWith('{"subscription":')

/** Writes an issue, reminder or news; undefined if there is nothing to tell or the subscription has ended. */
export async function writeIssue(
  ground: CalendarGround,
  message: Pick<MailMessageColumns, 'topic' | 'content' | 'language'>,
  report: (error: unknown) => void,
  now: number,
): Promise<WrittenIssue | undefined> {
  const content = parsedJson(message.content)
  if (!isRecord(content) || typeof content.subscription !== 'number') return undefined
  const subscription = await findSubscription(ground.database.read, content.subscription)
  if (!subscription || subscription.confirmed_utc === '') return undefined
  const subscriber = await findSubscriber(ground.database.read, subscription.subscriber)
  if (!subscriber) return undefined
  const timezone = readerZone(subscriber, ground.site.timezone)
  // Times in other zones than the reader's are shown with the name of their zone.
  const site: Site = { ...ground.site, language: languageOf(message), timezone }
  const context = readerContext({ ...ground, site }, false, { say: translatorFor(site), report, now })
  const written =
    subscription.kind === 'list'
      ? await writeList(context, subscription, String(content.since ?? ''), ground.site.timezone)
      : await writeReminder(context, subscription, message.topic, content)
  if (!written) return undefined
  const { about, ...rest } = written
  const unsubscribe = `${site.url}/subscribe/end/${tokenOf(subscription)}`
  const foot: Block[] = [
    {
      kind: 'small',
      text: sayMail(site, 'You get this since you have asked for it: {what}.', { what: about }),
    },
    { kind: 'link', text: sayMail(site, 'End it'), url: unsubscribe },
    {
      kind: 'link',
      text: sayMail(site, 'All I have asked for'),
      url: `${site.url}/subscribe/mine/${tokenOf(subscriber)}`,
    },
  ]
  return { ...rest, foot, unsubscribe }
}

type Written = Pick<WrittenIssue, 'letter' | 'calendar'> & { about: string }

async function writeList(
  context: Context,
  { query, rhythm }: SubscriptionColumns,
  since: string,
  siteZone: string,
): Promise<Written | undefined> {
  const { site, now } = context
  const filters = await filtersOf(context, query)
  if (!filters) return undefined
  const today = dayOf(wallNow(site.timezone, now))
  const wall = wallNow(siteZone, now)
  const clock = { today: dayOf(wall), wall }
  // `end` is when the reader's last day ends; the list goes up to the site's day of that moment.
  const end = `${rhythm === 'daily' ? today : addDays(today, 6)} 23:59:59`
  const last = dayOf(utcToWall(wallToUtc(end, site.timezone), siteZone))
  const coming = await findGrouped(context, between(clock, filters, clock.today, last))
  const later = { ...between(clock, filters, addDays(last, 1), LAST_DAY), modified_after: since }
  const changed = since === '' ? NOTHING_FOUND : await findGrouped(context, later)
  const fresh = changed.groups.filter(([first]) => first !== undefined && first.date_utc >= since)
  if (coming.groups.length === 0 && fresh.length === 0) return undefined
  const about = await describeList(context, query)
  const listed = await entriesOf(context, coming.groups.slice(0, MOST_ENTRIES), today, MOST_LISTED)
  const news = await entriesOf(context, fresh.slice(0, MOST_NEW), today, MOST_LISTED_NEW)
  const heading = sayMail(site, rhythm === 'daily' ? 'Today' : 'In the coming days')
  const blocks: Block[] = [
    ...partOf(heading, listed),
    ...restOf(site, 'text', 'And {number} more.', leftOf(coming, coming.groups, listed)),
    ...partOf(sayMail(site, 'New, for later'), news),
    ...restOf(site, 'small', LATER, leftOf(changed, fresh, news)),
  ]
  const path = query === '' ? '/events/' : `/events/?${query}`
  blocks.push({ kind: 'button', text: sayMail(site, 'All events'), url: site.url + path })
  const day = writtenDay(site, today, '')
  const subject = sayMail(site, rhythm === 'daily' ? '{name}: {day}' : '{name}: the week from {day}', {
    name: site.name,
    day,
  })
  return { about, letter: { subject, blocks } }
}

const LAST_DAY = '9999-12-31'
const LATER = 'Added or changed besides, for later: {number}.'

const partOf = (heading: string, entries: readonly Entry[]): Block[] =>
  entries.length === 0
    ? []
    : [
        { kind: 'heading', text: heading },
        { kind: 'entries', entries },
      ]

const restOf = (site: Site, kind: 'text' | 'small', text: MailText, count: number): Block[] =>
  count <= 0 ? [] : [{ kind, text: sayMail(site, text, { number: writtenNumber(site, count) }) }]

/** Counts found events not shown. Each entry in `shown` stands for one group; later groups are not shown. */
const leftOf = ({ total }: Grouped, groups: readonly EventRow[][], shown: readonly Entry[]): number =>
  total - groups.slice(0, shown.length).flat().length

interface Grouped {
  /** A group has one event, or the occurrences of one series. */
  groups: EventRow[][]
  total: number
}

const NOTHING_FOUND: Grouped = { groups: [], total: 0 }

async function findGrouped(context: Context, filters: EventFilters): Promise<Grouped> {
  const uncapped = { ...context, site: { ...context.site, pageSizeCap: MOST_READ } }
  const query = { ...filters, strict_dates: true, page: 1, per_page: MOST_READ }
  const { ids, total } = await findEvents(uncapped, query, 'start')
  const found = await findListedEvents(context, ids)
  const rows = found.filter((row) => !isOff(row))
  const byGroup = Map.groupBy(rows, ({ id, series }) =>
    series === null ? `event ${id}` : `series ${series}`,
  )
  return { groups: [...byGroup.values()], total: total - (found.length - rows.length) }
}

export const isOff = ({ event_status }: Pick<EventRow, 'event_status'>): boolean =>
  event_status === 'canceled' || event_status === 'postponed'

/** The stored query's filters; undefined if it is not valid, or names a record that no longer exists. */
async function filtersOf(context: Context, query: string): Promise<EventFilters | undefined> {
  try {
    return (await readQuery(context, new URLSearchParams(query))).filters
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

async function entriesOf(
  context: Context,
  groups: readonly EventRow[][],
  today: string,
  bytes: number,
): Promise<Entry[]> {
  const firsts = groups.flatMap(([first]) => first ?? [])
  const links = await findCardLinks(context.db, firsts)
  const entries = groups.flatMap(([first, ...further]) => {
    if (!first) return []
    const place = links.get(first.id)?.venues.find((venue) => isShown(context, venue))
    return [entryOf(context, first, further, today, place ? plainText(place.venue) : '')]
  })
  return entriesWithin(entries, bytes)
}

function entryOf(
  { site }: Context,
  row: EventRow,
  further: readonly EventRow[],
  today: string,
  place: string,
): Entry {
  const dates = further.slice(0, MOST_DATES).map((one) => writtenDay(site, dayOf(one.start_date), today))
  const rest = further.length - dates.length
  const more = rest > 0 ? [...dates, `+${rest}`] : dates
  return {
    title: announced(site, row, plainText(row.title)),
    url: recordUrl(site, 'event', row),
    lines: [
      [whenInWords(site, row, today).trim(), place].filter(Boolean).join(' · '),
      more.length > 0 ? sayMail(site, 'Also: {dates}', { dates: more.join('; ') }) : '',
    ],
  }
}

export interface ToldTimes {
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
  timezone: string
  all_day: number
  event_status: EventRow['event_status']
}

export const toldTimesOf = (row: EventRow): ToldTimes => ({
  start_date: row.start_date,
  end_date: row.end_date,
  utc_start_date: row.utc_start_date,
  utc_end_date: row.utc_end_date,
  timezone: row.timezone,
  all_day: row.all_day,
  event_status: row.event_status,
})

export function readTold(text: unknown): ToldTimes | undefined {
  const read = typeof text === 'string' ? parsedJson(text) : text
  return isTold(read) ? read : undefined
}

const isTold = (value: unknown): value is ToldTimes =>
  isRecord(value) && typeof value.start_date === 'string' && typeof value.utc_start_date === 'string'

const OPENINGS = {
  reminder: 'Tomorrow: {title}',
  moved: 'Moved: {title}',
  canceled: 'Canceled: {title}',
  postponed: 'Postponed: {title}',
} as const

const isTopic = (topic: string): topic is keyof typeof OPENINGS => Object.hasOwn(OPENINGS, topic)

/** A reminder, or news of a moved or canceled event. Undefined if it no longer applies. */
async function writeReminder(
  context: Context,
  { event }: SubscriptionColumns,
  topic: string,
  content: Readonly<Record<string, unknown>>,
): Promise<Written | undefined> {
  const { site, now, db } = context
  const row = await findEvent(db, event)
  if (row?.status !== 'publish' || !isTopic(topic)) return undefined
  if (isOff(row) ? row.event_status !== topic : topic !== 'reminder' && topic !== 'moved') return undefined
  if (row.utc_end_date < formatUtc(now)) return undefined
  const before = readTold(content.before)
  if (topic === 'moved' && before?.utc_start_date === row.utc_start_date) return undefined
  const today = dayOf(wallNow(site.timezone, now))
  const title = plainText(row.title)
  const links = (await findCardLinks(db, [row])).get(row.id)
  const place = links?.venues.find((one) => isShown(context, one))
  const rows: [string, string][] = []
  if (before && topic === 'moved')
    rows.push([sayMail(site, 'It was'), whenInWords(site, before, today).trim()])
  rows.push([sayMail(site, topic === 'moved' ? 'It is now' : 'When'), whenInWords(site, row, today).trim()])
  if (place) rows.push([sayMail(site, 'Venue'), plainText(place.venue)])
  const reason = isOff(row) ? plainText(row.event_status_reason) : ''
  const blocks: Block[] = [
    { kind: 'heading', text: title },
    ...pictureBlocks(context, row, links?.images.get(row.image ?? 0)),
    { kind: 'facts', rows },
    ...(reason === '' ? [] : [{ kind: 'quote', text: reason } as const]),
    { kind: 'button', text: sayMail(site, 'See the event'), url: recordUrl(site, 'event', row) },
  ]
  const calendar = topic === 'reminder' ? await calendarOf(context, row) : undefined
  return { about: title, letter: { subject: sayMail(site, OPENINGS[topic], { title }), blocks }, calendar }
}

const WIDE = 550

function pictureBlocks(context: Context, row: EventRow, image: ImageRow | undefined): Block[] {
  const picture = image && showOrLeaveOut(context, 'image', image.id, () => pictureOf(context, image, row))
  if (!picture) return []
  const { srcset, src, alt, width, height } = picture
  const sizes = srcset.split(', ').map((size) => size.split(' '))
  const url = sizes.find(([, pixels = '']) => Number.parseInt(pixels, 10) >= WIDE)?.[0] ?? src
  return [{ kind: 'picture', url, alt, width, height }]
}

async function calendarOf(context: Context, row: EventRow): Promise<string> {
  const found = { ids: [row.id], total: 1, page: 1, perPage: 1, effective: '' }
  const self = `${recordUrl(context.site, 'event', row)}?include=${row.id}`
  const { representation } = await icalendar.showList(context, events, found, self)
  if (!representation) return ''
  const parts: Buffer[] = []
  if (Buffer.isBuffer(representation.bytes)) parts.push(representation.bytes)
  else for await (const part of representation.bytes) parts.push(part)
  return withoutTurning(Buffer.concat(parts).toString('utf8'))
}
