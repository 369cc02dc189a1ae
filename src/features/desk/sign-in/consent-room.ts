import { isUuid } from '../../../base/text/characters.ts'
import { utcToWall } from '../../../base/text/zones.ts'
import { type CredentialScope, SCOPES } from '../../../calendar/people/caller.ts'
import { addCredential, listCredentials } from '../../../calendar/people/credentials.ts'
import { RefusedUserChange } from '../../../calendar/people/users.ts'
import { CONSENT_PATH } from '../../../wordpress/platform-passwords.ts'
import { written } from '../../feeds/date-forms.ts'
import { type Html, html } from '../../pages/page-html.ts'
import { pathTo } from '../../pages/viewing.ts'
import {
  CONSENT_ROOM,
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  type DeskView,
  deskPath,
  deskTranslatorFor,
  fieldOf,
  sayAtDesk,
} from '../desk-page.ts'
import type { DeskText } from '../desk-texts.ts'

// Asks whether a program may have an application password. As in WordPress, the password is sent only by
// HTTPS, or to a URL scheme of the program's own.

interface Asked {
  /** Parameter `app_id`: a UUID, or empty. */
  id: string
  name: string
  success: URL | undefined
  reject: URL | undefined
}

const LONGEST_NAME = 200
const LONGEST_ADDRESS = 2000

/** Characters that could disguise the program's name: invisible, or changing the direction of text. */
const HIDING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

function readAsked(read: (name: string) => string): Asked | { refusal: DeskText } {
  const name = read('app_name').replace(HIDING, '').trim()
  if (name === '' || name.length > LONGEST_NAME)
    return { refusal: 'The program does not say what it is called.' }
  const id = read('app_id')
  if (id !== '' && !isUuid(id)) return { refusal: 'The program names itself by an app_id that is no UUID.' }
  const [success, reject] = [read('success_url'), read('reject_url')].map(returnAddress)
  if (success === null || reject === null)
    return { refusal: 'The program wants the password sent to an address that is neither https nor its own.' }
  return { name, id: id.toLowerCase(), success, reject }
}

/** URL schemes that get no password, since browsers, operating systems or any program may handle them. */
const NOBODYS = new Set(
  [
    'http ws wss ftp file data blob javascript vbscript about view-source filesystem',
    'intent mailto tel sms geo urn chrome resource jar',
  ].flatMap((words) => words.split(' ')),
)

/** Reads an address to return to: undefined if empty, null if no password may be sent there. */
function returnAddress(text: string): URL | undefined | null {
  if (text === '') return undefined
  if (text.length > LONGEST_ADDRESS || !URL.canParse(text)) return null
  const url = new URL(text)
  const scheme = url.protocol.slice(0, -1)
  const isPlain = /^[\w.:[\]-]+$/.test(url.host) && url.username === '' && url.password === ''
  return isPlain && !NOBODYS.has(scheme) ? url : null
}

const placeOf = (url: URL) => (url.protocol === 'https:' ? url.host : `${url.protocol}//${url.host}`)

function withQuery(url: URL, added: Record<string, string>): string {
  const [before = '', fragment] = url.href.split('#', 2)
  const end = fragment === undefined ? '' : `#${fragment}`
  return `${before}${url.search === '' ? '?' : '&'}${new URLSearchParams(added)}${end}`
}

function refusedView({ context: { site } }: DeskRequest, refusal: DeskText): DeskView {
  return {
    status: 400,
    title: sayAtDesk(site, 'This program cannot be given a password'),
    isAlone: true,
    body: html`<p>${sayAtDesk(site, refusal)}</p><p><a class="button" href="${deskPath(
      site,
      '/',
    )}">${sayAtDesk(site, 'Open the desk')}</a></p>`,
  }
}

function askConsent(request: DeskRequest): DeskAnswer | Promise<DeskAnswer> {
  const asked = readAsked((name) => request.query.get(name) ?? '')
  return 'refusal' in asked ? refusedView(request, asked.refusal) : consentView(request, asked)
}

export const SCOPE_TEXTS = {
  'read-drafts': 'Read drafts and private records',
  'write-own': 'Write your own records',
  'write-all': 'Write the records of everybody',
  media: 'Upload pictures',
} as const satisfies Record<CredentialScope, DeskText>

export function scopeFields({ context: { site } }: Pick<DeskRequest, 'context'>): Html {
  const boxes = SCOPES.map(
    (scope) =>
      html`<label class="check"><input type="checkbox" name="scope[]" value="${scope}"> ${sayAtDesk(
        site,
        SCOPE_TEXTS[scope],
      )}</label>`,
  )
  return html`<fieldset class="field"><legend>${sayAtDesk(site, 'What it may do')}</legend>
<label class="check"><input type="radio" name="access" value="all" checked> ${sayAtDesk(
    site,
    'Everything that you may do',
  )}</label>
<label class="check"><input type="radio" name="access" value="some"> ${sayAtDesk(
    site,
    'Only what is chosen here:',
  )}</label>
<div class="choices">${boxes}</div></fieldset>`
}

