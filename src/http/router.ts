import type { CacheBudget } from '../base/cache.ts'
import { Problem } from '../base/problems.ts'
import { decodeLeniently } from '../base/text/urls.ts'
import { MEDIA_CACHE_CONTROL } from '../store/media/media-store.ts'
import { DatabaseUnavailable } from '../store/storage/unavailable.ts'
import type { AnswerCache } from './answer-cache.ts'
import { bareRoot } from './bare-root.ts'
import { withBody } from './bodies.ts'
import { type Entrance, incomingOf } from './entrance.ts'
import type { Exchange, SignIn } from './incoming.ts'
import { makePublicReads, readPublic, type TellWrong } from './public-reads.ts'
import { byHeader, failureAnswer, makeResponder, type Service, signInAsStranger } from './respond.ts'
import type { RouteTable } from './route-table.ts'
import { sendStream, sendText, writeAndSend } from './send.ts'

// Routes a request to the first row that matches it.

/** Answers a request. @throws Problem or any other error, which is answered unless something has been sent */
export type Answering = (exchange: Exchange, signIn: SignIn) => unknown

export interface AnswerRow {
  methods: ReadonlySet<string> | 'all'
  signIn: SignIn
  isLast?: true
  find: (exchange: Exchange) => Answering | undefined
}

/** What features make their rows from. */
export interface RowGround {
  service: Service
  entrance: Entrance
  routes: RouteTable
  answerCache: AnswerCache
  cacheBudget: CacheBudget
  /** Answers like a request below the REST root. */
  answerRest: (exchange: Exchange, signIn: SignIn, tellWrong?: TellWrong) => unknown
}

export interface RouterParts {
  cacheBudget: CacheBudget
  routes: RouteTable
  makeRows: (ground: RowGround) => readonly AnswerRow[]
}

export const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

export function makeRouter(
  service: Service,
  entrance: Entrance,
  ground: RouterParts,
): (exchange: Exchange) => void {
  const rows = makeRows(service, entrance, ground)
  const route = (exchange: Exchange): unknown => {
    const { method = '' } = exchange.request
    for (const { methods, signIn, find } of rows) {
      const answer = methods === 'all' || methods.has(method) ? find(exchange) : undefined
      if (answer) return answer(exchange, signIn)
    }
    throw new Problem('rest_no_route')
  }
  const fail = (exchange: Exchange, error: unknown) =>
    answerFailure(service, entrance, exchange, error).catch((fault: unknown) => {
      service.report(fault, exchange.requestId)
      exchange.response.destroy()
    })
  return (exchange) => {
    try {
      const answered = route(exchange)
      if (answered instanceof Promise) answered.catch((error: unknown) => fail(exchange, error))
    } catch (error) {
      void fail(exchange, error)
    }
  }
}

function makeRows(service: Service, entrance: Entrance, ground: RouterParts): AnswerRow[] {
  const { restRoot } = service.site
  const { answerRest, answerCache } = makeRest(service, entrance, ground)
  const { cacheBudget, routes } = ground
  const featureRows = ground.makeRows({ service, entrance, routes, answerCache, cacheBudget, answerRest })
  const byPath = fixedAnswers(service, entrance)
  const media = mediaAnswer(service, entrance)
  const rest = { methods: 'all', signIn: byHeader(service) } as const
  const open = { methods: READS, signIn: signInAsStranger } as const
  return [
    { ...rest, find: ({ url }) => (restRoot !== '' && isBelow(restRoot, url.path) ? answerRest : undefined) },
    { ...open, find: ({ url }) => byPath.get(url.path) },
    { ...open, find: ({ url }) => (url.path.startsWith(MEDIA_PATH) ? media : undefined) },
    ...featureRows.filter(({ isLast }) => !isLast),
    ...featureRows.filter(({ isLast }) => isLast),
    { ...open, find: ({ url }) => welcomeAt(service, entrance, url.path) },
    { ...rest, find: () => answerRest },
  ]
}

function isBelow(root: string, path: string): boolean {
  return path.startsWith(root) || path.slice(0, root.length).toLowerCase() === root.toLowerCase()
}

