import { randomUUID } from 'node:crypto'
import { Problem } from '../../base/problems.ts'
import { decodedText } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields, type RawValues } from '../../calendar/declare/parse.ts'
import { withImages } from '../../calendar/images/images.ts'
import { can, seesUnpublished } from '../../calendar/people/caller.ts'
import { findVersion, presentListed } from '../../calendar/records/record-store.ts'
import { resourceNamed, type ServedResource } from '../../calendar/resources.ts'
import { writtenNumber } from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import {
  askedFields,
  type ControlOption,
  categoryOptions,
  type FormFaults,
  type FormState,
  faultList,
  faultsOf,
  fieldControl,
  formValuesOf,
  guarded,
  inputOf,
  labelOf,
  statusName,
  UNSENT_BY_ENTER,
} from './desk-inputs.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  deskTranslatorFor,
  fieldOf,
  type RoomName,
  recordIdIn,
  sayAtDesk,
  versionSent,
} from './desk-page.ts'
import { type DeskText, formsAtDesk } from './desk-texts.ts'
import { sayOfDuplicates } from './duplicate-texts.ts'
import { undoOf } from './duplicates-room.ts'
import { keepPicture, pictureCardOf, sayWhatItShows } from './event-form/event-picture.ts'
import { countUses, MOST_USES_COUNTED } from './merge-records.ts'
import { findLatestMerge, mayMerge, mergeForNow } from './merges.ts'
import { findNamed, findSameName, type PickedKind, pickNames } from './picked-names.ts'
import { atPosition, POSITION_FIELDS, positionControl, readPosition } from './position-field.ts'
import { linkOrText } from './record-links.ts'
import { saveForm } from './review/merge-edits.ts'
import { createRecord, removeRecord, untrashRecord } from './save-form.ts'

// Pages for venues, organizers, categories and tags, built from the declared fields.

interface RecordRoom {
  served: ServedResource
  name: RoomName
  title: DeskText
  makeOne: DeskText
  naming: string
}

const recordRooms: readonly RecordRoom[] = [
  { of: 'venue', name: 'venues', title: 'Venues', makeOne: 'New venue', naming: 'venue' } as const,
  {
    of: 'organizer',
    name: 'organizers',
    title: 'Organizers',
    makeOne: 'New organizer',
    naming: 'organizer',
  } as const,
  {
    of: 'category',
    name: 'categories',
    title: 'Categories',
    makeOne: 'New category',
    naming: 'name',
  } as const,
  { of: 'tag', name: 'tags', title: 'Tags', makeOne: 'New tag', naming: 'name' } as const,
].map(({ of, ...room }) => ({ ...room, served: resourceNamed(of) }))

const PER_PAGE = 50

type Listed = Readonly<Record<string, unknown>> & { id: number }

function isListed(shown: object): shown is Listed {
  return 'id' in shown && typeof shown.id === 'number'
}

async function listedBy(
  { operations, filters }: ServedResource,
  context: Context,
  raw: RawValues,
): Promise<{ rows: Listed[]; total: number }> {
  const found = await operations.find(context, await parseFields(filters, raw, context))
  const shown = await presentListed(context, operations.presentation, await operations.load(context, found))
  return { rows: shown.filter(isListed), total: found.total }
}

async function showList(room: RecordRoom, { context, query }: DeskRequest): Promise<DeskAnswer> {
  const { site } = context
  const { operations, filters } = room.served
  const search = query.get('search')?.trim() ?? ''
  const page = Number(query.get('page') ?? 1)
  const isTrash = query.get('status') === 'trash'
  const raw = {
    ...(search !== '' && { search }),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    per_page: PER_PAGE,
    ...('status' in filters &&
      seesUnpublished(context.caller) && { status: isTrash ? 'trash' : 'publish,draft,pending,private' }),
    ...('hide_empty' in filters && { hide_empty: false }),
  }
  const { rows, total } = await listedBy(room.served, context, raw)
  const nothing = sayAtDesk(
    site,
    search !== '' ? 'Nothing matches.' : isTrash ? 'The trash is empty.' : 'Nothing here yet.',
  )
  return {
    title: sayAtDesk(site, room.title),
    room: room.name,
    actions:
      operations.rights.create(context) &&
      html`<a class="button main" href="${deskPath(site, `/${room.name}/new`)}">${sayAtDesk(
        site,
        room.makeOne,
      )}</a>`,
    ...(query.has('removed') && {
      notice: sayAtDesk(site, 'status' in filters ? 'Moved to the trash' : 'Deleted'),
    }),
    body: html`${'status' in filters && trashTabs(room, context, isTrash)}<form class="tools" method="get">${
      isTrash && html`<input type="hidden" name="status" value="trash">`
    }<input type="search" name="search" maxlength="300" value="${search}" aria-label="${sayAtDesk(
      site,
      'Search',
    )}" placeholder="${sayAtDesk(site, 'Search')}"><button type="submit" class="button">${sayAtDesk(
      site,
      'Search',
    )}</button></form>
${rows.length === 0 ? html`<p class="nothing">${nothing}</p>` : await tableOf(room, context, rows, !isTrash)}
${pagesOf(room, context, { search, isTrash, page: raw.page, last: Math.ceil(total / PER_PAGE) })}`,
  }
}

