import { LANGUAGES, type Site } from '../../../base/config.ts'
import { Problem } from '../../../base/problems.ts'
import { isName } from '../../../calendar/people/users.ts'
import type { Tx } from '../../../store/storage/recording.ts'
import { isGiven } from '../../../store/storage/stored-settings.ts'
import { lookSettings } from '../../pages/look-settings.ts'
import { type OwnerValues, setOwnerSettings } from '../../pages/owner-settings.ts'
import { type Content, type Html, html } from '../../pages/page-html.ts'
import { chooseLanguage, makeLanguageChooser } from '../../pages/page-languages.ts'
import { type FormFaults, faultList, plainField } from '../desk-inputs.ts'
import {
  type AnyDeskRequest,
  type DeskAnswer,
  type DeskView,
  deskPath,
  fieldOf,
  sayAtDesk,
  siteInLanguage,
} from '../desk-page.ts'
import type { DeskText } from '../desk-texts.ts'
import { settingFaults } from '../look-values.ts'
import { renameUser } from '../people-store.ts'
import {
  CHOICE_LABELS,
  currencyOfVisitor,
  currencyOptions,
  languageOptions,
  placeOfZone,
  zoneOptions,
} from '../site-choices.ts'
import { changeZone, countInZone, mayChangeZone } from '../zone-change.ts'
import { finishZone } from '../zone-room.ts'
import { faultOfPassword, LONGEST_PASSWORD, SHORTEST_PASSWORD } from './password-hashes.ts'
import { findInviter, type SignInLink } from './sign-in-links.ts'

// The page of a sign-in link. The very first link also asks for settings; one to a demo needs no password.

/** Returns the token in a sign-in link's path; undefined for other paths. */
export function tokenIn(path: string): string | undefined {
  return /^\/set-up\/([^/]+)\/?$/.exec(path)?.[1]
}

export async function answerLink(request: AnyDeskRequest, token: string): Promise<DeskAnswer> {
  const { context, gate, method, address, client } = request
  const { site, now } = context
  const link = await gate.linkOf(token, now)
  if (!link) return goneView(request, token)
  const asked = link.isFirst ? inVisitorsLanguage(request) : request
  if (method === 'GET') return linkView(asked, token, link, {})
  const password = fieldOf(request, 'password')
  const isLooking = link.purpose === 'demo' && password === ''
  const chosen = link.isFirst ? settingsIn(request) : {}
  const person = link.purpose === 'set-up' ? fieldOf(request, 'person').trim() : ''
  const faults = {
    ...(!isLooking && passwordFaults(asked, password)),
    ...siteFaults(asked.context.site, chosen),
    ...(person !== '' && !isName(person) && { person: sayAtDesk(asked.context.site, WRONG_NAME) }),
  }
  if (Object.keys(faults).length > 0) return linkView(asked, token, link, faults)
  const also = async (tx: Tx) => {
    if (person !== '' && person !== link.user.name) await renameUser(tx, link.user.id, person)
    await setChosen(tx, context, link, chosen)
  }
  const sent = { token, password: isLooking ? undefined : password, also }
  const signedIn = await gate.signInByLink(sent, { address, client }, now)
  if (!signedIn) return goneView(request, token)
  await finishZone(context)
  return { seeOther: deskPath(site, '/'), session: signedIn.cookieId }
}

/**
 * Saves the settings chosen at set-up. If the time zone changes, events keep their local time, since nobody
 * has seen them in another zone.
 * @throws Problem rest_unavailable while another link changes the zone
 */
async function setChosen(
  tx: Tx,
  { site, now }: AnyDeskRequest['context'],
  { user }: SignInLink,
  chosen: OwnerValues,
): Promise<void> {
  const { timezone: zone, ...others } = chosen
  if (typeof zone !== 'string') return setOwnerSettings(tx, chosen)
  const busy = new Problem('rest_unavailable', { retryAfter: 10 })
  if (!(await mayChangeZone(tx, site.timezone, zone))) throw busy
  const { events, series } = await countInZone(tx, site.timezone)
  if (zone === site.timezone || events + series === 0) return setOwnerSettings(tx, chosen)
  const change = { former_zone: site.timezone, new_zone: zone, keeps: 'hour', user: user.id } as const
  if (!(await changeZone(tx, change, others, now))) throw busy
}

