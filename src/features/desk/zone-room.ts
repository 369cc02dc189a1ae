import { setTimeout as sleep } from 'node:timers/promises'
import { formatUtc } from '../../base/text/moments.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { OwnerValues } from '../pages/owner-settings.ts'
import { writtenDate, writtenShortTime } from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import {
  countAtDesk,
  type DeskAnswer,
  type DeskRequest,
  type DeskView,
  deskPath,
  fieldOf,
  sayAtDesk,
  titleAtDesk,
} from './desk-page.ts'
import type { DeskText } from './desk-texts.ts'
import { checkAdministrator } from './people-room.ts'
import { placeOfZone } from './site-choices.ts'
import {
  changeZone,
  countMoved,
  findInZone,
  findZoneChange,
  moveZone,
  returnZone,
  timesInZone,
  type ZoneKeeps,
} from './zone-change.ts'

const SHOWN = 10

/** In ms: how long a response waits for the conversion, which continues in the background. */
const WAITS = 4000

export function keepsIn(request: DeskRequest): ZoneKeeps | undefined {
  const keeps = fieldOf(request, 'keep')
  return keeps === 'hour' || keeps === 'moment' ? keeps : undefined
}

/** Asks whether events keep their local time or their moment. Hidden controls repeat what was typed. */
export async function askAboutEvents(
  request: DeskRequest,
  zone: string,
  events: number,
  series: number,
): Promise<DeskView> {
  const { context, form } = request
  const { site, db, now } = context
  const say = (text: DeskText, values?: Record<string, string>) => sayAtDesk(site, text, values)
  const rows = await findInZone(db, site.timezone, formatUtc(now), SHOWN)
  const places = { from: placeOfZone(site.timezone), to: placeOfZone(zone) }
  const typed = Object.keys(form).filter((name) => name !== 'keep')
  const choice = (keeps: ZoneKeeps, label: string, hint: string) =>
    html`<label class="check"><input type="radio" name="keep" value="${keeps}"${
      keeps === 'hour' && html` checked`
    }><span><b>${label}</b> <span class="hint">${hint}</span></span></label>`
  return {
    title: say('What becomes of the events that are there?'),
    room: 'settings',
    under: html`<a href="${deskPath(site, '/settings')}">${say(
      'Settings',
    )}</a> · ${places.from} → ${places.to}`,
    body: html`<form class="story" method="post" action="${deskPath(site, '/settings')}">${typed.map(
      (name) => html`<input type="hidden" name="${name}" value="${fieldOf(request, name)}">`,
    )}
<p>${counted(request, events, series)}</p>
<fieldset class="field" id="keep"><legend class="hidden">${say('They keep')}</legend>
${choice(
  'hour',
  say('Keep the hour'),
  say('What is at 19:30 in {from} is at 19:30 in {to}: right where the zone was wrong until now.', places),
)}
${choice(
  'moment',
  say('Keep the moment'),
  say(
    'What is at 19:30 in {from} stays at that moment, and is shown at the hour of {to}: right where the \
calendar moves. Series stay in their zone, since their rule goes by its clock.',
    places,
  ),
)}</fieldset>
${rows.length > 0 && previewTable(request, rows, zone)}
<p class="hint">${say('It can be taken back for 30 days.')}</p>
<div class="savebar"><button type="submit" class="button main">${say(
      'Change the zone',
    )}</button><a class="button" href="${deskPath(site, '/settings')}">${say('Cancel')}</a></div></form>`,
  }
}

function counted({ context: { site } }: DeskRequest, events: number, series: number): string {
  const parts = [
    ...(events > 0 ? [countAtDesk(site, events, '{count} events')] : []),
    ...(series > 0 ? [countAtDesk(site, series, '{count} series')] : []),
  ]
  return sayAtDesk(site, 'In the zone of the calendar: {what}.', { what: parts.join(', ') })
}

