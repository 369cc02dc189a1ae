import type { Answered } from '../http/answered.ts'
import { type Durations, noDurations, noteDuration, samplesOf } from './durations.ts'
import type { Family } from './metric-families.ts'

/** Counts of answers since the process began. */
export interface AnswerCounts {
  byRoute: Map<string, RouteCounts>
  /** By the source of the answer. */
  sources: Record<Answered['from'], number>
  bytes: number
}

interface RouteCounts {
  /** By method and status. */
  answers: Map<string, Map<number, number>>
  durations: Durations
}

/** The most routes with counts of their own; there are fewer unless something is wrong. */
const MOST_ROUTES = 200
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export function noAnswers(): AnswerCounts {
  return { byRoute: new Map(), sources: { finished: 0, memory: 0, ordinary: 0, refused: 0 }, bytes: 0 }
}

/** Counts an answer. Every answer passes here, so it takes a few map lookups and allocates nothing for a repeated route. */
export function countAnswer(counts: AnswerCounts, { route, method, status, ms, bytes, from }: Answered): void {
  const known = counts.byRoute.get(route) ?? newRoute(counts, route)
  const statuses = known.answers.get(method) ?? newMethod(known, method)
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  noteDuration(known.durations, ms / 1000)
  counts.sources[from] += 1
  counts.bytes += bytes
}

function newRoute({ byRoute }: AnswerCounts, route: string): RouteCounts {
  const name = byRoute.size < MOST_ROUTES ? route : ''
  const made = byRoute.get(name) ?? { answers: new Map(), durations: noDurations() }
  byRoute.set(name, made)
  return made
}

/** Clients may invent methods. */
function newMethod({ answers }: RouteCounts, method: string): Map<number, number> {
  const name = METHODS.has(method) ? method : 'other'
  const made = answers.get(name) ?? new Map<number, number>()
  answers.set(name, made)
  return made
}

export function answerFamilies({ byRoute, sources, bytes }: AnswerCounts): Family[] {
  const routes = [...byRoute].map(([route, counts]) => ({ route: route || 'none', ...counts }))
  return [
    {
      name: 'kalends_requests_total',
      help: 'Requests by route, method and status.',
      type: 'counter',
      samples: routes.flatMap(({ route, answers }) =>
        [...answers].flatMap(([method, statuses]) =>
          [...statuses].map(([status, value]) => ({
            suffix: '',
            labels: { route, method, status: String(status) },
            value,
          })),
        ),
      ),
    },
    {
      name: 'kalends_request_duration_seconds',
      help: 'Seconds from the arrival of a request until its answer was handed to the connection, by route.',
      type: 'histogram',
      samples: routes.flatMap(({ route, durations }) => samplesOf(durations, { route })),
    },
    {
      name: 'kalends_answers_total',
      help: 'Answers by what gave them: a finished body, the index of events in memory, the ordinary way, or a refusal for too much load.',
      type: 'counter',
      samples: Object.entries(sources).map(([from, value]) => ({ suffix: '', labels: { from }, value })),
    },
    {
      name: 'kalends_answer_bytes_total',
      help: 'Bytes of the bodies of answers.',
      type: 'counter',
      samples: [{ suffix: '', labels: {}, value: bytes }],
    },
  ]
}