const WRONG_NAME = 'A name is one line of at most 250 characters.'

/** The request in the visitor's language: until set-up, the calendar's need not be its owner's. */
function inVisitorsLanguage(request: AnyDeskRequest): AnyDeskRequest {
  const { context, languages, start } = request
  if (isGiven(start, 'language')) return request
  const chooser = makeLanguageChooser({ ...context.site, languages: [...LANGUAGES] })
  const sent = LANGUAGES.find((code) => code === fieldOf(request, 'language'))
  const language = sent ?? chooseLanguage(chooser, '', languages).language
  return { ...request, context: { ...context, site: siteInLanguage(context.site, { language }) } }
}

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
} as const satisfies Record<string, DeskText>

export function newPasswordField(request: Pick<AnyDeskRequest, 'context'>, faults: FormFaults) {
  const { site } = request.context
  const field = plainField(
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
  return html`${field}<p><button type="button" class="button quiet" data-unveils="password" \
aria-pressed="false" hidden>${sayAtDesk(site, 'Show password')}</button></p>`
}

/** Page for a link that is not valid; if it is an expired invitation, it says who can send a new one. */
async function goneView({ context: { site, db, now } }: AnyDeskRequest, token: string): Promise<DeskView> {
  const inviter = await findInviter(db, token, now)
  return {
    status: 404,
    title: sayAtDesk(site, inviter ? 'This invitation has expired' : 'This link is no longer valid'),
    isAlone: true,
    body: html`<p>${
      inviter
        ? sayAtDesk(site, 'Ask {name} for a new one: one click makes it.', {
            name: `\u2068${inviter.name}\u2069`,
          })
        : sayAtDesk(
            site,
            'A link is good once, and for half an hour. Whoever runs this calendar can make another: kalends \
user link LOGIN.',
          )
    }</p>
<p><a class="button" href="${deskPath(site, '/sign-in')}">${sayAtDesk(site, 'Sign in')}</a></p>`,
  }
}

function linkView(request: AnyDeskRequest, token: string, link: SignInLink, faults: FormFaults): DeskView {
  const { site } = request.context
  const isWrong = Object.keys(faults).length > 0
  const shown = { ...(isWrong && { status: 422 }), isAlone: true, language: site.language }
  if (link.purpose === 'demo' && !isWrong)
    return {
      ...shown,
      title: sayAtDesk(site, 'Look around'),
      body: html`<p>${sayAtDesk(
        site,
        'This link lets you in without a password, once. The desk is where the calendar is kept.',
      )}</p>
<form method="post"><button type="submit" class="button main">${sayAtDesk(
        site,
        'Look around',
      )}</button></form>`,
    }
  const others = link.isFirst ? [] : request.otherSignIns
  const isInvitation = link.purpose === 'set-up'
  const title = link.isFirst ? 'Set up your calendar' : isInvitation ? 'Welcome' : 'Choose a password'
  const form = html`${faultList(site, faults, {}, CHOICE_LABELS)}<form class="story${
    link.isFirst && ' first-steps'
  }" method="post" novalidate>
${link.isFirst && siteFields(request, faults)}
${isInvitation && personField(request, link, faults)}
<div class="field"><label for="login">${sayAtDesk(
    site,
    'You sign in as',
  )}</label><input type="text" id="login" autocomplete="username" readonly value="${link.user.login}"></div>
${newPasswordField(request, faults)}
<button type="submit" class="button main">${sayAtDesk(
    site,
    link.isFirst || isInvitation ? 'Open the desk' : 'Save and sign in',
  )}</button></form>
${
  link.isFirst &&
  html`<section class="then"><h2>${sayAtDesk(
    site,
    'Then, on Today (until done or waved away)',
  )}</h2><p class="hint">${THEN.map(
    (text) => html`<span>☐\u00a0${sayAtDesk(site, text)}</span> `,
  )}</p></section>`
}`
  const isHidden = !isWrong && others.some(({ hidesPasswords }) => hidesPasswords)
  return {
    ...shown,
    title: sayAtDesk(site, title),
    body: html`${others.map(({ linkButton }) => linkButton(site, token))}${
      isHidden
        ? html`<details><summary>${sayAtDesk(site, 'Choose a password')}</summary>${form}</details>`
        : form
    }`,
  }
}

const THEN = [
  'Import events — paste a table or drop a file',
  'Logo and colour',
  'Invite somebody',
  'Put it on your website',
] as const satisfies readonly DeskText[]

function personField(request: AnyDeskRequest, { user, isFirst }: SignInLink, faults: FormFaults): Html {
  const isUnnamed = isFirst || user.name === user.login
  const value = fieldOf(request, 'person') || (isUnnamed ? '' : user.name)
  const label = sayAtDesk(request.context.site, 'Your name')
  const attributes = html` autocomplete="name" maxlength="250"`
  return plainField({ name: 'person', label, value, attributes }, faults)
}

/** Settings fixed when the server starts are shown, but cannot be changed. */
function siteFields(request: AnyDeskRequest, faults: FormFaults): Html {
  const { context, start, languages } = request
  const { site, now } = context
  const say = (text: DeskText) => sayAtDesk(site, text)
  const typed = (name: string, otherwise: string) => fieldOf(request, name) || otherwise
  const zone = typed('timezone', site.timezone)
  const place = html`<span data-place>${placeOfZone(zone)}</span>`
  const given = (label: DeskText, value: string) =>
    html`<div class="field"><p><b>${say(label)}</b><br>${value}</p><p class="hint">${say(
      'This was set when the service was started.',
    )}</p></div>`
  const name = isGiven(start, 'site_name')
    ? given('Name of the calendar', site.name)
    : plainField(
        {
          name: 'name',
          label: say('Name of the calendar'),
          value: typed('name', site.name === lookSettings.site_name.default ? '' : site.name),
          attributes: html` maxlength="200"`,
        },
        faults,
      )
  const language = isGiven(start, 'language')
    ? given('Language', site.language)
    : plainField(
        { name: 'language', label: say('Language'), value: site.language, options: languageOptions() },
        faults,
      )
  const currency = typed('currency', currencyOfVisitor(languages) ?? site.currency.code)
  const money = isGiven(start, 'currency')
    ? given('Currency', site.currency.code)
    : plainField(
        {
          name: 'currency',
          label: say('Currency'),
          value: currency,
          options: currencyOptions(site, currency),
        },
        faults,
      )
  const time = isGiven(start, 'timezone')
    ? given('Your events are at the time of', placeOfZone(site.timezone))
    : html`<div class="zone-field" data-zone="${
        fieldOf(request, 'timezone') === '' ? say('taken from your browser') : ''
      }">${plainField(
        {
          name: 'timezone',
          label: say('Your events are at the time of'),
          value: zone,
          options: zoneOptions(site, now, zone),
        },
        faults,
      )}<p class="hint">${aboutZone(site, place)}</p></div>`
  return html`${name}<div class="row">${language}${money}</div>${time}`
}

function aboutZone(site: Site, place: Html): Content {
  const [before = '', after = ''] = sayAtDesk(
    site,
    'An event at 19:30 appears at 19:30 in {place} in every phone. Changing it later asks what becomes of \
the events that are there.',
    { place: '\n' },
  ).split('\n')
  return html`${before}${place}${after}`
}

const SENT = { name: 'site_name', language: 'language', timezone: 'timezone', currency: 'currency' } as const

function settingsIn(request: AnyDeskRequest): OwnerValues {
  const { start } = request
  const values = Object.entries(SENT).flatMap(([field, name]) => {
    const value = fieldOf(request, field).trim()
    return value === '' || isGiven(start, name) || (field === 'name' && value === start.site_name)
      ? []
      : [[name, value]]
  })
  return Object.fromEntries(values)
}

function siteFaults(site: Site, chosen: OwnerValues): FormFaults {
  const { site_name: name, ...others } = settingFaults(site, chosen)
  return { ...others, ...(name !== undefined && { name }) }
}
