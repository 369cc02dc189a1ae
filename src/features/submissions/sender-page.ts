import { wallNow } from '../../base/text/moments.ts'
import { formatUtc, utcToWall } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findEvent } from '../../calendar/events/event-store.ts'
import { readerContext } from '../../calendar/ground.ts'
import { recordUrl } from '../../calendar/linked/record-present.ts'
import { events } from '../../calendar/resources.ts'
import { isSwitchOn, lastTyped, sayAtDesk, type TypedForm } from '../desk/desk-page.ts'
import { removeRecord } from '../desk/save-form.ts'
import { forgetSent } from '../mail/outbox.ts'
import { writtenDate } from '../pages/page-dates.ts'
import { viewingOf } from '../pages/page-ground.ts'
import { type Content, html } from '../pages/page-html.ts'
import { pathTo } from '../pages/viewing.ts'
import { hashOfSecret, readSecret } from './form-token.ts'
import { LETTER_TOPICS, MINE_PATH } from './submission-letters.ts'
import {
  dropPicture,
  findByLink,
  findSubmission,
  forgetSenderOf,
  hasPicture,
  holdSubmission,
  isSender,
  updateSubmission,
} from './submission-store.ts'
import type { Submission } from './submission-tables.ts'
import { saySubmission } from './submission-texts.ts'
import { digestOf, hasManyLinks, readSuggestion } from './suggest-form.ts'
import { type Asked, inQueue, type SuggestAnswer, type SuggestPage, venueNames } from './suggest-route.ts'
import { faultSummary, suggestForm } from './suggest-view.ts'

// The page behind the secret link: here senders track, change and withdraw a suggestion.

async function findMine({
  context,
  query,
}: Asked): Promise<{ secret: string; mine: Submission } | undefined> {
  const secret = readSecret(query.get('token') ?? '')
  if (secret === undefined) return undefined
  const mine = await findByLink(context.db, hashOfSecret(secret), 'sender', context.now)
  return mine && { secret, mine }
}

const CHANGEABLE: readonly Submission['state'][] = ['waiting', 'sent back', 'published', 'spam']

export function mineAddress({ site }: Pick<Context, 'site'>, secret: string): string {
  const path = pathTo(site, MINE_PATH)
  return `${path}${path.includes('?') ? '&' : '?'}token=${secret}`
}

export const readTyped = ({ typed, proposed }: Pick<Submission, 'typed' | 'proposed'>): TypedForm =>
  JSON.parse(proposed || typed)

async function showMine(asked: Asked): Promise<SuggestAnswer> {
  const found = await inQueue(asked, 'reads', () => findMine(asked))
  if (!found) return goneView(asked)
  return inQueue(asked, 'reads', () => mineView(asked, found, {}))
}

export function goneView({ context: { site } }: Pick<Asked, 'context'>): SuggestAnswer {
  return {
    status: 404,
    isSecret: true,
    title: saySubmission(site, 'This link leads nowhere any more.'),
    body: html`<p class="lead">\
${saySubmission(site, 'Links end 30 days after the event, and when an editor or you have ended them.')}</p>`,
  }
}

interface Shown {
  typed?: TypedForm
  faults?: Record<string, string>
  notice?: Content
}

