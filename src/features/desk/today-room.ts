import type { Site } from '../../base/config.ts'
import { freeBytesOf, LOW_FREE_BYTES } from '../../base/files.ts'
import type { Trouble } from '../../base/finding.ts'
import { addDays, dayOf } from '../../base/text/moments.ts'
import { formatUtc, utcToWall } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { can } from '../../calendar/people/caller.ts'
import { resourceNamed } from '../../calendar/resources.ts'
import { askOf, isHeldNow } from '../../store/storage/ask.ts'
import { written } from '../feeds/date-forms.ts'
import {
  isOverAt,
  laterOf,
  writtenDay,
  writtenEnd,
  writtenNumber,
  writtenStart,
  writtenTime,
} from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { statusName } from './desk-inputs.ts'
import {
  type DeskPage,
  type DeskRequest,
  type DeskView,
  deskPath,
  sayAtDesk,
  titleAtDesk,
} from './desk-page.ts'
import { firstSteps } from './first-steps.ts'
import { findPlanned, type PlannedEvent } from './planned-events.ts'
import { quickLineForm } from './quick-room.ts'
import { authorFirst, eventLink } from './record-links.ts'
import { featureLists, sentBackList, waitingList } from './review/inbox-room.ts'
import { listUnsavedTexts } from './review/unsaved-texts.ts'

const MOST_EVENTS = 30
const DAYS = 7

async function showToday(request: DeskRequest): Promise<DeskView> {
  const { context, user, start, listTroubles } = request
  const { site, now, db, caller } = context
  const wall = utcToWall(formatUtc(now), site.timezone)
  const today = wall.slice(0, 10)
  const isAdministrator = can(caller, 'manage_users')
  const days = { first: today, after: addDays(today, DAYS), most: MOST_EVENTS }
  const author = authorFirst(context)
  const [waiting, lists, back, all, own, unsaved, isHeld, troubles, freeBytes, steps] = await Promise.all([
    waitingList(context),
    featureLists(request),
    sentBackList(context),
    findPlanned(context, days),
    author === undefined ? [] : findPlanned(context, { ...days, author }),
    listUnsavedTexts(context),
    isAdministrator && isHeldNow(askOf(db)),
    isAdministrator ? listTroubles(db, context.now) : [],
    isAdministrator ? freeBytesOf(start.data).catch(() => undefined) : undefined,
    firstSteps(request),
  ])
  const others = all.filter(({ id }) => !own.some((event) => event.id === id))
  const coming = [...own, ...others].slice(0, MOST_EVENTS)
  return {
    title: greeting(context, Number(wall.slice(11, 13)), user.user.name),
    room: 'today',
    under: written(site, 'fullYear', today),
    body: html`<div class="edit"><div class="story">${steps}${
      waiting && html`<section><h2>${sayAtDesk(site, 'Waiting for you')}</h2>${waiting}</section>`
    }${lists}${back}
${unsavedList(context, unsaved)}
<section><h2>${sayAtDesk(site, 'The coming days')}</h2>${comingDays(context, wall, coming)}</section></div>
<aside class="aside">${
      can(caller, 'edit') && html`<section class="card">${quickLineForm(site)}</section>`
    }${troubleList(context, isHeld, troubles, freeBytes)}</aside></div>`,
  }
}

function greeting({ site }: Context, hour: number, name: string): string {
  const text =
    hour < 5 || hour >= 18 ? 'Good evening, {name}' : hour < 12 ? 'Good morning, {name}' : 'Good day, {name}'
  return sayAtDesk(site, text, { name: name.split(' ', 1)[0] ?? name })
}

