import { randomUUID } from 'node:crypto'
import { Problem } from '../../../base/problems.ts'
import { isFault, type Start } from '../../../base/recurrence/recurrence.ts'
import { recurrenceInWords } from '../../../base/recurrence/recurrence-in-words.ts'
import { readRecurrence } from '../../../base/recurrence/recurrence-text.ts'
import { decodedText, plainText } from '../../../base/text/html.ts'
import { dayOf, wallNow } from '../../../base/text/moments.ts'
import { wallToUtc } from '../../../base/text/zones.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import type { RawValues } from '../../../calendar/declare/parse.ts'
import { findEvent } from '../../../calendar/events/event-store.ts'
import { asSeenBy } from '../../../calendar/events/event-when.ts'
import { recurrenceOf, showRule, startOf } from '../../../calendar/events/recurrence-present.ts'
import { readStates } from '../../../calendar/history/record-states.ts'
import { findOpenImage, withImages } from '../../../calendar/images/images.ts'
import { recordUrl } from '../../../calendar/linked/record-present.ts'
import { can, mayDelete, mayEdit } from '../../../calendar/people/caller.ts'
import { listUsers } from '../../../calendar/people/users.ts'
import { findVersion } from '../../../calendar/records/record-store.ts'
import { events } from '../../../calendar/resources.ts'
import { durationOf } from '../../../calendar/series/series-schedule.ts'
import { findSeries } from '../../../calendar/series/series-store.ts'
import { mayManageTerms } from '../../../calendar/terms/term-rules.ts'
import { findTermsByIds } from '../../../calendar/terms/term-store.ts'
import type { EventRow, ImageRow, SeriesRow, VenueRow } from '../../../store/storage/schema.ts'
import { type Content, html } from '../../pages/page-html.ts'
import { pathTo } from '../../pages/viewing.ts'
import { postponing } from '../change-many.ts'
import { conflictNotes, takenOver, typedIn, unsavedNote } from '../changed-values.ts'
import { findClashes } from '../clashes.ts'
import { categoryOptions, type FormFaults } from '../desk-inputs.ts'
import {
  allTyped,
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  fieldOf,
  isSwitchOn,
  isTyped,
  lastTyped,
  recordIdIn,
  sayAtDesk,
  shownAtFirst,
  type TypedForm,
  typedOf,
  versionSent,
} from '../desk-page.ts'
import type { DeskText } from '../desk-texts.ts'
import { timesOfCopy } from '../event-lengths.ts'
import { findLibrary } from '../picture-library.ts'
import { newDayOf, postponedNote, undoPostponing } from '../postpone.ts'
import { mayOpen } from '../record-links.ts'
import { waitingTerms } from '../review/linked-drafts.ts'
import { saveForm } from '../review/merge-edits.ts'
import { proposalsAbout, proposeChange } from '../review/review.ts'
import { findUnsavedText } from '../review/unsaved-texts.ts'
import { createRecord, removeRecord, untrashRecord, updateRecord } from '../save-form.ts'
import type { EventForm } from './event-form-controls.ts'
import {
  allFaults,
  faultsAtControls,
  linkedNames,
  type ReadForm,
  readEventForm,
  shownVenue,
  startIn,
  typedEvent,
  typedProposal,
  typedVenues,
} from './event-form-values.ts'
import { eventFormView } from './event-form-view.ts'
import { altAt, describePicture, keepPicture, mayAddPicture, typedFocus } from './event-picture.ts'
import {
  REPEAT_CONTROLS,
  readRepeats,
  repeatsDigests,
  shownNextDates,
  typedRepeats,
} from './event-repeats.ts'
import { NOTHING_SAID, readTimes, timesInWords, typedDay, typedTimes } from './event-times.ts'

export interface KnownEvent {
  id: number
  /** The event as the caller may see it: without a meeting link that is hidden from them. */
  row: EventRow
  hidesLink: boolean
  version: number
  series: SeriesRow | undefined
  /** The event's values as controls, with the caller's proposal until that is published or withdrawn. */
  typed: TypedForm
  proposed: RawValues
}

