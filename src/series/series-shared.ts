import type { WrittenLinks } from '../events/event-store.ts'
import type { EventRow, SeriesRow } from '../storage/schema.ts'

/** The columns that every occurrence has for itself. */
const APART = [
  'id',
  'slug',
  'uid',
  'modified',
  'modified_utc',
  'start_date',
  'end_date',
  'utc_start_date',
  'utc_end_date',
  'series',
  'recurrence_id',
  'own',
  'timezone',
  'all_day',
] as const satisfies readonly (keyof EventRow)[]

type Apart = (typeof APART)[number]

/** The columns and links that the occurrences of a series share. */
export interface Shared extends Omit<EventRow, Apart> {
  venues: readonly number[]
  organizers: readonly number[]
  terms: readonly number[]
}

export function sharedOf(row: EventRow, { venues, organizers, terms }: WrittenLinks): Shared {
  const columns: Partial<EventRow> = { ...row }
  for (const name of APART) delete columns[name]
  return {
    ...(columns as Omit<EventRow, Apart>),
    venues: venues ?? [],
    organizers: organizers ?? [],
    terms: terms ?? [],
  }
}

/** The names of the shared columns. */
export function sharedNames(row: EventRow): (keyof Omit<EventRow, Apart>)[] {
  const apart: readonly string[] = APART
  const names = Object.keys(row) as (keyof EventRow)[]
  return names.filter((name): name is keyof Omit<EventRow, Apart> => !apart.includes(name))
}

export function readShared({ shared }: SeriesRow): Shared {
  return JSON.parse(shared)
}
