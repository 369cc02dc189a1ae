import type { Site } from '../../base/config.ts'
import { Problem } from '../../base/problems.ts'
import { formatUtc } from '../../base/text/zones.ts'
import { can, ROLES, type Role } from '../../calendar/people/caller.ts'
import {
  addSignInLink,
  hasDeskPassword,
  INVITATION_DAYS,
  LINK_MINUTES,
  linkTo,
} from '../../calendar/people/desk-passwords.ts'
import {
  changeRole,
  deactivateUser,
  findUser,
  findUserByLogin,
  insertUser,
  isActive,
  RefusedUserChange,
  reactivateUser,
  removeUser,
  type User,
  type UserRefusal,
} from '../../calendar/people/users.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { type FormFaults, faultList, guarded, plainField, UNSENT_BY_ENTER } from './desk-inputs.ts'
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
  siteInLanguage,
  type ToldToUser,
  whenAtDesk,
} from './desk-page.ts'
import type { DeskText } from './desk-texts.ts'
import { changeEmail, handOverRecords, listPeople, type Person, renameUser } from './people-store.ts'
import { type Invitation, listInvitations, revokeInvitation } from './sign-in/sign-in-links.ts'

export const ROLE_TEXTS = {
  administrator: 'Administrator',
  editor: 'Editor',
  author: 'Writer',
  contributor: 'Contributor',
  subscriber: 'Reader',
} as const satisfies Record<Role, DeskText>

const ROLE_HINTS = {
  administrator: 'Everything, and decides who else may.',
  editor: 'Writes and publishes all records, and reviews those of others.',
  author: 'Writes and publishes their own records.',
  contributor: 'Writes their own records, which an editor publishes.',
  subscriber: 'Reads what is published.',
} as const satisfies Record<Role, DeskText>

/** @throws Problem rest_forbidden unless the caller may manage users */
export function checkAdministrator({ context: { caller } }: DeskRequest): void {
  if (!can(caller, 'manage_users')) throw new Problem('rest_forbidden')
}

async function showPeople(request: DeskRequest): Promise<DeskAnswer> {
  checkAdministrator(request)
  const { context, query } = request
  const { site, db } = context
  const say = (text: DeskText) => sayAtDesk(site, text)
  const people = await listPeople(db)
  const signIns = await Promise.all(
    request.otherSignIns.map(async ({ name, listUsers }) => ({ name, users: await listUsers(db) })),
  )
  const invited = new Map((await listInvitations(db)).map((invitation) => [invitation.user, invitation]))
  const waiting = people.filter(
    ({ user, hasPassword }) => !hasPassword && isActive(user) && invited.has(user.id),
  )
  const others = people.filter((person) => !waiting.includes(person))
  return {
    title: say('People'),
    room: 'people',
    actions: html`<a class="button main" href="${deskPath(site, '/people/new')}">${say(
      'Invite \
somebody',
    )}</a>`,
    ...(query.has('revoked') && { notice: say('That invitation is revoked.') }),
    body: html`${
      waiting.length > 0 &&
      html`<section class="story"><h2>${say('Invited')}</h2><ul class="lines">${waiting.map((person) =>
        invitationLine(request, person, invited.get(person.user.id)),
      )}</ul></section>`
    }<ul class="lines">${others.map((person) => personLine(request, person, signIns))}</ul>`,
  }
}

function invitationLine(
  { context: { site, now } }: DeskRequest,
  { user }: Person,
  invitation: Invitation | undefined,
): Html {
  const say = deskTranslatorFor(site)
  const until = invitation?.expires_utc ?? ''
  const isOver = until <= formatUtc(now)
  const when = say('good until {when}', { when: whenAtDesk(site, until, now) })
  const action = deskPath(site, `/people/${user.id}`)
  return html`<li><div><a class="title" href="${action}"><bdi>${user.name}</bdi></a><small>${user.login} · \
${say(ROLE_TEXTS[user.role])} · ${
    isOver ? html`<span class="state bad">${say('expired')}</span>` : when
  }</small></div><form class="tools" method="post" action="${action}"><button type="submit" class="button" \
name="do" value="link">${say('Invite again')}</button><button type="submit" class="button" name="do" \
value="revoke">${say('Revoke')}</button></form></li>`
}

