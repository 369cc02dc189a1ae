import type { CacheBudget } from '../base/cache.ts'
import { Problem } from '../base/problems.ts'
import { decodeLeniently } from '../base/text/urls.ts'
import { deskAt, makeDeskRoute } from '../features/desk/desk-route.ts'
import type { Look } from '../features/pages/look.ts'
import { feedAt, makePublicFeeds } from '../features/pages/public-feeds.ts'
import { assetAt, makePublicPages, pageAt, pagelessFront } from '../features/pages/public-pages.ts'
import { MEDIA_CACHE_CONTROL } from '../store/media/media-store.ts'
import { DatabaseUnavailable } from '../store/storage/unavailable.ts'
import { makeRouteTable, type RouteTable } from '../wordpress/platform.ts'
import { isPressed } from './admission.ts'
import { withBody } from './bodies.ts'
import { type Front, incomingOf, refuseOverload } from './front.ts'
import type { SignIn, Visit } from './incoming.ts'
import { makePublicReads, readPublic, type TellWrong } from './public-reads.ts'
import { byHeader, failureReply, makeResponder, type Service, signInAsStranger } from './respond.ts'
import { sendReply, sendStream, sendText } from './send.ts'

// Holds the table of everything that the service answers, and answers each request by the first row that
// fits.

/**
 * Answers a visit at once or later.
 * @throws Problem, or any other error, which is answered unless something has been sent
 */
type Answering = (visit: Visit, signIn: SignIn) => unknown

interface AnswerRow {
  methods: ReadonlySet<string> | 'all'
  /** Finds out who sent the request. */
  signIn: SignIn
  /** Whether the row answers while the service is overloaded, or decides itself what to refuse then. */
  isUnderPressure: boolean
  /** Returns the function that answers a visit; undefined for a visit that other rows answer. */
  find: (visit: Visit) => Answering | undefined
}

