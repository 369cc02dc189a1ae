import type { IncomingHttpHeaders } from 'node:http'
import type { Trouble } from '../../base/finding.ts'
import { isRecord } from '../../base/foreign-json.ts'
import { Problem } from '../../base/problems.ts'
import type { SettingGroup } from '../../base/setting-kinds.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { RawValues } from '../../calendar/declare/parse.ts'
import { translatorFor } from '../../calendar/locales/translate.ts'
import { anonymous } from '../../calendar/people/caller.ts'
import type { User } from '../../calendar/people/users.ts'
import { admitted } from '../../http/admission.ts'
import { withBody } from '../../http/bodies.ts'
import { type Entrance, incomingOf } from '../../http/entrance.ts'
import {
  type Body,
  type Exchange,
  type IncomingRequest,
  mediaType,
  NO_BODY,
  parseBody,
  repeatedKeys,
} from '../../http/incoming.ts'
import { anonymousContext, asProblem, callerContext, noteFailure, type Service } from '../../http/respond.ts'
import { send, sendText } from '../../http/send.ts'
import { catchUp, isBehind } from '../../store/memory/event-memory.ts'
import type { Db } from '../../store/storage/database.ts'
import { CONSENT_PATH } from '../../wordpress/platform-passwords.ts'
import type { Look } from '../pages/look.ts'
import { type OwnerTexts, withOwnerSettings } from '../pages/owner-settings.ts'
import { weekStartOf } from '../pages/page-dates.ts'
import type { Pages } from '../pages/page-ground.ts'
import { previewFront, previewPage, previewStyleSheet } from '../pages/preview-pages.ts'
import { assetAnswer, contentPolicy, FOREVER } from '../pages/public-pages.ts'
import { pathTo } from '../pages/viewing.ts'
import { answerAtDesk, DESK_PAGES, type DeskTable, deskTable, problemAtDesk, takenAtDesk } from './desk.ts'
import { DESK_ASSETS_PATH, type DeskAssets, frameDesk, readDeskAssets } from './desk-frame.ts'
import {
  type AnyDeskRequest,
  CONSENT_ROOM,
  type DeskAnswer,
  type DeskUser,
  type LookPreview,
  type OtherSignIn,
  siteInLanguage,
} from './desk-page.ts'
import { type DeskPart, tellBy } from './desk-part.ts'
import { countInInbox } from './review/inbox-room.ts'
import type { DeskGate } from './sign-in/desk-sign-in.ts'
import {
  answerStranger,
  foreignFormView,
  isForAll,
  isSigningIn,
  openPageAt,
  signInAgain,
} from './sign-in/sign-in-room.ts'

/** In bytes; for forms sent without a session. */
const STRANGER_FORM = 16_384

export interface DeskRoute {
  service: Service
  entrance: Entrance
  look: Look
  gate: DeskGate
  assets: DeskAssets
  pages: Pages | undefined
  listTroubles: (db: Db, now: number) => Promise<Trouble[]>
  settingGroups: readonly SettingGroup[]
  parts: readonly DeskPart[]
  otherSignIns: readonly OtherSignIn[]
  table: DeskTable
  featurePages: ReadonlySet<string>
  /** `memory.settings` when `assets` was made; once it differs, the look may have changed. */
  settings: number
}

export type DeskGround = Pick<DeskRoute, 'look' | 'pages' | 'listTroubles' | 'settingGroups' | 'parts'>

export function makeDeskRoute(
  service: Service,
  entrance: Entrance,
  gate: DeskGate,
  ground: DeskGround,
): DeskRoute {
  const { settings } = service.memory
  const { look, parts } = ground
  const pages = parts.flatMap((part) => part.pages)
  const table = deskTable([...DESK_PAGES, ...pages])
  const featurePages = new Set(pages.map(({ at }) => at))
  const otherSignIns = parts.flatMap(({ signIn }) => signIn ?? [])
  return {
    service,
    entrance,
    gate,
    ...ground,
    table,
    featurePages,
    otherSignIns,
    assets: readDeskAssets(look.accent, parts),
    settings,
  }
}

