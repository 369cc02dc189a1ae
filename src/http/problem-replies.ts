import type { Language } from '../config.ts'
import type { MessageText } from '../locales/messages.ts'
import { translate } from '../locales/translate.ts'
import type { LimitFault, ParamFault, Problem, ProblemCode } from '../problems.ts'

/** The status and text of each problem (rule 25.1). */
const replies: Record<ProblemCode, { status: number; text: MessageText }> = {
  rest_no_route: { status: 404, text: 'No route matches the address and method of the request.' },
  rest_gone: { status: 410, text: 'This is no longer in the calendar.' },
  rest_invalid_namespace: { status: 404, text: 'The namespace asked for could not be found.' },
  rest_invalid_json: { status: 400, text: 'The body of the request is not valid JSON.' },
  rest_invalid_form: { status: 400, text: 'The form in the body of the request cannot be read.' },
  rest_too_many_parameters: { status: 400, text: 'The request has more than {limit} parameters.' },
  rest_invalid_request: { status: 400, text: 'The request is no HTTP that can be read.' },
  rest_sync_token_expired: {
    status: 410,
    text: 'This sync token is of no use any more; begin again without one.',
  },
  rest_idempotency_key_reused: {
    status: 422,
    text: 'This Idempotency-Key belongs to another request; take a new one.',
  },
  rest_idempotency_key_in_use: {
    status: 409,
    text: 'The request with this Idempotency-Key is being answered; try again soon.',
  },
  rest_precondition_failed: {
    status: 412,
    text: 'The record has changed since the version that If-Match names; read it again.',
  },
  rest_batch_not_allowed: { status: 400, text: 'A batch cannot hold a request for this address and method.' },
  rest_missing_callback_param: { status: 400, text: 'Missing parameters: {names}' },
  rest_invalid_param: { status: 400, text: 'Invalid parameters: {names}' },
  rest_forbidden: { status: 403, text: 'You are not allowed to do that.' },
  rest_not_logged_in: { status: 401, text: 'You are not signed in.' },
  rest_unsupported_media_type: { status: 415, text: 'The content type of the body is not supported.' },
  rest_request_too_large: { status: 413, text: 'The body of the request is larger than {bytes} bytes.' },
  rest_head_too_large: { status: 431, text: 'The head of the request is larger than 16 kB.' },
  rest_request_timeout: { status: 408, text: 'The request took too long to arrive.' },
  rest_uri_too_long: { status: 414, text: 'The address of the request is too long.' },
  rest_too_many_requests: { status: 429, text: 'Too many requests of one client; try again in a moment.' },
  rest_unavailable: { status: 503, text: 'The service cannot answer just now; try again soon.' },
  rest_read_only: { status: 503, text: 'The service can only be read just now; try again later.' },
  rest_insufficient_storage: { status: 507, text: 'The service has no room left to keep this; try again later.' },
  rest_internal_error: { status: 500, text: 'Something went wrong here; it has been noted.' },
  rest_upload_no_data: { status: 400, text: 'No file was sent.' },
  rest_upload_unknown_type: { status: 400, text: 'The file is not an image of a kind this service keeps.' },
  rest_upload_image_too_large: {
    status: 400,
    text: 'The image has more than {limit} pixels, or too many frames, or takes too long to read.',
  },
  rest_post_invalid_id: { status: 404, text: 'There is no image or record with this id.' },
  rest_post_invalid_page_number: { status: 400, text: 'The list has fewer pages than that.' },
  rest_term_invalid: { status: 404, text: 'There is no term with this id.' },
  incorrect_password: { status: 401, text: 'The password does not belong to this user.' },
  invalid_username: { status: 401, text: 'There is no such user.' },
  credential_expired: { status: 401, text: 'This application password or token has expired.' },
  too_many_attempts: { status: 429, text: 'Too many attempts to sign in at once; try again soon.' },
  term_exists: { status: 400, text: 'A term of this name exists already with this parent.' },
  duplicate_term_slug: { status: 400, text: 'Another term has this slug already.' },
  'event-archive-page-not-found': { status: 404, text: 'The page of events asked for does not exist.' },
  'venue-archive-page-not-found': { status: 404, text: 'The page of venues asked for does not exist.' },
  'organizer-archive-page-not-found': { status: 404, text: 'The page of organizers asked for does not exist.' },
  'event-not-accessible': { status: 403, text: 'The event is not open to you.' },
  'venue-not-accessible': { status: 403, text: 'The venue is not open to you.' },
  'organizer-not-accessible': { status: 403, text: 'The organizer is not open to you.' },
  'event-is-in-trash': { status: 410, text: 'The event is in the trash already.' },
  'venue-is-in-trash': { status: 410, text: 'The venue is in the trash already.' },
  'organizer-is-in-trash': { status: 410, text: 'The organizer is in the trash already.' },
  'could-not-create-venue': { status: 400, text: 'A venue needs a name.' },
  'could-not-create-organizer': { status: 400, text: 'An organizer needs a name.' },
  'rest-event-not-found': { status: 404, text: 'There is no event with this id or slug.' },
  'rest-invalid-event-id': { status: 400, text: 'The id belongs to something that is not an event.' },
  'rest-series-not-found': { status: 404, text: 'There is no series with this id.' },
  'series-not-accessible': { status: 403, text: 'The series is not open to you.' },
  'series-is-in-trash': { status: 410, text: 'The series is in the trash already.' },
  'series-was-changed': {
    status: 409,
    text: 'Somebody else has changed the series meanwhile; read it again.',
  },
  'rest-webhook-not-found': { status: 404, text: 'There is no webhook with this id.' },
  'rest-message-not-found': { status: 404, text: 'There is no message with this id.' },
  'too-many-webhooks': { status: 409, text: 'There are {limit} webhooks already; remove one that is not needed.' },
  'event-no-longer-available': { status: 403, text: 'The event is no longer available.' },
}

