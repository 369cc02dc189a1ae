import { Agent } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { makeRandom } from '../../bench/random.ts'
import { type Answered, exchange } from './exchange.ts'
import { type Attempt, acknowledge, type Ledger } from './ledger.ts'
import { entryOf, shownIn } from './record-states.ts'
import { type Plan, planRequest, type WriterGround } from './writer-requests.ts'

export const WRITERS = 8

export interface WriterFigures {
  broken: Map<string, number>
  unavailable: number
  problems: string[]
}

export interface WriterSettings {
  ledger: Ledger
  seed: number
  image: Uint8Array
  base: string
  root: string
  figures: WriterFigures
}

export interface Round {
  stop: () => Promise<void>
}

export function startWriters(settings: WriterSettings, round: number, ports: readonly number[]): Round {
  let isGoing = true
  const shared = [1, 2, 3].map((number) => `all${round}s${settings.seed}n${number}`)
  const writers = Array.from({ length: WRITERS }, (_, writer) => {
    const ground = groundOf(settings, writer, round, shared)
    return write(settings, ground, ports[writer % ports.length] ?? 0, () => isGoing)
  })
  return {
    stop: async () => {
      isGoing = false
      await Promise.all(writers)
    },
  }
}

function groundOf(
  settings: WriterSettings,
  writer: number,
  round: number,
  shared: readonly string[],
): WriterGround {
  const { ledger, image, base, root, seed } = settings
  let names = 0
  return {
    ledger,
    writer,
    image,
    base,
    root,
    shared,
    random: makeRandom(seed * 1_000_003 + round * WRITERS + writer),
    nextName: () => `w${writer}r${round}n${++names}`,
  }
}

async function write(
  settings: WriterSettings,
  ground: WriterGround,
  port: number,
  isGoing: () => boolean,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    while (isGoing()) {
      const plan = planRequest(ground)
      const request = `${plan.sent.method} ${plan.sent.path}`
      const attempt: Attempt = { writer: ground.writer, request, changes: plan.changes }
      settings.ledger.open.add(attempt)
      const answer = await exchange(port, { ...plan.sent, as: 'admin' }, agent)
      if (!take(settings, plan, attempt, answer)) return
    }
  } finally {
    agent.destroy()
  }
}

function take({ ledger, figures }: WriterSettings, plan: Plan, attempt: Attempt, answer: Answered): boolean {
  if (answer.status === 0) {
    figures.broken.set(answer.broken, (figures.broken.get(answer.broken) ?? 0) + 1)
    if (answer.broken === 'TimeoutError' || answer.broken === 'ABORT_ERR')
      figures.problems.push(`never answered: ${attempt.request}`)
    return false
  }
  if (answer.status === 503) {
    figures.unavailable += 1
    return false
  }
  if (answer.status >= 300) {
    figures.problems.push(
      `refused with ${answer.status}: ${attempt.request} ${JSON.stringify(answer.body).slice(0, 300)}`,
    )
    return false
  }
  const [main] = plan.changes
  const shown = main?.after && entryOf(plan.kind, answer.body).state
  if (shown && !isDeepStrictEqual(shown, main.after))
    figures.problems.push(
      `answered otherwise: ${attempt.request} ${JSON.stringify(shown)}, not ${JSON.stringify(main.after)}`,
    )
  acknowledge(ledger, attempt, shownIn(plan.kind, answer.body))
  return true
}
