import { fail } from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** An import of a service runs at low priority: a machine that other programs fill keeps it waiting. */
export const PATIENCE_MS = 240_000

const RARELY_MS = 25
const PART_OF_WAIT = 0.05
const MOST_RARELY_MS = 250

/**
 * Waits until a condition holds. Checks after `firstMs` and then less and less often, since a check may be a
 * request or read a file. Fails with `otherwise` after `PATIENCE_MS`. Returns the ms waited.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  otherwise: string,
  firstMs = 5,
): Promise<number> {
  const start = performance.now()
  for (let pause = firstMs; !(await condition()); ) {
    const waited = performance.now() - start
    if (waited > PATIENCE_MS) fail(otherwise)
    const rarely = Math.max(RARELY_MS, Math.min(waited * PART_OF_WAIT, MOST_RARELY_MS))
    pause = Math.max(firstMs, Math.min(pause * 1.25, rarely))
    await sleep(pause)
  }
  return performance.now() - start
}

export async function happensWithin(ms: number, condition: () => boolean): Promise<boolean> {
  const start = performance.now()
  while (!condition() && performance.now() - start < ms) await sleep(5)
  return condition()
}
