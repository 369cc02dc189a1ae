import { Problem } from '../../base/problems.ts'
import { plainText } from '../../base/text/html.ts'
import { dayOf, formatUtc, wallNow } from '../../base/text/moments.ts'
import { clientOf } from '../../base/text/urls.ts'
import { HOUR_MS } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findEvent } from '../../calendar/events/event-store.ts'
import { type Content, type Html, html } from '../../http/page-html.ts'
import { whenInWords } from '../../http/when-in-words.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { queryText, readQuery } from '../pages/page-query.ts'
import { pathTo } from '../pages/viewing.ts'
import { toldTimesOf } from './issue.ts'
import { nextIssue, reminderAt } from './issue-times.ts'
import { parseMailAddress } from './mail-address.ts'
import type { SubscriberColumns, SubscriptionColumns } from './mail-tables.ts'
import { type MailText, sayMail } from './mail-texts.ts'
import { queueMessage } from './outbox.ts'
import type {
  AskedPage,
  SubscribeAnswer,
  SubscribePage,
  SubscribeRoute,
  SubscribeView,
} from './subscribe-route.ts'
import { describeList, LONGEST_QUERY } from './subscribed-lists.ts'
import {
  CONFIRM_HOURS,
  changeRhythm,
  confirmSubscription,
  endSubscription,
  forgetSubscriber,
  insertSubscription,
  listSubscriptions,
  MOST_SUBSCRIPTIONS,
  type Subscribed,
  subscriberByToken,
  subscriptionByToken,
  tokenOf,
} from './subscription-store.ts'

// The pages of subscriptions: ask, confirm, look at all, end. Links in messages lead to pages with a button,
// since scanners of mail follow links.

const say = ({ site }: Context, text: MailText, values?: Readonly<Record<string, string>>) =>
  sayMail(site, text, values)

/** What somebody asks for: a list by its query, or an event. */
type Wanted = { kind: 'list'; query: string; what: string } | { kind: 'event'; row: EventRow; what: string }

/** @throws Problem for a query that no list has, and an event that nobody may see */
async function wantedIn(context: Context, query: string, event: string): Promise<Wanted> {
  if (event !== '') {
    const row = /^\d{1,10}$/.test(event) ? await findEvent(context.db, Number(event)) : undefined
    if (row?.status !== 'publish') throw new Problem('rest-event-not-found')
    return { kind: 'event', row, what: plainText(row.title) }
  }
  if (query.length > LONGEST_QUERY) throw new Problem('rest_invalid_param', { params: {} })
  const read = await readQuery(context, new URLSearchParams(query))
  const own = queryText(read, ['start_date', 'end_date', 'when'])
  return { kind: 'list', query: own, what: await describeList(context, own) }
}

const isOver = (row: EventRow, now: number) => row.utc_end_date < formatUtc(now)

async function showForm({ context, query }: AskedPage): Promise<SubscribeView> {
  const event = query.get('event') ?? ''
  const others = new URLSearchParams([...query].filter(([name]) => name !== 'event' && name !== 'lang'))
  return formView(context, await wantedIn(context, others.toString(), event), {})
}

interface Typed {
  address?: string
  rhythm?: string
  fault?: MailText
}

