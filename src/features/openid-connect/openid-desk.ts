import { Problem } from '../../base/problems.ts'
import { can } from '../../calendar/people/caller.ts'
import { hasDeskPassword } from '../../calendar/people/desk-passwords.ts'
import { findUser, type User } from '../../calendar/people/users.ts'
import type { ServiceStart } from '../../feature.ts'
import {
  type DeskAnswer,
  type DeskRequest,
  deskPath,
  type OtherSignIn,
  recordIdIn,
  whenAtDesk,
} from '../desk/desk-page.ts'
import type { DeskPart } from '../desk/desk-part.ts'
import { type Content, html } from '../pages/page-html.ts'
import { disconnect, findIdentity, listConnected } from './identities.ts'
import { readOpenIdClient } from './openid-client.ts'
import { type CardRequest, isOwnPage, LEAVE_PATH, openPages, START_PATH } from './openid-pages.ts'
import { type OpenIdText, sayOpenId } from './openid-texts.ts'
import { makeProvider, type Provider } from './provider.ts'
import { sealLeave } from './sealed.ts'

/** Adds sign-in by a provider to the desk. @throws Error for wrong settings */
export function openIdAtDesk({ config, logger }: ServiceStart): DeskPart {
  const client = readOpenIdClient(config)
  if (!client) return { pages: [] }
  const provider = makeProvider(client)
  return {
    signIn: { ...buttonsOf(provider), pages: openPages(provider, logger) },
    pages: [
      { at: '/me/openid', post: disconnectOwn },
      { at: '/people/:id/openid', post: disconnectOther },
    ],
  }
}

function buttonsOf(provider: Provider): Omit<OtherSignIn, 'pages'> {
  const { name, hidesPasswords } = provider.client
  return {
    name,
    hidesPasswords,
    listUsers: listConnected,
    button: (site, next, isSignedOut) => {
      const query = next === '' || next === '/desk/' ? '' : `?${new URLSearchParams({ next })}`
      const out = sayOpenId(site, 'You are signed out here. At {name} you may still be signed in.', { name })
      return html`${
        isSignedOut &&
        html`<div class="notice" role="status"><p>${out} <a href="${deskPath(site, LEAVE_PATH)}">${sayOpenId(
          site,
          'Sign out of {name} too',
          { name },
        )}</a></p></div>`
      }<p class="elsewhere"><a class="button${hidesPasswords && ' main'}" href="${deskPath(
        site,
        START_PATH + query,
      )}">${sayOpenId(site, 'Sign in with {name}', { name })}</a></p>`
    },
    linkButton: (site, token) =>
      html`<p class="elsewhere"><a class="button${hidesPasswords && ' main'}" href="${deskPath(
        site,
        `${START_PATH}?${new URLSearchParams({ link_token: token })}`,
      )}">${sayOpenId(site, 'Use my account of {name}', { name })}</a> <span class="hint">${sayOpenId(
        site,
        'From then on you sign in with it.',
      )}</span></p>`,
    tabButtons: (site, control) =>
      html`<p class="elsewhere"><a class="button" target="_blank" href="${deskPath(
        site,
        START_PATH,
      )}">${sayOpenId(site, 'Sign in with {name} in another tab', {
        name,
      })}</a></p><button type="submit" class="button" name="${control}" value="1" formnovalidate>${sayOpenId(
        site,
        'I have signed in: go on',
      )}</button>`,
    card: (request, user) => cardOf(provider, request, user),
  }
}

async function cardOf(provider: Provider, request: CardRequest, user: User): Promise<Content> {
  const { site, db, now } = request.context
  const { name, roles } = provider.client
  const say = (text: OpenIdText, values?: Record<string, string>) => sayOpenId(site, text, values)
  const identity = await findIdentity(db, user.id)
  const isOwn = isOwnPage(request, user)
  const action = deskPath(site, isOwn ? '/me/openid' : `/people/${user.id}/openid`)
  if (!identity) {
    const leave =
      isOwn && request.user ? sealLeave(await provider.seal(), request.user.session.hash, now) : ''
    const query = new URLSearchParams({ connect: leave })
    const way = isOwn
      ? html`<div><a class="button" href="${deskPath(
          site,
          `${START_PATH}?${query}`,
        )}">${say('Connect my account')}</a></div>`
      : html`<p class="hint">${say('A link that you create for them connects one.')}</p>`
    return html`<section class="card"><h2>${name}</h2><p>${say(
      'Not connected with an account there.',
    )}</p>${way}</section>`
  }
  const when = whenAtDesk(site, identity.seen_utc, now)
  const mayLeave = !isOwn || (await hasDeskPassword(db, user))
  const follows = say(
    roles.length > 0
      ? 'Name and role follow the account at each sign-in.'
      : 'The name follows the account at each sign-in.',
  )
  return html`<form class="card" method="post" action="${action}"><h2>${name}</h2><p>${say(
    'Connected with {account}, last used {when}.',
    { account: `\u2068${identity.name}\u2069`, when },
  )} ${follows}</p>${
    mayLeave
      ? html`<div><button type="submit" class="button">${say('Disconnect')}</button></div>`
      : html`<p class="hint">${say('Without a password you sign in with it alone.')}</p>`
  }</form>`
}

/** Disconnects the user's own account, unless it is their only way in. */
async function disconnectOwn({ context, user }: DeskRequest): Promise<DeskAnswer> {
  if (!(await hasDeskPassword(context.db, user.user))) throw new Problem('rest_forbidden')
  await context.write((tx) => disconnect(tx, user.user))
  return { seeOther: deskPath(context.site, '/me?saved') }
}

async function disconnectOther(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  if (!can(context.caller, 'manage_users')) throw new Problem('rest_forbidden')
  const user = await findUser(context.db, recordIdIn(request) ?? 0)
  if (!user) throw new Problem('rest_no_route')
  await context.write((tx) => disconnect(tx, user))
  return { seeOther: deskPath(context.site, `/people/${user.id}?saved`) }
}
