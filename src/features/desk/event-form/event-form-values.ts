import { asSentBack } from '../../../base/fields/kinds.ts'
import { limits, overText } from '../../../base/fields/limits.ts'
import { Problem } from '../../../base/problems.ts'
import { isFault, type Start } from '../../../base/recurrence/recurrence.ts'
import { readRecurrence } from '../../../base/recurrence/recurrence-text.ts'
import { plainText, singleLine } from '../../../base/text/html.ts'
import { readMoment } from '../../../base/text/moments.ts'
import { utcOffset } from '../../../base/text/zones.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import { parseFields, type RawValues } from '../../../calendar/declare/parse.ts'
import type { Fields } from '../../../calendar/declare/resource.ts'
import { event } from '../../../calendar/events/event.ts'
import type { RecordState } from '../../../calendar/history/record-states.ts'
import { findLinkedByIds } from '../../../calendar/linked/linked-store.ts'
import { organizerRules } from '../../../calendar/linked/organizer.ts'
import { venueRules } from '../../../calendar/linked/venue.ts'
import { paramTexts } from '../../../calendar/locales/problem-answers.ts'
import { type Caller, mayRead, type Owned } from '../../../calendar/people/caller.ts'
import { isPossibleId } from '../../../calendar/records/record-store.ts'
import { findTermsByIds } from '../../../calendar/terms/term-store.ts'
import type { EventRow, OrganizerRow, VenueRow } from '../../../store/storage/schema.ts'
import { askedFields, type FormFaults, faultsOf, inputOf } from '../desk-inputs.ts'
import {
  allTyped,
  isSwitchOn,
  isTyped,
  lastTyped,
  sayAtDesk,
  shownAtFirst,
  type TypedForm,
} from '../desk-page.ts'
import { findNamed } from '../picked-names.ts'
import { publicationControls, readPublication } from './event-form-aside.ts'
import { controlLabel } from './event-form-controls.ts'
import { REPEAT_CONTROLS, readRepeats, typedRepeats } from './event-repeats.ts'
import { type ReadTimes, readTimes, TIME_CONTROLS, typedTimes, withMovedEnd } from './event-times.ts'

/** Fields that are not simply read from the control of the same name. */
const BY_HAND = new Set([
  ...TIME_CONTROLS,
  'cost',
  'image',
  'categories',
  'tags',
  'venue',
  'organizer',
  'recurrence',
  'recurrence_scope',
])

export const plainFields = askedFields(event.fields).filter(([name]) => !BY_HAND.has(name))

/**
 * Returns a stored event as values of controls.
 * @param state from `readStates`
 * @param row tells which moment an ambiguous local time means
 */
export function typedEvent(site: Context['site'], state: RecordState, row: EventRow): TypedForm {
  const text = (name: string) => {
    const value = state[name]
    const input = inputOf(event.fields[name as keyof typeof event.fields])
    if (input === 'fact') return value === true ? 'yes' : value === false ? 'no' : ''
    return value === true ? '1' : value === false ? '0' : asSentBack(input, String(value ?? ''))
  }
  const list = (name: string) => (Array.isArray(state[name]) ? state[name].map(String) : [])
  const plain = plainFields.map(([name]): [string, string[]] => [name, [text(name)]])
  return {
    ...Object.fromEntries(plain),
    ...typedTimes(site, {
      start_date: text('start_date'),
      end_date: text('end_date'),
      timezone: text('timezone'),
      all_day: state.all_day === true,
      utc: row,
    }),
    ...publicationControls(site, row),
    author: [String(row.author)],
    cost: list('cost').length > 0 ? list('cost') : [''],
    image: [text('image')],
    categories: list('categories'),
    tags: list('tags'),
    venue: list('venue'),
    organizer: list('organizer'),
  }
}

/**
 * Returns a proposal as values of controls.
 * @param proposed values as in a REST request
 */