function comingDays(context: Context, wall: string, events: readonly PlannedEvent[]): Html {
  const { site } = context
  const today = wall.slice(0, 10)
  const shownDay = ({ start_date }: PlannedEvent) => laterOf(dayOf(start_date), today)
  const byDay = Map.groupBy(
    events.filter(({ start_date, end_date }) => !isOverAt(wall, start_date, end_date)),
    shownDay,
  )
  if (byDay.size === 0)
    return html`<p class="nothing">${sayAtDesk(site, 'Nothing is planned for the coming days.')}</p>`
  return html`${[...byDay]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([day, own]) =>
        html`<h3>${writtenDay(site, day, today)}</h3><ul class="lines">${own.map((event) =>
          lineOfEvent(context, today, event),
        )}</ul>`,
    )}`
}

function lineOfEvent(context: Context, today: string, event: PlannedEvent): Html {
  const { site } = context
  const state =
    event.event_status === 'canceled'
      ? sayAtDesk(site, 'Canceled')
      : event.status === 'publish'
        ? ''
        : statusName(site, event.status)
  return html`<li><span class="when">${timeOfEvent(site, today, event)}</span>${eventLink(
    context,
    event,
    titleAtDesk(site, event.title),
    { look: 'title', attributes: html` dir="auto"` },
  )}${state && html`<span class="state">${state}</span>`}</li>`
}

function timeOfEvent(
  site: Site,
  today: string,
  { start_date: start, end_date: end, all_day }: PlannedEvent,
): string {
  if (all_day === 1 || (dayOf(start) < today && dayOf(end) !== today)) return sayAtDesk(site, 'All day')
  return dayOf(start) < today
    ? `– ${writtenEnd(site, start, end)}`
    : writtenStart(site, start, end, writtenTime)
}

function unsavedList({ site }: Context, unsaved: Awaited<ReturnType<typeof listUnsavedTexts>>): Content {
  const lines = unsaved.map(({ kind, record, form, values, saved_utc }) => {
    const path = resourceNamed(kind).resource.path
    const wall = utcToWall(saved_utc, site.timezone)
    const name = [values.title, values.venue, values.organizer, values.name]
      .flat()
      .find((one) => typeof one === 'string' && one !== '')
    return html`<li><a class="title" href="${deskPath(
      site,
      `/${path}/${record === 0 ? `new?unsaved=${encodeURIComponent(form)}` : record}`,
    )}" dir="auto">${String(name ?? sayAtDesk(site, '(no title)'))}</a><span class="when">${written(
      site,
      'dayMonth',
      wall,
    )}, ${written(site, 'time', wall)}</span></li>`
  })
  return (
    lines.length > 0 &&
    html`<section><h2>${sayAtDesk(site, 'Unsaved changes')}</h2><ul class="lines">${lines}</ul></section>`
  )
}

const HELD =
  'Webhooks, e-mail and imports on a schedule are off until “kalends resume”, since this calendar is a copy \
of another.'

function troubleList(
  { site }: Context,
  isHeld: boolean,
  troubles: readonly Trouble[],
  freeBytes = LOW_FREE_BYTES,
): Content {
  const isFull = freeBytes < LOW_FREE_BYTES
  const line = (name: string, isStopped: boolean, reason: string) =>
    html`<li><p><strong dir="auto">${name}</strong> <span class="state bad">${sayAtDesk(
      site,
      isStopped ? 'Stopped' : 'Fails',
    )}</span></p>${reason && html`<p class="hint">${reason}</p>`}</li>`
  const lines = [
    ...(isHeld ? [html`<li><p>${sayAtDesk(site, HELD)}</p></li>`] : []),
    ...troubles.map(({ shown }) => {
      const { name, isStopped, reason } = shown(site.language)
      return line(name, isStopped, reason)
    }),
  ]
  if (lines.length === 0 && !isFull) return ''
  return html`<section class="card"><h2>${sayAtDesk(site, 'Problems')}</h2><ul class="troubles">${
    isFull &&
    html`<li><p>${sayAtDesk(
      site,
      'Only {free} MB are free on the disk. Once it is full nothing can be saved.',
      { free: writtenNumber(site, Math.floor(freeBytes / 1_000_000)) },
    )}</p></li>`
  }${lines}</ul></section>`
}

export const todayPages: readonly DeskPage[] = [{ at: '/', get: showToday }]
