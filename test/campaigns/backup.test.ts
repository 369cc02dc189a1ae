// A short form of `npm run backups`.
import { test } from 'node:test'
import { databaseName, SERVER } from '../support/database.ts'
import { runBackupCampaign } from './backup-campaign.ts'

const onBoth = databaseName() === 'postgres'

const targets = onBoth ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const)
const server = process.env[SERVER]

for (const source of onBoth ? (['postgres', 'sqlite'] as const) : (['sqlite'] as const)) {
  test(`a backup of ${source} under many writes is the calendar at one moment`, async (t) => {
    const [figures] = await runBackupCampaign({ source, targets, server, backups: 1, seconds: 0.2 })
    t.diagnostic(JSON.stringify(figures))
  })
}
