import { sql } from 'kysely'
import type { Db } from './database.ts'
import type { Tx } from './recording.ts'
import type { StoredAnswerColumns } from './schema.ts'
import { wholeList } from './sql-parts.ts'
import { statement } from './statement.ts'

export const STORED_HOURS = 24

/** Answers stored for each user; `dropBeyond` deletes older ones. */
export const MOST_STORED = 10_000

type Place = Pick<StoredAnswerColumns, 'user' | 'key'>

const selectStored = statement<Place>()((db, value) =>
  db.selectFrom('kept_answers').selectAll().where('user', '=', value('user')).where('key', '=', value('key')),
)

const deleteStored = statement<Place>()((db, value) =>
  db.deleteFrom('kept_answers').where('user', '=', value('user')).where('key', '=', value('key')),
)

/** Returns the stored answer; undefined if there is none, or only one from before `sinceUtc`. */
export async function findStored(
  db: Db,
  place: Place,
  sinceUtc: string,
): Promise<StoredAnswerColumns | undefined> {
  const [stored] = await selectStored(db, place)
  return stored && stored.kept_utc >= sinceUtc ? stored : undefined
}

export async function findFingerprints(
  db: Db,
  user: number,
  keys: readonly string[],
  sinceUtc: string,
): Promise<string[]> {
  const stored = db.selectFrom('kept_answers').select('fingerprint').where('user', '=', user)
  const rows = await stored
    .where('key', 'in', wholeList(db, keys))
    .where('kept_utc', '>=', sinceUtc)
    .execute()
  return rows.map(({ fingerprint }) => fingerprint)
}

/**
 * Stores an answer in place of an older one with its key, in the transaction of the write that it answers.
 */
export async function storeAnswer(tx: Tx, answer: StoredAnswerColumns): Promise<void> {
  await deleteStored(tx, { user: answer.user, key: answer.key })
  await tx.insertInto('kept_answers').values(answer).execute()
}

export async function dropStored(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql<{ key: string }>`
    delete from kept_answers where ("user", key) in
      (select "user", key from kept_answers where kept_utc < ${beforeUtc} limit ${most}) returning key
  `.execute(tx)
  return rows.length
}

/**
 * Deletes at most `most` of the answers that are older than the latest `stored` of each user; returns how
 * many.
 */
export async function dropBeyond(tx: Db, stored: number, most: number): Promise<number> {
  const { rows } = await sql<{ key: string }>`
    delete from kept_answers where ("user", key) in
      (select "user", key from (select "user", key, row_number() over (partition by "user"
      order by kept_utc desc) as place
        from kept_answers) as placed where place > ${stored} limit ${most}) returning key
  `.execute(tx)
  return rows.length
}
