import type { IncomingMessage } from 'node:http'
import type { CacheBudget } from '../../base/cache.ts'
import type { Site } from '../../base/config.ts'
import type { ClockPart } from '../../base/fields/kinds.ts'
import { ASSETS_PATH } from '../../base/look-settings.ts'
import { Problem } from '../../base/problems.ts'
import { wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { clockOf } from '../../calendar/declare/parse.ts'
import { eventFilters } from '../../calendar/events/event-filters.ts'
import { translatorFor } from '../../calendar/locales/translate.ts'
import { admitted } from '../../http/admission.ts'
import {
  type AnswerCache,
  type CachedAnswer,
  cacheAnswer,
  editionOf,
  findCachedAnswer,
  sinceWhen,
  wasAsked,
} from '../../http/answer-cache.ts'
import { discoveryHeaders } from '../../http/bare-root.ts'
import { type Entrance, isGone, refuseOverload } from '../../http/entrance.ts'
import { clientAddress, type Exchange, LONGEST_URL, type SignIn } from '../../http/incoming.ts'
import { anonymousContext, type Service } from '../../http/respond.ts'
import { asNew, contentTag, send, type WrittenAnswer } from '../../http/send.ts'
import { awaitCommits, catchUp, isBehind, mayBeBehind } from '../../store/memory/event-memory.ts'
import { lackBehind } from '../../store/storage/unavailable.ts'
import { formatOfFile, namesAnother, preferredToPage } from '../feeds/formats.ts'
import { mayHaveMoved } from './former-pages.ts'
import type { ProblemStatus } from './layout.ts'
import { isPagePath, SUGGEST_PATH } from './page-addresses.ts'
import type { PageAnswer } from './page-answer.ts'
import { type Asset, makeSiteIcon, SITE_ICONS } from './page-assets.ts'
import { isNight } from './page-dates.ts'
import { makePages, type Pages, renewLook } from './page-ground.ts'
import {
  type Chosen,
  chooseLanguage,
  inLanguage,
  type LanguageChooser,
  makeLanguageChooser,
} from './page-languages.ts'
import { answerPage, isTextPath, problemPage } from './pages.ts'
import { inEnglish } from './translated-paths.ts'

/** True if the header `Accept` names `text/html`. */
export function takesHtml({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.accept?.includes('text/html') ?? false
}

export interface PublicPages {
  service: Service
  entrance: Entrance
  pages: Pages
  answerCache: AnswerCache
  assets: Map<string, WrittenAnswer>
  /** Made on demand in the present look. */
  icons: Map<string, Promise<WrittenAnswer>>
  languages: LanguageChooser
  making: Map<string, Making>
}

/** Further requests for the page wait for it, too. */
interface Making {
  made: Promise<WrittenAnswer>
  /** When all have gone, the page is not made. */
  exchanges: IncomingMessage[]
}

/** `budget` bounds their caches. @throws Error with one sentence for a file that cannot be read */
export function makePublicPages(
  service: Service,
  entrance: Entrance,
  answerCache: AnswerCache,
  budget: CacheBudget,
  own: Pick<Pages, 'look' | 'links' | 'subscribes'>,
): PublicPages {
  const pages = makePages(service.site, service.memory, budget, own)
  const languages = makeLanguageChooser(service.site)
  return {
    service,
    entrance,
    pages,
    answerCache,
    assets: new Map(answersOf(pages)),
    icons: new Map(),
    languages,
    making: new Map(),
  }
}

function answersOf({ assets }: Pages): [string, WrittenAnswer][] {
  return [
    ...[...assets.byPath].map(([path, asset]): [string, WrittenAnswer] => [
      path,
      assetAnswer(asset, FOREVER),
    ]),
    ...assets.embed.map((asset): [string, WrittenAnswer] => [asset.path, assetAnswer(asset, ELSEWHERE_TOO)]),
  ]
}

const MOST_ASSETS = 50

/** Files of former looks stay, since open pages name them. */
function followSettings(all: PublicPages): void {
  const { pages, assets, icons, service } = all
  if (pages.settings === service.memory.settings) return
  renewLook(pages, service.site)
  all.languages = makeLanguageChooser(service.site)
  icons.clear()
  for (const [path, answer] of answersOf(pages)) {
    assets.delete(path)
    assets.set(path, answer)
  }
  for (const path of [...assets.keys()].slice(0, -MOST_ASSETS)) assets.delete(path)
}

/** Undefined for any other path. */
export function assetAt(all: PublicPages, path: string): ((exchange: Exchange) => unknown) | undefined {
  const { entrance, assets } = all
  followSettings(all)
  if (SITE_ICONS.has(path))
    return async (exchange) => send(entrance, exchange, await iconAt(all, path), 'finished')
  const asset = assets.get(path)
  return asset && ((exchange) => send(entrance, exchange, asset, 'finished'))
}

function iconAt({ pages, icons }: PublicPages, path: string): Promise<WrittenAnswer> {
  const known = icons.get(path)
  if (known) return known
  const { assets, look } = pages
  const made = makeSiteIcon(path, assets.icon, look.accent).then((icon) => assetAnswer(icon, FOR_A_DAY))
  icons.set(path, made)
  made.catch(() => icons.delete(path))
  return made
}

type Otherwise = (exchange: Exchange, signIn: SignIn) => unknown

/**
 * It also answers addresses where people look for a page. If there is none, `otherwise` answers programs.
 */
export function pageAt(
  all: PublicPages,
  { request, url }: Exchange,
  otherwise: Otherwise,
): Otherwise | undefined {
  const { entrance, service } = all
  if (formatOfFile(url.path)) return undefined
  // Browsers get the front page there, programs the root of the interface.
  const isShared = service.site.restRoot === '' && url.path === '/'
  const isBrowser = takesHtml(request)
  const isPage = (isPagePath(url.path) || isTextPath(all.pages, url.path)) && (!isShared || isBrowser)
  const isLost = !isPage && isUnanswered(service.site, url.path)
  const isForPeople = isPage || isBrowser
  if (!isPage && !(isLost && (isForPeople || mayLeadOn(all, url.path)))) return undefined
  return (exchange, signIn) => {
    // The kept answer of the shared address is the root of the interface.
    const known = isShared ? undefined : findCachedPage(all, exchange)
    if (known) return send(entrance, exchange, known, 'finished')
    return answerWithPage(
      all,
      exchange,
      isShared,
      isForPeople ? undefined : () => otherwise(exchange, signIn),
    )
  }
}

/** Undefined for a client that may prefer another representation. */
function findCachedPage(all: PublicPages, exchange: Exchange): CachedAnswer | undefined {
  const { service, answerCache } = all
  if (isBehind(service.memory) || namesAnother(exchange.request.headers.accept)) return undefined
  return findCachedAnswer(answerCache, keyOf(all, exchange, chosenFor(all, exchange)), service.now())
}

export function chosenFor(all: PublicPages, { request, url }: Exchange): Chosen {
  followSettings(all)
  return chooseLanguage(all.languages, url.query, request.headers['accept-language'])
}

/** The key names the language if a header chose another than that of the site. */
const keyOf = ({ service }: PublicPages, { url }: Exchange, { language, isNamed }: Chosen): string =>
  isNamed || language === service.site.language ? url.text : `${url.text} ${language}`

const ELSEWHERE = /^\/(?:healthz|readyz|metrics|media|assets|favicon\.ico)(?:\/|$)/

/** With the interface at the root, only known words are certain. */
const isUnanswered = ({ restRoot, vendor }: Site, path: string): boolean =>
  (restRoot === ''
    ? inEnglish(path) !== undefined && !path.startsWith(`/${vendor}/`)
    : !path.startsWith(restRoot)) && !ELSEWHERE.test(path)

const mayLeadOn = ({ pages, service }: PublicPages, path: string): boolean =>
  path.length <= LONGEST_URL &&
  (inEnglish(path) !== undefined || mayHaveMoved(pages, service.site, service.database.read, path))

/** Caches the page unless programs get another answer there. */
async function answerWithPage(
  all: PublicPages,
  exchange: Exchange,
  isShared: boolean,
  otherwise: (() => unknown) | undefined,
): Promise<unknown> {
  const { entrance } = all
  let page: WrittenAnswer
  try {
    page = await makeOnce(all, exchange, isShared)
  } catch (error) {
    if (error instanceof Problem && error.code === 'rest_unavailable')
      return refuseOverload(entrance, exchange)
    page = failed(all, error, exchange)
  }
  if (page.status === 404 && otherwise) return otherwise()
  return send(entrance, exchange, page, 'ordinary')
}

/** `names` are the wrong parameters. */
export function sendProblemPage(
  all: PublicPages,
  exchange: Exchange,
  status: ProblemStatus,
  names: readonly string[] = [],
): void {
  send(all.entrance, exchange, problemFor(all, exchange, status, names), 'ordinary')
}

function problemFor(
  all: PublicPages,
  exchange: Exchange,
  status: ProblemStatus,
  names: readonly string[] = [],
): WrittenAnswer {
  const chosen = chosenFor(all, exchange)
  const { url } = exchange
  const asked = url.text.length > LONGEST_URL ? { names } : { names, address: url.text }
  return outgoing(all, problemPage(all.pages, contextOfExchange(all, exchange), status, asked), chosen)
}

const makingKey = ({ service }: PublicPages, url: string, feed = '') =>
  `${service.memory.version} ${feed} ${url}`

async function makeOnce(all: PublicPages, exchange: Exchange, isShared: boolean): Promise<WrittenAnswer> {
  const { memory, report } = all.service
  const { request, url } = exchange
  if (url.text.length > LONGEST_URL) return problemFor(all, exchange, 414)
  // If the database fails, making the page says so.
  if (isBehind(memory)) await catchUp(memory).catch(report)
  const feed = preferredToPage(request.headers.accept)?.extension
  const key = makingKey(all, keyOf(all, exchange, chosenFor(all, exchange)), feed)
  const known = all.making.get(key)
  if (known) {
    known.exchanges.push(request)
    return known.made
  }
  const exchanges = [request]
  const made = makeInTurn(all, exchanges, exchange, feed, isShared).finally(() => all.making.delete(key))
  all.making.set(key, { made, exchanges })
  return made
}

export function contextOfExchange(all: PublicPages, exchange: Exchange): Context {
  return presentContext(all, chosenFor(all, exchange))
}

function presentContext(all: PublicPages, chosen: Chosen): Context {
  followSettings(all)
  const context = anonymousContext(all.service, all.service.now())
  const site = inLanguage(context.site, chosen)
  return { ...context, site, say: translatorFor(site) }
}

function makeInTurn(
  all: PublicPages,
  exchanges: readonly IncomingMessage[],
  exchange: Exchange,
  feed: string | undefined,
  isShared: boolean,
): Promise<WrittenAnswer> {
  const { service, entrance, answerCache } = all
  const { request, url } = exchange
  const { memory } = service
  const chosen = chosenFor(all, exchange)
  const key = keyOf(all, exchange, chosen)
  const work =
    url.path === SUGGEST_PATH ? 'suggestions' : url.query.includes('search=') ? 'searches' : 'reads'
  const { version } = memory
  const address = clientAddress(request, entrance.trusted)
  return admitted(entrance.admission, work, { address, isGone: () => exchanges.every(isGone) }, async () => {
    const context = presentContext(all, chosen)
    const answer = await answerPage(all.pages, context, url.path, url.query, feed)
    await awaitCommits(memory)
    const made = outgoing(all, answer, chosen, url.query.includes('geoloc_'))
    const isCurrent = memory.index !== undefined && !mayBeBehind(memory) && memory.version === version
    const asked = clockOfPage(url.query)
    if (isShared || answer.status !== 200 || !isCurrent || asked === 'now') return made
    const { now } = context
    const clock = isNight(wallNow(context.site.timezone, now)) ? 'minute' : asked
    if (clock === 'day') made.modified = sinceWhen(answerCache, version, now)
    if (url.query !== '' && !wasAsked(answerCache, key)) return made
    return cacheAnswer(answerCache, key, made, { version, clock, now })
  })
}

/** Frames name a day or a month so; words such as "tomorrow" do not match. */
const DAY_OR_MONTH = /^\d{4}-\d\d/

/** Returns how long a page of this query stays valid while no data change. */
export function clockOfPage(query: string): ClockPart {
  let clock: ClockPart = 'day'
  for (const [name, value] of new URLSearchParams(query)) {
    const [plain = ''] = name.split('[', 1)
    const own =
      plain === 'date' || plain === 'until'
        ? DAY_OR_MONTH.test(value)
          ? 'day'
          : 'now'
        : clockOf(eventFilters, { [plain]: value })
    if (own === 'now') return own
    if (own === 'minute') clock = own
  }
  return clock
}

/** The page is one of the representations at its address. */
const VARY = 'Accept, Accept-Encoding'

function outgoing(
  { service, answerCache }: PublicPages,
  answer: PageAnswer,
  { language, isNamed }: Chosen,
  isPlaced = false,
): WrittenAnswer {
  const body = Buffer.from(answer.body)
  // The tag begins with the edition, as ETags of lists do: the cache keeps only such answers.
  const tag =
    answer.status === 200 ? contentTag(body).replace('W/"', `W/"${editionOf(answerCache)}.${language}.`) : ''
  // Other answers are the same in every language.
  const isWritten = body.length > 0 && answer.mediaType.startsWith('text/html')
  const own = answer.location === undefined ? {} : { Location: answer.location }
  const headers = {
    ...pageHeaders(service, answer.imagesFrom),
    ...(answer.isFramed && frameHeaders(service)),
    ...(isPlaced ? WITHOUT_ADDRESS : {}),
    'Content-Type': answer.mediaType,
    Vary: isWritten && !isNamed ? `${VARY}, Accept-Language` : VARY,
    ...own,
  }
  return {
    status: answer.status,
    route: 'pages',
    headers: Object.entries(headers).flat(),
    tag,
    body,
    ...asNew(),
    namesOrigins: true,
  }
}

function failed(all: PublicPages, error: unknown, exchange: Exchange): WrittenAnswer {
  const isOutage = lackBehind(error) !== undefined
  all.service.report(error, exchange.requestId)
  const made = problemFor(all, exchange, isOutage ? 503 : 500)
  return isOutage ? { ...made, headers: [...made.headers, 'Retry-After', '1'] } : made
}

/** Addresses that say where somebody is are not passed on by links. */
const WITHOUT_ADDRESS = { 'Referrer-Policy': 'strict-origin' }

function pageHeaders({ site, images }: Service, imagesFrom: string | undefined): Record<string, string> {
  return {
    ...discoveryHeaders(site),
    'Content-Security-Policy': contentPolicy(site, images.mediaUrl, { imagesFrom }),
    'Access-Control-Allow-Origin': '*',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Cache-Control': 'public, max-age=0, must-revalidate',
  }
}

/** A frame has no script and no form. */
function frameHeaders({ site, images }: Service): Record<string, string> {
  const ancestors = site.frameAncestors.length === 0 ? ["'none'"] : ["'self'", ...site.frameAncestors]
  const policy = contentPolicy(site, images.mediaUrl, { actsWith: "'none'", framedBy: ancestors.join(' ') })
  return { 'Content-Security-Policy': policy, 'Cross-Origin-Resource-Policy': 'cross-origin' }
}

interface PagePermissions {
  formsLeadTo?: string | undefined
  imagesFrom?: string | undefined
  /** What scripts and forms may talk to, and who may frame the page. */
  actsWith?: "'self'" | "'none'"
  framedBy?: string
}

/** Scripts, style sheets and images are our own; forms lead to this site. */
export function contentPolicy(
  site: Site,
  mediaUrl: string,
  { formsLeadTo, imagesFrom, actsWith = "'self'", framedBy = "'none'" }: PagePermissions = {},
): string {
  const { origin } = new URL(mediaUrl)
  const others = [origin, imagesFrom].filter((one) => one !== undefined && !one.startsWith('https:'))
  const media = others.flatMap((one) => (one === new URL(site.url).origin ? [] : [` ${one}`])).join('')
  return [
    "default-src 'none'",
    `script-src ${actsWith}`,
    "style-src 'self'",
    `connect-src ${actsWith}`,
    `img-src 'self' https: data:${media}`,
    "font-src 'self'",
    `form-action ${actsWith}${formsLeadTo === undefined ? '' : ` ${formsLeadTo}`}`,
    "base-uri 'none'",
    `frame-ancestors ${framedBy}`,
  ].join('; ')
}

/** Addresses that change with the content never expire. */
export const FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' }

const FOR_A_DAY = { 'Cache-Control': 'public, max-age=86400' }

/** Pages of other sites load these scripts. */
const ELSEWHERE_TOO = {
  'Cache-Control': 'public, max-age=3600',
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

export function assetAnswer(
  { bytes, mediaType }: Asset,
  own: Readonly<Record<string, string>>,
): WrittenAnswer {
  const headers = {
    'Content-Type': mediaType,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    Vary: 'Accept-Encoding',
    ...own,
  }
  const flat = Object.entries(headers).flat()
  return {
    status: 200,
    route: ASSETS_PATH,
    headers: flat,
    tag: contentTag(bytes),
    body: bytes,
    ...asNew(),
    isShared: true,
    isLasting: mediaType.startsWith('text/'),
    namesOrigins: true,
  }
}
