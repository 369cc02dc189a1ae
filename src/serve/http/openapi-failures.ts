import type { Language } from '../../base/config.ts'
import { Problem, type ProblemCode } from '../../base/problems.ts'
import { problemReply } from '../../calendar/locales/problem-replies.ts'
import type { OwnOperation, RouteAction } from './routes.ts'

// The problems that each operation of the interface may end with, as the OpenAPI document lists them.

/** The actions that the OpenAPI document describes; the index is not among them (rule 3.7). */
export type Described = Exclude<RouteAction, { do: 'index' }>

/** The problems that a request may be answered with under one status. */
export interface Failure {
  status: number
  codes: ProblemCode[]
}

/** The traits of a request that decide which problems may occur. */
interface FailureTraits {
  does: Described['do']
  /** The name of the resource; '' for routes without one. */
  name: string
  by: 'id' | 'slug' | undefined
  own: OwnOperation | undefined
}

const always = () => true
/** Problems of routes that the document does not describe. */
const never = () => false
/** Problems that own operations name themselves. */
const named = never
const takesKey = ({ does, own }: FailureTraits) => does === 'create' || does === 'batch' || own?.creates === true
/** Whether a record is changed by the operation of an update. */
const isUpdate = ({ does, own }: FailureTraits) => does === 'update' || own?.takesVersion === true
const writesOwn = ({ own }: FailureTraits) => own !== undefined && own.queue !== 'reads'
const takesBody = (occasion: FailureTraits) =>
  takesKey(occasion) || isUpdate(occasion) || (writesOwn(occasion) && occasion.own?.methods[0] !== 'DELETE')
const writes = (occasion: FailureTraits) => takesBody(occasion) || occasion.does === 'remove' || writesOwn(occasion)
const on = (names: readonly string[], ...actions: Described['do'][]) => {
  return ({ name, does }: FailureTraits) => names.includes(name) && actions.includes(does)
}

/** The ids of events and series that are read are looked up instead of validated (rule 25.4). */
function checksParameters({ does, name, by, own }: FailureTraits): boolean {
  if (own) return own.query !== undefined || own.body !== undefined
  const onlyAddressed = does === 'read' || does === 'remove'
  if (onlyAddressed && name === 'series') return false
  return onlyAddressed ? !(name === 'event' && by === 'id' && does === 'read') : does !== 'doc'
}

/** Where each problem may occur. */
const occurrences: Record<ProblemCode, (occasion: FailureTraits) => boolean> = {
  rest_no_route: ({ by, own }) => by === 'id' || own?.address !== undefined,
  rest_gone: never,
  rest_invalid_namespace: never,
  rest_invalid_json: takesBody,
  rest_invalid_form: takesBody,
  rest_too_many_parameters: always,
  rest_invalid_request: never,
  rest_version_not_found: named,
  rest_sync_token_expired: named,
  rest_idempotency_key_reused: takesKey,
  rest_idempotency_key_in_use: takesKey,
  rest_precondition_failed: (occasion) => isUpdate(occasion) || occasion.does === 'remove',
  // Answers to requests of a batch stand within its own.
  rest_batch_not_allowed: never,
  rest_missing_callback_param: takesKey,
  rest_invalid_param: checksParameters,
  rest_forbidden: (occasion) =>
    writes(occasion) || (occasion.own !== undefined && occasion.own.audience !== 'everybody'),
  rest_not_logged_in: never,
  rest_unsupported_media_type: takesBody,
  rest_request_too_large: takesBody,
  rest_head_too_large: never,
  rest_request_timeout: never,
  rest_uri_too_long: always,
  rest_too_many_requests: never,
  rest_unavailable: always,
  rest_read_only: writes,
  rest_insufficient_storage: writes,
  rest_internal_error: always,
  rest_upload_no_data: never,
  rest_upload_unknown_type: never,
  rest_upload_image_too_large: never,
  rest_post_invalid_id: never,
  rest_post_invalid_page_number: never,
  rest_term_invalid: never,
  incorrect_password: always,
  invalid_username: always,
  credential_expired: always,
  too_many_attempts: always,
  term_exists: on(['category', 'tag'], 'create'),
  duplicate_term_slug: on(['category', 'tag'], 'update'),
  'event-archive-page-not-found': on(['event'], 'list'),
  'venue-archive-page-not-found': on(['venue'], 'list'),
  'organizer-archive-page-not-found': on(['organizer'], 'list'),
  'event-not-accessible': on(['event'], 'read'),
  'venue-not-accessible': on(['venue'], 'read'),
  'organizer-not-accessible': on(['organizer'], 'read'),
  'event-is-in-trash': on(['event'], 'update', 'remove'),
  'venue-is-in-trash': on(['venue'], 'remove'),
  'organizer-is-in-trash': on(['organizer'], 'remove'),
  'could-not-create-venue': on(['venue'], 'create', 'update'),
  'could-not-create-organizer': on(['organizer'], 'create', 'update'),
  'rest-event-not-found': ({ name, does, by }) =>
    name === 'event' && (by === 'id' || (by === 'slug' && does === 'update')),
  'rest-invalid-event-id': ({ name, by }) => name === 'event' && by === 'id',
  'event-no-longer-available': on(['event'], 'read'),
  'rest-series-not-found': ({ name, by }) => name === 'series' && by === 'id',
  'series-not-accessible': on(['series'], 'read'),
  'series-is-in-trash': on(['series'], 'update', 'remove'),
  'rest-webhook-not-found': named,
  'rest-message-not-found': named,
  'too-many-webhooks': named,
  'series-was-changed': on(['event', 'series'], 'update', 'remove'),
}

/** Every code there is. */
export const problemCodes = Object.keys(occurrences) as ProblemCode[]

/** The statuses of each problem, which may depend on whether the caller is logged in. */
const statusesOf = new Map(
  problemCodes.map((code) => [
    code,
    [false, true].map((loggedIn) => problemReply(new Problem(code), 'en', loggedIn).status),
  ]),
)

/** The problems that an action may end with, by status. */
export function failuresOf(action: Described): Failure[] {
  const occasion: FailureTraits = {
    does: action.do,
    name: 'served' in action ? action.served.resource.name : '',
    by: 'by' in action ? action.by : undefined,
    own: action.do === 'own' ? action.operation : undefined,
  }
  const possible = problemCodes.filter((code) => occurrences[code](occasion) || occasion.own?.problems?.includes(code))
  const statuses = new Set(possible.flatMap((code) => statusesOf.get(code) ?? []))
  // A batch as a whole is refused to strangers alone; its requests answer for themselves.
  if (action.do === 'batch') statuses.delete(403)
  return [...statuses]
    .sort((a, b) => a - b)
    .map((status) => ({ status, codes: possible.filter((code) => statusesOf.get(code)?.includes(status)) }))
}

/**
 * The name of the answer that all operations share whose status stands for the same problems, as in `Error404RestEventNotFound`. Generators make types,
 * variables and files of it, so it is an identifier in every language.
 */
export function failureName({ status, codes }: Failure): string {
  const words = codes.flatMap((code) => code.split(/[^a-z0-9]+/i))
  return `Error${status}${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`
}

/** One line a problem: its code and its message, with an ellipsis for the parts that depend on the request. */
export function failureText({ status, codes }: Failure, language: Language): string {
  const lines = codes.map((code) => {
    const problem = new Problem(code, { missing: ['…'], data: { bytes: '…', limit: '…' } })
    return `- \`${code}\`: ${problemReply(problem, language, status !== 401).body.message}`
  })
  return lines.join('\n')
}
