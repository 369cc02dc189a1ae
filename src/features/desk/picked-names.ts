import { type Expression, type SqlBool, sql } from 'kysely'
import { fold, LAST_CHARACTER } from '../../base/text/characters.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { shownTo } from '../../calendar/records/record-store.ts'
import { knownTo } from '../../calendar/terms/term-filters.ts'
import { contains } from '../../store/storage/sql-parts.ts'

export type PickedKind = 'venue' | 'organizer' | 'category' | 'tag'

export interface PickedName {
  kind: PickedKind
  id: number
  name: string
  /** Always `publish` for a term. */
  status: string
  /** A venue's city, or a category's parent; otherwise empty. */
  about: string
}

/** In UTF-16 units; a longer text matches nothing. */
const LONGEST_PICKED = 300

type ByCaller = Pick<Context, 'db' | 'caller'>

/**
 * Finds names that contain the text, ignoring case and accents; those that begin with it come first. An empty
 * text finds all. Records in the trash, and those that the caller may not see, are left out.
 */
export async function pickNames(
  kind: PickedKind,
  text: string,
  asker: ByCaller,
  most: number,
): Promise<PickedName[]> {
  const folded = foldedName(text)
  if (folded === undefined) return []
  const beginning = await readNames(kind, beginsWith(folded), asker, most)
  if (beginning.length >= most || folded === '') return beginning
  const others = sql<SqlBool>`${contains('named.folded', folded)} and not (${beginsWith(folded)})`
  return [...beginning, ...(await readNames(kind, others, asker, most - beginning.length))]
}

/** Finds the record with this name, or else the only one whose name begins with it. */
export async function findNamed(
  kind: PickedKind,
  text: string,
  asker: ByCaller,
): Promise<PickedName | undefined> {
  const same = await findSameName(kind, text, asker)
  const folded = foldedName(text)
  if (same || folded === undefined || folded === '') return same
  const [only, ...others] = await readNames(kind, beginsWith(folded), asker, 2)
  return others.length === 0 ? only : undefined
}

/** Finds the record of this name, ignoring case and accents: the oldest public one, else the oldest. */
export async function findSameName(
  kind: PickedKind,
  text: string,
  asker: ByCaller,
): Promise<PickedName | undefined> {
  const folded = foldedName(text)
  if (folded === undefined || folded === '') return undefined
  // An ampersand may be stored as an HTML entity.
  const written = [...new Set([folded, folded.replaceAll('&', '&amp;')])]
  const same = await readNames(kind, sql<SqlBool>`named.folded in (${sql.join(written)})`, asker, MOST_SAME)
  return same.find(({ status }) => status === 'publish') ?? same[0]
}

const MOST_SAME = 20

function foldedName(text: string): string | undefined {
  return text.length > LONGEST_PICKED || text.includes('\0') ? undefined : fold(text)
}

function beginsWith(folded: string): Expression<SqlBool> {
  return sql<SqlBool>`named.folded >= ${folded} and named.folded < ${folded + LAST_CHARACTER}`
}

const TABLES = {
  venue: { table: 'venues', about: 'city' },
  organizer: { table: 'organizers', about: undefined },
} as const

/** Reads the index of names until `most` rows match that the caller may see. */
async function readNames(
  kind: PickedKind,
  where: Expression<SqlBool>,
  { db, caller }: ByCaller,
  most: number,
): Promise<PickedName[]> {
  if (kind === 'category' || kind === 'tag') return readTermNames(kind, where, { db, caller }, most)
  const { table, about } = TABLES[kind]
  const row = sql.table(table)
  const { rows } = await sql<Omit<PickedName, 'kind'>>`
    select ${row}.id, ${sql.ref(`${table}.${kind}`)} as name, ${row}.status,
      ${about === undefined ? sql`''` : sql.ref(`${table}.${about}`)} as about
    from ${row} as named join ${row} on ${row}.id = named.id
    where ${where} and (${shownTo(caller, table)}) is true
    order by named.folded, named.id limit ${sql.lit(most)}
  `.execute(db)
  return rows.map((found) => ({ kind, ...found }))
}

async function readTermNames(
  kind: 'category' | 'tag',
  where: Expression<SqlBool>,
  { db, caller }: ByCaller,
  most: number,
): Promise<PickedName[]> {
  const { rows } = await sql<{ id: number; name: string; about: string | null }>`
    select named.id, named.name, parents.name as about
    from terms as named left join terms as parents on parents.id = named.parent
    where named.taxonomy = ${kind} and ${where}
      and exists (select 1 from terms where terms.id = named.id and ${knownTo(caller, kind)})
    order by named.folded, named.id limit ${sql.lit(most)}
  `.execute(db)
  return rows.map(({ id, name, about }) => ({ kind, id, name, status: 'publish', about: about ?? '' }))
}
