import { sql } from 'kysely'
import { fold } from '../../../base/text/characters.ts'
import { plainText } from '../../../base/text/html.ts'
import { LONGEST_TEXT, stemsIn } from '../../../base/text/stems.ts'
import { type Db, isPostgres } from '../database.ts'
import { wholeList } from '../queries.ts'
import type { Recording } from '../recording.ts'
import { giveWay, statement } from '../statement.ts'

// Which stems stand in which events and names (migrations/0046-stems.ts): a full-text table of SQLite, and a column of PostgreSQL with an index.
// Both are given the same stems, and cut nothing themselves. A document is an event, a venue or an organizer by its id, or a term by its id and
// `TERM_DOCS`.

/** The sign before a stem that the title of an event has, which also stands there without it; and the sign before all stems of a name. */
export const IN_TITLE = '='
export const IN_NAME = '@'
/** The documents of terms begin here. */
export const TERM_DOCS = 2 ** 40

/** The stems of the folded texts of an event, of which the title is the first line. */
export function stemsOfEvent(search: string): Set<string> {
  const end = search.indexOf('\n')
  const stems = stemsIn(search)
  for (const stem of stemsIn(end < 0 ? search : search.slice(0, end))) stems.add(IN_TITLE + stem)
  return stems
}

/** The stems of a name. */
export function stemsOfName(name: string): Set<string> {
  return stemsIn(fold(plainText(name)))
}

interface Unstemmed {
  doc: number
  text: string
}

/** The kinds of records and terms whose names are cut. */
export type NamedKind = 'venue' | 'organizer' | 'term'

interface UnstemmedName extends Unstemmed {
  kind: NamedKind
}

const DOCS_AT_ONCE = 500

/** Cuts all that wait, as after a migration or a restart. */
export async function stemAll(tx: Db): Promise<void> {
  let all = 0
  for (let some = 1; some > 0; all += some) some = await stemSome(tx, DOCS_AT_ONCE)
  if (all === 0) return
  await sortIn(tx)
  if (isPostgres(tx)) await sql`analyze stems`.execute(tx)
}

/** Has PostgreSQL put new rows into their places in its index: a search for a word looks through all that it has left aside. */
async function sortIn(tx: Db): Promise<void> {
  if (isPostgres(tx)) await sql`select gin_clean_pending_list('stems_words'::regclass)`.execute(tx)
}

/** Documents of one write while requests are answered: a few milliseconds. */
const DOCS_IN_TURN = 16
/** Documents that PostgreSQL puts into their places together, which takes much less than for some of them at a time. */
const SORTED_AT_ONCE = 256

/** Milliseconds in which written events gather before their texts are cut; searches read them meanwhile. */
const STEM_AFTER = 500

/** Cuts the texts of written events, some at a time; `wake` is called after each commit. Those that are left by a failure wait for the next one. */
export function makeStemmer(write: Write, isAny = () => true): { wake: () => void; stop: () => void } {
  let timer: NodeJS.Timeout | undefined
  const cut = () => {
    timer = undefined
    if (isAny()) stemWaiting(write).catch(() => undefined)
  }
  return {
    wake: () => {
      timer ??= setTimeout(cut, STEM_AFTER).unref()
    },
    stop: () => clearTimeout(timer),
  }
}

/** Cuts all that wait while requests are answered: in small writes with turns for others in between. */
async function stemWaiting(write: Write): Promise<void> {
  let unsorted = 0
  for (let some = DOCS_IN_TURN; some === DOCS_IN_TURN; ) {
    some = await write(async (tx) => {
      const cut = await stemSome(tx, DOCS_IN_TURN)
      if (unsorted + cut >= SORTED_AT_ONCE || (cut < DOCS_IN_TURN && unsorted + cut > 0)) await sortIn(tx)
      return cut
    })
    unsorted = unsorted + some >= SORTED_AT_ONCE ? 0 : unsorted + some
  }
}

/** Cuts the names that a transaction has written: they are few, and short. Events wait for the next turn, and are read by searches meanwhile. */
export async function stemNames(tx: Db, { changes }: Recording): Promise<void> {
  const docs: number[] = []
  for (const { kind, record } of changes.values()) {
    if (kind === 'venue' || kind === 'organizer') docs.push(record)
    if (kind === 'term') docs.push(record + TERM_DOCS)
  }
  if (docs.length > 0) await stemSome(tx, docs.length, docs)
}

/** Cuts some documents that wait, and returns how many. */
export async function stemSome(tx: Db, most: number, among?: readonly number[]): Promise<number> {
  const narrowed = among ? sql`where doc in ${wholeList(tx, among)}` : sql``
  const { rows } = isPostgres(tx)
    ? // Those that others are writing wait for the next time.
      await sql<{ doc: number }>`
        delete from unstemmed where doc in (select doc from unstemmed
          ${narrowed}
          order by doc limit ${sql.lit(most)} for update skip locked) returning doc`.execute(tx)
    : await sql<{ doc: number }>`
        select doc from unstemmed ${narrowed}
        order by doc limit ${sql.lit(most)}`.execute(tx)
  const docs = rows.map(({ doc }) => Number(doc))
  if (docs.length === 0) return 0
  const [events, names] = await readTexts(tx, docs)
  const named = names.map(({ kind, doc, text }) => ({ kind, doc, stems: [...stemsOfName(text)] }))
  const stemmed = [
    ...events.map(({ doc, text }) => [doc, [...stemsOfEvent(text)]] as const),
    ...named.map(({ doc, stems }) => [doc, stems.map((stem) => IN_NAME + stem)] as const),
  ]
  await giveWay(tx)
  await writeStems(tx, docs, stemmed)
  await writeNames(tx, named)
  return docs.length
}

