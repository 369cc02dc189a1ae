// Kills a calendar again and again while eight writers write to it, and checks each time that nothing acknowledged is lost:
//   npm run crash [-- [--kills 200] [--seed 1] [--database sqlite|sqlite-workers|postgres]]     all three without --database
import { parseArgs } from 'node:util'
import { type CrashFigures, runCrashCampaign } from './crash-campaign.ts'
import { crashTable, progressLine } from './crash-report.ts'
import { SETTINGS } from './crash-targets.ts'

/** Characters of a problem that are shown. */
const LONGEST_LINE = 600

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    database: { type: 'string' },
  },
})
const [kills, seed] = [Number(values.kills), Number(values.seed)]
const settings = SETTINGS.filter((name) => values.database === undefined || values.database === name)
if (!(kills >= 1) || !Number.isInteger(seed) || settings.length === 0) {
  console.error(`--kills and --seed take whole numbers, --database one of ${SETTINGS.join(', ')}.`)
  process.exit(2)
}

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
