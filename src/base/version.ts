import { existsSync, readFileSync } from 'node:fs'

/** The version of this package; empty where it was taken apart. */
export function readVersion(): string {
  // The compiled sources lie one folder deeper.
  for (const path of ['../../package.json', '../../../package.json']) {
    const file = new URL(path, import.meta.url)
    if (!existsSync(file)) continue
    const { name, version }: { name?: string; version?: string } = JSON.parse(readFileSync(file, 'utf8'))
    if (name === 'kalends') return version ?? ''
  }
  return ''
}