/**
 * Reads an event and everything that its form shows.
 * @throws Problem rest_no_route if there is none, rest_forbidden if the caller may neither change it nor
 * propose changes
 */
export async function getKnownEvent(context: Context, id: number | undefined): Promise<KnownEvent> {
  // The version is read first: if the event changes between the two reads, the save notices a conflict.
  const version = id === undefined ? 0 : (await findVersion(context.db, 'event', id)).sequence
  const stored = id === undefined ? undefined : await findEvent(context.db, id)
  if (id === undefined || !stored) throw new Problem('rest_no_route')
  const row = asSeenBy(context.caller, stored)
  if (!mayOpen(context, row)) throw new Problem('rest_forbidden')
  const [states, series, proposals] = await Promise.all([
    readStates(context.db, 'event', [id]),
    row.series === null ? undefined : findSeries(context.db, row.series),
    mayEdit(context.caller, row) ? [] : proposalsAbout(context, events, id),
  ])
  const hidesLink = row.online_url !== stored.online_url
  const state = { ...states.get(id), ...(hidesLink && { online_url: '' }) }
  const repeats = series ? typedRepeats(context, recurrenceOf(series), startOf(series)) : NO_REPEATS
  const shown = { ...typedEvent(context.site, state, row), ...repeats }
  const proposed =
    proposals.find(({ author, version: of }) => author === context.caller.id && of > 0)?.values ?? {}
  return {
    id,
    row,
    hidesLink,
    version,
    series,
    typed: { ...shown, ...typedProposal(context, row, state, proposed) },
    proposed,
  }
}

const NO_REPEATS: TypedForm = { repeats: [''] }

interface Shown {
  known?: KnownEvent | undefined
  faults?: FormFaults
  notes?: Content
  notice?: Content
  version?: number
  isConflict?: true
}

async function formOf(context: Context, typed: TypedForm, shown: Shown): Promise<EventForm> {
  const { known, faults = {}, notes = '', notice, version, isConflict } = shown
  const { caller, db } = context
  const isProposal = known !== undefined && !mayEdit(caller, known.row)
  const image = Number(lastTyped(typed, 'image'))
  const [names, categories, tags, authors, pictured, library, said] = await Promise.all([
    linkedNames(context, typed),
    categoryOptions(context, allTyped(typed, 'categories')),
    findTermsByIds(db, allTyped(typed, 'tags').map(Number).filter(Number.isSafeInteger)),
    can(caller, 'edit_others') ? listUsers(db) : [],
    image > 0 ? findOpenImage(context, image) : undefined,
    findLibrary(context, lastTyped(typed, 'picture_search')),
    formInWords(context, typed, known),
  ])
  return {
    context,
    typed: {
      ...(known &&
        shownIn(known.typed, { image: pictured, venue: names.venues.get(Number(typed.venue?.[0])) })),
      ...(pictured && { image_focus: [typedFocus(pictured)] }),
      ...typed,
      ...(pictured && { image_alt: [altAt(typed, pictured)] }),
    },
    faults,
    ...(known && {
      known: {
        id: known.id,
        version: version ?? known.version,
        status: known.row.status,
        address: pathTo(
          context.site,
          recordUrl(context.site, 'event', known.row).slice(context.site.url.length),
        ),
        series: known.series,
      },
    }),
    key: lastTyped(typed, 'key') || randomUUID(),
    formName: lastTyped(typed, 'form') || randomUUID(),
    may: {
      statuses: statusesFor(context, known?.row.status, isProposal),
      trash: known !== undefined && mayDelete(caller, known.row),
      author: can(caller, 'edit_others'),
      upload: mayAddPicture(caller),
      makeCategory: can(caller, 'edit'),
      makeTag: mayManageTerms(caller, 'tag'),
      propose: isProposal,
    },
    ...names,
    categories,
    tags: new Map(tags.map(({ id, name }) => [String(id), decodedText(name)])),
    authors: authors.map(({ id, name }) => ({ id, name })),
    image: pictured,
    library,
    ...said,
    notes,
    ...(notice !== undefined && { notice }),
    ...(isConflict && { isConflict }),
  }
}

