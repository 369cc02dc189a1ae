import { NEVER, readInteger } from '../../base/fields/kinds.ts'
import { limits, over } from '../../base/fields/limits.ts'
import { invalidParam, Problem } from '../../base/problems.ts'
import { formatUtc, parseUtcMoment, readMoment } from '../../base/text/moments.ts'
import { slugify, trashedSlug, untrashedSlug } from '../../base/text/slugs.ts'
import { utcToWall, wallToUtc } from '../../base/text/zones.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { RecordColumns, RecordTable } from '../../store/storage/schema.ts'
import type { Context, ValueContext } from '../declare/context.ts'
import type { Checks } from '../declare/resource.ts'
import { type Caller, can } from '../people/caller.ts'
import { userExists } from '../people/users.ts'
import {
  effectiveStatus,
  findKind,
  freeSlug,
  freeSlugs,
  givesUpSlug,
  isKnownStatus,
  isUnpublished,
  settledByDate,
} from './record-store.ts'

export interface RecordValues {
  author?: number
  date?: string | number
  date_utc?: string | number
  status?: string
  slug?: string
}

/** The columns that `settleRecord` sets. The slug is not among them, since it may need the id. */
export type SettledColumns = Pick<
  RecordColumns,
  'author' | 'status' | 'date' | 'date_utc' | 'dated' | 'modified' | 'modified_utc'
>

/**
 * Author, status and dates of a record after a write (rules 16.2, 16.4, 19.1 and 19.4).
 * @param firstModified time of change of a new record: `now` for events, the publication date for venues and
 * organizers (rule 4.6)
 * @throws Problem rest_forbidden for another author than the caller without the right to edit others' records
 */
export function settleRecord(
  context: ValueContext,
  before: RecordColumns | undefined,
  values: RecordValues,
  firstModified: 'now' | 'published',
): SettledColumns {
  const author = values.author ?? before?.author ?? context.caller.id
  if (author !== (before?.author ?? context.caller.id) && !can(context.caller, 'edit_others'))
    throw new Problem('rest_forbidden')
  const nowUtc = formatUtc(context.now)
  const now = utcToWall(nowUtc, context.site.timezone)
  const wanted = effectiveStatus(context.caller, values.status, before?.status)
  const given = publicationDate(context, values)
  // A draft sent back as it was read contains a date that nobody chose, which counts as not sent.
  const isRead = before
    ? given?.date === before.date && values.date_utc !== given.date_utc
    : values.date_utc === NEVER
  const isGiven = given !== undefined && !isRead
  const dated = isGiven ? 1 : (before?.dated ?? 0)
  const hasNoDate = (status: string) =>
    isUnpublished(status) || (status === 'trash' && before !== undefined && before.date_utc === NEVER)
  const { date, date_utc } = given ??
    (before && keptDate(context, before)) ?? {
      date: hasNoDate(wanted) ? (before?.date ?? now) : now,
      date_utc: hasNoDate(wanted) ? NEVER : nowUtc,
    }
  const status = settledByDate(wanted, date_utc, nowUtc)
  const everDated = (values.date_utc ?? NEVER) !== NEVER || (before?.date_utc ?? NEVER) !== NEVER
  const shown = { date, date_utc: hasNoDate(status) && !everDated ? NEVER : date_utc, dated }
  if (before || firstModified === 'now')
    return { author, status, ...shown, modified: now, modified_utc: nowUtc }
  return {
    author,
    status,
    ...shown,
    modified: date,
    modified_utc: date_utc === NEVER ? wallToUtc(date, context.site.timezone) : date_utc,
  }
}

/** The date that an update keeps: that of a published record, or of a draft if it was once sent. */
function keptDate(
  context: ValueContext,
  before: RecordColumns,
): Pick<RecordColumns, 'date' | 'date_utc'> | undefined {
  const { date, date_utc, dated } = before
  if (date_utc !== NEVER) return { date, date_utc }
  return dated === 1 ? { date, date_utc: wallToUtc(date, context.site.timezone) } : undefined
}

function publicationDate(
  context: ValueContext,
  values: RecordValues,
): Pick<RecordColumns, 'date' | 'date_utc'> | undefined {
  const zone = context.site.timezone
  const local =
    values.date === undefined || values.date === NEVER
      ? undefined
      : readMoment(values.date, zone, context.now)
  const utc =
    values.date_utc === undefined || values.date_utc === NEVER
      ? undefined
      : parseUtcMoment(values.date_utc, context.now)
  if (local === undefined && utc === undefined) return undefined
  const date_utc = utc ?? local?.utc ?? wallToUtc(local?.wall ?? '', zone)
  return { date: local?.wall ?? utcToWall(date_utc, zone), date_utc }
}

/** The slug after a write (rules 17.2 and 17.3), marked in the trash. */
export async function settleSlug(
  tx: Db,
  caller: Caller,
  table: RecordTable,
  record: { id: number; status: string; name: string },
  before: Pick<RecordColumns, 'id' | 'slug' | 'status'> | undefined,
  sent: string | undefined,
): Promise<string> {
  const { slug, isShared } = wantedSlug(caller, table, record, before, sent)
  const wanted = slug ?? String(record.id)
  if (isShared || (before && before.slug === wanted && !givesUpSlug(before.status))) return wanted
  return freeSlug(tx, table, wanted, before?.id)
}

