import { Problem } from '../../base/problems.ts'
import { plainText } from '../../base/text/html.ts'
import { dayOf, formatUtc, wallNow } from '../../base/text/moments.ts'
import { clientOf } from '../../base/text/urls.ts'
import { HOUR_MS } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findEvent } from '../../calendar/events/event-store.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { written } from '../feeds/date-forms.ts'
import { type Choices, type Content, choicesOf, type Html, html, select } from '../pages/page-html.ts'
import { queryText, readQuery } from '../pages/page-query.ts'
import { pathTo } from '../pages/viewing.ts'
import { whenInWords } from '../pages/when-in-words.ts'
import { toldTimesOf } from './issue.ts'
import { ISSUE_DAYS, nextIssue, readerZone, readRhythm, reminderAt, writtenRhythm } from './issue-times.ts'
import { onOneLine } from './letter.ts'
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
  type AskedFor,
  CONFIRM_HOURS,
  changeRhythm,
  changeSubscriberZone,
  confirmSubscription,
  endSubscription,
  findSubscriber,
  forgetSubscriber,
  insertSubscription,
  listSubscriptions,
  MOST_SUBSCRIPTIONS,
  type Subscribed,
  subscriberByToken,
  subscriptionByToken,
  tokenOf,
} from './subscription-store.ts'

// Links in messages lead to pages with a button, since mail scanners follow links.

/** Translates a text. Values become one line, without characters that change the direction of later text. */
function say({ site }: Context, text: MailText, values: Readonly<Record<string, string>> = {}): string {
  const plain = Object.entries(values).map(([name, value]) => [name, onOneLine(value)])
  return sayMail(site, text, Object.fromEntries(plain))
}

type Wanted = { kind: 'list'; query: string; what: string } | { kind: 'event'; row: EventRow; what: string }

