import type { Language } from '../config.ts'
import { translate } from '../locales/translate.ts'
import { webhookMessages } from '../locales/webhook-messages.ts'

const PATTERNS = webhookMessages.map((text) => {
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
