// Imports a calendar into others over HTTP, with changes on both sides under each policy, undone again, and with imports that are killed:
//   npm run aggregation [-- [--events 10000] [--changes 500] [--kills 20] [--seed 1]]
import { parseArgs } from 'node:util'
import { runAggregation } from './aggregation-campaign.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    changes: { type: 'string', default: '500' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const [events, changes, kills, seed] = [values.events, values.changes, values.kills, values.seed].map(Number)
console.error(`seed ${seed}`)
await runAggregation({
  events: events ?? 0,
  changes: changes ?? 0,
  kills: kills ?? 0,
  seed: seed ?? 1,
  progress: (sentence) => console.error(sentence),
})
console.log(`${events} events, ${changes} changes under each policy and ${kills} kills: nothing lost, nothing doubled.`)
