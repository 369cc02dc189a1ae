import {
  type Expression,
  type ExpressionBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import { keptColumns } from '../../base/fields/field.ts'
import { isEmpty, isNamedRecord, listEntries, readInteger } from '../../base/fields/kinds.ts'
import { invalidParam, Problem } from '../../base/problems.ts'
import { fold } from '../../base/text/characters.ts'
import { foldedText } from '../../base/text/long-texts.ts'
import { type Db, foundRows, type ReadQuery } from '../../store/storage/database.ts'
import { formerOf, nextRecordId } from '../../store/storage/history.ts'
import { holdName, lockedRows } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import {
  type LinkedColumns,
  type RecordColumns,
  TABLE_OF,
  type Tables,
  type VenueRow,
} from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'
import type { Context, ValueContext } from '../declare/context.ts'
import type { Fields } from '../declare/resource.ts'
import { linkImage, type ResolvedImage, resolveImage } from '../images/images.ts'
import { can, mayEdit, mayRead } from '../people/caller.ts'
import { noteSlugs, standingOf } from '../records/old-slugs.ts'
import {
  type RecordValues,
  settleRecord,
  settleSlug,
  settleTrust,
  trashColumns,
} from '../records/record-rules.ts'
import {
  findIdBySlug,
  findKind,
  findKinds,
  forEachTable,
  isPossibleId,
  type Listing,
  offsetOf,
  type PageRequest,
  recordWritten,
} from '../records/record-store.ts'

export type LinkedKind = 'venue' | 'organizer'

export function isIdOf(kind: LinkedKind) {
  return async (value: unknown, context: Context): Promise<boolean> => {
    const id = readInteger(value)
    return id !== undefined && (await findKind(context.db, id)) === kind
  }
}

export function isSlugOf(kind: LinkedKind) {
  return async (value: unknown, context: Context): Promise<boolean> =>
    (await findIdBySlug(context, TABLE_OF[kind], String(value))) !== undefined
}

/** Makes a check that all ids of a list are those of records of `kind`, of any status (rule 13.3). */
export function areRecordsOf(kind: LinkedKind) {
  return async (value: unknown, context: Context): Promise<boolean> => {
    const ids = new Set(listEntries(value)?.map(readInteger))
    const wanted = [...ids].filter((id) => id !== undefined).filter(isPossibleId)
    if (wanted.length < ids.size) return false
    const kinds = await findKinds(context.db, wanted)
    return kinds.length === wanted.length && kinds.every((found) => found === kind)
  }
}

export type LinkEntry = { id: number } | { fields: Record<string, unknown> }

/**
 * Reads sent links to venues or organizers: ids, or fields of new records (rule 21.1). Empty for an empty
 * value, undefined for an invalid one.
 */
export function linkEntries(value: unknown): LinkEntry[] | undefined {
  if (isEmpty(value)) return []
  if (isNamedRecord(value)) return allKnown([recordEntry(value)])
  const entries = typeof value === 'boolean' ? undefined : listEntries(value)
  if (!entries) return undefined
  // HTML forms clear a list by sending one empty entry.
  const filled = entries.filter((entry) => entry !== '')
  return allKnown(filled.map((entry) => (isNamedRecord(entry) ? recordEntry(entry) : idEntry(entry))))
}

function recordEntry(record: Record<string, unknown>): LinkEntry | undefined {
  return record.id === undefined || record.id === null || record.id === ''
    ? { fields: record }
    : idEntry(record.id)
}

function idEntry(value: unknown): LinkEntry | undefined {
  const id = readInteger(value)
  return id === undefined || id <= 0 ? undefined : { id }
}

function allKnown(entries: (LinkEntry | undefined)[]): LinkEntry[] | undefined {
  return entries.every((entry): entry is LinkEntry => entry !== undefined) ? entries : undefined
}

/** Makes a check of the form of sent links; it looks up no records. */
export function areLinks(kind: LinkedKind, fields: Fields) {
  return (value: unknown, context: ValueContext): boolean => {
    const entries = linkEntries(value)
    return (
      entries?.every((entry) =>
        'id' in entry ? isPossibleId(entry.id) : areFieldsOf(fields, kind, entry.fields, context),
      ) === true
    )
  }
}

/**
 * Makes a check that linked records exist outside the trash, and that what new records refer to exists (rule
 * 21.1).
 */
export function areLinkable(kind: LinkedKind, fields: Fields) {
  return async (value: unknown, context: Context): Promise<boolean> => {
    const entries = linkEntries(value) ?? []
    const ids = entries.flatMap((entry) => ('id' in entry ? [entry.id] : []))
    if (!(await areThere(context.db, kind, ids))) return false
    for (const entry of entries) {
      if ('fields' in entry && !(await areFieldsLinkable(fields, entry.fields, context))) return false
    }
    return true
  }
}

const selectLinkable = forEachTable((table) =>
  statement<{ ids: number[] }>()((db, value) =>
    db.selectFrom(table).select('id').where('id', 'in', value('ids')).where('status', '!=', 'trash'),
  ),
)

/** True if all records exist outside the trash (rule 21.1). */
export async function areThere(db: Db, kind: LinkedKind, ids: readonly number[]): Promise<boolean> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return true
  const rows = await selectLinkable[TABLE_OF[kind]](db, { ids: wanted })
  return rows.length === wanted.length
}