export interface SaidOfForm extends Pick<EventForm, 'times' | 'dates' | 'ruleInWords' | 'near'> {
  timeFaults: FormFaults
  /** Local times; empty if they cannot be read. */
  start: string
  end: string
  understood: Readonly<Record<string, string>>
}

const UNPICTURED = { image_alt: '', image_decorative: '0' }

/** Returns shown values of controls that versions do not store, so that a save can tell what changed. */
function shownIn(
  typed: TypedForm,
  { image, venue }: { image: ImageRow | undefined; venue: VenueRow | undefined },
): TypedForm {
  return {
    ...(image && {
      shown_image_alt: [altAt(typed, image)],
      shown_image_focus: [typedFocus(image)],
      shown_image_decorative: [lastTyped(typed, 'image_decorative')],
    }),
    ...(venue && { shown_venue: [shownVenue(venue.id, plainText(venue.venue))] }),
    shown_repeats: [repeatsDigests(typed)],
  }
}

const NOTHING_NEAR = { clashes: [], doubles: [] }

export async function formInWords(
  context: Context,
  typed: TypedForm,
  known?: KnownEvent,
): Promise<SaidOfForm> {
  const { caller } = context
  const read = readTimes(context, typed)
  const { start, end, zone } = read
  const isRead = Object.keys(read.faults).length === 0 && start !== undefined && end !== undefined
  const draft = isRead && {
    ...(known && { id: known.id, ...(known.series && { series: known.series.id }) }),
    title: lastTyped(typed, 'title'),
    utc_start_date: read.startUtc ?? wallToUtc(start, zone),
    utc_end_date: read.endUtc ?? wallToUtc(end, zone),
    venues: await typedVenues(context, typed),
  }
  const duration =
    isRead && draft
      ? durationOf({ ...draft, start_date: start, end_date: end, all_day: Number(read.isAllDay) })
      : undefined
  const [near = NOTHING_NEAR] = draft && can(caller, 'edit') ? await findClashes([draft], context) : []
  return {
    times: isRead ? timesInWords(context, read) : NOTHING_SAID,
    timeFaults: read.faults,
    understood: isRead ? writtenTimes(context, typed, { start, end, isAllDay: read.isAllDay, zone }) : {},
    start: start ?? '',
    end: end ?? '',
    near,
    ...repeatsInWords(context, typed, { start: startIn(read), duration }, known),
  }
}

function writtenTimes(
  { site }: Context,
  typed: TypedForm,
  { start, end, isAllDay, zone }: { start: string; end: string; isAllDay: boolean; zone: string },
): Record<string, string> {
  const times = typedTimes(site, { start_date: start, end_date: end, all_day: isAllDay, timezone: zone })
  const { start_date, start_time, end_date, end_time } = times
  const isSeveral = isSwitchOn(typed, 'several_days')
  const written = {
    start_date,
    start_time,
    end_time,
    ...(isSeveral && lastTyped(typed, 'end_date') !== '' && { end_date }),
  }
  return Object.fromEntries(Object.entries(written).map(([name, texts]) => [name, texts?.[0] ?? '']))
}

function repeatsInWords(
  context: Context,
  typed: TypedForm,
  { start: typedStart, duration }: { start: Start | undefined; duration: number | undefined },
  known: KnownEvent | undefined,
): Pick<SaidOfForm, 'dates' | 'ruleInWords'> {
  const start = known?.series ? startOf(known.series) : typedStart
  const present = known?.series ? showRule(context, known.series).text : ''
  const { recurrence } = start ? readRepeats(context, typed, start) : { recurrence: undefined }
  if (!start || !recurrence) return { dates: undefined, ruleInWords: present }
  const rule = readRecurrence(
    typeof recurrence === 'string' ? recurrence : { ...recurrence, left: [] },
    start,
  )
  const isRead = rule && !isFault(rule)
  return {
    dates: isRead ? shownNextDates(context, recurrence, start, duration) : undefined,
    ruleInWords: isRead ? recurrenceInWords(rule, start, context.site.language, context.say) : present,
  }
}

/** @throws Problem rest_forbidden unless the caller may create events */
export function mayUseForm(context: Context): void {
  if (!events.operations.rights.create(context)) throw new Problem('rest_forbidden')
}