/** Redirects to the desk, also from paths at which users of WordPress expect it. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['/wp-admin', '/desk/'],
  ['/wp-admin/', '/desk/'],
  ['/wp-login.php', '/desk/sign-in'],
  ['/desk', '/desk/'],
])

/** Returns the handler of a path, or undefined outside the desk. */
export function deskAt(desk: DeskRoute, path: string): ((exchange: Exchange) => unknown) | undefined {
  if (path === CONSENT_PATH) return (exchange) => answerExchange(desk, exchange, CONSENT_ROOM)
  const elsewhere = ELSEWHERE.get(path) ?? (path.startsWith('/wp-admin/') ? '/desk/' : undefined)
  if (elsewhere !== undefined) return (exchange) => leadTo(desk, exchange, elsewhere)
  if (!path.startsWith('/desk/')) return undefined
  if (path.startsWith(DESK_ASSETS_PATH)) return (exchange) => sendAsset(desk, exchange)
  return (exchange) => answerExchange(desk, exchange, path.slice('/desk'.length))
}

function leadTo({ service, entrance }: DeskRoute, exchange: Exchange, path: string): void {
  sendDesk(entrance, exchange, 302, { Location: pathTo(service.site, path) }, '')
}

/** Rebuilds the assets once this process has read changed settings. */
function followLook(desk: DeskRoute): void {
  const { memory, report } = desk.service
  if (isBehind(memory)) void catchUp(memory).catch(report)
  const { settings } = memory
  if (desk.settings === settings) return
  desk.settings = settings
  desk.assets = readDeskAssets(desk.look.accent, desk.parts)
}

function sendAsset(desk: DeskRoute, exchange: Exchange): void {
  followLook(desk)
  const { byPath } = desk.assets
  // A page rendered before a change of the look gets the present file.
  const name = exchange.url.path.slice(exchange.url.path.lastIndexOf('/'))
  const asset = byPath.get(exchange.url.path) ?? [...byPath].find(([path]) => path.endsWith(name))?.[1]
  if (!asset) throw new Problem('rest_no_route')
  send(desk.entrance, exchange, assetAnswer(asset, FOREVER), 'ordinary')
}

async function answerExchange(desk: DeskRoute, exchange: Exchange, path: string): Promise<void> {
  const { service, entrance } = desk
  const { request, response } = exchange
  const { method = 'GET' } = request
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') throw new Problem('rest_no_route')
  followLook(desk)
  await withBody(exchange, entrance.intake, async (read) => {
    const incoming = incomingOf(entrance, exchange, read)
    try {
      const isPost = method === 'POST'
      const sender = await senderOf(desk, incoming, isPost)
      const { user, hadSession } = sender
      if (user) exchange.user = user.user.login
      // The body is read before `admitted`, so that a client holds no place in the queue while sending.
      const isOwn = isPost && isOwnForm(service.site.url, incoming.headers)
      const body = isOwn ? await readDeskBody(desk.table, incoming, path, sender) : NO_BODY
      const sent = isOwn
        ? await admitted(entrance.admission, 'reads', incoming, async () => formOf(incoming, body))
        : formOf(incoming, body)
      const answer = async () =>
        sendAnswer(desk, exchange, await answerOf(desk, exchange, incoming, { path, sender, sent }))
      // Sign-ins are answered outside the queues, as a delayed refusal would hold a place there; the gate
      // limits them.
      const isSignIn = isPost && (path === '/sign-in' || (hadSession && isSigningIn(sent.form)))
      if (isSignIn || openPageAt(desk.otherSignIns, path)) return await answer()
      await admitted(
        entrance.admission,
        isPost && (user || isForAll(desk.otherSignIns, path)) ? 'writes' : 'reads',
        incoming,
        answer,
      )
    } catch (error) {
      if (response.headersSent) throw error
      sendFailure(desk, exchange, error)
    }
  })
}

