import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Milliseconds after which a test gives up waiting for what must come. Far beyond what any machine under any load needs, since it says
 * nothing about speed: how long something took is told with `t.diagnostic`.
 */
export const PATIENCE_MS = 90_000

/** The most milliseconds between two looks, but for what has taken long already: there it is a part of that. */
const RARELY_MS = 25
const PART_OF_WAIT = 0.05
const MOST_RARELY_MS = 250

/**
 * Waits until the condition holds, looking after so many milliseconds and then less and less often, since a look may be a request or a file to read;
 * fails with `otherwise` when that never happens. The milliseconds it took.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  otherwise: string,
  firstMs = 5,
): Promise<number> {
  const start = performance.now()
  for (let pause = firstMs; !(await condition()); ) {
    const waited = performance.now() - start
    if (waited > PATIENCE_MS) assert.fail(otherwise)
    const rarely = Math.max(RARELY_MS, Math.min(waited * PART_OF_WAIT, MOST_RARELY_MS))
    pause = Math.max(firstMs, Math.min(pause * 1.25, rarely))
    await sleep(pause)
  }
  return performance.now() - start
}

/** Whether the condition comes to hold within so many milliseconds. For what may come by chance, and is tried again. */
export async function happensWithin(ms: number, condition: () => boolean): Promise<boolean> {
  const start = performance.now()
  while (!condition() && performance.now() - start < ms) await sleep(5)
  return condition()
}
