import { sql, type Updateable } from 'kysely'
import type { Language } from '../../base/config.ts'
import { limits } from '../../base/fields/limits.ts'
import { DAY_MS, formatUtc } from '../../base/text/zones.ts'
import type { Topic } from '../../feature.ts'
import type { Db } from '../../store/storage/database.ts'
import { notHeld } from '../../store/storage/edition.ts'
import { insertActs, VERBS, WEBHOOK_KINDS } from '../../store/storage/history.ts'
import { claimedRows } from '../../store/storage/locks.ts'
import type { Pruning } from '../../store/storage/pruning.ts'
import type { Tx, WriteAction } from '../../store/storage/recording.ts'
import type { Tables } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'
import { makeSecret, mayPost } from './post-message.ts'
import type { DeliveryColumns, WebhookColumns } from './webhook-tables.ts'
import { sayWebhook, type WebhookReason, type WebhookText, webhookReasons } from './webhook-texts.ts'

/** A limit, since each webhook slows every write. */
export const MOST_WEBHOOKS = 100

const OLD_SECRET_DAYS = 1

export type RefusalReason = 'no-webhook' | 'no-message' | 'too-many' | 'address' | 'events'

/** The message is English, for the command line; `shown` may translate it. */
export class WebhookRefusal extends Error {
  readonly reason: RefusalReason
  readonly shown: (language: Language) => string

  constructor(reason: RefusalReason, shown: (language: Language) => string) {
    super(shown('en'))
    this.reason = reason
    this.shown = shown
  }
}

function refusedField(
  reason: 'address' | 'events',
  text: WebhookText,
  values?: Readonly<Record<string, string>>,
) {
  return new WebhookRefusal(reason, (language) => sayWebhook({ language }, text, values))
}

const TYPES = WEBHOOK_KINDS.flatMap((kind) => VERBS.map((verb) => `${kind}.${verb}`))

/**
 * Reads a list of types such as `event.*,venue.created`; drops repetitions.
 * @throws WebhookRefusal that names the first entry that is no type
 */
export function readTypes(list: string, topics: readonly Topic[]): string {
  const entries = [...new Set(list.split(',').map((entry) => entry.trim()))]
  const types = [...TYPES, ...topics.map(({ type }) => type)]
  const kinds = new Set(types.map((type) => `${type.split('.', 1)}.*`))
  const known = [...types, ...kinds, '*']
  const unknown = entries.find((entry) => !known.includes(entry))
  if (unknown === undefined) return entries.join(',')
  const named = { type: unknown, known: known.join(', ') }
  throw refusedField('events', '"{type}" is no type of change; there are {known}.', named)
}

export function checkAddress(url: string, hosts: readonly string[]): void {
  const { characters } = limits.url
  if (url.length > characters)
    throw refusedField('address', 'The value of {name} is longer than {limit} characters.', {
      name: 'url',
      limit: String(characters),
    })
  if (mayPost(url, hosts)) return
  throw refusedField(
    'address',
    'Messages are sent by https to public addresses, without a password in them; other hosts are named in \
the setting webhook-hosts.',
  )
}

/** Returns the id and secret of the new webhook. @throws WebhookRefusal when there are too many */
export async function addWebhook(
  tx: Tx,
  added: Pick<WebhookColumns, 'url' | 'events' | 'is_private'>,
  now: number,
): Promise<{ id: number; secret: string }> {
  if ((await listWebhooks(tx)).length >= MOST_WEBHOOKS)
    throw new WebhookRefusal(
      'too-many',
      () => `There are ${MOST_WEBHOOKS} webhooks already; remove one that is not needed.`,
    )
  const secret = makeSecret()
  const row = { ...added, secret, created_utc: formatUtc(now), ...NO_OLD_SECRET, ...NEVER_FAILED }
  const { id } = await tx.insertInto('webhooks').values(row).returning('id').executeTakeFirstOrThrow()
  await noteAct(tx, { id, url: added.url }, 'create', now)
  return { id, secret }
}

const NEVER_FAILED = { failing_since_utc: '', disabled_utc: '', disabled_why: '' }
const disabledBy = (why: WebhookReason, now: number) => ({ disabled_utc: formatUtc(now), disabled_why: why })
const NO_OLD_SECRET = { old_secret: '', old_secret_until_utc: '' }

export function listWebhooks(db: Db): Promise<WebhookColumns[]> {
  return db.selectFrom('webhooks').selectAll().orderBy('id').execute()
}

export async function getWebhook(db: Db, id: number): Promise<WebhookColumns> {
  const found = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst()
  if (!found)
    throw new WebhookRefusal(
      'no-webhook',
      () => `There is no webhook ${id}; kalends webhook list shows them.`,
    )
  return found
}

export async function removeWebhook(tx: Tx, id: number, now: number): Promise<void> {
  const webhook = await getWebhook(tx, id)
  await tx.deleteFrom('webhook_deliveries').where('webhook', '=', id).execute()
  await tx.deleteFrom('webhooks').where('id', '=', id).execute()
  await noteAct(tx, webhook, 'delete', now)
}

