import { randomUUID } from 'node:crypto'
import type { Context, ValueContext } from '../declare/context.ts'
import { linkImage } from '../images/images.ts'
import { areThere } from '../linked/linked-rules.ts'
import { invalidParam } from '../problems.ts'
import { settleNewSlugs } from '../records/record-rules.ts'
import { nextRecordIds } from '../records/record-store.ts'
import type { Tx } from '../storage/recording.ts'
import type { EventRow } from '../storage/schema.ts'
import { indexWritten } from '../storage/search/search-index.ts'
import { settleTerms, termEntries } from '../terms/term-rules.ts'
import { findTermsByIds, shiftCounts } from '../terms/term-store.ts'
import { type EventValues, ownColumns, type PreparedEvent, settleLinked, UNSENT } from './event-rules.ts'
import { insertEvents, type NewEvent } from './event-store.ts'

/** The parts of a new event that follow from its values alone: its columns, and the slug it asks for. */
export interface SettledValues {
  own: ReturnType<typeof ownColumns>
  slug: string | undefined
}

/** @throws Problem as for an event that is created by itself */
export function settleValues(values: EventValues, context: ValueContext): SettledValues {
  return { own: ownColumns(undefined, values, context), slug: values.slug }
}

/** An event to be made, with what it links to, and the UID that calendars know it by, if they do. */
export interface AskedEvent extends SettledValues {
  event: Omit<PreparedEvent, 'values'> & { values: Pick<EventValues, 'categories' | 'tags'> }
  uid: string | undefined
}

/** A new event, with its terms in the order of their ids. */
export interface MadeEvent extends NewEvent {
  categories: readonly number[]
  tags: readonly number[]
}

/**
 * Writes new events with everything they link to, as `createEvent` does for one, but with few statements for all. When one fails, none is written.
 * Linked records are looked up for all of them together. The events are presented when they are first read, and their words are indexed together.
 * @throws Problem rest_invalid_param for a venue or organizer that is not there, or in the trash
 */
export async function createEvents(tx: Tx, asked: readonly AskedEvent[], context: Context): Promise<MadeEvent[]> {
  await refuseUnlinkable(tx, asked)
  const ids = await nextRecordIds(tx, 'event', asked.length)
  const settled = asked.map(({ own, slug }, at) => {
    const columns = { ...UNSENT, ...own, id: ids[at] ?? 0 }
    return { columns, id: columns.id, status: columns.status, name: columns.title, sent: slug }
  })
  const slugs = await settleNewSlugs(tx, context.caller, 'events', settled)
  const terms = await settleTermsOf(tx, asked, context)
  const events: MadeEvent[] = []
  for (const [at, { event, uid = randomUUID() }] of asked.entries()) {
    const { venues = [], organizers = [] } = await settleLinked(tx, event, context)
    const image = event.image === undefined ? null : await linkImage(tx, event.image, context)
    const { categories, tags } = terms[at] ?? { categories: [], tags: [] }
    const row = { ...(settled[at]?.columns as EventRow), image, slug: slugs[at] ?? '', uid }
    events.push({ row, links: { venues, organizers, terms: [...categories, ...tags] }, categories, tags })
  }
  await insertEvents(tx, events)
  await shiftCounts(tx, countsOf(events))
  await indexWritten(tx, events.length)
  return events
}

async function refuseUnlinkable(tx: Tx, asked: readonly AskedEvent[]): Promise<void> {
  for (const [kind, links] of LINKS) {
    const entries = asked.flatMap(({ event }) => event[links] ?? [])
    const ids = entries.flatMap((entry) => ('id' in entry ? [entry.id] : []))
    if (!(await areThere(tx, kind, ids))) throw invalidParam(kind)
  }
}

const LINKS = [
  ['venue', 'venues'],
  ['organizer', 'organizers'],
] as const

/** The ids of the terms of each event; those that were named by ids are looked up together. */
async function settleTermsOf(
  tx: Tx,
  asked: readonly AskedEvent[],
  { caller }: Context,
): Promise<Pick<MadeEvent, 'categories' | 'tags'>[]> {
  const sent = asked.map(({ event: { values } }) => ({
    category: (values.categories === undefined ? undefined : termEntries(values.categories)) ?? [],
    tag: (values.tags === undefined ? undefined : termEntries(values.tags)) ?? [],
  }))
  const numbers = new Set<number>()
  for (const { category, tag } of sent)
    for (const entry of [...category, ...tag]) if (typeof entry === 'number') numbers.add(entry)
  const known = new Map((await findTermsByIds(tx, [...numbers])).map((term) => [term.id, term]))
  const settled: Pick<MadeEvent, 'categories' | 'tags'>[] = []
  for (const { category, tag } of sent) {
    const categories = await settleTerms(tx, caller, 'category', category, known)
    const tags = await settleTerms(tx, caller, 'tag', tag, known)
    settled.push({ categories: categories.sort(byNumber), tags: tags.sort(byNumber) })
  }
  return settled
}

const byNumber = (a: number, b: number) => a - b

function countsOf(events: readonly NewEvent[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { row, links } of events)
    if (row.status === 'publish') for (const term of links.terms ?? []) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}
