import { fileURLToPath } from 'node:url'

/**
 * Environment variable with the path of the bundled program that a run of the tests uses. Without it, the
 * sources are run.
 */
export const BUNDLED = 'TEST_PROGRAM'

/** The program of the service, for tests that start it as a process. */
export const MAIN = process.env[BUNDLED] ?? fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/**
 * What programs of this repository get from the environment: the cache of compiled sources, and the clock of
 * the tests.
 */
const PASSED_ON = ['PATH', 'NODE_COMPILE_CACHE', 'NODE_OPTIONS', 'TEST_CLOCK_AHEAD', 'TZ']

/** The environment for a program of this repository: nothing of the caller's but `PASSED_ON`, and `more`. */
export function programEnvironment(more: Record<string, string> = {}): Record<string, string> {
  const given = PASSED_ON.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(given), ...more }
}
