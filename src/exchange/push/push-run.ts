import { sql } from 'kysely'
import { unshownValues } from '../../base/fields/event-members.ts'
import { NEVER } from '../../base/fields/kinds.ts'
import { withExceptions } from '../../base/recurrence/recurrence-text.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { RecordState } from '../../calendar/history/record-states.ts'
import type { Db } from '../../store/storage/database.ts'
import type { PushItemColumns } from '../../store/storage/schema.ts'
import type { Counts, Remark } from '../import/import-run.ts'
import { itemsOf, LINKED, type LinkName, linkNames, type ShownRecord, unknownFacts } from '../import/shown-records.ts'
import {
  type ConflictPolicy,
  type Fingerprints,
  fieldsOf,
  fingerprintsOf,
  type ItemKind,
} from '../import/source-item.ts'
import type { PushTarget } from './push-target.ts'

// A push: what it knows while it runs, and what it keeps.

// The SQL of records that were pushed to other services.

/** The number of a target; a new target gets one. */
export async function targetNumber(tx: Db, address: string): Promise<number> {
  await tx
    .insertInto('push_targets')
    .values({ address })
    .onConflict((conflict) => conflict.column('address').doNothing())
    .execute()
  const { id } = await tx
    .selectFrom('push_targets')
    .select('id')
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
  return id
}

/** The number of a target that has been pushed to before, if it has. */
export async function findTarget(db: Db, address: string): Promise<number | undefined> {
  const row = await db.selectFrom('push_targets').select('id').where('address', '=', address).executeTakeFirst()
  return row?.id
}

/** The stored rows of these records at a target, by record. */
export async function findPushed(
  db: Db,
  target: number | undefined,
  kind: string,
  records: readonly number[],
): Promise<Map<number, PushItemColumns>> {
  if (target === undefined || records.length === 0) return new Map()
  const rows = await db
    .selectFrom('push_items')
    .selectAll()
    .where('target', '=', target)
    .where('kind', '=', kind)
    .where('record', 'in', records)
    .execute()
  return new Map(rows.map((row) => [row.record, row]))
}

/** The stored rows of a target for records of a kind with ids above `after`, in order, at most `most`. */
export async function listPushed(
  db: Db,
  target: number,
  kind: string,
  after: number,
  most: number,
): Promise<PushItemColumns[]> {
  return db
    .selectFrom('push_items')
    .selectAll()
    .where('target', '=', target)
    .where('kind', '=', kind)
    .where('record', '>', after)
    .orderBy('record')
    .limit(most)
    .execute()
}

/** Stores the state of a record at a target. */
export async function savePushed(tx: Db, rows: readonly PushItemColumns[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('push_items')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['target', 'kind', 'record']).doUpdateSet((row) => ({
        remote: row.ref('excluded.remote'),
        sent: row.ref('excluded.sent'),
        seen: row.ref('excluded.seen'),
      })),
    )
    .execute()
}

/** Forgets records that the target no longer has. */
export async function forgetPushed(tx: Db, { target, kind, record }: PushItemColumns): Promise<void> {
  await tx
    .deleteFrom('push_items')
    .where(sql<boolean>`(target, kind, record) = (${target}, ${kind}, ${record})`)
    .execute()
}

// The state of a push while it runs, and its records in the form that the target takes.

/** The kinds of records that are pushed: those of an import, and images. */
export type PushKind = ItemKind | 'image'

/** Options of a push. */
export interface PushOptions {
  /** The policy for fields that were changed here and at the target. */
  conflicts: ConflictPolicy
  /** Read and compare, and write nothing. */
  dryRun: boolean
  /** Move events to the trash there that are gone from here. */
  mirror: boolean
  /** Whether records that are not public are pushed as well. */
  all: boolean
}