async function mineView(
  asked: Asked,
  { secret, mine }: { secret: string; mine: Submission },
  { typed = readTyped(mine), faults = {}, notice }: Shown,
): Promise<SuggestAnswer> {
  const { route, context } = asked
  const { site } = context
  const address = mineAddress(context, secret)
  const mayChange = CHANGEABLE.includes(mine.state)
  const viewing = await viewingOf(route.all.pages, context)
  const isOpen = Object.keys(faults).length > 0
  const said = await fateInWords(context, mine)
  const form =
    mayChange &&
    html`<details class="change"${(isOpen || mine.state === 'sent back') && html` open`}><summary>\
${saySubmission(site, mine.state === 'published' ? 'Propose a change' : 'Change it')}</summary>${suggestForm({
      viewing: { context, venues: venueNames(viewing) },
      typed,
      faults,
      action: address,
      notes: faultSummary(context, faults),
      hasPicture: await hasPicture(context.db, mine.form),
      buttons: html`<p class="ways"><button type="submit" class="button main" name="act" value="change">\
${saySubmission(site, mine.state === 'published' ? 'Send the change to the editors' : 'Save the change')}\
</button></p>`,
    })}</details>`
  const act = (name: string, text: string, hint: string) =>
    html`<form method="post" action="${address}" class="act">\
<button type="submit" class="button" name="act" value="${name}">${text}</button><p class="hint">${hint}</p>\
</form>`
  const mayWithdraw = mayChange || mine.state === 'unconfirmed'
  const isKnown = mine.sender_name !== '' || mine.address !== ''
  return {
    ...(isOpen && { status: 422 }),
    isSecret: true,
    title: mine.title || sayAtDesk(site, '(no title)'),
    body: html`${notice && html`<div class="notice" role="status">${notice}</div>`}<p class="lead">${said}\
</p>${mine.reply !== '' && html`<blockquote class="said" dir="auto">${mine.reply}</blockquote>`}\
<p class="hint">${saySubmission(
      site,
      'Keep the address of this page: it is the only way back to your suggestion, and nobody else has it.',
    )}\
</p>${form}<section class="acts"><h2 class="hidden">${sayAtDesk(site, 'More')}</h2>\
${
  mayWithdraw &&
  act(
    'withdraw',
    sayAtDesk(site, 'Withdraw'),
    saySubmission(
      site,
      mine.state === 'published'
        ? 'The event leaves the calendar at once.'
        : 'The editors do not see it any more.',
    ),
  )
}${
  isKnown &&
  act(
    'forget',
    saySubmission(site, 'Delete my data'),
    saySubmission(
      site,
      'Your name, address and note are deleted at once, and this link ends. A published event stays.',
    ),
  )
}</section>`,
  }
}

/** What has become of the suggestion. Spam seems to wait. */
async function fateInWords(context: Context, mine: Submission): Promise<Content> {
  const { site, db, now } = context
  const wall = (utc: string) => {
    const time = utcToWall(utc, site.timezone)
    return writtenDate(site, time.slice(0, 10), wallNow(site.timezone, now).slice(0, 10))
  }
  if (mine.state === 'published') {
    const event = await findEvent(db, mine.event)
    const isShown = event?.status === 'publish'
    const link =
      event && isShown
        ? html` <a href="${recordUrl(site, 'event', event)}">${saySubmission(site, 'See it')}</a>`
        : ''
    const state = saySubmission(site, isShown ? 'It is published.' : 'It is not published any more.')
    return html`${state}${link}${
      mine.proposed !== '' &&
      html` \
${saySubmission(site, 'Your change waits for the editors.')}`
    }`
  }
  const texts: Readonly<Record<Submission['state'], string>> = {
    unconfirmed: saySubmission(site, 'It waits for you to confirm it.'),
    waiting: saySubmission(site, 'It waits for the editors since {date}.', { date: wall(mine.changed_utc) }),
    spam: saySubmission(site, 'It waits for the editors since {date}.', { date: wall(mine.changed_utc) }),
    'sent back': saySubmission(
      site,
      'The editors have sent it back. Change it, and it waits for them again.',
    ),
    rejected: saySubmission(site, 'It was not taken into the calendar.'),
    withdrawn: saySubmission(site, 'You have withdrawn it.'),
    published: '',
  }
  return texts[mine.state]
}

async function changeMine(asked: Asked): Promise<SuggestAnswer> {
  const found = await inQueue(asked, 'reads', () => findMine(asked))
  if (!found) return goneView(asked)
  const act = lastTyped(asked.sent, 'act')
  if (act === 'withdraw') return inQueue(asked, 'writes', () => withdraw(asked, found))
  if (act === 'forget') return inQueue(asked, 'writes', () => forget(asked, found))
  return inQueue(asked, 'writes', () => change(asked, found))
}