function trashTabs({ name, title }: RecordRoom, { site }: Context, isTrash: boolean): Html {
  const tab = (path: string, text: DeskText, isHere: boolean) =>
    html`<a href="${deskPath(site, path)}"${isHere && html` aria-current="page"`}>${sayAtDesk(
      site,
      text,
    )}</a>`
  return html`<nav class="tabs" aria-label="${sayAtDesk(site, 'Status')}">${tab(
    `/${name}`,
    title,
    !isTrash,
  )}${tab(`/${name}?status=trash`, 'Trash', isTrash)}</nav>`
}

/** In lists, the count of a record's uses stops here. */
const MOST_IN_LISTS = 100

/** Counts the events that use each record; the rows of terms already have this count. */
async function usesIn(
  { served }: RecordRoom,
  { db }: Context,
  rows: readonly Listed[],
): Promise<Map<number, string>> {
  const kind = served.resource.name
  if (kind !== 'venue' && kind !== 'organizer')
    return new Map(rows.map(({ id, count }) => [id, textOf(count)]))
  const ids = rows.map(({ id }) => id)
  const uses = await countUses(db, kind, ids, MOST_IN_LISTS)
  return new Map(
    [...uses].map(([id, count]) => [id, count >= MOST_IN_LISTS ? `${MOST_IN_LISTS}+` : String(count)]),
  )
}

async function tableOf(
  room: RecordRoom,
  context: Context,
  rows: readonly Listed[],
  isLive: boolean,
): Promise<Html> {
  const { site } = context
  const mayPick = isLive && mayMerge(context)
  const { fields } = room.served.resource
  const uses = await usesIn(room, context, rows)
  const columns = Object.entries(fields).filter(([, { inLists }]) => inLists)
  const head = columns.map(([, field]) => html`<th scope="col">${labelOf(site, field)}</th>`)
  const pick = mayPick && html`<th scope="col"><span class="hidden">${sayAtDesk(site, 'Choose')}</span></th>`
  const table = html`<table class="records"><thead><tr>${pick}<th scope="col">${sayAtDesk(
    site,
    'Name',
  )}</th>${head}<th scope="col" class="number">${sayAtDesk(
    site,
    'Events',
  )}</th><th scope="col"><span class="hidden">${sayAtDesk(site, 'Status')}</span></th></tr></thead><tbody>
${rows.map((row) => rowOf(room, context, columns, row, { uses: uses.get(row.id) ?? '', mayPick }))}
</tbody></table>`
  return mayPick
    ? html`<form method="get" action="${deskPath(
        site,
        '/duplicates/merge',
      )}" class="many" data-many><input type="hidden" name="kind" value="${kindOf(room)}">${table}${mergeBar(
        context,
      )}</form>`
    : table
}

function mergeBar({ site }: Context): Html {
  const say = deskTranslatorFor(site)
  return html`<div class="bulk" data-chosen="${JSON.stringify(
    formsAtDesk(site, '{count} chosen'),
  )}" data-none="${say('Choose none')}" data-page="${say('Choose all on this page')}"><p>${sayOfDuplicates(
    site,
    'Choose two to merge.',
  )}</p><div class="actions"><button type="submit" class="button">${say('{action}…', {
    action: say('Merge'),
  })}</button></div></div>`
}

const FILTERS: Readonly<Partial<Record<RoomName, string>>> = { venues: 'venue', organizers: 'organizer' }

function eventsWith({ name }: Pick<RecordRoom, 'name'>, site: Context['site'], id: number): string {
  return deskPath(site, `/events?${FILTERS[name] ?? name}=${id}`)
}

