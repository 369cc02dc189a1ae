import { type Config, LANGUAGES, type Language, type Site } from '../../base/config.ts'
import type { Trouble } from '../../base/finding.ts'
import type { SettingGroup } from '../../base/setting-kinds.ts'
import { storableText } from '../../base/text/characters.ts'
import { plainText } from '../../base/text/html.ts'
import { formatUtc, utcToWall } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { RawValues } from '../../calendar/declare/parse.ts'
import type { CountedIn } from '../../calendar/locales/texts.ts'
import { sayCountIn, sayIn } from '../../calendar/locales/translate.ts'
import type { Caller } from '../../calendar/people/caller.ts'
import type { Session } from '../../calendar/people/sessions.ts'
import type { User } from '../../calendar/people/users.ts'
import { MAX_ID } from '../../calendar/records/record-store.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { OwnerTexts } from '../pages/owner-settings.ts'
import { writtenDate, writtenNumber, writtenShortTime } from '../pages/page-dates.ts'
import type { Content, Html } from '../pages/page-html.ts'
import { pathTo } from '../pages/viewing.ts'
import { type DeskText, deskTexts } from './desk-texts.ts'
import type { DeskGate } from './sign-in/desk-sign-in.ts'

export interface SentFile {
  field?: string
  fileName: string
  mimeType: string
  size: number
  read: () => Promise<Buffer>
}

export interface DeskUser {
  user: User
  session: Session
  cookie: string
}

/** A request to the desk; `context.caller` is the user, or anonymous if nobody is signed in. */
export interface AnyDeskRequest {
  method: 'GET' | 'POST'
  path: string
  query: URLSearchParams
  /** Parsed as in REST: `a[]` becomes a list. */
  form: RawValues
  repeated: ReadonlySet<string>
  files: readonly SentFile[]
  context: Context
  /** 0 for Sunday to 6 for Saturday. */
  weekStart: number
  /** The client's network address; `client` is its `User-Agent`. */
  address: string
  client: string
  /** The header `Accept-Language`. */
  languages: string
  accent: string
  gate: DeskGate
  listTroubles: (db: Db, now: number) => Promise<Trouble[]>
  /** Sends a link to a user; false if no message goes out. */
  tell: (tx: Tx, told: ToldToUser, context: Pick<Context, 'site' | 'now'>) => Promise<boolean>
  inboxes: readonly FeatureInbox[]
  showPage: ((context: Context, event: EventRow, banner: Html) => Promise<string>) | undefined
  start: Config
  settingGroups: readonly SettingGroup[]
  featurePages: ReadonlySet<string>
  showLook: LookPreview | undefined
  user: DeskUser | undefined
  otherSignIns: readonly OtherSignIn[]
  /** Cookie of an unfinished sign-in with another provider; empty if there is none. */
  underWay: string
}

export interface OtherSignIn {
  /** If true, password fields are shown only at `/sign-in?local`. */
  hidesPasswords: boolean
  pages: readonly OpenPage[]
  /**
   * @param next the path to continue at
   * @param isSignedOut true right after the user signed out
   */
  button: (site: Site, next: string, isSignedOut: boolean) => Html
  linkButton: (site: Site, token: string) => Html
  /** For a form whose input is kept: a link to sign in in a new tab, and the submit button `name`. */
  tabButtons: (site: Site, name: string) => Html
  card: (request: Pick<AnyDeskRequest, 'context' | 'user'>, user: User) => Promise<Content>
  listUsers: (db: Db) => Promise<ReadonlySet<number>>
  name: string
}

/** A page that needs no session. It is answered outside the queues, so it must limit its own work. */
export interface OpenPage {
  /** The path below `/desk`. */
  at: string
  get: (request: AnyDeskRequest) => Promise<DeskAnswer>
}

/** A link sent to a user: an invitation, or a way to choose a new password. */
export interface ToldToUser {
  kind: 'invitation' | 'reset'
  user: User
  link: string
  /** The name of the user who caused the message; empty if nobody was signed in. */
  by: string
}

export interface LookPreview {
  page: (set: OwnerTexts, stylePath: string, banner: Html) => Promise<string>
  style: (set: OwnerTexts) => Promise<string>
}

export interface DeskRequest extends AnyDeskRequest {
  user: DeskUser
  variables: Readonly<Record<string, string>>
}

export type RoomName =
  | 'today'
  | 'events'
  | 'month'
  | 'inbox'
  | 'venues'
  | 'organizers'
  | 'categories'
  | 'tags'
  | 'pictures'
  | 'duplicates'
  | 'people'
  | 'look'
  | 'settings'
  | 'account'
  | BroughtRoomName

/** The path below `/desk` of another feature's page, such as `/import`. */
type BroughtRoomName = `/${string}`

export interface DeskView {
  /** The HTTP status, 200 by default. */
  status?: number
  title: string
  /** The navigation entry that is marked as current. */
  room?: RoomName
  actions?: Content
  under?: Content
  body: Html
  /** True for a page without navigation and header, such as the sign-in page. */
  isAlone?: boolean
  language?: Language
  notice?: Content
  /** The header `Retry-After`, in seconds. */
  retryAfter?: number
  /**
   * Further sources for `form-action` in the Content-Security-Policy, separated by spaces: origins or schemes
   * to which forms may redirect.
   */
  leadsTo?: string | undefined
  framesOwn?: true
  /** Name of an asset file, such as `import-room.js`. */
  script?: string
}

