import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { STATUSES } from '../../base/fields/field.ts'
import { listEntries } from '../../base/fields/kinds.ts'
import { Problem } from '../../base/problems.ts'
import { showInTurn, showPrepared, type WantedText } from '../../base/text/long-texts.ts'
import { parseInstant } from '../../base/text/moments.ts'
import { canonicalSlug, numberedSlug } from '../../base/text/slugs.ts'
import { parameter } from '../../base/text/urls.ts'
import type { Db } from '../../store/storage/database.ts'
import { holdRecord } from '../../store/storage/locks.ts'
import {
  type FormerValues,
  isChangedEarlier,
  recordChange,
  type Tx,
  type WriteAction,
  type Writer,
} from '../../store/storage/recording.ts'
import {
  type ChangeColumns,
  type RecordKind,
  type RecordTable,
  TABLE_OF,
  type Tables,
  type TermRow,
  type VersionedKind,
} from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'
import { showOrLeaveOut, showRecord } from '../../store/storage/unshowable.ts'
import type { Context, ValueContext } from '../declare/context.ts'
import type { Address, Presentation } from '../declare/operations.ts'
import { type Caller, can, seesAll, seesOwn, seesUnpublished } from '../people/caller.ts'

export type Status = (typeof STATUSES)[number]

export const isStatus = (value: unknown): value is Status => STATUSES.some((status) => status === value)

/** Unpublished records get no publication date, and events no slug, unless one is sent. */
export function isUnpublished(status: string): boolean {
  return status === 'draft' || status === 'pending'
}

/** True if other records may take the slug. Refusing it would reveal an unannounced record (rule 17.3). */
export function givesUpSlug(status: string): boolean {
  return isUnpublished(status) || status === 'future'
}

export function isKnownStatus(value: unknown): boolean {
  return isStatus(value)
}

/** True for statuses that the caller may ask for: all, or only `publish` (rule 13.5). */
export function isAllowedStatusList(value: unknown, { caller }: ValueContext): boolean {
  const entries =
    value === ''
      ? []
      : (listEntries(value) ?? ['?']).map((entry) => (typeof entry === 'string' ? entry.trim() : entry))
  if (!seesUnpublished(caller)) return entries.length === 1 && entries[0] === 'publish'
  return entries.every(isStatus)
}

export interface StatusFilter {
  /** The value in links: `publish`, `any`, or the requested statuses, joined by commas. */
  shown: string
  statuses: readonly Status[]
}

/** The statuses of a list (rule 13.5); `visibleTo` decides which of these records the caller sees. */
export function statusFilter(caller: Caller, asked: readonly string[] | undefined): StatusFilter {
  if (asked && asked.length > 0) return { shown: asked.join(','), statuses: asked.filter(isStatus) }
  if (asked)
    return { shown: 'publish', statuses: can(caller, 'read_private') ? ['publish', 'private'] : ['publish'] }
  if (!seesUnpublished(caller)) return { shown: 'publish', statuses: ['publish'] }
  return { shown: 'any', statuses: STATUSES.filter((status) => status !== 'trash') }
}

/** The status in links. `any` cannot be requested, so only `rest_url` shows it (rule 11.5). */
export function statusLinks({ shown }: StatusFilter): { status: string | undefined; shownOnly: string } {
  return shown === 'any'
    ? { status: undefined, shownOnly: parameter('status', shown) }
    : { status: shown, shownOnly: '' }
}

/**
 * The status that a write sets. Without the right to publish, `pending` replaces a new one but `draft` (rule
 * 19.1).
 */
export function effectiveStatus(
  caller: Caller,
  asked: string | undefined,
  before: string | undefined,
): Status {
  const mayPublish = can(caller, 'publish')
  const wanted = isStatus(asked) ? asked : undefined
  if (wanted === undefined) return isStatus(before) ? before : mayPublish ? 'publish' : 'draft'
  if (mayPublish || isUnpublished(wanted) || wanted === before) return wanted
  return 'pending'
}

/** Turns `publish` with a future date into `future`, and `future` with a past one into `publish`. */
export function settledByDate(status: Status, dateUtc: string, nowUtc: string): Status {
  if (status === 'publish' && dateUtc > nowUtc) return 'future'
  if (status === 'future' && dateUtc <= nowUtc) return 'publish'
  return status
}

const selectKind = statement<{ id: number }>()((db, value) =>
  db.selectFrom('records').select('kind').where('id', '=', value('id')),
)

