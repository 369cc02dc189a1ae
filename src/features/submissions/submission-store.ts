import { sql } from 'kysely'
import { DAY_MS, formatUtc, HOUR_MS } from '../../base/text/zones.ts'
import type { Db } from '../../store/storage/database.ts'
import { holdName, lockedRows } from '../../store/storage/locks.ts'
import type { Pruning } from '../../store/storage/pruning.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { SecretPurpose, Submission } from './submission-tables.ts'

// Suggestions are no records of the calendar, so lists, feeds and searches cannot find them.

const NEW = {
  aside: '',
  proposed: '',
  note: '',
  reply: '',
  reviewer: 0,
  event: 0,
  image: 0,
  confirmed_utc: '',
  decided_utc: '',
} as const

export type NewSubmission = Pick<
  Submission,
  | 'state'
  | 'aside'
  | 'typed'
  | 'title'
  | 'start_utc'
  | 'end_utc'
  | 'sender_name'
  | 'address'
  | 'domain'
  | 'block'
  | 'language'
  | 'note'
  | 'form'
  | 'terms'
  | 'digest'
>

/** Maximum of suggestions from unconfirmed addresses that are not decided. */
export const MOST_UNCONFIRMED = 1000
/** Maximum of spam stored in an hour. More gets the same answer, but is not stored. */
const MOST_SPAM = 200
const MOST_SPAM_KEPT = 2000
const MOST_WAITING = 5000
const UNCONFIRMED_HOURS = 48
const SPAM_DAYS = 30

export interface SendingLimits {
  /** Suggestions a day from one e-mail address. */
  address: number
  /** Suggestions an hour from one network (`networkOf`). */
  block: number
  /** Suggestions an hour from all senders; one e-mail domain may send half, or `address` if that is more. */
  all: number
}

export type SendingOutcome =
  /** Inserted; `isReplay`: as spam, since the form's token was used before. */
  | { id: number; isReplay: boolean }
  /** Already sent, by the first of two clicks. */
  | { again: true }
  | { forgotten: true }
  /** The exceeded limit. `soon`: a message was just sent to the address. */
  | { over: 'address' | 'block' | 'all' | 'unconfirmed' | 'soon' }

/** Inserts a suggestion within limits; as spam if the form's token was used before. Nodes take turns. */
export async function insertSubmission(
  tx: Tx,
  sent: NewSubmission,
  limits: SendingLimits,
  now: number,
): Promise<SendingOutcome> {
  await holdName(tx, 'submissions')
  const used = await tx
    .selectFrom('submissions')
    .select(SAME)
    .where('form', '=', sent.form)
    .executeTakeFirst()
  if (used && SAME.every((name) => used[name] === sent[name])) return { again: true }
  const isSpam = used !== undefined || sent.state === 'spam'
  const counts = await countSent(tx, sent, now)
  if (counts.block >= limits.block) return { over: 'block' }
  if (isSpam && (counts.spam >= MOST_SPAM || counts.spamKept >= MOST_SPAM_KEPT)) return { forgotten: true }
  if (!isSpam) {
    if (sent.address !== '' && counts.address >= limits.address) return { over: 'address' }
    const isMuchOfDomain = sent.domain !== '' && counts.domain >= Math.max(limits.address, limits.all / 2)
    if (counts.all >= limits.all || isMuchOfDomain) return { over: 'all' }
    if (counts.unconfirmed >= MOST_UNCONFIRMED || counts.waiting >= MOST_WAITING)
      return { over: 'unconfirmed' }
  }
  const isRepeated = !isSpam && sent.aside === '' && counts.repeated > 0
  const utc = formatUtc(now)
  const row = {
    ...NEW,
    ...sent,
    ...(isRepeated && { aside: 'repeated' as const }),
    ...(isSpam && { state: 'spam' as const }),
    form: used ? `${sent.form} ${crypto.randomUUID()}` : sent.form,
    created_utc: utc,
    changed_utc: utc,
  }
  const [made] = await tx.insertInto('submissions').values(row).returning('id').execute()
  return { id: made?.id ?? 0, isReplay: used !== undefined }
}

/**
 * A form counts as sent twice, and gets the link of the first suggestion, only if these fields are equal too:
 * two senders may have the same token, from one cached page.
 */