type OtherUsers = readonly { name: string; users: ReadonlySet<number> }[]

function personLine({ context: { site, now } }: DeskRequest, person: Person, others: OtherUsers): Html {
  const { user, seen_utc, hasPassword } = person
  const say = deskTranslatorFor(site)
  const by = others.filter(({ users }) => users.has(user.id)).map(({ name }) => name)
  const ways = others.length > 0 && hasPassword ? [...by, say('Password')] : by
  const seen =
    seen_utc !== '' && html` · ${say('last seen {when}', { when: whenAtDesk(site, seen_utc, now) })}`
  return html`<li><div><a class="title" href="${deskPath(
    site,
    `/people/${user.id}`,
  )}"><bdi>${user.name}</bdi></a><small>${user.login} · ${say(ROLE_TEXTS[user.role])}${ways.map(
    (way) => html` · ${way}`,
  )}${seen}</small></div>${accountState(person, by.length > 0, say)}</li>`
}

function accountState(
  { user, hasPassword }: Person,
  isElsewhere: boolean,
  say: (text: DeskText) => string,
): Content {
  if (!isActive(user)) return html`<span class="state bad">${say('Deactivated')}</span>`
  return !hasPassword && !isElsewhere && html`<span class="state">${say('No password yet')}</span>`
}

function showInvitation(request: DeskRequest): DeskAnswer {
  checkAdministrator(request)
  return invitationView(request, {})
}

function invitationView(request: DeskRequest, faults: FormFaults): DeskView {
  const { site } = request.context
  const say = (text: DeskText) => sayAtDesk(site, text)
  const value = (name: string) => fieldOf(request, name)
  return {
    ...(Object.keys(faults).length > 0 && { status: 422 }),
    title: say('Invite somebody'),
    room: 'people',
    under: html`<a href="${deskPath(site, '/people')}">${say('People')}</a>`,
    body: html`${faultList(
      site,
      faults,
    )}<form class="edit" method="post" novalidate${guarded(site)}>${UNSENT_BY_ENTER}<div class="story">
${plainField(
  { name: 'name', label: say('Name'), value: value('name'), attributes: html` autocomplete="off"` },
  faults,
)}
${plainField(
  {
    name: 'login',
    label: say('Sign-in name'),
    value: value('login'),
    hint: say('Letters, digits and . _ - @; it stays as it is.'),
    attributes: html` autocomplete="off" autocapitalize="none" spellcheck="false" required`,
  },
  faults,
)}
${plainField(
  {
    name: 'email',
    label: say('E-mail, if it is to sign in as well'),
    type: 'email',
    value: value('email'),
    attributes: html` autocomplete="off"`,
  },
  faults,
)}
${roleField(request, value('role') || 'author', faults)}</div>
<div class="savebar"><button type="submit" class="button main">${say(
      'Create account and link',
    )}</button></div></form>`,
  }
}

function roleField({ context: { site } }: DeskRequest, chosen: string, faults: FormFaults): Html {
  const options = ROLES.map(
    (role) =>
      html`<label class="check"><input type="radio" name="role" value="${role}"${
        role === chosen && html` checked`
      }><span>${sayAtDesk(site, ROLE_TEXTS[role])} <span class="hint">${sayAtDesk(
        site,
        ROLE_HINTS[role],
      )}</span></span></label>`,
  )
  return html`<fieldset class="field" id="role"${
    faults.role !== undefined && html` aria-describedby="role-error"`
  }><legend>${sayAtDesk(site, 'Role')}</legend>${options}${
    faults.role !== undefined && html`<p class="error" id="role-error">${faults.role}</p>`
  }</fieldset>`
}

