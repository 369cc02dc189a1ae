import type { Site } from '../../base/config.ts'
import { DAY_MS, formatUtc, HOUR_MS, utcToMs, utcToWall } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findEvent } from '../../calendar/events/event-store.ts'
import { recordUrl } from '../../calendar/linked/record-present.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { lastTyped, type TypedForm } from '../desk/desk-page.ts'
import { written } from '../feeds/date-forms.ts'
import type { Block } from '../mail/letter.ts'
import { queueMessage } from '../mail/outbox.ts'
import { hashOfSecret, newSecret } from './form-token.ts'
import { keepLink } from './submission-store.ts'
import type { Submission } from './submission-tables.ts'
import { saySubmission } from './submission-texts.ts'
import { labelAt } from './suggest-view.ts'

// Messages to senders, in the language of the form that they sent.

export const CONFIRM_PATH = '/events/community/confirm/'
export const MINE_PATH = '/events/community/mine/'

const CONFIRM_HOURS = 48
/** Links stay valid for this many days after the event. */
const LINK_DAYS = 30

const KINDS = [
  'confirm',
  'received',
  'published',
  'changed',
  'sent back',
  'rejected',
  'change refused',
  'links',
] as const

const topicOf = (kind: (typeof KINDS)[number]) => `suggestion ${kind}`

export const LETTER_TOPICS = KINDS.map(topicOf)

export type LetterKind =
  | { kind: 'confirm' }
  | { kind: 'received' }
  | { kind: 'published'; event: number; changes: readonly (readonly [control: string, text: string])[] }
  | { kind: 'changed'; event: number }
  | { kind: 'sent back' | 'rejected' | 'change refused'; note: string }

type ByContext = Pick<Context, 'site' | 'now'>

export function linkExpires(endUtc: string, now: number): string {
  const end = endUtc === '' ? now : Math.max(now, utcToMs(endUtc))
  return formatUtc(end + LINK_DAYS * DAY_MS)
}

/** Queues new links to the suggestions of an address, at most once an hour. */
export async function queueLinks(
  tx: Tx,
  { site, now }: ByContext,
  submissions: readonly Submission[],
): Promise<void> {
  const [first] = submissions
  if (!site.hasMail || !first) return
  const own = { ...site, language: first.language }
  const entries = []
  for (const submission of submissions) {
    const url = await newLink(tx, own, submission, 'sender', now)
    entries.push({ title: submission.title, url, lines: placeAndTimeOf(own, submission) })
  }
  const letter = {
    subject: saySubmission(own, 'Your links'),
    blocks: [
      { kind: 'text', text: saySubmission(own, 'These are the links that you have asked for.') },
      { kind: 'entries', entries },
    ] satisfies Block[],
  }
  const once = `suggestion links ${first.address} ${formatUtc(now).slice(0, 13)}`
  const message = { to: first.address, language: own.language, topic: topicOf('links'), letter, once }
  await queueMessage(tx, { ...message, isByStranger: true }, now)
}

/**
 * Queues a message. Returns false if e-mail is off, the address is not confirmed, or strangers have just
 * caused another message to it.
 */
export async function queueLetter(
  tx: Tx,
  { site, now }: ByContext,
  submission: Submission,
  letter: LetterKind,
): Promise<boolean> {
  const { address, language } = submission
  const isConfirmed = submission.confirmed_utc !== '' || letter.kind === 'confirm'
  if (!site.hasMail || address === '' || !isConfirmed) return false
  const own = { ...site, language }
  const link = await newLink(tx, own, submission, letter.kind === 'confirm' ? 'confirm' : 'sender', now)
  const message = {
    to: address,
    language,
    topic: topicOf(letter.kind),
    letter: await letterOf(tx, own, submission, letter, link),
    ...(letter.kind === 'confirm' && { goodUntil: now + CONFIRM_HOURS * HOUR_MS }),
    ...(letter.kind === 'confirm' && { isByStranger: true as const }),
  }
  return queueMessage(tx, message, now)
}

async function newLink(
  tx: Tx,
  site: Site,
  { id, end_utc }: Submission,
  purpose: 'confirm' | 'sender',
  now: number,
): Promise<string> {
  const secret = newSecret()
  const isConfirm = purpose === 'confirm'
  const expires_utc = isConfirm ? formatUtc(now + CONFIRM_HOURS * HOUR_MS) : linkExpires(end_utc, now)
  await keepLink(tx, { hash: hashOfSecret(secret), submission: id, purpose, expires_utc })
  return secretAddress(site, isConfirm ? CONFIRM_PATH : MINE_PATH, secret)
}