export function typedProposal(
  context: Context,
  row: EventRow,
  state: RecordState,
  proposed: RawValues,
): TypedForm {
  if (Object.keys(proposed).length === 0) return {}
  const { venue, organizer, categories, tags, recurrence, recurrence_scope: scope, ...own } = proposed
  const zone = String(own.timezone ?? state.timezone)
  const settled = Object.entries(own).map(([name, value]) => [name, settledValue(context, zone, name, value)])
  const whole: RecordState = { ...state, ...Object.fromEntries(settled) }
  const [first] = Array.isArray(state.venue) ? state.venue : []
  const at = linksTo(venue)
  return {
    ...typedEvent(context.site, whole, row),
    ...(at && { venue: [...(at.names.length > 0 ? [String(first ?? '')] : []), ...at.ids] }),
    ...(at?.names[0] !== undefined && { venue_name: [at.names[0]] }),
    ...typedLinks('organizer', 'organizer_name', organizer),
    ...typedLinks('categories', 'new_categories', categories),
    ...typedLinks('tags', 'new_tags', tags),
    ...(recurrence !== undefined && typedRule(context, whole, recurrence)),
    ...(typeof scope === 'string' && { recurrence_scope: [scope] }),
  }
}

const MOMENTS = new Set(['start_date', 'end_date'])

function settledValue({ now }: Context, zone: string, name: string, value: unknown): unknown {
  if (name === 'cost') return [value].flat()
  if (MOMENTS.has(name)) return readMoment(String(value), zone, now)?.wall ?? ''
  const kind = (event.fields as Fields)[name]?.kind
  const read: unknown = kind?.read(value)
  const kept: unknown = kind?.toColumn ? kind.toColumn(read) : read
  return kind?.show ? kind.show(kept) : kept
}

function linksTo(links: unknown): { ids: string[]; names: string[] } | undefined {
  if (links === undefined) return undefined
  const texts = [links]
    .flat()
    .map((link) => String((link instanceof Object ? Object.values(link)[0] : link) ?? ''))
  const [names, ids] = [
    texts.filter((text) => !/^\d*$/.test(text)),
    texts.filter((text) => /^\d+$/.test(text)),
  ]
  return { ids, names }
}

function typedLinks(control: string, made: string, links: unknown): TypedForm {
  const to = linksTo(links)
  return to ? { [control]: to.ids, ...(to.names.length > 0 && { [made]: [...to.names, ''] }) } : {}
}

function typedRule(context: Context, state: RecordState, recurrence: unknown): TypedForm {
  const start = {
    local: String(state.start_date),
    zone: String(state.timezone),
    allDay: state.all_day === true,
  }
  const rule = recurrence === '' ? undefined : readRecurrence(recurrence, start)
  return rule && !isFault(rule) ? typedRepeats(context, rule, start) : { repeats: [''] }
}

export interface ReadForm {
  raw: Record<string, unknown>
  times: ReadTimes | undefined
  faults: FormFaults
}

/**
 * Reads the form: returns the values to save and the faults.
 * @param shown the stored event's controls; its times replace those not sent
 */
