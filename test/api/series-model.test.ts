import { before, test } from 'node:test'
import { fc, rounds, SEED, SHRINKS } from '../support/rounds.ts'
import { compare, type Play, steps } from '../support/series-play.ts'
import { serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin' })
let venues: number[]
let categories: number[]

before(async () => {
  await service.ready
  venues = []
  categories = []
  for (const name of ['Hall', 'Yard', 'Barn'])
    venues.push((await service.create('/venues', { venue: name })).id)
  for (const name of ['Music', 'Food']) categories.push((await service.create('/categories', { name })).id)
})

test(`whatever people do with series, they are as plain lists of dates say (seed ${SEED})`, async () => {
  const property = fc.asyncProperty(steps, async (taken) => {
    const play: Play = { service, venues, categories, series: [], singles: [] }
    for (const step of taken) {
      await step(play)
      await compare(play)
    }
  })
  await fc.assert(property, { numRuns: rounds(4), seed: SEED, endOnFailure: !SHRINKS })
})
