/** The goal of a figure: its least or its most value. */
export interface Goal {
  least?: number
  most?: number
  /** The number of events of the goal, 100,000 by default. */
  events?: number
  /** Set if the goal is for the ratio of processor time, not of requests per second. */
  by?: 'processor'
}

const MILLION = 1_000_000

/** Goals by the id of the result. Ratios are to the bare server of the same run. */
const goals: Readonly<Record<string, Goal>> = {
  'list-repeated': { least: 0.95 },
  'list-long': { least: 0.95 },
  'event-by-id': { least: 0.95 },
  'event-by-slug': { least: 0.95 },
  'not-modified': { least: 0.95 },
  'lists-near': { least: 0.35 },
  'lists-near-gzip': { least: 0.1, by: 'processor' },
  'lists-near-browser': { least: 0.1, by: 'processor' },
  'lists-near-gzip-to-plain': { most: 3 },
  'lists-near-browser-to-plain': { most: 3 },
  'lists-cold': { least: 0.15 },
  'lists-anywhere': { least: 0.1, events: MILLION },
  'by-category': { least: 0.25 },
  'by-tag': { least: 0.25 },
  'by-venue': { least: 0.25 },
  'by-organizer': { least: 0.25 },
  'by-featured': { least: 0.25 },
  'by-radius': { least: 0.25 },
  'total-new': { most: 50, events: MILLION },
  'page-deepest': { most: 10, events: MILLION },
  'search-rare': { most: 60, events: MILLION },
  'search-medium': { most: 60, events: MILLION },
  'search-common': { most: 400, events: MILLION },
  words: { most: 20 },
  'words-wrong': { most: 10 },
  'words-suggest': { most: 1 },
  'words-suggest-short': { most: 1 },
  'words-near': { most: 10 },
  'words-related': { most: 10 },
  'page-month': { least: 0.85 },
  'page-list': { least: 0.85 },
  'page-event': { least: 0.85 },
  'page-month-new': { most: 5 },
  'feed-list': { least: 0.85 },
  'feed-repeated': { least: 0.85 },
  'mix-95-5': { least: 0.35 },
  'mix-95-5-gzip': { least: 0.35 },
  'mix-95-5-browser': { least: 0.35 },
  'creates-8': { least: 1500 },
  'creates-8-to-1': { least: 1.8 },
  'reads-beside-creates': { most: 12 },
  'desk-today': { most: 15 },
  'desk-list': { most: 15 },
  'desk-deep': { most: 15 },
  'desk-common': { most: 15 },
  'desk-rare': { most: 15 },
  'desk-words': { most: 15 },
  'desk-month': { most: 15 },
  'desk-form': { most: 15 },
  'desk-typed': { most: 10 },
  'desk-inbox': { most: 15 },
  'desk-venues': { most: 15 },
  'desk-save': { most: 5 },
  start: { most: 0.5 },
  'memory-idle': { most: 150 },
  'memory-after-reads': { most: 330 },
}

/** Goals that differ on PostgreSQL. */
const onPostgres: Readonly<Record<string, Goal>> = { 'creates-8': { least: 500 } }

/** Returns the goal of a result, if it has one. */
export function goalOf(id: string, database: 'sqlite' | 'postgres'): Goal | undefined {
  return (database === 'postgres' ? onPostgres[id] : undefined) ?? goals[id]
}

/**
 * The goal of growth: the most times of work that a read may take in the largest data set compared with the
 * smallest, except searches.
 */
export const GROWTH: Goal = { most: 1.5, events: MILLION }

export function isReached(goal: Goal, value: number): boolean {
  return value >= (goal.least ?? Number.NEGATIVE_INFINITY) && value <= (goal.most ?? Number.POSITIVE_INFINITY)
}