const roleIn = (request: DeskRequest): Role | undefined =>
  ROLES.find((role) => role === fieldOf(request, 'role'))

const FIELD_OF: Readonly<Record<UserRefusal, string>> = {
  login: 'login',
  taken: 'login',
  email: 'email',
  name: 'name',
  passwords: 'name',
  lastAdministrator: 'role',
  ownHeir: 'heir',
  ownsRecords: 'heir',
}

/**
 * Returns the fault of the field whose change was refused.
 * @throws `error`, unless it is a RefusedUserChange
 */
function faultsIn({ context: { site } }: DeskRequest, error: unknown): FormFaults {
  if (!(error instanceof RefusedUserChange)) throw error
  return { [FIELD_OF[error.why]]: sayAtDesk(site, error.text, error.values) }
}

async function invite(request: DeskRequest): Promise<DeskAnswer> {
  checkAdministrator(request)
  const { context } = request
  const role = roleIn(request)
  if (!role) return invitationView(request, { role: sayAtDesk(context.site, 'Is needed.') })
  const wanted = (name: string) => fieldOf(request, name).trim() || undefined
  const values = { login: wanted('login') ?? '', name: wanted('name'), email: wanted('email'), role }
  try {
    const { user, made } = await context.write(async (tx) => {
      const added = await insertUser(tx, values, context.now)
      return { user: added, made: await makeLink(tx, request, added, 'invitation') }
    })
    return linkView(request, user, made)
  } catch (error) {
    return invitationView(request, faultsIn(request, error))
  }
}

interface MadeLink {
  link: string
  isSent: boolean
  /** True if the link sets a new password, false for an invitation. */
  isReset: boolean
}

async function makeLink(
  tx: Tx,
  { context, tell, user: { user: by } }: DeskRequest,
  user: User,
  kind: ToldToUser['kind'],
): Promise<MadeLink> {
  const token = await addSignInLink(tx, user, context.now, { inviter: by.id })
  const link = linkTo(context.site.url, token)
  const site = siteOfUser(context.site, user)
  const isSent = await tell(tx, { kind, user, link, by: by.name }, { ...context, site })
  return { link, isSent, isReset: kind === 'reset' }
}

/** The site in the language of `user`, not of the caller. */
const siteOfUser = (site: Site, { language }: User): Site =>
  siteInLanguage(site, { language: language || (site.languages[0] ?? '') })

/** Shows a new link, which cannot be shown again, with a text to send along. */
function linkView(request: DeskRequest, user: User, { link, isSent, isReset }: MadeLink): DeskView {
  const { site } = request.context
  const { id, name, email, login } = user
  const say = deskTranslatorFor(site)
  const tell = deskTranslatorFor(siteOfUser(site, user))
  const text = tell(
    isReset
      ? 'At this address you choose a new password for the desk of {calendar}. It is good once and for \
{minutes} minutes.'
      : 'At this address you choose a password for the desk of {calendar}, where its events are kept. It is \
good once and for {days} days.',
    { calendar: site.name, minutes: String(LINK_MINUTES), days: String(INVITATION_DAYS) },
  )
  const letter = `${text}\n\n${link}\n`
  const subject = tell(isReset ? 'A new password for {calendar}' : 'Invitation to {calendar}', {
    calendar: site.name,
  })
  const to = email === login ? '' : encodeURIComponent(email)
  const mail = `mailto:${to}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(letter)}`
  return {
    title: say('A link for {name}', { name: `\u2068${name}\u2069` }),
    room: 'people',
    under: html`<a href="${deskPath(site, `/people/${id}`)}"><bdi>${name}</bdi></a>`,
    body: html`<div class="story narrow">${
      isSent && html`<p>${say('It was also sent to {address}.', { address: email })}</p>`
    }<p>${say(
      isReset
        ? 'Send it to them now: it is shown only this once, and is good once and for {minutes} minutes.'
        : 'Send it to them: it is shown only this once, and is good once and for {days} days.',
      { minutes: String(LINK_MINUTES), days: String(INVITATION_DAYS) },
    )}</p>
<div class="field"><label for="link">${say('Link')}</label><input type="text" id="link" class="secret"
readonly value="${link}"></div>
<div class="field"><label for="letter">${say(
      'With a text',
    )}</label><textarea id="letter" rows="5" readonly>\n${letter}</textarea></div>
<div class="tools"><button type="button" class="button" data-copy="letter" data-copied="${say('Copied')}" \
hidden>${say('Copy')}</button><a class="button" href="${mail}">${say('Write an e-mail')}</a></div></div>`,
  }
}