export type DeskAnswer = (
  | DeskView
  | { seeOther: string }
  | { data: object; status?: number }
  /** A complete HTML document; `isFramed` allows pages of the desk to frame it. */
  | { document: string; isFramed?: true }
  | { style: string }
) & {
  /** Session id for the cookie; the key is present with the value undefined if the session has ended. */
  session?: string | undefined
  /** New value of the cookie `AnyDeskRequest.underWay`, valid for ten minutes. */
  underWay?: string
}

export interface DeskPage {
  /** The path below `/desk`; `:id` is a variable. */
  at: string
  get?: (request: DeskRequest) => DeskAnswer | Promise<DeskAnswer>
  /**
   * Handles POST.
   * @throws Problem, shown as a page
   */
  post?: (request: DeskRequest) => DeskAnswer | Promise<DeskAnswer>
  /** Maximum bytes of fields and files, and maximum number of files; by default those of the settings. */
  takes?: { most: number; mostFiles: number }
}

export interface RoomLink {
  room: RoomName
  path: string
  text: DeskText
  isFirst?: true
  isFor?: (caller: Caller) => boolean
}

export interface FeatureInbox {
  count: (context: Context) => Promise<number>
  /** Returns the waiting entries, or undefined if nothing waits for the caller. */
  list: (context: Context) => Promise<Html | undefined>
}

export type RoomGroup = 'calendar' | 'directory' | 'owner'

/** The consent page's path in the table of pages; browsers request it at `CONSENT_PATH`. */
export const CONSENT_ROOM = '/authorize'

export function siteInLanguage(site: Site, user: Pick<User, 'language'> | undefined): Site {
  const language = LANGUAGES.find((code) => code === user?.language)
  return language === undefined || language === site.language ? site : { ...site, language }
}

export const deskPath = (site: Site, path: string) => pathTo(site, `/desk${path}`)

const TURNING = /[\u202a-\u202e\u2066-\u2069]/g

function contained(value: string): string {
  return value.search(TURNING) === -1 ? value : `\u2068${value.replaceAll(TURNING, '')}\u2069`
}

const say = sayIn(deskTexts)
const sayCount = sayCountIn(deskTexts)

/** Translates a text; the inserted values cannot change the direction of the text around them. */
export function sayAtDesk(
  { language }: Pick<Site, 'language'>,
  text: DeskText,
  values?: Readonly<Record<string, string>>,
): string {
  const entries = Object.entries(values ?? {}).map(([name, value]) => [name, contained(value)])
  return say({ language }, text, values && Object.fromEntries(entries))
}

export function countAtDesk(
  site: Site,
  count: number,
  text: CountedIn<typeof deskTexts>,
  values: Readonly<Record<string, string>> = {},
): string {
  return sayCount(site, text, count, { count: writtenNumber(site, count), ...values })
}

export type Translator = (text: DeskText, values?: Readonly<Record<string, string>>) => string

export const deskTranslatorFor =
  (site: Pick<Site, 'language'>): Translator =>
  (text, values) =>
    sayAtDesk(site, text, values)

export function titleAtDesk(site: Pick<Site, 'language'>, title: string): string {
  return plainText(title) || sayAtDesk(site, '(no title)')
}

/** Returns the last text sent for a form field, or `""` if there is none. */
export function fieldOf({ form }: Pick<DeskRequest, 'form'>, name: string): string {
  const value = form[name]
  const one = Array.isArray(value) ? value.at(-1) : value
  return typeof one === 'string' ? one : ''
}

export function recordIdIn({ variables }: Pick<DeskRequest, 'variables'>, name = 'id'): number | undefined {
  const text = variables[name] ?? ''
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

export function versionSent(request: Pick<DeskRequest, 'form'>): number | undefined {
  const text = fieldOf(request, 'version')
  return /^\d{1,15}$/.test(text) && Number(text) <= MAX_ID ? Number(text) : undefined
}

/**
 * Returns a UTC time in words, in the local time of the site.
 * @param now in ms since the epoch
 */
export function whenAtDesk(site: Site, utc: string, now: number): string {
  const wall = utcToWall(utc, site.timezone)
  const today = utcToWall(formatUtc(now), site.timezone).slice(0, 10)
  return `${writtenDate(site, wall.slice(0, 10), today)}, ${writtenShortTime(site, wall)}`
}

/** Texts by control; a control that was sent several times has several texts. */
export type TypedForm = Readonly<Record<string, readonly string[]>>

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

/** Returns the control's last text: a hidden control of the same name may precede a checkbox. */
export function lastTyped(typed: TypedForm, name: string): string {
  return typed[name]?.at(-1) ?? ''
}

/** All texts of a control except empty ones. */
export function allTyped(typed: TypedForm, name: string): string[] {
  return (typed[name] ?? []).filter((text) => text !== '')
}

/** Returns the value that the form first showed, in the control `shown_…`; without that, `present`. */
export function shownAtFirst(typed: TypedForm, name: string, present: string): string {
  return typed[`shown_${name}`]?.at(-1) ?? present
}

export const isTyped = (typed: TypedForm, name: string): boolean => typed[name] !== undefined

export function isSwitchOn(typed: TypedForm, name: string): boolean {
  return ['1', 'on', 'true', 'yes'].includes(lastTyped(typed, name))
}