function rowOf(
  { name, naming, served }: RecordRoom,
  context: Context,
  columns: readonly (readonly [string, unknown])[],
  row: Listed,
  { uses, mayPick }: { uses: string; mayPick: boolean },
): Html {
  const { site } = context
  const status = textOf(row.status)
  const owned = { author: Number(row.author), status }
  const mayChange = served.operations.rights.update(context, 'author' in row ? owned : undefined)
  const href = mayChange ? deskPath(site, `/${name}/${row.id}`) : status === 'publish' && textOf(row.url)
  const title = textOf(row[naming]) || sayAtDesk(site, '(no title)')
  const state =
    status !== '' && status !== 'publish' && html`<span class="state">${statusName(site, status)}</span>`
  const pick =
    mayPick &&
    html`<td class="pick"><label class="box"><input type="checkbox" name="ids[]" value="${row.id}">\
<span class="hidden">${sayAtDesk(site, 'Choose')}: ${title}</span></label></td>`
  return html`<tr>${pick}<td>${linkOrText(href || undefined, title, {
    look: 'title',
    attributes: html` dir="auto"`,
  })}</td>${columns.map(
    ([column]) => html`<td dir="auto">${textOf(row[column])}</td>`,
  )}<td class="number"><a href="${eventsWith({ name }, site, row.id)}">${uses}</a></td><td>${state}${
    status === 'trash' &&
    mayChange &&
    html` <form method="post" action="${deskPath(
      site,
      `/${name}/${row.id}/restore`,
    )}"><button type="submit" class="button quiet">${sayAtDesk(site, 'Restore')}</button></form>`
  }</td></tr>`
}

function textOf(member: unknown): string {
  return member === null || member === undefined || typeof member === 'object'
    ? ''
    : decodedText(String(member))
}

function pagesOf(
  { name }: RecordRoom,
  { site }: Context,
  { search, isTrash, page, last }: { search: string; isTrash: boolean; page: number; last: number },
): Content {
  if (last <= 1) return ''
  const to = (number: number, text: DeskText) => {
    const query = new URLSearchParams({
      ...(search !== '' && { search }),
      ...(isTrash && { status: 'trash' }),
      page: String(number),
    })
    return html`<a class="button" href="${deskPath(site, `/${name}?${query}`)}">${sayAtDesk(site, text)}</a>`
  }
  return html`<nav class="pages" aria-label="${sayAtDesk(site, 'More pages')}">${
    page > 1 && to(page - 1, 'Earlier')
  }<span>${page} / ${last}</span>${page < last && to(page + 1, 'Later')}</nav>`
}

function columnsOf(row: unknown): Readonly<Record<string, unknown>> {
  return row !== null && typeof row === 'object' ? { ...row } : {}
}

/** @throws Problem rest_no_route if there is no record, rest_forbidden if the caller may not change it */
async function locateFor(
  { served }: RecordRoom,
  request: DeskRequest,
): Promise<{ id: number; row: unknown }> {
  const { context } = request
  const id = recordIdIn(request)
  const row = id === undefined ? undefined : await served.operations.locate(context, { id })
  if (id === undefined || row === undefined) throw new Problem('rest_no_route')
  if (!served.operations.rights.update(context, row)) throw new Problem('rest_forbidden')
  return { id, row }
}

async function showForm(room: RecordRoom, request: DeskRequest): Promise<DeskAnswer> {
  const { context, query } = request
  const { operations, resource } = room.served
  if (request.variables.id === undefined) {
    if (!operations.rights.create(context)) throw new Problem('rest_forbidden')
    const given = {
      [room.naming]: query.get('name') ?? '',
      status: can(context.caller, 'publish') ? 'publish' : 'draft',
    }
    return formView(room, context, { values: given, faults: {} }, undefined)
  }
  const { id, row } = await locateFor(room, request)
  const version = await versionIn(room, request, id)
  const values = formValuesOf(resource.fields, columnsOf(row))
  const merged = query.get('merged')
  const undo = merged === null ? undefined : await findLatestMerge(context, kindOf(room), id)
  const notice =
    merged !== null
      ? html`${sayAtDesk(context.site, 'Events moved: {count}', { count: merged.replace(/\D/g, '') })} ${
          undo !== undefined && undoOf(context, String(undo))
        }`
      : query.has('saved') && sayAtDesk(context.site, 'Saved')
  return { ...(await formView(room, context, { values, faults: {} }, { id, version })), notice }
}

async function formView(
  room: RecordRoom,
  context: Context,
  { values, faults }: Pick<FormState, 'values' | 'faults'>,
  known: { id: number; version: number; isConflict?: true } | undefined,
): Promise<DeskAnswer & { body: Html }> {
  const { site } = context
  const { resource } = room.served
  const state: FormState = {
    site,
    values,
    faults,
    choices: await choicesFor(room, context, values.parent, known?.id),
  }
  const asked = askedFields(resource.fields).filter(([, field]) => inputOf(field) !== 'image')
  const isAside = (name: string) => name === 'status'
  const facts = asked.filter(([, field]) => inputOf(field) === 'fact')
  const plain = asked.filter(
    ([name, field]) => !isAside(name) && !POSITION_FIELDS.includes(name) && inputOf(field) !== 'fact',
  )
  const isPlaced = 'geo_lat' in resource.fields
  const position = isPlaced && (await positionControl(context, values, faults))
  const { lines = [], switches = [] } = Object.groupBy(plain, ([, field]) =>
    inputOf(field) === 'switch' ? 'switches' : 'lines',
  )
  const story = [...lines, ...switches]
  const aside = asked.filter(([name]) => isAside(name))
  const picture = 'image' in resource.fields && (await pictureCardOf(context, { values, faults }))
  const draw = (entries: typeof asked) => entries.map(([name, field]) => fieldControl(state, name, field))
  const title = known ? (values[room.naming] ?? '') : sayAtDesk(site, room.makeOne)
  const problem = known?.isConflict
    ? html`<p class="summary" role="alert" id="faults" tabindex="-1">${sayAtDesk(
        site,
        'Somebody else has changed this meanwhile. What you typed is still here; save again to keep it.',
      )}</p>`
    : faultList(site, faults, resource.fields)
  return {
    ...(known?.isConflict ? { status: 412 } : Object.keys(faults).length > 0 && { status: 422 }),
    title: title || sayAtDesk(site, '(no title)'),
    room: room.name,
    under: html`<a href="${deskPath(site, `/${room.name}`)}">${sayAtDesk(site, room.title)}</a>`,
    body: html`${problem}<form class="edit" method="post" enctype="multipart/form-data" \
