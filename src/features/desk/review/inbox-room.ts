import { Problem } from '../../../base/problems.ts'
import { storableText } from '../../../base/text/characters.ts'
import { plainText } from '../../../base/text/html.ts'
import { utcToWall } from '../../../base/text/zones.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import { findEvent } from '../../../calendar/events/event-store.ts'
import { asSeenBy } from '../../../calendar/events/event-when.ts'
import { readColumns, readStates, type StateKind } from '../../../calendar/history/record-states.ts'
import { mayRead } from '../../../calendar/people/caller.ts'
import { findUserByLogin } from '../../../calendar/people/users.ts'
import { isPossibleId } from '../../../calendar/records/record-store.ts'
import { events, resourceNamed } from '../../../calendar/resources.ts'
import { written } from '../../feeds/date-forms.ts'
import { type Content, type Html, html } from '../../pages/page-html.ts'
import { type ChangedValue, changesTable } from '../changed-values.ts'
import { type Clashes, type EventDraft, findClashes } from '../clashes.ts'
import { described, type FormFaults, faultList } from '../desk-inputs.ts'
import {
  countAtDesk,
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  type FeatureInbox,
  fieldOf,
  recordIdIn,
  sayAtDesk,
  titleAtDesk,
  whenAtDesk,
} from '../desk-page.ts'
import type { DeskText } from '../desk-texts.ts'
import { linkedNames } from '../event-form/event-form-values.ts'
import { type PlannedEvent, readPlanned } from '../planned-events.ts'
import { eventLink } from '../record-links.ts'
import { removeRecord } from '../save-form.ts'
import { factsOfEvent } from './inbox-facts.ts'
import { BROUGHT, findLinkedDrafts, type LinkedDraft, mayReview, waitingTerms } from './linked-drafts.ts'
import type { Proposal } from './proposal-store.ts'
import {
  type Decided,
  findSeenProposal,
  type InboxItem,
  listInbox,
  listSentBack,
  type Published,
  publishPending,
  publishProposal,
  sendBackPending,
  sendBackProposal,
  type Undecided,
  withdrawProposal,
} from './review.ts'

// The inbox: events and proposals that wait for a review. Reviewers see all of them, authors their own.

/** Few, since each event is compared with others for clashes. */
const PER_PAGE = 6
const MOST_TODAY = 3

interface Waiting {
  item: InboxItem
  event: PlannedEvent | undefined
  linkedDrafts: readonly LinkedDraft[]
  terms: readonly string[]
  clashes: Clashes
  proposal: Proposal | undefined
  /** A pending event's columns; for a proposal, the record's stored values by declared key. */
  present: Readonly<Record<string, unknown>>
}

async function readWaiting(context: Context, items: readonly InboxItem[]): Promise<Waiting[]> {
  const recordsIn = (some: readonly InboxItem[] = []) => some.map(({ record }) => record)
  const { event: sentItems, proposal: proposed = [] } = Object.groupBy(items, ({ what }) => what)
  const [planned, columns, states, proposals] = await Promise.all([
    readPlanned(context, recordsIn(items.filter(({ kind }) => kind === 'event'))),
    readColumns(context.db, 'event', recordsIn(sentItems)),
    Promise.all(
      [...Map.groupBy(proposed, ({ kind }) => kind)].map(
        async ([kind, some]) =>
          [kind, await readStates(context.db, kind as StateKind, recordsIn(some))] as const,
      ),
    ),
    Promise.all(
      items.map(({ what, id }) => (what === 'proposal' ? findSeenProposal(context, id) : undefined)),
    ),
  ])
  const plannedById = new Map(planned.map((event) => [event.id, event]))
  const statesOf = new Map(states)
  const read = items.map((item, at) => ({
    item,
    event: item.kind === 'event' ? plannedById.get(item.record) : undefined,
    present: (item.what === 'event' ? columns : statesOf.get(item.kind))?.get(item.record) ?? {},
    proposal: proposals[at],
  }))
  const sent = read.flatMap(({ item, event, present }) =>
    event && item.what === 'event'
      ? [{ id: event.id, author: item.author.id, links: present, draft: draftOf(event, present) }]
      : [],
  )
  const drafts = sent.map(({ draft }) => draft)
  const [drafted, terms, clashes] = await Promise.all([
    findLinkedDrafts(context, sent),
    waitingTerms(context, sent),
    findClashes(drafts, context),
  ])
  return read.map((one) => {
    const at = one.item.what === 'event' ? sent.findIndex(({ id }) => id === one.item.record) : -1
    const { categories = [], tags = [] } = terms[at] ?? {}
    const near = clashes[at] ?? { clashes: [], doubles: [] }
    return { ...one, linkedDrafts: drafted[at] ?? [], terms: [...categories, ...tags], clashes: near }
  })
}

