import assert from 'node:assert/strict'

/** What must be nowhere; each is used under another name or form, so that what leaks tells where. */
let made = 0
const secrets: string[] = []

/** A new one. */
export function secret(kind = 'hunter'): string {
  made += 1
  secrets.push(`${kind}${made}Secret`)
  return `${kind}${made}Secret`
}

/** Takes others for secrets too. */
export function rememberSecrets(others: readonly string[]): void {
  secrets.push(...others)
}

/** Fails if one of them is in the text. */
export function assertHidden(text: string, where: string): void {
  const leaked = secrets.filter((each) => text.includes(each))
  assert.deepEqual(leaked, [], `${where}: ${text.slice(0, 4000)}`)
}
