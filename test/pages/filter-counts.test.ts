import { deepEqual, match } from 'node:assert/strict'
import { test } from 'node:test'
import { serviceForTests } from '../support/service.ts'

const service = serviceForTests({}, { fill })

async function fill(): Promise<void> {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const venue = await service.create('/venues', { venue: 'Hall', step_free: true })
  const music = await service.create('/categories', { name: 'Music' })
  await service.create('/categories', { name: 'Jazz', parent: music.id })
  await service.create('/categories', { name: 'Film' })
  const make = (days: number, more: object) =>
    service.event({ title: 'E', start_date: day(days), end_date: day(days + 1), all_day: true, ...more })
  await make(-20, { categories: ['jazz'], venue: venue.id })
  await make(0, { categories: ['jazz'], captions: true, venue: venue.id, cost: '0' })
  await make(3, { categories: ['music'], captions: true })
  await make(5, { categories: ['film'], venue: venue.id, cost: '0' })
}

const read = async (path: string): Promise<string> => (await service.page(path)).body
const categories = (body: string) =>
  [...body.matchAll(/<option value="(?:music|jazz|film)"[^>]*>(.*?)<\/option>/g)].map(([, text = '']) =>
    text.trim(),
  )
const facts = (body: string) =>
  [...body.matchAll(/name="access" value="(\w+)"([^>]*)>[^<]*<small>(\d+)/g)].map(
    ([, fact, rest, count]) => `${fact} ${count}${rest ? ' chosen' : ''}`,
  )

test('categories and facts of access stand with the coming events that are left of them', async () => {
  const all = await read('/events/')
  deepEqual(categories(all), ['Film (1)', 'Music (2)', 'Jazz (1)'])
  deepEqual(facts(all), ['step_free 2', 'captions 2'])
  const free = await read('/events/?free=true')
  deepEqual(categories(free), ['Film (1)', 'Music (1)', 'Jazz (1)'])
  deepEqual(facts(free), ['step_free 2', 'captions 1'])
  deepEqual(categories(await read('/events/?categories=film')), ['Film (1)', 'Music (2)', 'Jazz (1)'])
})

test('ticks narrow to events with all of the facts', async () => {
  const body = await read('/events/?access=step_free&access=captions')
  deepEqual(facts(body), ['step_free 1 chosen', 'captions 1 chosen'])
  match(body, /1 event from today on/)
})
