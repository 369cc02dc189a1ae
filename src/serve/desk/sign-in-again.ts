import { Problem } from '../../base/problems.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import { type Html, html } from '../pages/page-html.ts'
import { type AnyDeskRequest, type DeskUser, type DeskView, fieldOf, sayAtDesk } from './desk-page.ts'
import { signInFault } from './sign-in-room.ts'

// A form that is sent when the session has ended: the page asks for the password, carries everything that was typed, and goes on once it is right.

/** The fields that the page adds to the form; no declared field has a dash in its name. */
const LOGIN = 'desk-login'
const PASSWORD = 'desk-password'

/** Somebody who has signed in by the form. The form goes on without login and password. */
interface SignedInAgain {
  user: DeskUser
  form: AnyDeskRequest['form']
}

/** Answers a form whose session has ended: with a page that keeps the typed values and asks for the password, or with the user who has signed in by it. */
export async function signInAgain(request: AnyDeskRequest): Promise<SignedInAgain | DeskView> {
  const { context, gate, address, client } = request
  const { [LOGIN]: _login, [PASSWORD]: password, ...form } = request.form
  if (password === undefined) return keptView(request, form)
  const sent = { login: fieldOf(request, LOGIN).trim(), password: fieldOf(request, PASSWORD), formerId: undefined }
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
  fault?: { text: MessageText; status: number; retryAfter?: number },
): DeskView {
  const { context, files, repeated } = request
  const say = (text: MessageText) => sayAtDesk(context.site, text)
  const kept = Object.entries(form).flatMap(([name, value]) => hiddenFields(name, value, repeated.has(name)))
  const wrong = fault && html` aria-invalid="true" aria-describedby="faults"`
  return {
    status: fault?.status ?? 401,
    ...(fault?.retryAfter !== undefined && { retryAfter: fault.retryAfter }),
    title: say('Sign in to go on'),
    isAlone: true,
    body: html`${fault && html`<div class="summary" role="alert" tabindex="-1" id="faults"><p>${say(fault.text)}</p></div>`}<p>${say('Your session has ended. What you typed is kept here: sign in, and it is saved.')}</p>
${files.length > 0 && html`<p class="hint">${say('Only the picture has to be chosen again afterwards.')}</p>`}<form class="story" method="post">${kept}
<div class="field"><label for="login">${say('Name or e-mail')}</label><input type="text" id="login" name="${LOGIN}" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus${wrong} value="${fieldOf(request, LOGIN)}"></div>
<div class="field"><label for="password">${say('Password')}</label><input id="password" name="${PASSWORD}" type="password" autocomplete="current-password" required${wrong}></div>
<button type="submit" class="button main">${say('Sign in and go on')}</button></form>`,
  }
}

/** The hidden fields that carry a value of a form. */
function hiddenFields(name: string, value: unknown, isRepeated: boolean): Html[] {
  if (Array.isArray(value)) return value.flatMap((one) => hiddenFields(isRepeated ? name : `${name}[]`, one, false))
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([key, inner]) => hiddenFields(`${name}[${key}]`, inner, false))
  return typeof value === 'string' ? [html`<input type="hidden" name="${name}" value="${value}">`] : []
}
