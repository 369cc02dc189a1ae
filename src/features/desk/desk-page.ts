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
import { writtenDate, writtenNumber, writtenShortTime } from '../../http/page-dates.ts'
import type { Content, Html } from '../../http/page-html.ts'
import type { Db } from '../../store/storage/database.ts'
import type { OwnerTexts } from '../../store/storage/owner-settings.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { pathTo } from '../pages/viewing.ts'
import { type DeskText, deskTexts } from './desk-texts.ts'
import type { DeskGate } from './sign-in/desk-sign-in.ts'

// Requests, views and answers of pages of the desk; addresses, texts and forms.

export interface SentFile {
  /** Of the form. */
  field?: string
  fileName: string
  mimeType: string
  size: number
  read: () => Promise<Buffer>
}

/** With their session and its id in the cookie. */
export interface DeskUser {
  user: User
  session: Session
  cookie: string
}

/** Signed in or not; `context` is in their name. */
export interface AnyDeskRequest {
  method: 'GET' | 'POST'
  /** Below the desk, such as `/events/12`. */
  path: string
  query: URLSearchParams
  /** Read as REST reads forms: `a[]` is a list. */
  form: RawValues
  /** Sent more than once without brackets. */
  repeated: ReadonlySet<string>
  files: readonly SentFile[]
  context: Context
  /** 0 for Sunday to 6 for Saturday. */
  weekStart: number
  /** Network address, and `User-Agent`. */
  address: string
  client: string
  /** `Accept-Language`. */
  languages: string
  /** Such as `#0b6e5f`. */
  accent: string
  gate: DeskGate
  listTroubles: (db: Db, now: number) => Promise<Trouble[]>
  /** False where nothing goes to the user. */
  tell: (tx: Tx, told: ToldToUser, context: Pick<Context, 'site' | 'now'>) => Promise<boolean>
  inboxes: readonly BroughtInbox[]
  /** As visitors get it, with a banner above; undefined for a service without pages. */
  showPage: ((context: Context, event: EventRow, banner: Html) => Promise<string>) | undefined
  start: Config
  settingGroups: readonly SettingGroup[]
  /** Addresses of pages that other features bring. */
  brought: ReadonlySet<string>
  /** Undefined for a service without pages. */
  showLook: LookPreview | undefined
  user: DeskUser | undefined
  otherSignIns: readonly OtherSignIn[]
  /** What the cookie of a sign-in under way holds; empty for none. */
  underWay: string
}

/** By which people sign in without a password of the desk. */
export interface OtherSignIn {
  /** Passwords are asked for at `/sign-in?local` alone. */
  hidesPasswords: boolean
  pages: readonly OpenPage[]
  /** For the sign-in page. @param next where to go on @param isSignedOut one has just signed out */
  button: (site: Site, next: string, isSignedOut: boolean) => Html
  /** For the page of a link by which somebody begins. @param token of the link */
  linkButton: (site: Site, token: string) => Html
  /** Within a form that is kept: a link that opens a tab, and a button `name` that goes on. */
  tabButtons: (site: Site, name: string) => Html
  /** Says which account of theirs a user signs in with, and changes it. */
  card: (request: Pick<AnyDeskRequest, 'context' | 'user'>, user: User) => Promise<Content>
  /** Users who sign in by it. */
  listUsers: (db: Db) => Promise<ReadonlySet<number>>
  /** In a word, such as the name of the organisation. */
  name: string
}

/** For everybody; it takes no place in a queue, so it bounds what it does by itself. */
export interface OpenPage {
  /** Below the desk. */
  at: string
  get: (request: AnyDeskRequest) => Promise<DeskAnswer>
}

/** A link at which a user chooses a password, as an invitation or in place of a forgotten one. */
export interface ToldToUser {
  kind: 'invitation' | 'reset'
  user: User
  link: string
  /** Who caused it; empty for nobody who has signed in. */
  by: string
}

/** Pages in a look that nobody else sees; `set` has its settings. */
export interface LookPreview {
  /** With a banner above; its style sheet is at `stylePath`. */
  page: (set: OwnerTexts, stylePath: string, banner: Html) => Promise<string>
  style: (set: OwnerTexts) => Promise<string>
}

export interface DeskRequest extends AnyDeskRequest {
  user: DeskUser
  /** Variables of the path. */
  variables: Readonly<Record<string, string>>
}

/** Those in the rail, and the account. */
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

/** Of a page that another feature brings, such as `/import`: its path below the desk. */
type BroughtRoomName = `/${string}`

/** Before it is put into the frame. */
export interface DeskView {
  /** 200 unless given. */
  status?: number
  title: string
  /** Marked in the rail. */
  room?: RoomName
  /** Links and buttons beside the title. */
  deeds?: Content
  /** A line below the title. */
  under?: Content
  body: Html
  /** Without rail and bar, such as the sign-in page. */
  isAlone?: boolean
  /** In place of that of the user. */
  language?: Language
  /** On the last action; shown and read out. */
  notice?: Content
  /** Seconds. */
  retryAfter?: number
  /** Where forms may lead besides this site: origins, or schemes with colons, parted by blanks. */
  leadsTo?: string | undefined
  /** Shows pages of this site in a frame. */
  framesOwn?: true
  /** The name of a file among the assets, such as `import-room.js`. */
  script?: string
}

