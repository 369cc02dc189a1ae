const NOT_ALLOWED = 'You are not allowed to do that.'

/** All errors of responses, by the code that clients see (rule 25.1). */
export const PROBLEMS = {
  rest_no_route: { status: 404, text: 'No route matches the address and method of the request.' },
  rest_gone: { status: 410, text: 'This is no longer listed.' },
  rest_invalid_namespace: { status: 404, text: 'The namespace asked for could not be found.' },
  rest_invalid_json: { status: 400, text: 'The body of the request is not valid JSON.' },
  rest_invalid_form: { status: 400, text: 'The form in the body of the request cannot be read.' },
  rest_too_many_parameters: { status: 400, text: 'The request has more than {limit} parameters.' },
  rest_invalid_request: { status: 400, text: 'The request is no HTTP that can be read.' },
  rest_unsupported_transfer_coding: {
    status: 501,
    text: 'A body may be sent in chunks, and by no other transfer coding.',
  },
  rest_unsupported_http_version: { status: 505, text: 'Requests are sent by HTTP/1.0 or HTTP/1.1.' },
  rest_version_not_found: { status: 404, text: 'This version of the record is not known, or not any more.' },
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
  rest_forbidden: { status: 403, text: NOT_ALLOWED },
  rest_not_logged_in: { status: 401, text: 'You are not signed in.' },
  rest_unsupported_media_type: { status: 415, text: 'The content type of the body is not supported.' },
  rest_request_too_large: { status: 413, text: 'The body of the request is larger than {bytes} bytes.' },
  rest_head_too_large: { status: 431, text: 'The head of the request is larger than 16 kB.' },
  rest_request_timeout: { status: 408, text: 'The request took too long to arrive.' },
  rest_uri_too_long: { status: 414, text: 'The address of the request is too long.' },
  rest_too_many_requests: { status: 429, text: 'Too many requests of one client; try again in a moment.' },
  rest_unavailable: { status: 503, text: 'The service cannot answer just now; try again soon.' },
  rest_read_only: { status: 503, text: 'The service can only be read just now; try again later.' },
  rest_insufficient_storage: {
    status: 507,
    text: 'The service has no room left to keep this; try again later.',
  },
  rest_internal_error: { status: 500, text: 'Something went wrong here; it has been noted.' },
  rest_upload_no_data: { status: 400, text: 'No file was sent.' },
  rest_upload_unknown_type: { status: 400, text: 'The file is not an image of a kind this service keeps.' },
  rest_upload_image_too_large: {
    status: 400,
    text: 'The image has more than {limit} pixels, or too many frames, or takes too long to read.',
  },
  rest_post_invalid_id: { status: 404, text: 'There is no image or record with this id.' },
  rest_post_invalid_page_number: { status: 400, text: 'The list has fewer pages than that.' },
  rest_cannot_list_application_passwords: { status: 403, text: NOT_ALLOWED },
  rest_cannot_read_application_password: { status: 403, text: NOT_ALLOWED },
  rest_cannot_create_application_passwords: { status: 403, text: NOT_ALLOWED },
  rest_cannot_edit_application_password: { status: 403, text: NOT_ALLOWED },
  rest_cannot_delete_application_password: { status: 403, text: NOT_ALLOWED },
  rest_cannot_delete_application_passwords: { status: 403, text: NOT_ALLOWED },
  rest_cannot_introspect_app_password_for_non_authenticated_user: { status: 403, text: NOT_ALLOWED },
  rest_no_authenticated_app_password: {
    status: 404,
    text: 'The request came without an application password.',
  },
  rest_application_password_not_found: {
    status: 404,
    text: 'There is no application password with this UUID.',
  },
  'too-many-passwords': {
    status: 409,
    text: 'Nobody has more than 100 passwords for programs; take one away first.',
  },
  rest_term_invalid: { status: 404, text: 'There is no term with this id.' },
  incorrect_password: { status: 401, text: 'The password does not belong to this user.' },
  invalid_username: { status: 401, text: 'There is no such user.' },
  invalid_token: { status: 401, text: 'Nobody has this token; it may have been taken away.' },
  credential_expired: { status: 401, text: 'This application password or token has expired.' },
  too_many_attempts: { status: 429, text: 'Too many attempts to sign in at once; try again soon.' },
  term_exists: { status: 400, text: 'A term of this name exists already with this parent.' },
  duplicate_term_slug: { status: 400, text: 'Another term has this slug already.' },
  'event-archive-page-not-found': { status: 404, text: 'The page of events asked for does not exist.' },
  'venue-archive-page-not-found': { status: 404, text: 'The page of venues asked for does not exist.' },
  'organizer-archive-page-not-found': {
    status: 404,
    text: 'The page of organizers asked for does not exist.',
  },
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
  'too-many-webhooks': {
    status: 409,
    text: 'There are {limit} webhooks already; remove one that is not needed.',
  },
  'event-no-longer-available': { status: 403, text: 'The event is no longer available.' },
} as const satisfies Readonly<Record<string, { status: number; text: string }>>

export type ProblemCode = keyof typeof PROBLEMS

/** Why a parameter was refused. All but `invalid` and `told` have a code in `data.details` (rule 25.2). */
export type ParamFault =
  | { why: 'invalid' }
  | ToldFault
  | { why: 'type'; type: string }
  | { why: 'ticketed' }
  | RecurrenceFault
  | LimitFault

interface ToldFault {
  why: 'told'
  message: string
  values: Readonly<Record<string, string>>
}

/** `part` is the wrong part of the rule; locales translate `message`. */
interface RecurrenceFault {
  why: 'recurrence'
  part: string
  message: string
  values?: Readonly<Record<string, string>>
}

/** `at` is the path of the member within the parameter, such as `venue.city`. */
export interface LimitFault {
  why: 'limit'
  unit: 'characters' | 'bytes' | 'words' | 'entries' | 'levels' | 'members' | 'marks'
  limit: number
  at?: string
}

export interface ProblemDetails {
  missing?: string[]
  /** Why each parameter was refused, in the order in which parameters are declared. */
  params?: Record<string, ParamFault>
  data?: Record<string, unknown>
  /** Seconds, for the header Retry-After. */
  retryAfter?: number
}

/** An error for the client, which any code may throw. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly details: ProblemDetails

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(code)
    this.name = 'Problem'
    this.code = code
    this.details = details
  }
}

export function invalidParam(name: string, fault: ParamFault = { why: 'invalid' }): Problem {
  return new Problem('rest_invalid_param', { params: { [name]: fault } })
}

/** The error of a write to a full or read-only disk; clients may retry after 30 seconds. */
export const diskProblem = (code: 'rest_insufficient_storage' | 'rest_read_only') =>
  new Problem(code, { retryAfter: 30 })