function formView(
  context: Context,
  wanted: Wanted,
  { address = '', rhythm = 'weekly', fault }: Typed,
): SubscribeView {
  const { site, now } = context
  if (wanted.kind === 'event' && isOver(wanted.row, now))
    return { status: 410, title: wanted.what, body: html`<p>${say(context, 'This event is over.')}</p>` }
  const today = dayOf(wallNow(site.timezone, now))
  const about =
    wanted.kind === 'event'
      ? html`<p><bdi>${wanted.what}</bdi><br>${whenInWords(site, wanted.row, today)}</p><p>${say(context, 'You get a message the day before, and when the event moves or is canceled.')}</p>`
      : html`<p>${say(context, 'What is on: {what}.', { what: wanted.what })}</p>`
  const option = (value: string, text: MailText) =>
    html`<label><input type="radio" name="rhythm" value="${value}"${value === rhythm && html` checked`}> ${say(context, text)}</label><br>`
  const wrong = fault && html` aria-invalid="true" aria-describedby="fault"`
  return {
    ...(fault && { status: 422 }),
    title: say(context, wanted.kind === 'event' ? 'Be reminded by e-mail' : 'Events by e-mail'),
    body: html`${about}
<form method="post" action="${pathTo(site, '/subscribe/')}" class="by-mail">
${wanted.kind === 'event' ? html`<input type="hidden" name="event" value="${wanted.row.id}">` : html`<input type="hidden" name="list" value="${wanted.query}"><fieldset><legend>${say(context, 'How often')}</legend>${option('weekly', 'Weekly, Mondays at seven')}${option('daily', 'Daily at seven, when something is on')}</fieldset>`}
<p><label for="address">${say(context, 'E-mail address')}</label><br><input type="email" id="address" name="address" value="${address}" autocomplete="email" maxlength="320" required${wrong}></p>
${fault && html`<p id="fault" role="alert"><strong>${say(context, fault)}</strong></p>`}
<p class="hidden" aria-hidden="true"><label for="website">${say(context, 'Leave this empty')}</label><input type="text" id="website" name="website" tabindex="-1" autocomplete="off"></p>
<p><button type="submit" class="button main">${say(context, 'Send me the link to confirm')}</button></p>
</form>
<p><small>${say(context, 'Your address and what you asked for are kept until you end it, for nothing else. Those who run this calendar can see them, and nobody else. What is not confirmed within {hours} hours is dropped.', { hours: String(CONFIRM_HOURS) })}</small></p>`,
  }
}

/** Requests an hour from one network address. */
const MOST_AN_HOUR = 20
const MOST_CLIENTS = 10_000

/** @throws Problem too_many_attempts */
function countAsked({ asked }: SubscribeRoute, address: string, now: number): void {
  const client = clientOf(address)
  const recent = (asked.get(client) ?? []).filter((at) => at > now - HOUR_MS && at <= now)
  if (recent.length >= MOST_AN_HOUR) throw new Problem('too_many_attempts', { retryAfter: 3600 })
  asked.delete(client)
  asked.set(client, [...recent, now])
  for (const oldest of asked.keys()) {
    if (asked.size <= MOST_CLIENTS) break
    asked.delete(oldest)
  }
}

/** The same answer for known and unknown addresses, and for programs that fill in every field. */
async function takeForm({ route, context, incoming, field }: AskedPage): Promise<SubscribeAnswer> {
  const wanted = await wantedIn(context, field('list'), field('event'))
  const rhythm = field('rhythm') === 'daily' ? 'daily' : 'weekly'
  const address = parseMailAddress(field('address'))
  if (address === undefined)
    return formView(context, wanted, {
      ...{ address: field('address').slice(0, 320), rhythm },
      fault: 'This is not an e-mail address that can be written to.',
    })
  if (wanted.kind === 'event' && isOver(wanted.row, context.now)) return formView(context, wanted, {})
  const sent = { seeOther: pathTo(context.site, '/subscribe/sent/') }
  if (field('website') !== '') return sent
  countAsked(route, incoming.address, context.now)
  const { language } = context.site
  const asked = {
    ...{ address, language },
    ...(wanted.kind === 'event'
      ? { kind: 'event' as const, query: '', event: wanted.row.id, rhythm: 'event' as const }
      : { kind: 'list' as const, query: wanted.query, event: 0, rhythm: rhythm as 'daily' | 'weekly' }),
  }
  const subscribed = await context.write(async (tx) => {
    const made = await insertSubscription(tx, asked, context.now)
    if (made.is !== 'refused') await queueMessage(tx, letterOf(context, wanted, made, address), context.now)
    return made
  })
  if (subscribed.is === 'refused') throw new Problem('rest_unavailable', { retryAfter: 3600 })
  return sent
}

