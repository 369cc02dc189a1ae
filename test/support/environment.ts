/** The variable of the environment that says where a run of the tests keeps what `read-stripped.ts` reads. */
export const STRIPPED = 'TEST_STRIPPED'

/**
 * The environment of a program of the service: nothing of this one's but the way to programs, and where the run of the tests keeps what was
 * stripped and compiled, since a start takes most of its time for that.
 */
export function programEnvironment(more: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE, [STRIPPED]: stripped } = process.env
  const kept = { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...(stripped && { [STRIPPED]: stripped }) }
  return { PATH, ...kept, NODE_OPTIONS: preloading().join(' '), ...more }
}

/** Options for Node that have it load these modules before the program, behind the one that reads what was stripped. */
export function preloading(...modules: readonly string[]): string[] {
  const reader = process.env[STRIPPED] ? [new URL('read-stripped.ts', import.meta.url).href] : []
  return [...reader, ...modules].map((address) => `--import=${address}`)
}
