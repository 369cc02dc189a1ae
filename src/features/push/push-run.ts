import { sql } from 'kysely'
import { unshownValues } from '../../base/fields/event-members.ts'
import { NEVER } from '../../base/fields/kinds.ts'
import { isRecord } from '../../base/foreign-json.ts'
import { withExceptions } from '../../base/recurrence/recurrence-text.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { RecordState } from '../../calendar/history/record-states.ts'
import type { Db } from '../../store/storage/database.ts'
import type { PushItemColumns } from '../../store/storage/schema.ts'
import type { Counts, Remark } from '../imports/import-run.ts'
import {
  itemsOf,
  LINKED,
  type LinkName,
  linkNames,
  type ShownRecord,
  unknownFacts,
} from '../imports/shown-records.ts'
import {
  type ConflictPolicy,
  type Fingerprints,
  fieldsOf,
  fingerprintsOf,
  type ItemKind,
} from '../imports/source-item.ts'
import type { PushTarget } from './push-target.ts'

// Holds the state of a push while it runs, stores what was pushed, and converts records between the forms of
// this calendar and of the target.

// SQL on targets and on the records that were pushed to them.

/** Returns the number of a target; stores a new target first. */
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

/** Finds the number of a target; undefined for a target that has never been pushed to. */
export async function findTarget(db: Db, address: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('push_targets')
    .select('id')
    .where('address', '=', address)
    .executeTakeFirst()
  return row?.id
}

/** Finds the stored rows of these records at a target, by record; none where `target` is undefined. */
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

/**
 * Lists the stored rows of a target for records of a kind with ids above `after`, in the order of ids, at
 * most `most`.
 */
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

/** Stores the states of records at a target, in place of the former ones. */
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

/** Deletes the stored row of a record that is gone from the target, or is in the trash there. */
export async function forgetPushed(tx: Db, { target, kind, record }: PushItemColumns): Promise<void> {
  await tx
    .deleteFrom('push_items')
    .where(sql<boolean>`(target, kind, record) = (${target}, ${kind}, ${record})`)
    .execute()
}

// The state of a push while it runs, and records in the form that the target takes.

/** A kind of record that is pushed: any kind of an import, or an image. */
export type PushKind = ItemKind | 'image'

/** Options of a push. */
export interface PushOptions {
  /** The policy for fields that were changed here and at the target. */
  conflicts: ConflictPolicy
  /** Whether records are only read and compared, and nothing is written. */
  dryRun: boolean
  /** Whether events that are gone from here move to the trash of the target. */
  mirror: boolean
  /** Whether records that are not public are pushed as well. */
  all: boolean
}

/** The state of a push while it runs. */
export interface PushRun {
  /** The context of a caller who sees everything that is pushed. */
  context: Context
  target: PushTarget
  /**
   * The number of the target in the database; undefined in a dry run for a target that has never been pushed
   * to.
   */
  number: number | undefined
  /** The edition of this calendar. */
  edition: string
  options: PushOptions
  counts: Counts
  remark: (remark: Remark) => void
  /** Called after each group of records. */
  progress: () => void
  /**
   * The ids of records at the target, by `keyOfRecord`: 0 for records that a dry run would make, an address
   * for images that the target fetches itself.
   */
  links: Map<string, number | string>
  /** The venues, organizers, terms and images that could not be pushed, by `keyOfRecord`. */
  lost: Set<string>
  /** The ids of images that this push has handled. */
  images: Set<number>
  /** The events and series that belong to this push, by `keyOfRecord`. */
  seen: Set<string>
  /**
   * How many records the target has without a member, by the name of the member; `online_shown` counts
   * meeting links that were not sent.
   */
  unkept: Map<string, number>
}

/** A record in the form that the target is to have. */
export interface PushItem {
  kind: PushKind
  record: number
  /** Its name in the report. */
  name: string
  /** Fields as the interface takes them; links have the ids of the target. */
  values: Readonly<Record<string, unknown>>
  /** For an image: the key and the media type of its file. */
  file?: { key: string; mimeType: string }
  /** For an event or series: set if not everybody may see its meeting link at any time. */
  isLinkHidden?: true
}

/** Returns the key of a record in the maps and sets of a push. */
export const keyOfRecord = (kind: PushKind, record: number) => `${kind} ${record}`

/** Returns the name of a record in the report. */
export const describePushed = ({ kind, name }: Pick<PushItem, 'kind' | 'name'>) =>
  name === '' ? kind : `${kind} “${name}”`

/** The member that holds the name of a record, by kind. */
const NAMES: Readonly<Record<PushKind, string>> = {
  event: 'title',
  series: 'title',
  image: 'title',
  venue: 'venue',
  organizer: 'organizer',
  category: 'name',
  tag: 'name',
}

/**
 * Returns a record with the ids of the target in its links. A link to a record that could not be pushed is
 * left out, so that the next push tries it again.
 */
export function itemOf(run: PushRun, kind: PushKind, record: number, state: RecordState): PushItem {
  const values: Record<string, unknown> = { ...state }
  if (state.date_utc === NEVER) delete values.date_utc
  if (typeof state.image === 'number') values.image = linkTo(run, 'image', state.image)
  if (kind === 'event' || kind === 'series')
    for (const name of linkNames) values[name] = linksTo(run, name, state[name])
  if (kind === 'category')
    values.parent = Number(state.parent) > 0 ? linkTo(run, kind, Number(state.parent)) : 0
  const isLinkHidden = Boolean(state.online_url) && state.online_shown !== 'always'
  return {
    kind,
    record,
    name: String(state[NAMES[kind]] ?? ''),
    values,
    ...(isLinkHidden && { isLinkHidden }),
  }
}