/** An error as clients see it (rule 25.1). */
export interface ProblemBody {
  code: string
  message: string
  data: Record<string, unknown> & { status: number }
  additional_data?: unknown[]
}

/** The answer to a problem, in the language of the site. `loggedIn` decides between "sign in" and "not allowed". */
export function problemReply(
  problem: Problem,
  language: Language,
  loggedIn: boolean,
): { status: number; body: ProblemBody } {
  const { code, details } = problem
  const forbidden = code === 'rest_forbidden' && !loggedIn
  const { status, text } = forbidden ? { status: 401, text: 'You need to sign in to do that.' as const } : replies[code]
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
  // Clients of the platform read the id of the existing term here (rule 25.2).
  if (code === 'term_exists') body.additional_data = [details.data?.term_id, details.data?.term_id]
  return { status, body }
}

function paramData(params: Record<string, ParamFault> | undefined, language: Language) {
  if (!params) return {}
  const texts = Object.fromEntries(
    Object.entries(params).map(([name, fault]) => [name, faultText(name, fault, language)]),
  )
  const details: Record<string, object> = {}
  for (const [name, fault] of Object.entries(params)) {
    if (fault.why === 'type') details[name] = { code: 'rest_invalid_type', message: texts[name], data: { param: name } }
    if (fault.why === 'ticketed')
      details[name] = { code: 'event-tickets-not-active', message: texts[name], data: { status: 400 } }
    if (fault.why === 'recurrence')
      details[name] = { code: 'rest_invalid_recurrence', message: texts[name], data: { param: name, part: fault.part } }
    if (fault.why === 'limit')
      details[name] = { code: limitCode(fault), message: texts[name], data: { param: name, limit: fault.limit } }
  }
  return { params: texts, details: Object.keys(details).length > 0 ? details : [] }
}

function faultText(name: string, fault: ParamFault, language: Language): string {
  if (fault.why === 'type')
    return translate(language, 'The value of {name} is not of the type {type}.', { name, type: fault.type })
  if (fault.why === 'ticketed') return translate(language, 'This service sells no tickets.')
  if (fault.why === 'recurrence') return translate(language, fault.message, { part: fault.part, ...fault.values })
  if (fault.why === 'told') return translate(language, fault.message, fault.values)
  if (fault.why === 'limit')
    return translate(language, LIMIT_TEXTS[fault.unit], { name: fault.at ?? name, limit: String(fault.limit) })
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

/** The codes of the platform for these faults. */
function limitCode({ unit }: LimitFault): string {
  return unit === 'entries' || unit === 'members' ? 'rest_too_many_items' : 'rest_too_long'
}
