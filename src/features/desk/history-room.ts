import { Problem } from '../../base/problems.ts'
import { decodedText } from '../../base/text/html.ts'
import { utcToWall } from '../../base/text/zones.ts'
import {
  type ActWithChanges,
  listActsWithChanges,
  type RecordHistory,
  readHistory,
  restoreVersion,
} from '../../calendar/history/record-history.ts'
import type { StateKind } from '../../calendar/history/record-states.ts'
import { resources, type ServedResource } from '../../calendar/resources.ts'
import { written } from '../feeds/date-forms.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { type ChangedValue, changesTable } from './changed-values.ts'
import { labelOf } from './desk-inputs.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  fieldOf,
  type RoomName,
  recordIdIn,
  sayAtDesk,
} from './desk-page.ts'
import { UNITS } from './review/merge-edits.ts'

const PER_PAGE = 20

const ROOM_NAMES: readonly RoomName[] = ['events', 'venues', 'organizers', 'categories', 'tags']

interface Historied {
  room: RoomName
  served: ServedResource
}

const HISTORIED: readonly Historied[] = resources.flatMap((served) => {
  const room = ROOM_NAMES.find((name) => name === served.resource.path)
  return room ? [{ room, served }] : []
})

/** @throws Problem rest_no_route if there is no record, rest_forbidden if the caller may not change it */
async function historyFor(
  { served: { resource, operations } }: Historied,
  request: DeskRequest,
): Promise<{ row: unknown; history: RecordHistory }> {
  const { context } = request
  const id = recordIdIn(request)
  const row = id === undefined ? undefined : await operations.locate(context, { id })
  if (id === undefined || row === undefined || !operations.versioned) throw new Problem('rest_no_route')
  if (!operations.rights.update(context, row)) throw new Problem('rest_forbidden')
  const history = await readHistory(context.db, resource.name as StateKind, operations.versioned.kind, id)
  if (!history) throw new Problem('rest_no_route')
  return { row, history }
}

function nameAmong({ title, venue, organizer, name }: Readonly<Record<string, unknown>>): string {
  return decodedText(String(title ?? venue ?? organizer ?? name ?? ''))
}

async function showHistory(at: Historied, request: DeskRequest): Promise<DeskAnswer> {
  const { context, query } = request
  const { site } = context
  const { history } = await historyFor(at, request)
  const from = Math.max(0, Math.floor(Number(query.get('from')) || 0))
  const acts = await listActsWithChanges(context.db, history, from, PER_PAGE)
  const record = `/${at.room}/${history.id}`
  const more = from + PER_PAGE < history.acts.length
  const rest =
    more &&
    html`<nav class="pages"><a class="button" href="${deskPath(
      site,
      `${record}/history?from=${from + PER_PAGE}`,
    )}">${sayAtDesk(site, 'Older')}</a></nav>`
  return {
    title: sayAtDesk(site, 'History'),
    room: at.room,
    under: html`<a href="${deskPath(site, record)}" dir="auto">${
      nameAmong(history.present) || sayAtDesk(site, '(no title)')
    }</a>`,
    notice: noticeOf(at, request),
    body: html`${
      acts.length === 0
        ? html`<p class="nothing">${sayAtDesk(site, 'No change is known.')}</p>`
        : html`<ol class="acts">${await Promise.all(
            acts.map((act) => actItem(at, request, history, act)),
          )}</ol>`
    }${rest}`,
  }
}

function noticeOf({ served: { resource } }: Historied, { context: { site }, query }: DeskRequest): Content {
  if (!query.has('restored')) return undefined
  const left = (query.get('left') ?? '').split(',')
  const names = Object.entries(resource.fields).flatMap(([name, field]) =>
    left.includes(name) ? [labelOf(site, field)] : [],
  )
  const field = Object.entries(resource.fields).find(([name]) => name === query.get('restored'))?.[1]
  if (field && names.length === 0) return sayAtDesk(site, 'Put back: {name}', { name: labelOf(site, field) })
  return names.length === 0
    ? sayAtDesk(site, 'The version was put back.')
    : sayAtDesk(site, 'The version was put back, but for: {names}', { names: names.join(', ') })
}