type Visitor = DeskUser | undefined

interface Sender {
  user: Visitor
  hadSession: boolean
}

async function senderOf(
  { service, entrance, gate }: DeskRoute,
  incoming: IncomingRequest,
  isPost: boolean,
): Promise<Sender> {
  const cookie = cookieIn(incoming.headers, cookieName(service.site.url))
  if (cookie === undefined) return { user: undefined, hadSession: false }
  return admitted(entrance.admission, 'reads', incoming, async () => {
    const found = await gate.sessionOf(cookie, service.now())
    if (found) return { user: { ...found, cookie }, hadSession: false }
    return { user: undefined, hadSession: isPost && (await gate.wasSession(cookie)) }
  })
}

const inboxesOf = ({ parts }: Pick<DeskRoute, 'parts'>) => parts.flatMap(({ inbox = [] }) => inbox)

interface AnsweredExchange {
  answer: DeskAnswer
  user: Visitor
  waiting: number
  isReadOnly: boolean
}

const OF_NOBODY = { user: undefined, waiting: 0, isReadOnly: false } as const

async function answerOf(
  desk: DeskRoute,
  exchange: Exchange,
  incoming: IncomingRequest,
  { path, sender, sent }: { path: string; sender: Sender; sent: SentForm },
): Promise<AnsweredExchange> {
  const { service } = desk
  const { user } = sender
  const context = contextOf(service, user?.user, incoming)
  const isPost = incoming.method === 'POST'
  if (isPost && !isOwnForm(service.site.url, incoming.headers)) {
    const { origin = '' } = incoming.headers
    return { answer: foreignFormView(context.site, origin), ...OF_NOBODY }
  }
  const request: AnyDeskRequest = {
    method: isPost ? 'POST' : 'GET',
    path,
    query: new URLSearchParams(exchange.url.query),
    ...sent,
    context,
    weekStart: weekStartOf(context.site, desk.look.weekStart),
    address: incoming.address,
    client: incoming.headers['user-agent'] ?? '',
    languages: incoming.headers['accept-language'] ?? '',
    accent: desk.look.accent,
    gate: desk.gate,
    listTroubles: desk.listTroubles,
    tell: tellBy(desk.parts),
    inboxes: inboxesOf(desk),
    showPage: desk.pages && eventPages(desk.pages),
    start: service.start,
    settingGroups: desk.settingGroups,
    featurePages: desk.featurePages,
    showLook: desk.pages && lookPreview(service, desk.pages),
    user,
    otherSignIns: desk.otherSignIns,
    underWay: cookieIn(incoming.headers, `${cookieName(service.site.url)}-under-way`) ?? '',
  }
  if (!user || isForAll(desk.otherSignIns, path)) return answerUnknown(desk, request, incoming, sender)
  const answer = await answerAtDesk(desk.table, { ...request, user })
  if (!('body' in answer)) return { answer, user, waiting: 0, isReadOnly: false }
  return {
    answer,
    user,
    waiting: await countInInbox(context, inboxesOf(desk)),
    isReadOnly: !(await desk.gate.canWrite()),
  }
}

function contextOf(service: Service, user: User | undefined, incoming: IncomingRequest): Context {
  const context = callerContext(service, user ?? anonymous, service.now(), incoming)
  const site = siteInLanguage(context.site, user)
  return site === context.site ? context : { ...context, site, say: translatorFor(site) }
}

/**
 * Answers without a valid session, or where none is needed. A form from an ended one is processed once its
 * user signs in again.
 */
