import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { databaseName, scratchDatabase } from '../support/database.ts'
import { runFuzz } from './fuzz-campaign.ts'

/** Long runs are made by `npm run fuzz`; these find what shows soon. */
const REQUESTS = databaseName() === 'postgres' ? 240 : 120
/** Other test files run beside this one, and the machines of a service that builds are slow. */
const FACTOR = Number(process.env.FUZZ_FACTOR ?? 3)

/** What every run begins with on one database, and other requests each time on the other. */
const [which, seed] =
  databaseName() === 'postgres'
    ? (['the requests that every run begins with', 1] as const)
    : (['other requests each time', randomInt(1, 1_000_000)] as const)

test(`no request stops the service, fails it or poisons what it keeps: ${which}`, async (t) => {
  const found: string[] = []
  const { counts, findings, longestMs, records } = await runFuzz(await scratchDatabase(), {
    requests: REQUESTS,
    seed,
    minutes: 5,
    factor: FACTOR,
    lanes: 4,
    languages: ['de'],
    tell: (line) => found.push(line),
  })
  t.diagnostic(
    `seed ${seed}: ${counts.requests} requests, ${records} records, longest block ${longestMs.toFixed(1)} ms`,
  )
  assert.equal(findings.length, 0, `npm run fuzz -- --seed ${seed} --requests ${REQUESTS}\n${found.join('\n')}`)
  assert.ok(counts.requests >= REQUESTS, `only ${counts.requests} requests were sent`)
  // Of other requests there may be none that makes a record.
  if (databaseName() === 'postgres') assert.ok(records > 0, 'no records came of them')
})