const SAME = ['typed', 'sender_name', 'address', 'note', 'block'] as const

interface SentCounts {
  address: number
  block: number
  domain: number
  all: number
  spam: number
  spamKept: number
  unconfirmed: number
  waiting: number
  repeated: number
}

async function countSent(
  db: Db,
  { address, block, domain, digest }: Pick<Submission, 'address' | 'block' | 'domain' | 'digest'>,
  now: number,
): Promise<SentCounts> {
  const [hour, day] = [formatUtc(now - HOUR_MS), formatUtc(now - DAY_MS)]
  const { rows } = await sql<Record<keyof SentCounts, number | string | null>>`select
    sum(case when state <> 'spam' and address = ${address} then 1 else 0 end) as address,
    sum(case when block = ${block} and created_utc > ${hour} then 1 else 0 end) as block,
    sum(case when state <> 'spam' and domain = ${domain} and created_utc > ${hour}
      then 1 else 0 end) as domain,
    sum(case when state <> 'spam' and created_utc > ${hour} then 1 else 0 end) as "all",
    sum(case when state = 'spam' and created_utc > ${hour} then 1 else 0 end) as spam,
    sum(case when state <> 'spam' and digest = ${digest} and address <> ${address}
      then 1 else 0 end) as repeated,
    (select count(*) from submissions where state in ('unconfirmed', 'waiting')
      and confirmed_utc = '') as unconfirmed,
    (select count(*) from submissions where state = 'waiting') as waiting,
    (select count(*) from submissions where state = 'spam') as "spamKept"
    from submissions where created_utc > ${day}`.execute(db)
  const [found] = rows
  const count = (name: keyof SentCounts) => Number(found?.[name] ?? 0)
  return {
    address: count('address'),
    block: count('block'),
    domain: count('domain'),
    all: count('all'),
    spam: count('spam'),
    spamKept: count('spamKept'),
    unconfirmed: count('unconfirmed'),
    waiting: count('waiting'),
    repeated: count('repeated'),
  }
}

export async function dropSubmission(tx: Tx, id: number): Promise<void> {
  await dropLinks(tx, id)
  await tx.deleteFrom('submissions').where('id', '=', id).execute()
}

/** Suggestions of the last hour, spam included. */
export async function countLastHour(db: Db, now: number): Promise<number> {
  const found = await db
    .selectFrom('submissions')
    .select(({ fn }) => fn.countAll<number | string>().as('sent'))
    .where('created_utc', '>', formatUtc(now - HOUR_MS))
    .executeTakeFirst()
  return Number(found?.sent ?? 0)
}

export async function isFormUsed(db: Db, form: string): Promise<boolean> {
  const used = await db.selectFrom('submissions').select('id').where('form', '=', form).executeTakeFirst()
  return used !== undefined
}

