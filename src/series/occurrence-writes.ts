import type { Context } from '../context/context.ts'
import { findTermsOfEvents, replaceLinksOf, updateEvents, type WrittenLinks } from '../events/event-store.ts'
import { freeSlugs } from '../records/record-store.ts'
import { givesUpSlug, isUnpublished } from '../records/status.ts'
import { recordChange, type Tx } from '../storage/recording.ts'
import type { EventRow, SeriesRow } from '../storage/schema.ts'
import { shiftCounts } from '../terms/term-store.ts'
import { formatUtc } from '../text/moments.ts'
import { slugify, trashedSlug, untrashedSlug } from '../text/slug.ts'
import { utcToWall } from '../text/zones.ts'
import { datedSlug } from './create-series.ts'

/** An occurrence, and the columns to change. */
export interface Changed {
  before: EventRow
  columns: Partial<EventRow>
}

/** The columns of a record that is changed now. */
export function modifiedNow({ now, site }: Context): Pick<EventRow, 'modified' | 'modified_utc'> {
  const modified_utc = formatUtc(now)
  return { modified: utcToWall(modified_utc, site.timezone), modified_utc }
}

/** Records that occurrences look different because their series has changed, though their own rows have not. */
export function touch(tx: Tx, rows: readonly EventRow[]): void {
  for (const { id, status } of rows) {
    const isPublic = status === 'publish'
    recordChange(tx, { kind: 'event', record: id, wasPublic: isPublic, isPublic })
  }
}

/** The columns that move occurrences to the trash. */
export async function trashed(tx: Tx, rows: readonly EventRow[], context: Context): Promise<Changed[]> {
  const wanted = rows.map(({ slug, title, id }) => trashedSlug(slug || slugify(title) || String(id)))
  const slugs = await freeSlugs(tx, 'events', wanted)
  return rows.map((before, i) => ({
    before,
    columns: { status: 'trash', slug: slugs[i] ?? before.slug, ...modifiedNow(context) },
  }))
}

/** Gives slugs of their own to occurrences that leave the trash or are published; drafts may share slugs. */
export async function withSlugs(tx: Tx, series: SeriesRow, changes: readonly Changed[]): Promise<Changed[]> {
  const unmarked = changes.map(({ before, columns }) => {
    const isBack = before.status === 'trash' && (columns.status ?? 'trash') !== 'trash'
    return isBack ? { before, columns: { ...columns, slug: untrashedSlug(before.slug) } } : { before, columns }
  })
  const wanted = unmarked.map(({ before, columns }) => {
    const { status, slug, recurrence_id } = { ...before, ...columns }
    if (status === 'trash' || isUnpublished(status)) return undefined
    if (slug === '') return datedSlug(series.slug, recurrence_id)
    return before.status === 'trash' || givesUpSlug(before.status) ? slug : undefined
  })
  const asked = wanted.flatMap((slug) => slug ?? [])
  const free = asked.length === 0 ? [] : await freeSlugs(tx, 'events', asked)
  let next = 0
  return unmarked.map(({ before, columns }, i) =>
    wanted[i] === undefined ? { before, columns } : { before, columns: { ...columns, slug: free[next++] ?? '' } },
  )
}

/** New links of occurrences; an undefined kind stays unchanged. */
export interface NewLinks {
  links: WrittenLinks
  /** Ids of the occurrences whose links of each kind change. */
  venues: readonly number[]
  organizers: readonly number[]
  terms: readonly number[]
  /** The terms of occurrences whose terms change. */
  mixedTerms: ReadonlyMap<number, readonly number[]>
}

/** Writes occurrences with their links, and counts them for their terms. */
export async function writeChanges(tx: Tx, changes: readonly Changed[], asked?: NewLinks): Promise<void> {
  const moved = changes.filter(({ before, columns }) => isCounted(before) !== isCounted({ ...before, ...columns }))
  const isLinked = asked?.links.terms !== undefined
  const terms =
    isLinked || moved.length > 0
      ? await findTermsOfEvents(
          tx,
          changes.map(({ before }) => before.id),
        )
      : new Map()
  const counts = new Map<number, number>()
  const count = (term: number, by: number) => counts.set(term, (counts.get(term) ?? 0) + by)
  const relinked = new Set(asked?.terms)
  const newTermsOf = (id: number) => (relinked.has(id) ? asked?.links.terms : asked?.mixedTerms.get(id))
  for (const { before, columns } of isLinked ? changes : moved) {
    const had: readonly number[] = terms.get(before.id) ?? []
    const has = newTermsOf(before.id) ?? had
    if (isCounted(before)) for (const term of had) count(term, -1)
    if (isCounted({ ...before, ...columns })) for (const term of has) count(term, 1)
  }
  await Promise.all([updateEvents(tx, changes), ...(asked ? replaceLinks(tx, asked) : []), shiftCounts(tx, counts)])
}

/** Occurrences that get the same terms are written together. */
function replaceLinks(tx: Tx, asked: NewLinks): Promise<void>[] {
  const mixed = Map.groupBy(asked.mixedTerms, ([, terms]) => terms.join())
  const others = [...mixed.values()].map((alike) => {
    const links = { venues: undefined, organizers: undefined, terms: alike[0]?.[1] }
    return replaceLinksOf(tx, { links, venues: [], organizers: [], terms: alike.map(([id]) => id) })
  })
  return [replaceLinksOf(tx, asked), ...others]
}

const isCounted = ({ status }: Pick<EventRow, 'status'>) => status === 'publish'
