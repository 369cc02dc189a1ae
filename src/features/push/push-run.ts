import { sql } from 'kysely'
import { NEVER } from '../../base/fields/kinds.ts'
import { isRecord } from '../../base/foreign-json.ts'
import { withExceptions } from '../../base/recurrence/recurrence-text.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { RecordState } from '../../calendar/history/record-states.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Counts, Remark } from '../imports/import-run.ts'
import {
  itemsOf,
  LINKED,
  type LinkName,
  linkNames,
  type ShownRecord,
  unknownFacts,
  unshownValues,
} from '../imports/shown-records.ts'
import {
  type ConflictPolicy,
  type Fingerprints,
  fieldsOf,
  fingerprintsOf,
  type ItemKind,
} from '../imports/source-item.ts'
import type { PushItemColumns } from './push-tables.ts'
import type { PushTarget } from './push-target.ts'

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

export async function findTarget(db: Db, address: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('push_targets')
    .select('id')
    .where('address', '=', address)
    .executeTakeFirst()
  return row?.id
}

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

/** Deletes the row of a record that is gone or trashed at the target. */
export async function forgetPushed(tx: Db, { target, kind, record }: PushItemColumns): Promise<void> {
  await tx
    .deleteFrom('push_items')
    .where(sql<boolean>`(target, kind, record) = (${target}, ${kind}, ${record})`)
    .execute()
}

export type PushKind = ItemKind | 'image'

export interface PushOptions {
  conflicts: ConflictPolicy
  dryRun: boolean
  /** True if what is gone from here is trashed at the target. */
  mirror: boolean
  /** True if records that are not public are pushed too. */
  all: boolean
}

export interface PushRun {
  context: Context
  target: PushTarget
  /** Id in `push_targets`; undefined in a dry run against a new target. */
  number: number | undefined
  edition: string
  options: PushOptions
  counts: Counts
  remark: (remark: Remark) => void
  progress: () => void
  /**
   * What is sent as a link to a record, by `keyOfRecord`: the id at the target, 0 if a dry run would create
   * the record, or the address of an image that the target fetches.
   */
  links: Map<string, number | string>
  lost: Set<string>
  images: Set<number>
  seen: Set<string>
  /**
   * By field name: the number of records that the target shows without this field. `online_shown` counts
   * meeting links that were not sent.
   */
  unkept: Map<string, number>
}

export interface PushItem {
  kind: PushKind
  record: number
  name: string
  /** Values as sent: links are those of `PushRun`. */
  values: Readonly<Record<string, unknown>>
  file?: { key: string; mimeType: string }
  /** Sent as `date` for a record never published; only a Kalends accepts it. */
  unpublishedDate?: string
  /** Set if the meeting link is not shown to everybody at all times. */
  isLinkHidden?: true
}

export const keyOfRecord = (kind: PushKind, record: number) => `${kind} ${record}`

export const describePushed = ({ kind, name }: Pick<PushItem, 'kind' | 'name'>) =>
  name === '' ? kind : `${kind} “${name}”`

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
 * Returns what is sent for a record. Fields with links to records that could not be pushed are left out; the
 * next push tries them again.
 */
export function itemOf(
  run: PushRun,
  kind: PushKind,
  record: number,
  state: RecordState,
  unpublishedDate?: string,
): PushItem {
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
    ...(unpublishedDate !== undefined && run.target.isKalends && { unpublishedDate }),
    ...(isLinkHidden && { isLinkHidden }),
  }
}

/** Empties `online_url` if the meeting link is hidden here and the target would show it. */
export async function withoutOpenLink({ target }: PushRun, item: PushItem): Promise<PushItem> {
  if (!item.isLinkHidden || !('online_url' in item.values) || (await target.hidesLinks())) return item
  return { ...item, values: { ...item.values, online_url: '' } }
}

const blankEvent = fingerprintsOf(unshownValues)
const BLANK: Readonly<Partial<Record<PushKind, Fingerprints>>> = {
  event: blankEvent,
  series: blankEvent,
  venue: fingerprintsOf(unknownFacts),
}

export function unkeptMembers(kind: PushKind, sent: Fingerprints, seen: Fingerprints): string[] {
  const blank = Object.entries(BLANK[kind] ?? {})
  return blank.flatMap(([name, none]) =>
    (sent[name] ?? none) !== none && (seen[name] ?? none) === none ? [name] : [],
  )
}

