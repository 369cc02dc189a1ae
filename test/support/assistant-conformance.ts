import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SUITE = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)

export const KNOWN = fileURLToPath(new URL('./assistant-conformance.json', import.meta.url))

export type Failures = Record<string, string[]>

interface Check {
  id: string
  status: string
}

export async function runConformance(address: URL, args: readonly string[]): Promise<Failures> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  try {
    await new Promise<void>((resolve) => {
      const whole = [SUITE, 'server', '--url', address.href, '--output-dir', folder, ...args]
      // The suite exits with 1 when a check has failed.
      execFile(process.execPath, whole, { maxBuffer: 64_000_000 }, () => resolve())
    })
    const scenarios = await readdir(folder)
    const found = scenarios.map(async (name): Promise<[string, string[]]> => {
      const checks: Check[] = JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8'))
      const failed = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id)
      return [scenarioIn(name), [...new Set(failed)].sort()]
    })
    return Object.fromEntries((await Promise.all(found)).sort(([one], [other]) => (one < other ? -1 : 1)))
  } finally {
    await rm(folder, { recursive: true })
  }
}

const scenarioIn = (folder: string) => folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')

export async function knownFailures(): Promise<Record<string, Failures>> {
  return JSON.parse(await readFile(KNOWN, 'utf8'))
}
