import { sql } from 'kysely'
import { NEVER } from '../../base/fields/kinds.ts'
import { invalidParam, Problem } from '../../base/problems.ts'
import { beginningOf } from '../../base/text/characters.ts'
import type { Db } from '../../store/storage/database.ts'
import { findTexts, isNamedText } from '../../store/storage/history.ts'
import type { HistoryColumns, VersionedKind } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import type { WriteResult } from '../declare/operations.ts'
import { parseFields } from '../declare/parse.ts'
import { requireVersion, type WantedVersions } from '../records/record-store.ts'
import type { ServedResource } from '../resources.ts'
import { prepareSeriesChange } from '../series/series-operations.ts'
import { findTermsByIds } from '../terms/term-store.ts'
import {
  readColumns,
  type StateKind,
  stateFrom,
  type Taxonomies,
  type VersionColumns,
} from './record-states.ts'

// Reads and restores versions of a record. A version is computed from the present columns, by undoing what
// each act since then changed. Its name is a sequence number of the changes table, as in ETags.

/** How far back history is read: acts, and bytes of former values without long texts. */
const MOST_ACTS = 500
const MOST_BYTES = 4_000_000

interface ChangingAct
  extends Pick<HistoryColumns, 'time_utc' | 'user' | 'login' | 'action' | 'address' | 'client' | 'request'> {
  /** The version that the act led to. */
  sequence: number
  former: VersionColumns
}

export interface RecordHistory {
  kind: StateKind
  id: number
  present: VersionColumns
  version: number
  /** The acts that changed the record, the newest first. */
  acts: readonly ChangingAct[]
  knownFrom: number
}

export async function readHistory(
  db: Db,
  kind: StateKind,
  versioned: VersionedKind,
  id: number,
): Promise<RecordHistory | undefined> {
  // Read before the record, so that the version is never later than the state that a restore compares with.
  const change = () =>
    db
      .selectFrom('changes')
      .select(['sequence', 'known_from'])
      .where('kind', '=', versioned)
      .where('record', '=', id)
      .executeTakeFirst()
  const version = (await change())?.sequence ?? 0
  const present = (await readColumns(db, kind, [id])).get(id)
  if (!present) return undefined
  const acts = db
    .selectFrom('history')
    .where('kind', '=', versioned)
    .where('record', '=', id)
    .where('former_bytes', '>', sql.lit(0))
    .orderBy('sequence', 'desc')
  const sizes = await acts
    .select(['sequence', 'former_bytes'])
    .limit(MOST_ACTS + 1)
    .execute()
  let bytes = 0
  const first = sizes.find(({ former_bytes }, at) => {
    bytes += former_bytes
    return at >= MOST_ACTS || bytes > MOST_BYTES
  })
  const rows = await acts
    .selectAll()
    .where('sequence', '>', first?.sequence ?? 0)
    .limit(MOST_ACTS)
    .execute()
  // Read after the acts, so that versions whose former values were dropped meanwhile count as unknown.
  const knownFrom = (await change())?.known_from ?? 0
  return {
    kind,
    id,
    present,
    version,
    acts: rows
      .filter(({ sequence }) => sequence <= version)
      .map((row) => ({ ...row, former: JSON.parse(row.former) })),
    knownFrom: Math.max(knownFrom, first?.sequence ?? 0),
  }
}

function columnsAt(
  { present, version: last, acts, knownFrom }: RecordHistory,
  version: number,
): VersionColumns {
  if (version > last || version < knownFrom) throw new Problem('rest_version_not_found')
  let columns = present
  for (const { sequence, former } of acts) if (sequence > version) columns = { ...columns, ...former }
  return columns
}

/**
 * A version as requests send it: its state, and author, local publication date and UTC times, which states
 * leave out.
 */
function sendableValues(kind: StateKind, columns: VersionColumns, taxonomies: Taxonomies): VersionColumns {
  const state: Record<string, unknown> = { ...stateFrom(kind, columns, taxonomies) }
  for (const name of BESIDE) if (name in columns) state[name] = columns[name]
  if (kind === 'series') for (const name of OF_DATES) delete state[name]
  return state
}

const BESIDE = ['author', 'date', 'utc_start_date', 'utc_end_date']
/** Members of events that a series does not have. */
const OF_DATES = ['slug', 'utc_start_date', 'utc_end_date', 'date', 'date_utc']

async function taxonomiesOf(db: Db, all: readonly VersionColumns[]): Promise<Taxonomies> {
  const ids = new Set(all.flatMap(({ terms }) => (Array.isArray(terms) ? (terms as number[]) : [])))
  const terms = ids.size === 0 ? [] : await findTermsByIds(db, [...ids])
  return new Map(terms.map(({ id, taxonomy }) => [id, taxonomy]))
}

/**
 * Replaces the hashes that stand for long texts by the texts, or their first `most` characters.
 * @throws Problem rest_version_not_found when a text is gone
 */