export async function readEventForm(
  context: Context,
  typed: TypedForm,
  shown: TypedForm | undefined,
): Promise<ReadForm> {
  const raw: Record<string, unknown> = {}
  for (const [name, field] of plainFields) {
    if (!isTyped(typed, name)) continue
    raw[name] = inputOf(field) === 'switch' ? (isSwitchOn(typed, name) ? '1' : '0') : lastTyped(typed, name)
  }
  const publication = readPublication(context, typed, shown)
  if (publication.date !== undefined) raw.date = publication.date
  if (isTyped(typed, 'author')) raw.author = lastTyped(typed, 'author')
  if (isTyped(typed, 'cost')) raw.cost = costsIn(typed)
  if (isTyped(typed, 'image')) raw.image = numberOr(lastTyped(typed, 'image'))
  for (const name of ['categories', 'tags'] as const) {
    const names = newNames(typed, name)
    if (isTyped(typed, name) || names.length > 0)
      raw[name] = [...allTyped(typed, name), ...names.map((text) => ({ name: text }))]
  }
  const [venue, organizer, gone] = await Promise.all([
    venuesIn(context, typed),
    organizersIn(context, typed),
    goneFaults(context, typed),
  ])
  if (venue) raw.venue = venue
  if (organizer) raw.organizer = organizer
  // A recurrence rule is read relative to the start, so a changed rule needs the times, too.
  const isTimed =
    shown === undefined || [...TIME_CONTROLS, ...REPEAT_CONTROLS].some((name) => isTyped(typed, name))
  const before = isTimed && shown ? readTimes(context, timesOf(shown)) : undefined
  const times = isTimed ? timesIn(context, typed, shown, before) : undefined
  const repeats = readRepeats(context, typed, times && startIn(times))
  if (times) Object.assign(raw, rawTimes(times, typed, before))
  if (isTyped(typed, 'recurrence')) raw.recurrence = lastTyped(typed, 'recurrence')
  else if (repeats.recurrence !== undefined && (repeats.recurrence !== '' || shown))
    raw.recurrence = repeats.recurrence
  const named = {
    ...neededFaults(context, typed, shown),
    ...nameFaults(context, typed),
    ...longFaults(context, typed),
  }
  const faults = { ...named, ...gone, ...times?.faults }
  return { raw, times, faults: { ...faults, ...repeats.faults, ...publication.faults } }
}

function costsIn(typed: TypedForm): string | string[] {
  const another = lastTyped(typed, 'another_cost').trim()
  const costs = [...(typed.cost?.length === 1 ? [lastTyped(typed, 'cost')] : allTyped(typed, 'cost'))]
  if (another !== '') costs.push(another)
  return costs.length === 1 ? (costs[0] ?? '') : costs.filter((cost) => cost !== '')
}

function neededFaults({ site }: Context, typed: TypedForm, shown: TypedForm | undefined): FormFaults {
  const isNeeded = !shown || isTyped(typed, 'title')
  return isNeeded && lastTyped(typed, 'title').trim() === '' ? { title: sayAtDesk(site, 'Is needed.') } : {}
}

function newNames(typed: TypedForm, kind: 'categories' | 'tags'): string[] {
  const made = allTyped(typed, `new_${kind}`).flatMap((text) => (kind === 'tags' ? text.split(',') : [text]))
  return made.map((text) => text.trim()).filter((text) => text !== '')
}

/** Reports new terms whose names are empty once markup is removed. */
function nameFaults({ site }: Context, typed: TypedForm): FormFaults {
  const empty = (['categories', 'tags'] as const).filter((kind) =>
    newNames(typed, kind).some((name) => singleLine(name) === ''),
  )
  return Object.fromEntries(empty.map((kind) => [`new_${kind}`, sayAtDesk(site, 'The value is invalid.')]))
}

/** Reports chosen terms that were deleted meanwhile; a save would silently leave them out. */
async function goneFaults({ db, site }: Context, typed: TypedForm): Promise<FormFaults> {
  const chosen = (kind: string) => [...new Set(allTyped(typed, kind))].slice(0, MOST_NAMED).map(Number)
  const [categories, tags] = [chosen('categories'), chosen('tags')]
  const there = new Set((await findTermsByIds(db, [...categories, ...tags])).map(({ id }) => id))
  const text = sayAtDesk(site, 'Some of what was chosen here has been deleted; save again without it.')
  const isGone = (ids: readonly number[]) => ids.some((id) => isPossibleId(id) && !there.has(id))
  return { ...(isGone(categories) && { categories: text }), ...(isGone(tags) && { new_tags: text }) }
}

