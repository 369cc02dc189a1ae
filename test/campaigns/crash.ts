// Kills a calendar again and again while eight writers write to it, and checks each time that no acknowledged
// write is lost:
//   npm run crash [-- [--kills 200] [--seed 1] [--database sqlite|sqlite-nodes|postgres]]     all three
// without --database
import { campaignOptions } from '../support/campaign-options.ts'
import { type CrashFigures, runCrashCampaign } from './crash-campaign.ts'
import { crashTable, progressLine } from './crash-report.ts'
import { SETTINGS } from './crash-targets.ts'

const LONGEST_LINE = 600

const { kills, seed, database } = campaignOptions(
  'Kills a calendar again and again while it is written to.',
  {
    kills: { about: 'kills in each setting', value: 200 },
    seed: { about: 'the same seed writes and kills alike', value: 1 + (Date.now() % 1_000_000) },
    database: { about: 'only this setting', value: undefined, choices: SETTINGS },
  },
)
const settings = SETTINGS.filter((name) => database === undefined || database === name)

const all: CrashFigures[] = []
for (const setting of settings) {
  const figures = await runCrashCampaign({
    setting,
    kills,
    seed,
    progress: (now) => console.error(progressLine(now)),
  })
  for (const problem of figures.problems) console.error(`${setting}: ${problem.slice(0, LONGEST_LINE)}`)
  all.push(figures)
}
console.log(crashTable(all))
process.exitCode = all.some(({ problems }) => problems.length > 0) ? 1 : 0
