import { AUTHORIZATION } from '../../bench/bench-run.ts'
import type { Plan } from '../../bench/data-set.ts'
import type { Random } from '../../bench/random.ts'
import { createLine, listAnywhere, popularReads, searchMedium, updateLine } from '../../bench/requests.ts'
import { BASE } from '../../bench/service.ts'
import { TOPICS } from '../../bench/texts.ts'
import type { WireRequest } from './load-connection.ts'

export const LOAD_KINDS = ['cached list', 'new list', 'search', 'venue search', 'write', 'bad login'] as const
export type LoadKind = (typeof LOAD_KINDS)[number]

export type Mix = Partial<Record<LoadKind, number>>

export const RUSH: Mix = {
  'cached list': 60,
  'new list': 20,
  search: 6,
  'venue search': 4,
  write: 6,
  'bad login': 4,
}

export const HONEST: Mix = { ...RUSH, 'bad login': 0 }

const line = (text: string, authorization = ''): WireRequest => {
  const [method = 'GET', path = '/', body = ''] = text.split('\t')
  return { method, path, body, authorization: method === 'GET' ? authorization : AUTHORIZATION }
}

export function makeRequests(
  mix: Mix,
  plan: Plan,
  random: Random,
): () => { kind: LoadKind; request: WireRequest } {
  const popular = popularReads(plan).slice(0, 40)
  // The names of new events differ between generators.
  const first = random.whole(1, 1_000_000) * 1000
  let made = 0
  const makers: Record<LoadKind, () => WireRequest> = {
    'cached list': () => line(random.pick(popular)),
    'new list': () => line(`GET\t${listAnywhere(random, plan)}`),
    search: () => line(`GET\t${searchMedium(random, plan)}`),
    'venue search': () =>
      line(`GET\t${BASE}/venues?search=${encodeURIComponent(random.pick(TOPICS))}+${random.whole(1, 1e9)}`),
    write: () => line(random.chance(0.5) ? createLine(plan, first + ++made) : updateLine(plan, random)),
    'bad login': () => line(`GET\t${BASE}/events`, badLogin(random)),
  }
  const kinds = LOAD_KINDS.flatMap((kind) => Array.from({ length: mix[kind] ?? 0 }, () => kind))
  return () => {
    const kind = random.pick(kinds)
    return { kind, request: makers[kind]() }
  }
}

const badLogin = (random: Random) =>
  `Basic ${Buffer.from(`bench:${random.whole(1, 1e9)}`).toString('base64')}`

export function isAccepted(kind: LoadKind, status: number): boolean {
  if (kind === 'bad login') return status === 401 || status === 403
  // A page may be past the end of its list.
  return (status >= 200 && status < 300) || (kind === 'new list' && status === 404)
}
