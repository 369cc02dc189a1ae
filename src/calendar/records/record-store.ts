import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { STATUSES } from '../../base/fields/field.ts'
import { listEntries } from '../../base/fields/kinds.ts'
import { Problem } from '../../base/problems.ts'
import { canonicalSlug, numberedSlug } from '../../base/text/characters.ts'
import { showInTurn, showPrepared, type WantedText } from '../../base/text/long-texts.ts'
import { parseMoment } from '../../base/text/moments.ts'
import { parameter } from '../../base/text/urls.ts'
import type { Db } from '../../store/storage/database.ts'
import { type HeldTable, holdRecord } from '../../store/storage/locks.ts'
import {
  type FormerValues,
  isChangedEarlier,
  recordChange,
  type Tx,
  type WriteAction,
  type Writer,
} from '../../store/storage/recording.ts'
import type {
  ChangeColumns,
  RecordKind,
  RecordTable,
  Tables,
  TermRow,
  VersionedKind,
} from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'
import { showOrLeaveOut, showRecord } from '../../store/storage/unshowable.ts'
import type { Context, ValueContext } from '../declare/context.ts'
import type { Address, Presentation } from '../declare/operations.ts'
import { type Caller, can, seesAll, seesOwn, seesUnpublished } from '../people/caller.ts'

// What all records share: statuses, ids, slugs, versions, and how lists of them are presented.

// Statuses of records, and the filter by them.

export type Status = (typeof STATUSES)[number]

export const isStatus = (value: unknown): value is Status => STATUSES.some((status) => status === value)

/** Draft and pending records get no slug by themselves and no publication date. */
export function isUnpublished(status: string): boolean {
  return status === 'draft' || status === 'pending'
}

/**
 * Returns true for a status in which others may take the slug of a record (rule 17.3): refusing the slug would tell them of a record that is still to
 * be announced.
 */
export function givesUpSlug(status: string): boolean {
  return isUnpublished(status) || status === 'future'
}

/** Validates the status of a record: exactly one known word. */
export function isKnownStatus(value: unknown): boolean {
  return isStatus(value)
}

/** Validates the status filter of a list: only `publish` for callers who may not edit, known words for the others (rule 13.5). */
export function isAllowedStatusList(value: unknown, { caller }: ValueContext): boolean {
  const entries =
    value === '' ? [] : (listEntries(value) ?? ['?']).map((entry) => (typeof entry === 'string' ? entry.trim() : entry))
  if (!seesUnpublished(caller)) return entries.length === 1 && entries[0] === 'publish'
  return entries.every(isStatus)
}

/** The meaning of a status filter: the word or words for links, and the listed statuses. */
export interface StatusFilter {
  /** `publish`, `any` or the words asked for, joined by commas. */
  shown: string
  statuses: readonly Status[]
}

/** The statuses of a list for this caller; `visibleTo` decides which records they may see (rule 13.5). */
export function statusFilter(caller: Caller, asked: readonly string[] | undefined): StatusFilter {
  if (asked && asked.length > 0) return { shown: asked.join(','), statuses: asked.filter(isStatus) }
  if (asked) return { shown: 'publish', statuses: can(caller, 'read_private') ? ['publish', 'private'] : ['publish'] }
  if (!seesUnpublished(caller)) return { shown: 'publish', statuses: ['publish'] }
  return { shown: 'any', statuses: STATUSES.filter((status) => status !== 'trash') }
}

/**
 * The status in the links of a list: as a parameter, or shown only. `any` means a list without the parameter, and cannot be requested (rule 11.5).
 */
export function statusLinks({ shown }: StatusFilter): { status: string | undefined; shownOnly: string } {
  return shown === 'any'
    ? { status: undefined, shownOnly: parameter('status', shown) }
    : { status: shown, shownOnly: '' }
}

