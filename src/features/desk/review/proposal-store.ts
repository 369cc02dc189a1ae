import { sql } from 'kysely'
import { formatUtc } from '../../../base/text/moments.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import { type RawValues, refuseOversized } from '../../../calendar/declare/parse.ts'
import { findEvent } from '../../../calendar/events/event-store.ts'
import { can } from '../../../calendar/people/caller.ts'
import type { ServedResource } from '../../../calendar/resources.ts'
import { mayManageTerms, termEntries } from '../../../calendar/terms/term-rules.ts'
import { findTermsByTexts, TAXONOMIES, TERM_LISTS } from '../../../calendar/terms/term-store.ts'
import type { Db } from '../../../store/storage/database.ts'
import { lockedRows } from '../../../store/storage/locks.ts'
import type { Tx } from '../../../store/storage/recording.ts'
import { wholeList } from '../../../store/storage/sql-parts.ts'
import { removeUnsaved } from '../desk-rows.ts'
import type { ProposalColumns } from '../desk-tables.ts'

const OPEN: readonly ProposalColumns['state'][] = ['waiting', 'sent back']

export interface Proposal extends Omit<ProposalColumns, 'values'> {
  values: RawValues
}

const read = (row: ProposalColumns): Proposal => ({ ...row, values: JSON.parse(row.values) })

/** Finds a proposal, decided or not. */
export async function findProposal(db: Db, id: number): Promise<Proposal | undefined> {
  const row = await db.selectFrom('proposals').selectAll().where('id', '=', id).executeTakeFirst()
  return row && read(row)
}

/** Reads a proposal and locks it for the transaction, so that only one reviewer decides on it. */
export async function holdProposal(tx: Tx, id: number): Promise<Proposal | undefined> {
  const row = await lockedRows(
    tx,
    tx.selectFrom('proposals').selectAll().where('id', '=', id),
  ).executeTakeFirst()
  return row && read(row)
}

/** Finds undecided proposals about a record, oldest first. */
export async function findOpenProposals(
  db: Db,
  kind: string,
  record: number,
  author?: number,
): Promise<Proposal[]> {
  let rows = db.selectFrom('proposals').selectAll().where('kind', '=', kind).where('record', '=', record)
  if (author !== undefined) rows = rows.where('author', '=', author)
  return (await rows.where('state', 'in', OPEN).orderBy('id').execute()).map(read)
}

/**
 * Finds undecided proposals of version 0: they name new terms or have a note, and are decided with the event.
 */
export async function findNamings(db: Db, events: readonly number[]): Promise<Proposal[]> {
  const rows = db.selectFrom('proposals').selectAll().where('kind', '=', 'event').where('version', '=', 0)
  return (await rows.where('record', 'in', wholeList(db, events)).where('state', 'in', OPEN).execute()).map(
    read,
  )
}

/** Lists proposals by their last change, oldest first. */
export async function listProposalsOf(
  db: Db,
  author: number,
  state: ProposalColumns['state'],
  most: number,
): Promise<Proposal[]> {
  const own = db.selectFrom('proposals').selectAll().where('author', '=', author).where('state', '=', state)
  return (await own.orderBy('changed_utc').orderBy('id').limit(most).execute()).map(read)
}

export type ProposalChange = Partial<
  Pick<ProposalColumns, 'version' | 'note' | 'state' | 'reply' | 'reviewer'>
> & { values?: RawValues }

/** Updates or inserts the author's only undecided proposal. The caller must hold the lock on the record. */
export async function writeProposal(
  tx: Tx,
  { kind, record, author }: Pick<ProposalColumns, 'kind' | 'record' | 'author'>,
  { values, ...change }: ProposalChange,
  nowUtc: string,
): Promise<number> {
  const [known] = await findOpenProposals(tx, kind, record, author)
  const columns = { ...change, ...(values ? { values: JSON.stringify(values) } : {}), changed_utc: nowUtc }
  if (known) {
    await tx.updateTable('proposals').set(columns).where('id', '=', known.id).execute()
    return known.id
  }
  const blank = { version: 0, values: '{}', note: '', state: 'waiting', reply: '', reviewer: 0 } as const
  const row = { ...blank, kind, record, author, created_utc: nowUtc, ...columns }
  const [made] = await tx.insertInto('proposals').values(row).returning('id').execute()
  return made?.id ?? 0
}