novalidate${guarded(site)}>${UNSENT_BY_ENTER}
<div class="story">${draw(story)}${position}${
      facts.length > 0 &&
      html`<fieldset class="facts"><legend>${sayAtDesk(
        site,
        'Accessibility',
      )}</legend>${draw(facts)}</fieldset>`
    }</div>
<aside class="aside">${
      aside.length > 0 && html`<section class="card">${draw(aside)}</section>`
    }${picture}</aside>
<div class="savebar"><input type="hidden" name="key" value="${randomUUID()}">${
      known && html`<input type="hidden" name="version" value="${known.version}">`
    }<button type="submit" class="button main">${sayAtDesk(site, 'Save')}</button>${
      known &&
      mayMerge(context) &&
      html`<a class="button quiet" href="${deskPath(site, `/${room.name}/${known.id}/merge`)}">${sayAtDesk(
        site,
        '{action}…',
        { action: sayAtDesk(site, 'Merge') },
      )}</a>`
    }${
      known &&
      html`<button type="submit" class="button quiet bad end" formaction="${deskPath(
        site,
        `/${room.name}/${known.id}/trash`,
      )}" formnovalidate>${sayAtDesk(
        site,
        'status' in resource.fields ? 'Move to the trash' : 'Delete permanently',
      )}</button>`
    }</div>
