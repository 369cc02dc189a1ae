import { can } from '../../calendar/people/caller.ts'
import type { Feature, ServiceStart } from '../../feature.ts'
import { faultList, plainField } from '../desk/desk-inputs.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  type DeskView,
  deskPath,
  fieldOf,
  whenAtDesk,
} from '../desk/desk-page.ts'
import type { DeskPart } from '../desk/desk-part.ts'
import { checkAdministrator } from '../desk/people-room.ts'
import { html } from '../pages/page-html.ts'
import { parseMailAddress } from './mail-address.ts'
import { type MailText, sayMail } from './mail-texts.ts'
import { countOutbox, listUnsent } from './outbox.ts'
import { exportAddress, forgetAddress } from './people-part.ts'
import { tellUser } from './user-messages.ts'

const ROOM = '/mail'
const MOST_LISTED = 50

export function mailPart({ config, features }: ServiceStart): DeskPart {
  const page: DeskPage = {
    at: ROOM,
    get: (request) => show(request, {}),
    post: (request) => takeAddress(request, features),
  }
  const room = {
    room: ROOM,
    path: ROOM,
    in: 'owner',
    text: (site: DeskRequest['context']['site']) => sayMail(site, 'E-mail'),
    isFor: (caller: Parameters<typeof can>[0]) => can(caller, 'manage_users'),
  } as const
  return { pages: [page], ...(config.mail !== '' && { rooms: [room] }), tells: tellUser }
}

interface Shown {
  fault?: MailText
  kept?: string
  notice?: MailText
}

async function show(request: DeskRequest, { fault, kept, notice }: Shown): Promise<DeskView> {
  checkAdministrator(request)
  const { site, db, now } = request.context
  const say = (text: MailText, values?: Readonly<Record<string, string>>) => sayMail(site, text, values)
  const [{ waiting, given_up }, unsent] = await Promise.all([countOutbox(db), listUnsent(db, MOST_LISTED)])
  const lines = unsent.map(({ recipient, topic, created_utc, error, state }) => {
    const answer = error && html` · <bdi>${error}</bdi>`
    const about = html`<small>${topic} · ${whenAtDesk(site, created_utc, now)}${answer}</small>`
    const end = state === 'given_up' && html`<span class="state bad">${say('Given up')}</span>`
    return html`<li><div><bdi>${recipient}</bdi>${about}</div>${end}</li>`
  })
  const faults = fault === undefined ? {} : { address: say(fault) }
  const field = { name: 'address', label: say('E-mail address'), value: fieldOf(request, 'address') }
  const attributes = html` autocomplete="off" maxlength="320"`
  const button = (action: string, text: string, looks: string) =>
    html`<button type="submit" class="${looks}" name="do" value="${action}">${text}</button>`
  const counts = [
    say('E-mails that wait for the relay: {number}.', { number: String(waiting) }),
    say('E-mails given up: {number}.', { number: String(given_up) }),
  ]
  const whose = say(
    'Of people who subscribed or suggested an event. Published events stay; users are under People.',
  )
  return {
    ...(fault !== undefined && { status: 422 }),
    title: say('E-mail'),
    room: ROOM,
    notice: notice && say(notice),
    body: html`${faultList(site, faults)}${!site.hasMail && html`<p>${say('E-mail is off.')}</p>`}
<p>${counts.join(' ')}</p>
${lines.length > 0 && html`<ul class="lines">${lines}</ul>`}
<div class="story narrow"><form class="card" method="post" novalidate>
<h2>${say('What is kept of an address')}</h2><p>${whose}</p>
${plainField({ ...field, type: 'email', attributes }, faults)}
<div class="tools">${button('look', say('Show it'), 'button')}
${button('forget', say('Delete all of it'), 'button bad')}</div></form>
${kept !== undefined && html`<pre tabindex="0">${kept}</pre>`}</div>`,
  }
}

async function takeAddress(request: DeskRequest, features: readonly Feature[]): Promise<DeskAnswer> {
  checkAdministrator(request)
  const { context } = request
  const address = parseMailAddress(fieldOf(request, 'address'))
  if (address === undefined)
    return show(request, { fault: 'This is not an e-mail address that can be written to.' })
  if (fieldOf(request, 'do') === 'forget') {
    await context.write((tx) => forgetAddress(features, tx, address))
    return { seeOther: deskPath(context.site, ROOM) }
  }
  const kept = await exportAddress(features, context.db, address)
  const isEmpty = Object.keys(kept).length === 0
  return show(
    request,
    isEmpty ? { notice: 'Nothing is kept of it.' } : { kept: JSON.stringify(kept, undefined, 2) },
  )
}