function letterOf(
  context: Context,
  { what }: Wanted,
  subscribed: Exclude<Subscribed, { is: 'refused' }>,
  to: string,
): Parameters<typeof queueMessage>[1] {
  const { site, now } = context
  const name = site.name
  const common = { to, language: site.language, isByStranger: true } as const
  if (subscribed.is === 'new')
    return {
      ...common,
      topic: 'confirm subscription',
      goodUntil: now + CONFIRM_HOURS * HOUR_MS,
      letter: {
        subject: say(context, 'Please confirm: {name}', { name }),
        blocks: [
          {
            kind: 'text',
            text: say(context, 'Somebody, probably you, asked {name} to write to this address.', { name }),
          },
          { kind: 'text', text: say(context, 'It is about: {what}.', { what }) },
          {
            kind: 'button',
            text: say(context, 'Confirm'),
            url: `${site.url}/subscribe/confirm/${tokenOf(subscribed.subscription)}`,
          },
          {
            kind: 'small',
            text: say(
              context,
              'If it was not you, do nothing: without a click nothing more is sent, and your address is dropped within {hours} hours.',
              { hours: String(CONFIRM_HOURS) },
            ),
          },
        ],
      },
    }
  const isFull = subscribed.is === 'full'
  return {
    ...common,
    topic: 'subscribed already',
    letter: {
      subject: say(context, 'What you get from {name}', { name }),
      blocks: [
        {
          kind: 'text',
          text: isFull
            ? say(context, 'You have asked for {number} things already; end one to add another.', {
                number: String(MOST_SUBSCRIPTIONS),
              })
            : say(context, 'You get this already: {what}.', { what }),
        },
        {
          kind: 'button',
          text: say(context, 'All I have asked for'),
          url: `${site.url}/subscribe/mine/${tokenOf(subscribed.subscriber)}`,
        },
      ],
    },
  }
}

async function showSent({ context }: AskedPage): Promise<SubscribeView> {
  return {
    title: say(context, 'Look into your mailbox'),
    body: html`<p>${say(context, 'We have sent you a message with a link. Open it to confirm; until then nothing else is sent.')}</p><p>${say(context, 'Nothing there? Look among spam, or ask again in a few minutes.')}</p>`,
  }
}

/** The same for links that were used and those that never were. */
const goneView = (context: Context): SubscribeView => ({
  status: 404,
  title: say(context, 'This link is no longer good'),
  body: html`<p>${say(context, 'It was used, has expired, or is not whole.')}</p><p><a class="button" href="${pathTo(context.site, '/events/')}">${say(context, 'All events')}</a></p>`,
})

async function whatOf(context: Context, { kind, query, event }: SubscriptionColumns): Promise<string> {
  if (kind === 'list') return describeList(context, query)
  const row = await findEvent(context.db, event)
  return row?.status === 'publish' ? plainText(row.title) : say(context, 'an event that is no longer there')
}

const buttonForm = (text: string, deed = ''): Html =>
  html`<form method="post"><p><button type="submit" class="button main" name="deed" value="${deed}">${text}</button></p></form>`

async function showConfirm({ context, token }: AskedPage): Promise<SubscribeView> {
  const found = await subscriptionByToken(context.db, token)
  if (!found) return goneView(context)
  return {
    title: say(context, 'Events by e-mail'),
    body: html`<p>${say(context, 'It is about: {what}.', { what: await whatOf(context, found) })}</p>${buttonForm(say(context, 'Confirm'))}`,
  }
}

async function confirm({ context, token }: AskedPage): Promise<SubscribeAnswer> {
  const found = await subscriptionByToken(context.db, token)
  if (!found) return goneView(context)
  const { site, now } = context
  const subscriber = await context.write(async (tx) => {
    const row = found.kind === 'event' ? await findEvent(tx, found.event) : undefined
    const due = row
      ? { next_utc: reminderAt(row, now), told: JSON.stringify(toldTimesOf(row)) }
      : { next_utc: found.kind === 'event' ? '' : nextIssue(found.rhythm, site.timezone, now), told: '' }
    await confirmSubscription(tx, found.id, due, now)
    return tx.selectFrom('mail_subscribers').selectAll().where('id', '=', found.subscriber).executeTakeFirst()
  })
  return {
    title: say(context, 'Confirmed'),
    body: html`<p>${say(context, 'It is about: {what}.', { what: await whatOf(context, found) })}</p>${subscriber && html`<p><a class="button" href="${pathTo(site, `/subscribe/mine/${tokenOf(subscriber)}`)}">${say(context, 'All I have asked for')}</a></p>`}`,
  }
}

async function showEnd({ context, token }: AskedPage): Promise<SubscribeView> {
  const found = await subscriptionByToken(context.db, token)
  if (!found) return endedView(context)
  return {
    title: say(context, 'End it'),
    body: html`<p>${say(context, 'It is about: {what}.', { what: await whatOf(context, found) })}</p>${buttonForm(say(context, 'End it'))}`,
  }
}

