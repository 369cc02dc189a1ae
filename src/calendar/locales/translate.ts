import { LANGUAGES, type Language, type Site } from '../../base/config.ts'
import type { EventStatus } from '../../base/fields/event-fields.ts'
import { plainText, singleLine } from '../../base/text/html.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { de } from './de.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import type { Locale, MessageText } from './messages.ts'

export const locales: Readonly<Record<Exclude<Language, 'en'>, Locale>> = { de, fr, es }

export function translatorFor({ language }: { language: Language }) {
  return (text: string, values?: Readonly<Record<string, string>>): string =>
    translate(language, text, values)
}

/** With `{name}` replaced. */
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

/** Canceled or postponed; else empty. */
export function statusWord({ language }: Pick<Site, 'language'>, { event_status: status }: StatusOf): string {
  return status === 'scheduled' ? '' : translate(language, WORDS[status].word)
}

/** The status word comes first, for programs that know no statuses. */
export function announced({ language }: Pick<Site, 'language'>, row: StatusOf, text: string): string {
  const { event_status: status } = row
  return status === 'scheduled' ? text : translate(language, WORDS[status].before, { text })
}

/** In every language, with the sign behind. */
const PREFIXES = Object.entries(WORDS).flatMap(([status, { before }]) =>
  LANGUAGES.map((language) => ({ status, prefix: singleLine(translate(language, before, { text: '' })) })),
)

/** In whatever language; undefined without a status word. */
export function unannounced({ event_status }: StatusOf, line: string): string | undefined {
  const found = PREFIXES.find(({ status, prefix }) => status === event_status && line.startsWith(prefix))
  return found && line.slice(found.prefix.length).trim()
}

/** Empty for an event that takes place as planned. */
export function noticeOf(
  site: Pick<Site, 'language'>,
  row: Pick<EventRow, 'event_status' | 'event_status_reason'>,
) {
  const reason = plainText(row.event_status_reason)
  return reason === '' ? statusWord(site, row) : announced(site, row, reason)
}