export async function findKind(db: Db, id: number): Promise<RecordKind | undefined> {
  if (!isPossibleId(id)) return undefined
  const [row] = await selectKind(db, { id })
  return row?.kind
}

const selectKinds = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('records').select('kind').where('id', 'in', value('ids')),
)

export async function findKinds(db: Db, ids: readonly number[]): Promise<RecordKind[]> {
  if (ids.length === 0) return []
  return (await selectKinds(db, { ids })).map(({ kind }) => kind)
}

/** The largest id: the limit of integer columns in PostgreSQL, applied to SQLite too. */
export const MAX_ID = 2 ** 31 - 1

export function isPossibleId(id: number): boolean {
  return Number.isSafeInteger(id) && id > 0 && id <= MAX_ID
}

interface Standing {
  status: string
  hide_from_listings?: number
}

/**
 * Records a change for caches, history and feeds. `before` is undefined for a new record; `by` is the writer,
 * if several writers share the transaction.
 */
export function recordWritten(
  tx: Tx,
  kind: RecordKind,
  before: Standing | undefined,
  after: Standing & { id: number; name: string },
  former?: FormerValues,
  by?: Writer,
): void {
  const { id, status, name } = after
  const seen = { wasPublic: before?.status === 'publish', isPublic: status === 'publish' }
  const hidden = { wasHidden: before?.hide_from_listings === 1, isHidden: after.hide_from_listings === 1 }
  recordChange(
    tx,
    { kind, record: id, ...seen, ...hidden, former, by },
    { action: actionOf(before?.status, status), name },
  )
}

function actionOf(before: string | undefined, after: string): WriteAction {
  if (before === undefined) return 'create'
  if (before === after) return 'update'
  if (after === 'trash') return 'trash'
  if (before === 'trash') return 'restore'
  return after === 'publish' ? 'publish' : 'update'
}

export function forEachTable<Made>(make: (table: RecordTable) => Made): Record<RecordTable, Made> {
  return { events: make('events'), venues: make('venues'), organizers: make('organizers') }
}

// Worded as in the partial indexes, so that the database uses these. Unannounced records may share a slug
// (rule 17.3).
const OWNS_SLUG = sql<SqlBool>`status not in ('draft', 'pending', 'future')`
const MAY_SHARE_SLUG = sql<SqlBool>`status in ('draft', 'pending', 'future')`

const selectTakenSlugs = forEachTable((table) =>
  statement<{ slugs: string[]; id: number }>()((db, value) =>
    db
      .selectFrom(table)
      .select('slug')
      .where('slug', 'in', value('slugs'))
      .where(OWNS_SLUG)
      .where('id', '!=', value('id')),
  ),
)

const BATCH = 20

const NONE: ReadonlySet<string> = new Set()

/** The first of `base`, `base-2`, … that neither `used` nor an announced record, except `own`, has. */
export async function freeSlug(
  tx: Db,
  table: RecordTable,
  base: string,
  own: number | undefined,
  used: ReadonlySet<string> = NONE,
): Promise<string> {
  for (let from = 1, size = 1; ; from += size, size = Math.max(BATCH, size * 2)) {
    const slugs = Array.from({ length: size }, (_, i) =>
      from + i === 1 ? base : numberedSlug(base, from + i),
    )
    const rows = await selectTakenSlugs[table](tx, { slugs, id: own ?? 0 })
    const taken = new Set(rows.map((row) => row.slug))
    const free = slugs.find((candidate) => !taken.has(candidate) && !used.has(candidate))
    if (free !== undefined) return free
  }
}

export async function freeSlugs(tx: Db, table: RecordTable, slugs: readonly string[]): Promise<string[]> {
  const taken = new Set<string>()
  for (let at = 0; at < slugs.length; at += SLUGS_AT_ONCE)
    for (const { slug } of await selectTakenSlugs[table](tx, {
      slugs: slugs.slice(at, at + SLUGS_AT_ONCE),
      id: 0,
    }))
      taken.add(slug)
  const free: string[] = []
  for (const slug of slugs) {
    const chosen = taken.has(slug) ? await freeSlug(tx, table, slug, undefined, taken) : slug
    taken.add(chosen)
    free.push(chosen)
  }
  return free
}

const SLUGS_AT_ONCE = 100

