import { clientOf } from '../base/text/urls.ts'

/** A token bucket per client: `left` grows by `perSecond` each second, up to twice that. */
export interface RateLimit {
  perSecond: number
  clients: Map<string, { left: number; at: number }>
}

const MOST_CLIENTS = 50_000

export function makeRateLimit(perSecond: number): RateLimit {
  return { perSecond, clients: new Map() }
}

/** Returns false if the request is one too many. @param now in ms, by a clock that does not go back */
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

/** Counts the requests of a batch. None of them is refused, but later requests may be, for longer. */
export function countFurther(limit: RateLimit, address: string, requests: number): void {
  const known = limit.clients.get(clientOf(address))
  if (known) known.left -= requests
}
