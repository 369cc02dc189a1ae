import type { Kind } from '../../src/base/fields/kinds.ts'

const AT = { site: { timezone: 'UTC' }, now: 0 }

export function exampleOf(
  name: string,
  { valid, read }: Pick<Kind<unknown>, 'valid' | 'read'>,
  words = `Some ${name}`,
): unknown {
  const takes = valid ? (value: unknown) => valid(value, AT) : (value: unknown) => read(value) !== undefined
  return [true, 12, words, `https://example.org/${name}`].find(takes)
}
