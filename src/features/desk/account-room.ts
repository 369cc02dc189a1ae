import { LANGUAGES } from '../../base/config.ts'
import { SCOPES } from '../../calendar/people/caller.ts'
import {
  addCredential,
  type Credential,
  isCredentialName,
  listCredentials,
  revokeCredentials,
} from '../../calendar/people/credentials.ts'
import { hasDeskPassword } from '../../calendar/people/desk-passwords.ts'
import { listSessions, type Session } from '../../calendar/people/sessions.ts'
import { RefusedUserChange } from '../../calendar/people/users.ts'
import { type Html, html } from '../pages/page-html.ts'
import { type FormFaults, faultList, plainField } from './desk-inputs.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  type DeskView,
  deskPath,
  deskTranslatorFor,
  fieldOf,
  recordIdIn,
  sayAtDesk,
  whenAtDesk,
} from './desk-page.ts'
import type { DeskText } from './desk-texts.ts'
import { otherCards } from './people-room.ts'
import { changeLanguage, renameUser } from './people-store.ts'
import { chosenScopes, SCOPE_TEXTS, scopeFields, secretView } from './sign-in/consent-room.ts'
import { revokeOtherSessions, revokeSession } from './sign-in/session-store.ts'
import { newPasswordField, passwordFaults } from './sign-in/set-up-room.ts'
import { languageOptions } from './site-choices.ts'

const DONE = {
  saved: 'Saved',
  password: 'Your password is new, and you are signed out everywhere else.',
  ended: 'That session has ended.',
  revoked: 'That password is revoked.',
} as const satisfies Record<string, DeskText>

async function showAccount(request: DeskRequest): Promise<DeskAnswer> {
  const done = Object.entries(DONE).find(([word]) => request.query.has(word))
  const notice = done && sayAtDesk(request.context.site, done[1])
  return { ...(await accountView(request, {})), notice }
}

async function accountView(request: DeskRequest, faults: FormFaults): Promise<DeskView> {
  const { context, user } = request
  const { site, db, now } = context
  const say = (text: DeskText) => sayAtDesk(site, text)
  const sessions = await listSessions(db, user.user, now)
  const credentials = await listCredentials(db, user.user)
  const hasPassword = await hasDeskPassword(db, user.user)
  const isHidden = !hasPassword && request.otherSignIns.some(({ hidesPasswords }) => hidesPasswords)
  return {
    ...(Object.keys(faults).length > 0 && { status: 422 }),
    title: say('Your account'),
    room: 'account',
    under: user.user.login,
    actions: html`<form method="post" action="${deskPath(
      site,
      '/sign-out',
    )}"><button type="submit" class="button">${say('Sign out')}</button></form>`,
    body: html`${faultList(site, faults)}<div class="story narrow">
<form class="card" method="post" action="${deskPath(
      site,
      '/me',
    )}" novalidate><h2>${say('Name')}</h2>${plainField(
      {
        name: 'name',
        label: say('The name that others see'),
        value: faults.name === undefined ? user.user.name : fieldOf(request, 'name'),
      },
      faults,
    )}${plainField(
      {
        name: 'language',
        label: say('Language of the desk'),
        value: user.user.language,
        options: [{ value: '', text: say('That of the calendar') }, ...languageOptions()],
      },
      faults,
    )}<div><button type="submit" class="button main">${say('Save')}</button></div></form>
${await otherCards(request, user.user)}${
  !isHidden &&
  html`<form class="card" method="post" action="${deskPath(site, '/me/password')}" novalidate><h2>${say(
    'Password',
  )}</h2><input type="text" autocomplete="username" value="${user.user.login}" readonly hidden>${
    hasPassword &&
    plainField(
      {
        name: 'current',
        label: say('Your password until now'),
        type: 'password',
        attributes: html` autocomplete="current-password" required`,
      },
      faults,
    )
  }${newPasswordField(request, faults)}<p class="hint">${say(
    'It signs you out everywhere else.',
  )}</p><div><button type="submit" class="button main">${say('Change the password')}</button></div></form>`
}
<section class="card"><h2>${say('Where you are signed in')}</h2>${sessionList(request, sessions)}</section>
<section class="card"><h2>${say('Passwords of your programs')}</h2><p class="hint">${say(
      'Each program has one of its own, which opens the calendar to it and never this desk.',
    )}</p>${credentialList(request, credentials)}
<form class="story" method="post" action="${deskPath(site, '/me/passwords')}" novalidate>${plainField(
      {
        name: 'for',
        label: say('What the new one is for'),
        value: fieldOf(request, 'for'),
        attributes: html` autocomplete="off"`,
      },
      faults,
    )}${scopeFields(request)}<div><button type="submit" class="button">${say(
      'Create a password',
    )}</button></div></form></section></div>`,
  }
}

function sessionList({ context: { site, now }, user }: DeskRequest, sessions: readonly Session[]): Html {
  const say = deskTranslatorFor(site)
  const at = (utc: string) => ({ when: whenAtDesk(site, utc, now) })
  const action = deskPath(site, '/me/sessions')
  const lines = sessions.map(({ hash, client, address, seen_utc, created_utc }) => {
    const end =
      hash === user.session.hash
        ? html`<span class="state good">${say('This browser')}</span>`
        : html`<form method="post" action="${action}"><button type="submit" class="button" name="session" \
value="${hash}">${say('End session')}</button></form>`
    return html`<li><div><bdi class="title">${
      browserIn(client) || say('Unknown')
    }</bdi><small>${address}, ${say('last seen {when}', at(seen_utc))}, ${say(
      'since {when}',
      at(created_utc),
    )}</small></div>${end}</li>`
  })
  return html`<ul class="lines">${lines}</ul>${
    sessions.length > 1 &&
    html`<form method="post" action="${action}"><button type="submit" class="button" name="session" \
value="others">${say('Sign out everywhere else')}</button></form>`
  }`
}