export async function updateProposal(
  tx: Tx,
  id: number,
  change: Omit<ProposalChange, 'values'>,
  nowUtc: string,
) {
  const columns = { ...change, changed_utc: nowUtc }
  await tx.updateTable('proposals').set(columns).where('id', '=', id).execute()
}

export async function reopenNames(tx: Tx, event: number): Promise<void> {
  const named = tx.updateTable('proposals').set({ state: 'waiting', reviewer: 0 })
  await named
    .where('kind', '=', 'event')
    .where('record', '=', event)
    .where('version', '=', 0)
    .where('state', '=', 'published')
    .execute()
}

export interface InboxPlace {
  since_utc: string
  what: 'event' | 'proposal'
  id: number
}

/** A pending event; a series has only one, the pending date with the lowest id. */
export interface PendingEvent {
  id: number
  title: string
  author: number
  series: number | null
  since_utc: string
  imported: boolean
}

const FIRST: InboxPlace = { since_utc: '', what: 'event', id: 0 }

/** Lists pending events after the position `after`, by their last change. */
export async function listPendingEvents(
  db: Db,
  author: number | undefined,
  after: InboxPlace = FIRST,
  most: number,
): Promise<PendingEvent[]> {
  const last = after.what === 'event' ? after.id : LAST_ID
  const own = author === undefined ? sql`` : sql`and e.author = ${author}`
  const { rows } = await sql<Omit<PendingEvent, 'imported'> & { imported: number }>`
    select e.id, e.title, e.author, e.series, e.modified_utc as since_utc,
      case when exists (select 1 from import_items i where i.kind = 'event'
        and i.record = e.id) then 1 else 0 end as imported
    from events e where e.status = 'pending' and (e.modified_utc, e.id) > (${after.since_utc}, ${last}) ${own}
      and (e.series is null or not exists
        (select 1 from events o where o.series = e.series and o.status = 'pending' and o.id < e.id))
    order by e.modified_utc, e.id limit ${sql.lit(most)}`.execute(db)
  return rows.map((row) => ({ ...row, imported: row.imported === 1 }))
}

const LAST_ID = 2 ** 31

/** Lists waiting proposals after the position `after`, by their last change. */
export async function listWaitingProposals(
  db: Db,
  author: number | undefined,
  after: InboxPlace = FIRST,
  most: number,
): Promise<Proposal[]> {
  const last = after.what === 'proposal' ? after.id : 0
  let rows = db
    .selectFrom('proposals')
    .selectAll()
    .where('state', '=', 'waiting')
    // Those of version 0 are decided with the event.
    .where('version', '>', 0)
    .where(sql<boolean>`(changed_utc, id) > (${after.since_utc}, ${last})`)
  if (author !== undefined) rows = rows.where('author', '=', author)
  return (await rows.orderBy('changed_utc').orderBy('id').limit(most).execute()).map(read)
}

const MOST_COUNTED = 10_000

/** Counts pending events and waiting proposals, of `author` if given; each count stops at ten thousand. */
export async function countInbox(
  db: Db,
  author: number | undefined,
): Promise<{ events: number; proposals: number }> {
  const own = author === undefined ? sql`` : sql`and author = ${author}`
  const most = sql.lit(MOST_COUNTED)
  const { rows } = await sql<{ events: number | string; proposals: number | string }>`select
    (select count(*) from (select 1 from events where status = 'pending' ${own}
      limit ${most}) as e) as events,
    (select count(*) from (select 1 from proposals where state = 'waiting' and version > 0 ${own}
      limit ${most}) as p) as proposals`.execute(db)
  return { events: Number(rows[0]?.events ?? 0), proposals: Number(rows[0]?.proposals ?? 0) }
}