const ACTION_TEXTS = {
  create: 'Made',
  update: 'Changed',
  publish: 'Published',
  trash: 'Moved to the trash',
  restore: 'Brought back',
  delete: 'Deleted permanently',
} as const

async function actItem(
  at: Historied,
  request: DeskRequest,
  history: RecordHistory,
  act: ActWithChanges,
): Promise<Html> {
  const { context } = request
  const { site } = context
  const wall = utcToWall(act.time_utc, site.timezone)
  const isScheduled = act.action === 'publish' && act.login === ''
  const action = isScheduled ? 'Published by schedule' : ACTION_TEXTS[act.action as keyof typeof ACTION_TEXTS]
  const who = act.login === '' ? sayAtDesk(site, 'The calendar itself') : act.login
  // No version lies between two acts, so this number stands for the one before the act.
  const before = act.sequence - 1
  const mayReturn = before >= history.knownFrom
  const back =
    mayReturn &&
    html`<form id="before-${act.sequence}" method="post" action="${deskPath(
      site,
      `/${at.room}/${history.id}/history`,
    )}"><input type="hidden" name="version" value="${before}">\
<button type="submit" class="button">${sayAtDesk(site, 'Put back what was before')}</button></form>`
  const headings = [sayAtDesk(site, 'Before'), sayAtDesk(site, 'After it')] as const
  const { fields } = at.served.resource
  const backAlone = (member: string, label: string) =>
    mayReturn &&
    Object.hasOwn(fields, member) &&
    html`<button type="submit" class="button quiet" form="before-${act.sequence}" name="member" \
value="${member}">${sayAtDesk(site, 'Put back')}<span class="hidden">: ${label}</span></button>`
  const changes =
    act.changes.length > 0 && (await changesTable(context, fields, headings, shownChanges(act), backAlone))
  return html`<li class="card act"><div class="act-head"><div><strong>${
    action ? sayAtDesk(site, action) : act.action
  }</strong> <span dir="auto">${who}</span><p class="hint">${written(site, 'fullYear', wall)}, ${written(
    site,
    'time',
    wall,
  )}${act.client && html` · ${act.client.slice(0, 80)}`}</p></div>${back}</div>${changes}</li>`
}

/** Leaves out UTC times also shown as local time, and the publication date beside a changed status. */
function shownChanges({ changes }: ActWithChanges): ChangedValue[] {
  const members = new Set(changes.map(({ member }) => member))
  return changes
    .filter(({ member }) => !member.startsWith('utc_') || !members.has(member.slice('utc_'.length)))
    .filter(({ member }) => member !== 'date_utc' || !members.has('status'))
    .map(({ member, former, new: now, cut }) => ({ member, values: [former, now], ...(cut && { end: '…' }) }))
}

/** Restores a version, or only one field with those that are merged as a unit with it. */
async function restore(at: Historied, request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const { row, history } = await historyFor(at, request)
  const version = Number(fieldOf(request, 'version'))
  if (!Number.isSafeInteger(version)) throw new Problem('rest_version_not_found')
  const member = fieldOf(request, 'member')
  const only = member === '' ? undefined : (UNITS.find((unit) => unit.includes(member)) ?? [member])
  const { left } = await restoreVersion(context, at.served, history, row, { version, only, wanted: 'any' })
  const query = new URLSearchParams({ restored: member || String(version) })
  if (left.length > 0) query.set('left', [...new Set(left.map(({ member }) => member))].join(','))
  return { seeOther: deskPath(context.site, `/${at.room}/${history.id}/history?${query}`) }
}

export const historyPages: readonly DeskPage[] = HISTORIED.map((at) => ({
  at: `/${at.room}/:id/history`,
  get: (request) => showHistory(at, request),
  post: (request) => restore(at, request),
}))
