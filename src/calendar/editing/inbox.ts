import type { Context } from '../declare/context.ts'
import { findUser } from '../people/users.ts'
import { resources } from '../resources.ts'
import { mayReview } from './bring-along.ts'
import {
  countInbox,
  type InboxPlace,
  listPendingEvents,
  listProposalsOf,
  listWaitingProposals,
  type PendingEvent,
  type Proposal,
} from './proposal-store.ts'
import { nameOfRow } from './save-record.ts'

// The inbox: events and proposals that wait for a review.

/** Something that waits for a review, or that was sent back. */
export interface InboxItem extends InboxPlace {
  /** The record that it is about, and the name of the record. */
  kind: string
  record: number
  title: string
  author: { id: number; name: string }
  /** The series of a date that stands for all that wait. */
  series: number | null
  imported: boolean
  /** The notes of the author and of the reviewer. */
  note: string
  reply: string
}

/** One page of what waits, the oldest first. Who may not review sees their own. */
export interface Inbox {
  items: InboxItem[]
  /** Where the next page begins: after this one. */
  next: InboxPlace | undefined
  /** How many there are in all, at most ten thousand of each. */
  counts: { events: number; proposals: number }
}

/** Reads a page of what waits for a review, after a place. */
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
  const next = waiting.length > most && last ? { since_utc: last.since_utc, what: last.what, id: last.id } : undefined
  return { items, next, counts }
}

/** The most that was sent back and is shown. */
const MOST_SENT_BACK = 50

/** The records that were sent back to the caller with a note, the oldest first: proposals, and events that are drafts again. */
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

/** The name of the record that a proposal is about; undefined when it is gone. */
async function titleOf(context: Context, { kind, record }: Proposal): Promise<string | undefined> {
  const served = resources.find(({ resource }) => resource.name === kind)
  const row = await served?.operations.locate(context, { id: record })
  return row === undefined ? undefined : nameOfRow(kind, row)
}
