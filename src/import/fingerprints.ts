import { hash } from 'node:crypto'

/** Short texts in place of values, by field: equal for equal values. */
export type Fingerprints = Readonly<Record<string, string>>

/** Longer values are replaced by their hash. */
const LONGEST = 40

/** The fingerprint of each of these values. */
export function fingerprintsOf(values: Readonly<Record<string, unknown>>): Fingerprints {
  const prints: Record<string, string> = {}
  for (const name in values) if (values[name] !== undefined) prints[name] = fingerprintOf(values[name])
  return prints
}

export function fingerprintOf(value: unknown): string {
  const text = typeof value === 'string' ? value : `\t${JSON.stringify(value)}`
  return text.length <= LONGEST ? text : `\n${hash('sha1', text, 'base64')}`
}

/** One fingerprint of all of them. */
export function digestOf(prints: Fingerprints): string {
  return hash('sha1', JSON.stringify(prints), 'base64')
}

export function readFingerprints(text: string): Fingerprints {
  return JSON.parse(text)
}