function areFieldsOf(
  fields: Fields,
  name: string,
  record: Record<string, unknown>,
  context: ValueContext,
): boolean {
  if (typeof record[name] !== 'string' || record[name].trim() === '') return false
  return Object.entries(fields).every(([key, field]) => {
    const value = record[key]
    if (value === undefined || value === null) return true
    if (field.kind.valid?.(value, context) === false || (field.valid?.(value, context) ?? true) !== true)
      return false
    return field.kind.read(value) !== undefined
  })
}

async function areFieldsLinkable(
  fields: Fields,
  record: Record<string, unknown>,
  context: Context,
): Promise<boolean> {
  for (const [key, field] of Object.entries(fields)) {
    const value = record[key]
    if (value !== undefined && value !== null && field.lookUp && !(await field.lookUp(value, context)))
      return false
  }
  return true
}

export interface LinkedType {
  kind: LinkedKind
  table: 'venues' | 'organizers'
  links: 'event_venues' | 'event_organizers'
}

export type LinkedRow = Selectable<LinkedColumns>

/** Typed as venues: the query builder takes one type, and both tables have the columns of `LinkedColumns`. */
export const asVenues = (type: LinkedType) => type.table as 'venues'

function forBoth<Made>(make: (table: 'venues') => Made): Record<LinkedType['table'], Made> {
  return { venues: make('venues'), organizers: make('organizers' as 'venues') }
}

const selectByIds = forBoth((table) =>
  statement<{ ids: readonly number[] }>()((db, value) =>
    db.selectFrom(table).selectAll().where('id', 'in', value('ids')),
  ),
)

export async function findLinked<Row extends LinkedRow>(
  db: Db,
  type: LinkedType,
  id: number,
): Promise<Row | undefined> {
  return (await findLinkedByIds<Row>(db, type, [id])).get(id)
}

export async function findLinkedByIds<Row extends LinkedRow>(
  db: Db,
  type: LinkedType,
  ids: readonly number[],
): Promise<Map<number, Row>> {
  if (ids.length === 0) return new Map()
  const rows = await selectByIds[type.table](db, { ids })
  return new Map(rows.map((row) => [row.id, row as unknown as Row]))
}

const selectNamesakes = forBoth((table) =>
  statement<{ folded: string }>()((db, value) =>
    lockedRows(
      db,
      db
        .selectFrom(table)
        .selectAll()
        .where('folded', '=', value('folded'))
        .where('status', '!=', 'trash')
        .orderBy('id'),
    ),
  ),
)

/** Finds and locks the records outside the trash with this name, in any letter case; the oldest is first. */
async function findNamesakes(tx: Db, type: LinkedType, name: string): Promise<LinkedRow[]> {
  const rows: LinkedRow[] = await selectNamesakes[type.table](tx, { folded: fold(name) })
  return rows.filter((row) => nameOfLinked(type, row).toLowerCase() === name.toLowerCase())
}

function nameOfLinked({ kind }: LinkedType, row: LinkedRow): string {
  const columns: Record<string, unknown> = { ...row }
  return String(columns[kind])
}

type Venues = ExpressionBuilder<Tables, 'venues'>

export type LinkedCondition = (record: Venues) => Expression<SqlBool>

/** Reads one page and counts all records. The latest published are first (rules 11.7 and 13.8). */
export async function listLinked<Row extends LinkedRow>(
  type: LinkedType,
  where: LinkedCondition,
  isSearch: boolean,
  page: PageRequest,
  context: Context,
): Promise<Listing<Row>> {
  const matching = context.db.selectFrom(asVenues(type)).where(where)
  const countAll = matching.select((record) => record.fn.countAll<number>().as('total'))
  if (isSearch) return searchLinked<Row>(type, matching, countAll, page, context)
  const shown = matching
    .select('id')
    .orderBy('date', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(page.perPage))
    .offset(sql.lit(offsetOf(page)))
  const [totals, rows] = await context.readInLane(context.db, 'list', [
    countAll,
    foundRows(context.db, type.table, shown, latestFirst(type)),
  ])
  return { rows: rows as Row[], total: Number(totals[0]?.total) }
}