/** @throws Problem rest_forbidden unless the caller may manage users, rest_no_route for an unknown user */
async function personOf(request: DeskRequest): Promise<User> {
  checkAdministrator(request)
  const user = await findUser(request.context.db, recordIdIn(request) ?? 0)
  if (!user) throw new Problem('rest_no_route')
  return user
}

async function showPerson(request: DeskRequest): Promise<DeskAnswer> {
  const user = await personOf(request)
  const notice = request.query.has('saved') ? sayAtDesk(request.context.site, 'Saved') : undefined
  return { ...(await personView(request, user, {})), notice }
}

async function personView(request: DeskRequest, user: User, faults: FormFaults): Promise<DeskView> {
  const { context } = request
  const { site } = context
  const say = (text: DeskText) => sayAtDesk(site, text)
  const isOneself = user.id === context.caller.id
  const shown = { room: 'people', title: `\u2068${user.name}\u2069` } as const
  const under = html`<a href="${deskPath(site, '/people')}">${say('People')}</a> · ${user.login}${
    emailOf(user) && html` · ${emailOf(user)}`
  }`
  if (isOneself)
    return {
      ...shown,
      under,
      body: html`<p><a class="button" href="${deskPath(site, '/me')}">${say('Your account')}</a></p>`,
    }
  return {
    ...shown,
    ...(Object.keys(faults).length > 0 && { status: 422 }),
    under,
    body: html`${faultList(site, faults)}<div class="story narrow">
<form class="card" method="post" novalidate>${plainField(
      { name: 'name', label: say('Name'), value: fieldOf(request, 'name') || user.name },
      faults,
    )}${plainField(
      {
        name: 'email',
        label: say('E-mail, if it is to sign in as well'),
        type: 'email',
        value: faults.email === undefined ? emailOf(user) : fieldOf(request, 'email'),
        attributes: html` autocomplete="off"`,
      },
      faults,
    )}${roleField(request, user.role, faults)}<div><button type="submit" class="button main" name="do" \
value="save">${say('Save')}</button></div></form>
${await otherCards(request, user)}${
  isActive(user) &&
  html`<form class="card" method="post"><p>${say(
    'A link lets them choose a password, also in place of a forgotten one.',
  )}</p><div><button type="submit" class="button" name="do" value="link">${say(
    'Create a link',
  )}</button></div></form>`
}
<form class="card" method="post"><p>${say(
      isActive(user)
        ? 'Who is deactivated signs in nowhere, with no password and no token. Their records stay.'
        : 'This account is deactivated: nobody signs in with it.',
    )}</p><div><button type="submit" class="button" name="do" value="${
      isActive(user) ? 'deactivate' : 'reactivate'
    }">${say(isActive(user) ? 'Deactivate' : 'Reactivate')}</button></div></form>
${await heirForm(request, user, faults)}</div>`,
  }
}

export function otherCards(request: DeskRequest, user: User): Promise<Content[]> {
  return Promise.all(request.otherSignIns.map(({ card }) => card(request, user)))
}

/** Empty if `email` only repeats the login. */
const emailOf = ({ email, login }: User) => (email === login ? '' : email)

/** At most this many users are suggested as heirs; the login of another has to be typed in full. */
const MOST_OFFERED = 200

