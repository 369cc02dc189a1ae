/**
 * What went wrong with a request, as the service told it, or as this client saw it: then `code` is `timeout` (nothing came for as long as `timeout` says),
 * `unreachable` (no answer, or one that broke off), `moved` (a redirect that is not followed) or `unreadable` (an answer that is not of the interface).
 */
export class KalendsProblem extends Error {
  override name = 'KalendsProblem'
  /** HTTP status; 0 where there was no answer. */
  declare status: number
  /** The code of the interface, for programs. */
  declare code: string
  /** What the service told besides: `params` by name, `details`, limits. */
  declare data: Readonly<Record<string, unknown>>
  /** Seconds after which the service lets the request be sent again, if it says so. */
  declare retryAfter?: number
  /** The idempotency key of the request: with it a create may be sent again. */
  declare key?: string | undefined

  constructor(status: number, code: string, message: string, more: object = {}) {
    super(message)
    Object.assign(this, { status, code, data: {} }, more)
  }
}