function latestFirst({ table }: LinkedType) {
  return sql`${sql.table(table)}.date desc, ${sql.table(table)}.id desc`
}

/** Gets rows and total by one statement, so that texts are searched only once unless the page is empty. */
async function searchLinked<Row extends LinkedRow>(
  type: LinkedType,
  matching: SelectQueryBuilder<Tables, 'venues', unknown>,
  countAll: ReadQuery<{ total: number }>,
  page: PageRequest,
  { db, readInLane }: Context,
): Promise<Listing<Row>> {
  const shown = sql<{ id: number; total: number | string }>`(
    with matching as materialized ${matching.select(['id', 'date'])}
    select id, (select count(*) from matching) as total from matching
    order by date desc, id desc limit ${sql.lit(page.perPage)} offset ${sql.lit(offsetOf(page))})`
  const [rows] = await readInLane(db, 'search', [foundRows(db, type.table, shown, latestFirst(type))])
  const [first] = rows
  if (first || page.page === 1) return { rows: rows as Row[], total: Number(first?.total ?? 0) }
  const [totals] = await readInLane(db, 'search', [countAll])
  return { rows: [], total: Number(totals[0]?.total) }
}

type LinkedValues = Record<string, string | number | null>

const insertOne = forBoth((table) =>
  statement<{ row: VenueRow }>()((db, value) => db.insertInto(table).values(value('row'))),
)

const updateOne = forBoth((table) =>
  statement<{ id: number; columns: LinkedValues }>()((db, value) =>
    db.updateTable(table).set(value('columns')).where('id', '=', value('id')),
  ),
)

async function insertLinked(tx: Tx, type: LinkedType, id: number, columns: LinkedValues): Promise<void> {
  recordWritten(tx, type.kind, undefined, {
    id,
    status: String(columns.status),
    name: String(columns[type.kind]),
  })
  await insertOne[type.table](tx, { row: { ...columns, id } as VenueRow })
}

/** Updates a venue or organizer. A public record's old slug is recorded as a former one. */
export async function updateLinked(
  tx: Tx,
  type: LinkedType,
  before: RecordColumns,
  columns: LinkedValues,
): Promise<void> {
  const { id } = before
  const after: LinkedValues = { ...before, ...columns }
  const named = { id, status: String(after.status), name: String(after[type.kind]) }
  recordWritten(tx, type.kind, before, named, formerOf(before, columns))
  const now = { slug: String(after.slug), status: String(after.status) }
  await Promise.all([
    updateOne[type.table](tx, { id, columns }),
    noteSlugs(tx, type.kind, id, standingOf(before), standingOf(now)),
  ])
}

/** A record to write. Its image is fetched already, so that the transaction waits for no other server. */
export interface PreparedLinked {
  values: Record<string, unknown>
  image: ResolvedImage | undefined
}

export interface LinkedRules extends LinkedType {
  fields: Fields
  settle: (
    values: Record<string, unknown>,
    before: Record<string, unknown> | undefined,
  ) => Record<string, unknown>
}

export async function prepareLinked(
  values: Record<string, unknown>,
  context: Context,
): Promise<PreparedLinked> {
  const reference = values.image as string | number | undefined
  return { values, image: reference === undefined ? undefined : await getImage(reference, context) }
}

/** Like `resolveImage`, but throws. @throws Problem rest_invalid_param when the reference gives no image */
export async function getImage(reference: string | number, context: Context): Promise<ResolvedImage> {
  const image = await resolveImage(reference, context)
  if (!image) throw invalidParam('image')
  return image
}

export function readNested(fields: Fields, record: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    if (record[name] !== undefined && record[name] !== null) values[name] = field.kind.read(record[name])
  }
  return values
}

/**
 * Creates a venue or organizer, or reuses one of the same name whose details do not differ (rule 21.3).
 * @throws Problem could-not-create-… for a blank name
 */
export async function createLinked(
  tx: Tx,
  rules: LinkedRules,
  prepared: PreparedLinked,
  context: Context,
): Promise<{ id: number; isNew: boolean }> {
  const name = String(prepared.values[rules.kind]).trim()
  if (name === '') throw new Problem(`could-not-create-${rules.kind}`)
  const details = detailsOf(rules, prepared.values)
  const [, namesakes] = await Promise.all([
    holdName(tx, `${rules.kind} ${fold(name)}`),
    findNamesakes(tx, rules, name),
  ])
  for (const namesake of namesakes) {
    if (await reuse(tx, rules, namesake, details, context)) return { id: namesake.id, isNew: false }
  }
  const id = await nextRecordId(tx, rules.kind)
  await writeLinked(tx, rules, id, undefined, prepared, context)
  return { id, isNew: true }
}

