import { formatUtc } from '../../base/text/zones.ts'
import { described } from '../desk/desk-inputs.ts'
import { lastTyped } from '../desk/desk-page.ts'
import { parseMailAddress } from '../mail/mail-address.ts'
import { html } from '../pages/page-html.ts'
import { pathTo } from '../pages/viewing.ts'
import { publishTrusted } from './decide-submission.ts'
import { hashOfSecret, newSecret, readSecret } from './form-token.ts'
import { tellReceived } from './received.ts'
import { mineAddress } from './sender-page.ts'
import { CONFIRM_PATH, linkExpires, queueLetter, queueLinks } from './submission-letters.ts'
import {
  dropLinks,
  findByLink,
  findSubmission,
  holdSubmission,
  keepLink,
  listOpenOf,
  updateSubmission,
} from './submission-store.ts'
import type { Submission } from './submission-tables.ts'
import { saySubmission } from './submission-texts.ts'
import { type Asked, inQueue, type SuggestAnswer, type SuggestPage } from './suggest-route.ts'
import { ADD_PATH } from './suggest-view.ts'

// A button confirms an address, not the link itself, since mail scanners follow links.

export const LINK_PATH = `${ADD_PATH}link/`

function findUnconfirmed({ context, query }: Asked): Promise<Submission | undefined> {
  const secret = readSecret(query.get('token') ?? '')
  if (secret === undefined) return Promise.resolve(undefined)
  return findByLink(context.db, hashOfSecret(secret), 'confirm', context.now)
}

async function showConfirm(asked: Asked): Promise<SuggestAnswer> {
  const { context, exchange } = asked
  const { site } = context
  const found = await inQueue(asked, 'reads', () => findUnconfirmed(asked))
  if (!found) return usedView(asked)
  const action = `${pathTo(site, CONFIRM_PATH).split('?', 1)[0]}?${exchange.url.query}`
  return {
    isSecret: true,
    title: saySubmission(site, 'Confirm the suggestion'),
    body: html`<p class="lead" dir="auto">${found.title}</p><form method="post" action="${action}">\
<p class="ways"><button type="submit" class="button main">\
${saySubmission(site, 'Yes, I have suggested this event')}</button></p></form><p class="hint">\
${saySubmission(site, 'If it was not you, do nothing: it is deleted after 48 hours.')}</p>`,
  }
}

function usedView({ context: { site } }: Asked): SuggestAnswer {
  return {
    status: 404,
    isSecret: true,
    title: saySubmission(site, 'This link leads nowhere any more.'),
    body: html`<p class="lead">${saySubmission(site, 'It has been used, or is older than 48 hours.')}</p>\
<p class="ways"><a class="button" href="${pathTo(site, LINK_PATH)}">\
${saySubmission(site, 'Get a link to your suggestions')}</a> \
<a class="button" href="${pathTo(site, ADD_PATH)}">${saySubmission(site, 'Suggest an event')}</a></p>`,
  }
}

async function confirm(asked: Asked): Promise<SuggestAnswer> {
  const { context } = asked
  const { now } = context
  const found = await inQueue(asked, 'reads', () => findUnconfirmed(asked))
  if (!found) return usedView(asked)
  const secret = newSecret()
  const confirmed = await inQueue(asked, 'writes', () =>
    context.write(async (tx) => {
      const held = await holdSubmission(tx, found.id)
      if (held?.state !== 'unconfirmed') return undefined
      const utc = formatUtc(now)
      await updateSubmission(tx, held.id, { state: 'waiting', confirmed_utc: utc, changed_utc: utc })
      await dropLinks(tx, held.id, 'confirm')
      const expires_utc = linkExpires(held.end_utc, now)
      await keepLink(tx, { hash: hashOfSecret(secret), submission: held.id, purpose: 'sender', expires_utc })
      const after = { ...held, confirmed_utc: utc }
      await queueLetter(tx, context, after, { kind: 'received' })
      await tellReceived(tx, held.id, now)
      return after
    }),
  )
  if (!confirmed) return usedView(asked)
  // If publishing fails, the suggestion waits for an editor.
  const known = await findSubmission(context.db, confirmed.id)
  if (known) await inQueue(asked, 'writes', () => publishTrusted(context, known)).catch(context.report)
  return { seeOther: mineAddress(context, secret) }
}

async function askLink({ context: { site } }: Asked, fault?: string, typed = ''): Promise<SuggestAnswer> {
  return {
    ...(fault !== undefined && { status: 422 }),
    title: saySubmission(site, 'Get a link to your suggestions'),
    body: html`<p class="lead">\
${saySubmission(site, 'We send it to the address that you gave with your suggestion.')}</p>\
<form class="suggest" method="post" action="${pathTo(site, LINK_PATH)}"><div class="field">\
<label for="address">${saySubmission(site, 'Your e-mail address')}</label>\
<input type="email" id="address" name="address" value="${typed}" maxlength="320" autocomplete="email"\
 required${described('address', fault)}>${
   fault !== undefined &&
   html`<p class="error" id="address-error">\
${fault}</p>`
 }</div><p class="ways"><button type="submit" class="button main">\
${saySubmission(site, 'Send the link')}</button></p></form>`,
  }
}

const MOST_SENT = 10

/** Sends new links to the address. The page is the same whether the address is known or not. */
async function sendLink(asked: Asked): Promise<SuggestAnswer> {
  const { context, sent } = asked
  const { site, now } = context
  const typed = lastTyped(sent, 'address')
  const address = parseMailAddress(typed)
  if (address === undefined) return askLink(asked, saySubmission(site, 'This is no e-mail address.'), typed)
  await inQueue(asked, 'writes', async () => {
    const mine = await listOpenOf(context.db, address, now, MOST_SENT)
    if (mine.length > 0) await context.write((tx) => queueLinks(tx, context, mine))
  })
  return {
    title: saySubmission(site, 'Look into your mail'),
    body: html`<p class="lead">\
${saySubmission(
  site,
  'If there are suggestions with this address, a message with their links is on its way. It is sent once an \
hour at most.',
)}</p>`,
  }
}

export const confirmPage: SuggestPage = { get: showConfirm, post: confirm }
export const linkPage: SuggestPage = { get: (asked) => askLink(asked), post: sendLink }
