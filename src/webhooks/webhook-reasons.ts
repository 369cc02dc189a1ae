import type { Language } from '../config.ts'
import { webhookReasons } from '../locales/messages.ts'
import { translate } from '../locales/translate.ts'

const texts = new Map<string, string>(Object.entries(webhookReasons))

/** The sentence for a stored `WebhookReason`; anything else is a text of an older version, and stays as it is. */
export function describeReason(language: Language, stored: string): string {
  const [code = '', value = ''] = stored.split(' ')
  const text = texts.get(code)
  return text === undefined ? stored : translate(language, text, { status: value, code: value })
}