export async function findSubmission(db: Db, id: number): Promise<Submission | undefined> {
  return db.selectFrom('submissions').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Locks the row, so that only one decision is made at a time. */
export async function holdSubmission(tx: Tx, id: number): Promise<Submission | undefined> {
  return lockedRows(tx, tx.selectFrom('submissions').selectAll().where('id', '=', id)).executeTakeFirst()
}

export async function updateSubmission(
  tx: Tx,
  id: number,
  change: Partial<Omit<Submission, 'id'>>,
): Promise<void> {
  await tx.updateTable('submissions').set(change).where('id', '=', id).execute()
}

/** Maximum of links to one suggestion. Each message to its sender adds one. */
const MOST_LINKS = 20

export async function keepLink(
  tx: Tx,
  link: { hash: string; submission: number; purpose: SecretPurpose; expires_utc: string },
): Promise<void> {
  const same = tx
    .selectFrom('submission_links')
    .select('hash')
    .where('submission', '=', link.submission)
    .orderBy('expires_utc', 'desc')
  const known = await same.execute()
  for (const { hash } of known.slice(MOST_LINKS - 1))
    await tx.deleteFrom('submission_links').where('hash', '=', hash).execute()
  await tx
    .insertInto('submission_links')
    .values(link)
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute()
}

export async function findByLink(
  db: Db,
  hash: string,
  purpose: SecretPurpose,
  now: number,
): Promise<Submission | undefined> {
  return db
    .selectFrom('submissions')
    .innerJoin('submission_links', 'submission_links.submission', 'submissions.id')
    .selectAll('submissions')
    .where('submission_links.hash', '=', hash)
    .where('submission_links.purpose', '=', purpose)
    .where('submission_links.expires_utc', '>', formatUtc(now))
    .executeTakeFirst()
}

export async function dropLinks(tx: Tx, submission: number, purpose?: SecretPurpose): Promise<void> {
  const links = tx.deleteFrom('submission_links').where('submission', '=', submission)
  await (purpose === undefined ? links : links.where('purpose', '=', purpose)).execute()
}

/**
 * Suggestions of an address, except spam and unconfirmed ones, until 30 days after the event; the newest
 * first.
 */
export async function listOpenOf(db: Db, address: string, now: number, most: number): Promise<Submission[]> {
  return db
    .selectFrom('submissions')
    .selectAll()
    .where('address', '=', address)
    .where('state', 'not in', ['spam', 'unconfirmed'])
    .where('end_utc', '>', formatUtc(now - 30 * DAY_MS))
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
}

/** Maximum of pictures stored; each takes about 300 kB. */
export const MOST_PICTURES = 300

/** Stores a picture that only editors see; false if there are too many from the network, or in all. */
export async function keepPrivatePicture(
  tx: Tx,
  picture: { form: string; block: string; mime_type: string; content: string },
  perHour: number,
  now: number,
): Promise<boolean> {
  await holdName(tx, 'submission pictures')
  const { rows } = await sql<{ kept: number | string; own: number | string | null }>`select count(*) as kept,
    sum(case when block = ${picture.block} and created_utc > ${formatUtc(now - HOUR_MS)}
      then 1 else 0 end) as own
    from submission_pictures where form <> ${picture.form}`.execute(tx)
  if (Number(rows[0]?.kept ?? 0) >= MOST_PICTURES || Number(rows[0]?.own ?? 0) >= perHour) return false
  await dropPicture(tx, picture.form)
  await tx
    .insertInto('submission_pictures')
    .values({ ...picture, created_utc: formatUtc(now) })
    .execute()
  return true
}

export async function findPicture(
  db: Db,
  form: string,
): Promise<{ mime_type: string; content: string } | undefined> {
  return db
    .selectFrom('submission_pictures')
    .select(['mime_type', 'content'])
    .where('form', '=', form)
    .executeTakeFirst()
}

export async function hasPicture(db: Db, form: string): Promise<boolean> {
  const found = await db
    .selectFrom('submission_pictures')
    .select('form')
    .where('form', '=', form)
    .executeTakeFirst()
  return found !== undefined
}

export async function dropPicture(tx: Db, form: string): Promise<void> {
  await tx.deleteFrom('submission_pictures').where('form', '=', form).execute()
}

export type Pile = 'waiting' | 'aside' | 'spam' | 'decided'

const inPile = (pile: Pile) =>
  ({
    waiting: sql<boolean>`((state = 'waiting' and aside = '') or proposed <> '')`,
    aside: sql<boolean>`(state = 'waiting' and aside <> '')`,
    spam: sql<boolean>`state = 'spam'`,
    decided: sql<boolean>`(state in ('published', 'sent back', 'rejected', 'withdrawn') and proposed = '')`,
  })[pile]

/** A page of a pile's suggestions: the oldest first if they wait for a decision, else the newest. */
export async function listPile(db: Db, pile: Pile, page: number, most: number): Promise<Submission[]> {
  const direction = pile === 'spam' || pile === 'decided' ? 'desc' : 'asc'
  return db
    .selectFrom('submissions')
    .selectAll()
    .where(inPile(pile))
    .orderBy('changed_utc', direction)
    .orderBy('id', direction)
    .limit(most)
    .offset((page - 1) * most)
    .execute()
}

export async function listPileIds(db: Db, pile: Pile, most: number): Promise<number[]> {
  const rows = await db
    .selectFrom('submissions')
    .select('id')
    .where(inPile(pile))
    .orderBy('id')
    .limit(most)
    .execute()
  return rows.map(({ id }) => id)
}

export async function countPiles(db: Db): Promise<Record<Pile, number>> {
  const { rows } = await sql<Record<Pile, number | string | null>>`select
    sum(case when ${inPile('waiting')} then 1 else 0 end) as waiting,
    sum(case when ${inPile('aside')} then 1 else 0 end) as aside,
    sum(case when ${inPile('spam')} then 1 else 0 end) as spam,
    sum(case when ${inPile('decided')} then 1 else 0 end) as decided from submissions`.execute(db)
  const count = (pile: Pile) => Number(rows[0]?.[pile] ?? 0)
  return { waiting: count('waiting'), aside: count('aside'), spam: count('spam'), decided: count('decided') }
}

/** When the newest waiting suggestion arrived or changed; what is after `untilUtc` does not count. */
export async function newestWaiting(db: Db, untilUtc: string): Promise<string | undefined> {
  const found = await db
    .selectFrom('submissions')
    .select('changed_utc')
    .where(inPile('waiting'))
    .where('changed_utc', '<=', untilUtc)
    .orderBy('changed_utc', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found?.changed_utc
}

/** Waiting suggestions that arrived or changed within the period, the newest first. */
export async function listNew(
  db: Db,
  { since, until }: { since: string; until: string },
  most: number,
): Promise<{ rows: Submission[]; total: number }> {
  const found = db
    .selectFrom('submissions')
    .where(inPile('waiting'))
    .where('changed_utc', '>', since)
    .where('changed_utc', '<=', until)
  const { total } = await found.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow()
  const newest = found.selectAll().orderBy('changed_utc', 'desc').orderBy('id', 'desc')
  return { rows: await newest.limit(most).execute(), total: Number(total) }
}

export const MOST_TRUSTED = 500

export interface TrustedSender {
  address: string
  created_utc: string
  /** Name of the user who trusts the address; null if the user is deleted. */
  name: string | null
}

export function listTrusted(db: Db): Promise<TrustedSender[]> {
  return db
    .selectFrom('trusted_senders')
    .leftJoin('users', 'users.id', 'trusted_senders.user')
    .select(['trusted_senders.address', 'trusted_senders.created_utc', 'users.name'])
    .orderBy('trusted_senders.address')
    .limit(MOST_TRUSTED)
    .execute()
}

/** Id of the user who trusts the address. */
export async function findTrust(db: Db, address: string): Promise<number | undefined> {
  const found = await db
    .selectFrom('trusted_senders')
    .select('user')
    .where('address', '=', address)
    .executeTakeFirst()
  return found?.user
}

/** Trusts an address; returns false if too many addresses are trusted. */
export async function trustAddress(tx: Tx, address: string, user: number, now: number): Promise<boolean> {
  await holdName(tx, 'trusted senders')
  const others = tx.selectFrom('trusted_senders').where('address', '<>', address)
  const { n } = await others.select(({ fn }) => fn.countAll().as('n')).executeTakeFirstOrThrow()
  if (Number(n) >= MOST_TRUSTED) return false
  await tx
    .insertInto('trusted_senders')
    .values({ address, user, created_utc: formatUtc(now) })
    .onConflict((conflict) => conflict.column('address').doUpdateSet({ user }))
    .execute()
  return true
}

/** Ends the trust in an address; returns the number of deleted rows. */
export async function distrustAddress(tx: Tx, address: string): Promise<number> {
  const gone = await tx.deleteFrom('trusted_senders').where('address', '=', address).executeTakeFirst()
  return Number(gone.numDeletedRows)
}

// Deletion of suggestions and senders.

const inBatches = (ids: readonly { id: number }[]) => ids.map(({ id }) => id)

async function dropRows(tx: Db, rows: readonly { id: number; form: string }[]): Promise<number> {
  if (rows.length === 0) return 0
  const ids = inBatches(rows)
  const forms = rows.map(({ form }) => form)
  await tx.deleteFrom('submission_pictures').where('form', 'in', forms).execute()
  await tx.deleteFrom('submission_links').where('submission', 'in', ids).execute()
  await tx.deleteFrom('submissions').where('id', 'in', ids).execute()
  return rows.length
}

const DROPPED_AT_ONCE = 500

const dropOf =
  (state: 'unconfirmed' | 'spam'): Pruning['drop'] =>
  async (tx, beforeUtc, most) => {
    let dropped = 0
    while (dropped < most) {
      const limit = Math.min(DROPPED_AT_ONCE, most - dropped)
      const old = tx.selectFrom('submissions').select(['id', 'form']).where('state', '=', state)
      const rows = await old.where('created_utc', '<', beforeUtc).limit(limit).execute()
      dropped += await dropRows(tx, rows)
      if (rows.length < limit) break
    }
    return dropped
  }

export const submissionPrunings: readonly Pruning[] = [
  { days: UNCONFIRMED_HOURS / 24, drop: dropOf('unconfirmed') },
  { days: SPAM_DAYS, drop: dropOf('spam') },
  {
    days: 1,
    drop: async (tx, beforeUtc, most) => {
      for (const table of ['submissions', 'submission_pictures'] as const)
        await tx
          .updateTable(table)
          .set({ block: '' })
          .where('block', '<>', '')
          .where('created_utc', '<', beforeUtc)
          .execute()
      const unsent = tx
        .selectFrom('submission_pictures')
        .select('form')
        .where('created_utc', '<', beforeUtc)
        .where('form', 'not in', tx.selectFrom('submissions').select('form'))
        .limit(most)
      const { numDeletedRows } = await tx
        .deleteFrom('submission_pictures')
        .where('form', 'in', unsent)
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  },
  {
    days: 0,
    drop: async (tx, beforeUtc, most) => {
      const old = tx.selectFrom('submission_links').select('hash').where('expires_utc', '<', beforeUtc)
      const { numDeletedRows } = await tx
        .deleteFrom('submission_links')
        .where('hash', 'in', old.limit(most))
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  },
]

/**
 * Deletes decided suggestions unchanged since `beforeUtc`; of published ones, only the sender. Returns how
 * many.
 */
export async function dropOldSenders(tx: Tx, beforeUtc: string, most: number): Promise<number> {
  const old = tx
    .selectFrom('submissions')
    .select(['id', 'form', 'state'])
    .where('changed_utc', '<', beforeUtc)
    .where('state', 'not in', ['unconfirmed', 'waiting', 'spam'])
    .where((row) =>
      row.or([row('state', '<>', 'published'), row('address', '<>', ''), row('sender_name', '<>', '')]),
    )
    .limit(most)
  const rows = await old.execute()
  await dropRows(
    tx,
    rows.filter(({ state }) => state !== 'published'),
  )
  for (const { id, state } of rows) if (state === 'published') await forgetSenderOf(tx, id)
  return rows.length
}

export async function forgetSenderOf(tx: Tx, id: number): Promise<void> {
  await dropLinks(tx, id)
  await updateSubmission(tx, id, { sender_name: '', address: '', domain: '', block: '', note: '' })
}

export async function isSender(db: Db, address: string): Promise<boolean> {
  const own = db.selectFrom('submissions').select('id').where('address', '=', address).limit(1)
  return (await own.executeTakeFirst()) !== undefined
}

// For `kalends people`, which exports or deletes what is stored about an address.

export async function exportSender(db: Db, address: string): Promise<object[]> {
  const own = db.selectFrom('submissions').selectAll().where('address', '=', address).orderBy('id')
  const trust = db.selectFrom('trusted_senders').selectAll().where('address', '=', address)
  return [...(await own.execute()), ...(await trust.execute()).map((row) => ({ kept: 'trust', ...row }))]
}

/** Deletes what an address sent; published suggestions only lose their sender. Returns the number of rows. */
export async function forgetSender(tx: Tx, address: string): Promise<number> {
  const rows = await tx
    .selectFrom('submissions')
    .select(['id', 'form', 'state'])
    .where('address', '=', address)
    .execute()
  const undecided = rows.filter(({ state }) => state !== 'published')
  for (let at = 0; at < undecided.length; at += DROPPED_AT_ONCE)
    await dropRows(tx, undecided.slice(at, at + DROPPED_AT_ONCE))
  for (const { id, state } of rows) if (state === 'published') await forgetSenderOf(tx, id)
  const distrusted = await distrustAddress(tx, address)
  return rows.length + distrusted
}