const selectBySlug = forEachTable((table) =>
  statement<{ slug: string; author: number; all: number }>()((db, value) =>
    db
      .selectFrom(table)
      .select('id')
      .where('id', 'in', () => {
        const named = db.selectFrom(table).select('id').where('slug', '=', value('slug'))
        return named.where(OWNS_SLUG).unionAll(named.where(MAY_SHARE_SLUG))
      })
      .where((record) =>
        record.or([
          record('status', 'in', ['publish', 'private']),
          record('author', '=', value('author')),
          record(value('all'), '=', 1),
        ]),
      )
      .orderBy((record) => record.case().when(MAY_SHARE_SLUG).then(1).else(0).end())
      .orderBy('id')
      .limit(sql.lit(1)),
  ),
)

/**
 * Finds a record by its slug, percent-encoded or not, in any letter case. If several records have it, the
 * first that the caller may know is found (rules 17.4 and 17.5).
 */
export async function findIdBySlug(
  { db, caller }: Pick<Context, 'db' | 'caller'>,
  table: RecordTable,
  slug: string,
): Promise<number | undefined> {
  const known = { author: seesOwn(caller) ? caller.id : NOBODY, all: Number(seesAll(caller)) }
  const [row] = await selectBySlug[table](db, { slug: canonicalSlug(slug), ...known })
  return row?.id
}

const NOBODY = -1

export async function idAt(
  context: Context,
  table: RecordTable,
  address: Address,
): Promise<number | undefined> {
  return 'id' in address ? address.id : findIdBySlug(context, table, address.slug)
}

/**
 * Condition for the records that the caller sees: published and own ones, or all (rule 11.9). Own records in
 * the trash count only if the caller may edit.
 */
export function visibleTo(caller: Caller, table: RecordTable | 'series'): Expression<SqlBool> {
  const records = expressionBuilder<Tables>()
  if (seesAll(caller)) return records.and([])
  const published = records(sql.ref(`${table}.status`), '=', 'publish')
  if (!seesOwn(caller)) return published
  const own = records(sql.ref(`${table}.author`), '=', caller.id)
  const kept = records(sql.ref(`${table}.status`), '!=', 'trash')
  return records.or([published, can(caller, 'edit') ? own : records.and([own, kept])])
}

/** Like `visibleTo`, but without records in the trash. */
export function shownTo(caller: Caller, table: 'venues' | 'organizers'): Expression<SqlBool> {
  const records = expressionBuilder<Tables>()
  return records.and([visibleTo(caller, table), records(sql.ref(`${table}.status`), '!=', 'trash')])
}

export async function isVisible(db: Db, caller: Caller, table: RecordTable, id: number): Promise<boolean> {
  return (await findVisibleSlug(db, caller, table, id)) !== undefined
}

export async function findVisibleSlug(
  db: Db,
  caller: Caller,
  table: RecordTable,
  id: number,
): Promise<string | undefined> {
  const found = db.selectFrom(table).select('slug').where('id', '=', id).where(visibleTo(caller, table))
  return (await found.executeTakeFirst())?.slug
}

/** `total` counts the rows of all pages. */
export interface Listing<Row> {
  rows: Row[]
  total: number
}

export interface PageRequest {
  page: number
  perPage: number
  skip?: number
}

/** The requested page: of 10 records by default, at most the site's maximum (rule 11.2). */
export function pageRequest(query: { page?: number; per_page?: number }, context: Context): PageRequest {
  return { page: query.page ?? 1, perPage: Math.min(query.per_page ?? 10, context.site.pageSizeCap) }
}

export function foundPage<Row extends { id: number }>(
  { rows, total }: Listing<Row>,
  { page, perPage }: PageRequest,
) {
  return { ids: rows.map(({ id }) => id), rows, total, page, perPage }
}

/** The number of rows before the page, at most the largest id, since there are no more records. */
export function offsetOf({ page, perPage, skip = 0 }: PageRequest): number {
  return Math.min((page - 1) * perPage + skip, MAX_ID)
}

const NEVER_AGAIN = '9999-12-31 23:59:59'

/** The moment in UTC; for an invalid `value`, a time after all changes, so that nothing is found. */
export function momentAfter(value: string | number, { site, now }: Context): string {
  return parseInstant(value, site.timezone, now) ?? NEVER_AGAIN
}

export function isModifiedAfter(
  row: { modified_utc: string },
  value: string | number,
  context: Context,
): boolean {
  return row.modified_utc > momentAfter(value, context)
}

// A record's version is the sequence number of its latest change. ETags end in it, and `If-Match` asks for it
// (rule 28.8).

export interface Version {
  id: number
  sequence: number
}

