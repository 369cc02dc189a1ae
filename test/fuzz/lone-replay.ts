import { type FuzzRun, hasEnded, restart } from './fuzz-run.ts'
import { longestBlock } from './fuzzed-service.ts'
import { type Exchange, exchange } from './http-exchange.ts'
import { judge, type Verdict } from './oracle.ts'
import type { PlannedRequest } from './planned-request.ts'

export interface LoneReplay {
  verdict: Verdict | undefined
  done: Exchange
  blockMs: number
  stack: string | undefined
}

export async function replayAlone(run: FuzzRun, planned: PlannedRequest): Promise<LoneReplay> {
  const { limits } = run
  await forgetCaches(run)
  run.service.errors.length = 0
  try {
    await longestBlock(run.service, limits.answerMs)
    const done = await exchange({ ...run.line, patience: limits.answerMs }, planned)
    const { cpuMs: blockMs } = await longestBlock(run.service, limits.answerMs)
    run.longestMs = Math.max(run.longestMs, blockMs)
    const verdict = judge(done, limits) ?? judgeBlock(blockMs, limits.blockMs)
    if (done.failure?.includes('no answer')) await restart(run)
    return { verdict, done, blockMs, stack: run.service.errors.at(-1) }
  } catch (error) {
    await restart(run)
    const now = Date.now()
    const done: Exchange = { planned, sent: now, done: now, answer: undefined, failure: String(error) }
    return {
      verdict: { kind: 'silence', what: String(error) },
      done,
      blockMs: limits.answerMs,
      stack: undefined,
    }
  }
}

function judgeBlock(blockMs: number, limit: number): Verdict | undefined {
  return blockMs > limit
    ? { kind: 'block', what: `kept the event loop for ${Math.round(blockMs)} ms` }
    : undefined
}

const TRIES = 3

/**
 * Sends a request alone several times and returns the mildest outcome, since garbage collection and other
 * processes may add to one.
 */
export async function confirmAlone(run: FuzzRun, planned: PlannedRequest): Promise<LoneReplay> {
  let mildest = await replayAlone(run, planned)
  for (let i = 1; i < TRIES && mildest.verdict?.kind === 'block'; i++) {
    const next = await replayAlone(run, planned)
    if (!next.verdict || next.blockMs < mildest.blockMs) mildest = next
  }
  return mildest
}

/** Writes to a record of each kind, so that no cached answer is used. */
async function forgetCaches(run: FuzzRun): Promise<void> {
  if (hasEnded(run)) await restart(run)
  const body = { kind: 'members', encoding: 'json', members: [['description', String(Date.now())]] } as const
  for (const path of run.touched)
    await exchange(run.line, { as: 'admin', method: 'POST', path, query: [], headers: {}, body })
}
