import { Problem } from '../../base/problems.ts'
import { decodedText } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { countUses, MOST_USES_COUNTED, mergeRecords } from '../../calendar/editing/merge-records.ts'
import { removeRecord, untrashRecord } from '../../calendar/editing/save-record.ts'
import { findNamed, findSameName, type PickedKind, pickNames } from '../../calendar/events/picked-names.ts'
import { can } from '../../calendar/people/caller.ts'
import { writtenNumber } from '../pages/page-dates.ts'
import { type Content, html } from '../pages/page-html.ts'
import { type DeskAnswer, type DeskPage, type DeskRequest, deskPath, fieldOf, sayAtDesk, sayer } from './desk-page.ts'
import { eventsWith, locateFor, type RecordRoom, recordRooms } from './record-room.ts'

// Removes venues, organizers, categories and tags, after a page that says how many events have them, and merges two of the same.

const OFFERED = 200

const KINDS: readonly PickedKind[] = ['venue', 'organizer', 'category', 'tag']

function kindOf({ served }: RecordRoom): PickedKind {
  const kind = KINDS.find((known) => known === served.resource.name)
  if (!kind) throw new Problem('rest_no_route')
  return kind
}

const hasTrash = ({ served }: RecordRoom) => 'status' in served.resource.fields

function nameIn({ naming }: RecordRoom, row: unknown): string {
  const name: unknown =
    row !== null && typeof row === 'object' ? Object.entries(row).find(([key]) => key === naming)?.[1] : ''
  return decodedText(String(name ?? ''))
}

/** Removes a record that no event has; asks first where one has it, or where nothing brings it back. */
async function removeOrAsk(room: RecordRoom, request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const { id } = await locateFor(room, request)
  const uses = await usesOf(room, context, id)
  const isSure = fieldOf(request, 'sure') === '1' || (uses === 0 && hasTrash(room))
  if (!isSure) return ask(room, request)
  await removeRecord(context, room.served, id)
  return { seeOther: deskPath(context.site, `/${room.name}?removed`) }
}

async function usesOf(room: RecordRoom, { db }: Context, id: number): Promise<number> {
  return (await countUses(db, kindOf(room), [id])).get(id) ?? 0
}

/** Says how many events have a record before it goes, and offers to let another one take its place. */
async function ask(room: RecordRoom, request: DeskRequest, fault = ''): Promise<DeskAnswer> {
  const { context } = request
  const { site, caller } = context
  const say = sayer(site)
  const { id, row } = await locateFor(room, request)
  const uses = await usesOf(room, context, id)
  const count = uses >= MOST_USES_COUNTED ? `${writtenNumber(site, MOST_USES_COUNTED)}+` : writtenNumber(site, uses)
  const address = deskPath(site, `/${room.name}/${id}`)
  const press = hasTrash(room) ? say('Move to the trash') : say('Delete for good')
  return {
    ...(fault !== '' && { status: 422 }),
    title: say('Remove “{name}”?', { name: nameIn(room, row) }),
    room: room.name,
    under: html`<a href="${address}">${say('Back to the form')}</a>`,
    body: html`${fault && html`<div class="summary" role="alert" tabindex="-1" id="faults"><p><a href="#into">${fault}</a></p></div>`}<div class="confirm">
<p>${uses === 0 ? say('No event has it.') : html`<a href="${eventsWith(room, site, id)}">${say('Events that have it: {count}', { count })}</a>`}${uses > 0 && html` ${say('They stay, without it.')}`}</p>
<form method="post" action="${address}/trash"><input type="hidden" name="sure" value="1"><p class="ways"><button type="submit" class="button bad">${press}</button><a class="button quiet" href="${address}">${say('Leave it')}</a></p></form>
${can(caller, 'edit_others') && (await mergeForm(room, request, id, fault !== ''))}</div>`,
  }
}

async function mergeForm(room: RecordRoom, request: DeskRequest, id: number, isWrong: boolean): Promise<Content> {
  const { context } = request
  const { site } = context
  const offered = await pickNames(kindOf(room), '', context, OFFERED)
  const names = offered.filter((one) => one.id !== id).map(({ name }) => html`<option>${decodedText(name)}</option>`)
  return html`<form class="card" method="post" action="${deskPath(site, `/${room.name}/${id}/merge`)}"><h2>${sayAtDesk(site, 'Is it there twice?')}</h2><div class="field"><label for="into">${sayAtDesk(site, 'The one that stays')}</label><input type="text" id="into" name="into" value="${fieldOf(request, 'into')}" list="into-offered" maxlength="300" autocomplete="off" aria-describedby="into-hint"${isWrong && html` aria-invalid="true"`}><datalist id="into-offered">${names}</datalist><p class="hint" id="into-hint">${sayAtDesk(site, 'Its name or its number. All events and old addresses go over to it.')} ${sayAtDesk(site, 'This cannot be taken back.')}</p></div><p class="ways start"><button type="submit" class="button">${sayAtDesk(site, 'Make one of both')}</button></p></form>`
}

async function merge(room: RecordRoom, request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const { id } = await locateFor(room, request)
  const text = fieldOf(request, 'into').trim()
  const into = await meantBy(room, context, id, text)
  if (into === undefined)
    return ask(room, request, sayAtDesk(context.site, 'There is no other one “{name}”.', { name: text.slice(0, 80) }))
  try {
    const { events } = await mergeRecords(context, room.served, id, into)
    return { seeOther: deskPath(context.site, `/${room.name}/${into}?merged=${events}`) }
  } catch (error) {
    if (!(error instanceof Problem) || error.details.params?.into === undefined) throw error
    return ask(room, request, sayAtDesk(context.site, 'There is no other one “{name}”.', { name: text.slice(0, 80) }))
  }
}

/** Finds the other record, by its id or its name. */
async function meantBy(room: RecordRoom, context: Context, own: number, text: string): Promise<number | undefined> {
  const kind = kindOf(room)
  const number = /^#?([1-9]\d{0,8})$/.exec(text)?.[1]
  if (number !== undefined) {
    const row = await room.served.operations.locate(context, { id: Number(number) })
    if (row !== undefined && Number(number) !== own) return Number(number)
  }
  const same = (await pickNames(kind, text, context, OFFERED)).find(
    ({ id, name }) => id !== own && decodedText(name).toLowerCase() === text.toLowerCase(),
  )
  const found = same ?? (await findSameName(kind, text, context)) ?? (await findNamed(kind, text, context))
  return found === undefined || found.id === own ? undefined : found.id
}

async function restoreRecord(room: RecordRoom, request: DeskRequest): Promise<DeskAnswer> {
  const { id } = await locateFor(room, request)
  await untrashRecord(request.context, room.served, id)
  return { seeOther: deskPath(request.context.site, `/${room.name}/${id}?saved`) }
}

/** The pages that take records away, put them together and bring them back. */
export const recordRemovalPages: readonly DeskPage[] = recordRooms.flatMap((room): DeskPage[] => [
  {
    at: `/${room.name}/:id/trash`,
    get: (request) => ask(room, request),
    post: (request) => removeOrAsk(room, request),
  },
  { at: `/${room.name}/:id/merge`, post: (request) => merge(room, request) },
  ...(hasTrash(room)
    ? [{ at: `/${room.name}/:id/restore`, post: (request: DeskRequest) => restoreRecord(room, request) }]
    : []),
])
