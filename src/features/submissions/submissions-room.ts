import type { Site } from '../../base/config.ts'
import { Problem } from '../../base/problems.ts'
import { wallNow } from '../../base/text/moments.ts'
import { utcToWall } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findEvent } from '../../calendar/events/event-store.ts'
import { findUser } from '../../calendar/people/users.ts'
import type { ServiceStart } from '../../feature.ts'
import { findClashes } from '../desk/clashes.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  fieldOf,
  lastTyped,
  recordIdIn,
  sayAtDesk,
  type TypedForm,
  typedOf,
} from '../desk/desk-page.ts'
import type { DeskPart } from '../desk/desk-part.ts'
import { eventLink } from '../desk/record-links.ts'
import { mayReview } from '../desk/review/linked-drafts.ts'
import { written } from '../feeds/date-forms.ts'
import { writtenDate, writtenNumber } from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import {
  markSpam,
  publishSubmission,
  rejectSubmission,
  revokeLinks,
  sendBackSubmission,
  unmarkSpam,
  type Verdict,
  wordingOf,
} from './decide-submission.ts'
import { readTyped } from './sender-page.ts'
import { submissionSettings } from './submission-rules.ts'
import {
  countPiles,
  distrustAddress,
  findPicture,
  findSubmission,
  findTrust,
  listPile,
  listPileIds,
  type Pile,
  trustAddress,
} from './submission-store.ts'
import type { Aside, Submission } from './submission-tables.ts'
import { saySubmission, saySubmissionCount } from './submission-texts.ts'
import { EVENT_CONTROLS, readSuggestion } from './suggest-form.ts'
import { faultSummary, labelAt, suggestForm } from './suggest-view.ts'
import { findReader, setReader } from './tell-editors.ts'
import { showFull, TRUSTED_ROOM, trustedPage } from './trusted-room.ts'

// Pages on which editors see piles of suggestions, and decide about one or several.

const ROOM = '/suggestions'
const PER_PAGE = 50
const MOST_SHOWN = 3
const MOST_AT_ONCE = 1000
/** Maximum published at once, since each takes a write transaction. */
const MOST_PUBLISHED = 20
const MOST_NOTE = 2000

export async function submissionsPart({ config }: ServiceStart): Promise<DeskPart> {
  if (!submissionSettings(config)) return { pages: [] }
  return {
    pages: submissionPages,
    assets: new URL('./assets/desk/', import.meta.url),
    inbox: { count: countWaiting, list: listWaiting },
  }
}

async function countWaiting(context: Context): Promise<number> {
  if (!mayReview(context)) return 0
  const { waiting, aside } = await countPiles(context.db)
  return waiting + aside
}

async function listWaiting(context: Context): Promise<Html | undefined> {
  if (!mayReview(context)) return undefined
  const { site, db } = context
  const [counts, first] = await Promise.all([countPiles(db), listPile(db, 'waiting', 1, MOST_SHOWN)])
  const total = counts.waiting + counts.aside
  if (total === 0) return undefined
  const lines = first.map((one) => html`<li class="card">${entryOf(context, one)}</li>`)
  return html`<section class="suggestions"><h2>${saySubmission(site, 'Suggestions from visitors')}</h2>\
<ul class="inbox">${lines}</ul><p><a class="button" href="${deskPath(site, ROOM)}">\
${saySubmissionCount(site, 'All {count} suggestions', total, { count: writtenNumber(site, total) })}</a>\
</p></section>`
}

const PILES = ['waiting', 'aside', 'spam', 'decided'] as const satisfies readonly Pile[]

const PILE_TEXTS = { waiting: 'To decide', aside: 'Doubtful', spam: 'Spam', decided: 'Decided' } as const

const ASIDE_TEXTS: Readonly<Record<Exclude<Aside, ''>, Parameters<typeof saySubmission>[1]>> = {
  links: 'More than five links',
  repeated: 'The same text came from another address',
  proof: 'Sent without scripts while many came',
}

const STATE_TEXTS: Readonly<Record<Submission['state'], Parameters<typeof saySubmission>[1]>> = {
  unconfirmed: 'Not confirmed',
  waiting: 'To decide',
  'sent back': 'Sent back',
  published: 'Published',
  rejected: 'Declined',
  withdrawn: 'Withdrawn by its sender',
  spam: 'Spam',
}