interface RouterParts {
  cacheBudget: CacheBudget
  /** The look of pages for people and of the desk. */
  look: Look
  hasPages: boolean
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Makes the function that answers each visit by the first row that has an answer to it. */
export function makeRouter(service: Service, front: Front, ground: RouterParts): (visit: Visit) => void {
  const rows = makeRows(service, front, ground)
  const route = (visit: Visit): unknown => {
    const { method = '' } = visit.request
    for (const { methods, signIn, isUnderPressure, find } of rows) {
      const answer = methods === 'all' || methods.has(method) ? find(visit) : undefined
      if (answer && !isUnderPressure && isPressed(front.pressure)) return refuseOverload(front, visit)
      if (answer) return answer(visit, signIn)
    }
    throw new Problem('rest_no_route')
  }
  const fail = (visit: Visit, error: unknown) =>
    answerFailure(service, front, visit, error).catch((fault: unknown) => {
      service.report(fault, visit.requestId)
      visit.response.destroy()
    })
  return (visit) => {
    try {
      const answered = route(visit)
      if (answered instanceof Promise) answered.catch((error: unknown) => fail(visit, error))
    } catch (error) {
      void fail(visit, error)
    }
  }
}

/**
 * Makes the table. The desk finds out for itself who has signed in, by its cookie, which opens nothing else.
 */
function makeRows(service: Service, front: Front, ground: RouterParts): AnswerRow[] {
  const { restRoot } = service.site
  const { answerRest, reads, routes } = makeRest(service, front, ground)
  const pages = ground.hasPages
    ? makePublicPages(service, front, reads.finished, ground.cacheBudget, ground.look)
    : undefined
  const desk = service.gate && makeDeskRoute(service, front, service.gate, { ...ground, pages: pages?.pages })
  const findPage: AnswerRow['find'] = (visit) => pages && pageAt(pages, visit, answerRest)
  const answerPage: Answering = (visit, signIn) => (findPage(visit) ?? answerRest)(visit, signIn)
  const feeds = makePublicFeeds(
    { service, front, pages, answerList: answerRest, answerPage },
    ground.cacheBudget,
  )
  const byPath = fixedAnswers(service, front)
  const media = mediaAnswer(service, front)
  const rest = { methods: 'all', signIn: byHeader(service), isUnderPressure: true } as const
  const assistants = service.start.mcp === 'off' ? undefined : assistantsOnDemand(service, front, routes)
  const open = { methods: READS, signIn: signInAsStranger } as const
  return [
    { ...rest, find: ({ url }) => (restRoot !== '' && isBelow(restRoot, url.path) ? answerRest : undefined) },
    { ...open, isUnderPressure: true, find: ({ url }) => byPath.get(url.path) },
    { ...rest, isUnderPressure: false, find: ({ url }) => (url.path === MCP_PATH ? assistants : undefined) },
    {
      ...open,
      isUnderPressure: false,
      find: ({ url }) => (url.path.startsWith(MEDIA_PATH) ? media : undefined),
    },
    {
      methods: 'all',
      signIn: signInAsStranger,
      isUnderPressure: false,
      find: ({ url }) => desk && deskAt(desk, url.path),
    },
    { ...open, isUnderPressure: true, find: ({ url }) => pages && assetAt(pages, url.path) },
    { ...rest, methods: READS, find: (visit) => feedAt(feeds, visit) },
    { ...open, isUnderPressure: true, find: findPage },
    { ...open, isUnderPressure: false, find: ({ url }) => (pages ? undefined : welcomeAt(front, url.path)) },
    { ...rest, find: () => answerRest },
  ]
}

function isBelow(root: string, path: string): boolean {
  return path.startsWith(root) || path.slice(0, root.length).toLowerCase() === root.toLowerCase()
}

/** Makes the answer to everything below the REST root, and to addresses that are not there. */
function makeRest(service: Service, front: Front, { cacheBudget }: RouterParts) {
  const routes = makeRouteTable(service.site)
  const respond = makeResponder(service, routes, front)
  const reads = makePublicReads(service, routes, respond, cacheBudget, front)
  const answerOrdinarily: Answering = (visit, signIn) =>
    withBody(visit, front.intake, async (read) => {
      const incoming = incomingOf(front, visit, read)
      const reply = await respond(incoming, signIn)
      await sendReply(front, { ...visit, user: incoming.user }, reply)
    })
  const answerRest = (visit: Visit, signIn: SignIn, tellWrong?: TellWrong): unknown => {
    if (readPublic(reads, visit, tellWrong)) return undefined
    return isPressed(front.pressure) ? refuseOverload(front, visit) : answerOrdinarily(visit, signIn)
  }
  return { answerRest, reads, routes }
}

/** The path at which assistants ask. */
const MCP_PATH = '/mcp'

/**
 * Makes the function that answers assistants. Its code is loaded for the first one, so that a service which
 * none asks has none of it in memory.
 */
function assistantsOnDemand(service: Service, front: Front, routes: RouteTable): Answering {
  let loaded: Promise<Answering> | undefined
  const load = async (): Promise<Answering> => {
    const { makeAssistants } = await import('../features/assistants/assistants-route.ts')
    return makeAssistants(service, front, routes)
  }
  return async (visit, signIn) => {
    loaded ??= load()
    await (await loaded)(visit, signIn)
  }
}

function fixedAnswers(service: Service, front: Front): ReadonlyMap<string, Answering> {
  const say = (visit: Visit, route: string, status: number, body: object) => {
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      ...(status === 503 && { 'Retry-After': '1' }),
    }
    sendText(front, visit, { status, route, headers, text: JSON.stringify(body) })
  }
  const sayReady: Answering = async (visit) => {
    if (front.closing.isDraining) return say(visit, '/readyz', 503, { status: 'stopping' })
    await service.announced
    try {
      await service.database.ping()
      await service.images.store.check()
    } catch (error) {
      service.report(error, visit.requestId)
      return say(visit, '/readyz', 503, { status: whatFails(error) })
    }
    say(visit, '/readyz', 200, { status: 'ready', memory: service.memory.index ? 'filled' : 'filling' })
  }
  return new Map<string, Answering>([
    ['/healthz', (visit) => say(visit, '/healthz', 200, { status: 'alive' })],
    ['/readyz', sayReady],
  ])
}

/** Returns why the service is not ready, in the words of `/readyz`. */
function whatFails(error: unknown): string {
  const lack =
    error instanceof DatabaseUnavailable ? error.lack : error instanceof Problem ? error.code : undefined
  if (lack === 'room' || lack === 'rest_insufficient_storage') return 'there is no room left to write into'
  if (lack === 'permission' || lack === 'rest_read_only') return 'what has to be written may only be read'
  if (lack === 'rest_unavailable') return 'the disk of the images is not mounted'
  return 'the database does not answer'
}

const MEDIA_PATH = '/media/'
/** The route of files of images in the log and the metrics. */
const MEDIA_ROUTE = '/media/*'

/**
 * Makes the function that sends a file of the media store while it reads the file. The function throws
 * Problem where there is no such file.
 */
function mediaAnswer({ images }: Service, front: Front): Answering {
  return async (visit) => {
    const { request, response, url } = visit
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
    sendStream(front, visit, { ...answer, chunks: stream, size }, 'ordinary')
  }
}

/**
 * Returns the function that answers with the front page of a service without pages for people; undefined for
 * any other path.
 */
function welcomeAt(front: Front, path: string): Answering | undefined {
  const { site } = front
  if (site.restRoot === '' || (path !== '/' && path !== '/index.php')) return undefined
  const { headers, html } = pagelessFront(site)
  return (visit) => sendText(front, visit, { status: 200, route: '/', headers, text: html })
}

/** Answers with an error. @throws the error where the answer has begun and can only be broken off */
async function answerFailure(service: Service, front: Front, visit: Visit, error: unknown): Promise<void> {
  if (visit.response.headersSent) throw error
  await sendReply(front, visit, failureReply(error, service, false, visit.requestId))
}