/** @throws Problem rest_invalid_param for an invalid query, rest-event-not-found for a non-public event */
async function wantedIn(context: Context, query: string, event: string): Promise<Wanted> {
  if (event !== '') {
    const row = /^\d{1,10}$/.test(event) ? await findEvent(context.db, Number(event)) : undefined
    if (row?.status !== 'publish') throw new Problem('rest-event-not-found')
    return { kind: 'event', row, what: onOneLine(plainText(row.title)) }
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
  timezone?: string
  fault?: MailText
}

/** Offers daily issues or a weekday, whose name is that of a day in the week of Monday, 30 November 2026. */
function rhythmField(context: Context, chosen: string): Html {
  const { site } = context
  const [first, ...others] = ISSUE_DAYS.map((value, at) => {
    const day = written(site, 'weekday', `2026-${at === 0 ? '11-30' : `12-0${at}`}`)
    return { value, text: say(context, 'Weekly, on {day}', { day }) }
  })
  const daily = { value: 'daily', text: say(context, 'Daily, when something is on') }
  const choices = choicesOf([...others, daily])
  return select(say(context, 'How often'), 'rhythm', first?.text ?? '', choices, chosen)
}

let zones: Choices | undefined

/** All time zones as choices; made once, since there are hundreds. */
function allZones(): Choices {
  const names = zones ? [] : ['UTC', ...Intl.supportedValuesOf('timeZone')]
  zones ??= choicesOf([...new Set(names)].map((value) => ({ value, text: value.replaceAll('_', ' ') })))
  return zones
}

const knownZone = (text: string): string => (allZones().all.some(({ value }) => value === text) ? text : '')

function zoneField(context: Context, chosen: string): Html {
  const label = say(context, 'At seven in the morning, in the time zone')
  const zone = context.site.timezone.replaceAll('_', ' ')
  const own = say(context, 'As the calendar: {zone}', { zone })
  return select(label, 'timezone', own, allZones(), chosen === '' ? undefined : chosen)
}

const REMINDS = 'You get a message the day before, and when the event moves or is canceled.'

function formView(
  context: Context,
  wanted: Wanted,
  { address = '', rhythm = '', timezone = '', fault }: Typed,
): SubscribeView {
  const { site, now } = context
  if (wanted.kind === 'event' && isOver(wanted.row, now))
    return { status: 410, title: wanted.what, body: html`<p>${say(context, 'This event is over.')}</p>` }
  const today = dayOf(wallNow(site.timezone, now))
  const about =
    wanted.kind === 'event'
      ? [
          html`<p><bdi>${wanted.what}</bdi><br>${whenInWords(site, wanted.row, today)}</p>`,
          html`<p>${say(context, REMINDS)}</p>`,
        ]
      : html`<p>${say(context, 'What is on: {what}.', { what: wanted.what })}</p>`
  const asked =
    wanted.kind === 'event'
      ? html`<input type="hidden" name="event" value="${wanted.row.id}">`
      : html`<input type="hidden" name="list" value="${wanted.query}">
<p>${rhythmField(context, rhythm)}</p>
<p>${zoneField(context, timezone)}</p>`
  const wrong = fault && html` aria-invalid="true" aria-describedby="fault"`
  const typed = html`name="address" value="${address}" autocomplete="email" maxlength="320" required${wrong}`
  const privacy = [
    say(context, 'Your address and what you asked for are kept until you end it, for nothing else.'),
    say(context, 'Those who run this calendar can see them, and nobody else.'),
    say(context, 'What is not confirmed within {hours} hours is dropped.', { hours: `${CONFIRM_HOURS}` }),
  ]
  return {
    ...(fault && { status: 422 }),
    title: say(context, wanted.kind === 'event' ? 'Be reminded by e-mail' : 'Events by e-mail'),
    body: html`${about}
<form method="post" action="${pathTo(site, '/subscribe/')}" class="by-mail">
${asked}
<p><label><span>${say(context, 'E-mail address')}</span><input type="email" ${typed}></label></p>
${fault && html`<p id="fault" role="alert"><strong>${say(context, fault)}</strong></p>`}
${trap(say(context, 'Leave this empty'))}
<p><button type="submit" class="button main">${say(context, 'Send me the link to confirm')}</button></p>
</form>
<p><small>${privacy.join(' ')}</small></p>`,
  }
}

/** A hidden field that people leave empty. A bot gives itself away by filling it in. */
const trap = (label: string): Html =>
  html`<p class="hidden" aria-hidden="true"><label for="website">${label}</label>
<input type="text" id="website" name="website" tabindex="-1" autocomplete="off"></p>`

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

/** Takes the form. The answer does not tell whether a valid address is subscribed. */
async function takeForm({ route, context, incoming, field }: AskedPage): Promise<SubscribeAnswer> {
  const wanted = await wantedIn(context, field('list'), field('event'))
  const rhythm = readRhythm(field('rhythm'))
  const timezone = knownZone(field('timezone'))
  const address = parseMailAddress(field('address'))
  if (address === undefined)
    return formView(context, wanted, {
      ...{ address: field('address').slice(0, 320), rhythm: writtenRhythm(rhythm), timezone },
      fault: 'This is not an e-mail address that can be written to.',
    })
  if (wanted.kind === 'event' && isOver(wanted.row, context.now)) return formView(context, wanted, {})
  const sent = { seeOther: pathTo(context.site, '/subscribe/sent/') }
  if (field('website') !== '') return sent
  countAsked(route, incoming.address, context.now)
  const { language } = context.site
  const common = { address, language, timezone }
  const asked: AskedFor =
    wanted.kind === 'event'
      ? { ...common, kind: 'event', query: '', event: wanted.row.id, rhythm: 'event', weekday: 1 }
      : { ...common, kind: 'list', query: wanted.query, event: 0, ...rhythm }
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
            text: [
              say(context, 'If it was not you, do nothing: without a click nothing more is sent.'),
              say(context, 'Your address is dropped within {hours} hours.', { hours: `${CONFIRM_HOURS}` }),
            ].join(' '),
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
    body: [
      'We have sent you a message with a link. Open it to confirm; until then nothing else is sent.' as const,
      'Nothing there? Look among spam, or ask again in a few minutes.' as const,
    ].map((text) => html`<p>${say(context, text)}</p>`),
  }
}

const goneView = (context: Context): SubscribeView => ({
  status: 404,
  title: say(context, 'This link is no longer good'),
  body: [
    html`<p>${say(context, 'It was used, has expired, or is not whole.')}</p>`,
    linkTo(pathTo(context.site, '/events/'), say(context, 'All events')),
  ],
})

async function whatOf(context: Context, { kind, query, event }: SubscriptionColumns): Promise<string> {
  if (kind === 'list') return describeList(context, query)
  const row = await findEvent(context.db, event)
  return row?.status === 'publish' ? plainText(row.title) : say(context, 'an event that is no longer there')
}

const linkTo = (path: string, text: string): Html => html`<p><a class="button" href="${path}">${text}</a></p>`

const button = (text: string, action: string, looks = 'button'): Html =>
  html`<button type="submit" class="${looks}" name="do" value="${action}">${text}</button>`

const buttonForm = (text: string): Html =>
  html`<form method="post"><p>${button(text, '', 'button main')}</p></form>`

async function aboutOf(context: Context, found: SubscriptionColumns): Promise<Html> {
  return html`<p>${say(context, 'It is about: {what}.', { what: await whatOf(context, found) })}</p>`
}

async function showConfirm({ context, token }: AskedPage): Promise<SubscribeView> {
  const found = await subscriptionByToken(context.db, token)
  if (!found) return goneView(context)
  return {
    title: say(context, 'Events by e-mail'),
    body: [await aboutOf(context, found), buttonForm(say(context, 'Confirm'))],
  }
}

