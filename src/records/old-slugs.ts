import { sql } from 'kysely'
import type { Db } from '../storage/database.ts'
import type { Tx } from '../storage/recording.ts'
import type { OldSlugColumns, RecordColumns } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'

// Addresses that the public knew and that no record has now. Each leads to the record that had it last, or says that the record is gone.

/** Slugs that are kept of one record; older ones are forgotten. */
const MOST_OF_ONE = 20

type Kind = OldSlugColumns['kind']
type Place = Pick<OldSlugColumns, 'kind' | 'slug'>
type Owned = Pick<OldSlugColumns, 'kind' | 'record'>

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

const dropOldest = statement<Owned>()((db, value) =>
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

const dropOwn = statement<Place & Owned>()((db, value) =>
  db
    .deleteFrom('old_slugs')
    .where('kind', '=', value('kind'))
    .where('slug', '=', value('slug'))
    .where('record', '=', value('record')),
)

const selectRecord = statement<Place>()((db, value) =>
  db.selectFrom('old_slugs').select('record').where('kind', '=', value('kind')).where('slug', '=', value('slug')),
)

/** A slug, and whether the public sees a record at it. */
interface Standing {
  slug: string
  isPublic: boolean
}

/** The standing of a record, by its status. */
export function standingOf({ slug, status }: Pick<RecordColumns, 'slug' | 'status'>): Standing {
  return { slug, isPublic: status === 'publish' }
}

/** Notes that a record leaves an address that the public knew, and that it is back at one. The statements have begun when the function returns. */
export async function noteSlugs(tx: Tx, kind: Kind, record: number, before: Standing, after: Standing): Promise<void> {
  if (before.slug === after.slug && before.isPublic === after.isPublic) return
  const isBack = after.isPublic && dropOwn(tx, { kind, slug: after.slug, record })
  const left_utc = new Date().toISOString()
  const isLeft = before.isPublic && [
    upsert(tx, { row: { kind, slug: before.slug, record, left_utc } }),
    dropOldest(tx, { kind, record }),
  ]
  await Promise.all([isBack, ...(isLeft || [])])
}

/** The record that the public saw last at this address; there may be another one by now. */
export async function findByOldSlug(db: Db, kind: Kind, slug: string): Promise<number | undefined> {
  const [row] = await selectRecord(db, { kind, slug })
  return row?.record
}

const dropAllOf = statement<Owned>()((db, value) =>
  db.deleteFrom('old_slugs').where('kind', '=', value('kind')).where('record', '=', value('record')),
)

/** Forgets the old addresses of a deleted record. */
export async function dropSlugs(tx: Tx, kind: Kind, record: number): Promise<void> {
  await dropAllOf(tx, { kind, record })
}
