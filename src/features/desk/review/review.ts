import { over } from '../../../base/fields/limits.ts'
import { invalidParam, Problem } from '../../../base/problems.ts'
import { formatUtc } from '../../../base/text/moments.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import { parseFields, type RawValues } from '../../../calendar/declare/parse.ts'
import { writeChange } from '../../../calendar/editing/save-record.ts'
import { type RecordHistory, readHistory } from '../../../calendar/history/record-history.ts'
import { can, isLoggedIn, mayEdit, type Owned } from '../../../calendar/people/caller.ts'
import { findUser } from '../../../calendar/people/users.ts'
import { isPossibleId, requireVersion } from '../../../calendar/records/record-store.ts'
import { events, resourceNamed, type ServedResource } from '../../../calendar/resources.ts'
import type { Tx } from '../../../store/storage/recording.ts'
import type { EventRow } from '../../../store/storage/schema.ts'
import { removeUnsaved } from '../desk-rows.ts'
import { nameOfRow, permittedRecord, statusOf } from '../permitted-record.ts'
import { type Saved, savedAs, wantedAt } from '../save-form.ts'
import {
  type LinkedDraft,
  linkedIn,
  mayReview,
  prepareLinkedDrafts,
  preparePublication,
} from './linked-drafts.ts'
import { type Conflict, type MergedForm, mergeForm, type SentForm } from './merge-edits.ts'
import {
  countInbox,
  type Decision,
  findDecision,
  findOpenProposals,
  findProposal,
  holdProposal,
  type InboxPlace,
  listPendingEvents,
  listProposalsOf,
  listWaitingProposals,
  type PendingEvent,
  type Proposal,
  updateProposal,
  writeProposal,
} from './proposal-store.ts'

// Users who may not publish send events for review and propose changes; reviewers publish these with their
// own rights, or send them back. HTML is still filtered by the author's rights.

const MOST_NOTE = 2000

/** A decision made before this one. */
export interface Decided {
  decided: Decision
}

export interface Published {
  saved: Saved
  linkedDrafts: LinkedDraft[]
}

export interface Undecided {
  conflicts: Conflict[]
  taken: string[]
  version: number
}

const OVERTAKEN: readonly string[] = ['rest_precondition_failed', 'series-was-changed']
const MOST_TRIES = 5

export function mayPropose({ caller }: Context, row: Owned): boolean {
  return (
    isLoggedIn(caller) &&
    can(caller, 'edit') &&
    row.author === caller.id &&
    row.status !== 'trash' &&
    !mayEdit(caller, row)
  )
}

/**
 * Stores the changes as the caller's proposal, replacing an undecided one. Without changes, the undecided one
 * is withdrawn.
 * @throws Problem rest_forbidden, or with the faults of the values
 */
export async function proposeChange(
  context: Context,
  served: ServedResource,
  id: number,
  form: SentForm,
  note = '',
): Promise<{ proposal: number | undefined; taken: string[] } | Undecided> {
  requireShort(note)
  const row = isPossibleId(id) ? await served.operations.locate(context, { id }) : undefined
  if (row === undefined) throw await served.operations.missing(context, { id })
  if (!mayPropose(context, row as Owned)) throw new Problem('rest_forbidden')
  const { author: _author, status: _status, ...values } = form.values
  const { history, merged } = await mergedWith(context, served, id, { ...form, values })
  if (merged.conflicts.length > 0) return { ...merged, version: history.version }
  await parseFields(served.resource.fields, merged.values, context, { extent: 'partial', mayAsk: true })
  const kind = served.resource.name
  const place = { kind, record: id, author: context.caller.id }
  const proposal = await context.write(async (tx) => {
    await holdForProposal(tx, served, id, history.version)
    const [known] = await findOpenProposals(tx, kind, id, context.caller.id)
    await removeUnsaved(tx, { user: context.caller.id, kind, record: id, form: form.form ?? '' })
    const now = formatUtc(context.now)
    if (Object.keys(merged.values).length === 0) {
      if (known) await updateProposal(tx, known.id, { state: 'withdrawn' }, now)
      return undefined
    }
    const change = { version: history.version, values: merged.values, note, state: 'waiting' } as const
    return writeProposal(tx, place, change, now)
  })
  return { proposal, taken: merged.taken }
}

