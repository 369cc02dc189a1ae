import type { Site } from '../../../base/config.ts'
import { Problem } from '../../../base/problems.ts'
import { type Html, html } from '../../pages/page-html.ts'
import { pathTo } from '../../pages/viewing.ts'
import {
  type AnyDeskRequest,
  type DeskAnswer,
  type DeskPage,
  type DeskUser,
  type DeskView,
  deskPath,
  deskTranslatorFor,
  fieldOf,
  type OpenPage,
  type OtherSignIn,
  sayAtDesk,
} from '../desk-page.ts'
import type { DeskText } from '../desk-texts.ts'
import { answerForgotten, FORGOTTEN_PATH } from './forgotten-room.ts'
import { answerLink, tokenIn } from './set-up-room.ts'

export function openPageAt(others: readonly OtherSignIn[], path: string): OpenPage | undefined {
  return others.flatMap(({ pages }) => pages).find(({ at }) => at === path)
}

export function isForAll(others: readonly OtherSignIn[], path: string): boolean {
  const isFixed = path === '/sign-in' || path === FORGOTTEN_PATH
  return isFixed || tokenIn(path) !== undefined || openPageAt(others, path) !== undefined
}

/** Answers pages that need no session. Other pages redirect to sign-in; a form sent to one is not kept. */
export async function answerStranger(request: AnyDeskRequest): Promise<DeskAnswer> {
  const { method, path, query, context } = request
  const token = tokenIn(path)
  if (token !== undefined) return answerLink(request, token)
  const open = method === 'GET' ? openPageAt(request.otherSignIns, path) : undefined
  if (open) return open.get(request)
  if (path === '/sign-in') return method === 'POST' ? signIn(request) : showSignIn(request)
  if (path === FORGOTTEN_PATH)
    return context.site.hasMail ? answerForgotten(request) : { seeOther: deskPath(context.site, '/sign-in') }
  if (method === 'POST') return { status: 401, ...(await signInView(request)) }
  const asked = query.size === 0 ? path : `${path}?${query}`
  const next = new URLSearchParams({ next: `/desk${asked}` })
  const isPlain = asked === '/' || asked.length > LONGEST_NEXT
  return { seeOther: deskPath(context.site, isPlain ? '/sign-in' : `/sign-in?${next}`) }
}

/** In characters; some proxies refuse a longer Location header. */
const LONGEST_NEXT = 1000

/** Returns `next`, or the start page if it could lead elsewhere, as `//host`, `/\\host` or with a tab. */
export function safeNext(site: Site, next: string): string {
  const isPath = /^\/(?![/\\])/.test(next) && !/[\\\p{Cc}]/u.test(next)
  const isSafe = isPath && next.length <= LONGEST_NEXT && URL.canParse(next, site.url)
  // Headers may contain only visible ASCII, so all else is percent-encoded.
  return isSafe ? pathTo(site, next.replaceAll(/[^\x21-\x7e]+/g, encodeText)) : deskPath(site, '/')
}

const encodeText = (text: string) => encodeURIComponent(text.toWellFormed())

async function showSignIn(request: AnyDeskRequest): Promise<DeskAnswer> {
  const { context, query, user } = request
  return user ? { seeOther: safeNext(context.site, query.get('next') ?? '/desk/') } : signInView(request)
}

async function signInView(
  request: AnyDeskRequest,
  fault?: { text: DeskText; status: number },
): Promise<DeskView> {
  const { context, query, gate, otherSignIns } = request
  const { site } = context
  const isHidden = !fault && !query.has('local') && otherSignIns.some(({ hidesPasswords }) => hidesPasswords)
  const title = sayAtDesk(site, 'Sign in to the desk')
  if (!fault && !(await gate.canWrite()))
    return { status: 503, title, isAlone: true, body: html`<p>${sayAtDesk(site, READ_ONLY)}</p>` }
  const next = query.get('next') ?? fieldOf(request, 'next')
  return {
    ...(fault && { status: fault.status }),
    title,
    isAlone: true,
    body: html`${otherSignIns.map(({ button }) => button(site, next, query.has('signed-out')))}${
      !isHidden && signInForm(request, next, fault?.text)
    }`,
  }
}

