import type { Db } from '../../store/storage/database.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'

/** At most this many characters of a description are loaded for an excerpt. */
export const EXCERPT_FROM = 500

const SHOWN = [
  'id',
  'status',
  'slug',
  'title',
  'event_status',
  'excerpt',
  'start_date',
  'end_date',
  'utc_start_date',
  'utc_end_date',
  'timezone',
  'all_day',
  'cost',
  'image',
  'image_alt',
  'image_decorative',
  'series',
] as const satisfies (keyof EventRow)[]

export type CardRow = Pick<EventRow, (typeof SHOWN)[number]> & { beginning: string }

const selectShown = statement<{ ids: readonly number[] }>()((db, value) =>
  db
    .selectFrom('events')
    .select(SHOWN)
    .select((event) =>
      event.fn<string>('substr', ['description', event.lit(1), event.lit(EXCERPT_FROM)]).as('beginning'),
    )
    .where('id', 'in', value('ids')),
)

/** Reads the columns that cards show, of events of any status, in no particular order. */
export async function findCardRows(db: Db, ids: readonly number[]): Promise<CardRow[]> {
  return ids.length === 0 ? [] : selectShown(db, { ids })
}