async function holdForProposal(
  tx: Tx,
  { operations }: ServedResource,
  id: number,
  sequence: number,
): Promise<void> {
  if (operations.versioned) await requireVersion(tx, operations.versioned.kind, id, [{ id, sequence }])
}

async function mergedWith(
  context: Context,
  { resource, operations }: ServedResource,
  id: number,
  form: SentForm,
): Promise<{ history: RecordHistory; merged: MergedForm }> {
  const { versioned } = operations
  const kind = resource.name as RecordHistory['kind']
  const history = versioned && (await readHistory(context.db, kind, versioned.kind, id))
  if (!history) throw await operations.missing(context, { id })
  return { history, merged: await mergeForm(context, resource.fields, history, form) }
}

export async function proposalsAbout(
  context: Context,
  { resource }: ServedResource,
  id: number,
): Promise<Proposal[]> {
  const author = mayReview(context) ? undefined : context.caller.id
  return findOpenProposals(context.db, resource.name, id, author)
}

export async function findSeenProposal(context: Context, id: number): Promise<Proposal | undefined> {
  const found = isPossibleId(id) ? await findProposal(context.db, id) : undefined
  return found && (found.author === context.caller.id || mayReview(context)) ? found : undefined
}

/**
 * Withdraws the caller's own proposal; returns the decision if there already is one.
 * @throws Problem rest_forbidden, rest_gone
 */
export async function withdrawProposal(context: Context, id: number): Promise<Decided | undefined> {
  const found = await findSeenProposal(context, id)
  if (found?.author !== context.caller.id) throw new Problem('rest_forbidden')
  return whileOpen(context, id, async (tx) => {
    await updateProposal(tx, id, { state: 'withdrawn' }, formatUtc(context.now))
    return undefined
  })
}

/**
 * Sends a proposal back with a note to its author; returns the decision if there already is one.
 * @throws Problem rest_forbidden, rest_gone
 */
export async function sendBackProposal(
  context: Context,
  id: number,
  note: string,
): Promise<Decided | undefined> {
  requireShort(note)
  const found = await findSeenProposal(context, id)
  if (!found || !mayReview(context)) throw new Problem('rest_forbidden')
  return whileOpen(context, id, async (tx) => {
    const change = { state: 'sent back', reply: note, reviewer: context.caller.id } as const
    await updateProposal(tx, id, change, formatUtc(context.now))
    return undefined
  })
}

function whileOpen<Done>(
  context: Context,
  id: number,
  work: (tx: Tx) => Promise<Done>,
): Promise<Done | Decided> {
  return context.write((tx) => ifOpen(tx, id, work))
}

/**
 * Locks a proposal; calls `work` if it is undecided, else returns the decision.
 * @throws Problem rest_gone
 */
async function ifOpen<Done>(tx: Tx, id: number, work: (tx: Tx) => Promise<Done>): Promise<Done | Decided> {
  const held = await holdProposal(tx, id)
  if (!held) throw new Problem('rest_gone')
  if (held.state !== 'published' && held.state !== 'withdrawn') return work(tx)
  const by = (await findUser(tx, held.reviewer))?.login ?? ''
  return { decided: { by, at_utc: held.changed_utc, as: held.state } }
}

/**
 * Publishes a proposal with its linked drafts.
 * @param decided the reviewer's choices after a conflict, with the version that they saw
 * @throws Problem rest_forbidden, and as an update
 */