function draftOf(
  event: PlannedEvent,
  { series, utc_start_date, utc_end_date, venues }: Waiting['present'],
): EventDraft {
  return {
    id: event.id,
    ...(typeof series === 'number' && { series }),
    title: plainText(event.title),
    utc_start_date: String(utc_start_date),
    utc_end_date: String(utc_end_date),
    venues: Array.isArray(venues) ? venues.map(Number) : [],
  }
}

/** The oldest waiting entries, for the start page; undefined if nothing waits. */
export async function waitingList(context: Context): Promise<Html | undefined> {
  const { items } = await listInbox(context, MOST_TODAY)
  if (items.length === 0) return undefined
  const waiting = await readWaiting(context, items)
  return html`<ul class="inbox">${await Promise.all(waiting.map((one) => itemOf(context, one)))}</ul>`
}

export async function countInInbox(context: Context, inboxes: readonly FeatureInbox[]): Promise<number> {
  const [{ counts }, ...counted] = await Promise.all([
    listInbox(context, 0),
    ...inboxes.map(({ count }) => count(context)),
  ])
  return counted.reduce((sum, count) => sum + count, counts.events + counts.proposals)
}

export async function featureLists({
  context,
  inboxes,
}: Pick<DeskRequest, 'context' | 'inboxes'>): Promise<Html[]> {
  const lists = await Promise.all(inboxes.map(({ list }) => list(context)))
  return lists.filter((list) => list !== undefined)
}

export async function sentBackList(context: Context): Promise<Html | undefined> {
  const items = await listSentBack(context)
  if (items.length === 0) return undefined
  const { site } = context
  const lines = items.map(
    ({ kind, record, title, reply }) =>
      html`<li class="card"><p><a class="title" href="${deskPath(
        site,
        roomPath(kind, record),
      )}" dir="auto">${titleAtDesk(site, title)}</a></p><p>${sayAtDesk(site, 'Sent back: {note}', {
        note: reply,
      })}</p></li>`,
  )
  return html`<section><h2>${sayAtDesk(
    site,
    'Sent back to you',
  )}</h2><ul class="inbox">${lines}</ul></section>`
}

const roomPath = (kind: string, record: number) => `/${resourceNamed(kind).resource.path}/${record}`

async function showInbox(request: DeskRequest): Promise<DeskAnswer> {
  const { context, query } = request
  const { site } = context
  const [since_utc = '', what = '', id = ''] = (query.get('after') ?? '').split('/')
  const isPlace =
    /^[\d :-]{19}$/.test(since_utc) && (what === 'event' || what === 'proposal') && /^\d{1,15}$/.test(id)
  const after = isPlace ? ({ since_utc, what, id: Number(id) } as const) : undefined
  const { items, next, counts } = await listInbox(context, PER_PAGE, after)
  const waiting = await readWaiting(context, items)
  const [lists, ...counted] = await Promise.all([
    after ? [] : featureLists(request),
    ...request.inboxes.map(({ count }) => count(context)),
  ])
  const others = counted.reduce((sum, count) => sum + count, 0)
  const total = counts.events + counts.proposals
  const nextPath =
    next &&
    deskPath(site, `/inbox?${new URLSearchParams({ after: `${next.since_utc}/${next.what}/${next.id}` })}`)
  return {
    title: sayAtDesk(site, 'Inbox'),
    room: 'inbox',
    under: mayReview(context)
      ? total + others > 0 && countAtDesk(site, total + others, '{count} things wait.')
      : sayAtDesk(site, 'What you have sent for review'),
    notice: await noticeOf(request),
    body: html`${lists}${await sentBackList(context)}${
      waiting.length === 0
        ? lists.length === 0 && html`<p class="nothing">${sayAtDesk(site, 'Nothing waits.')}</p>`
        : html`<ul class="inbox">${await Promise.all(waiting.map((one) => itemOf(context, one)))}</ul>${
            mayReview(context) && keysHelp(site)
          }`
    }${
      nextPath &&
      html`<nav class="pages"><a class="button" href="${nextPath}">${sayAtDesk(site, 'Newer')}</a></nav>`
    }`,
  }
}

