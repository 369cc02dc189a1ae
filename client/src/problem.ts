/**
 * A failed request. `code` is that of the service, or one of this client: `timeout` (no data within
 * `timeout`), `unreachable` (no answer, or a broken one), `moved` (a redirect that is not followed),
 * `unreadable` (an answer that is not of the interface) or `webhook` (a message that is not genuine).
 */
export class KalendsProblem extends Error {
  override name = 'KalendsProblem'
  /** The HTTP status; 0 without an answer. */
  declare status: number
  /** The code, for programs. */
  declare code: string
  /** More data of the service: `params` by name, `details`, limits. */
  declare data: Readonly<Record<string, unknown>>
  /** The seconds after which the request may be sent again, if the service says so. */
  declare retryAfter?: number
  /** The idempotency key of the request, with which a create can be sent again safely. */
  declare key?: string | undefined

  constructor(status: number, code: string, message: string, more: object = {}) {
    super(message)
    Object.assign(this, { status, code, data: {} }, more)
  }
}