function entryOf(context: Context, one: Submission): Html {
  const { site, now } = context
  const form: TypedForm = readTyped(one)
  const wall = one.start_utc === '' ? '' : utcToWall(one.start_utc, site.timezone)
  const today = wallNow(site.timezone, now).slice(0, 10)
  const isWholeDay = lastTyped(form, 'all_day') === '1'
  const when =
    wall === ''
      ? `${lastTyped(form, 'start_date')} ${lastTyped(form, 'start_time')}`
      : `${writtenDate(site, wall.slice(0, 10), today)}${
          isWholeDay
            ? ''
            : `, \
${written(site, 'time', wall)}`
        }`
  const place = lastTyped(form, 'venue_name')
  return html`<div class="suggested"><p><a class="title" href="${deskPath(site, `${ROOM}/${one.id}`)}"\
 dir="auto">${titleOf(site, one)}</a> ${marksOf(context, one)}</p><p>\
${when}${place !== '' && html` · <span dir="auto">${place}</span>`}</p><p class="hint" dir="auto">\
${senderOf(one)}</p></div>`
}

/** Plain text, to be escaped: the sender may have typed HTML. */
const titleOf = (site: Site, { title }: Submission): string => title || sayAtDesk(site, '(no title)')

/** Name and address apart, since a name may look like an address. */
const senderOf = ({ sender_name, address }: Submission): Content =>
  html`${sender_name}${sender_name !== '' && address !== '' && ' · '}${
    address !== '' &&
    html`<bdi>\
${address}</bdi>`
  }`

function marksOf({ site }: Context, { state, aside, confirmed_utc, proposed }: Submission): Content {
  const isOpen = state === 'waiting'
  return [
    state !== 'waiting' &&
      proposed === '' &&
      html`<span class="state">${saySubmission(site, STATE_TEXTS[state])}</span> `,
    proposed !== '' && html`<span class="state warn">${sayAtDesk(site, 'Proposed change')}</span> `,
    isOpen &&
      confirmed_utc === '' &&
      html`<span class="state warn">${saySubmission(site, 'Address not confirmed')}</span> `,
    isOpen && aside !== '' && html`<span class="state bad">${saySubmission(site, ASIDE_TEXTS[aside])}</span>`,
  ]
}

function pileOf({ query }: Pick<DeskRequest, 'query'>): Pile {
  return PILES.find((pile) => pile === query.get('pile')) ?? 'waiting'
}

const pilePath = (site: Context['site'], pile: Pile, more: Record<string, string> = {}) =>
  deskPath(site, `${ROOM}?${new URLSearchParams({ pile, ...more })}`)

function requireReviewer(context: Context): void {
  if (!mayReview(context)) throw new Problem('rest_forbidden')
}

async function showPile(request: DeskRequest): Promise<DeskAnswer> {
  const { context, query } = request
  requireReviewer(context)
  const { site, db } = context
  const pile = pileOf(request)
  const page = /^[1-9]\d{0,3}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1
  const [counts, rows] = await Promise.all([countPiles(db), listPile(db, pile, page, PER_PAGE)])
  const tabs = PILES.map(
    (one) =>
      html`<li><a href="${pilePath(site, one)}"${one === pile && html` aria-current="page"`}>\
${saySubmission(site, PILE_TEXTS[one])} <span class="count">${writtenNumber(site, counts[one])}</span></a>\
</li>`,
  )
  const lines = rows.map(
    (one) =>
      html`<li class="card">${
        pile !== 'decided' &&
        html`<label class="pick">\
<input type="checkbox" name="id" value="${one.id}" form="many"\
 aria-label="${titleOf(site, one)}"></label><input type="hidden" name="seen" value="${one.id}.\
${wordingOf(one)}" form="many">`
      }${entryOf(context, one)}</li>`,
  )
  const more = page * PER_PAGE < counts[pile]
  const trusted = html`<a class="button" href="${deskPath(site, TRUSTED_ROOM)}">\
${saySubmission(site, 'Trusted addresses')}</a>`
  return {
    title: saySubmission(site, 'Suggestions from visitors'),
    room: 'inbox',
    script: 'suggestions.js',
    ...(isConfirmed(request) && { actions: trusted }),
    under: html`<a href="${deskPath(site, '/inbox')}">${sayAtDesk(site, 'Inbox')}</a>`,
    notice: doneNotice(request),
    body: html`<nav class="piles" aria-label="${saySubmission(site, 'Piles')}"><ul>${tabs}</ul></nav>\
${
  rows.length === 0
    ? html`<p class="nothing">${sayAtDesk(site, 'Nothing waits.')}\
</p>`
    : html`${pile !== 'decided' && manyForm(context, pile, counts[pile], rows)}\
<ul class="inbox suggestions">${lines}</ul>`
}${
  (more || page > 1) &&
  html`<nav class="pages">\
${
  page > 1 &&
  html`<a class="button" href="${pilePath(site, pile, { page: String(page - 1) })}">\
${sayAtDesk(site, 'Back')}</a>`
}${
  more &&
  html`<a class="button"\
 href="${pilePath(site, pile, { page: String(page + 1) })}">${saySubmission(site, 'Next')}</a>`
}\
</nav>`
}${await messagesForm(request)}`,
  }
}

