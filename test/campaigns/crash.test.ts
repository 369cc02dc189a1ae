import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { databaseName } from '../support/database.ts'
import { isWhole, SEED } from '../support/rounds.ts'
import { killed, runCrashCampaign } from './crash-campaign.ts'
import type { SettingName } from './crash-targets.ts'

// A short form of `npm run crash`.

const KILLS: Readonly<Record<SettingName, number>> = { sqlite: 1, 'sqlite-nodes': 1, postgres: 1 }
const onSqlite: readonly SettingName[] = isWhole ? ['sqlite', 'sqlite-nodes'] : ['sqlite']
const here: readonly SettingName[] = databaseName() === 'postgres' ? ['postgres'] : onSqlite

for (const setting of here) {
  test(`${setting}: nothing acknowledged is lost or half there, killed under eight writers`, async (t) => {
    const figures = await runCrashCampaign({ setting, kills: KILLS[setting], seed: SEED })
    t.diagnostic(
      `seed ${figures.seed}: ${killed(figures)} kills, ${figures.acknowledged} writes acknowledged`,
    )
    deepEqual(figures.problems, [], `seed ${figures.seed}`)
    ok(killed(figures) >= KILLS[setting])
    ok(figures.acknowledged > 0)
  })
}