function statusesFor({ caller }: Context, present: string | undefined, isProposal: boolean): string[] {
  if (isProposal) return present === undefined ? [] : [present]
  const offered = can(caller, 'publish')
    ? ['publish', 'future', 'draft', 'pending', 'private']
    : ['pending', 'draft']
  return present === undefined || offered.includes(present) ? offered : [present, ...offered]
}

async function showNew({ context, query }: DeskRequest): Promise<DeskAnswer> {
  mayUseForm(context)
  const { site } = context
  const given = (name: string) => query.get(name)?.slice(0, LONGEST_GIVEN) ?? ''
  const day = given('date') || given('start_date')
  const typed: TypedForm = {
    title: [given('title')],
    status: [can(context.caller, 'publish') ? 'publish' : 'pending'],
    start_date: [/^\d{4}-\d\d-\d\d$/.test(day) ? typedDay(site, day) : day],
    ...Object.fromEntries(GIVEN.flatMap((name) => (query.has(name) ? [[name, [given(name)]]] : []))),
    timezone: [site.timezone],
    author: [String(context.caller.id)],
    several_days: ['0'],
    ...NO_REPEATS,
    ...listsIn(query),
  }
  const unsaved = await findUnsavedText(context, 'event', 0, query.get('unsaved') ?? undefined)
  if (unsaved && query.has('unsaved'))
    return eventFormView(await formOf(context, { ...typedIn(unsaved), form: [unsaved.form] }, {}))
  return eventFormView(await formOf(context, typed, { notes: unsavedNote(context, unsaved, undefined) }))
}

/** Query parameters that may prefill controls in the form for a new event. */
const GIVEN = ['start_time', 'end_date', 'end_time', 'venue_name', 'organizer_name', 'cost', 'website']
const LONGEST_GIVEN = 500
const GIVEN_LISTS = [...REPEAT_CONTROLS, 'all_day', 'categories', 'tags', 'new_categories', 'new_tags']
const MOST_GIVEN = 50

function listsIn(query: URLSearchParams): TypedForm {
  const lists = GIVEN_LISTS.flatMap((name): [string, string[]][] => {
    const texts = [...query.getAll(name), ...query.getAll(`${name}[]`)].slice(0, MOST_GIVEN)
    return texts.length > 0 ? [[name, texts.map((text) => text.slice(0, LONGEST_GIVEN))]] : []
  })
  return Object.fromEntries(lists)
}

async function showKnown(request: DeskRequest): Promise<DeskAnswer> {
  const { context, query } = request
  const known = await getKnownEvent(context, recordIdIn(request))
  const notice = query.has('saved') ? savedNotice(request, known) : undefined
  const unsaved = await findUnsavedText(context, 'event', known.id, query.get('unsaved') || undefined)
  if (unsaved && query.has('unsaved')) {
    const typed = { ...known.typed, ...typedIn(unsaved), form: [unsaved.form] }
    return eventFormView(await formOf(context, typed, { known, version: unsaved.version }))
  }
  const [waiting, postponed] = await Promise.all([
    waitingNote(context, known),
    postponedNote(context, known.row),
  ])
  const notes = html`${notesOf(context, known)}${postponed}${waiting}${unsavedNote(context, unsaved, known)}`
  return eventFormView(await formOf(context, known.typed, { known, notes, notice }))
}

function notesOf({ site }: Context, { id, row }: KnownEvent): Content {
  if (row.status !== 'trash') return ''
  return html`<form class="note" method="post" action="${deskPath(
    site,
    `/events/${id}/restore`,
  )}"><p>${sayAtDesk(
    site,
    'This event is in the trash.',
  )}</p><button type="submit" class="button">${sayAtDesk(site, 'Restore')}</button></form>`
}

