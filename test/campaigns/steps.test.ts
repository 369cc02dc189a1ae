// A short form of `npm run steps`.
import { after, before, describe, test } from 'node:test'
import { killAtSteps, makeSample, type Sample, WORKS } from './steps-campaign.ts'

const EVENTS = 30
const KILLS = 1

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