async function withTexts<Value>(db: Db, value: Value, most?: number): Promise<Value> {
  const hashes = new Set<string>()
  const each = (read: (hash: string) => unknown) => (_name: string, one: unknown) =>
    isNamedText(one) ? read(one.hash) : one
  JSON.stringify(
    value,
    each((hash) => hashes.add(hash)),
  )
  if (hashes.size === 0) return value
  const texts = await findTexts(db, [...hashes], most)
  const textOf = (hash: string) => {
    const text = texts.get(hash)
    if (text === undefined) throw new Problem('rest_version_not_found')
    return text
  }
  return JSON.parse(JSON.stringify(value, each(textOf)))
}

interface ChangedMember {
  member: string
  former: unknown
  new: unknown
  cut?: true
}

export interface ActWithChanges extends Omit<ChangingAct, 'former'> {
  changes: ChangedMember[]
}

/** Maximum length of a text in a list of acts, in characters. */
const MOST_SHOWN = 2000

export async function listActsWithChanges(
  db: Db,
  history: RecordHistory,
  from: number,
  most: number,
): Promise<ActWithChanges[]> {
  const { kind, acts } = history
  const told = acts.slice(from, from + most)
  const [newest] = told
  if (!newest) return []
  const versions: VersionColumns[] = [columnsAt(history, newest.sequence)]
  for (const { former } of told) versions.push({ ...versions.at(-1), ...former })
  const taxonomies = await taxonomiesOf(db, versions)
  const all = told.map(({ former: _former, ...act }, at): ActWithChanges => {
    const [after = {}, before = {}] = [versions[at], versions[at + 1]]
    return { ...act, changes: changesBetween(kind, before, after, taxonomies) }
  })
  return withTexts(db, all, MOST_SHOWN)
}

function changesBetween(
  kind: StateKind,
  before: VersionColumns,
  after: VersionColumns,
  taxonomies: Taxonomies,
): ChangedMember[] {
  const [had, has] = [sendableValues(kind, before, taxonomies), sendableValues(kind, after, taxonomies)]
  return Object.keys(has).flatMap((member): ChangedMember[] => {
    if (isUnchanged(had[member], has[member])) return []
    const [former, now] = [cut(had[member]), cut(has[member])]
    const isCut = [had[member], has[member]].some((value) => lengthOf(value) > MOST_SHOWN)
    return [{ member, former, new: now, ...(isCut ? { cut: true } : {}) }]
  })
}

const lengthOf = (value: unknown) =>
  isNamedText(value) ? value.characters : typeof value === 'string' ? value.length : 0
const cut = (value: unknown) => (typeof value === 'string' ? beginningOf(value, MOST_SHOWN) : value)

function isUnchanged(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
}

/** A version as requests send it. @throws Problem rest_version_not_found */
export async function valuesAt(db: Db, history: RecordHistory, version: number): Promise<VersionColumns> {
  const columns = columnsAt(history, version)
  return withTexts(db, sendableValues(history.kind, columns, await taxonomiesOf(db, [columns])))
}

/** A value not restored: its record is gone or may not be linked to, or the update refuses the value. */
interface LeftOut {
  member: string
  value: unknown
}

export interface PreparedRestore {
  /** Members that the restore changes; with none, nothing is written. */
  members: string[]
  left: LeftOut[]
  prepared: unknown
  context: Context
}

const TIMES = ['start_date', 'end_date', 'timezone', 'all_day', 'utc_start_date', 'utc_end_date']
const TEXTS = ['title', 'venue', 'organizer', 'description', 'excerpt']

/**
 * What restoring a version would change. Texts that were sanitised when written are sanitised again.
 * @throws Problem rest_version_not_found, and the problems of an update
 */
export async function prepareRestore(
  context: Context,
  { resource, operations }: ServedResource,
  history: RecordHistory,
  row: unknown,
  {
    version,
    only,
    refused = [],
  }: { version: number; only: readonly string[] | undefined; refused?: readonly string[] },
): Promise<PreparedRestore> {
  const { kind, id, present } = history
  const columns = await withTexts(context.db, columnsAt(history, version))
  const taxonomies = await taxonomiesOf(context.db, [columns, present])
  const values = differing(kind, columns, present, taxonomies, only)
  const gone = Array.isArray(columns.terms) ? columns.terms.filter((id) => !taxonomies.has(id)) : []
  const left: LeftOut[] =
    gone.length > 0 && !isUnchanged(columns.terms, present.terms) ? [{ member: 'terms', value: gone }] : []
  await leaveOut(context, resource.fields, values, sendableValues(kind, present, taxonomies), left)
  for (const member of refused) {
    left.push({ member, value: values[member] })
    delete values[member]
  }
  const members = Object.keys(values)
  const isFiltered = columns.trusted === 0 && TEXTS.some((name) => typeof values[name] === 'string')
  const writing = isFiltered ? { ...context, caller: { ...context.caller, isFiltered } } : context
  if (members.length === 0) return { members, left, prepared: undefined, context: writing }
  if (kind === 'series')
    return { members, left, prepared: await prepareSeriesChange(writing, id, values), context: writing }
  const parsed = await parseFields(resource.fields, values, writing, { extent: 'partial', mayAsk: true })
  return {
    members,
    left,
    prepared: await operations.update.prepare(writing, { row, values: parsed }),
    context: writing,
  }
}

