import { fileURLToPath } from 'node:url'

/** The variable of the environment that says where a run of the tests keeps what `read-stripped.ts` reads. */
export const STRIPPED = 'TEST_STRIPPED'

/** The variable of the environment that names the program of the service as a run of the tests has bundled it; without it, programs are run from the sources. */
export const BUNDLED = 'TEST_PROGRAM'

/** The program of the service, for tests of what it does in a process of its own. */
export const MAIN = process.env[BUNDLED] ?? fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/**
 * The environment of a program of the service: nothing of this one's but the way to programs, and where the run of the tests keeps what was
 * stripped and compiled, since a start takes most of its time for that.
 */
export function programEnvironment(more: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE, [STRIPPED]: stripped } = process.env
  const kept = { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...(stripped && { [STRIPPED]: stripped }) }
  return { PATH, ...kept, NODE_OPTIONS: preloading().join(' '), ...more }
}

/** The same for `MAIN`, which has nothing to strip where it was bundled. */
export function mainEnvironment(more: Record<string, string> = {}): Record<string, string> {
  return programEnvironment({ ...(process.env[BUNDLED] && { NODE_OPTIONS: '' }), ...more })
}

/** Options for Node that have it load these modules before the program, behind the one that reads what was stripped. */
export function preloading(...modules: readonly string[]): string[] {
  const reader = process.env[STRIPPED] ? [new URL('read-stripped.ts', import.meta.url).href] : []
  return [...reader, ...modules].map((address) => `--import=${address}`)
}
