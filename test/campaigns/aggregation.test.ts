import { test } from 'node:test'
import { runAggregation } from './aggregation-campaign.ts'

test('a calendar is imported into others as it is, changed on both sides, undone, and killed meanwhile', async (t) => {
  await runAggregation({
    events: Number(process.env.AGGREGATION_EVENTS ?? 50),
    changes: 15,
    kills: 1,
    seed: Number(process.env.AGGREGATION_SEED ?? 7),
    progress: (sentence) => t.diagnostic(sentence),
  })
})