/** The status of a record: the requested one, limited by the rights of the caller. */
export function effectiveStatus(caller: Caller, asked: string | undefined, before: string | undefined): Status {
  const mayPublish = can(caller, 'publish')
  const wanted = isStatus(asked) ? asked : undefined
  if (wanted === undefined) return isStatus(before) ? before : mayPublish ? 'publish' : 'draft'
  if (mayPublish || isUnpublished(wanted) || wanted === before) return wanted
  return 'pending'
}

/** `publish` with a future date becomes `future`; `future` with a past date becomes `publish`. */
export function settledByDate(status: Status, dateUtc: string, nowUtc: string): Status {
  if (status === 'publish' && dateUtc > nowUtc) return 'future'
  if (status === 'future' && dateUtc <= nowUtc) return 'publish'
  return status
}

// The SQL that all records share: ids, slugs, and who sees what.

const selectKind = statement<{ id: number }>()((db, value) =>
  db.selectFrom('records').select('kind').where('id', '=', value('id')),
)

/** The kind of the record with this id, or undefined when there is none. */
export async function findKind(db: Db, id: number): Promise<RecordKind | undefined> {
  if (!isPossibleId(id)) return undefined
  const [row] = await selectKind(db, { id })
  return row?.kind
}

const selectKinds = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('records').select('kind').where('id', 'in', value('ids')),
)

/** The kinds of the records that exist among these ids, in no order. The ids must be possible, each given once. */
export async function findKinds(db: Db, ids: readonly number[]): Promise<RecordKind[]> {
  if (ids.length === 0) return []
  return (await selectKinds(db, { ids })).map(({ kind }) => kind)
}

/** The largest id either database can hold. */
export const MAX_ID = 2 ** 31 - 1

/** Returns true for an id that a record can have. */
export function isPossibleId(id: number): boolean {
  return Number.isSafeInteger(id) && id > 0 && id <= MAX_ID
}

/** The columns that decide whether the public can see a record, and whether lists leave an event out. */
interface Standing {
  status: string
  hide_from_listings?: number
}

/**
 * Records that an event, venue or organizer is written. `before` are the columns by which the public saw it, undefined for a new record; `former` are its
 * former values, and `by` is the writer where several share the transaction.
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

/** A statement for each of the tables that records have. */
export function forEachTable<Made>(make: (table: RecordTable) => Made): Record<RecordTable, Made> {
  return { events: make('events'), venues: make('venues'), organizers: make('organizers') }
}

// Conditions of the two indexes of slugs, letter for letter: what is not published yet may share a slug, every other record has its own (rule 17.3).
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

/** Slugs tried together once the first is taken. */
const BATCH = 20

const NONE: ReadonlySet<string> = new Set()

/**
 * The first of `base`, `base-2`, `base-3` … that no other published record of the table has, and that is not `used` already; `own` is the id
 * of the record itself (rule 17.3).
 */
export async function freeSlug(
  tx: Db,
  table: RecordTable,
  base: string,
  own: number | undefined,
  used: ReadonlySet<string> = NONE,
): Promise<string> {
  for (let from = 1, size = 1; ; from += size, size = Math.max(BATCH, size * 2)) {
    const slugs = Array.from({ length: size }, (_, i) => (from + i === 1 ? base : numberedSlug(base, from + i)))
    const rows = await selectTakenSlugs[table](tx, { slugs, id: own ?? 0 })
    const taken = new Set(rows.map((row) => row.slug))
    const free = slugs.find((candidate) => !taken.has(candidate) && !used.has(candidate))
    if (free !== undefined) return free
  }
}

