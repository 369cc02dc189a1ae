import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { hashOf } from '../../base/text/characters.ts'
import { listOldPages, listPathsOf, oldPath } from '../../features/pages/origins.ts'
import { type EventMemory, mayBeBehind } from '../../store/memory/event-memory.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { OldSlugColumns, RecordColumns } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'

// Former public slugs, and old paths of moved sources, lead to the record that had them last, or say that it
// is gone.

/** Older slugs of a record are forgotten. */
const MOST_OF_ONE = 20

type SlugKind = OldSlugColumns['kind']
type SlugPlace = Pick<OldSlugColumns, 'kind' | 'slug'>
type SlugOwner = Pick<OldSlugColumns, 'kind' | 'record'>

const upsert = statement<{ row: OldSlugColumns }>()((db, value) =>
  db
    .insertInto('old_slugs')
    .values(value('row'))
    .onConflict((conflict) =>
      conflict.columns(['kind', 'slug']).doUpdateSet((row) => ({
        record: row.ref('excluded.record'),
        left_utc: row.ref('excluded.left_utc'),
      })),
    ),
)

const dropOldest = statement<SlugOwner>()((db, value) =>
  db
    .deleteFrom('old_slugs')
    .where('kind', '=', value('kind'))
    .where('record', '=', value('record'))
    .where('slug', 'not in', (slugs) =>
      slugs
        .selectFrom('old_slugs')
        .select('slug')
        .where('kind', '=', value('kind'))
        .where('record', '=', value('record'))
        .orderBy('left_utc', 'desc')
        .limit(sql.lit(MOST_OF_ONE)),
    ),
)

const dropOwn = statement<SlugPlace & SlugOwner>()((db, value) =>
  db
    .deleteFrom('old_slugs')
    .where('kind', '=', value('kind'))
    .where('slug', '=', value('slug'))
    .where('record', '=', value('record')),
)

const selectRecord = statement<SlugPlace>()((db, value) =>
  db
    .selectFrom('old_slugs')
    .select('record')
    .where('kind', '=', value('kind'))
    .where('slug', '=', value('slug')),
)

interface Standing {
  slug: string
  isPublic: boolean
}

export function standingOf({ slug, status }: Pick<RecordColumns, 'slug' | 'status'>): Standing {
  return { slug, isPublic: status === 'publish' }
}

/** A slug that a record comes back to is no former slug any more. */
export async function noteSlugs(
  tx: Tx,
  kind: SlugKind,
  record: number,
  before: Standing,
  after: Standing,
): Promise<void> {
  if (before.slug === after.slug && before.isPublic === after.isPublic) return
  const isBack = after.isPublic && dropOwn(tx, { kind, slug: after.slug, record })
  const left_utc = new Date().toISOString()
  const isLeft = before.isPublic && [
    upsert(tx, { row: { kind, slug: before.slug, record, left_utc } }),
    dropOldest(tx, { kind, record }),
  ]
  await Promise.all([isBack, ...(isLeft || [])])
}

/** Makes the former slugs of `from`, and its present one, lead to `into`. */
export async function passSlugs(
  tx: Tx,
  kind: SlugKind,
  from: { id: number; slug: string },
  into: number,
): Promise<void> {
  await tx
    .updateTable('old_slugs')
    .set({ record: into })
    .where('kind', '=', kind)
    .where('record', '=', from.id)
    .execute()
  if (from.slug !== '')
    await upsert(tx, { row: { kind, slug: from.slug, record: into, left_utc: new Date().toISOString() } })
  await dropOldest(tx, { kind, record: into })
}

/** Finds the last record that the public saw there; another may have the slug by now. */
export async function findByOldSlug(db: Db, kind: SlugKind, slug: string): Promise<number | undefined> {
  const [row] = await selectRecord(db, { kind, slug })
  return row?.record
}

const dropAllOf = statement<SlugOwner>()((db, value) =>
  db.deleteFrom('old_slugs').where('kind', '=', value('kind')).where('record', '=', value('record')),
)

export async function dropSlugs(tx: Tx, kind: SlugKind, record: number): Promise<void> {
  await dropAllOf(tx, { kind, record })
}

// Old paths of moved sources are in memory, so that a request for an unknown page needs no query.

export interface OldPaths {
  /**
   * The hashes are sorted; undefined until they are read. If two paths share a hash, the database decides.
   */
  hashes: Uint32Array | undefined
  asOf: number
  isReading: boolean
  /** Ms of `performance.now`. */
  readAt: number
}

export const noOldPaths = (): OldPaths => ({
  hashes: undefined,
  asOf: -1,
  isReading: false,
  readAt: -RESTS_MS,
})

/** Paths are read at most this often, since an import of a large site changes them again and again. */
const RESTS_MS = 10_000

const PAGES_AT_ONCE = 1000

/** A site has a few paths of lists. */
const MOST_LISTS = 1000

/** False is certain, true is not: two paths may share a hash. */
export function mayBeOldPath(paths: OldPaths, memory: EventMemory, db: Db, path: string): boolean {
  if (isBehindNow(memory)) return true
  const { hashes, asOf } = paths
  if (hashes && asOf === memory.sources) return hasHash(hashes, hashOf(oldPath(path)))
  if (!paths.isReading && performance.now() - paths.readAt >= RESTS_MS)
    void readPaths(paths, memory.sources, db)
  return true
}

function isBehindNow(memory: EventMemory): boolean {
  try {
    return memory.version === '' || mayBeBehind(memory)
  } catch {
    return true
  }
}

/** After a failure, requests ask the database. */
async function readPaths(paths: OldPaths, asOf: number, db: Db): Promise<void> {
  paths.isReading = true
  try {
    const parts: number[][] = []
    const lists = new Set<string>()
    for (let last = ''; ; ) {
      const pages = await listOldPages(db, last, PAGES_AT_ONCE)
      parts.push(pages.map(({ page }) => hashOf(page)))
      for (const page of pages)
        for (const list of listPathsOf(page)) if (lists.size < MOST_LISTS) lists.add(list)
      if (pages.length < PAGES_AT_ONCE) break
      last = pages.at(-1)?.page ?? last
      await nextTurn()
    }
    paths.hashes = Uint32Array.from([...parts.flat(), ...[...lists].map(hashOf)]).sort()
    paths.asOf = asOf
  } catch {
    paths.hashes = undefined
  } finally {
    paths.isReading = false
    paths.readAt = performance.now()
  }
}

function hasHash(sorted: Uint32Array, wanted: number): boolean {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return sorted[low] === wanted
}
