import type { Language } from '../../base/config.ts'
import { type FeatureTables, step } from '../../store/storage/migration.ts'
import type { WithSequence } from '../../store/storage/schema.ts'

export type SubmissionState =
  | 'unconfirmed'
  | 'waiting'
  | 'sent back'
  | 'published'
  | 'rejected'
  | 'withdrawn'
  | 'spam'

/** Why a suggestion is set aside: too many links, a text also sent by another address, no proof of work. */
export type Aside = '' | 'links' | 'repeated' | 'proof'

/** Times are in UTC, and empty if they do not apply. */
export interface Submission {
  id: number
  state: SubmissionState
  aside: Aside
  /** The form's controls by name, as JSON; an editor may have changed them. */
  typed: string
  /** Controls of a change that waits for a decision, as JSON; else empty. */
  proposed: string
  title: string
  start_utc: string
  end_utc: string
  sender_name: string
  /** The sender's e-mail address, with its domain in lower case. */
  address: string
  domain: string
  /** The sender's network (`networkOf`), deleted after a day. */
  block: string
  language: Language
  note: string
  reply: string
  /** Id of the user who decided; 0 for none. */
  reviewer: number
  /** Id of the published event and, below, of its image; 0 for none. */
  event: number
  image: number
  /** Hash of the form's token. If the token was used before, a random part makes this unique. */
  form: string
  /** The version of the terms that the sender agreed to. */
  terms: string
  /** Hash of title and description, by which repeated texts are found. */
  digest: string
  created_utc: string
  confirmed_utc: string
  decided_utc: string
  changed_utc: string
}

export type SecretPurpose = 'confirm' | 'sender'

declare module '../../store/storage/schema.ts' {
  interface Tables {
    submissions: WithSequence<Submission>
    submission_links: { hash: string; submission: number; purpose: SecretPurpose; expires_utc: string }
    /** Pictures of undecided suggestions, seen by editors only. `content` is in base64. */
    submission_pictures: {
      form: string
      block: string
      mime_type: string
      content: string
      created_utc: string
    }
    trusted_senders: { address: string; user: number; created_utc: string }
    submission_keys: { name: string; value: string }
    /** Editors, told of suggestions up to `told_utc`. `is_quiet` is 1 for a user who wants no messages. */
    submission_readers: { user: number; told_utc: string; is_quiet: number }
  }
}

export const submissionTables: FeatureTables = {
  feature: 'submissions',
  migrations: [
    step('submissions-0001-tables', ({ id, text, sequence }) => [
      `create table submissions (id ${sequence}, state ${text} not null, aside ${text} not null, typed \
${text} not null,
        proposed ${text} not null, title ${text} not null, start_utc ${text} not null, end_utc ${text} not \
null,
        sender_name ${text} not null, address ${text} not null, domain ${text} not null, block ${text} not \
null,
        language ${text} not null, note ${text} not null, reply ${text} not null, reviewer ${id} not null,
        event ${id} not null, image ${id} not null, form ${text} not null unique, terms ${text} not null,
        digest ${text} not null, created_utc ${text} not null, confirmed_utc ${text} not null,
        decided_utc ${text} not null, changed_utc ${text} not null)`,
      'create index submissions_created on submissions (created_utc)',
      'create index submissions_state on submissions (state, changed_utc, id)',
      'create index submissions_address on submissions (address, id)',
      `create index submissions_proposed on submissions (changed_utc, id) where proposed <> ''`,
      `create index submissions_block on submissions (created_utc) where block <> ''`,
      `create table submission_links (hash ${text} primary key, submission ${id} not null references \
submissions (id) on delete cascade,
        purpose ${text} not null, expires_utc ${text} not null)`,
      'create index submission_links_of on submission_links (submission)',
      'create index submission_links_expire on submission_links (expires_utc)',
      `create table submission_pictures (form ${text} primary key, block ${text} not null, mime_type ${text} \
not null,
        content ${text} not null, created_utc ${text} not null)`,
      `create table trusted_senders (address ${text} primary key, "user" ${id} not null, created_utc ${text} \
not null)`,
      `create table submission_keys (name ${text} primary key, value ${text} not null)`,
    ]),
    step('submissions-0002-readers', ({ id, text }) => [
      `create table submission_readers ("user" ${id} primary key,
        told_utc ${text} not null, is_quiet ${id} not null)`,
    ]),
  ],
  // Left out of backups without secrets: strangers sent it in confidence.
  secret: [
    'submissions',
    'submission_links',
    'submission_pictures',
    'trusted_senders',
    'submission_keys',
    'submission_readers',
  ],
}
