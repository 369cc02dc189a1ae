// Runs the official test suite of the Model Context Protocol against a calendar, in both revisions of the
// protocol: npm run assistants
import { writeFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Failures, KNOWN, knownFailures, runConformance } from '../support/assistant-conformance.ts'
import { startService } from '../support/service.ts'

const REVISIONS = ['2026-07-28', '2025-11-25']

const service = await startService({ mcp: 'write', mcp_rate_limit: '0' })
const address = new URL(`${service.origin}/mcp`)
const found: Record<string, Failures> = {}
for (const revision of REVISIONS) {
  const scenarios = await runConformance(address, ['--requirements', revision])
  const failing = Object.entries(scenarios).filter(([, checks]) => checks.length > 0)
  console.log(
    `${revision}: ${Object.keys(scenarios).length} ` +
      `scenarios, ${failing.length} of them with checks that fail`,
  )
  found[revision] = Object.fromEntries(failing)
}
await service.close()

if (process.argv.includes('--write')) await writeFile(KNOWN, `${JSON.stringify(found, null, 2)}\n`)
const known = await knownFailures()
for (const revision of REVISIONS) {
  const names = new Set([...Object.keys(known[revision] ?? {}), ...Object.keys(found[revision] ?? {})])
  for (const name of names) {
    const [before = [], now = []] = [known[revision]?.[name], found[revision]?.[name]]
    if (isDeepStrictEqual(before, now)) continue
    console.log(
      `${revision} ${name}: known to fail are ${before.join(', ') || 'none'}; ` +
        `what fails is ${now.join(', ') || 'nothing'}`,
    )
    process.exitCode = 1
  }
}
