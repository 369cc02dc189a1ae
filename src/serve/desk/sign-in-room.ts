import { html } from '../pages/page-html.ts'
import {
  type AnyDeskRequest,
  type DeskAnswer,
  type DeskPage,
  type DeskView,
  deskPath,
  fieldOf,
  sayAtDesk,
} from './desk-page.ts'

/** Answers somebody who has not signed in. */
export async function answerStranger(request: AnyDeskRequest): Promise<DeskAnswer> {
  const { method, path, context } = request
  if (path === '/sign-in') return method === 'POST' ? signIn(request) : signInView(request, false)
  if (method === 'POST') return { ...signInView(request, false), status: 401 }
  const next = new URLSearchParams({ next: `/desk${path}` })
  return { seeOther: deskPath(context.site, `/sign-in?${next}`) }
}

/** A path of the desk that somebody may be led to after signing in. */
function safeNext(next: string): string {
  return /^\/desk\/[\w/.?=&%-]*$/.test(next) ? next.slice('/desk'.length) : '/'
}

function signInView({ context: { site }, query, form }: AnyDeskRequest, isWrong: boolean): DeskView {
  const next = query.get('next') ?? fieldOf({ form }, 'next')
  const say = (text: Parameters<typeof sayAtDesk>[1]) => sayAtDesk(site, text)
  return {
    status: isWrong ? 401 : 200,
    title: say('Sign in to the desk'),
    isAlone: true,
    body: html`${isWrong && html`<div class="summary" role="alert"><p>${say('That name and password do not belong together.')}</p></div>`}<form class="story" method="post" action="${deskPath(site, '/sign-in')}">
<div class="field"><label for="login">${say('Name or e-mail')}</label><input id="login" name="login" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus value="${fieldOf({ form }, 'login')}"></div>
<div class="field"><label for="password">${say('Password')}</label><input id="password" name="password" type="password" autocomplete="current-password" required></div>
<input type="hidden" name="next" value="${next}"><button class="button main">${say('Sign in')}</button></form>
<p class="hint">${say('Forgotten? Ask whoever runs this calendar for a link.')}</p>`,
  }
}

async function signIn(request: AnyDeskRequest): Promise<DeskAnswer> {
  const { context, gate, address, client } = request
  const sent = { login: fieldOf(request, 'login').trim(), password: fieldOf(request, 'password'), formerId: undefined }
  const signedIn = await gate.signIn(sent, { client, address }, context.now)
  if (!signedIn) return signInView(request, true)
  return { seeOther: deskPath(context.site, safeNext(fieldOf(request, 'next'))), session: signedIn.cookieId }
}

/** What signing in leaves to those who have. */
export const signedInPages: readonly DeskPage[] = [
  { at: '/sign-in', get: ({ context: { site } }) => ({ seeOther: deskPath(site, '/') }) },
  {
    at: '/sign-out',
    post: async ({ context, gate, user }) => {
      await gate.signOut(user.cookie)
      return { seeOther: deskPath(context.site, '/sign-in'), session: undefined }
    },
  },
]
