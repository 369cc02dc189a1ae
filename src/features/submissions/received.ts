import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { formatUtc } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { WEBHOOK_DELIVERY, WEBHOOK_EVENTS } from '../../store/storage/history.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { findSubmission } from './submission-store.ts'

// Tells administrators' webhooks that a suggestion has arrived, but never who sent it.

const DUE = `w.disabled_utc = '' and w.is_private = 1`
const ASKS = ['*', 'submission.*', 'submission.received']
  .map((entry) => `${WEBHOOK_EVENTS} like '%,${entry},%'`)
  .join(' or ')

/** Queues a message to each webhook, with an id of its own. */
export async function tellReceived(tx: Tx, id: number, now: number): Promise<void> {
  const message = sql`cast(${`msg_${randomUUID()}_`} as text)`
  const utc = sql.lit(formatUtc(now))
  await sql`insert into webhook_deliveries (${sql.raw(WEBHOOK_DELIVERY)})
    select w.id, ${message} || w.id, 'submission.received', 'submission', ${sql.lit(id)}, 0, 'waiting',
      ${utc}, ${utc}, 0, 0, '' from webhooks w where ${sql.raw(`${DUE} and (${ASKS})`)}`.execute(tx)
}

export async function presentReceived({ db, site }: Context, id: number): Promise<object | undefined> {
  const found = await findSubmission(db, id)
  if (!found || found.state === 'spam') return undefined
  const { title, start_utc } = found
  return { title, utc_start_date: start_utc, desk_url: `${site.url}/desk/suggestions/${id}` }
}
