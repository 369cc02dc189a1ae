import { readToken } from '../sync/sync-token.ts'
import { parsed } from './find-interface.ts'
import { type FetchOptions, fetchPolitely, SourceFailure } from './polite-fetch.ts'
import { isShown, LISTS, type ShownKind } from './shown-records.ts'

/** A page of what has changed at a site of our own kind (docs/sync.md). */
export interface Changes {
  /** Records as lists show them; those without one are gone. */
  changes: readonly { kind: ShownKind; id: string; record: unknown }[]
  /** The token of the next page; empty on the last one. */
  next: string
  /** The token to go on from the next time; empty on all but the last page. */
  token: string
}

const PAGE_SIZE = 200

/**
 * Asks a site what has changed since a token, or for everything with an empty one.
 * @throws SourceFailure with status 410 for a token that it takes no more, and with 404 for a site that tells nothing of the kind
 */
export async function askChanges(root: string, since: string, options: FetchOptions): Promise<Changes> {
  const query = new URLSearchParams({ per_page: String(PAGE_SIZE), ...(since === '' ? {} : { since }) })
  const url = `${root}/kalends/v1/changes?${query}`
  const { body } = await fetchPolitely(url, options)
  const page = parsed(body)
  const { changes, next_token: next = '', sync_token: token = '' } = isShown(page) ? page : {}
  const isPage = Array.isArray(changes) && typeof next === 'string' && typeof token === 'string'
  if (!isPage || (next === '') === (token === '')) throw new SourceFailure(url, 'tells no changes.', 404)
  return { changes: changes.flatMap((change) => changeOf(change) ?? []), next, token }
}

/** The edition of the database of a site, which its tokens begin with (`sync/sync-token`); empty where they are of another kind. */
export function editionOf({ next, token }: Pick<Changes, 'next' | 'token'>): string {
  return readToken(next || token)?.edition ?? ''
}

function changeOf(change: unknown): Changes['changes'][number] | undefined {
  if (!isShown(change)) return undefined
  const found = LISTS.find(([, kind]) => kind === change.kind)
  if (!found) return undefined
  return { kind: found[1], id: String(change.id), record: change.action === 'delete' ? undefined : change.record }
}
