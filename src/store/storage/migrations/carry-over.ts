import { sql } from 'kysely'
import { type Db, isPostgres } from '../database.ts'

// Migrates a calendar that was last served by commit 34ed6c85. This file is to be removed after 0.1.0.

export const LAST_CARRIED = '0050-forms-of-unsaved-texts'

export async function carryOver(db: Db): Promise<void> {
  for (const statement of dropPresented(isPostgres(db))) await sql.raw(statement).execute(db)
  await foldMarks(db)
}

/** Drops the stored JSON of records; in a SQLite file, its pages are free for later rows. */
const dropPresented = (onPostgres: boolean) => [
  ...(onPostgres
    ? ['drop function forget_presented_record() cascade']
    : ['events', 'venues', 'organizers'].flatMap((table) => [
        `drop trigger ${table}_update_unpresents`,
        `drop trigger ${table}_delete_unpresents`,
      ])),
  'drop table presented_records',
]

const FOLDED = [
  ['events', 'search'],
  ['venues', 'folded'],
  ['venues', 'search'],
  ['organizers', 'folded'],
  ['organizers', 'search'],
  ['terms', 'folded'],
  ['images', 'search'],
] as const

const LETTERS = /[\u0591-\u06ff\u08a0-\u08ff]/
const MARKS = /(?<=[\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+/gu
const LENGTHENING = /\u0640\p{M}*/gu

/** Added to ids of terms, to keep them apart from ids of records. */
const TERMS = 2 ** 40

const ROWS_AT_ONCE = 200

/**
 * Folds texts again, so that Arabic and Hebrew ones lose their diacritics. Their stems change, so all
 * documents are noted in `unstemmed`; the service uses the old stems until it has stemmed the texts again.
 */
export async function foldMarks(db: Db): Promise<void> {
  for (const [table, column] of FOLDED) await foldAgain(db, table, column)
  for (const table of ['events', 'venues', 'organizers', 'terms'])
    await sql`insert into unstemmed (doc) select id + ${sql.lit(table === 'terms' ? TERMS : 0)}
      from ${sql.table(table)}
      where true on conflict (doc) do nothing`.execute(db)
}

async function foldAgain(db: Db, table: string, column: string): Promise<void> {
  const [name, text] = [sql.table(table), sql.ref(column)]
  for (let last: number | undefined = 0; last !== undefined; ) {
    // Filtered here: in SQLite, the search for such letters takes far longer than returning the texts.
    const { rows }: { rows: { id: number; folded: string }[] } = await sql<{ id: number; folded: string }>`
      select id, ${text} as folded from ${name} where id > ${last} order by id
      limit ${sql.lit(ROWS_AT_ONCE)}`.execute(db)
    for (const { id, folded } of rows.filter((row) => LETTERS.test(row.folded))) {
      const bare = folded.normalize('NFD').replace(LENGTHENING, '').replace(MARKS, '').normalize('NFC')
      if (bare !== folded) await sql`update ${name} set ${text} = ${bare} where id = ${id}`.execute(db)
    }
    last = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1)?.id
  }
}
