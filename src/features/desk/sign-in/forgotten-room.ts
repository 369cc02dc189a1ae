import { addSignInLink, linkTo } from '../../../calendar/people/desk-passwords.ts'
import { findUserByLogin, isActive } from '../../../calendar/people/users.ts'
import { html } from '../../pages/page-html.ts'
import {
  type AnyDeskRequest,
  type DeskAnswer,
  type DeskView,
  deskPath,
  deskTranslatorFor,
  fieldOf,
} from '../desk-page.ts'

// Sends users who forgot their password a link to set a new one, if e-mail is configured.

export const FORGOTTEN_PATH = '/forgotten'

const LONGEST_LOGIN = 254

/** Known and unknown names get the same answer, so that nobody learns who has an account. */
export async function answerForgotten(request: AnyDeskRequest): Promise<DeskAnswer> {
  const { site } = request.context
  const say = deskTranslatorFor(site)
  if (request.method !== 'POST') return forgottenView(request)
  const login = fieldOf(request, 'login').trim()
  if (login !== '' && login.length <= LONGEST_LOGIN && !/\p{Cc}/u.test(login)) await sendLink(request, login)
  return {
    title: say('Look into your mailbox'),
    isAlone: true,
    body: html`<p>${say(
      'If an account has this name and an e-mail address, a link for a new password is on its way to it.',
    )}</p>
<p><a class="button" href="${deskPath(site, '/sign-in')}">${say('Sign in')}</a></p>`,
  }
}

function forgottenView({ context: { site } }: AnyDeskRequest): DeskView {
  const say = deskTranslatorFor(site)
  return {
    title: say('A new password'),
    isAlone: true,
    body: html`<form class="story" method="post"><div class="field"><label for="login">${say(
      'Name or e-mail',
    )}</label><input type="text" id="login" name="login" autocomplete="username" autocapitalize="none" \
spellcheck="false" required autofocus></div>
<button type="submit" class="button main">${say('Send me a link')}</button></form>
<p class="hint"><a href="${deskPath(site, '/sign-in')}">${say('Sign in')}</a></p>`,
  }
}

/** Thrown to roll back the new link if no message goes out, for example after too many requests. */
class NothingSent extends Error {}

async function sendLink({ context, tell }: AnyDeskRequest, login: string): Promise<void> {
  const user = await findUserByLogin(context.db, login)
  if (!user || !isActive(user) || user.email === '') return
  const sending = context.write(async (tx) => {
    const link = linkTo(context.site.url, await addSignInLink(tx, user, context.now))
    if (!(await tell(tx, { kind: 'reset', user, link, by: '' }, context))) throw new NothingSent()
  })
  await sending.catch((error: unknown) => {
    if (!(error instanceof NothingSent)) throw error
  })
}