/** Enables a webhook. Call `hastenDeliveries` first, so that waiting messages are sent before new ones. */
export async function enableWebhook(tx: Tx, id: number, now: number): Promise<void> {
  await changeWebhook(tx, id, NEVER_FAILED, now)
}

/** Disables a webhook: changes meanwhile are never sent to it; returns false if it was disabled already. */
export async function disableWebhook(tx: Tx, id: number, why: WebhookReason, now: number): Promise<boolean> {
  const webhook = await getWebhook(tx, id)
  const enabled = tx.updateTable('webhooks').where('id', '=', id).where('disabled_utc', '=', '')
  const { numUpdatedRows } = await enabled.set(disabledBy(why, now)).executeTakeFirst()
  if (Number(numUpdatedRows) === 0) return false
  await noteAct(tx, webhook, 'update', now)
  return true
}

/** Undefined members stay unchanged. */
export interface WebhookChange {
  url: string | undefined
  events: string | undefined
  isPrivate: boolean | undefined
  isEnabled: boolean | undefined
}

export async function updateWebhook(
  tx: Tx,
  id: number,
  { url, events, isPrivate, isEnabled }: WebhookChange,
  why: WebhookReason,
  now: number,
): Promise<void> {
  const { disabled_utc, failing_since_utc } = await getWebhook(tx, id)
  const isSwitched = isEnabled ? disabled_utc !== '' || failing_since_utc !== '' : disabled_utc === ''
  const columns = {
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events }),
    ...(isPrivate === undefined ? {} : { is_private: Number(isPrivate) }),
    ...(isEnabled !== undefined && isSwitched ? (isEnabled ? NEVER_FAILED : disabledBy(why, now)) : {}),
  }
  if (Object.keys(columns).length > 0) await changeWebhook(tx, id, columns, now)
}

export async function rotateSecret(tx: Tx, id: number, now: number): Promise<string> {
  const { secret: old_secret } = await getWebhook(tx, id)
  const secret = makeSecret()
  const old_secret_until_utc = formatUtc(now + OLD_SECRET_DAYS * DAY_MS)
  await changeWebhook(tx, id, { secret, old_secret, old_secret_until_utc }, now)
  return secret
}

async function changeWebhook(
  tx: Tx,
  id: number,
  columns: Updateable<Tables['webhooks']>,
  now: number,
): Promise<void> {
  const webhook = await getWebhook(tx, id)
  await tx.updateTable('webhooks').set(columns).where('id', '=', id).execute()
  await noteAct(tx, webhook, 'update', now)
}

/** Adds the change to the history, with the host alone, since a URL may contain a secret. */
async function noteAct(
  tx: Tx,
  { id, url }: Pick<WebhookColumns, 'id' | 'url'>,
  action: WriteAction,
  now: number,
) {
  await insertActs(
    tx,
    [{ kind: 'webhook', record: id, act: { action, name: URL.parse(url)?.host ?? '' } }],
    now,
  )
}

/** Lists a page of messages, the newest first. */
export function listDeliveries(
  db: Db,
  webhook: number | undefined,
  { page, perPage }: { page: number; perPage: number },
): Promise<DeliveryColumns[]> {
  const all = db.selectFrom('webhook_deliveries').selectAll().orderBy('id', 'desc')
  const some = all.limit(perPage).offset((page - 1) * perPage)
  return (webhook === undefined ? some : some.where('webhook', '=', webhook)).execute()
}

export async function countDeliveries(db: Db, webhook: number): Promise<number> {
  const all = db
    .selectFrom('webhook_deliveries')
    .select(db.fn.countAll().as('n'))
    .where('webhook', '=', webhook)
  return Number((await all.executeTakeFirst())?.n ?? 0)
}

const waitingAgain = (now: number) =>
  ({ state: 'waiting', created_utc: formatUtc(now), next_utc: formatUtc(now), attempts: 0 }) as const

/** Makes a message due again under the same id. @throws WebhookRefusal */
export async function resendDelivery(
  tx: Tx,
  id: number,
  webhook: number | undefined,
  now: number,
): Promise<DeliveryColumns> {
  const update = tx.updateTable('webhook_deliveries').set(waitingAgain(now)).where('id', '=', id)
  const ofWebhook = webhook === undefined ? update : update.where('webhook', '=', webhook)
  const [message] = await ofWebhook.returningAll().execute()
  if (message) return message
  throw new WebhookRefusal(
    'no-message',
    () => `There is no message ${id} any more; kalends webhook deliveries lists those of the last 30 days.`,
  )
}

const PIECE = 1000

type WriteSome = (work: (tx: Tx) => Promise<bigint>) => Promise<bigint>

/** Repeats writes of at most `PIECE` rows; returns how many in all. */
async function inPieces(write: WriteSome, change: (tx: Tx) => Promise<bigint>): Promise<number> {
  let all = 0
  for (let some = PIECE; some === PIECE; all += some) some = Number(await write(change))
  return all
}