export function remarkUnkept({ unkept, remark }: PushRun): void {
  for (const [at, count] of unkept) {
    const are = count === 1 ? 'record is' : 'records are'
    const records = `${count} ${count === 1 ? 'record' : 'records'}`
    const links = `The service does not hide links; ${records} with a hidden link`
    const text =
      at === 'online_shown'
        ? `${links} are there without their link.`
        : `The service does not keep it; ${count} ${are} there without it.`
    remark({ kind: 'note', at, text })
  }
}

function linkTo({ links }: PushRun, kind: PushKind, record: number): number | string | undefined {
  return links.get(keyOfRecord(kind, record))
}

/** @returns ids at the target, without records never pushed; undefined if a linked record failed */
function linksTo(run: PushRun, name: LinkName, ids: unknown): (number | string)[] | undefined {
  const records = Array.isArray(ids) ? ids.map(Number) : []
  if (records.some((record) => run.lost.has(keyOfRecord(LINKED[name], record)))) return undefined
  return records.flatMap((record) => linkTo(run, LINKED[name], record) ?? [])
}

export function printsOf({ values }: Pick<PushItem, 'values'>): Fingerprints {
  return fingerprintsOf(
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, inOrder(name, value)])),
  )
}

/** Fingerprints of a record as the target shows it; none if it cannot be read. */
export function printsOfShown(kind: PushKind, shown: ShownRecord): Fingerprints {
  if (kind === 'image') return fingerprintsOf(imageTexts(shown))
  const [item] = [...itemsOf(kind === 'series' ? 'event' : kind, shown, '')].slice(-1)
  if (!item || 'reason' in item) return {}
  const { recurrence } = shown
  const lines = isRecord(recurrence) ? recurrence.lines : undefined
  const fields = Object.entries(fieldsOf(item)).map(([name, value]) => [name, inOrder(name, value)])
  return fingerprintsOf({ ...Object.fromEntries(fields), recurrence: lines })
}

/** Makes values of both sides comparable: sorts ids of categories and tags, turns `parent` into a list. */
function inOrder(name: string, value: unknown): unknown {
  if (name === 'parent' && typeof value === 'number') return value > 0 ? [String(value)] : []
  if (!Array.isArray(value) || !(name in LINKED)) return value
  const identities = value.map(String)
  return name === 'categories' || name === 'tags' ? identities.sort() : identities
}

function imageTexts({ title, caption, description, alt_text }: ShownRecord): Record<string, unknown> {
  const textOf = (value: unknown) => (isRecord(value) ? (value.raw ?? value.rendered) : value)
  return { title: textOf(title), caption: textOf(caption), description: textOf(description), alt_text }
}

export function bodyOfCreate({ values, unpublishedDate }: PushItem): Record<string, unknown> {
  const undated = unpublishedDate === undefined ? {} : { date: unpublishedDate, date_utc: NEVER }
  return { ...withoutEmpty(values), ...undated }
}

function withoutEmpty(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isEmpty = (value: unknown) =>
    value === undefined || value === '' || value === 0 || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)))
}

/** The body of an update with these fields; if one coordinate is among them, with both. */
export function bodyOfUpdate({ values }: PushItem, fields: readonly string[]): Record<string, unknown> {
  const isPair = fields.some((name) => name === 'geo_lat' || name === 'geo_lng')
  const names = isPair ? [...new Set([...fields, 'geo_lat', 'geo_lng'])] : fields
  return Object.fromEntries(names.map((name) => [name, clearing(name, values[name])]))
}

/** Values that the target shows, for targets that empty fields an update omits. */
export function bodyAsShown(kind: PushKind, shown: ShownRecord): Record<string, unknown> {
  if (kind !== 'event' && kind !== 'venue' && kind !== 'organizer') return {}
  const [item] = [...itemsOf(kind, shown, '')].slice(-1)
  if (!item || 'reason' in item) return {}
  const links = Object.entries(item.links).map(([name, identities]) => [name, identities.map(Number)])
  const image = isRecord(shown.image) ? shown.image.id : undefined
  return withoutEmpty({ ...item.values, ...Object.fromEntries(links), image })
}

/**
 * The value as an update sends it. An empty list of links or prices becomes an empty text, which clears the
 * field on every target; a recurrence always includes its exceptions.
 */
function clearing(name: string, value: unknown): unknown {
  if (name === 'recurrence' && Array.isArray(value)) return withExceptions(value)
  return Array.isArray(value) && value.length === 0 && (name in LINKED || name === 'cost') ? '' : value
}
