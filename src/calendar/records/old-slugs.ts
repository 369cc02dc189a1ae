import { sql } from 'kysely'
import type { Tx } from '../../store/storage/recording.ts'
import type { OldSlugColumns, RecordColumns } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'

// Stores former public slugs, and old paths of moved sources. A request for one is led to the record that had
// it last, or told that the record is gone.

/** The most former slugs kept of one record; older ones are dropped. */
const MOST_OF_ONE = 20

export type SlugKind = OldSlugColumns['kind']
export type SlugPlace = Pick<OldSlugColumns, 'kind' | 'slug'>
type SlugOwner = Pick<OldSlugColumns, 'kind' | 'record'>

export const upsert = statement<{ row: OldSlugColumns }>()((db, value) =>
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

export const dropOldest = statement<SlugOwner>()((db, value) =>
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

interface Standing {
  slug: string
  isPublic: boolean
}

export function standingOf({ slug, status }: Pick<RecordColumns, 'slug' | 'status'>): Standing {
  return { slug, isPublic: status === 'publish' }
}

/** The slug that a public record leaves becomes a former slug, until the record takes it again. */
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

const dropAllOf = statement<SlugOwner>()((db, value) =>
  db.deleteFrom('old_slugs').where('kind', '=', value('kind')).where('record', '=', value('record')),
)

export async function dropSlugs(tx: Tx, kind: SlugKind, record: number): Promise<void> {
  await dropAllOf(tx, { kind, record })
}