/** True if senders confirm their addresses, which can be trusted only then. */
const isConfirmed = ({ start }: DeskRequest): boolean => start.submissions === 'confirmed'

async function messagesForm({ context: { site, db }, user }: DeskRequest): Promise<Content> {
  if (!site.hasMail || user.user.email === '') return false
  const isQuiet = (await findReader(db, user.user.id))?.is_quiet === 1
  const state = isQuiet
    ? saySubmission(site, 'You get no message when suggestions come.')
    : saySubmission(site, 'You get a message when suggestions come, at most one an hour.')
  const other = saySubmission(site, isQuiet ? 'Send me messages' : 'Stop messages')
  const act = isQuiet ? 'tell' : 'quiet'
  return html`<form class="messages" method="post" action="${deskPath(site, ROOM)}"><p>${state}</p>
<button type="submit" class="button" name="act" value="${act}">${other}</button></form>`
}

function manyForm({ site }: Context, pile: Pile, count: number, rows: readonly Submission[]): Html {
  const shown = rows.map(({ id }) => id).join(' ')
  const button = (act: string, text: string, look = '') =>
    html`<button type="submit" name="act" value="${act}" class="button ${look}">${text}</button>`
  const total = { count: writtenNumber(site, Math.min(count, MOST_AT_ONCE)) }
  const buttons =
    pile === 'spam'
      ? [button('unspam', saySubmission(site, 'Selected are no spam'))]
      : [
          button('spam', saySubmission(site, 'Selected are spam')),
          button('rest', saySubmission(site, 'All but the chosen of this page are spam')),
          button('publish', saySubmission(site, 'Publish selected'), 'main'),
          pile === 'aside' &&
            button('all', saySubmissionCount(site, 'All {count} are spam', count, total), 'bad'),
        ]
  return html`<form id="many" class="many" method="post" action="${pilePath(site, pile)}">\
<input type="hidden" name="shown" value="${shown}"><label class="check all" hidden>\
<input type="checkbox" data-all> ${saySubmission(site, 'All of this page')}</label>${buttons}</form>`
}

function doneNotice({ context: { site }, query }: DeskRequest): Content {
  const count = Number(/^\d{1,6}$/.exec(query.get('count') ?? '')?.[0] ?? 0)
  const done = query.get('done')
  const number = { count: writtenNumber(site, count) }
  if (done === 'spam') return saySubmissionCount(site, '{count} marked as spam', count, number)
  if (done === 'unspam') return saySubmissionCount(site, '{count} wait again', count, number)
  if (done === 'publish') return saySubmissionCount(site, '{count} published', count, number)
  if (done === 'changed') return saySubmission(site, NOTICES.changed)
  return undefined
}

function chosenIds({ form }: DeskRequest): number[] {
  const texts = [form.id].flat().filter((text) => typeof text === 'string')
  return texts.filter(isId).map(Number).slice(0, MOST_AT_ONCE)
}

const isId = (text: string) => /^[1-9]\d{0,14}$/.test(text)

