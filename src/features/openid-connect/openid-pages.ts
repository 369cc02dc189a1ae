import type { ServerMetadata } from 'openid-client'
import type { Logger } from 'pino'
import type { Site } from '../../base/config.ts'
import { clientOf } from '../../base/text/urls.ts'
import { inTurn } from '../../calendar/people/turns.ts'
import type { User } from '../../calendar/people/users.ts'
import {
  type AnyDeskRequest,
  type DeskAnswer,
  type DeskView,
  deskPath,
  type OpenPage,
} from '../desk/desk-page.ts'
import { safeNext } from '../desk/sign-in/sign-in-room.ts'
import { html } from '../pages/page-html.ts'
import { authorizationUrl, describeFault, exchangeCode, type ProviderTrouble } from './exchange.ts'
import { type Refusal, settleUser } from './identities.ts'
import { type OpenIdText, sayOpenId } from './openid-texts.ts'
import type { Provider } from './provider.ts'
import { addFlow, type Flow, findFlow, isLeave, newState } from './sealed.ts'

export const START_PATH = '/openid/start'
export const RETURN_PATH = '/openid/return'
export const LEAVE_PATH = '/openid/sign-out'

const LONGEST_NEXT = 1000

export function openPages(provider: Provider, logger: Logger): OpenPage[] {
  return [
    { at: START_PATH, get: (request) => guarded(provider, logger, request, () => start(provider, request)) },
    {
      at: RETURN_PATH,
      get: (request) => guarded(provider, logger, request, () => comeBack(provider, logger, request)),
    },
    { at: LEAVE_PATH, get: (request) => guarded(provider, logger, request, () => leave(provider, request)) },
  ]
}

/** Shows a failure at the provider as a page, and logs it. */
async function guarded(
  { client }: Provider,
  logger: Logger,
  request: AnyDeskRequest,
  answer: () => Promise<DeskAnswer>,
): Promise<DeskAnswer> {
  try {
    return await answer()
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    const { why, code } = await describeFault(error.cause)
    logger.warn({ address: request.address, reason: why, code }, 'sign-in refused')
    // After a step back, the browser repeats a sign-in that is already used.
    if (why === 'used' && request.user) return { seeOther: deskPath(request.context.site, '/') }
    return problemView(request, client.name, why)
  }
}

class ProviderFault extends Error {}

/** Asks the provider; few requests at once are allowed for each client, and for all together. */
function asking<T>({ turns }: Provider, { address }: AnyDeskRequest, ask: () => Promise<T>): Promise<T> {
  const safely = () =>
    ask().catch((cause: unknown) => {
      throw new ProviderFault('the provider', { cause })
    })
  return inTurn(turns.ofClient, clientOf(address), () => inTurn(turns.ofAll, 'all', safely))
}

async function metadataFor(provider: Provider, request: AnyDeskRequest): Promise<ServerMetadata> {
  return provider.known() ?? asking(provider, request, provider.metadata)
}

const returnAddress = ({ url }: Site) => `${url}/desk${RETURN_PATH}`

/** Begins a sign-in. The server stores nothing, since the cookie has the sealed flow. */
async function start(provider: Provider, request: AnyDeskRequest): Promise<DeskAnswer> {
  const { context, query, user } = request
  const { site, now } = context
  const by = await provider.seal()
  const sealed = query.get('connect')
  const token = query.get('link_token') ?? ''
  const next = query.get('next') ?? ''
  if (sealed !== null && !(user && isLeave(by, sealed, user.session.hash, now)))
    return problemView(request, provider.client.name, 'left')
  if (user && sealed === null && token === '') return { seeOther: safeNext(site, next || '/desk/') }
  const flow = {
    state: newState(),
    since: now,
    next: next.length <= LONGEST_NEXT ? next : '',
    token: /^[\w-]{43}$/.test(token) ? token : '',
    user: sealed !== null && user ? user.user.id : 0,
  }
  const metadata = await metadataFor(provider, request)
  const url = await asking(provider, request, async () =>
    authorizationUrl(provider, metadata, flow, by, returnAddress(site)),
  )
  return { seeOther: url, underWay: addFlow(by, request.underWay, flow) }
}