/**
 * Slugs of new records; undefined where the id becomes the slug. Of two that want one slug and may not share
 * it (rule 17.3), the second gets another.
 */
export async function settleNewSlugs(
  tx: Db,
  table: RecordTable,
  records: readonly { caller: Caller; status: string; name: string; sent: string | undefined }[],
): Promise<(string | undefined)[]> {
  const wanted = records.map((record) => wantedSlug(record.caller, table, record, undefined, record.sent))
  const asked = wanted.flatMap(({ slug, isShared }) => (slug === undefined || isShared ? [] : [slug]))
  const free = await freeSlugs(tx, table, asked)
  let next = 0
  return wanted.map(({ slug, isShared }) => (slug === undefined || isShared ? slug : free[next++]))
}

/**
 * Returns the slug wanted, undefined if the id becomes it; with `isShared`, others may have the same slug.
 */
function wantedSlug(
  caller: Caller,
  table: RecordTable,
  { status, name }: { status: string; name: string },
  before: Pick<RecordColumns, 'slug'> | undefined,
  sent: string | undefined,
): { slug: string | undefined; isShared: boolean } {
  const asked = sent ? slugify(sent) : ''
  const kept = untrashedSlug(before?.slug ?? '')
  // Who may not publish may not choose the slug.
  if (table === 'events' && status === 'pending' && !can(caller, 'publish'))
    return { slug: kept, isShared: true }
  if (isUnpublished(status))
    return { slug: asked || kept || (table === 'events' ? '' : slugify(name)), isShared: true }
  const base = asked || kept || slugify(name) || undefined
  return { slug: base !== undefined && status === 'trash' ? trashedSlug(base) : base, isShared: false }
}

/** Columns of a trashed record. Its slug is marked, so that others may take the unmarked one (rule 24.1). */
export async function trashColumns(
  tx: Db,
  table: RecordTable,
  row: Pick<RecordColumns, 'id' | 'slug'> & { name: string },
  context: Context,
) {
  const modified_utc = formatUtc(context.now)
  return {
    status: 'trash',
    slug: await freeSlug(tx, table, trashedSlug(row.slug || slugify(row.name) || String(row.id)), row.id),
    modified: utcToWall(modified_utc, context.site.timezone),
    modified_utc,
  }
}

export function sentTexts(
  context: Context,
  values: Readonly<Record<string, unknown>>,
  before: (RecordColumns & { description: string; excerpt: string }) | undefined,
): { description: string; excerpt: string; trusted: number } {
  const textOf = (name: 'description' | 'excerpt') => {
    const sent = values[name]
    return typeof sent === 'string' ? sent : (before?.[name] ?? '')
  }
  const trusted = settleTrust(context, before, ['description', 'excerpt'], values, before ?? {})
  return { description: textOf('description'), excerpt: textOf('excerpt'), trusted }
}

/** 1 if the record's texts are trusted, 0 if they are sanitised (rule 10.4). Unsent texts stay as before. */
export function settleTrust(
  context: ValueContext,
  before: RecordColumns | undefined,
  texts: readonly string[],
  values: Readonly<Record<string, unknown>>,
  current: object,
): number {
  const sent = texts.filter((name) => values[name] !== undefined)
  if (sent.length === 0 && before) return before.trusted
  if (!can(context.caller, 'unfiltered_html')) return 0
  if (!before) return 1
  const isStored = (name: string) => {
    const stored: unknown = current[name as keyof typeof current]
    return stored !== '' && stored !== undefined
  }
  const others = texts.filter((name) => !sent.includes(name) && isStored(name))
  return others.length > 0 ? before.trusted : 1
}

async function isUser(value: unknown, context: Context): Promise<boolean> {
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '') return false
  return userExists(context.db, Math.trunc(Number(value)))
}

/** True for the id of an event of any status. */
export async function isEvent(value: unknown, context: Context): Promise<boolean> {
  const id = readInteger(value)
  return id !== undefined && (await findKind(context.db, id)) === 'event'
}

export async function isEventOrSeries(value: unknown, context: Context): Promise<boolean> {
  const id = readInteger(value)
  const kind = id === undefined ? undefined : await findKind(context.db, id)
  return kind === 'event' || kind === 'series'
}

export const recordChecks = {
  author: { lookUp: isUser, looksUpForAll: true },
  status: { valid: isKnownStatus },
} as const satisfies Readonly<Record<string, Checks>>

/**
 * Counts a record or term that an event of a batch creates.
 * @throws Problem rest_invalid_param when one transaction would create too many
 */
export function countMade(tx: Tx, { recordsMade }: Context, parameter: string): void {
  if (!recordsMade) return
  const made = (recordsMade.get(tx) ?? 0) + 1
  const most = limits.batchMade.entries
  if (made > most) throw invalidParam(parameter, over('entries', most))
  recordsMade.set(tx, made)
}