async function changeMany(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  requireReviewer(context)
  const { site, db } = context
  const pile = pileOf(request)
  const act = fieldOf(request, 'act')
  const chosen = chosenIds(request)
  const answer = (done: string, count: number): DeskAnswer => ({
    seeOther: pilePath(site, pile, { done, count: String(count) }),
  })
  if (act === 'quiet' || act === 'tell') {
    await context.write((tx) => setReader(tx, request.user.user.id, { is_quiet: Number(act === 'quiet') }))
    return { seeOther: deskPath(site, ROOM) }
  }
  if (act === 'unspam') return answer('unspam', await unmarkSpam(context, chosen))
  if (act === 'spam') return answer('spam', await markSpam(context, chosen))
  if (act === 'all' && pile === 'aside')
    return answer('spam', await markSpam(context, await listPileIds(db, pile, MOST_AT_ONCE)))
  if (act === 'rest') {
    const shown = fieldOf(request, 'shown').split(' ').filter(isId).map(Number).slice(0, PER_PAGE)
    return answer(
      'spam',
      await markSpam(
        context,
        shown.filter((id) => !chosen.includes(id)),
      ),
    )
  }
  if (act !== 'publish') throw new Problem('rest_no_route')
  const seen = new Map(
    [request.form.seen].flat().map((text) => {
      const [id = '', wording = ''] = String(text ?? '').split('.', 2)
      return [id, wording]
    }),
  )
  let [published, changed] = [0, 0]
  for (const id of chosen.slice(0, MOST_PUBLISHED)) {
    const decision = await publishSubmission(context, id, { seen: seen.get(String(id)) ?? '' })
    if ('event' in decision) published += 1
    if ('changed' in decision) changed += 1
  }
  return changed > 0 ? answer('changed', published) : answer('publish', published)
}

async function getSubmission(request: DeskRequest): Promise<Submission> {
  requireReviewer(request.context)
  const id = recordIdIn(request)
  const found = id === undefined ? undefined : await findSubmission(request.context.db, id)
  if (!found) throw new Problem('rest_no_route')
  return found
}

async function showOne(request: DeskRequest): Promise<DeskAnswer> {
  return oneView(request, await getSubmission(request), {})
}

interface ShownOne {
  status?: number
  typed?: TypedForm
  faults?: Readonly<Record<string, string>>
}

