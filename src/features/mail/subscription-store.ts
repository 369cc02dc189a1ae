import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Language } from '../../base/config.ts'
import { formatUtc } from '../../base/text/zones.ts'
import type { Db } from '../../store/storage/database.ts'
import { holdName } from '../../store/storage/locks.ts'
import type { Pruning } from '../../store/storage/pruning.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { nextIssue, type Rhythm } from './issue-times.ts'
import type { SubscriberColumns, SubscriptionColumns } from './mail-tables.ts'
import { forgetQueued, forgetSent } from './outbox.ts'

export const MOST_SUBSCRIPTIONS = 20
/** Maximum of unconfirmed subscriptions of all addresses together. */
const MOST_UNCONFIRMED = 1000
export const CONFIRM_HOURS = 48
/** Permanent refusals in a row after which nothing more is sent to a subscriber. */
export const MOST_FAILURES = 3

export interface AskedFor extends Rhythm {
  address: string
  language: Language
  /** Empty for the site's time zone. A known subscriber keeps theirs. */
  timezone: string
  kind: SubscriptionColumns['kind']
  query: string
  event: number
}

export type Subscribed =
  | { is: 'new' | 'known'; subscriber: SubscriberColumns; subscription: SubscriptionColumns }
  | { is: 'full'; subscriber: SubscriberColumns }
  /** Too many subscriptions are unconfirmed. */
  | { is: 'refused' }

const newSecret = () => randomBytes(32).toString('base64url')

/** Advisory lock: a subscriber is deleted with the last subscription, but not while another is added. */
const holdSubscribers = (tx: Db) => holdName(tx, 'mail subscriptions')

export async function insertSubscription(tx: Tx, asked: AskedFor, now: number): Promise<Subscribed> {
  const { kind, query, event, rhythm, weekday } = asked
  await holdSubscribers(tx)
  // Before the address is looked up: another answer for known ones would tell strangers who subscribes.
  if ((await countUnconfirmed(tx)) >= MOST_UNCONFIRMED) return { is: 'refused' }
  const subscriber = await findOrInsert(tx, asked, now)
  const all = await listSubscriptions(tx, subscriber.id)
  const known = all.find((one) => one.kind === kind && one.query === query && one.event === event)
  if (known) {
    if (known.confirmed_utc === '')
      await tx.updateTable('mail_subscriptions').set({ rhythm, weekday }).where('id', '=', known.id).execute()
    return { is: known.confirmed_utc === '' ? 'new' : 'known', subscriber, subscription: known }
  }
  if (all.length >= MOST_SUBSCRIPTIONS) return { is: 'full', subscriber }
  const created_utc = formatUtc(now)
  const row = {
    ...{ subscriber: subscriber.id, secret: newSecret(), kind, query, event, created_utc },
    ...{ rhythm, weekday, confirmed_utc: '', next_utc: '', seen_utc: '', told: '' },
  }
  const subscription = await tx
    .insertInto('mail_subscriptions')
    .values(row)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { is: 'new', subscriber, subscription }
}

async function findOrInsert(
  tx: Tx,
  { address, language, timezone }: AskedFor,
  now: number,
): Promise<SubscriberColumns> {
  const known = await findByAddress(tx, address)
  if (known) return known
  const created_utc = formatUtc(now)
  const row = { address, language, timezone, secret: newSecret(), created_utc, failures: 0 }
  return tx.insertInto('mail_subscribers').values(row).returningAll().executeTakeFirstOrThrow()
}

function findByAddress(db: Db, address: string): Promise<SubscriberColumns | undefined> {
  return db.selectFrom('mail_subscribers').selectAll().where('address', '=', address).executeTakeFirst()
}

