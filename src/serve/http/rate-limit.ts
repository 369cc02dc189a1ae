import { clientOf } from '../../base/text/client-of.ts'

/** The requests that each client may still make: a number a second, and twice that number at once. */
export interface RateLimit {
  perSecond: number
  clients: Map<string, { left: number; at: number }>
}

/** The most clients counted; beyond, the ones seen first are dropped. */
const MOST_CLIENTS = 50_000

export function makeRateLimit(perSecond: number): RateLimit {
  return { perSecond, clients: new Map() }
}

/** Counts a request of this address. False when it is one too many. `now` in milliseconds on a clock that does not go back. */
export function mayAskAgain(limit: RateLimit, address: string, now: number): boolean {
  const { perSecond, clients } = limit
  const name = clientOf(address)
  const most = perSecond * 2
  const known = clients.get(name)
  const left = known ? Math.min(most, known.left + ((now - known.at) / 1000) * perSecond) : most
  const mayAsk = left >= 1
  const entry = known ?? { left, at: now }
  entry.left = mayAsk ? left - 1 : left
  entry.at = now
  if (known) return mayAsk
  if (clients.size >= MOST_CLIENTS) for (const first of clients.keys()) if (clients.delete(first)) break
  clients.set(name, entry)
  return mayAsk
}

/** Counts further requests of this address without refusing them: later requests wait the longer. */
export function countFurther(limit: RateLimit, address: string, requests: number): void {
  const known = limit.clients.get(clientOf(address))
  if (known) known.left -= requests
}
