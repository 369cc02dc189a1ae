import type { Kind } from '../../src/base/fields/kinds.ts'

const AT = { site: { timezone: 'UTC' }, now: 0 }

/**
 * Returns a value that a kind accepts: `words` where it takes text; undefined for a kind that only takes
 * words of its own.
 */
export function exampleOf(
  name: string,
  { valid, read }: Pick<Kind<unknown>, 'valid' | 'read'>,
  words = `Some ${name}`,
): unknown {
  const takes = valid ? (value: unknown) => valid(value, AT) : (value: unknown) => read(value) !== undefined
  return [true, 12, words, `https://example.org/${name}`].find(takes)
}