export type WantedVersions = 'any' | readonly Version[]

/** The version in a weak or a strong ETag: caches may have made it strong. */
const VERSION_IN_TAG = /\.v(\d{1,15})\.(\d{1,15})"/g

const selectSequence = statement<{ kind: ChangeColumns['kind']; id: number }>()((db, value) =>
  db
    .selectFrom('changes')
    .select('sequence')
    .where('kind', '=', value('kind'))
    .where('record', '=', value('id')),
)

export async function findVersion(db: Db, kind: ChangeColumns['kind'], id: number): Promise<Version> {
  const [row] = await selectSequence(db, { kind, id })
  return { id, sequence: row?.sequence ?? 0 }
}

export function versionedTag(tag: string, version: Version | undefined): string {
  return version === undefined ? tag : `${tag.slice(0, -1)}.v${version.id}.${version.sequence}"`
}

/** Reads an If-Match header. Tags without a version are skipped. */
export function wantedVersions(header: string): WantedVersions {
  if (header.trim() === '*') return 'any'
  return [...header.matchAll(VERSION_IN_TAG)].map(([, id, sequence]) => ({
    id: Number(id),
    sequence: Number(sequence),
  }))
}

/**
 * Locks the record until the end of the transaction and checks its version.
 * @throws Problem rest_precondition_failed if it has none of the wanted versions, or was changed earlier in
 * the transaction
 */
export async function requireVersion(
  tx: Tx,
  kind: VersionedKind,
  id: number,
  wanted: WantedVersions,
): Promise<void> {
  if (wanted === 'any') return
  const [, version] = await Promise.all([holdRecord(tx, TABLE_OF[kind], id), findVersion(tx, kind, id)])
  requireWanted(version, wanted)
  if (isChangedEarlier(tx, { kind, record: id })) throw new Problem('rest_precondition_failed')
}

/** @throws Problem rest_precondition_failed if `wanted` lacks the version */
export function requireWanted({ id, sequence }: Version, wanted: WantedVersions): void {
  if (wanted !== 'any' && !wanted.some((version) => version.id === id && version.sequence === sequence))
    throw new Problem('rest_precondition_failed')
}

export async function presentListed<Loaded>(
  context: Context,
  presentation: Presentation<Loaded>,
  loaded: readonly Loaded[],
): Promise<object[]> {
  return [...(await presentById(context, presentation, loaded)).values()]
}

/** Records as lists show them, by id, in the order of `loaded`, without those that cannot be shown. */
export async function presentById<Loaded>(
  context: Context,
  presentation: Presentation<Loaded>,
  loaded: readonly Loaded[],
): Promise<Map<number, object>> {
  const { nameOf, textsOf, present } = presentation
  const shown = await showInTurn(
    loaded,
    (record) => textsOf(record, 'listed'),
    (record) => {
      const { kind, id } = nameOf(record)
      const shape = showOrLeaveOut(context, kind, id, () => present(context, record, 'listed'))
      return shape && ([id, shape] as const)
    },
  )
  return new Map(shown.filter((entry) => entry !== undefined))
}

/** @throws UnshowableRecord when the record cannot be shown */
export async function presentSingle<Loaded>(
  context: Context,
  { nameOf, textsOf, present }: Presentation<Loaded>,
  loaded: Loaded,
): Promise<object> {
  const { kind, id } = nameOf(loaded)
  return showPrepared(textsOf(loaded, 'single'), () =>
    showRecord(kind, id, () => present(context, loaded, 'single')),
  )
}

interface LongTexts {
  description: string
  excerpt: string
  trusted: number
}

export function textsOfRecord(
  { description, excerpt, trusted }: LongTexts,
  extent: 'listed' | 'single',
): WantedText[] {
  const texts: WantedText[] = []
  for (const raw of [description, excerpt]) {
    if (raw === '') continue
    texts.push({ work: 'html', raw, trusted: trusted === 1 })
    if (extent === 'single') texts.push({ work: 'plain', raw, trusted: trusted === 1 })
  }
  return texts
}

export function textsToWrite(texts: LongTexts): WantedText[] {
  const folded = [texts.description, texts.excerpt].map((raw): WantedText => ({ work: 'folded', raw }))
  return [...textsOfRecord(texts, 'single'), ...folded]
}

export function textsOfTerm({ description }: Pick<TermRow, 'description'>): WantedText[] {
  return description === '' ? [] : [{ work: 'safe', raw: description }]
}
