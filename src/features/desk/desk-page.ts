import type { Config, Site } from '../../base/config.ts'
import { storableText } from '../../base/text/characters.ts'
import { plainText } from '../../base/text/html.ts'
import { formatUtc, utcToWall } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { RawValues } from '../../calendar/declare/parse.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import { translate } from '../../calendar/locales/translate.ts'
import type { Session } from '../../calendar/people/sessions.ts'
import type { User } from '../../calendar/people/users.ts'
import { MAX_ID } from '../../calendar/records/record-store.ts'
import { writtenDate, writtenNumber, writtenShortTime } from '../../http/page-dates.ts'
import type { Content, Html } from '../../http/page-html.ts'
import type { OwnerTexts } from '../../store/storage/owner-settings.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { pathTo } from '../pages/viewing.ts'
import type { DeskGate } from './sign-in/desk-sign-in.ts'

// Declares the requests, views and answers of pages of the desk, and has helpers for their addresses, texts
// and forms.

/** A file that came with a form. */
export interface SentFile {
  /** The field of the form that it came in. */
  field?: string
  fileName: string
  mimeType: string
  size: number
  read: () => Promise<Buffer>
}

/** Somebody who has signed in, with their session and the id of the session in the cookie. */
export interface DeskUser {
  user: User
  session: Session
  cookie: string
}

/**
 * A request to the desk, by somebody who has signed in or not. Its `context` is in the name of that person.
 */
export interface AnyDeskRequest {
  method: 'GET' | 'POST'
  /** The path below the desk, such as `/events/12`. */
  path: string
  query: URLSearchParams
  /** The fields of the form, read as REST reads forms: `a[]` is a list. */
  form: RawValues
  /** The names of fields that were sent more than once without brackets. */
  repeated: ReadonlySet<string>
  files: readonly SentFile[]
  context: Context
  /** The day on which a week begins: 0 for Sunday to 6 for Saturday. */
  weekStart: number
  /** The network address of the client, and the name that its browser gives itself. */
  address: string
  client: string
  /** The colour of the calendar, such as `#0b6e5f`. */
  accent: string
  /** Signs people in, before any caller is known, and ends their sessions. */
  gate: DeskGate
  /**
   * Returns the whole page of an event as visitors get it, with a banner above; undefined for a service
   * without pages.
   */
  showPage: ((context: Context, event: EventRow, banner: Html) => Promise<string>) | undefined
  /** The settings that the service was started with. */
  start: Config
  /** Previews of the pages in another look; undefined for a service without pages. */
  showLook: LookPreview | undefined
  user: DeskUser | undefined
}

/** Shows pages in a look that nobody else sees. `set` has the settings of that look. */
export interface LookPreview {
  /**
   * Returns the front page with a banner above. Its style sheet is at `stylePath`, below the root of the
   * site.
   */
  page: (set: OwnerTexts, stylePath: string, banner: Html) => Promise<string>
  style: (set: OwnerTexts) => Promise<string>
}

/** A request to a page of the desk by somebody who has signed in. */
export interface DeskRequest extends AnyDeskRequest {
  user: DeskUser
  /** The parts of the path that the pattern of the page names. */
  variables: Readonly<Record<string, string>>
}

/** The rooms of the desk: those in the rail, and the account. */
export type RoomName =
  | 'today'
  | 'events'
  | 'month'
  | 'inbox'
  | 'venues'
  | 'organizers'
  | 'categories'
  | 'tags'
  | 'people'
  | 'look'
  | 'account'

/** A page of the desk before it is put into the frame. */
export interface DeskView {
  /** The HTTP status; 200 unless it is given. */
  status?: number
  title: string
  /** The room that the rail marks. */
  room?: RoomName
  /** The links and buttons beside the title. */
  deeds?: Content
  /** A line below the title. */
  under?: Content
  body: Html
  /** True for a page without the rail and the bar, such as the page for signing in. */
  isAlone?: boolean
  /** A sentence on the last deed, which is shown and read out. */
  notice?: Content
  /** Seconds after which the same request may succeed. */
  retryAfter?: number
  /**
   * The places beside this site that forms may lead to, parted by blanks: origins, or schemes with their
   * colons.
   */
  leadsTo?: string | undefined
  /** True for a page that shows pages of this site in a frame. */
  framesOwn?: true
}

/**
 * An answer of the desk: a page, the address of the next page (303), data for a script, a document without
 * the desk around it, or a style sheet.
 */
export type DeskAnswer = (
  | DeskView
  | { seeOther: string }
  | { data: object; status?: number }
  /**
   * A whole document without the desk around it. `isFramed` is true for one that a page of the desk shows in
   * a frame.
   */
  | { document: string; isFramed?: true }
  | { style: string }
) & {
  /**
   * The id of a session that begins, for the cookie. It is present and undefined where the session has ended.
   */
  session?: string | undefined
}

/** One address of the desk, with its answers to GET and POST. */
export interface DeskPage {
  /** The pattern of the path below the desk. A part with a colon, such as `:id`, is a variable. */
  at: string
  get?: (request: DeskRequest) => DeskAnswer | Promise<DeskAnswer>
  /**
   * Answers a posted form. Only posted forms change anything.
   * @throws Problem, which the desk explains on a page
   */
  post?: (request: DeskRequest) => DeskAnswer | Promise<DeskAnswer>
}