async function answerUnknown(
  { service, entrance, table }: DeskRoute,
  request: AnyDeskRequest,
  incoming: IncomingRequest,
  { hadSession }: Sender,
): Promise<AnsweredExchange> {
  if (!hadSession || isForAll(request.otherSignIns, request.path))
    return { answer: await answerStranger(request), ...OF_NOBODY }
  const again = await signInAgain(request)
  if (!('user' in again)) return { answer: again, ...OF_NOBODY }
  const { user, form } = again
  const context = contextOf(service, user.user, incoming)
  const asUser = { ...request, form, context, user }
  const answer = await admitted(entrance.admission, 'writes', incoming, () => answerAtDesk(table, asUser))
  // An answer that has its own `session` sets the cookie itself.
  return {
    answer: 'session' in answer ? answer : { ...answer, session: user.cookie },
    user,
    waiting: 0,
    isReadOnly: false,
  }
}

/** Reads a form; without a session, not even an ended one, at most `STRANGER_FORM` bytes. */
function readDeskBody(
  table: DeskTable,
  incoming: IncomingRequest,
  path: string,
  { user, hadSession }: Sender,
): Promise<Body> {
  const takesFile = mediaType(incoming.headers) === 'multipart/form-data'
  if (user) return incoming.readBody({ isTrusted: true, takesFile, ...takenAtDesk(table, path) })
  if (hadSession) return incoming.readBody({ isTrusted: false, takesFile, most: Number.POSITIVE_INFINITY })
  return incoming.readBody({ isTrusted: false, takesFile: false, most: STRANGER_FORM })
}

function lookPreview(service: Service, pages: Pages): LookPreview {
  // The texts of the start configuration are left out: they are in a folder, and no preview shows them.
  const config = (set: OwnerTexts) => withOwnerSettings({ ...service.start, pages_texts: '' }, set)
  return {
    page: (set, stylePath, banner) =>
      previewFront(pages, anonymousContext(service, service.now()), config(set), { stylePath, banner }),
    style: async (set) => previewStyleSheet(pages, service.site, config(set)),
  }
}

function eventPages(pages: Pages): AnyDeskRequest['showPage'] {
  return (context, event, banner) => previewPage(pages, context, event, banner)
}

type SentForm = Pick<AnyDeskRequest, 'form' | 'repeated' | 'files'>

export function formOf({ headers }: Pick<IncomingRequest, 'headers'>, { bytes, form }: Body): SentForm {
  if (form) return { form: withLineFeeds(form.fields), repeated: form.repeated, files: form.files }
  const type = mediaType(headers)
  const repeated = type === 'application/x-www-form-urlencoded' ? repeatedKeys(bytes.toString('utf8')) : []
  // JSON is not read: the desk's forms never send it, and its values may be nested or no text.
  const fields = type.endsWith('json') ? {} : parseBody(type, bytes)
  return { form: withLineFeeds(fields), repeated: new Set(repeated), files: [] }
}

/** Replaces CRLF, which browsers send, and CR by LF. */
function withLineFeeds(fields: RawValues): RawValues {
  const read = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/\r\n?/g, '\n')
    if (Array.isArray(value)) return value.map(read)
    return isRecord(value) ? withLineFeeds(value) : value
  }
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, read(value)]))
}

/** Browsers send a `__Host-` cookie only to the host that set it, and only by HTTPS. */
const cookieName = (siteUrl: string) => (siteUrl.startsWith('https:') ? '__Host-kalends' : 'kalends')