/** RFC 8058: by mail programs too, without a cookie. The same for unknown tokens. */
async function end({ context, token }: AskedPage): Promise<SubscribeAnswer> {
  const found = await subscriptionByToken(context.db, token)
  if (found) await context.write((tx) => endSubscription(tx, found))
  return endedView(context)
}

const endedView = (context: Context): SubscribeView => ({
  title: say(context, 'It has ended'),
  body: html`<p>${say(context, 'You get no more of it.')}</p>`,
})

async function showMine({ context, token, query }: AskedPage): Promise<SubscribeView> {
  const subscriber = await subscriberByToken(context.db, token)
  return subscriber ? mineView(context, subscriber, query.has('saved')) : goneView(context)
}

async function mineView(
  context: Context,
  { id, address }: SubscriberColumns,
  isSaved: boolean,
): Promise<SubscribeView> {
  const all = await listSubscriptions(context.db, id)
  const lines = await Promise.all(all.map((one) => mineLine(context, one)))
  return {
    title: say(context, 'All I have asked for'),
    body: html`${isSaved && html`<p role="status"><strong>${say(context, 'Saved.')}</strong></p>`}<p><bdi>${address}</bdi></p>
<ul>${lines}</ul>
<form method="post"><p>${say(context, 'All of it ends, and your address and everything kept with it is deleted.')}</p><p><button type="submit" class="button" name="deed" value="forget">${say(context, 'Forget me')}</button></p></form>`,
  }
}

async function mineLine(context: Context, subscription: SubscriptionColumns): Promise<Content> {
  const { id, kind, rhythm, confirmed_utc } = subscription
  const other = rhythm === 'daily' ? 'weekly' : 'daily'
  const text = rhythm === 'event' ? 'a day before' : rhythm
  const isOpen = confirmed_utc === ''
  return html`<li><form method="post"><input type="hidden" name="id" value="${id}"><strong><bdi>${await whatOf(context, subscription)}</bdi></strong> · ${say(context, isOpen ? 'not confirmed' : text)} ${kind === 'list' && !isOpen && html`<button type="submit" class="button" name="deed" value="${other}">${say(context, other === 'daily' ? 'Make it daily' : 'Make it weekly')}</button> `}<button type="submit" class="button" name="deed" value="end">${say(context, 'End it')}</button></form></li>`
}

async function changeMine({ context, token, field }: AskedPage): Promise<SubscribeAnswer> {
  const { site, now } = context
  const subscriber = await subscriberByToken(context.db, token)
  if (!subscriber) return goneView(context)
  const deed = field('deed')
  if (deed === 'forget') {
    await context.write((tx) => forgetSubscriber(tx, subscriber.address))
    return {
      title: say(context, 'Forgotten'),
      body: html`<p>${say(context, 'Nothing is kept of your address any more.')}</p>`,
    }
  }
  const own = (await listSubscriptions(context.db, subscriber.id)).find(
    ({ id }) => String(id) === field('id'),
  )
  if (own)
    await context.write(async (tx) => {
      if (deed === 'end') await endSubscription(tx, own)
      else if (own.kind === 'list' && (deed === 'daily' || deed === 'weekly'))
        await changeRhythm(tx, own.id, deed, nextIssue(deed, site.timezone, now))
    })
  if (!(await subscriberByToken(context.db, token))) return endedView(context)
  return { seeOther: pathTo(site, `/subscribe/mine/${token}?saved`) }
}

const onlyShown = (get: SubscribePage['get']): SubscribePage => ({ get, post: get })

const PAGES: Readonly<Record<string, SubscribePage>> = {
  '': { get: showForm, post: takeForm },
  sent: onlyShown(showSent),
}
const TOKEN_PAGES: Readonly<Record<string, SubscribePage>> = {
  confirm: { get: showConfirm, post: confirm },
  end: { get: showEnd, post: end },
  mine: { get: showMine, post: changeMine },
}

/** Undefined for any other path. */
export function subscribePageAt(path: string): { page: SubscribePage; token: string } | undefined {
  const [, root, name = '', token = '', ...rest] = path.split('/')
  if (root !== 'subscribe' || rest.some((part) => part !== '')) return undefined
  const page = token === '' ? PAGES[name] : TOKEN_PAGES[name]
  return page && { page, token }
}
