import type { Context } from '../context/context.ts'
import type { Filter } from '../declare/filter.ts'
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
export type EventPart = 'page' | 'window' | 'status' | 'place' | 'search'

/** How a list of events was worked out from its parameters together. */
export interface EventListShape {
  window: EventWindow
  status: StatusFilter
}

/** The data that the plain meaning of filters reads beside the event. */
export interface AroundEvents {
  context: Context
  window: EventWindow
  /** The ids of the terms that `categories` and `tags` mean, and of those below them. */
  terms: Readonly<Record<Taxonomy, ReadonlySet<number>>>
  /** Whether any venue that the caller may see has coordinates. */
  isLocated: boolean
}

/** One parameter of lists of events. `index` gives undefined for a value that the database has to be asked for. */
export type EventFilter<Value> = Filter<
  Value,
  EventPart,
  (value: Value, context: Context) => Condition | Promise<Condition>,
  (value: Value, asked: IndexQuery, memory: EventMemory) => IndexQuery | undefined,
  EventListShape,
  (event: FilteredEvent, value: Value, around: AroundEvents) => boolean
>

/** Declares a filter; the exact text of `about` is kept for the languages. */
export function eventFilter<Value, const About extends string>(
  filter: EventFilter<Value> & { about: About },
): EventFilter<Value> & { about: About } {
  return filter
}
