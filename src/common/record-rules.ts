import type { Asking } from '../declare/asking.ts'
import { NEVER } from '../declare/kinds.ts'
import { type Caller, can } from '../people/caller.ts'
import { Problem } from '../problems.ts'
import type { Db } from '../storage/database.ts'
import type { RecordColumns, RecordTable } from '../storage/schema.ts'
import { formatUtc, parseMoment, parseUtcMoment } from '../text/moments.ts'
import { slugify, trashedSlug, untrashedSlug } from '../text/slug.ts'
import { utcToWall, wallToUtc } from '../text/zones.ts'
import { freeSlug } from './record-store.ts'
import { effectiveStatus, isUnpublished, settledByDate } from './status.ts'

/** What a client may send of the columns that every record has. */
export interface RecordValues {
  author?: number
  date?: string | number
  date_utc?: string | number
  status?: string
  slug?: string
}

/** The columns settled here; slug comes after, since it needs the id. */
export type SettledColumns = Pick<
  RecordColumns,
  'author' | 'status' | 'date' | 'date_utc' | 'modified' | 'modified_utc'
>

/**
 * Author, status and dates of a record that is created (`before` undefined) or changed (contract 5.4, 5.5; defects 1, 2, 13, 14).
 * A new event was modified now, a new venue or organizer when it was published, even if that was long ago (contract appendix A).
 * @throws Problem rest_forbidden when the author is set to somebody else without the right.
 */
export function settleRecord(
  asking: Asking,
  before: RecordColumns | undefined,
  values: RecordValues,
  firstModified: 'now' | 'published',
): SettledColumns {
  const author = values.author ?? before?.author ?? asking.caller.id
  if (author !== (before?.author ?? asking.caller.id) && !can(asking.caller, 'edit_others'))
    throw new Problem('rest_forbidden')
  const nowUtc = formatUtc(asking.now)
  const now = utcToWall(nowUtc, asking.site.timezone)
  const wanted = effectiveStatus(asking.caller, values.status, before?.status)
  const given = publicationDate(asking, values)
  const published =
    given ?? (before && before.date_utc !== NEVER ? { date: before.date, date_utc: before.date_utc } : undefined)
  const { date, date_utc } = published ?? {
    date: isUnpublished(wanted) ? (before?.date ?? now) : now,
    date_utc: isUnpublished(wanted) ? NEVER : nowUtc,
  }
  const status = settledByDate(wanted, date_utc, nowUtc)
  const everDated = (values.date_utc ?? NEVER) !== NEVER || (before?.date_utc ?? NEVER) !== NEVER
  const shown = { date, date_utc: isUnpublished(status) && !everDated ? NEVER : date_utc }
  if (before || firstModified === 'now') return { author, status, ...shown, modified: now, modified_utc: nowUtc }
  return {
    author,
    status,
    ...shown,
    modified: date,
    modified_utc: date_utc === NEVER ? wallToUtc(date, asking.site.timezone) : date_utc,
  }
}

/** The publication date as sent, local and UTC; undefined when neither was. */
function publicationDate(asking: Asking, values: RecordValues): Pick<RecordColumns, 'date' | 'date_utc'> | undefined {
  const zone = asking.site.timezone
  const local =
    values.date === undefined || values.date === NEVER ? undefined : parseMoment(values.date, zone, asking.now)
  const utc =
    values.date_utc === undefined || values.date_utc === NEVER ? undefined : parseUtcMoment(values.date_utc, asking.now)
  if (local === undefined && utc === undefined) return undefined
  return { date: local ?? utcToWall(utc ?? '', zone), date_utc: utc ?? wallToUtc(local ?? '', zone) }
}

/**
 * The slug of a record: as sent, else kept, else made from its name once it is published (contract 5.2), marked while in the trash.
 * Draft and pending records may share slugs, and events among them have none unless it was sent; all others get one of their own.
 */
export async function settleSlug(
  tx: Db,
  caller: Caller,
  table: RecordTable,
  record: { id: number | Promise<number>; status: string; name: string },
  before: Pick<RecordColumns, 'id' | 'slug' | 'status'> | undefined,
  sent: string | undefined,
): Promise<string> {
  const asked = sent ? slugify(sent) : ''
  const kept = untrashedSlug(before?.slug ?? '')
  // Who may not publish does not choose the slug of what waits for review either.
  if (table === 'events' && record.status === 'pending' && !can(caller, 'publish')) return kept
  if (isUnpublished(record.status)) return asked || kept || (table === 'events' ? '' : slugify(record.name))
  const base = asked || kept || slugify(record.name) || String(await record.id)
  const wanted = record.status === 'trash' ? trashedSlug(base) : base
  if (before && before.slug === wanted && !isUnpublished(before.status)) return wanted
  return freeSlug(tx, table, wanted, before?.id)
}

/** The columns that move a record to the trash (contract 6). */
export async function trashColumns(
  tx: Db,
  table: RecordTable,
  row: Pick<RecordColumns, 'id' | 'slug'>,
  asking: Asking,
) {
  const modified_utc = formatUtc(asking.now)
  return {
    status: 'trash',
    slug: await freeSlug(tx, table, trashedSlug(row.slug || String(row.id)), row.id),
    modified: utcToWall(modified_utc, asking.site.timezone),
    modified_utc,
  }
}

/**
 * 1 when every text of the record was written by somebody with the unfiltered-HTML right: the writer of all of them,
 * or of those sent while the others were already trusted (contract 0.3.8).
 */
export function settleTrust(
  asking: Asking,
  before: RecordColumns | undefined,
  texts: readonly string[],
  values: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
): number {
  const sent = texts.filter((name) => values[name] !== undefined)
  if (sent.length === 0 && before) return before.trusted
  if (!can(asking.caller, 'unfiltered_html')) return 0
  const others = texts.filter((name) => !sent.includes(name) && current[name] !== '' && current[name] !== undefined)
  return before && others.length > 0 ? before.trusted : 1
}
