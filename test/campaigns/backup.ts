// Takes backups of a service while clients write as fast as it answers, and restores them on both databases:
//   npm run backups [-- [--backups 3] [--seconds 5] [--database sqlite|postgres]]     both without --database
import { campaignOptions } from '../support/campaign-options.ts'
import { DATABASES } from '../support/database.ts'
import { startPostgres } from '../support/postgres.ts'
import { runBackupCampaign } from './backup-campaign.ts'

const { backups, seconds, database } = campaignOptions(
  'Takes backups of a service while clients write to it.',
  {
    backups: { about: 'backups of each database', value: 3 },
    seconds: { about: 'of writing around each', value: 5 },
    database: { about: 'only of this one', value: undefined, choices: DATABASES },
  },
)
const sources = DATABASES.filter((name) => database === undefined || database === name)

const postgres = await startPostgres()
try {
  for (const source of sources) {
    const server = postgres.address()
    const campaign = { source, targets: DATABASES, server, backups, seconds }
    for (const {
      took,
      writes,
      before,
      batches,
      acknowledged,
      asInSource,
      answers,
    } of await runBackupCampaign(campaign))
      console.log(
        `${source}: ${(took / 1000).toFixed(1)} s under ${writes} writes a second; ` +
          `of ${acknowledged} batches ${before} before it, ${batches} in it, each whole; ` +
          `${answers} lists and singles the same ` +
          `on ${DATABASES.join(' and ')}, ${asInSource} singles as in the source`,
      )
  }
} finally {
  await postgres.close()
}
