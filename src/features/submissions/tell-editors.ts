import type { Site } from '../../base/config.ts'
import { formatUtc, HOUR_MS } from '../../base/text/zones.ts'
import { isActive, listUsers, type User } from '../../calendar/people/users.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import { holdName } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { mayReview } from '../desk/review/linked-drafts.ts'
import { sayMail } from '../mail/mail-texts.ts'
import { queueMessage } from '../mail/outbox.ts'
import { placeAndTimeOf } from './submission-letters.ts'
import { listNew, newestWaiting } from './submission-store.ts'
import { saySubmission, saySubmissionCount } from './submission-texts.ts'

// Tells editors by e-mail of new suggestions, at most once an hour, unless they turned that off.

const EVERY_MS = HOUR_MS
/** In ms: transactions may be committed this much later than dated, so only older rows are reported. */
const COLLECTED_MS = 60_000
const MOST_NAMED = 10

export async function tellEditors({ read, write }: Database, site: Site, now: number): Promise<void> {
  const until = formatUtc(now - COLLECTED_MS)
  const newest = await newestWaiting(read, until)
  if (newest === undefined) return
  const told = new Map((await read.selectFrom('submission_readers').selectAll().execute()).map(byUser))
  for (const user of await listUsers(read)) {
    const known = told.get(user.id)
    const since = sinceOf(known, now)
    const isSoon = since > formatUtc(now - COLLECTED_MS - EVERY_MS)
    if (known?.is_quiet === 1 || isSoon || newest <= since || !mayBeTold(user)) continue
    await write((tx) => tellEditor(tx, site, user, until, now))
  }
}

const byUser = <Row extends { user: number }>(row: Row) => [row.user, row] as const

const mayBeTold = (user: User) => user.email !== '' && isActive(user) && mayReview({ caller: user })

/** Until when the editor was told. A time far in the future, from a wrong clock, is ignored. */
function sinceOf(known: { told_utc: string } | undefined, now: number): string {
  const told = known?.told_utc ?? ''
  return told > formatUtc(now + EVERY_MS) ? '' : told
}

async function tellEditor(tx: Tx, site: Site, user: User, until: string, now: number): Promise<void> {
  await holdName(tx, 'told of suggestions')
  const since = sinceOf(await findReader(tx, user.id), now)
  const { rows, total } = await listNew(tx, { since, until }, MOST_NAMED)
  // Another node has already told the editor.
  if (total === 0) return
  await setReader(tx, user.id, { told_utc: until })
  const number = String(total)
  const entries = rows.map((one) => ({
    title: one.title,
    url: `${site.url}/desk/suggestions/${one.id}`,
    lines: placeAndTimeOf(site, one),
  }))
  const more = total - rows.length
  await queueMessage(
    tx,
    {
      to: user.email,
      language: site.language,
      topic: 'suggestions',
      letter: {
        subject: saySubmissionCount(site, '{count} new suggestions', total, { count: number }),
        blocks: [
          { kind: 'entries', entries },
          ...(more > 0
            ? [{ kind: 'text' as const, text: sayMail(site, 'And {number} more.', { number: String(more) }) }]
            : []),
          {
            kind: 'button',
            text: saySubmission(site, 'Suggestions from visitors'),
            url: `${site.url}/desk/suggestions`,
          },
          {
            kind: 'small',
            text: saySubmission(
              site,
              'You get this as an editor, at most once an hour. It can be turned off below the list.',
            ),
          },
        ],
      },
      once: `suggestions ${user.id} ${until}`,
    },
    now,
  )
}

export function findReader(
  db: Db,
  user: number,
): Promise<{ told_utc: string; is_quiet: number } | undefined> {
  return db
    .selectFrom('submission_readers')
    .select(['told_utc', 'is_quiet'])
    .where('user', '=', user)
    .executeTakeFirst()
}

export async function setReader(
  tx: Tx,
  user: number,
  change: { told_utc: string } | { is_quiet: number },
): Promise<void> {
  await tx
    .insertInto('submission_readers')
    .values({ user, told_utc: '', is_quiet: 0, ...change })
    .onConflict((conflict) => conflict.column('user').doUpdateSet(change))
    .execute()
}
