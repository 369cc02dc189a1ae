/** Everything that can be wrong with a request, by the code a client sees (rule 25.1). Statuses and texts are decided in `http/problem-replies.ts`. */
export type ProblemCode =
  | 'rest_no_route'
  | 'rest_invalid_namespace'
  | 'rest_invalid_json'
  | 'rest_invalid_form'
  | 'rest_too_many_parameters'
  | 'rest_invalid_request'
  | 'rest_sync_token_expired'
  | 'rest_missing_callback_param'
  | 'rest_invalid_param'
  | 'rest_forbidden'
  | 'rest_not_logged_in'
  | 'rest_unsupported_media_type'
  | 'rest_request_too_large'
  | 'rest_head_too_large'
  | 'rest_request_timeout'
  | 'rest_uri_too_long'
  | 'rest_too_many_requests'
  | 'rest_unavailable'
  | 'rest_read_only'
  | 'rest_insufficient_storage'
  | 'rest_internal_error'
  | 'rest_upload_no_data'
  | 'rest_upload_unknown_type'
  | 'rest_upload_image_too_large'
  | 'rest_post_invalid_id'
  | 'rest_post_invalid_page_number'
  | 'rest_term_invalid'
  | 'incorrect_password'
  | 'invalid_username'
  | 'credential_expired'
  | 'too_many_attempts'
  | 'term_exists'
  | 'duplicate_term_slug'
  | 'event-archive-page-not-found'
  | 'venue-archive-page-not-found'
  | 'organizer-archive-page-not-found'
  | 'event-not-accessible'
  | 'venue-not-accessible'
  | 'organizer-not-accessible'
  | 'event-is-in-trash'
  | 'venue-is-in-trash'
  | 'organizer-is-in-trash'
  | 'could-not-create-venue'
  | 'could-not-create-organizer'
  | 'rest-event-not-found'
  | 'rest-invalid-event-id'
  | 'event-no-longer-available'
  | 'rest-series-not-found'
  | 'series-not-accessible'
  | 'series-is-in-trash'
  | 'series-was-changed'
  | 'rest_gone'
  | 'rest_idempotency_key_reused'
  | 'rest_idempotency_key_in_use'
  | 'rest_precondition_failed'
  | 'rest_batch_not_allowed'
  | 'rest-webhook-not-found'
  | 'rest-message-not-found'
  | 'too-many-webhooks'

/** Why one parameter was refused. All but `invalid` and `told` carry a detail of their own in the answer (rule 25.2). */
export type ParamFault =
  | { why: 'invalid' }
  | ToldFault
  | { why: 'type'; type: string }
  | { why: 'ticketed' }
  | RecurrenceFault
  | LimitFault

/** A value that is refused with a sentence of its own, which every language has, with the values it names. */
export interface ToldFault {
  why: 'told'
  message: string
  values: Readonly<Record<string, string>>
}

/** A recurrence that is refused: the part that is wrong, and a text for every language with the values it names. */
export interface RecurrenceFault {
  why: 'recurrence'
  part: string
  message: string
  values?: Readonly<Record<string, string>>
}

/** A value that is over a limit: the limit and its unit. `at` names the member of a record within the parameter, such as `venue.city`. */
export interface LimitFault {
  why: 'limit'
  unit: 'characters' | 'bytes' | 'words' | 'entries' | 'levels' | 'members' | 'marks'
  limit: number
  at?: string
}

/** The details of a Problem besides its code; the reply puts them into `data`. */
export interface ProblemDetails {
  /** Names of required parameters that are missing. */
  missing?: string[]
  /** Refused parameters in the order they are declared. */
  params?: Record<string, ParamFault>
  /** Further members of `data`. */
  data?: Record<string, unknown>
  /** Seconds after which a client may try again. */
  retryAfter?: number
}

/** A request that cannot be answered as asked. Thrown anywhere below `http`, turned into an answer only there. */
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

/** A Problem that names one refused parameter. */
export function invalidParam(name: string, fault: ParamFault = { why: 'invalid' }): Problem {
  return new Problem('rest_invalid_param', { params: { [name]: fault } })
}