const READ_ONLY = 'The service can only be read just now; try again later.'

function signInForm(request: AnyDeskRequest, next: string, fault: DeskText | undefined): Html {
  const { site } = request.context
  const say = (text: DeskText) => sayAtDesk(site, text)
  const login = fieldOf(request, 'login')
  const wrong = fault !== undefined && html` aria-invalid="true" aria-describedby="faults"`
  return html`${
    fault && html`<div class="summary" role="alert" tabindex="-1" id="faults"><p>${say(fault)}</p></div>`
  }<form class="story" method="post" action="${deskPath(site, '/sign-in')}">
<div class="field"><label for="login">${say(
    'Name or e-mail',
  )}</label><input type="text" id="login" name="login" autocomplete="username" autocapitalize="none" \
spellcheck="false" required${login === '' && html` autofocus`}${wrong} value="${login}"></div>
<div class="field"><label for="password">${say(
    'Password',
  )}</label><input id="password" name="password" type="password" autocomplete="current-password" \
required${login !== '' && html` autofocus`}${wrong}></div>
<input type="hidden" name="next" value="${next}"><button type="submit" class="button main">${say(
    'Sign \
in',
  )}</button></form>
<p class="hint">${
    site.hasMail
      ? html`<a href="${deskPath(site, FORGOTTEN_PATH)}">${say('Forgotten? Have a link sent to you.')}</a>`
      : say('Forgotten? Ask whoever runs this calendar for a link.')
  }</p>`
}

async function signIn(request: AnyDeskRequest): Promise<DeskAnswer> {
  const { context, gate, address, client, user } = request
  const login = fieldOf(request, 'login').trim()
  const sent = { login, password: fieldOf(request, 'password'), formerId: user?.cookie }
  try {
    const signedIn = await gate.signIn(sent, { client, address }, context.now)
    if (!signedIn)
      return signInView(request, { text: 'That name and password do not belong together.', status: 401 })
    return {
      seeOther: safeNext(context.site, fieldOf(request, 'next') || '/desk/'),
      session: signedIn.cookieId,
    }
  } catch (error) {
    const fault = error instanceof Problem && signInFault(error)
    if (!fault) throw error
    const { retryAfter } = fault
    return { ...(await signInView(request, fault)), ...(retryAfter !== undefined && { retryAfter }) }
  }
}

function signInFault({ code, details: { retryAfter } }: Problem): SignInFault | undefined {
  const fault = BUSY[code]
  return fault && { ...fault, ...(retryAfter !== undefined && { retryAfter }) }
}

interface SignInFault {
  text: DeskText
  status: number
  retryAfter?: number
}

const BUSY: Readonly<Partial<Record<string, { text: DeskText; status: number }>>> = {
  too_many_attempts: { text: 'Too many attempts from here; wait a minute and try again.', status: 429 },
  rest_unavailable: { text: 'Too many people sign in just now; try again in a few seconds.', status: 503 },
}

export function foreignFormView(site: Site, origin: string): DeskView {
  const say = deskTranslatorFor(site)
  const own = new URL(site.url).origin
  const isElsewhere = origin !== '' && origin !== own
  return {
    status: 403,
    title: say('This form did not come from the desk'),
    isAlone: true,
    body: html`<p>${say('Nothing was changed. Your browser says that another site sent this form.')}</p>
${isElsewhere && html`<p>${say('It came from {origin}, and the desk is at {own}.', { origin, own })}</p>`}
<p><a class="button main" href="${site.url}/desk/">${say('Open the desk at its address')}</a></p>
<p class="hint">${say(
      'If that is not the address you use, whoever runs this calendar has to set KALENDS_SITE_URL to the one \
you use.',
    )}</p>`,
  }
}

export const signOutPages: readonly DeskPage[] = [
  {
    at: '/sign-out',
    post: async ({ context, gate, user, otherSignIns }) => {
      await gate.signOut(user.cookie)
      const users = await Promise.all(otherSignIns.map(({ listUsers }) => listUsers(context.db)))
      const isElsewhere = users.some((signedIn) => signedIn.has(user.user.id))
      const path = isElsewhere ? '/sign-in?signed-out' : '/sign-in'
      return { seeOther: deskPath(context.site, path), session: undefined }
    },
  },
]

