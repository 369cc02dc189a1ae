import type { organizers, posters, tags, venues } from './town.ts'

/** What takes place, once or on the same weekday of several weeks; one event is made for each week. */
export interface Occasion {
  title: string
  /** Counted from the Monday that lies between 8 and 14 days back. */
  weeks: readonly number[]
  day: (typeof DAYS)[number]
  /** `HH:MM` by the clock of the zone, the end maybe after midnight; without them it lasts all day. */
  hours?: readonly [from: string, to: string]
  /** How many days it lasts; 1 unless given. */
  days?: number
  venue?: keyof typeof venues
  organizers: readonly (keyof typeof organizers)[]
  categories: readonly string[]
  tags?: readonly (typeof tags)[number][]
  poster?: keyof typeof posters
  excerpt?: string
  description: string
  /** Further fields of the event as a client would send them. */
  sent?: Readonly<Record<string, unknown>>
  /** For one whose publication is still to come: in how many days. */
  appears?: number
}

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** Every so many weeks, from the first to the last. */
export const every = (step: number, first: number, last: number) =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => first + at * step)
