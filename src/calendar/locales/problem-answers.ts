import type { Language } from '../../base/config.ts'
import { type LimitFault, type ParamFault, PROBLEMS, type Problem } from '../../base/problems.ts'
import type { MessageText } from './messages.ts'
import { translate } from './translate.ts'

/** The JSON body for a `Problem` (rule 25.1). */
export interface ProblemBody {
  code: string
  message: string
  data: Record<string, unknown> & { status: number }
  additional_data?: unknown[]
}

const SIGN_IN = { status: 401, text: 'You need to sign in to do that.' } as const

/** Status and body of the answer. If a right is missing, `loggedIn` chooses “not allowed” or “sign in”. */
export function problemAnswer(
  problem: Problem,
  language: Language,
  loggedIn: boolean,
): { status: number; body: ProblemBody } {
  const { code, details } = problem
  const isForbidden = PROBLEMS[code].text === PROBLEMS.rest_forbidden.text
  const { status, text } = isForbidden && !loggedIn ? SIGN_IN : PROBLEMS[code]
  const names = (details.missing ?? Object.keys(details.params ?? {})).join(', ')
  const bytes = String(details.data?.bytes ?? '')
  const body: ProblemBody = {
    code,
    message: translate(language, text, { names, bytes, limit: String(details.data?.limit ?? '') }),
    data: {
      status,
      ...(details.missing ? { params: details.missing } : {}),
      ...paramData(details.params, language),
      ...details.data,
    },
  }
  // Clients read the id of the existing term here (rule 25.2).
  if (code === 'term_exists') body.additional_data = [details.data?.term_id, details.data?.term_id]
  return { status, body }
}

export function paramTexts(
  params: Record<string, ParamFault>,
  language: Language,
  nameOf = (name: string) => name,
): Record<string, string> {
  const texts = Object.entries(params).map(([name, fault]) => [
    name,
    faultText(nameOf(name), fault, language),
  ])
  return Object.fromEntries(texts)
}

function paramData(params: Record<string, ParamFault> | undefined, language: Language) {
  if (!params) return {}
  const texts = paramTexts(params, language)
  const details: Record<string, object> = {}
  for (const [name, fault] of Object.entries(params)) {
    if (fault.why === 'type')
      details[name] = { code: 'rest_invalid_type', message: texts[name], data: { param: name } }
    if (fault.why === 'ticketed')
      details[name] = { code: 'event-tickets-not-active', message: texts[name], data: { status: 400 } }
    if (fault.why === 'recurrence')
      details[name] = {
        code: 'rest_invalid_recurrence',
        message: texts[name],
        data: { param: name, part: fault.part },
      }
    if (fault.why === 'limit')
      details[name] = {
        code: limitCode(fault),
        message: texts[name],
        data: { param: name, limit: fault.limit },
      }
  }
  return { params: texts, details: Object.keys(details).length > 0 ? details : [] }
}

function faultText(name: string, fault: ParamFault, language: Language): string {
  if (fault.why === 'type')
    return translate(language, 'The value of {name} is not of the type {type}.', { name, type: fault.type })
  if (fault.why === 'ticketed') return translate(language, 'This service sells no tickets.')
  if (fault.why === 'recurrence')
    return translate(language, fault.message, { part: fault.part, ...fault.values })
  if (fault.why === 'told') return translate(language, fault.message, { name, ...fault.values })
  if (fault.why === 'limit')
    return translate(language, LIMIT_TEXTS[fault.unit], {
      name: fault.at ?? name,
      limit: String(fault.limit),
    })
  return translate(language, 'The value is invalid.')
}

const LIMIT_TEXTS: Record<LimitFault['unit'], MessageText> = {
  characters: 'The value of {name} is longer than {limit} characters.',
  bytes: 'The value of {name} is longer than {limit} bytes.',
  words: 'The value of {name} has more than {limit} words.',
  entries: 'The value of {name} has more than {limit} entries.',
  levels: 'The value of {name} nests deeper than {limit} levels.',
  members: 'The value of {name} has more than {limit} members in all.',
  marks: 'The value of {name} has more than {limit} accents on one letter.',
}

function limitCode({ unit }: LimitFault): string {
  return unit === 'entries' || unit === 'members' ? 'rest_too_many_items' : 'rest_too_long'
}
