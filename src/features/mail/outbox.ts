import { hash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { LANGUAGES, type Language } from '../../base/config.ts'
import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import { formatUtc, HOUR_MS, MINUTE_MS } from '../../base/text/zones.ts'
import type { Db } from '../../store/storage/database.ts'
import { notHeld } from '../../store/storage/edition.ts'
import { claimedRows, holdName } from '../../store/storage/locks.ts'
import type { Pruning } from '../../store/storage/pruning.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { Letter } from './letter.ts'
import { parseMailAddress } from './mail-address.ts'
import type { MailMessageColumns } from './mail-tables.ts'

export interface NewMessage {
  to: string
  language: Language
  /** Kind of message, such as `invitation`. */
  topic: string
  letter: Letter
  /** A second message with this name is not queued. */
  once?: string
  /** Not sent after this time, in ms since the epoch. */
  goodUntil?: number
  /** `true` if a stranger typed the address into a form. */
  isByStranger?: true
}

export class MailRefusal extends Error {
  override name = 'MailRefusal'
}

/** Minimum ms between two messages to one address that strangers cause. */
const STRANGER_EVERY_MS = 10_000
const STRANGER_A_DAY = 10

/** Maximum length of a letter as JSON, in UTF-16 code units. */
const LONGEST_CONTENT = 200_000

/**
 * Queues a message. Returns false if it was queued before, if strangers caused too many messages to the
 * address, or if the address is invalid, as a user's may be.
 * @throws MailRefusal if the letter is far too long
 */
export async function queueMessage(tx: Tx, message: NewMessage, now: number): Promise<boolean> {
  const { to, language, topic, letter, once, goodUntil, isByStranger = false } = message
  const recipient = parseMailAddress(to)
  if (recipient === undefined) return false
  const content = JSON.stringify(letter)
  if (content.length > LONGEST_CONTENT) throw new MailRefusal('The letter is too long.')
  if (isByStranger && (await isEnough(tx, recipient, now))) return false
  const columns = { recipient, language, topic, content, by_stranger: Number(isByStranger) }
  const until_utc = goodUntil === undefined ? '' : formatUtc(goodUntil)
  return insertMessage(tx, { ...columns, name: once ?? randomUUID(), until_utc }, now)
}

type Queued = Pick<
  MailMessageColumns,
  'name' | 'recipient' | 'language' | 'topic' | 'content' | 'until_utc' | 'by_stranger'
>

/** Inserts a message; returns false if another has its name. */
export async function insertMessage(tx: Tx, queued: Queued, now: number): Promise<boolean> {
  const nowUtc = formatUtc(now)
  const row = { ...queued, state: 'waiting', created_utc: nowUtc, next_utc: nowUtc, ...NEVER_TRIED } as const
  const inserted = await tx
    .insertInto('mail_messages')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return Number(inserted.numInsertedOrUpdatedRows ?? 0) > 0
}

const NEVER_TRIED = { attempts: 0, status: 0, error: '', settled_utc: '' }

async function isEnough(tx: Tx, recipient: string, now: number): Promise<boolean> {
  await holdName(tx, `mail to ${recipient}`)
  const { n, last } = await tx
    .selectFrom('mail_messages')
    .select(({ fn }) => [fn.countAll().as('n'), fn.max('created_utc').as('last')])
    .where('recipient', '=', recipient)
    .where('by_stranger', '=', 1)
    .where('created_utc', '>', formatUtc(now - 24 * HOUR_MS))
    .where('created_utc', '<=', formatUtc(now))
    .executeTakeFirstOrThrow()
  return Number(n) >= STRANGER_A_DAY || (last ?? '') > formatUtc(now - STRANGER_EVERY_MS)
}

/** Deletes all messages to the address, waiting or settled, and returns their number. */
export async function forgetQueued(tx: Tx, address: string): Promise<number> {
  const gone = await tx.deleteFrom('mail_messages').where('recipient', '=', address).executeTakeFirst()
  return Number(gone.numDeletedRows)
}

/**
 * Deletes messages to the address about these topics. Sent ones only lose it: they count for the hourly
 * limit.
 */
export async function forgetSent(tx: Db, address: string, topics: readonly string[]): Promise<void> {
  if (address === '') return
  const unnamed = { recipient: '', error: '', name: sql<string>`'sent ' || id` }
  await tx
    .updateTable('mail_messages')
    .set(unnamed)
    .where('recipient', '=', address)
    .where('state', '=', 'sent')
    .where('topic', 'in', topics)
    .execute()
  await tx.deleteFrom('mail_messages').where('recipient', '=', address).where('topic', 'in', topics).execute()
}

export function readLetter(content: string): Letter | undefined {
  const parsed = parsedJson(content)
  return isLetter(parsed) ? parsed : undefined
}

const isLetter = (value: unknown): value is Letter =>
  isRecord(value) && typeof value.subject === 'string' && Array.isArray(value.blocks)

export const languageOf = ({ language }: Pick<MailMessageColumns, 'language'>): Language =>
  LANGUAGES.find((known) => known === language) ?? 'en'

/** The Message-ID, the same for every attempt: mail programs show a message that arrives twice only once. */
export const messageIdOf = ({ id, name }: Pick<MailMessageColumns, 'id' | 'name'>, domain: string): string =>
  `<${hash('sha256', name, 'hex').slice(0, 32)}.${id}@${domain}>`

/** How long a process reserves a message: longer than an attempt takes. */
const LEASE_MS = 3 * MINUTE_MS

/** Pauses between attempts, about 24 hours altogether; then a message is given up. */
const PAUSES = [1, 5, 15, 30, 60, 120, 240, 240, 360, 360].map((minutes) => minutes * MINUTE_MS)

/** A message due later than this was written while the clock was wrong, so it is sent at once. */
const LATEST = 12 * HOUR_MS

const dueTimes = (now: number) => ({ nowUtc: formatUtc(now), latestUtc: formatUtc(now + LATEST) })

/**
 * Reserves a message for three minutes; undefined if none is due, `perHour` were sent within an hour, or the
 * calendar is held (sends nothing).
 */
export async function claimMessage(
  tx: Tx,
  perHour: number,
  now: number,
): Promise<MailMessageColumns | undefined> {
  const { nowUtc, latestUtc } = dueTimes(now)
  // The lock keeps two senders together below the hourly limit.
  await holdName(tx, 'mail')
  if ((await countSending(tx, now)) >= perHour) return undefined
  const due = tx
    .selectFrom('mail_messages')
    .selectAll()
    .where('next_utc', '<>', '')
    .where(({ eb, or }) => or([eb('next_utc', '<=', nowUtc), eb('next_utc', '>', latestUtc)]))
    .where(notHeld())
    .orderBy('next_utc')
    .orderBy('id')
    .limit(1)
  const message = await claimedRows(tx, due).executeTakeFirst()
  if (!message) return undefined
  const claim = { next_utc: formatUtc(now + LEASE_MS), state: 'sending' } as const
  await tx.updateTable('mail_messages').set(claim).where('id', '=', message.id).execute()
  return message
}

/** True if a message is due. Checked before `claimMessage`, which costs a write transaction. */
export async function isMailDue(db: Db, now: number): Promise<boolean> {
  const { nowUtc, latestUtc } = dueTimes(now)
  const due = db.selectFrom('mail_messages').select('id').where('next_utc', '<>', '')
  const found = due
    .where(({ eb, or }) => or([eb('next_utc', '<=', nowUtc), eb('next_utc', '>', latestUtc)]))
    .where(notHeld())
    .limit(1)
  return (await found.executeTakeFirst()) !== undefined
}

async function countSending(tx: Tx, now: number): Promise<number> {
  const { n } = await tx
    .selectFrom('mail_messages')
    .select(({ fn }) => fn.countAll().as('n'))
    .where(({ eb, or, and }) =>
      or([
        and([
          eb('state', '=', 'sent'),
          eb('settled_utc', '>', formatUtc(now - HOUR_MS)),
          eb('settled_utc', '<=', formatUtc(now)),
        ]),
        and([eb('state', '=', 'sending'), eb('next_utc', '>', formatUtc(now)), eb('attempts', '=', 0)]),
      ]),
    )
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** `status` is the relay's SMTP status, 0 for no answer. */
export type Outcome =
  | { kind: 'sent' }
  | { kind: 'dropped' }
  | { kind: 'refused' | 'later'; status: number; error: string }
  /** The relay could not be reached or refuses all messages; the message is not at fault. */
  | { kind: 'relay'; status: number; error: string }

/** Records the outcome; true if given up. Content of settled messages is erased: it may have secret links. */
export async function settleMessage(
  tx: Tx,
  { id, attempts }: MailMessageColumns,
  outcome: Outcome,
  now: number,
): Promise<boolean> {
  if (outcome.kind === 'dropped') {
    await tx.deleteFrom('mail_messages').where('id', '=', id).execute()
    return false
  }
  const settled = { content: '', next_utc: '', settled_utc: formatUtc(now), attempts: attempts + 1 }
  if (outcome.kind === 'sent') {
    const sent = { ...settled, state: 'sent', status: 250, error: '' } as const
    await tx.updateTable('mail_messages').set(sent).where('id', '=', id).execute()
    return false
  }
  const { kind, status, error } = outcome
  const pause = PAUSES[attempts]
  if (kind === 'refused' || pause === undefined) {
    const failed = { ...settled, state: 'given_up', status, error } as const
    await tx.updateTable('mail_messages').set(failed).where('id', '=', id).execute()
    return true
  }
  const next_utc = formatUtc(now + pause)
  const again = { state: 'waiting', attempts: attempts + 1, status, error, next_utc } as const
  await tx.updateTable('mail_messages').set(again).where('id', '=', id).execute()
  return false
}

/** Makes a message due at once, after shutdown interrupted its attempt. */
export async function returnMessage(tx: Tx, { id, created_utc }: MailMessageColumns): Promise<void> {
  const back = { state: 'waiting', next_utc: created_utc } as const
  await tx.updateTable('mail_messages').set(back).where('id', '=', id).execute()
}

export async function countOutbox(db: Db): Promise<{ waiting: number; given_up: number }> {
  const rows = await db
    .selectFrom('mail_messages')
    .select(({ fn }) => ['state', fn.countAll().as('n')])
    .where('state', '<>', 'sent')
    .groupBy('state')
    .execute()
  const of = (states: readonly string[]) =>
    rows.reduce((sum, { state, n }) => sum + (states.includes(state) ? Number(n) : 0), 0)
  return { waiting: of(['waiting', 'sending']), given_up: of(['given_up']) }
}

/** Lists messages that are waiting or given up, the newest first. */
export function listUnsent(
  db: Db,
  most: number,
): Promise<Pick<MailMessageColumns, 'recipient' | 'topic' | 'state' | 'created_utc' | 'error'>[]> {
  return db
    .selectFrom('mail_messages')
    .select(['recipient', 'topic', 'state', 'created_utc', 'error'])
    .where('state', '<>', 'sent')
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
}

/** Lists messages without their content, the newest first. */
export function listMessages(db: Db, most: number): Promise<Omit<MailMessageColumns, 'content'>[]> {
  return db
    .selectFrom('mail_messages')
    .select(['id', 'name', 'recipient', 'language', 'topic', 'state', 'created_utc', 'next_utc', 'until_utc'])
    .select(['by_stranger', 'attempts', 'status', 'error', 'settled_utc'])
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
}

const KEPT_DAYS = 30
/** In days: how long settled messages caused by strangers are kept, like unconfirmed subscriptions. */
const KEPT_DAYS_BY_STRANGER = 2

export const mailPrunings: readonly Pruning[] = [
  {
    days: KEPT_DAYS_BY_STRANGER,
    drop: async (tx, beforeUtc, most) => {
      const old = tx
        .selectFrom('mail_messages')
        .select('id')
        .where('by_stranger', '=', 1)
        .where('settled_utc', '<>', '')
        .where('settled_utc', '<', beforeUtc)
        .limit(most)
      const gone = await tx.deleteFrom('mail_messages').where('id', 'in', old).executeTakeFirst()
      return Number(gone.numDeletedRows)
    },
  },
  {
    days: KEPT_DAYS,
    drop: async (tx, beforeUtc, most) => {
      const old = tx
        .selectFrom('mail_messages')
        .select('id')
        .where('settled_utc', '<>', '')
        .where('settled_utc', '<', beforeUtc)
        .limit(most)
      const gone = await tx.deleteFrom('mail_messages').where('id', 'in', old).executeTakeFirst()
      return Number(gone.numDeletedRows)
    },
  },
]
