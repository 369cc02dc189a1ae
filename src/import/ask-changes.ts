import { readToken } from '../sync/sync-token.ts'
import { parsed } from './find-interface.ts'
import { type FetchOptions, fetchPolitely, SourceFailure } from './polite-fetch.ts'
import { isShown, LISTS, type ShownKind } from './shown-records.ts'

/** A page of the changes at a site that also runs Kalends (docs/sync.md). */
export interface Changes {
  /** Records as lists show them; an entry without a record was deleted. */
  changes: readonly { kind: ShownKind; id: string; record: unknown }[]
  /** The token of the next page; empty on the last one. */
  next: string
  /** The token to start from the next time; empty on all pages but the last. */
  token: string
}

const PAGE_SIZE = 200

/**
 * Asks a site for the changes since a token, or for everything with an empty token.
 * @throws SourceFailure with status 410 for a token that has expired, and with 404 for a site without such a feed
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

/** The edition of the database of a site, with which its tokens begin (`sync/sync-token`); empty for tokens of another form. */
export function editionOf({ next, token }: Pick<Changes, 'next' | 'token'>): string {
  return readToken(next || token)?.edition ?? ''
}

function changeOf(change: unknown): Changes['changes'][number] | undefined {
  if (!isShown(change)) return undefined
  const found = LISTS.find(([, kind]) => kind === change.kind)
  if (!found) return undefined
  return { kind: found[1], id: String(change.id), record: change.action === 'delete' ? undefined : change.record }
}