async function confirm({ context, token }: AskedPage): Promise<SubscribeAnswer> {
  const found = await subscriptionByToken(context.db, token)
  if (!found) return goneView(context)
  const { site, now } = context
  const subscriber = await context.write(async (tx) => {
    const own = await findSubscriber(tx, found.subscriber)
    const row = found.kind === 'event' ? await findEvent(tx, found.event) : undefined
    const zone = own ? readerZone(own, site.timezone) : site.timezone
    const due = row
      ? { next_utc: reminderAt(row, now), told: JSON.stringify(toldTimesOf(row)) }
      : { next_utc: found.kind === 'event' ? '' : nextIssue(found, zone, now), told: '' }
    await confirmSubscription(tx, found.id, due, now)
    return own
  })
  const path = subscriber && pathTo(site, `/subscribe/mine/${tokenOf(subscriber)}`)
  return {
    title: say(context, 'Confirmed'),
    body: [await aboutOf(context, found), path && linkTo(path, say(context, 'All I have asked for'))],
  }
}

async function showEnd({ context, token }: AskedPage): Promise<SubscribeView> {
  const found = await subscriptionByToken(context.db, token)
  if (!found) return endedView(context)
  return {
    title: say(context, 'End it'),
    body: [await aboutOf(context, found), buttonForm(say(context, 'End it'))],
  }
}

/** Ends a subscription at once, as mail programs ask (RFC 8058); unknown tokens get the same answer. */
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
  { id, address, timezone }: SubscriberColumns,
  isSaved: boolean,
): Promise<SubscribeView> {
  const all = await listSubscriptions(context.db, id)
  const lines = await Promise.all(all.map((one) => mineLine(context, one)))
  const zone = all.some(({ kind }) => kind === 'list') && [
    html`<form method="post" class="by-mail"><p>${zoneField(context, timezone)}</p>`,
    html`<p>${button(say(context, 'Save'), 'zone')}</p></form>\n`,
  ]
  const forgotten = say(context, 'All of it ends, and your address and everything kept with it is deleted.')
  return {
    title: say(context, 'All I have asked for'),
    body: html`${isSaved && html`<p role="status"><strong>${say(context, 'Saved.')}</strong></p>`}
<p><bdi>${address}</bdi></p>
<ul>${lines}</ul>
${zone}<form method="post"><p>${forgotten}</p><p>${button(say(context, 'Forget me'), 'forget')}</p></form>`,
  }
}

async function mineLine(context: Context, subscription: SubscriptionColumns): Promise<Content> {
  const { id, kind, confirmed_utc } = subscription
  const isOpen = confirmed_utc === ''
  const state = isOpen ? say(context, 'not confirmed') : kind === 'event' ? say(context, 'a day before') : ''
  const rhythm = kind === 'list' &&
    !isOpen && [
      html`<p>${rhythmField(context, writtenRhythm(subscription))}</p>`,
      html`${button(say(context, 'Save'), 'rhythm')} `,
    ]
  return html`<li><form method="post" class="by-mail"><input type="hidden" name="id" value="${id}">
<p><strong><bdi>${await whatOf(context, subscription)}</bdi></strong>${state && ` · ${state}`}</p>
${rhythm}${button(say(context, 'End it'), 'end')}</form></li>`
}

async function changeMine({ context, token, field }: AskedPage): Promise<SubscribeAnswer> {
  const { site, now } = context
  const subscriber = await subscriberByToken(context.db, token)
  if (!subscriber) return goneView(context)
  const action = field('do')
  if (action === 'forget') {
    await context.write((tx) => forgetSubscriber(tx, subscriber.address))
    return {
      title: say(context, 'Forgotten'),
      body: html`<p>${say(context, 'Nothing is kept of your address any more.')}</p>`,
    }
  }
  if (action === 'zone') {
    const timezone = knownZone(field('timezone'))
    const zone = readerZone({ timezone }, site.timezone)
    await context.write((tx) => changeSubscriberZone(tx, subscriber, { timezone, zone }, now))
  }
  const all = await listSubscriptions(context.db, subscriber.id)
  const own = all.find(({ id }) => String(id) === field('id'))
  if (own)
    await context.write(async (tx) => {
      if (action === 'end') await endSubscription(tx, own)
      if (action === 'rhythm' && own.kind === 'list') {
        const rhythm = readRhythm(field('rhythm'))
        const next_utc = nextIssue(rhythm, readerZone(subscriber, site.timezone), now)
        await changeRhythm(tx, own.id, { ...rhythm, next_utc })
      }
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

export function subscribePageAt(path: string): { page: SubscribePage; token: string } | undefined {
  const [, root, name = '', token = '', ...rest] = path.split('/')
  if (root !== 'subscribe' || rest.some((part) => part !== '')) return undefined
  const page = token === '' ? PAGES[name] : TOKEN_PAGES[name]
  return page && { page, token }
}