async function comeBack(provider: Provider, logger: Logger, request: AnyDeskRequest): Promise<DeskAnswer> {
  const { context, query, user, gate, address, client } = request
  const { site, now } = context
  const by = await provider.seal()
  const flow = findFlow(by, request.underWay, query.get('state') ?? '', now)
  if (!flow)
    return user ? { seeOther: deskPath(site, '/') } : problemView(request, provider.client.name, 'lost')
  if (flow.user !== 0 && flow.user !== user?.user.id)
    return problemView(request, provider.client.name, 'left')
  const answered = new URL(`${returnAddress(site)}?${query}`)
  const metadata = await metadataFor(provider, request)
  const claimed = await asking(provider, request, () =>
    exchangeCode(provider, metadata, flow, by, answered, now),
  )
  let refusal: Refusal | undefined
  const settle = async (tx: Parameters<typeof settleUser>[0]) => {
    const settled = await settleUser(tx, claimed, flow, provider.client.roles.length > 0, now)
    refusal = settled.refusal
    return settled.user && { user: settled.user, isRefused: refusal !== undefined }
  }
  const signedIn = await gate.signInAs(settle, user?.cookie, { client, address }, now)
  if (signedIn) return { seeOther: safeNext(site, nextOf(flow)), session: signedIn.cookieId }
  logger.warn({ address, reason: refusal }, 'sign-in refused')
  return problemView(request, provider.client.name, refusal ?? 'gone')
}

function nextOf({ user, next }: Flow): string {
  return user === 0 ? next || '/desk/' : '/desk/me'
}

async function leave(provider: Provider, request: AnyDeskRequest): Promise<DeskAnswer> {
  const { site } = request.context
  const { client } = provider
  const { end_session_endpoint: end } = await metadataFor(provider, request)
  const url = typeof end === 'string' ? URL.parse(end) : null
  if (!url || !['https:', client.issuer.protocol].includes(url.protocol))
    return problemView(request, client.name, 'no sign-out')
  url.searchParams.set('client_id', client.id)
  url.searchParams.set('post_logout_redirect_uri', `${site.url}/desk/sign-in`)
  return { seeOther: url.href }
}

type Trouble = ProviderTrouble | Refusal | 'lost' | 'left' | 'no sign-out'

interface TroublePage {
  status: number
  title: OpenIdText
  text: OpenIdText
  /** True if another try may succeed. */
  isAgain?: true
}

const TROUBLES: Readonly<Record<Trouble, TroublePage>> = {
  silent: {
    status: 503,
    title: '{name} does not answer',
    text: 'Nothing was changed. Try again in a minute.',
    isAgain: true,
  },
  unusable: {
    status: 502,
    title: 'The answer of {name} cannot be used',
    text: 'Nobody was signed in. An administrator finds the reason in the log of the calendar.',
    isAgain: true,
  },
  used: {
    status: 400,
    title: 'This sign-in has been used or has expired',
    text: 'Nothing was changed. Try again in a minute.',
    isAgain: true,
  },
  lost: {
    status: 400,
    title: 'This sign-in was not begun here',
    text: 'It was begun in another browser, or more than ten minutes ago.',
    isAgain: true,
  },
  denied: {
    status: 403,
    title: '{name} did not sign you in',
    text: 'You have cancelled it, or your account may not use this calendar.',
    isAgain: true,
  },
  'no role': {
    status: 403,
    title: 'You have no access to this calendar',
    text: 'Your account of {name} has no role here. Ask an administrator of this calendar.',
  },
  deactivated: {
    status: 403,
    title: 'You have no access to this calendar',
    text: 'This account is deactivated: nobody signs in with it.',
  },
  elsewhere: {
    status: 409,
    title: 'This account is connected already',
    text: 'Your account of {name} signs in somebody else here. That has to be disconnected first.',
  },
  gone: {
    status: 404,
    title: 'This link is no longer valid',
    text: 'A link is good once, and for half an hour. Whoever runs this calendar can make another: kalends \
user link LOGIN.',
  },
  left: {
    status: 403,
    title: 'Nothing was connected',
    text: 'Your session has ended meanwhile. Begin again on the page of your account.',
  },
  'no sign-out': {
    status: 404,
    title: '{name} has no page for signing out',
    text: 'Sign out on a page of {name} itself.',
  },
}

function problemView({ context: { site }, user }: AnyDeskRequest, name: string, why: Trouble): DeskView {
  const { status, title, text, isAgain } = TROUBLES[why]
  const say = (said: OpenIdText) => sayOpenId(site, said, { name })
  return {
    status,
    title: say(title),
    isAlone: true,
    ...(status === 503 && { retryAfter: 5 }),
    body: html`<p>${say(text)}</p><p class="tools">${
      isAgain && html`<a class="button main" href="${deskPath(site, START_PATH)}">${say('Try again')}</a>`
    }<a class="button" href="${deskPath(site, user ? '/' : '/sign-in')}">${say(
      user ? 'Open the desk' : 'Sign in',
    )}</a></p>`,
  }
}

export type CardRequest = Pick<AnyDeskRequest, 'context' | 'user'>
export const isOwnPage = ({ user }: CardRequest, { id }: User) => user?.user.id === id
