import type { MessageText } from '../../../calendar/locales/messages.ts'
import {
  faultOfPassword,
  LONGEST_PASSWORD,
  SHORTEST_PASSWORD,
  type SignInLink,
} from '../../../calendar/people/desk-passwords.ts'
import { html } from '../../../http/page-html.ts'
import { isGiven, type OwnerValues, setOwnerSettings } from '../../../store/storage/owner-settings.ts'
import type { Tx } from '../../../store/storage/recording.ts'
import { type FormFaults, faultList, plainField } from '../desk-inputs.ts'
import {
  type AnyDeskRequest,
  type DeskAnswer,
  type DeskView,
  deskPath,
  fieldOf,
  sayAtDesk,
} from '../desk-page.ts'
import { settingFaults } from '../look-values.ts'

// The link by which people begin: password and, on an empty calendar, name and colour; in a demo a look
// around.

/** Undefined for any other path. */
export function tokenIn(path: string): string | undefined {
  return /^\/set-up\/([^/]+)\/?$/.exec(path)?.[1]
}

/** Shows the form, or takes it and signs the user in. */
export async function answerLink(request: AnyDeskRequest, token: string): Promise<DeskAnswer> {
  const { context, gate, method, address, client } = request
  const { site, now } = context
  const link = await gate.linkOf(token, now)
  if (!link) return goneView(request)
  if (method === 'GET') return linkView(request, token, link, {})
  const password = fieldOf(request, 'password')
  const isLooking = link.purpose === 'demo' && password === ''
  const look = link.isFirst ? lookIn(request) : {}
  const faults = {
    ...(!isLooking && passwordFaults(request, password)),
    ...settingFaults(context.site, look),
  }
  if (Object.keys(faults).length > 0) return linkView(request, token, link, faults)
  const also = Object.keys(look).length > 0 ? (tx: Tx) => setOwnerSettings(tx, look) : undefined
  const sent = { token, password: isLooking ? undefined : password, also }
  const signedIn = await gate.signInByLink(sent, { address, client }, now)
  if (!signedIn) return goneView(request)
  return { seeOther: deskPath(site, '/'), session: signedIn.cookieId }
}

/** In words. */
export function passwordFaults(
  { context: { site } }: Pick<AnyDeskRequest, 'context'>,
  password: string,
): FormFaults {
  const fault = faultOfPassword(password)
  if (fault === undefined) return {}
  const most = { least: String(SHORTEST_PASSWORD), most: String(LONGEST_PASSWORD) }
  return { password: sayAtDesk(site, PASSWORD_FAULTS[fault], most) }
}

const PASSWORD_FAULTS = {
  'too short': 'A password has {least} characters or more.',
  'too long': 'A password has {most} characters at the most.',
} as const satisfies Record<string, MessageText>

export function newPasswordField(request: Pick<AnyDeskRequest, 'context'>, faults: FormFaults) {
  const { site } = request.context
  return plainField(
    {
      name: 'password',
      label: sayAtDesk(site, 'New password'),
      type: 'password',
      hint: sayAtDesk(site, '{least} characters or more; a few words are easy to remember.', {
        least: String(SHORTEST_PASSWORD),
      }),
      attributes: html` autocomplete="new-password" required`,
    },
    faults,
  )
}

/** Does not say whether the link is used, expired or unknown. */
function goneView({ context: { site } }: AnyDeskRequest): DeskView {
  return {
    status: 404,
    title: sayAtDesk(site, 'This link is no longer valid'),
    isAlone: true,
    body: html`<p>${sayAtDesk(site, 'A link is good once, and for half an hour. Whoever runs this calendar can make another: kalends user link LOGIN.')}</p>
<p><a class="button" href="${deskPath(site, '/sign-in')}">${sayAtDesk(site, 'Sign in')}</a></p>`,
  }
}

function linkView(request: AnyDeskRequest, token: string, link: SignInLink, faults: FormFaults): DeskView {
  const { site } = request.context
  const isWrong = Object.keys(faults).length > 0
  const shown = { ...(isWrong && { status: 422 }), isAlone: true }
  if (link.purpose === 'demo' && !isWrong)
    return {
      ...shown,
      title: sayAtDesk(site, 'Look around'),
      body: html`<p>${sayAtDesk(site, 'This link lets you in without a password, once. The desk is where the calendar is kept.')}</p>
<form method="post"><button type="submit" class="button main">${sayAtDesk(site, 'Look around')}</button></form>`,
    }
  const others = link.isFirst ? [] : request.otherSignIns
  return {
    ...shown,
    title: sayAtDesk(site, link.isFirst ? 'Set up your calendar' : 'Choose a password'),
    body: html`${others.map(({ linkButton }) => linkButton(site, token))}${faultList(site, faults)}<form class="story" method="post" novalidate>
${link.isFirst && lookFields(request, faults)}
<div class="field"><label for="login">${sayAtDesk(site, 'You sign in as')}</label><input type="text" id="login" autocomplete="username" readonly value="${link.user.login}"></div>
${newPasswordField(request, faults)}
<button type="submit" class="button main">${sayAtDesk(site, link.isFirst ? 'Open the desk' : 'Save and sign in')}</button></form>`,
  }
}

/** Without those that the start of the service gives. */
function lookFields(request: AnyDeskRequest, faults: FormFaults) {
  const { context, accent } = request
  const { site } = context
  const name = fieldOf(request, 'site_name') || site.name
  const colour = fieldOf(request, 'pages_accent') || accent
  return html`${!isGiven(request.start, 'site_name') && plainField({ name: 'site_name', label: sayAtDesk(site, 'Name of the calendar'), value: name, attributes: html` maxlength="200"` }, faults)}
${!isGiven(request.start, 'pages_accent') && plainField({ name: 'pages_accent', label: sayAtDesk(site, 'Its colour'), type: 'color', value: colour }, faults)}`
}

function lookIn(request: AnyDeskRequest): OwnerValues {
  const name = fieldOf(request, 'site_name').trim()
  const colour = fieldOf(request, 'pages_accent').trim()
  return {
    ...(name !== '' && name !== request.context.site.name && { site_name: name }),
    ...(colour !== '' && colour !== request.accent && { pages_accent: colour }),
  }
}