/** The state of a push while it runs. */
export interface PushRun {
  /** The context of a caller who sees everything that is pushed. */
  context: Context
  target: PushTarget
  /** Its number in the database; undefined where nothing is written and it has never been pushed to. */
  number: number | undefined
  /** The edition of this calendar. */
  edition: string
  options: PushOptions
  counts: Counts
  remark: (remark: Remark) => void
  /** Called after each group of records. */
  progress: () => void
  /** Ids at the target by kind and record: 0 for records that a dry run would make, an address for images that the target fetches itself. */
  links: Map<string, number | string>
  /** Records that others link to and that could not be pushed, by kind and record. */
  lost: Set<string>
  /** Images that have been looked at. */
  images: Set<number>
  /** Events and series of this push, by kind and record. */
  seen: Set<string>
  /** How many records are there without a member, by its name; `online_shown` stands for links that were not sent. */
  unkept: Map<string, number>
}

/** A record as the target is to have it. */
export interface PushItem {
  kind: PushKind
  record: number
  /** Its name in the report. */
  name: string
  /** Its fields as the interface takes them, links by the ids of the target. */
  values: Readonly<Record<string, unknown>>
  /** Of an image: the key and the type of its file. */
  file?: { key: string; mimeType: string }
  /** Of an event or series: not everybody may see the link of its meeting at any time. */
  isLinkHidden?: true
}

export const keyOfRecord = (kind: PushKind, record: number) => `${kind} ${record}`

/** The name of a record in the report. */
export const describePushed = ({ kind, name }: Pick<PushItem, 'kind' | 'name'>) =>
  name === '' ? kind : `${kind} “${name}”`

/** The member with the name of a record. */
const NAMES: Readonly<Record<PushKind, string>> = {
  event: 'title',
  series: 'title',
  image: 'title',
  venue: 'venue',
  organizer: 'organizer',
  category: 'name',
  tag: 'name',
}

/** A record with the ids of the target in place of ours. Fields that lead to what could not be pushed are left out, to be tried again. */
export function itemOf(run: PushRun, kind: PushKind, record: number, state: RecordState): PushItem {
  const values: Record<string, unknown> = { ...state }
  if (state.date_utc === NEVER) delete values.date_utc
  if (typeof state.image === 'number') values.image = linkTo(run, 'image', state.image)
  if (kind === 'event' || kind === 'series')
    for (const name of linkNames) values[name] = linksTo(run, name, state[name])
  if (kind === 'category') values.parent = Number(state.parent) > 0 ? linkTo(run, kind, Number(state.parent)) : 0
  const isLinkHidden = Boolean(state.online_url) && state.online_shown !== 'always'
  return { kind, record, name: String(state[NAMES[kind]] ?? ''), values, ...(isLinkHidden && { isLinkHidden }) }
}

/** A record without the link of its meeting, if that is hidden, and the target would show it to everybody. */
export async function withoutOpenLink({ target }: PushRun, item: PushItem): Promise<PushItem> {
  if (!item.isLinkHidden || !('online_url' in item.values) || (await target.hidesLinks())) return item
  return { ...item, values: { ...item.values, online_url: '' } }
}

/** The fingerprints of members that only some records show, for those that have none. */
const blankEvent = fingerprintsOf(unshownValues)
const BLANK: Readonly<Partial<Record<PushKind, Fingerprints>>> = {
  event: blankEvent,
  series: blankEvent,
  venue: fingerprintsOf(unknownFacts),
}

/** Returns the members that the target was sent and does not show, among those that only some records show. */
export function unkeptMembers(kind: PushKind, sent: Fingerprints, seen: Fingerprints): string[] {
  const blank = Object.entries(BLANK[kind] ?? {})
  return blank.flatMap(([name, none]) => ((sent[name] ?? none) !== none && (seen[name] ?? none) === none ? [name] : []))
}

/** Reports what the target does not keep, a line for each member. */
export function remarkUnkept({ unkept, remark }: PushRun): void {
  for (const [at, count] of unkept) {
    const are = count === 1 ? 'record is' : 'records are'
    const links = `The service does not hide links; ${count} ${count === 1 ? 'record' : 'records'} with a hidden link`
    const text =
      at === 'online_shown'
        ? `${links} are there without their link.`
        : `The service does not keep it; ${count} ${are} there without it.`
    remark({ kind: 'note', at, text })
  }
}

