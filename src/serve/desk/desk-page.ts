import type { Config, Site } from '../../base/config.ts'
import { storableText } from '../../base/text/characters.ts'
import { plainText } from '../../base/text/html.ts'
import { formatUtc, utcToWall } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { RawValues } from '../../calendar/declare/parse.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import { translate } from '../../calendar/locales/translate.ts'
import type { DeskGate } from '../../calendar/people/desk-sign-in.ts'
import type { Session } from '../../calendar/people/sessions.ts'
import type { User } from '../../calendar/people/users.ts'
import type { OwnerTexts } from '../../store/storage/owner-settings.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { writtenDate, writtenShortTime } from '../pages/page-dates.ts'
import type { Content, Html } from '../pages/page-html.ts'
import { pathTo } from '../pages/viewing.ts'

// Pages of the desk: their requests, their views and their answers.

/** A file that came with a form. */
export interface SentFile {
  /** The field of the form that it came in. */
  field?: string
  fileName: string
  mimeType: string
  size: number
  read: () => Promise<Buffer>
}

/** Somebody who has signed in, their session, and its id as the cookie has it. */
export interface DeskUser {
  user: User
  session: Session
  cookie: string
}

/** A request to the desk, by somebody who has signed in or not; `context` is in their name. */
export interface AnyDeskRequest {
  method: 'GET' | 'POST'
  /** Below the desk, such as `/events/12`. */
  path: string
  query: URLSearchParams
  /** The fields of the form, read as REST reads forms: `a[]` is a list. */
  form: RawValues
  /** The fields that stand more than once without brackets. */
  repeated: ReadonlySet<string>
  files: readonly SentFile[]
  context: Context
  /** The day on which a week begins: 0 for Sunday to 6 for Saturday. */
  weekStart: number
  /** The network address, and the browser as it names itself. */
  address: string
  client: string
  /** The colour of the calendar, such as `#0b6e5f`. */
  accent: string
  /** Signs people in and ends their sessions; no caller is known then. */
  gate: DeskGate
  /** The whole page of an event as visitors get it, with a banner above; undefined for a service without pages. */
  showPage: ((context: Context, event: EventRow, banner: Html) => Promise<string>) | undefined
  /** The settings that the service was started with. */
  start: Config
  /** The front page in another look, and its style sheet; undefined for a service without pages. */
  showLook: LookPreview | undefined
  user: DeskUser | undefined
}

/** Shows pages in a look that nobody else sees. `set` has the settings of that look. */
export interface LookPreview {
  /** The front page with a banner above, and its style sheet at this path below the root of the site. */
  page: (set: OwnerTexts, stylePath: string, banner: Html) => Promise<string>
  style: (set: OwnerTexts) => Promise<string>
}

/** A request to a page of the desk by somebody who has signed in. */
export interface DeskRequest extends AnyDeskRequest {
  user: DeskUser
  /** The parts of the path that the page's pattern names. */
  variables: Readonly<Record<string, string>>
}

/** The rooms in the rail. */
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
  /** 200 unless something is wrong. */
  status?: number
  title: string
  /** The room that the rail marks. */
  room?: RoomName
  /** Beside the title: what one may do here. */
  deeds?: Content
  /** Below the title, in a line. */
  under?: Content
  body: Html
  /** Without the rail and the bar, as signing in is. */
  isAlone?: boolean
  /** A sentence on what has just been done, which is shown and read out. */
  notice?: Content
  /** Seconds after which the same may succeed. */
  retryAfter?: number
  /** Where its forms may lead beside this site: an origin, or a scheme with its colon. */
  leadsTo?: string | undefined
  /** Whether it shows pages of this site in a frame. */
  framesOwn?: true
}

/** A page, the address of the next one (303), data for a script, or a page without the desk around it. */
export type DeskAnswer = (
  | DeskView
  | { seeOther: string }
  | { data: object; status?: number }
  /** A whole page of its own, perhaps for a frame of the desk, or the style sheet of one. */
  | { document: string; isFramed?: true }
  | { style: string }
) & {
  /** The id of a session that begins, for the cookie; undefined for one that ends. */
  session?: string | undefined
}