</form>`,
  }
}

async function choicesFor(
  { served }: RecordRoom,
  context: Context,
  chosen: string | undefined,
  id: number | undefined,
): Promise<Record<string, ControlOption[]>> {
  if (!('parent' in served.resource.fields)) return {}
  const { options } = await categoryOptions(context, chosen ? [chosen] : [], id)
  return { parent: [{ value: '0', text: sayAtDesk(context.site, 'None') }, ...options] }
}

async function save(room: RecordRoom, request: DeskRequest): Promise<DeskAnswer> {
  const { context, form } = request
  const { served } = room
  const { fields } = served.resource
  const asked = askedFields(fields).filter(([name]) => form[name] !== undefined)
  const typed = Object.fromEntries(asked.map(([name]) => [name, fieldOf(request, name)]))
  const known = request.variables.id === undefined ? undefined : await locateFor(room, request)
  const version = known && (await versionIn(room, request, known.id))
  const before = known ? formValuesOf(fields, columnsOf(known.row)) : {}
  const pictureTexts = Object.fromEntries(
    ['image_alt', 'shown_image_alt'].flatMap((name) =>
      name in form ? [[name, fieldOf(request, name)]] : [],
    ),
  )
  const typedPosition = Object.fromEntries(
    ['position', 'shown_position'].flatMap((name) => (name in form ? [[name, fieldOf(request, name)]] : [])),
  )
  const again = (faults: FormFaults, conflict?: { version: number; isConflict: true }) => {
    const values = { ...before, ...typed, ...pictureTexts, ...typedPosition }
    return formView(
      room,
      context,
      { values, faults: atPosition(faults) },
      known && { id: known.id, version: version ?? 0, ...conflict },
    )
  }
  const picture = 'image' in fields ? await keepPicture(request, fieldOf(request, 'key')) : undefined
  if (picture && 'fault' in picture) return again({ image: picture.fault })
  if (picture) typed.image = String(picture.id)
  const position = 'geo_lat' in fields ? await readPosition(request) : {}
  if (typeof position === 'string') return again({ position })
  Object.assign(typed, position)
  const values = { ...typed, ...(/^\d+$/.test(typed.image ?? '') && { image: Number(typed.image) }) }
  const leadTo = async (id: number): Promise<DeskAnswer> => {
    if ('image_alt' in form)
      await sayWhatItShows(context, Number(typed.image), fieldOf(request, 'image_alt').trim(), {
        former: Number(before.image),
        shown: 'shown_image_alt' in form ? fieldOf(request, 'shown_image_alt') : undefined,
      })
    return { seeOther: deskPath(context.site, `/${room.name}/${id}?saved`) }
  }
  try {
    if (!known)
      return await leadTo(
        (await createRecord(context, served, values, fieldOf(request, 'key') || undefined)).id,
      )
    const result = await saveForm(context, served, known.id, { values, version: version ?? 0 })
    if ('saved' in result) return await leadTo(known.id)
    return again(conflictsIn(context, result.conflicts), { version: result.version, isConflict: true })
  } catch (error) {
    const faults = error instanceof Problem && faultsOf(context.site, error, fields)
    if (!faults) throw error
    return again(faults)
  }
}

async function versionIn(
  { served: { operations } }: RecordRoom,
  request: DeskRequest,
  id: number,
): Promise<number> {
  const version = versionSent(request)
  if (version !== undefined) return version
  return operations.versioned
    ? (await findVersion(request.context.db, operations.versioned.kind, id)).sequence
    : 0
}

function conflictsIn({ site }: Context, conflicts: readonly { member: string; now: unknown }[]): FormFaults {
  const told = conflicts.map(({ member, now }) => [
    member,
    sayAtDesk(site, 'Somebody else has written: {value}', { value: textOf(now) }),
  ])
  return Object.fromEntries(told)
}

export const recordPages: readonly DeskPage[] = recordRooms.flatMap((room) => [
  { at: `/${room.name}`, get: (request: DeskRequest) => showList(room, request) },
  {
    at: `/${room.name}/new`,
    get: (request: DeskRequest) => showForm(room, request),
    post: (request: DeskRequest) => withImages(request.context, () => save(room, request)),
  },
  {
    at: `/${room.name}/:id`,
    get: (request: DeskRequest) => showForm(room, request),
    post: (request: DeskRequest) => withImages(request.context, () => save(room, request)),
  },
])

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

/** Asks for confirmation if events use the record or it cannot be restored; otherwise removes it. */
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

async function ask(room: RecordRoom, request: DeskRequest, fault = ''): Promise<DeskAnswer> {
  const { context } = request
  const { site } = context
  const say = deskTranslatorFor(site)
  const { id, row } = await locateFor(room, request)
  const uses = await usesOf(room, context, id)
  const count =
    uses >= MOST_USES_COUNTED ? `${writtenNumber(site, MOST_USES_COUNTED)}+` : writtenNumber(site, uses)
  const address = deskPath(site, `/${room.name}/${id}`)
  const press = hasTrash(room) ? say('Move to the trash') : say('Delete permanently')
  return {
    ...(fault !== '' && { status: 422 }),
    title: say('Remove “{name}”?', { name: nameIn(room, row) }),
    room: room.name,
    under: html`<a href="${address}">${say('Back to the form')}</a>`,
    body: html`${
      fault &&
      html`<div class="summary" role="alert" tabindex="-1" id="faults"><p><a href="#into">${fault}</a></p>\
</div>`
    }<div class="confirm">