function keysHelp(site: Context['site']): Html {
  return html`<details class="inline keys" hidden><summary>${sayAtDesk(site, 'Keys')}</summary><p>${sayAtDesk(
    site,
    'j and k go to the next and the previous one. There, a publishes it, r sends it back and e opens it.',
  )}</p><label class="check"><input type="checkbox" checked> ${sayAtDesk(
    site,
    'Use these keys',
  )}</label></details>`
}

async function itemOf(context: Context, waiting: Waiting): Promise<Html> {
  const { site } = context
  const { item, event, proposal } = waiting
  const wall = utcToWall(item.since_utc, site.timezone)
  const when =
    event &&
    written(site, 'fullYear', event.start_date) +
      (event.all_day === 1 ? '' : `, ${written(site, 'time', event.start_date)}`)
  const what = item.what === 'proposal' ? 'Proposed change' : item.imported ? 'Imported' : 'Waiting'
  return html`<li class="card" id="${item.what}-${item.id}"><div class="act-head"><div><p>\
<a class="title" href="${deskPath(site, roomPath(item.kind, item.record))}" dir="auto">${titleAtDesk(
    site,
    item.title,
  )}</a> <span class="state warn">${sayAtDesk(site, what)}</span></p>${
    when && html`<p>${when}${event.place && html` · <span dir="auto">${plainText(event.place)}</span>`}</p>`
  }<p class="hint">${sayAtDesk(site, 'by {name}, {time}', {
    name: item.author.name,
    time: `${written(site, 'dayMonth', wall)}, ${written(site, 'time', wall)}`,
  })}</p>${item.note && html`<p class="said" dir="auto">“${item.note}”</p>`}${linkedDraftsLine(
    context,
    waiting,
  )}${clashLines(context, waiting)}${
    item.what === 'event' && (await factsOfEvent(context, waiting.present))
  }</div></div>${proposal && (await changesOf(context, waiting, proposal))}${actionsOf(context, item)}</li>`
}

function clashLines(context: Context, { clashes: { clashes, doubles } }: Waiting): Content {
  const { site } = context
  const known = new Set(clashes.map(({ id }) => id))
  const line = (
    near: Clashes['clashes'][number],
    text: 'Same venue and time: {title}' | 'Perhaps the same: {title}',
  ) =>
    html`<li>${eventLink(context, near, sayAtDesk(site, text, { title: near.title }))}, ${written(
      site,
      'dayMonth',
      near.start_date,
    )}${!near.all_day && html`, ${written(site, 'time', near.start_date)}`}</li>`
  const lines = [
    ...clashes.map((near) => line(near, 'Same venue and time: {title}')),
    ...doubles.filter(({ id }) => !known.has(id)).map((near) => line(near, 'Perhaps the same: {title}')),
  ]
  return lines.length > 0 && html`<ul class="clashes">${lines}</ul>`
}

function linkedDraftsLine({ site }: Context, { linkedDrafts, terms }: Waiting): Content {
  const names = [...linkedDrafts.map(({ name }) => plainText(name)), ...terms]
  return (
    names.length > 0 &&
    html`<p class="hint">${sayAtDesk(site, 'Is published with it: {names}', { names: names.join(', ') })}</p>`
  )
}

function besideTable(
  context: Context,
  kind: string | undefined,
  changes: readonly ChangedValue[],
): Promise<Html> {
  const fields = kind === undefined ? {} : resourceNamed(kind).resource.fields
  return changesTable(
    context,
    fields,
    [sayAtDesk(context.site, 'Now'), sayAtDesk(context.site, 'Proposed')],
    changes,
  )
}

/** Compares present with proposed values, leaving out a present meeting link that the caller may not see. */
async function changesOf(context: Context, { item, present }: Waiting, { values }: Proposal): Promise<Html> {
  const row =
    item.kind === 'event' && values.online_url !== undefined && (await findEvent(context.db, item.record))
  const seen = row ? { ...present, online_url: asSeenBy(context.caller, row).online_url } : present
  const changes = Object.entries(values).map(
    ([member, value]): ChangedValue => ({ member, values: [seen[member], value] }),
  )
  return besideTable(context, item.kind, changes)
}

