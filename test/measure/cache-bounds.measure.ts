import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { onDay, serviceForTests } from '../support/service.ts'
import { until } from '../support/waiting.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const CACHE_BYTES = 2_000_000
const MOST_GROWN = 60_000_000
const EVENTS = 120
const ROUND = 60

const service = serviceForTests({ cache_bytes: String(CACHE_BYTES) }, { fill: prepare })
async function prepare(): Promise<void> {
  for (let i = 0; i < EVENTS; i++) {
    const { status } = await service.post('/events', {
      title: `Event ${i} of many words`,
      description: `A text of some length. `.repeat(40),
      ...onDay(`2027-0${1 + (i % 9)}-01`, '10:00:00', '12:00:00'),
      cost: String(i),
      venue: { venue: `Hall ${i % 30}`, geo_lat: (i % 30) - 15, geo_lng: i % 30 },
      organizer: [{ organizer: `Club ${i % 20}` }],
      categories: [`Category ${i % 10}`],
      tags: [`tag ${i % 15}`, `other ${i % 7}`],
    })
    equal(status, 201)
  }
  await until(
    async () => (await service.get('~/readyz')).body.memory === 'filled',
    'the memory was not filled',
    20,
  )
}

function addressesOf(n: number): string[] {
  const day = (n % 27) + 1
  const second =
    `${String(n % 24).padStart(2, '0')}:` +
    `${String((n >> 3) % 60).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`
  return [
    `/events?per_page=50&start_date=2026-12-${day} ${second}&strict_dates=true&unused=${n}`,
    `/events?search=event many ${n}`,
    `/events?search=${'w'.repeat(1 + (n % 400))}${n}`,
    `/events?geoloc_lat=${(n % 170) - 85}.${n}&geoloc_lng=${n % 180}&geoloc_radius=${1000 + n}`,
    `/events?ends_after=2026-12-${day} ${second}&page=1&per_page=${1 + (n % 50)}&x=${n}`,
    `/events/${1 + (n % EVENTS)}?unused=${n}`,
    `/venues?search=hall&per_page=50&x=${n}`,
    `/organizers?per_page=${1 + (n % 50)}&x=${n}`,
    `/categories?search=cat&x=${n}`,
    `/tags?per_page=${1 + (n % 50)}&x=${n}`,
    `/events/by-slug/event-${n % EVENTS}-of-many-words?x=${n}`,
    `/nowhere/${n}`,
  ]
}

const ENCODINGS = ['gzip', 'br', 'identity']

async function ask(path: string, encoding: string): Promise<void> {
  const response = await fetch(service.base + path, { headers: { 'accept-encoding': encoding } })
  await response.arrayBuffer()
}

async function hammer(round: number): Promise<void> {
  for (let n = round * ROUND; n < (round + 1) * ROUND; n += 12) {
    const paths = addressesOf(n)
    for (const encoding of ENCODINGS) await Promise.all(paths.map((path) => ask(path, encoding)))
  }
}

async function used(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 4; i++) {
    collectGarbage()
    await nextTurn()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    least = Math.min(least, heapUsed + arrayBuffers)
  }
  return least
}

async function resident(): Promise<number> {
  await used()
  return process.memoryUsage().rss
}

test('however many different things strangers ask for, memory stays what it was', async (t) => {
  // The first two rounds fill the caches. The answers of each further round take several times their limit,
  // so two more show any growth.
  for (let round = 0; round < 2; round++) await hammer(round)
  const before = await used()
  for (let round = 2; round < 4; round++) await hammer(round)
  const grown = (await used()) - before
  t.diagnostic(
    `${(before / 1e6).toFixed(1)} MB, and ${(grown / 1e6).toFixed(1)} MB more after two more rounds`,
  )
  ok(grown < CACHE_BYTES, `${(grown / 1e6).toFixed(1)} MB more`)
})

test('every length of a list of ids costs no memory of its own', async (t) => {
  const ids = (howMany: number) => Array.from({ length: howMany }, (_, i) => i + 1).join(',')
  const ask = async (from: number, to: number) => {
    for (let length = from; length <= to; length++) {
      for (const as of ['anonymous', 'editor'] as const) {
        for (const path of [`/events?include=${ids(length)}`, `/venues?include=${ids(length)}`])
          equal((await service.get(`${path}&per_page=1`, as)).status, 200)
      }
    }
  }
  // Statements live outside the heap, so the memory of the whole process is measured. The first round loads
  // code and buffers.
  await ask(1, 40)
  const before = await resident()
  await ask(41, 100)
  const grown = (await resident()) - before
  t.diagnostic(`${(before / 1e6).toFixed(1)} MB, and ${(grown / 1e6).toFixed(1)} MB more after 60 lengths`)
  ok(grown < MOST_GROWN, `${(grown / 1e6).toFixed(1)} MB more`)
})
