import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { overloadReport, runOverloadCampaign } from './overload-campaign.ts'

// A short form of `npm run overload`. Times say little beside other tests, so it checks what is refused,
// closed and held in memory. How more requests than can be served are answered is tested in
// test/api/overload.test.ts.

test('connections that do nothing good are cut off, and everybody else is answered', async (t) => {
  const options = { events: 1000, isFull: false, slack: 8, seed: Date.now() % 1_000_000, database: undefined }
  const outcomes = await runOverloadCampaign({ ...options, say: () => undefined }, [
    'slow-heads',
    'slow-readers',
  ])
  t.diagnostic(overloadReport(outcomes))
  deepEqual(
    outcomes.flatMap(({ title, problems }) => problems.map((problem) => `${title}: ${problem}`)),
    [],
  )
})
