import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { isPostgres } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** An index of the words of events on SQLite; PostgreSQL has trigrams, which `prepareSearch` sees to. */
export const eventWords: Migration = { name: '0002-event-words', up }

async function up(db: Db): Promise<void> {
  if (isPostgres(db)) return
  const run = (statement: string) => sql.raw(statement).execute(db)
  // Every term that stands or stood in an event, in the order of first appearance, and what is needed to find those that contain a text.
  await run('create table words (id integer primary key, word text not null unique)')
  await run(`create virtual table words_trigrams using fts5 (word, content='words', content_rowid='id', columnsize=0, detail=none,
    tokenize='trigram case_sensitive 1')`)
  await run(`create trigger words_added after insert on words begin
    insert into words_trigrams (rowid, word) values (new.id, new.word); end`)

  // The terms of each event, given with blanks between them: every ASCII character but the blanks counts as part of one.
  await run(`create virtual table event_words using fts5 (terms, content='', contentless_delete=1, detail=none,
    tokenize="ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\\]^_\`{|}~'")`)
  await run(`insert into event_words (event_words, rank) values ('automerge', 0)`)
  // Events whose terms are not in the index as they are now. Noting this costs a write next to nothing; many are indexed at once.
  await run('create table unindexed_events (id integer primary key)')
  await run('insert into unindexed_events select id from events')
  const note = 'insert or ignore into unindexed_events values (new.id)'
  await run(`create trigger events_added after insert on events begin ${note}; end`)
  await run(
    `create trigger events_rewritten after update of search on events when new.search <> old.search begin ${note}; end`,
  )
  await run(`create trigger events_removed after delete on events begin
    delete from unindexed_events where id = old.id; delete from event_words where rowid = old.id; end`)
}
