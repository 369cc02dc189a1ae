import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { problemAnswer } from '../../calendar/locales/problem-answers.ts'
import { admitted } from '../../http/admission.ts'
import { withBody } from '../../http/bodies.ts'
import { type Entrance, incomingOf } from '../../http/entrance.ts'
import { type Exchange, type IncomingRequest, mediaType } from '../../http/incoming.ts'
import { asProblem, noteFailure, type Service } from '../../http/respond.ts'
import { asNew, send } from '../../http/send.ts'
import type { SentFile } from '../desk/desk-page.ts'
import { type TypedForm, typedOf } from '../desk/desk-page.ts'
import { formOf } from '../desk/desk-route.ts'
import { layOut } from '../pages/layout.ts'
import type { Asset } from '../pages/page-assets.ts'
import { viewingOf } from '../pages/page-ground.ts'
import { type Content, html } from '../pages/page-html.ts'
import {
  assetAnswer,
  contentPolicy,
  contextOfExchange,
  FOREVER,
  type PublicPages,
} from '../pages/public-pages.ts'
import { pathTo, type Viewing } from '../pages/viewing.ts'
import { readKey } from './form-token.ts'
import type { SubmissionSettings } from './submission-rules.ts'
import { saySubmission } from './submission-texts.ts'
import { ADD_PATH } from './suggest-view.ts'

export interface SuggestRoute {
  service: Service
  entrance: Entrance
  all: PublicPages
  settings: SubmissionSettings
  assets: SuggestAssets
  /** The key for form tokens; undefined until first needed. */
  key: Promise<string> | undefined
  /** The same key once read, available without waiting. */
  seal: string | undefined
  /** Empty forms by language. */
  kept: Map<string, KeptForm>
  /** `sent`: suggestions in the hour before `at`; `since`: when they began to exceed the limit. */
  lately: { at: number; sent: number; since: number }
}

export interface KeptForm {
  version: string
  headers: readonly string[]
  /** The rendered form; each answer is a copy with its own token at offset `at`. */
  page: Buffer
  at: number
  /** Copies of `page` whose sending has ended, for reuse. */
  free: Buffer[]
}

export interface SuggestAssets {
  style: Asset
  script: Asset
  proof: Asset
  all: readonly Asset[]
}

export type PageTable = ReadonlyMap<string, SuggestPage>

export interface SuggestPage {
  /** Answers a GET from the cache, without the database; undefined if it cannot. */
  kept?: (route: SuggestRoute, exchange: Exchange) => FormParts | undefined
  get?: (asked: Asked) => Promise<SuggestAnswer | undefined>
  post?: (asked: Asked) => Promise<SuggestAnswer>
  /** Decides, before the body is read, whether it may contain files. */
  takesFile?: (asked: Asked) => Promise<boolean>
}

export interface Asked {
  route: SuggestRoute
  exchange: Exchange
  incoming: IncomingRequest
  context: Context
  query: URLSearchParams
  sent: TypedForm
  files: readonly SentFile[]
}

export interface FormParts {
  parts: KeptForm
  token: string
}

export type SuggestAnswer = { seeOther: string } | SuggestView | FormParts

export interface SuggestView {
  status?: number
  title: string
  body: Content
  isSecret?: true
  /** The Retry-After header in seconds. */
  retryAfter?: number
}

/** Maximum bytes of a form without its file. */
const MOST_FORM = 65_536

export async function keyOf(route: SuggestRoute): Promise<string> {
  route.key ??= readKey(route.service.database)
  const { key } = route
  key.catch(() => {
    if (route.key === key) route.key = undefined
  })
  route.seal = await key
  return key
}

export function suggestAt(
  route: SuggestRoute,
  table: PageTable,
  path: string,
): ((exchange: Exchange) => unknown) | undefined {
  const page = table.get(path)
  if (page)
    return (exchange) => {
      const found = exchange.request.method === 'GET' ? page.kept?.(route, exchange) : undefined
      return found ? sendForm(route, exchange, found) : answerExchange(route, page, exchange)
    }
  const asset = route.assets.all.find((one) => one.path === path)
  return asset && ((exchange) => send(route.entrance, exchange, assetAnswer(asset, FOREVER), 'ordinary'))
}

function sendForm({ entrance }: SuggestRoute, exchange: Exchange, { parts, token }: FormParts): void {
  const { page, at, headers, free } = parts
  const body = free.pop() ?? Buffer.from(page)
  body.write(token, at, 'latin1')
  const own = { status: 200, route: 'suggest', headers, tag: '', body, namesOrigins: true } as const
  const giveBack = () => free.length < MOST_FREE && free.push(body)
  send(entrance, exchange, { ...asNew(), ...own, isPlain: true }, 'ordinary', giveBack)
}

const MOST_FREE = 32

