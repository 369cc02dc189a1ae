import { Problem, type ProblemCode } from '../../base/problems.ts'

/** The work under way by name. Of one name a few pieces run at once, a few more wait, and all others are refused. */
export interface Turns extends TurnLimits {
  underWay: Map<string, Turn>
}

/** How much work of one name runs and waits at once, and the code with which more is refused. */
export interface TurnLimits {
  atOnce: number
  waiting: number
  code: ProblemCode
  /** Seconds after which they may try again. */
  retryAfter: number
}

interface Turn {
  count: number
  /** The waiting ones in their order: those that go before all others, and the others. */
  before: (() => void)[]
  waiting: (() => void)[]
}

export function makeTurns(limits: TurnLimits): Turns {
  return { ...limits, underWay: new Map() }
}

/**
 * Does work once it is its turn.
 * @param isBefore whether it goes before all work that is not; as much of each waits as the limits say
 * @throws Problem with the code of the limits when too much waits already, and whatever `work` throws
 */
export async function inTurn<T>(turns: Turns, name: string, work: () => Promise<T>, isBefore = false): Promise<T> {
  const turn = turns.underWay.get(name) ?? { count: 0, before: [], waiting: [] }
  turns.underWay.set(name, turn)
  if (turn.count >= turns.atOnce) await turnOf(turns, isBefore ? turn.before : turn.waiting)
  else turn.count += 1
  try {
    return await work()
  } finally {
    leave(turns, name, turn)
  }
}

/** Resolves when earlier work leaves its place. */
async function turnOf({ waiting: most, code, retryAfter }: Turns, waiting: (() => void)[]): Promise<void> {
  if (waiting.length >= most) throw new Problem(code, { retryAfter })
  await new Promise<void>((resolve) => waiting.push(resolve))
}

function leave({ underWay }: Turns, name: string, turn: Turn): void {
  const next = turn.before.shift() ?? turn.waiting.shift()
  // The place goes to the next waiter, so that no newcomer takes it.
  if (next) next()
  else turn.count -= 1
  if (turn.count === 0) underWay.delete(name)
}
