import { eventFields } from '../../src/base/fields/event-fields.ts'
import type { Kind } from '../../src/base/fields/kinds.ts'

const AT = { site: { timezone: 'UTC' }, now: 0 }

/** A value that a field of events takes, `words` where it takes a text; undefined for a field that only takes words of its own. */
export function exampleOf(name: keyof typeof eventFields, words = `Some ${name}`): unknown {
  const { valid, read }: Pick<Kind<unknown>, 'valid' | 'read'> = eventFields[name].kind
  const takes = valid ? (value: unknown) => valid(value, AT) : (value: unknown) => read(value) !== undefined
  return [true, 12, words, `https://example.org/${name}`].find(takes)
}