/** Updates a venue or organizer. @throws Problem could-not-create-… for a blank name */
export async function changeLinked(
  tx: Tx,
  rules: LinkedRules,
  row: LinkedRow,
  prepared: PreparedLinked,
  context: Context,
): Promise<void> {
  const name = prepared.values[rules.kind]
  if (typeof name === 'string' && name.trim() === '') throw new Problem(`could-not-create-${rules.kind}`)
  await writeLinked(tx, rules, row.id, row, prepared, context)
}

async function writeLinked(
  tx: Tx,
  rules: LinkedRules,
  id: number,
  before: LinkedRow | undefined,
  prepared: PreparedLinked,
  context: Context,
): Promise<void> {
  const { values } = prepared
  const record = settleRecord(context, before, values as RecordValues, 'published')
  const columns: Record<string, unknown> = {
    ...keptColumns(rules.fields, values),
    ...rules.settle(values, before && { ...before }),
  }
  const current: Record<string, unknown> = { ...before, ...columns }
  const name = String(current[rules.kind]).trim()
  const slug = await settleSlug(
    tx,
    context.caller,
    rules.table,
    { id, status: record.status, name },
    before,
    undefined,
  )
  const image = prepared.image === undefined ? {} : { image: await linkImage(tx, prepared.image, context) }
  const written = {
    ...columns,
    ...record,
    ...image,
    slug,
    [rules.kind]: name,
    folded: fold(name),
    search: searchLines(rules.fields, current),
    trusted: settleTrust(context, before as RecordColumns | undefined, [rules.kind, 'description'], values, {
      ...before,
    }),
  } as LinkedValues
  if (before) await updateLinked(tx, rules, before, written)
  else await insertLinked(tx, rules, id, written)
}

function searchLines(fields: Fields, current: Record<string, unknown>): string {
  const texts = Object.entries(fields).flatMap(([name, field]) => {
    const value = current[name]
    return field.kind.toColumn && typeof value === 'string' && value !== '' ? [foldedText(value)] : []
  })
  return texts.join('\n')
}

/** What tells a record from namesakes: all columns but the name, empty ones and flags. */
function detailsOf(rules: LinkedRules, values: Record<string, unknown>): Record<string, unknown> {
  const kept = { ...keptColumns(rules.fields, values), ...rules.settle(values, undefined) }
  return Object.fromEntries(
    Object.entries(kept).filter(
      ([name, value]) => name !== rules.kind && !rules.fields[name]?.kind.isFlag && isFilled(value),
    ),
  )
}

const isFilled = (value: unknown) => value !== '' && value !== null && value !== undefined

async function reuse(
  tx: Tx,
  rules: LinkedRules,
  namesake: LinkedRow,
  details: Record<string, unknown>,
  context: Context,
): Promise<boolean> {
  const known: Record<string, unknown> = { ...namesake }
  const gaps = Object.entries(details).filter(([name]) => !isFilled(known[name]))
  const agrees = Object.entries(details).every(
    ([name, value]) => !isFilled(known[name]) || known[name] === value,
  )
  if (!agrees || !mayRead(context.caller, namesake)) return false
  if (gaps.length === 0) return true
  if (!mayEdit(context.caller, namesake)) return false
  const columns = Object.fromEntries(gaps) as LinkedValues
  const trusted = 'description' in columns && !can(context.caller, 'unfiltered_html') ? 0 : namesake.trusted
  const search = searchLines(rules.fields, { ...known, ...columns })
  await updateLinked(tx, rules, namesake, { ...columns, trusted, search })
  return true
}

/** Moves a record to the trash. Links of events to the record stay, in case it is restored (rule 24.3). */
export async function trashLinked(
  tx: Tx,
  rules: LinkedRules,
  row: LinkedRow,
  context: Context,
): Promise<void> {
  const named = { ...row, name: nameOfLinked(rules, row) }
  await updateLinked(tx, rules, row, await trashColumns(tx, rules.table, named, context))
}

/** Reads a record that must exist. @throws Error when it is gone, which no request can cause */
export async function getLinked<Row extends LinkedRow>(db: Db, type: LinkedType, id: number): Promise<Row> {
  const row = await findLinked<Row>(db, type, id)
  if (!row) throw new Error(`${type.kind} ${id} is gone`)
  return row
}