/** The path to which programs of the platform send people, who are to give them an application password. */
export const CONSENT_PATH = '/wp-admin/authorize-application.php'

/** The path, below the desk, of the page that answers at `CONSENT_PATH`. */
export const CONSENT_ROOM = '/authorize'

/** Returns the path of a page of the desk, as links need it. */
export const deskPath = (site: Site, path: string) => pathTo(site, `/desk${path}`)

/**
 * Characters that turn the direction of the text behind them, up to the end of the line or to another of
 * these characters.
 */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * Returns a value that leaves the direction of the sentence around it as it is: without marks of direction,
 * and isolated from the sentence.
 */
function contained(value: string): string {
  return value.search(TURNING) === -1 ? value : `\u2068${value.replaceAll(TURNING, '')}\u2069`
}

/**
 * Translates an English text into the language of the site. No value turns the direction of the text around
 * it.
 */
export function sayAtDesk(
  { language }: Pick<Site, 'language'>,
  text: MessageText,
  values?: Readonly<Record<string, string>>,
): string {
  const entries = Object.entries(values ?? {}).map(([name, value]) => [name, contained(value)])
  return translate(language, text, values && Object.fromEntries(entries))
}

/** Says a number of things: by `one` where it is 1, else by `many`, which has the number as `{count}`. */
export function countAtDesk(site: Site, count: number, one: MessageText, many: MessageText): string {
  return count === 1 ? sayAtDesk(site, one) : sayAtDesk(site, many, { count: writtenNumber(site, count) })
}

/** Translates an English text into the language of one site. */
export type Translator = (text: MessageText, values?: Readonly<Record<string, string>>) => string

export const deskTranslatorFor =
  (site: Pick<Site, 'language'>): Translator =>
  (text, values) =>
    sayAtDesk(site, text, values)

/** Returns a title as plain text, or words that say that there is none. */
export function titleAtDesk(site: Pick<Site, 'language'>, title: string): string {
  return plainText(title) || sayAtDesk(site, '(no title)')
}

/** Returns the text of a field of a form: the last text of several, and an empty one where there is none. */
export function fieldOf({ form }: Pick<DeskRequest, 'form'>, name: string): string {
  const value = form[name]
  const one = Array.isArray(value) ? value.at(-1) : value
  return typeof one === 'string' ? one : ''
}

/** Returns the number in a variable of the path; undefined for anything but a whole number above zero. */
export function recordIdIn({ variables }: Pick<DeskRequest, 'variables'>, name = 'id'): number | undefined {
  const text = variables[name] ?? ''
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

/** Returns the version of the record that a form was filled from; undefined for a form that names none. */
export function versionSent(request: Pick<DeskRequest, 'form'>): number | undefined {
  const text = fieldOf(request, 'version')
  return /^\d{1,15}$/.test(text) && Number(text) <= MAX_ID ? Number(text) : undefined
}

/**
 * Returns a time in UTC as people of the site write its date and time.
 * @param now milliseconds since the epoch
 */
export function whenAtDesk(site: Site, utc: string, now: number): string {
  const wall = utcToWall(utc, site.timezone)
  const today = utcToWall(formatUtc(now), site.timezone).slice(0, 10)
  return `${writtenDate(site, wall.slice(0, 10), today)}, ${writtenShortTime(site, wall)}`
}

/**
 * The texts in the controls of a form, by the name of the control. A control that was sent several times has
 * several texts.
 */
export type TypedForm = Readonly<Record<string, readonly string[]>>

/**
 * Reads the texts of a posted form. Members that are records, such as REST takes for a new venue, are left
 * out.
 */
export function typedOf({ form }: Pick<DeskRequest, 'form'>): TypedForm {
  const controls = Object.entries(form).flatMap(([name, value]): [string, string[]][] => {
    const texts = textsIn(value)
    return texts ? [[name, texts]] : []
  })
  return Object.fromEntries(controls)
}

function textsIn(value: unknown): string[] | undefined {
  if (typeof value === 'string') return [storableText(value)]
  if (value === null || typeof value !== 'object') return undefined
  const entries = Object.values(value)
  return entries.every((entry) => typeof entry === 'string') && (Array.isArray(value) || isNumbered(value))
    ? entries.map(storableText)
    : undefined
}

const isNumbered = (value: object) => Object.keys(value).every((key) => /^\d+$/.test(key))

/**
 * Returns the last text of a control; empty where there is none. A switch follows a hidden control of the
 * same name, so its own text is the last one.
 */
export function lastTyped(typed: TypedForm, name: string): string {
  return typed[name]?.at(-1) ?? ''
}

/** Returns all texts of a control except empty ones. */
export function allTyped(typed: TypedForm, name: string): string[] {
  return (typed[name] ?? []).filter((text) => text !== '')
}

/**
 * Returns what a form showed in a control when it was opened, as its hidden control says; `present` where it
 * has none.
 */
export function shownAtFirst(typed: TypedForm, name: string, present: string): string {
  return typed[`shown_${name}`]?.at(-1) ?? present
}

export const isTyped = (typed: TypedForm, name: string): boolean => typed[name] !== undefined

/** Decides whether a switch is on. */
export function isSwitchOn(typed: TypedForm, name: string): boolean {
  return ['1', 'on', 'true', 'yes'].includes(lastTyped(typed, name))
}
