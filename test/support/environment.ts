import { fileURLToPath } from 'node:url'

export const BUNDLED = 'TEST_PROGRAM'

export const MAIN = process.env[BUNDLED] ?? fileURLToPath(new URL('../../src/main.ts', import.meta.url))

const PASSED_ON = ['PATH', 'NODE_COMPILE_CACHE', 'NODE_OPTIONS', 'TEST_CLOCK_AHEAD', 'TZ']

export function programEnvironment(more: Record<string, string> = {}): Record<string, string> {
  const given = PASSED_ON.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(given), ...more }
}
