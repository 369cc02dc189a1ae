import { hash } from 'node:crypto'
import type { Language, Site } from '../../base/config.ts'
import { DAY_MS, formatUtc } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { INVITATION_DAYS, LINK_MINUTES } from '../../calendar/people/desk-passwords.ts'
import type { User } from '../../calendar/people/users.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { ToldToUser } from '../desk/desk-page.ts'
import { sayMail } from './mail-texts.ts'
import { type NewMessage, queueMessage } from './outbox.ts'

/** Queues an invitation or a reset link; returns false if none was queued, as for a user without address. */
export async function tellUser(
  tx: Tx,
  { kind, user, link, by }: ToldToUser,
  { site, now }: Pick<Context, 'site' | 'now'>,
): Promise<boolean> {
  if (!site.hasMail || user.email === '') return false
  const { language } = site
  const say = (text: Parameters<typeof sayMail>[1], values?: Record<string, string>) =>
    sayMail({ language }, text, values)
  const isInvitation = kind === 'invitation'
  const names = { name: site.name, by, login: user.login }
  const opening = isInvitation
    ? say('{by} has invited you to keep {name}.', names)
    : say('Here you choose a new password for {name}.', names)
  const message: NewMessage = {
    to: user.email,
    language,
    topic: kind,
    letter: {
      subject: isInvitation
        ? say('You are invited to {name}', names)
        : say('A new password for {name}', names),
      blocks: [
        { kind: 'text', text: opening },
        { kind: 'text', text: say('You sign in as {login}.', names) },
        { kind: 'button', text: say('Choose a password'), url: link },
        {
          kind: 'small',
          text: say('The link is good once, and for a short time. If you did not expect it, do nothing.'),
        },
      ],
    },
    once: `${kind} ${hash('sha256', link, 'base64url')}`,
    goodUntil: now + (isInvitation ? INVITATION_DAYS * DAY_MS : LINK_MINUTES * 60_000),
    ...(by === '' && { isByStranger: true }),
  }
  return queueMessage(tx, message, now)
}

export interface ToldOfEvent {
  kind: 'published' | 'sent back' | 'changed' | 'removed'
  user: User
  /** Identifies the act, so that the user is told once. */
  act: string
  title: string
  url: string
  /** Name of the user who did it; empty if unknown. */
  by: string
  note: string
}

const SUBJECTS = {
  published: 'Published: {title}',
  'sent back': 'Sent back: {title}',
  changed: 'Changed: {title}',
  removed: 'Removed: {title}',
} as const
const SENTENCES = {
  published: 'Your event “{title}” is published.',
  'sent back': '{by} has sent “{title}” back to you.',
  changed: '{by} has changed your event “{title}”.',
  removed: '{by} has moved your event “{title}” to the trash.',
} as const
const BUTTONS = {
  published: 'See it',
  'sent back': 'Open it at the desk',
  changed: 'See what changed',
  removed: 'Open it at the desk',
} as const

export async function tellOfEvent(tx: Tx, site: Site, told: ToldOfEvent, now: number): Promise<void> {
  const { kind, user, act, title, url, note } = told
  if (user.email === '') return
  const { language } = site
  const by = told.by || sayMail({ language }, 'Somebody')
  const values = { title, by }
  await queueMessage(
    tx,
    {
      to: user.email,
      language,
      topic: kind,
      letter: {
        subject: sayMail({ language }, SUBJECTS[kind], values),
        blocks: [
          { kind: 'text', text: sayMail({ language }, SENTENCES[kind], values) },
          ...(note === '' ? [] : [{ kind: 'quote', text: note } as const]),
          { kind: 'button', text: sayMail({ language }, BUTTONS[kind]), url },
        ],
      },
      once: `${kind} ${act}`,
    },
    now,
  )
}

/** Tells a user of `total` events in one message, which names those in `all`. */
export async function tellOfMany(
  tx: Tx,
  site: Site,
  all: readonly ToldOfEvent[],
  total: number,
  now: number,
): Promise<void> {
  const [first] = all
  if (!first || first.user.email === '') return
  const language: Language = site.language
  const entries = all.map(({ kind, title, url }) => ({
    title: sayMail({ language }, SUBJECTS[kind], { title }),
    url,
    lines: [],
  }))
  const more = total - all.length
  await queueMessage(
    tx,
    {
      to: first.user.email,
      language,
      topic: 'changed',
      letter: {
        subject: sayMail({ language }, 'Your events were changed: {number}', { number: String(total) }),
        blocks: [
          { kind: 'entries', entries },
          ...(more > 0
            ? [
                {
                  kind: 'text',
                  text: sayMail({ language }, 'And {number} more.', { number: String(more) }),
                } as const,
              ]
            : []),
        ],
      },
      once: `many ${first.user.id} ${first.act} ${formatUtc(now)}`,
    },
    now,
  )
}