async function waitingNote(context: Context, { id, row }: KnownEvent): Promise<Content> {
  const { site, caller } = context
  const [proposals, [terms]] = await Promise.all([
    proposalsAbout(context, events, id),
    waitingTerms(context, [{ id, author: row.author }]),
  ])
  const names = terms ? [...terms.categories, ...terms.tags] : []
  const own = proposals.filter(({ author }) => author === caller.id)
  const reply = own.find(({ state }) => state === 'sent back')?.reply
  const isProposed = own.some(({ version, state }) => version > 0 && state === 'waiting')
  const told = [
    reply && sayAtDesk(site, 'Sent back: {note}', { note: reply }),
    isProposed && sayAtDesk(site, 'Your change waits for review; the page stays as it is until then.'),
    names.length > 0 &&
      sayAtDesk(site, 'These wait with the event: {names}', { names: names.map(decodedText).join(', ') }),
  ].filter((text) => typeof text === 'string' && text !== '')
  if (told.length === 0) return ''
  return html`<div class="note"><p>${told.join(' ')}</p><a class="button" href="${deskPath(
    site,
    '/inbox',
  )}">${sayAtDesk(site, 'Inbox')}</a></div>`
}

const SAVED: Readonly<Record<string, DeskText>> = {
  publish: 'Published',
  future: 'Scheduled',
  pending: 'Sent for review',
}

function savedNotice({ context: { site }, query }: DeskRequest, { row, version }: KnownEvent): Content {
  const what =
    query.get('saved') === 'proposed'
      ? 'Your change waits for review; the page stays as it is until then.'
      : (SAVED[row.status] ?? 'Saved')
  const isFirst = query.get('saved') === 'first' || query.get('saved') === 'proposed'
  const taken = (query.get('taken') ?? '')
    .split(',')
    .filter((name) => Object.hasOwn(events.resource.fields, name))
  const labels = taken.map((name) => {
    const { label, about } = events.resource.fields[name] ?? { about: '' }
    return sayAtDesk(site, (label ?? about) as Parameters<typeof sayAtDesk>[1])
  })
  const view = row.status === 'publish' && pathTo(site, recordUrl(site, 'event', row).slice(site.url.length))
  return html`${sayAtDesk(site, isFirst ? what : 'Saved')}${
    isFirst && row.status === 'publish' && undoPublishing(site, row, version, query.get('was'))
  }${undoPostponing(site, query.get('undo') ?? '')}${
    view && html` <a href="${view}">${sayAtDesk(site, 'View')}</a>`
  }${
    labels.length > 0 &&
    html`<br>${sayAtDesk(site, 'Meanwhile somebody else has changed: {names}. That stays.', {
      names: labels.join(', '),
    })}`
  }`
}

const UNPUBLISHED: readonly string[] = ['draft', 'pending', 'private']

function undoPublishing(
  site: Context['site'],
  { id }: EventRow,
  version: number,
  was: string | null,
): Content {
  if (was === null || !UNPUBLISHED.includes(was)) return false
  return html` · <form method="post" action="${deskPath(
    site,
    `/events/${id}/unpublish`,
  )}"><input type="hidden" name="version" value="${version}"><button type="submit" class="link" \
name="status" value="${was}">${sayAtDesk(site, 'Undo')}</button></form>`
}

/**
 * Takes back a publication: sets the status that the form names, or draft; for a series, that of all dates.
 */
async function unpublish(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const known = await getKnownEvent(context, recordIdIn(request))
  const status = UNPUBLISHED.find((one) => one === fieldOf(request, 'status')) ?? 'draft'
  const values = { status, ...(known.row.series !== null && { recurrence_scope: 'all' }) }
  await updateRecord(context, events, known.id, values, versionSent(request))
  return { seeOther: deskPath(context.site, `/events/${known.id}?saved`) }
}

/**
 * Shows the form with an unsaved copy on a coming day of the same weekday; `series` in the query makes it
 * repeat.
 */
