import { type Family, labelled, single } from '../../base/metric-families.ts'
import type { ServiceStart, Serving } from '../../feature.ts'
import { signInAsStranger } from '../../http/respond.ts'
import type { AnswerRow, RowGround } from '../../http/router.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Look } from '../pages/look.ts'
import type { PublicPages } from '../pages/public-pages.ts'
import { pagesOf } from '../pages/serve-pages.ts'
import { followChanges } from './follow-changes.ts'
import { openRelay } from './mail-relay.ts'
import { countOutbox } from './outbox.ts'
import { planIssues } from './plan-issues.ts'
import { type MailSender, sendMail, stopMail } from './send-mail.ts'
import { subscribePageAt } from './subscribe-pages.ts'
import { answerSubscribe } from './subscribe-route.ts'

const EVERY_MS = 500
const FOLLOWS_EVERY_MS = 1000

/**
 * Sends queued e-mail and serves subscriptions; does nothing if no relay is configured.
 * @throws Error with one sentence if the mail settings are not valid together
 */
export async function serveMail(start: ServiceStart): Promise<Serving> {
  const { config, logger, report } = start
  const relay = await openRelay(config)
  if (!relay) return {}
  const { publicPages, look } = await pagesOf(start)
  const counts: Record<string, number> = { sent: 0, failed: 0, given_up: 0 }
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  let sender: MailSender | undefined
  return {
    sendsMail: true,
    rows: (ground) => {
      const all = publicPages(ground)
      return all ? [subscribeRow(ground, all)] : []
    },
    works: ({ database, site, images }) => {
      const made: MailSender = {
        database,
        ground: { database, site, images },
        site,
        relay,
        perHour: config.mail_per_hour,
        icon: () => (config.pages !== 'off' && hasIcon(look) ? site.url + ICON_PATH : ''),
        report,
        stopping: new AbortController(),
        round: undefined,
        restsUntil: 0,
        unsettled: undefined,
        // Only the SMTP status is logged: the relay's text may contain the recipient's address.
        onSettled: ({ id, topic }, outcome, isGivenUp) => {
          if (outcome.kind === 'dropped') return
          if (outcome.kind === 'sent') return count('sent')
          count(isGivenUp ? 'given_up' : 'failed')
          const line = { message: id, topic, status: outcome.status }
          if (isGivenUp) logger.error(line, 'e-mail given up')
          else logger.warn(line, 'e-mail not taken, tried again')
        },
      }
      sender = made
      const follow = oneAtATime(() => followChanges(database, site, Date.now()).catch(report))
      const plan = oneAtATime(() => planIssues(database, site, Date.now()).catch(report))
      return [
        { every: EVERY_MS, look: () => sendMail(made, Date.now()) },
        { every: FOLLOWS_EVERY_MS, look: follow, isAtOnce: true },
        { every: FOLLOWS_EVERY_MS, look: plan, isAtOnce: true },
      ]
    },
    families: async () => (sender ? mailFamilies(counts, sender.database.read) : []),
    stop: async () => (sender ? stopMail(sender) : relay.close()),
  }
}

const ICON_PATH = '/apple-touch-icon.png'

/** True if the site has an icon or logo that can be PNG. SVG and ICO files are not converted. */
function hasIcon({ files: { pages_icon: icon, pages_logo: logo } }: Look): boolean {
  const file = icon ?? logo
  return file !== undefined && file.ending !== '.svg' && file.ending !== '.ico'
}

function subscribeRow({ service, entrance }: RowGround, all: PublicPages): AnswerRow {
  const route = { service, entrance, all, asked: new Map<string, number[]>() }
  return {
    methods: 'all',
    signIn: signInAsStranger,
    find: ({ url }) => {
      const found = subscribePageAt(url.path)
      return found && ((exchange) => answerSubscribe(route, found.page, exchange, found.token))
    },
  }
}

function oneAtATime(work: () => Promise<unknown>): () => void {
  let isLooking = false
  return () => {
    if (isLooking) return
    isLooking = true
    void work().finally(() => {
      isLooking = false
    })
  }
}

/** Metrics of e-mail. Those counted in the database are left out if the database does not answer. */
async function mailFamilies(counts: Readonly<Record<string, number>>, read: Db): Promise<Family[]> {
  const found = await countOutbox(read).catch(() => undefined)
  const tried = Object.entries(counts).map(([outcome, count]) => [{ outcome }, count] as const)
  const about = 'Attempts to send an e-mail: sent, failed and to be made again, or given up.'
  const families = [labelled('kalends_mail_attempts_total', 'counter', about, tried)]
  if (!found) return families
  return [
    ...families,
    single('kalends_mail_waiting', 'gauge', 'E-mails that the relay has not taken yet.', found.waiting),
    single('kalends_mail_given_up', 'gauge', 'E-mails of the last 30 days given up.', found.given_up),
  ]
}