<p>${
      uses === 0
        ? say('No event has it.')
        : html`<a href="${eventsWith(room, site, id)}">${say('Events that have it: {count}', { count })}</a>`
    }${uses > 0 && html` ${say('They stay, without it.')}`}</p>
<form method="post" action="${address}/trash"><input type="hidden" name="sure" value="1"><p class="ways">\
<button type="submit" class="button bad">${press}</button><a class="button quiet" \
href="${address}">${say('Back')}</a></p></form>${
      mayMerge(context) &&
      html`<p>${say('Is it there twice?')} <a href="${address}/merge">${say('Merge')}</a></p>`
    }</div>`,
  }
}

async function askToMerge(room: RecordRoom, request: DeskRequest, fault = ''): Promise<DeskAnswer> {
  const { context } = request
  const { site } = context
  if (!mayMerge(context)) throw new Problem('rest_forbidden')
  const { id, row } = await locateFor(room, request)
  const address = deskPath(site, `/${room.name}/${id}`)
  return {
    ...(fault !== '' && { status: 422 }),
    title: `${sayAtDesk(site, 'Merge')}: ${nameIn(room, row) || sayAtDesk(site, '(no title)')}`,
    room: room.name,
    under: html`<a href="${address}">${sayAtDesk(site, 'Back to the form')}</a>`,
    body: html`${
      fault &&
      html`<div class="summary" role="alert" tabindex="-1" id="faults"><p><a href="#into">${fault}</a></p>\
</div>`
    }<div class="confirm">${await mergeForm(room, request, id, fault !== '')}</div>`,
  }
}

async function mergeForm(
  room: RecordRoom,
  request: DeskRequest,
  id: number,
  isWrong: boolean,
): Promise<Content> {
  const { context } = request
  const { site } = context
  const offered = await pickNames(kindOf(room), '', context, OFFERED)
  const names = offered
    .filter((one) => one.id !== id)
    .map(({ name }) => html`<option>${decodedText(name)}</option>`)
  return html`<form class="card" method="post" action="${deskPath(
    site,
    `/${room.name}/${id}/merge`,
  )}">${UNSENT_BY_ENTER}<h2>${sayAtDesk(
    site,
    'Is it there twice?',
  )}</h2><div class="field"><label for="into">${sayAtDesk(
    site,
    'The one that stays',
  )}</label><input type="text" id="into" name="into" value="${fieldOf(
    request,
    'into',
  )}" list="into-offered" maxlength="300" autocomplete="off" aria-describedby="into-hint"${
    isWrong && html` aria-invalid="true"`
  }><datalist id="into-offered">${names}</datalist><p class="hint" id="into-hint">${sayAtDesk(
    site,
    'Its name or its number. All events and old addresses go over to it.',
  )} ${sayOfDuplicates(
    site,
    'This can be undone for 30 days.',
  )}</p></div><p class="ways start"><button type="submit" class="button main">${sayAtDesk(
    site,
    'Merge',
  )}</button></p></form>`
}

async function merge(room: RecordRoom, request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const { id } = await locateFor(room, request)
  const text = fieldOf(request, 'into').trim()
  const into = await meantBy(room, context, id, text)
  if (into === undefined)
    return askToMerge(
      room,
      request,
      sayAtDesk(context.site, 'There is no other one “{name}”.', { name: text.slice(0, 80) }),
    )
  try {
    const { events } = await mergeForNow(context, kindOf(room), id, into)
    return { seeOther: deskPath(context.site, `/${room.name}/${into}?merged=${events}`) }
  } catch (error) {
    if (!(error instanceof Problem) || error.details.params?.into === undefined) throw error
    return askToMerge(
      room,
      request,
      sayAtDesk(context.site, 'There is no other one “{name}”.', { name: text.slice(0, 80) }),
    )
  }
}

/** Finds the record that `text` names by number or name; undefined if there is none except `own`. */
async function meantBy(
  room: RecordRoom,
  context: Context,
  own: number,
  text: string,
): Promise<number | undefined> {
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

export const recordRemovalPages: readonly DeskPage[] = recordRooms.flatMap((room): DeskPage[] => [
  {
    at: `/${room.name}/:id/trash`,
    get: (request) => ask(room, request),
    post: (request) => removeOrAsk(room, request),
  },
  {
    at: `/${room.name}/:id/merge`,
    get: (request) => askToMerge(room, request),
    post: (request) => merge(room, request),
  },
  ...(hasTrash(room)
    ? [{ at: `/${room.name}/:id/restore`, post: (request: DeskRequest) => restoreRecord(room, request) }]
    : []),
])
