import { sql } from 'kysely'
import { formatUtc } from '../../base/text/moments.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Pruning } from '../../store/storage/pruning.ts'
import type { DeskImportColumns } from './import-tables.ts'

/** The most open imports kept for a person; a new one replaces the oldest. */
const MOST_OPEN = 10

export type ListedDeskImport = Omit<DeskImportColumns, 'content' | 'choices' | 'checked'>

const LISTED = ['id', 'user', 'state', 'name', 'report', 'made_utc', 'changed_utc', 'leased_utc'] as const

const UNDER_WAY: DeskImportColumns['state'][] = ['waiting', 'leaving']

export const addressOf = ({ id }: Pick<DeskImportColumns, 'id'>) => `desk:${id}`

const AT_ONCE = 20

export async function insertDeskImport(
  tx: Db,
  row: Pick<DeskImportColumns, 'user' | 'name' | 'content' | 'choices' | 'checked'>,
  pieces: readonly string[],
  now: number,
): Promise<number> {
  const open = tx
    .selectFrom('desk_imports')
    .select('id')
    .where('user', '=', row.user)
    .where('state', '=', 'open')
  const former = open
    .orderBy('id', 'desc')
    .limit(1000)
    .offset(MOST_OPEN - 1)
  await tx.deleteFrom('desk_imports').where('id', 'in', former).execute()
  const made = { made_utc: formatUtc(now), changed_utc: formatUtc(now), leased_utc: '' }
  const { id } = await tx
    .insertInto('desk_imports')
    .values({ ...row, ...made, state: 'open', report: '' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const rows = pieces.map((content, piece) => ({ staged: id, piece, content }))
  for (let at = 0; at < rows.length; at += AT_ONCE)
    await tx
      .insertInto('desk_import_rows')
      .values(rows.slice(at, at + AT_ONCE))
      .execute()
  return id
}

export function findPieces(
  db: Db,
  id: number,
  wanted?: readonly number[],
): Promise<{ piece: number; content: string }[]> {
  const pieces = db.selectFrom('desk_import_rows').select(['piece', 'content']).where('staged', '=', id)
  return pieces
    .$if(wanted !== undefined, (some) => some.where('piece', 'in', wanted ?? []))
    .orderBy('piece')
    .execute()
}

export function findDeskImport(db: Db, id: number): Promise<DeskImportColumns | undefined> {
  return db.selectFrom('desk_imports').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Updates an import in one of the states `from`. @returns false if another form or process was faster */
export async function updateDeskImport(
  tx: Db,
  id: number,
  from: DeskImportColumns['state'][],
  columns: Partial<Omit<DeskImportColumns, 'id' | 'user' | 'name' | 'content' | 'made_utc'>>,
): Promise<boolean> {
  const own = tx.updateTable('desk_imports').where('id', '=', id).where('state', 'in', from)
  return Number((await own.set(columns).executeTakeFirst()).numUpdatedRows) === 1
}

export async function removeDeskImport(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('desk_imports').where('id', '=', id).where('state', '=', 'open').execute()
}

/** Lists imports, newest first; those of everybody if `user` is undefined. */
export function listDeskImports(
  db: Db,
  user: number | undefined,
  most: number,
): Promise<(ListedDeskImport & { login: string })[]> {
  return db
    .selectFrom('desk_imports')
    .innerJoin('users', 'users.id', 'desk_imports.user')
    .select(LISTED.map((name) => `desk_imports.${name}` as const))
    .select('users.name as login')
    .$if(user !== undefined, (rows) => rows.where('desk_imports.user', '=', user ?? 0))
    .orderBy('desk_imports.id', 'desc')
    .limit(most)
    .execute()
}

export async function countUnderWay(db: Db, user: number): Promise<number> {
  const { count } = await db
    .selectFrom('desk_imports')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('user', '=', user)
    .where('state', 'in', UNDER_WAY)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function isAnyWaiting(db: Db, nowUtc: string): Promise<boolean> {
  const due = db.selectFrom('desk_imports').select('id').where('state', 'in', UNDER_WAY)
  return (await due.where('leased_utc', '<=', nowUtc).limit(1).executeTakeFirst()) !== undefined
}

/** Leases the oldest waiting import. @returns its id; undefined if none waits or another process was first */
export async function leaseDeskImport(tx: Db, nowUtc: string, untilUtc: string): Promise<number | undefined> {
  const next = await tx
    .selectFrom('desk_imports')
    .select(['id', 'leased_utc'])
    .where('state', 'in', UNDER_WAY)
    .where('leased_utc', '<=', nowUtc)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (!next) return undefined
  const { numUpdatedRows } = await tx
    .updateTable('desk_imports')
    .set({ leased_utc: untilUtc })
    .where('id', '=', next.id)
    .where('leased_utc', '=', next.leased_utc)
    .executeTakeFirst()
  return Number(numUpdatedRows) === 1 ? next.id : undefined
}

export async function listBroughtIn(db: Db, address: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('import_items')
    .innerJoin('import_sources', 'import_sources.id', 'import_items.source')
    .select(['import_items.identity', 'import_items.record'])
    .where('import_sources.address', '=', address)
    .where('import_items.kind', 'in', ['event', 'series'])
    .where('import_items.written', '!=', '{}')
    .execute()
  return new Map(rows.map(({ identity, record }) => [identity, record]))
}

/** Ids of runs not undone, newest first. */
export async function listRunsOf(db: Db, address: string): Promise<number[]> {
  const rows = await db
    .selectFrom('imports')
    .innerJoin('import_sources', 'import_sources.id', 'imports.source')
    .select('imports.id')
    .where('import_sources.address', '=', address)
    .where('imports.state', '!=', 'undone')
    .orderBy('imports.id', 'desc')
    .execute()
  return rows.map(({ id }) => id)
}

async function dropDeskImports(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const old = tx.selectFrom('desk_imports').select('id').where('changed_utc', '<', beforeUtc)
  const gone = await tx
    .deleteFrom('desk_imports')
    .where('id', 'in', old.limit(sql.lit(most)))
    .returning('id')
    .execute()
  return gone.length
}

export const DESK_IMPORT_DAYS = 30

export const importPrunings: readonly Pruning[] = [{ days: DESK_IMPORT_DAYS, drop: dropDeskImports }]
