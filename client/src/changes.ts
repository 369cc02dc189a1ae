import { ask, type Calling, type Connection, type Resources } from './connection.ts'
import { KalendsProblem } from './problem.ts'
import type { Decoded } from './texts.ts'

/** The name of the resource of each kind. */
interface Kinds {
  venue: 'venues'
  organizer: 'organizers'
  category: 'categories'
  tag: 'tags'
  event: 'events'
}

/**
 * One step of keeping a copy: `upsert` adds or replaces a record, `delete` removes it, `reset` removes all
 * records, since the token has expired and everything follows again, and `token` gives the token to keep,
 * which stands for all changes before it.
 */
export type Change<R extends Resources = Resources> =
  | {
      [K in keyof Kinds]: { action: 'upsert'; kind: K; id: number; record: Decoded<R[Kinds[K]]['record']> }
    }[keyof Kinds]
  | { action: 'delete'; kind: keyof Kinds; id: number }
  | { action: 'reset' }
  | { action: 'token'; token: string }

/** The kinds and filters to follow. Filters apply to events. */
export interface Following extends Calling {
  kinds?: readonly (keyof Kinds)[]
  per_page?: number
  search?: string
  categories?: readonly (string | number)[]
  tags?: readonly (string | number)[]
  venue?: readonly number[]
  organizer?: readonly number[]
  featured?: boolean
}

/** The most pages of changes to read. */
const MOST_PAGES = 10_000

/** Yields the changes since a token, or everything without one. Only Kalends services support this. */
export async function* changes<R extends Resources>(
  connection: Connection<R>,
  since?: string,
  { signal, ...filters }: Following = {},
): AsyncGenerator<Change<R>, void, undefined> {
  interface Page {
    changes: Change<R>[]
    next_token?: string
    sync_token?: string
  }
  let token = since
  for (let page = 1; page <= MOST_PAGES; page++) {
    const query = token ? { since: token, per_page: filters.per_page } : filters
    let answer: Page
    try {
      const [told] = await ask<Page>(connection, { path: '/kalends/v1/changes', query, signal })
      answer = told as Page
    } catch (problem) {
      if (!token || Object(problem).status !== 410) throw problem
      token = undefined
      yield { action: 'reset' }
      continue
    }
    yield* answer.changes
    token = answer.next_token ?? answer.sync_token
    if (!token) break
    yield { action: 'token', token }
    if (answer.sync_token) return
  }
  throw new KalendsProblem(0, 'unreadable', 'changes have no end')
}