/** Returns the ticked rights: undefined for all, `[]` if "only what is chosen here" has no tick. */
export function chosenScopes({ form }: Pick<DeskRequest, 'form'>): CredentialScope[] | undefined {
  const sent: unknown[] = [form.scope].flat()
  const chosen = SCOPES.filter((scope) => sent.includes(scope))
  return chosen.length === 0 && form.access !== 'some' ? undefined : chosen
}

async function consentView(
  request: DeskRequest,
  { name, id, success, reject }: Asked,
  isLacking = false,
): Promise<DeskView> {
  const { context, user } = request
  const { site } = context
  const say = deskTranslatorFor(site)
  const former =
    id === '' ? [] : (await listCredentials(context.db, user.user)).filter(({ app_id }) => app_id === id)
  const last = former.at(-1)?.created_utc
  const leadsTo = [success, reject].filter((url) => url !== undefined).map(sourceOf)
  const goal = success
    ? html`<p>${say('It gets a password of its own, which is sent to {place}.', {
        place: placeOf(success),
      })}</p>`
    : html`<p>${say('It gets a password of its own, which is shown to you once.')}</p>`
  return {
    ...(isLacking && { status: 422 }),
    title: say('{name} wants to use this calendar in your name', { name: `\u2068${name}\u2069` }),
    isAlone: true,
    leadsTo: leadsTo.length === 0 ? undefined : [...new Set(leadsTo)].join(' '),
    body: html`${
      isLacking &&
      html`<div class="summary" role="alert" tabindex="-1" id="faults"><p>${say(
        'Choose what it may do.',
      )}</p></div>`
    }<p>${say('You are signed in as {name}.', { name: user.user.name })}</p>
${goal}
${
  last !== undefined &&
  html`<p>${say(
    'This program was given a password before, on {date}. It stays good until you take it away.',
    { date: written(site, 'dayMonthYear', utcToWall(last, site.timezone)) },
  )}</p>`
}<p class="hint">${say(
      'Say yes only to a program that you have just started yourself. You can take the password away again \
on the page of your account.',
    )}</p>
<form class="story" method="post" action="${pathTo(site, `${CONSENT_PATH}?${request.query}`)}">
${scopeFields(request)}
<button type="submit" class="button main" name="answer" value="approve">${say('Allow')}</button>
<button type="submit" class="button" name="answer" value="reject">${say('No')}</button></form>`,
  }
}

/** Returns a source for the Content-Security-Policy: an origin for HTTPS, else the scheme with its colon. */
const sourceOf = (url: URL) => (url.protocol === 'https:' ? url.origin : url.protocol)

/** On consent, sends a new password to the program's address, with site URL and login, as WordPress does. */
async function giveConsent(request: DeskRequest): Promise<DeskAnswer> {
  const { context, user, query } = request
  const { site, now } = context
  const asked = readAsked((name) => query.get(name) ?? '')
  if ('refusal' in asked) return refusedView(request, asked.refusal)
  const { name, id, success, reject } = asked
  const answer = fieldOf(request, 'answer')
  if (answer === 'reject') {
    const back = reject?.href ?? (success && withQuery(success, { success: 'false' }))
    return { seeOther: back ?? deskPath(site, '/') }
  }
  const scopes = chosenScopes(request)
  if (answer !== 'approve') return consentView(request, asked)
  if (scopes?.length === 0) return consentView(request, asked, true)
  let secret: string
  try {
    secret = await context.write((tx) =>
      addCredential(tx, user.user, 'password', name, now, undefined, { scopes, program: id }),
    )
  } catch (error) {
    if (!(error instanceof RefusedUserChange)) throw error
    return refusedView(request, error.text)
  }
  const password = secret.replaceAll(' ', '')
  if (success)
    return { seeOther: withQuery(success, { site_url: site.url, user_login: user.user.login, password }) }
  return secretView(request, secret, name)
}

/** Shows a new application password, which cannot be shown again. */
export function secretView({ context: { site }, user }: DeskRequest, secret: string, name: string): DeskView {
  return {
    title: sayAtDesk(site, 'A password for {name}', { name: `\u2068${name}\u2069` }),
    isAlone: true,
    body: html`<p>${sayAtDesk(site, 'Copy it now: it is shown only this once.')}</p>
<div class="field"><label for="secret">${sayAtDesk(
      site,
      'Password',
    )}</label><input type="text" id="secret" class="secret" readonly value="${secret}"></div>
<p class="hint">${sayAtDesk(site, 'It is used together with your name, {login}.', {
      login: user.user.login,
    })}</p>
<p><a class="button main" href="${deskPath(site, '/me')}">${sayAtDesk(site, 'Your account')}</a></p>`,
  }
}

export const consentPages: readonly DeskPage[] = [{ at: CONSENT_ROOM, get: askConsent, post: giveConsent }]