async function heirForm(request: DeskRequest, user: User, faults: FormFaults): Promise<Html> {
  const { site, db } = request.context
  const say = (text: DeskText) => sayAtDesk(site, text)
  const heirs = (await listPeople(db)).filter((person) => person.user.id !== user.id && isActive(person.user))
  const options = heirs
    .slice(0, MOST_OFFERED)
    .map((heir) => html`<option value="${heir.user.login}">${heir.user.name}</option>`)
  const attributes = html` list="heirs" autocomplete="off" autocapitalize="none" spellcheck="false"`
  return html`<form class="card" method="post" novalidate>${UNSENT_BY_ENTER}
${plainField(
  {
    name: 'heir',
    label: say('New owner of their records'),
    value: fieldOf(request, 'heir'),
    hint: say('A sign-in name.'),
    attributes,
  },
  faults,
)}<datalist id="heirs">${options}</datalist>
<div class="tools"><button type="submit" class="button" name="do" value="hand-over">${say(
    'Transfer the records',
  )}</button><button type="submit" class="button bad" name="do" value="remove">${say(
    'Delete the account permanently',
  )}</button></div></form>`
}

const ACTIONS: Readonly<Record<string, (tx: Tx, request: DeskRequest, user: User) => Promise<void>>> = {
  save: async (tx, request, user) => {
    const name = fieldOf(request, 'name').trim()
    if (name !== '' && name !== user.name) await renameUser(tx, user.id, name)
    const email = fieldOf(request, 'email').trim()
    if ('email' in request.form && email !== emailOf(user)) await changeEmail(tx, user.id, email)
    const role = roleIn(request)
    if (role && role !== user.role) await changeRole(tx, user.id, role)
  },
  deactivate: (tx, { context }, user) => deactivateUser(tx, user.id, context.now),
  reactivate: (tx, _request, user) => reactivateUser(tx, user.id),
  'hand-over': async (tx, request, user) => handOverRecords(tx, user.id, (await heirIn(tx, request)).id),
  remove: async (tx, request, user) => {
    const heir = fieldOf(request, 'heir').trim() === '' ? undefined : await heirIn(tx, request)
    await removeUser(tx, user.id, heir?.id)
  },
}

class NoHeir extends Error {}

async function heirIn(tx: Tx, request: DeskRequest): Promise<User> {
  const login = fieldOf(request, 'heir').trim()
  const heir = /\p{Cc}/u.test(login) ? undefined : await findUserByLogin(tx, login)
  if (!heir || !isActive(heir)) throw new NoHeir()
  return heir
}

async function change(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const { site } = context
  const user = await personOf(request)
  if (user.id === context.caller.id) throw new Problem('rest_forbidden')
  const action = fieldOf(request, 'do') || 'save'
  if (action === 'link') {
    if (!isActive(user)) return personView(request, user, {})
    const kind = (await hasDeskPassword(context.db, user)) ? 'reset' : 'invitation'
    return linkView(request, user, await context.write((tx) => makeLink(tx, request, user, kind)))
  }
  if (action === 'revoke') {
    await context.write((tx) => revokeInvitation(tx, user))
    return { seeOther: deskPath(site, '/people?revoked') }
  }
  const work = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (!work) throw new Problem('rest_no_route')
  try {
    await context.write((tx) => work(tx, request, user))
  } catch (error) {
    const noHeir = { heir: sayAtDesk(site, 'Nobody has this sign-in name.') }
    return personView(request, user, error instanceof NoHeir ? noHeir : faultsIn(request, error))
  }
  return { seeOther: deskPath(site, action === 'remove' ? '/people' : `/people/${user.id}?saved`) }
}

export const peoplePages: readonly DeskPage[] = [
  { at: '/people', get: showPeople },
  { at: '/people/new', get: showInvitation, post: invite },
  { at: '/people/:id', get: showPerson, post: change },
]
