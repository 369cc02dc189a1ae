import type { IncomingMessage, ServerResponse } from 'node:http'
import { Problem } from '../problems.ts'
import { admitted } from './admission.ts'
import { type FeedAddress, listOfFeed, readFeedAddress } from './feed-addresses.ts'
import { type Front, isGone, refuseOverload } from './front.ts'
import { answerHeaders } from './headers.ts'
import { LONGEST_URL } from './incoming.ts'
import { problemReply } from './problem-replies.ts'
import { anonymousContext, type Service } from './respond.ts'
import { asNew, type Outgoing, send, type Visit } from './send.ts'

type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** Has a request for a feed at an address of its own served as the list that it shows. False leaves any other to the server behind. */
export function serveFeed(
  service: Service,
  front: Front,
  request: IncomingMessage,
  response: ServerResponse,
  serve: Serve,
): boolean {
  const { method, url = '' } = request
  const { restRoot } = service.site
  if ((method !== 'GET' && method !== 'HEAD') || url.length > LONGEST_URL) return false
  if (restRoot !== '' && url.startsWith(`${restRoot}/`)) return false
  const address = readFeedAddress(url)
  if (!address) return false
  findList(service, front, address, request).then(
    (list) => {
      if (list === undefined) return sendMissing(service, front, request, response)
      request.url = list
      serve(request, response)
    },
    (error: unknown) => {
      if (!(error instanceof Problem)) service.report(error)
      refuseOverload(front, request, response)
    },
  )
  return true
}

/** The address of the list, once it is its turn. @throws Problem when too much waits */
async function findList(
  service: Service,
  front: Front,
  address: FeedAddress,
  request: IncomingMessage,
): Promise<string | undefined> {
  const context = anonymousContext(service, service.now())
  const find = () => listOfFeed(address, service.site, context)
  return admitted(front.admission, 'reads', () => isGone(request), find)
}

function sendMissing({ site }: Service, front: Front, request: IncomingMessage, response: ServerResponse): void {
  const { status, body } = problemReply(new Problem('rest_no_route'), site.language, false)
  const visit: Visit = { request, response, requestId: front.requestIds(), arrived: performance.now() }
  const headers = Object.entries(answerHeaders(site, {}, true)).flat()
  const missing: Outgoing = { status, route: '', headers, tag: '', body: Buffer.from(JSON.stringify(body)), ...asNew() }
  send(front, visit, missing, 'ordinary')
}
