// A short form of `npm run restarts`.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hasNginx, restartUnderWrites, type Way } from './restarts-campaign.ts'

async function restartNodes(way: Way): Promise<number> {
  const figures = await restartUnderWrites({ way, restarts: 2, writers: 3, drainMs: 300, restMs: 30 })
  const { failed, lost, doubled, created } = figures
  deepEqual({ lost, doubled }, { lost: 0, doubled: 0 })
  ok(created > 0)
  return Object.values(failed).reduce((sum, each) => sum + each, 0)
}

describe('a rolling restart', { concurrency: true }, () => {
  test('loses and doubles no POST of writers that open a connection for each', async () => {
    await restartNodes('new')
  })

  const onNginx = { skip: !hasNginx && 'where nginx is not installed' }
  test('fails no POST of writers behind nginx', onNginx, async () => {
    equal(await restartNodes('nginx'), 0)
  })
})