async function countUnconfirmed(db: Db): Promise<number> {
  const { n } = await db
    .selectFrom('mail_subscriptions')
    .select(({ fn }) => fn.countAll().as('n'))
    .where('confirmed_utc', '=', '')
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Lists subscriptions, the oldest first. */
export function listSubscriptions(db: Db, subscriber: number): Promise<SubscriptionColumns[]> {
  return db
    .selectFrom('mail_subscriptions')
    .selectAll()
    .where('subscriber', '=', subscriber)
    .orderBy('id')
    .execute()
}

export function findSubscriber(db: Db, id: number): Promise<SubscriberColumns | undefined> {
  return db.selectFrom('mail_subscribers').selectAll().where('id', '=', id).executeTakeFirst()
}

export function findSubscription(db: Db, id: number): Promise<SubscriptionColumns | undefined> {
  return db.selectFrom('mail_subscriptions').selectAll().where('id', '=', id).executeTakeFirst()
}

// The token in a link: id of the row and its secret.

export const tokenOf = ({ id, secret }: { id: number; secret: string }): string => `${id}-${secret}`

const TOKEN = /^([1-9]\d{0,14})-([\w-]{43})$/

async function byToken<Row extends { secret: string }>(
  token: string,
  find: (id: number) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  const [, id, secret = ''] = TOKEN.exec(token) ?? []
  const row = id === undefined ? undefined : await find(Number(id))
  return row && timingSafeEqual(Buffer.from(row.secret), Buffer.from(secret)) ? row : undefined
}

export const subscriberByToken = (db: Db, token: string) => byToken(token, (id) => findSubscriber(db, id))
export const subscriptionByToken = (db: Db, token: string) => byToken(token, (id) => findSubscription(db, id))

export async function confirmSubscription(
  tx: Tx,
  id: number,
  due: Pick<SubscriptionColumns, 'next_utc' | 'told'>,
  now: number,
): Promise<void> {
  const confirmed = { confirmed_utc: formatUtc(now), seen_utc: formatUtc(now), ...due }
  await tx
    .updateTable('mail_subscriptions')
    .set(confirmed)
    .where('id', '=', id)
    .where('confirmed_utc', '=', '')
    .execute()
}

export async function changeRhythm(
  tx: Tx,
  id: number,
  changed: Rhythm & Pick<SubscriptionColumns, 'next_utc'>,
): Promise<void> {
  await tx
    .updateTable('mail_subscriptions')
    .set(changed)
    .where('id', '=', id)
    .where('confirmed_utc', '<>', '')
    .execute()
}

/**
 * Changes a subscriber's time zone, and plans the next issues anew.
 * @param timezone empty for that of the site; `zone` is the zone that results
 */
export async function changeSubscriberZone(
  tx: Tx,
  { id }: Pick<SubscriberColumns, 'id'>,
  { timezone, zone }: { timezone: string; zone: string },
  now: number,
): Promise<void> {
  await tx.updateTable('mail_subscribers').set({ timezone }).where('id', '=', id).execute()
  for (const { id: subscription, kind, rhythm, weekday } of await listSubscriptions(tx, id))
    if (kind === 'list') {
      const next_utc = nextIssue({ rhythm, weekday }, zone, now)
      await changeRhythm(tx, subscription, { rhythm, weekday, next_utc })
    }
}

/** Messages that subscriptions cause. Others in `TOPICS` answer a form, which a stranger may have sent. */
const ISSUE_TOPICS = ['issue', 'reminder', 'moved', 'canceled', 'postponed']
const TOPICS = [...ISSUE_TOPICS, 'confirm subscription', 'subscribed already']

/** Deletes a subscription; with the last one, the subscriber, and the address in sent messages. */
export async function endSubscription(tx: Tx, { id, subscriber }: SubscriptionColumns): Promise<void> {
  await holdSubscribers(tx)
  const own = await findSubscriber(tx, subscriber)
  await tx.deleteFrom('mail_subscriptions').where('id', '=', id).execute()
  if (!own || (await listSubscriptions(tx, subscriber)).length > 0) return
  await forgetSent(tx, own.address, TOPICS)
  await tx.deleteFrom('mail_subscribers').where('id', '=', subscriber).execute()
}

/** Deletes a subscriber with all subscriptions and messages. Returns the number of deleted rows. */
export async function forgetSubscriber(tx: Tx, address: string): Promise<number> {
  await holdSubscribers(tx)
  const subscriber = await findByAddress(tx, address)
  const queued = await forgetQueued(tx, address)
  if (!subscriber) return queued
  const { length } = await listSubscriptions(tx, subscriber.id)
  await tx.deleteFrom('mail_subscriptions').where('subscriber', '=', subscriber.id).execute()
  await tx.deleteFrom('mail_subscribers').where('id', '=', subscriber.id).execute()
  return queued + length + 1
}

/** Data about a subscriber, without secrets. */
export async function exportSubscriber(db: Db, address: string): Promise<object[]> {
  const subscriber = await findByAddress(db, address)
  const messages = await db
    .selectFrom('mail_messages')
    .select(['topic', 'language', 'state', 'created_utc', 'settled_utc'])
    .where('recipient', '=', address)
    .orderBy('id')
    .execute()
  const sent = messages.map((message) => ({ kept: 'message', ...message }))
  if (!subscriber) return sent
  const { id, secret: _secret, ...own } = subscriber
  const all = await listSubscriptions(db, id)
  const asked = all.map(({ id: _id, subscriber: _of, secret: _hidden, told: _told, ...one }) => ({
    kept: 'subscription',
    ...one,
  }))
  return [{ kept: 'subscriber', ...own }, ...asked, ...sent]
}

/** Counts permanent refusals in a row; `isReached` resets the count. */
export async function noteReached(tx: Tx, address: string, isReached: boolean): Promise<void> {
  const update = tx.updateTable('mail_subscribers').where('address', '=', address)
  if (isReached) await update.set({ failures: 0 }).where('failures', '>', 0).execute()
  else await update.set(({ eb }) => ({ failures: eb('failures', '+', 1) })).execute()
}

// Deletes unconfirmed subscriptions, those to events long over, and subscribers without subscriptions.
export const subscriptionPrunings: readonly Pruning[] = [
  {
    days: CONFIRM_HOURS / 24,
    drop: async (tx, beforeUtc, most) => {
      const old = tx
        .selectFrom('mail_subscriptions')
        .select('id')
        .where('confirmed_utc', '=', '')
        .where('created_utc', '<', beforeUtc)
        .limit(most)
      const gone = await tx.deleteFrom('mail_subscriptions').where('id', 'in', old).executeTakeFirst()
      return Number(gone.numDeletedRows)
    },
  },
  {
    days: 30,
    drop: async (tx, beforeUtc, most) => {
      const isOn = tx.selectFrom('events').select('id').where('utc_end_date', '>=', beforeUtc)
      const old = tx
        .selectFrom('mail_subscriptions')
        .select('id')
        .where('kind', '=', 'event')
        .where('event', 'not in', isOn)
        .limit(most)
      const gone = await tx.deleteFrom('mail_subscriptions').where('id', 'in', old).executeTakeFirst()
      return Number(gone.numDeletedRows)
    },
  },
  {
    days: 0,
    drop: async (tx, _beforeUtc, most) => {
      await holdSubscribers(tx)
      const subscribed = tx.selectFrom('mail_subscriptions').select('subscriber')
      const all = tx.selectFrom('mail_subscribers').select(['id', 'address'])
      const idle = await all.where('id', 'not in', subscribed).limit(most).execute()
      for (const { id, address } of idle) {
        await forgetSent(tx, address, ISSUE_TOPICS)
        await tx.deleteFrom('mail_subscribers').where('id', '=', id).execute()
      }
      return idle.length
    },
  },
]