async function oneView(
  request: DeskRequest,
  one: Submission,
  { status, typed = readTyped(one), faults = {} }: ShownOne,
): Promise<DeskAnswer> {
  const { context } = request
  const { site, db } = context
  const isOpen = one.state === 'waiting' || one.proposed !== ''
  const mayTrust = one.address !== '' && isConfirmed(request)
  const [read, picture, event, trust, reviewer] = await Promise.all([
    readSuggestion(context, typed),
    findPicture(db, one.form),
    one.event > 0 ? findEvent(db, one.event) : undefined,
    mayTrust ? findTrust(db, one.address) : undefined,
    findUser(db, one.reviewer),
  ])
  const [near] = read.draft ? await findClashes([read.draft], context) : []
  const at = deskPath(site, `${ROOM}/${one.id}`)
  const act = (name: string, text: string, look = 'quiet') =>
    html`<form method="post" action="${at}"><button type="submit" class="button ${look}" name="act"\
 value="${name}">${text}</button></form>`
  const published = event && html`<p>${eventLink(context, event, titleOf(site, one))}</p>`
  return {
    ...(status !== undefined && { status }),
    title: titleOf(site, one),
    room: 'inbox',
    under: html`<a href="${pilePath(site, 'waiting')}">${saySubmission(site, 'Suggestions from visitors')}\
</a> ${marksOf(context, one)}`,
    notice: oneNotice(request),
    body: html`${faultSummary(context, faults)}<div class="edit"><div class="story">\
${one.proposed !== '' && proposedTable(context, one)}${
  isOpen
    ? suggestForm({
        viewing: { context, venues: [] },
        typed,
        faults,
        action: at,
        isAtDesk: true,
        buttons: html`<input type="hidden" name="seen" value="${wordingOf(one)}"><p class="ways">\
<button type="submit" class="button main" name="act" value="publish">\
${one.proposed === '' ? sayAtDesk(site, 'Publish') : saySubmission(site, 'Publish the change')}</button></p>`,
      })
    : summaryList(context, typed)
}</div><aside class="aside">
<section class="card"><h2>${saySubmission(site, 'Sender')}</h2><p dir="auto">${senderOf(one) || '–'}</p>\
${one.note !== '' && html`<blockquote dir="auto">${one.note}</blockquote>`}<p class="hint">\
${saySubmission(site, 'Sent on {time}', { time: timeOf(context, one.created_utc) })}${
  reviewer &&
  html`<br>\
${saySubmission(site, 'Decided by {name}', { name: reviewer.name })}`
}</p>${
      one.reply !== '' &&
      html`<p>\
${sayAtDesk(site, 'Sent back: {note}', { note: one.reply })}</p>`
    }${published}
${
  mayTrust &&
  (trust === undefined
    ? act('trust', saySubmission(site, 'Trust this address'))
    : act('distrust', saySubmission(site, 'Stop trusting this address')))
}${
  mayTrust &&
  trust === undefined &&
  html`\
<p class="hint">${saySubmission(
    site,
    'What a trusted address sends and confirms is published at once, in your name.',
  )}\
</p>`
}${act('revoke', saySubmission(site, 'End the links of the sender'))}</section>
${
  picture &&
  html`<section class="card"><h2>${sayAtDesk(site, 'Picture')}</h2>\
<img src="${`data:${picture.mime_type};base64,${picture.content}`}" alt="${lastTyped(typed, 'image_alt')}">\
</section>`
}
${nearList(context, near)}${newNames(context, read.raw)}
${
  isOpen &&
  html`<section class="card"><h2>${saySubmission(site, 'Otherwise')}</h2>\
<form method="post" action="${at}"><div class="field"><label for="reason">${sayAtDesk(site, 'Why')}</label>\
<textarea id="reason" name="reason" rows="3" data-most="${MOST_NOTE}"${
    faults.reason !== undefined &&
    html`\
 aria-invalid="true"`
  }>\n${fieldOf(request, 'reason')}</textarea><p class="hint">\
${saySubmission(site, 'The sender reads it.')}</p></div><p class="actions">\
<button type="submit" class="button" name="act" value="send-back">${sayAtDesk(site, 'Send back')}</button>\
${
  one.proposed === '' &&
  html`<button type="submit" class="button bad" name="act" value="reject">\
${saySubmission(site, 'Decline')}</button>`
}</p></form>\
${one.proposed === '' && act('spam', saySubmission(site, 'Spam'), 'quiet bad')}</section>`
}</aside></div>`,
  }
}

const timeOf = ({ site }: Context, utc: string) => {
  const wall = utcToWall(utc, site.timezone)
  return `${written(site, 'dayMonth', wall)}, ${written(site, 'time', wall)}`
}

function proposedTable({ site }: Context, one: Submission): Html {
  const [before, after]: TypedForm[] = [JSON.parse(one.typed), JSON.parse(one.proposed)]
  const rows = EVENT_CONTROLS.flatMap((name) => {
    const [from, to] = [lastTyped(before ?? {}, name), lastTyped(after ?? {}, name)]
    if (from.trim() === to.trim()) return []
    return [
      html`<tr><th scope="row">${labelAt(site, name)}</th><td dir="auto">${from}</td><td dir="auto">${to}\
</td></tr>`,
    ]
  })
  return html`<table class="changes"><thead><tr><td></td><th scope="col">${sayAtDesk(site, 'Now')}</th>\
<th scope="col">${sayAtDesk(site, 'Proposed')}</th></tr></thead><tbody>${rows}</tbody></table>`
}

function summaryList({ site }: Context, typed: TypedForm): Html {
  const rows = EVENT_CONTROLS.flatMap((name) => {
    const text = lastTyped(typed, name).trim()
    return text === '' ? [] : [html`<dt>${labelAt(site, name)}</dt><dd dir="auto">${text}</dd>`]
  })
  return html`<dl class="summary-list">${rows}</dl>`
}

function nearList(
  context: Context,
  near: Awaited<ReturnType<typeof findClashes>>[number] | undefined,
): Content {
  const { site } = context
  const found = [...(near?.clashes ?? []), ...(near?.doubles ?? [])]
  const all = [...new Map(found.map((event) => [event.id, event])).values()]
  if (all.length === 0) return false
  const isDouble = (id: number) => near?.doubles.some((event) => event.id === id)
  const lines = all.map(
    (event) =>
      html`<li>${eventLink(
        context,
        event,
        sayAtDesk(site, isDouble(event.id) ? 'Perhaps the same: {title}' : 'Same venue and time: {title}', {
          title: event.title,
        }),
      )}, ${written(site, 'dayMonth', event.start_date)}</li>`,
  )
  return html`<section class="card"><ul class="clashes">${lines}</ul></section>`
}

