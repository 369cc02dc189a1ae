import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type App, startApp } from '../../src/app.ts'
import type { Db } from '../../src/store/storage/database.ts'
import { patient, type ScratchDatabase, scratchDatabase } from '../support/database.ts'
import { longestTurn } from '../support/longest-turn.ts'
import { addUsers, credentialsOf, onDay, type Reader, testConfig } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const EVENTS = Number(process.env.NDJSON_EVENTS ?? 1300)
const MOST_BYTES = 9_000_000
/** Few different words: indexing others would take longer than the rest of the test. */
const DESCRIPTION = `${'w'.repeat(74)} `.repeat(EVENTS > 20_000 ? 20 : 300)
const LONGEST_TURN_MS = 150

let scratch: ScratchDatabase
let folder: string
let app: App
before(async () => {
  scratch = await scratchDatabase()
  folder = await mkdtemp(join(tmpdir(), 'kalends-many-'))
  const config = testConfig(folder, { database: patient(scratch.address), cache_bytes: '4000000' })
  const filled = await startApp(config)
  await addUsers(filled)
  const venue = { venue: 'Hall', address: 'Long Street 1' }
  const event = { title: 'One of many', ...onDay('2027-01-01', '10:00', '11:00'), venue }
  const made = await fetch(`${filled.site.base}/events`, {
    method: 'POST',
    headers: { ...credentialsOf('admin'), 'content-type': 'application/json' },
    body: JSON.stringify({
      ...event,
      description: DESCRIPTION,
      categories: ['Music'],
      tags: ['Loud', 'Late'],
    }),
  })
  equal(made.status, 201)
  await filled.database.write(async (tx) => copyFirst(tx, EVENTS - 1))
  await filled.stop()
  app = await startApp(config)
  const isFilled = async () => (await (await fetch(`${app.site.url}/readyz`)).text()).includes('filled')
  await until(isFilled, 'the memory was not filled')
})
after(async () => {
  await app.stop()
  await scratch.remove()
  await rm(folder, { recursive: true, force: true })
})

async function copyFirst(tx: Db, copies: number): Promise<void> {
  const { description: _same, ...first } = await tx.selectFrom('events').selectAll().executeTakeFirstOrThrow()
  const terms = await tx.selectFrom('event_terms').selectAll().where('event', '=', first.id).execute()
  const [venue] = await tx.selectFrom('event_venues').selectAll().where('event', '=', first.id).execute()
  ok(venue)
  await tx
    .updateTable('terms')
    .set({ count: copies + 1 })
    .execute()
  for (let done = 0; done < copies; done += 200) {
    const count = Math.min(200, copies - done)
    const records = Array.from({ length: count }, () => ({ kind: 'event' as const }))
    const ids = (await tx.insertInto('records').values(records).returning('id').execute()).map(({ id }) => id)
    const rows = ids.map((id, i) => ({
      ...first,
      id,
      slug: `copy-${id}`,
      ...startOf(done + i),
      description: DESCRIPTION,
    }))
    await tx
      .insertInto('events')
      .values(rows as never)
      .execute()
    await tx
      .insertInto('event_terms')
      .values(ids.flatMap((event) => terms.map((link) => ({ ...link, event }))))
      .execute()
    await tx
      .insertInto('event_venues')
      .values(ids.map((event) => ({ ...venue, event })))
      .execute()
  }
}

function startOf(i: number) {
  const at = new Date(Date.UTC(2027, 0, 1) + i * 120_000).toISOString().slice(0, 19).replace('T', ' ')
  return { start_date: at, end_date: at, utc_start_date: at, utc_end_date: at }
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

function used(): number {
  // Buffers found by the first collection are freed in the background, which the second one awaits.
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

interface Taken {
  lines: number
  bytes: number
  solid: number
  grown: number
}

function takeAll(as: Reader, lookEvery: number): Promise<Taken> {
  const taken: Taken = { lines: 0, bytes: 0, solid: 0, grown: 0 }
  const before = used()
  let looked = 0
  return new Promise((resolve, reject) => {
    const query = 'format=ndjson&start_date=2027-01-01&end_date=2030-01-01'
    const asked = request(
      `${app.site.base}/events?${query}`,
      { headers: credentialsOf(as), agent: false },
      (response) => {
        response.on('data', (piece: Buffer) => {
          taken.bytes += piece.length
          // As text: looking at 200 million single bytes takes several times as long.
          const text = piece.toString('latin1')
          taken.lines += text.split('\n').length - 1
          taken.solid += text.replaceAll(' ', '').length
          if (taken.bytes - looked < lookEvery) return
          looked = taken.bytes
          taken.grown = Math.max(taken.grown, used() - before)
        })
        response.on('end', () => resolve(taken))
        response.on('error', reject)
      },
    )
    asked.on('error', reject)
    asked.end()
  })
}

for (const as of ['anonymous', 'editor'] as const)
  test(`all events take ${as} no memory, however many there are, and hold up nobody`, {
    timeout: 600_000,
  }, async (t) => {
    // The first read also fills the caches.
    const work = takeAll(as, Number.POSITIVE_INFINITY)
    const turn = await longestTurn(() => work)
    const all = await takeAll(as, 4_000_000)
    const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
    t.diagnostic(
      `${all.lines} events, ${megabytes(all.bytes)}: ${megabytes(all.grown)} ` +
        `held, longest turn ${turn.toFixed(1)} ms`,
    )
    equal(all.lines, EVENTS)
    ok(all.bytes > 3 * MOST_BYTES, `${all.bytes} bytes are too few to tell`)
    ok(all.grown < MOST_BYTES, `${all.grown} bytes were held`)
    ok(turn < LONGEST_TURN_MS, `a turn of the event loop took ${turn} ms`)
    const { lines, solid } = await work
    deepEqual({ lines, solid }, { lines: all.lines, solid: all.solid })
  })
