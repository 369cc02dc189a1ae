import { deepEqual } from 'node:assert/strict'

/** Counts the secrets made. Each has another number, so that a leaked one shows where it came from. */
let made = 0
const secrets: string[] = []

export function secret(kind = 'hunter'): string {
  made += 1
  secrets.push(`${kind}${made}Secret`)
  return `${kind}${made}Secret`
}

/** Adds texts that must stay secret, too. */
export function rememberSecrets(others: readonly string[]): void {
  secrets.push(...others)
}

export function assertHidden(text: string, where: string): void {
  const leaked = secrets.filter((each) => text.includes(each))
  deepEqual(leaked, [], `${where}: ${text.slice(0, 4000)}`)
}
