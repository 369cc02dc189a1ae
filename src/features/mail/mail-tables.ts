import { type FeatureTables, step } from '../../store/storage/migration.ts'
import type { WithSequence } from '../../store/storage/schema.ts'

export interface MailMessageColumns {
  id: number
  /** Unique: no message is queued twice. */
  name: string
  recipient: string
  language: string
  topic: string
  /** The letter as JSON; empty once settled (sent or given up). */
  content: string
  state: 'waiting' | 'sending' | 'sent' | 'given_up'
  created_utc: string
  /** When it is due or, while being sent, when another process may take it over. Empty once settled. */
  next_utc: string
  /** After this time, the message is no longer sent; empty for no limit. */
  until_utc: string
  /** 1 if a stranger typed the address into a form. */
  by_stranger: number
  attempts: number
  /** The relay's SMTP status; 0 for no answer. */
  status: number
  error: string
  settled_utc: string
}

export interface SubscriberColumns {
  id: number
  address: string
  language: string
  /** Empty for the site's time zone. */
  timezone: string
  secret: string
  created_utc: string
  /** Permanent refusals by the relay in a row. */
  failures: number
}

export interface SubscriptionColumns {
  id: number
  subscriber: number
  secret: string
  kind: 'list' | 'event'
  /** Query string of a list; empty for all events, and for a subscription to one event. */
  query: string
  /** Id of the event; 0 for a list. */
  event: number
  /** `event`: a message on the day before, and when the event is moved or canceled. */
  rhythm: 'daily' | 'weekly' | 'event'
  /** Weekday of a weekly issue: 1 (Monday) to 7. */
  weekday: number
  created_utc: string
  /** Empty until confirmed. */
  confirmed_utc: string
  /** When the next issue or reminder is due; empty for none. */
  next_utc: string
  /** Events published after this time are new to the subscriber. */
  seen_utc: string
  /** Times and status of the event last told to the subscriber, as JSON. */
  told: string
}

declare module '../../store/storage/schema.ts' {
  interface Tables {
    mail_messages: WithSequence<MailMessageColumns>
    mail_marks: { name: string; value: string }
    mail_subscribers: WithSequence<SubscriberColumns>
    mail_subscriptions: WithSequence<SubscriptionColumns>
  }
}

export const mailTables: FeatureTables = {
  feature: 'mail',
  migrations: [
    step('mail-0001-outbox', ({ id, text, sequence }) => [
      `create table mail_messages (id ${sequence}, name ${text} not null unique, recipient ${text} not null,
        language ${text} not null, topic ${text} not null, content ${text} not null, state ${text} not null,
        created_utc ${text} not null, next_utc ${text} not null, until_utc ${text} not null,
        by_stranger ${id} not null, attempts ${id} not null, status ${id} not null, error ${text} not null,
        settled_utc ${text} not null)`,
      `create index mail_messages_due on mail_messages (next_utc, id) where next_utc <> ''`,
      `create index mail_messages_settled on mail_messages (settled_utc) where settled_utc <> ''`,
      'create index mail_messages_recipient on mail_messages (recipient, created_utc)',
      `create table mail_marks (name ${text} primary key, value ${text} not null)`,
    ]),
    step('mail-0002-subscriptions', ({ id, text, sequence }) => [
      `create table mail_subscribers (id ${sequence}, address ${text} not null unique,
        language ${text} not null, secret ${text} not null, created_utc ${text} not null,
        failures ${id} not null)`,
      `create table mail_subscriptions (id ${sequence},
        subscriber ${id} not null references mail_subscribers (id) on delete cascade,
        secret ${text} not null, kind ${text} not null, query ${text} not null, event ${id} not null,
        rhythm ${text} not null, created_utc ${text} not null, confirmed_utc ${text} not null,
        next_utc ${text} not null, seen_utc ${text} not null, told ${text} not null,
        unique (subscriber, kind, query, event))`,
      `create index mail_subscriptions_due on mail_subscriptions (next_utc, id) where next_utc <> ''`,
      `create index mail_subscriptions_event on mail_subscriptions (event) where event > 0`,
      `create index mail_subscriptions_unconfirmed on mail_subscriptions (created_utc)
        where confirmed_utc = ''`,
    ]),
    step('mail-0003-weekday-and-zone', ({ id, text }) => [
      `alter table mail_subscriptions add column weekday ${id} not null default 1`,
      `alter table mail_subscribers add column timezone ${text} not null default ''`,
    ]),
  ],
  own: ['mail_messages', 'mail_marks'],
  secret: ['mail_subscribers', 'mail_subscriptions'],
  unasked: ['mail_subscriptions'],
}
