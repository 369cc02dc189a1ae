// A short form of `npm run steps`.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { killAtSteps, makeSample, type Sample, WORKS } from './steps-campaign.ts'
import { killOutbox } from './steps-outbox.ts'

const EVENTS = 30
const KILLS = 1
/** The steps of a venue and its message: both are written, the message is claimed, and its outcome is written. */
const OF_MESSAGE = 3

describe('a calendar that a command works on', () => {
  let sample: Sample
  before(async () => {
    sample = await makeSample(EVENTS, 1)
  })
  after(() => sample.remove())

  for (const work of WORKS)
    test(`loses and doubles nothing when ${work} is killed in front of a step of it`, async (t) => {
      const { killed } = await killAtSteps(work, sample, KILLS)
      t.diagnostic(`killed in front of: ${killed.join('; ')}`)
    })
})

test('a service that is killed in front of a step of a write or its message tells of each write under one id', async (t) => {
  const killed = await killOutbox(OF_MESSAGE)
  assert.equal(killed.length, OF_MESSAGE)
  t.diagnostic(`killed in front of: ${killed.join('; ')}`)
})