interface Named {
  kind: NamedKind
  doc: number
  stems: readonly string[]
}

const deleteName = statement<{ kind: NamedKind; doc: number }>()(
  (_db, value) => sql<never>`delete from name_stems where kind = ${value('kind')} and doc = ${value('doc')}`,
)

const insertNames = statement<{ rows: string }>()(
  (db, value) =>
    sql<never>`insert into name_stems (kind, doc, stem) ${
      isPostgres(db)
        ? sql`select value ->> 0, (value ->> 1)::bigint, value ->> 2 from json_array_elements(${value('rows')}::json) as value`
        : sql`select value ->> 0, value ->> 1, value ->> 2 from json_each(${value('rows')})`
    }`,
)

/** Writes the stems of names in place of those that were there. */
async function writeNames(tx: Db, named: readonly Named[]): Promise<void> {
  const own = named.map((one) => ({ ...one, doc: one.doc >= TERM_DOCS ? one.doc - TERM_DOCS : one.doc }))
  for (const { kind, doc } of own) await deleteName(tx, { kind, doc })
  const rows = own.flatMap(({ kind, doc, stems }) => stems.map((stem) => [kind, doc, stem]))
  if (rows.length > 0) await insertNames(tx, { rows: JSON.stringify(rows) })
}

/** Reads a value that is no text, as a damaged disk or another program may leave it in a row, as a text. */
async function readTexts(tx: Db, docs: readonly number[]): Promise<[Unstemmed[], UnstemmedName[]]> {
  const wanted = wholeList(tx, docs)
  const terms = wholeList(
    tx,
    docs.filter((doc) => doc >= TERM_DOCS).map((doc) => doc - TERM_DOCS),
  )
  const events = await sql<Unstemmed>`
    select id as doc, substr(search, 1, ${sql.lit(LONGEST_TEXT)}) as text from events where id in ${wanted}`.execute(tx)
  const names = await sql<UnstemmedName>`
    select 'venue' as kind, id as doc, coalesce(venue || ' ' || city, '') as text from venues where id in ${wanted}
    union all select 'organizer', id, coalesce('' || organizer, '') from organizers where id in ${wanted}
    union all select 'term', id + ${sql.lit(TERM_DOCS)}, coalesce('' || name, '') from terms
      where id in ${terms}`.execute(tx)
  const numbered = <Row extends Unstemmed>(row: Row) => ({ ...row, doc: Number(row.doc) })
  return [events.rows.map(numbered), names.rows.map(numbered)]
}

type Stemmed = readonly [doc: number, stems: readonly string[]]

async function writeStems(tx: Db, docs: readonly number[], stemmed: readonly Stemmed[]): Promise<void> {
  if (isPostgres(tx)) {
    await sql`insert into stems (doc, words)
      select (value ->> 0)::bigint, array_to_tsvector(array(select json_array_elements_text(value -> 1)))
      from json_array_elements(${JSON.stringify(stemmed)}::json) as written (value)
      on conflict (doc) do update set words = excluded.words`.execute(tx)
    return
  }
  const all = JSON.stringify(docs)
  const [before] = await countReplaced(tx, { docs: all })
  const joined = JSON.stringify(stemmed.map(([doc, stems]) => [doc, stems.join(' ')]))
  await sql`insert or replace into stems (rowid, words) select value ->> 0, value ->> 1 from json_each(${joined})`.execute(
    tx,
  )
  const named = stemmed.flatMap(([, stems]) => stems.filter((stem) => stem.startsWith(IN_TITLE)))
  await sql`insert or ignore into named_stems (stem) select value from json_each(${JSON.stringify([...new Set(named)])})`.execute(
    tx,
  )
  if (before && before.docs > 0) await forgetSome(tx, before.docs)
  await giveWay(tx)
  await sql`insert into stems (stems, rank) values ('merge', ${Math.ceil(docs.length * MERGED_PAGES)})`.execute(tx)
  await sql`delete from unstemmed where doc in (select value from json_each(${all}))`.execute(tx)
}

/** Of these documents, those that had stems before. */
const countReplaced = statement<{ docs: string }>()<{ docs: number }>(
  (_db, value) =>
    sql`select count(*) as docs from stems_docsize where id in (select value from json_each(${value('docs')}))`,
)

/** Stems of titles that are looked at for each document that had others before. */
const STEMS_LOOKED_AT = 1 / 4

/**
 * Looks at some stems of titles, from one that is drawn by lot, and removes those that no document has any more. So few of these remain, however
 * often titles change.
 */
async function forgetSome(tx: Db, replaced: number): Promise<void> {
  await sql`delete from named_stems where id in (
      select id from named_stems where id >= cast(${Math.random()} * (select max(id) from named_stems) as integer)
      order by id limit ${Math.ceil(replaced * STEMS_LOOKED_AT)})
    and not exists (select 1 from stems where stems match '"' || stem || '"')`.execute(tx)
}
