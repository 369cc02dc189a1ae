import { formatUtc } from '../../../base/text/moments.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import type { RawValues } from '../../../calendar/declare/parse.ts'
import { readColumns } from '../../../calendar/history/record-states.ts'
import { linkEntries } from '../../../calendar/linked/linked-store.ts'
import { can } from '../../../calendar/people/caller.ts'
import { resourceNamed, type ServedResource } from '../../../calendar/resources.ts'
import { termEntries } from '../../../calendar/terms/term-rules.ts'
import { findTermsByIds, termsApart } from '../../../calendar/terms/term-store.ts'
import type { Tx } from '../../../store/storage/recording.ts'
import type { EventRow } from '../../../store/storage/schema.ts'
import { findNamings, findOpenProposals, updateProposal } from './proposal-store.ts'

// What is published with another author's event: that author's linked drafts, and new terms that they named.

export function mayReview({ caller }: Pick<Context, 'caller'>): boolean {
  return can(caller, 'publish') && can(caller, 'edit_others')
}

/** An unpublished venue or organizer of the record's author, published with the record. */
export interface LinkedDraft {
  kind: 'venue' | 'organizer'
  id: number
  name: string
}

export const BROUGHT = ['venue', 'organizer'] as const

/** Ids of venues and organizers that `values` links to; a list that `values` does not change is missing. */
export function linkedIn(values: RawValues): { venues?: number[]; organizers?: number[] } {
  const idsIn = (value: unknown) =>
    (linkEntries(value) ?? []).flatMap((entry) => ('id' in entry ? [entry.id] : []))
  return {
    ...(values.venue === undefined ? {} : { venues: idsIn(values.venue) }),
    ...(values.organizer === undefined ? {} : { organizers: idsIn(values.organizer) }),
  }
}

/** A record to be published; `links` has the ids of its `venues` and `organizers`. */
export interface SentRecord {
  author: number
  links: Readonly<Record<string, unknown>>
}

/** Finds, for each record, its author's drafts among its venues and organizers. */
export async function findLinkedDrafts(
  { db }: Pick<Context, 'db'>,
  records: readonly SentRecord[],
): Promise<LinkedDraft[][]> {
  const idsOf = (kind: LinkedDraft['kind'], { links }: SentRecord) => {
    const ids = links[`${kind}s`]
    return Array.isArray(ids) ? ids.map(Number) : []
  }
  const read = (kind: LinkedDraft['kind']) =>
    readColumns(
      db,
      kind,
      records.flatMap((record) => idsOf(kind, record)),
    )
  const rows = { venue: await read('venue'), organizer: await read('organizer') }
  return records.map((record) =>
    BROUGHT.flatMap((kind) =>
      idsOf(kind, record).flatMap((id) => {
        const { status, author, [kind]: name } = rows[kind].get(id) ?? {}
        return (status === 'draft' || status === 'pending') && author === record.author
          ? [{ kind, id, name: String(name) }]
          : []
      }),
    ),
  )
}

/** Finds those linked drafts that the caller may publish: `records` lists them, `publish` saves them. */
export async function prepareLinkedDrafts(context: Context, record: SentRecord) {
  const records: LinkedDraft[] = []
  const writes: ((tx: Tx) => Promise<unknown>)[] = []
  const [drafts = []] = await findLinkedDrafts(context, [record])
  for (const one of drafts) {
    const { operations } = resourceNamed(one.kind)
    const row = await operations.locate(context, { id: one.id })
    if (row === undefined || !operations.rights.update(context, row)) continue
    const prepared = await operations.update.prepare(context, { row, values: { status: 'publish' } })
    records.push(one)
    writes.push((tx) => operations.update.write(tx, prepared, context))
  }
  const publish = async (tx: Tx) => {
    for (const write of writes) await write(tx)
  }
  return { records, publish }
}

/** Finds, for each event, the new terms that its author named. */
export async function waitingTerms(
  { db }: Pick<Context, 'db'>,
  events: readonly Pick<EventRow, 'id' | 'author'>[],
): Promise<Record<'categories' | 'tags', string[]>[]> {
  const waiting = await findNamings(
    db,
    events.map(({ id }) => id),
  )
  const names = (value: unknown) => (termEntries(value) ?? []).filter((entry) => typeof entry === 'string')
  return events.map(({ id, author }) => {
    const beside = waiting.find((one) => one.record === id && one.author === author)
    return { categories: names(beside?.values.categories), tags: names(beside?.values.tags) }
  })
}

async function namedTerms(
  { db }: Context,
  present: Readonly<Record<string, unknown>>,
  waiting: Record<'categories' | 'tags', string[]>,
): Promise<RawValues> {
  const ids = Array.isArray(present.terms) ? present.terms.map(Number) : []
  const had = termsApart(await findTermsByIds(db, ids))
  const names = (['categories', 'tags'] as const).filter((name) => waiting[name].length > 0)
  return Object.fromEntries(names.map((name) => [name, [...had[name].map(({ id }) => id), ...waiting[name]]]))
}

export interface LinkedDraftWrites {
  values: RawValues
  records: LinkedDraft[]
  publish: (tx: Tx) => Promise<void>
}

/**
 * Prepares what is published together with `event`.
 * @param present the event's columns and links as in versions
 * @param sent values saved at the same time: their links and terms replace the present links and the waiting
 * terms
 */
export async function preparePublication(
  context: Context,
  event: Pick<EventRow, 'id' | 'author'>,
  present: Readonly<Record<string, unknown>>,
  sent: RawValues,
): Promise<LinkedDraftWrites> {
  const { records, publish } = await prepareLinkedDrafts(context, {
    ...event,
    links: { ...present, ...linkedIn(sent) },
  })
  const [waiting] = await waitingTerms(context, [event])
  const left = {
    categories: sent.categories === undefined ? (waiting?.categories ?? []) : [],
    tags: sent.tags === undefined ? (waiting?.tags ?? []) : [],
  }
  return {
    values: await namedTerms(context, present, left),
    records,
    publish: async (tx) => {
      await publish(tx)
      const [beside] = await findOpenProposals(tx, 'event', event.id, event.author)
      const change = { state: 'published', reviewer: context.caller.id } as const
      if (beside?.version === 0) await updateProposal(tx, beside.id, change, formatUtc(context.now))
    },
  }
}

/** True if saving `values` publishes another author's event. */
export function publishesOthers(
  context: Context,
  { resource }: ServedResource,
  row: unknown,
  values: RawValues,
): row is EventRow {
  const { author, status }: { author?: unknown; status?: unknown } = Object(row)
  const isOut = values.status === 'publish' && (status === 'pending' || status === 'draft')
  return resource.name === 'event' && isOut && author !== context.caller.id && mayReview(context)
}
