/**
 * The environment of a program of the service: nothing of this one's but the way to programs, and where the run of the tests keeps what was
 * compiled, since a start takes half its time to compile the sources.
 */
export function programEnvironment(more: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}), ...more }
}
