import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from './database.ts'
import type { Recorded, Recording } from './recording.ts'
import type { ChangeColumns } from './schema.ts'
import { sequenceAt } from './sequences.ts'
import { statement } from './statement.ts'

// `changes` has one row for each record that has changed since the table was made, with its latest change: `position` follows the order
// of commits. On SQLite it is a number that every commit takes one of (`sqlite-changes.ts`); on PostgreSQL it is the id of the transaction,
// and a snapshot tells which of them a reader has seen (`postgres-changes.ts`).

/** The most changed records that `readChanges` gives; a reader that missed more starts afresh. A term that is removed changes all of its events. */
export const MOST_CHANGES = 20_000

/** A change to be written, with the sequence of a new record, and its first version; `times` is how many transactions made it. */
export type LatestChange = Omit<ChangeColumns, 'position'> & { times: number }

/** Updates the row that a record has already, for an insert into `changes`. `next` is the sequence that follows on its own. */
export const onChanged = (
  next: string,
) => `on conflict (kind, record) do update set position = excluded.position, sequence = ${next},
  was_public = case when changes.was_public + changes.is_public + excluded.was_public > 0 then 1 else 0 end,
  is_public = excluded.is_public, deleted = excluded.deleted, changed_utc = excluded.changed_utc, "user" = excluded."user"`

/**
 * Gives records that have been written the highest sequence among them. `keys` selects their kinds and ids. A series that changes takes its dates
 * along, since calendars know both by one UID.
 */
export const levelSequences = (keys: string) => `update changes set sequence =
  (select max(sequence) from changes where (kind, record) in (${keys})) where (kind, record) in (${keys})`

/** The changes of a series and of dates, for `levelSequences`, as JSON; undefined where no series changes. */
export function keysToLevel(changes: readonly LatestChange[]): string | undefined {
  if (!changes.some(({ kind }) => kind === 'series')) return undefined
  const dated = changes.filter(({ kind }) => kind === 'series' || kind === 'event')
  return JSON.stringify(dated.map(({ kind, record }) => ({ kind, record })))
}

/** Makes the present version of records the first that is known. `keys` selects their kinds and ids. */
export const forgetVersions = (keys: string) =>
  `update changes set known_from = sequence where (kind, record) in (${keys})`

/** The changes of values that the history does not keep, for `forgetVersions`, as JSON; undefined where it keeps all. */
export function keysToForget(recordings: readonly Recording[]): string | undefined {
  const forgotten = recordings.flatMap(({ changes, keepsFormer }) => (keepsFormer ? [] : [...changes.values()]))
  const changed = forgotten.filter(({ former = {} }) => Object.keys(former).length > 0)
  return changed.length === 0 ? undefined : JSON.stringify(changed.map(({ kind, record }) => ({ kind, record })))
}

/** The changes of transactions that are committed together: each record once, with its latest change. */
export function latestChanges(recordings: readonly Recording[], changed_utc: string): LatestChange[] {
  const latest = new Map<string, LatestChange>()
  for (const { changes, writer } of recordings) {
    for (const [key, change] of changes)
      latest.set(key, after(latest.get(key), change, changed_utc, (change.by ?? writer).user))
  }
  return [...latest.values()]
}

function after(before: LatestChange | undefined, change: Recorded, changed_utc: string, user: number): LatestChange {
  const { kind, record, wasPublic, isPublic, isDeleted } = change
  const times = (before?.times ?? 0) + 1
  const first = sequenceAt(changed_utc)
  return {
    kind,
    record,
    times,
    sequence: first + times - 1,
    known_from: first,
    was_public: before && before.was_public + before.is_public > 0 ? 1 : Number(wasPublic),
    is_public: Number(isPublic),
    deleted: Number(isDeleted === true),
    changed_utc,
    user,
  }
}

/** How often each change of these transactions is followed by others of the same record: by change. */
export function countLater(recordings: readonly Recording[]): Map<Recorded, number> {
  const seen = new Map<string, number>()
  const later = new Map<Recorded, number>()
  for (const { changes } of recordings.toReversed())
    for (const [key, change] of changes) {
      const times = seen.get(key) ?? 0
      later.set(change, times)
      seen.set(key, times + 1)
    }
  return later
}