export async function publishProposal(
  context: Context,
  id: number,
  decided?: { values: RawValues; version: number },
): Promise<Published | Undecided | Decided> {
  const proposal = await findSeenProposal(context, id)
  if (!proposal || !mayReview(context)) throw new Problem('rest_forbidden')
  const served = resourceNamed(proposal.kind)
  const author = await findUser(context.db, proposal.author)
  const isFiltered = !author || !can({ ...author }, 'unfiltered_html')
  const writing = { ...context, caller: { ...context.caller, isFiltered } }
  return untilHeld(async () => {
    const row = await permittedRecord(context, served.operations, proposal.record, 'update')
    const { history, merged } = await mergedWith(context, served, proposal.record, decided ?? proposal)
    const { version } = history
    if (merged.conflicts.length > 0) return { ...merged, version }
    const values = await parseFields(served.resource.fields, merged.values, writing, PARTIAL)
    const linkedDrafts = await prepareLinkedDrafts(context, {
      author: proposal.author,
      links: { ...history.present, ...linkedIn(merged.values) },
    })
    const wanted = wantedAt(proposal.record, version)
    const written = await writeChange(writing, served.operations, { row, values }, wanted, (tx, write) =>
      ifOpen(tx, id, async () => {
        // The history then names the proposal's author beside the reviewer.
        tx.recording.writer = {
          ...tx.recording.writer,
          client: `proposal of ${author?.login ?? proposal.author}`,
        }
        const result = await write()
        await linkedDrafts.publish(tx)
        const change = { state: 'published', reviewer: context.caller.id } as const
        await updateProposal(tx, id, change, formatUtc(context.now))
        return result
      }),
    )
    if ('decided' in written) return written
    return { saved: await savedAs(context, served.operations, written), linkedDrafts: linkedDrafts.records }
  })
}

const PARTIAL = { extent: 'partial', mayAsk: true } as const

async function untilHeld<Done>(work: () => Promise<Done>): Promise<Done> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      const isOvertaken = error instanceof Problem && OVERTAKEN.includes(error.code)
      if (!isOvertaken || tries === MOST_TRIES) throw error
    }
  }
}

/**
 * Publishes a pending event with all dates of its series and the drafts and terms that wait with it.
 * @throws Problem rest_forbidden, and as an update
 */
export function publishPending(context: Context, id: number): Promise<Published | Decided> {
  return decideEvent(context, id, async (row, history) => {
    const { values, publish, records } = await preparePublication(context, row, history.present, {})
    return { values: { status: 'publish', ...values }, beside: publish, linkedDrafts: records }
  })
}

/**
 * Returns a pending event to its author as a draft, with a note.
 * @throws Problem rest_forbidden, and as an update
 */
export async function sendBackPending(
  context: Context,
  id: number,
  note: string,
): Promise<Published | Decided> {
  requireShort(note)
  return decideEvent(context, id, async (row) => ({
    values: { status: 'draft' },
    beside: async (tx) => {
      const place = { kind: 'event', record: id, author: row.author }
      const change = { state: 'sent back', reply: note, reviewer: context.caller.id } as const
      await writeProposal(tx, place, change, formatUtc(context.now))
    },
    linkedDrafts: [],
  }))
}

interface EventDecision {
  values: RawValues
  beside: (tx: Tx) => Promise<void>
  linkedDrafts: LinkedDraft[]
}

function decideEvent(
  context: Context,
  id: number,
  decide: (row: EventRow, history: RecordHistory) => Promise<EventDecision>,
): Promise<Published | Decided> {
  if (!mayReview(context)) return Promise.reject(new Problem('rest_forbidden'))
  const { operations, resource } = events
  return untilHeld(async () => {
    const row = (await permittedRecord(context, operations, id, 'update')) as EventRow
    if (statusOf(row) !== 'pending') return { decided: await decisionAbout(context, row) }
    const history = await readHistory(context.db, 'event', 'event', id)
    if (!history) throw await operations.missing(context, { id })
    const { values, beside, linkedDrafts } = await decide(row, history)
    const scope = row.series === null ? {} : { recurrence_scope: 'all' }
    const parsed = await parseFields(resource.fields, { ...values, ...scope }, context, PARTIAL)
    const wanted = wantedAt(id, history.version)
    const written = await writeChange(
      context,
      operations,
      { row, values: parsed },
      wanted,
      async (tx, write) => {
        const result = await write()
        await beside(tx)
        return result
      },
    )
    return { saved: await savedAs(context, operations, written), linkedDrafts: linkedDrafts }
  })
}

