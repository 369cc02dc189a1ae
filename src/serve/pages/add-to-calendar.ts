import type { Site } from '../../base/config.ts'
import { addDays, dayOf } from '../../base/text/moments.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { type Html, html } from './page-html.ts'
import { say } from './viewing.ts'

/** An event as the forms of other calendars take it. */
export interface Keepable {
  title: string
  text: string
  place: string
  address: string
  /** The path of its calendar file. */
  file: string
  row: Pick<EventRow, 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date' | 'all_day'>
}

/** Some services cut addresses longer than about 2000 characters. */
const LONGEST_TEXT = 600

/** Links that put an event into the reader's own calendar; `isMain` where that is what readers come for. */
export function addToCalendar(site: Site, event: Keepable, isMain: boolean): Html {
  return html`<details class="menu"><summary class="button${isMain && ' main'}">${say(site, 'Add to calendar')}</summary><ul>
<li><a href="${event.file}">${say(site, 'Apple Calendar and other apps')} (.ics)</a></li>
<li><a href="${googleLink(event)}" rel="noopener">Google</a></li>
<li><a href="${outlookLink('https://outlook.live.com', event)}" rel="noopener">Outlook.com</a></li>
<li><a href="${outlookLink('https://outlook.office.com', event)}" rel="noopener">Microsoft 365</a></li>
</ul></details>`
}

const notesOf = ({ text, address }: Keepable) =>
  [text.slice(0, LONGEST_TEXT).toWellFormed(), address].filter(Boolean).join('\n\n')

/** The day after the last one, since the end of a span of days is exclusive. */
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
