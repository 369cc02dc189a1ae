import { hash } from 'node:crypto'
import { over } from '../../base/fields/limits.ts'
import { isFault } from '../../base/recurrence/recurrence.ts'
import { escapeHtml, singleLine } from '../../base/text/html.ts'
import { wallNow } from '../../base/text/moments.ts'
import { wallToUtc } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { paramTexts } from '../../calendar/locales/problem-answers.ts'
import type { EventDraft } from '../desk/clashes.ts'
import type { FormFaults } from '../desk/desk-inputs.ts'
import { lastTyped, sayAtDesk, type TypedForm } from '../desk/desk-page.ts'
import { allFaults, readEventForm, startIn } from '../desk/event-form/event-form-values.ts'
import type { ReadTimes } from '../desk/event-form/event-times.ts'
import { nextDates } from '../desk/event-form/rule-builder.ts'
import { domainOf, parseMailAddress } from '../mail/mail-address.ts'
import { saySubmission } from './submission-texts.ts'

// Reads the form with the events' field definitions, as the desk does.

/** Controls named like the event fields that they set. */
export const ASKED_FIELDS = [
  'title',
  'description',
  'image_alt',
  'website',
  'cost',
  'captions',
  'audio_description',
  'relaxed',
  'easy_language',
  'free_companion',
  'sign_language',
  'access_note',
] as const

export const EVENT_CONTROLS = [
  ...ASKED_FIELDS,
  'start_date',
  'start_time',
  'end_date',
  'end_time',
  'all_day',
  'repeats',
  'repeat_until',
  'venue_name',
  'organizer_name',
] as const

export const SENDER_CONTROLS = ['sender_name', 'address', 'note'] as const

/** A control hidden from people and browsers: a bot fills it in. */
export const TRAP = 'second_subject'

/** In characters, except the last two. */
const MOST_NAME = 200
const MOST_NOTE = 2000
const MOST_TEXT = 20_000
const MOST_DATES = 52
const MOST_LINKS = 5

export interface ReadSuggestion {
  /** The form's controls. Dates and times look like `2027-04-01` and `19:30`. */
  typed: TypedForm
  /** Fields as in a REST request. */
  raw: Record<string, unknown>
  faults: FormFaults
  title: string
  draft: EventDraft | undefined
}

export function onlyControls(sent: TypedForm, names: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(
    names.flatMap((name) => (sent[name] === undefined ? [] : [[name, [lastTyped(sent, name)]]])),
  )
}

/** Reads the form. Venues and organizers are looked up by name, among those that the caller may see. */
export async function readSuggestion(context: Context, sent: TypedForm): Promise<ReadSuggestion> {
  const { site, now } = context
  const own = onlyControls(sent, EVENT_CONTROLS)
  const isSeveral = lastTyped(own, 'end_date') !== ''
  const repeats = lastTyped(own, 'repeats')
  const typed: TypedForm = {
    ...own,
    // An empty text would be taken for a name.
    ...(lastTyped(own, 'organizer_name').trim() === '' && { organizer_name: [] }),
    timezone: [site.timezone],
    several_days: [isSeveral ? '1' : '0'],
    repeats: [repeats === 'weekly' || repeats === 'monthly' ? repeats : ''],
    ...(repeats === 'monthly' && { repeat_place: [await placeInMonth(context, own)] }),
  }
  const read = await readEventForm(context, typed, undefined)
  const faults = {
    ...(await allFaults(context, read)),
    ...longTexts(context, own),
    ...repeatFaults(context, typed, read.times, read.raw.recurrence),
    ...websiteFaults(context, own),
  }
  const { times } = read
  if (times?.end !== undefined && !faults.end_time && repeats === '' && times.end < wallNow(times.zone, now))
    faults.start_date ??= sayAtDesk(site, 'That is in the past.')
  const raw = asPlainTexts(read.raw)
  const title = lastTyped(own, 'title').replace(/\s+/g, ' ').trim()
  return {
    typed: { ...own, ...(times && isoTimes(times, own)) },
    raw,
    faults,
    title,
    draft: draftOf(title, times, raw.venue),
  }
}

/** A monthly event repeats on the same weekday of the month, on the last one if it starts after the 28th. */
async function placeInMonth(context: Context, own: TypedForm): Promise<string> {
  const { times } = await readEventForm(context, { ...own, timezone: [context.site.timezone] }, undefined)
  return Number(times?.start?.slice(8, 10) ?? 0) > 28 ? 'last' : 'weekday'
}

function longTexts({ site }: Context, own: TypedForm): FormFaults {
  const isLong = lastTyped(own, 'description').length > MOST_TEXT
  if (!isLong) return {}
  const fault = { description: over('characters', MOST_TEXT) }
  return paramTexts(fault, site.language, () => sayAtDesk(site, 'Description'))
}