type Mine = NonNullable<Awaited<ReturnType<typeof findMine>>>

async function change(asked: Asked, found: Mine): Promise<SuggestAnswer> {
  const { context, sent } = asked
  const { site, now } = context
  if (!CHANGEABLE.includes(found.mine.state)) return mineView(asked, found, {})
  const { typed, faults, title, draft } = await readSuggestion(context, sent)
  if (Object.keys(faults).length > 0) return mineView(asked, found, { typed, faults: { ...faults } })
  const written = JSON.stringify(typed)
  const aside = hasManyLinks(sent) ? ({ aside: 'links' } as const) : {}
  await context.write(async (tx) => {
    const held = await holdSubmission(tx, found.mine.id)
    if (!held || !CHANGEABLE.includes(held.state)) return
    const changed_utc = formatUtc(now)
    if (held.state === 'published') {
      const proposed = written === held.typed ? '' : written
      await updateSubmission(tx, held.id, { proposed, changed_utc })
      return
    }
    if (isSwitchOn(sent, 'without_picture')) await dropPicture(tx, held.form)
    const times = { start_utc: draft?.utc_start_date ?? '', end_utc: draft?.utc_end_date ?? '' }
    const state = held.state === 'sent back' ? ({ state: 'waiting' } as const) : {}
    const change = {
      ...state,
      ...aside,
      ...times,
      title,
      typed: written,
      digest: digestOf(typed),
      changed_utc,
    }
    await updateSubmission(tx, held.id, change)
  })
  const after = await findMine(asked)
  const notice = saySubmission(site, 'Your change is saved.')
  return after ? mineView(asked, after, { notice }) : goneView(asked)
}

async function withdraw(asked: Asked, { secret, mine }: Mine): Promise<SuggestAnswer> {
  const { context, route } = asked
  if (!CHANGEABLE.includes(mine.state) && mine.state !== 'unconfirmed')
    return { seeOther: mineAddress(context, secret) }
  if (mine.state === 'published') {
    // The sender has no rights to remove the event, so the calendar does it.
    const asCalendar = readerContext(route.service, true, { now: context.now, report: context.report })
    const event = await findEvent(context.db, mine.event)
    if (event && event.status !== 'trash') {
      const scope = event.series === null ? {} : { recurrence_scope: 'all' }
      await removeRecord(asCalendar, events, event.id, scope)
    }
  }
  const isDone = await context.write(async (tx) => {
    const held = await holdSubmission(tx, mine.id)
    if (held?.state !== mine.state) return false
    await dropPicture(tx, mine.form)
    const utc = formatUtc(context.now)
    await updateSubmission(tx, mine.id, {
      state: 'withdrawn',
      proposed: '',
      decided_utc: utc,
      changed_utc: utc,
    })
    return true
  })
  // Its state changed meanwhile, so it is withdrawn in the new one.
  const now = isDone ? undefined : await findSubmission(context.db, mine.id)
  return now ? withdraw(asked, { secret, mine: now }) : { seeOther: mineAddress(context, secret) }
}

async function forget(asked: Asked, { mine }: Mine): Promise<SuggestAnswer> {
  const { context } = asked
  const { site } = context
  await context.write(async (tx) => {
    await forgetSenderOf(tx, mine.id)
    if (!(await isSender(tx, mine.address))) await forgetSent(tx, mine.address, LETTER_TOPICS)
  })
  return {
    isSecret: true,
    title: saySubmission(site, 'Your data are deleted.'),
    body: html`<p class="lead">\
${saySubmission(site, 'Nothing of you is kept with this suggestion any more.')}</p>`,
  }
}

export const minePage: SuggestPage = { get: showMine, post: changeMine }