export interface Decision {
  /** Login of the user who decided; empty if unknown, or for the command line. */
  by: string
  at_utc: string
  as: 'published' | 'sent back' | 'withdrawn'
}

const MOST_ACTS = 50

export async function findDecision(db: Db, event: number): Promise<Decision | undefined> {
  const acts = await db
    .selectFrom('history')
    .select(['login', 'time_utc', 'action', 'former'])
    .where('kind', '=', 'event')
    .where('record', '=', event)
    .where('former_bytes', '>', sql.lit(0))
    .orderBy('sequence', 'desc')
    .limit(sql.lit(MOST_ACTS))
    .execute()
  const act = acts.find(({ former }) => JSON.parse(former).status === 'pending')
  if (!act) return undefined
  const as = act.action === 'publish' ? 'published' : act.action === 'trash' ? 'withdrawn' : 'sent back'
  return { by: act.login, at_utc: act.time_utc, as }
}

// Users who may not create terms may name new ones in the desk: the names wait as a proposal for the event.
// REST ignores them (rule 22.4).

export type UnmadeTerms = Readonly<Partial<Record<'categories' | 'tags', readonly string[]>>>

const FIELDS = Object.values(TERM_LISTS)

/**
 * Finds the named categories and tags that do not exist and that the caller may not create.
 * @throws Problem rest_invalid_param for values over a limit
 */
export async function findUnmadeTerms(
  context: Context,
  { resource }: ServedResource,
  raw: RawValues,
): Promise<UnmadeTerms> {
  const { db, caller } = context
  const unmade: { -readonly [Name in keyof UnmadeTerms]: UnmadeTerms[Name] } = {}
  if (resource.name !== 'event' || !can(caller, 'edit')) return unmade
  refuseOversized(resource.fields, raw, context)
  for (const taxonomy of TAXONOMIES) {
    const name = TERM_LISTS[taxonomy]
    if (raw[name] === undefined || raw[name] === null || mayManageTerms(caller, taxonomy)) continue
    const texts = textsIn(raw[name])
    const known = await findTermsByTexts(db, taxonomy, texts)
    unmade[name] = texts.filter((_text, at) => known[at] === undefined)
  }
  return unmade
}

const textsIn = (value: unknown) => (termEntries(value) ?? []).filter((entry) => typeof entry === 'string')

export function withoutUnmade(raw: RawValues, unmade: UnmadeTerms): RawValues {
  const values: Record<string, unknown> = { ...raw }
  for (const name of FIELDS) {
    const names = unmade[name]
    if (names?.length)
      values[name] = (termEntries(raw[name]) ?? []).filter((entry) => !names.some((one) => one === entry))
  }
  return values
}

/** A form of a record, 0 for a record not created yet; without `form`, all forms of the record. */
export interface FormPlace {
  record: number
  form?: string
}

/**
 * Removes the form's unsaved text. Stores names of new terms as a proposal of version 0, which waits again
 * each time the author sends the event for review.
 */
export async function keepBeside(
  tx: Tx,
  { caller, now }: Context,
  { resource }: ServedResource,
  place: { formOf: FormPlace; record: number },
  unmade: UnmadeTerms = {},
): Promise<void> {
  await removeUnsaved(tx, { user: caller.id, kind: resource.name, ...place.formOf })
  if (resource.name !== 'event' || can(caller, 'publish')) return
  const [known] = await findOpenProposals(tx, 'event', place.record, caller.id)
  const isPending = (await findEvent(tx, place.record))?.status === 'pending'
  const values = { ...known?.values, ...unmade }
  const isWorth = known ? known.version === 0 : FIELDS.some((name) => unmade[name]?.length)
  if (!isWorth) return
  const state = isPending ? ({ state: 'waiting' } as const) : {}
  await writeProposal(
    tx,
    { kind: 'event', record: place.record, author: caller.id },
    { values, ...state },
    formatUtc(now),
  )
}
