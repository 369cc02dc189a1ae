import type { Context } from '../../calendar/declare/context.ts'
import { insertTopicMessages } from '../../store/storage/history.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { findSubmission } from './submission-store.ts'

// Tells webhooks of administrators that a suggestion has come, and never from whom.

export const tellReceived = (tx: Tx, id: number, now: number): Promise<void> =>
  insertTopicMessages(tx, 'submission.received', id, now)

export async function presentReceived({ db, site }: Context, id: number): Promise<object | undefined> {
  const found = await findSubmission(db, id)
  if (!found || found.state === 'spam') return undefined
  const { title, start_utc } = found
  return { title, utc_start_date: start_utc, desk_url: `${site.url}/desk/suggestions/${id}` }
}
