import type { Language } from '../config.ts'
import type { MessageText } from '../locales/messages.ts'
import { translate } from '../locales/translate.ts'

/** The texts that are stored of webhooks and messages, in English and with their values: why one is disabled, or has not arrived. */
const TEXTS = [
  'By an administrator.',
  'By command.',
  'Nothing has arrived for five days.',
  'The receiver answered that it is gone (410).',
  'The receiver answered {status}.',
  'The receiver could not be reached.',
  'The receiver could not be reached ({code}).',
  'The receiver did not answer in time.',
  'The address may not be sent to.',
] as const satisfies readonly MessageText[]

const PATTERNS = TEXTS.map((text) => {
  const parts = text.split(/\{\w+\}/).map((part) => part.replace(/[.()]/g, '\\$&'))
  const [, name = ''] = /\{(\w+)\}/.exec(text) ?? []
  return { text, name, pattern: new RegExp(`^${parts.join('(.+)')}$`) }
})

/** A stored text in another language; one of an older version stays as it is. */
export function storedText(language: Language, stored: string): string {
  for (const { text, name, pattern } of PATTERNS) {
    const found = pattern.exec(stored)
    if (found) return translate(language, text, { [name]: found[1] ?? '' })
  }
  return stored
}