async function answerExchange(route: SuggestRoute, page: SuggestPage, exchange: Exchange): Promise<void> {
  const { entrance, service } = route
  const { method = 'GET' } = exchange.request
  const isPost = method === 'POST'
  if (!(isPost ? page.post : (method === 'GET' || method === 'HEAD') && page.get))
    throw new Problem('rest_no_route')
  await withBody(exchange, entrance.intake, async (read) => {
    const incoming = incomingOf(entrance, exchange, read)
    const context = contextOfExchange(route.all, exchange)
    const query = new URLSearchParams(exchange.url.query)
    const asked: Asked = { route, exchange, incoming, context, query, sent: {}, files: [] }
    try {
      const answer = isPost ? await answerForm(asked, page) : await page.get?.(asked)
      if (!answer) throw new Problem('rest_no_route')
      await sendAnswer(route, exchange, context, answer)
    } catch (error) {
      if (exchange.response.headersSent) throw error
      const problem = asProblem(error)
      if (problem !== error) noteFailure(error, service, exchange.requestId)
      await sendAnswer(route, exchange, context, problemView(context, problem))
    }
  })
}

async function answerForm(
  asked: Asked,
  { post, takesFile }: SuggestPage,
): Promise<SuggestAnswer | undefined> {
  const { incoming } = asked
  const hasFiles = mediaType(incoming.headers) === 'multipart/form-data'
  const mayHaveFile = hasFiles && (await takesFile?.(asked)) === true
  const body = await incoming.readBody({
    isTrusted: false,
    takesFile: mayHaveFile,
    most: MOST_FORM,
    mostFiles: MOST_FILE,
  })
  const { form, files } = formOf(incoming, body)
  return post?.({ ...asked, sent: typedOf({ form }), files })
}

/** Maximum bytes of a form with a file. */
const MOST_FILE = 10_100_000

export function inQueue<Done>(
  { route, incoming }: Asked,
  work: 'reads' | 'writes' | 'uploads',
  run: () => Promise<Done>,
): Promise<Done> {
  return admitted(route.entrance.admission, work, incoming, run)
}

const AS_PAGE = { 'Content-Type': 'text/html; charset=UTF-8', Vary: 'Accept-Language' }

const headersOf = ({ site, images }: Service, isSecret: boolean) => ({
  'Content-Security-Policy': contentPolicy(site, images.mediaUrl),
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': isSecret ? 'no-referrer' : 'same-origin',
})

export const formHeaders = (service: Service): string[] =>
  Object.entries({ ...headersOf(service, false), ...AS_PAGE }).flat()

async function sendAnswer(
  route: SuggestRoute,
  exchange: Exchange,
  context: Context,
  answer: SuggestAnswer,
): Promise<void> {
  const { entrance, service } = route
  if ('parts' in answer) return sendForm(route, exchange, answer)
  const own = headersOf(service, 'isSecret' in answer)
  const sendBytes = (status: number, headers: Record<string, string>, body: Buffer) => {
    const flat = Object.entries({ ...own, ...headers }).flat()
    const whole = { ...asNew(), status, route: 'suggest', headers: flat, tag: '', body, namesOrigins: true }
    send(entrance, exchange, whole, 'ordinary')
  }
  if ('seeOther' in answer) return sendBytes(303, { Location: answer.seeOther }, Buffer.alloc(0))
  const { status = 200, retryAfter } = answer
  const isOpen = exchange.request.method !== 'POST' && !answer.isSecret
  const viewing = await viewingOf(route.all.pages, context, isOpen ? exchange.url.text : undefined)
  const body = laidOut(route, viewing, answer)
  const again = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
  sendBytes(status, { ...AS_PAGE, ...again }, Buffer.from(body))
}

export function laidOut(
  { assets }: Pick<SuggestRoute, 'assets'>,
  viewing: Viewing,
  { status = 200, title, body }: SuggestView,
): string {
  return layOut(viewing, {
    status,
    title,
    description: title,
    canonical: undefined,
    isIndexed: false,
    styles: [assets.style],
    scripts: [assets.script],
    current: undefined,
    body: html`<div class="suggestion"><h1 tabindex="-1">${title}</h1>${body}</div>`,
  })
}

const MOST_VENUES = 200

export const venueNames = ({ terms }: Pick<Viewing, 'terms'>): string[] =>
  terms.choices.venues.all.slice(0, MOST_VENUES).map(({ text }) => text)

function problemView({ site }: Context, problem: Problem): SuggestView {
  const { status, body } = problemAnswer(problem, site.language, true)
  const { retryAfter } = problem.details
  return {
    status,
    title: body.message,
    body: html`<p class="ways"><a class="button" href="${pathTo(site, ADD_PATH)}">\
${saySubmission(site, 'Suggest an event')}</a></p>`,
    ...(retryAfter !== undefined && { retryAfter }),
  }
}