async function showCopy(request: DeskRequest): Promise<DeskAnswer> {
  const { context, query } = request
  const { site } = context
  const known = await getKnownEvent(context, recordIdIn(request))
  mayUseForm(context)
  const today = dayOf(wallNow(known.row.timezone, context.now))
  const { timezone, all_day } = known.row
  const { start, end } = timesOfCopy(known.row.start_date, known.row.end_date, today)
  const withSeries = known.series !== undefined && query.has('series')
  const typed: TypedForm = {
    ...known.typed,
    ...(withSeries ? { left_out: [], more_dates: [''] } : NO_REPEATS),
    slug: [''],
    status: ['draft'],
    date: [''],
    date_time: [''],
    event_status: ['scheduled'],
    event_status_reason: [''],
    author: [String(context.caller.id)],
    ...typedTimes(site, { start_date: start, end_date: end, all_day: all_day === 1, timezone }),
  }
  const question =
    known.series &&
    !withSeries &&
    html` <a href="${deskPath(site, `/events/${known.id}/duplicate?series`)}">${sayAtDesk(
      site,
      'Copy all dates of the series',
    )}</a>`
  const notes = html`<div class="note"><p>${sayAtDesk(
    site,
    'A copy of “{title}”, which is not saved yet. Look at the date first.',
    { title: plainText(known.row.title) },
  )}${question}</p></div>`
  return eventFormView(await formOf(context, typed, { notes }))
}

async function save(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const isNew = request.variables.id === undefined
  if (isNew) mayUseForm(context)
  const known = isNew ? undefined : await getKnownEvent(context, recordIdIn(request))
  return withImages(context, () => saveTyped(request, known))
}

export interface SentEventForm extends ReadForm {
  typed: TypedForm
}

/**
 * Reads the form and stores its picture. If the form is shown again, a control has the picture's id.
 * @param shown the controls that `readEventForm` compares with
 */
export async function readSentForm(
  request: DeskRequest,
  known: KnownEvent | undefined,
  shown: TypedForm | undefined,
): Promise<SentEventForm> {
  const sent = typedOf(request)
  const typed = { ...known?.typed, ...sent }
  const [read, picture] = await Promise.all([
    readEventForm(request.context, sent, shown),
    keepPicture(request, fieldOf(request, 'key')),
  ])
  if (!picture) return { ...read, typed }
  if ('fault' in picture) return { ...read, typed, faults: { ...read.faults, image: picture.fault } }
  return {
    ...read,
    raw: { ...read.raw, image: picture.id },
    typed: { ...typed, image: [String(picture.id)] },
  }
}

async function saveTyped(request: DeskRequest, known: KnownEvent | undefined): Promise<DeskAnswer> {
  const { context } = request
  const read = await readSentForm(request, known, known?.typed)
  const { typed } = read
  const faults: FormFaults = {
    ...read.faults,
    ...(known && newDayOf(context, typedOf(request), known.row).faults),
  }
  const again = (shown: FormFaults) => formAgain(request, known, typed, shown)
  if (['dates', 'pictures'].includes(fieldOf(request, 'show')))
    return again(faults.image === undefined ? {} : { image: faults.image })
  if (Object.keys(faults).length > 0) return again(await allFaults(context, { ...read, faults }))
  const image = Number(lastTyped(typed, 'image'))
  const isTakenAway = known !== undefined && Number(lastTyped(known.typed, 'image')) > 0
  const said =
    image > 0 ? await describePicture(context, image, typed, known?.typed) : isTakenAway && UNPICTURED
  Object.assign(read.raw, said)
  try {
    return known ? await change(request, known, read) : await create(request, read)
  } catch (error) {
    const refused = error instanceof Problem && faultsAtControls(context, error)
    if (!refused) throw error
    return again(refused)
  }
}

export async function formAgain(
  request: DeskRequest,
  known: KnownEvent | undefined,
  typed: TypedForm,
  faults: FormFaults,
): Promise<DeskAnswer> {
  return eventFormView(
    await formOf(request.context, typed, { known, faults, version: versionOf(request, known) }),
  )
}

async function create(request: DeskRequest, { raw }: ReadForm): Promise<DeskAnswer> {
  const { context } = request
  const [key, form] = [fieldOf(request, 'key'), fieldOf(request, 'form')]
  const { id } = await createRecord(context, events, raw, key || undefined, form)
  return { seeOther: deskPath(context.site, `/events/${id}?saved=first&was=draft`) }
}