const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'Linux'] as const

/** Returns browser and system, such as `Firefox, Linux`, or `client` itself if the browser is unknown. */
function browserIn(client: string): string {
  const browser = BROWSERS.find(([mark]) => client.includes(`${mark}/`))?.[1]
  const system = SYSTEMS.find((name) => client.includes(name))
  return browser === undefined ? client : [browser, system].filter(Boolean).join(', ')
}

function credentialList({ context: { site, now } }: DeskRequest, credentials: readonly Credential[]): Html {
  const say = deskTranslatorFor(site)
  const at = (utc: string) => ({ when: whenAtDesk(site, utc, now) })
  if (credentials.length === 0) return html`<p class="nothing">${say('Nothing here yet.')}</p>`
  const lines = credentials.map(({ id, name, scope, created_utc, used_utc, expires_utc }) => {
    const scopes = SCOPES.filter((known) => scope.split(',').includes(known)).map((known) =>
      say(SCOPE_TEXTS[known]),
    )
    const may = scope === '' ? say('Everything that you may do') : scopes.join(', ')
    const used = used_utc === '' ? say('never used') : say('last used {when}', at(used_utc))
    const until = expires_utc !== '' && html`, ${say('until {when}', at(expires_utc))}`
    return html`<li><div><bdi class="title">${name}</bdi><small>${may}</small><small>${used}, ${say(
      'since {when}',
      at(created_utc),
    )}${until}</small></div><form method="post" action="${deskPath(
      site,
      `/me/passwords/${id}`,
    )}"><button type="submit" class="button">${say('Revoke')}</button></form></li>`
  })
  return html`<ul class="lines">${lines}</ul>`
}

async function rename(request: DeskRequest): Promise<DeskAnswer> {
  const { context, form, user } = request
  const { id, name, language } = user.user
  const wanted = LANGUAGES.find((code) => code === fieldOf(request, 'language')) ?? ''
  try {
    await context.write(async (tx) => {
      if (!('name' in form) || fieldOf(request, 'name') !== name)
        await renameUser(tx, id, fieldOf(request, 'name'))
      if ('language' in form && wanted !== language) await changeLanguage(tx, id, wanted)
    })
  } catch (error) {
    if (!(error instanceof RefusedUserChange)) throw error
    return accountView(request, { name: sayAtDesk(context.site, error.text) })
  }
  return { seeOther: deskPath(context.site, '/me?saved') }
}

async function changePassword(request: DeskRequest): Promise<DeskAnswer> {
  const { context, gate, user, address, client } = request
  const next = fieldOf(request, 'password')
  const faults = passwordFaults(request, next)
  if (Object.keys(faults).length > 0) return accountView(request, faults)
  const sent = { current: fieldOf(request, 'current'), next }
  const session = await gate.changePassword(user.user, sent, { address, client }, context.now)
  if (session === undefined)
    return accountView(request, { current: sayAtDesk(context.site, 'That is not your password.') })
  return { seeOther: deskPath(context.site, '/me?password'), session }
}

async function endSessions({ context, form, user }: DeskRequest): Promise<DeskAnswer> {
  const session = fieldOf({ form }, 'session')
  await context.write(async (tx) => {
    if (session === 'others') await revokeOtherSessions(tx, user.user, user.session.hash)
    else await revokeSession(tx, user.user, session)
  })
  return { seeOther: deskPath(context.site, '/me?ended') }
}

async function makePassword(request: DeskRequest): Promise<DeskAnswer> {
  const { context, user } = request
  const name = fieldOf(request, 'for').trim()
  const scopes = chosenScopes(request)
  if (!isCredentialName(name))
    return accountView(request, { for: sayAtDesk(context.site, 'Say in one line what it is for.') })
  if (scopes?.length === 0)
    return accountView(request, { for: sayAtDesk(context.site, 'Choose what it may do.') })
  try {
    const secret = await context.write((tx) =>
      addCredential(tx, user.user, 'password', name, context.now, undefined, { scopes }),
    )
    return secretView(request, secret, name)
  } catch (error) {
    if (!(error instanceof RefusedUserChange)) throw error
    return accountView(request, { for: sayAtDesk(context.site, error.text) })
  }
}

async function revokePassword(request: DeskRequest): Promise<DeskAnswer> {
  const { context, user } = request
  const id = recordIdIn(request)
  // A password already revoked is no error: it is what the caller wants.
  if (id !== undefined) await context.write((tx) => revokeCredentials(tx, user.user, id))
  return { seeOther: deskPath(context.site, '/me?revoked') }
}

export const accountPages: readonly DeskPage[] = [
  { at: '/me', get: showAccount, post: rename },
  { at: '/me/password', post: changePassword },
  { at: '/me/sessions', post: endSessions },
  { at: '/me/passwords', post: makePassword },
  { at: '/me/passwords/:id', post: revokePassword },
]
