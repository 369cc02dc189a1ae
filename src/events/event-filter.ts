import { sql } from 'kysely'
import type { Context } from '../declare/context.ts'
import type { Filter, SqlNarrowing } from '../declare/filter.ts'
import type { EventWindow, IndexQuery } from '../memory/event-index-list.ts'
import type { EventMemory } from '../memory/event-memory.ts'
import type { StatusFilter } from '../records/status.ts'
import type { EventRow, Taxonomy } from '../storage/schema.ts'
import type { Condition } from './event-conditions.ts'
import type { EventLinks } from './event-store.ts'
import type { KeptColumns } from './withdrawn-store.ts'

/** An event with all that it shows. */
export interface LoadedEvent {
  row: EventRow
  links: EventLinks
}

/**
 * An event as filters know it: with the columns and links that are kept of one that is withdrawn, so that every filter finds it then too. Of its texts
 * `search` alone is known.
 */
export interface FilteredEvent {
  row: KeptColumns & Pick<EventRow, 'search'>
  /** `terms` are ids of categories and tags. */
  links: Pick<EventLinks, 'venues' | 'organizers'> & { terms: readonly number[] }
}

/** The parts of a list of events that several parameters make together, or that every list has. */
export type EventPart = 'window' | 'status' | 'place' | 'search'

/** A list of events as its filters know it: who asks, and what its parameters make together. */
export interface EventGround {
  context: Context
  window: EventWindow
  status: StatusFilter
}

/** The data that the plain meaning of filters reads beside the event. */
export interface AroundEvents extends EventGround {
  /** The ids of the terms that `categories` and `tags` mean, and of those below them. */
  terms: Readonly<Record<Taxonomy, ReadonlySet<number>>>
  /** Whether any venue that the caller may see has coordinates. */
  isLocated: boolean
}

/** How a filter narrows lists of events. */
interface EventNarrowing<Value> extends SqlNarrowing<Value, EventGround, Condition> {
  /** Narrows a query of the index; undefined for a value that the database has to be asked for, as it is for every value without this function. */
  index?(value: Value, asked: IndexQuery, memory: EventMemory): IndexQuery | undefined
  /** Whether an event is in the list, said as plainly as can be: it is asked of withdrawn events, and tests compare the others with it. */
  accepts(event: FilteredEvent, value: Value, around: AroundEvents): boolean
}

/** One parameter of lists of events. */
export type EventFilter<Value> = Filter<Value, EventPart, EventGround, EventNarrowing<NoInfer<Value>>>

/** Declares a filter; the exact text of `about` is kept for the languages. */
export function eventFilter<Value, const About extends string>(
  filter: EventFilter<Value> & { about: About },
): EventFilter<Value> & { about: About } {
  return filter
}

/** Narrows lists to events with a value in a column. */
export function byColumn<Column extends keyof KeptColumns, Value>(
  column: Column,
  kept: (value: Value) => KeptColumns[Column],
): Pick<EventNarrowing<Value>, 'sql' | 'accepts'> {
  return {
    sql: (value) => (record) => record(sql.ref(`events.${column}`), '=', kept(value)),
    accepts: ({ row }, value) => row[column] === kept(value),
  }
}
