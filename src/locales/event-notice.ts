import { LANGUAGES, type Site } from '../config.ts'
import type { EventStatus } from '../fields/event-status.ts'
import type { EventRow } from '../storage/schema.ts'
import { plainText, singleLine } from '../text/html.ts'
import type { MessageText } from './messages.ts'
import { translate } from './translate.ts'

type Status = Pick<EventRow, 'event_status'>

const WORDS: Readonly<Record<Exclude<EventStatus, 'scheduled'>, { word: MessageText; before: MessageText }>> = {
  canceled: { word: 'Canceled', before: 'Canceled: {text}' },
  postponed: { word: 'Postponed', before: 'Postponed: {text}' },
}

/** The word for an event that does not take place as planned; empty for any other. */
export function statusWord({ language }: Pick<Site, 'language'>, { event_status: status }: Status): string {
  return status === 'scheduled' ? '' : translate(language, WORDS[status].word)
}

/** A text with that word before it: what programs show that know no states of events. */
export function announced({ language }: Pick<Site, 'language'>, row: Status, text: string): string {
  const { event_status: status } = row
  return status === 'scheduled' ? text : translate(language, WORDS[status].before, { text })
}

/** Every such word with the sign behind it, in every language. */
const PREFIXES = Object.entries(WORDS).flatMap(([status, { before }]) =>
  LANGUAGES.map((language) => ({ status, prefix: singleLine(translate(language, before, { text: '' })) })),
)

/** What `announced` has made of a text in whatever language: the text alone. Undefined where the word of this state does not stand before it. */
export function unannounced({ event_status }: Status, line: string): string | undefined {
  const found = PREFIXES.find(({ status, prefix }) => status === event_status && line.startsWith(prefix))
  return found && line.slice(found.prefix.length).trim()
}

/** That word and the reason; empty for an event that takes place as planned. */
export function noticeOf(site: Pick<Site, 'language'>, row: Pick<EventRow, 'event_status' | 'event_status_reason'>) {
  const reason = plainText(row.event_status_reason)
  return reason === '' ? statusWord(site, row) : announced(site, row, reason)
}
