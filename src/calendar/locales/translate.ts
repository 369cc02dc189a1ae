import { LANGUAGES, type Language, type Site } from '../../base/config.ts'
import type { EventStatus } from '../../base/fields/event-fields.ts'
import { plainText, singleLine } from '../../base/text/html.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { de } from './de.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import type { Locale, MessageText } from './messages.ts'

/** The texts of every language but English. */
export const locales: Readonly<Record<Exclude<Language, 'en'>, Locale>> = { de, fr, es }

/** `translate` with the language of a site. */
export function translatorFor({ language }: { language: Language }) {
  return (text: string, values?: Readonly<Record<string, string>>): string =>
    translate(language, text, values)
}

/** An English text in the language of the site, with `{name}` replaced by the value of that name. */
export function translate(
  language: Language,
  text: string,
  values?: Readonly<Record<string, string>>,
): string {
  const translations: Readonly<Record<string, string>> = language === 'en' ? {} : locales[language]
  const translation = translations[text] ?? text
  if (values === undefined) return translation
  return translation.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

type StatusOf = Pick<EventRow, 'event_status'>

const WORDS: Readonly<Record<Exclude<EventStatus, 'scheduled'>, { word: MessageText; before: MessageText }>> =
  {
    canceled: { word: 'Canceled', before: 'Canceled: {text}' },
    postponed: { word: 'Postponed', before: 'Postponed: {text}' },
  }

/** The word for an event that does not take place as planned; empty for any other. */
export function statusWord({ language }: Pick<Site, 'language'>, { event_status: status }: StatusOf): string {
  return status === 'scheduled' ? '' : translate(language, WORDS[status].word)
}

/** A text with the status word before it, for programs that know no statuses of events. */
export function announced({ language }: Pick<Site, 'language'>, row: StatusOf, text: string): string {
  const { event_status: status } = row
  return status === 'scheduled' ? text : translate(language, WORDS[status].before, { text })
}

/**
 * The words before texts of events that do not take place as planned, with the sign behind them, in every
 * language.
 */
const PREFIXES = Object.entries(WORDS).flatMap(([status, { before }]) =>
  LANGUAGES.map((language) => ({ status, prefix: singleLine(translate(language, before, { text: '' })) })),
)

/**
 * Returns the text before `announced` put the status word in front, in whatever language; undefined if that
 * word does not stand there.
 */
export function unannounced({ event_status }: StatusOf, line: string): string | undefined {
  const found = PREFIXES.find(({ status, prefix }) => status === event_status && line.startsWith(prefix))
  return found && line.slice(found.prefix.length).trim()
}

/** The status word and the reason; empty for an event that takes place as planned. */
export function noticeOf(
  site: Pick<Site, 'language'>,
  row: Pick<EventRow, 'event_status' | 'event_status_reason'>,
) {
  const reason = plainText(row.event_status_reason)
  return reason === '' ? statusWord(site, row) : announced(site, row, reason)
}
