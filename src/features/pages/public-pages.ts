import type { IncomingMessage } from 'node:http'
import type { CacheBudget } from '../../base/cache.ts'
import type { Site } from '../../base/config.ts'
import type { ClockPart } from '../../base/fields/kinds.ts'
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
import { catchUp, commitsOf, isBehind, mayBeBehind } from '../../store/memory/event-memory.ts'
import { lackBehind } from '../../store/storage/unavailable.ts'
import { formatOfFile, namesAnother, preferredToPage } from '../feeds/formats.ts'
import { mayHaveMoved } from './former-pages.ts'
import type { ProblemStatus } from './layout.ts'
import { ASSETS_PATH } from './look-settings.ts'
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

/** True if Accept names `text/html`. */
export function takesHtml({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.accept?.includes('text/html') ?? false
}

export interface PublicPages {
  service: Service
  entrance: Entrance
  pages: Pages
  answerCache: AnswerCache
  assets: Map<string, WrittenAnswer>
  icons: Map<string, Promise<WrittenAnswer>>
  languages: LanguageChooser
  making: Map<string, Making>
}

/** A page being made, for which other requests of the same page wait. */
interface Making {
  made: Promise<WrittenAnswer>
  /** Waiting requests; if all their clients disconnect, the page is not made. */
  exchanges: IncomingMessage[]
}

/**
 * @param budget limit of the caches
 * @throws Error with one sentence for a file that cannot be read
 */
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

/** Rereads the look if settings have changed. Some former files are kept, for pages still open. */
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

/** Returns the handler for the path of an asset or icon; undefined for other paths. */
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
 * Returns the handler for a page's path; undefined for others. Where nothing else answers, people get an
 * error page; programs, which do not accept HTML, get `otherwise`.
 */
export function pageAt(
  all: PublicPages,
  { request, url }: Exchange,
  otherwise: Otherwise,
): Otherwise | undefined {
  const { entrance, service } = all
  if (formatOfFile(url.path)) return undefined
  // With the REST API also at the root, browsers get the front page there, programs the API's entry point.
  const isShared = service.site.restRoot === '' && url.path === '/'
  const isBrowser = takesHtml(request)
  const isPage = (isPagePath(url.path) || isTextPath(all.pages, url.path)) && (!isShared || isBrowser)
  const isLost = !isPage && isUnanswered(service.site, url.path)
  const isForPeople = isPage || isBrowser
  if (!isPage && !(isLost && (isForPeople || mayLeadOn(all, url.path)))) return undefined
  return (exchange, signIn) => {
    // At a shared root, the cached answer is the API's entry point.
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

/** Finds the cached page; undefined if there is none, or if the client may prefer another representation. */
function findCachedPage(all: PublicPages, exchange: Exchange): CachedAnswer | undefined {
  const { service, answerCache } = all
  if (isBehind(service.memory) || namesAnother(exchange.request.headers.accept)) return undefined
  return findCachedAnswer(answerCache, keyOf(all, exchange, chosenFor(all, exchange)), service.now())
}

export function chosenFor(all: PublicPages, { request, url }: Exchange): Chosen {
  followSettings(all)
  return chooseLanguage(all.languages, url.query, request.headers['accept-language'])
}

/** Cache key: the address and, if the header chose another language than the site's, that language. */
const keyOf = ({ service }: PublicPages, { url }: Exchange, { language, isNamed }: Chosen): string =>
  isNamed || language === service.site.language ? url.text : `${url.text} ${language}`

const ELSEWHERE = /^\/(?:healthz|readyz|metrics|media|assets|favicon\.ico)(?:\/|$)/

/** True if nothing else answers; with the REST API at the root, only for paths with a word of our pages. */
const isUnanswered = ({ restRoot, vendor }: Site, path: string): boolean =>
  (restRoot === ''
    ? inEnglish(path) !== undefined && !path.startsWith(`/${vendor}/`)
    : !path.startsWith(restRoot)) && !ELSEWHERE.test(path)

const mayLeadOn = ({ pages, service }: PublicPages, path: string): boolean =>
  path.length <= LONGEST_URL &&
  (inEnglish(path) !== undefined || mayHaveMoved(pages, service.site, service.database.read, path))

/** Answers with a page, or with `otherwise` in place of a page for 404. */
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

/** Answers with a page about the error; `names` are the invalid parameters. */
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
  // If the database fails, making the page fails, too, and the client gets that error.
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
    await commitsOf(memory)
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

/** Matches a day or month in a frame's `date` or `until`, but no words such as `tomorrow`. */
const DAY_OR_MONTH = /^\d{4}-\d\d/

/** Returns how long a page with this query stays valid if no data change. */
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

/** One address has several representations, which the Accept header chooses. */
const VARY = 'Accept, Accept-Encoding'

function outgoing(
  { service, answerCache }: PublicPages,
  answer: PageAnswer,
  { language, isNamed }: Chosen,
  isPlaced = false,
): WrittenAnswer {
  const body = Buffer.from(answer.body)
  // As in ETags of lists, the edition comes first: the cache accepts only answers of the present edition.
  const tag =
    answer.status === 200 ? contentTag(body).replace('W/"', `W/"${editionOf(answerCache)}.${language}.`) : ''
  // Answers other than HTML are the same in every language.
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

/** Keeps links from passing on a URL with the visitor's position. */
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

/** Headers of a frame, which has neither scripts nor forms. */
function frameHeaders({ site, images }: Service): Record<string, string> {
  const ancestors = site.frameAncestors.length === 0 ? ["'none'"] : ["'self'", ...site.frameAncestors]
  const policy = contentPolicy(site, images.mediaUrl, { actsWith: "'none'", framedBy: ancestors.join(' ') })
  return { 'Content-Security-Policy': policy, 'Cross-Origin-Resource-Policy': 'cross-origin' }
}

interface PagePermissions {
  formsLeadTo?: string | undefined
  imagesFrom?: string | undefined
  /** `actsWith`: source for scripts, connections and forms; `framedBy`: sites that may frame the page. */
  actsWith?: "'self'" | "'none'"
  framedBy?: string
}

/** Content-Security-Policy. Images may also come over HTTPS, and forms may also lead to `formsLeadTo`. */
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

/** For paths with a hash of their content; the response never expires. */
export const FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' }

const FOR_A_DAY = { 'Cache-Control': 'public, max-age=86400' }

/** For scripts that pages of other sites load. */
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