/**
 * Finds who decided on the event, and how. If the history does not tell, `by` is empty, and the event's
 * status tells how.
 */
async function decisionAbout({ db }: Context, { id, status, modified_utc }: EventRow): Promise<Decision> {
  const found = await findDecision(db, id)
  const as = status === 'trash' ? 'withdrawn' : status === 'draft' ? 'sent back' : 'published'
  return found ?? { by: '', at_utc: modified_utc, as }
}

function requireShort(note: string): void {
  if (note.length > MOST_NOTE) throw invalidParam('note', over('characters', MOST_NOTE))
}

export interface InboxItem extends InboxPlace {
  kind: string
  record: number
  title: string
  author: { id: number; name: string }
  /** Id of the series, if the item stands for all its pending dates. */
  series: number | null
  imported: boolean
  note: string
  reply: string
}

export interface Inbox {
  items: InboxItem[]
  next: InboxPlace | undefined
  /** Number of waiting items of each sort, at most ten thousand. */
  counts: { events: number; proposals: number }
}

export async function listInbox(context: Context, most: number, after?: InboxPlace): Promise<Inbox> {
  const author = mayReview(context) ? undefined : context.caller.id
  const [events, proposals, counts] = await Promise.all([
    listPendingEvents(context.db, author, after, most + 1),
    listWaitingProposals(context.db, author, after, most + 1),
    countInbox(context.db, author),
  ])
  const waiting = [...events.map(asPlaced), ...proposals.map(asPlaced)].sort(byPlace)
  const shown = waiting.slice(0, most)
  const items = await namedItems(context, shown)
  const last = items.at(-1)
  const next =
    waiting.length > most && last ? { since_utc: last.since_utc, what: last.what, id: last.id } : undefined
  return { items, next, counts }
}

const MOST_SENT_BACK = 50

export async function listSentBack(context: Context): Promise<InboxItem[]> {
  const rows = await listProposalsOf(context.db, context.caller.id, 'sent back', MOST_SENT_BACK)
  return namedItems(context, rows.map(asPlaced))
}

type Placed = InboxPlace & { of: PendingEvent | Proposal }

function asPlaced(of: PendingEvent | Proposal): Placed {
  if ('since_utc' in of) return { what: 'event', id: of.id, since_utc: of.since_utc, of }
  return { what: 'proposal', id: of.id, since_utc: of.changed_utc, of }
}

function byPlace(a: Placed, b: Placed): number {
  if (a.since_utc !== b.since_utc) return a.since_utc < b.since_utc ? -1 : 1
  return a.what === b.what ? a.id - b.id : a.what === 'event' ? -1 : 1
}

async function namedItems(context: Context, placed: readonly Placed[]): Promise<InboxItem[]> {
  const names = new Map<number, string>()
  const items: InboxItem[] = []
  for (const { of, ...place } of placed) {
    const name = names.get(of.author) ?? (await findUser(context.db, of.author))?.name ?? ''
    names.set(of.author, name)
    const author = { id: of.author, name }
    if ('imported' in of) {
      const { title, series, imported, id: record } = of
      items.push({ ...place, kind: 'event', record, title, author, series, imported, note: '', reply: '' })
      continue
    }
    const { kind, record, note, reply } = of
    const title = await titleOf(context, of)
    if (title !== undefined)
      items.push({ ...place, kind, record, title, author, series: null, imported: false, note, reply })
  }
  return items
}

async function titleOf(context: Context, { kind, record }: Proposal): Promise<string | undefined> {
  const row = await resourceNamed(kind).operations.locate(context, { id: record })
  return row === undefined ? undefined : nameOfRow(kind, row)
}
