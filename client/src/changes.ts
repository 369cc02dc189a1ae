import { ask, type Calling, type Connection, type Resources } from './connection.ts'
import { KalendsProblem } from './problem.ts'
import type { Decoded } from './texts.ts'

/** The name of each kind's resource. */
interface Kinds {
  venue: 'venues'
  organizer: 'organizers'
  category: 'categories'
  tag: 'tags'
  event: 'events'
}

/**
 * One step of keeping a copy: put the record in the place of yours, remove yours, remove all you have (`reset`: the token is of no use any more, and everything
 * follows anew), or keep the token, which stands for all that came before it.
 */
export type Change<R extends Resources = Resources> =
  | {
      [K in keyof Kinds]: { action: 'upsert'; kind: K; id: number; record: Decoded<R[Kinds[K]]['record']> }
    }[keyof Kinds]
  | { action: 'delete'; kind: keyof Kinds; id: number }
  | { action: 'reset' }
  | { action: 'token'; token: string }

/** What is followed. Filters narrow the events. */
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

/** Answers of changes that are read one after the other. */
const MOST_PAGES = 10_000

/** What has changed since a token was given; without one, everything. Only services of Kalends tell it. */
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