/** No declared field has a hyphen in its name, so these cannot collide with controls of the kept form. */
const LOGIN = 'desk-login'
const PASSWORD = 'desk-password'
const ELSEWHERE = 'desk-elsewhere'

export const isSigningIn = (form: AnyDeskRequest['form']): boolean =>
  form[PASSWORD] !== undefined && form[ELSEWHERE] === undefined

interface SignedInAgain {
  user: DeskUser
  form: AnyDeskRequest['form']
}

export async function signInAgain(request: AnyDeskRequest): Promise<SignedInAgain | DeskView> {
  const { context, gate, address, client } = request
  const { [LOGIN]: _login, [PASSWORD]: password, [ELSEWHERE]: elsewhere, ...form } = request.form
  if (password === undefined || elsewhere !== undefined) return keptView(request, form)
  const sent = {
    login: fieldOf(request, LOGIN).trim(),
    password: fieldOf(request, PASSWORD),
    formerId: undefined,
  }
  try {
    const signedIn = await gate.signIn(sent, { client, address }, context.now)
    const found = signedIn && (await gate.sessionOf(signedIn.cookieId, context.now))
    if (signedIn && found) return { user: { ...found, cookie: signedIn.cookieId }, form }
    return keptView(request, form, { text: 'That name and password do not belong together.', status: 401 })
  } catch (error) {
    const fault = error instanceof Problem && signInFault(error)
    if (!fault) throw error
    return keptView(request, form, fault)
  }
}

function keptView(
  request: AnyDeskRequest,
  form: AnyDeskRequest['form'],
  fault?: { text: DeskText; status: number; retryAfter?: number },
): DeskView {
  const { context, files, repeated, otherSignIns } = request
  const say = (text: DeskText) => sayAtDesk(context.site, text)
  const kept = Object.entries(form).flatMap(([name, value]) => hiddenFields(name, value, repeated.has(name)))
  const wrong = fault && html` aria-invalid="true" aria-describedby="faults"`
  const isHidden = !fault && otherSignIns.some(({ hidesPasswords }) => hidesPasswords)
  const others = otherSignIns.map(({ tabButtons }) => tabButtons(context.site, ELSEWHERE))
  const fields = html`<div class="field"><label for="login">${say(
    'Name or e-mail',
  )}</label><input type="text" id="login" name="${LOGIN}" autocomplete="username" autocapitalize="none" \
spellcheck="false" required${!isHidden && html` autofocus`}${wrong} value="${fieldOf(request, LOGIN)}"></div>
<div class="field"><label for="password">${say('Password')}</label><input id="password" name="${PASSWORD}" \
type="password" autocomplete="current-password" required${wrong}></div>
<button type="submit" class="button main">${say('Sign in and go on')}</button>`
  return {
    status: fault?.status ?? 401,
    ...(fault?.retryAfter !== undefined && { retryAfter: fault.retryAfter }),
    title: say('Sign in to go on'),
    isAlone: true,
    body: html`${
      fault &&
      html`<div class="summary" role="alert" tabindex="-1" id="faults"><p>${say(fault.text)}</p></div>`
    }<p>${say('Your session has ended. What you typed is kept here: sign in, and it is saved.')}</p>
${
  files.length > 0 && html`<p class="hint">${say('Only the picture has to be chosen again afterwards.')}</p>`
}<form class="story" method="post">${kept}
${
  isHidden
    ? html`${others}<details><summary>${say(
        'Password',
      )}</summary><div class="story">${fields}</div></details>`
    : html`${fields}${others}`
}</form>`,
  }
}

function hiddenFields(name: string, value: unknown, isRepeated: boolean): Html[] {
  if (Array.isArray(value))
    return value.flatMap((one) => hiddenFields(isRepeated ? name : `${name}[]`, one, false))
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([key, inner]) => hiddenFields(`${name}[${key}]`, inner, false))
  return typeof value === 'string' ? [html`<input type="hidden" name="${name}" value="${value}">`] : []
}