async function change(request: DeskRequest, known: KnownEvent, read: SentEventForm): Promise<DeskAnswer> {
  const { context } = request
  const { site } = context
  const [version, form] = [versionOf(request, known), fieldOf(request, 'form')]
  const values = changedValues(known, read, typedOf(request))
  if (!mayEdit(context.caller, known.row)) {
    const { status: _status, ...proposed } = values
    const { online_url, ...others } = { ...known.proposed, ...proposed }
    const whole = known.hidesLink && online_url === '' ? others : { ...others, online_url }
    const proposal = await proposeChange(context, events, known.id, { values: whole, version, form })
    if ('conflicts' in proposal) {
      const conflicts = proposal.conflicts.map((one) =>
        known.hidesLink && one.member === 'online_url' ? { ...one, now: '' } : one,
      )
      return conflicting(request, known, read.typed, { ...proposal, conflicts })
    }
    return { seeOther: deskPath(site, `/events/${known.id}?saved=proposed`) }
  }
  const { later } = newDayOf(context, typedOf(request), known.row)
  const postponed = later && postponing(context, known.id, later)
  const sent = { values, version, form, beside: postponed?.beside }
  const edited = await saveForm(context, events, known.id, sent)
  if ('conflicts' in edited) return conflicting(request, known, read.typed, edited)
  if (postponed) return { seeOther: deskPath(site, `/events/${known.id}?saved&undo=${postponed.done.undo}`) }
  const taken = edited.taken.length > 0 ? `&taken=${edited.taken.join(',')}` : ''
  const isFirst = edited.changed.includes('status') ? `=first&was=${known.row.status}` : ''
  return { seeOther: deskPath(site, `/events/${edited.saved.id}?saved${isFirst}${taken}`) }
}

function changedValues(
  { series, typed: shown }: KnownEvent,
  { raw }: ReadForm,
  sent: TypedForm,
): Record<string, unknown> {
  const { recurrence, recurrence_scope: _scope, ...values } = raw
  const isOwn = isTyped(sent, 'recurrence')
  const before = shownAtFirst(sent, 'repeats', repeatsDigests(shown)).split(' ')
  const now = repeatsDigests(sent).split(' ')
  const isOther = REPEAT_CONTROLS.some((name, at) => isTyped(sent, name) && now[at] !== before[at])
  const isSent = recurrence !== undefined && (isOwn || (series ? isOther : recurrence !== ''))
  const scope = lastTyped(sent, 'recurrence_scope')
  return {
    ...values,
    ...(isSent && { recurrence }),
    ...(series && scope !== '' && { recurrence_scope: scope }),
  }
}

async function conflicting(
  { context }: DeskRequest,
  known: KnownEvent,
  typed: TypedForm,
  { conflicts, taken, version }: Parameters<typeof conflictNotes>[1],
): Promise<DeskAnswer> {
  const now = await getKnownEvent(context, known.id)
  const { notes, faults } = await conflictNotes(context, { conflicts, taken, version })
  const merged = takenOver(typed, now.typed, taken)
  return eventFormView(
    await formOf(context, merged, { known: now, faults, notes, version, isConflict: true }),
  )
}

function versionOf(request: DeskRequest, known: KnownEvent | undefined): number {
  return versionSent(request) ?? known?.version ?? 0
}

async function trash(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const id = recordIdIn(request)
  if (id === undefined) throw new Problem('rest_no_route')
  const scope = fieldOf(request, 'recurrence_scope')
  await removeRecord(context, events, id, scope === '' ? {} : { recurrence_scope: scope })
  return { seeOther: deskPath(context.site, `/events/${id}?saved`) }
}

async function restore(request: DeskRequest): Promise<DeskAnswer> {
  const id = recordIdIn(request)
  if (id === undefined) throw new Problem('rest_no_route')
  await untrashRecord(request.context, events, id)
  return { seeOther: deskPath(request.context.site, `/events/${id}?saved`) }
}

export const eventFormPages: readonly DeskPage[] = [
  { at: '/events/new', get: showNew, post: save },
  { at: '/events/:id', get: showKnown, post: save },
  { at: '/events/:id/duplicate', get: showCopy },
  { at: '/events/:id/unpublish', post: unpublish },
  { at: '/events/:id/trash', post: trash },
  { at: '/events/:id/restore', post: restore },
]