/** Venues and organizers that publishing would create. An editor can type an existing name instead. */
function newNames({ site }: Context, raw: Readonly<Record<string, unknown>>): Content {
  const names = [raw.venue, raw.organizer]
    .flat()
    .flatMap((link) => (typeof link === 'object' && link !== null ? Object.values(link).map(String) : []))
  return (
    names.length > 0 &&
    html`<section class="card"><p>\
${saySubmission(site, 'Is made when you publish it: {names}', { names: names.join(', ') })}</p>\
<p class="hint">${saySubmission(site, 'To link it to one that is there, type that name into the form.')}\
</p></section>`
  )
}

const NOTICES = {
  trust: 'This address is trusted.',
  distrust: 'This address is not trusted any more.',
  revoke: 'The links of the sender have ended.',
  decided: 'Somebody has decided about it meanwhile.',
  changed: 'Its sender has changed it meanwhile: look at it again.',
} as const

function oneNotice({ context: { site }, query }: DeskRequest): Content {
  const done = query.get('done') ?? ''
  const text = Object.entries(NOTICES).find(([name]) => name === done)?.[1]
  return text && saySubmission(site, text)
}

async function changeOne(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const one = await getSubmission(request)
  const { site, now, caller } = context
  const here = (done: string): DeskAnswer => ({ seeOther: deskPath(site, `${ROOM}/${one.id}?done=${done}`) })
  const act = fieldOf(request, 'act')
  if (act === 'trust' && one.address !== '') {
    const isTaken = await context.write((tx) => trustAddress(tx, one.address, caller.id, now))
    return isTaken ? here('trust') : showFull(request)
  }
  if (act === 'distrust') {
    await context.write((tx) => distrustAddress(tx, one.address))
    return here('distrust')
  }
  if (act === 'revoke') {
    await revokeLinks(context, one.id)
    return here('revoke')
  }
  if (act === 'spam') {
    const count = await markSpam(context, [one.id])
    return count === 0
      ? here('decided')
      : { seeOther: pilePath(site, 'waiting', { done: 'spam', count: '1' }) }
  }
  if (act === 'publish') {
    const looked = { edited: editedIn(request, one), seen: fieldOf(request, 'seen') }
    return decided(request, one, await publishSubmission(context, one.id, looked))
  }
  if (act !== 'send-back' && act !== 'reject') throw new Problem('rest_no_route')
  const reason = fieldOf(request, 'reason').trim()
  if (reason === '' || reason.length > MOST_NOTE) {
    const fault = reason === '' ? sayAtDesk(site, 'Is needed.') : saySubmission(site, 'Is too long.')
    return oneView(request, one, { status: 422, faults: { reason: fault } })
  }
  const decision =
    act === 'reject'
      ? await rejectSubmission(context, one.id, reason)
      : await sendBackSubmission(context, one.id, reason)
  return decided(request, one, decision)
}

/** The controls as the editor changed them; undefined for a proposed change, which is published unedited. */
function editedIn(request: DeskRequest, one: Submission): TypedForm | undefined {
  const typed = typedOf(request)
  return one.proposed !== '' || typed.title === undefined ? undefined : typed
}

async function decided(request: DeskRequest, one: Submission, decision: Verdict): Promise<DeskAnswer> {
  const { site } = request.context
  if ('faults' in decision)
    return oneView(request, one, { status: 422, typed: decision.typed, faults: decision.faults })
  if ('changed' in decision) return { seeOther: deskPath(site, `${ROOM}/${one.id}?done=changed`) }
  if ('decided' in decision) return { seeOther: deskPath(site, `${ROOM}/${one.id}?done=decided`) }
  const done = 'event' in decision ? { done: 'publish', count: '1' } : {}
  return { seeOther: pilePath(site, 'waiting', done) }
}

const submissionPages: readonly DeskPage[] = [
  { at: ROOM, get: showPile, post: changeMany },
  trustedPage,
  { at: `${ROOM}/:id`, get: showOne, post: changeOne },
]