function makeRest(service: Service, entrance: Entrance, { cacheBudget, routes }: RouterParts) {
  const respond = makeResponder(service, routes, entrance)
  const reads = makePublicReads(service, routes, respond, cacheBudget, entrance)
  const answerOrdinarily: Answering = (exchange, signIn) =>
    withBody(exchange, entrance.intake, async (read) => {
      const incoming = incomingOf(entrance, exchange, read)
      const answer = await respond(incoming, signIn)
      await writeAndSend(entrance, { ...exchange, user: incoming.user }, answer)
    })
  const answerRest = (exchange: Exchange, signIn: SignIn, tellWrong?: TellWrong): unknown => {
    return readPublic(reads, exchange, tellWrong) ? undefined : answerOrdinarily(exchange, signIn)
  }
  return { answerRest, answerCache: reads.cache }
}

function fixedAnswers(service: Service, entrance: Entrance): ReadonlyMap<string, Answering> {
  const say = (exchange: Exchange, route: string, status: number, body: object) => {
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      ...(status === 503 && { 'Retry-After': '1' }),
    }
    sendText(entrance, exchange, { status, route, headers, text: JSON.stringify(body) })
  }
  const sayReady: Answering = async (exchange) => {
    if (entrance.closing.isDraining) return say(exchange, '/readyz', 503, { status: 'stopping' })
    await service.announced
    try {
      await service.database.ping()
      await service.images.store.check()
    } catch (error) {
      service.report(error, exchange.requestId)
      return say(exchange, '/readyz', 503, { status: whatFails(error) })
    }
    say(exchange, '/readyz', 200, { status: 'ready', memory: service.memory.index ? 'filled' : 'filling' })
  }
  return new Map<string, Answering>([
    ['/healthz', (exchange) => say(exchange, '/healthz', 200, { status: 'alive' })],
    ['/readyz', sayReady],
  ])
}

function whatFails(error: unknown): string {
  const lack =
    error instanceof DatabaseUnavailable ? error.lack : error instanceof Problem ? error.code : undefined
  if (lack === 'space' || lack === 'rest_insufficient_storage') return 'there is no room left to write into'
  if (lack === 'permission' || lack === 'rest_read_only') return 'what has to be written may only be read'
  if (lack === 'rest_unavailable') return 'the disk of the images is not mounted'
  return 'the database does not answer'
}

const MEDIA_PATH = '/media/'
const MEDIA_ROUTE = '/media/*'

function mediaAnswer({ images }: Service, entrance: Entrance): Answering {
  return async (exchange) => {
    const { request, response, url } = exchange
    const file = await images.store.read(decodeLeniently(url.path.slice(MEDIA_PATH.length)))
    if (!file) throw new Problem('rest_no_route')
    const { stream, mimeType, size } = file
    const headers = {
      'Content-Type': mimeType,
      'X-Content-Type-Options': 'nosniff',
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': MEDIA_CACHE_CONTROL,
      'Content-Security-Policy': "default-src 'none'; sandbox",
    }
    if (request.method === 'HEAD') stream.destroy()
    else response.once('close', () => stream.destroy())
    const answer = {
      status: 200,
      route: MEDIA_ROUTE,
      headers: Object.entries(headers).flat(),
      tag: '',
      namesOrigins: true,
    }
    sendStream(entrance, exchange, { ...answer, chunks: stream, size }, 'ordinary')
  }
}

function welcomeAt({ start }: Service, entrance: Entrance, path: string): Answering | undefined {
  const { site } = entrance
  if (start.pages !== 'off' || site.restRoot === '' || (path !== '/' && path !== '/index.php'))
    return undefined
  const { headers, html } = bareRoot(site)
  return (exchange) => sendText(entrance, exchange, { status: 200, route: '/', headers, text: html })
}

async function answerFailure(
  service: Service,
  entrance: Entrance,
  exchange: Exchange,
  error: unknown,
): Promise<void> {
  if (exchange.response.headersSent) throw error
  await writeAndSend(entrance, exchange, failureAnswer(error, service, false, exchange.requestId))
}
