import { Problem } from '../../base/problems.ts'
import { type FormFaults, faultList, plainField } from '../desk/desk-inputs.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  fieldOf,
  whenAtDesk,
} from '../desk/desk-page.ts'
import { mayReview } from '../desk/review/linked-drafts.ts'
import { parseMailAddress } from '../mail/mail-address.ts'
import { type Html, html } from '../pages/page-html.ts'
import {
  distrustAddress,
  listTrusted,
  MOST_TRUSTED,
  type TrustedSender,
  trustAddress,
} from './submission-store.ts'
import { saySubmission } from './submission-texts.ts'

// Addresses whose suggestions are published without a decision.

export const TRUSTED_ROOM = '/suggestions/trusted'

async function showTrusted(request: DeskRequest, faults: FormFaults = {}): Promise<DeskAnswer> {
  const { context } = request
  if (!mayReview(context)) throw new Problem('rest_forbidden')
  const { site, db } = context
  const lines = (await listTrusted(db)).map((one) => senderLine(request, one))
  const field = {
    name: 'address',
    label: saySubmission(site, 'E-mail address of a sender'),
    value: fieldOf(request, 'address'),
    hint: saySubmission(
      site,
      'What a trusted address sends and confirms is published at once, in your name.',
    ),
    type: 'email' as const,
    attributes: html` autocomplete="off" maxlength="320"`,
  }
  const [at, trust] = [deskPath(site, TRUSTED_ROOM), saySubmission(site, 'Trust this address')]
  return {
    ...(Object.keys(faults).length > 0 && { status: 422 }),
    title: saySubmission(site, 'Trusted addresses'),
    room: 'inbox',
    under: html`<a href="${deskPath(site, '/suggestions')}">\
${saySubmission(site, 'Suggestions from visitors')}</a>`,
    body: html`${faultList(site, faults)}
${lines.length > 0 && html`<ul class="lines">${lines}</ul>`}
<div class="story narrow"><form class="card" method="post" action="${at}" \
novalidate>${plainField(field, faults)}
<div class="tools"><button type="submit" class="button main" name="act" value="trust">${trust}</button>\
</div></form></div>`,
  }
}

function senderLine(
  { context: { site, now } }: DeskRequest,
  { address, name, created_utc }: TrustedSender,
): Html {
  const by = name === null ? '–' : html`<bdi>${name}</bdi>`
  return html`<li><div><bdi>${address}</bdi><small>${by} · ${whenAtDesk(site, created_utc, now)}</small></div>
<form method="post" action="${deskPath(site, TRUSTED_ROOM)}"><input type="hidden" name="address" \
value="${address}">
<button type="submit" class="button" name="act" value="distrust">\
${saySubmission(site, 'Stop trusting this address')}</button></form></li>`
}

async function changeTrusted(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  if (!mayReview(context)) throw new Problem('rest_forbidden')
  const { site, caller, now } = context
  const address = parseMailAddress(fieldOf(request, 'address'))
  if (address === undefined)
    return showTrusted(request, { address: saySubmission(site, 'This is no e-mail address.') })
  const isTaken = await context.write(async (tx) => {
    if (fieldOf(request, 'act') === 'trust') return trustAddress(tx, address, caller.id, now)
    await distrustAddress(tx, address)
    return true
  })
  return isTaken ? { seeOther: deskPath(site, TRUSTED_ROOM) } : showFull(request)
}

export function showFull(request: DeskRequest): Promise<DeskAnswer> {
  const text = '{count} addresses are trusted already: take one away first.'
  return showTrusted(request, {
    address: saySubmission(request.context.site, text, { count: String(MOST_TRUSTED) }),
  })
}

export const trustedPage: DeskPage = {
  at: TRUSTED_ROOM,
  get: (request) => showTrusted(request),
  post: changeTrusted,
}
