import { sql } from 'kysely'
import { type Db, isPostgres } from '../database.ts'
import type { Migration } from '../migration.ts'

/**
 * Makes the tables of the stems of events, and of the names of venues, organizers and terms, with triggers
 * that keep them in step. Records that were written since are noted in `unstemmed`; every start of the
 * service stores the stems of those that wait.
 */
export const stemsOfTexts: Migration = { name: '0046-stems', up }

/** Added to the ids of terms, which would otherwise be equal to ids of records. */
const TERMS = 2 ** 40

const NAMED = [
  { table: 'events', columns: ['search'], offset: 0 },
  { table: 'venues', columns: ['venue', 'city'], offset: 0 },
  { table: 'organizers', columns: ['organizer'], offset: 0 },
  { table: 'terms', columns: ['name'], offset: TERMS },
]

async function up(db: Db): Promise<void> {
  for (const text of isPostgres(db) ? onPostgres() : onSqlite()) await sql.raw(text).execute(db)
  for (const { table, offset } of NAMED)
    await sql.raw(`insert into unstemmed (doc) select id + ${offset} from ${table}`).execute(db)
}

const changed = (columns: readonly string[]) =>
  columns.map((name) => `new.${name} <> old.${name}`).join(' or ')

function onSqlite(): string[] {
  return [
    `create virtual table stems using fts5 (words, content='', contentless_delete=1, detail=none,
      tokenize="ascii tokenchars '=@'")`,
    `insert into stems (stems, rank) values ('automerge', 0)`,
    'create table unstemmed (doc integer primary key)',
    ...NAMED.flatMap(({ table, columns, offset }) => {
      const note = `begin insert or ignore into unstemmed values (new.id + ${offset}); end`
      return [
        `create trigger ${table}_added_unstemmed after insert on ${table} ${note}`,
        `create trigger ${table}_changed_unstemmed after update of ${columns.join(', ')} on ${table} when ${changed(columns)} ${note}`,
        `create trigger ${table}_removed_stems after delete on ${table} begin
          delete from unstemmed where doc = old.id + ${offset}; delete from stems where rowid = old.id + ${offset}; end`,
      ]
    }),
  ]
}

function onPostgres(): string[] {
  return [
    'create table stems (doc bigint primary key, words tsvector not null)',
    'create index stems_words on stems using gin (words)',
    'create table unstemmed (doc bigint primary key)',
    // A row that is there already is locked, so that nobody removes it for the earlier write that it was
    // noted for.
    `create function note_unstemmed() returns trigger language plpgsql as $$
      begin insert into unstemmed (doc) values (new.id + tg_argv[0]::bigint)
        on conflict (doc) do update set doc = excluded.doc; return null; end $$`,
    `create function forget_stems() returns trigger language plpgsql as $$
      begin delete from unstemmed where doc = old.id + tg_argv[0]::bigint;
        delete from stems where doc = old.id + tg_argv[0]::bigint; return null; end $$`,
    ...NAMED.flatMap(({ table, columns, offset }) => {
      const act = `for each row execute function note_unstemmed('${offset}')`
      return [
        `create trigger ${table}_added_unstemmed after insert on ${table} ${act}`,
        `create trigger ${table}_changed_unstemmed after update of ${columns.join(', ')} on ${table}
          for each row when (${changed(columns)}) execute function note_unstemmed('${offset}')`,
        `create trigger ${table}_removed_stems after delete on ${table} for each row execute function forget_stems('${offset}')`,
      ]
    }),
  ]
}
