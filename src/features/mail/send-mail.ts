import type { Site } from '../../base/config.ts'
import { formatUtc, MINUTE_MS } from '../../base/text/zones.ts'
import type { CalendarGround } from '../../calendar/ground.ts'
import type { Database } from '../../store/storage/database.ts'
import { isOfSubscription, writeIssue } from './issue.ts'
import { type Letterhead, writeLetter } from './letter.ts'
import type { OutgoingMessage, Relay } from './mail-relay.ts'
import type { MailMessageColumns } from './mail-tables.ts'
import {
  claimMessage,
  isMailDue,
  languageOf,
  messageIdOf,
  type Outcome,
  readLetter,
  returnMessage,
  settleMessage,
} from './outbox.ts'
import { noteReached } from './subscription-store.ts'

export interface MailSender {
  database: Database
  ground: CalendarGround
  site: Site
  relay: Relay
  perHour: number
  /** URL of the icon in letters; empty for none. */
  icon: () => string
  report: (error: unknown) => void
  /** Called once an outcome is stored; must not throw. */
  onSettled: (message: MailMessageColumns, outcome: Outcome, isGivenUp: boolean) => void
  stopping: AbortController
  round: Promise<void> | undefined
  /** Nothing is sent before this time, in ms since the epoch. */
  restsUntil: number
  /**
   * An attempt whose outcome could not be stored, as on a full disk. It is stored before any other message is
   * sent.
   */
  unsettled: Attempt | undefined
}

interface Attempt {
  message: MailMessageColumns
  outcome: Outcome
}

type Composed = Omit<OutgoingMessage, 'to' | 'fromName' | 'messageId'>

/** In ms: pause after an attempt that failed because the relay was busy or unreachable. */
const REST_MS = MINUTE_MS
/** In ms: pause after an unexpected error. */
const SHORT_REST_MS = 10_000

/** Sends messages that are due. If a round is already under way, returns its promise. */
export function sendMail(sender: MailSender, now: number): Promise<void> {
  if (sender.stopping.signal.aborted || sender.round) return sender.round ?? Promise.resolve()
  // A pause that ends later than `REST_MS` from now is ignored: the clock was set back.
  if (sender.restsUntil > now && sender.restsUntil <= now + REST_MS) return Promise.resolve()
  sender.round = sendRound(sender)
    .catch((error) => {
      sender.restsUntil = Date.now() + SHORT_REST_MS
      sender.report(error)
    })
    .finally(() => {
      sender.round = undefined
    })
  return sender.round
}

export async function stopMail({ stopping, round, relay }: MailSender): Promise<void> {
  stopping.abort()
  await round
  relay.close()
}

async function sendRound(sender: MailSender): Promise<void> {
  const { database, perHour, stopping } = sender
  if (sender.unsettled) await settleAttempt(sender, sender.unsettled)
  if (!(await isMailDue(database.read, Date.now()))) return
  while (!stopping.signal.aborted) {
    const message = await database.write((tx) => claimMessage(tx, perHour, Date.now()))
    if (!message) return
    const outcome = await attemptMessage(sender, message)
    if (stopping.signal.aborted && outcome.kind === 'relay')
      return database.write((tx) => returnMessage(tx, message))
    await settleAttempt(sender, { message, outcome })
    if (outcome.kind !== 'relay') continue
    sender.restsUntil = Date.now() + REST_MS
    return
  }
}

async function settleAttempt(sender: MailSender, attempt: Attempt): Promise<void> {
  const { message, outcome } = attempt
  sender.unsettled = attempt
  const isGivenUp = await sender.database.write(async (tx) => {
    if (outcome.kind === 'sent' || outcome.kind === 'refused')
      await noteReached(tx, message.recipient, outcome.kind === 'sent')
    return settleMessage(tx, message, outcome, Date.now())
  })
  sender.unsettled = undefined
  sender.onSettled(message, outcome, isGivenUp)
}

async function attemptMessage(sender: MailSender, message: MailMessageColumns): Promise<Outcome> {
  const { relay, site, stopping } = sender
  const composed = await composeMessage(sender, message)
  if (!composed) return { kind: 'dropped' }
  const messageId = messageIdOf(message, relay.domain)
  const outgoing = { ...composed, to: message.recipient, fromName: site.name, messageId }
  return relay.send(outgoing, stopping.signal)
}

/** The message's text and HTML; undefined if it no longer needs to be sent. */
async function composeMessage(
  { site, ground, report, relay, icon }: MailSender,
  message: MailMessageColumns,
): Promise<Composed | undefined> {
  const now = Date.now()
  const head = letterheadOf(site, message, icon())
  if (message.until_utc !== '' && message.until_utc < formatUtc(now)) return undefined
  if (isOfSubscription(message)) {
    const issue = await writeIssue(ground, message, report, now)
    if (!issue) return undefined
    const { letter, foot, unsubscribe, calendar } = issue
    const list = { unsubscribe, id: `events.${relay.domain}` }
    return { ...writeLetter(letter, { ...head, foot }), list, calendar }
  }
  const letter = readLetter(message.content)
  return letter && writeLetter(letter, head)
}

export function letterheadOf(
  site: Site,
  message: Pick<MailMessageColumns, 'language'>,
  icon = '',
): Letterhead {
  return { language: languageOf(message), name: site.name, url: site.url, icon, foot: [] }
}
