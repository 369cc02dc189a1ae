import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The official suite, of the release that package.json names. */
const SUITE = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)

/**
 * The scenarios in which checks are known to fail, each with these checks: they ask for tools, prompts and resources of their own, which a calendar has not. The
 * command `npm run assistants -- --write` writes them anew.
 */
export const KNOWN = fileURLToPath(new URL('./assistant-conformance.json', import.meta.url))

/** The checks of each scenario that fail. */
export type Failures = Record<string, string[]>

interface Check {
  id: string
  status: string
}

/** Runs scenarios of the official suite, as its arguments name them; returns those that failed with the checks that did. */
export async function runConformance(address: URL, args: readonly string[]): Promise<Failures> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  try {
    await new Promise<void>((resolve) => {
      const whole = [SUITE, 'server', '--url', address.href, '--output-dir', folder, ...args]
      // It exits with 1 where a check has failed.
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

/** `server-ping-2026-01-01T00-00-00-000Z` is a result of `ping`. */
const scenarioIn = (folder: string) => folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')

/** Known failures by revision. */
export async function knownFailures(): Promise<Record<string, Failures>> {
  return JSON.parse(await readFile(KNOWN, 'utf8'))
}