function previewTable({ context: { site } }: DeskRequest, rows: readonly EventRow[], zone: string): Html {
  const say = (text: DeskText) => sayAtDesk(site, text)
  const heads = [say('Now'), say('Keep the hour'), say('Keep the moment')]
  const when = (wall: string, row: EventRow) =>
    row.all_day === 1
      ? writtenDate(site, wall.slice(0, 10), wall.slice(0, 10))
      : `${writtenDate(site, wall.slice(0, 10), wall.slice(0, 10))}, ${writtenShortTime(site, wall)}`
  const line = (row: EventRow) => {
    const hour = timesInZone(row, zone, 'hour').start_date
    const isStaying = row.series !== null && row.all_day !== 1
    const moment = isStaying
      ? `${when(row.start_date, row)} (${placeOfZone(row.timezone)})`
      : when(timesInZone(row, zone, 'moment').start_date, row)
    return html`<tr><th scope="row" dir="auto">${titleAtDesk(site, row.title)}</th>${heads.map(
      (head, at) =>
        html`<td data-label="${head}">${[when(row.start_date, row), when(hour, row), moment][at]}</td>`,
    )}</tr>`
  }
  return html`<table class="zone-preview"><caption>${say(
    'The next ten',
  )}</caption><thead><tr><th scope="col">${say('Event')}</th>${heads.map(
    (head) => html`<th scope="col">${head}</th>`,
  )}</tr></thead><tbody>${rows.map(line)}</tbody></table>`
}

/** Changes the zone; undefined where `mayChangeZone` is false. */
export async function setZone(
  request: DeskRequest,
  zone: string,
  keeps: ZoneKeeps,
  values: OwnerValues,
): Promise<DeskAnswer | undefined> {
  const { context } = request
  const { site, caller, now } = context
  const change = { former_zone: site.timezone, new_zone: zone, keeps, user: caller.id }
  if (!(await context.write((tx) => changeZone(tx, change, values, now)))) return undefined
  await finishZone(context)
  return { seeOther: `${deskPath(site, '/settings')}?zone` }
}

export async function takeBackZone(request: DeskRequest): Promise<DeskAnswer> {
  checkAdministrator(request)
  const { context } = request
  await context.write((tx) => returnZone(tx, Number(fieldOf(request, 'change')) || 0))
  await finishZone(context)
  return { seeOther: `${deskPath(context.site, '/settings')}?zone` }
}

/** Converts events, waiting up to `WAITS`; the service goes on in the background, even after a failure. */
export async function finishZone(context: Pick<DeskRequest['context'], 'db' | 'write'>): Promise<void> {
  const moving = moveZone({ read: context.db, write: context.write }, () => Date.now())
  await Promise.race([moving.catch(() => undefined), sleep(WAITS, undefined, { ref: false })])
}

/** Shows the progress of the latest change, or an offer to undo it. */
export async function zoneNotice({ context }: DeskRequest): Promise<Content | undefined> {
  const { site, db, now } = context
  const change = await findZoneChange(db, now)
  if (!change) return undefined
  const count = await countMoved(db, change)
  const moved = countAtDesk(site, count, '{count} records')
  if (change.state !== 'moved')
    return html`${sayAtDesk(
      site,
      'The zone changes: {count} done or to do. This page says more once it is loaded again.',
      { count: moved },
    )}`
  const said = sayAtDesk(
    site,
    change.keeps === 'hour'
      ? 'The zone is {to} in place of {from}; {count} kept the hour.'
      : 'The zone is {to} in place of {from}; {count} kept the moment.',
    { to: placeOfZone(change.new_zone), from: placeOfZone(change.former_zone), count: moved },
  )
  return html`<form method="post" action="${deskPath(
    site,
    '/settings/zone/undo',
  )}"><span>${said}</span> <button type="submit" class="button" name="change" \
value="${change.id}">${sayAtDesk(site, 'Undo this change')}</button></form>`
}
