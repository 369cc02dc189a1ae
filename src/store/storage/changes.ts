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