const selectWasPublic = statement<Pick<ChangeColumns, 'kind' | 'record'>>()((db, value) =>
  db.selectFrom('changes').select('was_public').where('kind', '=', value('kind')).where('record', '=', value('record')),
)

/** Whether the public could see a record at some time before its latest change. */
export async function wasPublic(db: Db, kind: ChangeColumns['kind'], record: number): Promise<boolean> {
  const [row] = await selectWasPublic(db, { kind, record })
  return row?.was_public === 1
}

// A change is written to the outbox in its own transaction, for every webhook that asks for it: there are both or neither. What follows from
// another change, such as the dates of a series from the series, has no act and is not told.

/** The kinds of records that webhooks tell of; categories and tags are terms. */
export const TOLD_KINDS = ['event', 'venue', 'organizer', 'series', 'term'] as const

/** How a record has changed. */
export const VERBS = ['created', 'updated', 'deleted'] as const
type Verb = (typeof VERBS)[number]

/** A change that webhooks may be told of. */
interface ToldChange {
  kind: string
  record: number
  /** The change for private webhooks, and for all others; empty where they get no message. */
  verb: Verb
  public_verb: Verb | ''
  /** 1 for an event that changes together with a series: as one of its dates it is not told by itself. */
  with_series: number
  /** How many transactions of the same commit have changed the record since. */
  later: number
  message: string
  time: string
}

/** The changes of a commit that webhooks may be told of, as JSON; undefined when there are none. */
export function toldChanges(recordings: readonly Recording[], nowUtc: string): string | undefined {
  const told: ToldChange[] = []
  const later = countLater(recordings)
  for (const { changes } of recordings) {
    const hasSeries = [...changes.values()].some(({ kind }) => kind === 'series')
    for (const change of changes.values()) {
      const { kind, record, act } = change
      if (!act || !TOLD_KINDS.some((known) => known === kind)) continue
      const verbs = { verb: verbOf(change), public_verb: publicVerb(change) }
      const with_series = Number(hasSeries && kind === 'event')
      const counted = { with_series, later: later.get(change) ?? 0 }
      told.push({ kind, record, ...verbs, ...counted, message: randomUUID(), time: nowUtc })
    }
  }
  return told.length === 0 ? undefined : JSON.stringify(told)
}

/** As lists show it to the public: coming into them is being made, and not to be in them any more is being deleted. */
function publicVerb({ wasPublic, isPublic, wasHidden, isHidden, isDeleted }: Recorded): Verb | '' {
  const isSeen = isPublic && !isHidden && !isDeleted
  if (wasPublic && !wasHidden) return isSeen ? 'updated' : 'deleted'
  return isSeen ? 'created' : ''
}

function verbOf({ act, isDeleted }: Recorded): Verb {
  if (isDeleted || act?.action === 'trash') return 'deleted'
  return act?.action === 'create' ? 'created' : 'updated'
}

/** The condition that at least one webhook is enabled. */
export const IS_TOLD = `exists (select 1 from webhooks where disabled_utc = '')`

const VERB = 'case w.is_private when 1 then c.verb else c.public_verb end'
const EVENTS = `',' || w.events || ','`

/**
 * The statement that writes changes to the outbox: its text before and after the source of the changes `c`. Without webhooks it looks at no change.
 */
export const TELL = {
  before: `insert into webhook_deliveries
    (webhook, message, type, kind, record, sequence, state, created_utc, next_utc, attempts, status, error)
    select w.id, 'msg_' || c.message || '_' || w.id, c.kind || '.' || ${VERB}, c.kind, c.record, n.sequence - c.later, 'waiting', c.time, c.time, 0, 0, ''
    from webhooks w cross join`,
  after: `join changes n on n.kind = c.kind and n.record = c.record where w.disabled_utc = '' and ${VERB} <> '' and (${EVENTS} like '%,*,%' or ${EVENTS} like '%,' || c.kind || '.*,%'
    or ${EVENTS} like '%,' || c.kind || '.' || ${VERB} || ',%')
    and (c.with_series = 0 or not exists (select 1 from events e where e.id = c.record and e.series is not null))`,
} as const

/** Drops at most `most` messages that were written before a time. Returns how many. */
export async function dropDeliveries(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    delete from webhook_deliveries where id in
      (select id from webhook_deliveries where created_utc < ${beforeUtc} limit ${most}) returning id
  `.execute(tx)
  return rows.length
}