/** A page, a redirect (303), data for a script, a whole document, or a style sheet. */
export type DeskAnswer = (
  | DeskView
  | { seeOther: string }
  | { data: object; status?: number }
  /** Without the desk around it; `isFramed` for one in a frame of the desk. */
  | { document: string; isFramed?: true }
  | { style: string }
) & {
  /** For the cookie; present and undefined where the session has ended. */
  session?: string | undefined
  /** For the cookie of a sign-in under way, which lasts ten minutes. */
  underWay?: string
}

export interface DeskPage {
  /** Below the desk; `:id` is a variable. */
  at: string
  get?: (request: DeskRequest) => DeskAnswer | Promise<DeskAnswer>
  /** Only posted forms change anything. @throws Problem, which the desk explains on a page */
  post?: (request: DeskRequest) => DeskAnswer | Promise<DeskAnswer>
  /** What its forms may send, in bytes of fields and of files; else as much as the settings say. */
  takes?: { most: number; mostFiles: number }
}

/** An entry of the rail. */
export interface RoomLink {
  room: RoomName
  path: string
  text: DeskText
  /** In the bar at the bottom of a phone. */
  isFirst?: true
  isFor?: (caller: Caller) => boolean
}

/** What waits in the inbox besides events and proposed changes. */
export interface BroughtInbox {
  /** For the number in the rail. */
  count: (context: Context) => Promise<number>
  /** The first of them, for the inbox and Today; undefined where nothing waits for the caller. */
  list: (context: Context) => Promise<Html | undefined>
}

/** The groups of the rail. */
export type RoomGroup = 'calendar' | 'directory' | 'owner'

/** Answers at `CONSENT_PATH`. */
export const CONSENT_ROOM = '/authorize'

/** In the language of a user who has chosen one. */
export function siteInLanguage(site: Site, user: Pick<User, 'language'> | undefined): Site {
  const language = LANGUAGES.find((code) => code === user?.language)
  return language === undefined || language === site.language ? site : { ...site, language }
}

export const deskPath = (site: Site, path: string) => pathTo(site, `/desk${path}`)

/** Turn the direction of the text behind them. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g

/** Isolated, without marks of direction, so that it leaves the sentence around it alone. */
function contained(value: string): string {
  return value.search(TURNING) === -1 ? value : `\u2068${value.replaceAll(TURNING, '')}\u2069`
}

const say = sayIn(deskTexts)
const sayCount = sayCountIn(deskTexts)

/** No value turns the direction of the text around it. */
export function sayAtDesk(
  { language }: Pick<Site, 'language'>,
  text: DeskText,
  values?: Readonly<Record<string, string>>,
): string {
  const entries = Object.entries(values ?? {}).map(([name, value]) => [name, contained(value)])
  return say({ language }, text, values && Object.fromEntries(entries))
}

/** In the form for the number. */
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

/** Or words that there is none. */
export function titleAtDesk(site: Pick<Site, 'language'>, title: string): string {
  return plainText(title) || sayAtDesk(site, '(no title)')
}

/** The last of several texts; empty where there is none. */
export function fieldOf({ form }: Pick<DeskRequest, 'form'>, name: string): string {
  const value = form[name]
  const one = Array.isArray(value) ? value.at(-1) : value
  return typeof one === 'string' ? one : ''
}

/** Undefined for anything but a whole number above zero. */
export function recordIdIn({ variables }: Pick<DeskRequest, 'variables'>, name = 'id'): number | undefined {
  const text = variables[name] ?? ''
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

/** The version that the form was filled from. */
export function versionSent(request: Pick<DeskRequest, 'form'>): number | undefined {
  const text = fieldOf(request, 'version')
  return /^\d{1,15}$/.test(text) && Number(text) <= MAX_ID ? Number(text) : undefined
}

/** @param now milliseconds since the epoch */
export function whenAtDesk(site: Site, utc: string, now: number): string {
  const wall = utcToWall(utc, site.timezone)
  const today = utcToWall(formatUtc(now), site.timezone).slice(0, 10)
  return `${writtenDate(site, wall.slice(0, 10), today)}, ${writtenShortTime(site, wall)}`
}

/** By control; one that was sent several times has several texts. */
export type TypedForm = Readonly<Record<string, readonly string[]>>

/** Without members that are records, such as REST takes for a new venue. */
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

/** A switch follows a hidden control of its name, so its own text is the last. */
export function lastTyped(typed: TypedForm, name: string): string {
  return typed[name]?.at(-1) ?? ''
}

/** But empty ones. */
export function allTyped(typed: TypedForm, name: string): string[] {
  return (typed[name] ?? []).filter((text) => text !== '')
}

/** What the control showed at first, as its hidden control says; else `present`. */
export function shownAtFirst(typed: TypedForm, name: string, present: string): string {
  return typed[`shown_${name}`]?.at(-1) ?? present
}

export const isTyped = (typed: TypedForm, name: string): boolean => typed[name] !== undefined

export function isSwitchOn(typed: TypedForm, name: string): boolean {
  return ['1', 'on', 'true', 'yes'].includes(lastTyped(typed, name))
}