/** Makes failed messages, except tests, due again; returns how many. */
export function resendFailed(write: WriteSome, webhook: number, now: number): Promise<number> {
  return inPieces(write, async (tx) => {
    await getWebhook(tx, webhook)
    const told = tx.selectFrom('webhook_deliveries').select('id').where('webhook', '=', webhook)
    const failed = told
      .where('state', '=', 'failed')
      .where('kind', '<>', 'webhook')
      .orderBy('id')
      .limit(PIECE)
    const resend = tx.updateTable('webhook_deliveries').set(waitingAgain(now)).where('id', 'in', failed)
    return (await resend.executeTakeFirst()).numUpdatedRows
  })
}

const selectDue = statement<{ now: string }>()((db, value) =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .where('disabled_utc', '=', '')
    .where(notHeld())
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook_deliveries as d')
          .select('d.id')
          .whereRef('d.webhook', '=', 'webhooks.id')
          .where('d.next_utc', '<>', '')
          .where('d.next_utc', '<=', value('now')),
      ),
    ),
)

/** Finds enabled webhooks with messages due; none while the calendar is held. */
export function findDue(db: Db, nowUtc: string): Promise<WebhookColumns[]> {
  return selectDue(db, { now: nowUtc })
}

/** Claims the next message due; other processes leave it alone until `untilUtc`. */
export async function claimDue(
  tx: Tx,
  webhook: number,
  times: { nowUtc: string; untilUtc: string },
): Promise<DeliveryColumns | undefined> {
  const waiting = tx.selectFrom('webhook_deliveries').selectAll().where('webhook', '=', webhook)
  const due = waiting.where('next_utc', '<>', '').where('next_utc', '<=', times.nowUtc)
  const message = await claimedRows(tx, due.orderBy('next_utc').orderBy('id').limit(1)).executeTakeFirst()
  // An empty `error` tells `hastenDeliveries` that the message is being sent.
  if (message) await setDelivery(tx, message.id, { next_utc: times.untilUtc, error: '' })
  return message
}

/** Makes messages that wait after a failure due as of their creation; leaves alone those being sent. */
export async function hastenDeliveries(write: WriteSome, webhook: number): Promise<void> {
  await inPieces(write, async (tx) => {
    const waiting = tx.selectFrom('webhook_deliveries').select('id').where('webhook', '=', webhook)
    const failed = waiting.where('next_utc', '<>', '').where('error', '<>', '')
    const late = failed.whereRef('next_utc', '<>', 'created_utc').orderBy('next_utc', 'desc').limit(PIECE)
    const hasten = tx.updateTable('webhook_deliveries').set(({ ref }) => ({ next_utc: ref('created_utc') }))
    return (await hasten.where('id', 'in', late).executeTakeFirst()).numUpdatedRows
  })
}

export async function setDelivery(
  tx: Tx,
  id: number,
  columns: Updateable<Tables['webhook_deliveries']>,
): Promise<void> {
  await tx.updateTable('webhook_deliveries').set(columns).where('id', '=', id).execute()
}

export async function dropDelivery(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('webhook_deliveries').where('id', '=', id).execute()
}

/** Sets since when the webhook fails; returns false if another process was faster. */
export async function setFailing(
  tx: Tx,
  { id, failing_since_utc: former }: WebhookColumns,
  failing_since_utc: string,
): Promise<boolean> {
  const unchanged = tx.updateTable('webhooks').where('id', '=', id).where('failing_since_utc', '=', former)
  const { numUpdatedRows } = await unchanged.set({ failing_since_utc }).executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

export async function countWaiting(db: Db, webhook?: number): Promise<number> {
  const all = db.selectFrom('webhook_deliveries').select(db.fn.countAll().as('n')).where('next_utc', '<>', '')
  const waiting = webhook === undefined ? all : all.where('webhook', '=', webhook)
  return Number((await waiting.executeTakeFirst())?.n ?? 0)
}

export async function countDisabled(db: Db): Promise<number> {
  const disabled = db.selectFrom('webhooks').select(db.fn.countAll().as('n')).where('disabled_utc', '<>', '')
  return Number((await disabled.executeTakeFirst())?.n ?? 0)
}

const texts = new Map<string, WebhookText>(Object.entries(webhookReasons))

/** Translates a stored reason; returns texts of older versions as they are. */
export function describeReason(language: Language, stored: string): string {
  const [code = '', value = ''] = stored.split(' ')
  const text = texts.get(code)
  return text === undefined ? stored : sayWebhook({ language }, text, { status: value, code: value })
}

async function dropDeliveries(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    delete from webhook_deliveries where id in
      (select id from webhook_deliveries where created_utc < ${beforeUtc} limit ${most}) returning id
  `.execute(tx)
  return rows.length
}

export const webhookPrunings: readonly Pruning[] = [{ days: 30, drop: dropDeliveries }]