function secretAddress(site: Site, path: string, secret: string): string {
  const isOther = site.languages[0] !== site.language && site.languages.includes(site.language)
  return `${site.url}${path}?token=${secret}${isOther ? `&lang=${site.language}` : ''}`
}

const text = (said: string): Block => ({ kind: 'text', text: said })
const small = (said: string): Block => ({ kind: 'small', text: said })

async function letterOf(
  tx: Tx,
  site: Site,
  submission: Submission,
  letter: LetterKind,
  link: string,
): Promise<{ subject: string; blocks: Block[] }> {
  const { title } = submission
  const say = (text: Parameters<typeof saySubmission>[1], values?: Record<string, string>) =>
    saySubmission(site, text, values)
  const button = (said: string, url = link): Block => ({ kind: 'button', text: said, url })
  const summary: Block = { kind: 'facts', rows: summaryOf(site, submission) }
  const mine = small(say('See what became of it, change it or withdraw it: {link}', { link }))
  switch (letter.kind) {
    case 'confirm':
      return {
        subject: say('Please confirm: {title}', { title }),
        blocks: [
          text(say('Somebody has suggested this event with your address. If it was you, confirm it.')),
          summary,
          button(say('Confirm the suggestion')),
          small(say('If it was not you, do nothing: it is deleted after 48 hours.')),
        ],
      }
    case 'received':
      return {
        subject: say('Received: {title}', { title }),
        blocks: [
          text(say('Thank you. The editors look at your suggestion.')),
          summary,
          button(say('See what became of it')),
          small(say('Keep this message: with its link you can change or withdraw the suggestion.')),
        ],
      }
    case 'published': {
      const url = await eventUrl(tx, site, letter.event)
      const rows = letter.changes.map(([name, to]) => [labelAt(site, name), to || '–'] as const)
      const changes: Block[] =
        rows.length > 0 ? [text(say('The editors have changed this:')), { kind: 'facts', rows }] : []
      return {
        subject: say('Published: {title}', { title }),
        blocks: [
          text(say('Your suggestion is in the calendar.')),
          button(say('See it'), url),
          ...changes,
          mine,
        ],
      }
    }
    case 'changed': {
      const url = await eventUrl(tx, site, letter.event)
      return {
        subject: say('Your change is published: {title}', { title }),
        blocks: [text(say('The event is changed as you proposed.')), button(say('See it'), url), mine],
      }
    }
    case 'sent back':
      return {
        subject: say('Please look at it again: {title}', { title }),
        blocks: [
          text(say('The editors have sent your suggestion back, with this note:')),
          { kind: 'quote', text: letter.note },
          button(say('Change it')),
        ],
      }
    case 'change refused':
      return {
        subject: say('Your change was declined: {title}', { title }),
        blocks: [
          text(say('The event stays as it is. The editors say:')),
          { kind: 'quote', text: letter.note },
          mine,
        ],
      }
    case 'rejected':
      return {
        subject: say('Declined: {title}', { title }),
        blocks: [
          text(say('Your suggestion was not taken into the calendar. The editors say:')),
          { kind: 'quote', text: letter.note },
          summary,
          quoteOf(submission),
        ],
      }
  }
}

async function eventUrl(tx: Tx, site: Site, id: number): Promise<string> {
  const event = await findEvent(tx, id)
  return event ? recordUrl(site, 'event', event) : `${site.url}/events/`
}

function quoteOf({ typed }: Submission): Block {
  const form: TypedForm = JSON.parse(typed)
  return { kind: 'quote', text: lastTyped(form, 'description') || lastTyped(form, 'title') }
}

export const placeAndTimeOf = (site: Site, submission: Submission): string[] =>
  summaryOf(site, submission)
    .slice(1)
    .map(([, value]) => value)

function summaryOf(site: Site, { title, start_utc, typed }: Submission): [label: string, value: string][] {
  const form: TypedForm = JSON.parse(typed)
  const place = lastTyped(form, 'venue_name')
  const wall = start_utc === '' ? '' : utcToWall(start_utc, site.timezone)
  const time = lastTyped(form, 'all_day') === '1' || wall === '' ? '' : `, ${written(site, 'time', wall)}`
  return [
    [labelAt(site, 'title'), title],
    ...(wall === ''
      ? []
      : [[labelAt(site, 'start_date'), `${written(site, 'fullYear', wall)}${time}`] as [string, string]]),
    ...(place === '' ? [] : [[labelAt(site, 'venue_name'), place] as [string, string]]),
  ]
}