/**
 * Returns the item without its meeting link if the link is to be hidden and the target would show it to
 * everybody; else the item itself.
 */
export async function withoutOpenLink({ target }: PushRun, item: PushItem): Promise<PushItem> {
  if (!item.isLinkHidden || !('online_url' in item.values) || (await target.hidesLinks())) return item
  return { ...item, values: { ...item.values, online_url: '' } }
}

/** The fingerprints of members that only some records show, as they are for a record without them. */
const blankEvent = fingerprintsOf(unshownValues)
const BLANK: Readonly<Partial<Record<PushKind, Fingerprints>>> = {
  event: blankEvent,
  series: blankEvent,
  venue: fingerprintsOf(unknownFacts),
}

/**
 * Returns the names of members that the target was sent and does not show, among those that only some records
 * show.
 */
export function unkeptMembers(kind: PushKind, sent: Fingerprints, seen: Fingerprints): string[] {
  const blank = Object.entries(BLANK[kind] ?? {})
  return blank.flatMap(([name, none]) =>
    (sent[name] ?? none) !== none && (seen[name] ?? none) === none ? [name] : [],
  )
}

/** Reports the members that the target does not keep, in one line each. */
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

/** Returns the id or the address of a record at the target; undefined for a record that was not pushed. */
function linkTo({ links }: PushRun, kind: PushKind, record: number): number | string | undefined {
  return links.get(keyOfRecord(kind, record))
}

/**
 * Returns the links of a record by the ids of the target; undefined if a linked record could not be pushed.
 * Linked records that are not pushed at all are left out, such as a venue that is not public.
 */
function linksTo(run: PushRun, name: LinkName, ids: unknown): (number | string)[] | undefined {
  const records = Array.isArray(ids) ? ids.map(Number) : []
  if (records.some((record) => run.lost.has(keyOfRecord(LINKED[name], record)))) return undefined
  return records.flatMap((record) => linkTo(run, LINKED[name], record) ?? [])
}

/** Returns the fingerprints of the fields that the target is to have. */
export function printsOf({ values }: Pick<PushItem, 'values'>): Fingerprints {
  return fingerprintsOf(
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, inOrder(name, value)])),
  )
}

/**
 * Returns the fingerprints of the fields of a record that the target has shown; none for a record that cannot
 * be read.
 */
export function printsOfShown(kind: PushKind, shown: ShownRecord): Fingerprints {
  if (kind === 'image') return fingerprintsOf(imageTexts(shown))
  const [item] = [...itemsOf(kind === 'series' ? 'event' : kind, shown, '')].slice(-1)
  if (!item || 'reason' in item) return {}
  const { recurrence } = shown
  const lines = isRecord(recurrence) ? recurrence.lines : undefined
  const fields = Object.entries(fieldsOf(item)).map(([name, value]) => [name, inOrder(name, value)])
  return fingerprintsOf({ ...Object.fromEntries(fields), recurrence: lines })
}

/**
 * Returns links in a form that can be compared: as identities, terms sorted, a parent as a list. Other values
 * stay as they are.
 */
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

/** Returns the body of a create, without the fields that have no value. */
export function bodyOfCreate({ values }: PushItem): Record<string, unknown> {
  return withoutEmpty(values)
}

function withoutEmpty(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isEmpty = (value: unknown) =>
    value === undefined || value === '' || value === 0 || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)))
}

/** Returns the body of an update of these fields; both coordinates are in it if one has changed. */
export function bodyOfUpdate({ values }: PushItem, fields: readonly string[]): Record<string, unknown> {
  const isPair = fields.some((name) => name === 'geo_lat' || name === 'geo_lng')
  const names = isPair ? [...new Set([...fields, 'geo_lat', 'geo_lng'])] : fields
  return Object.fromEntries(names.map((name) => [name, clearing(name, values[name])]))
}

/**
 * Returns the fields of a shown record that an update repeats, for targets that empty missing fields. Fields
 * that are empty already are left out.
 */
export function bodyAsShown(kind: PushKind, shown: ShownRecord): Record<string, unknown> {
  if (kind !== 'event' && kind !== 'venue' && kind !== 'organizer') return {}
  const [item] = [...itemsOf(kind, shown, '')].slice(-1)
  if (!item || 'reason' in item) return {}
  const links = Object.entries(item.links).map(([name, identities]) => [name, identities.map(Number)])
  const image = isRecord(shown.image) ? shown.image.id : undefined
  return withoutEmpty({ ...item.values, ...Object.fromEntries(links), image })
}

/**
 * Returns a value as an update sends it: no links as the empty text, which clears the field on either
 * implementation, a rule with its exceptions.
 */
function clearing(name: string, value: unknown): unknown {
  if (name === 'recurrence' && Array.isArray(value)) return withExceptions(value)
  return Array.isArray(value) && value.length === 0 && (name in LINKED || name === 'cost') ? '' : value
}