function cookieIn({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  return cookie
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
}

/**
 * True for requests from this site's pages and from other clients than browsers, by the rules of Go's
 * CrossOriginProtection. Old browsers send `Origin`, but no `Sec-Fetch-Site`.
 */
function isOwnForm(siteUrl: string, headers: IncomingHttpHeaders): boolean {
  const where = headers['sec-fetch-site']
  if (where !== undefined) return where === 'same-origin' || where === 'none'
  return headers.origin === undefined || headers.origin === new URL(siteUrl).origin
}

function sendAnswer(
  desk: DeskRoute,
  exchange: Exchange,
  { answer, user, waiting, isReadOnly }: AnsweredExchange,
): void {
  const { service, entrance, assets, parts } = desk
  const language = 'body' in answer ? answer.language : undefined
  const site = siteInLanguage(service.site, language === undefined ? user?.user : { language })
  const cookies = cookiesOf(site.url, answer)
  if ('seeOther' in answer) {
    sendDesk(entrance, exchange, 303, { Location: answer.seeOther, ...cookies }, '')
    return
  }
  if ('document' in answer) {
    const whole = {
      'Content-Type': 'text/html; charset=UTF-8',
      ...pageHeaders(service, undefined),
      ...(answer.isFramed && framedHeaders(service)),
    }
    sendDesk(entrance, exchange, 200, whole, answer.document)
    return
  }
  if ('style' in answer) {
    sendDesk(entrance, exchange, 200, { 'Content-Type': 'text/css; charset=UTF-8' }, answer.style)
    return
  }
  if ('data' in answer) {
    const json = { 'Content-Type': 'application/json; charset=UTF-8' }
    sendDesk(entrance, exchange, answer.status ?? 200, json, JSON.stringify(answer.data))
    return
  }
  const frame = { site, assets, caller: user?.user, name: user?.user.name ?? '', waiting, isReadOnly, parts }
  const { retryAfter, leadsTo } = answer
  const html = {
    'Content-Type': 'text/html; charset=UTF-8',
    ...pageHeaders(service, leadsTo),
    ...(answer.framesOwn && framingHeaders(service)),
    ...cookies,
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
  }
  sendDesk(entrance, exchange, answer.status ?? 200, html, frameDesk(frame, answer))
}

function cookiesOf(siteUrl: string, answer: DeskAnswer): Record<string, string> {
  const set = (name: string, value: string, seconds: number) => {
    const secure = siteUrl.startsWith('https:') ? '; Secure' : ''
    const life = `Max-Age=${seconds}${secure}`
    return { 'Set-Cookie': `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; ${life}` }
  }
  const name = cookieName(siteUrl)
  if (answer.underWay !== undefined) return set(`${name}-under-way`, answer.underWay, 600)
  if (!('session' in answer)) return {}
  return set(name, answer.session ?? '', answer.session === undefined ? 0 : 90 * 86_400)
}

function pageHeaders({ site, images }: Service, leadsTo: string | undefined): Record<string, string> {
  return {
    'Content-Security-Policy': contentPolicy(site, images.mediaUrl, { formsLeadTo: leadsTo }),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
  }
}

function framedHeaders({ site, images }: Service): Record<string, string> {
  const policy = contentPolicy(site, images.mediaUrl, { framedBy: "'self'" })
  return { 'Content-Security-Policy': policy, 'X-Frame-Options': 'SAMEORIGIN' }
}

function framingHeaders({ site, images }: Service): Record<string, string> {
  return { 'Content-Security-Policy': `${contentPolicy(site, images.mediaUrl)}; frame-src 'self'` }
}

function sendDesk(
  entrance: Entrance,
  exchange: Exchange,
  status: number,
  own: Record<string, string>,
  text: string,
): void {
  const headers = {
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...own,
  }
  // No CORS header allows another origin, so no other site can read the desk.
  sendText(entrance, exchange, { status, route: 'desk', headers, text, namesOrigins: true })
}

function sendFailure(desk: DeskRoute, exchange: Exchange, error: unknown): void {
  const { service } = desk
  const problem = asProblem(error)
  if (problem !== error) noteFailure(error, service, exchange.requestId)
  const { retryAfter } = problem.details
  const view = {
    ...problemAtDesk(service.site, problem),
    isAlone: true,
    ...(retryAfter !== undefined && { retryAfter }),
  }
  sendAnswer(desk, exchange, { answer: view, ...OF_NOBODY })
}
