import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { problemAnswer } from '../../calendar/locales/problem-answers.ts'
import { admitted } from '../../http/admission.ts'
import { withBody } from '../../http/bodies.ts'
import { type Entrance, incomingOf } from '../../http/entrance.ts'
import { type Exchange, type IncomingRequest, mediaType, parseBody } from '../../http/incoming.ts'
import { asProblem, noteFailure, type Service } from '../../http/respond.ts'
import { asNew, send } from '../../http/send.ts'
import { layOut } from '../pages/layout.ts'
import { viewingOf } from '../pages/page-ground.ts'
import { type Content, html } from '../pages/page-html.ts'
import { contentPolicy, contextOfExchange, type PublicPages } from '../pages/public-pages.ts'

export interface SubscribeRoute {
  service: Service
  entrance: Entrance
  all: PublicPages
  /** Times of requests in the last hour, in ms since the epoch, by network address. */
  asked: Map<string, number[]>
}

export interface AskedPage {
  route: SubscribeRoute
  context: Context
  incoming: IncomingRequest
  query: URLSearchParams
  token: string
  field: (name: string) => string
}

export interface SubscribePage {
  get: (asked: AskedPage) => Promise<SubscribeAnswer>
  post: (asked: AskedPage) => Promise<SubscribeAnswer>
}

export type SubscribeAnswer = { seeOther: string } | SubscribeView

export interface SubscribeView {
  status?: number
  title: string
  body: Content
}

/** Maximum size of a form in bytes. */
const MOST_FORM = 16_384

export async function answerSubscribe(
  route: SubscribeRoute,
  page: SubscribePage,
  exchange: Exchange,
  token: string,
): Promise<void> {
  const { entrance, service } = route
  const { method = 'GET' } = exchange.request
  const isPost = method === 'POST'
  if (!isPost && method !== 'GET' && method !== 'HEAD') throw new Problem('rest_no_route')
  await withBody(exchange, entrance.intake, async (read) => {
    const incoming = incomingOf(entrance, exchange, read)
    const context = contextOfExchange(route.all, exchange)
    try {
      const body = isPost
        ? await incoming.readBody({ isTrusted: false, takesFile: false, most: MOST_FORM })
        : undefined
      const type = mediaType(incoming.headers)
      const form = body && !type.endsWith('json') ? parseBody(type, body.bytes) : {}
      const field = (name: string) => {
        const value = form[name]
        return typeof value === 'string' ? value : ''
      }
      const query = new URLSearchParams(exchange.url.query)
      const asked: AskedPage = { route, context, incoming, query, token, field }
      const answer = await admitted(entrance.admission, isPost ? 'writes' : 'reads', incoming, () =>
        isPost ? page.post(asked) : page.get(asked),
      )
      await sendAnswer(route, exchange, context, answer, token !== '')
    } catch (error) {
      if (exchange.response.headersSent) throw error
      const problem = asProblem(error)
      if (problem !== error) noteFailure(error, service, exchange.requestId)
      const { status, body } = problemAnswer(problem, context.site.language, true)
      await sendAnswer(route, exchange, context, { status, title: body.message, body: '' }, token !== '')
    }
  })
}

async function sendAnswer(
  { entrance, service, all }: SubscribeRoute,
  exchange: Exchange,
  context: Context,
  answer: SubscribeAnswer,
  isSecret: boolean,
): Promise<void> {
  const own = {
    'Content-Security-Policy': contentPolicy(context.site, service.images.mediaUrl),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
    'Referrer-Policy': isSecret ? 'no-referrer' : 'same-origin',
  }
  const sendBytes = (status: number, headers: Record<string, string>, body: Buffer) => {
    const flat = Object.entries({ ...own, ...headers }).flat()
    const route = 'subscribe'
    send(
      entrance,
      exchange,
      { ...asNew(), status, route, headers: flat, tag: '', body, namesOrigins: true },
      'ordinary',
    )
  }
  if ('seeOther' in answer) return sendBytes(303, { Location: answer.seeOther }, Buffer.alloc(0))
  const { status = 200, title, body } = answer
  const isOpen = exchange.request.method !== 'POST' && !isSecret
  const heading = html`<h1 tabindex="-1">${title}</h1>`
  const viewing = await viewingOf(all.pages, context, isOpen ? exchange.url.text : undefined)
  const page = layOut(viewing, {
    status,
    title,
    description: title,
    canonical: undefined,
    isIndexed: false,
    styles: [viewing.assets.texts],
    current: undefined,
    body: html`<article class="own-text">${heading}<div class="prose">${body}</div></article>`,
  })
  const type = { 'Content-Type': 'text/html; charset=UTF-8', Vary: 'Accept-Language' }
  sendBytes(status, type, Buffer.from(page))
}