function websiteFaults({ site }: Context, own: TypedForm): FormFaults {
  const website = lastTyped(own, 'website').trim()
  if (website === '' || /^https?:\/\//i.test(website)) return {}
  return { website: sayAtDesk(site, 'Write it as https://example.org, for example.') }
}

/** Faults of a repetition: it needs an end, and at most `MOST_DATES` dates. */
function repeatFaults(
  { site }: Context,
  typed: TypedForm,
  times: ReadTimes | undefined,
  recurrence: unknown,
): FormFaults {
  if (lastTyped(typed, 'repeats') === '') return {}
  if (lastTyped(typed, 'repeat_until').trim() === '') return { repeat_until: sayAtDesk(site, 'Is needed.') }
  const start = times && startIn(times)
  if (!start || typeof recurrence !== 'object' || recurrence === null) return {}
  const dates = nextDates(recurrence, start, start.local, MOST_DATES + 1)
  if (isFault(dates) || dates.length <= MOST_DATES) return {}
  return { repeat_until: saySubmission(site, 'That is more than 52 dates: choose an earlier end.') }
}

function isoTimes({ start, end, isAllDay }: ReadTimes, own: TypedForm): TypedForm {
  if (start === undefined || end === undefined) return {}
  const isSeveral = lastTyped(own, 'end_date') !== '' && end.slice(0, 10) !== start.slice(0, 10)
  return {
    start_date: [start.slice(0, 10)],
    ...(!isAllDay && { start_time: [start.slice(11, 16)], end_time: [end.slice(11, 16)] }),
    end_date: [isSeveral ? end.slice(0, 10) : ''],
  }
}

function draftOf(title: string, times: ReadTimes | undefined, venues: unknown): EventDraft | undefined {
  const { start, end, startUtc, endUtc, zone } = times ?? {}
  if (start === undefined || end === undefined || zone === undefined) return undefined
  const ids = Array.isArray(venues) ? venues.filter((one) => typeof one === 'string').map(Number) : []
  return {
    title,
    utc_start_date: startUtc ?? wallToUtc(start, zone),
    utc_end_date: endUtc ?? wallToUtc(end, zone),
    venues: ids,
  }
}

// Texts are plain: HTML is shown as typed.

const ESCAPED = ['title', 'access_note', 'image_alt', 'sign_language'] as const

function asPlainTexts(raw: Record<string, unknown>): Record<string, unknown> {
  const plain = { ...raw }
  for (const name of ESCAPED) {
    const value = plain[name]
    if (typeof value === 'string') plain[name] = escapedLine(value)
  }
  if (typeof plain.description === 'string') plain.description = paragraphsOf(plain.description)
  if (typeof plain.cost === 'string') plain.cost = escapedLine(plain.cost)
  for (const kind of ['venue', 'organizer'] as const) {
    const links = plain[kind]
    if (Array.isArray(links))
      plain[kind] = links.map((link) => (typeof link === 'string' ? link : { [kind]: nameIn(link, kind) }))
  }
  return plain
}

const nameIn = (link: Record<string, unknown>, kind: string) => escapedLine(String(link[kind] ?? ''))

const escapedLine = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', ' ').trim()

/** Plain text as HTML paragraphs. URLs become links that search engines do not follow. */
export function paragraphsOf(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => `<p>${part.split('\n').map(withLinks).join('<br>')}</p>`)
    .join('\n')
}

const ADDRESS = /(https?:\/\/[^\s<>"']{1,500})/i

function withLinks(line: string): string {
  return line
    .split(ADDRESS)
    .map((piece, at) => {
      if (at % 2 === 0) return escapeHtml(piece)
      let last = piece.length
      while (last > 0 && '.,;:!?)]'.includes(piece[last - 1] ?? '')) last -= 1
      const [address, end] = [piece.slice(0, last), piece.slice(last)]
      const safe = escapeHtml(address)
      return URL.canParse(address)
        ? `<a href="${safe}" rel="nofollow ugc">${safe}</a>${escapeHtml(end)}`
        : escapeHtml(piece)
    })
    .join('')
}

/** A hash of title and description, ignoring letter case and white space differences. */
export function digestOf(typed: TypedForm): string {
  const text = `${lastTyped(typed, 'title')}\n${lastTyped(typed, 'description')}`
  return hash('sha256', text.toLowerCase().replace(/\s+/g, ' '), 'base64url')
}

export function hasManyLinks(sent: TypedForm): boolean {
  const text = [...EVENT_CONTROLS, ...SENDER_CONTROLS].map((name) => lastTyped(sent, name)).join(' ')
  return text.split(/https?:\/\/|www\./i).length - 1 > MOST_LINKS
}

export interface ReadSender {
  sender_name: string
  address: string
  domain: string
  note: string
  faults: FormFaults
}

export function readSender({ site }: Context, sent: TypedForm, isAddressNeeded: boolean): ReadSender {
  const sender_name = singleLine(lastTyped(sent, 'sender_name')).slice(0, MOST_NAME)
  const written = lastTyped(sent, 'address').trim()
  const address = written === '' ? '' : parseMailAddress(written)
  const note = lastTyped(sent, 'note').trim()
  const needed = sayAtDesk(site, 'Is needed.')
  return {
    sender_name,
    address: address ?? '',
    domain: address ? domainOf(address) : '',
    note: note.slice(0, MOST_NOTE),
    faults: {
      ...(sender_name === '' && { sender_name: needed }),
      ...(written === '' && isAddressNeeded && { address: needed }),
      ...(address === undefined && { address: saySubmission(site, 'This is no e-mail address.') }),
      ...(note.length > MOST_NOTE &&
        paramTexts({ note: over('characters', MOST_NOTE) }, site.language, () =>
          saySubmission(site, 'For the editors'),
        )),
    },
  }
}