function actionsOf(context: Context, { what, id, kind, record }: InboxItem): Html {
  const { site } = context
  const at = deskPath(site, `/inbox/${what}/${id}`)
  const open = html`<a class="button quiet" href="${deskPath(site, roomPath(kind, record))}">${sayAtDesk(
    site,
    'Open',
  )}</a>`
  if (!mayReview(context))
    return html`<div class="actions">${open}${
      what === 'proposal' &&
      html`<form method="post" action="${at}/withdraw"><button type="submit" class="button quiet">${sayAtDesk(
        site,
        'Withdraw',
      )}</button></form>`
    }</div>`
  return html`<div class="actions"><form method="post" action="${at}/publish">\
<button type="submit" class="button main">${sayAtDesk(
    site,
    'Publish',
  )}</button></form>${open}<details class="back"><summary class="button quiet">${sayAtDesk(
    site,
    'Send back',
  )}</summary>${sendBackForm(site, { what, id })}</details>${
    what === 'event' &&
    html`<form method="post" action="${at}/trash"><button type="submit" class="button quiet bad">${sayAtDesk(
      site,
      'Trash',
    )}</button></form>`
  }</div>`
}

const REASONS = [
  'It is in the calendar already.',
  'The date or the time is not right.',
  'The venue is missing or not right.',
  'The text says too little.',
  'It is not for this calendar.',
] as const satisfies readonly DeskText[]

function noteIn(request: DeskRequest): string {
  const reason = REASONS[Number(fieldOf(request, 'reason') || -1)]
  const written = fieldOf(request, 'note').trim()
  return [reason === undefined ? '' : sayAtDesk(request.context.site, reason), written].join(' ').trim()
}

function sendBackForm(
  site: Context['site'],
  { what, id }: Pick<InboxItem, 'what' | 'id'>,
  faults: FormFaults = {},
): Html {
  const note = `note-${what}-${id}`
  const fault = faults[note]
  return html`<form method="post" action="${deskPath(
    site,
    `/inbox/${what}/${id}/send-back`,
  )}"><div class="field"><label for="reason-${what}-${id}">${sayAtDesk(
    site,
    'Why',
  )}</label><select id="reason-${what}-${id}" name="reason"><option value="">${sayAtDesk(
    site,
    'Something else',
  )}</option>${REASONS.map(
    (reason, at) => html`<option value="${String(at)}">${sayAtDesk(site, reason)}</option>`,
  )}</select></div>
<div class="field"><label for="${note}">${sayAtDesk(
    site,
    'What shall be done about it?',
  )}</label><textarea id="${note}" name="note" rows="3"${described(note, fault)}></textarea>${
    fault !== undefined && html`<p class="error" id="${note}-error">${fault}</p>`
  }</div><button type="submit" class="button">${sayAtDesk(site, 'Send back')}</button></form>`
}

/** Returns the message after a decision, with only existing users and records, whatever the query says. */
async function noticeOf({ context, query }: DeskRequest): Promise<Content> {
  const { site, db } = context
  const done = query.get('done')
  const by = query.get('by')
  if (by !== null) {
    const known = await findUserByLogin(db, storableText(by))
    const name = known?.login === by ? by : sayAtDesk(site, 'The calendar itself')
    return sayAtDesk(site, 'Somebody else was faster: {name}', { name })
  }
  if (done === 'publish') return publishedNotice(context, query)
  if (done === 'send-back') return sayAtDesk(site, 'Sent back to its author')
  if (done === 'trash') return sayAtDesk(site, 'Moved to the trash')
  return done === 'withdraw' ? sayAtDesk(site, 'Withdrawn') : undefined
}

/** Message after a publication, with the time for a scheduled event; linked drafts are public at once. */
async function publishedNotice(context: Context, query: URLSearchParams): Promise<Content> {
  const { site, db, caller, now } = context
  const id = Number(query.get('event'))
  const event = isPossibleId(id) ? await findEvent(db, id) : undefined
  const names = await namesOf(context, query)
  if (event?.status !== 'future' || !mayRead(caller, event))
    return names ? sayAtDesk(site, 'Published, with: {names}', { names }) : sayAtDesk(site, 'Published')
  const later = sayAtDesk(site, 'Will be published on {time}', {
    time: whenAtDesk(site, event.date_utc, now),
  })
  return names ? html`${later}<br>${sayAtDesk(site, 'Published now: {names}', { names })}` : later
}