/** Undefined for one that could not be pushed. */
function linkTo({ links }: PushRun, kind: PushKind, record: number): number | string | undefined {
  return links.get(keyOfRecord(kind, record))
}

/** Links to records that are not pushed at all, such as a venue that is not public, are left out. */
function linksTo(run: PushRun, name: LinkName, ids: unknown): (number | string)[] | undefined {
  const records = Array.isArray(ids) ? ids.map(Number) : []
  if (records.some((record) => run.lost.has(keyOfRecord(LINKED[name], record)))) return undefined
  return records.flatMap((record) => linkTo(run, LINKED[name], record) ?? [])
}

/** The fingerprints of the fields that the target is to have. */
export function printsOf({ values }: Pick<PushItem, 'values'>): Fingerprints {
  return fingerprintsOf(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, inOrder(name, value)])))
}

/** The fingerprints of the fields of a record that the target has shown. */
export function printsOfShown(kind: PushKind, shown: ShownRecord): Fingerprints {
  if (kind === 'image') return fingerprintsOf(imageTexts(shown))
  const [item] = [...itemsOf(kind === 'series' ? 'event' : kind, shown, '')].slice(-1)
  if (!item || 'reason' in item) return {}
  const { recurrence } = shown
  const lines = isRecord(recurrence) ? recurrence.lines : undefined
  const fields = Object.entries(fieldsOf(item)).map(([name, value]) => [name, inOrder(name, value)])
  return fingerprintsOf({ ...Object.fromEntries(fields), recurrence: lines })
}

const isRecord = (value: unknown): value is ShownRecord => value !== null && typeof value === 'object'

/** Links as identities; the order of terms does not matter, and a parent is a list of one. */
function inOrder(name: string, value: unknown): unknown {
  if (name === 'parent' && typeof value === 'number') return value > 0 ? [String(value)] : []
  if (!Array.isArray(value) || !(name in LINKED)) return value
  const identities = value.map(String)
  return name === 'categories' || name === 'tags' ? identities.sort() : identities
}

/** Returns the texts of an image: the written ones if the target shows them, else the rendered ones. */
function imageTexts({ title, caption, description, alt_text }: ShownRecord): Record<string, unknown> {
  const textOf = (value: unknown) => (isRecord(value) ? (value.raw ?? value.rendered) : value)
  return { title: textOf(title), caption: textOf(caption), description: textOf(description), alt_text }
}

/** The body of a create, without the fields that have no value. */
export function bodyOfCreate({ values }: PushItem): Record<string, unknown> {
  return withoutEmpty(values)
}

function withoutEmpty(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isEmpty = (value: unknown) =>
    value === undefined || value === '' || value === 0 || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)))
}

/** The body of an update of these fields; both coordinates are sent if one has changed. */
export function bodyOfUpdate({ values }: PushItem, fields: readonly string[]): Record<string, unknown> {
  const isPair = fields.some((name) => name === 'geo_lat' || name === 'geo_lng')
  const names = isPair ? [...new Set([...fields, 'geo_lat', 'geo_lng'])] : fields
  return Object.fromEntries(names.map((name) => [name, clearing(name, values[name])]))
}

/** The fields that have to be sent with an update so that a target which empties missing fields keeps them; empty ones need not be sent. */
export function bodyAsShown(kind: PushKind, shown: ShownRecord): Record<string, unknown> {
  if (kind !== 'event' && kind !== 'venue' && kind !== 'organizer') return {}
  const [item] = [...itemsOf(kind, shown, '')].slice(-1)
  if (!item || 'reason' in item) return {}
  const links = Object.entries(item.links).map(([name, identities]) => [name, identities.map(Number)])
  const image = isRecord(shown.image) ? shown.image.id : undefined
  return withoutEmpty({ ...item.values, ...Object.fromEntries(links), image })
}

/** An empty list of links is sent as the empty text, which clears on either implementation, and a rule with all of its exceptions. */
function clearing(name: string, value: unknown): unknown {
  if (name === 'recurrence' && Array.isArray(value)) return withExceptions(value)
  return Array.isArray(value) && value.length === 0 && (name in LINKED || name === 'cost') ? '' : value
}
