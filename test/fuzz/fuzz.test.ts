import { equal, ok } from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { databaseName, scratchDatabase } from '../support/database.ts'
import { runFuzz } from './fuzz-campaign.ts'

const REQUESTS = databaseName() === 'postgres' ? 240 : 120
/** Times may be three times as long, since other tests run at the same time and CI machines are slow. */
const FACTOR = Number(process.env.FUZZ_FACTOR ?? 3)

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
  equal(findings.length, 0, `npm run fuzz -- --seed ${seed} --requests ${REQUESTS}\n${found.join('\n')}`)
  ok(counts.requests >= REQUESTS, `only ${counts.requests} requests were sent`)
  // Random requests may create no record.
  if (databaseName() === 'postgres') ok(records > 0, 'no records came of them')
})
