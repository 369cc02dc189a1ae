import { sql } from 'kysely'
import type { Db } from './database.ts'
import type { Tx } from './recording.ts'
import type { KeptAnswerColumns } from './schema.ts'
import { wholeList } from './sql-parts.ts'
import { statement } from './statement.ts'

// Stores answers to requests with an Idempotency-Key for a day.

export const KEPT_HOURS = 24

/** Per user; the oldest are dropped. */
export const MOST_KEPT = 10_000

type Place = Pick<KeptAnswerColumns, 'user' | 'key'>

const selectKept = statement<Place>()((db, value) =>
  db.selectFrom('kept_answers').selectAll().where('user', '=', value('user')).where('key', '=', value('key')),
)

const deleteKept = statement<Place>()((db, value) =>
  db.deleteFrom('kept_answers').where('user', '=', value('user')).where('key', '=', value('key')),
)

/** Undefined for an answer from before `sinceUtc`. */
export async function findKept(
  db: Db,
  place: Place,
  sinceUtc: string,
): Promise<KeptAnswerColumns | undefined> {
  const [kept] = await selectKept(db, place)
  return kept && kept.kept_utc >= sinceUtc ? kept : undefined
}

export async function findFingerprints(
  db: Db,
  user: number,
  keys: readonly string[],
  sinceUtc: string,
): Promise<string[]> {
  const kept = db.selectFrom('kept_answers').select('fingerprint').where('user', '=', user)
  const rows = await kept.where('key', 'in', wholeList(db, keys)).where('kept_utc', '>=', sinceUtc).execute()
  return rows.map(({ fingerprint }) => fingerprint)
}

/** Belongs into the transaction of the write. Of two at once under one key the second fails. */
export async function keepAnswer(tx: Tx, answer: KeptAnswerColumns): Promise<void> {
  await deleteKept(tx, { user: answer.user, key: answer.key })
  await tx.insertInto('kept_answers').values(answer).execute()
}

export async function dropKept(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql<{ key: string }>`
    delete from kept_answers where ("user", key) in
      (select "user", key from kept_answers where kept_utc < ${beforeUtc} limit ${most}) returning key
  `.execute(tx)
  return rows.length
}

/** Drops answers of each user beyond the latest `kept`; returns their number. */
export async function dropBeyond(tx: Db, kept: number, most: number): Promise<number> {
  const { rows } = await sql<{ key: string }>`
    delete from kept_answers where ("user", key) in
      (select "user", key from (select "user", key, row_number() over (partition by "user"
      order by kept_utc desc) as place
        from kept_answers) as placed where place > ${kept} limit ${most}) returning key
  `.execute(tx)
  return rows.length
}