/** One address of the desk. */
export interface DeskPage {
  /** Below the desk; a part with a colon, such as `:id`, is a variable. */
  at: string
  get?: (request: DeskRequest) => DeskAnswer | Promise<DeskAnswer>
  /** Everything that changes something. @throws Problem, which the desk explains on a page */
  post?: (request: DeskRequest) => DeskAnswer | Promise<DeskAnswer>
}

/** Where programs of the platform send people who are to give them an application password. */
export const CONSENT_PATH = '/wp-admin/authorize-application.php'

/** The page that answers there, below the desk. */
export const CONSENT_ROOM = '/authorize'

/** The path of a page of the desk, as links need it. */
export const deskPath = (site: Site, path: string) => pathTo(site, `/desk${path}`)

/** Marks that turn the direction of the text around them, up to the end of the line or to another mark. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g

/** A value that leaves the direction of the sentence around it as it is. */
function contained(value: string): string {
  return value.search(TURNING) === -1 ? value : `\u2068${value.replaceAll(TURNING, '')}\u2069`
}

/** Translates an English text into the language of the site. Marks of direction in a value end with it. */
export function sayAtDesk(
  { language }: Pick<Site, 'language'>,
  text: MessageText,
  values?: Readonly<Record<string, string>>,
): string {
  const entries = Object.entries(values ?? {}).map(([name, value]) => [name, contained(value)])
  return translate(language, text, values && Object.fromEntries(entries))
}

/** Puts an English text into the language of the site. */
export type Translator = (text: MessageText, values?: Readonly<Record<string, string>>) => string

export const deskTranslatorFor =
  (site: Pick<Site, 'language'>): Translator =>
  (text, values) =>
    sayAtDesk(site, text, values)

/** A title as plain text, or a word where there is none. */
export function titleAtDesk(site: Pick<Site, 'language'>, title: string): string {
  return plainText(title) || sayAtDesk(site, '(no title)')
}

/** A field of a form as one line of text; the last one of several. */
export function fieldOf({ form }: Pick<DeskRequest, 'form'>, name: string): string {
  const value = form[name]
  const one = Array.isArray(value) ? value.at(-1) : value
  return typeof one === 'string' ? one : ''
}

/** The number that a variable of the path names; undefined for anything but a whole number above zero. */
export function recordIdIn({ variables }: Pick<DeskRequest, 'variables'>, name = 'id'): number | undefined {
  const text = variables[name] ?? ''
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

/** A time in UTC as people of the site say it. `now` in milliseconds since the epoch */
export function whenAtDesk(site: Site, utc: string, now: number): string {
  const wall = utcToWall(utc, site.timezone)
  const today = utcToWall(formatUtc(now), site.timezone).slice(0, 10)
  return `${writtenDate(site, wall.slice(0, 10), today)}, ${writtenShortTime(site, wall)}`
}

/** The texts in the controls of a form, by their names; a control that stands several times has several texts. */
export type TypedForm = Readonly<Record<string, readonly string[]>>

/** Reads a posted form. Members that are records, such as REST takes for a new venue, are left out. */
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

/** The last text of a control: of a switch the one that stands behind its hidden twin. */
export function lastTyped(typed: TypedForm, name: string): string {
  return typed[name]?.at(-1) ?? ''
}

/** All texts of a control but the empty ones. */
export function allTyped(typed: TypedForm, name: string): string[] {
  return (typed[name] ?? []).filter((text) => text !== '')
}

export const isTyped = (typed: TypedForm, name: string): boolean => typed[name] !== undefined

/** Whether a switch is on. */
export function isSwitchOn(typed: TypedForm, name: string): boolean {
  return ['1', 'on', 'true', 'yes'].includes(lastTyped(typed, name))
}