/** `only` has the members to restore, undefined for all; `wanted` the versions that the record may have. */
export interface WantedRestore {
  version: number
  only?: readonly string[] | undefined
  wanted: WantedVersions
}

/** `members` were restored, `left` could not be; `written` is undefined if nothing changed. */
export interface Restored {
  members: string[]
  left: LeftOut[]
  written: WriteResult | undefined
}

/**
 * Restores a version by an update, without members that the update refuses.
 * @throws Problem rest_version_not_found, rest_precondition_failed if the record is at no wanted version or
 * has changed since `history` was read, and the problems of an update
 */
export async function restoreVersion(
  context: Context,
  served: ServedResource,
  history: RecordHistory,
  row: unknown,
  asked: WantedRestore,
): Promise<Restored> {
  for (let refused: readonly string[] = []; ; ) {
    try {
      return await restoreBut(refused, context, served, history, row, asked)
    } catch (error) {
      const more = refusedMembers(error).filter((name) => Object.hasOwn(served.resource.fields, name))
      if (more.length === 0 || more.some((name) => refused.includes(name))) throw error
      refused = [...refused, ...more]
    }
  }
}

function refusedMembers(error: unknown): string[] {
  if (!(error instanceof Problem)) return []
  return error.code === 'duplicate_term_slug' ? ['slug'] : Object.keys(error.details.params ?? {})
}

async function restoreBut(
  refused: readonly string[],
  context: Context,
  served: ServedResource,
  history: RecordHistory,
  row: unknown,
  { version, only, wanted }: WantedRestore,
): Promise<Restored> {
  const { operations } = served
  const {
    members,
    left,
    prepared,
    context: own,
  } = await prepareRestore(context, served, history, row, { version, only, refused })
  const [kind, seen] = [operations.versioned?.kind ?? 'event', { id: history.id, sequence: history.version }]
  const written = await context.write(async (tx) => {
    await requireVersion(tx, kind, history.id, wanted)
    if (members.length === 0) return undefined
    await requireVersion(tx, kind, history.id, [seen])
    return operations.update.write(tx, prepared, own)
  })
  return { members, left, written }
}

/**
 * Values of the version that differ from the present ones, as an update sends them.
 * @throws Problem rest_invalid_param for names in `only` that are no members
 */
function differing(
  kind: StateKind,
  columns: VersionColumns,
  present: VersionColumns,
  taxonomies: Taxonomies,
  only: readonly string[] | undefined,
): Record<string, unknown> {
  const [wanted, has] = [sendableValues(kind, columns, taxonomies), sendableValues(kind, present, taxonomies)]
  if (only?.some((name) => !Object.hasOwn(wanted, name))) throw invalidParam('members')
  const isOther = (name: string) => !isUnchanged(wanted[name], has[name])
  const isRetimed = TIMES.some(isOther)
  const isTrustOther = columns.trusted !== present.trusted
  const names = Object.keys(wanted).filter((name) => {
    if (only && !only.includes(name)) return false
    if (TIMES.includes(name)) return isRetimed && !name.startsWith('utc_')
    if (name === 'date' || name === 'date_utc') return isOther(name) && isDated(columns)
    return isOther(name) || (isTrustOther && TEXTS.includes(name) && typeof wanted[name] === 'string')
  })
  const values = Object.fromEntries(names.map((name) => [name, wanted[name]]))
  // A local time may occur twice when clocks are set back, so UTC times are sent.
  if (kind === 'event' && columns.all_day === 0)
    for (const name of ['start_date', 'end_date'])
      if (name in values) values[name] = `${String(columns[`utc_${name}`]).replace(' ', 'T')}Z`
  return values
}

/** True if the version has a publication date, sent or set by publication. */
function isDated({ date_utc, dated }: VersionColumns): boolean {
  return date_utc !== NEVER || dated === 1
}

async function leaveOut(
  context: Context,
  fields: ServedResource['resource']['fields'],
  values: Record<string, unknown>,
  has: VersionColumns,
  left: LeftOut[],
): Promise<void> {
  for (const [member, value] of Object.entries(values)) {
    const lookUp = fields[member]?.lookUp
    if (!lookUp || value === '') continue
    const entries = Array.isArray(value) ? value : [value]
    const kept: unknown[] = []
    for (const entry of entries)
      if (await lookUp(Array.isArray(value) ? [entry] : entry, context)) kept.push(entry)
      else left.push({ member, value: entry })
    if (kept.length === entries.length) continue
    if (Array.isArray(value) && !isUnchanged(kept, has[member])) values[member] = kept
    else delete values[member]
  }
}