function longFaults({ site }: Context, typed: TypedForm): FormFaults {
  const long = UNBOUNDED.flatMap((name) => {
    const fault = overText(lastTyped(typed, name), limits.line, site)
    return fault ? [[name, fault] as const] : []
  })
  return paramTexts(Object.fromEntries(long), site.language, (name) => controlLabel(site, name))
}

const UNBOUNDED = ['image_alt', 'another_cost', 'more_dates', 'new_tags', 'new_categories', 'organizer_name']

function timesOf(typed: TypedForm | undefined): TypedForm {
  const sent = TIME_CONTROLS.flatMap((name) => (typed?.[name] ? [[name, typed[name]]] : []))
  return Object.fromEntries(sent)
}

/** Reads the times. If neither end date nor end time was sent, the stored end moves with the start. */
function timesIn(
  context: Context,
  typed: TypedForm,
  shown: TypedForm | undefined,
  before: ReadTimes | undefined,
): ReadTimes {
  const controls = { ...timesOf(shown), ...timesOf(typed) }
  const saysEnd = isTyped(typed, 'end_date') || isTyped(typed, 'end_time')
  const { start, end } = saysEnd ? {} : (before ?? {})
  const isKnown = start !== undefined && end !== undefined
  return readTimes(context, isKnown ? withMovedEnd(context, controls, { start, end }) : controls)
}

export function startIn({ start, zone, isAllDay }: ReadTimes): Start | undefined {
  return start === undefined ? undefined : { local: start, zone, allDay: isAllDay }
}

/** Returns the values of the time fields. If the times changed, an ambiguous one gets its UTC offset. */
function rawTimes(
  { start, end, startUtc, endUtc, isAllDay, zone }: ReadTimes,
  typed: TypedForm,
  before: ReadTimes | undefined,
): Record<string, unknown> {
  const isOther = [before?.start, before?.end, before?.startUtc, before?.endUtc, before?.zone].some(
    (one, at) => one !== [start, end, startUtc, endUtc, zone][at],
  )
  const sent = (wall: string, utc: string | undefined) =>
    isOther && utc !== undefined ? `${wall}${utcOffset(utc, zone)}` : wall
  return {
    ...(start !== undefined && { start_date: sent(start, startUtc) }),
    ...(end !== undefined && { end_date: sent(end, endUtc) }),
    all_day: isAllDay ? '1' : '0',
    ...(isTyped(typed, 'timezone') && { timezone: lastTyped(typed, 'timezone').trim() }),
  }
}

const numberOr = (text: string): string | number => (/^\d{1,15}$/.test(text) ? Number(text) : text)

type Link = string | Record<string, string>

/** Links to the chosen ids and names. Above `MOST_NAMED`, no names are looked up: the save is refused. */
async function linksIn(context: Context, kind: 'venue' | 'organizer', typed: TypedForm): Promise<Link[]> {
  const texts = allTyped(typed, kind)
  if (texts.length > MOST_NAMED) return texts
  return Promise.all(texts.map((text) => (/^\d+$/.test(text) ? text : linkTo(context, kind, text.trim()))))
}

/**
 * Returns links to venues: `venue` has their ids, `venue_name` the name of the first. A changed name means
 * the venue of that name, or a new one; an empty name removes the first venue, unless the caller may not see
 * it.
 */
async function venuesIn(context: Context, typed: TypedForm): Promise<Link[] | undefined> {
  if (!isTyped(typed, 'venue_name'))
    return isTyped(typed, 'venue') ? linksIn(context, 'venue', typed) : undefined
  const ids = allTyped(typed, 'venue')
  const name = lastTyped(typed, 'venue_name').trim()
  const [first, ...others] = ids
  if (first !== undefined && shownAtFirst(typed, 'venue', '') === shownVenue(first, name)) return ids
  const { venues } = await linkedNames(context, { venue: ids.slice(0, 1) })
  const shown = venues.get(Number(first))
  if (name === '') return shown || first === undefined ? others : ids
  return shown && isSameName(plainText(shown.venue), name)
    ? ids
    : [await linkTo(context, 'venue', name), ...others]
}

