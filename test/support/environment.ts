import { fileURLToPath } from 'node:url'

/** Environment variable with the path, without an ending, of the stripped sources that `read-stripped.ts` reads. */
export const STRIPPED = 'TEST_STRIPPED'

/** Environment variable with the path of the bundled program that a run of the tests uses. Without it, the sources are run. */
export const BUNDLED = 'TEST_PROGRAM'

/** The program of the service, for tests that start it as a process. */
export const MAIN = process.env[BUNDLED] ?? fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/**
 * The environment for a program of this repository: only PATH, and the caches of stripped and compiled sources, without which a start takes much longer.
 * `more` is added.
 */
export function programEnvironment(more: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE, [STRIPPED]: stripped } = process.env
  const kept = { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...(stripped && { [STRIPPED]: stripped }) }
  return { PATH, ...kept, NODE_OPTIONS: preloading().join(' '), ...more }
}

/** The environment for `MAIN`. A bundled program needs no stripped sources. */
export function mainEnvironment(more: Record<string, string> = {}): Record<string, string> {
  return programEnvironment({ ...(process.env[BUNDLED] && { NODE_OPTIONS: '' }), ...more })
}

/** Options with which Node loads modules before the program, after `read-stripped.ts`. */
export function preloading(...modules: readonly string[]): string[] {
  const reader = process.env[STRIPPED] ? [new URL('read-stripped.ts', import.meta.url).href] : []
  return [...reader, ...modules].map((address) => `--import=${address}`)
}
