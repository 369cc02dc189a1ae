/**
 * The database gives no answer: it cannot be reached, is overloaded, or takes too long. Trying again soon may succeed. A write that ends
 * like this has changed nothing, unless the connection was lost during the commit itself.
 */
export class DatabaseUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DatabaseUnavailable'
  }
}