/** Identifies the first venue as the form showed it: a save compares the name, which may change meanwhile. */
export const shownVenue = (id: number | string, name: string) => `${id} ${name.trim()}`

export async function typedVenues(context: Context, typed: TypedForm): Promise<number[]> {
  const links = (await venuesIn(context, typed)) ?? []
  return links.flatMap((link) => (typeof link === 'string' && /^\d{1,15}$/.test(link) ? [Number(link)] : []))
}

async function organizersIn(context: Context, typed: TypedForm): Promise<Link[] | undefined> {
  if (!isTyped(typed, 'organizer') && !isTyped(typed, 'organizer_name')) return undefined
  const named = allTyped(typed, 'organizer_name').filter((name) => name.trim() !== '')
  const links = await Promise.all(
    named.slice(0, MOST_NAMED).map((name) => linkTo(context, 'organizer', name.trim())),
  )
  return [...(await linksIn(context, 'organizer', typed)), ...links]
}

async function linkTo(context: Context, kind: 'venue' | 'organizer', name: string): Promise<Link> {
  const found = await findNamed(kind, name, context)
  return found && isSameName(plainText(found.name), name) ? String(found.id) : { [kind]: name }
}

const isSameName = (one: string, other: string) =>
  one.trim().localeCompare(other.trim(), undefined, { sensitivity: 'base' }) === 0

/** Finds the form's venues and organizers that the caller may see, at most `MOST_NAMED` of each kind. */
export async function linkedNames(
  { db, caller }: Pick<Context, 'db' | 'caller'>,
  typed: TypedForm,
): Promise<{ venues: Map<number, VenueRow>; organizers: Map<number, OrganizerRow> }> {
  const ids = (name: string) =>
    allTyped(typed, name)
      .map(numberOr)
      .filter((id) => typeof id === 'number' && isPossibleId(id))
      .map(Number)
      .slice(0, MOST_NAMED)
  const [venues, organizers] = await Promise.all([
    findLinkedByIds<VenueRow>(db, venueRules, ids('venue')),
    findLinkedByIds<OrganizerRow>(db, organizerRules, ids('organizer')),
  ])
  return { venues: readableBy(caller, venues), organizers: readableBy(caller, organizers) }
}

function readableBy<Row extends Owned>(caller: Caller, rows: ReadonlyMap<number, Row>): Map<number, Row> {
  return new Map([...rows].filter(([, row]) => mayRead(caller, row)))
}

const MOST_NAMED = 100

export async function allFaults(context: Context, { raw, faults }: ReadForm): Promise<FormFaults> {
  const sound = Object.fromEntries(
    Object.entries(raw).filter(([name, value]) => !(name in faults) && value !== ''),
  )
  try {
    await parseFields(event.fields, sound, context, { extent: 'partial', mayAsk: true })
    return faults
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // `faults` comes first for the order of its keys, and last since it says more than the save's faults.
    return { ...faults, ...faultsAtControls(context, error), ...faults }
  }
}

/** Returns the faults by control, or undefined if the problem is not about fields. */
export function faultsAtControls({ site }: Pick<Context, 'site'>, problem: Problem): FormFaults | undefined {
  const faults = faultsOf(site, problem, event.fields)
  if (!faults) return undefined
  const { recurrence, recurrence_scope, venue, organizer, ...others } = faults
  return {
    ...others,
    ...(recurrence !== undefined && { repeats: recurrence }),
    ...(recurrence_scope !== undefined && {
      recurrence_scope: sayAtDesk(site, 'A rule is about several dates: choose for which ones it changes.'),
    }),
    ...(venue !== undefined && { venue_name: venue }),
    ...(organizer !== undefined && { organizer_name: organizer }),
  }
}
