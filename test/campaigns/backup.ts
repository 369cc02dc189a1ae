// Takes backups of a service while clients write to it as fast as it answers, and restores them on both databases:
//   npm run backups [-- [--backups 3] [--seconds 5] [--database sqlite|postgres]]     of both without --database
import { parseArgs } from 'node:util'
import { DATABASES } from '../support/database.ts'
import { startPostgres } from '../support/postgres.ts'
import { runBackupCampaign } from './backup-campaign.ts'
import { backUpUnderImport } from './backup-under-import.ts'

/** Events of the file that is imported meanwhile. */
const IMPORTED = 10_000

const { values } = parseArgs({
  options: {
    backups: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    database: { type: 'string' },
  },
})
const [backups, seconds] = [values.backups, values.seconds].map(Number)
const sources = DATABASES.filter((name) => values.database === undefined || values.database === name)
if (!backups || !seconds || sources.length === 0) {
  console.error(`--backups and --seconds take numbers, --database one of ${DATABASES.join(', ')}.`)
  process.exit(2)
}

const postgres = await startPostgres()
try {
  for (const source of sources) {
    const server = postgres.address()
    const campaign = { source, targets: DATABASES, server, backups, seconds }
    for (const { took, writes, before, batches, acknowledged, asInSource, answers } of await runBackupCampaign(
      campaign,
    ))
      console.log(
        `${source}: ${(took / 1000).toFixed(1)} s under ${writes} writes a second; of ${acknowledged} batches ${before} before it, ${batches} in it, each whole; ` +
          `${answers} lists and singles the same on ${DATABASES.join(' and ')}, ${asInSource} singles as in the source`,
      )
    const { took, writes, included, before, after, answers } = await backUpUnderImport(campaign, IMPORTED)
    console.log(
      `${source}: ${(took / 1000).toFixed(1)} s under an import of ${Math.round(writes)} events a second; ${included} of ${IMPORTED} in it, ` +
        `${before} before it and ${after} after; ${answers} lists and singles the same on ${DATABASES.join(' and ')}`,
    )
  }
} finally {
  await postgres.close()
}
