import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Answers to creates that came with a key, for those that come with it again. */
export const keptAnswers: Migration = { name: '0017-kept-answers', up }

async function up(db: Db): Promise<void> {
  const { id, text } = columnTypes(db)
  await sql
    .raw(`create table kept_answers ("user" ${id} not null, key ${text} not null, fingerprint ${text} not null,
      rights ${text} not null, status smallint not null, location ${text} not null, body ${text} not null,
      kept_utc ${text} not null, primary key ("user", key))`)
    .execute(db)
  await sql.raw('create index kept_answers_time on kept_answers (kept_utc)').execute(db)
}
