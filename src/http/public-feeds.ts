import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Cache, type CacheBudget, emptyCache, findCached, keepCached } from '../memory/cache.ts'
import { catchUp, isBehind } from '../memory/event-memory.ts'
import { rootOf } from '../pages/page-addresses.ts'
import { Problem, type ProblemCode } from '../problems.ts'
import { admitted } from './admission.ts'
import {
  type FeedAddress,
  type FeedFound,
  findFeed,
  listOfEvents,
  mayBeFeed,
  readFeedAddress,
} from './feed-addresses.ts'
import { askerOf, type Front, refuseOverload } from './front.ts'
import { answerHeaders } from './headers.ts'
import { LONGEST_URL } from './incoming.ts'
import { problemReply } from './problem-replies.ts'
import { type PublicPages, sendProblemPage } from './public-pages.ts'
import { anonymousContext, type Service } from './respond.ts'
import { asNew, send, type Visit } from './send.ts'
import { takesHtml } from './site-page.ts'

type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** The handler of feeds with addresses of their own. */
export interface PublicFeeds {
  service: Service
  front: Front
  /** The lists behind these addresses: for one version of the data, or for good if nothing had to be looked up. */
  lists: Cache<string, { version: string | undefined; list: string }>
  /** Where browsers are shown why they get no feed. */
  pages: PublicPages | undefined
}

/** `budget` bounds the addresses that are kept. */
export function makePublicFeeds(
  service: Service,
  front: Front,
  budget: CacheBudget,
  pages: PublicPages | undefined,
): PublicFeeds {
  return { service, front, lists: emptyCache(budget), pages }
}

/** Serves a request for a feed with its own address as the list that the feed shows. False leaves any other request to the next handler. */
export function serveFeed(
  feeds: PublicFeeds,
  request: IncomingMessage,
  response: ServerResponse,
  serve: Serve,
): boolean {
  const { method, url = '' } = request
  const { restRoot } = feeds.service.site
  if ((method !== 'GET' && method !== 'HEAD') || url.length > LONGEST_URL) return false
  if (!mayBeFeed(url) || (restRoot !== '' && url.startsWith(`${restRoot}/`))) return false
  const known = findKnownList(feeds, url)
  if (known !== undefined) {
    request.url = known
    serve(request, response)
    return true
  }
  const address = readFeedAddress(url, feeds.service.site, feeds.service.now())
  if (!address) return false
  serveAddress(feeds, address, request, response, serve)
  return true
}

/** The same for an address that leads to a list which is not known. */
function serveAddress(
  feeds: PublicFeeds,
  address: FeedAddress,
  request: IncomingMessage,
  response: ServerResponse,
  serve: Serve,
): void {
  const { service, front } = feeds
  if (address.scope.of === 'all') {
    const list = withQuery(listOfEvents(address, service.site), address)
    if (!address.isOfToday) keepList(feeds, request.url ?? '', list, undefined)
    request.url = list
    serve(request, response)
    return
  }
  findInTurn(feeds, address, request).then(
    (found) => {
      if (found === undefined && address.isPage) return serve(request, response)
      if (found === undefined || found === 'gone') return sendMissing(feeds, request, response, found)
      if ('moved' in found) return sendMoved(feeds, request, response, found.moved)
      request.url = withQuery(found.list, address)
      serve(request, response)
    },
    (error: unknown) => {
      if (!(error instanceof Problem)) service.report(error)
      refuseOverload(front, request, response)
    },
  )
}

const withQuery = (list: string, { query }: FeedAddress) => (query === '' ? list : `${list}&${query}`)

/** The list behind an address that was requested before; if it was looked up, only while the data are unchanged. */
function findKnownList({ service: { memory }, lists }: PublicFeeds, url: string): string | undefined {
  const known = findCached(lists, url)
  if (known?.version === undefined) return known?.list
  return !isBehind(memory) && known.version === memory.version ? known.list : undefined
}

function keepList({ lists }: PublicFeeds, url: string, list: string, version: string | undefined): void {
  keepCached(lists, url, { version, list }, (url.length + list.length) * 2 + 200)
}

/** Finds the feed at the address when its turn comes. @throws Problem when too much waits */
async function findInTurn(feeds: PublicFeeds, address: FeedAddress, request: IncomingMessage): Promise<FeedFound> {
  const { service, front } = feeds
  const { memory, site } = service
  const context = anonymousContext(service, service.now())
  // Without the database there is nothing to take in, and looking the address up says so.
  if (isBehind(memory)) await catchUp(memory).catch(service.report)
  const { version } = memory
  const found = await admitted(front.admission, 'reads', askerOf(front, request), () =>
    findFeed(address, site, context),
  )
  if (found !== undefined && found !== 'gone' && 'list' in found && version !== '' && !address.isOfToday)
    keepList(feeds, request.url ?? '', withQuery(found.list, address), version)
  return found
}

function sendMissing(
  feeds: PublicFeeds,
  request: IncomingMessage,
  response: ServerResponse,
  found: 'gone' | undefined,
): void {
  const { pages } = feeds
  if (pages && takesHtml(request)) {
    sendProblemPage(pages, visitOf(feeds, request, response), found === 'gone' ? 410 : 404)
    return
  }
  const code: ProblemCode = found === 'gone' ? 'rest_gone' : 'rest_no_route'
  const { status, body } = problemReply(new Problem(code), feeds.service.site.language, false)
  sendAlone(feeds, request, response, { status, headers: {}, body })
}

function sendMoved(feeds: PublicFeeds, request: IncomingMessage, response: ServerResponse, path: string): void {
  const location = rootOf(feeds.service.site) + path
  sendAlone(feeds, request, response, { status: 301, headers: { Location: location }, body: { location } })
}

const visitOf = ({ front }: PublicFeeds, request: IncomingMessage, response: ServerResponse): Visit => ({
  request,
  response,
  requestId: front.requestIds(),
  arrived: performance.now(),
})

/** Sends an answer other than a list. */
function sendAlone(
  feeds: PublicFeeds,
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: { status: number; headers: Record<string, string>; body: object },
): void {
  const { service, front } = feeds
  const flat = Object.entries(answerHeaders(service.site, headers, true)).flat()
  const bytes = Buffer.from(JSON.stringify(body))
  send(
    front,
    visitOf(feeds, request, response),
    { status, route: '', headers: flat, tag: '', body: bytes, ...asNew() },
    'ordinary',
  )
}
