import type { Site } from '../../base/config.ts'
import type { EventStatus } from '../../base/fields/event-fields.ts'
import { plainText } from '../../base/text/html.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import { translate } from '../../calendar/locales/translate.ts'
import type { EventRow } from '../../store/storage/schema.ts'

export type StatusOf = Pick<EventRow, 'event_status'>

export const WORDS: Readonly<
  Record<Exclude<EventStatus, 'scheduled'>, { word: MessageText; before: MessageText }>
> = {
  canceled: { word: 'Canceled', before: 'Canceled: {text}' },
  postponed: { word: 'Postponed', before: 'Postponed: {text}' },
}

export function statusWord({ language }: Pick<Site, 'language'>, { event_status: status }: StatusOf): string {
  return status === 'scheduled' ? '' : translate(language, WORDS[status].word)
}

/** Puts the event status before `text`, as in `Canceled: …`, for programs that do not read statuses. */
export function announced({ language }: Pick<Site, 'language'>, row: StatusOf, text: string): string {
  const { event_status: status } = row
  return status === 'scheduled' ? text : translate(language, WORDS[status].before, { text })
}

/** The notice that an event is canceled or postponed, with its reason; empty for a scheduled one. */
export function noticeOf(
  site: Pick<Site, 'language'>,
  row: Pick<EventRow, 'event_status' | 'event_status_reason'>,
) {
  const reason = plainText(row.event_status_reason)
  return reason === '' ? statusWord(site, row) : announced(site, row, reason)
}
