import type { Site } from '../../base/config.ts'
import { DAY_MS, formatUtc } from '../../base/text/zones.ts'
import { findEvent, selectEvents } from '../../calendar/events/event-store.ts'
import type { Database } from '../../store/storage/database.ts'
import { notHeld } from '../../store/storage/edition.ts'
import { holdName } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'
import { isOff, readTold, toldTimesOf } from './issue.ts'
import { nextIssue, readerZone, reminderAt } from './issue-times.ts'
import type { SubscriberColumns, SubscriptionColumns } from './mail-tables.ts'
import { insertMessage } from './outbox.ts'
import { MOST_FAILURES } from './subscription-store.ts'

// Queues due issues and reminders, and news of moved or canceled events. They are composed when sent.

const AT_ONCE = 100

/** An issue due later than this was planned while the clock was wrong, so it is planned anew. */
const LATEST_MS = 8 * DAY_MS

/** Issues and reminders more overdue than this are not sent. */
const LATE_MS = DAY_MS

type Due = SubscriptionColumns & Pick<SubscriberColumns, 'address' | 'language' | 'timezone' | 'failures'>

export async function planIssues({ read, write }: Database, site: Site, now: number): Promise<void> {
  const nowUtc = formatUtc(now)
  const due = read
    .selectFrom('mail_subscriptions')
    .select('id')
    .where('next_utc', '<>', '')
    .where((one) => one.or([one('next_utc', '<=', nowUtc), one('next_utc', '>', formatUtc(now + LATEST_MS))]))
    .where('kind', '=', 'list')
    .where(notHeld())
  const soon = read
    .selectFrom('mail_subscriptions')
    .select('id')
    .where('next_utc', '<>', '')
    .where('next_utc', '<=', nowUtc)
    .where('kind', '=', 'event')
    .where(notHeld())
  const found = await due.unionAll(soon).limit(1).executeTakeFirst()
  if (!found) return
  for (let some = AT_ONCE; some === AT_ONCE; ) some = await write((tx) => planSome(tx, site, now))
}

async function planSome(tx: Tx, site: Site, now: number): Promise<number> {
  await holdName(tx, 'mail plans')
  const nowUtc = formatUtc(now)
  const due = await tx
    .selectFrom('mail_subscriptions as s')
    .innerJoin('mail_subscribers as r', 'r.id', 's.subscriber')
    .selectAll('s')
    .select(['r.address', 'r.language', 'r.timezone', 'r.failures'])
    .where('s.next_utc', '<>', '')
    .where(({ eb, or, and }) =>
      or([
        eb('s.next_utc', '<=', nowUtc),
        and([eb('s.kind', '=', 'list'), eb('s.next_utc', '>', formatUtc(now + LATEST_MS))]),
      ]),
    )
    .orderBy('s.next_utc')
    .orderBy('s.id')
    .limit(AT_ONCE)
    .execute()
  for (const one of due) {
    const isOpen = one.failures < MOST_FAILURES
    if (one.kind === 'list') await planIssue(tx, site, one, isOpen, now)
    else await planReminder(tx, one, isOpen, now)
  }
  return due.length
}

async function planIssue(tx: Tx, site: Site, due: Due, isOpen: boolean, now: number): Promise<void> {
  const isDue = due.next_utc <= formatUtc(now)
  const next_utc = nextIssue(due, readerZone(due, site.timezone), now)
  const seen = isDue ? { next_utc, seen_utc: formatUtc(now) } : { next_utc }
  const { id, rhythm, weekday } = due
  // Does nothing if the subscriber has changed weekday or rhythm meanwhile.
  const { numUpdatedRows } = await tx
    .updateTable('mail_subscriptions')
    .set(seen)
    .where((one) => one.and({ id, rhythm, weekday, next_utc: due.next_utc }))
    .executeTakeFirst()
  if (!isDue || !isOpen || Number(numUpdatedRows) === 0) return
  const issue = { name: `issue ${id} ${due.next_utc}`, more: { since: due.seen_utc } }
  await queue(tx, due, 'issue', issue, now)
}

async function planReminder(tx: Tx, due: Due, isOpen: boolean, now: number): Promise<void> {
  const row = await findEvent(tx, due.event)
  if (row && isOpen)
    await queue(tx, due, 'reminder', { name: `reminder ${due.id} ${row.utc_start_date}`, more: {} }, now)
  await tx.updateTable('mail_subscriptions').set({ next_utc: '' }).where('id', '=', due.id).execute()
}

async function queue(
  tx: Tx,
  { id, address, language }: Due,
  topic: string,
  { name, more }: { name: string; more: object },
  now: number,
): Promise<void> {
  const content = JSON.stringify({ subscription: id, ...more })
  const until_utc = formatUtc(now + LATE_MS)
  await insertMessage(
    tx,
    { name, recipient: address, language, topic, content, until_utc, by_stranger: 0 },
    now,
  )
}

export async function planNews(tx: Tx, events: readonly number[], now: number): Promise<void> {
  if (events.length === 0) return
  const subscribed = await tx
    .selectFrom('mail_subscriptions as s')
    .innerJoin('mail_subscribers as r', 'r.id', 's.subscriber')
    .selectAll('s')
    .select(['r.address', 'r.language', 'r.timezone', 'r.failures'])
    .where('s.event', 'in', wholeList(tx, events))
    .where('s.confirmed_utc', '<>', '')
    .orderBy('s.id')
    .execute()
  if (subscribed.length === 0) return
  const rows = new Map<number, EventRow>()
  for (const row of await selectEvents(tx, { ids: [...new Set(subscribed.map(({ event }) => event))] }))
    rows.set(row.id, row)
  for (const one of subscribed) {
    const row = rows.get(one.event)
    if (row) await planNewsOf(tx, one, row, one.failures < MOST_FAILURES, now)
  }
}

async function planNewsOf(tx: Tx, due: Due, row: EventRow, isOpen: boolean, now: number): Promise<void> {
  const [before, after] = [readTold(due.told), toldTimesOf(row)]
  const isMoved = before !== undefined && before.utc_start_date !== after.utc_start_date
  const isCalledOff = isOff(row)
  const hasTurned = before !== undefined && before.event_status !== after.event_status
  if (row.status !== 'publish' || !(isMoved || hasTurned)) return
  const topic = isCalledOff && hasTurned ? row.event_status : isMoved && !isCalledOff ? 'moved' : undefined
  if (topic !== undefined && isOpen) {
    const name = `${topic} ${due.id} ${row.utc_start_date} ${row.modified_utc}`
    await queue(tx, due, topic, { name, more: { before } }, now)
  }
  const told = { told: JSON.stringify(after), next_utc: isCalledOff ? '' : reminderAt(row, now) }
  await tx.updateTable('mail_subscriptions').set(told).where('id', '=', due.id).execute()
}