/** For each of these slugs the first of `slug`, `slug-2` … that no other published record of the table has, none twice. */
export async function freeSlugs(tx: Db, table: RecordTable, slugs: readonly string[]): Promise<string[]> {
  const taken = new Set<string>()
  for (let at = 0; at < slugs.length; at += SLUGS_AT_ONCE)
    for (const { slug } of await selectTakenSlugs[table](tx, { slugs: slugs.slice(at, at + SLUGS_AT_ONCE), id: 0 }))
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
 * The id of the record with this slug, raw or percent-encoded, in any letter case and any status. Drafts and scheduled records may share a slug,
 * with each other and with one other record: that one comes first, then the lowest id (rules 17.4 and 17.5). A slug tells what a record is called, so those of
 * records that were never announced, or are in the trash, are hidden from callers who may not read them; a private record had an address before.
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

/** No record has this author. */
const NOBODY = -1

/** The id of an address for this caller; there may be no record with it. */
export async function idAt(context: Context, table: RecordTable, address: Address): Promise<number | undefined> {
  return 'id' in address ? address.id : findIdBySlug(context, table, address.slug)
}

/** The condition that the caller may see a record in lists: published, their own, or any by the right to edit others' (rule 11.9). */
export function visibleTo(caller: Caller, table: RecordTable | 'series'): Expression<SqlBool> {
  const records = expressionBuilder<Tables>()
  if (seesAll(caller)) return records.and([])
  const published = records(sql.ref(`${table}.status`), '=', 'publish')
  return seesOwn(caller) ? records.or([published, records(sql.ref(`${table}.author`), '=', caller.id)]) : published
}

/** The condition that events show a venue or organizer to the caller: they may see it, and it is not in the trash. */
export function shownTo(caller: Caller, table: 'venues' | 'organizers'): Expression<SqlBool> {
  const records = expressionBuilder<Tables>()
  return records.and([visibleTo(caller, table), records(sql.ref(`${table}.status`), '!=', 'trash')])
}

/** Resolves to true if the caller may see the record with this id in lists. */
export async function isVisible(db: Db, caller: Caller, table: RecordTable, id: number): Promise<boolean> {
  return (await findVisibleSlug(db, caller, table, id)) !== undefined
}

/** The slug of a record, if the caller may see it in lists. */
export async function findVisibleSlug(
  db: Db,
  caller: Caller,
  table: RecordTable,
  id: number,
): Promise<string | undefined> {
  const found = db.selectFrom(table).select('slug').where('id', '=', id).where(visibleTo(caller, table))
  return (await found.executeTakeFirst())?.slug
}

/** One page of a list, and the number of all records in it. */
export interface Listing<Row> {
  rows: Row[]
  total: number
}

export interface PageRequest {
  page: number
  perPage: number
  /** Records passed over before the first page. */
  skip?: number
}

/** The requested page; a page size above the cap is the cap (rule 11.2). */
export function pageRequest(query: { page?: number; per_page?: number }, context: Context): PageRequest {
  return { page: query.page ?? 1, perPage: Math.min(query.per_page ?? 10, context.site.pageSizeCap) }
}

/** The part of a found page that follows from its rows. */
export function foundPage<Row extends { id: number }>({ rows, total }: Listing<Row>, { page, perPage }: PageRequest) {
  return { ids: rows.map(({ id }) => id), rows, total, page, perPage }
}

/** The offset of a page, bounded by the largest id. */
export function offsetOf({ page, perPage, skip = 0 }: PageRequest): number {
  return Math.min((page - 1) * perPage + skip, MAX_ID)
}

/** No record was changed later. */
const NEVER_AGAIN = '9999-12-31 23:59:59'

/** A moment as the column `modified` has it: in the zone of the site. */
export function momentAfter(value: string | number, { site, now }: Context): string {
  return parseMoment(value, site.timezone, now) ?? NEVER_AGAIN
}

/** Returns true for a record that was changed after a moment. */
export function isModifiedAfter(row: { modified: string }, value: string | number, context: Context): boolean {
  return row.modified > momentAfter(value, context)
}

// The version of a record is the sequence of its latest change. ETags of single records end in it, and `If-Match` asks for it (rule 28.8).

const TABLES: Record<VersionedKind, HeldTable> = {
  event: 'events',
  venue: 'venues',
  organizer: 'organizers',
  image: 'images',
  series: 'series',
  term: 'terms',
}

/** The version of one record. */
export interface Version {
  id: number
  sequence: number
}

/** The versions that a change may find: any, or these. */
export type WantedVersions = 'any' | readonly Version[]

/** The end of an ETag that names a version. Caches may have made the tag a strong one. */
const VERSION_IN_TAG = /\.v(\d{1,15})\.(\d{1,15})"/g

const selectSequence = statement<{ kind: ChangeColumns['kind']; id: number }>()((db, value) =>
  db.selectFrom('changes').select('sequence').where('kind', '=', value('kind')).where('record', '=', value('id')),
)

/** The version of a record; its sequence is 0 if it has not changed since changes are recorded. */
export async function findVersion(db: Db, kind: ChangeColumns['kind'], id: number): Promise<Version> {
  const [row] = await selectSequence(db, { kind, id })
  return { id, sequence: row?.sequence ?? 0 }
}

/** Names the version of the record that is shown, if any, in the ETag of its answer. */
export function versionedTag(tag: string, version: Version | undefined): string {
  return version === undefined ? tag : `${tag.slice(0, -1)}.v${version.id}.${version.sequence}"`
}

/** The versions that a header `If-Match` names. Tags that are not of a record name none. */
export function wantedVersions(header: string): WantedVersions {
  if (header.trim() === '*') return 'any'
  return [...header.matchAll(VERSION_IN_TAG)].map(([, id, sequence]) => ({
    id: Number(id),
    sequence: Number(sequence),
  }))
}

/**
 * Lets a change go on only where its record still has a wanted version, and keeps it from changing until the end of the transaction.
 * @throws Problem
 */
export async function requireVersion(tx: Tx, kind: VersionedKind, id: number, wanted: WantedVersions): Promise<void> {
  if (wanted === 'any') return
  const [, version] = await Promise.all([holdRecord(tx, TABLES[kind], id), findVersion(tx, kind, id)])
  requireWanted(version, wanted)
  if (isChangedEarlier(tx, { kind, record: id })) throw new Problem('rest_precondition_failed')
}

/** Requires that the present version is one of the wanted ones. @throws Problem rest_precondition_failed if it is not */
export function requireWanted({ id, sequence }: Version, wanted: WantedVersions): void {
  if (wanted !== 'any' && !wanted.some((version) => version.id === id && version.sequence === sequence))
    throw new Problem('rest_precondition_failed')
}

/** Presents the records of a list in their order, without those that cannot be shown. */
export async function presentListed<Loaded>(
  context: Context,
  presentation: Presentation<Loaded>,
  loaded: readonly Loaded[],
): Promise<object[]> {
  return [...(await presentById(context, presentation, loaded)).values()]
}

/** Presents records as lists do, by id, without those that cannot be shown. */
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

/** Presents a record by itself. @throws UnshowableRecord */
export async function presentSingle<Loaded>(
  context: Context,
  { nameOf, textsOf, present }: Presentation<Loaded>,
  loaded: Loaded,
): Promise<object> {
  const { kind, id } = nameOf(loaded)
  return showPrepared(textsOf(loaded, 'single'), () => showRecord(kind, id, () => present(context, loaded, 'single')))
}

/** The long texts of a record, and whether their author may write unfiltered HTML. */
interface LongTexts {
  description: string
  excerpt: string
  trusted: number
}

/** The texts that a record is shown with: in lists, or `single` with its linked data. */
export function textsOfRecord({ description, excerpt, trusted }: LongTexts, extent: 'listed' | 'single'): WantedText[] {
  const texts: WantedText[] = []
  for (const raw of [description, excerpt]) {
    if (raw === '') continue
    texts.push({ work: 'html', raw, trusted: trusted === 1 })
    if (extent === 'single') texts.push({ work: 'plain', raw, trusted: trusted === 1 })
  }
  return texts
}

/** The texts of a record about to be written, for answers and for searches. */
export function textsToWrite(texts: LongTexts): WantedText[] {
  const folded = [texts.description, texts.excerpt].map((raw): WantedText => ({ work: 'folded', raw }))
  return [...textsOfRecord(texts, 'single'), ...folded]
}

export function textsOfTerm({ description }: Pick<TermRow, 'description'>): WantedText[] {
  return description === '' ? [] : [{ work: 'safe', raw: description }]
}