async function namesOf(context: Context, query: URLSearchParams): Promise<string> {
  const ids = BROUGHT.map((kind) => [kind, (query.get(kind) ?? '').split(',')] as const)
  const { venues, organizers } = await linkedNames(context, Object.fromEntries(ids))
  const names = [...venues.values()].map(({ venue }) => venue)
  return [...names, ...[...organizers.values()].map(({ organizer }) => organizer)].map(plainText).join(', ')
}

type Outcome = Published | Decided | Undecided | undefined

const DECIDED_AS: Readonly<Record<string, Decided['decided']['as']>> = {
  publish: 'published',
  'send-back': 'sent back',
  withdraw: 'withdrawn',
}

/** True if the caller has already made this decision, as after a double click. */
function isOwnDecision({ by, as }: Decided['decided'], action: string, { caller }: Context): boolean {
  return by === caller.login && as === DECIDED_AS[action]
}

async function decide(request: DeskRequest): Promise<DeskAnswer> {
  const { context, variables } = request
  const { what, action } = variables
  const id = recordIdIn(request)
  if (id === undefined || (what !== 'event' && what !== 'proposal')) throw new Problem('rest_no_route')
  const note = noteIn(request)
  if (action === 'send-back' && note === '' && mayReview(context)) return notelessView(context, { what, id })
  const outcome = await outcomeOf(context, what, action ?? '', id, note)
  const path = (query: Record<string, string>) =>
    deskPath(context.site, `/inbox?${new URLSearchParams(query)}`)
  if (outcome && 'decided' in outcome && !isOwnDecision(outcome.decided, action ?? '', context))
    return { seeOther: path({ by: outcome.decided.by }) }
  if (outcome && 'conflicts' in outcome) return conflictPage(request, id, outcome)
  const byKind = Object.groupBy(
    outcome && 'linkedDrafts' in outcome ? outcome.linkedDrafts : [],
    ({ kind }) => kind,
  )
  const ids = Object.entries(byKind).map(([kind, records]) => [kind, records.map((one) => one.id).join(',')])
  return {
    seeOther: path({
      done: action ?? '',
      ...(what === 'event' && { event: String(id) }),
      ...Object.fromEntries(ids),
    }),
  }
}

async function outcomeOf(
  context: Context,
  what: 'event' | 'proposal',
  action: string,
  id: number,
  note: string,
): Promise<Outcome> {
  const isEvent = what === 'event'
  if (action === 'withdraw' && !isEvent) return withdrawProposal(context, id)
  if (!mayReview(context)) throw new Problem('rest_forbidden')
  if (action === 'publish') return isEvent ? publishPending(context, id) : publishProposal(context, id)
  if (action === 'send-back')
    return isEvent ? sendBackPending(context, id, note) : sendBackProposal(context, id, note)
  if (action !== 'trash' || !isEvent) throw new Problem('rest_no_route')
  await removeRecord(context, events, id)
  return undefined
}

function notelessView({ site }: Context, item: Pick<InboxItem, 'what' | 'id'>): DeskAnswer {
  const faults = { [`note-${item.what}-${item.id}`]: sayAtDesk(site, 'Is needed.') }
  return {
    status: 422,
    title: sayAtDesk(site, 'Send back'),
    room: 'inbox',
    under: html`<a href="${deskPath(site, '/inbox')}">${sayAtDesk(site, 'Inbox')}</a>`,
    body: html`${faultList(site, faults)}${sendBackForm(site, item, faults)}`,
  }
}

async function conflictPage(
  { context }: DeskRequest,
  id: number,
  { conflicts }: Undecided,
): Promise<DeskAnswer> {
  const { site } = context
  const proposal = await findSeenProposal(context, id)
  const changes = conflicts.map(({ member, sent, now }): ChangedValue => ({ member, values: [now, sent] }))
  return {
    status: 412,
    title: sayAtDesk(site, 'The record has changed since this was proposed'),
    room: 'inbox',
    body: html`${await besideTable(context, proposal?.kind, changes)}<p class="actions">${
      proposal &&
      html`<a class="button main" href="${deskPath(
        site,
        roomPath(proposal.kind, proposal.record),
      )}">${sayAtDesk(site, 'Open')}</a>`
    }<a class="button quiet" href="${deskPath(site, '/inbox')}">${sayAtDesk(site, 'Inbox')}</a></p>`,
  }
}

export const inboxPages: readonly DeskPage[] = [
  { at: '/inbox', get: showInbox },
  { at: '/inbox/:what/:id/:action', post: decide },
]
